// SPDX-License-Identifier: MIT
#include <string.h>
#include "endpoint/raw.h"
#include "rules/qp_table.h"

/* The largest path MTU that there is, IBTA 9.2. */
#define MTU_MAX 4096

#define INIT (KV_QPA_PORT | KV_QPA_PKEY_INDEX)
#define RTR (KV_QPA_AV | KV_QPA_PATH_MTU | KV_QPA_DEST_QPN | KV_QPA_RQ_PSN)

static const struct {
	uint32_t state;
	uint32_t needs[KVERBS_QPT_MAX + 1];
} steps[KV_RAW_STEPS] = {
	[KV_RAW_INIT] = { KVERBS_QPS_INIT, {
		[KVERBS_QPT_RC] = INIT | KV_QPA_ACCESS,
		[KVERBS_QPT_UC] = INIT | KV_QPA_ACCESS,
		[KVERBS_QPT_UD] = INIT | KV_QPA_QKEY } },
	[KV_RAW_RTR] = { KVERBS_QPS_RTR, {
		[KVERBS_QPT_RC] = RTR | KV_QPA_MIN_RNR_TIMER | KV_QPA_MAX_DEST_RD_ATOMIC,
		[KVERBS_QPT_UC] = RTR } },
	[KV_RAW_RTS] = { KVERBS_QPS_RTS, {
		[KVERBS_QPT_RC] = KV_QPA_SQ_PSN | KV_QPA_TIMEOUT | KV_QPA_RETRY_CNT |
				  KV_QPA_RNR_RETRY | KV_QPA_MAX_RD_ATOMIC,
		[KVERBS_QPT_UC] = KV_QPA_SQ_PSN,
		[KVERBS_QPT_UD] = KV_QPA_SQ_PSN } },
};

/**
 * kv_raw_needs() - the attributes that a step takes
 * @type: enum kverbs_qp_type
 * @step: the step
 *
 * Return: bits of KV_QPA_*, beside KV_QPA_STATE.
 */
uint32_t kv_raw_needs(uint32_t type, enum kv_raw_step step)
{
	return steps[step].needs[type];
}

/**
 * kv_raw_name() - name of the state that a step leads to
 * @step: the step
 *
 * Return: the state's name in the specification.
 */
const char *kv_raw_name(enum kv_raw_step step)
{
	return kv_qp_state_name(steps[step].state);
}

/**
 * kv_raw_mtu() - the path MTU of a connection, unless an option names another one
 * @active: the smaller of both ports' active MTUs, in bytes
 *
 * Return: bytes.
 */
uint32_t kv_raw_mtu(uint32_t active)
{
	return active < MTU_MAX ? active : MTU_MAX;
}

/**
 * kv_raw_set_peer() - set the address of the peer
 * @attr: receives the address
 * @peer: the peer's address
 * @sgid_index: index of the GID that the QP uses
 */
void kv_raw_set_peer(struct kv_qp_attr *attr, const struct kv_address *peer, uint32_t sgid_index)
{
	attr->dest_qpn = peer->qpn;
	attr->rq_psn = peer->psn;
	attr->av.has_dgid = true;
	memcpy(attr->av.dgid, peer->gid, sizeof(attr->av.dgid));
	attr->av.has_sgid_index = true;
	attr->av.sgid_index = sgid_index;
	attr->av.dlid = peer->lid;
}

/**
 * kv_raw_modify() - bring a QP one state further
 * @b: backend of the QP
 * @type: enum kverbs_qp_type
 * @step: the step to the next state
 * @to: the QP, and all attributes of the step; receives the state, and the mask of the attributes
 *	that were set
 * @ns: receives the duration of the verb; or NULL
 *
 * Return: 0 or a negative errno.
 */
int kv_raw_modify(struct kv_backend *b, uint32_t type, enum kv_raw_step step,
		  struct kv_qp_modify *to, uint64_t *ns)
{
	to->attr.state = steps[step].state;
	to->attr.mask = KV_QPA_STATE | steps[step].needs[type];
	return kv_op_qp_modify(b, to, NULL, ns);
}
