// SPDX-License-Identifier: MIT
#include "hand/qp_key.h"
#include "qp_table.h"

#define AT(field) offsetof(struct kv_qp_args, attr.field)

const struct kv_key kv_qp_key[] = {
	{ "state", KV_KEY_WORD, AT(state), KV_QPA_STATE, .must = true,
	  .words = kv_word_qp_state, .help = "the state to go to" },
	{ "cur-state", KV_KEY_WORD, AT(cur_state), KV_QPA_CUR_STATE,
	  .words = kv_word_qp_state, .value = "STATE",
	  .help = "the state that it is thought to be in" },
	{ "access", KV_KEY_FLAGS, AT(access), KV_QPA_ACCESS,
	  .words = kv_word_access, .help = "what peers may do" },
	{ "port", KV_KEY_U32, AT(port), KV_QPA_PORT,
	  .help = "port; 1 if INIT needs it and it is not given" },
	{ "pkey-index", KV_KEY_U32, AT(pkey_index), KV_QPA_PKEY_INDEX,
	  .help = "entry of the P_Key table; 0 if INIT needs it and it is not given" },
	{ "qkey", KV_KEY_U32, AT(qkey), KV_QPA_QKEY,
	  .help = "UD: what senders have to name" },
	{ "path-mtu", KV_KEY_U32, AT(path_mtu), KV_QPA_PATH_MTU,
	  .help = "bytes in a packet: 256, 512, 1024, 2048 or 4096" },
	{ "dest-qpn", KV_KEY_U32, AT(dest_qpn), KV_QPA_DEST_QPN,
	  .help = "the peer's QPN" },
	{ "rq-psn", KV_KEY_U32, AT(rq_psn), KV_QPA_RQ_PSN,
	  .help = "the first PSN that the peer sends" },
	{ "dgid", KV_KEY_GID, AT(av.dgid), KV_QPA_AV | KV_QP_HAS_DGID,
	  .help = "the peer's GID" },
	{ "sgid-index", KV_KEY_U32, AT(av.sgid_index),
	  KV_QPA_AV | KV_QP_HAS_SGID_INDEX,
	  .help = "entry of the own GID table to send from" },
	{ "dlid", KV_KEY_U32, AT(av.dlid), KV_QPA_AV,
	  .help = "the peer's LID, InfiniBand only" },
	{ "sl", KV_KEY_U32, AT(av.sl), KV_QPA_AV,
	  .help = "service level, 0 to 15" },
	{ "traffic-class", KV_KEY_U32, AT(av.traffic_class), KV_QPA_AV,
	  .help = "0 to 255" },
	{ "flow-label", KV_KEY_U32, AT(av.flow_label), KV_QPA_AV,
	  .help = "20 bits" },
	{ "hop-limit", KV_KEY_U32, AT(av.hop_limit), KV_QPA_AV,
	  .help = "0 to 255; default: 64; on RoCE the kernel takes the route's" },
	{ "min-rnr-timer", KV_KEY_U32, AT(min_rnr_timer),
	  KV_QPA_MIN_RNR_TIMER,
	  .help = "how long a peer is to wait for a receive, code 0 to 31 of IBTA table 45; 12 is 0.64 ms" },
	{ "max-dest-rd-atomic", KV_KEY_U32, AT(max_dest_rd_atomic),
	  KV_QPA_MAX_DEST_RD_ATOMIC,
	  .help = "READs and atomics of the peer that are answered at once" },
	{ "sq-psn", KV_KEY_U32, AT(sq_psn), KV_QPA_SQ_PSN,
	  .help = "the first PSN to send" },
	{ "timeout", KV_KEY_U32, AT(timeout), KV_QPA_TIMEOUT,
	  .help = "until a packet is sent again: 4.096 us * 2^N, N up to 31; 0: for ever" },
	{ "retry-cnt", KV_KEY_U32, AT(retry_cnt), KV_QPA_RETRY_CNT,
	  .help = "how often, 0 to 7" },
	{ "rnr-retry", KV_KEY_U32, AT(rnr_retry), KV_QPA_RNR_RETRY,
	  .help = "how often if the peer had no receive, 0 to 7; 7: for ever" },
	{ "max-rd-atomic", KV_KEY_U32, AT(max_rd_atomic),
	  KV_QPA_MAX_RD_ATOMIC,
	  .help = "own READs and atomics under way at once" },
	{ "path-mig-state", KV_KEY_WORD, AT(path_mig_state),
	  KV_QPA_PATH_MIG_STATE, .words = kv_word_mig_state,
	  .help = "path migration" },
	{ "alt-dgid", KV_KEY_GID, AT(alt_av.dgid),
	  KV_QPA_ALT_PATH | KV_QP_HAS_ALT_DGID,
	  .help = "the alternate path, InfiniBand only: the peer's GID" },
	{ "alt-sgid-index", KV_KEY_U32, AT(alt_av.sgid_index),
	  KV_QPA_ALT_PATH | KV_QP_HAS_ALT_SGID_INDEX,
	  .help = "entry of the own GID table" },
	{ "alt-dlid", KV_KEY_U32, AT(alt_av.dlid), KV_QPA_ALT_PATH,
	  .help = "the peer's LID" },
	{ "alt-port", KV_KEY_U32, AT(alt_port), KV_QPA_ALT_PATH,
	  .help = "port" },
	{ "alt-pkey-index", KV_KEY_U32, AT(alt_pkey_index), KV_QPA_ALT_PATH,
	  .help = "entry of the P_Key table" },
	{ "alt-timeout", KV_KEY_U32, AT(alt_timeout), KV_QPA_ALT_PATH,
	  .help = "as timeout" },
	{ "sqd-async-notify", KV_KEY_U32, AT(sqd_async_notify),
	  KV_QPA_SQD_ASYNC_NOTIFY,
	  .help = "1: an event tells when the send queue has drained (SQD)" },
	{ .name = NULL },
};

/**
 * kv_qp_args_fill() - attributes from a backend, as the keys know them
 * @args: receives them
 * @attr: from the backend
 */
void kv_qp_args_fill(struct kv_qp_args *args, const struct kv_qp_attr *attr)
{
	args->given.id = 0;
	args->given.bits = attr->mask;
	args->attr = *attr;
	if (attr->av.has_dgid)
		args->given.bits |= KV_QP_HAS_DGID;
	if (attr->av.has_sgid_index)
		args->given.bits |= KV_QP_HAS_SGID_INDEX;
	if (attr->alt_av.has_dgid)
		args->given.bits |= KV_QP_HAS_ALT_DGID;
	if (attr->alt_av.has_sgid_index)
		args->given.bits |= KV_QP_HAS_ALT_SGID_INDEX;
}

/**
 * kv_qp_args_take() - attributes from the keys, as a backend takes them
 * @args: from the keys
 * @attr: receives them
 */
void kv_qp_args_take(const struct kv_qp_args *args, struct kv_qp_attr *attr)
{
	const uint32_t has = KV_QP_HAS_DGID | KV_QP_HAS_SGID_INDEX |
			     KV_QP_HAS_ALT_DGID | KV_QP_HAS_ALT_SGID_INDEX;
	uint32_t bits = args->given.bits;

	*attr = args->attr;
	attr->mask = bits & ~has;
	attr->av.has_dgid = bits & KV_QP_HAS_DGID;
	attr->av.has_sgid_index = bits & KV_QP_HAS_SGID_INDEX;
	attr->alt_av.has_dgid = bits & KV_QP_HAS_ALT_DGID;
	attr->alt_av.has_sgid_index = bits & KV_QP_HAS_ALT_SGID_INDEX;
}
