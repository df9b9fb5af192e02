// SPDX-License-Identifier: GPL-2.0
#include <linux/in.h>
#include <net/ipv6.h>
#include <rdma/ib_verbs.h>
#include "conn.h"
#include "dev.h"
#include "genl/msg.h"
#include "qp.h"

#define POLICY_ADDR \
	NLA_POLICY_RANGE(NLA_BINARY, sizeof(struct sockaddr_in), sizeof(struct sockaddr_in6))
#define POLICY_RETRIES NLA_POLICY_MAX(NLA_U32, 7)

/* Not const: 6.1's policies point to non-const. */
static struct netlink_range_validation range_timeout_ms = { .min = 1, .max = 60000 };

const struct nla_policy kv_conn_policy[KVERBS_A_CONN_MAX + 1] = {
	[KVERBS_A_CONN_ID] = KV_POLICY_ID,
	[KVERBS_A_CONN_DEV] = KV_POLICY_NAME,
	[KVERBS_A_CONN_PERSISTENT] = { .type = NLA_FLAG },
	[KVERBS_A_CONN_SRC] = POLICY_ADDR,
	[KVERBS_A_CONN_DST] = POLICY_ADDR,
	[KVERBS_A_CONN_BACKLOG] = NLA_POLICY_RANGE(NLA_U32, 1, KVERBS_CONN_BACKLOG_MAX),
	[KVERBS_A_CONN_TIMEOUT_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &range_timeout_ms),
	[KVERBS_A_CONN_QP] = KV_POLICY_ID,
	[KVERBS_A_CONN_ACCESS] = KV_POLICY_ACCESS,
	[KVERBS_A_CONN_PRIVATE_DATA] = { .type = NLA_BINARY,
					 .len = KVERBS_CONN_PRIVATE_MAX },
	[KVERBS_A_CONN_RESPONDER_RESOURCES] = KV_POLICY_8BIT,
	[KVERBS_A_CONN_INITIATOR_DEPTH] = KV_POLICY_8BIT,
	[KVERBS_A_CONN_RETRY_CNT] = POLICY_RETRIES,
	[KVERBS_A_CONN_RNR_RETRY] = POLICY_RETRIES,
	[KVERBS_A_CONN_ACK_TIMEOUT] = NLA_POLICY_MAX(NLA_U32, 31),
};

/* --- what a CONN is --- */

static int put_addr(struct sk_buff *skb, int attr, const union kv_conn_addr *addr)
{
	switch (addr->family) {
	case AF_INET:
		return nla_put(skb, attr, sizeof(addr->in), &addr->in);
	case AF_INET6:
		return nla_put(skb, attr, sizeof(addr->in6), &addr->in6);
	default:
		return 0;
	}
}

static bool any_addr(const union kv_conn_addr *addr)
{
	if (addr->family == AF_INET)
		return addr->in.sin_addr.s_addr == htonl(INADDR_ANY);
	return ipv6_addr_any(&addr->in6.sin6_addr);
}

static int put_listener(struct sk_buff *skb, const struct kv_conn_view *view)
{
	if (!view->backlog)
		return 0;
	return nla_put_u32(skb, KVERBS_A_CONN_BACKLOG, view->backlog) ?:
	       nla_put_u32(skb, KVERBS_A_CONN_WAITING, view->waiting);
}

static int put_peer(struct sk_buff *skb, const struct kv_conn_view *view)
{
	int ret = 0;

	if (view->listener)
		ret = nla_put_u32(skb, KVERBS_A_CONN_LISTENER, view->listener);
	if (!ret && view->requested)
		ret = nla_put_u32(skb, KVERBS_A_CONN_RESPONDER_RESOURCES,
				  view->responder_resources) ?:
		      nla_put_u32(skb, KVERBS_A_CONN_INITIATOR_DEPTH, view->initiator_depth);
	if (!ret && view->data.length)
		ret = nla_put(skb, KVERBS_A_CONN_PRIVATE_DATA, view->data.length,
			      view->data.bytes);
	return ret;
}

static int put_news(struct sk_buff *skb, const struct kv_conn_view *view)
{
	return nla_put_u32(skb, KVERBS_A_CONN_STATE, view->news.state) ?:
	       nla_put_u32(skb, KVERBS_A_CONN_EVENT, view->news.event) ?:
	       nla_put_s32(skb, KVERBS_A_CONN_STATUS, view->news.status) ?:
	       (view->reason ? nla_put_string(skb, KVERBS_A_CONN_REASON, view->reason) : 0);
}

static int fill_conn(struct sk_buff *skb, struct kv_obj *obj)
{
	struct kv_conn_view view;

	kv_conn_show(container_of(obj, struct kv_conn, obj), &view);
	return kv_put_obj(skb, obj, KVERBS_A_CONN_ID, KVERBS_A_CONN_DEV,
			  KVERBS_A_CONN_PERSISTENT) ?:
	       put_addr(skb, KVERBS_A_CONN_SRC, &view.src) ?:
	       (any_addr(&view.dst) ? 0 : put_addr(skb, KVERBS_A_CONN_DST, &view.dst)) ?:
	       put_listener(skb, &view) ?:
	       kv_put_parent(skb, KVERBS_A_CONN_QP, obj, 0) ?:
	       put_peer(skb, &view) ?:
	       put_news(skb, &view);
}

int kv_netlink_conn_del(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_del_obj(info, &kv_conn_class, KVERBS_A_CONN_ID, KVERBS_A_CONN_VERB_NS);
}

int kv_netlink_conn_get(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_get_obj(info, &kv_conn_class, KVERBS_A_CONN_ID, fill_conn);
}

int kv_netlink_conn_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return kv_msg_dump_objs(skb, cb, &kv_conn_class, KVERBS_CMD_CONN_GET, fill_conn);
}

/* --- making one --- */

int kv_netlink_conn_new(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_owner *owner = kv_msg_new_owner(info, KVERBS_A_CONN_PERSISTENT);
	struct kv_reply reply;
	struct kv_obj *conn;
	struct kv_dev *dev;
	int ret;

	ret = kv_msg_begin_dev(info, KVERBS_A_CONN_DEV, &reply, &dev);
	if (ret)
		return ret;
	if (!(kv_dev_can(dev) & KVERBS_CAN_CM)) {
		kv_msg_unlock_dev(dev);
		ret = kv_msg_refuse(info, info->attrs[KVERBS_A_CONN_DEV], -EOPNOTSUPP,
				    "the device has no connection manager");
		return kv_reply_end(info, &reply, ret);
	}
	conn = kv_conn_create(dev, owner, info->extack);
	ret = kv_msg_end_new(info, &reply, conn, fill_conn, KVERBS_A_CONN_VERB_NS);
	kv_msg_unlock_dev(dev);
	return ret;
}

/* --- a command on one --- */

static struct kv_conn *to_conn(struct kv_obj *obj)
{
	return container_of(obj, struct kv_conn, obj);
}

/* As kv_msg_begin_obj(), and the CONN is in one of the states. */
static int begin(struct genl_info *info, u32 states, struct kv_reply *reply,
		 struct kv_obj **obj)
{
	int ret;

	ret = kv_msg_begin_obj(info, KVERBS_A_CONN_ID, &kv_conn_class, GENLMSG_DEFAULT_SIZE,
			       reply, obj);
	if (ret)
		return ret;
	ret = kv_conn_expect(to_conn(*obj), states, info->extack);
	if (!ret)
		return 0;
	NL_SET_BAD_ATTR(info->extack, info->attrs[KVERBS_A_CONN_ID]);
	return kv_msg_end_obj(info, reply, *obj, ret);
}

/* Ends a command that was refused because of an attribute, or has worked. */
static int end(struct genl_info *info, struct kv_reply *reply, struct kv_obj *obj,
	       int culprit, int error)
{
	if (!error)
		error = kv_put_u64(reply->skb, KVERBS_A_CONN_VERB_NS, obj->verb_ns);
	else if (!info->extack->bad_attr && info->attrs[culprit])
		NL_SET_BAD_ATTR(info->extack, info->attrs[culprit]);
	return kv_msg_end_obj(info, reply, obj, error);
}

int kv_netlink_conn_take(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_obj *listener, *made;
	struct kv_reply reply;
	int ret;

	ret = begin(info, BIT(KVERBS_CONN_LISTENING), &reply, &listener);
	if (ret)
		return ret;
	made = kv_conn_take(to_conn(listener), info->extack);
	ret = kv_msg_end_new(info, &reply, made, fill_conn, 0);
	kv_obj_unlock(listener);
	return ret;
}

static int parse_in6(struct genl_info *info, struct nlattr *attr,
		     const struct sockaddr_in6 *in6)
{
	if (ipv6_addr_is_multicast(&in6->sin6_addr))
		return kv_msg_refuse(info, attr, -EINVAL,
				     "a multicast address: nobody answers there");
	if (ipv6_addr_type(&in6->sin6_addr) & IPV6_ADDR_LINKLOCAL && !in6->sin6_scope_id)
		return kv_msg_refuse(info, attr, -EINVAL,
				     "a link-local address needs a scope: the index of the netdev");
	return 0;
}

static int parse_in(struct genl_info *info, struct nlattr *attr, const struct sockaddr_in *in)
{
	if (ipv4_is_multicast(in->sin_addr.s_addr) || ipv4_is_lbcast(in->sin_addr.s_addr))
		return kv_msg_refuse(info, attr, -EINVAL,
				     "a multicast or broadcast address: nobody answers there");
	return 0;
}

/* Family 0 if the attribute is absent. */
static int parse_addr(struct genl_info *info, int number, union kv_conn_addr *addr)
{
	struct nlattr *attr = info->attrs[number];

	memset(addr, 0, sizeof(*addr));
	if (!attr)
		return 0;
	nla_memcpy(addr, attr, sizeof(*addr));
	if (addr->family == AF_INET && nla_len(attr) == sizeof(addr->in))
		return parse_in(info, attr, &addr->in);
	if (addr->family == AF_INET6 && nla_len(attr) == sizeof(addr->in6))
		return parse_in6(info, attr, &addr->in6);
	return kv_msg_refuse(info, attr, -EINVAL,
			     "an address is a struct sockaddr_in of AF_INET, or a sockaddr_in6 of AF_INET6");
}

int kv_netlink_conn_listen(struct sk_buff *skb, struct genl_info *info)
{
	union kv_conn_addr src;
	struct kv_reply reply;
	struct kv_obj *obj;
	int ret;

	if (!kv_msg_need(info, KVERBS_A_CONN_SRC, "src is missing: listen at which address?"))
		return -EINVAL;
	ret = parse_addr(info, KVERBS_A_CONN_SRC, &src);
	if (ret)
		return ret;
	ret = begin(info, BIT(KVERBS_CONN_IDLE), &reply, &obj);
	if (ret)
		return ret;
	ret = kv_conn_listen(to_conn(obj), &src,
			     kv_u32_or(info->attrs[KVERBS_A_CONN_BACKLOG], 128), info->extack);
	if (!ret)
		ret = fill_conn(reply.skb, obj);
	return end(info, &reply, obj, KVERBS_A_CONN_SRC, ret);
}

static int parse_dst(struct genl_info *info, const union kv_conn_addr *src,
		     union kv_conn_addr *dst)
{
	struct nlattr *attr;
	int ret;

	attr = kv_msg_need(info, KVERBS_A_CONN_DST, "dst is missing: where is the peer?");
	if (!attr)
		return -EINVAL;
	ret = parse_addr(info, KVERBS_A_CONN_DST, dst);
	if (ret)
		return ret;
	if (any_addr(dst))
		return kv_msg_refuse(info, attr, -EINVAL, "dst must be the address of a peer");
	/* At the same place in both families. */
	if (!dst->in.sin_port)
		return kv_msg_refuse(info, attr, -EINVAL, "dst needs a port");
	if (src->family && src->family != dst->family)
		return kv_msg_refuse(info, info->attrs[KVERBS_A_CONN_SRC], -EINVAL,
				     "src and dst must be of the same family");
	return 0;
}

static u32 timeout_ms(struct genl_info *info)
{
	return kv_u32_or(info->attrs[KVERBS_A_CONN_TIMEOUT_MS], 2000);
}

int kv_netlink_conn_resolve_addr(struct sk_buff *skb, struct genl_info *info)
{
	union kv_conn_addr src, dst;
	struct kv_reply reply;
	struct kv_obj *obj;
	bool src_wrong;
	int ret;

	ret = parse_addr(info, KVERBS_A_CONN_SRC, &src) ?: parse_dst(info, &src, &dst);
	if (ret)
		return ret;
	ret = begin(info, BIT(KVERBS_CONN_IDLE), &reply, &obj);
	if (ret)
		return ret;
	ret = kv_conn_resolve_addr(to_conn(obj), &src, &dst, timeout_ms(info), &src_wrong,
				   info->extack);
	return end(info, &reply, obj, src_wrong ? KVERBS_A_CONN_SRC : KVERBS_A_CONN_DST, ret);
}

int kv_netlink_conn_resolve_route(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_reply reply;
	struct kv_obj *obj;
	int ret;

	ret = begin(info, BIT(KVERBS_CONN_ADDR_RESOLVED), &reply, &obj);
	if (ret)
		return ret;
	ret = kv_conn_resolve_route(to_conn(obj), timeout_ms(info), info->extack);
	return end(info, &reply, obj, KVERBS_A_CONN_ID, ret);
}

/* --- the handshake --- */

/* iWARP's messages have room for more than we take. */
static int check_data(struct genl_info *info, struct kv_obj *obj, u32 max, const char *text)
{
	struct ib_device *ib = obj->dev->ib;
	struct nlattr *data = info->attrs[KVERBS_A_CONN_PRIVATE_DATA];

	if (!data || nla_len(data) <= max || rdma_protocol_iwarp(ib, rdma_start_port(ib)))
		return 0;
	return kv_msg_refuse(info, data, -EINVAL, text);
}

static int parse_param(struct genl_info *info, struct kv_dev *dev, struct kv_conn_param *param)
{
	const struct ib_device_attr *limits = &dev->ib->attrs;
	struct nlattr **attrs = info->attrs;
	struct kv_obj *qp;
	int ret;

	ret = kv_msg_check_max(info, KVERBS_A_CONN_RESPONDER_RESOURCES, limits->max_qp_rd_atom,
			       "responder_resources is above the device's max_qp_rd_atom") ?:
	      kv_msg_check_max(info, KVERBS_A_CONN_INITIATOR_DEPTH,
			       limits->max_qp_init_rd_atom,
			       "initiator_depth is above the device's max_qp_init_rd_atom");
	if (ret)
		return ret;
	qp = kv_msg_find_obj(info, attrs[KVERBS_A_CONN_QP], &kv_qp_class, dev);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	param->qp = container_of(qp, struct kv_qp, obj);
	param->access = kv_u32_or(attrs[KVERBS_A_CONN_ACCESS], 0);
	if (attrs[KVERBS_A_CONN_PRIVATE_DATA]) {
		param->data = nla_data(attrs[KVERBS_A_CONN_PRIVATE_DATA]);
		param->length = nla_len(attrs[KVERBS_A_CONN_PRIVATE_DATA]);
	}
	param->responder_resources = kv_u32_or(attrs[KVERBS_A_CONN_RESPONDER_RESOURCES], -1);
	param->initiator_depth = kv_u32_or(attrs[KVERBS_A_CONN_INITIATOR_DEPTH], -1);
	param->retry_cnt = kv_u32_or(attrs[KVERBS_A_CONN_RETRY_CNT], 6);
	param->rnr_retry = kv_u32_or(attrs[KVERBS_A_CONN_RNR_RETRY], 6);
	param->ack_timeout = kv_u32_or(attrs[KVERBS_A_CONN_ACK_TIMEOUT], 14);
	return 0;
}

static bool need_qp(struct genl_info *info)
{
	return kv_msg_need(info, KVERBS_A_CONN_QP, "qp is missing: what shall be connected?");
}

int kv_netlink_conn_connect(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_conn_param param = {};
	struct kv_reply reply;
	struct kv_obj *obj;
	int ret;

	if (!need_qp(info))
		return -EINVAL;
	ret = begin(info, BIT(KVERBS_CONN_ROUTE_RESOLVED), &reply, &obj);
	if (ret)
		return ret;
	ret = check_data(info, obj, KV_CONN_REQUEST_DATA_MAX,
			 "private_data: a request transports at most 56 bytes") ?:
	      parse_param(info, obj->dev, &param) ?:
	      kv_conn_connect(to_conn(obj), &param, info->extack);
	return end(info, &reply, obj, KVERBS_A_CONN_QP, ret);
}

int kv_netlink_conn_establish(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_reply reply;
	struct kv_obj *obj;
	int ret;

	ret = begin(info, BIT(KVERBS_CONN_ANSWERED), &reply, &obj);
	if (ret)
		return ret;
	ret = kv_conn_establish(to_conn(obj),
				kv_u32_or(info->attrs[KVERBS_A_CONN_ACK_TIMEOUT], 14),
				info->extack);
	return end(info, &reply, obj, KVERBS_A_CONN_ID, ret);
}

int kv_netlink_conn_accept(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_conn_param param = {};
	struct kv_reply reply;
	struct kv_obj *obj;
	int ret;

	if (!need_qp(info))
		return -EINVAL;
	ret = begin(info, BIT(KVERBS_CONN_REQUESTED), &reply, &obj);
	if (ret)
		return ret;
	ret = parse_param(info, obj->dev, &param) ?:
	      kv_conn_accept(to_conn(obj), &param, info->extack);
	return end(info, &reply, obj, KVERBS_A_CONN_QP, ret);
}

int kv_netlink_conn_reject(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *data = info->attrs[KVERBS_A_CONN_PRIVATE_DATA];
	struct kv_reply reply;
	struct kv_obj *obj;
	int ret;

	ret = begin(info, BIT(KVERBS_CONN_REQUESTED) | BIT(KVERBS_CONN_ANSWERED), &reply, &obj);
	if (ret)
		return ret;
	ret = check_data(info, obj, KV_CONN_REJECT_DATA_MAX,
			 "private_data: a rejection transports at most 148 bytes") ?:
	      kv_conn_reject(to_conn(obj), data ? nla_data(data) : NULL,
			     data ? nla_len(data) : 0, info->extack);
	return end(info, &reply, obj, KVERBS_A_CONN_ID, ret);
}

int kv_netlink_conn_disconnect(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_reply reply;
	struct kv_obj *obj;
	int ret;

	ret = begin(info, BIT(KVERBS_CONN_ESTABLISHED), &reply, &obj);
	if (ret)
		return ret;
	ret = kv_conn_disconnect(to_conn(obj), info->extack);
	return end(info, &reply, obj, KVERBS_A_CONN_ID, ret);
}
