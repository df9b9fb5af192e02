/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_MSG_H
#define _KV_MSG_H

#include <net/genetlink.h>
#include <kverbs.h>
#include "obj.h"
#include "pd.h"
#include "rules/refusal.h"

/*
 * This folder implements the contract of <kverbs.h>: it parses a message, calls the noun, and
 * fills the reply. Only this folder knows netlink types and attributes.
 *
 * A command that makes an object reserves its reply first: so no object is made without the
 * caller's knowledge.
 */

#define KV_POLICY_NAME { .type = NLA_NUL_STRING, .len = 63 }
#define KV_POLICY_ID NLA_POLICY_MIN(NLA_U32, 1)
#define KV_POLICY_8BIT NLA_POLICY_MAX(NLA_U32, U8_MAX)
#define KV_POLICY_16BIT NLA_POLICY_FULL_RANGE(NLA_U32, &kv_range_16bit)
#define KV_POLICY_20BIT NLA_POLICY_FULL_RANGE(NLA_U32, &kv_range_20bit)
#define KV_POLICY_24BIT NLA_POLICY_FULL_RANGE(NLA_U32, &kv_range_24bit)
/* For numbers that are an int in the verbs: 0 .. S32_MAX, and 1 .. S32_MAX. */
#define KV_POLICY_INT NLA_POLICY_FULL_RANGE(NLA_U32, &kv_range_int)
#define KV_POLICY_COUNT NLA_POLICY_FULL_RANGE(NLA_U32, &kv_range_count)
#define KV_POLICY_U64_COUNT NLA_POLICY_FULL_RANGE(NLA_U64, &kv_range_u64_count)
#define KV_POLICY_ACCESS NLA_POLICY_MASK(NLA_U32, KVERBS_ACCESS__ALL)

/* Those that all objects of a device have, and those that all objects of a PD have */
#define KV_POLICY_OF_DEV(NOUN)						\
	[KVERBS_A_##NOUN##_ID] = KV_POLICY_ID,				\
	[KVERBS_A_##NOUN##_DEV] = KV_POLICY_NAME,			\
	[KVERBS_A_##NOUN##_PERSISTENT] = { .type = NLA_FLAG }
#define KV_POLICY_OF_PD(NOUN)						\
	[KVERBS_A_##NOUN##_ID] = KV_POLICY_ID,				\
	[KVERBS_A_##NOUN##_PERSISTENT] = { .type = NLA_FLAG },		\
	[KVERBS_A_##NOUN##_PD] = KV_POLICY_ID

/**
 * struct kv_noun - how messages name, make and show the objects of a class
 * @class: the class
 * @id: attribute for the id; this and each of the following is 0 if the class has no such attribute
 * @dev: attribute for the name of the device
 * @persistent: attribute for the flag
 * @pd: attribute for the PD of a new object; 0: objects are made on a device
 * @verb_ns: attribute for the time of the verbs of a command on an object
 * @stage: attribute for the parts of that time; 0: there are none
 * @make: makes an object
 * @fill: puts all but the first three attributes, with the device locked
 * @fits: does the command fit the object's state? NULL: each command fits every state
 */
struct kv_noun {
	struct kv_obj_class *class;
	int id;
	int dev;
	int persistent;
	int pd;
	int verb_ns;
	int stage;
	struct kv_obj *(*make)(struct genl_info *info, const struct kv_new *new);
	int (*fill)(struct sk_buff *skb, struct kv_obj *obj);
	int (*fits)(struct genl_info *info, struct kv_obj *obj);
};

/* The members that all nouns of new objects have; NAME: in their attributes */
#define KV_NOUN(name, NAME)						\
	.class = &kv_##name##_class,					\
	.id = KVERBS_A_##NAME##_ID,					\
	.dev = KVERBS_A_##NAME##_DEV,					\
	.persistent = KVERBS_A_##NAME##_PERSISTENT,			\
	.make = name##_make,						\
	.fill = name##_fill
/* The same, for objects of a PD */
#define KV_NOUN_OF_PD(name, NAME)					\
	KV_NOUN(name, NAME),						\
	.pd = KVERBS_A_##NAME##_PD,					\
	.verb_ns = KVERBS_A_##NAME##_VERB_NS

/*
 * Carries out a command on an object, with the device locked, and fills the reply. Of a set without
 * a noun there is no object, and no device is locked.
 */
typedef int (*kv_command_fn)(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb);

/* Fills a message of a dump about one thing. */
typedef int (*kv_dump_fn)(struct sk_buff *skb, struct netlink_callback *cb, void *what);

/**
 * struct kv_taken - an attribute that a command takes
 * @attr: its number
 * @surplus: the refusal by a command of the noun that does not take it
 * @missing: the refusal by the command if it is not there; NULL: it need not be there
 */
struct kv_taken {
	int attr;
	const char *surplus;
	const char *missing;
};

#define KV_TAKES(NOUN, NAME) \
	{ KVERBS_A_##NOUN##_##NAME, "this command takes no " #NAME }
#define KV_NEEDS(NOUN, NAME, text) \
	{ KVERBS_A_##NOUN##_##NAME, "this command takes no " #NAME, text }

/**
 * struct kv_command - a command of the contract
 * @cmd: enum kverbs_cmd
 * @at_once: it does not wait; other commands may wait, in particular for verbs that are
 *	firmware commands
 * @doit: carries it out; NULL: @run carries it out
 * @check: checks the message before the object is looked for; NULL: there is no check
 * @size: bytes that the attributes of the reply will need; NULL: the default
 * @run: carries it out
 * @culprit: the attribute to name in a refusal by @run that names none; 0: the id
 * @start: begins a list; NULL, like @dumpit, if the command has no list
 * @dumpit: continues the list
 * @takes: the attributes that it takes, up to one without a text; NULL: none. A list takes none.
 */
struct kv_command {
	u8 cmd;
	bool at_once;
	int (*doit)(struct sk_buff *skb, struct genl_info *info);
	int (*check)(struct genl_info *info);
	size_t (*size)(const struct genl_info *info);
	kv_command_fn run;
	int culprit;
	int (*start)(struct netlink_callback *cb);
	int (*dumpit)(struct sk_buff *skb, struct netlink_callback *cb);
	const struct kv_taken *takes;
};

#define KV_TAKEN(...) .takes = (const struct kv_taken[]){ __VA_ARGS__, {} }

/* how: the member that carries it out */
#define KV_COMMAND(NOUN, CMD, how, ...) \
	{ .cmd = KVERBS_CMD_##NOUN##_##CMD, how, KV_TAKEN(__VA_ARGS__) }
#define KV_COMMAND_AT_ONCE(NOUN, CMD, how, ...) \
	{ .cmd = KVERBS_CMD_##NOUN##_##CMD, .at_once = true, how, KV_TAKEN(__VA_ARGS__) }

/* With it a command that shows one object also lists all. Reading the list may wait. */
#define KV_LISTS .start = kv_netlink_dump_start, .dumpit = kv_netlink_dump
#define KV_SHOWS .run = kv_noun_get, KV_LISTS

/**
 * struct kv_command_set - the commands that have a set of attributes in common
 * @noun: the noun of their objects; NULL: they have no objects
 * @policy: the range of each attribute that one of them takes; NULL: none takes any
 * @max: the last number of the set
 * @command: the commands
 * @commands: how many
 */
struct kv_command_set {
	const struct kv_noun *noun;
	const struct nla_policy *policy;
	unsigned int max;
	const struct kv_command *command;
	unsigned int commands;
};

/*
 * Defines the set kv_<name>_commands from <name>_commands[] and policy[]. NAME: in the names of its
 * attributes. The policies of genl/family.c have room for as many attributes as QPs have.
 */
#define KV_COMMAND_SET(name, NAME, its_noun)				\
	static_assert((int)KVERBS_A_##NAME##_MAX <= KVERBS_A_QP_MAX); \
	const struct kv_command_set kv_##name##_commands = {		\
		.noun = its_noun,					\
		.policy = policy,					\
		.max = KVERBS_A_##NAME##_MAX,				\
		.command = name##_commands,				\
		.commands = ARRAY_SIZE(name##_commands),		\
	}

extern struct genl_family kv_family;

struct kv_owner *kv_msg_owner(struct genl_info *info);
int kv_msg_dump(struct sk_buff *skb, struct netlink_callback *cb,
		int (*fill)(struct sk_buff *skb, struct netlink_callback *cb,
			    struct kv_owner *owner));
int kv_msg_dump_one(struct sk_buff *skb, struct netlink_callback *cb, struct kv_dev *dev,
		    const bool *gone, kv_dump_fn fill, void *what);
int kv_put_parent(struct sk_buff *skb, int attr, const struct kv_obj *obj, unsigned int slot);
int kv_put_dev_name(struct sk_buff *skb, int attr, struct kv_dev *dev);
int kv_put_obj(struct sk_buff *skb, struct kv_obj *obj, const struct kv_noun *noun);
int kv_put_times(struct sk_buff *skb, const struct kv_obj *obj, const struct kv_noun *noun);
int kv_msg_refuse(struct genl_info *info, struct nlattr *attr, int error, const char *msg);
int kv_msg_refuse_by(struct genl_info *info, const struct kv_refusal *why);
int kv_msg_refuse_in(struct genl_info *info, struct nlattr *nest, struct nlattr **attrs,
		     const struct kv_refusal *why);
int kv_msg_need(struct genl_info *info, int attr, const char *msg);
int kv_msg_refuse_given(struct genl_info *info, int attr, const char *msg);
int kv_msg_check_max(struct genl_info *info, int attr, u32 max, const char *msg);
int kv_msg_begin_obj(struct genl_info *info, int id_attr, struct kv_obj_class *class,
		     size_t size, struct sk_buff **reply, struct kv_obj **obj);
int kv_msg_end_new(struct genl_info *info, struct sk_buff *reply,
		   struct kv_obj *made, const struct kv_noun *noun);
int kv_msg_lock_dev(struct genl_info *info, int attr, struct kv_dev **dev);
int kv_msg_lock_named_dev(struct genl_info *info, struct nlattr *name, struct kv_dev **dev);
void kv_msg_unlock_dev(struct kv_dev *dev);
int kv_msg_lock_obj(struct genl_info *info, int attr, struct kv_obj_class *class,
		    struct kv_obj **obj);
int kv_msg_lock_found(struct genl_info *info, struct nlattr *id, struct kv_obj_class *class,
		      struct kv_obj **obj);
struct kv_obj *kv_msg_find_obj(struct genl_info *info, struct nlattr *id,
			       struct kv_obj_class *class, struct kv_dev *dev);
int kv_reply_start(struct genl_info *info, struct sk_buff **reply, size_t size);
int kv_reply_end(struct genl_info *info, struct sk_buff *reply, int error);

/**
 * kv_msg_find() - find another object of a device that is locked, by its type
 * @info: the message
 * @id: the attribute that has the id; NULL: nothing is looked for
 * @name: of the type, as in struct kv_@name
 * @dev: the device, locked; the object stays until the device is unlocked
 * @to: receives a pointer to the object, without a reference, if there is an id
 *
 * Return: 0 or a refusal.
 */
#define kv_msg_find(info, id, name, dev, to) ({					\
	struct nlattr *_id = id;						\
	struct kv_obj *_obj = NULL;						\
										\
	if (_id)								\
		_obj = kv_msg_find_obj(info, _id, &kv_##name##_class, dev);	\
	if (!IS_ERR_OR_NULL(_obj))						\
		*(to) = container_of(_obj, struct kv_##name, obj);		\
	PTR_ERR_OR_ZERO(_obj);							\
})

/**
 * kv_msg_check_limit() - check a number by a limit of the device
 * @info: the message
 * @NAME: its attribute, which may be absent
 * @name: its name in the text
 * @dev: the device
 * @limit: member of struct ib_device_attr
 *
 * Return: 0 or -EINVAL with a refusal.
 */
#define kv_msg_check_limit(info, NAME, name, dev, limit)			\
	kv_msg_check_max(info, KVERBS_A_##NAME, (dev)->ib->attrs.limit,		\
			 name " is above the device's " #limit)

static inline u32 kv_u32_or(const struct nlattr *attr, u32 otherwise)
{
	return attr ? nla_get_u32(attr) : otherwise;
}

/* The numbers of the attributes that are there, as bits. */
static __always_inline u32 kv_attrs_given(struct nlattr *const *attrs, unsigned int max)
{
	u32 given = 0;
	unsigned int i;

	BUILD_BUG_ON(max > 31);
	for (i = 1; i <= max; i++)
		given |= attrs[i] ? BIT(i) : 0;
	return given;
}

static inline u64 kv_u64_or(const struct nlattr *attr, u64 otherwise)
{
	return attr ? nla_get_u64(attr) : otherwise;
}

static inline int kv_put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put(skb, attr, sizeof(value), &value);
}

/* Functions of the commands of several nouns. */
int kv_netlink_dump_start(struct netlink_callback *cb);
void kv_command_add(const struct kv_command_set *set, const struct kv_command *command);
int kv_netlink_command(struct sk_buff *skb, struct genl_info *info);
int kv_netlink_new(struct sk_buff *skb, struct genl_info *info);
int kv_noun_del(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb);
int kv_noun_get(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb);
int kv_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* NLA_POLICY_RANGE() holds only 16 bits. Not const: 6.1's policies point to non-const. */
extern struct netlink_range_validation kv_range_16bit;
extern struct netlink_range_validation kv_range_20bit;
extern struct netlink_range_validation kv_range_24bit;
extern struct netlink_range_validation kv_range_int;
extern struct netlink_range_validation kv_range_count;
extern struct netlink_range_validation kv_range_u64_count;

extern const struct kv_command_set kv_info_commands;
extern const struct kv_command_set kv_dev_commands;
extern const struct kv_command_set kv_pd_commands;
extern const struct kv_command_set kv_cq_commands;
extern const struct kv_command_set kv_buf_commands;
extern const struct kv_command_set kv_mr_commands;
extern const struct kv_command_set kv_srq_commands;
extern const struct kv_command_set kv_ah_commands;
extern const struct kv_command_set kv_qp_commands;
extern const struct kv_command_set kv_wr_commands;
extern const struct kv_command_set kv_run_commands;
extern const struct kv_command_set kv_conn_commands;

#endif
