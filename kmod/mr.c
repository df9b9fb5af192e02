// SPDX-License-Identifier: GPL-2.0
#include <linux/scatterlist.h>
#include <kverbs.h>
#include <rdma/ib_verbs.h>
#include "buf.h"
#include "dev.h"
#include "mr.h"
#include "pd.h"
#include "qp.h"
#include "refuse.h"
#include "rules/buf.h"

/* siw_alloc_mr() takes 256 pages at most, rxe 512: kv_dev_max_mr_pages() returns the limit. */
static struct ib_mr *mr_alloc_ib(struct ib_pd *pd, const struct kv_mr *mr,
				 struct netlink_ext_ack *extack)
{
	struct ib_mr *ib;

	mr->obj.dev->keys++;
	ib = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, mr->max_pages);
	if (IS_ERR(ib))
		kv_verb_failed(extack, KVERBS_STAGE_CREATE, PTR_ERR(ib), "ib_alloc_mr failed");
	return ib;
}

/**
 * kv_mr_create() - allocate an MR
 * @new: its protection domain and its owner; the device has fast registration
 * @max_pages: pages that a registration may have, at most kv_dev_max_mr_pages(); 0: the default
 *
 * Locks: dev->lock
 * Return: the MR, owned by the id table, or ERR_PTR.
 */
struct kv_obj *kv_mr_create(const struct kv_new *new, u32 max_pages)
{
	struct kv_mr *mr = kv_obj_alloc(&kv_mr_class, sizeof(*mr), new);

	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->max_pages = max_pages ?: min_t(u32, KV_MR_MAX_PAGES, kv_dev_max_mr_pages(new->dev));
	kv_obj_time(&mr->obj, CREATE, mr->ib = mr_alloc_ib(new->pd->ib, mr, new->extack));
	return kv_obj_made(&mr->obj, PTR_ERR_OR_ZERO(mr->ib), NULL, new->extack);
}

/*
 * mlx5, bnxt_re and irdma return a firmware's error from here, and the MR stays
 * (mlx5_ib_dereg_mr(), bnxt_re_dereg_mr(), irdma_dereg_mr()). The buffer stays with the MR.
 */
static int mr_destroy(struct kv_obj *obj)
{
	struct kv_mr *mr = container_of(obj, struct kv_mr, obj);
	int ret;

	kv_obj_time(obj, DESTROY, ret = ib_dereg_mr(mr->ib));
	return ret;
}

/**
 * kv_mr_check_state() - refuse an MR that is not in the state that a request needs
 * @mr: the MR
 * @wanted: KV_MR_FREE or KV_MR_VALID
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_mr_check_state(const struct kv_mr *mr, enum kv_mr_state wanted,
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
	case KV_MR_RUN:
		return kv_refuse(extack, -EBUSY,
				 "a run registers the mr again and again: wait for it or cancel it");
	default:
		return kv_refuse(extack, -EINVAL,
				 "the device may have the mr registered or not: register it anew");
	}
}

/* Replaces the verbs object of an MR in KV_MR_UNKNOWN: its keys may still grant access. */
static int mr_renew(struct kv_mr *mr, struct netlink_ext_ack *extack)
{
	struct ib_mr *fresh;
	int ret;

	if (READ_ONCE(mr->state) != KV_MR_UNKNOWN)
		return 0;
	if (mr->run_qp)
		return kv_refuse(extack, -EBUSY,
				 "the device may have the mr registered or not, and requests of a run name it: reset or delete that run's qp first");
	if (mr->obj.users[KV_OBJ_REQUEST])
		return kv_refuse(extack, -EBUSY,
				 "the device may have the mr registered or not, and requests name it: poll their completions first");
	kv_obj_time(&mr->obj, CREATE, fresh = mr_alloc_ib(mr->ib->pd, mr, extack));
	if (IS_ERR(fresh))
		return PTR_ERR(fresh);
	kv_obj_time(&mr->obj, DESTROY, ret = ib_dereg_mr(mr->ib));
	if (ret) {
		ib_dereg_mr(fresh);
		return kv_verb_failed(extack, KVERBS_STAGE_DESTROY, ret, "ib_dereg_mr failed");
	}
	mr->ib = fresh;
	WRITE_ONCE(mr->state, KV_MR_FREE);
	kv_obj_set_parent(&mr->obj, KV_MR_BUF, NULL);
	return 0;
}

/**
 * kv_mr_access() - the rights that a registration needs for those that a user asks for
 * @mr: the MR
 * @access: KVERBS_ACCESS_*
 *
 * Like rdma_rw (rdma_rw_init_one_mr(), core/rw.c): on iWARP the response to a READ is a write
 * by the peer into the READ's sink (RFC 5040, 5.2). The READ itself carries the sink's key to
 * the peer.
 *
 * Return: the rights of the request.
 */
u32 kv_mr_access(const struct kv_mr *mr, u32 access)
{
	if (kv_dev_iwarp(mr->obj.dev) && access & IB_ACCESS_LOCAL_WRITE)
		access |= IB_ACCESS_REMOTE_WRITE;
	return access;
}

/*
 * Only while the MR is not registered, and no request is posted that registers it: this writes
 * memory that the device reads (mlx5_ib_map_mr_sg()), on siw and rxe the registration itself
 * (siw_map_mr_sg(), rxe_map_mr_sg()). mlx5, bnxt_re, irdma and rxe make a list of pages
 * (ib_sg_to_pages()): an entry that begins or ends within a page ends the list, unless it is the
 * first or the last one. siw keeps the entries as they are, as many as the MR has pages.
 */
static int mr_map(struct kv_mr *mr, const struct kv_buf *buf, struct netlink_ext_ack *extack)
{
	struct sg_table sg;
	int ret;

	ret = kv_buf_make_sg(buf, mr->offset, mr->length, &sg);
	if (ret)
		return ret;
	kv_obj_time(&mr->obj, MAP,
		    ret = ib_map_mr_sg(mr->ib, sg.sgl, sg.nents, NULL,
				       kv_dev_page_size(mr->obj.dev)));
	if (ret >= 0)
		ret = ret == sg.nents ? 0 : -EINVAL;
	sg_free_table(&sg);
	return ret ? kv_verb_failed(extack, KVERBS_STAGE_MAP, ret, "ib_map_mr_sg failed") : 0;
}

/**
 * kv_mr_check_buf() - refuse a buffer that would go while the MR is registered over it
 * @mr: the MR
 * @buf: the buffer
 * @extack: where the reason of a refusal goes
 *
 * Return: 0 or -EINVAL.
 */
int kv_mr_check_buf(const struct kv_mr *mr, const struct kv_buf *buf,
		    struct netlink_ext_ack *extack)
{
	if (!kv_obj_persistent(&mr->obj) || kv_obj_persistent(&buf->obj))
		return 0;
	return kv_refuse(extack, -EINVAL,
			 "the mr is persistent and the buffer is not: the buffer would go while the mr is registered");
}

/**
 * kv_mr_prepare() - map the bytes of a registration
 * @mr: the MR, not registered
 * @reg: the bytes and the rights; checked by kv_mr_check_buf() and kv_reg_check()
 * @extack: where the reason of a refusal goes
 *
 * The MR's keys give access to the bytes once a request that registers them was executed.
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_mr_prepare(struct kv_mr *mr, const struct kv_mr_reg *reg, struct netlink_ext_ack *extack)
{
	int ret;

	ret = mr_renew(mr, extack) ?: kv_mr_check_state(mr, KV_MR_FREE, extack);
	if (ret)
		return ret;

	mr->access = reg->access;
	mr->offset = reg->offset;
	mr->length = reg->length;
	ret = mr_map(mr, reg->buf, extack);
	if (ret)
		return ret;
	/*
	 * Drivers take the IOVA when the request is posted (set_reg_mkey_seg()) or executed
	 * (siw_fastreg_mr()). The IOVA and the DMA address have the same offset in the page:
	 * pieces begin with a page. Peers address a byte of the buffer by the MR's id and the
	 * byte's offset: they must not see an address of the kernel.
	 */
	mr->ib->iova = ((u64)mr->obj.id << 32) + mr->offset;
	return 0;
}

/**
 * kv_mr_begin_run() - a run begins that registers the MR again and again
 * @mr: the MR
 * @qp: carries the requests; same PD; has no requests of an earlier run outstanding, and no run
 * @reg: the bytes; checked by kv_reg_check(). The post context is the run's
 * @extack: where the reason of a refusal goes
 *
 * The bytes are mapped once: mlx5, bnxt_re, irdma, siw and rxe leave the list of pages as it is
 * when a request registers it (set_reg_data_seg(), bnxt_qplib_post_send(),
 * irdma_sc_mr_fast_register(), siw_fastreg_mr(), rxe_reg_fast_mr()). cxgb4 changes the byte order
 * of a long list in place (build_memreg()): rules/run.c refuses such runs.
 *
 * The QP holds the MR until kv_mr_leave_run(), and the run's caller has the QP hold the buffer.
 * On failure nothing has changed.
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno. After 0 kv_mr_end_run() follows.
 */
int kv_mr_begin_run(struct kv_mr *mr, struct kv_qp *qp, const struct kv_mr_reg *reg,
		    struct netlink_ext_ack *extack)
{
	/* One in KV_MR_UNKNOWN would get a new key, and the peer has been told the last one. */
	int ret = kv_mr_check_buf(mr, reg->buf, extack) ?:
		  kv_mr_check_state(mr, KV_MR_FREE, extack) ?: kv_mr_prepare(mr, reg, extack);

	if (ret)
		return ret;
	kv_mr_leave_run(qp);
	mr->run_qp = qp;
	/* The keys of the run are not counted: no older request knows whether it names one. */
	mr->obj.dev->keys += KV_MR_KEYS;
	mr->run_buf = reg->buf;
	kv_obj_set_parent(&qp->obj, KV_QP_INV_MR, &mr->obj);
	WRITE_ONCE(mr->state, KV_MR_RUN);
	return 0;
}

/**
 * kv_mr_end_run() - a run registers the MR no more
 * @mr: the MR
 * @qp: the run's QP. If the run has not begun with the MR, nothing happens
 * @clean: the run ended between two iterations: the last key was invalidated
 *
 * Context: process; the QP is claimed
 */
void kv_mr_end_run(struct kv_mr *mr, const struct kv_qp *qp, bool clean)
{
	if (READ_ONCE(mr->run_qp) == qp && READ_ONCE(mr->state) == KV_MR_RUN)
		WRITE_ONCE(mr->state, clean ? KV_MR_FREE : KV_MR_UNKNOWN);
}

/**
 * kv_mr_leave_run() - no requests of a run name the MR any more
 * @qp: the QP of the run, if it had one with an MR: drained, or about to be destroyed
 *
 * The QP gives its buffers back next: the MR keeps the run's, if the device may have it registered.
 *
 * Locks: dev->lock
 */
void kv_mr_leave_run(struct kv_qp *qp)
{
	struct kv_obj *obj = qp->obj.parents[KV_QP_INV_MR];
	struct kv_mr *mr = container_of(obj, struct kv_mr, obj);

	if (!obj)
		return;
	if (mr->run_qp == qp) {
		mr->run_qp = NULL;
		/* An MR that was registered by hand meanwhile has the buffer of that. */
		if (READ_ONCE(mr->state) == KV_MR_UNKNOWN && !obj->parents[KV_MR_BUF])
			kv_obj_set_parent(obj, KV_MR_BUF, &mr->run_buf->obj);
	}
	kv_obj_set_parent(&qp->obj, KV_QP_INV_MR, NULL);
}

struct kv_obj_class kv_mr_class = {
	KV_OBJ_CLASS(mr, KV_OBJ_MR, "an", "invalidate or delete"),
	.destroy = mr_destroy,
};
