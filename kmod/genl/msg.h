/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_MSG_H
#define _KV_MSG_H

#include <net/genetlink.h>
#include <kverbs.h>
#include "obj.h"
#include "pd.h"
#include "rules/refusal.h"

/*
 * The folder that knows the contract of <kverbs.h>: parse a message, call the
 * noun, fill the reply. Netlink types and attributes are known here only.
 *
 * A command that makes something reserves its reply first, so that nothing is
 * made that the caller does not hear of.
 */

#define KV_POLICY_NAME { .type = NLA_NUL_STRING, .len = 63 }
#define KV_POLICY_ID NLA_POLICY_MIN(NLA_U32, 1)
#define KV_POLICY_8BIT NLA_POLICY_MAX(NLA_U32, U8_MAX)
#define KV_POLICY_16BIT NLA_POLICY_FULL_RANGE(NLA_U32, &kv_range_16bit)
#define KV_POLICY_20BIT NLA_POLICY_FULL_RANGE(NLA_U32, &kv_range_20bit)
#define KV_POLICY_24BIT NLA_POLICY_FULL_RANGE(NLA_U32, &kv_range_24bit)
/* For what is an int in the verbs: 0 .. S32_MAX, and 1 .. S32_MAX. */
#define KV_POLICY_INT NLA_POLICY_FULL_RANGE(NLA_U32, &kv_range_int)
#define KV_POLICY_COUNT NLA_POLICY_FULL_RANGE(NLA_U32, &kv_range_count)
#define KV_POLICY_U64_COUNT NLA_POLICY_FULL_RANGE(NLA_U64, &kv_range_u64_count)
#define KV_POLICY_ACCESS NLA_POLICY_MASK(NLA_U32, KVERBS_ACCESS__ALL)

/**
 * struct kv_reply - a message to who asked
 * @skb: the message
 * @hdr: its generic netlink header
 */
struct kv_reply {
	struct sk_buff *skb;
	void *hdr;
};

/**
 * struct kv_noun - how messages name, make and show the objects of a class
 * @class: the class
 * @id: attribute for the id; this and each of the following is 0 if the class has no such attribute
 * @dev: attribute for the name of the device
 * @persistent: attribute for the flag
 * @pd: attribute for the PD in which one is made; 0: it is made on a device
 * @verb_ns: attribute for the time that making or destroying one took
 * @check: what a message that makes one must have; NULL: nothing else
 * @make: makes one, its device locked; @pd is NULL for one that is made on a device
 * @fill: shows what is beyond the first three attributes, its device locked
 */
struct kv_noun {
	struct kv_obj_class *class;
	int id;
	int dev;
	int persistent;
	int pd;
	int verb_ns;
	int (*check)(struct genl_info *info);
	struct kv_obj *(*make)(struct genl_info *info, struct kv_dev *dev, struct kv_pd *pd,
			       struct kv_owner *owner);
	int (*fill)(struct sk_buff *skb, struct kv_obj *obj);
};

extern const struct kv_noun kv_pd_noun;
extern const struct kv_noun kv_cq_noun;
extern const struct kv_noun kv_mr_noun;
extern const struct kv_noun kv_srq_noun;
extern const struct kv_noun kv_ah_noun;
extern const struct kv_noun kv_qp_noun;
extern const struct kv_noun kv_conn_noun;
extern const struct kv_noun kv_run_noun;

/* What a command does to an object, its device locked; fills the reply. */
typedef int (*kv_command_fn)(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb);

extern struct genl_family kv_family;

int kv_msg_check_opener(const struct sk_buff *skb, struct netlink_ext_ack *extack);
struct kv_owner *kv_msg_owner(struct genl_info *info);
int kv_msg_dump_one(struct sk_buff *skb, struct netlink_callback *cb,
		    int (*fill)(struct sk_buff *skb, void *what), void *what);
int kv_put_parent(struct sk_buff *skb, int attr, const struct kv_obj *obj,
		  unsigned int slot);
int kv_put_obj(struct sk_buff *skb, struct kv_obj *obj, const struct kv_noun *noun);
int kv_msg_refuse(struct genl_info *info, struct nlattr *attr, int error,
		  const char *msg);
int kv_msg_refuse_by(struct genl_info *info, const struct kv_refusal *why);
int kv_msg_need(struct genl_info *info, int attr, const char *msg);
int kv_msg_check_max(struct genl_info *info, int attr, u32 max, const char *msg);
int kv_msg_begin_obj(struct genl_info *info, int id_attr, struct kv_obj_class *class,
		     size_t size, struct kv_reply *reply, struct kv_obj **obj);
int kv_msg_end_obj(struct genl_info *info, struct kv_reply *reply,
		   struct kv_obj *obj, int error);
int kv_msg_end_new(struct genl_info *info, struct kv_reply *reply,
		   struct kv_obj *made, const struct kv_noun *noun, int verb_ns_attr);
int kv_msg_command(struct genl_info *info, const struct kv_noun *noun, size_t size,
		   kv_command_fn command);
int kv_msg_lock_dev(struct genl_info *info, int attr, struct kv_dev **dev);
void kv_msg_unlock_dev(struct kv_dev *dev);
int kv_msg_lock_obj(struct genl_info *info, int attr, struct kv_obj_class *class,
		    struct kv_obj **obj);
struct kv_obj *kv_msg_find_obj(struct genl_info *info, struct nlattr *id,
			       struct kv_obj_class *class, struct kv_dev *dev);
int kv_reply_start(struct genl_info *info, struct kv_reply *reply, size_t size);
int kv_reply_end(struct genl_info *info, struct kv_reply *reply, int error);

static inline u32 kv_u32_or(const struct nlattr *attr, u32 otherwise)
{
	return attr ? nla_get_u32(attr) : otherwise;
}

static inline u64 kv_u64_or(const struct nlattr *attr, u64 otherwise)
{
	return attr ? nla_get_u64(attr) : otherwise;
}

static inline int kv_put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put(skb, attr, sizeof(value), &value);
}

/* What each command of the contract does; called by the family. */
int kv_netlink_dump_start(struct netlink_callback *cb);
int kv_netlink_info_get(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_dev_get(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_dev_start(struct netlink_callback *cb);
int kv_netlink_dev_dump(struct sk_buff *skb, struct netlink_callback *cb);
int kv_netlink_flush(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_new(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_del(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_get(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb);
int kv_netlink_cq_poll(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_cq_arm(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_mr_reg(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_mr_inv(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_mr_write(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_mr_read(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_mr_load(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_mr_save(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_srq_modify(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_qp_modify(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_conn_command(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_conn_take(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_wr_post(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_run_start(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_run_cancel(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_run_get(struct sk_buff *skb, struct genl_info *info);

/* NLA_POLICY_RANGE() holds but 16 bits. Not const: 6.1's policies point to non-const. */
extern struct netlink_range_validation kv_range_16bit;
extern struct netlink_range_validation kv_range_20bit;
extern struct netlink_range_validation kv_range_24bit;
extern struct netlink_range_validation kv_range_int;
extern struct netlink_range_validation kv_range_count;
extern struct netlink_range_validation kv_range_u64_count;

extern const struct nla_policy kv_dev_policy[KVERBS_A_DEV_MAX + 1];
extern const struct nla_policy kv_pd_policy[KVERBS_A_PD_MAX + 1];
extern const struct nla_policy kv_cq_policy[KVERBS_A_CQ_MAX + 1];
extern const struct nla_policy kv_mr_policy[KVERBS_A_MR_MAX + 1];
extern const struct nla_policy kv_srq_policy[KVERBS_A_SRQ_MAX + 1];
extern const struct nla_policy kv_ah_policy[KVERBS_A_AH_MAX + 1];
extern const struct nla_policy kv_qp_policy[KVERBS_A_QP_MAX + 1];
extern const struct nla_policy kv_conn_policy[KVERBS_A_CONN_MAX + 1];
extern const struct nla_policy kv_wr_policy[KVERBS_A_WR_MAX + 1];
extern const struct nla_policy kv_run_policy[KVERBS_A_RUN_MAX + 1];

#endif
