// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "buf.h"

#define PAGE_MIN 4096

/**
 * kv_reg_page_size() - the page size of a device's registrations
 * @cap: the device's page_size_cap, a bit for each size
 * @page: bytes of the host's page
 *
 * The smallest of the device's page sizes, but not below 4096 bytes, as in
 * ib_srp (srp_add_one()). The device may not have the host's page size: irdma
 * encodes every size but 2 MiB and 1 GiB as 4096 bytes (irdma_set_page()).
 *
 * Return: bytes, a power of two.
 */
__u32 kv_reg_page_size(__u64 cap, __u32 page)
{
	/* siw reports the host's page size; devices that report no size take the host's. */
	__u64 smallest = cap & -cap;

	if (!smallest || smallest > 1U << 31)
		return page;
	return smallest > PAGE_MIN ? (__u32)smallest : PAGE_MIN;
}

/**
 * kv_buf_check_node() - can a buffer be on a NUMA node?
 * @has_memory: the node is there, and has memory
 * @why: receives the refusal, with KVERBS_A_BUF_NODE
 *
 * Return: 0 or -EINVAL.
 */
int kv_buf_check_node(bool has_memory, struct kv_refusal *why)
{
	return kv_refusal_if(why, !has_memory, -EINVAL, KVERBS_A_BUF_NODE,
			     "node: there is no NUMA node of this number with memory");
}

/**
 * kv_buf_check_pieces() - can a buffer have so many pieces?
 * @pieces: how many
 * @units: the buffer's length
 * @unit: bytes of a unit: a piece has a whole number of them
 * @why: receives the refusal, with an attribute of KVERBS_A_BUF_*
 *
 * Return: 0 or -EINVAL.
 */
int kv_buf_check_pieces(__u64 pieces, __u64 units, __u32 unit, struct kv_refusal *why)
{
	return kv_refusal_if(why, pieces > units, -EINVAL, KVERBS_A_BUF_PIECES,
			     "pieces: a piece has a page at least: take fewer") ?:
	       kv_refusal_if(why, pieces > KVERBS_PIECES_MAX, -EINVAL, KVERBS_A_BUF_LENGTH,
			     "length takes more pieces than a buffer can have") ?:
	       kv_refusal_if(why, units > pieces * (KVERBS_PIECE_MAX / unit), -EINVAL,
			     KVERBS_A_BUF_PIECES,
			     "pieces: a piece has 4 MiB at most: take more pieces, or leave the number out");
}

/**
 * kv_buf_check_length() - is there at least one byte?
 * @length: bytes that a command names
 * @why: receives the refusal
 *
 * Return: 0 or -ERANGE.
 */
int kv_buf_check_length(__u64 length, struct kv_refusal *why)
{
	return kv_refusal_if(why, !length, -ERANGE, 0, "length is 0: it must be 1 byte at least");
}

/**
 * kv_buf_rules_check_range() - is there at least one byte, and are all in the buffer?
 * @buffer: bytes of the buffer
 * @offset: first byte
 * @length: bytes
 * @why: receives the refusal
 *
 * Return: 0, -ERANGE if there is none, or -EINVAL.
 */
int kv_buf_rules_check_range(__u64 buffer, __u64 offset, __u64 length, struct kv_refusal *why)
{
	return kv_buf_check_length(length, why) ?:
	       kv_refusal_if(why, offset >= buffer || length > buffer - offset, -EINVAL, 0,
			     "offset and length name bytes beyond the end of the buffer");
}

/* A peer's write or atomic is a write of the local device, too. */
static int check_access(const struct kv_reg_facts *reg, struct kv_refusal *why)
{
	bool writes = reg->access & (KVERBS_ACCESS_REMOTE_WRITE | KVERBS_ACCESS_REMOTE_ATOMIC);

	return kv_refusal_if(why, writes && !(reg->access & KVERBS_ACCESS_LOCAL_WRITE), -EINVAL,
			     KVERBS_A_MR_ACCESS,
			     "access: remote write and remote atomic need local write too") ?:
	       /* mlx5 refuses the right if UMR can't change it (set_reg_wr()), others drop it. */
	       kv_refusal_if(why, reg->access & KVERBS_ACCESS_REMOTE_ATOMIC && !reg->atomic,
			     -EOPNOTSUPP, KVERBS_A_MR_ACCESS,
			     "access: the device has no atomic operations");
}

/**
 * kv_reg_check() - can the MR be registered with these parameters?
 * @reg: the parameters
 * @why: receives the refusal; attributes are those of KVERBS_A_MR_*
 *
 * Return: 0, -EINVAL, or -EOPNOTSUPP if the device can't do it. A refusal of offset and length
 * together has no attribute.
 */
int kv_reg_check(const struct kv_reg_facts *reg, struct kv_refusal *why)
{
	__u64 first = reg->offset & (reg->page_size - 1);

	return check_access(reg, why) ?:
	       kv_buf_rules_check_range(reg->buffer, reg->offset, reg->length, why) ?:
	       /* After the check of the range the sum can't wrap: no buffer has so many bytes. */
	       kv_refusal_if(why, first + reg->length > (__u64)reg->max_pages * reg->page_size,
			     -EINVAL, KVERBS_A_MR_LENGTH,
			     "offset and length name more pages than the mr's max_pages");
}
