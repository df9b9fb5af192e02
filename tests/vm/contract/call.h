/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_CALL_H
#define TESTS_CONTRACT_CALL_H

#include <errno.h>
#include "kernel/msg.h"

/*
 * The module's commands with their arguments in a row. Where something comes back, NULL stands
 * for what is of no interest.
 */

struct nl_msg *call_msg_of(struct kv_nl *nl, enum kv_type noun, int cmd, uint32_t id);
/* Sends a message of the test's own; the answer is an object of @noun. */
int call_object(struct kv_nl *nl, enum kv_type noun, struct nl_msg *msg,
		void *object);
int call_new(struct kv_nl *nl, enum kv_type noun, const void *init, void *object,
	     uint64_t *ns);
int call_get(struct kv_nl *nl, enum kv_type noun, uint32_t id, void *object);
int call_del(struct kv_nl *nl, enum kv_type noun, uint32_t id, uint64_t *ns);

static inline int call_info_get(struct kv_nl *nl, struct kv_info *info)
{
	return kv_op_info_get(&nl->base, NULL, info, NULL);
}

static inline int call_flush(struct kv_nl *nl, uint32_t *flushed, uint32_t *busy)
{
	struct kv_flushed out = { 0 };
	int ret = kv_op_flush(&nl->base, NULL, &out, NULL);

	*flushed = out.flushed;
	*busy = out.busy;
	return ret;
}

static inline int call_dev_get(struct kv_nl *nl, const char *name, struct kv_dev *dev)
{
	return kv_op_dev_get(&nl->base, &(struct kv_dev_name){ name }, dev, NULL);
}

static inline int call_qp_new(struct kv_nl *nl, const struct kv_qp_init *init, struct kv_qp *qp,
			      uint64_t *ns)
{
	return kv_op_qp_new(&nl->base, init, qp, ns);
}

static inline int call_qp_modify(struct kv_nl *nl, uint32_t id, const struct kv_qp_attr *attr,
				 uint64_t *ns)
{
	return kv_op_qp_modify(&nl->base, &(struct kv_qp_modify){ id, *attr }, NULL, ns);
}

static inline int call_srq_modify(struct kv_nl *nl, uint32_t id, const struct kv_srq_attr *attr,
				  struct kv_srq *srq, uint64_t *ns)
{
	struct kv_srq_attr in = *attr;

	in.id = id;
	return kv_op_srq_modify(&nl->base, &in, srq, ns);
}

static inline int call_mr_reg(struct kv_nl *nl, uint32_t id, const struct kv_mr_reg *reg,
			      struct kv_mr *mr, uint64_t *ns)
{
	struct kv_mr_reg in = *reg;

	in.id = id;
	return kv_op_mr_reg(&nl->base, &in, mr, ns);
}

static inline int call_mr_inv(struct kv_nl *nl, uint32_t id, uint32_t qp, uint64_t *ns)
{
	return kv_op_mr_inv(&nl->base, &(struct kv_mr_inv){ .id = id, .qp = qp }, NULL, ns);
}

static inline int call_buf_write(struct kv_nl *nl, uint32_t id, uint64_t offset, const void *data,
				uint64_t length)
{
	const struct kv_buf_data in = { id, offset, length, .from = data };

	return kv_op_buf_write(&nl->base, &in, NULL, NULL);
}

static inline int call_buf_read(struct kv_nl *nl, uint32_t id, uint64_t offset, void *data,
			       uint64_t length)
{
	const struct kv_buf_data in = { id, offset, length, .into = data };

	return kv_op_buf_read(&nl->base, &in, NULL, NULL);
}

static inline int call_conn_listen(struct kv_nl *nl, uint32_t id,
				   const struct sockaddr_storage *src, uint32_t backlog,
				   struct kv_conn *conn, uint64_t *ns)
{
	const struct kv_conn_listen in = { id, *src, backlog };

	return kv_op_conn_listen(&nl->base, &in, conn, ns);
}

static inline int call_conn_get_request(struct kv_nl *nl, uint32_t listener, struct kv_conn *conn)
{
	return kv_op_conn_get_request(&nl->base, &(struct kv_id){ listener }, conn, NULL);
}

static inline int call_conn_resolve_addr(struct kv_nl *nl, uint32_t id,
					 const struct sockaddr_storage *src,
					 const struct sockaddr_storage *dst, uint32_t timeout_ms,
					 uint64_t *ns)
{
	struct kv_conn_resolve in = { .id = id, .dst = *dst, .timeout_ms = timeout_ms };

	if (src)
		in.src = *src;
	return kv_op_conn_resolve_addr(&nl->base, &in, NULL, ns);
}

static inline int call_conn_resolve_route(struct kv_nl *nl, uint32_t id, uint32_t timeout_ms,
					  uint64_t *ns)
{
	const struct kv_conn_route in = { id, timeout_ms };

	return kv_op_conn_resolve_route(&nl->base, &in, NULL, ns);
}

static inline int call_conn_connect(struct kv_nl *nl, uint32_t id,
				    const struct kv_conn_param *param, uint64_t *ns)
{
	struct kv_conn_param in = *param;

	in.id = id;
	return kv_op_conn_connect(&nl->base, &in, NULL, ns);
}

static inline int call_conn_establish(struct kv_nl *nl, uint32_t id,
				      const struct kv_conn_param *param, uint64_t *ns)
{
	const struct kv_conn_establish in = { id, param->ack_timeout };

	return kv_op_conn_establish(&nl->base, &in, NULL, ns);
}

static inline int call_conn_accept(struct kv_nl *nl, uint32_t id,
				   const struct kv_conn_param *param, uint64_t *ns)
{
	struct kv_conn_param in = *param;

	in.id = id;
	return kv_op_conn_accept(&nl->base, &in, NULL, ns);
}

/* @length: may be more than there is room for: then so much is sent all the same. */
int call_conn_reject(struct kv_nl *nl, uint32_t id, const void *data, uint32_t length,
		     uint64_t *ns);

static inline int call_conn_disconnect(struct kv_nl *nl, uint32_t id, uint64_t *ns)
{
	return kv_op_conn_disconnect(&nl->base, &(struct kv_id){ id }, NULL, ns);
}

/* A request and its queue, for posts of one. */
struct wr {
	uint32_t qp;
	uint32_t srq;
	uint32_t context;
	struct kv_wr;
};

static inline int call_post_list(struct kv_nl *nl, const struct kv_post *post,
				 struct kv_posted *posted, uint64_t *ns)
{
	return kv_op_wr_post(&nl->base, post, posted, ns);
}

static inline int call_post(struct kv_nl *nl, const struct wr *wr, uint64_t *ns)
{
	const struct kv_post post = {
		.qp = wr->qp,
		.srq = wr->srq,
		.context = wr->context,
		.wrs = 1,
		/* The first member of the struct in it, which has no name. */
		.wr = (const struct kv_wr *)&wr->op,
	};
	struct kv_posted posted;
	int ret = call_post_list(nl, &post, &posted, ns);

	return !ret && (posted.posted != 1 || posted.error) ? -EBADMSG : ret;
}

int call_cq_poll(struct kv_nl *nl, uint32_t id, struct kv_wc *wc, unsigned int max,
		 unsigned int *n, uint64_t *ns);

static inline int call_cq_arm(struct kv_nl *nl, uint32_t id, bool solicited, bool *missed,
			      uint64_t *ns)
{
	struct kv_armed out = { 0 };
	int ret = kv_op_cq_arm(&nl->base, &(struct kv_cq_arm){ id, solicited }, &out, ns);

	if (missed)
		*missed = out.missed;
	return ret;
}

/* Deadlines are of kv_now_ns(); one that is over does not wait. */
int call_wait_completion(struct kv_nl *nl, uint32_t cq, uint64_t deadline_ns);
int call_wait_event(struct kv_nl *nl, uint64_t deadline_ns, struct kv_event *event);

static inline int call_run_start(struct kv_nl *nl, const struct kv_run_spec *spec, uint32_t *id)
{
	struct kv_id out = { 0 };
	int ret = kv_op_run_start(&nl->base, &(struct kv_run_start){ *spec }, &out, NULL);

	*id = out.id;
	return ret;
}

static inline int call_run_cancel(struct kv_nl *nl, uint32_t id)
{
	return kv_op_run_cancel(&nl->base, &(struct kv_id){ id }, NULL, NULL);
}

static inline int call_run_peek(struct kv_nl *nl, uint32_t id, struct kv_run_result *result)
{
	return kv_op_run_peek(&nl->base, &(struct kv_id){ id }, result, NULL);
}

static inline int call_run_get(struct kv_nl *nl, uint32_t id, struct kv_run_result *result)
{
	return kv_op_run_get(&nl->base, &(struct kv_run_which){ id, 0 }, result, NULL);
}

static inline int call_run_del(struct kv_nl *nl, uint32_t id)
{
	return kv_op_run_del(&nl->base, &(struct kv_id){ id }, NULL, NULL);
}

#endif
