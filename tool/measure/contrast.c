// SPDX-License-Identifier: MIT
#include <string.h>
#include "measure/design.h"

/* Both ends in the kernel, or both in user space. */
const struct kv_design kv_design_spaces = {
	.name = "spaces",
	.sides = 2,
	.side = {
		{ "kernel", KV_SPACE_KERNEL, KV_SPACE_KERNEL },
		{ "user", KV_SPACE_USER, KV_SPACE_USER },
	},
	.contrasts = 1,
	.contrast = { { 0, 1 } },
	.changed = { "" },
};

/* Client and server each in either space; one end is changed at a time. */
const struct kv_design kv_design_quadrants = {
	.name = "quadrants",
	.sides = 4,
	.side = {
		{ "K-K", KV_SPACE_KERNEL, KV_SPACE_KERNEL },
		{ "K-U", KV_SPACE_KERNEL, KV_SPACE_USER },
		{ "U-K", KV_SPACE_USER, KV_SPACE_KERNEL },
		{ "U-U", KV_SPACE_USER, KV_SPACE_USER },
	},
	.contrasts = 4,
	.contrast = { { 0, 2 }, { 1, 3 }, { 0, 1 }, { 2, 3 } },
	.changed = { "client", "client", "server", "server" },
};

#define SELF(space) {							\
	.name = "self",							\
	.sides = 2,							\
	.side = { { "first", space, space }, { "second", space, space } }, \
	.contrasts = 1,							\
	.contrast = { { 0, 1 } },					\
	.changed = { "" },						\
}

/* One space on both sides: what is found is false. */
const struct kv_design kv_design_self[KV_SPACES] = {
	[KV_SPACE_KERNEL] = SELF(KV_SPACE_KERNEL),
	[KV_SPACE_USER] = SELF(KV_SPACE_USER),
};

/**
 * kv_design_turn() - whose turn it is
 * @d: the design
 * @order: its sides in the order of this round, see kv_stats_shuffle()
 * @turn: 0 .. KV_DESIGN_BLOCKS * sides - 1, in the round
 *
 * A B B A; or A B C D D C B A: all sides are measured at the same time on average, so that
 * what drifts evenly hits them alike.
 *
 * Return: the side.
 */
unsigned int kv_design_turn(const struct kv_design *d, const unsigned int *order,
			    unsigned int turn)
{
	unsigned int at = turn % d->sides;

	return order[turn / d->sides % 2 ? d->sides - 1 - at : at];
}

/**
 * kv_design_who() - what a side is called where it is the faster one
 * @d: the design
 * @contrast: which difference
 * @side: which of its two sides
 *
 * Return: the space of the end that is changed, or, where both are of one space, the side's name.
 */
const char *kv_design_who(const struct kv_design *d, unsigned int contrast, unsigned int side)
{
	if (d->sides == 2)
		return d->side[side].name;
	return kv_word_name(kv_word_space, strcmp(d->changed[contrast], "server") ?
			    d->side[side].client : d->side[side].server);
}
