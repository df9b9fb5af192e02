/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_DEV_H
#define _KV_DEV_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include "owner.h"
#include "wqe.h"

/*
 * Lock order: kv_owner.clearing, kv_dev.lock, the RDMA CM's mutex of an id, the locks of the
 * id tables; the spinlocks kv_owner.lock, kv_jobs.lock, kv_dev_wqes.lock, kv_conn_lock and
 * kv_dev.name_lock after all of them. kv_devs_lock is taken alone, and held for a moment only.
 * Threads of runs take none of the mutexes, and handlers of the CM do not take kv_dev.lock:
 * a holder of kv_dev.lock can wait for both.
 *
 * kv_dev.lock is held while a verb waits: handlers of netlink only try to take it
 * (kv_call_lock()).
 */

/**
 * struct kv_dev - an RDMA device that objects can be made on
 * @ref: one for the list of devices, one for each object, one for each lookup
 * @link: in the list of devices; kv_devs_lock
 * @ib: the device; not to be touched once @gone
 * @name: a copy of its name: a rename of the device may free @ib's own name under a
 *	reader; kv_devs_lock and @name_lock to write, one of them to read
 * @name_lock: see @name; in any context
 * @lock: the control path of this device. Protects @gone, and the parents, users and
 *	verbs object of each object of this device.
 * @gone: the device was removed, and with it all of its verbs objects
 * @async: the RDMA core's handle for events of the device and its ports
 * @objects: its objects by rank, linked by kv_obj.dev_link; @lock
 * @keys: how many keys its MRs were given so far; @lock
 * @wqes: the work requests that were posted by hand
 */
struct kv_dev {
	struct kref ref;
	struct list_head link;
	struct ib_device *ib;
	char name[IB_DEVICE_NAME_MAX];
	spinlock_t name_lock;
	struct mutex lock;
	bool gone;
	struct ib_event_handler async;
	struct list_head objects[KV_OBJ_RANKS];
	u64 keys;
	struct kv_dev_wqes wqes;
};

/* client.c; once registered, it adds and deletes devices. */
extern struct ib_client kv_client;

struct kv_dev *kv_dev_add(struct ib_device *ib);
void kv_dev_del(struct kv_dev *dev);
void kv_dev_rename(struct kv_dev *dev, char old_name[IB_DEVICE_NAME_MAX]);
struct kv_dev *kv_dev_find(const char *name, unsigned long n, struct net *net);
size_t kv_dev_largest(struct net *net, size_t (*size_of)(struct kv_dev *dev));
unsigned int kv_dev_generation(void);
struct kv_dev *kv_dev_get(struct kv_dev *dev);
void kv_dev_put(struct kv_dev *dev);
void kv_dev_copy_name(struct kv_dev *dev, char name[IB_DEVICE_NAME_MAX]);
u32 kv_dev_page_size(const struct kv_dev *dev);
bool kv_dev_iwarp(const struct kv_dev *dev);
u32 kv_dev_max_mr_pages(const struct kv_dev *dev);
u64 kv_dev_max_mr_bytes(const struct kv_dev *dev);
u32 kv_dev_caps(const struct kv_dev *dev);
void kv_dev_copy_fw_ver(const struct kv_dev *dev, char fw_ver[IB_FW_VERSION_NAME_MAX]);
int kv_dev_query_port(struct kv_dev *dev, u32 port, struct ib_port_attr *attr);

#endif
