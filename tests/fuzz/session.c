// SPDX-License-Identifier: MIT
/* The sockets, what goes over them, and what the kernel answers. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <kverbs.h>
#include "fuzz.h"
#include "sys/now.h"

#define ROOM (256 * 1024)
#define ERRNOS 134
#define RETRIES 40
/* Of a message that works: some answers of the CM take that long. */
#define RETRY_US 1000

/* The sequence number of what asks whether all before it is answered. */
#define MARK UINT32_MAX
/* A command ends in 2 s, and a socket has 128 of them. */
#define ANSWER_MS 2000
#define ANSWERS_NS (128 * 2000000000ULL)

uint64_t sent;
bool session_talks;

static int sockets[SOCKETS] = { -1, -1, -1, -1 };
static int home = -1;
static uint32_t seq;
/* Aligned as headers are. */
static uint64_t words[ROOM / sizeof(uint64_t)];
static uint8_t *const buffer = (uint8_t *)words;
static size_t used;
static bool patient = true;
/* The mark was answered, and with which error. */
static bool marked;
static int mark_error;

/* How messages ended, for the summary. */
static uint64_t accepted, refused[ERRNOS], mute, unanswered;
static uint64_t worked[COMMANDS];

/* The module makes events only if somebody listens. */
static struct nl_sock *listener;
static uint64_t heard;

static int open_listener(void)
{
	int group;

	listener = nl_socket_alloc();
	if (!listener || genl_connect(listener))
		return -1;
	group = genl_ctrl_resolve_grp(listener, KVERBS_GENL_NAME, KVERBS_MCGRP_EVENTS);
	return group < 0 ? -1 : nl_socket_add_membership(listener, group);
}

/* Bytes beyond the end of its buffer are lost, without harm. */
static void listen_in(void)
{
	static char event[65536];

	while (recv(nl_socket_get_fd(listener), event, sizeof(event), MSG_DONTWAIT) > 0)
		heard++;
}

static int open_socket(void)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int on = 1, fd;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&kernel, sizeof(kernel)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The namespace lives as long as the socket does. */
static int open_foreign(void)
{
	int fd;

	if (unshare(CLONE_NEWNET))
		return -1;
	fd = open_socket();
	if (setns(home, CLONE_NEWNET))
		return -1;
	return fd;
}

static int get_socket(unsigned int which)
{
	if (sockets[which] < 0)
		sockets[which] = which == FOREIGN ? open_foreign() : open_socket();
	return sockets[which];
}

/**
 * session_open() - prepare
 *
 * Return: 0, -1 if this network namespace can't be found again, or nobody can listen.
 */
int session_open(void)
{
	home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	return home < 0 ? -1 : open_listener();
}

/* The reason of a refusal, NULL if none was given. */
static const char *text_of(const struct nlmsghdr *nlh, const struct nlmsgerr *err)
{
	size_t skip = sizeof(*err);
	struct nlattr *attr;
	int left;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return NULL;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(err->msg.nlmsg_len - NLMSG_HDRLEN);
	if (nlh->nlmsg_len < NLMSG_HDRLEN + skip)
		return NULL;
	left = (int)(nlh->nlmsg_len - NLMSG_HDRLEN - skip);
	attr = (struct nlattr *)((uint8_t *)err + skip);
	attr = nla_find(attr, left, NLMSGERR_ATTR_MSG);
	return attr ? nla_data(attr) : NULL;
}

/*
 * Netlink itself gives no reason when there is no such command, no dump of it, no room
 * for its header, or when the socket's last dump has not ended.
 */
static bool may_be_mute(const struct message *m, int error)
{
	return error == EOPNOTSUPP || (error == EINVAL && m->lie < 0) ||
	       (error == EBUSY && m->flags & NLM_F_DUMP);
}

/* 1 accepted, -1 refused */
static int take_error(const struct nlmsghdr *nlh, const struct message *m)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);
	int error = -err->error;
	const char *text;

	if (!error) {
		accepted++;
		worked[m->command]++;
		return 1;
	}
	if (error < 0 || error >= ERRNOS)
		error = 0;
	refused[error]++;
	text = text_of(nlh, err);
	if (session_talks)
		printf("fuzz: command %u: -%d: %s\n", m->command, error, text ?: "(no text)");
	if (!text && nlh->nlmsg_seq == seq && !may_be_mute(m, error)) {
		mute++;
		printf("fuzz: FAILED: no reason was given: command %u, socket %u, flags %#x, error %d\n",
		       m->command, m->socket, m->flags, error);
	}
	return -1;
}

/* Takes all answers that are there; returns the result of message seq. */
static int take_answers(const struct message *m)
{
	static struct nlmsghdr answer[ROOM / sizeof(struct nlmsghdr)];
	int became = 0;
	ssize_t n;

	/* The answers that found no room come as an error first. */
	while ((n = recv(sockets[m->socket], answer, sizeof(answer), MSG_DONTWAIT)) > 0 ||
	       (n < 0 && errno == ENOBUFS)) {
		struct nlmsghdr *nlh = answer;
		int left = (int)n;

		for (; left > 0 && NLMSG_OK(nlh, (unsigned int)left); nlh = NLMSG_NEXT(nlh, left)) {
			struct genlmsghdr *genl = NLMSG_DATA(nlh);

			if (nlh->nlmsg_type == NLMSG_ERROR && nlh->nlmsg_seq == MARK) {
				mark_error = -((struct nlmsgerr *)NLMSG_DATA(nlh))->error;
				marked = true;
			} else if (nlh->nlmsg_type == family.id && nlh->nlmsg_seq == MARK) {
				continue;
			} else if (nlh->nlmsg_type == NLMSG_ERROR) {
				int end = take_error(nlh, m);

				if (nlh->nlmsg_seq == seq)
					became = end;
			} else if (nlh->nlmsg_type == NLMSG_DONE && nlh->nlmsg_seq == seq) {
				accepted++;
				became = 1;
			} else if (nlh->nlmsg_type == family.id) {
				model_reply(m->socket, genl->cmd,
					    (uint8_t *)genl + GENL_HDRLEN,
					    (int)nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN);
			}
		}
	}
	return became;
}

static void close_socket(unsigned int which)
{
	if (sockets[which] >= 0)
		close(sockets[which]);
	sockets[which] = -1;
}

/* A command that is answered after those that were sent before. */
static bool send_mark(int fd)
{
	const struct {
		struct nlmsghdr nl;
		struct genlmsghdr genl;
	} mark = {
		.nl.nlmsg_len = sizeof(mark),
		.nl.nlmsg_type = (uint16_t)family.id,
		.nl.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		.nl.nlmsg_seq = MARK,
		.genl.cmd = KVERBS_CMD_INFO_GET,
		.genl.version = KVERBS_GENL_VERSION,
	};

	marked = false;
	mark_error = 0;
	return send(fd, &mark, sizeof(mark), 0) == sizeof(mark);
}

/*
 * Waits until the messages that were sent are answered, and takes the answers. Returns as
 * take_answers().
 */
static int await_answers(const struct message *m)
{
	struct pollfd pollfd = { .fd = sockets[m->socket], .events = POLLIN };
	uint64_t end_ns = kv_now_ns() + ANSWERS_NS;
	int became = 0, now;

	while (kv_now_ns() < end_ns) {
		if (!send_mark(pollfd.fd))
			break;
		do {
			/* The answer to the mark is lost if the socket's buffer was full. */
			if (!poll(&pollfd, 1, ANSWER_MS))
				break;
			now = take_answers(m);
			became = now ?: became;
		} while (!marked);
		if (marked && mark_error != EBUSY)
			return became;
		/* As many commands as a socket may have are under way: this was not one of them. */
		usleep(RETRY_US);
	}
	printf("fuzz: FAILED: socket %u is not answered any more\n", m->socket);
	mute++;
	return became;
}

/* Sends the content of the buffer; returns as take_answers(). */
static int flush(const struct message *m)
{
	int fd = get_socket(m->socket), became = 0;

	if (fd >= 0 && send(fd, buffer, used, 0) == (ssize_t)used && !(m->act & ACT_DEAF))
		became = await_answers(m);
	if (!became)
		unanswered++;
	used = 0;
	return became;
}

static int send_once(const struct message *m)
{
	used += encode(m, ++seq, buffer + used, ROOM / 2 - 64);
	sent++;
	if (m->act & ACT_JOIN && used < ROOM / 2)
		return 1;
	return flush(m);
}

/**
 * session_send() - send a message and take what is answered
 * @m: the message
 *
 * Return: false if it was refused.
 */
bool session_send(const struct message *m)
{
	int became = send_once(m), tries = RETRIES;

	if (m->act & ACT_RETRY && patient) {
		for (; became < 0 && tries; tries--) {
			usleep(RETRY_US);
			became = send_once(m);
		}
		/* A step that has failed until now never works, nor do steps built on it. */
		patient = became > 0;
	}
	if (m->act & ACT_CLOSE)
		close_socket(m->socket);
	return became >= 0;
}

static void send_plain(unsigned int which, uint8_t command)
{
	static struct message m;

	m.socket = (uint8_t)which;
	m.command = command;
	m.version = KVERBS_GENL_VERSION;
	m.flags = NLM_F_REQUEST | NLM_F_ACK;
	session_send(&m);
}

/**
 * session_end() - close the sockets
 * @all: persistent objects go, too, and the other network namespace
 */
void session_end(bool all)
{
	unsigned int i;

	if (all && sockets[FOREIGN] >= 0) {
		/* Nobody could name them when the socket is closed. */
		send_plain(FOREIGN, KVERBS_CMD_FLUSH);
		close_socket(FOREIGN);
	}
	for (i = 0; i < FOREIGN; i++)
		close_socket(i);
	if (all) {
		send_plain(0, KVERBS_CMD_FLUSH);
		close_socket(0);
	}
	listen_in();
	used = 0;
	patient = true;
}

static uint64_t info(unsigned int attr)
{
	return model_seen(policy_class(KVERBS_CMD_INFO_GET), attr, 0);
}

/**
 * session_balance() - is anything left?
 *
 * Return: 0 if as many objects were destroyed as were made, and no buffer is held.
 */
int session_balance(void)
{
	unsigned int tries;
	int left = 1;

	session_end(true);
	/* A network namespace goes later than its last socket. */
	for (tries = 0; left && tries < 100; tries++) {
		if (tries)
			usleep(100000);
		send_plain(0, KVERBS_CMD_INFO_GET);
		left = info(KVERBS_A_INFO_CREATED) != info(KVERBS_A_INFO_DESTROYED) ||
		       info(KVERBS_A_INFO_BUFFER_BYTES);
	}
	printf("fuzz: %llu objects created, %llu destroyed, %llu bytes in buffers\n",
	       (unsigned long long)info(KVERBS_A_INFO_CREATED),
	       (unsigned long long)info(KVERBS_A_INFO_DESTROYED),
	       (unsigned long long)info(KVERBS_A_INFO_BUFFER_BYTES));
	close_socket(0);
	return left || !info(KVERBS_A_INFO_CREATED);
}

static bool not_iwarp(uint8_t command)
{
	return command == KVERBS_CMD_AH_NEW || command == KVERBS_CMD_AH_DEL ||
	       command == KVERBS_CMD_AH_GET || command == KVERBS_CMD_CONN_ESTABLISH ||
	       command == KVERBS_CMD_QP_ATTACH || command == KVERBS_CMD_QP_DETACH ||
	       command == KVERBS_CMD_CONN_JOIN || command == KVERBS_CMD_CONN_LEAVE;
}

/**
 * session_print() - how messages ended
 * @plain: they were valid sessions as they are
 *
 * Return: 0; 1 if a refusal came without a reason, or no event was heard; if a command of
 * valid sessions never worked.
 */
int session_print(bool plain)
{
	unsigned int i, never = 0;

	printf("fuzz: %llu accepted, %llu without an answer, refused:",
	       (unsigned long long)accepted, (unsigned long long)unanswered);
	for (i = 0; i < ERRNOS; i++)
		if (refused[i])
			printf(" %s %llu", strerrorname_np((int)i) ?: "?",
			       (unsigned long long)refused[i]);
	printf("\nfuzz: commands that never worked:");
	for (i = 0; i < family.commands; i++)
		if (!worked[family.command[i]] && !(place.iwarp && not_iwarp(family.command[i]))) {
			printf(" %u", family.command[i]);
			never++;
		}
	printf("%s\nfuzz: %llu events heard\n", never ? "" : " none", (unsigned long long)heard);
	return mute || !heard || (plain && never);
}
