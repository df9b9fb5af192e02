// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <kverbs.h>
#include "loop.h"
#include "loop_env.h"

/**
 * kv_loop_pick() - the function that runs a loop
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op, one that kv_op_fits_loop(); does not matter for NULL
 * @bh_disabled: post with softirqs held off
 *
 * Return: the function, or NULL if there is none.
 */
kv_loop_fn kv_loop_pick(__u32 loop, __u32 op, int bh_disabled)
{
	int send = op == KVERBS_OP_SEND;
	int write = op == KVERBS_OP_WRITE;

	switch (loop) {
	case KVERBS_LOOP_NULL:
		return KV_LOOP_PICK(null, bh_disabled);
	case KVERBS_LOOP_POST_TO_COMPLETION:
		return KV_LOOP_PICK(post_to_completion, bh_disabled);
	case KVERBS_LOOP_PINGPONG_CLIENT:
		return send ? KV_LOOP_PICK(send_client, bh_disabled) :
		       write ? KV_LOOP_PICK(write_client, bh_disabled) : NULL;
	case KVERBS_LOOP_PINGPONG_SERVER:
		return send ? KV_LOOP_PICK(send_server, bh_disabled) :
		       write ? KV_LOOP_PICK(write_server, bh_disabled) : NULL;
	case KVERBS_LOOP_PINGPONG:
		return send ? KV_LOOP_PICK(send_pingpong, bh_disabled) :
		       write ? KV_LOOP_PICK(write_pingpong, bh_disabled) : NULL;
	case KVERBS_LOOP_STREAM:
		return KV_LOOP_PICK(stream, bh_disabled);
	}
	return NULL;
}
