// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_cache.h>
#include "ah.h"
#include "dev.h"
#include "pd.h"
#include "refuse.h"

/**
 * kv_ah_has_sgid() - is there a GID?
 * @ib: the device
 * @port: a port of the device, valid
 * @index: of the port's table
 *
 * Return: false if there is none; a GID may go at any time.
 */
bool kv_ah_has_sgid(struct ib_device *ib, u32 port, u32 index)
{
	const struct ib_gid_attr *sgid = rdma_get_gid_attr(ib, port, index);

	if (IS_ERR(sgid))
		return false;
	rdma_put_gid_attr(sgid);
	return true;
}

/* On RoCE this finds the destination's MAC address, and the hop limit, for @attr. */
static struct ib_ah *ah_create_ib(struct kv_pd *pd, struct rdma_ah_attr *attr,
				  enum kverbs_stage stage, struct netlink_ext_ack *extack)
{
	struct ib_ah *ah;

	/* rdma_create_ah() does not resolve the address. iWARP has no AHs (siw, cxgb4, irdma). */
	ah = rdma_create_user_ah(pd->ib, attr, NULL);
	if (IS_ERR(ah))
		kv_verb_failed(extack, stage, PTR_ERR(ah), attr->type != RDMA_AH_ATTR_TYPE_ROCE ?
			       "rdma_create_user_ah failed" :
			       "the destination's MAC address can't be resolved: check dgid and the route");
	return ah;
}

/**
 * kv_ah_create() - create an address handle
 * @new: its protection domain and its owner; the device has address handles
 * @attr: the destination: port, and GID index if there is a GRH
 *
 * Context: may sleep until address resolution ends, with or without an answer
 * Locks: dev->lock
 * Return: the AH, owned by the id table, or ERR_PTR.
 */
struct kv_obj *kv_ah_create(const struct kv_new *new, const struct rdma_ah_attr *attr)
{
	struct kv_ah *ah = kv_obj_alloc(&kv_ah_class, sizeof(*ah), new);

	if (IS_ERR(ah))
		return ERR_CAST(ah);
	ah->attr = *attr;
	kv_obj_time(&ah->obj, CREATE,
		    ah->ib = ah_create_ib(new->pd, &ah->attr, KVERBS_STAGE_CREATE, new->extack));
	return kv_obj_made(&ah->obj, PTR_ERR_OR_ZERO(ah->ib), NULL, new->extack);
}

/*
 * rxe, bnxt_re and irdma look the AH up by its number when they send. So the sends that name
 * an AH use it until they complete, and it is destroyed after that.
 */
static int ah_destroy(struct kv_obj *obj)
{
	struct kv_ah *ah = container_of(obj, struct kv_ah, obj);

	kv_obj_time(obj, DESTROY, rdma_destroy_ah(ah->ib, RDMA_DESTROY_AH_SLEEPABLE));
	return 0;
}

/**
 * kv_ah_resolve() - complete the address of a connected QP
 * @pd: the QP's protection domain
 * @attr: the destination; receives its MAC address
 * @extack: where the reason of a refusal goes
 *
 * On RoCE a destination has a MAC address too. ib_modify_qp() of the kernel does not
 * resolve it: the transition to RTR would succeed, and the packets would get lost.
 *
 * Context: may sleep until address resolution ends, with or without an answer
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_ah_resolve(struct kv_pd *pd, struct rdma_ah_attr *attr, struct netlink_ext_ack *extack)
{
	struct ib_ah *ah;

	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE)
		return 0;
	ah = ah_create_ib(pd, attr, KVERBS_STAGE_RESOLVE, extack);
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	return 0;
}

struct kv_obj_class kv_ah_class = {
	KV_OBJ_CLASS(ah, KV_OBJ_AH, "an", "delete"),
	.destroy = ah_destroy,
};
