/* SPDX-License-Identifier: MIT */
#ifndef KV_NL_LINK_H
#define KV_NL_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <netlink/netlink.h>
#include <netlink/attr.h>

/**
 * struct kv_nl - a connection to the module
 * @sock: for requests; what it makes belongs to it and dies with it
 * @events: for events, not blocking
 * @family: generic netlink id
 * @err: text of the last failure
 * @err_size: bytes of @err
 */
struct kv_nl {
	struct nl_sock *sock;
	struct nl_sock *events;
	int family;
	char *err;
	size_t err_size;
};

/* Called with the attributes of each reply; a negative errno ends the request. */
typedef int (*kv_nl_reply)(struct nlattr *attrs, int len, void *arg);

int kv_nl_open(struct kv_nl *nl);
void kv_nl_close(struct kv_nl *nl);
struct nl_msg *kv_nl_msg(struct kv_nl *nl, int cmd, int flags);
int kv_nl_request(struct kv_nl *nl, struct nl_msg *msg, const char *what,
		  const char *const *names, unsigned int n_names,
		  kv_nl_reply reply, void *arg);
int kv_nl_wait_event(struct kv_nl *nl, int timeout_ms);

#endif
