// SPDX-License-Identifier: MIT
#include "measure/contrast.h"

/* Both ends in the kernel, or both in user space. */
const struct kv_contrast kv_contrast_spaces = {
	.name = "spaces",
	.n = 2,
	.series = {
		{ "kernel", KV_SPACE_KERNEL, KV_SPACE_KERNEL },
		{ "user", KV_SPACE_USER, KV_SPACE_USER },
	},
	.differences = 1,
	.difference = { { 0, 1, "" } },
};

/* All four combinations of a client's and a server's space; a difference changes one end. */
const struct kv_contrast kv_contrast_quadrants = {
	.name = "quadrants",
	.n = 4,
	.series = {
		{ "K-K", KV_SPACE_KERNEL, KV_SPACE_KERNEL },
		{ "K-U", KV_SPACE_KERNEL, KV_SPACE_USER },
		{ "U-K", KV_SPACE_USER, KV_SPACE_KERNEL },
		{ "U-U", KV_SPACE_USER, KV_SPACE_USER },
	},
	.differences = 4,
	.difference = { { 0, 2, "client" }, { 1, 3, "client" }, { 0, 1, "server" }, { 2, 3, "server" } },
};

#define SELF(space) {							\
	.name = "self",							\
	.n = 2,								\
	.series = { { "first", space, space }, { "second", space, space } }, \
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
	[KV_SPACE_KERNEL] = { "alone", 1, { { "kernel", KV_SPACE_KERNEL, KV_SPACE_KERNEL } }, 0, { { 0 } } },
	[KV_SPACE_USER] = { "alone", 1, { { "user", KV_SPACE_USER, KV_SPACE_USER } }, 0, { { 0 } } },
};

/**
 * kv_contrast_turn() - which series is measured next
 * @c: the contrast
 * @order: its series in the order of this round, see kv_stats_shuffle()
 * @turn: 0 .. KV_CONTRAST_BLOCKS * @c->n - 1, in the round
 *
 * The order is A B B A, or A B C D D C B A. On average all series are measured at the same time,
 * so that a linear drift affects them equally.
 *
 * Return: the series.
 */
unsigned int kv_contrast_turn(const struct kv_contrast *c, const unsigned int *order,
			      unsigned int turn)
{
	unsigned int at = turn % c->n;

	return order[turn / c->n % 2 ? c->n - 1 - at : at];
}
