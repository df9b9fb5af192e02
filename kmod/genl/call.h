/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_CALL_H
#define _KV_CALL_H

#include <net/genetlink.h>
#include "compat.h"
#include "owner.h"

struct kv_dev;

/* genl_ops.internal_flags: the command does not wait, for a verb, a thread, or another command */
#define KV_CALL_AT_ONCE 1

/**
 * struct kv_call - a command under way; genl_info.user_ptr[0]
 * @owner: the sender, with a reference
 * @run: carries the command out
 * @attrs: how many attributes its policy has
 * @skb: the message; of a queued command a clone, which is freed with the call
 * @nice: the niceness of the sender's thread
 * @queued: a work item carries the command out, and may wait
 */
struct kv_call {
	struct kv_owner *owner;
	int (*run)(struct sk_buff *skb, struct genl_info *info);
	unsigned int attrs;
	struct sk_buff *skb;
	int nice;
	bool queued;
};

int kv_call_check_opener(const struct sk_buff *skb, struct netlink_ext_ack *extack);
int kv_call_begin(const struct kv_compat_genl_ops *ops, struct sk_buff *skb,
		  struct genl_info *info);
void kv_call_end(const struct kv_compat_genl_ops *ops, struct sk_buff *skb, struct genl_info *info);
int kv_call_lock(struct genl_info *info, struct kv_dev *dev);
bool kv_call_socket_closed(const struct kv_call *call);

/**
 * kv_call_of() - the call of a message
 * @info: the message
 *
 * Return: the call.
 */
static inline struct kv_call *kv_call_of(const struct genl_info *info)
{
	return info->user_ptr[0];
}

#endif
