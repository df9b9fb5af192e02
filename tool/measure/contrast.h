/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_DESIGN_H
#define KV_MEASURE_DESIGN_H

#include "cli/parse.h"
#include "measure/stats.h"

#define KV_SIDES_MAX 4
#define KV_CONTRASTS_MAX 4

/**
 * struct kv_design - which sides a comparison has, and which of them it compares
 * @name: "spaces", "quadrants" or "self"
 * @sides: how many sides; their blocks are measured in turn
 * @side: their names in results, and the space of each one's client and server
 * @contrasts: how many differences are of interest
 * @contrast: the two sides of each
 * @changed: what these two differ in: "client", "server" or "" for both ends
 */
struct kv_design {
	const char *name;
	unsigned int sides;
	struct {
		const char *name;
		enum kv_space_id client;
		enum kv_space_id server;
	} side[KV_SIDES_MAX];
	unsigned int contrasts;
	struct kv_contrast contrast[KV_CONTRASTS_MAX];
	const char *changed[KV_CONTRASTS_MAX];
};

extern const struct kv_design kv_design_spaces;
extern const struct kv_design kv_design_quadrants;
extern const struct kv_design kv_design_self[KV_SPACES];

/* Blocks of each side in a round. */
#define KV_DESIGN_BLOCKS 2

unsigned int kv_design_turn(const struct kv_design *d, const unsigned int *order,
			    unsigned int turn);
const char *kv_design_who(const struct kv_design *d, unsigned int contrast, unsigned int side);

#endif
