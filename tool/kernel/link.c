// SPDX-License-Identifier: MIT
/* Generic netlink requests to the module, and the errors that the kernel reports. */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <kverbs.h>
#include "kernel/genl.h"
#include "kernel/link.h"

#define NOT_PERMITTED "not permitted: this needs CAP_NET_ADMIN in the initial user namespace, run it as root"

/* For an error without a text from the module: generic netlink has no such family. */
#define MODULE_GONE "the module was unloaded, and its objects with it: load it and begin anew"

/* Bytes that waiting events may take; the kernel may allow less. */
#define EVENT_BYTES 262144

/* The GIDs of a device and the bins of a run take messages of up to 18 KiB, lists of 32 KiB. */
#define ANSWER_BYTES 32768

/*
 * The largest request is a list of work requests: 200 bytes for each, and 64 for each SGE. Pages
 * that a request does not reach cost nothing.
 */
#define REQUEST_BYTES (KVERBS_WR_LIST_MAX * (200 + KVERBS_SGE_MAX * 64))

/* State of one request while its answers come in. */
struct exchange {
	struct kv_nl *nl;
	const struct nlmsghdr *request;
	const struct kv_shape *const *names;
	kv_nl_reply reply;
	void *arg;
	const struct kv_nl_bulk *bulk; /* or NULL */
	int error;
	bool interrupted; /* a list's objects came or went meanwhile */
	bool filled; /* of an answer with content: the content is in place */
	bool done;
};

/* If the kernel had no memory, answers to an earlier request may come late. */
static bool is_ours(const struct exchange *x, const struct nlmsghdr *hdr)
{
	return hdr->nlmsg_seq == x->request->nlmsg_seq;
}

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

/*
 * Bytes of a path like "spec: end 2: qp: " that a text needs: not the last name if it begins with
 * that.
 */
static size_t needed(const char *path, const char *text)
{
	const char *last = path;
	size_t len;

	for (const char *at = path; (at = strstr(at, ": ")); at += 2)
		if (at[2])
			last = at + 2;
	len = strcspn(last, ":");
	if (!strncmp(text, "the ", 4))
		text += 4;
	if (!len || strncmp(text, last, len) || isalnum((unsigned char)text[len]) ||
	    text[len] == '_')
		return strlen(path);
	return (size_t)(last - path);
}

/*
 * @text: the text; NULL: the text of the errno. @path: the attribute's name, as in "cqe: ", which
 * is left out if the text begins with it; "": no attribute.
 */
static void set_error(struct exchange *x, int error, const char *text, const char *path)
{
	text = text ?: strerror(-error);
	x->error = kv_backend_fail(&x->nl->base, error, "%.*s%s", (int)needed(path, text), path, text);
}

/* Adds the range of a number to a text, if the kernel's @policy has a range. */
static const char *add_range(const char *text, const struct nlattr *policy,
			     char *longer, size_t size)
{
	struct nlattr *attrs = nla_data(policy);
	int len = nla_len(policy);
	const struct nlattr *min = nla_find(attrs, len, NL_POLICY_TYPE_ATTR_MIN_VALUE_U);
	const struct nlattr *max = nla_find(attrs, len, NL_POLICY_TYPE_ATTR_MAX_VALUE_U);

	if (!min || !max)
		return text;
	snprintf(longer, size, "%s: it takes %llu to %llu", text,
		 (unsigned long long)nla_get_u64(min), (unsigned long long)nla_get_u64(max));
	return longer;
}

/* Notes the attribute at @offset of the request; @path: becomes its name. */
static void take_culprit(struct exchange *x, uint32_t offset, char *path, size_t size)
{
	struct kv_backend *b = &x->nl->base;

	b->refused = kv_nl_path(x->request, offset, x->names, path, size);
	if (b->refused && b->refused->type == KV_MEMBER_U32)
		b->refused_value = nla_get_u32((const void *)((const char *)x->request + offset));
}

/* @attrs: the kernel's details of @error, if any. */
static void parse_extack(struct exchange *x, int error, const struct nlattr *attrs, int len)
{
	const struct nlattr *attr, *policy = NULL;
	char path[128] = "", longer[256];
	const char *text = NULL;
	int rest;

	nla_for_each_attr(attr, attrs, len, rest) {
		if (nla_type(attr) == NLMSGERR_ATTR_MSG)
			text = nla_data(attr);
		else if (nla_type(attr) == NLMSGERR_ATTR_OFFS && x->names)
			take_culprit(x, nla_get_u32(attr), path, sizeof(path));
		else if (nla_type(attr) == NLMSGERR_ATTR_POLICY)
			policy = attr;
		else if (nla_type(attr) == NLMSGERR_ATTR_COOKIE &&
			 nla_len(attr) == sizeof(uint32_t) &&
			 nla_get_u32(attr) <= KVERBS_STAGE_MAX)
			x->nl->base.failed = nla_get_u32(attr);
	}
	if (error == -EPERM && !text)
		text = NOT_PERMITTED;
	if (error == -ENOENT && !text)
		text = MODULE_GONE;
	if (error == -ERANGE && text && policy)
		text = add_range(text, policy, longer, sizeof(longer));
	set_error(x, error, text, path);
}

/* Extack's attributes follow @skip bytes of the message itself. */
static void take_error(struct exchange *x, const struct nlmsghdr *hdr, size_t skip, int error)
{
	size_t start = NLMSG_HDRLEN + NLMSG_ALIGN(skip);
	int len = 0;

	if (hdr->nlmsg_flags & NLM_F_ACK_TLVS && hdr->nlmsg_len > start)
		len = (int)(hdr->nlmsg_len - start);
	parse_extack(x, error, (const struct nlattr *)((const char *)hdr + start), len);
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN);
	size_t skip = sizeof(*err);
	struct exchange *x = arg;

	if (!is_ours(x, hdr))
		return NL_SKIP;
	if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
		skip += err->msg.nlmsg_len - NLMSG_HDRLEN;
	take_error(x, hdr, skip, err->error);
	x->done = true;
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct exchange *x = arg;

	if (!is_ours(x, nlmsg_hdr(msg)))
		return NL_SKIP;
	x->done = true;
	return NL_STOP;
}

/* The end of a list, with an error if the kernel could not finish the list. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	const struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct exchange *x = arg;
	int error = 0;

	if (!is_ours(x, hdr))
		return NL_SKIP;
	if (nlmsg_datalen(hdr) >= (int)sizeof(error))
		memcpy(&error, nlmsg_data(hdr), sizeof(error));
	if (error < 0 && !x->error)
		take_error(x, hdr, sizeof(error), error);
	x->done = true;
	return NL_STOP;
}

/* Called before each message of the list that the kernel marked as interrupted. */
static int on_interrupted(struct nl_msg *msg, void *arg)
{
	struct exchange *x = arg;

	x->interrupted |= is_ours(x, nlmsg_hdr(msg));
	return NL_OK;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct exchange *x = arg;
	int ret = 0;

	if (!is_ours(x, hdr))
		return NL_SKIP;
	x->done = !(x->request->nlmsg_flags & (NLM_F_ACK | NLM_F_DUMP));
	if (x->reply)
		ret = x->reply(kv_genl_attrs(hdr), kv_genl_attrs_len(hdr), x->arg);
	if (ret < 0 && !x->error)
		set_error(x, ret, "the module's answer makes no sense", "");
	return NL_OK;
}

/* A command with an answer is answered or refused: an acknowledgment would tell nothing more. */
static bool has_answer(int cmd)
{
	return cmd != KVERBS_CMD_BUF_WRITE && cmd != KVERBS_CMD_RUN_CANCEL;
}

/**
 * kv_nl_msg() - start a request
 * @cmd: enum kverbs_cmd
 * @flags: NLM_F_DUMP for a list, or 0
 *
 * Return: the message, for kv_nl_request(), or NULL without memory.
 */
struct nl_msg *kv_nl_msg(struct kv_nl *nl, int cmd, int flags)
{
	struct nl_msg *msg = nl->spare;

	nl->spare = NULL;
	if (msg)
		nlmsg_hdr(msg)->nlmsg_len = NLMSG_HDRLEN;
	else
		msg = nlmsg_alloc_size(REQUEST_BYTES);
	if (msg && !kv_genl_put(msg, nl->family, has_answer(cmd) ? flags : NLM_F_ACK, (uint8_t)cmd,
				KVERBS_GENL_VERSION)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

static bool is_list(const struct exchange *x)
{
	return (x->request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
}

static bool is_readable(const struct kv_nl *nl)
{
	struct pollfd fd = {
		.fd = nl_socket_get_fd(nl->sock),
		.events = POLLIN,
	};

	return poll(&fd, 1, 0) > 0;
}

/*
 * The kernel had no memory for a part of its answer. The socket reports this before the parts that
 * are there.
 */
static void take_rest(struct exchange *x, struct nl_cb *cb)
{
	while (!x->done && is_readable(x->nl) && nl_recvmsgs(x->nl->sock, cb) >= 0)
		;
	x->nl->stuck |= !x->done && is_list(x);
	if (x->done)
		return;
	set_error(x, -ENOMEM, is_list(x) ?
		  "the kernel had no memory for all of the list: ask again" :
		  "the kernel had no memory for its answer: the command may have been carried out", "");
}

/*
 * The kernel goes on with the old list whenever an answer is read. The parts of the old list are
 * read and thrown away.
 */
static void get_unstuck(struct kv_nl *nl)
{
	int fd = nl_socket_get_fd(nl->sock);

	if (!nl->stuck)
		return;
	nl->stuck = false;
	kv_nl_request(nl, kv_nl_msg(nl, KVERBS_CMD_INFO_GET, 0), NULL, NULL, NULL);
	while (is_readable(nl) && recv(fd, NULL, 0, MSG_DONTWAIT | MSG_TRUNC) >= 0)
		;
}

/* Replaces libnl's function, which clears the memory of the largest answer. Works as nl_recv(). */
static int receive(struct nl_sock *sock, struct sockaddr_nl *from,
		   unsigned char **buf, struct ucred **creds)
{
	unsigned char bytes[ANSWER_BYTES];
	struct iovec piece = { .iov_base = bytes, .iov_len = sizeof(bytes) };
	struct msghdr msg = {
		.msg_name = from,
		.msg_namelen = sizeof(*from),
		.msg_iov = &piece,
		.msg_iovlen = 1,
	};
	ssize_t n;

	do {
		n = recvmsg(nl_socket_get_fd(sock), &msg, MSG_TRUNC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -nl_syserr2nlerr(errno);
	if (n > (ssize_t)sizeof(bytes))
		return -NLE_MSG_TRUNC;
	if (!n)
		return 0;
	/* libnl frees the buffer. */
	*buf = malloc((size_t)n);
	if (!*buf)
		return -NLE_NOMEM;
	memcpy(*buf, bytes, (size_t)n);
	return (int)n;
}

/* Like libnl's nl_send_auto(), but the content is sent from where it is. */
static int send_request(struct exchange *x, struct nl_msg *msg)
{
	static const char padding[NLA_ALIGNTO];
	const struct kv_nl_bulk *bulk = x->bulk;
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct iovec piece[] = {
		{ .iov_base = hdr, .iov_len = hdr->nlmsg_len },
		{ .iov_base = (void *)(bulk ? bulk->from : NULL) },
		{ .iov_base = (void *)padding },
	};
	struct nlattr *attr;
	int ret;

	if (!bulk || !bulk->from)
		return nl_send_auto(x->nl->sock, msg);
	attr = nla_reserve(msg, bulk->attr, 0);
	if (!attr)
		return -NLE_NOMEM;
	nl_complete_msg(x->nl->sock, msg);
	piece[0].iov_len = hdr->nlmsg_len;
	piece[1].iov_len = bulk->length;
	piece[2].iov_len = NLA_ALIGN(bulk->length) - bulk->length;
	hdr->nlmsg_len += NLA_ALIGN(bulk->length);
	attr->nla_len = (uint16_t)(NLA_HDRLEN + bulk->length);
	ret = nl_send_iovec(x->nl->sock, msg, piece, 3);
	/* The length of the part that is in @msg, for the path of a refusal. */
	hdr->nlmsg_len = (uint32_t)piece[0].iov_len;
	attr->nla_len = NLA_HDRLEN;
	return ret;
}

/* The head of an answer with content. */
struct head {
	struct nlmsghdr hdr;
	struct genlmsghdr genl;
	struct nlattr attr;
};

/*
 * Takes the content of the next message to its place, if the message is the answer. Any other
 * message stays in the socket. Returns 0 or a negative error of libnl.
 */
static int take_bulk(struct exchange *x)
{
	const struct kv_nl_bulk *bulk = x->bulk;
	int fd = nl_socket_get_fd(x->nl->sock);
	char padding[NLA_ALIGNTO];
	struct head head;
	struct iovec piece[] = {
		{ .iov_base = &head, .iov_len = sizeof(head) },
		{ .iov_base = bulk->into, .iov_len = bulk->length },
		{ .iov_base = padding, .iov_len = sizeof(padding) },
	};
	struct msghdr in = { .msg_iov = piece, .msg_iovlen = 3 };
	ssize_t size = (ssize_t)(sizeof(head) + NLA_ALIGN(bulk->length)), n;

	do
		n = recv(fd, &head, sizeof(head), MSG_PEEK | MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n == size && head.hdr.nlmsg_type == x->nl->family && is_ours(x, &head.hdr) &&
	    head.attr.nla_type == bulk->attr && head.attr.nla_len == NLA_HDRLEN + bulk->length) {
		n = recvmsg(fd, &in, 0);
		x->done = x->filled = n == size;
	}
	return n < 0 ? -nl_syserr2nlerr(errno) : 0;
}

/* Sends the request, and takes all answers to it. */
static int carry_out(struct exchange *x, struct nl_msg *msg)
{
	struct kv_nl *nl = x->nl;
	struct nl_cb *cb;
	bool sent;
	int ret;

	nl->base.failed = KVERBS_STAGE_UNSPEC;
	cb = nl_cb_alloc(NL_CB_DEFAULT);
	if (!cb || !msg) {
		set_error(x, -ENOMEM, NULL, "");
		goto out;
	}
	nl_cb_overwrite_recv(cb, receive);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, x);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, x);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, x);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, x);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, x);

	x->request = nlmsg_hdr(msg);
	if (is_list(x))
		get_unstuck(nl);
	ret = send_request(x, msg);
	sent = ret >= 0;
	while (ret >= 0 && !x->done) {
		if (x->bulk && x->bulk->into)
			ret = take_bulk(x);
		if (ret >= 0 && !x->done)
			ret = nl_recvmsgs(nl->sock, cb);
	}
	if (sent && ret == -NLE_NOMEM)
		take_rest(x, cb);
	else if (ret < 0 && !x->error)
		set_error(x, nle_to_errno(ret), nl_geterror(ret), "");
	if (x->interrupted && !x->error)
		set_error(x, -EINTR, "objects came or went meanwhile: ask again", "");
out:
	if (cb)
		nl_cb_put(cb);
	if (nl->spare)
		nlmsg_free(msg);
	else
		nl->spare = msg;
	return x->error;
}

/**
 * kv_nl_request() - send a request and take all answers to it
 * @msg: the request; freed here; NULL if there was no memory for it
 * @names: tables that name the request's attributes, up to NULL, for the text of a
 *	failure; or NULL
 * @reply: called for each answer, or NULL
 *
 * Return: 0, or a negative errno with a text in nl->base.err: -EINTR if a list's
 * objects came or went while it was read.
 */
int kv_nl_request(struct kv_nl *nl, struct nl_msg *msg, const struct kv_shape *const *names,
		  kv_nl_reply reply, void *arg)
{
	struct exchange x = {
		.nl = nl,
		.names = names,
		.reply = reply,
		.arg = arg,
	};

	return carry_out(&x, msg);
}

/**
 * kv_nl_request_bulk() - send a request and take its answer; one of the two has content
 * @msg: the request, without content; freed here; NULL if there was no memory for it
 * @names: as for kv_nl_request()
 * @bulk: the content, which only the kernel copies
 *
 * Return: 0, or a negative errno with a text in nl->base.err.
 */
int kv_nl_request_bulk(struct kv_nl *nl, struct nl_msg *msg, const struct kv_shape *const *names,
		       const struct kv_nl_bulk *bulk)
{
	struct exchange x = {
		.nl = nl,
		.names = names,
		.bulk = bulk,
	};
	int ret = carry_out(&x, msg);

	if (ret || !bulk->into || x.filled)
		return ret;
	set_error(&x, -EBADMSG, "the module's answer makes no sense", "");
	return x.error;
}

/* The module's family, as generic netlink's controller describes it. */
struct family {
	int id;
	int group; /* group of the events; negative if there is none */
	unsigned int version;
};

static int find_group(const struct nlattr *groups)
{
	const struct nlattr *group, *name, *id;
	int rest;

	nla_for_each_nested(group, groups, rest) {
		name = nla_find(nla_data(group), nla_len(group), CTRL_ATTR_MCAST_GRP_NAME);
		id = nla_find(nla_data(group), nla_len(group), CTRL_ATTR_MCAST_GRP_ID);
		if (name && id && !nla_strcmp(name, KVERBS_MCGRP_EVENTS))
			return (int)nla_get_u32(id);
	}
	return -1;
}

static int take_family(struct nlattr *attrs, int len, void *arg)
{
	struct family *family = arg;
	const struct nlattr *attr;
	int rest;

	nla_for_each_attr(attr, attrs, len, rest) {
		if (nla_type(attr) == CTRL_ATTR_FAMILY_ID)
			family->id = nla_get_u16(attr);
		else if (nla_type(attr) == CTRL_ATTR_VERSION)
			family->version = nla_get_u32(attr);
		else if (nla_type(attr) == CTRL_ATTR_MCAST_GROUPS)
			family->group = find_group(attr);
	}
	return 0;
}

/* Sends one request. libnl's functions read all families, and then this one again for the group. */
static int find_family(struct kv_nl *nl, struct family *family)
{
	struct nl_msg *msg = nlmsg_alloc();
	int ret;

	if (msg && (!kv_genl_put(msg, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY, 1) ||
		    nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, KVERBS_GENL_NAME))) {
		nlmsg_free(msg);
		msg = NULL;
	}
	ret = kv_nl_request(nl, msg, NULL, take_family, family);
	/* This message is too small for the module's requests. */
	nlmsg_free(nl->spare);
	nl->spare = NULL;
	if (ret == -ENOENT)
		return kv_backend_fail(&nl->base, -EOPNOTSUPP,
				       "the module is not loaded: insmod kverbs.ko");
	if (ret)
		return kv_backend_fail(&nl->base, ret, "netlink family " KVERBS_GENL_NAME ": %s",
				       strerror(-ret));
	nl->family = family->id;
	if (family->version == KVERBS_GENL_VERSION)
		return 0;
	return kv_backend_fail(&nl->base, -EPROTO,
			       "the loaded kverbs.ko speaks version %u of the interface, this tool version %u: load the module and use the tool of one release",
			       family->version, KVERBS_GENL_VERSION);
}

static int open_events(struct kv_nl *nl, int group)
{
	int ret;

	nl->events = nl_socket_alloc();
	if (!nl->events || nl_connect(nl->events, NETLINK_GENERIC))
		return kv_backend_fail(&nl->base, -ENOMEM, "no netlink socket for events");
	nl_socket_disable_seq_check(nl->events);
	nl_socket_set_nonblocking(nl->events);
	nl_socket_set_buffer_size(nl->events, EVENT_BYTES, 0);
	ret = group < 0 ? group : nl_socket_add_membership(nl->events, group);
	if (ret == -NLE_PERM || ret == -NLE_NOACCESS)
		return kv_backend_fail(&nl->base, -EPERM, NOT_PERMITTED);
	if (ret)
		return kv_backend_fail(&nl->base, -EIO,
				       "the module's events can't be subscribed to");
	return 0;
}

/**
 * kv_nl_open() - connect to the module
 *
 * Return: 0, or a negative errno with a text in nl->base.err: -EOPNOTSUPP if the
 * module is not loaded, -EPROTO if it is of another version.
 */
int kv_nl_open(struct kv_nl *nl)
{
	struct family family = { .group = -1 };
	int one = 1, ret;

	memset(nl, 0, sizeof(*nl));
	nl->base.ops = &kv_nl_backend_ops;
	nl->sock = nl_socket_alloc();
	if (!nl->sock || nl_connect(nl->sock, NETLINK_GENERIC)) {
		kv_nl_close(nl);
		return kv_backend_fail(&nl->base, -EIO, "no netlink socket");
	}
	nl_socket_set_msg_buf_size(nl->sock, ANSWER_BYTES);
	/* Without acknowledgments libnl does not check sequence numbers: see is_ours(). */
	nl_socket_disable_auto_ack(nl->sock);
	setsockopt(nl_socket_get_fd(nl->sock), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(nl_socket_get_fd(nl->sock), SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	ret = find_family(nl, &family) ?: open_events(nl, family.group);
	if (ret)
		kv_nl_close(nl);
	return ret;
}

/** kv_nl_close() - disconnect; the module destroys the objects of the connection */
void kv_nl_close(struct kv_nl *nl)
{
	nl_socket_free(nl->events);
	nl_socket_free(nl->sock);
	nlmsg_free(nl->spare);
	nl->spare = NULL;
	nl->events = NULL;
	nl->sock = NULL;
}
