// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/kcov.h>
#include <linux/memcontrol.h>
#include <linux/net.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/sock.h>
#include "dev.h"
#include "genl/call.h"
#include "refuse.h"

/*
 * Generic netlink holds a lock while it calls a handler (cb_lock, genl_rcv()). The registration
 * of a family waits for that lock, and all other messages of all families wait behind it. So no
 * handler waits. A work item carries out a command that may wait: the handler returns -EINTR,
 * at which netlink_rcv_skb() acknowledges nothing. The work item calls the same function as the
 * handler of other commands, and then acknowledges the command.
 *
 * The commands of a socket are carried out in the order in which they came. So a command that
 * need not wait is queued, too, if others are queued, if the lock of its device is taken, or if
 * kv_closed_wait() would wait.
 */

/**
 * struct queued - a command that a work item carries out
 * @call: the command; its message is a clone, which shares the bytes of the sender's message
 * @job: in kv_owner.jobs
 * @memcg: the sender's memory cgroup, with a reference; NULL: none
 * @info: the handler's genl_info, but with an @extack and @attrs of its own
 * @extack: the reason of a refusal
 * @attrs: point into the message
 */
struct queued {
	struct kv_call call;
	struct kv_job job;
	struct mem_cgroup *memcg;
	struct genl_info info;
	struct netlink_ext_ack extack;
	struct nlattr *attrs[];
};

/**
 * kv_call_socket_closed() - has the sender's socket been closed?
 * @call: the call
 *
 * A closed socket's port number may be in use again: answers would go to another socket.
 *
 * Return: true if nobody waits for the answer.
 */
bool kv_call_socket_closed(const struct kv_call *call)
{
	return sock_flag(NETLINK_CB(call->skb).sk, SOCK_DEAD);
}

static void call_run_queued(struct kv_job *job)
{
	struct queued *queued = container_of(job, struct queued, job);
	struct sk_buff *skb = queued->call.skb;
	struct nlmsghdr *nlh = nlmsg_hdr(skb);
	struct mem_cgroup *old;
	int ret;

	kv_closed_wait(queued->call.owner);
	/* Memory is charged to the sender. */
	old = set_active_memcg(queued->memcg);
	/* kcov reports the code that a fuzzer's messages reach under the sender's handle. */
	kcov_remote_start_common(skb_get_kcov_handle(skb));
	ret = queued->call.run(skb, &queued->info);
	kcov_remote_stop();
	set_active_memcg(old);
	if ((ret || nlh->nlmsg_flags & NLM_F_ACK) && !kv_call_socket_closed(&queued->call))
		netlink_ack(skb, nlh, ret, &queued->extack);
	cond_resched();
}

static void call_release_queued(struct kv_job *job)
{
	struct queued *queued = container_of(job, struct queued, job);

	/* The message is not charged to the socket. */
	queued->call.skb->sk = NULL;
	consume_skb(queued->call.skb);
	mem_cgroup_put(queued->memcg);
	kv_owner_put(queued->call.owner);
	kfree(queued);
}

/* -EINTR: a work item will carry out the command, and the handler must not touch it again. */
static int call_queue(const struct kv_call *call, const struct genl_info *info)
{
	unsigned int attrs = info->attrs ? call->attrs : 0;
	struct queued *queued;

	queued = kzalloc(struct_size(queued, attrs, attrs), GFP_KERNEL_ACCOUNT);
	if (!queued)
		return -ENOMEM;
	queued->call = *call;
	queued->call.queued = true;
	queued->call.skb = netlink_skb_clone(call->skb, GFP_KERNEL);
	if (!queued->call.skb) {
		kfree(queued);
		return -ENOMEM;
	}
	/* The kernel's socket: netlink_ack() sends from there. */
	queued->call.skb->sk = call->skb->sk;
	kv_owner_get(call->owner);
	queued->job.run = call_run_queued;
	queued->job.release = call_release_queued;
	queued->memcg = get_mem_cgroup_from_mm(current->mm);
	queued->info = *info;
	queued->info.attrs = queued->attrs;
	queued->info.extack = &queued->extack;
	queued->info.user_ptr[0] = &queued->call;
	memcpy(queued->attrs, info->attrs, attrs * sizeof(*queued->attrs));
	if (kv_jobs_add(&call->owner->jobs, &queued->job))
		return -EINTR;
	call_release_queued(&queued->job);
	return kv_refuse(info->extack, -EBUSY,
			 "128 commands of this socket have not been answered: read the answers first");
}

/**
 * kv_call_check_opener() - may the opener of the sender's socket use the module?
 * @skb: the message
 * @extack: where the reason of a refusal goes
 *
 * Generic netlink always checks the sender, but it checks the opener only for a message without
 * a destination (__netlink_ns_capable(), net/netlink/af_netlink.c). So a privileged process
 * could be made to send through a socket that was passed to it.
 *
 * Return: 0 or -EPERM.
 */
int kv_call_check_opener(const struct sk_buff *skb, struct netlink_ext_ack *extack)
{
	const struct socket *socket = NETLINK_CB(skb).sk->sk_socket;

	if (socket && socket->file && file_ns_capable(socket->file, &init_user_ns, CAP_NET_ADMIN))
		return 0;
	return kv_refuse(extack, -EPERM,
			 "the socket was opened without CAP_NET_ADMIN in the initial user namespace");
}

/**
 * kv_call_begin() - before each command: find its owner, and queue it if it may wait
 * @ops: the command
 * @skb: the message
 * @info: the parsed message
 *
 * Return: 0, to be followed by kv_call_end(); -EINTR if the command is queued; or a refusal.
 */
int kv_call_begin(const struct kv_compat_genl_ops *ops, struct sk_buff *skb, struct genl_info *info)
{
	struct kv_call call = {
		.run = ops->doit,
		.attrs = ops->maxattr + 1,
		.skb = skb,
		.nice = task_nice(current),
	};
	int ret = kv_call_check_opener(skb, info->extack);

	if (ret)
		return ret;
	call.owner = kv_owner_of_socket(NETLINK_CB(skb).sk, info->snd_portid);
	if (!call.owner)
		return -ENOMEM;
	if (!(ops->internal_flags & KV_CALL_AT_ONCE) || kv_jobs_any(&call.owner->jobs) ||
	    kv_closed_pending(call.owner)) {
		ret = call_queue(&call, info);
	} else {
		info->user_ptr[0] = kmemdup(&call, sizeof(call), GFP_KERNEL);
		ret = info->user_ptr[0] ? 0 : -ENOMEM;
	}
	if (ret)
		kv_owner_put(call.owner);
	return ret;
}

/**
 * kv_call_end() - after a command that was carried out in its handler, or was queued there
 * @ops: the command
 * @skb: the message
 * @info: the parsed message
 */
void kv_call_end(const struct kv_compat_genl_ops *ops, struct sk_buff *skb, struct genl_info *info)
{
	struct kv_call *call = kv_call_of(info);

	kv_owner_put(call->owner);
	kfree(call);
}

/**
 * kv_call_lock() - enter the control path of a device
 * @info: the message
 * @dev: the device
 *
 * A handler does not wait for the lock: the command is queued, and a work item begins it anew.
 * So the command must not have made or changed anything before.
 *
 * Return: 0 with dev->lock held; without it -EINTR if the command is queued, or another errno.
 */
int kv_call_lock(struct genl_info *info, struct kv_dev *dev)
{
	const struct kv_call *call = kv_call_of(info);

	if (call->queued)
		mutex_lock(&dev->lock);
	else if (!mutex_trylock(&dev->lock))
		return call_queue(call, info);
	return 0;
}
