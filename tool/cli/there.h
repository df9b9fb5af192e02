/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/fault.h"

/* The maximum number of things in a message. */
#define KV_THERE_MAX 8

/* The things that exist, for the refusal of one that does not. */
struct kv_there {
	char text[KV_THERE_MAX * 48]; /* the first KV_THERE_MAX of them */
	unsigned int n; /* all of them */
};

void kv_there_add(struct kv_there *t, const char *prefix, const char *name);
void kv_there_tell(const struct kv_there *t, struct kv_fault *f);
