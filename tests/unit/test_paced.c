// SPDX-License-Identifier: MIT
/* The loop whose groups are due at a fixed interval: a sample begins when its group was due. */
#include "test.h"
#include "loop_env.h"
#include "loop/loop.h"

#define GROUPS 8

static struct kv_hist hist;
static struct kv_loop loop;
static struct kv_end a;
static __u64 posted[GROUPS];

/* An interval of 1000 ticks; a look takes 10, and a group is complete at the third. */
static int reset(void **state)
{
	memset(&fake, 0, sizeof(fake));
	memset(&loop, 0, sizeof(loop));
	memset(&a, 0, sizeof(a));
	kv_hist_reset(&hist);
	fake.now = 1000000;
	fake.now_ticks = 1;
	fake.relax_ticks = 9;
	fake.yield_ticks = 9;
	a.send_empty = 2;
	loop.a = &a;
	loop.hist = &hist;
	loop.posted = posted;
	loop.groups = GROUPS;
	loop.iters = 1000;
	loop.time = ~0ULL;
	loop.timeout = 100000;
	loop.spins = 10;
	loop.interval = 1000;
	return 0;
}

static __u64 count_from(__u64 ticks)
{
	__u64 n = 0;

	for (unsigned int i = kv_hist_index(ticks); i < KV_HIST_BINS; i++)
		n += hist.bin[i].count;
	return n;
}

static void groups_are_due_at_the_interval(void **state)
{
	assert_int_equal(kv_loop_paced_bh_disabled(&loop), 0);
	assert_int_equal(a.sends, 1000);
	assert_int_equal(a.bh_posts, 1000);
	assert_int_equal(loop.done, 1000);
	assert_int_equal(count_from(0), 1000);
	assert_in_range(kv_hist_max(&hist), 20, 50);
	/* The last group has its interval, too. */
	assert_in_range(kv_loop_elapsed(&loop), 1000 * 1000, 1000 * 1000 + 20);
	assert_int_equal(a.send_cq.used, 0);
}

static void time_ends_with_an_interval(void **state)
{
	loop.iters = ~0ULL;
	loop.time = 10500;
	assert_int_equal(kv_loop_paced(&loop), 0);
	assert_int_equal(loop.done, 11);
	assert_in_range(kv_loop_elapsed(&loop), 11000, 11020);
	loop.interval = 1000000;
	kv_loop_reset(&loop);
	assert_int_equal(kv_loop_paced(&loop), 0);
	assert_int_equal(loop.done, 1);
	assert_in_range(kv_loop_elapsed(&loop), 1000000, 1000020);
}

/* A third of a tick each time, a million times. */
static void fractions_of_a_tick_do_not_drift(void **state)
{
	a.send_empty = 0;
	fake.relax_ticks = 1;
	fake.yield_ticks = 1;
	loop.iters = 1000000;
	loop.interval = 33;
	loop.fraction = 0x55555555;
	assert_int_equal(kv_loop_paced(&loop), 0);
	assert_int_equal(loop.done, 1000000);
	assert_in_range(kv_loop_elapsed(&loop), 33333332, 33333340);
}

static __u64 stall_at, stall_ticks;

/* The device, or the CPU, is gone for a while. */
static void stall(void)
{
	if (!stall_at || fake.now < stall_at)
		return;
	stall_at = 0;
	fake.now += stall_ticks;
}

/* A hundred groups are due during the stall: each waits for the rest of it. */
static void a_stall_is_in_the_samples_of_all_that_was_due(void **state)
{
	stall_at = fake.now + 200500;
	stall_ticks = 100000;
	loop.timeout = 1000000;
	fake.relax = stall;
	fake.yield = stall;
	assert_int_equal(kv_loop_paced(&loop), 0);
	assert_int_equal(loop.done, 1000);
	assert_in_range(kv_hist_max(&hist), 95000, 100100);
	assert_in_range(count_from(50000), 45, 55);
	/* It has caught up: the backlog of a hundred takes some groups more. */
	assert_in_range(count_from(1000), 95, 115);
	assert_in_range(kv_loop_elapsed(&loop), 1000 * 1000, 1000 * 1000 + 20);

	/* A closed loop sees the same stall once. */
	reset(state);
	stall_at = fake.now + 5005;
	fake.relax = stall;
	fake.yield = stall;
	loop.timeout = 1000000;
	assert_int_equal(kv_loop_post_to_completion(&loop), 0);
	assert_int_equal(count_from(1000), 1);
}

static unsigned int most;

static void count_outstanding(void)
{
	most = a.send_cq.used > most ? a.send_cq.used : most;
}

/* More is due than can be done: the depth holds, time ends it, and the samples grow all the while. */
static void an_overloaded_loop_ends_with_its_time(void **state)
{
	fake.relax = count_outstanding;
	fake.yield = count_outstanding;
	most = 0;
	loop.interval = 10;
	loop.iters = ~0ULL;
	loop.time = 100000;
	assert_int_equal(kv_loop_paced(&loop), 0);
	assert_int_equal(most, GROUPS);
	assert_in_range(loop.done, 1000, 5000);
	assert_in_range(kv_loop_elapsed(&loop), 100000, 101000);
	assert_true(kv_hist_max(&hist) > 50000);
	assert_int_equal(a.send_cq.used, 0);
}

static void a_group_signals_its_last_list(void **state)
{
	loop.quiet = 3;
	loop.iters = 5;
	assert_int_equal(kv_loop_paced(&loop), 0);
	assert_int_equal(a.sends, 5);
	assert_int_equal(a.quiets, 15);
	a.fail_quiet = 17;
	a.fail_ret = -ENOMEM;
	loop.iters = 10;
	assert_int_equal(kv_loop_paced(&loop), -ENOMEM);
	assert_int_equal(loop.busy, 1);
}

static void set_stop(void)
{
	loop.stop = 1;
}

static void a_stop_between_two_groups_ends_it(void **state)
{
	loop.interval = 1ULL << 40;
	fake.yield = set_stop;
	assert_int_equal(kv_loop_paced(&loop), -ECANCELED);
	assert_int_equal(loop.done, 1);
	assert_int_equal(loop.busy, 0);
	assert_int_equal(loop.yields, 1);
	assert_true(fake.now < 1002000);
}

static void a_stop_waits_for_what_is_outstanding(void **state)
{
	loop.spins = 0;
	loop.grace = 1000;
	fake.yield = set_stop;
	assert_int_equal(kv_loop_paced(&loop), -ECANCELED);
	assert_int_equal(loop.done, 1);
	assert_int_equal(loop.busy, 0);
	/* Not for ever. */
	reset(state);
	loop.grace = 1000;
	a.lost_send = 1;
	fake.yield = set_stop;
	assert_int_equal(kv_loop_paced(&loop), -ECANCELED);
	assert_int_equal(loop.busy, 1);
}

/* The deadline counts from the last completion, and not from when the group was due. */
static void the_deadline_is_that_of_one_group(void **state)
{
	loop.timeout = 500;
	stall_at = fake.now + 20500;
	stall_ticks = 50000;
	fake.relax = stall;
	fake.yield = stall;
	assert_int_equal(kv_loop_paced(&loop), 0);
	assert_int_equal(loop.done, 1000);
	reset(state);
	loop.timeout = 500;
	a.lost_send = 3;
	assert_int_equal(kv_loop_paced(&loop), -ETIMEDOUT);
	assert_int_equal(loop.done, 2);
	assert_int_equal(loop.busy, 1);
}

static void a_group_that_fails_says_why(void **state)
{
	a.bad_send = 6;
	a.bad = (struct fake_wc){ 0, 10, 0x81, NULL };
	assert_int_equal(kv_loop_paced(&loop), -EIO);
	assert_int_equal(loop.done, 5);
	assert_int_equal(loop.busy, 1);
	assert_int_equal(loop.wc_status, 10);
}

static void it_is_picked(void **state)
{
	static const struct kv_loop_form form = { .loop = KVERBS_LOOP_STREAM, .paced = 1 };

	assert_true(kv_loop_pick(&form, 0) == kv_loop_paced);
	assert_true(kv_loop_pick(&form, 1) == kv_loop_paced_bh_disabled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(groups_are_due_at_the_interval, reset),
		cmocka_unit_test_setup(time_ends_with_an_interval, reset),
		cmocka_unit_test_setup(fractions_of_a_tick_do_not_drift, reset),
		cmocka_unit_test_setup(a_stall_is_in_the_samples_of_all_that_was_due, reset),
		cmocka_unit_test_setup(an_overloaded_loop_ends_with_its_time, reset),
		cmocka_unit_test_setup(a_group_signals_its_last_list, reset),
		cmocka_unit_test_setup(a_stop_between_two_groups_ends_it, reset),
		cmocka_unit_test_setup(a_stop_waits_for_what_is_outstanding, reset),
		cmocka_unit_test_setup(the_deadline_is_that_of_one_group, reset),
		cmocka_unit_test_setup(a_group_that_fails_says_why, reset),
		cmocka_unit_test(it_is_picked),
	};

	return cmocka_run_group_tests_name("paced", tests, NULL, NULL);
}
