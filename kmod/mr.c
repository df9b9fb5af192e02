// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-mapping.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <kverbs.h>
#include <rdma/ib_verbs.h>
#include "dev.h"
#include "mr.h"
#include "pd.h"
#include "post.h"
#include "refuse.h"
#include "wqe.h"

/* What goes to or from a file at a time, by a copy. */
#define PIECE SZ_64K

/* As alloc_pages_exact(), which takes no node: free_pages_exact() frees it. */
static void *alloc_near(struct ib_device *ib, size_t bytes)
{
	unsigned int order = get_order(bytes), i;
	struct page *page;

	page = alloc_pages_node(ibdev_to_node(ib), GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN,
				order);
	if (!page)
		return NULL;
	split_page(page, order);
	for (i = bytes >> PAGE_SHIFT; i < 1U << order; i++)
		__free_page(page + i);
	return page_address(page);
}

static int alloc_buf(struct kv_mr *mr, u64 length, struct netlink_ext_ack *extack)
{
	u64 bytes = PAGE_ALIGN(length);
	int ret;

	ret = kv_obj_charge(&mr->obj, bytes, extack);
	if (ret)
		return ret;
	mr->buf = alloc_near(mr->obj.dev->ib, bytes);
	if (!mr->buf)
		return kv_refuse(extack, -ENOMEM, "no contiguous memory of this length");
	mr->length = length;
	return 0;
}

static void free_buf(struct kv_mr *mr)
{
	free_pages_exact(mr->buf, PAGE_ALIGN(mr->length));
}

/* siw_alloc_mr() takes 256 pages at most, rxe 512: kv_dev_max_mr_bytes() has asked. */
static struct ib_mr *alloc_ib(struct ib_pd *pd, const struct kv_mr *mr,
			      struct netlink_ext_ack *extack)
{
	struct ib_mr *ib;

	ib = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG,
			 DIV_ROUND_UP(mr->length, kv_dev_page_size(mr->obj.dev)));
	if (IS_ERR(ib))
		kv_refuse(extack, PTR_ERR(ib), "ib_alloc_mr failed");
	return ib;
}

/**
 * kv_mr_create() - allocate a zeroed buffer and an MR for it
 * @pd: in which protection domain
 * @owner: whose it is
 * @length: bytes, 1 .. kv_dev_max_mr_bytes()
 * @max_access: KVERBS_ACCESS_*, valid: what kv_mr_reg() may grant
 * @extack: where the reason of a refusal goes
 *
 * Nobody but this host reaches the buffer before kv_mr_reg().
 *
 * Locks: dev->lock
 * Return: the MR, owned by the id table, or ERR_PTR.
 */
struct kv_obj *kv_mr_create(struct kv_pd *pd, struct kv_owner *owner,
			    u64 length, u32 max_access,
			    struct netlink_ext_ack *extack)
{
	struct kv_dev *dev = pd->obj.dev;
	u64 max = kv_dev_max_mr_bytes(dev);
	struct kv_mr *mr;
	int ret;

	if (!max)
		return ERR_PTR(kv_refuse(extack, -EOPNOTSUPP,
					 "the device has no fast registration"));
	if (!length || length > max)
		return ERR_PTR(kv_refuse(extack, -EINVAL,
					 "length must be 1 byte up to the device's max_mr_bytes"));

	mr = kv_obj_alloc(&kv_mr_class, sizeof(*mr), dev, owner, extack);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	kv_obj_set_parent(&mr->obj, 0, &pd->obj);
	mr->max_access = max_access;

	ret = alloc_buf(mr, length, extack);
	if (ret)
		goto err_give_up;
	mr->dma = ib_dma_map_single(dev->ib, mr->buf, length, DMA_BIDIRECTIONAL);
	ret = ib_dma_mapping_error(dev->ib, mr->dma);
	if (ret) {
		kv_refuse(extack, ret, "the buffer can't be mapped for DMA");
		goto err_free_buf;
	}
	kv_obj_time(&mr->obj, mr->ib = alloc_ib(pd->ib, mr, extack));
	if (!IS_ERR(mr->ib))
		return kv_obj_made(&mr->obj, extack);

	ret = PTR_ERR(mr->ib);
	ib_dma_unmap_single(dev->ib, mr->dma, length, DMA_BIDIRECTIONAL);
err_free_buf:
	free_buf(mr);
err_give_up:
	return kv_obj_give_up(&mr->obj, ret);
}

/*
 * mlx5, bnxt_re and irdma return an error of the firmware's from here, and the MR stays
 * (mlx5_ib_dereg_mr(), bnxt_re_dereg_mr(), irdma_dereg_mr()): so does its buffer.
 */
static int destroy_mr(struct kv_obj *obj)
{
	struct kv_mr *mr = container_of(obj, struct kv_mr, obj);
	int ret;

	kv_obj_time(obj, ret = ib_dereg_mr(mr->ib));
	if (ret)
		return ret;
	ib_dma_unmap_single(obj->dev->ib, mr->dma, mr->length, DMA_BIDIRECTIONAL);
	free_buf(mr);
	return 0;
}

/**
 * kv_mr_coherent() - do CPU and device see each other's writes to the buffer at once?
 * @mr: the MR
 *
 * Return: false if it has to be synced, because it is bounced (swiotlb, as in guests
 * with encrypted memory) or DMA is not coherent with caches: who polls it waits for ever.
 */
bool kv_mr_coherent(const struct kv_mr *mr)
{
	struct ib_device *ib = mr->obj.dev->ib;

	/* rxe and siw map nothing: their DMA addresses are virtual ones. */
	return ib_uses_virt_dma(ib) || !dma_need_sync(ib->dma_device, mr->dma);
}

/**
 * kv_mr_check_range() - do these bytes lie in the buffer?
 * @mr: the MR
 * @offset: first byte
 * @length: bytes
 * @extack: where the reason of a refusal goes
 *
 * Return: 0 or -EINVAL.
 */
int kv_mr_check_range(const struct kv_mr *mr, u64 offset, u64 length,
		      struct netlink_ext_ack *extack)
{
	if (length && offset < mr->length && length <= mr->length - offset)
		return 0;
	return kv_refuse(extack, -EINVAL,
			 "offset and length name no byte, or bytes beyond the end of the buffer");
}

/*
 * Completions of both requests. One that was flushed was not executed (IBTA 10.8.3.1):
 * all is as before. bnxt_re flushes what it had executed and not yet told, too
 * (__flush_sq()): the next request on the MR fails then. Of one that failed nobody knows.
 */
static void set_state(struct kv_wqe *wqe, int done, int flushed)
{
	struct kv_mr *mr = container_of(wqe->ref[0], struct kv_mr, obj);
	int state = KV_MR_UNKNOWN;

	if (wqe->wc.status == IB_WC_SUCCESS)
		state = done;
	else if (wqe->wc.status == IB_WC_WR_FLUSH_ERR)
		state = flushed;
	WRITE_ONCE(mr->state, state);
}

static void reg_completed(struct kv_wqe *wqe)
{
	set_state(wqe, KV_MR_VALID, KV_MR_FREE);
}

static void inv_completed(struct kv_wqe *wqe)
{
	set_state(wqe, KV_MR_FREE, KV_MR_VALID);
}

static int check_state(const struct kv_mr *mr, enum kv_mr_state wanted,
		       struct netlink_ext_ack *extack)
{
	enum kv_mr_state state = READ_ONCE(mr->state);

	if (state == wanted)
		return 0;
	switch (state) {
	case KV_MR_FREE:
		return kv_refuse(extack, -EINVAL, "the mr is not registered");
	case KV_MR_VALID:
		return kv_refuse(extack, -EBUSY,
				 "the mr is registered already: invalidate it first");
	case KV_MR_REGISTERING:
	case KV_MR_INVALIDATING:
		return kv_refuse(extack, -EBUSY,
				 "a request that registers or invalidates the mr has not completed: reset its qp");
	default:
		return kv_refuse(extack, -EINVAL,
				 "a request on the mr has failed, and the device may have executed it or not: register it anew");
	}
}

/* In place of an MR of which nobody knows what its keys grant another one. */
static int renew(struct kv_mr *mr, struct netlink_ext_ack *extack)
{
	struct ib_mr *fresh;
	int ret;

	if (mr->obj.users[KV_OBJ_REQUEST])
		return kv_refuse(extack, -EBUSY,
				 "a request on the mr has failed, and others are posted: poll their completions first");
	fresh = alloc_ib(mr->ib->pd, mr, extack);
	if (IS_ERR(fresh))
		return PTR_ERR(fresh);
	ret = ib_dereg_mr(mr->ib);
	if (ret) {
		ib_dereg_mr(fresh);
		return kv_refuse(extack, ret, "ib_dereg_mr failed");
	}
	mr->ib = fresh;
	WRITE_ONCE(mr->state, KV_MR_FREE);
	return 0;
}

/*
 * As rdma_rw does (rdma_rw_init_one_mr(), core/rw.c): on iWARP the answer to a READ is a
 * write of the peer's into its sink (RFC 5040, 5.2). The peer learns that key from the
 * READ itself.
 */
static u32 sink_access(const struct kv_mr *mr, u32 access)
{
	if (kv_dev_iwarp(mr->obj.dev) && access & IB_ACCESS_LOCAL_WRITE)
		access |= IB_ACCESS_REMOTE_WRITE;
	return access;
}

/*
 * Only while nothing is registered, and no request is posted that registers: this writes
 * what the device reads (mlx5_ib_map_mr_sg()), on siw and rxe the registration itself
 * (siw_map_mr_sg(), rxe_map_mr_sg()).
 */
static int map(struct kv_mr *mr, u64 offset, u64 length, struct netlink_ext_ack *extack)
{
	struct scatterlist sg;
	int ret;

	sg_init_one(&sg, mr->buf + offset, length);
	sg_dma_address(&sg) = mr->dma + offset;
	sg_dma_len(&sg) = length;
	ret = ib_map_mr_sg(mr->ib, &sg, 1, NULL, kv_dev_page_size(mr->obj.dev));
	return ret == 1 ? 0 : kv_refuse(extack, ret < 0 ? ret : -EINVAL, "ib_map_mr_sg failed");
}

/**
 * kv_mr_reg() - grant access to exactly these bytes, by fast registration
 * @mr: the MR, not registered
 * @qp: in RTS, same PD; carries the IB_WR_REG_MR
 * @access: KVERBS_ACCESS_*, valid and within kv_mr.max_access
 * @offset: first byte
 * @length: bytes
 * @extack: where the reason of a refusal goes
 *
 * On success the keys are mr->ib->lkey and mr->ib->rkey, the address that a
 * peer names is mr->ib->iova (IBTA 10.6.4).
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_mr_reg(struct kv_mr *mr, struct kv_qp *qp, u32 access, u64 offset,
	      u64 length, struct netlink_ext_ack *extack)
{
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.wr.send_flags = IB_SEND_SIGNALED,
		.mr = mr->ib,
		.access = sink_access(mr, access),
	};
	u64 start, map_ns, post_ns = 0;
	bool posted;
	int ret;

	if (READ_ONCE(mr->state) == KV_MR_UNKNOWN) {
		ret = renew(mr, extack);
		if (ret)
			return ret;
	}
	ret = check_state(mr, KV_MR_FREE, extack) ?:
	      kv_mr_check_range(mr, offset, length, extack);
	if (ret)
		return ret;

	start = ktime_get_raw_ns();
	ret = map(mr, offset, length, extack);
	map_ns = ktime_get_raw_ns() - start;
	if (ret)
		return ret;
	/*
	 * Drivers take the IOVA when the request is posted (set_reg_mkey_seg()) or executed
	 * (siw_fastreg_mr()). Its offset in the page is that of the DMA address: buffers begin
	 * with a page. Peers address the buffer's bytes by the MR's id and their offset: an
	 * address of the kernel's is nothing to tell them.
	 */
	mr->ib->iova = ((u64)mr->obj.id << 32) + offset;
	/*
	 * ib_inc_rkey() counts in the key's lowest 8 bits: the key of a registration is that
	 * of the 256th before it. A peer that still has that one has access again.
	 */
	ib_update_fast_reg_key(mr->ib, ib_inc_rkey(mr->ib->rkey));
	wr.key = mr->ib->rkey;
	mr->access = access;
	mr->offset = offset;
	mr->reg_length = length;
	WRITE_ONCE(mr->state, KV_MR_REGISTERING);
	ret = kv_post_and_wait(qp, mr, &wr.wr, KVERBS_OP_REG_MR, reg_completed,
			       &posted, &post_ns, extack);
	mr->obj.verb_ns = map_ns + post_ns;
	if (!posted)
		WRITE_ONCE(mr->state, KV_MR_FREE);
	return ret;
}

/**
 * kv_mr_inv() - take the access back
 * @mr: the MR, registered
 * @qp: in RTS, same PD; carries the IB_WR_LOCAL_INV
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_mr_inv(struct kv_mr *mr, struct kv_qp *qp, struct netlink_ext_ack *extack)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = mr->ib->rkey,
	};
	bool posted;
	int ret;

	ret = check_state(mr, KV_MR_VALID, extack);
	if (ret)
		return ret;
	/* Of an MR that is not valid it fails, and the QP with it (rxe_invalidate_mr()). */
	WRITE_ONCE(mr->state, KV_MR_INVALIDATING);
	mr->obj.verb_ns = 0;
	ret = kv_post_and_wait(qp, mr, &wr, KVERBS_OP_LOCAL_INV, inv_completed, &posted,
			       &mr->obj.verb_ns, extack);
	if (!posted)
		WRITE_ONCE(mr->state, KV_MR_VALID);
	return ret;
}

/**
 * kv_mr_write() - put bytes into the buffer
 * @mr: the MR
 * @offset: where, checked
 * @data: what
 * @length: bytes, checked
 */
void kv_mr_write(struct kv_mr *mr, u64 offset, const void *data, u32 length)
{
	struct ib_device *ib = mr->obj.dev->ib;

	lockdep_assert_held(&mr->obj.dev->lock);
	/* Of what shares a cache line with these bytes a peer may have written some. */
	ib_dma_sync_single_for_cpu(ib, mr->dma + offset, length, DMA_BIDIRECTIONAL);
	memcpy(mr->buf + offset, data, length);
	ib_dma_sync_single_for_device(ib, mr->dma + offset, length, DMA_BIDIRECTIONAL);
}

/**
 * kv_mr_read() - take bytes from the buffer
 * @mr: the MR
 * @offset: where, checked
 * @data: where to
 * @length: bytes, checked
 */
void kv_mr_read(struct kv_mr *mr, u64 offset, void *data, u32 length)
{
	struct ib_device *ib = mr->obj.dev->ib;

	lockdep_assert_held(&mr->obj.dev->lock);
	ib_dma_sync_single_for_cpu(ib, mr->dma + offset, length, DMA_BIDIRECTIONAL);
	memcpy(data, mr->buf + offset, length);
	/*
	 * Not for the device: nothing was written here, and where the buffer is bounced that
	 * would put these bytes over what a peer has written since.
	 */
}

/* Enter the device again, in between two pieces. */
static int lock_again(struct kv_mr *mr, struct netlink_ext_ack *extack)
{
	mutex_lock(&mr->obj.dev->lock);
	if (!mr->obj.dead)
		return 0;
	mutex_unlock(&mr->obj.dev->lock);
	return kv_refuse(extack, -ENOENT, "the mr was deleted meanwhile");
}

static ssize_t load_piece(struct kv_mr *mr, const struct kv_mr_file *from, u64 done,
			  void *piece, struct netlink_ext_ack *extack)
{
	loff_t pos = from->pos + done;
	ssize_t n;
	int ret;

	n = kernel_read(from->file, piece, min_t(u64, from->length - done, PIECE), &pos);
	if (n < 0)
		return kv_refuse(extack, n, "the file can't be read");
	if (!n)
		return 0;
	ret = lock_again(mr, extack);
	if (ret)
		return ret;
	kv_mr_write(mr, from->offset + done, piece, n);
	mutex_unlock(&mr->obj.dev->lock);
	return n;
}

static ssize_t save_piece(struct kv_mr *mr, const struct kv_mr_file *to, u64 done,
			  void *piece, struct netlink_ext_ack *extack)
{
	u32 length = min_t(u64, to->length - done, PIECE);
	loff_t pos = to->pos + done;
	ssize_t n;
	int ret;

	ret = lock_again(mr, extack);
	if (ret)
		return ret;
	kv_mr_read(mr, to->offset + done, piece, length);
	mutex_unlock(&mr->obj.dev->lock);

	n = kernel_write(to->file, piece, length, &pos);
	/* Full, and not for the first byte. */
	if (done && (n == -ENOSPC || n == -EDQUOT || n == -EFBIG))
		return 0;
	return n < 0 ? kv_refuse(extack, n, "the file can't be written") : n;
}

/**
 * kv_mr_move() - fill the buffer from a file, or write it to one
 * @mr: the MR, with a reference
 * @file: what from where to where; the file can be read or written, which neither a lack
 *	of ->read_iter or ->write_iter nor a ->read or ->write beside it must prevent
 * @save: to the file
 * @extack: where the reason of a refusal goes
 *
 * The device is not locked while the file is read or written: others may use the buffer
 * in between.
 *
 * Context: may sleep, as long as the file lets it; not under dev->lock
 * Return: bytes, fewer than @file->length if the file ended or is full; or a negative
 * errno, after which some may have been moved.
 */
s64 kv_mr_move(struct kv_mr *mr, const struct kv_mr_file *file, bool save,
	       struct netlink_ext_ack *extack)
{
	ssize_t n = 0;
	void *piece;
	u64 done;

	piece = kvmalloc(min_t(u64, file->length, PIECE), GFP_KERNEL);
	if (!piece)
		return -ENOMEM;
	for (done = 0; done < file->length; done += n) {
		n = save ? save_piece(mr, file, done, piece, extack) :
			   load_piece(mr, file, done, piece, extack);
		if (n <= 0)
			break;
	}
	kvfree(piece);
	return n < 0 ? n : (s64)done;
}

struct kv_obj_class kv_mr_class = {
	KV_OBJ_CLASS(mr, KV_OBJ_MR, "an", "delete"),
	.destroy = destroy_mr,
};
