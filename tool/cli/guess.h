/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* The words of a table that a typed word may have meant, which is none of them: for its refusal. */
struct kv_guess {
	const char *typed;
	const char *dashes; /* before each word of @several; or "" */
	size_t length; /* of @typed */
	char several[256]; /* the words that begin with @typed, separated by commas */
	unsigned int n; /* how many */
	const char *nearest; /* the word that is spelled nearly so; NULL: none */
	size_t changes; /* by which @typed becomes @nearest, plus 1 without @nearest */
};

void kv_guess_begin(struct kv_guess *g, const char *dashes, const char *typed, size_t length);
void kv_guess_add(struct kv_guess *g, const char *word);
