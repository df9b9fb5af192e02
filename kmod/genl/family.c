// SPDX-License-Identifier: GPL-2.0
#include <linux/notifier.h>
#include "event.h"
#include "genl/call.h"
#include "genl/family.h"
#include "genl/msg.h"

static const struct kv_command_set *const sets[] = {
	&kv_info_commands,
	&kv_dev_commands,
	&kv_pd_commands,
	&kv_cq_commands,
	&kv_buf_commands,
	&kv_mr_commands,
	&kv_srq_commands,
	&kv_ah_commands,
	&kv_qp_commands,
	&kv_wr_commands,
	&kv_run_commands,
	&kv_conn_commands,
};

/* Room for all of them: EVENT has none. */
static struct genl_ops kv_ops[KVERBS_CMD_MAX - 1] __ro_after_init;
static unsigned int kv_n_ops __ro_after_init;

/* The policy of each of them. The attributes of QPs are the most. */
static struct nla_policy policies[ARRAY_SIZE(kv_ops)][KVERBS_A_QP_MAX + 1] __ro_after_init;

static const struct genl_multicast_group kv_groups[] = {
	{ .name = KVERBS_MCGRP_EVENTS, .flags = GENL_MCAST_CAP_NET_ADMIN },
};

/*
 * Each command has its own policy: so generic netlink refuses the attributes that the command
 * does not take, and reports the attributes that it takes (CTRL_CMD_GETPOLICY).
 */
static void __init family_make_policy(const struct kv_command_set *set,
				      const struct kv_command *command, struct nla_policy *policy)
{
	const struct kv_taken *taken;
	unsigned int i;

	for (i = 1; i <= set->max; i++) {
		policy[i].type = NLA_REJECT;
		policy[i].reject_message = "no command takes this attribute: only replies have it";
	}
	for (i = 0; i < set->commands; i++)
		for (taken = set->command[i].takes; taken && taken->surplus; taken++)
			policy[taken->attr].reject_message = taken->surplus;
	/* memcpy() and no assignment: some members are const. */
	for (taken = command->takes; taken && taken->surplus; taken++)
		memcpy(&policy[taken->attr], &set->policy[taken->attr], sizeof(*policy));
}

static void __init family_add_command(const struct kv_command_set *set,
				      const struct kv_command *command)
{
	struct nla_policy *policy = policies[kv_n_ops];

	family_make_policy(set, command, policy);
	kv_command_add(set, command);
	kv_ops[kv_n_ops++] = (struct genl_ops){
		.cmd = command->cmd,
		.internal_flags = command->at_once ? KV_CALL_AT_ONCE : 0,
		.flags = GENL_ADMIN_PERM,
		.policy = policy,
		.maxattr = set->max,
		.doit = command->doit ?: kv_netlink_command,
		.start = command->start,
		.dumpit = command->dumpit,
	};
}

/*
 * Called when the last reference to a socket goes, in a context that may sleep. No handler is
 * called for the socket any more: a sender would hold the socket's file.
 */
static int family_socket_closed(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *notify = data;
	struct kv_owner *owner;

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	while ((owner = kv_owner_closed(notify->net, notify->portid)))
		kv_closed_begin(owner);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = family_socket_closed,
};

/*
 * The namespace's persistent objects end with it. All its sockets are closed, and their objects
 * destroyed: until then these keep the namespace.
 */
static void __net_exit family_net_gone(struct net *net)
{
	struct kv_owner *owner = kv_owner_of_net(net);

	kv_obj_remove_owner(owner);
	kv_event_flush();
	kv_owner_remove(owner);
	kv_owner_put(owner);
}

static struct pernet_operations net_ops = {
	.init = kv_owner_add_net,
	.exit = family_net_gone,
};

/**
 * kv_netlink_init() - register the family: from now on requests come in
 *
 * Return: 0 or a negative errno.
 */
int __init kv_netlink_init(void)
{
	unsigned int set, i;
	int ret;

	for (set = 0; set < ARRAY_SIZE(sets); set++)
		for (i = 0; i < sets[set]->commands; i++)
			family_add_command(sets[set], &sets[set]->command[i]);
	kv_family.ops = kv_ops;
	kv_family.n_ops = kv_n_ops;
	kv_family.mcgrps = kv_groups;
	kv_family.n_mcgrps = ARRAY_SIZE(kv_groups);
	kv_family.pre_doit = kv_call_begin;
	kv_family.post_doit = kv_call_end;
	ret = kv_jobs_start();
	if (ret)
		return ret;
	ret = register_pernet_subsys(&net_ops);
	if (ret)
		goto err_stop_jobs;
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
err_stop_jobs:
	kv_jobs_stop();
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
	/* Before the owners go: queued commands make objects for them. */
	kv_jobs_stop();
	unregister_pernet_subsys(&net_ops);
}
