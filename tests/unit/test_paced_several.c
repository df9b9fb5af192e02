// SPDX-License-Identifier: MIT
/* The loops of several ends whose groups are due at one interval: a group is its end's. */
#include "test.h"
#include "loop_env.h"
#include "loop/flow.h"

#define ENDS 3
#define GROUPS 4
#define INTERVAL 1000

static struct kv_hist hist;
static struct kv_loop loop;
static struct kv_end ends[ENDS];
static struct kv_flow flows[ENDS];
static struct kv_env_cq one_cq;

/* The loop under test, and whether its ends have one CQ in common. */
static kv_loop_fn fn;
static bool common;

/* An interval of 1000 ticks; a look takes 10, and a group is complete at the third. */
static int reset(void **state)
{
	memset(&fake, 0, sizeof(fake));
	memset(&loop, 0, sizeof(loop));
	memset(ends, 0, sizeof(ends));
	memset(flows, 0, sizeof(flows));
	memset(&one_cq, 0, sizeof(one_cq));
	kv_hist_reset(&hist);
	fake.now = 1000000;
	fake.now_ticks = 1;
	fake.relax_ticks = 9;
	fake.yield_ticks = 9;
	for (unsigned int i = 0; i < ENDS; i++) {
		ends[i].send_empty = 2;
		ends[i].one_cq = common ? &one_cq : NULL;
	}
	loop.a = ends;
	loop.flow = flows;
	loop.flows = ENDS;
	loop.hist = &hist;
	loop.groups = GROUPS;
	loop.iters = 300;
	loop.time = ~0ULL;
	loop.timeout = 10000000;
	loop.spins = 10;
	loop.interval = INTERVAL;
	kv_flow_init(&loop, 1);
	return 0;
}

static __u64 count_from(__u64 ticks)
{
	__u64 n = 0;

	for (unsigned int i = kv_hist_index(ticks); i < KV_HIST_BINS; i++)
		n += hist.bin[i].count;
	return n;
}

static void assert_drained(void)
{
	assert_int_equal(one_cq.used, 0);
	assert_int_equal(loop.busy, 0);
	for (unsigned int i = 0; i < ENDS; i++) {
		assert_int_equal(ends[i].send_cq.used, 0);
		assert_int_equal(flows[i].outstanding, 0);
		assert_int_equal(flows[i].done, ends[i].sends);
	}
}

/* No end is a group ahead of one before it, nor two of one behind it. */
static void see_turns(void)
{
	for (unsigned int i = 1; i < ENDS; i++)
		assert_in_range(ends[i - 1].sends, ends[i].sends, ends[i].sends + 1);
	assert_in_range(ends[ENDS - 1].sends + 1, ends[0].sends, ends[0].sends + 1);
}

static void ends_get_groups_in_turn(void **state)
{
	loop.iters = 31;
	loop.quiet = 1;
	fake.relax = see_turns;
	fake.yield = see_turns;
	assert_int_equal(fn(&loop), 0);
	assert_int_equal(loop.done, 31);
	assert_int_equal(count_from(0), 31);
	assert_in_range(kv_hist_max(&hist), 20, 50);
	assert_int_equal(ends[0].sends, 11);
	assert_int_equal(ends[1].sends, 10);
	assert_int_equal(ends[2].sends, 10);
	assert_int_equal(ends[0].quiets, 11);
	/* The last group has its interval, too. */
	assert_in_range(kv_loop_elapsed(&loop), 31 * INTERVAL, 31 * INTERVAL + 20);
	assert_drained();
	/* The pass after a warm-up begins with the first end. */
	kv_loop_reset(&loop);
	for (unsigned int i = 0; i < ENDS; i++)
		ends[i].sends = 0;
	loop.iters = 2;
	assert_int_equal(fn(&loop), 0);
	assert_int_equal(ends[0].sends, 1);
	assert_int_equal(ends[1].sends, 1);
	assert_int_equal(ends[2].sends, 0);
	assert_drained();
}

static void time_ends_with_an_interval(void **state)
{
	loop.iters = ~0ULL;
	loop.time = 10500;
	assert_int_equal(fn(&loop), 0);
	assert_int_equal(loop.done, 11);
	assert_in_range(kv_loop_elapsed(&loop), 11000, 11020);
	assert_drained();
}

/* A third of a tick each time, a million times: at each end it is a whole one. */
static void fractions_of_a_tick_do_not_drift(void **state)
{
	for (unsigned int i = 0; i < ENDS; i++)
		ends[i].send_empty = 0;
	fake.relax_ticks = 1;
	fake.yield_ticks = 1;
	loop.iters = 1000000;
	loop.interval = 33;
	loop.fraction = 0x55555555;
	assert_int_equal(fn(&loop), 0);
	assert_int_equal(loop.done, 1000000);
	assert_in_range(kv_loop_elapsed(&loop), 33333332, 33333340);
	assert_in_range(kv_hist_max(&hist), 1, 20);
	see_turns();
	assert_drained();
}

/* 2^24 of 2^-32 ticks for each of 3 * 2^40 groups: more than 64 bits. The post takes 2^34 ticks. */
static void a_long_run_keeps_its_times(void **state)
{
	flows[0].done = 1ULL << 40;
	ends[0].send_empty = 0;
	loop.iters = 1;
	loop.interval = 0;
	loop.fraction = 1 << 24;
	fake.post_ticks = 1ULL << 34;
	assert_int_equal(fn(&loop), 0);
	assert_int_equal(loop.done, 1);
	assert_in_range(kv_hist_max(&hist), 1ULL << 32, (1ULL << 32) + 100);
}

/* End 1 answers nothing until then. */
static __u64 answers_from;
static unsigned int answered, most[ENDS];

static void answer(void)
{
	for (unsigned int i = 0; i < ENDS; i++)
		most[i] = flows[i].outstanding > most[i] ? flows[i].outstanding : most[i];
	if (fake.now < answers_from)
		return;
	for (; answered < ends[1].sends; answered++)
		fake_complete(kv_env_send_cq(&ends[1]), (struct fake_wc){ .end = &ends[1] });
}

static void ignore(struct kv_end *e)
{
}

static void stall_end(__u64 ticks)
{
	answers_from = fake.now + ticks;
	answered = 0;
	memset(most, 0, sizeof(most));
	ends[1].arrived = ignore;
	fake.relax = answer;
	fake.yield = answer;
}

/* In 100 intervals 33 groups of the end are due. They wait for it, and nobody waits for them. */
static void a_stalled_end_delays_its_own_groups(void **state)
{
	stall_end(100 * INTERVAL);
	assert_int_equal(fn(&loop), 0);
	assert_int_equal(loop.done, 300);
	assert_in_range(count_from(100), 33, 36);
	assert_in_range(count_from(50 * INTERVAL), 15, 18);
	assert_in_range(kv_hist_max(&hist), 98 * INTERVAL, 100 * INTERVAL);
	assert_in_range(kv_loop_elapsed(&loop), 300 * INTERVAL, 300 * INTERVAL + 20);
	for (unsigned int i = 0; i < ENDS; i++)
		assert_int_equal(flows[i].done, 100);
	assert_int_equal(most[1], GROUPS);
	assert_int_equal(most[0], 1);
	assert_drained();
}

/* It has groups that wait when the last one is due: none of them is left out, and no end gets more. */
static void groups_that_wait_count(void **state)
{
	stall_end(400 * INTERVAL);
	assert_int_equal(fn(&loop), 0);
	for (unsigned int i = 0; i < ENDS; i++)
		assert_int_equal(flows[i].done, 100);
	assert_in_range(kv_loop_elapsed(&loop), 400 * INTERVAL, 402 * INTERVAL);
	assert_drained();
	/* Those that wait when the time is over are not posted any more. */
	reset(state);
	stall_end(400 * INTERVAL);
	loop.iters = ~0ULL;
	loop.time = 300 * INTERVAL - 1;
	assert_int_equal(fn(&loop), 0);
	assert_int_equal(flows[0].done, 100);
	assert_int_equal(flows[1].done, GROUPS);
	assert_int_equal(flows[2].done, 100);
	assert_drained();
}

/* The thread has no CPU for 100 intervals: what is due then is posted in its order. */
static void lose_the_cpu(void)
{
	see_turns();
	if (!answers_from || fake.now < answers_from)
		return;
	answers_from = 0;
	fake.now += 100 * INTERVAL;
}

static void a_late_loop_keeps_the_order(void **state)
{
	answers_from = fake.now + 50 * INTERVAL;
	fake.relax = lose_the_cpu;
	fake.yield = lose_the_cpu;
	loop.timeout = 20 * INTERVAL;
	assert_int_equal(fn(&loop), 0);
	assert_int_equal(loop.done, 300);
	assert_in_range(count_from(INTERVAL), 95, 115);
	assert_in_range(kv_hist_max(&hist), 95 * INTERVAL, 101 * INTERVAL);
	assert_in_range(kv_loop_elapsed(&loop), 300 * INTERVAL, 300 * INTERVAL + 20);
	assert_drained();
}

static void stall_twice(void)
{
	if (!answers_from || fake.now < answers_from || !loop.outstanding)
		return;
	answers_from = fake.now < 1000000 + 100 * INTERVAL ? 1000000 + 200 * INTERVAL : 0;
	fake.now += 30 * INTERVAL;
}

/* A yield that lasts longer than the timeout is followed by one more look, each time. */
static void it_looks_once_more_before_it_gives_up(void **state)
{
	answers_from = fake.now + 50 * INTERVAL;
	fake.yield = stall_twice;
	loop.spins = 0;
	loop.timeout = 20 * INTERVAL;
	assert_int_equal(fn(&loop), 0);
	assert_int_equal(loop.done, 300);
	assert_int_equal(answers_from, 0);
	assert_drained();
}

/* More is due than can be done: each end has its depth outstanding, and time ends it. */
static void an_overloaded_loop_ends_with_its_time(void **state)
{
	stall_end(0);
	ends[1].arrived = NULL;
	ends[1].send_empty = 30;
	answers_from = ~0ULL;
	loop.interval = 3;
	loop.iters = ~0ULL;
	loop.time = 100000;
	assert_int_equal(fn(&loop), 0);
	for (unsigned int i = 0; i < ENDS; i++)
		assert_int_equal(most[i], GROUPS);
	assert_in_range(kv_loop_elapsed(&loop), 100000, 102000);
	assert_true(kv_hist_max(&hist) > 50000);
	/* In one CQ of the test the completions behind a late one are late, too. */
	if (!common)
		assert_true(flows[0].done > 3 * flows[1].done && flows[2].done > 3 * flows[1].done);
	assert_in_range(flows[0].done, flows[2].done - flows[2].done / 10, flows[2].done + flows[2].done / 10);
	assert_drained();
}

/* Two groups that are complete at the fifth look: each of eight looks in vain is followed by one or the other. */
static void it_looks_everywhere_before_it_yields(void **state)
{
	for (unsigned int i = 0; i < ENDS; i++)
		ends[i].send_empty = 4;
	loop.iters = 2;
	loop.interval = 1;
	loop.spins = 0;
	assert_int_equal(fn(&loop), 0);
	assert_int_equal(fake.relaxed + loop.yields, 8);
	if (common)
		assert_int_equal(fake.relaxed, 0);
	else
		assert_in_range(fake.relaxed, 2, 4);
}

/* The CQ of an end that has got no group is not polled. */
static void it_looks_where_groups_are_outstanding(void **state)
{
	ends[2].send_cq.broken = true;
	loop.iters = 2;
	assert_int_equal(fn(&loop), 0);
	loop.iters = 3;
	kv_loop_reset(&loop);
	assert_int_equal(fn(&loop), -EIO);
	assert_int_equal(loop.wc_status, 0);
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
	assert_int_equal(fn(&loop), -ECANCELED);
	assert_int_equal(loop.done, 1);
	assert_int_equal(loop.yields, 1);
	assert_true(fake.now < 1002000);
	assert_drained();
}

static void set_stop_later(void)
{
	loop.stop = fake.now > 1001000;
}

static void a_stop_waits_for_what_is_outstanding(void **state)
{
	loop.spins = 0;
	loop.grace = 1000;
	fake.yield = set_stop;
	assert_int_equal(fn(&loop), -ECANCELED);
	assert_int_equal(loop.done, 1);
	assert_drained();
	/* Not for ever, and not for groups that wait for room. */
	reset(state);
	stall_end(~0ULL - fake.now);
	loop.interval = 1;
	loop.spins = 0;
	loop.grace = 1000;
	fake.yield = set_stop_later;
	assert_int_equal(fn(&loop), -ECANCELED);
	assert_int_equal(loop.busy, 1);
	assert_int_equal(flows[0].outstanding, 0);
	assert_int_equal(flows[1].outstanding, GROUPS);
	assert_in_range(fake.now, 1002000, 1002200);
}

/* The other ends go on; the deadline counts from their last completion. */
static void a_lost_group_ends_it(void **state)
{
	ends[1].lost_send = 100;
	loop.timeout = 500000;
	assert_int_equal(fn(&loop), -ETIMEDOUT);
	assert_int_equal(loop.done, 299);
	assert_int_equal(loop.busy, 1);
	assert_in_range(fake.now, 1000000 + 299 * INTERVAL + 500000, 1000000 + 301 * INTERVAL + 500000);
}

static void a_group_that_fails_says_why(void **state)
{
	ends[1].bad_send = 6;
	ends[1].bad = (struct fake_wc){ 0, 10, 0x81, NULL };
	assert_int_equal(fn(&loop), -EIO);
	assert_int_equal(loop.done, 16);
	assert_int_equal(loop.busy, 1);
	assert_int_equal(loop.wc_status, 10);
	assert_int_equal(loop.vendor_err, 0x81);
}

static void a_post_that_fails_ends_it(void **state)
{
	ends[2].fail_send = 2;
	ends[2].fail_ret = -ENOMEM;
	assert_int_equal(fn(&loop), -ENOMEM);
	assert_int_equal(loop.done, 5);
	assert_int_equal(loop.busy, 1);
	/* So does that of a group that has waited. */
	reset(state);
	stall_end(100 * INTERVAL);
	ends[1].fail_send = GROUPS + 1;
	ends[1].fail_ret = -ENOMEM;
	assert_int_equal(fn(&loop), -ENOMEM);
	assert_int_equal(flows[1].done, 1);
	assert_true(fake.now > 1000000 + 100 * INTERVAL);
	assert_int_equal(loop.busy, 1);
}

static void completions_of_others_are_dropped(void **state)
{
	static struct kv_end other;

	fake_complete(&one_cq, (struct fake_wc){ .end = &other });
	loop.iters = 6;
	assert_int_equal(fn(&loop), 0);
	assert_int_equal(loop.done, 6);
	assert_drained();
}

static void they_are_picked(void **state)
{
	struct kv_loop_form form = { .loop = KVERBS_LOOP_STREAM, .paced = 1, .several = 1 };

	assert_true(kv_loop_pick(&form, 0) == kv_loop_paced_several);
	assert_true(kv_loop_pick(&form, 1) == kv_loop_paced_several_bh_disabled);
	form.one_cq = 1;
	assert_true(kv_loop_pick(&form, 0) == kv_loop_paced_several_one_cq);
	assert_true(kv_loop_pick(&form, 1) == kv_loop_paced_several_one_cq_bh_disabled);
}

static void softirqs_are_held_off_around_posts(void **state)
{
	stall_end(100 * INTERVAL);
	assert_int_equal(common ? kv_loop_paced_several_one_cq_bh_disabled(&loop) :
				  kv_loop_paced_several_bh_disabled(&loop), 0);
	for (unsigned int i = 0; i < ENDS; i++)
		assert_int_equal(ends[i].bh_posts, ends[i].sends);
}

static int reset_own_cqs(void **state)
{
	fn = kv_loop_paced_several;
	common = false;
	return reset(state);
}

static int reset_one_cq(void **state)
{
	fn = kv_loop_paced_several_one_cq;
	common = true;
	return reset(state);
}

#define OWN_CQS(test) { #test, test, reset_own_cqs, NULL, NULL }
#define ONE_CQ(test) { #test " (one CQ)", test, reset_one_cq, NULL, NULL }

int main(void)
{
	const struct CMUnitTest tests[] = {
		OWN_CQS(ends_get_groups_in_turn), ONE_CQ(ends_get_groups_in_turn),
		OWN_CQS(time_ends_with_an_interval), ONE_CQ(time_ends_with_an_interval),
		OWN_CQS(fractions_of_a_tick_do_not_drift), ONE_CQ(fractions_of_a_tick_do_not_drift),
		OWN_CQS(a_long_run_keeps_its_times), ONE_CQ(a_long_run_keeps_its_times),
		OWN_CQS(a_stalled_end_delays_its_own_groups), ONE_CQ(a_stalled_end_delays_its_own_groups),
		OWN_CQS(groups_that_wait_count), ONE_CQ(groups_that_wait_count),
		OWN_CQS(a_late_loop_keeps_the_order), ONE_CQ(a_late_loop_keeps_the_order),
		OWN_CQS(it_looks_once_more_before_it_gives_up), ONE_CQ(it_looks_once_more_before_it_gives_up),
		OWN_CQS(an_overloaded_loop_ends_with_its_time), ONE_CQ(an_overloaded_loop_ends_with_its_time),
		OWN_CQS(it_looks_everywhere_before_it_yields), ONE_CQ(it_looks_everywhere_before_it_yields),
		OWN_CQS(it_looks_where_groups_are_outstanding),
		OWN_CQS(a_stop_between_two_groups_ends_it), ONE_CQ(a_stop_between_two_groups_ends_it),
		OWN_CQS(a_stop_waits_for_what_is_outstanding), ONE_CQ(a_stop_waits_for_what_is_outstanding),
		OWN_CQS(a_lost_group_ends_it), ONE_CQ(a_lost_group_ends_it),
		OWN_CQS(a_group_that_fails_says_why), ONE_CQ(a_group_that_fails_says_why),
		OWN_CQS(a_post_that_fails_ends_it), ONE_CQ(a_post_that_fails_ends_it),
		ONE_CQ(completions_of_others_are_dropped),
		OWN_CQS(they_are_picked),
		OWN_CQS(softirqs_are_held_off_around_posts), ONE_CQ(softirqs_are_held_off_around_posts),
	};

	return cmocka_run_group_tests_name("paced, several ends", tests, NULL, NULL);
}
