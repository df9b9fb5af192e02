// SPDX-License-Identifier: MIT
/* Runs that are looked at while they go on, which on a kernel with KCSAN shows data races. */
#include <stdio.h>
#include <string.h>
#include "contract.h"
#include "run.h"

#define ROUNDS 20
#define ROUND_NS 200000000
/* More than the counter has ever shown. */
#define HUGE_TICKS (1ULL << 62)

/* Too large for the stack. */
static struct kv_run_result seen, most;

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Values seen in the warm-up are discarded, and may have been larger; but no time is negative. */
static void keep_most(void)
{
	unsigned int i;

	if (!seen.worker[0].samples && seen.worker[0].elapsed_ticks < HUGE_TICKS)
		return;
	most.worker[0].samples = larger(most.worker[0].samples, seen.worker[0].samples);
	most.worker[0].elapsed_ticks = larger(most.worker[0].elapsed_ticks,
					      seen.worker[0].elapsed_ticks);
	most.worker[0].sum_ticks = larger(most.worker[0].sum_ticks, seen.worker[0].sum_ticks);
	for (i = 0; i < KV_HIST_BINS; i++)
		most.hist.bin[i].count = larger(most.hist.bin[i].count, seen.hist.bin[i].count);
}

static bool more_than(const struct kv_run_result *end)
{
	unsigned int i;

	for (i = 0; i < KV_HIST_BINS; i++)
		if (most.hist.bin[i].count > end->hist.bin[i].count)
			return true;
	return most.worker[0].samples > end->worker[0].samples ||
	       most.worker[0].elapsed_ticks > end->worker[0].elapsed_ticks ||
	       most.worker[0].sum_ticks > end->worker[0].sum_ticks;
}

/*
 * @looks: grows by how often it was seen in the middle, which a busy host may not allow.
 * Return: false if it showed what it can't have had.
 */
static bool look_at(struct link *l, const struct kv_run_spec *spec, unsigned int *looks)
{
	unsigned int i;
	uint32_t id;

	memset(&most, 0, sizeof(most));
	must(l, call_run_start(&l->nl, spec, &id), "start a run");
	for (i = 0;; i++) {
		/* All bins take ten messages or so: the start of a pass needs quicker looks. */
		memset(&seen.hist, 0, sizeof(seen.hist));
		must(l, i % 8 == 7 ? call_run_get(&l->nl, id, &seen) :
		     call_run_peek(&l->nl, id, &seen), "look at the run");
		if (seen.state == KVERBS_RUN_DONE)
			break;
		keep_most();
	}
	*looks += i;
	must(l, call_run_get(&l->nl, id, &seen), "look at the run");
	must(l, call_run_del(&l->nl, id), "delete the run");
	return !more_than(&seen);
}

static void look(struct link *l, const struct kv_run_spec *spec, const char *name)
{
	unsigned int i, looks = 0;

	for (i = 0; i < ROUNDS && look_at(l, spec, &looks); i++)
		;
	result(i == ROUNDS && looks > ROUNDS && !seen.worker[0].error,
	       "%s: no look at an active run shows more than its end", name);
	note("%s: %u looks", name, looks);
	if (i < ROUNDS)
		note("samples %llu of %llu, ticks %llu of %llu, sum %llu of %llu",
		     (unsigned long long)most.worker[0].samples,
		     (unsigned long long)seen.worker[0].samples,
		     (unsigned long long)most.worker[0].elapsed_ticks,
		     (unsigned long long)seen.worker[0].elapsed_ticks,
		     (unsigned long long)most.worker[0].sum_ticks,
		     (unsigned long long)seen.worker[0].sum_ticks);
}

void test_look(void)
{
	static const struct end_init rc = { .type = KVERBS_QPT_RC };
	struct kv_run_spec spec;
	struct end a, b;
	struct link l;

	link_open(&l);
	pair_make(&l, &a, &b, &rc);
	register_target(&l, &b);
	spec = write_spec(&a, &b);
	spec.iters = 0;
	spec.time_ns = ROUND_NS;
	spec.warmup = 10;
	look(&l, &spec, "write");
	spec = (struct kv_run_spec){
		.time_ns = ROUND_NS, .warmup = 1000, .cpu = -1, .spins = -1,
	};
	snprintf(spec.dev, sizeof(spec.dev), "%s", dev);
	look(&l, &spec, "null");
	link_close(&l);
}
