/* SPDX-License-Identifier: MIT */
#ifndef TESTS_WIRE_H
#define TESTS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parts of the module's messages, byte by byte. */

/* The byte that memory is filled with before it may become part of a message. */
#define WIRE_SPOILT 0xa5

/**
 * struct wire - what was seen
 * @family: of the messages to look at
 * @messages: how many were
 * @bytes: that are there for the sake of alignment
 * @answered: commands with an answer, by number
 * @listed: commands with a list
 * @events: types of events
 * @wrong: bytes, or sizes, that are not as they must be
 * @first: the fault of the first
 */
struct wire {
	uint16_t family;
	unsigned long messages;
	unsigned long bytes;
	bool answered[256];
	bool listed[256];
	bool events[256];
	unsigned int wrong;
	char first[128];
};

/* Of one datagram. */
void wire_look(struct wire *w, const void *data, size_t length);

/*
 * From now on each datagram that the tool's library receives is looked at, and
 * @before is called before it sends one; NULL, NULL: no longer.
 */
void wire_tap(struct wire *w, void (*before)(void));

#endif
