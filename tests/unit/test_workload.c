// SPDX-License-Identifier: MIT
/* How many requests of a stream are outstanding if the user does not say it. */
#include "test.h"
#include "measure/workload.h"

#define KIB 1024U
#define MIB (1024U * KIB)

static uint32_t fit(uint32_t size, uint32_t signal, uint32_t threads, uint32_t qps, bool both_ways)
{
	const struct kv_workload w = {
		.size = size,
		.signal = signal,
		.threads = threads,
		.qps = qps,
		.both_ways = both_ways,
	};
	const uint32_t depth = kv_workload_fit_depth(&w, 128);

	assert_int_equal(depth % signal, 0);
	return depth;
}

static void small_ones_are_not_cut(void **state)
{
	assert_int_equal(fit(0, 1, 1, 1, false), 128);
	assert_int_equal(fit(64 * KIB, 1, 1, 1, false), 128);
	assert_int_equal(fit(KV_WORKLOAD_OUTSTANDING_MAX / 128, 1, 1, 1, false), 128);
	assert_int_equal(fit(128 * KIB, 1, 1, 1, false), 128);
}

/* A block lasts until all outstanding requests are done: 16 MiB take half a second at 30 MB/s. */
static void large_ones_do_not_fill_seconds(void **state)
{
	assert_int_equal(fit(MIB, 1, 1, 1, false), 16);
	assert_int_equal(fit(8 * MIB, 1, 1, 1, false), 2);
}

static void all_together_have_so_many_bytes(void **state)
{
	const uint32_t size = KV_WORKLOAD_OUTSTANDING_MAX / 32;

	assert_int_equal(fit(size, 1, 1, 1, false), 32);
	assert_int_equal(fit(size + 1, 1, 1, 1, false), 31);
	assert_int_equal(fit(size, 1, 2, 1, false), 16);
	assert_int_equal(fit(size, 1, 1, 4, false), 8);
	assert_int_equal(fit(size, 1, 2, 4, true), 2);
}

static void a_group_is_whole(void **state)
{
	const uint32_t size = KV_WORKLOAD_OUTSTANDING_MAX / 32;

	assert_int_equal(fit(size, 8, 1, 1, false), 32);
	assert_int_equal(fit(size + 1, 8, 1, 1, false), 24);
	/* At least one of them. */
	assert_int_equal(fit(size, 64, 1, 1, false), 64);
	assert_int_equal(fit(4096 * (MIB - 1), 1, 16, 16, true), 1);
}

/* On iWARP only. */
static void a_stream_of_sends_takes_credits(void **state)
{
	const struct kv_dev roce = { .caps = KVERBS_CAP_RC | KVERBS_CAP_UD | KVERBS_CAP_AH }, iwarp = { .caps = KVERBS_CAP_RC };
	struct kv_workload w = { .kind = KV_KIND_STREAM, .op = KVERBS_OP_SEND };

	assert_true(kv_dev_is_iwarp(&iwarp) && !kv_dev_is_iwarp(&roce));
	kv_workload_adapt(&w, &roce);
	assert_int_equal(kv_workload_loop(&w), KVERBS_LOOP_STREAM);
	kv_workload_adapt(&w, &iwarp);
	assert_true(w.credits);
	assert_int_equal(kv_workload_loop(&w), KVERBS_LOOP_CREDIT_STREAM);
	kv_workload_set(&w, KV_KIND_NULL, 0, 0);
	assert_int_equal(kv_workload_loop(&w), KVERBS_LOOP_NULL);
	kv_workload_set(&w, KV_KIND_STREAM, KVERBS_OP_WRITE, 8);
	kv_workload_adapt(&w, &iwarp);
	assert_false(w.credits);
	kv_workload_set(&w, KV_KIND_PINGPONG, KVERBS_OP_SEND, 8);
	kv_workload_adapt(&w, &iwarp);
	assert_int_equal(kv_workload_loop(&w), KVERBS_LOOP_PINGPONG_CLIENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_ones_are_not_cut),
		cmocka_unit_test(large_ones_do_not_fill_seconds),
		cmocka_unit_test(all_together_have_so_many_bytes),
		cmocka_unit_test(a_group_is_whole),
		cmocka_unit_test(a_stream_of_sends_takes_credits),
	};

	return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
