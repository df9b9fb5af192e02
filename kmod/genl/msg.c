// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <net/sock.h>
#include "dev.h"
#include "genl/call.h"
#include "genl/msg.h"
#include "refuse.h"

struct netlink_range_validation kv_range_16bit = { .max = U16_MAX };
struct netlink_range_validation kv_range_20bit = { .max = 0xfffff };
struct netlink_range_validation kv_range_24bit = { .max = 0xffffff };
struct netlink_range_validation kv_range_int = { .max = S32_MAX };
struct netlink_range_validation kv_range_count = { .min = 1, .max = S32_MAX };
struct netlink_range_validation kv_range_u64_count = { .min = 1, .max = U64_MAX };

/* Operations and notifications: genl/family.c. */
struct genl_family kv_family __ro_after_init = {
	.name = KVERBS_GENL_NAME,
	.version = KVERBS_GENL_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
};

/**
 * kv_netlink_dump_start() - a command that lists something begins
 * @cb: the dump
 *
 * Return: 0 or -EPERM.
 */
int kv_netlink_dump_start(struct netlink_callback *cb)
{
	return kv_call_check_opener(cb->skb, cb->extack);
}

/*
 * A message that the reader ignores (netlink(7)): another part of the dump follows. It has a
 * generic netlink header, as readers like the kernel's pyynl expect one in all messages.
 */
static int msg_put_noop(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlmsghdr *nlh;

	nlh = nlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, NLMSG_NOOP,
			GENL_HDRLEN, NLM_F_MULTI);
	if (!nlh)
		return -EMSGSIZE;
	memset(nlmsg_data(nlh), 0, GENL_HDRLEN);
	return skb->len;
}

/*
 * A command and its list share one policy: this refuses the attributes in the request for a list.
 * Called from dumpit(): before Linux 6.9 or so start() has no extack.
 */
static int msg_check_list(struct netlink_callback *cb)
{
	struct nlattr **attrs = kv_compat_dump_attrs(cb);
	unsigned int i;

	for (i = 1; i <= genl_dumpit_info(cb)->op.maxattr; i++) {
		if (attrs[i]) {
			NL_SET_BAD_ATTR(cb->extack, attrs[i]);
			return kv_refuse(cb->extack, -EINVAL,
					 "a list takes no attributes: it always has all entries");
		}
	}
	return 0;
}

/**
 * kv_msg_dump() - make a part of a dump
 * @skb: the message to fill
 * @cb: the dump; args[1] is used here
 * @fill: fills the message for an owner, and may wait for dev->lock; returns 0 at the end of
 *	the dump, -EMSGSIZE if the message is full, -EINTR if a signal came first
 *
 * The first part is made in the handler (__netlink_dump_start()), which does not wait: so the
 * first part is empty. The other parts are made while the reader receives (netlink_recvmsg()):
 * then only the reader waits, also for the commands that were sent before.
 *
 * Return: bytes in the message, 0 at the end, or a negative errno.
 */
int kv_msg_dump(struct sk_buff *skb, struct netlink_callback *cb,
		int (*fill)(struct sk_buff *skb, struct netlink_callback *cb,
			    struct kv_owner *owner))
{
	struct netlink_skb_parms *from = &NETLINK_CB(cb->skb);
	struct kv_owner *owner;
	int ret = -EINTR;

	if (!cb->args[1]) {
		ret = msg_check_list(cb);
		if (ret)
			return ret;
		cb->args[1] = true;
		return msg_put_noop(skb, cb);
	}
	owner = kv_owner_of_socket(from->sk, from->portid);
	if (!owner)
		return -ENOMEM;
	if (!kv_jobs_wait(&owner->jobs) && !kv_closed_wait(owner))
		ret = fill(skb, cb, owner);
	kv_owner_put(owner);
	/* A full message is sent, and this function is called again. */
	if (skb->len && (ret == -EMSGSIZE || ret == -EINTR))
		return skb->len;
	/* After a signal it is called again, too: the signal does not end the receive. */
	if (ret == -EINTR)
		return msg_put_noop(skb, cb);
	return ret ?: skb->len;
}

/**
 * kv_msg_owner() - the sender of a message
 * @info: the message
 *
 * Return: the sender's socket, as the owner of the objects that it makes and may name; stays
 * valid until the command is done.
 */
struct kv_owner *kv_msg_owner(struct genl_info *info)
{
	return kv_call_of(info)->owner;
}

/**
 * kv_msg_refuse() - refuse a message because of one attribute
 * @info: the message
 * @attr: the attribute
 * @error: negative errno
 * @msg: what is wrong and what to do; stays valid
 *
 * Return: @error
 */
int kv_msg_refuse(struct genl_info *info, struct nlattr *attr, int error, const char *msg)
{
	NL_SET_BAD_ATTR(info->extack, attr);
	return kv_refuse(info->extack, error, msg);
}

/**
 * kv_msg_refuse_by() - refuse a message by a rule
 * @info: the message
 * @why: the refusal, with an attribute of the message's own
 *
 * Return: its error
 */
int kv_msg_refuse_by(struct genl_info *info, const struct kv_refusal *why)
{
	return kv_msg_refuse_in(info, NULL, info->attrs, why);
}

/**
 * kv_msg_refuse_in() - refuse a message by a rule about a nest
 * @info: the message
 * @nest: the nest
 * @attrs: its attributes by number
 * @why: the refusal, with an attribute of the nest's
 *
 * Return: its error
 */
int kv_msg_refuse_in(struct genl_info *info, struct nlattr *nest, struct nlattr **attrs,
		     const struct kv_refusal *why)
{
	if (!why->missing)
		return kv_msg_refuse(info, attrs[why->attr], why->error, why->text);
	NL_SET_ERR_ATTR_MISS(info->extack, nest, why->attr);
	return kv_refuse_by(info->extack, why);
}

/**
 * kv_msg_need() - check that an attribute is there
 * @info: the message
 * @attr: its number
 * @msg: the text of the refusal; stays valid
 *
 * Return: 0, or -EINVAL with a refusal that names the missing attribute.
 */
int kv_msg_need(struct genl_info *info, int attr, const char *msg)
{
	if (info->attrs[attr])
		return 0;
	NL_SET_ERR_ATTR_MISS(info->extack, NULL, attr);
	return kv_refuse(info->extack, -EINVAL, msg);
}

/**
 * kv_msg_refuse_given() - check that an attribute is not there
 * @info: the message
 * @attr: its number
 * @msg: the text of the refusal; stays valid
 *
 * Return: 0, or -EINVAL with a refusal.
 */
int kv_msg_refuse_given(struct genl_info *info, int attr, const char *msg)
{
	return info->attrs[attr] ? kv_msg_refuse(info, info->attrs[attr], -EINVAL, msg) : 0;
}

/**
 * kv_msg_check_max() - check a number that the device limits
 * @info: the message
 * @attr: its attribute, which may be absent
 * @max: the limit
 * @msg: the text of the refusal; stays valid
 *
 * Return: 0 or -EINVAL with a refusal.
 */
int kv_msg_check_max(struct genl_info *info, int attr, u32 max, const char *msg)
{
	struct nlattr *number = info->attrs[attr];

	if (!number || nla_get_u32(number) <= max)
		return 0;
	return kv_msg_refuse(info, number, -EINVAL, msg);
}

/**
 * kv_reply_start() - reserve a reply
 * @info: the message to answer
 * @reply: receives the reply
 * @size: bytes that its attributes will need
 *
 * Return: 0 or a negative errno. After 0 kv_reply_end() must follow.
 */
int kv_reply_start(struct genl_info *info, struct sk_buff **reply, size_t size)
{
	*reply = genlmsg_new(size, GFP_KERNEL);
	if (!*reply)
		return -ENOMEM;
	if (genlmsg_put_reply(*reply, info, &kv_family, 0, info->genlhdr->cmd))
		return 0;
	nlmsg_free(*reply);
	return -EMSGSIZE;
}

/**
 * kv_reply_end() - send the reply, or give it up
 * @info: the message to answer
 * @reply: the reply, filled; gone after this
 * @error: 0, or the error for which it is given up
 *
 * Return: @error, or the result of sending: -ECONNREFUSED if the sender's socket is closed.
 */
int kv_reply_end(struct genl_info *info, struct sk_buff *reply, int error)
{
	if (!error && kv_call_socket_closed(kv_call_of(info)))
		error = -ECONNREFUSED;
	if (error) {
		nlmsg_free(reply);
		return error;
	}
	nlmsg_end(reply, nlmsg_hdr(reply));
	return genlmsg_reply(reply, info);
}

/**
 * kv_msg_lock_dev() - find and lock the device that an attribute names
 * @info: the message
 * @attr: number of the attribute that has the name
 * @dev: the device, locked, with a reference
 *
 * Return: 0, to be followed by kv_msg_unlock_dev(), or a refusal, or the error of
 * kv_call_lock().
 */
int kv_msg_lock_dev(struct genl_info *info, int attr, struct kv_dev **dev)
{
	return kv_msg_need(info, attr, "dev is missing: which RDMA device?") ?:
	       kv_msg_lock_named_dev(info, info->attrs[attr], dev);
}

/**
 * kv_msg_lock_named_dev() - find and lock a device by its name
 * @info: the message
 * @name: the attribute that has the name
 * @dev: the device, locked, with a reference
 *
 * Return: 0, to be followed by kv_msg_unlock_dev(), or a refusal, or the error of
 * kv_call_lock().
 */
int kv_msg_lock_named_dev(struct genl_info *info, struct nlattr *name, struct kv_dev **dev)
{
	int ret;

	*dev = kv_dev_find(nla_data(name), 0, genl_info_net(info));
	if (!*dev)
		return kv_msg_refuse(info, name, -ENODEV,
				     "no such RDMA device in this network namespace");
	ret = kv_call_lock(info, *dev);
	if (!ret && (*dev)->gone) {
		mutex_unlock(&(*dev)->lock);
		ret = kv_msg_refuse(info, name, -ENODEV, "the RDMA device was just removed");
	}
	if (ret)
		kv_dev_put(*dev);
	return ret;
}

/**
 * kv_msg_unlock_dev() - undo kv_msg_lock_dev()
 * @dev: the device
 */
void kv_msg_unlock_dev(struct kv_dev *dev)
{
	mutex_unlock(&dev->lock);
	kv_dev_put(dev);
}

static struct kv_obj *msg_lookup(struct genl_info *info, struct nlattr *id,
				 struct kv_obj_class *class)
{
	struct kv_obj *obj = kv_obj_lookup(class, nla_get_u32(id), kv_msg_owner(info));

	if (!obj)
		kv_msg_refuse(info, id, -ENOENT, class->unknown);
	return obj;
}

/**
 * kv_msg_lock_obj() - find the object that an attribute names, and lock its device
 * @info: the message
 * @attr: number of the attribute that has the id
 * @class: its class
 * @obj: the object, alive, with a reference, its device locked; the device may be
 *	gone if objects of the class outlive their device
 *
 * Return: 0, to be followed by kv_obj_unlock(), or a refusal, or the error of
 * kv_call_lock().
 */
int kv_msg_lock_obj(struct genl_info *info, int attr, struct kv_obj_class *class,
		    struct kv_obj **obj)
{
	return kv_msg_need(info, attr, class->missing) ?:
	       kv_msg_lock_found(info, info->attrs[attr], class, obj);
}

/**
 * kv_msg_lock_found() - like kv_msg_lock_obj(), by an attribute that is there
 * @info: the message
 * @id: the attribute that has the id
 * @class: its class
 * @obj: the object, as from kv_msg_lock_obj()
 *
 * Return: as kv_msg_lock_obj().
 */
int kv_msg_lock_found(struct genl_info *info, struct nlattr *id, struct kv_obj_class *class,
		      struct kv_obj **obj)
{
	int ret;

	*obj = msg_lookup(info, id, class);
	if (!*obj)
		return -ENOENT;
	ret = kv_call_lock(info, (*obj)->dev);
	if (!ret && (*obj)->dead) {
		mutex_unlock(&(*obj)->dev->lock);
		ret = kv_msg_refuse(info, id, -ENOENT, class->unknown);
	}
	if (ret)
		kv_obj_put(*obj);
	return ret;
}

/**
 * kv_msg_find_obj() - find another object of a device that is locked
 * @info: the message
 * @id: the attribute that has the id
 * @class: its class
 * @dev: the device, locked; the object stays until the device is unlocked
 *
 * Return: the object, without a reference, or ERR_PTR with a refusal.
 */
struct kv_obj *kv_msg_find_obj(struct genl_info *info, struct nlattr *id,
			       struct kv_obj_class *class, struct kv_dev *dev)
{
	struct kv_obj *obj = msg_lookup(info, id, class);
	bool found;

	if (!obj)
		return ERR_PTR(-ENOENT);
	found = obj->dev == dev && !obj->dead;
	kv_obj_put(obj);
	if (found)
		return obj;
	return ERR_PTR(kv_msg_refuse(info, id, -EINVAL, "an object of another RDMA device"));
}

/**
 * kv_msg_begin_obj() - begin a command on an object
 * @info: the message
 * @id_attr: number of the attribute that has its id
 * @class: of the object
 * @size: bytes that the attributes of the reply will need
 * @reply: receives the reply, reserved
 * @obj: the object as kv_msg_lock_obj() leaves it
 *
 * Return: 0, to be followed by kv_obj_unlock() and kv_reply_end(), or by kv_msg_end_new()
 * and kv_obj_unlock(); or a refusal.
 */
int kv_msg_begin_obj(struct genl_info *info, int id_attr, struct kv_obj_class *class,
		     size_t size, struct sk_buff **reply, struct kv_obj **obj)
{
	int ret;

	ret = kv_reply_start(info, reply, size);
	if (ret)
		return ret;
	ret = kv_msg_lock_obj(info, id_attr, class, obj);
	return ret ? kv_reply_end(info, *reply, ret) : 0;
}

/**
 * kv_msg_end_new() - end a command that makes an object
 * @info: the message
 * @reply: the reply, gone after this
 * @made: the object, its device locked, or ERR_PTR; unmade if the reply can't
 *	be sent
 * @noun: of the object
 *
 * Return: 0 or a negative errno.
 */
int kv_msg_end_new(struct genl_info *info, struct sk_buff *reply,
		   struct kv_obj *made, const struct kv_noun *noun)
{
	int ret;

	if (IS_ERR(made))
		return kv_reply_end(info, reply, PTR_ERR(made));
	ret = kv_put_obj(reply, made, noun) ?: kv_put_times(reply, made, noun);
	ret = kv_reply_end(info, reply, ret);
	if (ret)
		kv_obj_destroy(made, info->extack);
	return ret;
}

/**
 * kv_put_parent() - put the id of an object that another one uses
 * @skb: the message
 * @attr: attribute for the id
 * @obj: the user
 * @slot: the index in @obj->parents; nothing is put if the slot is unused
 *
 * Return: 0 or -EMSGSIZE.
 */
int kv_put_parent(struct sk_buff *skb, int attr, const struct kv_obj *obj, unsigned int slot)
{
	return obj->parents[slot] ? nla_put_u32(skb, attr, obj->parents[slot]->id) : 0;
}

/**
 * kv_put_dev_name() - put the name of a device
 * @skb: the message
 * @attr: attribute for the name
 * @dev: the device
 *
 * Return: 0 or -EMSGSIZE.
 */
int kv_put_dev_name(struct sk_buff *skb, int attr, struct kv_dev *dev)
{
	char name[IB_DEVICE_NAME_MAX];

	kv_dev_copy_name(dev, name);
	return nla_put_string(skb, attr, name);
}

/**
 * kv_put_obj() - put an object into a message
 * @skb: the message
 * @obj: the object, its device locked
 * @noun: of the object; the name of a device that is gone is not put
 *
 * Return: 0 or a negative errno.
 */
int kv_put_obj(struct sk_buff *skb, struct kv_obj *obj, const struct kv_noun *noun)
{
	if (nla_put_u32(skb, noun->id, obj->id) ||
	    (noun->dev && !obj->dev->gone && kv_put_dev_name(skb, noun->dev, obj->dev)) ||
	    (kv_obj_persistent(obj) && nla_put_flag(skb, noun->persistent)))
		return -EMSGSIZE;
	return noun->fill(skb, obj);
}

static int msg_put_stage(struct sk_buff *skb, int attr, u32 kind, u64 ns)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest || nla_put_u32(skb, KVERBS_A_STAGE_KIND, kind) ||
	    kv_put_u64(skb, KVERBS_A_STAGE_NS, ns))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * kv_put_times() - put the times of the verbs of a command on an object
 * @skb: the message
 * @obj: the object, its device locked
 * @noun: of the object
 *
 * Nothing is put if no verb was called, or if the noun has no such attribute.
 *
 * Return: 0 or -EMSGSIZE.
 */
int kv_put_times(struct sk_buff *skb, const struct kv_obj *obj, const struct kv_noun *noun)
{
	u64 sum = 0;
	int ret = 0;
	u32 stage;

	for (stage = 0; !ret && stage <= KVERBS_STAGE_MAX; stage++) {
		if (obj->stage_ns[stage] && noun->stage)
			ret = msg_put_stage(skb, noun->stage, stage, obj->stage_ns[stage]);
		sum += obj->stage_ns[stage];
	}
	return ret || !sum || !noun->verb_ns ? ret : kv_put_u64(skb, noun->verb_ns, sum);
}

/* Adds a message about one thing to a dump. */
static int msg_dump_one(struct sk_buff *skb, struct netlink_callback *cb, kv_dump_fn fill,
			void *what)
{
	void *hdr;
	int ret;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &kv_family,
			  NLM_F_MULTI, genl_dumpit_info(cb)->op.cmd);
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	ret = fill(skb, cb, what);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

/**
 * kv_msg_dump_one() - add a device, or an object of it, to a dump
 * @skb: the message to fill
 * @cb: the dump
 * @dev: the device
 * @gone: it went meanwhile: it is not shown, and its end has changed the generation; @dev->lock
 * @fill: fills the message, with the device locked
 * @what: the argument of @fill
 *
 * Return: 0 or a negative errno, -EINTR if a signal came first.
 */
int kv_msg_dump_one(struct sk_buff *skb, struct netlink_callback *cb, struct kv_dev *dev,
		    const bool *gone, kv_dump_fn fill, void *what)
{
	int ret;

	if (mutex_lock_interruptible(&dev->lock))
		return -EINTR;
	ret = *gone ? 0 : msg_dump_one(skb, cb, fill, what);
	mutex_unlock(&dev->lock);
	return ret;
}
