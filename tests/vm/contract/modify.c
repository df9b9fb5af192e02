// SPDX-License-Identifier: MIT
/* A QP through its states. The whole table of transitions has unit tests. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"

static const char *const state_names[] = {
	"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR",
};

static struct kv_qp_attr to(uint32_t state)
{
	return (struct kv_qp_attr){ .state = state };
}

/* Of @attr all but the bits of @without. */
static int modify_without(struct link *l, uint32_t qp, struct kv_qp_attr attr,
			  uint32_t without)
{
	attr.mask &= ~without;
	return modify(l, qp, attr);
}

static void reaches(struct link *l, uint32_t qp, struct kv_qp_attr attr)
{
	done(l, modify(l, qp, attr), state_names[attr.state]);
	result(state_of(l, qp) == attr.state, "it is in %s", state_names[attr.state]);
}

static void test_missing(struct link *l, uint32_t qp, struct kv_qp_attr good,
			 uint32_t bit, const char *text)
{
	refused(l, modify_without(l, qp, good, bit), -EINVAL, text, text);
}

/* Each attribute that a transition needs, and some that it does not take. */
static void test_rc(struct link *l, const struct end *e)
{
	struct kv_qp_attr init = init_attr(KVERBS_QPT_RC), attr;
	struct kv_qp_attr rtr = rtr_attr(KVERBS_QPT_RC, e->qpn);
	struct kv_qp_attr rts = rts_attr(KVERBS_QPT_RC);
	uint32_t qp = e->qp;

	refused(l, modify(l, qp, rtr), -EINVAL,
		"the qp is in RESET: its next state is INIT", "RESET to RTR");
	refused(l, modify(l, qp, rts), -EINVAL,
		"the qp is in RESET: its next state is INIT", "RESET to RTS");
	test_missing(l, qp, init, KV_QPA_ACCESS_FLAGS, "access is missing: INIT needs it");
	attr = init;
	attr.mask |= KV_QPA_QKEY;
	refused(l, modify(l, qp, attr), -EINVAL,
		"qkey is of no use here: a qp of type RC has none", "a Q_Key");
	attr = init;
	attr.mask |= KV_QPA_TIMEOUT;
	refused(l, modify(l, qp, attr), -EINVAL,
		"timeout is of no use here: INIT does not take it",
		"a timeout in INIT");
	done(l, modify_without(l, qp, init, KV_QPA_PORT | KV_QPA_PKEY_INDEX),
	     "INIT with port and pkey_index by default");
	reaches(l, qp, to(KVERBS_QPS_RESET));
	reaches(l, qp, init);
	reaches(l, qp, init);

	test_missing(l, qp, rtr, KV_QPA_AV, "dgid is missing: RTR needs it");
	test_missing(l, qp, rtr, KV_QPA_PATH_MTU, "path_mtu is missing: RTR needs it");
	test_missing(l, qp, rtr, KV_QPA_DEST_QPN, "dest_qpn is missing: RTR needs it");
	test_missing(l, qp, rtr, KV_QPA_RQ_PSN, "rq_psn is missing: RTR needs it");
	test_missing(l, qp, rtr, KV_QPA_MIN_RNR_TIMER,
		     "min_rnr_timer is missing: RTR needs it");
	test_missing(l, qp, rtr, KV_QPA_MAX_DEST_RD_ATOMIC,
		     "max_dest_rd_atomic is missing: RTR needs it");
	refused(l, modify(l, qp, rts), -EINVAL,
		"the qp is in INIT: its next state is RTR", "INIT to RTS");
	attr = rtr;
	attr.mask |= KV_QPA_SQ_PSN;
	refused(l, modify(l, qp, attr), -EINVAL,
		"sq_psn is of no use here: RTR does not take it", "sq_psn in RTR");
	result(state_of(l, qp) == KVERBS_QPS_INIT, "after all that it is in INIT still");
	reaches(l, qp, rtr);

	test_missing(l, qp, rts, KV_QPA_SQ_PSN, "sq_psn is missing: RTS needs it");
	test_missing(l, qp, rts, KV_QPA_TIMEOUT, "timeout is missing: RTS needs it");
	test_missing(l, qp, rts, KV_QPA_RETRY_CNT, "retry_cnt is missing: RTS needs it");
	test_missing(l, qp, rts, KV_QPA_RNR_RETRY, "rnr_retry is missing: RTS needs it");
	test_missing(l, qp, rts, KV_QPA_MAX_QP_RD_ATOMIC,
		     "max_rd_atomic is missing: RTS needs it");
	refused(l, modify(l, qp, init), -EINVAL,
		"the qp is in RTR: its next state is RTS", "RTR to INIT");
	reaches(l, qp, rts);
	refused(l, modify(l, qp, rtr), -EINVAL,
		"the qp is in RTS: its next state is SQD", "RTS to RTR");
	refused(l, modify(l, qp, to(KVERBS_QPS_SQE)), -EINVAL,
		"no qp is brought to SQE", "RTS to SQE");
	attr = to(KVERBS_QPS_RTS);
	attr.mask = KV_QPA_CUR_STATE | KV_QPA_MIN_RNR_TIMER;
	attr.cur_state = KVERBS_QPS_RTR;
	attr.min_rnr_timer = 20;
	refused(l, modify(l, qp, attr), -EINVAL,
		"cur_state is not the state that the qp is in", "a wrong idea of its state");
	attr.cur_state = KVERBS_QPS_RTS;
	done(l, modify(l, qp, attr), "what can be changed in RTS");
	reaches(l, qp, to(KVERBS_QPS_ERR));
	refused(l, modify(l, qp, rts), -EINVAL,
		"the qp is in ERR: its next state is RESET", "ERR to RTS");
	reaches(l, qp, to(KVERBS_QPS_ERR));
	reaches(l, qp, to(KVERBS_QPS_RESET));
}

/* The send queue comes to rest some time after the transition. */
static bool drained(struct link *l, uint32_t id)
{
	struct limit limit = limit_of(10);
	struct kv_qp qp;

	do {
		must(l, call_get(&l->nl, KV_QP, id, &qp), "get");
		if (!qp.sq_draining)
			return true;
		usleep(1000);
	} while (!limit_over(&limit));
	return false;
}

/* The send queue is stopped, something changed, and it goes on. */
static void test_sqd(struct link *l, const struct end *e)
{
	struct kv_qp_attr attr = to(KVERBS_QPS_SQD);
	struct kv_qp qp;

	end_connect(l, e, KVERBS_QPT_RC, e->qpn);
	attr.mask = KV_QPA_TIMEOUT;
	refused(l, modify(l, e->qp, attr), -EINVAL,
		"timeout is of no use here: SQD does not take it", "a timeout on the way to SQD");
	reaches(l, e->qp, to(KVERBS_QPS_SQD));
	result(drained(l, e->qp), "the send queue is drained");
	attr.mask = KV_QPA_TIMEOUT | KV_QPA_RETRY_CNT;
	attr.timeout = 10;
	attr.retry_cnt = 5;
	done(l, modify(l, e->qp, attr), "in SQD it can be changed");
	must(l, call_get(&l->nl, KV_QP, e->qp, &qp), "get");
	result(qp.attr.timeout == 10 && qp.attr.retry_cnt == 5, "and it is");
	/* Some devices drain anew then. */
	result(drained(l, e->qp), "and the send queue is drained");
	reaches(l, e->qp, to(KVERBS_QPS_RTS));
	reaches(l, e->qp, to(KVERBS_QPS_RESET));
}

/* The other types need less. */
static void test_others(struct link *l, const struct end *uc, const struct end *ud)
{
	struct kv_qp_attr attr;

	attr = init_attr(KVERBS_QPT_UC);
	reaches(l, uc->qp, attr);
	attr = rtr_attr(KVERBS_QPT_UC, uc->qpn);
	test_missing(l, uc->qp, attr, KV_QPA_PATH_MTU, "path_mtu is missing: RTR needs it");
	attr.mask |= KV_QPA_MIN_RNR_TIMER;
	refused(l, modify(l, uc->qp, attr), -EINVAL,
		"min_rnr_timer is of no use here: a qp of type UC has none", "min_rnr_timer of UC");
	reaches(l, uc->qp, rtr_attr(KVERBS_QPT_UC, uc->qpn));
	attr = rts_attr(KVERBS_QPT_UC);
	attr.mask |= KV_QPA_RETRY_CNT;
	refused(l, modify(l, uc->qp, attr), -EINVAL,
		"retry_cnt is of no use here: a qp of type UC has none", "retry_cnt of UC");
	reaches(l, uc->qp, rts_attr(KVERBS_QPT_UC));

	attr = init_attr(KVERBS_QPT_UD);
	test_missing(l, ud->qp, attr, KV_QPA_QKEY, "qkey is missing: INIT needs it");
	attr.mask |= KV_QPA_ACCESS_FLAGS;
	refused(l, modify(l, ud->qp, attr), -EINVAL,
		"access is of no use here: a qp of type UD has none", "access of UD");
	reaches(l, ud->qp, init_attr(KVERBS_QPT_UD));
	attr = rtr_attr(KVERBS_QPT_UD, 0);
	attr.mask |= KV_QPA_DEST_QPN;
	refused(l, modify(l, ud->qp, attr), -EINVAL,
		"dest_qpn is of no use here: a qp of type UD has none", "a destination of UD");
	reaches(l, ud->qp, rtr_attr(KVERBS_QPT_UD, 0));
	test_missing(l, ud->qp, rts_attr(KVERBS_QPT_UD), KV_QPA_SQ_PSN,
		     "sq_psn is missing: RTS needs it");
	reaches(l, ud->qp, rts_attr(KVERBS_QPT_UD));
}

static void test_values(struct link *l, const struct end *e)
{
	struct kv_qp_attr attr;

#define BAD(good, change, error, text, name)				\
	do {								\
		attr = good;						\
		change;							\
		refused(l, modify(l, e->qp, attr), error, text, name);	\
	} while (0)
#define INIT(...) BAD(init_attr(KVERBS_QPT_RC), __VA_ARGS__)
#define RTR(...) BAD(rtr_attr(KVERBS_QPT_RC, e->qpn), __VA_ARGS__)
#define RTS(...) BAD(rts_attr(KVERBS_QPT_RC), __VA_ARGS__)

	INIT(attr.port = 0, -ERANGE, "port: integer out of range", "port 0");
	INIT(attr.port = caps.ports + 1, -EINVAL, "the device has no such port",
	     "a port that does not exist");
	INIT(attr.pkey_index = 0x10000, -ERANGE, "pkey_index: integer out of range",
	     "a P_Key index of 17 bits");
	INIT(attr.pkey_index = 0xffff, -EINVAL, "no P_Key at pkey_index",
	     "a P_Key index that does not exist");
	INIT(attr.access = KVERBS_ACCESS__ALL + 1, -EINVAL, "access: reserved bit set",
	     "access that does not exist");
	to_state(l, e->qp, KVERBS_QPS_RESET);
	must(l, modify(l, e->qp, init_attr(KVERBS_QPT_RC)), "INIT");
	RTR(attr.path_mtu = 1000, -EINVAL, "path_mtu must be",
	    "a path_mtu that does not exist");
	RTR(attr.path_mtu = 0, -ERANGE, "path_mtu: integer out of range",
	    "a path_mtu of 0");
	RTR(attr.dest_qpn = 1 << 24, -ERANGE, "dest_qpn: integer out of range",
	    "a QPN of 25 bits");
	RTR(attr.rq_psn = 1 << 24, -ERANGE, "rq_psn: integer out of range",
	    "a PSN of 25 bits");
	RTR(attr.av.sgid_index = 200, -EINVAL, "no GID at sgid_index",
	    "an empty entry of the GID table");
	RTR(attr.av.sgid_index = 256, -ERANGE, "sgid_index: integer out of range",
	    "an entry beyond the GID table");
	RTR(attr.av.has_dgid = false, -EINVAL, "dgid is missing: RoCE needs it",
	    "an address without a GID");
	RTR(attr.av.has_sgid_index = false, -EINVAL, "sgid_index is missing",
	    "an address without a source");
	RTR(attr.av.dlid = 1, -EINVAL, "dlid is of no use here: RoCE has no LIDs",
	    "a LID on RoCE");
	RTR(attr.av.sl = 16, -ERANGE, "sl: integer out of range",
	    "a service level that does not exist");
	RTR(attr.av.traffic_class = 256, -ERANGE, "traffic_class: integer out of range",
	    "a traffic class of 9 bits");
	RTR(attr.av.flow_label = 1 << 20, -ERANGE, "flow_label: integer out of range",
	    "a flow label of 21 bits");
	RTR(attr.av.hop_limit = 256, -ERANGE, "hop_limit: integer out of range",
	    "a hop limit of 9 bits");
	RTR(attr.min_rnr_timer = 32, -ERANGE, "min_rnr_timer: integer out of range",
	    "an RNR timer that does not exist");
	RTR(attr.max_dest_rd_atomic = 256, -ERANGE,
	    "max_dest_rd_atomic: integer out of range", "256 reads at a time");
	RTR(attr.max_dest_rd_atomic = caps.max_qp_rd_atom + 1, -EINVAL,
	    "max_dest_rd_atomic is above the device's max_qp_rd_atom",
	    "more reads at a time than the device answers");
	must(l, modify(l, e->qp, rtr_attr(KVERBS_QPT_RC, e->qpn)), "RTR");
	RTS(attr.sq_psn = 1 << 24, -ERANGE, "sq_psn: integer out of range",
	    "a PSN of 25 bits to send");
	RTS(attr.timeout = 32, -ERANGE, "timeout: integer out of range",
	    "a timeout that does not exist");
	RTS(attr.retry_cnt = 8, -ERANGE, "retry_cnt: integer out of range", "8 retries");
	RTS(attr.rnr_retry = 8, -ERANGE, "rnr_retry: integer out of range",
	    "8 retries when not ready");
	RTS(attr.max_rd_atomic = 256, -ERANGE, "max_rd_atomic: integer out of range",
	    "256 reads outstanding");
	RTS(attr.max_rd_atomic = caps.max_qp_init_rd_atom + 1, -EINVAL,
	    "max_rd_atomic is above the device's max_qp_init_rd_atom",
	    "more reads outstanding than the device takes");
	RTS(attr.state = KVERBS_QPS_ERR + 1, -ERANGE, "state: integer out of range",
	    "a state that does not exist");
	attr = rts_attr(KVERBS_QPT_RC);
	attr.mask |= KV_QPA_CUR_STATE;
	attr.cur_state = KVERBS_QPS_ERR + 1;
	refused(l, modify(l, e->qp, attr), -ERANGE, "cur_state: integer out of range",
		"an idea of a state that does not exist");
	result(state_of(l, e->qp) == KVERBS_QPS_RTR, "after all that it is in RTR still");
#undef RTS
#undef RTR
#undef INIT
#undef BAD
	refused(l, RAW(l, KVERBS_CMD_QP_MODIFY, KVERBS_A_QP_ID, e->qp), -EINVAL,
		"state is missing", "modify without state");
	refused(l, RAW(l, KVERBS_CMD_QP_MODIFY, KVERBS_A_QP_STATE, 1), -EINVAL,
		"the qp's id is missing", "modify without a qp");
	refused(l, modify(l, 2000000000, to(KVERBS_QPS_RESET)), -ENOENT,
		"no qp with this id among yours", "an unknown qp");
}

/* The attributes that it was given are shown, and all that are valid in its state. */
static void test_shown(struct link *l, const struct end *e)
{
	struct kv_qp_attr rtr = rtr_attr(KVERBS_QPT_RC, e->qpn);
	struct kv_qp qp;

	rtr.av.traffic_class = 7;
	rtr.av.flow_label = 0x12345;
	to_state(l, e->qp, KVERBS_QPS_RESET);
	must(l, modify(l, e->qp, init_attr(KVERBS_QPT_RC)), "INIT");
	must(l, modify(l, e->qp, rtr), "RTR");
	must(l, modify(l, e->qp, rts_attr(KVERBS_QPT_RC)), "RTS");
	must(l, call_get(&l->nl, KV_QP, e->qp, &qp), "get");
	result(qp.attr.state == KVERBS_QPS_RTS && qp.attr.port == 1 &&
	       qp.attr.path_mtu == 1024 && qp.attr.dest_qpn == e->qpn &&
	       qp.attr.min_rnr_timer == 12 && qp.attr.timeout == 14 &&
	       qp.attr.retry_cnt == 2 && qp.attr.rnr_retry == 2,
	       "what it was given is shown");
	result(qp.attr.av.has_dgid &&
	       !memcmp(qp.attr.av.dgid, rtr.av.dgid, sizeof(rtr.av.dgid)) &&
	       qp.attr.av.sgid_index == rtr.av.sgid_index &&
	       qp.attr.av.traffic_class == 7 && qp.attr.av.flow_label == 0x12345,
	       "and where it sends to");
	check_shown(l, KV_QP, &qp, "it");
}

void test_modify(void)
{
	static const struct end_init init[] = {
		{ .type = KVERBS_QPT_RC }, { .type = KVERBS_QPT_UC }, { .type = KVERBS_QPT_UD },
	};
	struct end rc, uc, ud;
	struct link l;

	link_open(&l);
	end_make(&l, &rc, &init[0]);
	end_make(&l, &uc, &init[1]);
	end_make(&l, &ud, &init[2]);
	test_rc(&l, &rc);
	test_sqd(&l, &rc);
	test_others(&l, &uc, &ud);
	test_values(&l, &rc);
	test_shown(&l, &rc);
	end_del(&l, &rc);
	link_close(&l);
}
