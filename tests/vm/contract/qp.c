// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "contract.h"

static int new_qp(struct link *l, const struct kv_qp_init *init)
{
	return call_qp_new(&l->nl, init, NULL, NULL);
}

static void test_types(struct link *l, const struct kv_qp_init *good)
{
	static const char *const name[] = { "rc", "uc", "ud" };
	/* siw has no more. */
	const uint32_t inline_bytes = is_iwarp() ? 64 : 100;
	struct kv_qp_init init = *good;
	uint64_t verb_ns = 0;
	struct kv_qp qp;

	init.max_send_sge = 3;
	init.max_recv_sge = 2;
	init.max_inline = inline_bytes;
	init.sq_sig_all = true;
	for (init.type = 0; init.type <= KVERBS_QPT_MAX; init.type++) {
		if (init.type != KVERBS_QPT_RC && lacks(name[init.type], "such qps"))
			continue;
		must(l, call_qp_new(&l->nl, &init, &qp, &verb_ns), "qp");
		result(qp.type == init.type && qp.pd == init.pd &&
		       qp.send_cq == init.send_cq && qp.recv_cq == init.recv_cq &&
		       !qp.srq && qp.sq_sig_all && verb_ns > 0, "%s: made of what was named",
		       name[init.type]);
		result(qp.max_send_wr >= 8 && qp.max_recv_wr >= 8 && qp.max_send_sge >= 3 &&
		       qp.max_recv_sge >= 2 && qp.max_inline >= inline_bytes,
		       "and as large as it was asked for");
		result(qp.qpn && qp.qpn < 1 << 24 && qp.attr.mask & KV_QPA_STATE &&
		       qp.attr.state == KVERBS_QPS_RESET, "with a QPN, in RESET");
		check_shown(l, KV_QP, &qp, "the qp");
		done(l, call_del(&l->nl, KV_QP, qp.id, NULL), "it goes");
	}
}

static void test_srq_qp(struct link *l, const struct kv_qp_init *good)
{
	struct kv_qp_init init = *good;
	struct kv_qp qp;

	init.srq = make_srq(l, init.pd, 4);
	refused(l, new_qp(l, &init), -EINVAL, "max_recv_wr", "a depth beside an srq");
	init.max_recv_wr = 0;
	refused(l, new_qp(l, &init), -EINVAL, "max_recv_sge", "pieces beside an srq");
	init.max_recv_sge = 0;
	must(l, call_qp_new(&l->nl, &init, &qp, NULL), "qp");
	result(qp.srq == init.srq && !qp.max_recv_wr && !qp.max_recv_sge,
	       "a qp with an srq has no receives of its own");
	check_shown(l, KV_QP, &qp, "it");
	must(l, call_del(&l->nl, KV_QP, qp.id, NULL), "delete");
	init.srq = 2000000000;
	refused(l, new_qp(l, &init), -ENOENT,
		"srq: no srq with this id among yours", "an unknown srq");
}

static int send_new(struct link *l, const struct kv_qp_init *good, int without)
{
	const struct {
		int attr;
		uint32_t value;
	} attrs[] = {
		{ KVERBS_A_QP_PD, good->pd },
		{ KVERBS_A_QP_SEND_CQ, good->send_cq },
		{ KVERBS_A_QP_RECV_CQ, good->recv_cq },
		{ KVERBS_A_QP_MAX_SEND_WR, 1 },
		{ KVERBS_A_QP_MAX_RECV_WR, 1 },
	};
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_QP_NEW, 0);
	unsigned int i;

	for (i = 0; i < COUNT(attrs); i++)
		if (attrs[i].attr != without)
			nla_put_u32(msg, attrs[i].attr, attrs[i].value);
	return send_msg(l, msg);
}

static void test_bad(struct link *l, const struct kv_qp_init *good)
{
	struct kv_qp_init init;

	done(l, send_new(l, good, 0), "the least that has to be said");
	refused(l, send_new(l, good, KVERBS_A_QP_PD), -EINVAL, "the pd's id is missing",
		"no pd");
	refused(l, send_new(l, good, KVERBS_A_QP_SEND_CQ), -EINVAL, "send_cq is missing",
		"no send cq");
	refused(l, send_new(l, good, KVERBS_A_QP_RECV_CQ), -EINVAL, "recv_cq is missing",
		"no recv cq");
	refused(l, send_new(l, good, KVERBS_A_QP_MAX_SEND_WR), -EINVAL,
		"max_send_wr is missing", "no depth of the send queue");
	refused(l, send_new(l, good, KVERBS_A_QP_MAX_RECV_WR), -EINVAL,
		"max_recv_wr is missing", "neither a depth of the receive queue nor an srq");

#define BAD(field, value, error, text, name)				\
	do {								\
		init = *good;						\
		init.field = value;					\
		refused(l, new_qp(l, &init), error, text, name);	\
	} while (0)

	BAD(pd, 2000000000, -ENOENT, "pd: no pd with this id among yours",
	    "an unknown pd");
	BAD(send_cq, 2000000000, -ENOENT,
	    "send_cq: no cq with this id among yours", "an unknown send cq");
	BAD(recv_cq, 2000000000, -ENOENT,
	    "recv_cq: no cq with this id among yours", "an unknown recv cq");
	BAD(type, KVERBS_QPT_MAX + 1, -ERANGE, "type: integer out of range",
	    "a type that does not exist");
	BAD(max_send_wr, 0, -ERANGE, "max_send_wr: integer out of range", "no sends");
	BAD(max_recv_wr, 0, -ERANGE, "max_recv_wr: integer out of range", "no receives");
	BAD(max_send_sge, 0, -ERANGE, "max_send_sge: integer out of range",
	    "sends of no pieces");
	BAD(max_recv_sge, 0, -ERANGE, "max_recv_sge: integer out of range",
	    "receives of no pieces");
	BAD(max_send_wr, caps.max_qp_wr + 1, -EINVAL,
	    "max_send_wr is above the device's max_qp_wr", "too many sends");
	BAD(max_recv_wr, caps.max_qp_wr + 1, -EINVAL,
	    "max_recv_wr is above the device's max_qp_wr", "too many receives");
	BAD(max_send_sge, caps.max_send_sge + 1, -EINVAL,
	    "max_send_sge is above the device's max_send_sge", "too many pieces");
	BAD(max_recv_sge, caps.max_recv_sge + 1, -EINVAL,
	    "max_recv_sge is above the device's max_recv_sge",
	    "too many pieces of a receive");
	/* No device tells how much it takes. */
	init = *good;
	init.max_inline = 1000000;
	refused_by(l, new_qp(l, &init), -EINVAL, KVERBS_STAGE_CREATE, "max_inline",
		   "too much inline");
	BAD(max_inline, 4000000000, -ERANGE, "max_inline: integer out of range",
	    "more inline than any number");
#undef BAD
}

void test_qp(void)
{
	struct kv_qp_init good = {
		.max_send_wr = 8,
		.max_recv_wr = 8,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct link l;

	link_open(&l);
	good.pd = make_pd(&l);
	good.send_cq = make_cq(&l, 32, KVERBS_CQ_POLLED);
	good.recv_cq = make_cq(&l, 32, KVERBS_CQ_POLLED);
	test_types(&l, &good);
	test_srq_qp(&l, &good);
	test_bad(&l, &good);
	refused(&l, call_del(&l.nl, KV_PD, good.pd, NULL), -EBUSY,
		"in use by a", "a pd with a qp");
	refused(&l, call_del(&l.nl, KV_CQ, good.send_cq, NULL), -EBUSY,
		"in use by a qp: delete that first", "a send cq with a qp");
	refused(&l, call_del(&l.nl, KV_CQ, good.recv_cq, NULL), -EBUSY,
		"in use by a qp: delete that first", "a recv cq with a qp");
	good.recv_cq = good.send_cq;
	done(&l, new_qp(&l, &good), "one cq for both");
	link_close(&l);
}
