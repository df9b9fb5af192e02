// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/columns.h"
#include "cli/progress.h"
#include "sys/now.h"

/* Width of the bar in columns; a bar below the minimum is not drawn. */
#define WIDTH 30
#define WIDTH_MIN 4

/* Faster changes of the bar cost CPU time and do not make it easier to read. */
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
	p->step_ns = p->start_ns;
}

/** kv_progress_step() - a step begins */
void kv_progress_step(struct kv_progress *p, const char *label)
{
	snprintf(p->label, sizeof(p->label), "%s", label);
	p->round = 0;
	p->step_ns = kv_now_ns();
	kv_progress_draw(p, 0);
}

/**
 * kv_progress_round() - a round of the present step begins
 * @round: number of the round, from 1 on
 * @rounds: how many rounds there will be, as far as one knows; @round at least
 */
void kv_progress_round(struct kv_progress *p, unsigned int round, unsigned int rounds)
{
	p->round = round;
	p->rounds = rounds;
	kv_progress_draw(p, (double)(round - 1) / rounds);
}

/*
 * Seconds: the rest of the present step at its own pace, and for each further step the mean of
 * those so far. -1: the present step is slower than those before, and nobody knows its pace.
 */
static double seconds_left(const struct kv_progress *p, double fraction, uint64_t now_ns)
{
	double before = (double)(p->step_ns - p->start_ns) / 1e9;
	double spent = (double)(now_ns - p->step_ns) / 1e9;
	double whole = fraction > 0.01 ? spent / fraction : p->done ? before / p->done : 0;

	return whole > spent || fraction >= 1 ?
		whole - spent + (p->steps - p->done - 1) * (before + whole) / (p->done + 1) : -1;
}

/**
 * kv_progress_format() - write the line that is drawn
 * @fraction: the finished part of the present step, 0 .. 1
 * @now_ns: CLOCK_MONOTONIC
 * @columns: width of the terminal, 1 or more
 * @line: receives the line, which leaves the last column free: a cursor there would wrap
 *
 * If the line is too long, the bar becomes shorter; the text is cut only if there is no bar left.
 */
void kv_progress_format(const struct kv_progress *p, double fraction, uint64_t now_ns,
			unsigned int columns, char line[KV_PROGRESS_LINE])
{
	double all = (p->done + fraction) / p->steps, left = seconds_left(p, fraction, now_ns);
	char bar[WIDTH + 1], text[KV_PROGRESS_LINE - WIDTH - 4];
	int room, full, n;

	n = snprintf(text, sizeof(text), "%u/%u %s", p->done + 1, p->steps, p->label);
	if (p->round)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", round %u/%u",
			      p->round, p->rounds);
	if (left >= 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", %.0f s left", left);
	/* "[", "] " and the free column. */
	room = (int)columns - n - 4;
	if (room < WIDTH_MIN) {
		snprintf(line, KV_PROGRESS_LINE, "%.*s", (int)columns - 1, text);
		return;
	}
	room = room < WIDTH ? room : WIDTH;
	full = (int)(all * room);
	memset(bar, '.', (size_t)room);
	memset(bar, '#', (size_t)(full < room ? full : room));
	bar[room] = '\0';
	snprintf(line, KV_PROGRESS_LINE, "[%s] %s", bar, text);
}

/**
 * kv_progress_draw() - show how far the present step is
 * @fraction: the finished part of the step, 0 .. 1
 *
 * Draws nothing if the last drawing is less than 200 ms old: it may be called often,
 * but not while samples are taken.
 */
void kv_progress_draw(struct kv_progress *p, double fraction)
{
	uint64_t now = kv_now_ns();
	char line[KV_PROGRESS_LINE];

	if (!p->on || !p->steps || (p->drawn_ns && now - p->drawn_ns < INTERVAL_NS))
		return;
	fraction = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
	kv_progress_format(p, fraction, now, kv_columns(STDERR_FILENO, KV_COLUMNS_DEFAULT), line);
	/* Clear the rest of the line: the old line may have been longer. */
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
	p->drawn_ns = now;
}

/** kv_progress_finish_step() - the present step is done */
void kv_progress_finish_step(struct kv_progress *p)
{
	if (p->done < p->steps)
		p->done++;
}

/**
 * kv_progress_erase() - remove the bar from the screen
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
