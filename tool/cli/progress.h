/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the longest line, with the terminating NUL. */
#define KV_PROGRESS_LINE 256

/**
 * struct kv_progress - a bar on stderr, if that is a terminal
 * @on: stderr is a terminal
 * @steps: how many steps there are, of about the same length
 * @done: how many of them are done
 * @label: the name of the present step
 * @round: round of the present step, from 1 on; 0: the step has no rounds
 * @rounds: how many rounds are planned
 * @start_ns: when the first step began, CLOCK_MONOTONIC
 * @drawn_ns: when the bar was last drawn; 0: it is not on the screen
 */
struct kv_progress {
	bool on;
	unsigned int steps;
	unsigned int done;
	char label[64];
	unsigned int round;
	unsigned int rounds;
	uint64_t start_ns;
	uint64_t drawn_ns;
};

void kv_progress_start(struct kv_progress *p, unsigned int steps);
void kv_progress_step(struct kv_progress *p, const char *label);
void kv_progress_round(struct kv_progress *p, unsigned int round, unsigned int rounds);
void kv_progress_format(const struct kv_progress *p, double fraction, uint64_t now_ns,
			unsigned int columns, char line[KV_PROGRESS_LINE]);
void kv_progress_draw(struct kv_progress *p, double fraction);
void kv_progress_finish_step(struct kv_progress *p);
void kv_progress_erase(struct kv_progress *p);
