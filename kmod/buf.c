// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>
#include "buf.h"
#include "dev.h"
#include "refuse.h"
#include "rules/buf.h"

/* Like alloc_pages_exact(), but with a node. free_pages_exact() frees the memory. */
static void *buf_alloc_exact(int node, gfp_t flags, size_t bytes)
{
	unsigned int order = get_order(bytes), i;
	struct page *page;

	page = alloc_pages_node(node, flags, order);
	if (!page)
		return NULL;
	split_page(page, order);
	for (i = bytes >> PAGE_SHIFT; i < 1U << order; i++)
		__free_page(page + i);
	return page_address(page);
}

/*
 * A piece consists of whole device pages: in a scatter list ib_sg_to_pages() accepts an
 * unaligned start only of the first entry, and an unaligned end only of the last entry. The
 * page allocator aligns memory to its size, rounded up to a power of two.
 */
static u32 buf_unit(const struct kv_dev *dev)
{
	return max_t(u32, kv_dev_page_size(dev), PAGE_SIZE);
}

static void buf_free_memory(const struct kv_buf *buf, const struct kv_buf_piece *piece)
{
	free_pages_exact(piece->start, round_up(piece->length, buf_unit(buf->obj.dev)));
}

static void buf_free_pieces(struct kv_buf *buf)
{
	const struct kv_buf_piece *piece;

	while (buf->pieces) {
		piece = &buf->piece[--buf->pieces];
		ib_dma_unmap_single(buf->obj.dev->ib, piece->dma, piece->length, DMA_BIDIRECTIONAL);
		buf_free_memory(buf, piece);
	}
	kvfree(buf->piece);
}

static int buf_add_piece(struct kv_buf *buf, int node, u64 offset, u32 bytes,
			 struct netlink_ext_ack *extack)
{
	gfp_t flags = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;
	struct kv_buf_piece *piece = &buf->piece[buf->pieces];
	struct ib_device *ib = buf->obj.dev->ib;
	int ret;

	bytes = min_t(u64, bytes, round_up(buf->length - offset, buf_unit(buf->obj.dev)));
	if (node != NUMA_NO_NODE)
		flags |= __GFP_THISNODE;
	piece->start = buf_alloc_exact(node == NUMA_NO_NODE ? ibdev_to_node(ib) : node, flags,
				       bytes);
	if (!piece->start)
		return kv_refuse(extack, -ENOMEM, node == NUMA_NO_NODE ?
				 "no contiguous memory for pieces of this length: take more" :
				 "no contiguous memory for a piece of this length on the node");
	piece->offset = offset;
	piece->length = min_t(u64, bytes, buf->length - offset);
	piece->dma = ib_dma_map_single(ib, piece->start, piece->length, DMA_BIDIRECTIONAL);
	ret = ib_dma_mapping_error(ib, piece->dma);
	if (ret) {
		buf_free_memory(buf, piece);
		return kv_refuse(extack, ret, "the buffer can't be mapped for DMA");
	}
	buf->pieces++;
	return 0;
}

static int buf_add_pieces(struct kv_buf *buf, u64 pieces, int node, struct kv_refusal *why,
			  struct netlink_ext_ack *extack)
{
	u32 unit = buf_unit(buf->obj.dev), longer, bytes;
	u64 units = div_u64(buf->length + unit - 1, unit), offset = 0;
	int ret;

	pieces = pieces ?: div_u64(buf->length + KVERBS_PIECE_MAX - 1, KVERBS_PIECE_MAX);
	if (kv_buf_check_pieces(pieces, units, unit, why))
		return kv_refuse_by(extack, why);
	bytes = div_u64_rem(units, pieces, &longer) * unit;
	buf->piece = kvcalloc(pieces, sizeof(*buf->piece), GFP_KERNEL_ACCOUNT);
	if (!buf->piece)
		return -ENOMEM;
	while (buf->pieces < pieces) {
		ret = buf_add_piece(buf, node, offset,
				    bytes + (buf->pieces < longer ? unit : 0), extack);
		if (ret) {
			buf_free_pieces(buf);
			return ret;
		}
		offset += buf->piece[buf->pieces - 1].length;
		/* Clearing 1 GiB takes some 100 ms. */
		cond_resched();
	}
	return 0;
}

/**
 * kv_buf_create() - allocate a zeroed buffer, mapped for DMA
 * @new: the device that maps it, and its owner
 * @length: bytes, from 1 on
 * @pieces: how many; 0: as few as possible
 * @node: NUMA node, or NUMA_NO_NODE: near the device
 * @why: receives a refusal by a rule, which names the attribute; else none
 *
 * No peer can access the buffer before an MR is registered over it.
 *
 * Locks: dev->lock
 * Return: the buffer, owned by the id table, or ERR_PTR.
 */
struct kv_obj *kv_buf_create(const struct kv_new *new, u64 length, unsigned int pieces, int node,
			     struct kv_refusal *why)
{
	struct kv_buf *buf;
	u64 bytes;
	int ret;

	*why = (struct kv_refusal){ 0 };
	if (kv_buf_check_node(node == NUMA_NO_NODE ||
			      (node < MAX_NUMNODES && node_state(node, N_MEMORY)), why))
		return ERR_PTR(kv_refuse_by(new->extack, why));
	buf = kv_obj_alloc(&kv_buf_class, sizeof(*buf), new);
	if (IS_ERR(buf))
		return ERR_CAST(buf);
	buf->length = length;
	/* No quota is larger than S64_MAX, and rounding up more bytes would wrap. */
	bytes = round_up(min_t(u64, length, S64_MAX), (u64)buf_unit(new->dev));
	ret = kv_obj_charge(&buf->obj, bytes, new->extack) ?:
	      buf_add_pieces(buf, pieces, node, why, new->extack);
	return kv_obj_made(&buf->obj, ret, NULL, new->extack);
}

static int buf_destroy(struct kv_obj *obj)
{
	buf_free_pieces(container_of(obj, struct kv_buf, obj));
	return 0;
}

/* The piece that has a byte of the buffer. */
static const struct kv_buf_piece *buf_find_piece(const struct kv_buf *buf, u64 offset)
{
	unsigned int first = 0, end = buf->pieces, middle;

	while (end - first > 1) {
		middle = first + (end - first) / 2;
		if (buf->piece[middle].offset <= offset)
			first = middle;
		else
			end = middle;
	}
	return &buf->piece[first];
}

/**
 * kv_buf_node() - the NUMA node of a buffer's first page
 * @buf: the buffer
 *
 * Return: the node.
 */
int kv_buf_node(const struct kv_buf *buf)
{
	return page_to_nid(virt_to_page(buf->piece[0].start));
}

/**
 * kv_buf_place() - find a byte
 * @buf: the buffer
 * @offset: the byte, in the buffer or right behind it; behind that only the length is valid
 *
 * Return: its place.
 */
struct kv_buf_place kv_buf_place(const struct kv_buf *buf, u64 offset)
{
	const struct kv_buf_piece *piece = buf_find_piece(buf, offset);
	u64 within = offset - piece->offset;

	return (struct kv_buf_place){
		.at = piece->start + within,
		.dma = piece->dma + within,
		.length = offset < buf->length ? piece->length - within : 0,
	};
}

/**
 * kv_buf_coherent() - do CPU and device see each other's writes of a byte at once?
 * @buf: the buffer
 * @offset: the byte
 *
 * Return: false if the byte has to be synced: it is bounced (swiotlb, as in guests with
 * encrypted memory), or DMA is not coherent with caches. Polling such a byte never ends.
 */
bool kv_buf_coherent(const struct kv_buf *buf, u64 offset)
{
	struct ib_device *ib = buf->obj.dev->ib;

	/* rxe and siw map nothing: their DMA addresses are virtual ones. */
	return ib_uses_virt_dma(ib) ||
	       !dma_need_sync(ib->dma_device, buf_find_piece(buf, offset)->dma);
}

/**
 * kv_buf_make_sg() - a scatter list of bytes, one entry for each piece
 * @buf: the buffer
 * @offset: first byte, checked
 * @length: bytes, checked
 * @sg: receives it; to be freed by sg_free_table()
 *
 * Pieces may be adjacent in memory by chance: some drivers merge the entries (siw_map_mr_sg(),
 * ib_sg_to_pages()), and the others accept them.
 *
 * Return: 0 or -ENOMEM.
 */
int kv_buf_make_sg(const struct kv_buf *buf, u64 offset, u64 length, struct sg_table *sg)
{
	const struct kv_buf_piece *piece = buf_find_piece(buf, offset);
	unsigned int n = buf_find_piece(buf, offset + length - 1) - piece + 1;
	struct scatterlist *at;
	struct kv_buf_place place;
	unsigned int i;
	u32 bytes;

	if (sg_alloc_table(sg, n, GFP_KERNEL))
		return -ENOMEM;
	for_each_sg(sg->sgl, at, n, i) {
		place = kv_buf_place(buf, offset);
		bytes = min_t(u64, length, place.length);
		sg_set_buf(at, place.at, bytes);
		sg_dma_address(at) = place.dma;
		sg_dma_len(at) = bytes;
		offset += bytes;
		length -= bytes;
	}
	return 0;
}

/**
 * kv_buf_copy() - copy bytes into the buffer, or out of it
 * @buf: the buffer
 * @offset: where, checked
 * @data: the bytes
 * @length: bytes, checked
 * @to: DMA_TO_DEVICE: into the buffer; DMA_FROM_DEVICE: out of it
 *
 * Locks: dev->lock
 */
void kv_buf_copy(struct kv_buf *buf, u64 offset, void *data, u32 length, enum dma_data_direction to)
{
	struct ib_device *ib = buf->obj.dev->ib;
	struct kv_buf_place place;
	u32 bytes;

	lockdep_assert_held(&buf->obj.dev->lock);
	for (; length; length -= bytes, offset += bytes, data += bytes) {
		place = kv_buf_place(buf, offset);
		bytes = min(length, place.length);
		/* A peer may have written bytes of the same cache lines. */
		ib_dma_sync_single_for_cpu(ib, place.dma, bytes, DMA_BIDIRECTIONAL);
		if (to == DMA_TO_DEVICE) {
			memcpy(place.at, data, bytes);
			ib_dma_sync_single_for_device(ib, place.dma, bytes, DMA_BIDIRECTIONAL);
		} else {
			/*
			 * No sync for the device: the CPU has written nothing, and with a bounce
			 * buffer the sync would overwrite bytes that a peer has written since.
			 */
			memcpy(data, place.at, bytes);
		}
	}
}

struct kv_obj_class kv_buf_class = {
	KV_OBJ_CLASS(buf, KV_OBJ_BUF, "a", "delete"),
	.destroy = buf_destroy,
};
