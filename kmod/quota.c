// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include "quota.h"
#include "refuse.h"

/*
 * All buffers and queues together take at most this part of the machine's memory: 1 / 4. Queues are
 * the drivers' memory, which is charged to nobody: without a limit the kernel would kill processes
 * instead of refusing the memory.
 */
#define MEMORY_SHARE 4

static unsigned int max_objects = 65536;
module_param(max_objects, uint, 0644);
MODULE_PARM_DESC(max_objects, "Objects that may exist at a time, of all sockets together");

static ulong max_bytes = SZ_1G;
module_param(max_bytes, ulong, 0644);
MODULE_PARM_DESC(max_bytes, "Bytes that buffers, queues and runs may take at a time, of all sockets together; never more than a quarter of the memory");

static atomic64_t objects = ATOMIC64_INIT(0);
static atomic64_t bytes = ATOMIC64_INIT(0);

/* The counter never exceeds the limit, not even during a refusal. */
static bool quota_charge(atomic64_t *counter, u64 amount, u64 max)
{
	s64 old = atomic64_read(counter);

	do {
		if (amount > max || old > max - amount)
			return false;
	} while (!atomic64_try_cmpxchg(counter, &old, old + amount));
	return true;
}

/**
 * kv_quota_max_objects() - the objects that may exist at a time
 *
 * Return: their number.
 */
u64 kv_quota_max_objects(void)
{
	return READ_ONCE(max_objects);
}

/**
 * kv_quota_charge_object() - may there be one more object?
 * @extack: where the reason of a refusal goes
 *
 * Return: 0: call kv_quota_uncharge_object() when the object is gone; or -EDQUOT.
 */
int kv_quota_charge_object(struct netlink_ext_ack *extack)
{
	if (quota_charge(&objects, 1, kv_quota_max_objects()))
		return 0;
	return kv_refuse(extack, -EDQUOT,
			 "too many objects: delete some, or raise the module's max_objects");
}

/**
 * kv_quota_uncharge_object() - there is one object less
 */
void kv_quota_uncharge_object(void)
{
	atomic64_dec(&objects);
}

/**
 * kv_quota_objects() - the objects of all sockets that exist now
 *
 * Return: their number.
 */
u64 kv_quota_objects(void)
{
	return atomic64_read(&objects);
}

/**
 * kv_quota_max_bytes() - the memory that may be taken at a time
 *
 * Return: bytes.
 */
u64 kv_quota_max_bytes(void)
{
	u64 share = ((u64)totalram_pages() << PAGE_SHIFT) / MEMORY_SHARE;

	return min_t(u64, READ_ONCE(max_bytes), share);
}

/**
 * kv_quota_charge_bytes() - may this much more memory be taken?
 * @amount: bytes
 * @extack: where the reason of a refusal goes
 *
 * Return: 0: call kv_quota_uncharge_bytes() when the memory is free; or -EDQUOT.
 */
int kv_quota_charge_bytes(u64 amount, struct netlink_ext_ack *extack)
{
	u64 max = kv_quota_max_bytes();

	if (quota_charge(&bytes, amount, max))
		return 0;
	/* An amount above the limit does not fit after any deletion. */
	if (max < READ_ONCE(max_bytes) && amount > max)
		return kv_refuse(extack, -EDQUOT,
				 "buffers and queues would take more than a quarter of the memory");
	if (max < READ_ONCE(max_bytes))
		return kv_refuse(extack, -EDQUOT,
				 "buffers and queues would take more than a quarter of the memory: delete some");
	if (amount > max)
		return kv_refuse(extack, -EDQUOT,
				 "too many bytes in buffers and queues: take fewer, or raise the module's max_bytes");
	return kv_refuse(extack, -EDQUOT,
			 "too many bytes in buffers and queues: delete some, or raise the module's max_bytes");
}

/**
 * kv_quota_uncharge_bytes() - memory is free again
 * @amount: bytes
 */
void kv_quota_uncharge_bytes(u64 amount)
{
	atomic64_sub(amount, &bytes);
}

/**
 * kv_quota_bytes() - memory that is taken now, by all sockets
 *
 * Return: bytes.
 */
u64 kv_quota_bytes(void)
{
	return atomic64_read(&bytes);
}
