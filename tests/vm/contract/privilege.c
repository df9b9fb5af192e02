// SPDX-License-Identifier: MIT
/*
 * A process without CAP_NET_ADMIN in the initial user namespace is refused every command.
 * No command is exempt: all commands that the kernel lists are refused.
 */
#define _GNU_SOURCE /* unshare(), setresuid() */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/capability.h>
#include <linux/genetlink.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <netlink/attr.h>
#include "contract.h"
#include "raw.h"

#define NOBODY 65534

static struct family family;

/**
 * struct report - what somebody was told; in memory that is shared
 * @ready: it has come to its end
 * @dos: commands that were refused as they must be
 * @dumps: lists, ditto
 * @wrong: the first command that was not
 * @wrong_dump: it was a list
 * @wrong_error: its error
 * @joined: the result of joining the group
 * @bound: the result of binding to it
 * @heard: events that came after that
 */
struct report {
	bool ready;
	unsigned int dos;
	unsigned int dumps;
	unsigned int wrong;
	bool wrong_dump;
	int wrong_error;
	int joined;
	int bound;
	unsigned int heard;
};

/**
 * struct who - somebody who is not to have access
 * @name: for the result
 * @become: called in a process of its own; the socket to use, or -1
 * @join: the expected result of joining the group
 */
struct who {
	const char *name;
	int (*become)(void);
	int join;
};

static int nobody(void)
{
	return setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ?
	       -1 : raw_open();
}

static int with_roots_socket(void)
{
	int fd = raw_open();

	return setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ?
	       -1 : fd;
}

static int with_nobodys_socket(void)
{
	int fd;

	if (setresuid(0, NOBODY, 0))
		return -1;
	fd = raw_open();
	return setresuid(0, 0, 0) ? -1 : fd;
}

static int root_without(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];

	if (syscall(SYS_capget, &header, caps))
		return -1;
	caps[0].effective &= ~(1U << CAP_NET_ADMIN);
	caps[0].permitted &= ~(1U << CAP_NET_ADMIN);
	caps[0].inheritable &= ~(1U << CAP_NET_ADMIN);
	return syscall(SYS_capset, &header, caps) ? -1 : raw_open();
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)strlen(text) ? 0 : -1;
}

static int root_of(int namespaces)
{
	if (unshare(CLONE_NEWUSER | namespaces) ||
	    write_file("/proc/self/setgroups", "deny") ||
	    write_file("/proc/self/uid_map", "0 0 1") ||
	    write_file("/proc/self/gid_map", "0 0 1") || setresuid(0, 0, 0))
		return -1;
	return raw_open();
}

static int root_of_userns(void)
{
	return root_of(0);
}

static int root_of_netns(void)
{
	return root_of(CLONE_NEWNET);
}

/* Requests that would work for others: the names and ids that they use. */
static size_t put_attrs(char attrs[64], unsigned int cmd)
{
	struct nlattr *attr = (struct nlattr *)attrs;

	switch (cmd) {
	case KVERBS_CMD_PD_NEW:
	case KVERBS_CMD_DEV_GET:
		attr->nla_type = cmd == KVERBS_CMD_PD_NEW ? KVERBS_A_PD_DEV : KVERBS_A_DEV_NAME;
		attr->nla_len = (uint16_t)(NLA_HDRLEN + strlen(dev) + 1);
		snprintf(attrs + NLA_HDRLEN, 32, "%s", dev);
		return NLA_ALIGN(attr->nla_len);
	default:
		return 0;
	}
}

static void try_one(int fd, unsigned int cmd, bool dump, bool addressed, struct report *r)
{
	char attrs[64] = "";
	int ret = raw_ask(fd, &family, cmd, dump, addressed, attrs,
			  dump ? 0 : put_attrs(attrs, cmd));

	if (ret == -EPERM) {
		r->dos += !dump;
		r->dumps += dump;
	} else if (!r->wrong) {
		r->wrong = cmd;
		r->wrong_dump = dump;
		r->wrong_error = ret;
	}
}

static void try_all(int fd, bool addressed, struct report *r)
{
	unsigned int cmd;

	for (cmd = 1; cmd <= OPS_MAX; cmd++) {
		if (family.flags[cmd] & GENL_CMD_CAP_DO)
			try_one(fd, cmd, false, addressed, r);
		if (family.flags[cmd] & GENL_CMD_CAP_DUMP)
			try_one(fd, cmd, true, addressed, r);
	}
}

static int bind_group(void)
{
	struct sockaddr_nl addr = {
		.nl_family = AF_NETLINK,
		.nl_groups = family.group <= 32 ? 1U << (family.group - 1) : 0,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC), ret;

	ret = bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ? -errno : 0;
	close(fd);
	return ret;
}

static unsigned int count_events(int fd)
{
	unsigned int n = 0;
	char byte;

	while (recv(fd, &byte, 1, MSG_DONTWAIT | MSG_TRUNC) >= 0)
		n++;
	return n;
}

/* Waits for the parent to make events between joining and counting. */
static void be(const struct who *who, bool addressed, struct report *r, int told, int go)
{
	int fd = who->become();
	char byte = 0;

	if (fd >= 0) {
		try_all(fd, addressed, r);
		r->bound = bind_group();
		r->joined = raw_join(fd, family.group);
	}
	if (write(told, &byte, 1) == 1 && read(go, &byte, 1) == 1 && fd >= 0) {
		r->heard = count_events(fd);
		r->ready = true;
	}
	_exit(0);
}

/* Events that everybody hears who may use the device. */
static void make_events(void)
{
	other_dev_make();
	other_dev_del();
}

static void try_as(const struct who *who, bool addressed, struct report *r)
{
	int told[2], go[2], status;
	char byte = 0;
	pid_t pid;

	memset(r, 0, sizeof(*r));
	if (pipe(told) || pipe(go))
		bail_out("no pipe");
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		bail_out("no process");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		be(who, addressed, r, told[1], go[0]);
	}
	close(told[1]);
	close(go[0]);
	if (read(told[0], &byte, 1) != 1)
		bail_out("%s: the process died", who->name);
	if (!r->joined)
		make_events();
	if (write(go[1], &byte, 1) != 1 || waitpid(pid, &status, 0) != pid)
		bail_out("%s: the process is gone", who->name);
	close(told[0]);
	close(go[1]);
	if (!r->ready)
		bail_out("cannot be %s here", who->name);
}

static unsigned int count_ops(uint32_t flag)
{
	unsigned int cmd, n = 0;

	for (cmd = 1; cmd <= OPS_MAX; cmd++)
		n += !!(family.flags[cmd] & flag);
	return n;
}

static void check_list(void)
{
	unsigned int cmd, missing = 0, open = 0;

	for (cmd = 1; cmd <= KVERBS_CMD_MAX; cmd++)
		if (cmd != KVERBS_CMD_EVENT && !family.flags[cmd])
			missing = cmd;
	for (cmd = 1; cmd <= OPS_MAX; cmd++)
		if (family.flags[cmd] && !(family.flags[cmd] & GENL_ADMIN_PERM))
			open = cmd;
	result(!missing, "the kernel lists each command of the contract");
	if (missing)
		note("  not %u", missing);
	result(!open, "none of them is free");
	if (open)
		note("  %u is", open);
}

/* All commands and all lists, by who may not. */
static void check_outsider(struct link *l, const struct who *who, bool addressed,
			   struct report *r)
{
	struct snapshot before = snapshot(l), after;

	try_as(who, addressed, r);
	after = snapshot(l);
	result(!r->wrong && r->dos == count_ops(GENL_CMD_CAP_DO) &&
	       r->dumps == count_ops(GENL_CMD_CAP_DUMP),
	       "%s is refused all commands and all lists, by %s", who->name,
	       addressed ? "sendto" : "send");
	note("  %u commands and %u lists", r->dos, r->dumps);
	if (r->wrong)
		note("  but command %u%s: %d", r->wrong, r->wrong_dump ? " (list)" : "",
		     r->wrong_error);
	result(after.hash == before.hash && after.live == before.live &&
	       after.bytes == before.bytes, "and changes nothing");
}

static void check(struct link *l, const struct who *who, bool addressed, struct report *r)
{
	check_outsider(l, who, addressed, r);
	result(r->joined == who->join && (r->bound == who->join || family.group > 32),
	       who->join ? "nor may it listen" : "it can join the group");
	if (r->joined != who->join || r->bound != who->join)
		note("  joining: %d, binding: %d", r->joined, r->bound);
	result(!r->heard, "and hears nothing");
	if (r->heard)
		note("  but %u events", r->heard);
}

static void check_fooled(struct link *l, const struct who *who, bool addressed, struct report *r)
{
	check_outsider(l, who, addressed, r);
	result(!r->joined && r->heard >= 2, "events do come to who may hear them");
}

void test_privilege(void)
{
	static const struct who whos[] = {
		{ "nobody", nobody, -EPERM },
		{ "nobody with a socket of root's", with_roots_socket, -EPERM },
		{ "root without CAP_NET_ADMIN", root_without, -EPERM },
		{ "root of a user namespace", root_of_userns, -EPERM },
		{ "root of a user namespace and of a network namespace", root_of_netns, 0 },
	};
	static const struct who fooled = {
		"root with a socket of nobody's", with_nobodys_socket, 0,
	};
	struct kv_pd_init init = { .dev = dev, .persistent = true };
	struct report *r;
	uint32_t flushed, busy;
	unsigned int i;
	struct link l;

	r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r == MAP_FAILED)
		bail_out("no memory");
	family_learn(&family);
	check_list();
	link_open(&l);
	/* Objects that others could see, and flush. */
	must(&l, call_new(&l.nl, KV_PD, &init, NULL, NULL), "pd");
	for (i = 0; i < 2 * COUNT(whos); i++)
		check(&l, &whos[i / 2], i % 2, r);

	/* It is root who joins, and hears; but nobody's socket that asks. */
	for (i = 0; i < 2; i++)
		check_fooled(&l, &fooled, i, r);
	must(&l, call_flush(&l.nl, &flushed, &busy), "flush");
	result(flushed == 1 && !busy, "what is persistent is there to the end");
	link_close(&l);
	munmap(r, sizeof(*r));
}
