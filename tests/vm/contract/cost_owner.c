// SPDX-License-Identifier: MIT
/* Others' objects are not in the way: our objects cost the same however many others have. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <netlink/socket.h>
#include "cost.h"

/* Objects of others. */
#define FEW 10
#define MANY 10000

/* Sockets of ours. */
#define SOCKETS_FEW 100
#define SOCKETS_MANY 1000

/**
 * struct scene - somebody whose commands are counted, and who has what they need
 * @l: the connection
 * @pd: in use by an MR
 * @buf: in use by a request that was posted
 * @once: the PD that a command is about
 */
struct scene {
	struct link l;
	uint32_t pd;
	uint32_t buf;
	uint32_t once;
};

static void make_four(struct link *l)
{
	uint32_t pd = make_pd(l);

	make_cq(l, 8, KVERBS_CQ_POLLED);
	make_mr(l, pd);
	make_srq(l, pd, 4);
}

static double pd_in_use(void *arg)
{
	struct scene *s = arg;
	double start = cost_now();

	if (call_del(&s->l.nl, KV_PD, s->pd, NULL) != -EBUSY)
		bail_out("a pd in use is not refused");
	return cost_now() - start;
}

static double buf_in_use(void *arg)
{
	struct scene *s = arg;
	double start = cost_now();

	if (call_del(&s->l.nl, KV_BUF, s->buf, NULL) != -EBUSY)
		bail_out("a buffer in use is not refused");
	return cost_now() - start;
}

static double make_one(void *arg)
{
	struct scene *s = arg;
	double start = cost_now();

	s->once = make_pd(&s->l);
	start = cost_now() - start;
	must(&s->l, call_del(&s->l.nl, KV_PD, s->once, NULL), "delete");
	return start;
}

static double del_one(void *arg)
{
	struct scene *s = arg;
	double start;

	s->once = make_pd(&s->l);
	start = cost_now();
	must(&s->l, call_del(&s->l.nl, KV_PD, s->once, NULL), "delete");
	return cost_now() - start;
}

static double show_one(void *arg)
{
	struct scene *s = arg;
	double start = cost_now();
	struct kv_pd pd;

	must(&s->l, call_get(&s->l.nl, KV_PD, s->pd, &pd), "get");
	return cost_now() - start;
}

/* A socket of generic netlink that has nothing to do with the module. */
static double close_stranger(void *arg)
{
	struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	double start;

	(void)arg;
	if (fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof(any)))
		bail_out("no netlink socket");
	start = cost_now();
	close(fd);
	return cost_now() - start;
}

static double close_four(void *arg)
{
	struct link l;
	double start;

	(void)arg;
	link_open(&l);
	make_four(&l);
	start = cost_now();
	kv_nl_close(&l.nl);
	return cost_now() - start;
}

static const struct {
	const char *name;
	double (*once)(void *arg);
} calls[] = {
	{ "a pd in use is refused", pd_in_use },
	{ "a buffer in use by a posted request is refused", buf_in_use },
	{ "a pd is made", make_one },
	{ "a pd is deleted", del_one },
	{ "a pd is shown", show_one },
	{ "a socket of another family of generic netlink is closed", close_stranger },
	{ "a socket with four objects is closed", close_four },
};

/* By turns persistent, and another socket's. */
static void crowd(struct link *l, unsigned int from, unsigned int to)
{
	struct kv_pd_init init = { .dev = dev };
	unsigned int i;

	for (i = from; i < to; i++) {
		init.persistent = i % 2;
		must(l, call_new(&l->nl, KV_PD, &init, NULL, NULL), "pd");
	}
}

static void test_others(void)
{
	struct cost cost[COUNT(calls)];
	uint32_t qp, flushed, busy;
	struct link others;
	struct scene s;
	struct wr wr;
	unsigned int i;

	link_open(&others);
	link_open(&s.l);
	s.pd = make_pd(&s.l);
	s.buf = make_buf(&s.l, 64);
	qp = make_rc_qp(&s.l, s.pd);
	wr = recv_wr(qp, s.buf, 64, 1);
	post(&s.l, &wr, "recv");

	crowd(&others, 0, FEW);
	for (i = 0; i < COUNT(calls); i++)
		cost[i].few = cost_least(calls[i].once, &s);
	crowd(&others, FEW, MANY);
	for (i = 0; i < COUNT(calls); i++)
		cost[i].many = cost_least(calls[i].once, &s);
	for (i = 0; i < COUNT(calls); i++)
		cost_check(&cost[i], MANY - FEW, calls[i].name);
	must(&others, call_flush(&others.nl, &flushed, &busy), "flush");
	result(flushed == MANY / 2 && !busy, "others' objects are there to the end");
	kv_nl_close(&s.l.nl);
	link_close(&others);
}

/*
 * Of one among so many sockets with four objects each; they are closed one after the other. None
 * listens to events: netlink itself walks all listeners when one of them goes.
 */
static double close_each(unsigned int n)
{
	struct link *l = calloc(n, sizeof(*l));
	unsigned int i;
	double start;

	if (!l)
		bail_out("no memory");
	for (i = 0; i < n; i++) {
		link_open(&l[i]);
		nl_socket_free(l[i].nl.events);
		l[i].nl.events = NULL;
		make_four(&l[i]);
	}
	start = cost_now();
	for (i = 0; i < n; i++)
		kv_nl_close(&l[i].nl);
	start = cost_now() - start;
	free(l);
	return start / n;
}

static void test_sockets(void)
{
	struct rlimit files = { 4 * SOCKETS_MANY, 4 * SOCKETS_MANY };
	struct cost cost;

	if (setrlimit(RLIMIT_NOFILE, &files))
		bail_out("no more than 1024 files");
	cost.few = close_each(SOCKETS_FEW);
	cost.many = close_each(SOCKETS_MANY);
	/* While they go there are half of them, and their objects, on average. */
	cost_check(&cost, (SOCKETS_MANY - SOCKETS_FEW) * 4 / 2,
		   "each of many sockets with four objects is closed");
}

void cost_owners(void)
{
	test_others();
	test_sockets();
}
