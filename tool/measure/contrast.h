/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/parse.h"

/* Five contexts of completions in the kernel, and two in user space. */
#define KV_SERIES_MAX 7
#define KV_DIFFERENCES_MAX 7

/* Blocks of each series in a round. */
#define KV_CONTRAST_BLOCKS 2

/* The series of a comparison, and the pairs of them that it compares. */
struct kv_contrast {
	const char *name; /* "spaces", "quadrants", "self", "alone" or "contexts" */
	unsigned int n; /* how many series; their blocks are measured in turn */
	struct {
		const char *name; /* in results */
		char made_name[32]; /* "contexts" only: room for @name */
		enum kv_space_id client;
		enum kv_space_id server;
		uint32_t completion; /* "contexts" only: enum kverbs_cq_context, at the client */
	} series[KV_SERIES_MAX];
	unsigned int differences; /* how many are reported */
	struct kv_difference { /* a - b of the series @a and @b */
		unsigned int a;
		unsigned int b;
		const char *changed; /* what the two differ in: "client", "server", "completion", "space"; "": both ends */
	} difference[KV_DIFFERENCES_MAX];
};

extern const struct kv_contrast kv_contrast_spaces;
extern const struct kv_contrast kv_contrast_quadrants;
extern const struct kv_contrast kv_contrast_self[KV_SPACES];
extern const struct kv_contrast kv_contrast_alone[KV_SPACES];

bool kv_contrast_has_contexts(const struct kv_contrast *c);
void kv_contrast_set_contexts(struct kv_contrast *c, const struct kv_list *contexts);
unsigned int kv_contrast_turn(const struct kv_contrast *c, const unsigned int *order,
			      unsigned int turn);
