// SPDX-License-Identifier: MIT
/* Valid sessions. Each socket's youngest objects are meant, see enum kind. */
#include <linux/netlink.h>
#include <kverbs.h>
#include "build.h"

#define QKEY 0x1234567
#define BYTES 4096

/* The rights that the device has. */
static uint32_t rights(void)
{
	return place.iwarp ? 7 : KVERBS_ACCESS__ALL;
}

static bool persistent;

/* The objects that a peer names: a registered MR, and a QP. */
static void put_iova(uint16_t type)
{
	put_seen(type, 8, KVERBS_CMD_MR_GET, KVERBS_A_MR_IOVA, 0);
}

static void put_rkey(uint16_t type)
{
	put_seen(type, 4, KVERBS_CMD_MR_GET, KVERBS_A_MR_RKEY, 0);
}

static void put_qpn(uint16_t type, uint8_t nth)
{
	put_seen(type, 4, KVERBS_CMD_QP_GET, KVERBS_A_QP_QPN, nth);
}

static void make(uint8_t command, uint16_t persistent_attr)
{
	build(command);
	if (persistent)
		put_flag(persistent_attr);
}

static void make_pd(void)
{
	make(KVERBS_CMD_PD_NEW, KVERBS_A_PD_PERSISTENT);
	put_kind(KVERBS_A_PD_DEV, KIND_DEV, 0);
}

static void make_cq(uint32_t context)
{
	make(KVERBS_CMD_CQ_NEW, KVERBS_A_CQ_PERSISTENT);
	put_kind(KVERBS_A_CQ_DEV, KIND_DEV, 0);
	put_u32(KVERBS_A_CQ_CQE, 64);
	put_u32(KVERBS_A_CQ_CONTEXT, context);
	/* None: the devices have no moderation. Changed numbers are refused. */
	put_u32(KVERBS_A_CQ_MODERATION_COUNT, 0);
	put_u32(KVERBS_A_CQ_MODERATION_PERIOD, 0);
}

static void make_buf(uint32_t pieces)
{
	make(KVERBS_CMD_BUF_NEW, KVERBS_A_BUF_PERSISTENT);
	put_kind(KVERBS_A_BUF_DEV, KIND_DEV, 0);
	put_u64(KVERBS_A_BUF_LENGTH, (uint64_t)pieces * BYTES);
	put_u32(KVERBS_A_BUF_PIECES, pieces);
}

static void make_mr(void)
{
	make(KVERBS_CMD_MR_NEW, KVERBS_A_MR_PERSISTENT);
	put_id(KVERBS_A_MR_PD, KVERBS_CMD_PD_GET, 0);
	put_u32(KVERBS_A_MR_MAX_PAGES, 16);
}

static void make_srq(void)
{
	make(KVERBS_CMD_SRQ_NEW, KVERBS_A_SRQ_PERSISTENT);
	put_id(KVERBS_A_SRQ_PD, KVERBS_CMD_PD_GET, 0);
	put_u32(KVERBS_A_SRQ_MAX_WR, 16);
	put_u32(KVERBS_A_SRQ_MAX_SGE, 2);
	put_u32(KVERBS_A_SRQ_LIMIT, 2);
}

static void make_qp(uint32_t type, bool srq)
{
	make(KVERBS_CMD_QP_NEW, KVERBS_A_QP_PERSISTENT);
	put_id(KVERBS_A_QP_PD, KVERBS_CMD_PD_GET, 0);
	put_u32(KVERBS_A_QP_TYPE, type);
	put_id(KVERBS_A_QP_SEND_CQ, KVERBS_CMD_CQ_GET, 1);
	put_id(KVERBS_A_QP_RECV_CQ, KVERBS_CMD_CQ_GET, 0);
	put_u32(KVERBS_A_QP_MAX_SEND_WR, 16);
	put_u32(KVERBS_A_QP_MAX_SEND_SGE, 2);
	put_u32(KVERBS_A_QP_MAX_INLINE, 64);
	if (srq) {
		put_id(KVERBS_A_QP_SRQ, KVERBS_CMD_SRQ_GET, 0);
		return;
	}
	put_u32(KVERBS_A_QP_MAX_RECV_WR, 16);
	put_u32(KVERBS_A_QP_MAX_RECV_SGE, 2);
}

/* A PD, two CQs, two buffers, two MRs and a QP. */
static void make_end(uint32_t type, uint32_t context, bool srq)
{
	make_pd();
	make_cq(context);
	make_cq(context);
	make_buf(3);
	make_buf(1);
	make_mr();
	make_mr();
	if (srq)
		make_srq();
	make_qp(type, srq);
}

static void put_state(uint8_t nth, uint32_t state)
{
	build(KVERBS_CMD_QP_MODIFY);
	put_id(KVERBS_A_QP_ID, KVERBS_CMD_QP_GET, nth);
	put_u32(KVERBS_A_QP_STATE, state);
}

static void to_init(uint8_t nth, uint32_t type)
{
	put_state(nth, KVERBS_QPS_INIT);
	put_u32(KVERBS_A_QP_PORT, 1);
	put_u32(KVERBS_A_QP_PKEY_INDEX, 0);
	if (type == KVERBS_QPT_UD)
		put_u32(KVERBS_A_QP_QKEY, QKEY);
	else
		put_u32(KVERBS_A_QP_ACCESS, type == KVERBS_QPT_RC ? 0xf : 3);
}

static void to_rtr(uint8_t nth, uint32_t type, uint8_t peer)
{
	put_state(nth, KVERBS_QPS_RTR);
	if (type == KVERBS_QPT_UD)
		return;
	put_u32(KVERBS_A_QP_PATH_MTU, 1024);
	put_qpn(KVERBS_A_QP_DEST_QPN, peer);
	put_u32(KVERBS_A_QP_RQ_PSN, 7);
	put_kind(KVERBS_A_QP_DGID, KIND_GID, 5);
	put_u32(KVERBS_A_QP_SGID_INDEX, place.gid);
	put_u32(KVERBS_A_QP_HOP_LIMIT, 64);
	if (type != KVERBS_QPT_RC)
		return;
	put_u32(KVERBS_A_QP_MIN_RNR_TIMER, 12);
	put_u32(KVERBS_A_QP_MAX_DEST_RD_ATOMIC, 1);
}

static void to_rts(uint8_t nth, uint32_t type)
{
	put_state(nth, KVERBS_QPS_RTS);
	put_u32(KVERBS_A_QP_SQ_PSN, 7);
	if (type != KVERBS_QPT_RC)
		return;
	put_u32(KVERBS_A_QP_TIMEOUT, 14);
	put_u32(KVERBS_A_QP_RETRY_CNT, 2);
	put_u32(KVERBS_A_QP_RNR_RETRY, 2);
	put_u32(KVERBS_A_QP_MAX_RD_ATOMIC, 1);
}

static void connect(uint8_t nth, uint32_t type, uint8_t peer)
{
	to_init(nth, type);
	to_rtr(nth, type, peer);
	to_rts(nth, type);
}

/* @by_mr: by the MR that registration() registers over it. */
static void put_sge(uint8_t buf, uint32_t length, bool by_mr)
{
	nest_begin(KVERBS_A_WR_SGE);
	put_id(KVERBS_A_SGE_BUF, KVERBS_CMD_BUF_GET, buf);
	put_u64(KVERBS_A_SGE_OFFSET, 0);
	put_u32(KVERBS_A_SGE_LENGTH, length);
	if (by_mr)
		put_id(KVERBS_A_SGE_MR, KVERBS_CMD_MR_GET, 1);
	nest_end();
}

/* iWARP's CM is done some time after a connection was accepted. */
static void when_connected(void)
{
	if (place.iwarp)
		build_act(ACT_RETRY);
}

/* A request of a list: the following attributes stand in it, up to nest_end(). */
static void begin_wr(uint32_t op, uint32_t length)
{
	nest_begin(KVERBS_A_POST_WR);
	put_u32(KVERBS_A_WR_OP, op);
	put_u64(KVERBS_A_WR_WR_ID, op + 1);
	put_sge(op == KVERBS_OP_RECV ? 1 : 0, length, false);
}

/* Receives are posted to the older of two QPs. */
static void begin_post(uint32_t op, uint32_t length)
{
	build(KVERBS_CMD_WR_POST);
	when_connected();
	put_id(KVERBS_A_POST_QP, KVERBS_CMD_QP_GET, op == KVERBS_OP_RECV);
	put_u32(KVERBS_A_POST_CONTEXT, KVERBS_POST_PROCESS);
	begin_wr(op, length);
}

static void post(uint32_t op, uint32_t length)
{
	begin_post(op, length);
	nest_end();
}

static void put_remote(void)
{
	put_iova(KVERBS_A_WR_REMOTE_ADDR);
	put_rkey(KVERBS_A_WR_REMOTE_KEY);
}

/* On iWARP into one, by its key. */
static void post_remote_into_pieces(void)
{
	if (!place.iwarp) {
		begin_post(KVERBS_OP_READ, 64);
	} else {
		build(KVERBS_CMD_WR_POST);
		put_id(KVERBS_A_POST_QP, KVERBS_CMD_QP_GET, 0);
		nest_begin(KVERBS_A_POST_WR);
		put_u32(KVERBS_A_WR_OP, KVERBS_OP_READ);
	}
	put_sge(1, 64, true);
	put_remote();
	nest_end();
}

/* Several by one message: the last one alone completes. */
static void post_list(void)
{
	unsigned int i;

	build(KVERBS_CMD_WR_POST);
	when_connected();
	put_id(KVERBS_A_POST_QP, KVERBS_CMD_QP_GET, 0);
	for (i = 0; i < 4; i++) {
		begin_wr(KVERBS_OP_WRITE, 16);
		put_remote();
		if (i < 3)
			put_u32(KVERBS_A_WR_FLAGS, KVERBS_WR_UNSIGNALED);
		nest_end();
	}
}

static void poll(uint8_t cq)
{
	build(KVERBS_CMD_CQ_POLL);
	put_id(KVERBS_A_CQ_ID, KVERBS_CMD_CQ_GET, cq);
}

static void arm(uint8_t cq)
{
	build(KVERBS_CMD_CQ_ARM);
	put_id(KVERBS_A_CQ_ID, KVERBS_CMD_CQ_GET, cq);
}

/* The target is the second youngest buffer: the remote side reads and writes it. */
static void registration(uint8_t command)
{
	build(command);
	when_connected();
	put_id(KVERBS_A_MR_ID, KVERBS_CMD_MR_GET, 1);
	put_id(KVERBS_A_MR_QP, KVERBS_CMD_QP_GET, 0);
	put_u32(KVERBS_A_MR_POST_CONTEXT, KVERBS_POST_BH_DISABLED);
	if (command != KVERBS_CMD_MR_REG)
		return;
	put_id(KVERBS_A_MR_BUF, KVERBS_CMD_BUF_GET, 1);
	put_u64(KVERBS_A_MR_OFFSET, 0);
	put_u64(KVERBS_A_MR_LENGTH, 3 * BYTES - 1);
	put_u32(KVERBS_A_MR_ACCESS, rights());
}

static void one_of(uint8_t command, uint16_t id_attr, uint8_t nth)
{
	build(command);
	put_id(id_attr, command, nth);
}

static void one(uint8_t command, uint16_t id_attr)
{
	one_of(command, id_attr, 0);
}

static void all(uint8_t command)
{
	build(command);
	build_flags(NLM_F_DUMP);
}

/* Two ends: one with make_end(), then this one; their CQs differ. */
static void make_pair(uint32_t type, uint32_t context, bool srq)
{
	make_end(type, context, srq);
	make_cq(context);
	make_cq(context);
	make_qp(type, srq);
	if (place.iwarp) {
		seed_conn_pair(0, 1);
		return;
	}
	connect(0, type, 1);
	connect(1, type, 0);
}

static void del_qps(void)
{
	if (place.iwarp) {
		one(KVERBS_CMD_CONN_DEL, KVERBS_A_CONN_ID);
		one_of(KVERBS_CMD_CONN_DEL, KVERBS_A_CONN_ID, 1);
		one_of(KVERBS_CMD_CONN_DEL, KVERBS_A_CONN_ID, 2);
	}
	one(KVERBS_CMD_QP_DEL, KVERBS_A_QP_ID);
	one_of(KVERBS_CMD_QP_DEL, KVERBS_A_QP_ID, 1);
}

static void del_pair(void)
{
	del_qps();
	one(KVERBS_CMD_MR_DEL, KVERBS_A_MR_ID);
	one_of(KVERBS_CMD_MR_DEL, KVERBS_A_MR_ID, 1);
	one(KVERBS_CMD_BUF_DEL, KVERBS_A_BUF_ID);
	one_of(KVERBS_CMD_BUF_DEL, KVERBS_A_BUF_ID, 1);
	one(KVERBS_CMD_CQ_DEL, KVERBS_A_CQ_ID);
	one(KVERBS_CMD_PD_DEL, KVERBS_A_PD_ID);
}

static void seed_rc(void)
{
	make_pair(KVERBS_QPT_RC, KVERBS_CQ_POLLED, false);
	registration(KVERBS_CMD_MR_REG);
	post(KVERBS_OP_RECV, 64);
	begin_post(place.iwarp ? KVERBS_OP_SEND : KVERBS_OP_SEND_WITH_IMM, 32);
	if (!place.iwarp)
		put_u32(KVERBS_A_WR_IMM, 5);
	put_u32(KVERBS_A_WR_FLAGS, KVERBS_WR_SOLICITED | KVERBS_WR_FENCE);
	nest_end();
	poll(1);
	poll(2);
	begin_post(KVERBS_OP_WRITE, 64);
	put_remote();
	put_u32(KVERBS_A_WR_FLAGS, KVERBS_WR_INLINE | KVERBS_WR_UNSIGNALED);
	nest_end();
	post_remote_into_pieces();
	post_list();
	if (!place.iwarp) {
		begin_post(KVERBS_OP_FETCH_ADD, 8);
		put_remote();
		put_u64(KVERBS_A_WR_COMPARE_ADD, 1);
		nest_end();
		begin_post(KVERBS_OP_CMP_SWP, 8);
		put_remote();
		put_u64(KVERBS_A_WR_COMPARE_ADD, 1);
		put_u64(KVERBS_A_WR_SWAP, 2);
		nest_end();
	}
	poll(1);
	put_u32(KVERBS_A_CQ_MAX_WC, 2);
	registration(KVERBS_CMD_MR_INV);
	if (!place.iwarp) {
		put_state(0, KVERBS_QPS_SQD);
		put_u32(KVERBS_A_QP_SQD_ASYNC_NOTIFY, 1);
	}
	one(KVERBS_CMD_QP_GET, KVERBS_A_QP_ID);
	if (!place.iwarp) {
		/* When all is drained. */
		put_state(0, KVERBS_QPS_RTS);
		put_u32(KVERBS_A_QP_CUR_STATE, KVERBS_QPS_SQD);
		build_act(ACT_RETRY);
	}
	put_state(0, KVERBS_QPS_ERR);
	put_state(0, KVERBS_QPS_RESET);
	del_pair();
}

static void seed_inv(void)
{
	make_pair(KVERBS_QPT_RC, KVERBS_CQ_POLLED, false);
	registration(KVERBS_CMD_MR_REG);
	post(KVERBS_OP_RECV, 64);
	begin_post(KVERBS_OP_SEND_WITH_INV, 32);
	put_rkey(KVERBS_A_WR_INVALIDATE_RKEY);
	nest_end();
	poll(1);
	poll(2);
	del_pair();
}

static void armed(uint32_t type)
{
	make_pair(type, KVERBS_CQ_EVENT, false);
	arm(2);
	put_flag(KVERBS_A_CQ_SOLICITED);
	arm(1);
	post(KVERBS_OP_RECV, 64);
	post(KVERBS_OP_SEND, 32);
	poll(1);
	poll(2);
	arm(1);
}

static void seed_armed(void)
{
	armed(KVERBS_QPT_RC);
}

static void seed_uc(void)
{
	armed(KVERBS_QPT_UC);
}

static void make_ah(void)
{
	make(KVERBS_CMD_AH_NEW, KVERBS_A_AH_PERSISTENT);
	put_id(KVERBS_A_AH_PD, KVERBS_CMD_PD_GET, 0);
	put_kind(KVERBS_A_AH_DGID, KIND_GID, 5);
	put_u32(KVERBS_A_AH_SGID_INDEX, place.gid);
}

static void in_group(uint8_t command)
{
	build(command);
	put_id(KVERBS_A_QP_ID, KVERBS_CMD_QP_GET, 0);
	/* A multicast GID: model_gid(). */
	put_kind(KVERBS_A_QP_GROUP_GID, KIND_GID, 3);
}

static void seed_ud(void)
{
	make_end(KVERBS_QPT_UD, KVERBS_CQ_SOFTIRQ, false);
	make_ah();
	make_cq(KVERBS_CQ_SOFTIRQ);
	make_cq(KVERBS_CQ_SOFTIRQ);
	make_qp(KVERBS_QPT_UD, false);
	connect(0, KVERBS_QPT_UD, 1);
	connect(1, KVERBS_QPT_UD, 0);
	in_group(KVERBS_CMD_QP_ATTACH);
	in_group(KVERBS_CMD_QP_DETACH);
	in_group(KVERBS_CMD_QP_ATTACH);
	post(KVERBS_OP_RECV, 256);
	begin_post(KVERBS_OP_SEND, 64);
	put_id(KVERBS_A_WR_AH, KVERBS_CMD_AH_GET, 0);
	put_qpn(KVERBS_A_WR_REMOTE_QPN, 1);
	put_u32(KVERBS_A_WR_REMOTE_QKEY, QKEY);
	nest_end();
	poll(1);
	poll(2);
	one(KVERBS_CMD_AH_GET, KVERBS_A_AH_ID);
	all(KVERBS_CMD_AH_GET);
	/* It lets go of the address handle. */
	put_state(0, KVERBS_QPS_RESET);
	one(KVERBS_CMD_AH_DEL, KVERBS_A_AH_ID);
}

static void seed_srq(void)
{
	make_pair(KVERBS_QPT_RC, KVERBS_CQ_WORKQUEUE, true);
	build(KVERBS_CMD_WR_POST);
	put_id(KVERBS_A_POST_SRQ, KVERBS_CMD_SRQ_GET, 0);
	begin_wr(KVERBS_OP_RECV, 64);
	nest_end();
	begin_wr(KVERBS_OP_RECV, 32);
	nest_end();
	post(KVERBS_OP_SEND, 32);
	poll(2);
	build(KVERBS_CMD_SRQ_MODIFY);
	put_id(KVERBS_A_SRQ_ID, KVERBS_CMD_SRQ_GET, 0);
	put_u32(KVERBS_A_SRQ_LIMIT, 1);
	if (!place.iwarp)
		put_u32(KVERBS_A_SRQ_MAX_WR, 32);
	one(KVERBS_CMD_SRQ_GET, KVERBS_A_SRQ_ID);
	all(KVERBS_CMD_SRQ_GET);
	del_qps();
	one(KVERBS_CMD_SRQ_DEL, KVERBS_A_SRQ_ID);
}

static void buf_data(uint8_t command)
{
	build(command);
	put_id(KVERBS_A_BUF_ID, KVERBS_CMD_BUF_GET, 0);
	put_u64(KVERBS_A_BUF_OFFSET, BYTES - 100);
	if (command == KVERBS_CMD_BUF_WRITE)
		put_bytes(KVERBS_A_BUF_DATA, 256);
	else
		put_u64(KVERBS_A_BUF_LENGTH, 1024);
}

static void seed_buf(void)
{
	make_buf(2);
	put_u32(KVERBS_A_BUF_NODE, 0);
	buf_data(KVERBS_CMD_BUF_WRITE);
	buf_data(KVERBS_CMD_BUF_READ);
	one(KVERBS_CMD_BUF_GET, KVERBS_A_BUF_ID);
	all(KVERBS_CMD_BUF_GET);
	one(KVERBS_CMD_BUF_DEL, KVERBS_A_BUF_ID);
	make_pd();
	make_mr();
	one(KVERBS_CMD_MR_GET, KVERBS_A_MR_ID);
	all(KVERBS_CMD_MR_GET);
	one(KVERBS_CMD_MR_DEL, KVERBS_A_MR_ID);
}

static void seed_lists(void)
{
	make_pd();
	make_cq(KVERBS_CQ_UNBOUND_WORKQUEUE);
	one(KVERBS_CMD_PD_GET, KVERBS_A_PD_ID);
	one(KVERBS_CMD_CQ_GET, KVERBS_A_CQ_ID);
	build(KVERBS_CMD_INFO_GET);
	build(KVERBS_CMD_DEV_GET);
	put_kind(KVERBS_A_DEV_NAME, KIND_DEV, 0);
	all(KVERBS_CMD_DEV_GET);
	all(KVERBS_CMD_PD_GET);
	all(KVERBS_CMD_CQ_GET);
	all(KVERBS_CMD_QP_GET);
	all(KVERBS_CMD_CONN_GET);
	all(KVERBS_CMD_RUN_GET);
}

static void seed_persistent(void)
{
	persistent = true;
	make_pair(KVERBS_QPT_RC, KVERBS_CQ_POLLED, true);
	persistent = false;
	make_mr();
	put_flag(KVERBS_A_MR_PERSISTENT);
	build_act(ACT_CLOSE);
	all(KVERBS_CMD_QP_GET);
	build(KVERBS_CMD_FLUSH);
}

static void put_end(uint32_t loop, uint32_t op, uint8_t qp)
{
	nest_begin(KVERBS_A_SPEC_END);
	put_id(KVERBS_A_END_QP, KVERBS_CMD_QP_GET, qp);
	if (loop != KVERBS_LOOP_STREAM_SERVER) {
		put_id(KVERBS_A_END_LOCAL_BUF, KVERBS_CMD_BUF_GET, 0);
		if (qp)
			put_u64(KVERBS_A_END_LOCAL_OFFSET, 8);
	}
	/* Of a worker of its own. */
	if (qp && loop == KVERBS_LOOP_STREAM && op != KVERBS_OP_READ)
		put_u32(KVERBS_A_END_CPU, 0);
	if (loop != KVERBS_LOOP_POST_TO_COMPLETION && loop != KVERBS_LOOP_STREAM) {
		put_id(KVERBS_A_END_TARGET_BUF, KVERBS_CMD_BUF_GET, 1);
		put_u64(KVERBS_A_END_TARGET_OFFSET, 0);
		if (qp)
			put_id(KVERBS_A_END_TARGET_MR, KVERBS_CMD_MR_GET, 1);
	}
	if (op != KVERBS_OP_SEND || loop == KVERBS_LOOP_CREDIT_SERVER) {
		put_iova(KVERBS_A_END_REMOTE_ADDR);
		put_rkey(KVERBS_A_END_REMOTE_KEY);
	}
	nest_end();
}

/* The spec is to be ended. */
static void begin_run(uint32_t loop, uint64_t iters)
{
	build(KVERBS_CMD_RUN_START);
	when_connected();
	nest_begin(KVERBS_A_RUN_SPEC);
	put_u32(KVERBS_A_SPEC_LOOP, loop);
	put_u64(KVERBS_A_SPEC_ITERS, iters);
}

/* @polls: for a CQ of context POLLED */
static void start_on(bool polls, uint32_t loop, uint32_t op, uint64_t iters)
{
	begin_run(loop, iters);
	put_u32(KVERBS_A_SPEC_OP, op);
	put_u32(KVERBS_A_SPEC_SIZE, 8);
	if (loop == KVERBS_LOOP_STREAM_SERVER || loop == KVERBS_LOOP_CREDIT_SERVER) {
		put_u32(KVERBS_A_SPEC_DEPTH, 2);
		put_u32(KVERBS_A_SPEC_RECV_SGES, 1);
	} else {
		put_u32(KVERBS_A_SPEC_POST_CONTEXT, KVERBS_POST_BH_DISABLED);
	}
	put_u32(KVERBS_A_SPEC_CPU, 0);
	put_u64(KVERBS_A_SPEC_TIME_NS, 3000000);
	/* On a kernel with checkers and a loaded host an iteration may take 50 ms. */
	put_u64(KVERBS_A_SPEC_TIMEOUT_NS, 1000000000);
	if (polls)
		put_u32(KVERBS_A_SPEC_SPINS, 10);
	if (op == KVERBS_OP_CMP_SWP)
		put_u64(KVERBS_A_SPEC_SWAP, 1);
	if (loop == KVERBS_LOOP_CREDIT_STREAM)
		put_u32(KVERBS_A_SPEC_CREDITS, 2);
	if (loop == KVERBS_LOOP_STREAM) {
		put_u32(KVERBS_A_SPEC_DEPTH, 4);
		put_u32(KVERBS_A_SPEC_LIST, 2);
		put_u32(KVERBS_A_SPEC_SIGNAL, 4);
		put_u32(KVERBS_A_SPEC_WORKERS, op == KVERBS_OP_READ ? 1 : 2);
	}
	put_end(loop, op, loop == KVERBS_LOOP_CREDIT_SERVER);
	/* The other end, or that of a second worker, or a second one of the worker. */
	if (loop == KVERBS_LOOP_PINGPONG || loop == KVERBS_LOOP_STREAM)
		put_end(loop, op, 1);
	nest_end();
}

static void start(uint32_t loop, uint32_t op, uint64_t iters)
{
	start_on(true, loop, op, iters);
}

/* @ends: those of the one worker */
static void start_paced(uint32_t op, unsigned int ends)
{
	begin_run(KVERBS_LOOP_STREAM, 5);
	put_u32(KVERBS_A_SPEC_OP, op);
	put_u32(KVERBS_A_SPEC_SIZE, 8);
	put_u32(KVERBS_A_SPEC_DEPTH, 4);
	put_u64(KVERBS_A_SPEC_INTERVAL_NS, 300000);
	put_u32(KVERBS_A_SPEC_FLAGS, KVERBS_WR_FENCE);
	put_u32(KVERBS_A_SPEC_SGES, 1);
	put_u32(KVERBS_A_SPEC_WORKERS, 1);
	for (unsigned int i = 0; i < ends; i++)
		put_end(KVERBS_LOOP_STREAM, op, (uint8_t)i);
	nest_end();
}

/* An end of a run whose iterations register the other MR than registration() does. */
static void put_inv_end(uint32_t op, uint8_t qp)
{
	nest_begin(KVERBS_A_SPEC_END);
	put_id(KVERBS_A_END_QP, KVERBS_CMD_QP_GET, qp);
	put_id(KVERBS_A_END_LOCAL_BUF, KVERBS_CMD_BUF_GET, 0);
	if (op == KVERBS_OP_SEND_WITH_INV) {
		put_id(KVERBS_A_END_TARGET_BUF, KVERBS_CMD_BUF_GET, 1);
	} else {
		put_iova(KVERBS_A_END_REMOTE_ADDR);
		put_rkey(KVERBS_A_END_REMOTE_KEY);
	}
	if (qp)
		put_seen(KVERBS_A_END_REMOTE_KEY, 4, KVERBS_CMD_MR_GET, KVERBS_A_MR_LAST_KEY, 0);
	else
		put_id(KVERBS_A_END_INV_MR, KVERBS_CMD_MR_GET, 0);
	nest_end();
}

static void start_inv(uint32_t op)
{
	bool answers = op == KVERBS_OP_SEND_WITH_INV;

	one(KVERBS_CMD_MR_GET, KVERBS_A_MR_ID);
	begin_run(answers ? KVERBS_LOOP_PINGPONG : KVERBS_LOOP_POST_TO_COMPLETION, 5);
	put_u32(KVERBS_A_SPEC_OP, op);
	put_u32(KVERBS_A_SPEC_SIZE, 8);
	put_u64(KVERBS_A_SPEC_TIMEOUT_NS, 1000000000);
	put_inv_end(op, 0);
	if (answers)
		put_inv_end(op, 1);
	nest_end();
}

static void ask_run(void)
{
	one(KVERBS_CMD_RUN_GET, KVERBS_A_RUN_ID);
	put_u32(KVERBS_A_RUN_WORKER, 0);
	put_u32(KVERBS_A_RUN_FIRST_BIN, 0);
	one(KVERBS_CMD_RUN_CANCEL, KVERBS_A_RUN_ID);
	one(KVERBS_CMD_RUN_DEL, KVERBS_A_RUN_ID);
}

static void seed_null(void)
{
	begin_run(KVERBS_LOOP_NULL, 200);
	put_kind(KVERBS_A_SPEC_DEV, KIND_DEV, 0);
	put_u64(KVERBS_A_SPEC_WARMUP, 10);
	nest_end();
	all(KVERBS_CMD_RUN_GET);
	ask_run();
}

static void seed_run(void)
{
	make_pair(KVERBS_QPT_RC, KVERBS_CQ_POLLED, false);
	registration(KVERBS_CMD_MR_REG);
	start(KVERBS_LOOP_POST_TO_COMPLETION, KVERBS_OP_WRITE, 5);
	ask_run();
	start(KVERBS_LOOP_STREAM, KVERBS_OP_WRITE, 5);
	ask_run();
	start_paced(KVERBS_OP_WRITE, 1);
	ask_run();
	if (!place.iwarp) {
		start_paced(KVERBS_OP_READ, 2);
		ask_run();
		start(KVERBS_LOOP_POST_TO_COMPLETION, KVERBS_OP_CMP_SWP, 5);
		ask_run();
	}
	start(KVERBS_LOOP_PINGPONG_SERVER, KVERBS_OP_SEND, 5);
	ask_run();
	/* It leaves two receives to the next one. */
	start(KVERBS_LOOP_CREDIT_SERVER, KVERBS_OP_SEND, 2);
	ask_run();
	start(KVERBS_LOOP_CREDIT_STREAM, KVERBS_OP_SEND, 2);
	ask_run();
	if (!place.iwarp) {
		start(KVERBS_LOOP_STREAM_SERVER, KVERBS_OP_SEND, 5);
		ask_run();
	}
}

/* A stream of datagrams, which nobody has to receive. */
static void seed_datagrams(void)
{
	make_pair(KVERBS_QPT_UD, KVERBS_CQ_POLLED, false);
	make_ah();
	begin_run(KVERBS_LOOP_STREAM, 5);
	put_u32(KVERBS_A_SPEC_OP, KVERBS_OP_SEND);
	put_u32(KVERBS_A_SPEC_SIZE, 8);
	put_u64(KVERBS_A_SPEC_TIMEOUT_NS, 1000000000);
	nest_begin(KVERBS_A_SPEC_END);
	put_id(KVERBS_A_END_QP, KVERBS_CMD_QP_GET, 0);
	put_id(KVERBS_A_END_LOCAL_BUF, KVERBS_CMD_BUF_GET, 0);
	put_id(KVERBS_A_END_AH, KVERBS_CMD_AH_GET, 0);
	put_qpn(KVERBS_A_END_REMOTE_QPN, 1);
	put_u32(KVERBS_A_END_REMOTE_QKEY, QKEY);
	nest_end();
	nest_end();
	ask_run();
}

static void seed_run_inv(void)
{
	make_pair(KVERBS_QPT_RC, KVERBS_CQ_POLLED, false);
	registration(KVERBS_CMD_MR_REG);
	if (place.iwarp) {
		start_inv(KVERBS_OP_READ_WITH_INV);
		ask_run();
	}
	start_inv(KVERBS_OP_SEND_WITH_INV);
	ask_run();
	all(KVERBS_CMD_MR_GET);
}

static void handled(uint32_t context)
{
	make_pair(KVERBS_QPT_RC, context, false);
	registration(KVERBS_CMD_MR_REG);
	start_on(false, KVERBS_LOOP_POST_TO_COMPLETION, KVERBS_OP_WRITE, 5);
	ask_run();
	start_on(false, KVERBS_LOOP_STREAM, KVERBS_OP_WRITE, 5);
	ask_run();
}

static void seed_softirq(void)
{
	handled(KVERBS_CQ_SOFTIRQ);
}

static void seed_event(void)
{
	handled(KVERBS_CQ_EVENT);
}

static void seed_pingpong(void)
{
	make_pair(KVERBS_QPT_RC, KVERBS_CQ_POLLED, false);
	registration(KVERBS_CMD_MR_REG);
	start(KVERBS_LOOP_PINGPONG, KVERBS_OP_SEND, 5);
	ask_run();
	start(KVERBS_LOOP_PINGPONG, KVERBS_OP_WRITE, 5);
	ask_run();
}

/* Those that iWARP has not come last. */
static void (*const seeds[])(void) = {
	seed_rc, seed_inv, seed_srq, seed_buf, seed_lists, seed_persistent, seed_run, seed_null,
	seed_pingpong, seed_run_inv, seed_softirq, seed_event,
	seed_conn, seed_conn_refused, seed_armed, seed_uc, seed_ud, seed_datagrams, seed_conn_group,
};

#define SEEDS_NOT_IWARP 4

/**
 * seed_count() - how many valid sessions there are
 *
 * Return: that.
 */
unsigned int seed_count(void)
{
	return COUNT(seeds) - (place.iwarp ? SEEDS_NOT_IWARP : 0);
}

/**
 * seed_make() - a valid session
 * @which: 0 .. seed_count() - 1
 * @s: receives it
 */
void seed_make(unsigned int which, struct sequence *s)
{
	build_begin(s);
	seeds[which]();
	build_end();
}
