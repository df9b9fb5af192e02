/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the longest line, with the terminating NUL. */
#define KV_PROGRESS_LINE 256

/* A bar on stderr, if that is a terminal. */
struct kv_progress {
	bool on; /* stderr is a terminal */
	unsigned int steps; /* how many steps there are */
	unsigned int done; /* how many of them are done */
	char label[64]; /* the name of the present step */
	unsigned int round; /* round of the present step, from 1 on; 0: the step has no rounds */
	unsigned int rounds; /* how many rounds there will be */
	uint64_t start_ns; /* when the first step began, CLOCK_MONOTONIC */
	uint64_t step_ns; /* when the present step began */
	uint64_t drawn_ns; /* when the bar was last drawn; 0: it is not on the screen */
};

void kv_progress_start(struct kv_progress *p, unsigned int steps);
void kv_progress_step(struct kv_progress *p, const char *label);
void kv_progress_round(struct kv_progress *p, unsigned int round, unsigned int rounds);
void kv_progress_format(const struct kv_progress *p, double fraction, uint64_t now_ns,
			unsigned int columns, char line[KV_PROGRESS_LINE]);
void kv_progress_draw(struct kv_progress *p, double fraction);
void kv_progress_finish_step(struct kv_progress *p);
void kv_progress_erase(struct kv_progress *p);
