// SPDX-License-Identifier: MIT
#include "object/qp_key.h"
#include "qp_table.h"

#define AT(field) offsetof(struct kv_qp_args, attr.field)

#define VECTOR_av								\
	{ "dgid", KV_KEY_GID, AT(av.dgid), KV_QPA_AV | KV_QP_HAS_DGID,		\
	  .help = "the peer's GID" },						\
	{ "sgid-index", KV_KEY_U32, AT(av.sgid_index),				\
	  KV_QPA_AV | KV_QP_HAS_SGID_INDEX,					\
	  .help = "entry of the own GID table to send from" },			\
	{ "dlid", KV_KEY_U32, AT(av.dlid), KV_QPA_AV,				\
	  .help = "the peer's LID, InfiniBand only" },				\
	{ "sl", KV_KEY_U32, AT(av.sl), KV_QPA_AV,				\
	  .help = "service level, 0 to 15" },					\
	{ "traffic-class", KV_KEY_U32, AT(av.traffic_class), KV_QPA_AV,		\
	  .help = "0 to 255" },							\
	{ "flow-label", KV_KEY_U32, AT(av.flow_label), KV_QPA_AV,		\
	  .help = "20 bits" },							\
	{ "hop-limit", KV_KEY_U32, AT(av.hop_limit), KV_QPA_AV,			\
	  .help = "0 to 255; default: 64; on RoCE the kernel takes the route's" },

#define VECTOR_alt_av								\
	{ "alt-dgid", KV_KEY_GID, AT(alt_av.dgid),				\
	  KV_QPA_ALT_PATH | KV_QP_HAS_ALT_DGID,					\
	  .help = "the alternate path, InfiniBand only: the peer's GID" },	\
	{ "alt-sgid-index", KV_KEY_U32, AT(alt_av.sgid_index),			\
	  KV_QPA_ALT_PATH | KV_QP_HAS_ALT_SGID_INDEX,				\
	  .help = "entry of the own GID table" },				\
	{ "alt-dlid", KV_KEY_U32, AT(alt_av.dlid), KV_QPA_ALT_PATH,		\
	  .help = "the peer's LID" },

const struct kv_key kv_qp_key[] = {
#define ATTR(member, key, NAME, BIT, max, ibv, kind_, help_, ...)		\
	{ key, KV_KEY_##kind_, AT(member), KV_QPA_##BIT, .help = help_, ##__VA_ARGS__ },
#define VECTOR(member, BIT) VECTOR_##member
#include "model/qp_attr.def"
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
