/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The posts and the poll of loop_env.h by libibverbs' extended API. The Makefile compiles the loops
 * a second time with KV_LOOP_WR, which includes this file. Receives have no extended API.
 */

static inline int kv_env_put_list(struct kv_end *e, const struct ibv_send_wr *wr)
{
	ibv_wr_start(e->ex);
	do {
		e->put(e->ex, wr);
		wr = wr->next;
	} while (wr);
	return -ibv_wr_complete(e->ex);
}

static inline int kv_env_post_send(struct kv_end *e, int bh_disabled)
{
	(void)bh_disabled;
	return kv_env_put_list(e, &e->send_wr);
}

static inline int kv_env_post_quiet(struct kv_end *e, int bh_disabled)
{
	(void)bh_disabled;
	return kv_env_put_list(e, e->quiet);
}

/*
 * The CQ is one of ibv_create_cq_ex(), of which ibv_cq_ex_to_cq() gave another name. @flow: NULL,
 * or receives the completion's.
 */
static inline __attribute__((always_inline)) int
kv_env_poll_ex(struct kv_loop *l, struct kv_env_cq *cq, struct kv_flow **flow)
{
	struct ibv_cq_ex *ex = (struct ibv_cq_ex *)cq;
	struct ibv_poll_cq_attr attr = { 0 };
	int ret = ibv_start_poll(ex, &attr);
	struct kv_flow *of;

	/* ibv_end_poll() follows only if there was a completion. */
	if (ret)
		return ret == ENOENT ? 0 : -EIO;
	ret = 1;
	if (flow) {
		of = *(struct kv_flow **)(uintptr_t)ex->wr_id;
		*flow = of ?: *flow;
		ret = of != NULL;
	}
	if (__builtin_expect(ex->status != IBV_WC_SUCCESS, 0)) {
		kv_env_set(&l->wc_status, ex->status);
		kv_env_set(&l->vendor_err, ibv_wc_read_vendor_err(ex));
		kv_env_set(&l->qp_num, ibv_wc_read_qp_num(ex));
		ret = -EIO;
	}
	ibv_end_poll(ex);
	return ret;
}

static inline int kv_env_poll(struct kv_loop *l, struct kv_env_cq *cq)
{
	return kv_env_poll_ex(l, cq, NULL);
}

static inline int kv_env_poll_flow(struct kv_loop *l, struct kv_env_cq *cq, struct kv_flow **flow)
{
	return kv_env_poll_ex(l, cq, flow);
}
