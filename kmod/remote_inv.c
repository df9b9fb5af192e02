// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_verbs.h>
#include "cq.h"
#include "dev.h"
#include "mr.h"
#include "remote_inv.h"
#include "wqe.h"

/*
 * nvme_rdma, iser and rtrs take an MR whose key the peer has invalidated as one that needs no
 * IB_WR_LOCAL_INV (nvme_rdma_process_nvme_rsp(), iser_inv_desc(), rtrs_clt_rdma_done()), and look
 * whether the key is the one that they have given. The peer chooses the key that it invalidates:
 * rxe accepts that of any fast registration of the device (rxe_invalidate_mr()), siw that of any MR
 * of the PD, with any lowest 8 bits (siw_invalidate_stag()). So the MR is looked for by its whole
 * key, and one that has another key by now is still registered.
 */
static void remote_inv_over(struct kv_wqe *wqe)
{
	struct kv_dev *dev;
	struct kv_obj *obj;

	if (!wqe->wc.has_inv)
		return;
	dev = wqe->cq->obj.dev;
	list_for_each_entry(obj, &dev->objects[KV_OBJ_MR], dev_link) {
		struct kv_mr *mr = container_of(obj, struct kv_mr, obj);

		if (mr->ib->rkey != wqe->wc.invalidate_rkey || !kv_mr_registered(mr))
			continue;
		if (dev->keys - wqe->keys >= KV_MR_KEYS) {
			WRITE_ONCE(mr->state, KV_MR_UNKNOWN);
			continue;
		}
		WRITE_ONCE(mr->state, KV_MR_FREE);
		kv_obj_set_parent(obj, KV_MR_BUF, NULL);
	}
}

const struct kv_wqe_ops kv_remote_inv_ops = {
	.over = remote_inv_over,
};
