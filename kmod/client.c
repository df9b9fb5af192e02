// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_verbs.h>
#include "dev.h"
#include "event.h"
#include "obj.h"
#include "wqe.h"

static int client_add_dev(struct ib_device *ib)
{
	struct kv_event event = { .type = KVERBS_EVENT_DEV_ADDED };
	struct kv_dev *dev;

	dev = kv_dev_add(ib);
	if (!dev)
		return -ENOMEM;
	ib_set_client_data(ib, &kv_client, dev);
	kv_event_send_dev(dev, &event);
	INIT_IB_EVENT_HANDLER(&dev->async, ib, kv_event_async_dev);
	ib_register_event_handler(&dev->async);
	return 0;
}

/*
 * The core calls this on unplug and on rmmod: a device goes in no other way. The RDMA CM's
 * callback comes later, and waits until no id of the device is left (cma_process_remove()):
 * disable_device() removes clients in the reverse order of their registration.
 */
static void client_remove_dev(struct ib_device *ib, void *client_data)
{
	struct kv_event event = { .type = KVERBS_EVENT_DEV_REMOVED };
	struct kv_dev *dev = client_data;

	ib_unregister_event_handler(&dev->async);
	kv_dev_del(dev);

	mutex_lock(&dev->lock);
	kv_obj_remove_dev(dev);
	kv_wqe_free_kept(dev);
	dev->gone = true;
	mutex_unlock(&dev->lock);

	kv_event_send_dev(dev, &event);
	kv_dev_put(dev);
}

static void client_rename_dev(struct ib_device *ib, void *client_data)
{
	char old_name[IB_DEVICE_NAME_MAX];
	struct kv_event event = {
		.type = KVERBS_EVENT_DEV_RENAMED,
		.old_name = old_name,
	};
	struct kv_dev *dev = client_data;

	kv_dev_rename(dev, old_name);
	kv_event_send_dev(dev, &event);
}

/* Once registered, the client gets all devices, including those that come later. */
struct ib_client kv_client = {
	.name = KBUILD_MODNAME,
	.add = client_add_dev,
	.remove = client_remove_dev,
	.rename = client_rename_dev,
};
