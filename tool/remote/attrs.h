/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_ATTRS_H
#define KV_REMOTE_ATTRS_H

#include <netlink/attr.h>
#include "cli/fault.h"
#include "model/shape.h"

/*
 * Attributes from another host, which may be hostile. Every member is always there, but for
 * false, "no address" and what kv_member.when and .bit make depend on another one.
 */

int kv_attrs_take(const struct kv_shape *shape, struct nlattr *attrs, int len, const char *name,
		  void *to, struct kv_fault *f);

#endif
