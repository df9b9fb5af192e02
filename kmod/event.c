// SPDX-License-Identifier: GPL-2.0
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include "dev.h"
#include "event.h"
#include "obj.h"
#include "trace.h"

/*
 * Events of objects come from the verbs, in any context, and from completions, with locks held.
 * A device may call its handlers in a hard interrupt; with PREEMPT_RT that is a thread, where
 * memory can be allocated. So events of objects are queued here, and sent from a workqueue.
 * Events of devices are sent at once.
 */

/**
 * struct queued - an event of an object
 * @node: in @queue
 * @net: the namespace to send it to; a namespace that ends waits for kv_event_flush()
 * @event: what happened
 * @dev: name of the object's device
 */
struct queued {
	struct llist_node node;
	struct net *net;
	struct kv_event event;
	char dev[IB_DEVICE_NAME_MAX];
};

static LLIST_HEAD(queue);
static DEFINE_MUTEX(sender_lock);
/* The sender; sender_lock to write, sender_lock or RCU to read. */
static const struct kv_event_sender __rcu *sender;

/* Does anybody listen? Dereferences @net only as long as there is a sender. */
static bool event_is_heard(struct net *net)
{
	const struct kv_event_sender *to;

	guard(rcu)();
	to = rcu_dereference(sender);
	return to && to->heard(net);
}

static void event_send_queued(struct work_struct *work)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&queue));
	const struct kv_event_sender *to;
	struct queued *queued, *next;

	guard(mutex)(&sender_lock);
	to = rcu_dereference_protected(sender, lockdep_is_held(&sender_lock));
	llist_for_each_entry_safe(queued, next, list, node) {
		if (to)
			to->send(queued->net, &queued->event, queued->dev, GFP_KERNEL);
		kfree(queued);
	}
}

static DECLARE_WORK(send_work, event_send_queued);

/**
 * kv_event_set_sender() - set or remove the sender of events
 * @to: the sender; NULL: later events are not sent, and namespaces may end without
 *	waiting for kv_event_flush()
 */
void kv_event_set_sender(const struct kv_event_sender *to)
{
	scoped_guard(mutex, &sender_lock)
		rcu_assign_pointer(sender, to);
	/* Waits for callers that ask whether a namespace listens. */
	synchronize_rcu();
}

/**
 * kv_event_flush() - wait until the queued events of objects are sent
 *
 * For a caller that is about to free the destination or the sender of the events: a
 * namespace whose objects are gone, or this module.
 *
 * Context: may sleep; not under locks that senders take
 */
void kv_event_flush(void)
{
	flush_work(&send_work);
}

/**
 * kv_event_send_obj() - something happened to an object
 * @obj: a run, CONN, QP, CQ or SRQ
 * @event: the event; @event->old_name is for devices
 *
 * The event is queued, and goes to the namespace of the object's owner later.
 *
 * Context: any
 */
void kv_event_send_obj(const struct kv_obj *obj, const struct kv_event *event)
{
	struct queued *queued;

	trace_kverbs_event(obj, event);
	if (!event_is_heard(obj->owner->net))
		return;
	queued = kmalloc(sizeof(*queued), GFP_ATOMIC);
	if (!queued)
		return;
	queued->net = obj->owner->net;
	queued->event = *event;
	queued->event.rank = obj->class->rank;
	queued->event.id = obj->id;
	kv_dev_copy_name(obj->dev, queued->dev);
	llist_add(&queued->node, &queue);
	/*
	 * Not only for the first event of the queue: the caller that added the first one may not
	 * have reached this line yet, and kv_event_flush() waits only for work that is due.
	 */
	schedule_work(&send_work);
}

/**
 * kv_event_send_wc() - a request failed, other than by a flush
 * @obj: the request's QP or run
 * @status: enum ib_wc_status; IB_WC_SUCCESS and IB_WC_WR_FLUSH_ERR send no event
 * @vendor_err: of the same completion
 *
 * Context: any
 */
void kv_event_send_wc(const struct kv_obj *obj, u32 status, u32 vendor_err)
{
	struct kv_event event = {
		.type = KVERBS_EVENT_WC_ERROR,
		.wc_status = status,
		.vendor_err = vendor_err,
	};

	if (status != IB_WC_SUCCESS && status != IB_WC_WR_FLUSH_ERR)
		kv_event_send_obj(obj, &event);
}

/**
 * kv_event_send_dev() - something happened to a device
 * @dev: the device, not yet given back to the RDMA core
 * @event: the event
 *
 * The event goes to all namespaces that may use the device, after earlier events of the
 * device's objects.
 *
 * Context: may sleep; not under dev->lock
 */
void kv_event_send_dev(struct kv_dev *dev, const struct kv_event *event)
{
	const struct kv_event_sender *to;
	char name[IB_DEVICE_NAME_MAX];
	struct net *net;

	kv_event_flush();
	kv_dev_copy_name(dev, name);
	guard(mutex)(&sender_lock);
	to = rcu_dereference_protected(sender, lockdep_is_held(&sender_lock));
	if (!to)
		return;
	/* A namespace that is in the list does not go before a grace period. */
	guard(rcu)();
	for_each_net_rcu(net)
		if (rdma_dev_access_netns(dev->ib, net))
			to->send(net, event, name, GFP_ATOMIC);
}

static enum kverbs_event event_type_of(enum ib_event_type type)
{
	static const enum kverbs_event types[] = {
		[IB_EVENT_CQ_ERR] = KVERBS_EVENT_CQ_ERR,
		[IB_EVENT_QP_FATAL] = KVERBS_EVENT_QP_FATAL,
		[IB_EVENT_QP_REQ_ERR] = KVERBS_EVENT_QP_REQ_ERR,
		[IB_EVENT_QP_ACCESS_ERR] = KVERBS_EVENT_QP_ACCESS_ERR,
		[IB_EVENT_COMM_EST] = KVERBS_EVENT_COMM_EST,
		[IB_EVENT_SQ_DRAINED] = KVERBS_EVENT_SQ_DRAINED,
		[IB_EVENT_PATH_MIG] = KVERBS_EVENT_PATH_MIG,
		[IB_EVENT_PATH_MIG_ERR] = KVERBS_EVENT_PATH_MIG_ERR,
		[IB_EVENT_DEVICE_FATAL] = KVERBS_EVENT_DEVICE_FATAL,
		[IB_EVENT_PORT_ACTIVE] = KVERBS_EVENT_PORT_ACTIVE,
		[IB_EVENT_PORT_ERR] = KVERBS_EVENT_PORT_ERR,
		[IB_EVENT_LID_CHANGE] = KVERBS_EVENT_LID_CHANGE,
		[IB_EVENT_PKEY_CHANGE] = KVERBS_EVENT_PKEY_CHANGE,
		[IB_EVENT_SM_CHANGE] = KVERBS_EVENT_SM_CHANGE,
		[IB_EVENT_SRQ_ERR] = KVERBS_EVENT_SRQ_ERR,
		[IB_EVENT_SRQ_LIMIT_REACHED] = KVERBS_EVENT_SRQ_LIMIT_REACHED,
		[IB_EVENT_QP_LAST_WQE_REACHED] = KVERBS_EVENT_LAST_WQE_REACHED,
		[IB_EVENT_CLIENT_REREGISTER] = KVERBS_EVENT_CLIENT_REREGISTER,
		[IB_EVENT_GID_CHANGE] = KVERBS_EVENT_GID_CHANGE,
	};

	return type < ARRAY_SIZE(types) && types[type] ? types[type] : KVERBS_EVENT_OTHER;
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
	struct kv_event ours = { .type = event_type_of(event->event) };

	kv_event_send_obj(context, &ours);
}

/**
 * kv_event_async_dev() - an asynchronous event of a device or its port (ditto)
 * @handler: in struct kv_dev
 * @event: what happened
 *
 * Context: may sleep
 */
void kv_event_async_dev(struct ib_event_handler *handler, struct ib_event *event)
{
	struct kv_event ours = { .type = event_type_of(event->event) };

	if (event->event != IB_EVENT_DEVICE_FATAL)
		ours.port = event->element.port_num;
	kv_event_send_dev(container_of(handler, struct kv_dev, async), &ours);
}
