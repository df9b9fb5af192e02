// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* strerrorname_np() */
/* Generic netlink requests to the module, and what the kernel says of them. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/family.h>
#include <netlink/genl/genl.h>
#include <kverbs.h>
#include "nl/link.h"

#define NOT_PERMITTED "not permitted: this needs CAP_NET_ADMIN in the initial user namespace, run it as root"

/* State of one request while its answers come in. */
struct exchange {
	struct kv_nl *nl;
	const struct nlmsghdr *request;
	const char *what;
	const char *const *names;
	unsigned int n_names;
	kv_nl_reply reply;
	void *arg;
	int error;
	int done;
};

static int nle_to_errno(int nle)
{
	switch (-nle) {
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	default:
		return -EIO;
	}
}

/* The attribute of the request that extack's offset points at. */
static const char *name_at(const struct exchange *x, uint32_t offset)
{
	const struct nlattr *attr;

	if (offset < NLMSG_HDRLEN + GENL_HDRLEN ||
	    offset + NLA_HDRLEN > x->request->nlmsg_len)
		return NULL;
	attr = (const struct nlattr *)((const char *)x->request + offset);
	if ((attr->nla_type & NLA_TYPE_MASK) >= x->n_names)
		return NULL;
	return x->names[attr->nla_type & NLA_TYPE_MASK];
}

static void set_error(struct exchange *x, const char *text, const char *name)
{
	snprintf(x->nl->err, x->nl->err_size, "%s: %s%s%s (%s)", x->what,
		 name ? name : "", name ? ": " : "",
		 text ? text : strerror(-x->error), strerrorname_np(-x->error));
}

static void parse_extack(struct exchange *x, const struct nlmsghdr *hdr,
			 const struct nlmsgerr *err)
{
	const char *text = NULL, *name = NULL;
	struct nlattr *attr;
	int rest;
	size_t skip = sizeof(*err);

	if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
		skip += err->msg.nlmsg_len - NLMSG_HDRLEN;
	if (hdr->nlmsg_flags & NLM_F_ACK_TLVS &&
	    hdr->nlmsg_len > NLMSG_HDRLEN + NLMSG_ALIGN(skip)) {
		attr = (struct nlattr *)((char *)err + NLMSG_ALIGN(skip));
		rest = (int)(hdr->nlmsg_len - NLMSG_HDRLEN - NLMSG_ALIGN(skip));
		for (; nla_ok(attr, rest); attr = nla_next(attr, &rest)) {
			if (nla_type(attr) == NLMSGERR_ATTR_MSG)
				text = nla_data(attr);
			else if (nla_type(attr) == NLMSGERR_ATTR_OFFS)
				name = name_at(x, nla_get_u32(attr));
		}
	}
	if (x->error == -EPERM && !text)
		text = NOT_PERMITTED;
	set_error(x, text, name);
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	struct exchange *x = arg;

	(void)from;
	x->error = err->error;
	x->done = 1;
	parse_extack(x, (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN), err);
	return NL_STOP;
}

static int on_done(struct nl_msg *msg, void *arg)
{
	struct exchange *x = arg;

	(void)msg;
	x->done = 1;
	return NL_STOP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct genlmsghdr *genl = nlmsg_data(nlmsg_hdr(msg));
	struct exchange *x = arg;
	int ret = 0;

	if (x->reply)
		ret = x->reply(genlmsg_attrdata(genl, 0), genlmsg_attrlen(genl, 0),
			       x->arg);
	if (ret < 0 && !x->error) {
		x->error = ret;
		set_error(x, "the module's answer makes no sense", NULL);
	}
	return NL_OK;
}

/**
 * kv_nl_msg() - start a request
 * @nl: the connection
 * @cmd: enum kverbs_cmd
 * @flags: NLM_F_* beside NLM_F_REQUEST and NLM_F_ACK
 *
 * Return: the message, for kv_nl_request(), or NULL without memory.
 */
struct nl_msg *kv_nl_msg(struct kv_nl *nl, int cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc_size(KVERBS_DATA_MAX + 1024);

	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, nl->family, 0,
				NLM_F_ACK | flags, (uint8_t)cmd,
				KVERBS_GENL_VERSION)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

/**
 * kv_nl_request() - send a request and take all answers to it
 * @nl: the connection
 * @msg: the request; freed here; NULL if there was no memory for it
 * @what: what it is, for the text of a failure
 * @names: names of its attributes by number, for the text of a failure
 * @n_names: how many
 * @reply: called for each answer, or NULL
 * @arg: its argument
 *
 * Return: 0, or a negative errno with a text in nl->err.
 */
int kv_nl_request(struct kv_nl *nl, struct nl_msg *msg, const char *what,
		  const char *const *names, unsigned int n_names,
		  kv_nl_reply reply, void *arg)
{
	struct exchange x = {
		.nl = nl,
		.what = what,
		.names = names,
		.n_names = n_names,
		.reply = reply,
		.arg = arg,
	};
	struct nl_cb *cb;
	int ret;

	cb = nl_cb_alloc(NL_CB_DEFAULT);
	if (!cb || !msg) {
		x.error = -ENOMEM;
		set_error(&x, NULL, NULL);
		goto out;
	}
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, &x);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_done, &x);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_done, &x);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, &x);

	x.request = nlmsg_hdr(msg);
	ret = nl_send_auto(nl->sock, msg);
	while (ret >= 0 && !x.done)
		ret = nl_recvmsgs(nl->sock, cb);
	if (ret < 0 && !x.error) {
		x.error = nle_to_errno(ret);
		set_error(&x, nl_geterror(ret), NULL);
	}
out:
	if (cb)
		nl_cb_put(cb);
	nlmsg_free(msg);
	return x.error;
}

static int fail(struct kv_nl *nl, int error, const char *text)
{
	snprintf(nl->err, nl->err_size, "%s", text);
	return error;
}

static int check_version(struct kv_nl *nl)
{
	struct genl_family *family;
	struct nl_cache *cache;
	unsigned int version;

	if (genl_ctrl_alloc_cache(nl->sock, &cache))
		return fail(nl, -ENOMEM, "the list of netlink families can't be read");
	family = genl_ctrl_search_by_name(cache, KVERBS_GENL_NAME);
	if (!family) {
		nl_cache_free(cache);
		return fail(nl, -EOPNOTSUPP, "the module is not loaded: insmod kverbs.ko");
	}
	version = genl_family_get_version(family);
	nl->family = (int)genl_family_get_id(family);
	genl_family_put(family);
	nl_cache_free(cache);
	if (version == KVERBS_GENL_VERSION)
		return 0;
	snprintf(nl->err, nl->err_size,
		 "the loaded kverbs.ko speaks version %u of the interface, this tool version %u: load the module and use the tool of one release",
		 version, KVERBS_GENL_VERSION);
	return -EPROTO;
}

static int open_events(struct kv_nl *nl)
{
	int group, ret;

	nl->events = nl_socket_alloc();
	if (!nl->events || genl_connect(nl->events))
		return fail(nl, -ENOMEM, "no netlink socket for events");
	nl_socket_disable_seq_check(nl->events);
	nl_socket_set_nonblocking(nl->events);
	group = genl_ctrl_resolve_grp(nl->sock, KVERBS_GENL_NAME, KVERBS_MCGRP_RUNS);
	ret = group < 0 ? group : nl_socket_add_membership(nl->events, group);
	if (ret == -NLE_PERM || ret == -NLE_NOACCESS)
		return fail(nl, -EPERM, NOT_PERMITTED);
	if (ret)
		return fail(nl, -EIO, "the module's events can't be subscribed to");
	return 0;
}

/**
 * kv_nl_open() - connect to the module
 * @nl: the connection; err and err_size set
 *
 * Return: 0, or a negative errno with a text in nl->err: -EOPNOTSUPP if the
 * module is not loaded, -EPROTO if it is of another version.
 */
int kv_nl_open(struct kv_nl *nl)
{
	int one = 1, ret;

	nl->events = NULL;
	nl->sock = nl_socket_alloc();
	if (!nl->sock || genl_connect(nl->sock)) {
		ret = fail(nl, -EIO, "no netlink socket");
		goto err_close;
	}
	/* A run's bins come in messages of up to 18 KiB. */
	nl_socket_set_msg_buf_size(nl->sock, 32768);
	setsockopt(nl_socket_get_fd(nl->sock), SOL_NETLINK, NETLINK_EXT_ACK, &one,
		   sizeof(one));
	setsockopt(nl_socket_get_fd(nl->sock), SOL_NETLINK, NETLINK_CAP_ACK, &one,
		   sizeof(one));
	ret = check_version(nl);
	if (ret)
		goto err_close;
	ret = open_events(nl);
	if (ret)
		goto err_close;
	return 0;

err_close:
	kv_nl_close(nl);
	return ret;
}

/**
 * kv_nl_close() - disconnect; the module destroys what the connection made
 * @nl: the connection
 */
void kv_nl_close(struct kv_nl *nl)
{
	nl_socket_free(nl->events);
	nl_socket_free(nl->sock);
	nl->events = NULL;
	nl->sock = NULL;
}

/**
 * kv_nl_wait_event() - wait until something may have happened
 * @nl: the connection
 * @timeout_ms: at most so long; -1 for ever
 *
 * What happened is found out by asking: events may get lost.
 *
 * Return: 0, -EAGAIN after the time, -EINTR for a signal.
 */
int kv_nl_wait_event(struct kv_nl *nl, int timeout_ms)
{
	struct pollfd fd = {
		.fd = nl_socket_get_fd(nl->events),
		.events = POLLIN,
	};
	char buf[4096];
	int n;

	n = poll(&fd, 1, timeout_ms);
	if (n < 0)
		return -errno;
	if (!n)
		return -EAGAIN;
	while (recv(fd.fd, buf, sizeof(buf), MSG_DONTWAIT) > 0)
		;
	return 0;
}
