// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "now.h"
#include "progress.h"

#define WIDTH 30

/* A bar that changes faster is not easier to read, and costs the CPU's time. */
#define INTERVAL_NS 200000000

/**
 * kv_progress_start() - begin to show progress
 * @p: receives the bar's state
 * @steps: how many steps there will be
 */
void kv_progress_start(struct kv_progress *p, unsigned int steps)
{
	memset(p, 0, sizeof(*p));
	p->on = isatty(STDERR_FILENO);
	p->steps = steps;
	p->start_ns = kv_now_ns();
}

/**
 * kv_progress_step() - a step begins
 * @p: the bar
 * @label: what it does
 */
void kv_progress_step(struct kv_progress *p, const char *label)
{
	snprintf(p->label, sizeof(p->label), "%s", label);
	p->round = 0;
	kv_progress_draw(p, 0);
}

/**
 * kv_progress_round() - a round of the present step begins
 * @p: the bar
 * @round: which, from 1 on; may be more than @rounds
 * @rounds: how many are planned
 */
void kv_progress_round(struct kv_progress *p, unsigned int round, unsigned int rounds)
{
	p->round = round;
	p->rounds = round > rounds ? round : rounds;
	kv_progress_draw(p, (double)(round - 1) / rounds);
}

/**
 * kv_progress_draw() - show how far the present step is
 * @p: the bar
 * @fraction: of the step, 0 .. 1
 *
 * Draws nothing if it did so a moment ago: call it as often as you like, but
 * not while samples are taken.
 */
void kv_progress_draw(struct kv_progress *p, double fraction)
{
	uint64_t now = kv_now_ns();
	char bar[WIDTH + 1];
	double all;
	int full;

	if (!p->on || !p->steps ||
	    (p->drawn_ns && now - p->drawn_ns < INTERVAL_NS))
		return;
	fraction = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
	all = (p->done + fraction) / p->steps;
	full = (int)(all * WIDTH);
	memset(bar, '.', WIDTH);
	memset(bar, '#', (size_t)(full < WIDTH ? full : WIDTH));
	bar[WIDTH] = '\0';
	fprintf(stderr, "\r[%s] %u/%u %s", bar, p->done + 1, p->steps,
		p->label);
	if (p->round)
		fprintf(stderr, ", round %u/%u", p->round, p->rounds);
	if (all > 0.01)
		fprintf(stderr, ", %.0f s left",
			(double)(now - p->start_ns) / 1e9 * (1 - all) / all);
	/* Clear the rest of the line: what was there may have been longer. */
	fputs("\033[K", stderr);
	fflush(stderr);
	p->drawn_ns = now;
}

/**
 * kv_progress_finish_step() - the present step is done
 * @p: the bar
 */
void kv_progress_finish_step(struct kv_progress *p)
{
	if (p->done < p->steps)
		p->done++;
}

/**
 * kv_progress_erase() - take the bar off the screen
 * @p: the bar; it comes back when it is drawn again
 */
void kv_progress_erase(struct kv_progress *p)
{
	if (!p->drawn_ns)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	p->drawn_ns = 0;
}
