// SPDX-License-Identifier: GPL-2.0
#include "dev.h"
#include "multicast.h"
#include "qp.h"
#include "refuse.h"
#include "rules/multicast.h"

/*
 * Multicast groups that QPs are attached to. rxe_attach_mcg() reports no error for a
 * QP that is attached already, and then one detach suffices, while ib_attach_mcast() counts both: a
 * QP with such a count can't be destroyed. mlx5_ib_mcg_attach() leaves it to the firmware, and
 * irdma_attach_mcast() returns -EEXIST in places. So the module keeps the groups of each QP.
 * bnxt_re and siw have no such verb.
 *
 * A QP is detached from its groups before it is destroyed: ib_destroy_qp() refuses one that is
 * attached. RESET detaches it, too: it is as new then, and may be replaced by another verbs object.
 */

static struct kv_group *group_find(struct kv_qp *qp, const union ib_gid *gid)
{
	u32 i;

	for (i = 0; i < qp->groups.count; i++)
		if (!memcmp(&qp->groups.group[i].gid, gid, sizeof(*gid)))
			return &qp->groups.group[i];
	return NULL;
}

static int group_remove(struct kv_qp *qp, struct kv_group *group)
{
	struct kv_group *end = qp->groups.group + qp->groups.count;
	int ret;

	ret = ib_detach_mcast(qp->ib, &group->gid, group->lid);
	if (ret)
		return ret;
	memmove(group, group + 1, (end - group - 1) * sizeof(*group));
	qp->groups.count--;
	return 0;
}

/**
 * kv_group_attach() - attach a QP to a multicast group
 * @qp: the QP
 * @group: the group
 * @wrong: receives a refusal because of an attribute of KVERBS_A_QP_*
 * @extack: where the reason of any other refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_group_attach(struct kv_qp *qp, const struct kv_group *group, struct kv_refusal *wrong,
		    struct netlink_ext_ack *extack)
{
	union ib_gid gid = group->gid;
	struct ib_device *ib = qp->ib->device;
	int ret;

	ret = kv_group_check_qp(qp->type, qp->state, qp->groups.count, wrong) ?:
	      kv_group_check(gid.raw, group->lid, rdma_protocol_ib(ib, qp->port), wrong);
	if (ret)
		return ret;
	if (!ib->ops.attach_mcast)
		return kv_refuse(extack, -EOPNOTSUPP, "the device has no multicast");
	if (group_find(qp, &gid))
		return kv_refuse(extack, -EEXIST, "the qp is attached to this group already");
	kv_obj_time(&qp->obj, MODIFY, ret = ib_attach_mcast(qp->ib, &gid, group->lid));
	if (ret == -ENOMEM)
		return kv_verb_failed(extack, KVERBS_STAGE_MODIFY, ret,
				      "ib_attach_mcast failed: no memory, or no room in the device for another group or qp");
	if (ret)
		return kv_verb_failed(extack, KVERBS_STAGE_MODIFY, ret, "ib_attach_mcast failed");
	qp->groups.group[qp->groups.count++] = *group;
	return 0;
}

/**
 * kv_group_detach() - detach a QP from a multicast group
 * @qp: the QP
 * @gid: of the group
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno: then it is attached still.
 */
int kv_group_detach(struct kv_qp *qp, const union ib_gid *gid, struct netlink_ext_ack *extack)
{
	struct kv_group *group = group_find(qp, gid);
	int ret;

	if (!group)
		return kv_refuse(extack, -ENOENT, "the qp is not attached to this group");
	kv_obj_time(&qp->obj, MODIFY, ret = group_remove(qp, group));
	return ret ? kv_verb_failed(extack, KVERBS_STAGE_MODIFY, ret, "ib_detach_mcast failed") : 0;
}

/**
 * kv_group_detach_all() - detach a QP from all its groups, the last one first
 * @qp: the QP
 *
 * Locks: dev->lock
 * Return: 0 or the verb's negative errno: then it is attached to that group and earlier ones still.
 */
int kv_group_detach_all(struct kv_qp *qp)
{
	int ret = 0;

	while (qp->groups.count && !ret)
		ret = group_remove(qp, &qp->groups.group[qp->groups.count - 1]);
	return ret;
}
