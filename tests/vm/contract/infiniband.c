// SPDX-License-Identifier: MIT
/* Features that RoCE lacks: LIDs and alternate paths. The device has a second port, too. */
#include <errno.h>
#include <string.h>
#include "contract.h"
#include "fail.h"

#define LID 0x22

/* enum rdma_link_layer, enum ib_wc_status */
#define LINK_LAYER_INFINIBAND 1
#define WR_FLUSH_ERR 5

static void check_ports(void)
{
	const struct kv_port *a = &caps.port[0], *b = &caps.port[1];

	result(a->number == 1 && b->number == 2, "both ports are told");
	result(a->lid && b->lid && a->lid != b->lid, "each with its LID");
	result(a->gids == 1 && b->gids == 1 &&
	       memcmp(a->gid[0].raw, b->gid[0].raw, sizeof(a->gid[0].raw)),
	       "and its GID");
	result(a->active_mtu != b->active_mtu, "and its MTU");
}

/* Ports of all devices, and those whose query failed. */
struct ports {
	unsigned int all;
	unsigned int failed;
};

static int count_ports(const struct kv_dev *got, void *arg)
{
	struct ports *n = arg;

	n->all += got->ports;
	for (uint32_t i = 0; i < got->ports; i++)
		n->failed += got->port[i].error == EIO;
	return 0;
}

static void check_failing_port(struct link *l)
{
	struct ports n = {};
	struct kv_dev got;

	if (!fail_verb_loaded()) {
		missing("one of two ports can't be queried", FAIL_VERB_MISSING);
		return;
	}
	fail_verb_set("error", "-5");
	fail_verb_set("verb", "ib_query_port");
	fail_verb_set("nth", "2");
	done(l, call_dev_get(&l->nl, dev, &got), "a device is shown whose second port can't be queried");
	result(got.ports == 2 && !got.port[0].error && got.port[0].lid && got.port[1].error == EIO,
	       "the first port is whole, the second has the error");
	fail_verb_set("nth", "1");
	done(l, kv_nl_dev_each(&l->nl.base, count_ports, &n), "devices are listed, one of whose ports can't be queried");
	result(n.all >= 3 && n.failed == 1, "all ports of all devices are there, one of them with the error");
	fail_verb_set("nth", "0");
	fail_verb_set("verb", "\n");
}

static void check_ah(struct link *l, uint32_t pd)
{
	struct kv_ah_init init = { .pd = pd, .port = 2, .av = { .dlid = LID, .sl = 3 } };
	struct kv_ah ah;

	must(l, call_new(&l->nl, KV_AH, &init, &ah, NULL), "ah");
	result(ah.port == 2 && ah.av.dlid == LID && ah.av.sl == 3 && !ah.av.has_dgid,
	       "an ah at the second port, to a LID");
	result(!ah.has_dmac, "without a MAC address");
	check_shown(l, KV_AH, &ah, "an ah to a LID");
	must(l, call_del(&l->nl, KV_AH, ah.id, NULL), "delete");

#define AH(...) RAW(l, KVERBS_CMD_AH_NEW, KVERBS_A_AH_PD, pd, __VA_ARGS__)
	refused(l, AH(KVERBS_A_AH_PORT, 3, KVERBS_A_AH_DLID, LID), -EINVAL,
		"the device has no such port", "a third port");
	refused(l, AH(KVERBS_A_AH_PORT, 2), -EINVAL, "dlid and dgid are missing: where to?",
		"an ah to nowhere");
	refused(l, AH(KVERBS_A_AH_DLID, LID, KVERBS_A_AH_SGID_INDEX, 0), -EINVAL,
		"sgid_index is of no use without dgid", "a source GID for a LID");
	refused(l, AH(KVERBS_A_AH_DLID, LID, KVERBS_A_AH_TRAFFIC_CLASS, 1), -EINVAL,
		"traffic_class is of no use without dgid", "a traffic class for a LID");
	refused(l, AH(KVERBS_A_AH_DLID, LID, KVERBS_A_AH_FLOW_LABEL, 1), -EINVAL,
		"flow_label is of no use without dgid", "a flow label for a LID");
	refused(l, AH(KVERBS_A_AH_DLID, LID, KVERBS_A_AH_HOP_LIMIT, 1), -EINVAL,
		"hop_limit is of no use without dgid", "a hop limit for a LID");
#undef AH
	init.av = (struct kv_av){ .has_dgid = true, .has_sgid_index = true };
	memcpy(init.av.dgid, caps.port[1].gid[0].raw, sizeof(init.av.dgid));
	refused(l, call_new(&l->nl, KV_AH, &init, NULL, NULL), -EINVAL,
		"dlid is missing: InfiniBand needs it beside dgid", "a GID without a LID");
	init.av.dlid = LID;
	must(l, call_new(&l->nl, KV_AH, &init, &ah, NULL), "ah");
	result(ah.av.has_dgid && ah.av.dlid == LID &&
	       !memcmp(ah.av.dgid, init.av.dgid, sizeof(ah.av.dgid)),
	       "an ah to a GID by way of a LID");
	must(l, call_del(&l->nl, KV_AH, ah.id, NULL), "delete");
}

/* To RTR at the second port. */
static void receive(struct link *l, uint32_t qp)
{
	struct kv_qp_attr init = init_attr(KVERBS_QPT_RC), rtr = rtr_attr(KVERBS_QPT_RC, 5);

	init.port = 2;
	init.pkey_index = 1;
	rtr.av = (struct kv_av){ .dlid = LID };
	to_state(l, qp, KVERBS_QPS_RESET);
	must(l, modify(l, qp, init), "INIT");
	must(l, modify(l, qp, rtr), "RTR");
}

/* The attributes of RTS, and these of an alternate path. */
#define RTS(...)								\
	RAW(l, KVERBS_CMD_QP_MODIFY, KVERBS_A_QP_ID, qp,			\
	    KVERBS_A_QP_STATE, KVERBS_QPS_RTS, KVERBS_A_QP_SQ_PSN, 1,		\
	    KVERBS_A_QP_TIMEOUT, 14, KVERBS_A_QP_RETRY_CNT, 7,			\
	    KVERBS_A_QP_RNR_RETRY, 7, KVERBS_A_QP_MAX_RD_ATOMIC, 1, __VA_ARGS__)
#define PATH KVERBS_A_QP_PATH_MIG_STATE, KVERBS_MIG_REARM

static void check_alt_path(struct link *l, uint32_t qp)
{
	struct kv_qp shown;

	receive(l, qp);
	refused(l, RTS(KVERBS_A_QP_ALT_DLID, 0x11), -EINVAL,
		"alt_port is missing: the alternate path needs it", "no port");
	refused(l, RTS(KVERBS_A_QP_ALT_DLID, 0x11, KVERBS_A_QP_ALT_PORT, 1), -EINVAL,
		"alt_pkey_index is missing: the alternate path needs it", "no P_Key");
	refused(l, RTS(KVERBS_A_QP_ALT_DLID, 0x11, KVERBS_A_QP_ALT_PORT, 1,
		       KVERBS_A_QP_ALT_PKEY_INDEX, 1), -EINVAL,
		"alt_timeout is missing: the alternate path needs it", "no timeout");
#define REST KVERBS_A_QP_ALT_PKEY_INDEX, 1, KVERBS_A_QP_ALT_TIMEOUT, 15
	refused(l, RTS(KVERBS_A_QP_ALT_DLID, 0x11, KVERBS_A_QP_ALT_PORT, 3, REST), -EINVAL,
		"the device has no such port", "a path from a third port");
	refused(l, RTS(KVERBS_A_QP_ALT_PORT, 1, REST), -EINVAL,
		"alt_dlid and alt_dgid are missing: where to?", "a path to nowhere");
	refused(l, RTS(KVERBS_A_QP_ALT_DLID, 0x11, KVERBS_A_QP_ALT_SGID_INDEX, 0,
		       KVERBS_A_QP_ALT_PORT, 1, REST), -EINVAL,
		"alt_sgid_index is of no use without alt_dgid", "a source GID for a LID");
	refused(l, RTS(KVERBS_A_QP_ALT_DLID, 0x11, KVERBS_A_QP_ALT_PORT, 1,
		       KVERBS_A_QP_ALT_PKEY_INDEX, 2, KVERBS_A_QP_ALT_TIMEOUT, 15), -EINVAL,
		"no P_Key at alt_pkey_index", "a P_Key that the other port has not");
	done(l, RTS(KVERBS_A_QP_ALT_DLID, 0x11, KVERBS_A_QP_ALT_PORT, 1, REST, PATH),
	     "RTS, with a path from the first port");
	must(l, call_get(&l->nl, KV_QP, qp, &shown), "qp");
	result(shown.attr.port == 2 && shown.attr.pkey_index == 1 && shown.attr.av.dlid == LID,
	       "the QP is at the second port");
	result(shown.attr.alt_port == 1 && shown.attr.alt_pkey_index == 1 &&
	       shown.attr.alt_timeout == 15 && shown.attr.alt_av.dlid == 0x11 &&
	       shown.attr.path_mig_state == KVERBS_MIG_REARM,
	       "its alternate path at the first");
	check_shown(l, KV_QP, &shown, "a qp with an alternate path");
}

static void check_transitions(struct link *l, uint32_t qp)
{
	struct kv_qp_attr init = init_attr(KVERBS_QPT_RC), rtr = rtr_attr(KVERBS_QPT_RC, 5);

	init.port = 3;
	refused(l, modify(l, qp, init), -EINVAL, "the device has no such port", "a third port");
	init.port = 2;
	init.pkey_index = 2;
	refused(l, modify(l, qp, init), -EINVAL, "no P_Key at pkey_index",
		"a P_Key that the port has not");
	init.pkey_index = 1;
	must(l, modify(l, qp, init), "INIT");
	rtr.av = (struct kv_av){ .has_dgid = true, .has_sgid_index = true };
	memcpy(rtr.av.dgid, caps.port[0].gid[0].raw, sizeof(rtr.av.dgid));
	refused(l, modify(l, qp, rtr), -EINVAL, "dlid is missing: InfiniBand needs it beside dgid",
		"a GID without a LID");
	rtr.av.dlid = 0x11;
	rtr.av.sgid_index = 1;
	refused(l, modify(l, qp, rtr), -EINVAL, "no GID at sgid_index",
		"a source that the port has not");
	rtr.av.sgid_index = 0;
	done(l, modify(l, qp, rtr), "RTR, with GID and LID");
}

/* Its links carry nothing: all requests are flushed in the end. */
static void check_requests(struct link *l, const struct end *e)
{
	struct wr send = send_wr(e->qp, e->local, 8, 7), recv = recv_wr(e->qp, e->local, 8, 8);

	receive(l, e->qp);
	must(l, modify(l, e->qp, rts_attr(KVERBS_QPT_RC)), "RTS");
	post(l, &recv, "a receive is posted");
	post(l, &send, "and a send");
	result(nothing_comes(l, e->send_cq), "which waits");
	to_state(l, e->qp, KVERBS_QPS_ERR);
	expect_wc(l, e->send_cq, 7, KVERBS_WC_OP_SEND, WR_FLUSH_ERR, "ERR flushes the send");
	expect_wc(l, e->recv_cq, 8, KVERBS_WC_OP_RECV, WR_FLUSH_ERR, "and the receive");
	receive(l, e->qp);
	post(l, &recv, "another receive");
	to_state(l, e->qp, KVERBS_QPS_RESET);
	result(nothing_comes(l, e->recv_cq), "is forgotten by RESET");
}

void test_infiniband(void)
{
	struct end e = {};
	struct kv_qp qp;
	struct link l;

	if (caps.ports != 2 || caps.port[0].link_layer != LINK_LAYER_INFINIBAND)
		bail_out("%s is no InfiniBand device with two ports", dev);
	link_open(&l);
	e.pd = make_pd(&l);
	e.send_cq = make_cq(&l, 16, 0);
	e.recv_cq = make_cq(&l, 16, 0);
	e.local = make_buf(&l, LENGTH);
	must(&l, call_qp_new(&l.nl, &(struct kv_qp_init){
		.pd = e.pd, .send_cq = e.send_cq, .recv_cq = e.recv_cq, .type = KVERBS_QPT_RC,
		.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1,
	}, &qp, NULL), "qp");
	e.qp = qp.id;
	check_ports();
	check_failing_port(&l);
	check_ah(&l, e.pd);
	check_transitions(&l, e.qp);
	check_alt_path(&l, e.qp);
	check_requests(&l, &e);
	link_close(&l);
}
