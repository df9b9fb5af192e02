// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include "compat.h"
#include "event.h"
#include "genl/family.h"
#include "genl/msg.h"
#include "obj.h"

#define OP(NOUN, CMD, function, attrs) {		\
	.cmd = KVERBS_CMD_##NOUN##_##CMD,		\
	.internal_flags = KV_OBJ_##NOUN,		\
	.flags = GENL_ADMIN_PERM,			\
	.policy = attrs,				\
	.maxattr = ARRAY_SIZE(attrs) - 1,		\
	.doit = kv_netlink_##function,			\
}

#define GET(NOUN, function, attrs) {			\
	.cmd = KVERBS_CMD_##NOUN##_GET,			\
	.internal_flags = KV_OBJ_##NOUN,		\
	.flags = GENL_ADMIN_PERM,			\
	.policy = attrs,				\
	.maxattr = ARRAY_SIZE(attrs) - 1,		\
	.doit = kv_netlink_##function,			\
	.start = kv_netlink_dump_start,			\
	.dumpit = kv_netlink_dump,			\
}

static const struct genl_ops kv_ops[] = {
	{
		.cmd = KVERBS_CMD_INFO_GET,
		.flags = GENL_ADMIN_PERM,
		.doit = kv_netlink_info_get,
	},
	{
		.cmd = KVERBS_CMD_FLUSH,
		.flags = GENL_ADMIN_PERM,
		.doit = kv_netlink_flush,
	},
	{
		.cmd = KVERBS_CMD_DEV_GET,
		.flags = GENL_ADMIN_PERM,
		.policy = kv_dev_policy,
		.maxattr = ARRAY_SIZE(kv_dev_policy) - 1,
		.doit = kv_netlink_dev_get,
		.start = kv_netlink_dev_start,
		.dumpit = kv_netlink_dev_dump,
	},
	{
		.cmd = KVERBS_CMD_WR_POST,
		.flags = GENL_ADMIN_PERM,
		.policy = kv_wr_policy,
		.maxattr = ARRAY_SIZE(kv_wr_policy) - 1,
		.doit = kv_netlink_wr_post,
	},
	GET(PD, get, kv_pd_policy),
	GET(CQ, get, kv_cq_policy),
	GET(MR, get, kv_mr_policy),
	GET(SRQ, get, kv_srq_policy),
	GET(AH, get, kv_ah_policy),
	GET(QP, get, kv_qp_policy),
	GET(CONN, get, kv_conn_policy),
	GET(RUN, run_get, kv_run_policy),
	OP(PD, NEW, new, kv_pd_policy),
	OP(PD, DEL, del, kv_pd_policy),
	OP(CQ, NEW, new, kv_cq_policy),
	OP(CQ, DEL, del, kv_cq_policy),
	OP(CQ, POLL, cq_poll, kv_cq_policy),
	OP(CQ, ARM, cq_arm, kv_cq_policy),
	OP(MR, NEW, new, kv_mr_policy),
	OP(MR, DEL, del, kv_mr_policy),
	OP(MR, REG, mr_reg, kv_mr_policy),
	OP(MR, INV, mr_inv, kv_mr_policy),
	OP(MR, WRITE, mr_write, kv_mr_policy),
	OP(MR, READ, mr_read, kv_mr_policy),
	OP(MR, LOAD, mr_load, kv_mr_policy),
	OP(MR, SAVE, mr_save, kv_mr_policy),
	OP(SRQ, NEW, new, kv_srq_policy),
	OP(SRQ, DEL, del, kv_srq_policy),
	OP(SRQ, MODIFY, srq_modify, kv_srq_policy),
	OP(AH, NEW, new, kv_ah_policy),
	OP(AH, DEL, del, kv_ah_policy),
	OP(QP, NEW, new, kv_qp_policy),
	OP(QP, DEL, del, kv_qp_policy),
	OP(QP, MODIFY, qp_modify, kv_qp_policy),
	OP(CONN, NEW, new, kv_conn_policy),
	OP(CONN, DEL, del, kv_conn_policy),
	OP(CONN, LISTEN, conn_command, kv_conn_policy),
	OP(CONN, TAKE, conn_take, kv_conn_policy),
	OP(CONN, RESOLVE_ADDR, conn_command, kv_conn_policy),
	OP(CONN, RESOLVE_ROUTE, conn_command, kv_conn_policy),
	OP(CONN, CONNECT, conn_command, kv_conn_policy),
	OP(CONN, ESTABLISH, conn_command, kv_conn_policy),
	OP(CONN, ACCEPT, conn_command, kv_conn_policy),
	OP(CONN, REJECT, conn_command, kv_conn_policy),
	OP(CONN, DISCONNECT, conn_command, kv_conn_policy),
	OP(RUN, START, run_start, kv_run_policy),
	OP(RUN, CANCEL, run_cancel, kv_run_policy),
	OP(RUN, DEL, del, kv_run_policy),
};

static const struct genl_multicast_group kv_groups[] = {
	{ .name = KVERBS_MCGRP_EVENTS, .flags = GENL_MCAST_CAP_NET_ADMIN },
};

/* Before each command: who asks, and of which noun? */
static int begin_command(const struct kv_compat_genl_ops *ops, struct sk_buff *skb,
			 struct genl_info *info)
{
	int ret = kv_msg_check_opener(skb, info->extack);

	if (ret)
		return ret;
	info->user_ptr[1] = (void *)(uintptr_t)ops->internal_flags;
	info->user_ptr[0] = kv_owner_of_socket(NETLINK_CB(skb).sk, info->snd_portid);
	return info->user_ptr[0] ? 0 : -ENOMEM;
}

static void end_command(const struct kv_compat_genl_ops *ops, struct sk_buff *skb,
			struct genl_info *info)
{
	kv_owner_put(info->user_ptr[0]);
}

/*
 * Called when the last reference to a socket goes, from where it may sleep. No
 * command of the socket is under way: who sends one holds the socket's file.
 */
static int socket_closed(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *notify = data;
	struct kv_owner *owner;
	unsigned int kept;

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	while ((owner = kv_owner_closed(notify->net, notify->portid))) {
		kv_obj_remove_owner(owner, &kept);
		kv_owner_remove(owner);
		kv_owner_put(owner);
	}
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = socket_closed,
};

static int __net_init net_came(struct net *net)
{
	return kv_owner_add_net(net);
}

/* A namespace takes its persistent objects along; all its sockets are closed. */
static void __net_exit net_gone(struct net *net)
{
	struct kv_owner *owner = kv_owner_of_net(net);
	unsigned int kept;

	kv_obj_remove_owner(owner, &kept);
	kv_event_flush();
	kv_owner_remove(owner);
	kv_owner_put(owner);
}

static struct pernet_operations net_ops = {
	.init = net_came,
	.exit = net_gone,
};

/**
 * kv_netlink_init() - open for requests
 *
 * Return: 0 or a negative errno.
 */
int __init kv_netlink_init(void)
{
	int ret;

	kv_family.ops = kv_ops;
	kv_family.n_ops = ARRAY_SIZE(kv_ops);
	kv_family.mcgrps = kv_groups;
	kv_family.n_mcgrps = ARRAY_SIZE(kv_groups);
	kv_family.pre_doit = begin_command;
	kv_family.post_doit = end_command;
	ret = register_pernet_subsys(&net_ops);
	if (ret)
		return ret;
	ret = netlink_register_notifier(&notifier);
	if (ret)
		goto err_unregister_pernet;
	ret = genl_register_family(&kv_family);
	if (ret)
		goto err_unregister_notifier;
	kv_event_set_sender(&kv_netlink_sender);
	return 0;

err_unregister_notifier:
	netlink_unregister_notifier(&notifier);
err_unregister_pernet:
	unregister_pernet_subsys(&net_ops);
	return ret;
}

/**
 * kv_netlink_exit() - no request comes in after this, and none is under way
 */
void kv_netlink_exit(void)
{
	kv_event_set_sender(NULL);
	genl_unregister_family(&kv_family);
	netlink_unregister_notifier(&notifier);
	unregister_pernet_subsys(&net_ops);
}
