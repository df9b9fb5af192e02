// SPDX-License-Identifier: MIT
/*
 * A verb hangs under a command: nobody waits for it who has nothing to do with it. Needs the module
 * hang of tests/vm/fail.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include "raw.h"
#include "steps.h"

#define HANG "/sys/module/hang/parameters/"

/* A hang that nobody ends. */
#define HANG_MS "20000"

/* Time that others may take meanwhile, on an idle host. */
#define LIMIT_S 0.1

/* Commands that a socket may have under way, as kmod/jobs.c says. */
#define COMMANDS_MAX 128

/* Which function hangs under which of the steps. */
static const struct {
	const char *step;
	const char *verb;
} hangs[] = {
	{ "a device is shown", "ib_query_port" },
	{ "devices are listed", "ib_query_port" },
	{ "a pd is made", "__ib_alloc_pd" },
	{ "a pd is deleted", "ib_dealloc_pd_user" },
	{ "a cq is made", "__ib_create_cq" },
	{ "a cq is deleted", "ib_destroy_cq_user" },
	{ "an mr is made", "ib_alloc_mr" },
	{ "an mr is deleted", "ib_dereg_mr_user" },
	{ "an mr is registered", "ib_map_mr_sg" },
	{ "an mr is registered", "kv_post_and_wait" },
	{ "an mr is invalidated", "kv_post_and_wait" },
	{ "an srq is made", "ib_create_srq_user" },
	{ "an srq is shown", "ib_query_srq" },
	{ "an srq is resized", "ib_modify_srq" },
	{ "an ah is made", "rdma_create_user_ah" },
	{ "a qp is made", "ib_create_qp_kernel" },
	{ "a qp is deleted", "ib_destroy_qp_user" },
	{ "a qp is shown", "ib_query_qp" },
	{ "qps are listed", "ib_query_qp" },
	{ "a qp goes to INIT", "ib_modify_qp" },
	{ "a qp goes to RESET", "ib_modify_qp" },
	{ "from INIT to RTR", "ib_modify_qp" },
	{ "from INIT to RTR", "rdma_create_user_ah" },
	{ "a run is started", "ib_query_qp" },
	{ "persistent objects are flushed", "ib_dealloc_pd_user" },
	{ "a conn is made", "__rdma_create_kernel_id" },
	{ "a conn is deleted", "rdma_destroy_id" },
	{ "a conn is shown", "rdma_lock_handler" },
	{ "a conn listens", "rdma_listen" },
	{ "an address is resolved", "rdma_resolve_addr" },
};

/**
 * struct call - a command that a thread gives
 * @s: on what
 * @step: which
 * @thread: gives it
 * @ret: its result
 * @done: it was answered
 */
struct call {
	struct scene *s;
	const struct step *step;
	pthread_t thread;
	int ret;
	bool done;
};

static void set(const char *parameter, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), HANG "%s", parameter);
	if (!write_text(path, text))
		bail_out("%s: %s: %s", path, text, strerror(errno));
}

static bool is_waiting(void)
{
	FILE *f = fopen(HANG "waits", "r");
	int c = f ? fgetc(f) : EOF;

	if (c == EOF)
		bail_out(HANG "waits can't be read");
	fclose(f);
	return c == 'Y';
}

static bool await_hang(void)
{
	struct limit limit = limit_of(5);

	while (!is_waiting() && !limit_over(&limit))
		usleep(1000);
	return is_waiting();
}

static void arm(const char *verb)
{
	set("verb", verb);
	set("ms", HANG_MS);
}

static void disarm(void)
{
	set("waits", "N");
	set("verb", "\n");
}

static void *give(void *arg)
{
	struct call *c = arg;

	c->ret = c->step->call(c->s);
	__atomic_store_n(&c->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void call_start(struct call *c, struct scene *s, const struct step *step)
{
	*c = (struct call){ .s = s, .step = step };
	if (pthread_create(&c->thread, NULL, give, c))
		bail_out("no thread");
}

static bool call_hangs(const struct call *c)
{
	return !__atomic_load_n(&c->done, __ATOMIC_ACQUIRE) && is_waiting();
}

static int call_end(struct call *c)
{
	pthread_join(c->thread, NULL);
	return c->ret;
}

static const struct step *find(const char *name)
{
	const struct step *step;

	for (step = steps; step->name; step++)
		if (!strcmp(step->name, name))
			return step;
	bail_out("there is no step \"%s\"", name);
}

/* Actions of others: a family comes and goes, is looked up, and a process asks the module. */
static double others(struct link *other)
{
	double start = seconds();
	struct kv_info info;
	struct family family;

	set("family", "Y");
	family_learn(&family);
	set("family", "N");
	must(other, call_info_get(&other->nl, &info), "another socket asks");
	return seconds() - start;
}

static void try_step(struct scene *s, struct link *other, const char *name, const char *verb)
{
	const struct step *step = find(name);
	double quiet, took;
	struct call call;
	bool hung, hangs_still;
	int ret;

	if (step->not_iwarp && lacks(name, "such thing"))
		return;
	s->listed = 0;
	if (step->before)
		must(&s->l, step->before(s), "what it needs");
	quiet = others(other);
	arm(verb);
	call_start(&call, s, step);
	hung = await_hang();
	took = others(other);
	hangs_still = call_hangs(&call);
	disarm();
	ret = call_end(&call);
	if (step->after)
		must(&s->l, step->after(s), "the way back");
	result(hung && hangs_still && !ret && took < LIMIT_S + 5 * quiet,
	       "%s, %s hangs: families come and go, and others are answered", name, verb);
	if (!hung || !hangs_still || ret)
		note("  hung: %d, when all else was done: %d, at last %d", hung, hangs_still, ret);
	note("  all else: %.1f ms, and %.1f ms while nothing hangs", took * 1e3, quiet * 1e3);
}

/**
 * struct line - a socket on which one command follows the other, without waiting for answers
 * @fd: the socket
 * @family: of the module
 * @out: commands that have not been sent
 * @used: bytes of it
 * @in: the received bytes
 * @next: the part of it to look at next
 * @left: bytes of that
 */
struct line {
	int fd;
	struct family family;
	uint32_t out[8192];
	size_t used;
	uint32_t in[16384];
	struct nlmsghdr *next;
	int left;
};

static struct line line; /* too large for the stack */

static void line_open(struct line *p)
{
	p->fd = raw_open();
	if (p->fd < 0)
		bail_out("no socket: %s", strerror(errno));
	family_learn(&p->family);
	p->used = 0;
	p->left = 0;
}

/* Adds a command with one attribute, a string or a number; its sequence number is @seq. */
static void line_add(struct line *p, uint32_t seq, unsigned int cmd, int flags, int attr,
		     const void *value, size_t size)
{
	struct nlmsghdr *nl = (struct nlmsghdr *)((char *)p->out + p->used);
	struct genlmsghdr *genl = NLMSG_DATA(nl);
	struct nlattr *nla = (struct nlattr *)(genl + 1);
	size_t attrs = value ? NLA_ALIGN(NLA_HDRLEN + size) : 0;

	memset(nl, 0, NLMSG_LENGTH(GENL_HDRLEN) + attrs);
	nl->nlmsg_len = (uint32_t)(NLMSG_LENGTH(GENL_HDRLEN) + attrs);
	nl->nlmsg_type = p->family.id;
	nl->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
	nl->nlmsg_seq = seq;
	genl->cmd = (uint8_t)cmd;
	genl->version = KVERBS_GENL_VERSION;
	if (value) {
		nla->nla_len = (uint16_t)(NLA_HDRLEN + size);
		nla->nla_type = (uint16_t)attr;
		memcpy(nla + 1, value, size);
	}
	p->used += nl->nlmsg_len;
}

static void line_send(struct line *p)
{
	if (send(p->fd, p->out, p->used, 0) != (ssize_t)p->used)
		bail_out("send: %s", strerror(errno));
	p->used = 0;
}

/* Reads up to and with the next end of an answer; its error. */
static int line_end(struct line *p, uint32_t *seq)
{
	struct nlmsghdr *nl;
	int error;

	for (;;) {
		if (p->left <= 0 || !NLMSG_OK(p->next, (unsigned int)p->left)) {
			p->left = (int)recv(p->fd, p->in, sizeof(p->in), 0);
			p->next = (struct nlmsghdr *)p->in;
			if (p->left <= 0)
				bail_out("no answer: %s", strerror(errno));
		}
		nl = p->next;
		p->next = NLMSG_NEXT(nl, p->left);
		if (nl->nlmsg_type != NLMSG_ERROR && nl->nlmsg_type != NLMSG_DONE)
			continue;
		memcpy(&error, NLMSG_DATA(nl), sizeof(error));
		*seq = nl->nlmsg_seq;
		return error;
	}
}

/* The commands of a socket, whether they may wait or not, and lists. */
static void test_order(void)
{
	struct line *p = &line;
	uint32_t seq = 0, want;
	bool good = true;

	line_open(p);
	arm("__ib_alloc_pd");
	line_add(p, 1, KVERBS_CMD_PD_NEW, 0, KVERBS_A_PD_DEV, dev, strlen(dev) + 1);
	line_add(p, 2, KVERBS_CMD_INFO_GET, 0, 0, NULL, 0);
	line_add(p, 3, KVERBS_CMD_PD_NEW, 0, KVERBS_A_PD_DEV, "nosuch0", sizeof("nosuch0"));
	line_add(p, 4, KVERBS_CMD_DEV_GET, 0, KVERBS_A_DEV_NAME, dev, strlen(dev) + 1);
	line_add(p, 5, KVERBS_CMD_PD_GET, NLM_F_DUMP, 0, NULL, 0);
	line_send(p);
	result(await_hang(), "the first of five commands hangs");
	disarm();
	for (want = 1; want <= 5; want++) {
		int error = line_end(p, &seq);

		good &= seq == want && error == (want == 3 ? -ENODEV : 0);
	}
	result(good, "all are answered in their order");
	close(p->fd);
}

/* Of one socket, which does not read what it is answered. */
static void test_bound(void)
{
	unsigned int i, refused = 0, answered = 0;
	struct line *p = &line;
	uint32_t seq;
	int error, size = 1 << 20;

	line_open(p);
	if (setsockopt(p->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		bail_out("SO_RCVBUFFORCE: %s", strerror(errno));
	arm("__ib_alloc_pd");
	for (i = 0; i < COMMANDS_MAX + 2; i++)
		line_add(p, i, KVERBS_CMD_PD_NEW, 0, KVERBS_A_PD_DEV, dev, strlen(dev) + 1);
	line_send(p);
	result(await_hang(), "the first of %u commands hangs", COMMANDS_MAX + 2);
	for (i = 0; i < 2; i++) {
		error = line_end(p, &seq);
		refused += error == -EBUSY && seq == COMMANDS_MAX + i;
	}
	result(refused == 2, "those that are too many are refused at once");
	disarm();
	for (i = 0; i < COMMANDS_MAX; i++)
		answered += !line_end(p, &seq) && seq == i;
	result(answered == COMMANDS_MAX, "all others are carried out");
	close(p->fd);
}

/* Commands on the device that hangs wait, those on another one don't. */
static void test_others(struct link *other)
{
	const struct kv_pd_init there = { .dev = OTHER_DEV };
	struct scene s, of_other;
	struct call call, second;
	struct kv_pd pd;
	double start, took;
	bool waits;

	other_dev_make();
	scene_make(&s);
	link_open(&of_other.l);
	of_other.pd = make_pd(&of_other.l);
	arm("__ib_alloc_pd");
	call_start(&call, &s, find("a pd is made"));
	result(await_hang(), "a command hangs");
	call_start(&second, &of_other, find("a pd is shown"));
	start = seconds();
	must(other, call_new(&other->nl, KV_PD, &there, &pd, NULL), "a pd of another device");
	took = seconds() - start;
	usleep(50000);
	waits = call_hangs(&call) && !__atomic_load_n(&second.done, __ATOMIC_ACQUIRE);
	result(waits, "a command that need not wait does so on that device, and on no other");
	note("  a pd of another device: %.1f ms", took * 1e3);
	disarm();
	result(!call_end(&call) && !call_end(&second), "both are answered then");
	must(other, call_del(&other->nl, KV_PD, pd.id, NULL), "delete it");
	kv_nl_close(&of_other.l.nl);
	scene_end(&s);
	other_dev_del();
}

/* Exit status of a process whose command found its device gone at the last moment. */
#define JUST_REMOVED 2

/* A pd on this device, by a process of its own. */
static pid_t pd_from_process(const char *device)
{
	const struct kv_pd_init init = { .dev = device };
	struct link l;
	pid_t pid = fork();

	if (pid < 0)
		bail_out("fork: %s", strerror(errno));
	if (!pid) {
		link_open(&l);
		if (!call_new(&l.nl, KV_PD, &init, NULL, NULL))
			_exit(0);
		_exit(strstr(l.nl.base.err, "the RDMA device was just removed") ? JUST_REMOVED : 1);
	}
	return pid;
}

/* The same, and this verb hangs under the process. */
static pid_t give_from_process(const char *device, const char *verb)
{
	arm(verb);
	return pd_from_process(device);
}

/* In the background. */
static pid_t run(const char *command)
{
	pid_t pid = fork();

	if (pid < 0)
		bail_out("fork: %s", strerror(errno));
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	return pid;
}

static bool runs(pid_t pid)
{
	return !waitpid(pid, NULL, WNOHANG);
}

/* Its exit status; -1 if it was killed. */
static int end(pid_t pid)
{
	int status = 0;

	if (waitpid(pid, &status, 0) != pid)
		bail_out("waitpid: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The answer of a socket that was opened now, and how long it took. */
static uint64_t ask_anew(double *took)
{
	double start = seconds();
	struct link fresh;
	uint64_t live;

	link_open(&fresh);
	live = snapshot(&fresh).live;
	*took = seconds() - start;
	kv_nl_close(&fresh.nl);
	return live;
}

/*
 * A process is killed, or its socket closed, under a verb that hangs: the kernel calls the notifiers
 * of closed sockets under a lock for which family_add() of hang.ko waits.
 */
static void test_killed(struct link *other, const char *verb, int signal)
{
	uint64_t live = snapshot(other).live;
	double quiet = others(other), took, waited;
	pid_t pid;
	int gone;

	pid = give_from_process(dev, verb);
	result(await_hang(), "%s hangs under a process", verb);
	if (signal)
		kill(pid, signal);
	gone = end(pid);
	took = others(other);
	result(is_waiting() && gone == (signal ? -1 : 0) && took < LIMIT_S + 5 * quiet,
	       "the process goes, and notifiers, families and others do not wait");
	note("  all else: %.1f ms, and %.1f ms while nothing hangs", took * 1e3, quiet * 1e3);
	ask_anew(&waited);
	result(is_waiting() && waited > 1.9 && waited < 3 + LIMIT_S,
	       "a socket that is opened then waits 2 s for its objects to go");
	note("  it waited %.1f ms", waited * 1e3);
	disarm();
	result(ask_anew(&waited) == live, "nothing is left of the process for the next one");
}

/* A socket that waits for a closed one is closed itself: that ends its wait. */
static void test_waiter_killed(void)
{
	double waited;
	pid_t pid, waiter;

	pid = give_from_process(dev, "__ib_alloc_pd");
	result(await_hang(), "a command hangs");
	kill(pid, SIGKILL);
	end(pid);
	waiter = pd_from_process(dev);
	usleep(200000);
	kill(waiter, SIGKILL);
	end(waiter);
	disarm();
	ask_anew(&waited);
	result(waited < 1 + LIMIT_S, "a killed process that waited for its objects waits no longer");
	note("  the next one waited %.1f ms", waited * 1e3);
}

static void test_device_goes(struct link *other)
{
	const struct kv_pd_init init = { .dev = OTHER_DEV };
	double start;
	pid_t giver, remover;
	bool waits;

	other_dev_make();
	giver = give_from_process(OTHER_DEV, "__ib_alloc_pd");
	result(await_hang(), "a command on a device hangs");
	remover = run("rdma link delete " OTHER_DEV);
	usleep(200000);
	waits = is_waiting() && runs(remover);
	start = seconds();
	others(other);
	result(waits && is_waiting(), "the device goes: that waits, and others are answered");
	note("  all else: %.1f ms", (seconds() - start) * 1e3);
	disarm();
	result(!end(giver) && !end(remover), "then both come to their end");
	result(call_new(&other->nl, KV_PD, &init, NULL, NULL) == -ENODEV, "and the device is gone");
	if (system("ip link del d7"))
		bail_out("the netdev stays");
}

/* A command has found its device, and does not have its lock yet. */
static void test_device_gone(void)
{
	pid_t giver;

	other_dev_make();
	giver = give_from_process(OTHER_DEV, "kv_call_lock");
	result(await_hang(), "a command waits in front of the lock of a device");
	result(!end(run("rdma link delete " OTHER_DEV)), "the device goes");
	disarm();
	result(end(giver) == JUST_REMOVED, "the command is refused: its device was just removed");
	if (system("ip link del d7"))
		bail_out("the netdev stays");
}

/* The last: families have another number after that. */
static void test_module_goes(void)
{
	pid_t giver, remover;

	giver = give_from_process(dev, "__ib_alloc_pd");
	result(await_hang(), "a command hangs");
	remover = run("rmmod kverbs");
	usleep(200000);
	result(is_waiting() && runs(remover), "the module is being unloaded: that waits");
	disarm();
	result(!end(giver) && !end(remover), "then both come to their end");
	if (system("insmod $KO"))
		bail_out("the module can't be loaded again");
}

void test_hang(void)
{
	struct link other;
	struct scene s;
	unsigned int i;

	if (access(HANG "verb", W_OK)) {
		missing("verbs that hang",
			"no hang.ko: make fail-verb; scripts/vm --file DIR/hang.ko:/kverbs/tests/vm/hang.ko");
		return;
	}
	link_open(&other);
	scene_make(&s);
	for (i = 0; i < COUNT(hangs); i++)
		try_step(&s, &other, hangs[i].step, hangs[i].verb);
	scene_end(&s);
	test_order();
	test_bound();
	test_others(&other);
	test_killed(&other, "__ib_alloc_pd", SIGKILL);
	test_killed(&other, "ib_dealloc_pd_user", 0);
	test_waiter_killed();
	test_device_goes(&other);
	test_device_gone();
	link_close(&other);
	test_module_goes();
}
