/* SPDX-License-Identifier: MIT */
#pragma once

#include <netlink/attr.h>
#include <netlink/netlink.h>
#include "model/shape.h"

/* Structs as netlink attributes, in both directions: see model/shape.h. */

/* Of the name of a member that kv_nl_put() returns. */
#define KV_NL_TOO_LARGE \
	"%s needs more than the 65,535 bytes of a netlink attribute: take fewer QPs, or shorter lists"

const struct kv_member *kv_nl_put(struct nl_msg *msg, const struct kv_shape *shape,
				  const void *from, int without);
void kv_nl_release(const struct kv_shape *shape, void *from);
void kv_nl_put_all(struct nl_msg *msg, const struct kv_shape *shape, const void *from);
const struct kv_member *kv_nl_put_nest(struct nl_msg *msg, int attr, const struct kv_shape *shape,
				       const void *from);
void kv_nl_put_u32(struct nl_msg *msg, int attr, uint32_t value);
int kv_nl_take(const struct kv_shape *shape, struct nlattr *attrs, int len, void *to);
int kv_nl_take_u64(struct nlattr *attrs, int len, int attr, uint64_t *to);
int kv_nl_take_bins(const void *data, size_t length, struct kv_hist *hist);
const struct kv_member *kv_nl_find(const struct kv_shape *shape, int attr);
const struct kv_member *kv_nl_path(const struct nlmsghdr *request, uint32_t offset,
				   const struct kv_shape *const *names, char *path, size_t size);
