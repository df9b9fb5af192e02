// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include "stats.h"

/* One less than a round number: then the percentiles fall on resamples. */
#define RESAMPLES 3999

/* Any constant will do; that it never changes makes the intervals repeatable. */
#define SEED 0x6b76657262730001ULL

/* The 0.975 quantile of the normal distribution. */
#define Z_975 1.959963984540054

/**
 * kv_stats_count() - number of samples
 * @h: the histogram
 *
 * Return: the number.
 */
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
 * @from: has them
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

/**
 * kv_stats_mean() - arithmetic mean, from the exact sum
 * @h: the histogram
 *
 * Return: ticks; NAN if there is no sample.
 */
double kv_stats_mean(const struct kv_hist *h)
{
	uint64_t n = kv_stats_count(h);

	return n ? (double)h->sum / (double)n : NAN;
}

/**
 * kv_stats_supports() - are there enough samples to speak of a quantile?
 * @count: number of samples
 * @q: the quantile, 0 .. 1
 *
 * Ten samples have to lie beyond it, on its thinner side: 20 for the median,
 * 1000 for 0.99, 10 000 for 0.999. The ends 0 and 1 are never supported: they
 * are the smallest and the largest sample, and say nothing about the next run.
 *
 * Return: true if there are enough.
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
 * @h: the histogram
 * @q: 0 .. 1
 *
 * Interpolated inside its bin, as if the bin's samples were spread evenly from the smallest
 * to the largest one. So the error is below a bin's width, 0.1 %; where all samples of the
 * bin are one value it is exact, as 0 and 1 are: min and max.
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

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/**
 * kv_stats_median() - the median of a few values that are known one by one
 * @value: the values; sorted afterwards
 * @n: how many
 *
 * Return: the median, between the middle two if there are two; NAN if there is no
 * value.
 */
double kv_stats_median(uint64_t *value, size_t n)
{
	if (!n)
		return NAN;
	qsort(value, n, sizeof(*value), compare_u64);
	if (n % 2)
		return (double)value[n / 2];
	return ((double)value[n / 2 - 1] + (double)value[n / 2]) / 2;
}

/*
 * The blocks of one side, made so that the median of any choice of them is
 * found by halving: bins that no block uses are left out, the counts are summed
 * up from the lowest bin on.
 */
struct side {
	unsigned int blocks;
	unsigned int bins;
	/* Which bin of the histogram each of ours is, and what lies in it. */
	unsigned int index[KV_HIST_BINS];
	uint64_t low[KV_HIST_BINS];
	uint64_t high[KV_HIST_BINS];
	/* [bin * blocks + block]: its samples in this bin and below. */
	uint64_t *upto;
};

static void free_side(struct side *s)
{
	if (s)
		free(s->upto);
	free(s);
}

static struct side *alloc_side(const struct kv_hist *const *h,
			       unsigned int blocks)
{
	struct side *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->blocks = blocks;
	for (unsigned int i = 0; i < KV_HIST_BINS; i++) {
		uint64_t low = UINT64_MAX, high = 0;

		for (unsigned int k = 0; k < blocks; k++) {
			if (!h[k]->bin[i].count)
				continue;
			low = kv_hist_bin_min(h[k], i) < low ? kv_hist_bin_min(h[k], i) : low;
			high = kv_hist_bin_max(h[k], i) > high ? kv_hist_bin_max(h[k], i) : high;
		}
		if (low > high)
			continue;
		s->low[s->bins] = low;
		s->high[s->bins] = high;
		s->index[s->bins++] = i;
	}
	s->upto = calloc((size_t)s->bins * blocks, sizeof(*s->upto));
	if (!s->upto) {
		free_side(s);
		return NULL;
	}
	for (unsigned int k = 0; k < blocks; k++) {
		uint64_t n = 0;

		for (unsigned int i = 0; i < s->bins; i++) {
			n += h[k]->bin[s->index[i]].count;
			s->upto[(size_t)i * blocks + k] = n;
		}
	}
	return s;
}

/* Samples of the chosen blocks in a bin and below. */
static uint64_t count_upto(const struct side *s, const unsigned int *choice,
			   unsigned int bin)
{
	const uint64_t *upto = s->upto + (size_t)bin * s->blocks;
	uint64_t n = 0;

	for (unsigned int k = 0; k < s->blocks; k++)
		n += upto[choice[k]];
	return n;
}

/* What kv_stats_quantile() says of the chosen blocks merged, for 0.5. */
static double find_median(const struct side *s, const unsigned int *choice)
{
	unsigned int low = 0, high = s->bins - 1;
	double half = 0.5 * (double)count_upto(s, choice, high);
	uint64_t before, n;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if ((double)count_upto(s, choice, mid) >= half)
			high = mid;
		else
			low = mid + 1;
	}
	before = low ? count_upto(s, choice, low - 1) : 0;
	n = count_upto(s, choice, low) - before;
	return place(s->low[low], s->high[low], (half - (double)before) / (double)n);
}

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* How much of the resamples to leave off at each end, see kv_stats_median_diff(). */
static double tail(unsigned int pairs)
{
	double z = Z_975, d = pairs - 1;
	/* Student's t for d degrees of freedom: Abramowitz and Stegun 26.7.5. */
	double t = z + (pow(z, 3) + z) / (4 * d) +
		   (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * d * d) +
		   (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) /
			   (384 * d * d * d);

	return 0.5 * erfc(sqrt(pairs / d) * t / sqrt(2));
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static void bootstrap(const struct side *a, const struct side *b,
		      unsigned int *choice, struct kv_interval *out)
{
	double diff[RESAMPLES];
	uint64_t state = SEED;
	unsigned int cut;

	for (unsigned int i = 0; i < RESAMPLES; i++) {
		/* One choice for both sides: a block stays with its neighbour. */
		for (unsigned int k = 0; k < a->blocks; k++)
			choice[k] = (draw(&state) >> 32) * a->blocks >> 32;
		diff[i] = find_median(a, choice) - find_median(b, choice);
	}
	qsort(diff, RESAMPLES, sizeof(diff[0]), compare);
	cut = (unsigned int)(tail(a->blocks) * (RESAMPLES + 1));
	cut = cut ? cut - 1 : 0;
	out->low = diff[cut];
	out->high = diff[RESAMPLES - 1 - cut];
	out->valid = true;
}

/* Is there an empty block? Then some resample would have no median. */
static bool any_empty(const struct side *s)
{
	for (unsigned int k = 0; k < s->blocks; k++) {
		if (!s->upto[(size_t)(s->bins - 1) * s->blocks + k])
			return true;
	}
	return false;
}

/**
 * kv_stats_median_diff() - difference of two medians, with a 95 % interval
 * @a: @pairs histograms, the blocks of one side in the order of measurement
 * @b: as many of the other side; @b[i] was measured next to @a[i]
 * @pairs: how many
 *
 * The estimate is median(a) - median(b), each of all its blocks merged. The
 * interval is a bootstrap (Efron and Tibshirani, An Introduction to the
 * Bootstrap, 1993, chapter 13) of 3999 resamples whose unit is the pair of
 * neighbouring blocks: blocks that were measured one after the other share the
 * state of the machine, and the samples of one block are anything but
 * independent. Each resample draws as many pairs as there are, with
 * replacement, and takes the same estimate.
 *
 * The interval ends at percentiles of the resamples. The plain 2.5 and 97.5 %
 * would promise too much for few pairs (for 6, less than 90 % of such intervals
 * hold the truth), so it is expanded as Student's interval is: the percentile
 * is that of the normal distribution at -sqrt(n / (n - 1)) t (Hesterberg, What
 * Teachers Should Know about the Bootstrap, The American Statistician 69, 2015).
 * With many pairs the two are the same.
 *
 * Fewer than KV_STATS_MIN_PAIRS pairs give the estimate alone: so few blocks
 * can't show how much blocks differ.
 *
 * The random numbers start from a fixed seed: the same samples give the same
 * interval. It knows nothing of errors that all blocks share, such as the width
 * of the bins: a difference below 0.8 % of the medians may come from that.
 *
 * Return: the interval, see struct kv_interval.
 */
struct kv_interval kv_stats_median_diff(const struct kv_hist *const *a,
					const struct kv_hist *const *b,
					unsigned int pairs)
{
	struct kv_interval out = { NAN, NAN, NAN, false, NAN };
	struct side *sa = alloc_side(a, pairs);
	struct side *sb = alloc_side(b, pairs);
	unsigned int *choice = calloc(pairs, sizeof(*choice));
	double ma, mb;

	if (!sa || !sb || !choice || !sa->bins || !sb->bins)
		goto out_free;
	for (unsigned int k = 0; k < pairs; k++)
		choice[k] = k;
	ma = find_median(sa, choice);
	mb = find_median(sb, choice);
	out.value = ma - mb;
	out.median = fmax(ma, mb);
	out.low = out.value;
	out.high = out.value;
	if (pairs >= KV_STATS_MIN_PAIRS && !any_empty(sa) && !any_empty(sb))
		bootstrap(sa, sb, choice, &out);
out_free:
	free(choice);
	free_side(sb);
	free_side(sa);
	return out;
}

/**
 * kv_stats_compare() - differences between sides that were measured in turn
 * @block: of each side its blocks, @rounds of them; those with the same index were
 *	measured in the same round
 * @rounds: how many
 * @contrast: which sides to compare
 * @n: how many contrasts
 * @diff: [@n], receives median(a) - median(b) of each, see kv_stats_median_diff();
 *	without a value if there is no memory
 *
 * All of them draw the same rounds, so that they are differences of the same
 * resamples. Each interval is a 95 % interval by itself: that all of several hold
 * the truth is less certain than that one does.
 */
void kv_stats_compare(const struct kv_hist *const *block, unsigned int rounds,
		      const struct kv_contrast *contrast, unsigned int n,
		      struct kv_interval *diff)
{
	const struct kv_hist **list = calloc(2ULL * rounds, sizeof(*list));

	for (unsigned int i = 0; i < n; i++)
		diff[i] = (struct kv_interval){ NAN, NAN, NAN, false, NAN };
	for (unsigned int i = 0; i < n && list; i++) {
		for (unsigned int k = 0; k < rounds; k++) {
			list[k] = &block[contrast[i].a][k];
			list[rounds + k] = &block[contrast[i].b][k];
		}
		diff[i] = kv_stats_median_diff(list, list + rounds, rounds);
	}
	free(list);
}

/**
 * kv_stats_judge() - which one of two sides is less, if either is
 * @diff: the difference of their medians, a - b
 *
 * One is less if all of the interval lies beyond KV_STATS_FLOOR of the larger
 * median, on one side of 0: more than two connections of the same kind have.
 *
 * Return: enum kv_verdict; KV_VERDICT_UNKNOWN if there is no interval.
 */
enum kv_verdict kv_stats_judge(const struct kv_interval *diff)
{
	double floor = KV_STATS_FLOOR * diff->median;

	if (!diff->valid)
		return KV_VERDICT_UNKNOWN;
	if (diff->high < -floor)
		return KV_VERDICT_A_LESS;
	return diff->low > floor ? KV_VERDICT_B_LESS : KV_VERDICT_NEITHER;
}
