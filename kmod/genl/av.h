/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_AV_H
#define _KV_AV_H

#include "genl/msg.h"

struct ib_device;
struct rdma_ah_attr;

/**
 * struct kv_av_attrs - numbers of the attributes that make up an address; 0 for
 * an attribute that does not exist
 * @dgid: 16 bytes
 * @sgid_index: u32, as are the following
 * @dlid: 16 bits
 * @sl: 4 bits
 * @traffic_class: 8 bits
 * @flow_label: 20 bits
 * @hop_limit: 8 bits
 * @alt: they are those of an alternate path, whose names begin with "alt_"
 */
struct kv_av_attrs {
	int dgid;
	int sgid_index;
	int dlid;
	int sl;
	int traffic_class;
	int flow_label;
	int hop_limit;
	bool alt;
};

/* Those of an address with all attributes */
#define KV_AV_ATTRS(NOUN) {						\
	.dgid = KVERBS_A_##NOUN##_DGID,					\
	.sgid_index = KVERBS_A_##NOUN##_SGID_INDEX,			\
	.dlid = KVERBS_A_##NOUN##_DLID,					\
	.sl = KVERBS_A_##NOUN##_SL,					\
	.traffic_class = KVERBS_A_##NOUN##_TRAFFIC_CLASS,		\
	.flow_label = KVERBS_A_##NOUN##_FLOW_LABEL,			\
	.hop_limit = KVERBS_A_##NOUN##_HOP_LIMIT,			\
}

/* Their ranges */
#define KV_POLICY_AV(NOUN)						\
	[KVERBS_A_##NOUN##_DGID] = NLA_POLICY_EXACT_LEN(sizeof(union ib_gid)),	\
	[KVERBS_A_##NOUN##_SGID_INDEX] = KV_POLICY_8BIT,		\
	[KVERBS_A_##NOUN##_DLID] = KV_POLICY_16BIT,			\
	[KVERBS_A_##NOUN##_SL] = NLA_POLICY_MAX(NLA_U32, 15),		\
	[KVERBS_A_##NOUN##_TRAFFIC_CLASS] = KV_POLICY_8BIT,		\
	[KVERBS_A_##NOUN##_FLOW_LABEL] = KV_POLICY_20BIT,		\
	[KVERBS_A_##NOUN##_HOP_LIMIT] = KV_POLICY_8BIT

int kv_msg_parse_port(struct genl_info *info, int attr, struct ib_device *ib, u32 *port);
int kv_msg_parse_av(struct genl_info *info, const struct kv_av_attrs *numbers,
		    struct ib_device *ib, u32 port, struct rdma_ah_attr *ah);
int kv_put_av(struct sk_buff *skb, const struct kv_av_attrs *numbers,
	      const struct rdma_ah_attr *ah);

#endif
