/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_MULTICAST_H
#define _KV_MULTICAST_H

#include <rdma/ib_verbs.h>
#include <kverbs.h>

struct kv_qp;
struct kv_refusal;

/**
 * struct kv_group - a multicast group
 * @gid: its GID
 * @lid: its LID; 0 on RoCE
 */
struct kv_group {
	union ib_gid gid;
	u16 lid;
};

/**
 * struct kv_groups - the groups that a QP is attached to
 * @count: how many
 * @group: they, in the order in which it was attached
 */
struct kv_groups {
	u32 count;
	struct kv_group group[KVERBS_GROUPS_MAX];
};

int kv_group_attach(struct kv_qp *qp, const struct kv_group *group, struct kv_refusal *wrong,
		    struct netlink_ext_ack *extack);
int kv_group_detach(struct kv_qp *qp, const union ib_gid *gid, struct netlink_ext_ack *extack);
int kv_group_detach_all(struct kv_qp *qp);

#endif
