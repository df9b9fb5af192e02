// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "conn.h"

#define STATE(state) (1U << KVERBS_CONN_##state)

/**
 * kv_conn_rules_states() - the states that a command fits
 * @cmd: KVERBS_CMD_CONN_*
 *
 * Return: bits 1 << enum kverbs_conn_state; 0: the state does not matter.
 */
__u32 kv_conn_rules_states(__u32 cmd)
{
	static const __u32 states[KVERBS_CMD_MAX + 1] = {
		[KVERBS_CMD_CONN_LISTEN] = STATE(IDLE),
		[KVERBS_CMD_CONN_RESOLVE_ADDR] = STATE(IDLE),
		[KVERBS_CMD_CONN_GET_REQUEST] = STATE(LISTENING),
		[KVERBS_CMD_CONN_RESOLVE_ROUTE] = STATE(ADDR_RESOLVED),
		[KVERBS_CMD_CONN_CONNECT] = STATE(ROUTE_RESOLVED),
		[KVERBS_CMD_CONN_ESTABLISH] = STATE(ANSWERED),
		[KVERBS_CMD_CONN_ACCEPT] = STATE(REQUESTED),
		[KVERBS_CMD_CONN_REJECT] = STATE(REQUESTED) | STATE(ANSWERED),
		/* Until the peer has confirmed, the CM has no message to send to the peer. */
		[KVERBS_CMD_CONN_DISCONNECT] = STATE(ESTABLISHED),
		[KVERBS_CMD_CONN_JOIN] = STATE(IDLE),
		[KVERBS_CMD_CONN_LEAVE] = STATE(JOINING) | STATE(JOINED),
	};

	return cmd <= KVERBS_CMD_MAX ? states[cmd] : 0;
}

/**
 * kv_conn_rules_check_state() - does a command fit a connection's state?
 * @states: from kv_conn_rules_states(), not 0
 * @state: enum kverbs_conn_state
 * @why: receives the refusal, which names the next step
 *
 * Return: 0 or -EINVAL.
 */
int kv_conn_rules_check_state(__u32 states, __u32 state, struct kv_refusal *why)
{
	static const char *const text[] = {
		[KVERBS_CONN_IDLE] = "the conn is idle: listen, resolve an address, or join a group first",
		[KVERBS_CONN_LISTENING] = "the conn listens: take its requests, or delete it",
		[KVERBS_CONN_RESOLVING_ADDR] = "an address is resolved: wait for addr_resolved",
		[KVERBS_CONN_ADDR_RESOLVED] = "the address is known: resolve the route next",
		[KVERBS_CONN_RESOLVING_ROUTE] = "a route is resolved: wait for route_resolved",
		[KVERBS_CONN_ROUTE_RESOLVED] = "the route is known: connect next",
		[KVERBS_CONN_CONNECTING] = "the peer has not answered yet: wait for answered",
		[KVERBS_CONN_ANSWERED] = "the peer has accepted: establish the connection next",
		[KVERBS_CONN_REQUESTED] = "the conn is a peer's request: accept or reject it",
		[KVERBS_CONN_ACCEPTED] = "the peer has not confirmed yet: wait for established",
		[KVERBS_CONN_ESTABLISHED] = "the connection is established already",
		[KVERBS_CONN_DISCONNECTING] = "the connection is being ended: wait for disconnected",
		[KVERBS_CONN_DISCONNECTED] = "the connection has ended: make another conn",
		[KVERBS_CONN_REJECTED] = "the connection was rejected: make another conn",
		[KVERBS_CONN_FAILED] = "the connection has failed: make another conn",
		[KVERBS_CONN_JOINING] = "the conn is joining a group: wait for joined, or leave the group",
		[KVERBS_CONN_JOINED] = "the conn is a member of a group: leave it first",
	};

	return 1U << state & states ? 0 : kv_refusal_set(why, -EINVAL, text[state]);
}

/**
 * kv_conn_rules_check_qp() - can the RDMA CM connect this QP?
 * @type: enum kverbs_qp_type
 * @in_use: another CONN has it
 * @state: enum kverbs_qp_state
 * @why: receives the refusal
 *
 * Return: 0, -EINVAL, or -EBUSY.
 */
int kv_conn_rules_check_qp(__u32 type, bool in_use, __u32 state, struct kv_refusal *why)
{
	bool fits = state == KVERBS_QPS_RESET || state == KVERBS_QPS_INIT;

	return kv_refusal_if(why, type != KVERBS_QPT_RC, -EINVAL, 0, "the qp must be an RC one") ?:
	       kv_refusal_if(why, in_use, -EBUSY, 0,
			     "the qp is in use by another conn: delete that conn first") ?:
	       kv_refusal_if(why, !fits, -EINVAL, 0,
			     "the qp must be in RESET or INIT: reset it");
}

/**
 * kv_conn_rules_check_given() - does a handshake use all attributes that it was given?
 * @given: bits 1 << KVERBS_A_CONN_*
 * @state: enum kverbs_qp_state, checked
 * @iwarp: the device is iWARP's
 * @why: receives the refusal, with an attribute of KVERBS_A_CONN_*
 *
 * Return: 0 or -EINVAL.
 */
int kv_conn_rules_check_given(__u32 given, __u32 state, bool iwarp, struct kv_refusal *why)
{
	return kv_refusal_if(why, given & 1U << KVERBS_A_CONN_ACCESS && state == KVERBS_QPS_INIT,
			     -EINVAL, KVERBS_A_CONN_ACCESS,
			     "access goes with a qp in RESET: in INIT it has its rights already") ?:
	       kv_refusal_if(why, given & 1U << KVERBS_A_CONN_ACK_TIMEOUT && iwarp, -EINVAL,
			     KVERBS_A_CONN_ACK_TIMEOUT,
			     "ack_timeout does not go with iWARP: TCP sends a packet again");
}

/**
 * kv_conn_rules_check_join() - can a group be joined from an address?
 * @any: the address is that of any device
 * @multicast: the group's address is a multicast address
 * @same_family: both are of one family
 * @why: receives the refusal, with an attribute of KVERBS_A_CONN_*
 *
 * Return: 0 or -EINVAL.
 */
int kv_conn_rules_check_join(bool any, bool multicast, bool same_family, struct kv_refusal *why)
{
	return kv_refusal_if(why, any, -EINVAL, KVERBS_A_CONN_SRC,
			     "src must be an address of the device: the group is joined there") ?:
	       kv_refusal_if(why, !multicast, -EINVAL, KVERBS_A_CONN_GROUP,
			     "group is no multicast address: those are 224.0.0.0 to 239.255.255.255, or begin with ff") ?:
	       kv_refusal_if(why, !same_family, -EINVAL, KVERBS_A_CONN_SRC,
			     "src and group must be of the same family");
}
