// SPDX-License-Identifier: MIT
/* Every command once, with what it needs and the way back: for who makes them fail. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <netinet/in.h>
#include <netlink/netlink.h>
#include "conn.h"
#include "run.h"
#include "steps.h"

static int del(struct scene *s, enum kv_type noun, uint32_t id)
{
	return call_del(&s->l.nl, noun, id, NULL);
}

/* Making each type, and deleting it. */
#define NEW_AND_DEL(type, noun, ...)						\
	static int new_##type(struct scene *s)					\
	{									\
		struct kv_##noun##_init init = { __VA_ARGS__ };			\
		struct kv_##noun got;						\
		int ret = kv_op_##noun##_new(&s->l.nl.base, &init, &got, NULL);	\
										\
		s->id = ret ? 0 : got.id;					\
		return ret;							\
	}									\
	static int del_##type(struct scene *s)					\
	{									\
		return kv_op_##noun##_del(&s->l.nl.base, &(struct kv_id){ s->id }, NULL, NULL); \
	}

NEW_AND_DEL(pd, pd, .dev = dev)
NEW_AND_DEL(cq, cq, .dev = dev, .cqe = 16)
NEW_AND_DEL(softirq_cq, cq, .dev = dev, .cqe = 16, .context = KVERBS_CQ_SOFTIRQ)
NEW_AND_DEL(small_buf, buf, .dev = dev, .length = 100)
NEW_AND_DEL(large_buf, buf, .dev = dev, .length = 300000, .pieces = 3)
NEW_AND_DEL(mr, mr, .pd = s->pd, .max_pages = 100)
NEW_AND_DEL(srq, srq, .pd = s->pd, .max_wr = 8, .max_sge = 1)
NEW_AND_DEL(ah, ah, .pd = s->pd, .port = 1, .av = own_address())
NEW_AND_DEL(conn, conn, .dev = dev)

static int new_qp(struct scene *s)
{
	struct kv_qp_init init = {
		.pd = s->pd,
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.max_send_wr = 4,
		.max_recv_wr = 4,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct kv_qp got;
	int ret = call_qp_new(&s->l.nl, &init, &got, NULL);

	s->id = ret ? 0 : got.id;
	return ret;
}

static int del_qp(struct scene *s)
{
	return del(s, KV_QP, s->id);
}

static int show_info(struct scene *s)
{
	struct kv_info info;

	return call_info_get(&s->l.nl, &info);
}

static int show_dev(struct scene *s)
{
	struct kv_dev got;

	return call_dev_get(&s->l.nl, dev, &got);
}

static int count_dev(const struct kv_dev *got, void *arg)
{
	(void)got;
	++*(unsigned int *)arg;
	return 0;
}

static int count_object(const union kv_object *object, void *arg)
{
	(void)object;
	++*(unsigned int *)arg;
	return 0;
}

/* A list that is too short, and says nothing of it. */
static int check_list(struct scene *s, unsigned int n)
{
	if (!s->listed)
		s->listed = n;
	if (s->listed == n)
		return 0;
	snprintf(s->l.nl.base.err, sizeof(s->l.nl.base.err), "%u objects listed of %u", n, s->listed);
	return -EPROTO;
}

static int list_devs(struct scene *s)
{
	unsigned int n = 0;
	int ret = kv_nl_dev_each(&s->l.nl.base, count_dev, &n);

	return ret ? ret : check_list(s, n);
}

static int list(struct scene *s, enum kv_type noun)
{
	unsigned int n = 0;
	int ret = kv_nl_each(&s->l.nl.base, noun, count_object, &n);

	return ret ? ret : check_list(s, n);
}

#define SHOW_AND_LIST(type, noun, id)						\
	static int show_##noun(struct scene *s)					\
	{									\
		union kv_object got;						\
										\
		return call_get(&s->l.nl, KV_##type, id, &got);			\
	}									\
	static int list_##noun##s(struct scene *s)				\
	{									\
		return list(s, KV_##type);					\
	}

SHOW_AND_LIST(PD, pd, s->pd)
SHOW_AND_LIST(CQ, cq, s->cq)
SHOW_AND_LIST(BUF, buf, s->buf)
SHOW_AND_LIST(MR, mr, s->a.local_mr)
SHOW_AND_LIST(SRQ, srq, s->srq)
SHOW_AND_LIST(AH, ah, s->ah)
SHOW_AND_LIST(QP, qp, s->a.qp)
SHOW_AND_LIST(CONN, conn, s->id)

/* An empty list would be whole in any case. */
static int new_and_list_conn(struct scene *s)
{
	int ret = new_conn(s);

	return ret ? ret : list_conns(s);
}

static int list_runs(struct scene *s)
{
	return send_msg(&s->l, kv_nl_msg(&s->l.nl, KVERBS_CMD_RUN_GET, NLM_F_DUMP));
}

static int post_write(struct scene *s)
{
	struct wr wr = write_wr(&s->a, &s->b, 64, 1);

	return call_post(&s->l.nl, &wr, NULL);
}

/* A completion that a call has failed to fetch is there for the next call. */
static int poll_cq(struct scene *s)
{
	struct limit limit = limit_of(5);
	unsigned int n = 0;
	struct kv_wc wc;
	int ret;

	do {
		ret = call_cq_poll(&s->l.nl, s->a.send_cq, &wc, 1, &n, NULL);
	} while (!ret && !n && !limit_over(&limit));
	if (ret || n)
		return ret;
	snprintf(s->l.nl.base.err, sizeof(s->l.nl.base.err), "the completion is lost");
	return -EPROTO;
}

static int arm_cq(struct scene *s)
{
	bool missed;

	return call_cq_arm(&s->l.nl, s->event_cq, false, &missed, NULL);
}

static int reg_mr(struct scene *s)
{
	struct kv_mr_reg reg = {
		.buf = s->a.target,
		.qp = s->a.qp,
		.access = KVERBS_ACCESS_LOCAL_WRITE,
		.length = LENGTH,
	};

	return call_mr_reg(&s->l.nl, s->a.target_mr, &reg, NULL, NULL);
}

static int inv_mr(struct scene *s)
{
	return call_mr_inv(&s->l.nl, s->a.target_mr, s->a.qp, NULL);
}

static int write_buf(struct scene *s)
{
	char data[LENGTH] = "";

	return call_buf_write(&s->l.nl, s->buf, 0, data, sizeof(data));
}

static int read_buf(struct scene *s)
{
	char data[LENGTH];

	return call_buf_read(&s->l.nl, s->buf, 0, data, sizeof(data));
}

static int resize_srq(struct scene *s)
{
	struct kv_srq_attr attr = { .has_max_wr = true, .max_wr = 8 };

	return call_srq_modify(&s->l.nl, s->srq, &attr, NULL, NULL);
}

static int to_init(struct scene *s)
{
	struct kv_qp_attr attr = init_attr(KVERBS_QPT_RC);

	return call_qp_modify(&s->l.nl, s->qp, &attr, NULL);
}

static int to_rtr(struct scene *s)
{
	struct kv_qp_attr attr = rtr_attr(KVERBS_QPT_RC, s->b.qpn);

	return call_qp_modify(&s->l.nl, s->qp, &attr, NULL);
}

static int to_rts(struct scene *s)
{
	struct kv_qp_attr attr = rts_attr(KVERBS_QPT_RC);

	return call_qp_modify(&s->l.nl, s->qp, &attr, NULL);
}

static int to_reset(struct scene *s)
{
	struct kv_qp_attr attr = { .state = KVERBS_QPS_RESET };

	return call_qp_modify(&s->l.nl, s->qp, &attr, NULL);
}

static int post_recv(struct scene *s)
{
	struct wr wr = recv_wr(s->qp, s->buf, 64, 1);

	return call_post(&s->l.nl, &wr, NULL);
}

static int post_srq_recv(struct scene *s)
{
	struct wr wr = recv_wr(0, s->buf, 64, 1);

	wr.srq = s->id;
	return call_post(&s->l.nl, &wr, NULL);
}

static int start_run(struct scene *s)
{
	return call_run_start(&s->l.nl, &s->spec, &s->id);
}

static struct kv_run_result run_result; /* too large for the stack */

static int show_run(struct scene *s)
{
	return call_run_get(&s->l.nl, s->id, &run_result);
}

/* Its QP is free for the next one, then. */
static int end_run(struct scene *s)
{
	struct limit limit = limit_of(10);

	while (!limit_over(&limit)) {
		must(&s->l, show_run(s), "look at the run");
		if (run_result.state == KVERBS_RUN_DONE)
			return 0;
		usleep(10000);
	}
	bail_out("run %u did not end in time", s->id);
}

static int cancel_run(struct scene *s)
{
	return call_run_cancel(&s->l.nl, s->id);
}

static int del_run(struct scene *s)
{
	return call_run_del(&s->l.nl, s->id);
}

static int end_and_del_run(struct scene *s)
{
	end_run(s);
	return del_run(s);
}

static int start_and_end_run(struct scene *s)
{
	int ret = start_run(s);

	return ret ? ret : end_run(s);
}

/* To the end of a run that has been started. A verb that fails there ends it. */
static int go_through(struct scene *s, int ret)
{
	if (ret)
		return ret;
	end_run(s);
	must(&s->l, del_run(s), "delete the run");
	if (run_result.worker[0].error)
		snprintf(s->l.nl.base.err, sizeof(s->l.nl.base.err), "the run has ended with %d",
			 run_result.worker[0].error);
	return run_result.worker[0].error;
}

static int run_through(struct scene *s)
{
	return go_through(s, start_run(s));
}

static int reconnect(struct scene *s)
{
	pair_reconnect(&s->l, &s->a, &s->b, KVERBS_QPT_RC);
	return 0;
}

static int prepare_inv_run(struct scene *s)
{
	s->inv = inv_spec(&s->l, &s->a, &s->b, s->a.local_mr);
	return 0;
}

static int start_inv_run(struct scene *s)
{
	return call_run_start(&s->l.nl, &s->inv, &s->id);
}

/* Its receives stay posted until the QPs are reset. */
static int end_inv_run(struct scene *s)
{
	return end_and_del_run(s) ?: reconnect(s);
}

static int run_inv_through(struct scene *s)
{
	return go_through(s, start_inv_run(s));
}

/* Such a run that has failed leaves the MR in a state that nobody knows, and no other run takes it. */
static int renew_inv_mr(struct scene *s)
{
	const struct kv_mr_reg reg = { .buf = s->a.local, .qp = s->a.qp, .length = LENGTH,
				       .access = KVERBS_ACCESS_LOCAL_WRITE };
	int ret = reconnect(s) ?: call_mr_reg(&s->l.nl, s->a.local_mr, &reg, NULL, NULL);

	return ret ?: call_mr_inv(&s->l.nl, s->a.local_mr, s->a.qp, NULL);
}

/* Where nobody listens. */
#define NOBODY 5

static int listen_conn(struct scene *s)
{
	struct sockaddr_storage src = conn_addr(AF_INET, 0);

	return call_conn_listen(&s->l.nl, s->id, &src, 1, NULL, NULL);
}

/* 239.1.1.9 */
static int join_conn(struct scene *s)
{
	struct kv_conn_join join = {
		.id = s->id, .src = conn_addr(AF_INET, 0), .group = { .ss_family = AF_INET },
	};

	memcpy(&((struct sockaddr_in *)&join.group)->sin_addr, "\xef\1\1\11", 4);
	return kv_op_conn_join(&s->l.nl.base, &join, NULL, NULL);
}

static int joined_conn(struct scene *s)
{
	s->id = conn_new(&s->l);
	must(&s->l, join_conn(s), "join");
	conn_must_be(&s->l, s->id, KVERBS_CONN_JOINED);
	return 0;
}

static int leave_conn(struct scene *s)
{
	return kv_op_conn_leave(&s->l.nl.base, &(struct kv_id){ s->id }, NULL, NULL);
}

/* The GID of the IPv4 group of all hosts. */
static const uint8_t group[16] = { [10] = 0xff, [11] = 0xff, 224, 0, 0, 1 };

static int make_member(struct scene *s)
{
	static const struct end_init ud = { .type = KVERBS_QPT_UD };

	end_make(&s->l, &s->member, &ud);
	return modify(&s->l, s->member.qp, init_attr(KVERBS_QPT_UD));
}

static int del_member(struct scene *s)
{
	end_del(&s->l, &s->member);
	return 0;
}

static int attach_member(struct scene *s)
{
	struct kv_qp_attach attach = { .id = s->member.qp };

	memcpy(attach.gid, group, sizeof(group));
	return kv_op_qp_attach(&s->l.nl.base, &attach, NULL, NULL);
}

static int attached_member(struct scene *s)
{
	must(&s->l, make_member(s), "init");
	return attach_member(s);
}

static int detach_member(struct scene *s)
{
	struct kv_qp_detach detach = { .id = s->member.qp };

	memcpy(detach.gid, group, sizeof(group));
	return kv_op_qp_detach(&s->l.nl.base, &detach, NULL, NULL);
}

static int resolve_addr(struct scene *s)
{
	struct sockaddr_storage dst = conn_addr(AF_INET, NOBODY);

	return call_conn_resolve_addr(&s->l.nl, s->id, NULL, &dst, 5000, NULL);
}

static int resolved_addr(struct scene *s)
{
	s->id = conn_new(&s->l);
	must(&s->l, resolve_addr(s), "resolve the address");
	conn_must_be(&s->l, s->id, KVERBS_CONN_ADDR_RESOLVED);
	return 0;
}

static int resolve_route(struct scene *s)
{
	return call_conn_resolve_route(&s->l.nl, s->id, 5000, NULL);
}

static int resolved_route(struct scene *s)
{
	s->id = conn_routed(&s->l, AF_INET, NOBODY);
	return 0;
}

static int connect_conn(struct scene *s)
{
	struct kv_conn_param param = conn_param(s->qp);

	return call_conn_connect(&s->l.nl, s->id, &param, NULL);
}

static int del_conn_and_reset(struct scene *s)
{
	int ret = del_conn(s);

	return ret ? ret : to_reset(s);
}

static int asked(struct scene *s)
{
	duo_make(&s->l, &s->duo, AF_INET, KVERBS_CONN_CONNECTING, 0);
	return 0;
}

static int take(struct scene *s)
{
	struct kv_conn conn;
	int ret = call_conn_get_request(&s->l.nl, s->duo.listener, &conn);

	if (!ret)
		s->duo.passive = conn.id;
	return ret;
}

static int requested(struct scene *s)
{
	duo_make(&s->l, &s->duo, AF_INET, KVERBS_CONN_CONNECTING, KVERBS_CONN_REQUESTED);
	return 0;
}

static int accept_conn(struct scene *s)
{
	struct kv_conn_param param = conn_param(s->duo.p.qp);

	return call_conn_accept(&s->l.nl, s->duo.passive, &param, NULL);
}

static int reject_conn(struct scene *s)
{
	return call_conn_reject(&s->l.nl, s->duo.passive, "no", 2, NULL);
}

static int answered(struct scene *s)
{
	duo_make(&s->l, &s->duo, AF_INET, KVERBS_CONN_ANSWERED, KVERBS_CONN_ACCEPTED);
	return 0;
}

static int establish_conn(struct scene *s)
{
	struct kv_conn_param param = conn_param(s->duo.a.qp);

	return call_conn_establish(&s->l.nl, s->duo.active, &param, NULL);
}

static int disconnect_conn(struct scene *s)
{
	return call_conn_disconnect(&s->l.nl, s->duo.active, NULL);
}

static int established(struct scene *s)
{
	duo_make(&s->l, &s->duo, AF_INET, KVERBS_CONN_ESTABLISHED, KVERBS_CONN_ESTABLISHED);
	return 0;
}

static int del_duo(struct scene *s)
{
	duo_del(&s->l, &s->duo);
	end_del(&s->l, &s->duo.a);
	end_del(&s->l, &s->duo.p);
	return 0;
}

static int persist(struct scene *s)
{
	struct kv_pd_init init = { .dev = dev, .persistent = true };

	return call_new(&s->l.nl, KV_PD, &init, NULL, NULL);
}

static int flush(struct scene *s)
{
	uint32_t flushed = 0, busy = 0;
	int ret = call_flush(&s->l.nl, &flushed, &busy);

	if (ret || (flushed == 1 && !busy))
		return ret;
	snprintf(s->l.nl.base.err, sizeof(s->l.nl.base.err), "%u flushed, %u busy", flushed, busy);
	return -EPROTO;
}

static int to_init_again(struct scene *s)
{
	int ret = to_reset(s);

	return ret ? ret : to_init(s);
}

static int to_rtr_again(struct scene *s)
{
	int ret = to_init_again(s);

	return ret ? ret : to_rtr(s);
}

const struct step steps[] = {
	{ .name = "the module is shown", NULL, show_info, NULL },
	{ .name = "a device is shown", NULL, show_dev, NULL },
	{ .name = "devices are listed", list_devs, list_devs, NULL },
	{ .name = "a pd is made", NULL, new_pd, del_pd, .verbs = "__ib_alloc_pd" },
	{ .name = "a pd is deleted", new_pd, del_pd, NULL },
	{ .name = "a pd is shown", NULL, show_pd, NULL },
	{ .name = "pds are listed", list_pds, list_pds, NULL },
	{ .name = "a cq is made", NULL, new_cq, del_cq, .verbs = "__ib_create_cq" },
	{ .name = "a cq is deleted", new_cq, del_cq, NULL },
	{ .name = "a cq of softirqs is made", NULL, new_softirq_cq, del_softirq_cq,
	  .verbs = "__ib_alloc_cq" },
	{ .name = "a cq is shown", NULL, show_cq, NULL },
	{ .name = "cqs are listed", list_cqs, list_cqs, NULL },
	{ .name = "a small buffer is made", NULL, new_small_buf, del_small_buf },
	{ .name = "a large buffer is made", NULL, new_large_buf, del_large_buf },
	{ .name = "a large buffer is deleted", new_large_buf, del_large_buf, NULL },
	{ .name = "a buffer is shown", NULL, show_buf, NULL },
	{ .name = "buffers are listed", list_bufs, list_bufs, NULL },
	{ .name = "an mr is made", NULL, new_mr, del_mr, .verbs = "ib_alloc_mr" },
	{ .name = "an mr is deleted", new_mr, del_mr, NULL },
	{ .name = "an mr is shown", NULL, show_mr, NULL },
	{ .name = "mrs are listed", list_mrs, list_mrs, NULL },
	{ .name = "an srq is made", NULL, new_srq, del_srq, .verbs = "ib_create_srq_user" },
	{ .name = "an srq is deleted", new_srq, del_srq, NULL },
	/* One that the device does not tell of is shown as it was made. */
	{ .name = "an srq is shown", NULL, show_srq, NULL, .verbs = "ib_query_srq" },
	{ .name = "srqs are listed", list_srqs, list_srqs, NULL },
	{ .name = "an srq is resized", NULL, resize_srq, NULL, .not_iwarp = true,
	  .verbs = "ib_modify_srq" },
	{ .name = "an ah is made", NULL, new_ah, del_ah, .not_iwarp = true,
	  .verbs = "rdma_create_user_ah rdma_get_gid_attr" },
	{ .name = "an ah is deleted", new_ah, del_ah, NULL, .not_iwarp = true },
	{ .name = "an ah is shown", NULL, show_ah, NULL, .not_iwarp = true },
	{ .name = "ahs are listed", list_ahs, list_ahs, NULL, .not_iwarp = true },
	{ .name = "a qp is made", NULL, new_qp, del_qp, .verbs = "ib_create_qp_kernel" },
	{ .name = "a qp is deleted", new_qp, del_qp, NULL },
	{ .name = "a qp is shown", NULL, show_qp, NULL, .verbs = "ib_query_qp" },
	{ .name = "qps are listed", list_qps, list_qps, NULL },
	{ .name = "a cq is polled", post_write, poll_cq, NULL, .verbs = "rxe_poll_cq" },
	{ .name = "a cq is armed", NULL, arm_cq, NULL, .verbs = "rxe_req_notify_cq" },
	{ .name = "an mr is registered", NULL, reg_mr, inv_mr,
	  .verbs = "ib_query_qp ib_map_mr_sg rxe_post_send" },
	{ .name = "an mr is invalidated", reg_mr, inv_mr, NULL, .verbs = "rxe_post_send" },
	{ .name = "a buffer is written", NULL, write_buf, NULL },
	{ .name = "a buffer is read", NULL, read_buf, NULL },
	{ .name = "a qp goes to INIT", NULL, to_init, to_reset,
	  .verbs = "ib_get_cached_pkey ib_modify_qp" },
	{ .name = "a receive is posted", to_init, post_recv, to_reset,
	  .verbs = "rxe_post_recv" },
	{ .name = "a receive is posted to an srq", new_srq, post_srq_recv, del_srq,
	  .verbs = "rxe_post_srq_recv" },
	{ .name = "a WRITE is posted", NULL, post_write, poll_cq, .verbs = "rxe_post_send" },
	{ .name = "a qp goes to RESET", to_init, to_reset, NULL, .moves = true,
	  .verbs = "ib_modify_qp" },
	{ .name = "a run is started", NULL, start_run, end_and_del_run },
	{ .name = "a run is shown", start_and_end_run, show_run, del_run },
	{ .name = "runs are listed", start_and_end_run, list_runs, del_run },
	{ .name = "a run is cancelled", start_and_end_run, cancel_run, del_run },
	{ .name = "a run is deleted", start_and_end_run, del_run, NULL },
	{ .name = "a run that registers an mr is started", prepare_inv_run, start_inv_run, end_inv_run,
	  .verbs = "ib_map_mr_sg" },
	{ .name = "persistent objects are flushed", persist, flush, NULL },
	{ .name = "a conn is made", NULL, new_conn, del_conn, .verbs = "__rdma_create_kernel_id" },
	{ .name = "a conn is deleted", new_conn, del_conn, NULL },
	{ .name = "a conn is shown", new_conn, show_conn, del_conn },
	{ .name = "conns are listed", new_and_list_conn, list_conns, del_conn },
	{ .name = "a conn listens", new_conn, listen_conn, del_conn,
	  .verbs = "rdma_bind_addr rdma_listen" },
	{ .name = "a group is joined", new_conn, join_conn, del_conn, .once = true, .not_iwarp = true },
	{ .name = "a group is left", joined_conn, leave_conn, del_conn, .once = true, .not_iwarp = true },
	{ .name = "a qp is attached to a group", make_member, attach_member, del_member,
	  .not_iwarp = true },
	{ .name = "a qp is detached from a group", attached_member, detach_member, del_member,
	  .not_iwarp = true },
	{ .name = "an address is resolved", new_conn, resolve_addr, del_conn,
	  .verbs = "rdma_resolve_addr" },
	{ .name = "a route is resolved", resolved_addr, resolve_route, del_conn,
	  .verbs = "rdma_resolve_route" },
	/* iWARP is told at once that nobody listens. */
	{ .name = "a peer is asked", resolved_route, connect_conn, del_conn_and_reset,
	  .not_iwarp = true,
	  .verbs = "rdma_init_qp_attr ib_modify_qp rdma_connect" },
	{ .name = "a request is taken", asked, take, del_duo },
	/* A device or a peer may be half way when these fail. */
	{ .name = "from INIT to RTR", to_init_again, to_rtr, to_reset, .once = true, .not_iwarp = true,
	  .verbs = "ib_modify_qp rdma_create_user_ah", .resolves = true },
	{ .name = "from RTR to RTS", to_rtr_again, to_rts, to_reset, .once = true, .not_iwarp = true,
	  .verbs = "ib_modify_qp" },
	{ .name = "a run from its start to its end", NULL, run_through, reconnect, .once = true,
	  .later = true, .verbs = "rxe_post_send rxe_poll_cq" },
	{ .name = "a run that registers an mr, to its end", prepare_inv_run, run_inv_through, renew_inv_mr,
	  .once = true, .later = true, .verbs = "rxe_post_send rxe_poll_cq" },
	{ .name = "a request is accepted", requested, accept_conn, del_duo, .once = true,
	  .starves_siw = true,
	  .verbs = "rdma_init_qp_attr ib_modify_qp rdma_accept" },
	{ .name = "a request is rejected", requested, reject_conn, del_duo, .once = true,
	  .verbs = "rdma_reject" },
	{ .name = "a connection is established", answered, establish_conn, del_duo, .once = true, .not_iwarp = true,
	  .verbs = "rdma_init_qp_attr ib_modify_qp rdma_accept" },
	{ .name = "a connection is ended", established, disconnect_conn, del_duo, .once = true,
	  .verbs = "rdma_disconnect" },
	{ .name = NULL },
};

void scene_make(struct scene *s)
{
	static const struct end_init rc = { .type = KVERBS_QPT_RC };

	memset(s, 0, sizeof(*s));
	link_open(&s->l);
	pair_make(&s->l, &s->a, &s->b, &rc);
	register_target(&s->l, &s->b);
	s->spec = write_spec(&s->a, &s->b);
	s->pd = make_pd(&s->l);
	s->cq = make_cq(&s->l, 16, KVERBS_CQ_POLLED);
	s->event_cq = make_cq(&s->l, 16, KVERBS_CQ_EVENT);
	s->buf = make_buf(&s->l, LENGTH);
	s->srq = make_srq(&s->l, s->pd, 4);
	if (!is_iwarp())
		s->ah = make_ah(&s->l, s->pd);
	must(&s->l, new_qp(s), "qp");
	s->qp = s->id;
}

void scene_end(struct scene *s)
{
	link_close(&s->l);
}
