// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "measure/contrast.h"
#include "measure/workload.h"

#define SERIES(title, from, to) { .name = title, .client = from, .server = to }

/* Both ends in the kernel, or both in user space. */
const struct kv_contrast kv_contrast_spaces = {
	.name = "spaces",
	.n = 2,
	.series = {
		SERIES("kernel", KV_SPACE_KERNEL, KV_SPACE_KERNEL),
		SERIES("user", KV_SPACE_USER, KV_SPACE_USER),
	},
	.differences = 1,
	.difference = { { 0, 1, "" } },
};

/* All four combinations of a client's and a server's space; a difference changes one end. */
const struct kv_contrast kv_contrast_quadrants = {
	.name = "quadrants",
	.n = 4,
	.series = {
		SERIES("K-K", KV_SPACE_KERNEL, KV_SPACE_KERNEL),
		SERIES("K-U", KV_SPACE_KERNEL, KV_SPACE_USER),
		SERIES("U-K", KV_SPACE_USER, KV_SPACE_KERNEL),
		SERIES("U-U", KV_SPACE_USER, KV_SPACE_USER),
	},
	.differences = 4,
	.difference = { { 0, 2, "client" }, { 1, 3, "client" }, { 0, 1, "server" }, { 2, 3, "server" } },
};

#define SELF(space) {							\
	.name = "self",							\
	.n = 2,								\
	.series = { SERIES("first", space, space), SERIES("second", space, space) }, \
	.differences = 1,						\
	.difference = { { 0, 1, "" } },					\
}

/* One space in both series: any difference found between them is false. */
const struct kv_contrast kv_contrast_self[KV_SPACES] = {
	[KV_SPACE_KERNEL] = SELF(KV_SPACE_KERNEL),
	[KV_SPACE_USER] = SELF(KV_SPACE_USER),
};

/* One space, compared with nothing. */
const struct kv_contrast kv_contrast_alone[KV_SPACES] = {
	[KV_SPACE_KERNEL] = { "alone", 1, { SERIES("kernel", KV_SPACE_KERNEL, KV_SPACE_KERNEL) }, 0, { { 0 } } },
	[KV_SPACE_USER] = { "alone", 1, { SERIES("user", KV_SPACE_USER, KV_SPACE_USER) }, 0, { { 0 } } },
};

/**
 * kv_contrast_has_contexts() - do the series differ in how completions are noticed?
 *
 * Return: true if each series has its kv_contrast.completion.
 */
bool kv_contrast_has_contexts(const struct kv_contrast *c)
{
	return !strcmp(c->name, "contexts");
}

static void add_difference(struct kv_contrast *c, unsigned int a, unsigned int b,
			   const char *changed)
{
	c->difference[c->differences++] = (struct kv_difference){ a, b, changed };
}

static void add_context(struct kv_contrast *c, enum kv_space_id space, uint32_t context)
{
	const unsigned int n = c->n++;
	char *name = c->series[n].made_name;

	snprintf(name, sizeof(c->series[n].made_name), "%s-%s", kv_enum_name(kv_enum_space, space),
		 kv_enum_name(kv_enum_cq_context, context));
	c->series[n].name = name;
	c->series[n].client = space;
	c->series[n].server = space;
	c->series[n].completion = context;
}

/**
 * kv_contrast_set_contexts() - compare how completions are noticed
 * @c: receives a series for each context of each space that has it. In each space the others are
 *	compared with the first one; and the kernel's series with that of user space, if both have
 *	the context.
 *	The names of the series are in @c: do not copy it.
 * @contexts: enum kverbs_cq_context of each
 */
void kv_contrast_set_contexts(struct kv_contrast *c, const struct kv_list *contexts)
{
	*c = (struct kv_contrast){ .name = "contexts" };
	for (unsigned int space = 0; space < KV_SPACES; space++) {
		unsigned int first = c->n;

		for (unsigned int i = 0; i < contexts->n; i++) {
			if (!kv_workload_has_completion(space, contexts->value[i]))
				continue;
			add_context(c, space, contexts->value[i]);
			if (c->n > first + 1)
				add_difference(c, c->n - 1, first, "completion");
		}
	}
	for (unsigned int k = 0; k < c->n; k++) {
		for (unsigned int u = k + 1; u < c->n; u++) {
			if (c->series[k].client != c->series[u].client &&
			    c->series[k].completion == c->series[u].completion)
				add_difference(c, k, u, "space");
		}
	}
}

/**
 * kv_contrast_turn() - which series is measured next
 * @order: its series in the order of this round, see kv_stats_shuffle()
 * @turn: 0 .. KV_CONTRAST_BLOCKS * @c->n - 1, in the round
 *
 * The order is A B B A, or A B C D D C B A. On average all series are measured at the same time,
 * so that a linear drift affects them equally.
 */
unsigned int kv_contrast_turn(const struct kv_contrast *c, const unsigned int *order,
			      unsigned int turn)
{
	unsigned int at = turn % c->n;

	return order[turn / c->n % 2 ? c->n - 1 - at : at];
}
