// SPDX-License-Identifier: GPL-2.0
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include "dev.h"
#include "event.h"
#include "genl/msg.h"

/*
 * What happens to objects is told by the verbs, in any context (a device may call
 * its handlers in a hard interrupt, which with PREEMPT_RT is a thread, where memory
 * can be had), and by completions, with locks held. So it is written down there, and
 * sent from a workqueue. What happens to devices is sent at once.
 */

/**
 * struct queued - an event of an object
 * @node: in @queue
 * @net: where it goes; a namespace that goes waits for kv_event_flush()
 * @event: what happened
 * @attr: attribute for the object's id
 * @id: of the object
 * @dev: name of its device
 */
struct queued {
	struct llist_node node;
	struct net *net;
	struct kv_event event;
	int attr;
	u32 id;
	char dev[IB_DEVICE_NAME_MAX];
};

static LLIST_HEAD(queue);
static DEFINE_MUTEX(started_lock);
static bool started; /* the family is there; started_lock, to read without a lock too */

/*
 * Does anybody listen who may? In a namespace that belongs to a user namespace of its
 * own, whoever is root there can join the group. Follows @net only as long as the
 * family is there.
 */
static bool heard(struct net *net)
{
	bool ret;

	rcu_read_lock();
	ret = READ_ONCE(started) && net->user_ns == &init_user_ns &&
	      genl_has_listeners(&kv_family, net, 0);
	rcu_read_unlock();
	return ret;
}

static int fill_event(struct sk_buff *skb, const struct kv_event *event,
		      const char *dev)
{
	if (nla_put_u32(skb, KVERBS_A_EVENT_TYPE, event->type) ||
	    nla_put_string(skb, KVERBS_A_EVENT_DEV, dev) ||
	    (event->old_name &&
	     nla_put_string(skb, KVERBS_A_EVENT_OLD_NAME, event->old_name)) ||
	    (event->port && nla_put_u32(skb, KVERBS_A_EVENT_PORT, event->port)))
		return -EMSGSIZE;
	switch (event->type) {
	case KVERBS_EVENT_RUN_DONE:
		return nla_put_s32(skb, KVERBS_A_EVENT_ERROR, event->error);
	case KVERBS_EVENT_WC_ERROR:
		return nla_put_u32(skb, KVERBS_A_EVENT_WC_STATUS, event->wc_status) ?:
		       nla_put_u32(skb, KVERBS_A_EVENT_VENDOR_ERR, event->vendor_err);
	case KVERBS_EVENT_CM:
		return nla_put_u32(skb, KVERBS_A_EVENT_CM_EVENT, event->cm_event) ?:
		       nla_put_s32(skb, KVERBS_A_EVENT_CM_STATUS, event->cm_status);
	default:
		return 0;
	}
}

/* A message that can be sent; attr: 0, or the attribute for an object's id. */
static struct sk_buff *make_event(const struct kv_event *event, const char *dev,
				  int attr, u32 id, gfp_t gfp)
{
	struct sk_buff *skb;
	void *hdr;

	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, gfp);
	if (!skb)
		return NULL;
	hdr = genlmsg_put(skb, 0, 0, &kv_family, 0, KVERBS_CMD_EVENT);
	if (!hdr || fill_event(skb, event, dev) ||
	    (attr && nla_put_u32(skb, attr, id))) {
		nlmsg_free(skb);
		return NULL;
	}
	genlmsg_end(skb, hdr);
	return skb;
}

static void send_one(const struct queued *queued)
{
	struct sk_buff *skb;

	mutex_lock(&started_lock);
	if (heard(queued->net)) {
		skb = make_event(&queued->event, queued->dev, queued->attr,
				 queued->id, GFP_KERNEL);
		if (skb)
			genlmsg_multicast_netns(&kv_family, queued->net, skb, 0, 0,
						GFP_KERNEL);
	}
	mutex_unlock(&started_lock);
}

static void send_queued(struct work_struct *work)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&queue));
	struct queued *queued, *next;

	llist_for_each_entry_safe(queued, next, list, node) {
		send_one(queued);
		kfree(queued);
	}
}

static DECLARE_WORK(send_work, send_queued);

/**
 * kv_event_start() - the family is there: let events out
 */
void kv_event_start(void)
{
	mutex_lock(&started_lock);
	WRITE_ONCE(started, true);
	mutex_unlock(&started_lock);
}

/**
 * kv_event_stop() - the family is about to go; what happens now is not told
 *
 * After this namespaces may go without waiting for kv_event_flush().
 */
void kv_event_stop(void)
{
	mutex_lock(&started_lock);
	WRITE_ONCE(started, false);
	mutex_unlock(&started_lock);
	/* Whoever asks whether a namespace listens. */
	synchronize_rcu();
}

/**
 * kv_event_flush() - wait until what objects have told is sent
 *
 * For who is about to free what it is sent to: a namespace whose objects are gone,
 * or this module.
 *
 * Context: may sleep; no locks that senders take
 */
void kv_event_flush(void)
{
	flush_work(&send_work);
}

static int id_attr(enum kv_obj_type type)
{
	switch (type) {
	case KV_OBJ_RUN:
		return KVERBS_A_EVENT_RUN;
	case KV_OBJ_CONN:
		return KVERBS_A_EVENT_CONN;
	case KV_OBJ_QP:
		return KVERBS_A_EVENT_QP;
	case KV_OBJ_CQ:
		return KVERBS_A_EVENT_CQ;
	case KV_OBJ_SRQ:
		return KVERBS_A_EVENT_SRQ;
	default:
		return 0;
	}
}

/**
 * kv_event_send_obj() - something happened to an object
 * @obj: a run, CONN, QP, CQ or SRQ
 * @event: what; @event->old_name is for devices
 *
 * Goes to the namespace of the object's owner, later than this returns.
 *
 * Context: any
 */
void kv_event_send_obj(const struct kv_obj *obj, const struct kv_event *event)
{
	struct queued *queued;

	if (!heard(obj->owner.net))
		return;
	queued = kmalloc(sizeof(*queued), GFP_ATOMIC);
	if (!queued)
		return;
	queued->net = obj->owner.net;
	queued->event = *event;
	queued->attr = id_attr(obj->type);
	queued->id = obj->id;
	kv_dev_copy_name(obj->dev, queued->dev);
	llist_add(&queued->node, &queue);
	/*
	 * Even behind others: who added the first one may not have come to this yet,
	 * and kv_event_flush() waits only for work that is due.
	 */
	schedule_work(&send_work);
}

/**
 * kv_event_send_dev() - something happened to a device
 * @dev: the device, not yet given back to the RDMA core
 * @event: what
 *
 * Goes to all namespaces that may use the device, after what its objects have
 * told before.
 *
 * Context: may sleep; not under dev->lock
 */
void kv_event_send_dev(struct kv_dev *dev, const struct kv_event *event)
{
	char name[IB_DEVICE_NAME_MAX];
	struct sk_buff *skb;
	struct net *net;

	kv_event_flush();
	kv_dev_copy_name(dev, name);
	mutex_lock(&started_lock);
	/* One that is in the list does not go before a grace period. */
	rcu_read_lock();
	for_each_net_rcu(net) {
		if (!rdma_dev_access_netns(dev->ib, net) || !heard(net))
			continue;
		skb = make_event(event, name, 0, 0, GFP_ATOMIC);
		if (skb)
			genlmsg_multicast_netns(&kv_family, net, skb, 0, 0, GFP_ATOMIC);
	}
	rcu_read_unlock();
	mutex_unlock(&started_lock);
}

static enum kverbs_event type_of(enum ib_event_type type)
{
	switch (type) {
	case IB_EVENT_CQ_ERR:
		return KVERBS_EVENT_CQ_ERR;
	case IB_EVENT_QP_FATAL:
		return KVERBS_EVENT_QP_FATAL;
	case IB_EVENT_QP_REQ_ERR:
		return KVERBS_EVENT_QP_REQ_ERR;
	case IB_EVENT_QP_ACCESS_ERR:
		return KVERBS_EVENT_QP_ACCESS_ERR;
	case IB_EVENT_COMM_EST:
		return KVERBS_EVENT_COMM_EST;
	case IB_EVENT_SQ_DRAINED:
		return KVERBS_EVENT_SQ_DRAINED;
	case IB_EVENT_PATH_MIG:
		return KVERBS_EVENT_PATH_MIG;
	case IB_EVENT_PATH_MIG_ERR:
		return KVERBS_EVENT_PATH_MIG_ERR;
	case IB_EVENT_QP_LAST_WQE_REACHED:
		return KVERBS_EVENT_LAST_WQE_REACHED;
	case IB_EVENT_SRQ_ERR:
		return KVERBS_EVENT_SRQ_ERR;
	case IB_EVENT_SRQ_LIMIT_REACHED:
		return KVERBS_EVENT_SRQ_LIMIT_REACHED;
	case IB_EVENT_DEVICE_FATAL:
		return KVERBS_EVENT_DEVICE_FATAL;
	case IB_EVENT_PORT_ACTIVE:
		return KVERBS_EVENT_PORT_ACTIVE;
	case IB_EVENT_PORT_ERR:
		return KVERBS_EVENT_PORT_ERR;
	case IB_EVENT_LID_CHANGE:
		return KVERBS_EVENT_LID_CHANGE;
	case IB_EVENT_PKEY_CHANGE:
		return KVERBS_EVENT_PKEY_CHANGE;
	case IB_EVENT_SM_CHANGE:
		return KVERBS_EVENT_SM_CHANGE;
	case IB_EVENT_CLIENT_REREGISTER:
		return KVERBS_EVENT_CLIENT_REREGISTER;
	case IB_EVENT_GID_CHANGE:
		return KVERBS_EVENT_GID_CHANGE;
	default:
		return KVERBS_EVENT_OTHER;
	}
}

/**
 * kv_event_async() - an asynchronous event of a QP, CQ or SRQ (IBTA 11.6.3)
 * @event: what happened
 * @context: the object
 *
 * Context: any
 */
void kv_event_async(struct ib_event *event, void *context)
{
	struct kv_event ours = { .type = type_of(event->event) };

	kv_event_send_obj(context, &ours);
}

/**
 * kv_event_async_dev() - an asynchronous event of a device or its port (ditto)
 * @dev: the device
 * @event: what happened
 *
 * Context: may sleep
 */
void kv_event_async_dev(struct kv_dev *dev, const struct ib_event *event)
{
	struct kv_event ours = { .type = type_of(event->event) };

	if (event->event != IB_EVENT_DEVICE_FATAL)
		ours.port = event->element.port_num;
	kv_event_send_dev(dev, &ours);
}
