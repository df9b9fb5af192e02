/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_RULES_REFUSAL_H
#define _KV_RULES_REFUSAL_H

#include <linux/errno.h>
#include <linux/types.h>
#ifndef __KERNEL__
#include <stdbool.h>
#endif

/*
 * The rules of this folder are compiled for the module and for the tool, so that both spaces
 * refuse the same commands with the same text. The rules call no verb and take no lock.
 */

/**
 * struct kv_refusal - why a command is refused
 * @error: negative errno
 * @attr: the attribute that causes the refusal, of the enum that the rule names; 0: none
 * @missing: the cause is that @attr is not there
 * @text: what is wrong and what to do; stays valid
 */
struct kv_refusal {
	int error;
	__u32 attr;
	bool missing;
	const char *text;
};

/* A rule: refuses a command that lacks an attribute which it needs. */
static inline int kv_refusal_if_missing(struct kv_refusal *why, bool missing, __u32 attr,
					const char *text)
{
	if (!missing)
		return 0;
	*why = (struct kv_refusal){ .error = -EINVAL, .attr = attr, .missing = true, .text = text };
	return -EINVAL;
}

static inline int kv_refusal_set_attr(struct kv_refusal *why, int error, __u32 attr,
				      const char *text)
{
	*why = (struct kv_refusal){ .error = error, .attr = attr, .text = text };
	return error;
}

static inline int kv_refusal_set(struct kv_refusal *why, int error, const char *text)
{
	return kv_refusal_set_attr(why, error, 0, text);
}

/* A rule: refuses a command if something is @wrong. @attr: 0: none */
static inline int kv_refusal_if(struct kv_refusal *why, bool wrong, int error, __u32 attr,
				const char *text)
{
	return wrong ? kv_refusal_set_attr(why, error, attr, text) : 0;
}

/* @given: bits 1 << attribute */
static inline bool kv_refusal_given(__u32 given, __u32 attr)
{
	return given & 1U << attr;
}

/* Refuses a command that lacks an attribute. */
static inline int kv_refusal_need(__u32 given, __u32 attr, struct kv_refusal *why, const char *text)
{
	return kv_refusal_if_missing(why, !kv_refusal_given(given, attr), attr, text);
}

#endif
