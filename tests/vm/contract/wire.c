// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include "contract.h"
#include "wire.h"

/* The type of an attribute, where its size does not tell. */
enum kind { STRING = 1, NEST, DATA, ADDR, BINS };

#define KINDS_MAX 64

/* Attributes of a set by number; all others have 0, 4, 6, 8 or 16 bytes. */
struct set {
	enum kind kind[KINDS_MAX];
	const struct set *nest[KINDS_MAX];
};

static const struct set set_gid = { .kind[KVERBS_A_GID_NETDEV] = STRING };

static const struct set set_port = {
	.kind[KVERBS_A_PORT_GID] = NEST,
	.nest[KVERBS_A_PORT_GID] = &set_gid,
};

static const struct set set_none;

static const struct set set_info = {
	.kind[KVERBS_A_INFO_VERSION] = STRING,
	.kind[KVERBS_A_INFO_COUNTER] = STRING,
};

static const struct set set_dev = {
	.kind[KVERBS_A_DEV_NAME] = STRING,
	.kind[KVERBS_A_DEV_FW_VER] = STRING,
	.kind[KVERBS_A_DEV_PORT] = NEST,
	.nest[KVERBS_A_DEV_PORT] = &set_port,
};

static const struct set set_pd = { .kind[KVERBS_A_PD_DEV] = STRING };

static const struct set set_cq = {
	.kind[KVERBS_A_CQ_DEV] = STRING,
	.kind[KVERBS_A_CQ_WC] = NEST,
	.nest[KVERBS_A_CQ_WC] = &set_none,
};

static const struct set set_buf = {
	.kind[KVERBS_A_BUF_DEV] = STRING,
	.kind[KVERBS_A_BUF_DATA] = DATA,
};

static const struct set set_mr = {
	.kind[KVERBS_A_MR_DEV] = STRING,
	.kind[KVERBS_A_MR_STAGE] = NEST,
	.nest[KVERBS_A_MR_STAGE] = &set_none,
};

static const struct set set_srq = { .kind[KVERBS_A_SRQ_DEV] = STRING };
static const struct set set_ah = { .kind[KVERBS_A_AH_DEV] = STRING };

static const struct set set_qp = {
	.kind[KVERBS_A_QP_DEV] = STRING,
	.kind[KVERBS_A_QP_STAGE] = NEST,
	.nest[KVERBS_A_QP_STAGE] = &set_none,
	.kind[KVERBS_A_QP_GROUP] = NEST,
	.nest[KVERBS_A_QP_GROUP] = &set_none,
};

static const struct set set_conn = {
	.kind[KVERBS_A_CONN_DEV] = STRING,
	.kind[KVERBS_A_CONN_SRC] = ADDR,
	.kind[KVERBS_A_CONN_DST] = ADDR,
	.kind[KVERBS_A_CONN_PRIVATE_DATA] = DATA,
	.kind[KVERBS_A_CONN_REASON] = STRING,
	.kind[KVERBS_A_CONN_STAGE] = NEST,
	.nest[KVERBS_A_CONN_STAGE] = &set_none,
	.kind[KVERBS_A_CONN_GROUP] = ADDR,
};

static const struct set set_spec = {
	.kind[KVERBS_A_SPEC_DEV] = STRING,
	.kind[KVERBS_A_SPEC_END] = NEST,
	.nest[KVERBS_A_SPEC_END] = &set_none,
};

static const struct set set_run = {
	.kind[KVERBS_A_RUN_SPEC] = NEST,
	.nest[KVERBS_A_RUN_SPEC] = &set_spec,
	.kind[KVERBS_A_RUN_RESULT] = NEST,
	.nest[KVERBS_A_RUN_RESULT] = &set_none,
	.kind[KVERBS_A_RUN_BINS] = BINS,
};

static const struct set set_event = {
	.kind[KVERBS_A_EVENT_DEV] = STRING,
	.kind[KVERBS_A_EVENT_OLD_NAME] = STRING,
};

static const struct set *set_of(unsigned int cmd)
{
	switch (cmd) {
	case KVERBS_CMD_INFO_GET ... KVERBS_CMD_FLUSH:
		return &set_info;
	case KVERBS_CMD_DEV_GET:
		return &set_dev;
	case KVERBS_CMD_PD_NEW ... KVERBS_CMD_PD_GET:
		return &set_pd;
	case KVERBS_CMD_CQ_NEW ... KVERBS_CMD_CQ_ARM:
		return &set_cq;
	case KVERBS_CMD_BUF_NEW ... KVERBS_CMD_BUF_READ:
		return &set_buf;
	case KVERBS_CMD_MR_NEW ... KVERBS_CMD_MR_INV:
		return &set_mr;
	case KVERBS_CMD_SRQ_NEW ... KVERBS_CMD_SRQ_MODIFY:
		return &set_srq;
	case KVERBS_CMD_AH_NEW ... KVERBS_CMD_AH_GET:
		return &set_ah;
	case KVERBS_CMD_QP_NEW ... KVERBS_CMD_QP_MODIFY:
	case KVERBS_CMD_QP_ATTACH ... KVERBS_CMD_QP_DETACH:
		return &set_qp;
	case KVERBS_CMD_WR_POST:
		return &set_none;
	case KVERBS_CMD_RUN_START ... KVERBS_CMD_RUN_DEL:
		return &set_run;
	case KVERBS_CMD_EVENT:
		return &set_event;
	case KVERBS_CMD_CONN_NEW ... KVERBS_CMD_CONN_DISCONNECT:
	case KVERBS_CMD_CONN_JOIN ... KVERBS_CMD_CONN_LEAVE:
		return &set_conn;
	default:
		return NULL;
	}
}

static void __attribute__((format(printf, 3, 4)))
check(struct wire *w, bool good, const char *fmt, ...)
{
	va_list args;

	if (good)
		return;
	if (!w->wrong++) {
		va_start(args, fmt);
		vsnprintf(w->first, sizeof(w->first), fmt, args);
		va_end(args);
	}
}

static bool zero(const void *data, size_t length)
{
	const char *byte = data;

	while (length && !*byte) {
		byte++;
		length--;
	}
	return !length;
}

static bool spoilt(const char *data, size_t length)
{
	return length >= 4 && (unsigned char)data[0] == WIRE_SPOILT &&
	       !memcmp(data, data + 1, length - 1);
}

static void look_addr(struct wire *w, const void *data, size_t length)
{
	struct sockaddr_in6 in6;
	struct sockaddr_in in;

	if (length == sizeof(in)) {
		memcpy(&in, data, sizeof(in));
		check(w, in.sin_family == AF_INET && zero(in.sin_zero, sizeof(in.sin_zero)),
		      "what an IPv4 address is padded with");
	} else {
		check(w, length == sizeof(in6), "an address of %zu bytes", length);
		memcpy(&in6, data, length < sizeof(in6) ? length : sizeof(in6));
		check(w, in6.sin6_family == AF_INET6 && !in6.sin6_flowinfo &&
		      (!in6.sin6_scope_id || in6.sin6_addr.s6_addr[0] == 0xfe),
		      "what an IPv6 address has beside address and port");
	}
}

static void look_bins(struct wire *w, const void *data, size_t length)
{
	struct kverbs_bin bin;
	size_t at;

	check(w, !(length % sizeof(bin)), "bins of %zu bytes", length);
	for (at = 0; at + sizeof(bin) <= length; at += sizeof(bin)) {
		memcpy(&bin, (const char *)data + at, sizeof(bin));
		check(w, bin.min <= bin.max && bin.max - bin.min <= bin.min / 1024 && bin.count,
		      "a bin");
	}
}

static void look_attrs(struct wire *w, unsigned int cmd, const struct set *set,
		       const char *data, size_t length);

static void look_attr(struct wire *w, unsigned int cmd, const struct set *set,
		      const struct nlattr *attr)
{
	unsigned int type = (unsigned int)nla_type(attr);
	size_t length = (size_t)nla_len(attr);
	const char *data = nla_data(attr);
	const struct set *nest = type < KINDS_MAX ? set->nest[type] : NULL;

	switch (type < KINDS_MAX ? set->kind[type] : 0) {
	case STRING:
		check(w, length && strnlen(data, length) == length - 1,
		      "command %u, string %u: %zu bytes", cmd, type, length);
		break;
	case NEST:
		look_attrs(w, cmd, nest, data, length);
		break;
	case ADDR:
		look_addr(w, data, length);
		break;
	case BINS:
		look_bins(w, data, length);
		break;
	case DATA:
		break;
	default:
		check(w, !length || length == 4 || length == 6 || length == 8 || length == 16,
		      "command %u, attribute %u has %zu bytes: what is it?", cmd, type, length);
		check(w, !spoilt(data, length), "command %u, attribute %u: nobody has filled it",
		      cmd, type);
	}
}

static void look_attrs(struct wire *w, unsigned int cmd, const struct set *set,
		       const char *data, size_t length)
{
	while (length >= NLA_HDRLEN) {
		const struct nlattr *attr = (const struct nlattr *)data;
		size_t used = attr->nla_len, whole = NLA_ALIGN(used);

		if (used < NLA_HDRLEN || whole > length) {
			check(w, false, "command %u: an attribute of %zu bytes where %zu are left",
			      cmd, used, length);
			return;
		}
		check(w, zero(data + used, whole - used),
		      "command %u, attribute %u: what is behind its %zu bytes", cmd,
		      (unsigned int)nla_type(attr), used);
		w->bytes += whole - used;
		if (set)
			look_attr(w, cmd, set, attr);
		data += whole;
		length -= whole;
	}
	check(w, !length, "command %u: %zu bytes that are no attribute", cmd, length);
}

static void look_answer(struct wire *w, const struct nlmsghdr *hdr)
{
	const struct genlmsghdr *genl = NLMSG_DATA(hdr);
	const char *attrs = (const char *)genl + GENL_HDRLEN;
	const struct nlattr *attr = (const struct nlattr *)attrs;
	size_t length = hdr->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN);

	check(w, !genl->reserved && genl->version == KVERBS_GENL_VERSION, "a header");
	check(w, set_of(genl->cmd) != NULL, "an answer to command %u: what is it?", genl->cmd);
	if (genl->cmd == KVERBS_CMD_EVENT && length >= NLA_HDRLEN + 4)
		w->events[*(const uint8_t *)nla_data(attr)] = true;
	else if (hdr->nlmsg_flags & NLM_F_MULTI)
		w->listed[genl->cmd] = true;
	else
		w->answered[genl->cmd] = true;
	look_attrs(w, genl->cmd, set_of(genl->cmd), attrs, length);
}

/* Receipts and refusals: the request's header, and what the kernel says of it. */
static void look_error(struct wire *w, const struct nlmsghdr *hdr)
{
	size_t start = NLMSG_LENGTH(sizeof(struct nlmsgerr));

	if (hdr->nlmsg_flags & NLM_F_ACK_TLVS && hdr->nlmsg_flags & NLM_F_CAPPED &&
	    hdr->nlmsg_len > start)
		look_attrs(w, 0, NULL, (const char *)hdr + start, hdr->nlmsg_len - start);
}

void wire_look(struct wire *w, const void *data, size_t length)
{
	while (length >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *hdr = data;

		if (hdr->nlmsg_len < sizeof(*hdr) || hdr->nlmsg_len > length) {
			check(w, false, "a message of %u bytes in %zu", hdr->nlmsg_len, length);
			return;
		}
		if (hdr->nlmsg_type == w->family) {
			w->messages++;
			look_answer(w, hdr);
		} else if (hdr->nlmsg_type == NLMSG_ERROR) {
			look_error(w, hdr);
		}
		check(w, hdr->nlmsg_len % NLMSG_ALIGNTO == 0 || hdr->nlmsg_type != w->family,
		      "a message of %u bytes", hdr->nlmsg_len);
		if (NLMSG_ALIGN(hdr->nlmsg_len) >= length)
			return;
		length -= NLMSG_ALIGN(hdr->nlmsg_len);
		data = (const char *)data + NLMSG_ALIGN(hdr->nlmsg_len);
	}
	check(w, !length, "%zu bytes that are no message", length);
}

static struct wire *tap;
static void (*before_send)(void);

void wire_tap(struct wire *w, void (*before)(void))
{
	tap = w;
	before_send = before;
}

/* Looks at @n bytes that have come, in as many pieces as their receiver likes. */
static void look_pieces(const struct msghdr *msg, size_t n)
{
	static char whole[65536];
	size_t used = 0, part, i;

	for (i = 0; i < msg->msg_iovlen && used < n; i++) {
		part = msg->msg_iov[i].iov_len < n - used ? msg->msg_iov[i].iov_len : n - used;
		if (used + part > sizeof(whole))
			return;
		memcpy(whole + used, msg->msg_iov[i].iov_base, part);
		used += part;
	}
	if (used == n)
		wire_look(tap, whole, n);
}

/* In place of the C library's, also for libnl: it is found first. */
ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	static ssize_t (*real)(int fd, struct msghdr *msg, int flags);
	ssize_t n;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "recvmsg");
	n = real(fd, msg, flags);
	if (tap && n > 0 && !(flags & MSG_PEEK))
		look_pieces(msg, (size_t)n);
	return n;
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	static ssize_t (*real)(int fd, const struct msghdr *msg, int flags);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "sendmsg");
	if (before_send)
		before_send();
	return real(fd, msg, flags);
}
