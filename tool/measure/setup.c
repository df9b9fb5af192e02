// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "measure/setup.h"
#include "measure/stats.h"
#include "out/out.h"
#include "sys/memory.h"

/**
 * kv_setup_begin() - before the connections of a round are made
 * @s: the set-up of a series, all zeros before the first round
 * @f: receives the reason of a failure
 */
int kv_setup_begin(struct kv_setup *s, struct kv_fault *f)
{
	for (unsigned int i = 0; i < KV_SETUP_FIGURES; i++) {
		double *more = reallocarray(s->figure[i], s->rounds + 1, sizeof(*more));

		if (!more)
			return kv_fault_no_memory(f);
		s->figure[i] = more;
	}
	s->wall_ns = 0;
	s->blind = kv_memory_used(&s->before) < 0;
	return 0;
}

/* A CQ's time is kept once, and an end may have two of them. */
static uint64_t verbs_ns(const struct kv_endpoint *e)
{
	uint64_t ns = e->verb[KV_VERB_CQ_NEW].verb_ns * (e->recv_cq == e->send_cq ? 1 : 2);

	for (unsigned int v = KV_VERB_QP_NEW; v < KV_VERBS; v++)
		ns += v == KV_VERB_MR_REG ? 0 : e->verb[v].verb_ns;
	return ns;
}

/**
 * kv_setup_end() - the connections of a round are made
 * @p: all of them
 * @connections: how many
 */
void kv_setup_end(struct kv_setup *s, const struct kv_pair *p, uint32_t connections)
{
	uint64_t after = 0, ns = 0;

	s->connections = connections;
	s->qps = connections * (p->end[1].site->host ? 1 : 2);
	s->blind |= kv_memory_used(&after) < 0;
	for (uint32_t i = 0; i < connections; i++)
		ns += verbs_ns(&p[i].end[0]);
	s->figure[KV_SETUP_WALL][s->rounds] = (double)s->wall_ns / s->qps;
	s->figure[KV_SETUP_VERBS][s->rounds] = (double)ns / connections;
	s->figure[KV_SETUP_MEMORY][s->rounds] =
		s->blind ? NAN : ((double)after - (double)s->before) / s->qps;
	s->rounds++;
}

static void put_interval(struct json_object *obj, const char *key, const struct kv_interval *i,
			 bool known)
{
	struct json_object *to = json_object_new_object();

	kv_out_put_ns(to, "value", known ? i->value : NAN);
	kv_out_put_ns(to, "low", i->valid ? i->low : NAN);
	kv_out_put_ns(to, "high", i->valid ? i->high : NAN);
	kv_out_put(obj, key, to);
}

/**
 * kv_setup_describe() - describe what connections cost
 *
 * Return: an object, owned by the caller; NULL if no round has made any.
 */
struct json_object *kv_setup_describe(const struct kv_setup *s)
{
	static const char *const doubts[] = {
		[KV_KNOWN_FEW] = "fewer than 6 rounds, so there is no interval (--rounds)",
		[KV_KNOWN_LITTLE] = "memory has grown by less than 1 MiB (more --qps or --depth)",
		[KV_KNOWN_WIDE] = "the interval is wider than +- 10 % (more --rounds or --qps, a quiet machine)",
	};
	struct json_object *obj;
	struct kv_interval i[KV_SETUP_FIGURES];
	const char *doubt;

	if (!s->rounds)
		return NULL;
	for (unsigned int k = 0; k < KV_SETUP_FIGURES; k++)
		i[k] = kv_stats_center(s->figure[k], s->rounds);
	doubt = s->blind ? "/proc/zoneinfo cannot be read" :
			   doubts[kv_stats_known(&i[KV_SETUP_MEMORY], s->qps)];
	obj = json_object_new_object();
	kv_out_put_count(obj, "connections", s->connections);
	kv_out_put_count(obj, "qps_here", s->qps);
	put_interval(obj, "wall_ns", &i[KV_SETUP_WALL], true);
	put_interval(obj, "verbs_ns", &i[KV_SETUP_VERBS], true);
	put_interval(obj, "memory_bytes", &i[KV_SETUP_MEMORY], !doubt);
	kv_out_put_string(obj, "memory_doubt", doubt);
	return obj;
}

/** kv_setup_free() - free the figures */
void kv_setup_free(struct kv_setup *s)
{
	for (unsigned int i = 0; i < KV_SETUP_FIGURES; i++)
		free(s->figure[i]);
	*s = (struct kv_setup){ .rounds = 0 };
}
