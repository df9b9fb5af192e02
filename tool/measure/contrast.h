/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/parse.h"

#define KV_SERIES_MAX 4
#define KV_DIFFERENCES_MAX 4

/* Blocks of each series in a round. */
#define KV_CONTRAST_BLOCKS 2

/**
 * struct kv_contrast - which series a comparison has, and which of them it compares
 * @name: "spaces", "quadrants" or "self"
 * @n: how many series; their blocks are measured in turn
 * @series: the name of each series in results, and the spaces of its client and its server
 * @differences: how many differences are reported
 * @difference: a - b of the series @a and @b; the two differ in @changed: "client", "server" or ""
 *	for both ends
 */
struct kv_contrast {
	const char *name;
	unsigned int n;
	struct {
		const char *name;
		enum kv_space_id client;
		enum kv_space_id server;
	} series[KV_SERIES_MAX];
	unsigned int differences;
	struct kv_difference {
		unsigned int a;
		unsigned int b;
		const char *changed;
	} difference[KV_DIFFERENCES_MAX];
};

extern const struct kv_contrast kv_contrast_spaces;
extern const struct kv_contrast kv_contrast_quadrants;
extern const struct kv_contrast kv_contrast_self[KV_SPACES];

unsigned int kv_contrast_turn(const struct kv_contrast *c, const unsigned int *order,
			      unsigned int turn);
