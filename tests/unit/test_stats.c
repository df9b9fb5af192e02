// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "test.h"
#include "measure/point.h"
#include "measure/stats.h"

#define MAX_ROUNDS 100

/* Simulated comparisons: samples of a block, and how many there are. */
#define SIMULATED 50
#define EXPERIMENTS 2000

static struct kv_hist one, two, all;
static double a[MAX_ROUNDS], b[MAX_ROUNDS];

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
	seed = 88172645463325252ULL;
	kv_hist_reset(&one);
	kv_hist_reset(&two);
	kv_hist_reset(&all);
	return 0;
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
	for (unsigned int v = 1; v <= 200; v++)
		kv_hist_record(&one, v);
	assert_true(kv_stats_quantile(&one, 0) == 1);
	assert_true(kv_stats_quantile(&one, 0.5) == 100);
	assert_true(kv_stats_quantile(&one, 0.99) == 198);
	assert_true(kv_stats_quantile(&one, 1) == 200);
}

static void quantiles_stay_between_min_and_max(void **state)
{
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
	assert_int_equal(kv_stats_count(&one), 0);
	assert_true(isnan(kv_stats_mean(&one)));
	assert_true(isnan(kv_stats_stddev(&one)));
	assert_true(isnan(kv_stats_quantile(&one, 0.5)));
}

static void mean_is_exact(void **state)
{
	kv_hist_record(&one, 1000001);
	kv_hist_record(&one, 1000004);
	assert_true(kv_stats_mean(&one) == 1000002.5);
}

/* By their definition, from the samples; exact for values with a bin of their own. */
static void deviation_is_of_the_samples(void **state)
{
	static const uint64_t sample[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	double squares = 0, mean;
	uint64_t v[1000];

	for (unsigned int i = 0; i < sizeof(sample) / sizeof(sample[0]); i++) {
		assert_true(!i || isnan(kv_stats_stddev(&one)) == (i == 1));
		kv_hist_record(&one, sample[i]);
	}
	assert_true(fabs(kv_stats_stddev(&one) - sqrt(32.0 / 7)) < 1e-12);
	kv_hist_reset(&one);
	for (unsigned int i = 0; i < 1000; i++) {
		v[i] = draw_latency(3000);
		kv_hist_record(&one, v[i]);
	}
	mean = kv_stats_mean(&one);
	for (unsigned int i = 0; i < 1000; i++)
		squares += ((double)v[i] - mean) * ((double)v[i] - mean);
	assert_true(fabs(kv_stats_stddev(&one) / sqrt(squares / 999) - 1) < 0.001);
}

/* Two CPUs for a second: one is idle half of the time, and a tenth of the other is stolen. */
static void cpu_time_is_what_is_not_idle(void **state)
{
	const struct kv_cpu_time before = { .all_ns = 7, .idle_ns = 3000000000, .stolen_ns = 40000000 };
	const struct kv_cpu_time after = { .all_ns = 2000000007, .idle_ns = 3500000000, .stolen_ns = 140000000 };
	struct kv_load load = { 0 };

	assert_true(isnan(kv_stats_cpu(&load)));
	kv_stats_load(&load, &before, &after, 1000);
	assert_true(kv_stats_cpu(&load) == 1400000);
	kv_stats_load(&load, &before, &after, 3000);
	assert_true(kv_stats_cpu(&load) == 700000);
	assert_true(kv_stats_steal(&before, &after) == 0.05);
	assert_true(kv_stats_steal(&before, &before) == 0);
	load.operations = 0;
	assert_true(isnan(kv_stats_cpu(&load)));
}

/* Blocks of one busy CPU and of an idle one, whose idle time is read in whole ticks: the figure is right, or none. */
static void cpu_time_is_known_or_not_told(void **state)
{
	static const double block_ns[] = { 5e6, 20e6, 40e6, 100e6, 160e6, 1e9 };
	unsigned int told = 0, wrong = 0;

	for (unsigned int i = 0; i < 6000; i++) {
		double each = block_ns[i % 6], begin = 1e9, cpu;
		struct kv_load load = { 0 };

		for (unsigned int k = 0; k < (i / 6 % 2 ? 24 : 1); k++) {
			uint64_t v[2], idle[2];

			for (unsigned int e = 0; e < 2; e++) {
				begin += e ? each : 1e7 * draw_uniform();
				v[e] = (uint64_t)(2 * begin);
				idle[e] = (uint64_t)(begin / KV_CPU_TICK_NS) * KV_CPU_TICK_NS;
			}
			kv_stats_load(&load, &(struct kv_cpu_time){ .all_ns = v[0], .idle_ns = idle[0] },
				      &(struct kv_cpu_time){ .all_ns = v[1], .idle_ns = idle[1] }, 1);
		}
		cpu = kv_stats_cpu(&load);
		told += !isnan(cpu);
		wrong += !isnan(cpu) && fabs(cpu / each - 1) > KV_STATS_CPU;
		/* A second is long enough, a tick never. */
		assert_true(each < 1e9 || !isnan(cpu));
		assert_true(each > 10e6 || isnan(cpu));
	}
	assert_true(told > 2000);
	assert_true(wrong * 20 < told);
}

static void counts_are_64_bit(void **state)
{
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
	kv_hist_record(&one, 77);
	kv_hist_record(&all, 77);
	kv_stats_merge(&one, &two);
	assert_memory_equal(&one, &all, sizeof(all));
	kv_stats_merge(&two, &one);
	assert_memory_equal(&two, &all, sizeof(all));
}

static void samples_of_a_faster_counter_become_ours(void **state)
{
	static const double factor[] = { 2.5, 0.4, 1.001, 1000, 1e-3 };
	double want, got;

	for (unsigned int i = 0; i < sizeof(factor) / sizeof(factor[0]); i++) {
		reset(NULL);
		for (unsigned int n = 0; n < 5000; n++) {
			uint64_t v = draw_latency(90000);

			kv_hist_record(&one, v);
			kv_hist_record(&all, (uint64_t)llround((double)v * factor[i]));
		}
		kv_stats_rescale(&one, factor[i]);
		assert_int_equal(kv_stats_count(&one), 5000);
		assert_true(fabs((double)one.sum / (double)all.sum - 1) < 0.005);
		for (double q = 0; q <= 1; q += 0.125) {
			want = kv_stats_quantile(&all, q);
			got = kv_stats_quantile(&one, q);
			assert_true(fabs(got - want) <= 0.002 * want + 1);
		}
		/* All extremes lie in their bins. */
		for (unsigned int k = 0; k < KV_HIST_BINS; k++) {
			if (!one.bin[k].count)
				continue;
			assert_int_equal(kv_hist_index(kv_hist_bin_min(&one, k)), k);
			assert_int_equal(kv_hist_index(kv_hist_bin_max(&one, k)), k);
		}
	}
}

static void the_ends_of_the_range_can_be_multiplied(void **state)
{
	kv_hist_record(&one, 0);
	kv_hist_record(&one, 3);
	kv_hist_record(&one, UINT64_MAX);
	kv_stats_rescale(&one, 4);
	assert_int_equal(kv_stats_count(&one), 3);
	assert_int_equal(kv_hist_min(&one), 0);
	assert_int_equal(one.bin[12].count, 1);
}

static void samples_of_the_same_counter_stay(void **state)
{
	for (unsigned int i = 0; i < 100; i++)
		kv_hist_record(&one, draw_latency(2000));
	all = one;
	kv_stats_rescale(&one, 1);
	kv_stats_rescale(&one, 1.0001);
	kv_stats_rescale(&one, 0.9999);
	assert_memory_equal(&one, &all, sizeof(all));
}

static void a_cumulative_distribution_has_a_thousand_steps(void **state)
{
	struct kv_step step = { 0 };
	uint64_t before = 0;
	unsigned int n = 0;

	assert_false(kv_stats_step(&one, 0, &step));
	for (uint64_t i = 1; i <= 3000; i++)
		kv_hist_record(&one, i);
	while (kv_stats_step(&one, 3000, &step)) {
		assert_true(step.samples > before);
		assert_true((double)step.ticks >= (double)step.samples * 0.999);
		assert_true((double)step.ticks <= (double)step.samples * 1.001 + 1);
		before = step.samples;
		n++;
	}
	assert_int_equal(before, 3000);
	assert_in_range(n, 900, 1000);
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

	for (unsigned int i = 0; i < sizeof(least) / sizeof(least[0]); i++) {
		assert_true(kv_stats_supports(least[i].count, least[i].q));
		assert_false(kv_stats_supports(least[i].count - 1, least[i].q));
	}
	assert_false(kv_stats_supports(0, 0.5));
	assert_false(kv_stats_supports(UINT64_MAX, 0));
	assert_false(kv_stats_supports(UINT64_MAX, 1));
}

/* A round is a median of each side; the common part (the state of the machine) is random. */
static void fill_rounds(unsigned int rounds, double shift)
{
	for (unsigned int i = 0; i < rounds; i++) {
		double shared = 10000 + 100 * draw_normal();

		a[i] = shared + shift + 40 * draw_normal();
		b[i] = shared + 40 * draw_normal();
	}
}

/* The example of Hollander and Wolfe, 1999, table 3.1: depression before and after a therapy. */
static void shift_is_that_of_the_book(void **state)
{
	static const double before[] = { 1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30 };
	static const double after[] = { 0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29 };
	struct kv_interval got;

	got = kv_stats_shift(after, before, 9);
	assert_true(got.valid);
	assert_true(fabs(got.value + 0.46) < 1e-6);
	/* 96.1 %, the closest that there is from above, as there: C = 6. */
	assert_true(fabs(got.low + 0.786) < 1e-6);
	assert_true(fabs(got.high + 0.010) < 1e-6);
}

static void shift_recovers_a_known_one(void **state)
{
	struct kv_interval got;

	fill_rounds(30, 300);
	got = kv_stats_shift(a, b, 30);
	assert_true(got.valid);
	assert_true(fabs(got.value - 300) < 30);
	assert_true(got.low <= 300 && got.high >= 300 && got.low > 0);
	assert_true(got.near_low >= got.low && got.near_high <= got.high);

	/* The other way round it is the same with the other sign. */
	got = kv_stats_shift(b, a, 30);
	assert_true(fabs(got.value + 300) < 30 && got.high < 0);
}

/* Drift that both of a round share is not held against them. */
static void rounds_cancel_what_they_share(void **state)
{
	double torn[16];
	struct kv_interval paired, other;

	fill_rounds(16, 0);
	paired = kv_stats_shift(a, b, 16);
	for (unsigned int i = 0; i < 16; i++)
		torn[i] = b[(i + 5) % 16];
	other = kv_stats_shift(a, torn, 16);
	assert_true(paired.high - paired.low < other.high - other.low);
}

static void few_rounds_give_no_interval(void **state)
{
	fill_rounds(KV_STATS_MIN_ROUNDS, 300);
	for (unsigned int n = 1; n < KV_STATS_MIN_ROUNDS; n++) {
		struct kv_interval got = kv_stats_shift(a, b, n);
		const struct kv_rounds s = { .a = a, .b = b, .rounds = n };

		assert_false(got.valid);
		assert_true(fabs(got.value - 300) < 150);
		assert_int_equal(kv_stats_judge(&s, &got).verdict, KV_VERDICT_UNDECIDED);
		assert_int_equal(kv_stats_judge(&s, &got).doubt, KV_DOUBT_FEW);
	}
	assert_true(kv_stats_shift(a, b, KV_STATS_MIN_ROUNDS).valid);
	assert_true(isnan(kv_stats_shift(a, b, 0).value));
}

/* Where instructions are counted: all rounds say the same. */
static void what_never_differs_is_exact(void **state)
{
	struct kv_interval got;
	struct kv_rounds s = { .a = a, .b = b, .rounds = 10 };

	for (unsigned int i = 0; i < 10; i++) {
		a[i] = 12791;
		b[i] = 14604;
	}
	got = kv_stats_shift(a, b, 10);
	assert_true(got.value == -1813 && got.low == -1813 && got.high == -1813);
	assert_int_equal(kv_stats_judge(&s, &got).verdict, KV_VERDICT_A_LESS);
	s.b = a;
	got = kv_stats_shift(a, a, 10);
	assert_int_equal(kv_stats_judge(&s, &got).verdict, KV_VERDICT_EQUAL);
	assert_true(kv_stats_judge(&s, &got).within == 0);
}

/* Beyond the rounds for which the distribution is computed, it is continued without a step. */
static void many_rounds_go_on_as_fewer(void **state)
{
	double width[2];

	for (unsigned int i = 0; i < 2; i++) {
		struct kv_interval got;

		seed = 88172645463325252ULL;
		fill_rounds(60 + i, 0);
		got = kv_stats_shift(a, b, 60 + i);
		width[i] = got.high - got.low;
	}
	assert_true(fabs(width[0] - width[1]) < 0.1 * width[0]);
}

/*
 * One simulated comparison, sample by sample, at medians of 10000: each round has fresh
 * connections, and each connection is off by 1 %; the machine drifts by 3 % in all and
 * wanders by 1 %, so that neighbouring blocks are alike; samples have a tail, and one in seven
 * is in a second mode.
 */
static void simulate(unsigned int rounds, double shift)
{
	static double sample[2][2 * SIMULATED];
	static uint64_t state = 1;
	double wander = 0;

	for (unsigned int r = 0; r < rounds; r++) {
		double connection[2] = { 100 * draw_normal(), 100 * draw_normal() };
		unsigned int order[2], n[2] = { 0, 0 };

		kv_stats_shuffle(&state, order, 2);
		for (unsigned int turn = 0; turn < 2 * KV_CONTRAST_BLOCKS; turn++) {
			unsigned int s = kv_contrast_turn(&kv_contrast_spaces, order, turn);
			double floor = 9700 + connection[s] + (s ? 0 : shift);

			wander = 0.7 * wander + 70 * draw_normal();
			floor += wander + 300.0 * (r * 4 + turn) / (rounds * 4);
			for (unsigned int i = 0; i < SIMULATED; i++)
				sample[s][n[s]++] = draw_latency(floor) +
						    (draw_uniform() < 1.0 / 7 ? 4000 : 0);
		}
		a[r] = kv_stats_median(sample[0], n[0]);
		b[r] = kv_stats_median(sample[1], n[1]);
	}
}

/* Of @n comparisons: how many intervals hold the truth, and what the verdicts are. */
static void count_verdicts(unsigned int n, double shift, unsigned int *holds,
			   unsigned int verdict[4])
{
	const struct kv_rounds s = { .a = a, .b = b, .rounds = KV_POINT_ROUNDS };

	memset(verdict, 0, 4 * sizeof(*verdict));
	*holds = 0;
	for (unsigned int i = 0; i < n; i++) {
		struct kv_interval got;

		simulate(KV_POINT_ROUNDS, shift);
		got = kv_stats_shift(a, b, KV_POINT_ROUNDS);
		*holds += got.low <= shift && shift <= got.high;
		verdict[kv_stats_judge(&s, &got).verdict]++;
	}
}

static void intervals_keep_their_promise(void **state)
{
	unsigned int holds, verdict[4];

	count_verdicts(EXPERIMENTS, 0, &holds, verdict);
	print_message("# no difference: %.1f %% of %u intervals hold 0, %.1f %% of the verdicts are false, %.1f %% say equal\n",
		      100.0 * holds / EXPERIMENTS, EXPERIMENTS,
		      100.0 * (verdict[KV_VERDICT_A_LESS] + verdict[KV_VERDICT_B_LESS]) / EXPERIMENTS,
		      100.0 * verdict[KV_VERDICT_EQUAL] / EXPERIMENTS);
	assert_true(holds >= 0.93 * EXPERIMENTS && holds <= 0.97 * EXPERIMENTS);
	assert_true(verdict[KV_VERDICT_A_LESS] + verdict[KV_VERDICT_B_LESS] <= 0.06 * EXPERIMENTS);

	count_verdicts(EXPERIMENTS, 200, &holds, verdict);
	print_message("# a difference of 2 %%: %.1f %% hold it, %.1f %% find it\n",
		      100.0 * holds / EXPERIMENTS,
		      100.0 * verdict[KV_VERDICT_B_LESS] / EXPERIMENTS);
	assert_true(holds >= 0.93 * EXPERIMENTS && holds <= 0.97 * EXPERIMENTS);
	assert_true(verdict[KV_VERDICT_B_LESS] >= 0.9 * EXPERIMENTS);
	/* None of them says the opposite. */
	assert_int_equal(verdict[KV_VERDICT_A_LESS], 0);
}

static struct kv_judgement judge_rounds(const double *d, unsigned int rounds, struct kv_rounds s)
{
	struct kv_interval got;

	for (unsigned int i = 0; i < rounds; i++) {
		b[i] = 10000;
		a[i] = 10000 + d[i];
	}
	s.a = a;
	s.b = b;
	s.rounds = rounds;
	got = kv_stats_shift(a, b, rounds);
	return kv_stats_judge(&s, &got);
}

static void a_doubt_withholds_the_verdict(void **state)
{
	static const double clear[] = { 501, 503, 499, 507, 495, 504, 498, 502, 500, 506 };
	static const double turned[] = { -800, -790, -810, -805, 100, 90, 805, 790, 800, 810 };
	static const double modes[] = { 3001, 3010, 6000, 6010, 3020, 6020, 3005, 6005, 3015, 6015 };
	static const double wide[] = { 1500, -900, 700, -1200, 300, -400, 1000, -600, 100, -200 };
	struct kv_judgement j;

	j = judge_rounds(clear, 10, (struct kv_rounds){ .steal = 0.04 });
	assert_int_equal(j.verdict, KV_VERDICT_B_LESS);
	j = judge_rounds(clear, 10, (struct kv_rounds){ .steal = 0.06 });
	assert_int_equal(j.verdict, KV_VERDICT_UNDECIDED);
	assert_int_equal(j.doubt, KV_DOUBT_STEAL);
	/* Few, or on both sides, say nothing. */
	j = judge_rounds(clear, 10, (struct kv_rounds){ .resent = { 0, 0.009 } });
	assert_int_equal(j.verdict, KV_VERDICT_B_LESS);
	j = judge_rounds(clear, 10, (struct kv_rounds){ .resent = { 0.3, 0.04 } });
	assert_int_equal(j.verdict, KV_VERDICT_B_LESS);
	j = judge_rounds(clear, 10, (struct kv_rounds){ .resent = { 0.011, 0.001 } });
	assert_int_equal(j.doubt, KV_DOUBT_RESENT);
	j = judge_rounds(clear, 10, (struct kv_rounds){ .resent = { 0, 0.011 } });
	assert_int_equal(j.doubt, KV_DOUBT_RESENT);
	j = judge_rounds(turned, 10, (struct kv_rounds){ .steal = 0 });
	assert_int_equal(j.doubt, KV_DOUBT_TURNED);
	assert_true(j.first == -800 && j.last == 800);
	j = judge_rounds(modes, 10, (struct kv_rounds){ .steal = 0 });
	assert_int_equal(j.doubt, KV_DOUBT_MODES);
	assert_int_equal(j.series, 0);
	assert_true(j.modes.median[0] == 13010 && j.modes.median[1] == 16010);
	assert_int_equal(j.modes.rounds[0], 5);
	j = judge_rounds(wide, 10, (struct kv_rounds){ .steal = 0 });
	assert_int_equal(j.verdict, KV_VERDICT_UNDECIDED);
	assert_int_equal(j.doubt, KV_DOUBT_WIDE);
	assert_true(j.within > KV_STATS_EQUAL);
}

/* Two groups, of which neither is a single round, far enough from each other. */
static void modes_are_two_groups(void **state)
{
	static const double two_groups[] = { 100, 101, 120, 121, 100, 122 };
	static const double straggler[] = { 100, 101, 102, 100, 101, 150 };
	static const double spread[] = { 100, 104, 108, 113, 117, 121 };
	static const double close[] = { 1000, 1001, 1020, 1021, 1000, 1020 };
	struct kv_modes m;

	assert_true(kv_stats_find_modes(two_groups, 6, &m));
	assert_true(m.median[0] == 100 && m.median[1] == 121);
	assert_true(m.rounds[0] == 3 && m.rounds[1] == 3);
	assert_false(kv_stats_find_modes(straggler, 6, &m));
	assert_false(kv_stats_find_modes(spread, 6, &m));
	assert_false(kv_stats_find_modes(close, 6, &m));
	assert_false(kv_stats_find_modes(two_groups, 3, &m));
}

/* Blocks that run forwards and backwards are measured at the same time on average. */
static void turns_are_balanced(void **state)
{
	static const struct kv_contrast *const designs[] = {
		&kv_contrast_spaces, &kv_contrast_quadrants, &kv_contrast_self[KV_SPACE_USER],
	};
	uint64_t random = 7;

	for (unsigned int i = 0; i < 3; i++) {
		const struct kv_contrast *d = designs[i];
		unsigned int sum[KV_SERIES_MAX] = { 0 };
		unsigned int seen[KV_SERIES_MAX] = { 0 };
		unsigned int order[KV_SERIES_MAX];

		kv_stats_shuffle(&random, order, d->n);
		for (unsigned int n = 0; n < KV_CONTRAST_BLOCKS * d->n; n++) {
			unsigned int s = kv_contrast_turn(d, order, n);

			assert_true(s < d->n);
			sum[s] += n;
			seen[s]++;
		}
		for (unsigned int s = 0; s < d->n; s++) {
			assert_int_equal(seen[s], 2);
			assert_int_equal(sum[s], 2 * d->n - 1);
		}
	}
}

/* Each order comes up as often as any other, and the same seed gives the same ones. */
static void orders_are_shuffled(void **state)
{
	unsigned int times[24] = { 0 }, order[4], again[4];
	uint64_t random = 1, same = 1;

	for (unsigned int i = 0; i < 24000; i++) {
		kv_stats_shuffle(&random, order, 4);
		kv_stats_shuffle(&same, again, 4);
		assert_memory_equal(order, again, sizeof(order));
		times[order[0] * 6 + (order[1] > order[0] ? order[1] - 1 : order[1]) * 2 +
		      (order[2] > order[3])]++;
	}
	for (unsigned int i = 0; i < 24; i++)
		assert_in_range(times[i], 850, 1150);
}

/* Each contrast of the quadrants changes one end, the one that it says it does. */
static void contrasts_change_one_end(void **state)
{
	const struct kv_contrast *d = &kv_contrast_quadrants;

	for (unsigned int i = 0; i < d->differences; i++) {
		const struct kv_difference *c = &d->difference[i];
		bool client = !strcmp(c->changed, "client");

		assert_int_equal(d->series[c->a].client != d->series[c->b].client,
				 client);
		assert_int_equal(d->series[c->a].server != d->series[c->b].server,
				 !client);
		assert_int_equal(client ? d->series[c->a].client :
					  d->series[c->a].server,
				 KV_SPACE_KERNEL);
		for (unsigned int k = 0; k < i; k++)
			assert_true(d->difference[k].a != c->a ||
				    d->difference[k].b != c->b);
	}
	for (unsigned int s = 0; s < d->n; s++) {
		static const char letter[] = "KU";

		assert_int_equal(d->series[s].name[0], letter[d->series[s].client]);
		assert_int_equal(d->series[s].name[2], letter[d->series[s].server]);
	}
}

static void a_series_is_centered(void **state)
{
	const double v[] = { 10, 12, 11, 13, 9, 11 };
	struct kv_interval i = kv_stats_center(v, 6);

	assert_true(i.valid && i.value == 11 && i.low == 9 && i.high == 13);
	assert_false(kv_stats_center(v, 5).valid);
	assert_true(isnan(kv_stats_center(v, 0).value));
}

static void memory_is_known_or_not_told(void **state)
{
	struct kv_interval i = { .value = 100000, .low = 95000, .high = 105000, .valid = true };

	assert_int_equal(kv_stats_known(&i, 11), KV_KNOWN);
	assert_int_equal(kv_stats_known(&i, 10), KV_KNOWN_LITTLE);
	i.high = 115001;
	assert_int_equal(kv_stats_known(&i, 11), KV_KNOWN_WIDE);
	i.value = NAN;
	assert_int_equal(kv_stats_known(&i, 11), KV_KNOWN_LITTLE);
	i.valid = false;
	assert_int_equal(kv_stats_known(&i, 11), KV_KNOWN_FEW);
}

static void a_knee_is_seen_from_below(void **state)
{
	static const double rate[] = { 1, 2, 4, 7, 10, 9 }, flat[] = { 6, 7, 10, 10 }, gap[] = { 1, NAN, 6, 10 };

	assert_int_equal(kv_stats_knee(rate, 6, KV_STATS_HALF), 3);
	assert_int_equal(kv_stats_knee(rate, 6, KV_STATS_NEARLY), 4);
	assert_int_equal(kv_stats_knee(flat, 4, KV_STATS_HALF), -1);
	assert_int_equal(kv_stats_knee(flat, 4, KV_STATS_NEARLY), 2);
	assert_int_equal(kv_stats_knee(gap, 4, KV_STATS_HALF), -1);
	assert_int_equal(kv_stats_knee(rate, 3, KV_STATS_HALF), -1);
}

static void all_to_all_grows_by_the_square(void **state)
{
	struct kv_all_to_all all = kv_stats_all_to_all(64, 48);

	assert_int_equal(all.process_qps, 63 * 48);
	assert_int_equal(all.node_qps, 63 * 48 * 48);
	assert_int_equal(kv_stats_all_to_all(2, 1).node_qps, 1);
	assert_true(kv_stats_all_to_all(1000000, 10000).node_qps == 99999900000000);
}

static void rounds_are_planned(void **state)
{
	const uint64_t s = 1000000000;

	/* As planned. */
	assert_int_equal(kv_stats_rounds(12, s, 12, 1000, s), 12);
	assert_int_equal(kv_stats_rounds(12, s, 3, 1000, s / 4), 12);
	/* More, until there are samples; the first rounds tell how many that will be. */
	assert_int_equal(kv_stats_rounds(2, s, 1, 240, s / 2), 5);
	assert_int_equal(kv_stats_rounds(2, s, 4, 960, 2 * s), 5);
	assert_true(kv_stats_rounds(2, s, 5, 1200, 5 * s / 2) <= 5);
	/* But no longer than three times the planned time. */
	assert_int_equal(kv_stats_rounds(2, s, 1, 10, s), 4);
	assert_int_equal(kv_stats_rounds(2, s, 4, 40, 4 * s), 4);
	assert_int_equal(kv_stats_rounds(2, s, 1, 0, 4 * s), 2);
	/* Fewer, if they take longer: as many as an interval needs, or all planned ones. */
	assert_int_equal(kv_stats_rounds(12, s, 1, 64, 2 * s), 6);
	assert_int_equal(kv_stats_rounds(12, s, 8, 1000, 4 * s), 8);
	assert_int_equal(kv_stats_rounds(3, s, 3, 100, 4 * s), 3);
	assert_int_equal(kv_stats_rounds(1, 1, 1, 1, 0), 4);
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
		cmocka_unit_test_setup(deviation_is_of_the_samples, reset),
		cmocka_unit_test(cpu_time_is_what_is_not_idle),
		cmocka_unit_test_setup(cpu_time_is_known_or_not_told, reset),
		cmocka_unit_test_setup(counts_are_64_bit, reset),
		cmocka_unit_test_setup(merging_is_recording_in_one, reset),
		cmocka_unit_test_setup(merging_an_empty_one_changes_nothing, reset),
		cmocka_unit_test_setup(samples_of_a_faster_counter_become_ours, reset),
		cmocka_unit_test_setup(the_ends_of_the_range_can_be_multiplied, reset),
		cmocka_unit_test_setup(samples_of_the_same_counter_stay, reset),
		cmocka_unit_test_setup(a_cumulative_distribution_has_a_thousand_steps, reset),
		cmocka_unit_test_setup(ten_samples_beyond_support_a_quantile, reset),
		cmocka_unit_test_setup(shift_is_that_of_the_book, reset),
		cmocka_unit_test_setup(shift_recovers_a_known_one, reset),
		cmocka_unit_test_setup(rounds_cancel_what_they_share, reset),
		cmocka_unit_test_setup(few_rounds_give_no_interval, reset),
		cmocka_unit_test_setup(what_never_differs_is_exact, reset),
		cmocka_unit_test_setup(many_rounds_go_on_as_fewer, reset),
		cmocka_unit_test_setup(intervals_keep_their_promise, reset),
		cmocka_unit_test(a_doubt_withholds_the_verdict),
		cmocka_unit_test(modes_are_two_groups),
		cmocka_unit_test(turns_are_balanced),
		cmocka_unit_test(orders_are_shuffled),
		cmocka_unit_test(contrasts_change_one_end),
		cmocka_unit_test(a_series_is_centered),
		cmocka_unit_test(memory_is_known_or_not_told),
		cmocka_unit_test(a_knee_is_seen_from_below),
		cmocka_unit_test(all_to_all_grows_by_the_square),
		cmocka_unit_test(rounds_are_planned),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
