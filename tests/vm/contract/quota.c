// SPDX-License-Identifier: MIT
/* Caps on objects and memory, with everybody making as many as they can. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "contract.h"

#define MAKERS 4
/* At least so long, and until so many were made, and so many refused. */
#define BUSY_S 0.6
#define ENOUGH 50
#define PATIENCE_S 20

/* How often all of them go for the last places, and how many those are. */
#define ROUNDS 60
#define ROUNDS_WATCHED 10
#define PLACES 2

/* The most that one maker holds; more than all may have. */
#define HELD_MAX 512

/**
 * struct all - the data shared by the makers and their watcher
 * @ready: makers that have what they need
 * @begin: the caps are set
 * @end: enough
 * @round: the current one; 0: every maker makes and deletes as it likes
 * @emptied: the last round in which each has deleted
 * @filled: the last round in which each was refused after that
 * @made: objects, by each
 * @refused: for the caps, by each
 * @strange: first error that is none of the caps'
 * @text: of that
 */
struct all {
	volatile bool ready[MAKERS];
	volatile bool begin;
	volatile bool end;
	volatile unsigned int round;
	volatile unsigned int emptied[MAKERS];
	volatile unsigned int filled[MAKERS];
	volatile unsigned long made[MAKERS];
	volatile unsigned long refused[MAKERS];
	volatile int strange;
	char text[512];
};

struct maker;

/**
 * struct kind - a type of objects that the makers make
 * @name: for results
 * @make: makes one; the errno of a refusal
 * @noun: its type in words
 * @objects: how many there may be
 * @bytes: of all of them
 */
struct kind {
	const char *name;
	int (*make)(struct maker *m, union kv_object *object);
	enum kv_type noun;
	unsigned long objects;
	unsigned long bytes;
};

/**
 * struct maker - one of them
 * @l: its connection
 * @kind: the type of object that it makes
 * @all: see there
 * @who: its number
 * @pd: the PD that it makes them of
 * @cq: the same
 * @n: how many it has tried to make
 * @held: how many it has
 * @ids: of these
 */
struct maker {
	struct link l;
	const struct kind *kind;
	struct all *all;
	unsigned int who;
	uint32_t pd;
	uint32_t cq;
	unsigned int n;
	unsigned int held;
	uint32_t ids[HELD_MAX];
};

static int make_one_pd(struct maker *m, union kv_object *object)
{
	const struct kv_pd_init init = { .dev = dev };

	return call_new(&m->l.nl, KV_PD, &init, object, NULL);
}

static int make_one_buf(struct maker *m, union kv_object *object)
{
	static const uint64_t lengths[] = { 1, 4096, 20000, 65536 };
	const struct kv_buf_init init = {
		.dev = dev, .length = lengths[m->n % COUNT(lengths)],
	};

	return call_new(&m->l.nl, KV_BUF, &init, object, NULL);
}

static int make_one_cq(struct maker *m, union kv_object *object)
{
	const struct kv_cq_init init = { .dev = dev, .cqe = 1U << (m->n % 12) };

	return call_new(&m->l.nl, KV_CQ, &init, object, NULL);
}

/* One that can't grow does not stay. */
static int make_one_srq(struct maker *m, union kv_object *object)
{
	struct kv_srq_attr more = { .has_max_wr = true, .max_wr = 1U << (m->n % 9) };
	const struct kv_srq_init init = {
		.pd = m->pd, .max_wr = is_iwarp() ? more.max_wr : 1, .max_sge = 1,
	};
	char err[sizeof(m->l.nl.base.err)];
	int ret;

	ret = call_new(&m->l.nl, KV_SRQ, &init, object, NULL);
	if (ret || is_iwarp())
		return ret;
	ret = call_srq_modify(&m->l.nl, object->id, &more, NULL, NULL);
	if (!ret)
		return 0;
	memcpy(err, m->l.nl.base.err, sizeof(err));
	must(&m->l, call_del(&m->l.nl, KV_SRQ, object->id, NULL), "delete");
	memcpy(m->l.nl.base.err, err, sizeof(err));
	return ret;
}

static int make_one_qp(struct maker *m, union kv_object *object)
{
	const struct kv_qp_init init = {
		.pd = m->pd, .send_cq = m->cq, .recv_cq = m->cq,
		.max_send_wr = 1U << (m->n % 9), .max_recv_wr = 1U << (m->n % 7),
		.max_send_sge = 1, .max_recv_sge = 1,
	};

	return call_qp_new(&m->l.nl, &init, &object->qp, NULL);
}

static int make_one_conn(struct maker *m, union kv_object *object)
{
	const struct kv_conn_init init = { .dev = dev };

	return call_new(&m->l.nl, KV_CONN, &init, object, NULL);
}

/* False if it is refused. */
static bool make_one(struct maker *m)
{
	struct all *all = m->all;
	union kv_object object;
	int ret;

	ret = m->held < HELD_MAX ? m->kind->make(m, &object) : -EDQUOT;
	m->n++;
	if (!ret) {
		m->ids[m->held++] = object.id;
		all->made[m->who]++;
	} else if (ret == -EDQUOT && strstr(m->l.nl.base.err, "or raise the module's max_")) {
		all->refused[m->who]++;
	} else if (!all->strange) {
		all->strange = ret;
		snprintf(all->text, sizeof(all->text), "%s", m->l.nl.base.err);
	}
	return !ret;
}

static void keep(struct maker *m, unsigned int n)
{
	while (m->held > n)
		must(&m->l, call_del(&m->l.nl, m->kind->noun, m->ids[--m->held], NULL), "delete");
}

static bool all_are_at(const volatile unsigned int each[MAKERS], unsigned int round)
{
	unsigned int i;

	for (i = 0; i < MAKERS; i++)
		if (each[i] != round)
			return false;
	return true;
}

/* All make room, and then all go for it. */
static void play_round(struct maker *m, unsigned int round)
{
	keep(m, m->held > PLACES ? m->held - PLACES : 0);
	m->all->emptied[m->who] = round;
	while (!all_are_at(m->all->emptied, round) && !m->all->end)
		sched_yield();
	while (make_one(m))
		;
	m->all->filled[m->who] = round;
}

static void make_and_delete(struct maker *m)
{
	unsigned int played = 0, round;
	struct all *all = m->all;

	/* Objects of a device are made one by one: so they have two devices. */
	if (m->who % 2)
		dev = OTHER_DEV;
	link_open(&m->l);
	m->pd = make_pd(&m->l);
	m->cq = make_cq(&m->l, 4, KVERBS_CQ_POLLED);
	all->ready[m->who] = true;
	while (!all->begin)
		usleep(1000);
	while (!all->end) {
		round = all->round;
		if (round != played) {
			play_round(m, round);
			played = round;
		} else if (round) {
			usleep(100);
		} else if (!make_one(m) && m->held) {
			keep(m, m->held - 1);
		} else if (m->n % 101 == 0) {
			keep(m, m->held / 2);
		}
	}
	/* Its socket takes all along. */
	_exit(0);
}

static void set_cap(const char *name, unsigned long value)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/kverbs/parameters/%s", name);
	file = fopen(path, "w");
	if (!file || fprintf(file, "%lu", value) < 0 || fclose(file))
		bail_out("%s: %s", path, strerror(errno));
}

static unsigned long get_cap(const char *name)
{
	unsigned long value;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/kverbs/parameters/%s", name);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%lu", &value) != 1)
		bail_out("%s: %s", path, strerror(errno));
	fclose(file);
	return value;
}

struct peak {
	uint64_t objects;
	uint64_t bytes;
	unsigned long samples;
};

static void sample(struct link *l, struct peak *peak)
{
	struct kv_info info;

	must(l, call_info_get(&l->nl, &info), "info");
	if (info.created - info.destroyed > peak->objects)
		peak->objects = info.created - info.destroyed;
	if (info.buffer_bytes > peak->bytes)
		peak->bytes = info.buffer_bytes;
	peak->samples++;
}

static unsigned long sum(volatile unsigned long *each)
{
	unsigned long all = 0;
	unsigned int i;

	for (i = 0; i < MAKERS; i++)
		all += each[i];
	return all;
}

/* The smaller number: objects made, or refused. */
static unsigned long enough_of(struct all *all)
{
	unsigned long made = sum(all->made), refused = sum(all->refused);

	return made < refused ? made : refused;
}

static bool comes_to_nothing(struct link *l)
{
	struct limit limit = limit_of(10);
	struct kv_info info;

	do {
		must(l, call_info_get(&l->nl, &info), "info");
		if (info.created == info.destroyed && !info.buffer_bytes)
			return true;
		usleep(1000);
	} while (!limit_over(&limit));
	return false;
}

/* After each round all places are taken, and not one more. */
static void check_rounds(struct link *l, struct all *all, unsigned long max_objects)
{
	unsigned int rounds = is_watched() ? ROUNDS_WATCHED : ROUNDS;
	unsigned int round, wrong = 0;
	struct limit limit = limit_of(120);
	struct kv_info info;

	for (round = 1; round <= rounds; round++) {
		all->round = round;
		while (!all_are_at(all->filled, round)) {
			if (limit_over(&limit))
				bail_out("round %u does not end", round);
			usleep(100);
		}
		must(l, call_info_get(&l->nl, &info), "info");
		if (info.created - info.destroyed != max_objects && !wrong++)
			note("  round %u: %llu objects, and not %lu", round,
			     (unsigned long long)(info.created - info.destroyed), max_objects);
	}
	result(!wrong, "all want the last places: they are taken, and not one more");
}

static void start_all(const struct kind *kind, struct all *all, pid_t pid[MAKERS])
{
	static struct maker maker;
	struct limit limit = limit_of(20);
	unsigned int i;

	maker.kind = kind;
	maker.all = all;
	memset(all, 0, sizeof(*all));
	fflush(stdout);
	for (i = 0; i < MAKERS; i++) {
		pid[i] = fork();
		if (pid[i] < 0)
			bail_out("no process");
		if (!pid[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			maker.who = i;
			make_and_delete(&maker);
		}
	}
	for (i = 0; i < MAKERS; i++)
		while (!all->ready[i]) {
			if (limit_over(&limit))
				bail_out("maker %u does not get ready", i);
			usleep(1000);
		}
}

static void end_all(struct all *all, const pid_t pid[MAKERS], const char *name)
{
	unsigned int i;
	int status;
	bool good = true;

	all->end = true;
	for (i = 0; i < MAKERS; i++)
		good = waitpid(pid[i], &status, 0) == pid[i] && !status && good;
	result(good && !all->strange, "%s: refused for the cap, and for nothing else", name);
	if (all->strange)
		note("  %d \"%s\"", all->strange, all->text);
}

/* The watcher has no objects, so the caps are the makers'. */
static void test_kind(struct link *l, struct all *all, const struct kind *kind)
{
	unsigned long objects = get_cap("max_objects"), bytes = get_cap("max_bytes");
	struct peak peak = { 0 };
	pid_t pid[MAKERS];
	double end;

	start_all(kind, all, pid);
	set_cap("max_objects", kind->objects);
	set_cap("max_bytes", kind->bytes);
	all->begin = true;
	for (end = seconds() + BUSY_S;
	     seconds() < end || (enough_of(all) < ENOUGH && seconds() < end + PATIENCE_S);)
		sample(l, &peak);
	if (kind->objects <= MAKERS * HELD_MAX)
		check_rounds(l, all, kind->objects);
	result(peak.objects <= kind->objects && peak.bytes <= kind->bytes,
	       "%s: the caps hold at any time", kind->name);
	note("  at most %llu objects of %lu, %llu bytes of %lu; %lu made, %lu refused, %lu looks",
	     (unsigned long long)peak.objects, kind->objects,
	     (unsigned long long)peak.bytes, kind->bytes, sum(all->made), sum(all->refused), peak.samples);
	result(enough_of(all) >= ENOUGH, "%s: many were made, and many refused", kind->name);
	end_all(all, pid, kind->name);
	result(comes_to_nothing(l), "%s: with the makers all of it goes", kind->name);
	set_cap("max_objects", objects);
	set_cap("max_bytes", bytes);
}

/* After that, as many as ever. */
static void test_again(struct link *l)
{
	const struct kv_pd_init init = { .dev = dev };
	unsigned long objects = get_cap("max_objects"), bytes = get_cap("max_bytes");
	struct kv_info info;
	unsigned int n;

	set_cap("max_objects", 50);
	set_cap("max_bytes", 12345);
	must(l, call_info_get(&l->nl, &info), "info");
	result(info.max_objects == 50 && info.max_bytes == 12345, "INFO has the limits");
	set_cap("max_bytes", 1UL << 60);
	must(l, call_info_get(&l->nl, &info), "info");
	result(info.max_bytes > 1UL << 20 && info.max_bytes < 1UL << 50,
	       "one above a quarter of the memory is that quarter");
	set_cap("max_bytes", bytes);
	for (n = 0; n < 60 && !call_new(&l->nl, KV_PD, &init, NULL, NULL); n++)
		;
	result(n == 50, "then one alone can have all");
	note("  %u of 50", n);
	set_cap("max_objects", objects);
}

/* How deep a queue may be follows from what there is. */
static void test_queues(struct link *l)
{
	unsigned long bytes = get_cap("max_bytes");
	struct kv_cq_init cq = { .dev = dev, .cqe = 16384 };
	struct kv_srq_init srq = { .max_wr = 16384, .max_sge = 1 };
	struct kv_srq_attr more = { .has_max_wr = true, .max_wr = 16384 };
	struct kv_qp_init qp = {
		.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1,
	};
	struct kv_run_spec run = { .loop = KVERBS_LOOP_NULL, .iters = 1, .cpu = -1, .spins = -1 };
	struct kv_info before, after;
	union kv_object object;
	uint32_t id;

	must(l, call_info_get(&l->nl, &before), "info");
	qp.pd = make_pd(l);
	qp.send_cq = make_cq(l, 4, KVERBS_CQ_POLLED);
	qp.recv_cq = qp.send_cq;
	srq.pd = qp.pd;
	set_cap("max_bytes", 1 << 19);
	refused(l, call_new(&l->nl, KV_CQ, &cq, NULL, NULL), -EDQUOT, "too many bytes",
		"a cq that is too deep for the cap");
	refused(l, call_new(&l->nl, KV_SRQ, &srq, NULL, NULL), -EDQUOT, "too many bytes",
		"an srq");
	qp.max_send_wr = 16384;
	refused(l, call_qp_new(&l->nl, &qp, NULL, NULL), -EDQUOT, "too many bytes",
		"a send queue");
	qp.max_send_wr = 1;
	qp.max_recv_wr = 16384;
	refused(l, call_qp_new(&l->nl, &qp, NULL, NULL), -EDQUOT, "too many bytes",
		"a receive queue");
	qp.max_recv_wr = 1;
	done(l, call_qp_new(&l->nl, &qp, NULL, NULL), "shallow ones are fine");
	srq.max_wr = 4;
	must(l, call_new(&l->nl, KV_SRQ, &srq, &object, NULL), "srq");
	if (lacks("an srq does not grow beyond it", "srq that can be resized"))
		goto runs;
	refused(l, call_srq_modify(&l->nl, object.id, &more, NULL, NULL), -EDQUOT,
		"too many bytes", "an srq does not grow beyond it");
	set_cap("max_bytes", 1 << 23);
	done(l, call_srq_modify(&l->nl, object.id, &more, NULL, NULL), "it does below");
	must(l, call_info_get(&l->nl, &after), "info");
	result(after.buffer_bytes >= before.buffer_bytes + 16384 * 16, "which is counted");
	more.max_wr = 4;
	must(l, call_srq_modify(&l->nl, object.id, &more, NULL, NULL), "shrink");
	must(l, call_info_get(&l->nl, &before), "info");
	result(before.buffer_bytes + 16384 * 16 <= after.buffer_bytes, "until it shrinks");
runs:
	must(l, call_info_get(&l->nl, &before), "info");
	set_cap("max_bytes", (unsigned long)before.buffer_bytes + 4096);
	snprintf(run.dev, sizeof(run.dev), "%s", dev);
	refused(l, call_run_start(&l->nl, &run, &id), -EDQUOT, "too many bytes",
		"nor is there a run that has no room for its samples");
	set_cap("max_bytes", bytes);
	done(l, call_run_start(&l->nl, &run, &id), "with the cap as it was there is");
}

void test_quota(void)
{
	static const struct kind kinds[] = {
		{ "pds", make_one_pd, KV_PD, 100, 1 << 22 },
		{ "buffers", make_one_buf, KV_BUF, 65536, 1 << 20 },
		{ "cqs", make_one_cq, KV_CQ, 65536, 1 << 20 },
		{ "srqs", make_one_srq, KV_SRQ, 65536, 1 << 20 },
		{ "qps", make_one_qp, KV_QP, 65536, 1 << 22 },
		{ "conns", make_one_conn, KV_CONN, 100, 1 << 22 },
	};
	struct all *all;
	unsigned int i;
	struct link l;

	all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		bail_out("no memory");
	other_dev_make();
	link_open(&l);
	for (i = 0; i < COUNT(kinds); i++)
		test_kind(&l, all, &kinds[i]);
	test_again(&l);
	link_close(&l);
	other_dev_del();
	link_open(&l);
	test_queues(&l);
	link_close(&l);
	munmap(all, sizeof(*all));
}
