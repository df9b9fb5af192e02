/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* For the refusal of a word that is not in a table: the table's words that it may have meant. */
struct kv_guess {
	const char *typed;
	const char *dashes; /* before each word of @several; or "" */
	size_t length; /* of @typed */
	char several[256]; /* the words that begin with @typed, separated by commas */
	unsigned int n; /* how many */
	const char *nearest; /* the word that is spelled nearly so; NULL: none */
	size_t changes; /* from @typed to @nearest; without one: the allowed number, plus 1 */
};

void kv_guess_begin(struct kv_guess *g, const char *dashes, const char *typed, size_t length);
void kv_guess_add(struct kv_guess *g, const char *word);
