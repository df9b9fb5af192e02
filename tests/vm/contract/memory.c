// SPDX-License-Identifier: MIT
/*
 * Every allocation that a command makes is refused once: the 1st, the 2nd, ... until
 * the command gets through untouched. Each time it must say so, leave all as it was,
 * and work when it is asked again. Needs a kernel with /proc/PID/fail-nth.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <netlink/netlink.h>
#include "conn.h"
#include "run.h"

#define NTH "/proc/thread-self/fail-nth"
#define FILE_PATH "/tmp/contract-memory"
#define FILE_BYTES 8192

/* No command makes as many. */
#define NTH_MAX 2000

/* What the commands are tried on. */
struct scene {
	struct link l;
	struct end a, b;
	uint32_t pd, cq, event_cq, mr, srq, ah, qp, id;
	struct kv_run_spec spec;
	struct duo duo;
	int fd;
};

static int nth_fd = -1;
static unsigned int nth; /* which allocation is to fail; 0: none */

static void set_nth(unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(nth_fd, text, (size_t)length, 0) != length)
		bail_out("%s: %s", NTH, strerror(errno));
}

/* Right before the message goes out: what libnl allocates is not of interest. */
static int on_out(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	if (nth)
		set_nth(nth);
	return NL_OK;
}

/* Was there an nth allocation? Then the kernel has counted down to 0. */
static bool was_refused(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		bail_out("%s: %s", NTH, strerror(errno));
	set_nth(0);
	return !strtoul(text, NULL, 10);
}

static bool set_up(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);
	bool good = fd >= 0 && write(fd, value, strlen(value)) > 0;

	if (fd >= 0)
		close(fd);
	return good;
}

/* Which allocations may be refused: all of them, and nothing of it is logged. */
static bool set_up_faults(void)
{
	return set_up("/sys/kernel/debug/failslab/ignore-gfp-wait", "N") &&
	       set_up("/sys/kernel/debug/failslab/verbose", "0") &&
	       set_up("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N") &&
	       set_up("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N") &&
	       set_up("/sys/kernel/debug/fail_page_alloc/min-order", "0") &&
	       set_up("/sys/kernel/debug/fail_page_alloc/verbose", "0");
}

static int del(struct scene *s, const struct kv_nl_noun *noun, uint32_t id)
{
	return kv_nl_del(&s->l.nl, noun, id, NULL);
}

/* Making each type, and deleting it. */
#define NEW_AND_DEL(type, noun, ...)						\
	static int new_##type(struct scene *s)					\
	{									\
		struct kv_##noun##_init init = { __VA_ARGS__ };			\
		struct kv_##noun got;						\
		int ret = kv_nl_new(&s->l.nl, &kv_nl_##noun, &init, &got, NULL);\
										\
		s->id = ret ? 0 : got.id;					\
		return ret;							\
	}									\
	static int del_##type(struct scene *s)					\
	{									\
		return del(s, &kv_nl_##noun, s->id);				\
	}

NEW_AND_DEL(pd, pd, .dev = dev)
NEW_AND_DEL(cq, cq, .dev = dev, .cqe = 16)
NEW_AND_DEL(softirq_cq, cq, .dev = dev, .cqe = 16, .context = KVERBS_CQ_SOFTIRQ)
NEW_AND_DEL(small_mr, mr, .pd = s->pd, .length = 100, .max_access = KVERBS_ACCESS__ALL)
NEW_AND_DEL(large_mr, mr, .pd = s->pd, .length = 300000, .max_access = KVERBS_ACCESS__ALL)
NEW_AND_DEL(srq, srq, .pd = s->pd, .max_wr = 8, .max_sge = 1)
NEW_AND_DEL(ah, ah, .pd = s->pd, .port = 1, .av = own_address())
NEW_AND_DEL(conn, conn, .dev = dev)

static int new_qp(struct scene *s)
{
	struct kv_qp_init init = {
		.pd = s->pd,
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.max_send_wr = 4,
		.max_recv_wr = 4,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct kv_qp got;
	int ret = kv_nl_qp_new(&s->l.nl, &init, &got, NULL);

	s->id = ret ? 0 : got.id;
	return ret;
}

static int del_qp(struct scene *s)
{
	return del(s, &kv_nl_qp, s->id);
}

static int show_info(struct scene *s)
{
	struct kv_info info;

	return kv_nl_info_get(&s->l.nl, &info);
}

static int show_dev(struct scene *s)
{
	struct kv_dev got;

	return kv_nl_dev_get(&s->l.nl, dev, &got);
}

static int on_dev(const struct kv_dev *got, void *arg)
{
	(void)got;
	(void)arg;
	return 0;
}

static int list_devs(struct scene *s)
{
	return kv_nl_dev_each(&s->l.nl, on_dev, NULL);
}

static int show_qp(struct scene *s)
{
	union kv_object got;

	return kv_nl_get(&s->l.nl, &kv_nl_qp, s->a.qp, &got);
}

static int on_object(const union kv_object *object, void *arg)
{
	(void)object;
	(void)arg;
	return 0;
}

static int list_mrs(struct scene *s)
{
	return kv_nl_each(&s->l.nl, &kv_nl_mr, on_object, NULL);
}

static int poll_cq(struct scene *s)
{
	struct kv_wc wc;
	unsigned int n;

	return kv_nl_cq_poll(&s->l.nl, s->cq, &wc, 1, &n, NULL);
}

static int arm_cq(struct scene *s)
{
	bool missed;

	return kv_nl_cq_arm(&s->l.nl, s->event_cq, false, &missed, NULL);
}

static int reg_mr(struct scene *s)
{
	struct kv_mr_reg reg = {
		.qp = s->a.qp,
		.access = KVERBS_ACCESS_LOCAL_WRITE,
		.length = LENGTH,
	};

	return kv_nl_mr_reg(&s->l.nl, s->a.target, &reg, NULL, NULL);
}

static int inv_mr(struct scene *s)
{
	return kv_nl_mr_inv(&s->l.nl, s->a.target, s->a.qp, NULL);
}

static int write_mr(struct scene *s)
{
	char data[LENGTH] = "";

	return kv_nl_mr_write(&s->l.nl, s->mr, 0, data, sizeof(data));
}

static int read_mr(struct scene *s)
{
	char data[LENGTH];

	return kv_nl_mr_read(&s->l.nl, s->mr, 0, data, sizeof(data));
}

static int load_mr(struct scene *s)
{
	uint64_t moved;

	return kv_nl_mr_load(&s->l.nl, s->mr, s->fd, 0, 0, LENGTH, &moved);
}

static int save_mr(struct scene *s)
{
	uint64_t moved;

	return kv_nl_mr_save(&s->l.nl, s->mr, s->fd, 0, 0, LENGTH, &moved);
}

static int resize_srq(struct scene *s)
{
	struct kv_srq_attr attr = { .has_max_wr = true, .max_wr = 8 };

	return kv_nl_srq_modify(&s->l.nl, s->srq, &attr, NULL, NULL);
}

static int to_init(struct scene *s)
{
	struct kv_qp_attr attr = init_attr(KVERBS_QPT_RC);

	return kv_nl_qp_modify(&s->l.nl, s->qp, &attr, NULL);
}

static int to_rtr(struct scene *s)
{
	struct kv_qp_attr attr = rtr_attr(KVERBS_QPT_RC, s->b.qpn);

	return kv_nl_qp_modify(&s->l.nl, s->qp, &attr, NULL);
}

static int to_rts(struct scene *s)
{
	struct kv_qp_attr attr = rts_attr(KVERBS_QPT_RC);

	return kv_nl_qp_modify(&s->l.nl, s->qp, &attr, NULL);
}

static int to_reset(struct scene *s)
{
	struct kv_qp_attr attr = { .state = KVERBS_QPS_RESET };

	return kv_nl_qp_modify(&s->l.nl, s->qp, &attr, NULL);
}

static int post_recv(struct scene *s)
{
	struct kv_wr wr = recv_wr(s->qp, s->mr, 64, 1);

	return kv_nl_post(&s->l.nl, &wr, NULL);
}

static int start_run(struct scene *s)
{
	return kv_nl_run_start(&s->l.nl, &s->spec, &s->id);
}

static struct kv_run_result run_result; /* too large for the stack */

static int show_run(struct scene *s)
{
	return kv_nl_run_get(&s->l.nl, s->id, &run_result);
}

/* Its QP is free for the next one, then. */
static int end_run(struct scene *s)
{
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		must(&s->l, show_run(s), "look at the run");
		if (run_result.state == KVERBS_RUN_DONE)
			return 0;
		usleep(10000);
	}
	bail_out("run %u did not end within 10 s", s->id);
}

static int cancel_run(struct scene *s)
{
	return kv_nl_run_cancel(&s->l.nl, s->id);
}

static int del_run(struct scene *s)
{
	return kv_nl_run_del(&s->l.nl, s->id);
}

static int end_and_del_run(struct scene *s)
{
	end_run(s);
	return del_run(s);
}

static int start_and_end_run(struct scene *s)
{
	int ret = start_run(s);

	return ret ? ret : end_run(s);
}

/* Where nobody listens. */
#define NOBODY 5

static int listen_conn(struct scene *s)
{
	struct sockaddr_storage src = conn_addr(AF_INET, 0);

	return kv_nl_conn_listen(&s->l.nl, s->id, &src, 1, NULL, NULL);
}

static int resolve_addr(struct scene *s)
{
	struct sockaddr_storage dst = conn_addr(AF_INET, NOBODY);

	return kv_nl_conn_resolve_addr(&s->l.nl, s->id, NULL, &dst, 5000, NULL);
}

static int resolved_addr(struct scene *s)
{
	s->id = conn_new(&s->l);
	must(&s->l, resolve_addr(s), "resolve the address");
	conn_must_be(&s->l, s->id, KVERBS_CONN_ADDR_RESOLVED);
	return 0;
}

static int resolve_route(struct scene *s)
{
	return kv_nl_conn_resolve_route(&s->l.nl, s->id, 5000, NULL);
}

static int resolved_route(struct scene *s)
{
	s->id = conn_routed(&s->l, AF_INET, NOBODY);
	return 0;
}

static int connect_conn(struct scene *s)
{
	struct kv_conn_param param = conn_param(s->qp);

	return kv_nl_conn_connect(&s->l.nl, s->id, &param, NULL);
}

static int del_conn_and_reset(struct scene *s)
{
	int ret = del_conn(s);

	return ret ? ret : to_reset(s);
}

static int asked(struct scene *s)
{
	duo_make(&s->l, &s->duo, AF_INET, KVERBS_CONN_CONNECTING, 0);
	return 0;
}

static int take(struct scene *s)
{
	struct kv_conn conn;
	int ret = kv_nl_conn_take(&s->l.nl, s->duo.listener, &conn);

	if (!ret)
		s->duo.passive = conn.id;
	return ret;
}

static int requested(struct scene *s)
{
	duo_make(&s->l, &s->duo, AF_INET, KVERBS_CONN_CONNECTING, KVERBS_CONN_REQUESTED);
	return 0;
}

static int accept_conn(struct scene *s)
{
	struct kv_conn_param param = conn_param(s->duo.p.qp);

	return kv_nl_conn_accept(&s->l.nl, s->duo.passive, &param, NULL);
}

static int answered(struct scene *s)
{
	duo_make(&s->l, &s->duo, AF_INET, KVERBS_CONN_ANSWERED, KVERBS_CONN_ACCEPTED);
	return 0;
}

static int establish_conn(struct scene *s)
{
	struct kv_conn_param param = conn_param(s->duo.a.qp);

	return kv_nl_conn_establish(&s->l.nl, s->duo.active, &param, NULL);
}

static int disconnect_conn(struct scene *s)
{
	return kv_nl_conn_disconnect(&s->l.nl, s->duo.active, NULL);
}

static int established(struct scene *s)
{
	duo_make(&s->l, &s->duo, AF_INET, KVERBS_CONN_ESTABLISHED, KVERBS_CONN_ESTABLISHED);
	return 0;
}

static int del_duo(struct scene *s)
{
	duo_del(&s->l, &s->duo);
	end_del(&s->l, &s->duo.a);
	end_del(&s->l, &s->duo.p);
	return 0;
}

static int flush(struct scene *s)
{
	uint32_t flushed, kept;

	return kv_nl_flush(&s->l.nl, &flushed, &kept);
}

static int to_init_again(struct scene *s)
{
	int ret = to_reset(s);

	return ret ? ret : to_init(s);
}

static int to_rtr_again(struct scene *s)
{
	int ret = to_init_again(s);

	return ret ? ret : to_rtr(s);
}

/* @before and @after bring about and undo what the call needs and does; or NULL. */
struct step {
	const char *name;
	int (*before)(struct scene *s);
	int (*call)(struct scene *s);
	int (*after)(struct scene *s);
};

static const struct step steps[] = {
	{ "the module is shown", NULL, show_info, NULL },
	{ "a device is shown", NULL, show_dev, NULL },
	{ "devices are listed", NULL, list_devs, NULL },
	{ "a pd is made", NULL, new_pd, del_pd },
	{ "a pd is deleted", new_pd, del_pd, NULL },
	{ "a cq is made", NULL, new_cq, del_cq },
	{ "a cq is deleted", new_cq, del_cq, NULL },
	{ "a cq of softirqs is made", NULL, new_softirq_cq, del_softirq_cq },
	{ "a small mr is made", NULL, new_small_mr, del_small_mr },
	{ "a large mr is made", NULL, new_large_mr, del_large_mr },
	{ "a large mr is deleted", new_large_mr, del_large_mr, NULL },
	{ "an srq is made", NULL, new_srq, del_srq },
	{ "an srq is deleted", new_srq, del_srq, NULL },
	{ "an ah is made", NULL, new_ah, del_ah },
	{ "an ah is deleted", new_ah, del_ah, NULL },
	{ "a qp is made", NULL, new_qp, del_qp },
	{ "a qp is deleted", new_qp, del_qp, NULL },
	{ "a qp is shown", NULL, show_qp, NULL },
	{ "mrs are listed", NULL, list_mrs, NULL },
	{ "a cq is polled", NULL, poll_cq, NULL },
	{ "a cq is armed", NULL, arm_cq, NULL },
	{ "an mr is registered", NULL, reg_mr, inv_mr },
	{ "an mr is invalidated", reg_mr, inv_mr, NULL },
	{ "an mr is written", NULL, write_mr, NULL },
	{ "an mr is read", NULL, read_mr, NULL },
	{ "an mr is loaded", NULL, load_mr, NULL },
	{ "an mr is saved", NULL, save_mr, NULL },
	{ "an srq is resized", NULL, resize_srq, NULL },
	{ "a qp goes to INIT", NULL, to_init, to_reset },
	{ "a receive is posted", to_init, post_recv, to_reset },
	{ "a qp goes to RESET", to_init, to_reset, NULL },
	{ "a run is started", NULL, start_run, end_and_del_run },
	{ "a run is shown", start_and_end_run, show_run, del_run },
	{ "a run is cancelled", start_and_end_run, cancel_run, del_run },
	{ "a run is deleted", start_and_end_run, del_run, NULL },
	{ "persistent objects are flushed", NULL, flush, NULL },
	{ "a conn is made", NULL, new_conn, del_conn },
	{ "a conn is deleted", new_conn, del_conn, NULL },
	{ "a conn listens", new_conn, listen_conn, del_conn },
	{ "an address is resolved", new_conn, resolve_addr, del_conn },
	{ "a route is resolved", resolved_addr, resolve_route, del_conn },
	{ "a peer is asked", resolved_route, connect_conn, del_conn_and_reset },
	{ "a request is taken", asked, take, del_duo },
};

/* Here a device or a peer may be half way when it fails: it is not asked again. */
static const struct step once[] = {
	{ "from INIT to RTR", to_init_again, to_rtr, to_reset },
	{ "from RTR to RTS", to_rtr_again, to_rts, to_reset },
	{ "a request is accepted", requested, accept_conn, del_duo },
	{ "a connection is established", answered, establish_conn, del_duo },
	{ "a connection is ended", established, disconnect_conn, del_duo },
};

/* Makes the call fail at its nth allocation: true if it has as many. */
static bool refuse_nth(struct scene *s, const struct step *step, unsigned int n, bool again,
		       bool *good, unsigned int *failed)
{
	struct snapshot before = snapshot(&s->l), after;
	bool refused;
	int ret;

	s->l.err[0] = '\0';
	nth = n;
	ret = step->call(s);
	nth = 0;
	refused = was_refused();
	if (!ret)
		return refused;
	++*failed;
	after = snapshot(&s->l);
	if (!refused || !s->l.err[0] || after.live != before.live ||
	    after.bytes != before.bytes || (again && after.hash != before.hash)) {
		note("  %s, allocation %u: %d \"%s\"%s%s%s", step->name, n, ret, s->l.err,
		     refused ? "" : ", none refused",
		     after.hash != before.hash ? ", something changed" : "",
		     after.live != before.live || after.bytes != before.bytes ?
		     ", something is left" : "");
		*good = false;
	}
	if (again)
		must(&s->l, step->call(s), "the same once more");
	return refused;
}

static void try_step(struct scene *s, const struct step *step, bool again)
{
	unsigned int n, failed = 0;
	bool good = true, refused = true;

	for (n = 0; n < NTH_MAX && refused; n++) {
		if (step->before)
			must(&s->l, step->before(s), "what it needs");
		refused = refuse_nth(s, step, n + 1, again, &good, &failed);
		if (step->after)
			must(&s->l, step->after(s), "the way back");
	}
	result(good && !refused, "%s: each of its %u allocations refused, %u of them a failure",
	       step->name, n - 1, failed);
}

static void make_scene(struct scene *s)
{
	static const struct end_init rc = { .type = KVERBS_QPT_RC };
	char zeros[FILE_BYTES] = "";

	memset(s, 0, sizeof(*s));
	link_open(&s->l);
	pair_make(&s->l, &s->a, &s->b, &rc);
	register_target(&s->l, &s->b);
	s->spec = write_spec(&s->a, &s->b);
	s->pd = make_pd(&s->l);
	s->cq = make_cq(&s->l, 16, KVERBS_CQ_POLLED);
	s->event_cq = make_cq(&s->l, 16, KVERBS_CQ_EVENT);
	s->mr = make_mr(&s->l, s->pd, LENGTH);
	s->srq = make_srq(&s->l, s->pd, 4);
	must(&s->l, new_qp(s), "qp");
	s->qp = s->id;
	s->fd = open(FILE_PATH, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (s->fd < 0 || write(s->fd, zeros, sizeof(zeros)) != sizeof(zeros))
		bail_out("%s: %s", FILE_PATH, strerror(errno));
	nl_socket_modify_cb(s->l.nl.sock, NL_CB_MSG_OUT, NL_CB_CUSTOM, on_out, NULL);
}

void test_memory(void)
{
	struct scene s;
	unsigned int i;

	nth_fd = open(NTH, O_RDWR);
	if (nth_fd < 0 || !set_up_faults()) {
		skip("each allocation of each command is refused",
		     "this kernel has no fail-nth: scripts/debug-kernel builds one that has");
		return;
	}
	make_scene(&s);
	for (i = 0; i < COUNT(steps); i++)
		try_step(&s, &steps[i], true);
	for (i = 0; i < COUNT(once); i++)
		try_step(&s, &once[i], false);
	close(s.fd);
	unlink(FILE_PATH);
	close(nth_fd);
	link_close(&s.l);
}
