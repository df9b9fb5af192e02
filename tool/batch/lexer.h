/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "cli/fault.h"

/*
 * A line is split into words as in a shell: blanks separate words, '…' and "…" quote, \
 * quotes one character, # begins a comment. $NAME, $NAME.FIELD.FIELD and ${…} outside '…'
 * are references: each is replaced by its value, in which no character is special.
 */

/* The maximum length in bytes of a command with the lines that continue it, both before and
 * after its references are replaced.
 */
#define KV_LEXER_LINE_MAX (1 << 20)

/* The words of a line. */
struct kv_words {
	size_t n; /* how many */
	char **word; /* the words; @word[@n] is NULL */
	char *text; /* memory of the words */
};

/*
 * Gives the value of a reference, in memory that the caller frees. On failure it
 * returns a negative errno and fills the fault.
 */
typedef int kv_lexer_expand_fn(void *arg, const char *reference, char **value, struct kv_fault *f);

bool kv_lexer_is_name(const char *text);
int kv_lexer_too_long(struct kv_fault *f);
bool kv_lexer_continue(const char *line);
int kv_lexer_split(struct kv_words *w, const char *line,
		   kv_lexer_expand_fn *expand, void *arg, struct kv_fault *f);
void kv_lexer_free(struct kv_words *w);
