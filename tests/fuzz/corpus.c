// SPDX-License-Identifier: MIT
/* Sequences to begin with: the seeds, and what has reached new code. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

/* Each takes as much as its messages do: some 50 KB. */
#define SEQUENCES 2048

static struct {
	unsigned int messages;
	struct message *message;
} corpus[SEQUENCES];

static unsigned int size;

/**
 * corpus_add() - keep a sequence
 * @s: the sequence
 * @messages: how many of its first messages
 * @last: another one that comes after those, or NULL
 */
void corpus_add(const struct sequence *s, unsigned int messages, const struct message *last)
{
	unsigned int at = size < SEQUENCES ? size : random_below(SEQUENCES);
	struct message *copy;

	if (messages == MESSAGES && last)
		messages--;
	copy = malloc((messages + !!last) * sizeof(s->message[0]));
	if (!copy)
		return;
	memcpy(copy, s->message, messages * sizeof(s->message[0]));
	if (last)
		copy[messages++] = *last;
	free(corpus[at].message);
	corpus[at].messages = messages;
	corpus[at].message = copy;
	if (size < SEQUENCES)
		size++;
}

/**
 * corpus_size() - how many there are
 *
 * Return: that.
 */
unsigned int corpus_size(void)
{
	return size;
}

/**
 * corpus_pick() - one to begin with
 * @s: receives it. A seed if there is nothing else, and else, too, now and then.
 */
void corpus_pick(struct sequence *s)
{
	unsigned int which;

	if (!size || one_in(3)) {
		seed_make(random_below(seed_count()), s);
		return;
	}
	/* Younger ones were reached by way of older ones. */
	which = one_in(2) ? size - 1 - random_below((size + 3) / 4) : random_below(size);
	s->messages = corpus[which].messages;
	memcpy(s->message, corpus[which].message, s->messages * sizeof(s->message[0]));
}
