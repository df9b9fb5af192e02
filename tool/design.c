// SPDX-License-Identifier: MIT
#include <stdio.h>
#include "design.h"

/* Both ends in the kernel, or both in user space. */
const struct kv_design kv_design_spaces = {
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

/**
 * kv_design_turn() - whose turn it is
 * @d: the design
 * @round: 0 .. ; a round has a block of each side
 * @turn: 0 .. sides - 1, in the round
 *
 * A B, B A; or A B C D, D C B A: after two rounds all sides were measured at the
 * same time on average, so that what drifts evenly hits them alike.
 *
 * Return: the side.
 */
unsigned int kv_design_turn(const struct kv_design *d, unsigned int round,
			    unsigned int turn)
{
	return round % 2 ? d->sides - 1 - turn : turn;
}

/**
 * kv_design_order() - say in which order blocks are measured
 * @d: the design
 * @text: receives the names of the sides in two rounds
 * @size: of @text
 */
void kv_design_order(const struct kv_design *d, char *text, size_t size)
{
	size_t n = 0;

	for (unsigned int i = 0; i < 2 * d->sides && n < size; i++) {
		unsigned int s = kv_design_turn(d, i / d->sides, i % d->sides);

		n += (size_t)snprintf(text + n, size - n, "%s%s", i ? " " : "",
				      d->side[s].name);
	}
}
