/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_DEV_H
#define _KV_DEV_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <rdma/ib_verbs.h>

/*
 * Lock order: kv_devs_lock, kv_dev.lock, the locks of the id tables. Threads of
 * runs take none of them, so that they can be waited for under kv_dev.lock.
 */

/**
 * struct kv_dev - an RDMA device that objects can be made on
 * @ref: one for the list of devices, one for each object, one for each lookup
 * @link: in the list of devices; kv_devs_lock
 * @ib: the device; not to be touched once @gone
 * @name: a copy of its name, which ib's own may be freed under a reader when the
 *	device is renamed; kv_devs_lock and @lock to write, either to read
 * @lock: the control path of this device. Protects @gone and, of each object
 *	of this device, its parents, users and verbs object.
 * @gone: the device was removed, and with it all of its verbs objects
 */
struct kv_dev {
	struct kref ref;
	struct list_head link;
	struct ib_device *ib;
	char name[IB_DEVICE_NAME_MAX];
	struct mutex lock;
	bool gone;
};

struct kv_dev *kv_dev_lookup(const char *name, struct net *net);
struct kv_dev *kv_dev_lookup_nth(unsigned long n, struct net *net);
unsigned int kv_dev_generation(void);
struct kv_dev *kv_dev_get(struct kv_dev *dev);
void kv_dev_put(struct kv_dev *dev);
int kv_dev_lock(struct kv_dev *dev);
void kv_dev_unlock(struct kv_dev *dev);
u64 kv_dev_max_mr_bytes(const struct kv_dev *dev);
int kv_dev_query_port(struct kv_dev *dev, struct ib_port_attr *attr);

int kv_dev_init(void);
void kv_dev_exit(void);

#endif
