// SPDX-License-Identifier: MIT
#include "test.h"
#include "loop/hist.h"

static struct kv_hist hist;

static int reset(void **state)
{
	kv_hist_reset(&hist);
	return 0;
}

static __u64 count(void)
{
	__u64 n = 0;

	for (unsigned int i = 0; i < KV_HIST_BINS; i++)
		n += hist.bin[i].count;
	return n;
}

static void every_bin_starts_at_its_low(void **state)
{
	for (unsigned int i = 0; i < KV_HIST_BINS; i++)
		assert_int_equal(kv_hist_index(kv_hist_low(i)), i);
}

static void every_bin_ends_before_the_next(void **state)
{
	for (unsigned int i = 0; i + 1 < KV_HIST_BINS; i++) {
		assert_true(kv_hist_low(i) < kv_hist_low(i + 1));
		assert_int_equal(kv_hist_index(kv_hist_low(i + 1) - 1), i);
	}
	assert_int_equal(kv_hist_index(UINT64_MAX), KV_HIST_BINS - 1);
}

static void no_bin_is_wider_than_a_thousandth(void **state)
{
	for (unsigned int i = 0; i < KV_HIST_BINS; i++) {
		__u64 low = kv_hist_low(i);
		__u64 high = i + 1 < KV_HIST_BINS ? kv_hist_low(i + 1) - 1 :
						    UINT64_MAX;

		/* How far any two values of the bin can be apart. */
		assert_true(high - low <= low / 1000);
	}
}

static void small_values_have_a_bin_each(void **state)
{
	for (unsigned int v = 0; v < 2048; v++) {
		assert_int_equal(kv_hist_index(v), v);
		assert_int_equal(kv_hist_low(v), v);
	}
	assert_int_equal(kv_hist_index(2048), 2048);
	assert_int_equal(kv_hist_index(2049), 2048);
	assert_int_equal(kv_hist_index(2050), 2049);
}

static void records_the_ends_of_the_range(void **state)
{
	static const __u64 v[] = { 0, 1, 2047, 2048, 1ULL << 32, UINT64_MAX };
	static const unsigned int bin[] = { 0, 1, 2047, 2048, 23 << 10, 56319 };
	__u64 sum = 0;

	assert_int_equal(KV_HIST_BINS, 56320);
	for (unsigned int i = 0; i < 6; i++) {
		kv_hist_record(&hist, v[i]);
		sum += v[i];
		assert_int_equal(hist.bin[bin[i]].count, 1);
		assert_int_equal(kv_hist_min(&hist), 0);
		assert_int_equal(kv_hist_max(&hist), v[i]);
		assert_int_equal(hist.sum, sum);
	}
	assert_int_equal(count(), 6);
}

static void empty_after_reset(void **state)
{
	kv_hist_record(&hist, 42);
	kv_hist_reset(&hist);
	assert_int_equal(count(), 0);
	assert_int_equal(hist.sum, 0);
	assert_int_equal(kv_hist_min(&hist), UINT64_MAX);
	assert_int_equal(kv_hist_max(&hist), 0);
}

/* One struct holds any number of samples: nothing in it points elsewhere. */
static void memory_is_fixed(void **state)
{
	assert_true(sizeof(struct kv_hist) < 1 << 20);
	assert_int_equal(sizeof(struct kv_hist),
			 (1 + 2 * KV_HIST_BINS) * sizeof(__u64));
}

static void counts_go_beyond_32_bits(void **state)
{
	/* 10^9 samples of about 5 s, then what comes after 2^32 in one bin. */
	kv_hist_record(&hist, 15000000000);
	hist.bin[kv_hist_index(15000000000)].count += 999999999;
	hist.sum += 999999999 * 15000000000ULL;
	kv_hist_record(&hist, 15000000000);
	assert_int_equal(count(), 1000000001);
	assert_int_equal(hist.sum, 15000000015000000000ULL);

	hist.bin[7].count = UINT32_MAX;
	kv_hist_record(&hist, 7);
	assert_int_equal(hist.bin[7].count, 1ULL << 32);
}

static void extremes_of_a_bin_are_exact(void **state)
{
	unsigned int i = (unsigned int)kv_hist_index(1000003);

	kv_hist_record(&hist, 1000003);
	assert_int_equal(kv_hist_bin_min(&hist, i), 1000003);
	assert_int_equal(kv_hist_bin_max(&hist, i), 1000003);
	kv_hist_record(&hist, 1000001);
	kv_hist_record(&hist, 1000007);
	assert_int_equal(kv_hist_bin_min(&hist, i), 1000001);
	assert_int_equal(kv_hist_bin_max(&hist, i), 1000007);
	assert_int_equal(hist.sum, 3000011);
	assert_int_equal(hist.bin[i].count, 3);
}

/* Up to the last value for which it holds, also where the lower half is all ones or zero. */
static void extremes_are_exact_up_to_an_hour(void **state)
{
	static const __u64 v[] = { 0xffffffff, 1ULL << 32, 0x1ffffffff, 0x20000000000,
				   0x12345678901, KV_HIST_EXACT - 1 };

	for (unsigned int i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		kv_hist_reset(&hist);
		kv_hist_record(&hist, v[i]);
		assert_true(kv_hist_min(&hist) == v[i]);
		assert_true(kv_hist_max(&hist) == v[i]);
	}
	kv_hist_reset(&hist);
	kv_hist_record(&hist, KV_HIST_EXACT + 12345);
	assert_true(kv_hist_min(&hist) == KV_HIST_EXACT);
	assert_true(kv_hist_max(&hist) > KV_HIST_EXACT + 12345);
	assert_true(kv_hist_max(&hist) < KV_HIST_EXACT / 1000 * 1001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_bin_starts_at_its_low, reset),
		cmocka_unit_test_setup(every_bin_ends_before_the_next, reset),
		cmocka_unit_test_setup(no_bin_is_wider_than_a_thousandth, reset),
		cmocka_unit_test_setup(small_values_have_a_bin_each, reset),
		cmocka_unit_test_setup(records_the_ends_of_the_range, reset),
		cmocka_unit_test_setup(empty_after_reset, reset),
		cmocka_unit_test_setup(memory_is_fixed, reset),
		cmocka_unit_test_setup(counts_go_beyond_32_bits, reset),
		cmocka_unit_test_setup(extremes_of_a_bin_are_exact, reset),
		cmocka_unit_test_setup(extremes_are_exact_up_to_an_hour, reset),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
