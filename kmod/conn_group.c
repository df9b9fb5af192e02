// SPDX-License-Identifier: GPL-2.0
#include <net/net_namespace.h>
#include <rdma/ib_sa.h>
#include <rdma/rdma_cm.h>
#include "conn_event.h"
#include "dev.h"
#include "refuse.h"

/*
 * A CONN that is a member of a multicast group. The CM makes the host a member: on RoCE v2 by
 * IGMP (cma_iboe_join_multicast()), on InfiniBand by way of the subnet manager
 * (cma_join_ib_multicast()). In the kernel it attaches no QP: rdma_join_multicast() refuses an id
 * that has one. It needs an id of UDP's port space, and the other commands need one of TCP's: so
 * JOIN makes the former, and LEAVE the latter.
 */

static void conn_clear_group(struct kv_conn *conn)
{
	/* After this no event of the group comes any more. */
	kv_conn_renew_id(conn);
	memset(&conn->group_addr, 0, sizeof(conn->group_addr));
	guard(spinlock)(&kv_conn_lock);
	memset(&conn->group, 0, sizeof(conn->group));
}

static const char *conn_explain_join(int error)
{
	if (error == -EOPNOTSUPP)
		return "rdma_join_multicast failed: on RoCE v2 the group must be of IPv4";
	return "rdma_join_multicast failed";
}

/**
 * kv_conn_join() - ask to become a member of a multicast group
 * @conn: the CONN, idle; its device has UD QPs
 * @src: an address of the device; receives the port
 * @group: the address of the group, of the same family
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno: then it is idle. The answer is an event.
 */
int kv_conn_join(struct kv_conn *conn, union kv_conn_addr *src, const union kv_conn_addr *group,
		 struct netlink_ext_ack *extack)
{
	struct rdma_cm_id *id;
	int ret;

	kv_obj_time(&conn->obj, CREATE,
		    id = rdma_create_id(conn->obj.owner->net, kv_conn_handle, conn, RDMA_PS_UDP,
					IB_QPT_UD));
	if (IS_ERR(id))
		return kv_verb_failed(extack, KVERBS_STAGE_CREATE, PTR_ERR(id),
				      "rdma_create_id failed");
	rdma_destroy_id(conn->id);
	conn->id = id;
	ret = kv_conn_bind(conn, src, extack);
	if (ret)
		return ret;
	conn->group_addr = *group;
	kv_conn_set_state(conn, KVERBS_CONN_JOINING);
	kv_obj_time(&conn->obj, CM,
		    ret = rdma_join_multicast(conn->id, (struct sockaddr *)&conn->group_addr,
					      BIT(FULLMEMBER_JOIN), conn));
	if (!ret)
		return 0;
	conn_clear_group(conn);
	/* cma_iboe_join_multicast() returns a number that no program knows. */
	if (ret == -ENOTSUPP)
		ret = -EOPNOTSUPP;
	return kv_verb_failed(extack, KVERBS_STAGE_CM, ret, conn_explain_join(ret));
}

/**
 * kv_conn_leave() - end the membership
 * @conn: the CONN, which is a member, or is about to be; idle afterwards
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or -ENOMEM.
 */
int kv_conn_leave(struct kv_conn *conn, struct netlink_ext_ack *extack)
{
	kv_obj_time(&conn->obj, CM,
		    rdma_leave_multicast(conn->id, (struct sockaddr *)&conn->group_addr));
	conn_clear_group(conn);
	return conn->id ? 0 : kv_refuse(extack, -ENOMEM, "no memory for another rdma_cm_id");
}
