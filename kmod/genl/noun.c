// SPDX-License-Identifier: GPL-2.0
#include <linux/cache.h>
#include <linux/init.h>
#include "dev.h"
#include "genl/msg.h"

/* The commands on objects of all nouns, and those to make, delete and show an object. */

static struct {
	const struct kv_noun *noun;
	const struct kv_command *command;
} commands[KVERBS_CMD_MAX + 1] __ro_after_init;

/**
 * kv_command_add() - add a command
 * @set: the set that it belongs to
 * @command: the command
 */
void __init kv_command_add(const struct kv_command_set *set, const struct kv_command *command)
{
	commands[command->cmd].noun = set->noun;
	commands[command->cmd].command = command;
}

static const struct kv_noun *noun_of(const struct genl_info *info)
{
	return commands[info->genlhdr->cmd].noun;
}

/* Checks that the attributes that a command needs are there, and then what else it checks. */
static int noun_check(struct genl_info *info)
{
	const struct kv_command *command = commands[info->genlhdr->cmd].command;
	const struct kv_taken *taken;

	for (taken = command->takes; taken->surplus; taken++)
		if (taken->missing && !info->attrs[taken->attr])
			return kv_msg_need(info, taken->attr, taken->missing);
	return command->check ? command->check(info) : 0;
}

/*
 * Names an attribute in a refusal that names none. A verb that has failed is named by its stage,
 * and is the fault of @culprit, if there is one, but not of the object alone.
 */
static void noun_blame(struct genl_info *info, int culprit, int object)
{
	const struct netlink_ext_ack *extack = info->extack;

	if (!extack->bad_attr && !extack->miss_type && (culprit || !extack->cookie_len))
		NL_SET_BAD_ATTR(info->extack, info->attrs[culprit ?: object]);
}

/**
 * kv_netlink_command() - a command on an object, with a reply, which tells the times of its verbs
 * @skb: the message
 * @info: the same, parsed
 *
 * Return: 0 or a negative errno with a refusal.
 */
int kv_netlink_command(struct sk_buff *skb, struct genl_info *info)
{
	const struct kv_command *command = commands[info->genlhdr->cmd].command;
	const struct kv_noun *noun = noun_of(info);
	struct sk_buff *reply;
	struct kv_obj *obj;
	int ret;

	if (!noun)
		return kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE) ?:
		       kv_reply_end(info, reply, command->run(info, NULL, reply));
	ret = noun_check(info) ?:
	      kv_msg_begin_obj(info, noun->id, noun->class, command->size ?
			       command->size(info) : GENLMSG_DEFAULT_SIZE, &reply, &obj);
	if (ret)
		return ret;
	kv_obj_reset_times(obj);
	if (noun->fits)
		ret = noun->fits(info, obj);
	ret = ret ?: command->run(info, obj, reply) ?: kv_put_times(reply, obj, noun);
	if (ret)
		noun_blame(info, command->culprit, noun->id);
	kv_obj_unlock(obj);
	return kv_reply_end(info, reply, ret);
}

static int noun_lock(struct genl_info *info, const struct kv_noun *noun, struct kv_new *new)
{
	struct kv_obj *obj;
	int ret;

	if (!noun->pd)
		return kv_msg_lock_dev(info, noun->dev, &new->dev);
	ret = kv_msg_lock_obj(info, noun->pd, &kv_pd_class, &obj);
	if (ret)
		return ret;
	new->pd = container_of(obj, struct kv_pd, obj);
	new->dev = kv_dev_get(obj->dev);
	return 0;
}

/**
 * kv_netlink_new() - the command that makes an object
 * @skb: the message
 * @info: the same, parsed
 *
 * Return: 0 or a negative errno with a refusal.
 */
int kv_netlink_new(struct sk_buff *skb, struct genl_info *info)
{
	const struct kv_noun *noun = noun_of(info);
	struct kv_new new = { .owner = kv_msg_owner(info), .extack = info->extack };
	struct sk_buff *reply;
	struct kv_obj *made;
	int ret;

	if (info->attrs[noun->persistent])
		new.owner = new.owner->persistent;
	ret = noun_check(info) ?: kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	ret = noun_lock(info, noun, &new);
	if (ret)
		return kv_reply_end(info, reply, ret);
	made = noun->make(info, &new);
	/* It names objects that are not persistent. A limit of memory is no attribute's fault. */
	if (made == ERR_PTR(-EINVAL))
		noun_blame(info, 0, noun->persistent);
	/* The device has no such objects. */
	else if (made == ERR_PTR(-EOPNOTSUPP))
		noun_blame(info, 0, noun->pd ?: noun->dev);
	ret = kv_msg_end_new(info, reply, made, noun);
	if (new.pd)
		kv_obj_put(&new.pd->obj);
	kv_msg_unlock_dev(new.dev);
	return ret;
}

/**
 * kv_noun_del() - the command that deletes an object; kv_command_fn
 * @info: the message
 * @obj: the object, its device locked
 * @skb: the reply
 *
 * Return: 0 or a negative errno with a refusal.
 */
int kv_noun_del(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	int ret;

	ret = kv_obj_destroy(obj, info->extack);
	if (ret)
		NL_SET_BAD_ATTR(info->extack, info->attrs[noun_of(info)->id]);
	return ret;
}

/**
 * kv_noun_get() - the command that shows an object; kv_command_fn
 * @info: the message
 * @obj: the object, its device locked
 * @skb: the reply
 *
 * Return: 0 or -EMSGSIZE.
 */
int kv_noun_get(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	return kv_put_obj(skb, obj, noun_of(info));
}

static int noun_fill(struct sk_buff *skb, struct netlink_callback *cb, void *obj)
{
	return kv_put_obj(skb, obj, commands[genl_dumpit_info(cb)->op.cmd].noun);
}

/*
 * args[0] is the id to continue from. If objects come or go during a dump, its messages are
 * marked with NLM_F_DUMP_INTR: a reader that needs a consistent list repeats the dump.
 */
static int noun_fill_part(struct sk_buff *skb, struct netlink_callback *cb, struct kv_owner *owner)
{
	struct kv_obj_class *class = commands[genl_dumpit_info(cb)->op.cmd].noun->class;
	unsigned long id = cb->args[0];
	struct kv_obj *obj;
	int ret = 0;

	cb->seq = kv_obj_generation(class);
	while (!ret && (obj = kv_obj_next(class, &id, owner))) {
		ret = kv_msg_dump_one(skb, cb, obj->dev, &obj->dead, noun_fill, obj);
		kv_obj_put(obj);
		if (!ret)
			id++;
	}
	cb->args[0] = id;
	return ret;
}

/**
 * kv_netlink_dump() - the command that lists the objects of a noun
 * @skb: the message to fill
 * @cb: the dump
 *
 * Return: bytes in the message, 0 at the end, or a negative errno.
 */
int kv_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return kv_msg_dump(skb, cb, noun_fill_part);
}
