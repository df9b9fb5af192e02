/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_EVENT_H
#define _KV_EVENT_H

#include <linux/types.h>
#include <kverbs.h>
#include "owner.h"

struct ib_event;
struct ib_event_handler;
struct kv_dev;
struct kv_obj;

/**
 * struct kv_event - an event; members that have no value are 0 or NULL
 * @type: enum kverbs_event
 * @rank: of the object that it is about; kv_event_send_obj() sets it
 * @id: of the same object; 0: the event is about a device
 * @old_name: of the device
 * @port: of the device
 * @error: of a run
 * @wc_status: enum ib_wc_status
 * @vendor_err: of the same completion
 * @cm_event: of a conn
 * @cm_status: of the same CM event
 */
struct kv_event {
	enum kverbs_event type;
	enum kv_obj_rank rank;
	u32 id;
	const char *old_name;
	u32 port;
	int error;
	u32 wc_status;
	u32 vendor_err;
	enum kverbs_cm_event cm_event;
	int cm_status;
};

/**
 * struct kv_event_sender - sends events to user space; genl/event.c
 * @heard: does anybody in the namespace listen? In any context, under rcu_read_lock()
 * @send: sends an event of a device, or of one of its objects, to the namespace
 */
struct kv_event_sender {
	bool (*heard)(struct net *net);
	void (*send)(struct net *net, const struct kv_event *event, const char *dev, gfp_t gfp);
};

/* Events may get lost; nobody waits for one. */
void kv_event_set_sender(const struct kv_event_sender *to);
void kv_event_flush(void);
void kv_event_send_obj(const struct kv_obj *obj, const struct kv_event *event);
void kv_event_send_wc(const struct kv_obj *obj, u32 status, u32 vendor_err);
void kv_event_send_dev(struct kv_dev *dev, const struct kv_event *event);

/* The event handler of QPs, CQs and SRQs; context: the object. */
void kv_event_async(struct ib_event *event, void *context);
/* Of devices. */
void kv_event_async_dev(struct ib_event_handler *handler, struct ib_event *event);

#endif
