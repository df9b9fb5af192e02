// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "test.h"
#include "design.h"
#include "stats.h"

#define MAX_PAIRS 32

static struct kv_hist one, two, all;
static struct kv_hist block[2][MAX_PAIRS];
static const struct kv_hist *a[MAX_PAIRS], *b[MAX_PAIRS];

/* xorshift64: not the generator that is tested. */
static uint64_t seed;

static double draw_uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / (double)(1ULL << 53);
}

static double draw_normal(void)
{
	return sqrt(-2 * log(draw_uniform())) * cos(2 * M_PI * draw_uniform());
}

/* A latency as they are: a floor, and a tail above it. */
static uint64_t draw_latency(double floor)
{
	return (uint64_t)(floor - 400 * log(draw_uniform()));
}

static int reset(void **state)
{
	(void)state;
	seed = 88172645463325252ULL;
	kv_hist_reset(&one);
	kv_hist_reset(&two);
	kv_hist_reset(&all);
	for (unsigned int i = 0; i < MAX_PAIRS; i++) {
		a[i] = &block[0][i];
		b[i] = &block[1][i];
		kv_hist_reset(&block[0][i]);
		kv_hist_reset(&block[1][i]);
	}
	return 0;
}

/*
 * Blocks whose medians differ by @shift; what both blocks of a pair share (the
 * state of the machine) and what each has for itself are random.
 */
static void fill_pairs(unsigned int pairs, unsigned int samples, double shift)
{
	for (unsigned int i = 0; i < pairs; i++) {
		double drift = 100 * draw_normal();
		double floor_a = 10000 + drift + shift + 40 * draw_normal();
		double floor_b = 10000 + drift + 40 * draw_normal();

		kv_hist_reset(&block[0][i]);
		kv_hist_reset(&block[1][i]);
		for (unsigned int k = 0; k < samples; k++) {
			kv_hist_record(&block[0][i], draw_latency(floor_a));
			kv_hist_record(&block[1][i], draw_latency(floor_b));
		}
	}
}

static int compare(const void *x, const void *y)
{
	uint64_t v = *(const uint64_t *)x, w = *(const uint64_t *)y;

	return (v > w) - (v < w);
}

static void quantiles_are_those_of_the_samples(void **state)
{
	static const double q[] = { 0, 0.001, 0.01, 0.1, 0.25, 0.5,
				    0.75, 0.9, 0.99, 0.999, 1 };
	static uint64_t sorted[100000];
	const unsigned int n = 100000;

	(void)state;
	/* From nanoseconds to seconds, so that all bin widths take part. */
	for (unsigned int i = 0; i < n; i++) {
		sorted[i] = (uint64_t)exp(20 * draw_uniform());
		kv_hist_record(&one, sorted[i]);
	}
	qsort(sorted, n, sizeof(sorted[0]), compare);
	for (unsigned int i = 0; i < sizeof(q) / sizeof(q[0]); i++) {
		unsigned int rank = (unsigned int)ceil(q[i] * n);
		double want = (double)sorted[rank ? rank - 1 : 0];

		assert_true(fabs(kv_stats_quantile(&one, q[i]) - want) <=
			    0.001 * want);
	}
}

static void quantiles_of_small_values_are_exact(void **state)
{
	(void)state;
	for (unsigned int v = 1; v <= 200; v++)
		kv_hist_record(&one, v);
	assert_true(kv_stats_quantile(&one, 0) == 1);
	assert_true(kv_stats_quantile(&one, 0.5) == 100);
	assert_true(kv_stats_quantile(&one, 0.99) == 198);
	assert_true(kv_stats_quantile(&one, 1) == 200);
}

static void quantiles_stay_between_min_and_max(void **state)
{
	(void)state;
	/* One bin holds them all: 2^20 .. 2^20 + 8191. */
	kv_hist_record(&one, (1 << 20) + 5);
	kv_hist_record(&one, (1 << 20) + 7);
	for (unsigned int i = 0; i <= 100; i++) {
		double v = kv_stats_quantile(&one, i / 100.0);

		assert_true(v >= (1 << 20) + 5 && v <= (1 << 20) + 7);
	}
	assert_true(kv_stats_quantile(&one, 0) == (1 << 20) + 5);
	assert_true(kv_stats_quantile(&one, 1) == (1 << 20) + 7);
}

static void quantile_of_one_sample_is_the_sample(void **state)
{
	static const uint64_t v[] = { 0, 1, 123456789, KV_HIST_EXACT - 1 };

	(void)state;
	for (unsigned int i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		kv_hist_reset(&one);
		kv_hist_record(&one, v[i]);
		assert_true(kv_stats_quantile(&one, 0) == (double)v[i]);
		assert_true(kv_stats_quantile(&one, 0.5) == (double)v[i]);
		assert_true(kv_stats_quantile(&one, 1) == (double)v[i]);
	}
}

static void quantile_never_falls(void **state)
{
	double last = 0;

	(void)state;
	for (unsigned int i = 0; i < 300; i++)
		kv_hist_record(&one, draw_latency(3000));
	for (unsigned int i = 0; i <= 10000; i++) {
		double v = kv_stats_quantile(&one, i / 10000.0);

		assert_true(v >= last);
		last = v;
	}
}

static void nothing_comes_of_nothing(void **state)
{
	(void)state;
	assert_int_equal(kv_stats_count(&one), 0);
	assert_true(isnan(kv_stats_mean(&one)));
	assert_true(isnan(kv_stats_quantile(&one, 0.5)));
}

static void mean_is_exact(void **state)
{
	(void)state;
	kv_hist_record(&one, 1000001);
	kv_hist_record(&one, 1000004);
	assert_true(kv_stats_mean(&one) == 1000002.5);
}

static void counts_are_64_bit(void **state)
{
	(void)state;
	kv_hist_record(&one, 100);
	kv_hist_record(&one, 200);
	one.bin[100].count = 6000000000ULL;
	one.bin[200].count = 4000000000ULL;
	assert_int_equal(kv_stats_count(&one), 10000000000ULL);
	assert_true(kv_stats_quantile(&one, 0.5) == 100);
	assert_true(kv_stats_quantile(&one, 0.61) == 200);
}

static void merging_is_recording_in_one(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 5000; i++) {
		uint64_t v = draw_latency(i % 2 ? 2000 : 90000);

		kv_hist_record(i % 2 ? &one : &two, v);
		kv_hist_record(&all, v);
	}
	kv_stats_merge(&one, &two);
	assert_memory_equal(&one, &all, sizeof(all));
}

static void merging_an_empty_one_changes_nothing(void **state)
{
	(void)state;
	kv_hist_record(&one, 77);
	kv_hist_record(&all, 77);
	kv_stats_merge(&one, &two);
	assert_memory_equal(&one, &all, sizeof(all));
	kv_stats_merge(&two, &one);
	assert_memory_equal(&two, &all, sizeof(all));
}

static void ten_samples_beyond_support_a_quantile(void **state)
{
	static const struct {
		uint64_t count;
		double q;
	} least[] = {
		{ 20, 0.5 }, { 100, 0.9 }, { 100, 0.1 }, { 200, 0.95 },
		{ 1000, 0.99 }, { 1000, 0.01 }, { 10000, 0.999 },
		{ 10000, 0.001 }, { 100000, 0.9999 },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(least) / sizeof(least[0]); i++) {
		assert_true(kv_stats_supports(least[i].count, least[i].q));
		assert_false(kv_stats_supports(least[i].count - 1, least[i].q));
	}
	assert_false(kv_stats_supports(0, 0.5));
	assert_false(kv_stats_supports(UINT64_MAX, 0));
	assert_false(kv_stats_supports(UINT64_MAX, 1));
}

static void diff_is_that_of_the_merged_medians(void **state)
{
	struct kv_interval got;

	(void)state;
	fill_pairs(8, 200, 300);
	for (unsigned int i = 0; i < 8; i++) {
		kv_stats_merge(&one, a[i]);
		kv_stats_merge(&two, b[i]);
	}
	got = kv_stats_median_diff(a, b, 8);
	assert_true(got.value == kv_stats_quantile(&one, 0.5) -
					 kv_stats_quantile(&two, 0.5));
	assert_true(got.valid);
	assert_true(got.low <= got.value && got.value <= got.high);
}

static void diff_recovers_a_known_shift(void **state)
{
	struct kv_interval got;

	(void)state;
	fill_pairs(MAX_PAIRS, 1000, 300);
	got = kv_stats_median_diff(a, b, MAX_PAIRS);
	assert_true(got.valid);
	assert_true(fabs(got.value - 300) < 30);
	assert_true(got.low <= 300 && got.high >= 300);
	assert_true(got.low > 0);

	/* The other way round it is the same with the other sign. */
	got = kv_stats_median_diff(b, a, MAX_PAIRS);
	assert_true(fabs(got.value + 300) < 30);
	assert_true(got.high < 0);
}

/* In how many of @experiments is the truth inside the interval? In percent. */
static double measure_coverage(unsigned int experiments, unsigned int pairs,
			       double shift)
{
	unsigned int inside = 0;

	for (unsigned int i = 0; i < experiments; i++) {
		struct kv_interval got;

		fill_pairs(pairs, 200, shift);
		got = kv_stats_median_diff(a, b, pairs);
		assert_true(got.valid);
		inside += got.low <= shift && shift <= got.high;
	}
	return 100.0 * inside / experiments;
}

static void diff_interval_keeps_its_promise(void **state)
{
	static const unsigned int pairs[] = { 6, 10, MAX_PAIRS };

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		double percent = measure_coverage(250, pairs[i], 300);

		print_message("# %u pairs: %.1f %% of 250 intervals hold the truth\n",
			      pairs[i], percent);
		assert_true(percent >= 88);
	}
}

static void diff_of_nothing_includes_zero(void **state)
{
	(void)state;
	assert_true(measure_coverage(250, 12, 0) >= 88);
}

static void more_pairs_give_a_narrower_interval(void **state)
{
	struct kv_interval few, many;

	(void)state;
	fill_pairs(MAX_PAIRS, 300, 0);
	few = kv_stats_median_diff(a, b, 8);
	many = kv_stats_median_diff(a, b, MAX_PAIRS);
	assert_true(many.high - many.low < few.high - few.low);
}

/* Drift that both of a pair share is not held against them. */
static void pairs_cancel_what_they_share(void **state)
{
	struct kv_interval paired, torn;

	(void)state;
	fill_pairs(16, 300, 0);
	paired = kv_stats_median_diff(a, b, 16);
	for (unsigned int i = 0; i < 16; i++)
		b[i] = &block[1][(i + 5) % 16];
	torn = kv_stats_median_diff(a, b, 16);
	assert_true(paired.value == torn.value);
	assert_true(paired.high - paired.low < torn.high - torn.low);
}

static void diff_is_repeatable(void **state)
{
	struct kv_interval first, second;

	(void)state;
	fill_pairs(10, 300, 50);
	first = kv_stats_median_diff(a, b, 10);
	second = kv_stats_median_diff(a, b, 10);
	assert_true(first.value == second.value && first.low == second.low &&
		    first.high == second.high);
}

static void diff_of_the_same_blocks_is_zero(void **state)
{
	struct kv_interval got;

	(void)state;
	fill_pairs(10, 300, 0);
	got = kv_stats_median_diff(a, a, 10);
	assert_true(got.valid);
	assert_true(got.value == 0 && got.low == 0 && got.high == 0);
}

static void few_pairs_give_no_interval(void **state)
{
	(void)state;
	fill_pairs(KV_STATS_MIN_PAIRS, 300, 300);
	for (unsigned int pairs = 1; pairs < KV_STATS_MIN_PAIRS; pairs++) {
		struct kv_interval got = kv_stats_median_diff(a, b, pairs);

		assert_false(got.valid);
		assert_true(fabs(got.value - 300) < 150);
		assert_true(got.low == got.value && got.high == got.value);
	}
	assert_true(kv_stats_median_diff(a, b, KV_STATS_MIN_PAIRS).valid);
}

static void empty_blocks_give_no_interval(void **state)
{
	struct kv_interval got;

	(void)state;
	fill_pairs(10, 300, 300);
	kv_hist_reset(&block[1][3]);
	got = kv_stats_median_diff(a, b, 10);
	assert_false(got.valid);
	assert_true(fabs(got.value - 300) < 150);

	for (unsigned int i = 0; i < 10; i++)
		kv_hist_reset(&block[1][i]);
	assert_true(isnan(kv_stats_median_diff(a, b, 10).value));
	assert_true(isnan(kv_stats_median_diff(a, b, 0).value));
}

static void diff_spans_the_whole_range(void **state)
{
	struct kv_interval got;

	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		kv_hist_record(&block[0][i], KV_HIST_EXACT - 1);
		kv_hist_record(&block[1][i], 0);
	}
	got = kv_stats_median_diff(a, b, 8);
	assert_true(got.valid);
	assert_true(got.low == KV_HIST_EXACT - 1 && got.high == KV_HIST_EXACT - 1);
}

static void a_winner_is_beyond_the_floor(void **state)
{
	struct kv_interval i = {
		.value = 50, .low = 26, .high = 74, .valid = true, .median = 1000,
	};

	(void)state;
	assert_int_equal(kv_stats_judge(&i), KV_VERDICT_B_LESS);
	i.low = 24;
	assert_int_equal(kv_stats_judge(&i), KV_VERDICT_NEITHER);
	i.value = -50, i.low = -74, i.high = -26;
	assert_int_equal(kv_stats_judge(&i), KV_VERDICT_A_LESS);
	i.high = -24;
	assert_int_equal(kv_stats_judge(&i), KV_VERDICT_NEITHER);
	i.value = 0, i.low = 0, i.high = 0;
	assert_int_equal(kv_stats_judge(&i), KV_VERDICT_NEITHER);
	i.value = 500, i.low = 400, i.high = 600, i.valid = false;
	assert_int_equal(kv_stats_judge(&i), KV_VERDICT_UNKNOWN);
}

static void the_floor_is_of_the_larger_median(void **state)
{
	struct kv_interval got;

	(void)state;
	fill_pairs(8, 200, 3000);
	for (unsigned int i = 0; i < 8; i++)
		kv_stats_merge(&one, a[i]);
	got = kv_stats_median_diff(a, b, 8);
	assert_true(got.median == kv_stats_quantile(&one, 0.5));
	got = kv_stats_median_diff(b, a, 8);
	assert_true(got.median == kv_stats_quantile(&one, 0.5));
}

static struct kv_hist quadrant[KV_SIDES_MAX][MAX_PAIRS];
static const struct kv_hist *const quadrants[KV_SIDES_MAX] = {
	quadrant[0], quadrant[1], quadrant[2], quadrant[3],
};

/*
 * Rounds of the four quadrants, as they are measured one after the other: the
 * machine gets slower by @drift with each block, and a side is @shift above the
 * others. @shuffled: A B C D, D C B A; else always A B C D.
 */
static void fill_rounds(unsigned int rounds, unsigned int samples,
			const double *shift, double drift, bool shuffled)
{
	const struct kv_design *d = &kv_design_quadrants;
	unsigned int done = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		double shared = 100 * draw_normal();

		for (unsigned int k = 0; k < d->sides; k++) {
			unsigned int s = kv_design_turn(d, shuffled ? i : 0, k);
			double floor = 10000 + shared + shift[s] +
				       drift * done++ + 40 * draw_normal();

			kv_hist_reset(&quadrant[s][i]);
			for (unsigned int n = 0; n < samples; n++)
				kv_hist_record(&quadrant[s][i],
					       draw_latency(floor));
		}
	}
}

static void compare_quadrants(struct kv_interval *diff, unsigned int rounds)
{
	kv_stats_compare(quadrants, rounds, kv_design_quadrants.contrast,
			 kv_design_quadrants.contrasts, diff);
}

/* What is measured forwards and backwards is measured at the same time on average. */
static void turns_are_balanced(void **state)
{
	static const struct kv_design *const designs[] = {
		&kv_design_spaces, &kv_design_quadrants,
	};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		const struct kv_design *d = designs[i];
		unsigned int sum[KV_SIDES_MAX] = { 0 };
		unsigned int seen[KV_SIDES_MAX] = { 0 };

		for (unsigned int n = 0; n < 2 * d->sides; n++) {
			unsigned int s = kv_design_turn(d, n / d->sides,
							n % d->sides);

			assert_true(s < d->sides);
			sum[s] += n;
			seen[s]++;
		}
		for (unsigned int s = 0; s < d->sides; s++) {
			assert_int_equal(seen[s], 2);
			assert_int_equal(sum[s], 2 * d->sides - 1);
		}
	}
}

static void order_is_told_in_names(void **state)
{
	char text[64];

	(void)state;
	kv_design_order(&kv_design_spaces, text, sizeof(text));
	assert_string_equal(text, "kernel user user kernel");
	kv_design_order(&kv_design_quadrants, text, sizeof(text));
	assert_string_equal(text, "K-K K-U U-K U-U U-U U-K K-U K-K");
	kv_design_order(&kv_design_quadrants, text, 6);
	assert_string_equal(text, "K-K K");
}

/* Each contrast of the quadrants changes one end, the one that it says it does. */
static void contrasts_change_one_end(void **state)
{
	const struct kv_design *d = &kv_design_quadrants;

	(void)state;
	for (unsigned int i = 0; i < d->contrasts; i++) {
		const struct kv_contrast *c = &d->contrast[i];
		bool client = !strcmp(d->changed[i], "client");

		assert_int_equal(d->side[c->a].client != d->side[c->b].client,
				 client);
		assert_int_equal(d->side[c->a].server != d->side[c->b].server,
				 !client);
		assert_int_equal(client ? d->side[c->a].client :
					  d->side[c->a].server,
				 KV_SPACE_KERNEL);
		for (unsigned int k = 0; k < i; k++)
			assert_true(d->contrast[k].a != c->a ||
				    d->contrast[k].b != c->b);
	}
	for (unsigned int s = 0; s < d->sides; s++) {
		static const char letter[] = "KU";

		assert_int_equal(d->side[s].name[0], letter[d->side[s].client]);
		assert_int_equal(d->side[s].name[2], letter[d->side[s].server]);
	}
}

static void each_contrast_is_that_of_its_sides(void **state)
{
	static const double shift[] = { 0, 600, 1300, 2200 };
	struct kv_interval diff[KV_CONTRASTS_MAX], want;

	(void)state;
	fill_rounds(12, 300, shift, 0, true);
	compare_quadrants(diff, 12);
	for (unsigned int i = 0; i < KV_CONTRASTS_MAX; i++) {
		const struct kv_contrast *c = &kv_design_quadrants.contrast[i];
		double truth = shift[c->a] - shift[c->b];

		for (unsigned int k = 0; k < 12; k++) {
			a[k] = &quadrant[c->a][k];
			b[k] = &quadrant[c->b][k];
		}
		want = kv_stats_median_diff(a, b, 12);
		assert_true(diff[i].valid && diff[i].value == want.value &&
			    diff[i].low == want.low && diff[i].high == want.high &&
			    diff[i].median == want.median);
		assert_true(fabs(diff[i].value - truth) < 80);
		assert_int_equal(kv_stats_judge(&diff[i]), KV_VERDICT_A_LESS);
	}
	/* From K-K to U-U over K-U is as far as over U-K. */
	assert_true(fabs((diff[0].value + diff[3].value) -
			 (diff[2].value + diff[1].value)) < 1e-6);
}

/* Four connections of one kind: nothing is faster, and the intervals hold 0. */
static void equal_quadrants_have_no_winner(void **state)
{
	static const double none[KV_SIDES_MAX];
	unsigned int inside[KV_CONTRASTS_MAX] = { 0 };
	const unsigned int experiments = 200;

	(void)state;
	for (unsigned int n = 0; n < experiments; n++) {
		struct kv_interval diff[KV_CONTRASTS_MAX];

		fill_rounds(8, 100, none, 0, true);
		compare_quadrants(diff, 8);
		for (unsigned int i = 0; i < KV_CONTRASTS_MAX; i++) {
			inside[i] += diff[i].low <= 0 && diff[i].high >= 0;
			assert_int_equal(kv_stats_judge(&diff[i]),
					 KV_VERDICT_NEITHER);
		}
	}
	for (unsigned int i = 0; i < KV_CONTRASTS_MAX; i++) {
		print_message("# contrast %u: %.1f %% of %u intervals hold 0\n",
			      i, 100.0 * inside[i] / experiments, experiments);
		assert_true(100 * inside[i] >= 88 * experiments);
	}
}

/* The interval excludes 0, and is right to: but connections of one kind differ so. */
static void what_a_connection_has_is_no_winner(void **state)
{
	static const double lasting[] = { 0, 180, 0, 180 };
	struct kv_interval diff[KV_CONTRASTS_MAX];

	(void)state;
	fill_rounds(MAX_PAIRS, 300, lasting, 0, true);
	compare_quadrants(diff, MAX_PAIRS);
	assert_true(diff[2].high < 0 && diff[3].high < 0);
	for (unsigned int i = 0; i < KV_CONTRASTS_MAX; i++)
		assert_int_equal(kv_stats_judge(&diff[i]), KV_VERDICT_NEITHER);
}

static void drift_does_not_favour_a_quadrant(void **state)
{
	static const double none[KV_SIDES_MAX];
	struct kv_interval diff[KV_CONTRASTS_MAX];

	(void)state;
	fill_rounds(MAX_PAIRS, 300, none, 60, true);
	compare_quadrants(diff, MAX_PAIRS);
	for (unsigned int i = 0; i < KV_CONTRASTS_MAX; i++)
		assert_true(diff[i].low <= 0 && diff[i].high >= 0);

	/* Always in the same order it would: U-K, two blocks later, looks slower. */
	fill_rounds(MAX_PAIRS, 300, none, 60, false);
	compare_quadrants(diff, MAX_PAIRS);
	assert_true(diff[0].high < 0 && diff[1].high < 0);
}

static void no_rounds_give_no_difference(void **state)
{
	struct kv_interval diff[KV_CONTRASTS_MAX];

	(void)state;
	compare_quadrants(diff, 0);
	for (unsigned int i = 0; i < KV_CONTRASTS_MAX; i++) {
		assert_true(isnan(diff[i].value));
		assert_int_equal(kv_stats_judge(&diff[i]), KV_VERDICT_UNKNOWN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(quantiles_are_those_of_the_samples, reset),
		cmocka_unit_test_setup(quantiles_of_small_values_are_exact, reset),
		cmocka_unit_test_setup(quantiles_stay_between_min_and_max, reset),
		cmocka_unit_test_setup(quantile_of_one_sample_is_the_sample, reset),
		cmocka_unit_test_setup(quantile_never_falls, reset),
		cmocka_unit_test_setup(nothing_comes_of_nothing, reset),
		cmocka_unit_test_setup(mean_is_exact, reset),
		cmocka_unit_test_setup(counts_are_64_bit, reset),
		cmocka_unit_test_setup(merging_is_recording_in_one, reset),
		cmocka_unit_test_setup(merging_an_empty_one_changes_nothing, reset),
		cmocka_unit_test_setup(ten_samples_beyond_support_a_quantile, reset),
		cmocka_unit_test_setup(diff_is_that_of_the_merged_medians, reset),
		cmocka_unit_test_setup(diff_recovers_a_known_shift, reset),
		cmocka_unit_test_setup(diff_interval_keeps_its_promise, reset),
		cmocka_unit_test_setup(diff_of_nothing_includes_zero, reset),
		cmocka_unit_test_setup(more_pairs_give_a_narrower_interval, reset),
		cmocka_unit_test_setup(pairs_cancel_what_they_share, reset),
		cmocka_unit_test_setup(diff_is_repeatable, reset),
		cmocka_unit_test_setup(diff_of_the_same_blocks_is_zero, reset),
		cmocka_unit_test_setup(few_pairs_give_no_interval, reset),
		cmocka_unit_test_setup(empty_blocks_give_no_interval, reset),
		cmocka_unit_test_setup(diff_spans_the_whole_range, reset),
		cmocka_unit_test(a_winner_is_beyond_the_floor),
		cmocka_unit_test_setup(the_floor_is_of_the_larger_median, reset),
		cmocka_unit_test(turns_are_balanced),
		cmocka_unit_test(order_is_told_in_names),
		cmocka_unit_test(contrasts_change_one_end),
		cmocka_unit_test_setup(each_contrast_is_that_of_its_sides, reset),
		cmocka_unit_test_setup(equal_quadrants_have_no_winner, reset),
		cmocka_unit_test_setup(what_a_connection_has_is_no_winner, reset),
		cmocka_unit_test_setup(drift_does_not_favour_a_quadrant, reset),
		cmocka_unit_test(no_rounds_give_no_difference),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
