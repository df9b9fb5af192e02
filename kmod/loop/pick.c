// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <kverbs.h>
#include "loop.h"
#include "loop_env.h"

/**
 * kv_loop_pick() - the function that runs a loop
 * @form: what the loop does
 * @bh_disabled: post with softirqs held off
 *
 * Return: the function, or NULL if there is none.
 */
kv_loop_fn kv_loop_pick(const struct kv_loop_form *form, int bh_disabled)
{
	int inv = form->op == KVERBS_OP_SEND_WITH_INV;
	int write = form->op == KVERBS_OP_WRITE;

	switch (form->loop) {
	case KVERBS_LOOP_NULL:
		return KV_LOOP_PICK(null, bh_disabled);
	case KVERBS_LOOP_POST_TO_COMPLETION:
		return form->op == KVERBS_OP_READ_WITH_INV ?
		       KV_LOOP_PICK_REGISTERING(read_inv, bh_disabled) :
		       KV_LOOP_PICK(post_to_completion, bh_disabled);
	case KVERBS_LOOP_PINGPONG_CLIENT:
		return inv ? KV_LOOP_PICK_REGISTERING(send_inv_client, bh_disabled) :
		       write ? KV_LOOP_PICK(write_client, bh_disabled) :
			       KV_LOOP_PICK(send_client, bh_disabled);
	case KVERBS_LOOP_PINGPONG_SERVER:
		return inv ? KV_LOOP_PICK(send_inv_server, bh_disabled) :
		       write ? KV_LOOP_PICK(write_server, bh_disabled) :
			       KV_LOOP_PICK(send_server, bh_disabled);
	case KVERBS_LOOP_PINGPONG:
		return inv ? KV_LOOP_PICK_REGISTERING(send_inv_pingpong, bh_disabled) :
		       write ? KV_LOOP_PICK(write_pingpong, bh_disabled) :
			       KV_LOOP_PICK(send_pingpong, bh_disabled);
	case KVERBS_LOOP_STREAM:
		if (form->paced)
			return form->one_cq ? KV_LOOP_PICK(paced_several_one_cq, bh_disabled) :
			       form->several ? KV_LOOP_PICK(paced_several, bh_disabled) :
					       KV_LOOP_PICK(paced, bh_disabled);
		return form->one_cq ? KV_LOOP_PICK(streams_one_cq, bh_disabled) :
		       form->several ? KV_LOOP_PICK(streams, bh_disabled) :
				       KV_LOOP_PICK(stream, bh_disabled);
	case KVERBS_LOOP_STREAM_SERVER:
		if (form->one_cq)
			return KV_LOOP_PICK(streams_server_one_cq, bh_disabled);
		if (form->several)
			return form->srq ? KV_LOOP_PICK(streams_server_srq, bh_disabled) :
					   KV_LOOP_PICK(streams_server, bh_disabled);
		return form->srq ? KV_LOOP_PICK(stream_server_srq, bh_disabled) :
				   KV_LOOP_PICK(stream_server, bh_disabled);
	case KVERBS_LOOP_CREDIT_STREAM:
		return form->one_cq ? KV_LOOP_PICK(credit_stream_one_cq, bh_disabled) :
				      KV_LOOP_PICK(credit_stream, bh_disabled);
	case KVERBS_LOOP_CREDIT_SERVER:
		return form->one_cq ? KV_LOOP_PICK(credit_server_one_cq, bh_disabled) :
				      KV_LOOP_PICK(credit_server, bh_disabled);
	}
	return NULL;
}
