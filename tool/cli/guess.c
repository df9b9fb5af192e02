// SPDX-License-Identifier: MIT
#include <stdint.h>
#include <string.h>
#include <sys/param.h>
#include "cli/guess.h"
#include "cli/parse.h"

/* No word of a table is longer. */
#define WORD 32

/*
 * How many letters must be put in, left out, changed, or exchanged with the next one (Damerau and
 * Levenshtein, without changes of what was exchanged).
 */
static size_t count_changes(const char *a, size_t n, const char *b)
{
	size_t row[3][WORD], m = strlen(b);
	size_t *before = row[0], *last = row[1], *now = row[2];

	if (m >= WORD)
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		last[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *oldest = before;

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = MIN(last[j], now[j - 1]) + 1;
			now[j] = MIN(now[j], last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = MIN(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = oldest;
	}
	return last[m];
}

/**
 * kv_guess_begin() - guess at a word
 * @dashes: stands before each word in a message; or ""
 * @typed: the word as it was typed, without @dashes; lives as long as @g
 * @length: how many of its characters matter
 */
void kv_guess_begin(struct kv_guess *g, const char *dashes, const char *typed, size_t length)
{
	/* Of a short word one letter may be wrong, or it could be any word. */
	*g = (struct kv_guess){ .dashes = dashes, .typed = typed, .length = length,
				.changes = length < 2 ? 1 : length < 5 ? 2 : 3 };
}

/** kv_guess_add() - may a word be meant? @word: lives as long as @g */
void kv_guess_add(struct kv_guess *g, const char *word)
{
	size_t changes = count_changes(g->typed, g->length, word);

	if (g->length && kv_word_begins(word, g->typed, g->length)) {
		kv_append(g->several, sizeof(g->several), "%s%s%s", g->n ? ", " : "", g->dashes, word);
		g->n++;
	}
	if (changes < g->changes) {
		g->changes = changes;
		g->nearest = word;
	}
}
