// SPDX-License-Identifier: MIT
#include <string.h>
#include "endpoint/raw.h"
#include "rules/qp_table.h"

/* The largest path MTU that there is, IBTA 9.2. */
#define MTU_MAX 4096

/* The state before each step, and behind the last. */
static const uint32_t states[KV_RAW_STEPS + 1] = {
	KVERBS_QPS_RESET, KVERBS_QPS_INIT, KVERBS_QPS_RTR, KVERBS_QPS_RTS,
};

/**
 * kv_raw_needs() - the attributes that a step takes
 * @type: enum kverbs_qp_type
 *
 * Return: bits of KV_QPA_*, beside KV_QPA_STATE.
 */
uint32_t kv_raw_needs(uint32_t type, enum kv_raw_step step)
{
	struct kv_refusal missing;
	uint32_t needs = 0;

	/* The rule names one attribute at a time. */
	while (kv_qp_table_check(type, states[step], states[step + 1], needs, &missing) &&
	       missing.attr & ~needs)
		needs |= missing.attr;
	return needs;
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
 */
int kv_raw_modify(struct kv_backend *b, uint32_t type, enum kv_raw_step step,
		  struct kv_qp_modify *to, uint64_t *ns)
{
	to->attr.state = states[step + 1];
	to->attr.mask = KV_QPA_STATE | kv_raw_needs(type, step);
	return kv_op_qp_modify(b, to, NULL, ns);
}
