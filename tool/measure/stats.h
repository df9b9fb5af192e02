/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "loop/hist.h"
#include "sys/cpu.h"

/*
 * All arithmetic on samples, for both spaces. Samples are in ticks of the counter;
 * the printing functions multiply them by nanoseconds per tick.
 */

/* Fewer rounds than this give no interval of 95 %. */
#define KV_STATS_MIN_ROUNDS 6

/*
 * The samples that a p99 needs, and how many times its planned time a point may take to get them.
 * KV_STATS_MIN_ROUNDS rounds may take even longer.
 */
#define KV_STATS_SAMPLES 1000
#define KV_STATS_STRETCH 3

/* Shares of the median: largest difference called equal, smallest gap of modes, smallest turn. */
#define KV_STATS_EQUAL 0.05
#define KV_STATS_MODES_GAP 0.05
#define KV_STATS_TURN 0.01

/* If the host takes more than this share of the time, there is no verdict. */
#define KV_STATS_STEAL 0.05

/* Packets sent again per sample: if one series has more, and ten times the other, no verdict. */
#define KV_STATS_RESENT 0.01

/* A CPU time must be known within this share of it. */
#define KV_STATS_CPU 0.05

/*
 * A size in memory is known if it is the share of so many bytes: the kernel's allocators keep some
 * hundred KiB of freed objects, and give those first. Its interval must be within this share of it.
 */
#define KV_STATS_GROWTH (1 << 20)
#define KV_STATS_MEMORY 0.1

/*
 * The shares of the best rate at which a size is the knee of a sweep, and the fewest sizes of a
 * sweep that has one.
 */
#define KV_STATS_HALF 0.5
#define KV_STATS_NEARLY 0.9
#define KV_STATS_KNEE_SIZES 4

/* The time of the host's CPUs while blocks were measured. */
struct kv_load {
	double busy_ns; /* time of all CPUs that was neither idle nor stolen */
	unsigned int blocks; /* how often the CPUs' time was read before and after */
	uint64_t operations; /* completed meanwhile, those of warm-ups included */
};

/* A difference with its intervals, in ticks. */
struct kv_interval {
	double value; /* the estimate; NAN if there is none */
	double low; /* lower end of the 95 % interval; @value if not @valid */
	double high; /* upper end */
	double near_low; /* lower end of the 90 % interval; NAN if not @valid */
	double near_high; /* upper end */
	/* False if there is no interval: fewer than KV_STATS_MIN_ROUNDS rounds, or no memory. */
	bool valid;
	double median; /* the larger median of the two series; NAN if there is no @value */
};

/* Is a size in memory known? */
enum kv_known {
	KV_KNOWN,
	KV_KNOWN_FEW, /* no interval */
	KV_KNOWN_LITTLE, /* memory has grown by less than KV_STATS_GROWTH */
	KV_KNOWN_WIDE, /* the interval is wider than KV_STATS_MEMORY */
};

/* Connections of each process of a node with each process of all other nodes. */
struct kv_all_to_all {
	uint64_t process_qps;
	uint64_t node_qps;
};

/* Two series that were measured in the same rounds. */
struct kv_rounds {
	const double *a; /* the median of each round of one series, ticks */
	const double *b; /* the median of each round of the other series, ticks */
	unsigned int rounds; /* how many rounds */
	/*
	 * For each series, packets that were lost, late or sent again in its measurement, per
	 * sample.
	 */
	double resent[2];
	double steal; /* share of the time that the host has taken from this guest, 0 .. 1 */
};

/* The meaning of a difference a - b. */
enum kv_verdict {
	KV_VERDICT_UNDECIDED,
	KV_VERDICT_EQUAL,
	KV_VERDICT_A_LESS,
	KV_VERDICT_B_LESS,
};

/* The reason why there is no verdict. */
enum kv_doubt {
	KV_DOUBT_NONE,
	KV_DOUBT_FEW, /* rounds */
	KV_DOUBT_WIDE, /* neither is less, and they may differ by more than KV_STATS_EQUAL */
	KV_DOUBT_STEAL,
	KV_DOUBT_RESENT, /* packets of one series, and hardly any of the other */
	KV_DOUBT_TURNED, /* the first third says the opposite of the last third */
	KV_DOUBT_MODES, /* a series has two modes; the difference is not much more than theirs */
};

/* Two groups of rounds: the median of each, ticks, and its number of rounds. */
struct kv_modes {
	double median[2];
	unsigned int rounds[2];
};

/* See kv_stats_judge(). */
struct kv_judgement {
	enum kv_verdict verdict; /* the result */
	enum kv_doubt doubt; /* the reason why there is no verdict */
	/* The series are equal within this share of the median; NAN if there is no interval. */
	double within;
	double first; /* for KV_DOUBT_TURNED: difference in the first third of the rounds */
	double last; /* for KV_DOUBT_TURNED: difference in the last third */
	unsigned int series; /* for KV_DOUBT_MODES: 0: a, 1: b */
	struct kv_modes modes; /* for KV_DOUBT_MODES: the modes of that series */
};

/* A step of a cumulative distribution; zeros: in front of the first one. */
struct kv_step {
	unsigned int bins; /* bins that are counted in @samples */
	uint64_t samples; /* that are not larger than @ticks */
	uint64_t ticks;
};

uint64_t kv_stats_count(const struct kv_hist *h);
void kv_stats_merge(struct kv_hist *into, const struct kv_hist *from);
void kv_stats_rescale(struct kv_hist *h, double factor);
unsigned int kv_stats_mode(const struct kv_hist *h);
double kv_stats_mean(const struct kv_hist *h);
double kv_stats_stddev(const struct kv_hist *h);
bool kv_stats_supports(uint64_t count, double q);
double kv_stats_quantile(const struct kv_hist *h, double q);
bool kv_stats_step(const struct kv_hist *h, uint64_t all, struct kv_step *step);
double kv_stats_median(const double *value, unsigned int n);

void kv_stats_load(struct kv_load *l, const struct kv_cpu_time *before,
		   const struct kv_cpu_time *after, uint64_t operations);
double kv_stats_cpu(const struct kv_load *l);
double kv_stats_steal(const struct kv_cpu_time *before, const struct kv_cpu_time *after);

struct kv_interval kv_stats_shift(const double *a, const double *b, unsigned int n);
struct kv_interval kv_stats_center(const double *v, unsigned int n);
enum kv_known kv_stats_known(const struct kv_interval *i, uint64_t count);
int kv_stats_knee(const double *rate, unsigned int n, double share);
struct kv_all_to_all kv_stats_all_to_all(uint64_t nodes, uint64_t processes);
bool kv_stats_find_modes(const double *median, unsigned int n, struct kv_modes *modes);
struct kv_judgement kv_stats_judge(const struct kv_rounds *s, const struct kv_interval *i);
unsigned int kv_stats_rounds(unsigned int planned, uint64_t time_ns, unsigned int rounds,
			     uint64_t samples, uint64_t spent_ns);
void kv_stats_shuffle(uint64_t *state, unsigned int *order, unsigned int n);
