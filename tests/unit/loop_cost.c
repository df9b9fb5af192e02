// SPDX-License-Identifier: MIT
/*
 * Runs every loop a number of times on a device that is not there: each post
 * succeeds, each poll finds a completion, each flag is what is waited for. What
 * is left is what the loops themselves cost; tests/unit/loop-cost counts it.
 */
#include <stdio.h>
#include <stdlib.h>
#include "cost/loop_env.h"

/* An end sends the same byte that it looks at: the byte is there at once. */
static __u8 byte;
__u8 question = 1;

static int run(kv_loop_fn fn, __u64 iters, __u8 *rx_tail)
{
	static struct kv_hist hist;
	struct kv_end a = { .rx_tail = rx_tail, .tx_tail = &byte };
	struct kv_end b = a;
	struct kv_loop l = {
		.a = &a,
		.b = &b,
		.hist = &hist,
		.iters = iters,
		.time = ~0ULL,
		.timeout = ~0ULL,
	};

	kv_hist_reset(&hist);
	return fn(&l);
}

int main(int argc, char **argv)
{
	__u64 iters = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	int ret;

	ret = run(kv_loop_null, iters, &byte);
	ret = ret ? ret : run(kv_loop_post_to_completion, iters, &byte);
	ret = ret ? ret : run(kv_loop_send_client, iters, &byte);
	ret = ret ? ret : run(kv_loop_send_server, iters, &byte);
	ret = ret ? ret : run(kv_loop_send_pingpong, iters, &byte);
	ret = ret ? ret : run(kv_loop_write_client, iters, &byte);
	ret = ret ? ret : run(kv_loop_write_pingpong, iters, &byte);
	ret = ret ? ret : run(kv_loop_write_server, iters, &question);
	if (ret)
		fprintf(stderr, "a loop ended with %d\n", ret);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}
