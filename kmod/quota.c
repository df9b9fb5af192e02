// SPDX-License-Identifier: GPL-2.0
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/sizes.h>
#include <rdma/ib_verbs.h>
#include "quota.h"

static unsigned int max_objects = 65536;
module_param(max_objects, uint, 0644);
MODULE_PARM_DESC(max_objects, "Objects that may exist at a time, of all sockets together");

static ulong max_bytes = SZ_1G;
module_param(max_bytes, ulong, 0644);
MODULE_PARM_DESC(max_bytes, "Bytes that buffers, queues and runs may take at a time, of all sockets together");

static atomic64_t objects = ATOMIC64_INIT(0);
static atomic64_t bytes = ATOMIC64_INIT(0);

/*
 * What a device keeps of a request or a completion: rxe's structures, and enough for
 * devices that write 64-byte blocks.
 */
#define SEND_BYTES 208
#define RECV_BYTES 40
#define CQE_BYTES 64
/* Devices refuse more, each in its own words. */
#define INLINE_BYTES_MAX SZ_4K

/* Never beyond the limit, not even for the moment that a refusal takes. */
static bool charge(atomic64_t *counter, u64 amount, u64 max)
{
	s64 old = atomic64_read(counter);

	do {
		if (amount > max || old > max - amount)
			return false;
	} while (!atomic64_try_cmpxchg(counter, &old, old + amount));
	return true;
}

/**
 * kv_quota_charge_object() - may there be one more object?
 * @extack: where the reason of a refusal goes
 *
 * Return: 0, to be followed by kv_quota_uncharge_object() when it is gone, or -EDQUOT.
 */
int kv_quota_charge_object(struct netlink_ext_ack *extack)
{
	if (charge(&objects, 1, READ_ONCE(max_objects)))
		return 0;
	NL_SET_ERR_MSG(extack, "too many objects: delete some, or raise the module's max_objects");
	return -EDQUOT;
}

/**
 * kv_quota_uncharge_object() - there is one object less
 */
void kv_quota_uncharge_object(void)
{
	atomic64_dec(&objects);
}

/**
 * kv_quota_objects() - objects that there are, of all sockets
 *
 * Return: their number.
 */
u64 kv_quota_objects(void)
{
	return atomic64_read(&objects);
}

/**
 * kv_quota_charge_bytes() - may so much more memory be taken?
 * @amount: bytes
 * @extack: where the reason of a refusal goes
 *
 * Return: 0, to be followed by kv_quota_uncharge_bytes() when it is free, or -EDQUOT.
 */
int kv_quota_charge_bytes(u64 amount, struct netlink_ext_ack *extack)
{
	if (charge(&bytes, amount, READ_ONCE(max_bytes)))
		return 0;
	NL_SET_ERR_MSG(extack, "too many bytes in buffers and queues: delete some, or raise the module's max_bytes");
	return -EDQUOT;
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

/* Rings have a power of two of slots, one of them unused, and slots one of bytes. */
static u64 ring_bytes(u32 entries, u32 entry)
{
	return (u64)roundup_pow_of_two(entries + 1UL) * roundup_pow_of_two(entry);
}

/**
 * kv_quota_sq_bytes() - what a send queue takes, at a guess
 * @wrs: its depth
 * @sges: of each request
 * @max_inline: bytes that a request can carry
 *
 * No verb tells. This is what rxe takes, and near what others do.
 *
 * Return: bytes.
 */
u64 kv_quota_sq_bytes(u32 wrs, u32 sges, u32 max_inline)
{
	u32 tail = max_t(u32, sges * sizeof(struct ib_sge),
			 min_t(u32, max_inline, INLINE_BYTES_MAX));

	return ring_bytes(wrs, SEND_BYTES + tail);
}

/**
 * kv_quota_rq_bytes() - what a receive queue takes, at a guess; an SRQ too
 * @wrs: its depth; 0: there is none
 * @sges: of each request
 *
 * Return: bytes.
 */
u64 kv_quota_rq_bytes(u32 wrs, u32 sges)
{
	return wrs ? ring_bytes(wrs, RECV_BYTES + sges * sizeof(struct ib_sge)) : 0;
}

/**
 * kv_quota_cq_bytes() - what a completion queue takes, at a guess
 * @cqe: its depth
 *
 * Return: bytes.
 */
u64 kv_quota_cq_bytes(u32 cqe)
{
	return ring_bytes(cqe, CQE_BYTES);
}
