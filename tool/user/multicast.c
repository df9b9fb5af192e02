// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "rules/multicast.h"
#include "user/user.h"

/* Multicast groups that QPs are attached to; see kmod/multicast.c. */

static struct kv_group *find(struct kv_user_qp *qp, const uint8_t gid[16])
{
	for (uint32_t i = 0; i < qp->is.groups; i++)
		if (!memcmp(qp->is.group[i].gid, gid, 16))
			return &qp->is.group[i];
	return NULL;
}

/* Returns 0 or the verb's negative errno; adds no text. */
static int detach(struct kv_user *u, struct kv_user_qp *qp, struct kv_group *group)
{
	struct kv_group *end = qp->is.group + qp->is.groups;
	union ibv_gid gid;
	int ret;

	memcpy(gid.raw, group->gid, sizeof(gid.raw));
	ret = KV_USER_STAGE(u, MODIFY, ibv_detach_mcast(qp->ib, &gid, (uint16_t)group->lid));
	if (ret)
		return -ret;
	memmove(group, group + 1, (size_t)(end - group - 1) * sizeof(*group));
	qp->is.groups--;
	return 0;
}

int kv_user_qp_attach(struct kv_user *u, struct kv_user_qp *qp, const struct kv_qp_attach *in,
		      struct kv_none *out)
{
	bool has_lids = qp->obj.dev->link_layer[qp->port] == IBV_LINK_LAYER_INFINIBAND;
	struct kv_group *group = &qp->is.group[qp->is.groups];
	union ibv_gid gid;
	uint32_t state;
	int ret = kv_user_qp_query_state(u, qp, &state) ?:
		  kv_user_rule(u, kv_group_check_qp(qp->is.type, state, qp->is.groups, &u->why)) ?:
		  kv_user_rule(u, kv_group_check(in->gid, in->lid, has_lids, &u->why));

	if (ret)
		return ret;
	if (find(qp, in->gid))
		return kv_user_fail(u, -EEXIST, "qp %u is attached to this group already", in->id);
	memcpy(gid.raw, in->gid, sizeof(gid.raw));
	ret = KV_USER_STAGE(u, MODIFY, ibv_attach_mcast(qp->ib, &gid, (uint16_t)in->lid));
	if (ret == EOPNOTSUPP || ret == ENOSYS)
		return kv_user_verb_failed(u, KVERBS_STAGE_MODIFY, -EOPNOTSUPP,
					   "%s has no multicast", kv_user_dev_name(qp->obj.dev));
	if (ret)
		return kv_user_verb_failed(u, KVERBS_STAGE_MODIFY, -ret,
					   "ibv_attach_mcast of qp %u: %s%s", in->id, strerror(ret),
					   ret == ENOMEM ? ": no memory, or no room in the device for another group or qp" : "");
	memcpy(group->gid, in->gid, sizeof(group->gid));
	group->lid = in->lid;
	qp->is.groups++;
	return 0;
}

int kv_user_qp_detach(struct kv_user *u, struct kv_user_qp *qp, const struct kv_qp_detach *in,
		      struct kv_none *out)
{
	struct kv_group *group = find(qp, in->gid);
	int ret;

	if (!group)
		return kv_user_fail(u, -ENOENT, "qp %u is not attached to this group", in->id);
	ret = detach(u, qp, group);
	return ret ? kv_user_verb_failed(u, KVERBS_STAGE_MODIFY, ret,
					 "ibv_detach_mcast of qp %u: %s", in->id,
					 strerror(-ret)) : 0;
}

/* The kernel refuses to destroy a QP that is attached. Returns 0 or the verb's negative errno. */
int kv_user_qp_detach_all(struct kv_user *u, struct kv_user_qp *qp)
{
	int ret = 0;

	while (qp->is.groups && !ret)
		ret = detach(u, qp, &qp->is.group[qp->is.groups - 1]);
	return ret;
}
