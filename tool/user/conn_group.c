// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "cli/parse.h"
#include "rules/conn.h"
#include "user/conn.h"

/* CONNs that are members of multicast groups; see kmod/conn_group.c. */

/* The error of cma_iboe_join_multicast() for a group of IPv6; no errno of user space. */
#define ENOTSUPP 524

static bool is_group(const struct sockaddr_storage *addr)
{
	if (addr->ss_family == AF_INET)
		return IN_MULTICAST(ntohl(((const struct sockaddr_in *)addr)->sin_addr.s_addr));
	return addr->ss_family == AF_INET6 &&
	       IN6_IS_ADDR_MULTICAST(&((const struct sockaddr_in6 *)addr)->sin6_addr);
}

static bool is_any(const struct sockaddr_storage *addr)
{
	if (addr->ss_family == AF_INET)
		return !((const struct sockaddr_in *)addr)->sin_addr.s_addr;
	return IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)addr)->sin6_addr);
}

static int check(struct kv_user *u, const struct kv_user_conn *conn, const struct kv_conn_join *in)
{
	if (!(kv_user_dev_caps(conn->obj.dev) & KVERBS_CAP_UD))
		return kv_user_fail(u, -EOPNOTSUPP, "%s has no UD qps, and so no multicast",
				    kv_user_dev_name(conn->obj.dev));
	bool any = in->src.ss_family == AF_UNSPEC || is_any(&in->src);

	return kv_user_rule(u, kv_conn_rules_check_join(any, is_group(&in->group),
							in->src.ss_family == in->group.ss_family,
							&u->why));
}

static int join(struct kv_user *u, struct kv_user_conn *conn, const struct kv_conn_join *in)
{
	struct sockaddr_storage group = in->group;
	int error;

	if (!KV_USER_STAGE(u, CM, rdma_join_multicast(conn->cm, (struct sockaddr *)&group, conn)))
		return 0;
	error = errno;
	if (error == ENOTSUPP || error == ENOSYS || error == EOPNOTSUPP)
		return kv_user_verb_failed(u, KVERBS_STAGE_CM, -EOPNOTSUPP,
					   "rdma_join_multicast of %s: %s has no multicast, or on RoCE v2 the group is not of IPv4",
					   KV_SOCKADDR(&in->group),
					   kv_user_dev_name(conn->obj.dev));
	return kv_user_verb_failed(u, KVERBS_STAGE_CM, -error, "rdma_join_multicast of %s: %s",
				   KV_SOCKADDR(&in->group), strerror(error));
}

int kv_user_conn_join(struct kv_user *u, struct kv_user_conn *conn, const struct kv_conn_join *in,
		      struct kv_none *out)
{
	struct rdma_cm_id *cm;
	int ret = check(u, conn, in);

	if (ret)
		return ret;
	if (KV_USER_STAGE(u, CREATE, rdma_create_id(u->cm, &cm, conn, RDMA_PS_UDP)))
		return kv_user_verb_failed(u, KVERBS_STAGE_CREATE, -errno, "rdma_create_id: %s",
					   strerror(errno));
	rdma_destroy_id(conn->cm);
	conn->cm = cm;
	ret = kv_user_conn_bind(u, conn, &in->src) ?: join(u, conn, in);
	if (ret) {
		kv_user_conn_renew(u, conn);
		return ret;
	}
	conn->is.group = in->group;
	conn->is.state = KVERBS_CONN_JOINING;
	return 0;
}

int kv_user_conn_leave(struct kv_user *u, struct kv_user_conn *conn, const struct kv_id *in,
		       struct kv_none *out)
{
	struct sockaddr_storage group = conn->is.group;
	const struct kv_conn none = { 0 };

	/* rdma_destroy_id() leaves, too, if this fails. */
	(void)KV_USER_STAGE(u, CM, rdma_leave_multicast(conn->cm, (struct sockaddr *)&group));
	kv_user_conn_renew(u, conn);
	conn->is.group = none.group;
	conn->is.group_qpn = 0;
	conn->is.group_lid = 0;
	return conn->is.state == KVERBS_CONN_IDLE ? 0 :
	       kv_user_fail(u, -ENOMEM, "conn %u: no other rdma_cm_id can be made", in->id);
}

/* Keeps what the event says of the group: valid only until the event is acknowledged. */
void kv_user_conn_take_group(struct kv_conn *to, const struct rdma_cm_event *event)
{
	const struct rdma_ud_param *param = &event->param.ud;
	const struct ibv_ah_attr *ah = &param->ah_attr;

	to->state = KVERBS_CONN_JOINED;
	memcpy(to->group_gid, ah->grh.dgid.raw, sizeof(to->group_gid));
	to->group_lid = ah->dlid;
	to->group_port = event->id->port_num;
	to->group_sgid_index = ah->grh.sgid_index;
	to->group_qpn = param->qp_num;
	to->group_qkey = param->qkey;
}
