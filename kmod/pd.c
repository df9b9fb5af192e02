// SPDX-License-Identifier: GPL-2.0
#include "dev.h"
#include "pd.h"

/**
 * kv_pd_create() - allocate a protection domain
 * @new: its device and its owner
 *
 * Locks: dev->lock
 * Return: the PD, owned by the id table, or ERR_PTR.
 */
struct kv_obj *kv_pd_create(const struct kv_new *new)
{
	struct kv_pd *pd = kv_obj_alloc(&kv_pd_class, sizeof(*pd), new);

	if (IS_ERR(pd))
		return ERR_CAST(pd);
	/* Two commands of mlx5's firmware: the PD, and its DMA key (mlx5_ib_get_dma_mr()). */
	kv_obj_time(&pd->obj, CREATE, pd->ib = ib_alloc_pd(new->dev->ib, 0));
	return kv_obj_made(&pd->obj, PTR_ERR_OR_ZERO(pd->ib), "ib_alloc_pd failed", new->extack);
}

/* If a driver refuses, the core logs a warning, and the PD is leaked (ib_dealloc_pd()). */
static int pd_destroy(struct kv_obj *obj)
{
	kv_obj_time(obj, DESTROY, ib_dealloc_pd(container_of(obj, struct kv_pd, obj)->ib));
	return 0;
}

struct kv_obj_class kv_pd_class = {
	KV_OBJ_CLASS(pd, KV_OBJ_PD, "a", "delete"),
	.destroy = pd_destroy,
};
