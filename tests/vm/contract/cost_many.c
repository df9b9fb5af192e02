// SPDX-License-Identifier: MIT
/* Many objects of a type: each costs what it did when there were few. */
#include "cost.h"

#define FEW 1000
#define MANY 10000
/* The last of them, whose making is counted. */
#define LAST 15

/**
 * struct crowd - persistent objects of a type; only those can be flushed
 * @l: the connection
 * @noun: the type
 * @init: of each
 * @n: how many there are
 * @busy: how many of other owners are in use, so that a flush keeps them
 */
struct crowd {
	struct link *l;
	enum kv_type noun;
	const void *init;
	unsigned int n;
	unsigned int busy;
};

static double make_one(void *arg)
{
	struct crowd *c = arg;
	double start = cost_now();

	must(c->l, call_new(&c->l->nl, c->noun, c->init, NULL, NULL), "one of many");
	c->n++;
	return cost_now() - start;
}

static int on_listed(const union kv_object *object, void *arg)
{
	(void)object;
	++*(unsigned int *)arg;
	return 0;
}

static double list_all(void *arg)
{
	struct crowd *c = arg;
	unsigned int listed = 0;
	double start = cost_now();

	must(c->l, kv_nl_each(&c->l->nl.base, c->noun, on_listed, &listed), "list");
	start = cost_now() - start;
	if (listed != c->n)
		bail_out("%u objects should be listed, not %u", c->n, listed);
	return start / c->n;
}

static double flush_all(struct crowd *c)
{
	uint32_t flushed, busy;
	double start = cost_now();

	must(c->l, call_flush(&c->l->nl, &flushed, &busy), "flush");
	start = cost_now() - start;
	if (flushed != c->n || busy != c->busy)
		bail_out("%u objects flushed and %u busy; want %u and %u", flushed, busy, c->n,
			 c->busy);
	c->n = 0;
	return start / flushed;
}

/**
 * struct crowd_cost - the cost for each object
 * @make: of the last ones that are made
 * @list: of a list of all
 * @flush: of a flush of all
 */
struct crowd_cost {
	double make;
	double list;
	double flush;
};

static struct crowd_cost crowd_cost(struct crowd *c, unsigned int n)
{
	struct crowd_cost cost;

	while (c->n < n - LAST)
		make_one(c);
	cost.make = cost_least(make_one, c);
	cost.list = cost_least(list_all, c);
	cost.flush = flush_all(c);
	return cost;
}

static void test_type(struct crowd *c, const char *make, const char *list, const char *flush)
{
	struct snapshot before = snapshot(c->l), after;
	struct crowd_cost few = crowd_cost(c, FEW), many = crowd_cost(c, MANY);

	cost_check(&(struct cost){ few.make, many.make }, MANY - FEW, make);
	cost_check(&(struct cost){ few.list, many.list }, MANY - FEW, list);
	cost_check(&(struct cost){ few.flush, many.flush }, MANY - FEW, flush);
	after = snapshot(c->l);
	result(before.live == after.live && before.bytes == after.bytes,
	       "then there are as many objects as before");
}

static void test_pds(struct link *l)
{
	struct kv_pd_init init = { .dev = dev, .persistent = true };
	struct crowd c = { .l = l, .noun = KV_PD, .init = &init };

	test_type(&c, "the last of many pds is made", "each of many pds is listed",
		  "each of many pds is flushed");
}

/* MRs of a PD that can't be flushed meanwhile. */
static void test_mrs(struct link *l)
{
	struct kv_pd_init pd_init = { .dev = dev, .persistent = true };
	struct kv_mr_init init = { .max_pages = 1, .persistent = true };
	struct crowd c = { .l = l, .noun = KV_MR, .init = &init, .busy = 1 };
	uint32_t flushed, busy;
	struct link keeper;
	struct kv_pd pd;

	must(l, call_new(&l->nl, KV_PD, &pd_init, &pd, NULL), "pd");
	init.pd = pd.id;
	link_open(&keeper);
	make_mr(&keeper, pd.id);
	test_type(&c, "the last of many mrs is made", "each of many mrs is listed",
		  "each of many mrs is flushed");
	kv_nl_close(&keeper.nl);
	must(l, call_flush(&l->nl, &flushed, &busy), "flush");
	result(flushed == 1 && !busy, "the pd of many mrs goes last");
}

void cost_many(void)
{
	struct link l;

	link_open(&l);
	test_pds(&l);
	test_mrs(&l);
	link_close(&l);
}
