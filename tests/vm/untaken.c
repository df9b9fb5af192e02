// SPDX-License-Identifier: MIT
/*
 * Sends commands with an attribute that they do not take, one at a time, and sees each refused:
 * with -EINVAL, with a text, and with the attribute's place in the message. The end of a list has
 * the text alone before Linux 6.9 or so. Reads what tests/abi/spec_untaken.py prints.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <kverbs.h>

/* Where the only attribute of a message is. */
#define PLACE (NLMSG_HDRLEN + GENL_HDRLEN)

struct attempt {
	unsigned int command;
	int flags;
	unsigned int type;
	unsigned char bytes[64];
	unsigned int n;
	char text[128];
};

struct refusal {
	int error;
	bool of_list;
	unsigned int place;
	char text[128];
};

static bool parse(const char *line, struct attempt *a)
{
	char kind[8], hex[2 * sizeof(a->bytes) + 1];
	unsigned int byte;

	memset(a, 0, sizeof(*a));
	if (sscanf(line, "%u %7s %u %128s %127[^\n]", &a->command, kind, &a->type, hex,
		   a->text) != 5)
		return false;
	a->flags = NLM_F_REQUEST | NLM_F_ACK | (strcmp(kind, "dump") ? 0 : NLM_F_DUMP);
	while (sscanf(hex + 2 * (size_t)a->n, "%2x", &byte) == 1)
		a->bytes[a->n++] = (unsigned char)byte;
	return true;
}

static int send_attempt(struct nl_sock *sock, int family, const struct attempt *a)
{
	struct nl_msg *msg = nlmsg_alloc();
	int ret = -NLE_NOMEM;

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, a->flags,
			       (uint8_t)a->command, KVERBS_GENL_VERSION) &&
	    !nla_put(msg, (int)a->type, (int)a->n, a->bytes))
		ret = nl_send_auto(sock, msg);
	nlmsg_free(msg);
	return ret;
}

/* Its first number is the errno. */
static void read_refusal(const struct nlmsghdr *nlh, struct refusal *r)
{
	size_t skip = nlh->nlmsg_type == NLMSG_DONE ? sizeof(int) : sizeof(struct nlmsgerr);
	struct nlattr *attrs = (struct nlattr *)((char *)NLMSG_DATA(nlh) + skip), *attr;
	int len = (int)(nlh->nlmsg_len - NLMSG_LENGTH(skip));

	r->error = *(const int *)NLMSG_DATA(nlh);
	r->of_list = nlh->nlmsg_type == NLMSG_DONE;
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	attr = nla_find(attrs, len, NLMSGERR_ATTR_OFFS);
	if (attr)
		r->place = nla_get_u32(attr);
	attr = nla_find(attrs, len, NLMSGERR_ATTR_MSG);
	if (attr)
		nla_strlcpy(r->text, attr, sizeof(r->text));
}

/* The answer of the module, up to its end. */
static bool receive(struct nl_sock *sock, struct refusal *r)
{
	static struct nlmsghdr answer[32768 / sizeof(struct nlmsghdr)];
	struct nlmsghdr *nlh;
	ssize_t n;
	int left;

	memset(r, 0, sizeof(*r));
	for (;;) {
		n = recv(nl_socket_get_fd(sock), answer, sizeof(answer), 0);
		if (n <= 0)
			return false;
		left = (int)n;
		for (nlh = answer; nlmsg_ok(nlh, left); nlh = nlmsg_next(nlh, &left)) {
			if (nlh->nlmsg_type != NLMSG_ERROR && nlh->nlmsg_type != NLMSG_DONE)
				continue;
			read_refusal(nlh, r);
			return true;
		}
	}
}

static bool try(struct nl_sock *sock, int family, const char *line)
{
	struct attempt a;
	struct refusal r;

	if (!parse(line, &a) || send_attempt(sock, family, &a) < 0 || !receive(sock, &r)) {
		printf("no answer: %s", line);
		return false;
	}
	if (r.error == -EINVAL && strstr(r.text, a.text) &&
	    (r.place == PLACE || (r.of_list && !r.place)))
		return true;
	printf("error %d, place %u, \"%s\": %s", r.error, r.place, r.text, line);
	return false;
}

int main(void)
{
	struct nl_sock *sock = nl_socket_alloc();
	unsigned int tried = 0, good = 0;
	int family, one = 1;
	char line[512];

	if (!sock || genl_connect(sock))
		return 1;
	family = genl_ctrl_resolve(sock, KVERBS_GENL_NAME);
	if (family < 0) {
		fprintf(stderr, "untaken: the module is not loaded\n");
		return 1;
	}
	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	while (fgets(line, sizeof(line), stdin)) {
		tried++;
		good += try(sock, family, line);
	}
	nl_socket_free(sock);
	printf("%u of %u refused\n", good, tried);
	return !tried || good != tried;
}
