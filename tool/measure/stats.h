/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_STATS_H
#define KV_MEASURE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "loop/hist.h"

/*
 * All arithmetic on samples, for both spaces. Samples are in ticks of the
 * counter here; for printing they are multiplied by nanoseconds per tick.
 */

/* Fewer rounds than this give no interval of 95 %. */
#define KV_STATS_MIN_ROUNDS 6

/* Shares of the median: the most that is called equal, the least gap of two modes, the least turn. */
#define KV_STATS_EQUAL 0.05
#define KV_STATS_MODES_GAP 0.05
#define KV_STATS_TURN 0.01

/* A share of the time: more of it taken by the host, and there is no verdict. */
#define KV_STATS_STEAL 0.05

/* Packets sent again for each sample: with more in one series and ten times fewer in the other there is no verdict. */
#define KV_STATS_RESENT 0.01

/**
 * struct kv_interval - a difference with its intervals, in ticks
 * @value: the estimate; NAN if there is none
 * @low: lower end of the 95 % interval; @value if not @valid
 * @high: upper end
 * @near_low: lower end of the 90 % interval; NAN if not @valid
 * @near_high: upper end
 * @valid: false if there is no interval: fewer than KV_STATS_MIN_ROUNDS rounds, or no memory
 * @median: the larger one of the two series' medians; NAN if there is no @value
 */
struct kv_interval {
	double value;
	double low;
	double high;
	double near_low;
	double near_high;
	bool valid;
	double median;
};

/**
 * struct kv_rounds - two series that were measured in the same rounds
 * @a: the median of each round of the one, ticks
 * @b: of the other
 * @rounds: how many
 * @resent: packets that were lost, late or sent again while each of them was measured, for each
 *	sample
 * @steal: share of the time that the host has taken from this guest, 0 .. 1
 */
struct kv_rounds {
	const double *a;
	const double *b;
	unsigned int rounds;
	double resent[2];
	double steal;
};

/* The meaning of a difference a - b. */
enum kv_verdict {
	KV_VERDICT_UNDECIDED,
	KV_VERDICT_EQUAL,
	KV_VERDICT_A_LESS,
	KV_VERDICT_B_LESS,
};

/* Why it says nothing. */
enum kv_doubt {
	KV_DOUBT_NONE,
	KV_DOUBT_FEW, /* rounds */
	KV_DOUBT_WIDE, /* neither is less, and they may differ by more than KV_STATS_EQUAL */
	KV_DOUBT_STEAL,
	KV_DOUBT_RESENT, /* on one series, and hardly any on the other */
	KV_DOUBT_TURNED, /* the first third says the opposite of the last third */
	KV_DOUBT_MODES, /* of a series, and the difference is not much more than theirs */
};

/* Two groups of rounds: the median of each, ticks, and how many it has. */
struct kv_modes {
	double median[2];
	unsigned int rounds[2];
};

/**
 * struct kv_judgement - see kv_stats_judge()
 * @verdict: the result
 * @doubt: why nothing is
 * @within: they are equal within this share of the median; NAN if there is no interval
 * @first: difference in the first third of the rounds, of KV_DOUBT_TURNED
 * @last: in the last third
 * @series: 0: a, 1: b; of KV_DOUBT_MODES
 * @modes: of that side
 */
struct kv_judgement {
	enum kv_verdict verdict;
	enum kv_doubt doubt;
	double within;
	double first;
	double last;
	unsigned int series;
	struct kv_modes modes;
};

uint64_t kv_stats_count(const struct kv_hist *h);
void kv_stats_merge(struct kv_hist *into, const struct kv_hist *from);
unsigned int kv_stats_mode(const struct kv_hist *h);
double kv_stats_mean(const struct kv_hist *h);
bool kv_stats_supports(uint64_t count, double q);
double kv_stats_quantile(const struct kv_hist *h, double q);
double kv_stats_median(const double *value, unsigned int n);

struct kv_interval kv_stats_shift(const double *a, const double *b, unsigned int n);
bool kv_stats_find_modes(const double *median, unsigned int n, struct kv_modes *modes);
struct kv_judgement kv_stats_judge(const struct kv_rounds *s, const struct kv_interval *i);
void kv_stats_shuffle(uint64_t *state, unsigned int *order, unsigned int n);

#endif
