/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/parse.h"

#define KV_SERIES_MAX 4
#define KV_DIFFERENCES_MAX 4

/* Blocks of each series in a round. */
#define KV_CONTRAST_BLOCKS 2

/* Which series a comparison has, and which of them it compares. */
struct kv_contrast {
	const char *name; /* "spaces", "quadrants", "self" or "alone" */
	unsigned int n; /* how many series; their blocks are measured in turn */
	struct {
		const char *name; /* in results */
		enum kv_space_id client;
		enum kv_space_id server;
	} series[KV_SERIES_MAX];
	unsigned int differences; /* how many are reported */
	struct kv_difference { /* a - b of the series @a and @b */
		unsigned int a;
		unsigned int b;
		const char *changed; /* what the two differ in: "client", "server"; "": both ends */
	} difference[KV_DIFFERENCES_MAX];
};

extern const struct kv_contrast kv_contrast_spaces;
extern const struct kv_contrast kv_contrast_quadrants;
extern const struct kv_contrast kv_contrast_self[KV_SPACES];
extern const struct kv_contrast kv_contrast_alone[KV_SPACES];

unsigned int kv_contrast_turn(const struct kv_contrast *c, const unsigned int *order,
			      unsigned int turn);
