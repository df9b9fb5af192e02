// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <kverbs.h>
#include "loop.h"
#include "loop_env.h"

/**
 * kv_loop_pick() - the function that runs a loop
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op; does not matter for NULL
 * @off: post with softirqs held off
 *
 * Return: the function, or NULL if this loop can't take this operation.
 */
kv_loop_fn kv_loop_pick(__u32 loop, __u32 op, int off)
{
	int send = op == KVERBS_OP_SEND;
	int write = op == KVERBS_OP_WRITE;

	switch (loop) {
	case KVERBS_LOOP_NULL:
		return KV_LOOP_PICK(null, off);
	case KVERBS_LOOP_POST_TO_COMPLETION:
		return send ? NULL : KV_LOOP_PICK(post_to_completion, off);
	case KVERBS_LOOP_PING:
		return send ? KV_LOOP_PICK(send_ping, off) :
		       write ? KV_LOOP_PICK(write_ping, off) : NULL;
	case KVERBS_LOOP_PONG:
		return send ? KV_LOOP_PICK(send_pong, off) :
		       write ? KV_LOOP_PICK(write_pong, off) : NULL;
	case KVERBS_LOOP_RELAY:
		return send ? KV_LOOP_PICK(send_relay, off) :
		       write ? KV_LOOP_PICK(write_relay, off) : NULL;
	}
	return NULL;
}
