// SPDX-License-Identifier: MIT
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include "contract.h"
#include "run.h"
#include "sys/now.h"

#define OTHER OTHER_DEV
#define RENAMED "rxe8"
#define NETDEV "d7"

static uint64_t in_ms(unsigned int ms)
{
	return kv_now_ns() + ms * 1000000ULL;
}

/* The next event of that type; passes over others. */
static bool comes(struct link *l, uint32_t type, struct kv_event *event)
{
	struct limit limit = limit_of(10);
	int ret;

	do
		ret = call_wait_event(&l->nl, in_ms(1000), event);
	while (ret ? ret == -EAGAIN && !limit_over(&limit) : event->type != type);
	if (ret)
		note("  %d \"%s\"", ret, l->nl.base.err);
	return !ret;
}

static bool none_comes(struct link *l, uint32_t type)
{
	uint64_t end = in_ms(300);
	struct kv_event event;
	int ret;

	do
		ret = call_wait_event(&l->nl, end, &event);
	while (!ret && event.type != type);
	return ret == -EAGAIN;
}

static void forget(struct link *l)
{
	struct kv_event event;

	while (!call_wait_event(&l->nl, in_ms(100), &event))
		;
}

static void shell(const char *command)
{
	if (system(command))
		bail_out("%s", command);
}

static void test_runs(struct link *l)
{
	struct kv_run_spec spec = {
		.loop = KVERBS_LOOP_NULL,
		.iters = 10,
		.cpu = -1,
		.spins = -1,
	};
	struct kv_event event;
	uint32_t id;

	snprintf(spec.dev, sizeof(spec.dev), "%s", dev);
	must(l, call_run_start(&l->nl, &spec, &id), "start a run");
	result(comes(l, KVERBS_EVENT_RUN_STARTED, &event) && event.run == id &&
	       !strcmp(event.dev, dev), "a run starts");
	result(comes(l, KVERBS_EVENT_RUN_DONE, &event) && event.run == id &&
	       !event.error && !strcmp(event.dev, dev), "and is done");
	must(l, call_run_del(&l->nl, id), "delete");
	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	must(l, call_run_start(&l->nl, &spec, &id), "start a run");
	must(l, call_run_cancel(&l->nl, id), "cancel");
	result(comes(l, KVERBS_EVENT_RUN_DONE, &event) && event.run == id &&
	       event.error == -ECANCELED, "one that was cancelled says so");
	must(l, call_run_del(&l->nl, id), "delete");
}

static void test_completions(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC, .context = KVERBS_CQ_EVENT };
	struct kv_event event;
	struct end a, b;
	struct wr wr;

	pair_make(l, &a, &b, &init);
	register_target(l, &b);
	forget(l);
	wr = write_wr(&a, &b, 8, 1);
	must(l, call_cq_arm(&l->nl, a.send_cq, false, NULL, NULL), "arm");
	post(l, &wr, "write");
	result(comes(l, KVERBS_EVENT_COMPLETION, &event) && event.cq == a.send_cq &&
	       !strcmp(event.dev, dev), "a completion of an armed cq");
	drain(l, a.send_cq, 1);
	if (lacks("a completion with an error", "completion that tells of the peer's refusal"))
		return;
	wr.remote_key++;
	post(l, &wr, "write");
	drain(l, a.send_cq, 1);
	/* IB_WC_REM_ACCESS_ERR */
	result(comes(l, KVERBS_EVENT_WC_ERROR, &event) && event.qp == a.qp &&
	       event.wc_status == 10, "a completion with an error");
	post(l, &wr, "write");
	drain(l, a.send_cq, 1);
	result(none_comes(l, KVERBS_EVENT_WC_ERROR), "but not what is flushed after that");
}

/* If one of a worker's several QPs fails, the event names this QP. */
static void test_failed_run(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	struct kv_run_spec spec;
	struct kv_event event;
	struct end a[2], b[2];
	uint32_t id;

	if (lacks("a failure of one of two ends", "completion that tells of the peer's refusal"))
		return;
	for (unsigned int i = 0; i < 2; i++) {
		pair_make(l, &a[i], &b[i], &init);
		register_target(l, &b[i]);
	}
	spec = write_spec(&a[0], &b[0]);
	spec.end[1] = write_spec(&a[1], &b[1]).end[0];
	spec.end[1].remote_key ^= 0x5a5a00;
	spec.ends = 2;
	spec.workers = 1;
	spec.loop = KVERBS_LOOP_STREAM;
	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	forget(l);
	must(l, call_run_start(&l->nl, &spec, &id), "start a run");
	result(comes(l, KVERBS_EVENT_WC_ERROR, &event) && event.qp == a[1].qp &&
	       event.wc_status == 10, "a failure of one of two ends");
	must(l, call_run_del(&l->nl, id), "delete");
}

static void test_async(struct link *l)
{
	uint32_t pd = make_pd(l), srq = make_srq(l, pd, 8);
	const struct end_init plain = { .type = KVERBS_QPT_RC };
	const struct end_init shared = { .type = KVERBS_QPT_RC, .srq = srq };
	struct kv_srq_attr attr = { .has_limit = true, .limit = 2 };
	struct kv_qp_attr sqd = {
		.mask = KV_QPA_EN_SQD_ASYNC_NOTIFY,
		.state = KVERBS_QPS_SQD,
		.sqd_async_notify = 1,
	};
	struct kv_event event;
	struct end a, b;
	struct wr wr;
	int i;

	end_make(l, &a, &plain);
	end_make(l, &b, &shared);
	pair_connect(l, &a, all_access(), &b, all_access());
	wr = recv_wr(0, b.target, 64, 1);
	wr.srq = srq;
	for (i = 0; i < 3; i++)
		post(l, &wr, "recv");
	must(l, call_srq_modify(&l->nl, srq, &attr, NULL, NULL), "limit");
	forget(l);
	wr = send_wr(a.qp, a.local, 8, 2);
	post(l, &wr, "send");
	drain(l, a.send_cq, 1);
	result(none_comes(l, KVERBS_EVENT_SRQ_LIMIT_REACHED), "two receives are left of three");
	post(l, &wr, "send");
	drain(l, a.send_cq, 1);
	result(comes(l, KVERBS_EVENT_SRQ_LIMIT_REACHED, &event) && event.srq == srq &&
	       !strcmp(event.dev, dev), "one is left: below the limit");
	post(l, &wr, "send");
	drain(l, a.send_cq, 1);
	result(none_comes(l, KVERBS_EVENT_SRQ_LIMIT_REACHED), "that is told once");
	if (lacks("a send queue has drained", "SQD"))
		return;
	must(l, modify(l, a.qp, sqd), "SQD");
	result(comes(l, KVERBS_EVENT_SQ_DRAINED, &event) && event.qp == a.qp,
	       "a send queue has drained");
}

static void test_devices(struct link *l)
{
	struct kv_pd_init init = { .dev = OTHER };
	struct kv_event event;
	struct kv_pd pd;

	forget(l);
	other_dev_make();
	result(comes(l, KVERBS_EVENT_DEV_ADDED, &event) && !strcmp(event.dev, OTHER),
	       "a device comes");
	must(l, call_new(&l->nl, KV_PD, &init, &pd, NULL), "pd");
	result(!strcmp(pd.dev, OTHER), "it can be used");
	if (!lacks("it gets a GID", "GID of an address")) {
		shell("ip addr add 203.0.113.1/24 dev " NETDEV);
		result(comes(l, KVERBS_EVENT_GID_CHANGE, &event) && !strcmp(event.dev, OTHER) &&
		       event.port == 1, "it gets a GID");
	}
	shell("ip link set " NETDEV " down");
	result(comes(l, KVERBS_EVENT_PORT_ERR, &event) && !strcmp(event.dev, OTHER) &&
	       event.port == 1, "its port goes down");
	shell("ip link set " NETDEV " up");
	result(comes(l, KVERBS_EVENT_PORT_ACTIVE, &event) && !strcmp(event.dev, OTHER) &&
	       event.port == 1, "and up");
	shell("rdma dev set " OTHER " name " RENAMED);
	result(comes(l, KVERBS_EVENT_DEV_RENAMED, &event) &&
	       !strcmp(event.dev, RENAMED) && !strcmp(event.old_name, OTHER),
	       "it is renamed");
	must(l, call_get(&l->nl, KV_PD, pd.id, &pd), "pd");
	result(!strcmp(pd.dev, RENAMED), "and its objects know");
	shell("rdma link delete " RENAMED);
	result(comes(l, KVERBS_EVENT_DEV_REMOVED, &event) && !strcmp(event.dev, RENAMED),
	       "it goes");
	result(call_get(&l->nl, KV_PD, pd.id, &pd) == -ENOENT, "with its objects");
	shell("ip link del " NETDEV);
}

/* Faster than they are read: the loss is told, and what comes after it. */
static void test_lost(struct link *l)
{
	struct kv_run_spec spec = {
		.loop = KVERBS_LOOP_NULL,
		.iters = 1,
		.cpu = -1,
		.spins = -1,
	};
	struct kv_event event;
	uint32_t id = 0, ids[100];
	int small = 1, ret;
	unsigned int i;

	forget(l);
	setsockopt(nl_socket_get_fd(l->nl.events), SOL_SOCKET, SO_RCVBUF, &small,
		   sizeof(small));
	snprintf(spec.dev, sizeof(spec.dev), "%s", dev);
	for (i = 0; i < COUNT(ids); i++)
		must(l, call_run_start(&l->nl, &spec, &ids[i]), "start a run");
	usleep(200000);
	ret = call_wait_event(&l->nl, in_ms(1000), &event);
	result(ret == -ENOBUFS && strstr(l->nl.base.err, "events were lost"), "lost events are told");
	for (i = 0; i < COUNT(ids); i++)
		must(l, call_run_del(&l->nl, ids[i]), "delete");
	forget(l);
	must(l, call_run_start(&l->nl, &spec, &id), "start a run");
	result(comes(l, KVERBS_EVENT_RUN_DONE, &event) && event.run == id,
	       "what comes after them is not lost");
	must(l, call_run_del(&l->nl, id), "delete");
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void test_wait(struct link *l)
{
	struct itimerval soon = { .it_value.tv_usec = 100000 };
	struct sigaction action = { .sa_handler = on_alarm };
	struct kv_event event;
	struct limit limit;
	double start;

	forget(l);
	start = seconds();
	limit = limit_of(2);
	result(call_wait_event(&l->nl, in_ms(200), &event) == -EAGAIN, "nothing comes");
	result(seconds() - start >= 0.2 && !limit_over(&limit), "the wait ends at its time");
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	result(call_wait_event(&l->nl, in_ms(10000), &event) == -EINTR, "a signal ends it");
	setitimer(ITIMER_REAL, &soon, NULL);
	result(kv_nl_wait_any(&l->nl, UINT64_MAX) == -EINTR, "even one without end");
}

void test_event(void)
{
	struct link l;

	link_open(&l);
	test_runs(&l);
	test_completions(&l);
	test_failed_run(&l);
	test_async(&l);
	test_devices(&l);
	test_wait(&l);
	test_lost(&l);
	link_close(&l);
}
