// SPDX-License-Identifier: MIT
#include "test.h"
#include "loop/hist.h"

static struct kv_hist hist;

static int reset(void **state)
{
	(void)state;
	kv_hist_reset(&hist);
	return 0;
}

static __u64 count(void)
{
	__u64 n = 0;

	for (unsigned int i = 0; i < KV_HIST_BINS; i++)
		n += hist.bin[i];
	return n;
}

static void every_bin_starts_at_its_low(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < KV_HIST_BINS; i++)
		assert_int_equal(kv_hist_index(kv_hist_low(i)), i);
}

static void every_bin_ends_before_the_next(void **state)
{
	(void)state;
	for (unsigned int i = 0; i + 1 < KV_HIST_BINS; i++) {
		assert_true(kv_hist_low(i) < kv_hist_low(i + 1));
		assert_int_equal(kv_hist_index(kv_hist_low(i + 1) - 1), i);
	}
	assert_int_equal(kv_hist_index(UINT64_MAX), KV_HIST_BINS - 1);
}

static void no_bin_is_wider_than_one_percent(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < KV_HIST_BINS; i++) {
		__u64 low = kv_hist_low(i);
		__u64 high = i + 1 < KV_HIST_BINS ? kv_hist_low(i + 1) - 1 :
						    UINT64_MAX;

		/* How far any two values of the bin can be apart. */
		assert_true(high - low <= low / 100);
	}
}

static void small_values_have_a_bin_each(void **state)
{
	(void)state;
	for (unsigned int v = 0; v < 256; v++) {
		assert_int_equal(kv_hist_index(v), v);
		assert_int_equal(kv_hist_low(v), v);
	}
	assert_int_equal(kv_hist_index(256), 256);
	assert_int_equal(kv_hist_index(257), 256);
	assert_int_equal(kv_hist_index(258), 257);
}

/* The formula that uapi/kverbs.h promises to readers of struct kverbs_bin. */
static void bins_are_where_uapi_says(void **state)
{
	(void)state;
	for (__u64 i = 256; i < KV_HIST_BINS; i++)
		assert_int_equal(kv_hist_low(i),
				 (128 + i % 128) << (i / 128 - 1));
}

static void records_the_ends_of_the_range(void **state)
{
	static const __u64 v[] = { 0, 1, 255, 256, 1ULL << 32, UINT64_MAX };
	static const unsigned int bin[] = { 0, 1, 255, 256, 26 << 7, 7423 };
	__u64 sum = 0;

	(void)state;
	assert_int_equal(KV_HIST_BINS, 7424);
	for (unsigned int i = 0; i < 6; i++) {
		kv_hist_record(&hist, v[i]);
		sum += v[i];
		assert_int_equal(hist.bin[bin[i]], 1);
		assert_int_equal(hist.min, 0);
		assert_int_equal(hist.max, v[i]);
		assert_int_equal(hist.sum, sum);
	}
	assert_int_equal(count(), 6);
}

static void empty_after_reset(void **state)
{
	(void)state;
	kv_hist_record(&hist, 42);
	kv_hist_reset(&hist);
	assert_int_equal(count(), 0);
	assert_int_equal(hist.sum, 0);
	assert_int_equal(hist.min, UINT64_MAX);
	assert_int_equal(hist.max, 0);
}

/* One struct holds any number of samples: nothing in it points elsewhere. */
static void memory_is_fixed(void **state)
{
	(void)state;
	assert_true(sizeof(struct kv_hist) < 1 << 20);
	assert_int_equal(sizeof(struct kv_hist),
			 (3 + KV_HIST_BINS) * sizeof(__u64));
}

static void counts_go_beyond_32_bits(void **state)
{
	(void)state;
	/* 10^9 samples of about 5 s, then what comes after 2^32 in one bin. */
	kv_hist_record(&hist, 15000000000);
	hist.bin[kv_hist_index(15000000000)] += 999999999;
	hist.sum += 999999999 * 15000000000ULL;
	kv_hist_record(&hist, 15000000000);
	assert_int_equal(count(), 1000000001);
	assert_int_equal(hist.sum, 15000000015000000000ULL);

	hist.bin[7] = UINT32_MAX;
	kv_hist_record(&hist, 7);
	assert_int_equal(hist.bin[7], 1ULL << 32);
}

static void min_and_max_are_exact(void **state)
{
	(void)state;
	kv_hist_record(&hist, 1000003);
	kv_hist_record(&hist, 1000001);
	kv_hist_record(&hist, 1000007);
	assert_int_equal(hist.min, 1000001);
	assert_int_equal(hist.max, 1000007);
	assert_int_equal(hist.sum, 3000011);
	assert_int_equal(hist.bin[kv_hist_index(1000003)], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_bin_starts_at_its_low, reset),
		cmocka_unit_test_setup(every_bin_ends_before_the_next, reset),
		cmocka_unit_test_setup(no_bin_is_wider_than_one_percent, reset),
		cmocka_unit_test_setup(small_values_have_a_bin_each, reset),
		cmocka_unit_test_setup(bins_are_where_uapi_says, reset),
		cmocka_unit_test_setup(records_the_ends_of_the_range, reset),
		cmocka_unit_test_setup(empty_after_reset, reset),
		cmocka_unit_test_setup(memory_is_fixed, reset),
		cmocka_unit_test_setup(counts_go_beyond_32_bits, reset),
		cmocka_unit_test_setup(min_and_max_are_exact, reset),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
