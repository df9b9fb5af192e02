// SPDX-License-Identifier: GPL-2.0
#include <net/ipv6.h>
#include <rdma/ib_addr.h>
#include "conn.h"
#include "dev.h"
#include "genl/msg.h"
#include "qp.h"
#include "refuse.h"
#include "rules/conn.h"

#define POLICY_ADDR \
	NLA_POLICY_RANGE(NLA_BINARY, sizeof(struct sockaddr_in), sizeof(struct sockaddr_in6))
#define POLICY_RETRIES NLA_POLICY_MAX(NLA_U32, 7)

/* Not const: 6.1's policies point to non-const. */
static struct netlink_range_validation range_timeout_ms = { .min = 1, .max = 60000 };

static const struct nla_policy policy[KVERBS_A_CONN_MAX + 1] = {
	KV_POLICY_OF_DEV(CONN),
	[KVERBS_A_CONN_SRC] = POLICY_ADDR,
	[KVERBS_A_CONN_DST] = POLICY_ADDR,
	[KVERBS_A_CONN_BACKLOG] = NLA_POLICY_RANGE(NLA_U32, 1, KVERBS_CONN_BACKLOG_MAX),
	[KVERBS_A_CONN_TIMEOUT_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &range_timeout_ms),
	[KVERBS_A_CONN_QP] = KV_POLICY_ID,
	[KVERBS_A_CONN_ACCESS] = KV_POLICY_ACCESS,
	[KVERBS_A_CONN_PRIVATE_DATA] = { .type = NLA_BINARY, .len = KVERBS_CONN_PRIVATE_MAX },
	[KVERBS_A_CONN_RESPONDER_RESOURCES] = KV_POLICY_8BIT,
	[KVERBS_A_CONN_INITIATOR_DEPTH] = KV_POLICY_8BIT,
	[KVERBS_A_CONN_RETRY_CNT] = POLICY_RETRIES,
	[KVERBS_A_CONN_RNR_RETRY] = POLICY_RETRIES,
	[KVERBS_A_CONN_ACK_TIMEOUT] = NLA_POLICY_MAX(NLA_U32, 31),
	[KVERBS_A_CONN_GROUP] = POLICY_ADDR,
};

/* --- showing a CONN --- */

/* Puts nothing if there is no address. */
static int conn_put_addr(struct sk_buff *skb, int attr, const union kv_conn_addr *addr)
{
	int size = rdma_addr_size((const struct sockaddr *)addr);

	return size ? nla_put(skb, attr, size, addr) : 0;
}

static bool conn_any_addr(const union kv_conn_addr *addr)
{
	if (addr->family == AF_INET)
		return addr->in.sin_addr.s_addr == htonl(INADDR_ANY);
	return ipv6_addr_any(&addr->in6.sin6_addr);
}

static int conn_put_group(struct sk_buff *skb, const struct kv_conn_group *group)
{
	if (!group->qpn)
		return 0;
	return nla_put(skb, KVERBS_A_CONN_GROUP_GID, sizeof(group->gid), &group->gid) ?:
	       (group->lid ? nla_put_u32(skb, KVERBS_A_CONN_GROUP_LID, group->lid) : 0) ?:
	       nla_put_u32(skb, KVERBS_A_CONN_GROUP_PORT, group->port) ?:
	       nla_put_u32(skb, KVERBS_A_CONN_GROUP_SGID_INDEX, group->sgid_index) ?:
	       nla_put_u32(skb, KVERBS_A_CONN_GROUP_QPN, group->qpn) ?:
	       nla_put_u32(skb, KVERBS_A_CONN_GROUP_QKEY, group->qkey);
}

static int conn_fill(struct sk_buff *skb, struct kv_obj *obj)
{
	struct kv_conn_view view;
	const struct kv_conn_told *told = &view.told;

	kv_conn_show(container_of(obj, struct kv_conn, obj), &view);
	if (conn_put_addr(skb, KVERBS_A_CONN_SRC, &view.src) ||
	    (!conn_any_addr(&view.dst) && conn_put_addr(skb, KVERBS_A_CONN_DST, &view.dst)) ||
	    (told->backlog && (nla_put_u32(skb, KVERBS_A_CONN_BACKLOG, told->backlog) ||
			       nla_put_u32(skb, KVERBS_A_CONN_WAITING, told->waiting))) ||
	    kv_put_parent(skb, KVERBS_A_CONN_QP, obj, 0) ||
	    (view.listener && nla_put_u32(skb, KVERBS_A_CONN_LISTENER, view.listener)) ||
	    (view.requested &&
	     (nla_put_u32(skb, KVERBS_A_CONN_RESPONDER_RESOURCES, told->responder_resources) ||
	      nla_put_u32(skb, KVERBS_A_CONN_INITIATOR_DEPTH, told->initiator_depth))) ||
	    (told->data.length &&
	     nla_put(skb, KVERBS_A_CONN_PRIVATE_DATA, told->data.length, told->data.bytes)) ||
	    nla_put_u32(skb, KVERBS_A_CONN_STATE, told->news.state) ||
	    nla_put_u32(skb, KVERBS_A_CONN_EVENT, told->news.event) ||
	    nla_put_s32(skb, KVERBS_A_CONN_STATUS, told->news.status) ||
	    (view.reason && nla_put_string(skb, KVERBS_A_CONN_REASON, view.reason)) ||
	    conn_put_addr(skb, KVERBS_A_CONN_GROUP, &view.group) ||
	    conn_put_group(skb, &told->group))
		return -EMSGSIZE;
	return 0;
}

/* --- making a CONN --- */

static struct kv_obj *conn_make(struct genl_info *info, const struct kv_new *new)
{
	if (!(kv_dev_caps(new->dev) & KVERBS_CAP_CM))
		return ERR_PTR(kv_msg_refuse(info, info->attrs[KVERBS_A_CONN_DEV], -EOPNOTSUPP,
					     "the device has no connection manager"));
	return kv_conn_create(new);
}

static struct kv_conn *conn_of(struct kv_obj *obj)
{
	return container_of(obj, struct kv_conn, obj);
}

static int conn_fits(struct genl_info *info, struct kv_obj *obj)
{
	u32 states = kv_conn_rules_states(info->genlhdr->cmd);
	int ret = states ? kv_conn_expect(conn_of(obj), states, info->extack) : 0;

	if (ret)
		NL_SET_BAD_ATTR(info->extack, info->attrs[KVERBS_A_CONN_ID]);
	return ret;
}

static const struct kv_noun conn_noun = {
	KV_NOUN(conn, CONN),
	.verb_ns = KVERBS_A_CONN_VERB_NS,
	.stage = KVERBS_A_CONN_STAGE,
	.fits = conn_fits,
};

/* --- commands on a CONN --- */

static int conn_get_request(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_obj *listener, *made;
	struct sk_buff *reply;
	int ret;

	ret = kv_msg_begin_obj(info, KVERBS_A_CONN_ID, &kv_conn_class, GENLMSG_DEFAULT_SIZE,
			       &reply, &listener);
	if (ret)
		return ret;
	ret = conn_fits(info, listener);
	made = ret ? ERR_PTR(ret) : kv_conn_get_request(conn_of(listener), info->extack);
	if (made == ERR_PTR(-EAGAIN))
		NL_SET_BAD_ATTR(info->extack, info->attrs[KVERBS_A_CONN_ID]);
	ret = kv_msg_end_new(info, reply, made, &conn_noun);
	kv_obj_unlock(listener);
	return ret;
}

/* Family 0 if the attribute is absent. */
static union kv_conn_addr conn_get_addr(struct genl_info *info, int number)
{
	union kv_conn_addr addr = {};

	if (info->attrs[number])
		nla_memcpy(&addr, info->attrs[number], sizeof(addr));
	return addr;
}

static int conn_check_addr(struct genl_info *info, int number)
{
	union kv_conn_addr addr = conn_get_addr(info, number);
	const struct in6_addr *in6 = &addr.in6.sin6_addr;
	struct nlattr *attr = info->attrs[number];
	__be32 in = addr.in.sin_addr.s_addr;

	if (!attr)
		return 0;
	if (nla_len(attr) != rdma_addr_size((struct sockaddr *)&addr))
		return kv_msg_refuse(info, attr, -EINVAL,
				     "an address is a struct sockaddr_in of AF_INET, or a sockaddr_in6 of AF_INET6");
	if (addr.family == AF_INET && (ipv4_is_multicast(in) || ipv4_is_lbcast(in)))
		return kv_msg_refuse(info, attr, -EINVAL,
				     "a multicast or broadcast address: nobody answers there");
	if (addr.family == AF_INET6 && ipv6_addr_is_multicast(in6))
		return kv_msg_refuse(info, attr, -EINVAL,
				     "a multicast address: nobody answers there");
	if (addr.family == AF_INET6 && ipv6_addr_type(in6) & IPV6_ADDR_LINKLOCAL &&
	    !addr.in6.sin6_scope_id)
		return kv_msg_refuse(info, attr, -EINVAL,
				     "a link-local address needs a scope: the index of the netdev");
	return 0;
}

static int conn_check_addrs(struct genl_info *info)
{
	return conn_check_addr(info, KVERBS_A_CONN_SRC) ?: conn_check_addr(info, KVERBS_A_CONN_DST);
}

static int conn_listen(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	union kv_conn_addr src = conn_get_addr(info, KVERBS_A_CONN_SRC);
	u32 backlog = kv_u32_or(info->attrs[KVERBS_A_CONN_BACKLOG], 128);

	return kv_conn_bind(conn_of(obj), &src, info->extack) ?:
	       kv_conn_listen(conn_of(obj), backlog, info->extack) ?:
	       kv_put_obj(skb, obj, &conn_noun);
}

static int conn_check_resolve(struct genl_info *info)
{
	union kv_conn_addr src = conn_get_addr(info, KVERBS_A_CONN_SRC);
	union kv_conn_addr dst = conn_get_addr(info, KVERBS_A_CONN_DST);
	struct nlattr *attr = info->attrs[KVERBS_A_CONN_DST];
	int ret = conn_check_addrs(info);

	if (ret)
		return ret;
	if (conn_any_addr(&dst))
		return kv_msg_refuse(info, attr, -EINVAL, "dst must be the address of a peer");
	/* The port is at the same place in both families. */
	if (!dst.in.sin_port)
		return kv_msg_refuse(info, attr, -EINVAL, "dst needs a port");
	if (src.family && src.family != dst.family)
		return kv_msg_refuse(info, info->attrs[KVERBS_A_CONN_SRC], -EINVAL,
				     "src and dst must be of the same family");
	return 0;
}

static u32 conn_timeout_ms(struct genl_info *info)
{
	return kv_u32_or(info->attrs[KVERBS_A_CONN_TIMEOUT_MS], 2000);
}

static int conn_resolve_addr(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	union kv_conn_addr src = conn_get_addr(info, KVERBS_A_CONN_SRC);
	union kv_conn_addr dst = conn_get_addr(info, KVERBS_A_CONN_DST);
	int ret = src.family ? kv_conn_bind(conn_of(obj), &src, info->extack) : 0;

	if (ret)
		NL_SET_BAD_ATTR(info->extack, info->attrs[KVERBS_A_CONN_SRC]);
	return ret ?: kv_conn_resolve_addr(conn_of(obj), &dst, conn_timeout_ms(info), info->extack);
}

static int conn_resolve_route(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	return kv_conn_resolve_route(conn_of(obj), conn_timeout_ms(info), info->extack);
}

/* --- the handshake --- */

/* iWARP's messages have room for more bytes than this module takes. */
static int conn_check_data(struct genl_info *info, struct kv_obj *obj, u32 max, const char *text)
{
	struct nlattr *data = info->attrs[KVERBS_A_CONN_PRIVATE_DATA];

	if (!data || nla_len(data) <= max || kv_dev_iwarp(obj->dev))
		return 0;
	return kv_msg_refuse(info, data, -EINVAL, text);
}

static int conn_parse_param(struct genl_info *info, struct kv_dev *dev, struct kv_conn_param *param)
{
	u32 given = kv_attrs_given(info->attrs, KVERBS_A_CONN_MAX);
	struct nlattr **attrs = info->attrs;
	struct kv_refusal why;
	int ret;

	ret = kv_msg_check_limit(info, CONN_RESPONDER_RESOURCES, "responder_resources", dev,
				 max_qp_rd_atom) ?:
	      kv_msg_check_limit(info, CONN_INITIATOR_DEPTH, "initiator_depth", dev,
				 max_qp_init_rd_atom) ?:
	      kv_msg_find(info, attrs[KVERBS_A_CONN_QP], qp, dev, &param->qp);
	if (ret)
		return ret;
	/* A QP that another CONN has is refused for that (kv_conn_rules_check_qp()). */
	if (!param->qp->established &&
	    kv_conn_rules_check_given(given, param->qp->state, kv_dev_iwarp(dev), &why))
		return kv_msg_refuse_by(info, &why);
	param->access = kv_u32_or(attrs[KVERBS_A_CONN_ACCESS], 0);
	if (attrs[KVERBS_A_CONN_PRIVATE_DATA]) {
		param->data = nla_data(attrs[KVERBS_A_CONN_PRIVATE_DATA]);
		param->length = nla_len(attrs[KVERBS_A_CONN_PRIVATE_DATA]);
	}
	param->responder_resources = kv_u32_or(attrs[KVERBS_A_CONN_RESPONDER_RESOURCES], -1);
	param->initiator_depth = kv_u32_or(attrs[KVERBS_A_CONN_INITIATOR_DEPTH], -1);
	param->retry_cnt = kv_u32_or(attrs[KVERBS_A_CONN_RETRY_CNT], 6);
	param->rnr_retry = kv_u32_or(attrs[KVERBS_A_CONN_RNR_RETRY], 6);
	param->ack_timeout = kv_u32_or(attrs[KVERBS_A_CONN_ACK_TIMEOUT], KV_CONN_ACK_TIMEOUT);
	return 0;
}

static int conn_connect(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	struct kv_conn_param param = {};

	return conn_check_data(info, obj, KV_CONN_REQUEST_DATA_MAX,
			       "private_data: a request transports at most 56 bytes") ?:
	       conn_parse_param(info, obj->dev, &param) ?:
	       kv_conn_connect(conn_of(obj), &param, info->extack);
}

static int conn_establish(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	u32 ack_timeout = kv_u32_or(info->attrs[KVERBS_A_CONN_ACK_TIMEOUT], KV_CONN_ACK_TIMEOUT);

	return kv_conn_establish(conn_of(obj), ack_timeout, info->extack);
}

static int conn_accept(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	struct kv_conn_param param = {};

	return conn_parse_param(info, obj->dev, &param) ?:
	       kv_conn_accept(conn_of(obj), &param, info->extack);
}

static int conn_reject(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	struct nlattr *data = info->attrs[KVERBS_A_CONN_PRIVATE_DATA];

	return conn_check_data(info, obj, KV_CONN_REJECT_DATA_MAX,
			       "private_data: a rejection transports at most 148 bytes") ?:
	       kv_conn_reject(conn_of(obj), data ? nla_data(data) : NULL,
			      data ? nla_len(data) : 0, info->extack);
}

static int conn_disconnect(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	return kv_conn_disconnect(conn_of(obj), info->extack);
}

/* --- multicast groups --- */

static bool conn_is_group(const union kv_conn_addr *addr)
{
	if (addr->family == AF_INET)
		return ipv4_is_multicast(addr->in.sin_addr.s_addr);
	return addr->family == AF_INET6 && ipv6_addr_is_multicast(&addr->in6.sin6_addr);
}

static int conn_check_join(struct genl_info *info)
{
	union kv_conn_addr group = conn_get_addr(info, KVERBS_A_CONN_GROUP);
	union kv_conn_addr src = conn_get_addr(info, KVERBS_A_CONN_SRC);
	int length = nla_len(info->attrs[KVERBS_A_CONN_GROUP]);
	struct kv_refusal why;
	int ret = conn_check_addr(info, KVERBS_A_CONN_SRC);

	if (ret)
		return ret;
	if (!kv_conn_rules_check_join(conn_any_addr(&src), conn_is_group(&group) &&
				      length == rdma_addr_size((struct sockaddr *)&group),
				      src.family == group.family, &why))
		return 0;
	return kv_msg_refuse_by(info, &why);
}

static int conn_join(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	union kv_conn_addr group = conn_get_addr(info, KVERBS_A_CONN_GROUP);
	union kv_conn_addr src = conn_get_addr(info, KVERBS_A_CONN_SRC);

	if (!(kv_dev_caps(obj->dev) & KVERBS_CAP_UD))
		return kv_refuse(info->extack, -EOPNOTSUPP,
				 "the device has no UD qps, and so no multicast");
	return kv_conn_join(conn_of(obj), &src, &group, info->extack);
}

static int conn_leave(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	return kv_conn_leave(conn_of(obj), info->extack);
}

/* --- all of these --- */

/* NAME: the culprit */
#define RUN(function, NAME) .run = conn_##function, .culprit = KVERBS_A_CONN_##NAME

#define TAKES(NAME) KV_TAKES(CONN, NAME)
#define NEEDS(NAME, text) KV_NEEDS(CONN, NAME, text)

#define QP NEEDS(QP, "qp is missing: what shall be connected?")

static const struct kv_command conn_commands[] = {
	KV_COMMAND(CONN, NEW, .doit = kv_netlink_new, TAKES(DEV), TAKES(PERSISTENT)),
	KV_COMMAND(CONN, DEL, .run = kv_noun_del, TAKES(ID)),
	KV_COMMAND(CONN, GET, KV_SHOWS, TAKES(ID)),
	{ .cmd = KVERBS_CMD_CONN_LISTEN, .check = conn_check_addrs, RUN(listen, SRC),
	  KV_TAKEN(TAKES(ID), NEEDS(SRC, "src is missing: listen at which address?"),
		   TAKES(BACKLOG)) },
	KV_COMMAND(CONN, GET_REQUEST, .doit = conn_get_request, TAKES(ID)),
	{ .cmd = KVERBS_CMD_CONN_RESOLVE_ADDR, .check = conn_check_resolve, RUN(resolve_addr, DST),
	  KV_TAKEN(TAKES(ID), TAKES(SRC), NEEDS(DST, "dst is missing: where is the peer?"),
		   TAKES(TIMEOUT_MS)) },
	KV_COMMAND(CONN, RESOLVE_ROUTE, RUN(resolve_route, ID), TAKES(ID), TAKES(TIMEOUT_MS)),
	KV_COMMAND(CONN, CONNECT, RUN(connect, QP), TAKES(ID), QP, TAKES(ACCESS),
		   TAKES(PRIVATE_DATA), TAKES(RESPONDER_RESOURCES), TAKES(INITIATOR_DEPTH),
		   TAKES(RETRY_CNT), TAKES(RNR_RETRY)),
	KV_COMMAND(CONN, ESTABLISH, RUN(establish, ID), TAKES(ID), TAKES(ACK_TIMEOUT)),
	KV_COMMAND(CONN, ACCEPT, RUN(accept, QP), TAKES(ID), QP, TAKES(ACCESS),
		   TAKES(PRIVATE_DATA), TAKES(RESPONDER_RESOURCES), TAKES(INITIATOR_DEPTH),
		   TAKES(RNR_RETRY), TAKES(ACK_TIMEOUT)),
	KV_COMMAND(CONN, REJECT, RUN(reject, ID), TAKES(ID), TAKES(PRIVATE_DATA)),
	KV_COMMAND(CONN, DISCONNECT, RUN(disconnect, ID), TAKES(ID)),
	{ .cmd = KVERBS_CMD_CONN_JOIN, .check = conn_check_join, RUN(join, SRC),
	  KV_TAKEN(TAKES(ID), NEEDS(SRC, "src is missing: join from which address?"),
		   NEEDS(GROUP, "group is missing: join which one?")) },
	KV_COMMAND(CONN, LEAVE, RUN(leave, ID), TAKES(ID)),
};

KV_COMMAND_SET(conn, CONN, &conn_noun);
