// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include <kverbs.h>
#include "dev.h"
#include "rules/buf.h"

static LIST_HEAD(kv_devs);
static DEFINE_MUTEX(kv_devs_lock); /* protects kv_devs and its generation */
static unsigned int kv_devs_generation;

static void dev_release(struct kref *ref)
{
	kfree(container_of(ref, struct kv_dev, ref));
}

/**
 * kv_dev_get() - take another reference
 * @dev: a device that the caller has a reference to
 *
 * Return: @dev
 */
struct kv_dev *kv_dev_get(struct kv_dev *dev)
{
	kref_get(&dev->ref);
	return dev;
}

/**
 * kv_dev_put() - drop a reference
 * @dev: the device
 */
void kv_dev_put(struct kv_dev *dev)
{
	kref_put(&dev->ref, dev_release);
}

/**
 * kv_dev_find() - find a device by name or by number
 * @name: as in /sys/class/infiniband; NULL: the number counts
 * @n: 0 for the first device
 * @net: the caller's network namespace; devices that it may not use are not found
 *
 * Return: the device with a reference, or NULL if there is none.
 */
struct kv_dev *kv_dev_find(const char *name, unsigned long n, struct net *net)
{
	struct kv_dev *dev;

	guard(mutex)(&kv_devs_lock);
	list_for_each_entry(dev, &kv_devs, link)
		if (rdma_dev_access_netns(dev->ib, net) && !(name ? strcmp(dev->name, name) : n--))
			return kv_dev_get(dev);
	return NULL;
}

/**
 * kv_dev_largest() - the size of the largest device
 * @net: the caller's network namespace
 * @size_of: returns a device's size; the device does not go meanwhile; does not wait
 *
 * Return: the size, 0 if there is no device.
 */
size_t kv_dev_largest(struct net *net, size_t (*size_of)(struct kv_dev *dev))
{
	struct kv_dev *dev;
	size_t largest = 0;

	guard(mutex)(&kv_devs_lock);
	list_for_each_entry(dev, &kv_devs, link)
		if (rdma_dev_access_netns(dev->ib, net))
			largest = max(largest, size_of(dev));
	return largest;
}

/**
 * kv_dev_generation() - has the list of devices changed?
 *
 * Return: a number that changes with the list, never 0.
 */
unsigned int kv_dev_generation(void)
{
	return READ_ONCE(kv_devs_generation) | 1;
}

/**
 * kv_dev_copy_name() - the device's name
 * @dev: the device
 * @name: receives the name
 *
 * Context: any; for callers that can't take a lock that protects kv_dev.name
 */
void kv_dev_copy_name(struct kv_dev *dev, char name[IB_DEVICE_NAME_MAX])
{
	guard(spinlock_irqsave)(&dev->name_lock);
	strscpy(name, dev->name, IB_DEVICE_NAME_MAX);
}

static void dev_take_name(struct kv_dev *dev)
{
	guard(spinlock_irq)(&dev->name_lock);
	strscpy(dev->name, dev_name(&dev->ib->dev), sizeof(dev->name));
}

/**
 * kv_dev_add() - a device came: from now on others find it
 * @ib: the device
 *
 * Return: the device with a reference, for kv_dev_del() and kv_dev_put(); or NULL: no
 * memory.
 */
struct kv_dev *kv_dev_add(struct ib_device *ib)
{
	struct kv_dev *dev;
	unsigned int rank;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return NULL;
	kref_init(&dev->ref);
	spin_lock_init(&dev->name_lock);
	mutex_init(&dev->lock);
	spin_lock_init(&dev->wqes.lock);
	INIT_LIST_HEAD(&dev->wqes.kept);
	INIT_LIST_HEAD(&dev->wqes.kept_qps);
	for (rank = 0; rank < KV_OBJ_RANKS; rank++)
		INIT_LIST_HEAD(&dev->objects[rank]);
	dev->ib = ib;
	dev_take_name(dev);

	guard(mutex)(&kv_devs_lock);
	list_add_tail(&dev->link, &kv_devs);
	kv_devs_generation += 2;
	return dev;
}

/**
 * kv_dev_del() - a device goes: nobody finds it any more
 * @dev: the device
 */
void kv_dev_del(struct kv_dev *dev)
{
	guard(mutex)(&kv_devs_lock);
	list_del(&dev->link);
	kv_devs_generation += 2;
}

/**
 * kv_dev_rename() - the RDMA core has given a device another name
 * @dev: the device
 * @old_name: receives the name that it had
 */
void kv_dev_rename(struct kv_dev *dev, char old_name[IB_DEVICE_NAME_MAX])
{
	guard(mutex)(&kv_devs_lock);
	strscpy(old_name, dev->name, IB_DEVICE_NAME_MAX);
	dev_take_name(dev);
	kv_devs_generation += 2;
}

/**
 * kv_dev_page_size() - the page size of the device's fast registrations
 * @dev: the device, not gone
 *
 * Return: bytes, a power of two.
 */
u32 kv_dev_page_size(const struct kv_dev *dev)
{
	return kv_reg_page_size(dev->ib->attrs.page_size_cap, PAGE_SIZE);
}

/**
 * kv_dev_iwarp() - is the device iWARP, where only the RDMA CM connects QPs?
 * @dev: the device, not gone
 *
 * Return: true if it is.
 */
bool kv_dev_iwarp(const struct kv_dev *dev)
{
	return rdma_protocol_iwarp(dev->ib, rdma_start_port(dev->ib));
}

/**
 * kv_dev_max_mr_pages() - the largest number of pages in a fast registration
 * @dev: the device, not gone
 *
 * Return: pages, 0 if the device has no fast registration.
 */
u32 kv_dev_max_mr_pages(const struct kv_dev *dev)
{
	const struct ib_device_attr *attrs = &dev->ib->attrs;

	if (!(attrs->device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		return 0;
	return attrs->max_fast_reg_page_list_len;
}

/**
 * kv_dev_max_mr_bytes() - the largest number of bytes in one MR's registration
 * @dev: the device, not gone
 *
 * Return: bytes, 0 if the device has no fast registration.
 */
u64 kv_dev_max_mr_bytes(const struct kv_dev *dev)
{
	u64 pages = kv_dev_max_mr_pages(dev);

	return min_t(u64, pages * kv_dev_page_size(dev), dev->ib->attrs.max_mr_size);
}

/**
 * kv_dev_caps() - which of KVERBS_CAP_* a device has
 * @dev: the device, not gone
 *
 * The verbs have no bits for transports: they follow from the protocol.
 *
 * Return: KVERBS_CAP_*
 */
u32 kv_dev_caps(const struct kv_dev *dev)
{
	const struct ib_device_attr *attrs = &dev->ib->attrs;
	const struct ib_device *ib = dev->ib;
	bool iwarp = kv_dev_iwarp(dev);
	u32 caps = KVERBS_CAP_RC;

	if (!iwarp)
		caps |= KVERBS_CAP_UC | KVERBS_CAP_UD;
	if (!iwarp && ib->ops.create_ah)
		caps |= KVERBS_CAP_AH;
	if (attrs->max_srq && ib->ops.create_srq)
		caps |= KVERBS_CAP_SRQ;
	if (kv_dev_max_mr_bytes(dev))
		caps |= KVERBS_CAP_FAST_REG;
	if (attrs->atomic_cap != IB_ATOMIC_NONE)
		caps |= KVERBS_CAP_ATOMIC;
	if (rdma_cap_ib_cm(ib, rdma_start_port(ib)) || rdma_cap_iw_cm(ib, rdma_start_port(ib)))
		caps |= KVERBS_CAP_CM;
	return caps;
}

/**
 * kv_dev_copy_fw_ver() - the version of the device's firmware
 * @dev: the device
 * @fw_ver: receives the version; empty if the driver reports none
 *
 * Locks: dev->lock
 */
void kv_dev_copy_fw_ver(const struct kv_dev *dev, char fw_ver[IB_FW_VERSION_NAME_MAX])
{
	lockdep_assert_held(&dev->lock);
	fw_ver[0] = '\0';
	ib_get_device_fw_str(dev->ib, fw_ver);
}

/**
 * kv_dev_query_port() - state of a port
 * @dev: the device
 * @port: number of the port, valid
 * @attr: receives the state
 *
 * Some kernels log a line at each call if they don't know the netdev's speed: so this must
 * not be called often.
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_dev_query_port(struct kv_dev *dev, u32 port, struct ib_port_attr *attr)
{
	lockdep_assert_held(&dev->lock);
	return ib_query_port(dev->ib, port, attr);
}
