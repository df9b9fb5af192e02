// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include "contract.h"
#include "raw.h"

#define ANSWER_BYTES 65536

int raw_open(void)
{
	struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	struct timeval patience = { .tv_sec = 10 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof(any)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		return -1;
	return fd;
}

static int ask(int fd, uint16_t family, unsigned int cmd, bool dump, bool addressed,
	       const void *attrs, size_t length)
{
	static const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct {
		struct nlmsghdr nl;
		struct genlmsghdr genl;
		char attrs[1024];
	} request = {
		.nl.nlmsg_len = (uint32_t)(NLMSG_LENGTH(GENL_HDRLEN) + length),
		.nl.nlmsg_type = family,
		.nl.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | (dump ? NLM_F_DUMP : 0)),
		.genl.cmd = (uint8_t)cmd,
		.genl.version = KVERBS_GENL_VERSION,
	};

	if (length)
		memcpy(request.attrs, attrs, length);
	return sendto(fd, &request, request.nl.nlmsg_len, 0,
		      addressed ? (const struct sockaddr *)&kernel : NULL,
		      addressed ? sizeof(kernel) : 0) < 0 ? -errno : 0;
}

/* Reads one received message: true if it is the last of the answer. */
static bool take(const struct nlmsghdr *nl, int left, int *ret)
{
	int error;

	for (; NLMSG_OK(nl, (unsigned int)left); nl = NLMSG_NEXT(nl, left)) {
		if (nl->nlmsg_type == NLMSG_ERROR || nl->nlmsg_type == NLMSG_DONE) {
			memcpy(&error, NLMSG_DATA(nl), sizeof(error));
			*ret = error ?: *ret;
			return true;
		}
		if (nl->nlmsg_type != NLMSG_NOOP)
			*ret = 1;
	}
	return false;
}

int raw_ask(int fd, const struct family *f, unsigned int cmd, bool dump, bool addressed,
	    const void *attrs, size_t length)
{
	static union {
		struct nlmsghdr nl;
		char bytes[ANSWER_BYTES];
	} answer;
	ssize_t n;
	int ret;

	ret = ask(fd, f->id, cmd, dump, addressed, attrs, length);
	if (ret)
		return ret;
	do {
		n = recv(fd, &answer, sizeof(answer), 0);
		if (n < (ssize_t)sizeof(answer.nl))
			return n < 0 ? -errno : -EPROTO;
	} while (!take(&answer.nl, (int)n, &ret));
	return ret;
}

int raw_join(int fd, uint32_t group)
{
	return setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) ?
	       -errno : 0;
}

static void learn_ops(struct family *f, struct nlattr *ops)
{
	struct nlattr *op, *attr;
	uint32_t id, flags;
	int left, rest;

	nla_for_each_nested(op, ops, left) {
		id = 0;
		flags = 0;
		nla_for_each_nested(attr, op, rest) {
			if (nla_type(attr) == CTRL_ATTR_OP_ID)
				id = nla_get_u32(attr);
			else if (nla_type(attr) == CTRL_ATTR_OP_FLAGS)
				flags = nla_get_u32(attr);
		}
		if (id && id <= OPS_MAX)
			f->flags[id] = flags;
	}
}

static void learn_group(struct family *f, struct nlattr *groups)
{
	struct nlattr *group, *attr;
	int left, rest;

	nla_for_each_nested(group, groups, left)
		nla_for_each_nested(attr, group, rest)
			if (nla_type(attr) == CTRL_ATTR_MCAST_GRP_ID)
				f->group = nla_get_u32(attr);
}

/* From CTRL_CMD_GETFAMILY, which everybody may ask. */
void family_learn(struct family *f)
{
	static const struct {
		struct nlattr attr;
		char name[8];
	} name = {
		.attr = { .nla_len = sizeof(name.attr) + sizeof(KVERBS_GENL_NAME),
			  .nla_type = CTRL_ATTR_FAMILY_NAME },
		.name = KVERBS_GENL_NAME,
	};
	static char answer[ANSWER_BYTES];
	struct nlmsghdr *hdr = (struct nlmsghdr *)answer;
	struct nlattr *attr;
	int fd = raw_open(), left;
	ssize_t n;

	memset(f, 0, sizeof(*f));
	if (fd < 0 || ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, false, false, &name,
			  NLA_ALIGN(name.attr.nla_len)))
		bail_out("the list of netlink families can't be asked for");
	n = recv(fd, answer, sizeof(answer), 0);
	close(fd);
	if (n < (ssize_t)NLMSG_LENGTH(GENL_HDRLEN) || hdr->nlmsg_type != GENL_ID_CTRL)
		bail_out("the kernel does not know the family");
	nla_for_each_attr(attr, (struct nlattr *)(answer + NLMSG_LENGTH(GENL_HDRLEN)),
			  (int)(hdr->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN)), left) {
		if (nla_type(attr) == CTRL_ATTR_FAMILY_ID)
			f->id = nla_get_u16(attr);
		else if (nla_type(attr) == CTRL_ATTR_OPS)
			learn_ops(f, attr);
		else if (nla_type(attr) == CTRL_ATTR_MCAST_GROUPS)
			learn_group(f, attr);
	}
	if (!f->id || !f->group)
		bail_out("the family has no id or no group");
}
