// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include "measure/stats.h"

/* Up to this many rounds the signed rank distribution is exact; for more it is approximated. */
#define EXACT_ROUNDS 60

/* Quantiles of the normal distribution. */
#define Z_950 1.644853626951473
#define Z_975 1.959963984540054

/* A gap between two modes is at least this many times as wide as either of them. */
#define MODES_SPREADS 4

/** kv_stats_count() - number of samples */
uint64_t kv_stats_count(const struct kv_hist *h)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < KV_HIST_BINS; i++)
		n += h->bin[i].count;
	return n;
}

/**
 * kv_stats_merge() - add one histogram's samples to another
 * @into: gets the samples; kv_hist_reset() made it empty at first
 * @from: has the samples to add
 */
void kv_stats_merge(struct kv_hist *into, const struct kv_hist *from)
{
	for (unsigned int i = 0; i < KV_HIST_BINS; i++) {
		const struct kv_hist_bin *b = &from->bin[i];
		struct kv_hist_bin *a = &into->bin[i];

		if (!b->count)
			continue;
		a->count += b->count;
		a->low = b->low < a->low ? b->low : a->low;
		a->high = b->high > a->high ? b->high : a->high;
	}
	into->sum += from->sum;
}

/* Less than a quarter of a bin, and more than the error of two calibrations of a counter. */
#define SAME_RATE (1.0 / 4096)

/* The value of a bin that is nearest to @v: its lower 32 bits. */
static uint32_t nearest_in(unsigned int bin, double v)
{
	uint64_t value = (uint64_t)fmin(v + 0.5, 0x1p63), low = kv_hist_low(bin);

	return (uint32_t)MAX(MIN(value, kv_hist_low(bin + 1) - 1), low);
}

/**
 * kv_stats_rescale() - multiply all samples
 * @h: the samples
 * @factor: more than 0; if it is 1 or nearly so, nothing is changed
 *
 * All samples of a bin go to one bin, so each is still known within the width of a bin.
 */
void kv_stats_rescale(struct kv_hist *h, double factor)
{
	static struct kv_hist scaled;

	if (fabs(factor - 1) < SAME_RATE)
		return;
	kv_hist_reset(&scaled);
	for (unsigned int i = 0; i < KV_HIST_BINS; i++) {
		double low = (double)kv_hist_bin_min(h, i) * factor;
		double high = (double)kv_hist_bin_max(h, i) * factor;
		struct kv_hist_bin *to;
		unsigned int bin;

		if (!h->bin[i].count)
			continue;
		bin = kv_hist_index((uint64_t)fmin((low + high + 1) / 2, 0x1p63));
		to = &scaled.bin[bin];
		to->count += h->bin[i].count;
		to->low = MIN(to->low, nearest_in(bin, low));
		to->high = MAX(to->high, nearest_in(bin, high));
	}
	scaled.sum = (uint64_t)((double)h->sum * factor);
	*h = scaled;
}

/**
 * kv_stats_mode() - the bin with the most samples
 *
 * Return: the bin, the lowest one if several have the most; 0 if there is no sample.
 */
unsigned int kv_stats_mode(const struct kv_hist *h)
{
	unsigned int mode = 0;

	for (unsigned int i = 1; i < KV_HIST_BINS; i++)
		mode = h->bin[i].count > h->bin[mode].count ? i : mode;
	return mode;
}

/**
 * kv_stats_mean() - arithmetic mean, from the exact sum
 *
 * Return: ticks; NAN if there is no sample.
 */
double kv_stats_mean(const struct kv_hist *h)
{
	uint64_t n = kv_stats_count(h);

	return n ? (double)h->sum / (double)n : NAN;
}

/**
 * kv_stats_stddev() - standard deviation
 *
 * Each sample counts as the middle of its bin's extremes: that is its value to 0.05 %.
 *
 * Return: ticks; NAN with fewer than two samples.
 */
double kv_stats_stddev(const struct kv_hist *h)
{
	uint64_t n = kv_stats_count(h);
	double mean = kv_stats_mean(h), squares = 0;

	for (unsigned int i = 0; i < KV_HIST_BINS; i++) {
		double low, high;

		if (!h->bin[i].count)
			continue;
		low = (double)kv_hist_bin_min(h, i) - mean;
		high = (double)kv_hist_bin_max(h, i) - mean;
		squares += (double)h->bin[i].count * (low + high) / 2 * (low + high) / 2;
	}
	return n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

/**
 * kv_stats_supports() - are there enough samples for a quantile?
 * @count: number of samples
 * @q: the quantile, 0 .. 1
 *
 * Ten samples must be on the quantile's side with fewer samples: so the median needs
 * 20, 0.99 needs 1000, and 0.999 needs 10 000. The ends 0 and 1 are never supported:
 * the smallest and the largest sample predict nothing about the next run.
 */
bool kv_stats_supports(uint64_t count, double q)
{
	double beyond = q < 0.5 ? q : 1 - q;

	/* 1 - 0.9 is a little less than 0.1. */
	return (double)count * beyond > 10 - 1e-6;
}

/* The value at a fraction of the way from a bin's smallest sample to its largest one. */
static double place(uint64_t low, uint64_t high, double fraction)
{
	return (double)low + fraction * (double)(high - low);
}

/**
 * kv_stats_quantile() - a quantile of the samples
 * @q: 0 .. 1
 *
 * The quantile is interpolated inside its bin, as if the bin's samples were spread evenly from
 * the smallest to the largest one. So the error is below a bin's width, 0.1 %. The quantile is
 * exact if all samples of the bin are equal; 0 and 1 are exact: the minimum and the maximum.
 *
 * Return: ticks; NAN if there is no sample.
 */
double kv_stats_quantile(const struct kv_hist *h, double q)
{
	double rank = q * (double)kv_stats_count(h);
	uint64_t before = 0;

	for (unsigned int i = 0; i < KV_HIST_BINS; i++) {
		uint64_t n = h->bin[i].count;

		if (n && (double)(before + n) >= rank)
			return place(kv_hist_bin_min(h, i), kv_hist_bin_max(h, i),
				     (rank - (double)before) / (double)n);
		before += n;
	}
	return NAN;
}

/* A cumulative distribution has so many steps at most: enough for a plot. */
#define STEPS 1000

/**
 * kv_stats_step() - the next step of the cumulative distribution
 * @all: kv_stats_count()
 * @step: the step before; receives the next one
 *
 * There is a step wherever the share of the samples has grown by a thousandth, and at the last bin
 * that is not empty.
 *
 * Return: false if there is none.
 */
bool kv_stats_step(const struct kv_hist *h, uint64_t all, struct kv_step *step)
{
	uint64_t told = step->samples;

	while (step->bins < KV_HIST_BINS && step->samples < all) {
		step->samples += h->bin[step->bins++].count;
		if ((step->samples - told) * STEPS < all && step->samples < all)
			continue;
		step->ticks = kv_hist_bin_max(h, step->bins - 1);
		return true;
	}
	return false;
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* A copy in ascending order, which the caller frees; NULL without memory. */
static double *sort_copy(const double *value, unsigned int n)
{
	double *sorted = calloc(n, sizeof(*sorted));

	if (!sorted)
		return NULL;
	memcpy(sorted, value, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	return sorted;
}

/**
 * kv_stats_median() - the median of a few values that are known one by one
 *
 * Return: the median, between the middle two if there are two; NAN if there is no value, or no
 * memory.
 */
double kv_stats_median(const double *value, unsigned int n)
{
	double *sorted = n ? sort_copy(value, n) : NULL;
	double v = sorted ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : NAN;

	free(sorted);
	return v;
}

/**
 * kv_stats_load() - count what the CPUs did during a block
 * @l: the load; zeros at first
 * @before: the CPUs' time before the block
 * @after: the same after it
 * @operations: that were completed in between
 */
void kv_stats_load(struct kv_load *l, const struct kv_cpu_time *before,
		   const struct kv_cpu_time *after, uint64_t operations)
{
	l->busy_ns += (double)(after->all_ns - before->all_ns) -
		      (double)(after->idle_ns - before->idle_ns) -
		      (double)(after->stolen_ns - before->stolen_ns);
	l->blocks++;
	l->operations += operations;
}

/**
 * kv_stats_cpu() - the CPU time that the whole host spent on an operation
 *
 * Idle time comes in whole ticks. The part that is cut off is evenly distributed, and the
 * difference of two readings has a variance of a sixth of a squared tick. The sum over all blocks
 * must be known within KV_STATS_CPU, with a confidence of 95 %.
 *
 * Return: nanoseconds; NAN if the CPUs were busy for too short a time.
 */
double kv_stats_cpu(const struct kv_load *l)
{
	double error_ns = Z_975 * sqrt(l->blocks / 6.0) * KV_CPU_TICK_NS;

	return l->operations && error_ns <= KV_STATS_CPU * l->busy_ns ?
	       l->busy_ns / (double)l->operations : NAN;
}

/**
 * kv_stats_steal() - the share of time that the host has taken from this machine's CPUs
 * @before: the CPUs' time at the start
 * @after: the same at the end
 *
 * Return: 0 .. 1. Always 0 if the hypervisor does not report it, such as QEMU without KVM.
 */
double kv_stats_steal(const struct kv_cpu_time *before, const struct kv_cpu_time *after)
{
	return after->all_ns > before->all_ns ? (double)(after->stolen_ns - before->stolen_ns) /
						(double)(after->all_ns - before->all_ns) : 0;
}

/*
 * How many of the Walsh averages an interval leaves out at each end: the largest k with
 * P(T <= k) <= @tail, where T is Wilcoxon's signed rank statistic of @n values; -1: even the
 * whole range does not reach the level.
 */
static long cut_of(unsigned int n, double tail)
{
	unsigned int max = n * (n + 1) / 2;
	double *p, below = 0;
	long k = -1;

	if (n > EXACT_ROUNDS) {
		double sd = sqrt((double)n * (n + 1) * (2.0 * n + 1) / 24);

		return (long)floor(max / 2.0 - sd * (tail < 0.03 ? Z_975 : Z_950) - 0.5);
	}
	p = calloc(max + 1, sizeof(*p));
	if (!p)
		return -1;
	/* Each rank is in the sum with a probability of one half. */
	p[0] = 1;
	for (unsigned int i = 1; i <= n; i++) {
		for (unsigned int t = max + 1; t--;)
			p[t] = p[t] / 2 + (t >= i ? p[t - i] / 2 : 0);
	}
	while (k < (long)max && below + p[k + 1] <= tail)
		below += p[++k];
	free(p);
	return k;
}

/* The means of all pairs of values, each value paired with itself too, in ascending order. */
static double *make_walsh(const double *d, unsigned int n)
{
	size_t m = 0;
	double *w = calloc((size_t)n * (n + 1) / 2, sizeof(*w));

	if (!w)
		return NULL;
	for (unsigned int i = 0; i < n; i++) {
		for (unsigned int k = i; k < n; k++)
			w[m++] = (d[i] + d[k]) / 2;
	}
	qsort(w, m, sizeof(*w), compare);
	return w;
}

/**
 * kv_stats_shift() - how far apart two series are, with a 95 % interval
 * @a: the median of each round of one series
 * @b: the same of the other series; @b[i] was measured in the same round as @a[i]
 * @n: how many rounds
 *
 * The unit is the round: each round has fresh connections, and connections of one kind differ
 * by more than blocks of one connection. The estimate is that of Hodges and Lehmann, the median
 * of the Walsh averages of the differences a - b. The intervals are those of Wilcoxon's signed
 * rank test with its exact distribution (Hollander and Wolfe, Nonparametric Statistical
 * Methods, 1999, 3.1 to 3.3). They assume that deviations of a - b from its median are equally
 * likely in both directions, which holds for two series of one kind; they assume nothing else
 * about the distribution. The population is the rounds of this boot.
 *
 * Fewer than KV_STATS_MIN_ROUNDS rounds give the estimate alone.
 *
 * Return: the interval, see struct kv_interval.
 */
struct kv_interval kv_stats_shift(const double *a, const double *b, unsigned int n)
{
	struct kv_interval out = { NAN, NAN, NAN, NAN, NAN, false, NAN };
	double *d = calloc(n, sizeof(*d)), *w = NULL;
	long m = (long)n * (n + 1) / 2, far, near;

	if (!d || !n)
		goto out_free;
	for (unsigned int i = 0; i < n; i++)
		d[i] = a[i] - b[i];
	w = make_walsh(d, n);
	if (!w)
		goto out_free;
	out.value = (w[(m - 1) / 2] + w[m / 2]) / 2;
	out.median = fmax(kv_stats_median(a, n), kv_stats_median(b, n));
	out.low = out.value;
	out.high = out.value;
	far = cut_of(n, 0.025);
	near = cut_of(n, 0.05);
	if (n < KV_STATS_MIN_ROUNDS || far < 0 || isnan(out.value))
		goto out_free;
	out.low = w[far];
	out.high = w[m - 1 - far];
	out.near_low = w[near];
	out.near_high = w[m - 1 - near];
	out.valid = true;
out_free:
	free(w);
	free(d);
	return out;
}

/**
 * kv_stats_center() - what a series is, with its intervals
 * @v: its figure in each round
 *
 * Return: how far it is from nothing, see kv_stats_shift().
 */
struct kv_interval kv_stats_center(const double *v, unsigned int n)
{
	double *nothing = calloc((size_t)n + 1, sizeof(*nothing));
	struct kv_interval out = kv_stats_shift(v, nothing, nothing ? n : 0);

	free(nothing);
	return out;
}

/**
 * kv_stats_known() - is the size in memory of an object known?
 * @i: its interval, bytes
 * @count: how many objects were made; memory has grown by so many of them
 */
enum kv_known kv_stats_known(const struct kv_interval *i, uint64_t count)
{
	if (!i->valid)
		return KV_KNOWN_FEW;
	if (!(i->value * (double)count >= KV_STATS_GROWTH))
		return KV_KNOWN_LITTLE;
	return (i->high - i->low) / 2 > KV_STATS_MEMORY * i->value ? KV_KNOWN_WIDE : KV_KNOWN;
}

/**
 * kv_stats_knee() - where does a rate come near the best one?
 * @rate: of each size, in ascending order of the sizes; NAN: unknown
 * @n: how many
 * @share: of the best one
 *
 * Return: index of the first rate that is at least that share of the largest one; -1 if the
 * smallest size has it, if a smaller size is unknown, or if there are fewer than
 * KV_STATS_KNEE_SIZES sizes: then no knee was seen.
 */
int kv_stats_knee(const double *rate, unsigned int n, double share)
{
	double best = 0;

	for (unsigned int i = 0; i < n; i++)
		best = fmax(best, rate[i]);
	for (unsigned int i = 0; i < n && n >= KV_STATS_KNEE_SIZES && !isnan(rate[i]); i++)
		if (rate[i] >= share * best)
			return i ? (int)i : -1;
	return -1;
}

/**
 * kv_stats_all_to_all() - how many QPs has a node where each process is connected to each of the
 *	other nodes?
 */
struct kv_all_to_all kv_stats_all_to_all(uint64_t nodes, uint64_t processes)
{
	const uint64_t each = (nodes - 1) * processes;

	return (struct kv_all_to_all){ .process_qps = each, .node_qps = each * processes };
}

/**
 * kv_stats_find_modes() - do the rounds of a series fall into two groups?
 * @median: the median of each round
 * @n: how many rounds
 * @modes: receives the groups if there are two
 *
 * There are two groups if two or more rounds are on each side of a gap that is several times as
 * wide as either group, and wider than KV_STATS_MODES_GAP of the median.
 */
bool kv_stats_find_modes(const double *median, unsigned int n, struct kv_modes *modes)
{
	double *v = sort_copy(median, n);
	unsigned int at = 0;
	bool found = false;

	if (!v)
		return false;
	for (unsigned int i = 2; i + 2 <= n; i++) {
		if (!at || v[i] - v[i - 1] > v[at] - v[at - 1])
			at = i;
	}
	if (at) {
		double gap = v[at] - v[at - 1];
		double spread = fmax(v[at - 1] - v[0], v[n - 1] - v[at]);

		found = gap > MODES_SPREADS * spread && gap > KV_STATS_MODES_GAP * v[n / 2];
		modes->rounds[0] = at;
		modes->rounds[1] = n - at;
		modes->median[0] = kv_stats_median(v, at);
		modes->median[1] = kv_stats_median(v + at, n - at);
	}
	free(v);
	return found;
}

/* Are the first and the last third's differences apart, with medians of opposite sign? */
static bool has_turned(const struct kv_rounds *s, struct kv_judgement *j, double median)
{
	unsigned int third = s->rounds / 3, rest = s->rounds - third;
	double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
	double *d = calloc(s->rounds, sizeof(*d));
	bool turned = false;

	if (!d || third < 2)
		goto out_free;
	for (unsigned int i = 0; i < s->rounds; i++) {
		unsigned int last = i >= rest;

		d[i] = s->a[i] - s->b[i];
		if (i >= third && !last)
			continue;
		low[last] = fmin(low[last], d[i]);
		high[last] = fmax(high[last], d[i]);
	}
	j->first = kv_stats_median(d, third);
	j->last = kv_stats_median(d + rest, third);
	turned = j->first * j->last < 0 && (high[0] < low[1] || high[1] < low[0]) &&
		 fmin(fabs(j->first), fabs(j->last)) > KV_STATS_TURN * median;
out_free:
	free(d);
	return turned;
}

static enum kv_doubt find_doubt(const struct kv_rounds *s, const struct kv_interval *i,
				struct kv_judgement *j)
{
	if (!i->valid)
		return KV_DOUBT_FEW;
	if (s->steal > KV_STATS_STEAL)
		return KV_DOUBT_STEAL;
	/* A few do not move a median, and about as many in both series cause no difference. */
	if (fmax(s->resent[0], s->resent[1]) > KV_STATS_RESENT &&
	    fmin(s->resent[0], s->resent[1]) < fmax(s->resent[0], s->resent[1]) / 10)
		return KV_DOUBT_RESENT;
	if (has_turned(s, j, i->median))
		return KV_DOUBT_TURNED;
	for (j->series = 0; j->series < 2; j->series++) {
		if (kv_stats_find_modes(j->series ? s->b : s->a, s->rounds, &j->modes) &&
		    j->modes.median[1] - j->modes.median[0] > fabs(i->value) / 2)
			return KV_DOUBT_MODES;
	}
	return KV_DOUBT_NONE;
}

/**
 * kv_stats_judge() - judge the difference of two series
 * @i: their difference, kv_stats_shift() of them
 *
 * One series is less if 0 is not in the 95 % interval. Otherwise the two are equal within a
 * share of the median, the smallest for which two one-sided tests of 5 % show it: the larger end
 * of the 90 % interval (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
 * The verdict is "equal" only if that share is KV_STATS_EQUAL at most.
 *
 * Return: the verdict, or why there is none.
 */
struct kv_judgement kv_stats_judge(const struct kv_rounds *s, const struct kv_interval *i)
{
	struct kv_judgement j = { .verdict = KV_VERDICT_UNDECIDED };

	j.doubt = find_doubt(s, i, &j);
	j.within = fmax(fabs(i->near_low), fabs(i->near_high)) / i->median;
	if (j.doubt)
		return j;
	if (i->high < 0)
		j.verdict = KV_VERDICT_A_LESS;
	else if (i->low > 0)
		j.verdict = KV_VERDICT_B_LESS;
	else if (j.within <= KV_STATS_EQUAL)
		j.verdict = KV_VERDICT_EQUAL;
	else
		j.doubt = KV_DOUBT_WIDE;
	return j;
}

/**
 * kv_stats_rounds() - how many rounds will a point have?
 * @planned: how many it is to have
 * @time_ns: how long it is to take, 1 or more
 * @rounds: how many it has, 1 or more
 * @samples: of its series with the fewest
 * @spent_ns: how long these rounds took
 *
 * There are more than planned if a p99 needs more samples, and fewer if the planned ones would take
 * longer than KV_STATS_STRETCH allows. An interval gets the rounds that it needs in any case.
 *
 * Return: an estimate; if it is not above @rounds, the point is done.
 */
unsigned int kv_stats_rounds(unsigned int planned, uint64_t time_ns, unsigned int rounds,
			     uint64_t samples, uint64_t spent_ns)
{
	double limit_ns = KV_STATS_STRETCH * (double)time_ns, spent = (double)spent_ns;
	double wanted = planned, possible = rounds;

	if (samples < KV_STATS_SAMPLES)
		wanted = fmax(wanted, ceil(KV_STATS_SAMPLES / fmax((double)samples, 1) * rounds));
	if (spent <= limit_ns)
		possible = floor(rounds * limit_ns / fmax(spent, 1)) + 1;
	return (unsigned int)fmin(wanted, fmax(possible, fmin(planned, KV_STATS_MIN_ROUNDS)));
}

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/**
 * kv_stats_shuffle() - a random order (Fisher and Yates)
 * @state: state of the random numbers, updated; the same initial value gives the same orders
 * @order: receives 0 .. @n - 1
 */
void kv_stats_shuffle(uint64_t *state, unsigned int *order, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		unsigned int k = (unsigned int)((draw(state) >> 32) * (i + 1) >> 32);

		order[i] = order[k];
		order[k] = i;
	}
}
