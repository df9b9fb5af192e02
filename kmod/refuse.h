/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_REFUSE_H
#define _KV_REFUSE_H

#include <linux/netlink.h>
#include <kverbs.h>
#include "rules/refusal.h"

/**
 * kv_refuse() - refuse a command
 * @extack: where the reason goes; NULL: nobody asks for it
 * @error: negative errno
 * @text: what is wrong and what to do; stays valid
 *
 * Like NL_SET_ERR_MSG(), but also for texts that are not literals.
 *
 * Return: @error
 */
static inline int kv_refuse(struct netlink_ext_ack *extack, int error, const char *text)
{
	do_trace_netlink_extack(text);
	if (extack)
		extack->_msg = text;
	return error;
}

/**
 * kv_verb_failed() - refuse a command because a verb has failed
 * @extack: where the reason goes; NULL: nobody asks for it
 * @stage: which verb
 * @error: negative errno that the verb returned
 * @text: names the verb, and what to do; stays valid
 *
 * Not for refusals before a verb is called. NLMSG_ERROR carries the cookie since 5.7.
 *
 * Return: @error
 */
static inline int kv_verb_failed(struct netlink_ext_ack *extack, enum kverbs_stage stage,
				 int error, const char *text)
{
	u32 cookie = stage;

	if (extack) {
		memcpy(extack->cookie, &cookie, sizeof(cookie));
		extack->cookie_len = sizeof(cookie);
	}
	return kv_refuse(extack, error, text);
}

/**
 * kv_refuse_by() - refuse a command by a rule
 * @extack: where the reason goes; NULL: nobody asks for it
 * @why: the refusal
 *
 * Return: its error
 */
static inline int kv_refuse_by(struct netlink_ext_ack *extack, const struct kv_refusal *why)
{
	return kv_refuse(extack, why->error, why->text);
}

#endif
