// SPDX-License-Identifier: GPL-2.0
#include <linux/netlink.h>
#include <rdma/ib_verbs.h>
#include "cq.h"
#include "dev.h"

/**
 * kv_cq_create() - allocate a completion queue
 * @dev: on which device
 * @owner: whose it is
 * @cqe: how many completions it must hold, 1 .. max_cqe
 * @comp_vector: completion vector, below the device's num_comp_vectors
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: the CQ, owned by the id table, or ERR_PTR.
 */
struct kv_cq *kv_cq_create(struct kv_dev *dev, const struct kv_owner *owner,
			   u32 cqe, u32 comp_vector,
			   struct netlink_ext_ack *extack)
{
	struct kv_cq *cq;
	u64 start;
	int ret;

	if (cqe > dev->ib->attrs.max_cqe) {
		NL_SET_ERR_MSG(extack, "cqe is above the device's max_cqe");
		return ERR_PTR(-EINVAL);
	}
	if (comp_vector >= dev->ib->num_comp_vectors) {
		NL_SET_ERR_MSG(extack, "comp_vector is not below the device's num_comp_vectors");
		return ERR_PTR(-EINVAL);
	}

	cq = kv_obj_alloc(KV_OBJ_CQ, sizeof(*cq), dev, owner, extack);
	if (IS_ERR(cq))
		return cq;

	/*
	 * IB_POLL_DIRECT: nobody but us polls. We call ib_poll_cq() and never
	 * ib_process_cq_direct() or ib_drain_qp(): our wr_id is no ib_cqe.
	 */
	start = ktime_get_raw_ns();
	cq->ib = ib_alloc_cq(dev->ib, NULL, cqe, comp_vector, IB_POLL_DIRECT);
	cq->obj.verb_ns = ktime_get_raw_ns() - start;
	if (IS_ERR(cq->ib)) {
		ret = PTR_ERR(cq->ib);
		NL_SET_ERR_MSG(extack, "ib_alloc_cq failed");
		goto err_free;
	}
	cq->cqe = cq->ib->cqe;
	cq->comp_vector = comp_vector;

	ret = kv_obj_publish(&cq->obj, extack);
	if (ret)
		goto err_free_cq;
	return cq;

err_free_cq:
	ib_free_cq(cq->ib);
err_free:
	kv_obj_free(&cq->obj);
	return ERR_PTR(ret);
}

static void destroy_cq(struct kv_obj *obj)
{
	struct kv_cq *cq = container_of(obj, struct kv_cq, obj);
	u64 start = ktime_get_raw_ns();

	ib_free_cq(cq->ib);
	obj->verb_ns = ktime_get_raw_ns() - start;
}

/**
 * kv_cq_claim() - become the only one who polls
 * @cq: the CQ
 *
 * Return: false if somebody else is.
 */
bool kv_cq_claim(struct kv_cq *cq)
{
	return !test_and_set_bit_lock(0, &cq->claimed);
}

/**
 * kv_cq_release() - let others poll
 * @cq: the CQ, claimed by the caller
 */
void kv_cq_release(struct kv_cq *cq)
{
	clear_bit_unlock(0, &cq->claimed);
}

const struct kv_obj_ops kv_cq_ops = {
	.destroy = destroy_cq,
};
