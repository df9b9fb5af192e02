/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_PAIR_H
#define KV_MEASURE_PAIR_H

#include "measure/work.h"
#include "model/space.h"

/* What is measured between: two QPs that are connected. endpoint.h makes it. */

/* Verbs whose time is kept; see kv_verb_name(). */
enum kv_verb {
	KV_VERB_PD_NEW,
	KV_VERB_CQ_NEW,
	KV_VERB_MR_NEW,
	KV_VERB_TOUCH, /* no verb: user space has none that makes an MR before it is registered */
	KV_VERB_QP_NEW,
	KV_VERB_QP_INIT,
	KV_VERB_QP_RTR,
	KV_VERB_QP_RTS,
	KV_VERB_MR_REG,
	KV_VERB_CM_CREATE_ID,
	KV_VERB_CM_RESOLVE_ADDR,
	KV_VERB_CM_RESOLVE_ROUTE,
	KV_VERB_CM_CONNECT,
	KV_VERB_CM_ESTABLISH,
	KV_VERB_CM_LISTEN,
	KV_VERB_CM_ACCEPT,
	KV_VERBS,
};

/**
 * struct kv_buffer - one buffer of an endpoint
 * @mr: its id; 0 if there is none
 * @access: KVERBS_ACCESS_*, what its registration grants; 0: it has none
 * @iova: of the registration, what a peer names
 * @rkey: ditto
 */
struct kv_buffer {
	uint32_t mr;
	uint32_t access;
	uint64_t iova;
	uint32_t rkey;
};

/**
 * struct kv_endpoint - a QP and all that belongs to it
 * @pd: id, as are the others; 0 where there is none
 * @send_cq: where its sends complete
 * @recv_cq: where its receives complete
 * @qp: the queue pair
 * @qpn: its number
 * @psn: the first packet sequence number it sends; the CM chooses another one
 * @conn: its connection, if the CM has made it
 * @local: what it sends from and reads into
 * @target: what its peer sends and writes into, or reads from
 * @verb_ns: how long each verb took; the latest where there were several
 */
struct kv_endpoint {
	uint32_t pd;
	uint32_t send_cq;
	uint32_t recv_cq;
	uint32_t qp;
	uint32_t qpn;
	uint32_t psn;
	uint32_t conn;
	struct kv_buffer local;
	struct kv_buffer target;
	uint64_t verb_ns[KV_VERBS];
};

/**
 * struct kv_pair - two endpoints, connected to each other
 * @space: where each of them is; must stay open; the same one twice, or one each
 * @work: what they were made for
 * @end: the initiator and the responder
 * @broken: a run failed: the QPs may be in error, and take no requests
 */
struct kv_pair {
	const struct kv_space *space[2];
	struct kv_work work;
	struct kv_endpoint end[2];
	bool broken;
};

#endif
