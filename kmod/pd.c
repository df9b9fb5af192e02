// SPDX-License-Identifier: GPL-2.0
#include <linux/netlink.h>
#include <rdma/ib_verbs.h>
#include "dev.h"
#include "pd.h"

/**
 * kv_pd_create() - allocate a protection domain
 * @dev: on which device
 * @owner: whose it is
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: the PD, owned by the id table, or ERR_PTR.
 */
struct kv_pd *kv_pd_create(struct kv_dev *dev, struct kv_owner *owner,
			   struct netlink_ext_ack *extack)
{
	struct kv_pd *pd;
	u64 start;
	int ret;

	pd = kv_obj_alloc(&kv_pd_class, sizeof(*pd), dev, owner, extack);
	if (IS_ERR(pd))
		return pd;

	/* Two commands of mlx5's firmware: the PD, and its DMA key (mlx5_ib_get_dma_mr()). */
	start = ktime_get_raw_ns();
	pd->ib = ib_alloc_pd(dev->ib, 0);
	pd->obj.verb_ns = ktime_get_raw_ns() - start;
	if (IS_ERR(pd->ib)) {
		ret = PTR_ERR(pd->ib);
		NL_SET_ERR_MSG(extack, "ib_alloc_pd failed");
		goto err_free;
	}

	ret = kv_obj_publish(&pd->obj, extack);
	if (ret)
		goto err_dealloc_pd;
	return pd;

err_dealloc_pd:
	ib_dealloc_pd(pd->ib);
err_free:
	kv_obj_free(&pd->obj);
	return ERR_PTR(ret);
}

/* A driver that refuses gets a warning of the core's, and leaks it (ib_dealloc_pd()). */
static int destroy_pd(struct kv_obj *obj)
{
	struct kv_pd *pd = container_of(obj, struct kv_pd, obj);
	u64 start = ktime_get_raw_ns();

	ib_dealloc_pd(pd->ib);
	obj->verb_ns = ktime_get_raw_ns() - start;
	return 0;
}

struct kv_obj_class kv_pd_class = {
	KV_OBJ_CLASS(pd, KV_OBJ_PD, "a", "delete"),
	.destroy = destroy_pd,
};
