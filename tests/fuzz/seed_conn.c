// SPDX-License-Identifier: MIT
/*
 * Connections of the RDMA CM. Its answers come by and by: requests that need them are sent
 * again until they work (ACT_RETRY).
 */
#include <kverbs.h>
#include "build.h"

static void conn(uint8_t command, uint8_t nth)
{
	build(command);
	put_id(KVERBS_A_CONN_ID, KVERBS_CMD_CONN_GET, nth);
}

static void conn_later(uint8_t command, uint8_t nth)
{
	conn(command, nth);
	build_act(ACT_RETRY);
}

static void make_conn(void)
{
	build(KVERBS_CMD_CONN_NEW);
	put_kind(KVERBS_A_CONN_DEV, KIND_DEV, 0);
}

static void make_qp(void)
{
	build(KVERBS_CMD_QP_NEW);
	put_id(KVERBS_A_QP_PD, KVERBS_CMD_PD_GET, 0);
	put_id(KVERBS_A_QP_SEND_CQ, KVERBS_CMD_CQ_GET, 0);
	put_id(KVERBS_A_QP_RECV_CQ, KVERBS_CMD_CQ_GET, 0);
	put_u32(KVERBS_A_QP_MAX_SEND_WR, 4);
	put_u32(KVERBS_A_QP_MAX_RECV_WR, 4);
}

/* @qp: which of the youngest QPs connects */
static void ask(uint64_t family, uint8_t qp)
{
	make_conn();
	conn(KVERBS_CMD_CONN_LISTEN, 0);
	put_kind(KVERBS_A_CONN_SRC, KIND_ADDR, family);
	put_u32(KVERBS_A_CONN_BACKLOG, 4);
	make_conn();
	conn(KVERBS_CMD_CONN_RESOLVE_ADDR, 0);
	put_port(KVERBS_A_CONN_DST, family);
	put_kind(KVERBS_A_CONN_SRC, KIND_ADDR, family);
	put_u32(KVERBS_A_CONN_TIMEOUT_MS, 1000);
	conn_later(KVERBS_CMD_CONN_RESOLVE_ROUTE, 0);
	put_u32(KVERBS_A_CONN_TIMEOUT_MS, 1000);
	conn_later(KVERBS_CMD_CONN_CONNECT, 0);
	put_id(KVERBS_A_CONN_QP, KVERBS_CMD_QP_GET, qp);
	put_u32(KVERBS_A_CONN_ACCESS, KVERBS_ACCESS__ALL);
	put_bytes(KVERBS_A_CONN_PRIVATE_DATA, 20);
	put_u32(KVERBS_A_CONN_RESPONDER_RESOURCES, 1);
	put_u32(KVERBS_A_CONN_INITIATOR_DEPTH, 1);
	put_u32(KVERBS_A_CONN_RETRY_CNT, 2);
	put_u32(KVERBS_A_CONN_RNR_RETRY, 2);
	conn(KVERBS_CMD_CONN_GET, 1);
	conn_later(KVERBS_CMD_CONN_GET_REQUEST, 1);
}

/* A listener, and a connection that has asked it: the youngest but one, and the youngest. */
static void make_request(uint64_t family)
{
	build(KVERBS_CMD_PD_NEW);
	put_kind(KVERBS_A_PD_DEV, KIND_DEV, 0);
	build(KVERBS_CMD_CQ_NEW);
	put_kind(KVERBS_A_CQ_DEV, KIND_DEV, 0);
	put_u32(KVERBS_A_CQ_CQE, 16);
	make_qp();
	make_qp();
	ask(family, 0);
}

/**
 * seed_conn() - a connection from its making to its end
 */
void seed_conn(void)
{
	make_request(0);
	conn(KVERBS_CMD_CONN_ACCEPT, 0);
	put_id(KVERBS_A_CONN_QP, KVERBS_CMD_QP_GET, 1);
	put_bytes(KVERBS_A_CONN_PRIVATE_DATA, 20);
	/* iWARP's have no ACK timeout, and are established by the answer. */
	if (!place.iwarp) {
		put_u32(KVERBS_A_CONN_ACK_TIMEOUT, 14);
		conn_later(KVERBS_CMD_CONN_ESTABLISH, 1);
	}
	conn(KVERBS_CMD_CONN_GET, 1);
	conn_later(KVERBS_CMD_CONN_DISCONNECT, 0);
	conn(KVERBS_CMD_CONN_GET, 0);
	conn(KVERBS_CMD_CONN_DEL, 0);
	conn(KVERBS_CMD_CONN_DEL, 1);
	conn(KVERBS_CMD_CONN_DEL, 2);
}

/**
 * seed_conn_refused() - a connection that the peer does not want, over IPv6
 */
void seed_conn_refused(void)
{
	make_request(!place.iwarp);
	conn(KVERBS_CMD_CONN_REJECT, 0);
	put_bytes(KVERBS_A_CONN_PRIVATE_DATA, 20);
	conn(KVERBS_CMD_CONN_GET, 1);
	conn(KVERBS_CMD_CONN_DEL, 1);
}

static void join(void)
{
	conn(KVERBS_CMD_CONN_JOIN, 0);
	put_kind(KVERBS_A_CONN_SRC, KIND_ADDR, 0);
	/* 224.0.0.1: model_addr() */
	put_kind(KVERBS_A_CONN_GROUP, KIND_ADDR, 8);
}

/**
 * seed_conn_group() - a member of a multicast group: it leaves, and it goes as a member
 */
void seed_conn_group(void)
{
	make_conn();
	join();
	conn(KVERBS_CMD_CONN_GET, 0);
	conn(KVERBS_CMD_CONN_LEAVE, 0);
	join();
	conn(KVERBS_CMD_CONN_DEL, 0);
}

/**
 * seed_conn_pair() - connect two QPs
 * @a: which one of the youngest, as is @b; it is the one that asks
 * @b: the other
 *
 * They and their listener are the three youngest CONNs then.
 */
void seed_conn_pair(uint8_t a, uint8_t b)
{
	ask(0, a);
	conn(KVERBS_CMD_CONN_ACCEPT, 0);
	put_id(KVERBS_A_CONN_QP, KVERBS_CMD_QP_GET, b);
}
