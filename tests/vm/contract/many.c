// SPDX-License-Identifier: MIT
/* Many objects: each takes as long as it did when there were few. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contract.h"

#define MANY 10000
/* A kernel that watches each allocation takes 12 ms an object. */
#define MANY_WATCHED 2000
#define PART 1000
/* How much longer one of many may take than one of few. */
#define FACTOR 2.0
#define FACTOR_FLUSH 3.0
/* A flush is one message: who is disturbed in it is disturbed for all of the objects. */
#define FLUSHES 3
#define LISTS 15

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A busy host makes some take longer: these don't count. */
static double least(const double *value, size_t n)
{
	double min = value[0];

	while (n--)
		if (value[n] < min)
			min = value[n];
	return min;
}

static double median(double *value, size_t n)
{
	qsort(value, n, sizeof(*value), compare);
	return value[n / 2];
}

/*
 * How long each of some objects takes; and how long a question does meanwhile that has nothing to do with how
 * many there are. Between few and many minutes may lie, and the host is not as busy in both.
 */
struct pace {
	double each, yard;
};

static double ask(struct link *l)
{
	double start = seconds();
	struct kv_info info;

	must(l, kv_nl_info_get(&l->nl, &info), "info");
	return seconds() - start;
}

static void not_slower(const struct pace *few, const struct pace *many, const char *name,
		       const char *what)
{
	result(many->each / few->each <= FACTOR * many->yard / few->yard,
	       "%s: %s take no longer", name, what);
	note("%s: %s: %.1f us each beside a question's %.1f us; the first thousand %.1f us beside %.1f us",
	     name, what, many->each * 1e6, many->yard * 1e6, few->each * 1e6, few->yard * 1e6);
}

static int on_listed(const union kv_object *object, void *arg)
{
	(void)object;
	++*(unsigned int *)arg;
	return 0;
}

/* Lists as wholes: the parts of one come in messages of hundreds, too coarse to be compared. */
static struct pace list_pace(struct link *l, const struct kv_nl_noun *noun, unsigned int n)
{
	double took[LISTS], asked[10 * LISTS], start;
	unsigned int i, j, listed;

	for (i = 0; i < LISTS; i++) {
		listed = 0;
		start = seconds();
		must(l, kv_nl_each(&l->nl, noun, on_listed, &listed), "list");
		took[i] = (seconds() - start) / n;
		if (listed != n)
			bail_out("%u objects should be listed, not %u", n, listed);
		for (j = 0; j < 10; j++)
			asked[10 * i + j] = ask(l);
	}
	/* Those that were disturbed least. */
	return (struct pace){ .each = least(took, COUNT(took)),
			      .yard = least(asked, COUNT(asked)) };
}

/* @kept: what is in use meanwhile. */
static double flush_time(struct link *l, unsigned int n, unsigned int kept)
{
	uint32_t got_flushed, got_kept;
	double start = seconds();

	must(l, kv_nl_flush(&l->nl, &got_flushed, &got_kept), "flush");
	if (got_flushed != n || got_kept != kept)
		bail_out("%u objects flushed and %u kept; want %u and %u", got_flushed,
			 got_kept, n, kept);
	return (seconds() - start) / n;
}

static void make_one(struct link *l, const struct kv_nl_noun *noun, const void *init)
{
	must(l, kv_nl_new(&l->nl, noun, init, NULL, NULL), "one of many");
}

static struct pace make_pace(struct link *l, const struct kv_nl_noun *noun, const void *init)
{
	double took[PART], asked[PART], start;
	unsigned int i;

	for (i = 0; i < PART; i++) {
		start = seconds();
		make_one(l, noun, init);
		took[i] = seconds() - start;
		asked[i] = ask(l);
	}
	return (struct pace){ .each = median(took, PART), .yard = median(asked, PART) };
}

/* Of as many objects as there are now: how long each takes, in the best flush of some, if need be. */
static double flush_best(struct link *l, const struct kv_nl_noun *noun, const void *init,
			 unsigned int many, unsigned int kept, double enough)
{
	double took, best = flush_time(l, many, kept);
	unsigned int i, j;

	for (i = 1; i < FLUSHES && best > enough; i++) {
		for (j = 0; j < many; j++)
			make_one(l, noun, init);
		took = flush_time(l, many, kept);
		if (took < best)
			best = took;
	}
	return best;
}

static unsigned int choose_many(void)
{
	unsigned int many = is_watched() ? MANY_WATCHED : MANY;

	note("%u objects", many);
	return many;
}

/* Persistent ones, as only those can be flushed; @kept: others that can't be. */
static void test_type(struct link *l, const struct kv_nl_noun *noun, const void *init,
		      unsigned int kept, const char *name)
{
	struct pace few_made, few_listed, many_made, many_listed;
	double few_flush[3], few, all;
	struct snapshot before = snapshot(l), after;
	unsigned int i, j, many = choose_many();

	for (i = 0; i < COUNT(few_flush); i++) {
		for (j = 0; j < PART; j++)
			make_one(l, noun, init);
		few_flush[i] = flush_time(l, PART, kept);
	}
	few_made = make_pace(l, noun, init);
	few_listed = list_pace(l, noun, PART);
	for (i = PART; i < many - PART; i++)
		make_one(l, noun, init);
	many_made = make_pace(l, noun, init);
	many_listed = list_pace(l, noun, many);
	not_slower(&few_made, &many_made, name, "the last thousand made");
	not_slower(&few_listed, &many_listed, name, "all in a list");
	few = median(few_flush, COUNT(few_flush));
	all = flush_best(l, noun, init, many, kept, FACTOR_FLUSH * few);
	result(all <= FACTOR_FLUSH * few, "%s: all flushed take no longer", name);
	note("%s: all flushed: %.1f us each; a thousand %.1f us", name, all * 1e6, few * 1e6);
	after = snapshot(l);
	result(before.live == after.live && before.bytes == after.bytes,
	       "%s: then there are as many as before", name);
}

/* MRs of a PD that can't be flushed meanwhile. */
static void test_mrs(struct link *l)
{
	struct kv_pd_init pd_init = { .dev = dev, .persistent = true };
	struct kv_mr_init init = { .length = 64, .persistent = true };
	uint32_t flushed, kept;
	struct link keeper;
	struct kv_pd pd;

	must(l, kv_nl_new(&l->nl, &kv_nl_pd, &pd_init, &pd, NULL), "pd");
	init.pd = pd.id;
	link_open(&keeper);
	make_mr(&keeper, pd.id, 64);
	test_type(l, &kv_nl_mr, &init, 1, "mr");
	kv_nl_close(&keeper.nl);
	must(l, kv_nl_flush(&l->nl, &flushed, &kept), "flush");
	result(flushed == 1 && !kept, "mr: their pd goes last");
}

void test_many(void)
{
	struct kv_pd_init pd = { .dev = dev, .persistent = true };
	struct link l;

	if (has_kcsan()) {
		skip("many objects take no longer each", "KCSAN holds accesses up at random");
		return;
	}
	link_open(&l);
	test_type(&l, &kv_nl_pd, &pd, 0, "pd");
	test_mrs(&l);
	link_close(&l);
}

static void set_limit(const char *name, const char *value)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/kverbs/parameters/%s", name);
	file = fopen(path, "w");
	if (!file || fputs(value, file) < 0 || fclose(file))
		bail_out("%s: %s", path, strerror(errno));
}

void test_limit(void)
{
	struct kv_pd_init pd_init = { .dev = dev };
	struct kv_mr_init mr_init = { .length = 65536 };
	uint32_t first, second, id;
	struct link l;

	link_open(&l);
	first = make_pd(&l);
	second = make_pd(&l);
	set_limit("max_objects", "2");
	refused(&l, kv_nl_new(&l.nl, &kv_nl_pd, &pd_init, NULL, NULL), -EDQUOT,
		"too many objects", "the cap on objects");
	must(&l, kv_nl_del(&l.nl, &kv_nl_pd, second, NULL), "delete");
	done(&l, kv_nl_new(&l.nl, &kv_nl_pd, &pd_init, NULL, NULL), "one goes, one can come");
	set_limit("max_objects", "65536");
	set_limit("max_bytes", "40000");
	mr_init.pd = first;
	refused(&l, kv_nl_new(&l.nl, &kv_nl_mr, &mr_init, NULL, NULL), -EDQUOT,
		"too many bytes", "the cap on buffer memory");
	set_limit("max_bytes", "1073741824");
	id = make_mr(&l, first, 65536);
	done(&l, kv_nl_del(&l.nl, &kv_nl_mr, id, NULL), "after that, memory is there again");
	result(snapshot(&l).live == 2, "objects that are there are counted");
	link_close(&l);
}
