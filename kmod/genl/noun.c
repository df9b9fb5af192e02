// SPDX-License-Identifier: GPL-2.0
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include "dev.h"
#include "genl/call.h"
#include "genl/msg.h"

/* The commands of all nouns: to make, delete and show an object. */

static const struct kv_noun *nouns[KV_OBJ_RANKS] __ro_after_init;

/**
 * kv_noun_add() - add a noun that has commands
 * @noun: the noun
 */
void __init kv_noun_add(const struct kv_noun *noun)
{
	nouns[noun->class->rank] = noun;
}

static const struct kv_noun *noun_of(struct genl_info *info)
{
	return nouns[kv_call_rank(kv_call_of(info)->flags)];
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

int kv_netlink_new(struct sk_buff *skb, struct genl_info *info)
{
	const struct kv_noun *noun = noun_of(info);
	struct kv_new new = { .owner = kv_msg_owner(info), .extack = info->extack };
	struct kv_reply reply;
	int ret;

	if (info->attrs[noun->persistent])
		new.owner = new.owner->persistent;
	ret = noun->check ? noun->check(info) : 0;
	if (ret)
		return ret;
	ret = kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	ret = noun_lock(info, noun, &new);
	if (ret)
		return kv_reply_end(info, &reply, ret);
	ret = kv_msg_end_new(info, &reply, noun->make(info, &new), noun);
	if (new.pd)
		kv_obj_put(&new.pd->obj);
	kv_msg_unlock_dev(new.dev);
	return ret;
}

static int noun_del(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	const struct kv_noun *noun = noun_of(info);
	int ret;

	ret = kv_obj_destroy(obj, info->extack);
	if (ret)
		NL_SET_BAD_ATTR(info->extack, info->attrs[noun->id]);
	else
		ret = kv_put_times(skb, obj, noun);
	return ret;
}

int kv_netlink_del(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_command(info, noun_of(info), GENLMSG_DEFAULT_SIZE, noun_del);
}

static int noun_get(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	return kv_put_obj(skb, obj, noun_of(info));
}

int kv_netlink_get(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_command(info, noun_of(info), GENLMSG_DEFAULT_SIZE, noun_get);
}

static int noun_fill(struct sk_buff *skb, void *obj)
{
	return kv_put_obj(skb, obj, nouns[((struct kv_obj *)obj)->class->rank]);
}

/*
 * args[0] is the id to continue from. If objects come or go during a dump, its messages are
 * marked with NLM_F_DUMP_INTR: a reader that needs a consistent list repeats the dump.
 */
static int noun_fill_part(struct sk_buff *skb, struct netlink_callback *cb, struct kv_owner *owner)
{
	enum kv_obj_rank rank = kv_call_rank(genl_dumpit_info(cb)->op.internal_flags);
	struct kv_obj_class *class = nouns[rank]->class;
	unsigned long id = cb->args[0];
	struct kv_obj *obj;
	int ret = 0;

	cb->seq = kv_obj_generation(class);
	while (!ret && (obj = kv_obj_next(class, &id, owner))) {
		if (mutex_lock_interruptible(&obj->dev->lock)) {
			kv_obj_put(obj);
			ret = -EINTR;
			break;
		}
		/* An object that went meanwhile is not shown; its end changes the generation. */
		if (!obj->dead)
			ret = kv_msg_dump_one(skb, cb, noun_fill, obj);
		kv_obj_unlock(obj);
		if (!ret)
			id++;
	}
	cb->args[0] = id;
	return ret;
}

int kv_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return kv_msg_dump(skb, cb, noun_fill_part);
}
