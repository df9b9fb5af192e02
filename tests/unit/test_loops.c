// SPDX-License-Identifier: MIT
#include "test.h"
#include <kverbs.h>
#include "loop_env.h"
#include "loop/flow.h"
#include "loop/handler.h"
#include "rules/request.h"

/* IBTA 11.6.2, with libibverbs' numbers. */
#define WC_FLUSHED 5
#define WC_REM_INV_REQ 9
#define WC_REM_ACCESS 10
#define WC_RETRY_EXCEEDED 12

static struct kv_hist hist;
static struct kv_loop loop;
static struct kv_end a, b;

static struct kv_loop server;
static struct kv_hist server_hist;

static __u64 hist_count(void)
{
	__u64 n = 0;

	for (unsigned int i = 0; i < KV_HIST_BINS; i++)
		n += hist.bin[i].count;
	return n;
}

static int reset(void **state)
{
	memset(&fake, 0, sizeof(fake));
	memset(&loop, 0, sizeof(loop));
	memset(&server, 0, sizeof(server));
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	kv_hist_reset(&hist);
	kv_hist_reset(&server_hist);
	fake.now = 1000000;
	fake.now_ticks = 1;
	a.recvs = KV_LOOP_RECVS;
	b.recvs = KV_LOOP_RECVS;
	loop.a = &a;
	loop.hist = &hist;
	loop.iters = 10;
	loop.time = ~0ULL;
	loop.timeout = 1000000;
	loop.spins = 1000;
	return 0;
}

/* Ends that the test plays, and not a loop. */

static unsigned int rounds;

/* Somebody's server: sends back what has arrived, which has to be the next byte. */
static void answer(struct kv_end *e)
{
	if (e->write) {
		e->rx_tail = e->new_tail;
		assert_int_equal(e->rx_tail, (__u8)(e->tx_tail + 1));
		e->tx_tail = e->rx_tail;
	}
	rounds++;
	assert_int_equal(kv_env_post_send(e, 0), 0);
	kv_env_invalidate_next(e);
}

/* A client: the answer has to be what was asked; asks for the next. */
static void ask(struct kv_end *e)
{
	if (e->write) {
		e->rx_tail = e->new_tail;
		assert_int_equal(e->rx_tail, e->tx_tail);
		e->tx_tail++;
	}
	rounds++;
	assert_int_equal(kv_env_post_send(e, 0), 0);
}

static void connect(int write)
{
	a.peer = &b;
	b.peer = &a;
	a.write = write;
	b.write = write;
	rounds = 0;
}

/* Every loop that posts, with what it needs around it. */

static void prepare_alone(void)
{
}

static __u64 posted[8];

/* A group at a time: then a stream takes its samples as post_to_completion does. */
static void prepare_stream(void)
{
	loop.posted = posted;
	loop.groups = 1;
}

/* A thread that sleeps polls once for each event: a completion is there when its event is. */
static void prepare_event(void)
{
	prepare_stream();
	fake.sleep_ticks = 100;
}

static void prepare_send_client(void)
{
	connect(0);
	b.arrived = answer;
}

static void prepare_write_client(void)
{
	connect(1);
	b.arrived = answer;
}

/* The first question is on its way. */
static void prepare_send_server(void)
{
	connect(0);
	b.arrived = ask;
	assert_int_equal(kv_env_post_send(&b, 0), 0);
}

static void prepare_write_server(void)
{
	connect(1);
	b.arrived = ask;
	b.tx_tail = 1;
	assert_int_equal(kv_env_post_send(&b, 0), 0);
}

static void prepare_send_pingpong(void)
{
	connect(0);
	loop.b = &b;
}

static void prepare_write_pingpong(void)
{
	connect(1);
	loop.b = &b;
}

/* The keys wrap within a run. */
#define KEY 0x5f9U

static void prepare_keys(void)
{
	a.key = KEY;
	b.invalidates = KEY + 1;
}

static void prepare_send_inv_client(void)
{
	prepare_send_client();
	prepare_keys();
}

static void prepare_send_inv_server(void)
{
	prepare_send_server();
	a.invalidates = KEY + 1;
}

static void prepare_send_inv_pingpong(void)
{
	prepare_send_pingpong();
	prepare_keys();
}

static const struct kind {
	const char *name;
	__u32 loop;
	__u32 op;
	void (*prepare)(void);
	bool samples;
} kinds[] = {
	{ "post_to_completion", KVERBS_LOOP_POST_TO_COMPLETION, KVERBS_OP_WRITE,
	  prepare_alone, true },
	{ "stream", KVERBS_LOOP_STREAM, KVERBS_OP_WRITE, prepare_stream, true },
	{ "event", KVERBS_LOOP_STREAM, KVERBS_OP_WRITE, prepare_event, true },
	{ "send_client", KVERBS_LOOP_PINGPONG_CLIENT, KVERBS_OP_SEND, prepare_send_client, true },
	{ "send_server", KVERBS_LOOP_PINGPONG_SERVER, KVERBS_OP_SEND, prepare_send_server, false },
	{ "send_pingpong", KVERBS_LOOP_PINGPONG, KVERBS_OP_SEND, prepare_send_pingpong,
	  true },
	{ "write_client", KVERBS_LOOP_PINGPONG_CLIENT, KVERBS_OP_WRITE, prepare_write_client,
	  true },
	{ "write_server", KVERBS_LOOP_PINGPONG_SERVER, KVERBS_OP_WRITE, prepare_write_server,
	  false },
	{ "write_pingpong", KVERBS_LOOP_PINGPONG, KVERBS_OP_WRITE, prepare_write_pingpong,
	  true },
	{ "send_inv_client", KVERBS_LOOP_PINGPONG_CLIENT, KVERBS_OP_SEND_WITH_INV,
	  prepare_send_inv_client, true },
	{ "send_inv_server", KVERBS_LOOP_PINGPONG_SERVER, KVERBS_OP_SEND_WITH_INV,
	  prepare_send_inv_server, false },
	{ "send_inv_pingpong", KVERBS_LOOP_PINGPONG, KVERBS_OP_SEND_WITH_INV,
	  prepare_send_inv_pingpong, true },
	{ "read_inv", KVERBS_LOOP_POST_TO_COMPLETION, KVERBS_OP_READ_WITH_INV, prepare_alone, true },
};

#define EACH_KIND(k) \
	for (const struct kind *k = kinds; \
	     k < kinds + sizeof(kinds) / sizeof(kinds[0]); k++)

static void prepare(const struct kind *k)
{
	reset(NULL);
	k->prepare();
}

#define MANY_ENDS 1
#define FROM_SRQ 2
#define ONE_CQ 4

/* @has: MANY_ENDS, FROM_SRQ, ONE_CQ */
static kv_loop_fn pick(__u32 kind, __u32 op, int has, int bh_disabled)
{
	const struct kv_loop_form form = {
		.loop = kind, .op = op, .several = has & MANY_ENDS, .srq = has & FROM_SRQ, .one_cq = has & ONE_CQ,
	};

	return kv_loop_pick(&form, bh_disabled);
}

static int run(const struct kind *k, int bh_disabled)
{
	if (k->prepare == prepare_event)
		return kv_loop_pick_event(bh_disabled)(&loop);
	return pick(k->loop, k->op, 0, bh_disabled)(&loop);
}

/* No completion was left behind for the next run to stumble over. */
static void assert_drained(void)
{
	assert_int_equal(a.send_cq.used, 0);
	assert_int_equal(b.send_cq.used, 0);
	if (loop.b) {
		assert_int_equal(a.recv_cq.used, 0);
		assert_int_equal(b.recv_cq.used, 0);
	}
	assert_int_equal(loop.busy, 0);
}

static void all_take_what_was_asked(void **state)
{
	EACH_KIND(k) {
		prepare(k);
		a.send_empty = 3;
		b.send_empty = 2;
		a.recv_empty = 4;
		b.recv_empty = 1;
		assert_int_equal(run(k, 0), 0);
		assert_int_equal(loop.done, 10);
		assert_int_equal(hist_count(), k->samples ? 10 : 0);
		assert_int_equal(a.sends, 10);
		assert_int_equal(fake.rescheds, 10);
		assert_int_equal(loop.wc_status, 0);
		assert_int_equal(a.unready + b.unready, 0);
		assert_drained();
	}
}

static void all_stop_before_the_first_when_none_is_wanted(void **state)
{
	EACH_KIND(k) {
		prepare(k);
		loop.iters = 0;
		assert_int_equal(run(k, 0), 0);
		assert_int_equal(a.sends, 0);
		assert_int_equal(loop.busy, 0);
	}
}

static void all_hold_off_softirqs_when_told(void **state)
{
	EACH_KIND(k) {
		for (int bh_disabled = 0; bh_disabled < 2; bh_disabled++) {
			prepare(k);
			assert_int_equal(run(k, bh_disabled), 0);
			assert_int_equal(a.bh_posts, bh_disabled ? a.sends : 0);
			if (loop.b)
				assert_int_equal(b.bh_posts, bh_disabled ? b.sends : 0);
		}
	}
}

static void all_return_what_a_post_returned(void **state)
{
	EACH_KIND(k) {
		prepare(k);
		a.fail_send = 4;
		a.fail_ret = -ENOMEM;
		assert_int_equal(run(k, 0), -ENOMEM);
		assert_int_equal(loop.done, 3);
		assert_int_equal(hist_count(), k->samples ? 3 : 0);
		assert_int_equal(loop.busy, 1);
		assert_int_equal(loop.wc_status, 0);
	}
}

static void all_return_what_a_post_of_a_receive_returned(void **state)
{
	EACH_KIND(k) {
		if (k->op != KVERBS_OP_SEND)
			continue;
		prepare(k);
		a.fail_recv = 4;
		a.fail_ret = -ENOMEM;
		assert_int_equal(run(k, 0), -ENOMEM);
		assert_int_equal(loop.done, 3);
		assert_int_equal(loop.busy, 1);
	}
}

static void all_give_up_when_nothing_completes(void **state)
{
	EACH_KIND(k) {
		__u64 start;

		prepare(k);
		a.lost_send = 4;
		fake.poll_ticks = 10;
		fake.tail_ticks = 10;
		loop.timeout = 50000;
		start = fake.now;
		assert_int_equal(run(k, 0), -ETIMEDOUT);
		assert_int_equal(loop.done, 3);
		assert_int_equal(loop.busy, 1);
		assert_int_equal(loop.wc_status, 0);
		assert_true(fake.now - start > 50000);
		assert_true(fake.now - start < 55000);
	}
}

static void lose_the_cpu(void)
{
	if (fake.relaxed == 3)
		fake.now += 2 * loop.timeout;
}

/* Between an empty poll and the clock somebody else may have run for long. */
static void all_look_once_more_when_it_is_late(void **state)
{
	EACH_KIND(k) {
		prepare(k);
		loop.iters = 1;
		loop.spins = 3;
		loop.timeout = 5000;
		fake.relax = lose_the_cpu;
		a.send_empty = 4;
		a.recv_empty = 4;
		a.tail_empty = 4;
		a.recv_cq.wc[0].empty = 4;
		assert_int_equal(run(k, 0), 0);
		assert_int_equal(loop.done, 1);
		assert_drained();
	}
}

static void set_stop(void)
{
	loop.stop = 1;
}

static void all_stop_while_waiting(void **state)
{
	EACH_KIND(k) {
		prepare(k);
		a.lost_send = 4;
		fake.yield = set_stop;
		assert_int_equal(run(k, 0), -ECANCELED);
		assert_int_equal(loop.done, 3);
		assert_int_equal(loop.busy, 1);
		assert_int_equal(loop.yields, 1);
	}
}

/* Requests that are outstanding when a loop is stopped get their time to complete. */
static void all_finish_the_sample_when_stopped(void **state)
{
	EACH_KIND(k) {
		/* It waits for a question with nothing outstanding. */
		if (k->loop == KVERBS_LOOP_PINGPONG_SERVER)
			continue;
		prepare(k);
		loop.spins = 0;
		loop.grace = 100000;
		a.send_empty = 3;
		fake.yield = set_stop;
		assert_int_equal(run(k, 0), -ECANCELED);
		assert_int_equal(loop.done, 1);
		assert_int_equal(loop.busy, 0);
		assert_drained();
	}
}

static void stop_when_three_went(void)
{
	loop.stop = fake.gone >= 3;
}

/* Not from the post on: a stopped thread may have had no CPU for long. */
static void grace_begins_when_the_stop_is_seen(void **state)
{
	EACH_KIND(k) {
		if (k->loop == KVERBS_LOOP_PINGPONG_SERVER)
			continue;
		prepare(k);
		loop.spins = 0;
		loop.grace = 2500;
		loop.timeout = 100000;
		fake.poll_ticks = 1000;
		a.send_empty = 5;
		fake.yield = stop_when_three_went;
		assert_int_equal(run(k, 0), -ECANCELED);
		assert_int_equal(loop.done, 1);
		assert_int_equal(loop.busy, 0);
		assert_drained();
	}
}

static void stop_after_three(void)
{
	if (fake.rescheds == 3)
		loop.stop = 1;
}

static void all_stop_between_samples(void **state)
{
	EACH_KIND(k) {
		prepare(k);
		fake.resched = stop_after_three;
		assert_int_equal(run(k, 0), -ECANCELED);
		assert_int_equal(loop.done, 3);
		assert_int_equal(a.sends, 3);
		assert_drained();
	}
}

static void all_are_done_if_stopped_after_the_last(void **state)
{
	EACH_KIND(k) {
		prepare(k);
		loop.iters = 3;
		fake.resched = stop_after_three;
		assert_int_equal(run(k, 0), 0);
		assert_int_equal(loop.done, 3);
	}
}

static void all_do_nothing_if_stopped_before(void **state)
{
	EACH_KIND(k) {
		prepare(k);
		loop.stop = 1;
		assert_int_equal(run(k, 0), -ECANCELED);
		assert_int_equal(loop.done, 0);
		assert_int_equal(a.sends, 0);
		assert_int_equal(loop.busy, 0);
	}
}

static void all_report_a_bad_completion(void **state)
{
	EACH_KIND(k) {
		prepare(k);
		loop.grace = 100000;
		a.bad_send = 4;
		a.bad = (struct fake_wc){ 2, WC_RETRY_EXCEEDED, 0x81, NULL };
		a.flush = true;
		/* A one-thread ping-server of SENDs waits at the other end, and looks when time is up. */
		if (k->loop == KVERBS_LOOP_PINGPONG && kv_op_among(k->op, KV_OPS_SEND))
			a.bad.empty = 0;
		assert_int_equal(run(k, 0), -EIO);
		assert_int_equal(loop.done, 3);
		assert_int_equal(hist_count(), k->samples ? 3 : 0);
		assert_int_equal(loop.busy, 1);
		assert_int_equal(loop.wc_status, WC_RETRY_EXCEEDED);
		assert_int_equal(loop.vendor_err, 0x81);
	}
}

/* NULL */

static void null_records_what_two_reads_cost(void **state)
{
	fake.now_ticks = 23;
	fake.resched_ticks = 1000;
	loop.a = NULL;
	loop.iters = 50;
	assert_int_equal(kv_loop_null(&loop), 0);
	assert_int_equal(loop.done, 50);
	assert_int_equal(hist_count(), 50);
	assert_int_equal(kv_hist_min(&hist), 23);
	assert_int_equal(kv_hist_max(&hist), 23);
	assert_int_equal(hist.sum, 50 * 23);
	assert_int_equal(fake.rescheds, 50);
	assert_int_equal(fake.relaxed + fake.gone, 0);
}

static void null_is_the_same_with_bh_disabled(void **state)
{
	fake.now_ticks = 23;
	loop.a = NULL;
	assert_int_equal(kv_loop_null_bh_disabled(&loop), 0);
	assert_int_equal(hist.sum, 10 * 23);
}

static void null_stops_between_samples(void **state)
{
	fake.resched = stop_after_three;
	assert_int_equal(kv_loop_null(&loop), -ECANCELED);
	assert_int_equal(loop.done, 3);
}

/* The span starts with the first sample and ends with the last one. */
static void span_is_from_first_to_last(void **state)
{
	fake.now_ticks = 10;
	fake.resched_ticks = 100;
	loop.iters = 3;
	assert_int_equal(kv_loop_null(&loop), 0);
	assert_int_equal(loop.first, 1000000);
	/* first, then two reads for each sample, and two cond_resched points between them. */
	assert_int_equal(kv_loop_elapsed(&loop), 6 * 10 + 2 * 100);
}

static void time_ends_the_run(void **state)
{
	fake.now_ticks = 10;
	fake.resched_ticks = 80;
	loop.iters = ~0ULL;
	loop.time = 1000;
	assert_int_equal(kv_loop_null(&loop), 0);
	/* Samples end 20, 120, 220 … ticks after the start: the 11th at 1020. */
	assert_int_equal(loop.done, 11);
	assert_int_equal(kv_loop_elapsed(&loop), 1020);
}

static void count_ends_the_run_before_the_time(void **state)
{
	loop.time = 1000000;
	loop.iters = 7;
	assert_int_equal(kv_loop_null(&loop), 0);
	assert_int_equal(loop.done, 7);
}

/* Between its two reads of the counter the thread went to a CPU whose counter is behind. */
static void all_drop_a_sample_that_ends_before_it_begins(void **state)
{
	EACH_KIND(k) {
		if (!k->samples)
			continue;
		prepare(k);
		/* One for the start, then two for each sample: the end of the second. */
		fake.behind_from = fake.behind_to = 5;
		fake.behind = 1000000;
		assert_int_equal(run(k, 0), 0);
		assert_int_equal(loop.done, 10);
		assert_int_equal(loop.dropped, 1);
		assert_int_equal(hist_count(), 9);
		assert_true(kv_hist_max(&hist) < 1000 && hist.sum < 10000);
		assert_drained();
	}
}

static void null_drops_a_sample_that_ends_before_it_begins(void **state)
{
	fake.now_ticks = 23;
	fake.behind_from = fake.behind_to = 5;
	/* By one tick more than the sample takes. */
	fake.behind = 24;
	assert_int_equal(kv_loop_null(&loop), 0);
	assert_int_equal(loop.done, 10);
	assert_int_equal(loop.dropped, 1);
	assert_int_equal(hist_count(), 9);
	assert_int_equal(kv_hist_min(&hist), 23);
	assert_int_equal(kv_hist_max(&hist), 23);
	assert_int_equal(hist.sum, 9 * 23);
}

static void null_takes_a_sample_of_no_ticks(void **state)
{
	fake.now_ticks = 23;
	fake.behind_from = fake.behind_to = 5;
	fake.behind = 23;
	assert_int_equal(kv_loop_null(&loop), 0);
	assert_int_equal(loop.dropped, 0);
	assert_int_equal(hist_count(), 10);
	assert_int_equal(hist.bin[0].count, 1);
}

/* The time is not over because a counter is behind. */
static void time_goes_on_after_a_dropped_sample(void **state)
{
	fake.now_ticks = 10;
	fake.resched_ticks = 80;
	fake.behind_from = fake.behind_to = 5;
	fake.behind = 1000000;
	loop.iters = ~0ULL;
	loop.time = 1000;
	assert_int_equal(kv_loop_null(&loop), 0);
	assert_int_equal(loop.done, 11);
	assert_int_equal(loop.dropped, 1);
	assert_int_equal(kv_loop_elapsed(&loop), 1020);
}

static void wait_is_not_over_because_a_counter_is_behind(void **state)
{
	loop.spins = 0;
	a.send_empty = 3;
	/* The looks at the deadline. */
	fake.behind_from = 3;
	fake.behind_to = 5;
	fake.behind = 1000;
	assert_int_equal(kv_loop_post_to_completion(&loop), 0);
	assert_int_equal(loop.done, 10);
	assert_int_equal(loop.dropped, 0);
	assert_int_equal(loop.yields, 10 * 3);
}

/* The values that a reader finds in the middle of a run or of its start. */
static void elapsed_is_never_negative(void **state)
{
	assert_int_equal(kv_loop_elapsed(&loop), 0);
	loop.first = 1000;
	assert_int_equal(kv_loop_elapsed(&loop), 0);
	loop.last = 1000;
	assert_int_equal(kv_loop_elapsed(&loop), 0);
	loop.last = 999;
	assert_int_equal(kv_loop_elapsed(&loop), 0);
	loop.last = 1001;
	assert_int_equal(kv_loop_elapsed(&loop), 1);
	loop.first = 0;
	assert_int_equal(kv_loop_elapsed(&loop), 0);
}

static void reset_forgets_what_a_loop_left(void **state)
{
	fake.behind_from = fake.behind_to = 5;
	fake.behind = 1000000;
	loop.spins = 0;
	a.send_empty = 2;
	assert_int_equal(kv_loop_post_to_completion(&loop), 0);
	assert_true(loop.yields > 0);
	assert_int_equal(loop.dropped, 1);
	kv_loop_reset(&loop);
	assert_int_equal(loop.done, 0);
	assert_int_equal(loop.dropped, 0);
	assert_int_equal(loop.yields, 0);
	assert_int_equal(kv_loop_elapsed(&loop), 0);
	assert_int_equal(hist_count(), 0);
	assert_int_equal(hist.sum, 0);
	assert_int_equal(kv_hist_min(&hist), ~0ULL);
	assert_int_equal(kv_hist_max(&hist), 0);
	/* The request that it works on stays. */
	assert_ptr_equal(loop.a, &a);
	assert_int_equal(loop.iters, 10);
}

/* A loop goes on where it was: `done` and the histogram are only added to. */
static void results_are_added_to(void **state)
{
	assert_int_equal(kv_loop_null(&loop), 0);
	loop.iters = 15;
	assert_int_equal(kv_loop_null(&loop), 0);
	assert_int_equal(loop.done, 15);
	assert_int_equal(hist_count(), 15);
}

/* Post to completion */

static void set_costs(void)
{
	fake.now_ticks = 3;
	fake.post_ticks = 100;
	fake.recv_ticks = 5000;
	fake.poll_ticks = 10;
	fake.tail_ticks = 2;
	fake.relax_ticks = 1;
	fake.resched_ticks = 7000;
}

static void assert_samples(__u64 n, __u64 ticks)
{
	assert_int_equal(hist_count(), n);
	assert_int_equal(kv_hist_min(&hist), ticks);
	assert_int_equal(kv_hist_max(&hist), ticks);
	assert_int_equal(hist.sum, n * ticks);
}

static void completion_sample_is_exact(void **state)
{
	set_costs();
	a.send_empty = 6;
	assert_int_equal(kv_loop_post_to_completion(&loop), 0);
	/* The post, seven polls, six times between two of them. */
	assert_samples(10, 3 + 100 + 7 * 10 + 6 * 1);
	assert_int_equal(fake.relaxed, 60);
	assert_int_equal(loop.yields, 0);
}

static void each_sample_has_its_own_bin(void **state)
{
	set_costs();
	loop.iters = 1;
	for (unsigned int i = 0; i < 50; i++) {
		a.send_empty = 20 * i;
		loop.done = 0;
		assert_int_equal(kv_loop_post_to_completion(&loop), 0);
		assert_int_equal(hist.bin[kv_hist_index(113 + 11 * 20 * i)].count, 1);
		assert_int_equal(kv_hist_max(&hist), 113 + 11 * 20 * i);
	}
	assert_int_equal(kv_hist_min(&hist), 113);
}

static void cpu_is_yielded_after_the_spins(void **state)
{
	loop.spins = 5;
	loop.iters = 4;
	a.send_empty = 12;
	assert_int_equal(kv_loop_post_to_completion(&loop), 0);
	assert_int_equal(fake.relaxed, 4 * 5);
	assert_int_equal(fake.gone, 4 * 7);
	assert_int_equal(loop.yields, 4 * 7);
}

static void cpu_is_yielded_at_once_without_spins(void **state)
{
	loop.spins = 0;
	a.send_empty = 2;
	assert_int_equal(kv_loop_post_to_completion(&loop), 0);
	assert_int_equal(fake.relaxed, 0);
	assert_int_equal(loop.yields, 10 * 2);
}

static void bad_completion_ends_the_loop(void **state)
{
	a.bad_send = 4;
	a.bad = (struct fake_wc){ 0, WC_REM_ACCESS, 0x42, NULL };
	assert_int_equal(kv_loop_post_to_completion(&loop), -EIO);
	assert_int_equal(loop.done, 3);
	assert_int_equal(loop.busy, 1);
	assert_int_equal(loop.wc_status, WC_REM_ACCESS);
	assert_int_equal(loop.vendor_err, 0x42);
	assert_int_equal(fake.relaxed + fake.gone, 0);
}

static void broken_cq_ends_the_loop(void **state)
{
	a.send_cq.broken = true;
	assert_int_equal(kv_loop_post_to_completion(&loop), -EIO);
	assert_int_equal(loop.done, 0);
	assert_int_equal(loop.busy, 1);
	assert_int_equal(loop.wc_status, 0);
}

/* SEND */

static void send_ping_sample_is_exact(void **state)
{
	prepare_send_client();
	set_costs();
	a.recv_empty = 4;
	a.send_empty = 9;
	assert_int_equal(kv_loop_send_client(&loop), 0);
	/* The other end's post too; no receive posted, no send completion. */
	assert_samples(10, 3 + 100 + 100 + 5 * 10 + 4 * 1);
	assert_int_equal(rounds, 10);
}

static void send_pingpong_sample_is_exact(void **state)
{
	prepare_send_pingpong();
	set_costs();
	a.recv_empty = 4;
	b.recv_empty = 2;
	a.send_empty = 9;
	b.send_empty = 9;
	assert_int_equal(kv_loop_send_pingpong(&loop), 0);
	assert_samples(10, 3 + 2 * 100 + (5 + 3) * 10 + (4 + 2) * 1);
	assert_int_equal(b.sends, 10);
}

static void send_loops_replace_their_receives(void **state)
{
	EACH_KIND(k) {
		if (!kv_op_among(k->op, KV_OPS_SEND))
			continue;
		prepare(k);
		loop.iters = 1000;
		assert_int_equal(run(k, 0), 0);
		assert_int_equal(a.recvs_posted, 1000);
		/* One is used by the question that server was not asked for. */
		assert_int_equal(a.recvs, KV_LOOP_RECVS -
				 (k->loop == KVERBS_LOOP_PINGPONG_SERVER));
		if (loop.b) {
			assert_int_equal(b.recvs, KV_LOOP_RECVS);
			assert_int_equal(b.recvs_posted, 1000);
		}
		assert_int_equal(a.unready + b.unready, 0);
	}
}

/* SEND_WITH_INV and READ_WITH_INV */

static void send_inv_sample_is_exact(void **state)
{
	prepare_send_inv_pingpong();
	set_costs();
	a.recv_empty = 4;
	b.recv_empty = 2;
	a.send_empty = 9;
	b.send_empty = 9;
	assert_int_equal(kv_loop_send_inv_pingpong(&loop), 0);
	assert_samples(10, 3 + 2 * 100 + (5 + 3) * 10 + (4 + 2) * 1);
}

/* A run that follows another one goes on with its keys, at both ends. */
static void keys_go_on_from_run_to_run(void **state)
{
	EACH_KIND(k) {
		if (k->op != KVERBS_OP_SEND_WITH_INV)
			continue;
		prepare(k);
		for (unsigned int i = 0; i < 2; i++) {
			loop.done = 0;
			assert_int_equal(run(k, 0), 0);
		}
		if (k->samples) {
			assert_int_equal(a.key, (KEY & ~0xffU) | ((KEY + 20) & 0xff));
			assert_int_equal(b.invalidates, (KEY & ~0xffU) | ((KEY + 21) & 0xff));
		} else {
			assert_int_equal(a.invalidates, (KEY & ~0xffU) | ((KEY + 21) & 0xff));
		}
	}
}

/* A server that nobody asks leaves the next key to the next run. */
static void an_idle_server_uses_no_key(void **state)
{
	connect(0);
	a.invalidates = KEY;
	loop.stop = 1;
	loop.spins = 0;
	assert_int_equal(kv_loop_send_inv_server(&loop), -ECANCELED);
	assert_int_equal(a.invalidates, KEY);
	assert_int_equal(loop.busy, 0);
}

/* The answer tells no key, or that of another MR: the sample is none. */
static void an_answer_that_invalidates_nothing_ends_the_loop(void **state)
{
	const __u32 bad[] = { 0, KEY, KEY + 2, 1 };

	EACH_KIND(k) {
		if (k->op != KVERBS_OP_SEND_WITH_INV || !k->samples)
			continue;
		for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			prepare(k);
			b.invalidates = bad[i];
			assert_int_equal(run(k, 0), -EKEYREJECTED);
			assert_int_equal(loop.done, 0);
			assert_int_equal(loop.busy, 1);
			assert_int_equal(hist_count(), 0);
		}
	}
}

static void each_read_names_its_sink_by_a_new_key(void **state)
{
	a.key = KEY;
	assert_int_equal(kv_loop_read_inv(&loop), 0);
	assert_int_equal(a.key, (KEY & ~0xffU) | ((KEY + 10) & 0xff));
	assert_int_equal(a.sinks, 10);
}

static void put_flushed_receive(void)
{
	a.lost_send = 1;
	fake_complete(&a.recv_cq, (struct fake_wc){ 1, WC_FLUSHED, 0x11, NULL });
}

static void cause_of_a_flush_is_found(void **state)
{
	put_flushed_receive();
	loop.grace = 1000;
	/* It is late, and behind a good one. */
	fake_complete(&a.send_cq, (struct fake_wc){ .empty = 3 });
	fake_complete(&a.send_cq, (struct fake_wc){ 20, WC_RETRY_EXCEEDED, 0x81, NULL });
	assert_int_equal(kv_loop_send_client(&loop), -EIO);
	assert_int_equal(loop.wc_status, WC_RETRY_EXCEEDED);
	assert_int_equal(loop.vendor_err, 0x81);
	assert_int_equal(loop.busy, 1);
	assert_int_equal(loop.done, 0);
	assert_int_equal(a.send_cq.used, 0);
}

static void cause_is_found_behind_flushed_sends(void **state)
{
	put_flushed_receive();
	loop.grace = 1000;
	fake_complete(&a.send_cq, (struct fake_wc){ 0, WC_FLUSHED, 0x12, NULL });
	fake_complete(&a.send_cq, (struct fake_wc){ 2, WC_REM_ACCESS, 0x82, NULL });
	assert_int_equal(kv_loop_send_client(&loop), -EIO);
	assert_int_equal(loop.wc_status, WC_REM_ACCESS);
	assert_int_equal(loop.vendor_err, 0x82);
}

static void flush_without_cause_stays_a_flush(void **state)
{
	__u64 start = fake.now;

	put_flushed_receive();
	fake_complete(&a.send_cq, (struct fake_wc){ 2, WC_FLUSHED, 0x12, NULL });
	fake.poll_ticks = 10;
	loop.timeout = 50000;
	loop.grace = 200;
	assert_int_equal(kv_loop_send_client(&loop), -EIO);
	assert_int_equal(loop.wc_status, WC_FLUSHED);
	assert_int_equal(loop.vendor_err, 0x11);
	assert_true(fake.now - start > 2000 && fake.now - start < 3000);
}

/* A ping whose own send was taken, and that waits until its deadline. */
static int ping_and_probe(struct fake_wc *probe)
{
	a.probe = probe;
	fake.poll_ticks = 10;
	loop.timeout = 5000;
	loop.grace = 100;
	return kv_loop_send_client(&loop);
}

static void who_only_waits_asks_the_peer(void **state)
{
	struct fake_wc gone = { 3, WC_RETRY_EXCEEDED, 0x81, NULL };
	__u64 start = fake.now;

	assert_int_equal(ping_and_probe(&gone), -EIO);
	assert_int_equal(loop.wc_status, WC_RETRY_EXCEEDED);
	assert_int_equal(loop.done, 0);
	assert_true(fake.now - start < 13000);
}

static void peer_that_is_there_is_but_late(void **state)
{
	struct fake_wc there = { 3, 0, 0, NULL };
	__u64 start = fake.now;

	assert_int_equal(ping_and_probe(&there), -ETIMEDOUT);
	assert_int_equal(loop.wc_status, 0);
	/* A grace after the answer, and not fifty. */
	assert_true(fake.now - start < 13000);
}

static void peer_that_allows_no_write_is_there(void **state)
{
	struct fake_wc refused = { 3, WC_REM_INV_REQ, 0x81, NULL };

	assert_int_equal(ping_and_probe(&refused), -ETIMEDOUT);
	assert_int_equal(loop.wc_status, 0);
	assert_int_equal(loop.vendor_err, 0);
}

static void search_for_the_cause_can_be_stopped(void **state)
{
	put_flushed_receive();
	fake.yield = set_stop;
	fake.poll_ticks = 10;
	loop.grace = 15;
	assert_int_equal(kv_loop_send_client(&loop), -EIO);
	assert_int_equal(loop.wc_status, WC_FLUSHED);
	/* Once before it was stopped. */
	assert_int_equal(loop.yields, 3);
}

static void search_for_the_cause_ends_on_a_broken_cq(void **state)
{
	put_flushed_receive();
	a.send_cq.broken = true;
	fake.poll_ticks = 10;
	loop.timeout = 5000;
	assert_int_equal(kv_loop_send_client(&loop), -EIO);
	assert_int_equal(loop.wc_status, WC_FLUSHED);
}

/* WRITE */

static void write_ping_sample_is_exact(void **state)
{
	prepare_write_client();
	set_costs();
	a.recv_empty = 4;
	a.send_empty = 9;
	assert_int_equal(kv_loop_write_client(&loop), 0);
	assert_samples(10, 3 + 100 + 100 + 5 * 2 + 4 * 1);
}

static void write_pingpong_sample_is_exact(void **state)
{
	prepare_write_pingpong();
	set_costs();
	a.recv_empty = 4;
	b.recv_empty = 2;
	a.send_empty = 9;
	b.send_empty = 9;
	assert_int_equal(kv_loop_write_pingpong(&loop), 0);
	assert_samples(10, 3 + 2 * 100 + (5 + 3) * 2 + (4 + 2) * 1);
}

/* answer() checks each byte: 0 .. 255 and round again, nearly four times. */
static void write_ping_counts_round(void **state)
{
	prepare_write_client();
	a.recv_empty = 2;
	loop.iters = 1000;
	assert_int_equal(kv_loop_write_client(&loop), 0);
	assert_int_equal(rounds, 1000);
	assert_int_equal(a.tx_tail, 1000 % 256);
	assert_int_equal(a.rx_tail, 1000 % 256);
	assert_int_equal(b.tx_tail, 1000 % 256);
}

/* ask() checks each byte. */
static void write_pong_counts_round(void **state)
{
	prepare_write_server();
	a.recv_empty = 2;
	loop.iters = 1000;
	assert_int_equal(kv_loop_write_server(&loop), 0);
	assert_int_equal(rounds, 1000);
	assert_int_equal(a.tx_tail, 1000 % 256);
	/* The next question has been asked already. */
	assert_int_equal(b.tx_tail, 1001 % 256);
	assert_int_equal(a.new_tail, 1001 % 256);
}

static void write_pingpong_counts_round(void **state)
{
	prepare_write_pingpong();
	a.recv_empty = 1;
	b.recv_empty = 3;
	loop.iters = 1000;
	assert_int_equal(kv_loop_write_pingpong(&loop), 0);
	assert_int_equal(b.sends, 1000);
	assert_int_equal(a.tx_tail, 1000 % 256);
	assert_int_equal(b.tx_tail, 1000 % 256);
	assert_int_equal(a.rx_tail, 1000 % 256);
	assert_int_equal(b.rx_tail, 1000 % 256);
}

/* Warm-up and measurement are two calls on the same buffers. */
static void write_loops_find_their_place_again(void **state)
{
	EACH_KIND(k) {
		if (k->op != KVERBS_OP_WRITE)
			continue;
		prepare(k);
		for (unsigned int i = 1; i <= 700; i += 7) {
			loop.iters = i;
			assert_int_equal(run(k, 0), 0);
		}
		assert_int_equal(loop.done, 694);
		assert_int_equal(a.sends, 694);
		assert_drained();
	}
}

/* A dead peer never writes; the send completion says so before the deadline. */
static void write_ping_sees_its_write_fail(void **state)
{
	prepare_write_client();
	loop.spins = 5;
	a.bad_send = 4;
	a.bad = (struct fake_wc){ 3, WC_RETRY_EXCEEDED, 0x81, NULL };
	assert_int_equal(kv_loop_write_client(&loop), -EIO);
	assert_int_equal(loop.done, 3);
	assert_int_equal(loop.busy, 1);
	assert_int_equal(loop.wc_status, WC_RETRY_EXCEEDED);
	assert_int_equal(loop.vendor_err, 0x81);
	assert_int_equal(loop.yields, 3);
}

/* Taken while waiting for the flag, the send completion is not waited for. */
static void write_completion_is_taken_once(void **state)
{
	EACH_KIND(k) {
		if (k->op != KVERBS_OP_WRITE ||
		    k->loop == KVERBS_LOOP_POST_TO_COMPLETION || k->loop == KVERBS_LOOP_STREAM)
			continue;
		prepare(k);
		loop.spins = 2;
		a.recv_empty = 10;
		b.recv_empty = 10;
		assert_int_equal(run(k, 0), 0);
		assert_int_equal(loop.done, 10);
		assert_true(loop.yields > 0);
		assert_drained();
	}
}

static unsigned int most_outstanding;

static void count_outstanding(void)
{
	if (a.send_cq.used > most_outstanding)
		most_outstanding = a.send_cq.used;
}

static void a_stream_keeps_its_depth(void **state)
{
	prepare_stream();
	loop.groups = 5;
	loop.iters = 23;
	a.send_empty = 2;
	fake.relax = count_outstanding;
	most_outstanding = 0;
	assert_int_equal(kv_loop_stream(&loop), 0);
	assert_int_equal(most_outstanding, 5);
	assert_int_equal(a.sends, 23);
	assert_int_equal(loop.done, 23);
	assert_int_equal(hist_count(), 23);
	assert_drained();
}

/* A sample begins at the post of its own group, whatever was posted since. */
static void a_stream_takes_each_group_from_its_post(void **state)
{
	prepare_stream();
	loop.groups = 3;
	loop.iters = 6;
	fake.now_ticks = 0;
	fake.post_ticks = 100;
	fake.poll_ticks = 7;
	assert_int_equal(kv_loop_stream(&loop), 0);
	/* The first three wait for the posts behind them and for the polls before; then each for two posts. */
	assert_int_equal(hist.sum, (3 * 100 + 7) + (2 * 100 + 7 + 100 + 7) + (100 + 7 + 100 + 7 + 100 + 7) +
				   3 * 100 + 3 * 7 + 2 * 100 + 3 * 7 + 100 + 3 * 7);
	assert_int_equal(loop.done, 6);
}

/* The loop waits for requests that are outstanding at the end, and counts them. */
static void a_stream_ends_with_nothing_outstanding(void **state)
{
	prepare_stream();
	loop.groups = 4;
	loop.iters = ~0ULL;
	loop.time = 1000;
	fake.post_ticks = 90;
	assert_int_equal(kv_loop_stream(&loop), 0);
	assert_true(loop.last >= loop.end);
	assert_int_equal(loop.done, a.sends);
	assert_drained();
	/* Goes on where it was, as after a warm-up. */
	loop.iters = loop.done + 7;
	loop.time = ~0ULL;
	assert_int_equal(kv_loop_stream(&loop), 0);
	assert_int_equal(a.sends, loop.iters);
	assert_drained();
}

static void a_stream_finishes_what_is_outstanding_when_stopped(void **state)
{
	prepare_stream();
	loop.groups = 4;
	loop.spins = 0;
	loop.grace = 100000;
	a.send_empty = 3;
	fake.yield = set_stop;
	assert_int_equal(kv_loop_stream(&loop), -ECANCELED);
	assert_int_equal(a.sends, 4);
	assert_int_equal(loop.done, 4);
	assert_drained();
}

static void a_stream_signals_the_last_list_of_a_group(void **state)
{
	prepare_stream();
	loop.groups = 2;
	loop.quiet = 3;
	loop.iters = 5;
	assert_int_equal(kv_loop_stream_bh_disabled(&loop), 0);
	assert_int_equal(a.sends, 5);
	assert_int_equal(a.quiets, 15);
	assert_int_equal(a.bh_posts, 20);
	assert_int_equal(loop.done, 5);
	assert_drained();
	a.fail_quiet = 17;
	a.fail_ret = -ENOMEM;
	loop.iters = 10;
	assert_int_equal(kv_loop_stream(&loop), -ENOMEM);
	assert_int_equal(a.sends, 5);
	assert_int_equal(loop.busy, 1);
}

static void a_stream_tells_why_a_group_failed(void **state)
{
	prepare_stream();
	loop.groups = 4;
	a.bad_send = 6;
	a.bad = (struct fake_wc){ 0, WC_REM_ACCESS, 0x81, NULL };
	assert_int_equal(kv_loop_stream(&loop), -EIO);
	assert_int_equal(loop.done, 5);
	assert_int_equal(loop.busy, 1);
	assert_int_equal(loop.wc_status, WC_REM_ACCESS);
}

/* After an event the CQ is armed before it is polled: no completion comes without an event. */
static void an_event_loop_misses_no_completion(void **state)
{
	prepare_event();
	loop.groups = 3;
	loop.quiet = 1;
	loop.iters = 20;
	fake.sleep = set_stop;
	assert_int_equal(kv_loop_event(&loop), 0);
	assert_int_equal(a.sends, 20);
	assert_int_equal(a.quiets, 20);
	assert_int_equal(loop.done, 20);
	assert_int_equal(hist_count(), 20);
	assert_int_equal(a.acked, 1);
	assert_drained();
	/* Armed once before the first post, and once after each event. */
	assert_in_range(a.arms, 2, 21);
}

/* One call of kv_handler_take() for each completion, as a handler makes it. */
static void a_handler_takes_one_completion_at_a_time(void **state)
{
	int ret = 0;

	prepare_stream();
	loop.groups = 4;
	loop.iters = 11;
	kv_loop_reset(&loop);
	assert_int_equal(kv_handler_begin(&loop, 0), 0);
	assert_int_equal(a.sends, 1);
	while (!ret) {
		assert_int_equal(kv_env_poll(&loop, &a.send_cq), 1);
		ret = kv_handler_take(&loop, kv_env_now(), 0, 0);
		assert_true(a.send_cq.used <= 4);
	}
	assert_int_equal(ret, 1);
	assert_int_equal(a.sends, 11);
	assert_int_equal(loop.done, 11);
	assert_int_equal(fake.rescheds, 0);
	assert_drained();
	/* Stopped before it begins, it posts nothing. */
	loop.iters = 20;
	loop.stop = 1;
	assert_int_equal(kv_handler_begin(&loop, 0), 1);
	assert_int_equal(a.sends, 11);
}

static void an_event_loop_that_can_not_arm_ends(void **state)
{
	prepare_event();
	a.fail_arm = 1;
	a.fail_ret = -EINVAL;
	assert_int_equal(kv_loop_event(&loop), -EINVAL);
	assert_int_equal(a.sends, 0);
	assert_int_equal(loop.busy, 0);
	a.fail_arm = 3;
	assert_int_equal(kv_loop_event(&loop), -EINVAL);
	assert_int_equal(loop.busy, 1);
}

/* Both ends as loops: the server gets the CPU when the client yields it. */

static kv_loop_fn server_fn;
static int server_active;

static void run_server(void)
{
	if (server_active)
		return;
	if (b.write ? b.new_tail == b.tx_tail : !b.recv_cq.used)
		return;
	server_active = 1;
	server.iters = server.done + 1;
	assert_int_equal(server_fn(&server), 0);
	server_active = 0;
}

static void prepare_server(int write)
{
	connect(write);
	server_active = 0;
	server_fn = pick(KVERBS_LOOP_PINGPONG_SERVER, write ? KVERBS_OP_WRITE : KVERBS_OP_SEND, 0, 0);
	server.a = &b;
	server.hist = &server_hist;
	server.time = ~0ULL;
	server.timeout = 100000;
	server.spins = 1;
	a.recv_empty = 3;
	b.recv_empty = 3;
	a.send_empty = 5;
	b.send_empty = 5;
}

static void ping_and_pong_meet(void **state)
{
	for (int write = 0; write < 2; write++) {
		__u32 op = write ? KVERBS_OP_WRITE : KVERBS_OP_SEND;

		reset(NULL);
		prepare_server(write);
		loop.iters = 1000;
		loop.spins = write;
		fake.yield = run_server;
		assert_int_equal(pick(KVERBS_LOOP_PINGPONG_CLIENT, op, 0, 0)(&loop), 0);
		assert_int_equal(loop.done, 1000);
		assert_int_equal(server.done, 1000);
		assert_int_equal(hist_count(), 1000);
		assert_int_equal(kv_hist_max(&server_hist), 0);
		assert_int_equal(a.unready + b.unready, 0);
		if (!write) {
			assert_int_equal(a.recvs, KV_LOOP_RECVS);
			assert_int_equal(b.recvs, KV_LOOP_RECVS);
		}
		assert_int_equal(a.tx_tail, b.tx_tail);
		assert_int_equal(server.busy, 0);
		assert_drained();
	}
}

/* Nobody asks: its time is over, and the wait is not one that has failed. */
static void server_ends_with_its_time(void **state)
{
	for (int write = 0; write < 2; write++) {
		reset(state);
		connect(write);
		prepare_server(write);
		server.iters = ~0ULL;
		server.time = 5000;
		server.timeout = ~0ULL;
		assert_int_equal(server_fn(&server), 0);
		assert_int_equal(server.done, 0);
		assert_int_equal(server.busy, 0);
		assert_int_equal(kv_loop_elapsed(&server), 0);
		assert_true(fake.now - 1000000 >= 5000);
		assert_true(fake.now - 1000000 < 5100);
	}
}

/* From its start to its last answer. */
static void server_tells_its_time(void **state)
{
	for (int write = 0; write < 2; write++) {
		reset(state);
		fake.now_ticks = 10;
		if (write)
			prepare_write_server();
		else
			prepare_send_server();
		loop.iters = ~0ULL;
		loop.time = 995;
		assert_int_equal(pick(KVERBS_LOOP_PINGPONG_SERVER, write ? KVERBS_OP_WRITE : KVERBS_OP_SEND,
				      0, 0)(&loop), 0);
		/* The counter is read when a wait begins, and at the answer. */
		assert_int_equal(loop.done, 50);
		assert_int_equal(kv_loop_elapsed(&loop), 1000);
		assert_int_equal(rounds, 50);
	}
}

static void server_may_start_first(void **state)
{
	for (int write = 0; write < 2; write++) {
		__u32 op = write ? KVERBS_OP_WRITE : KVERBS_OP_SEND;

		reset(NULL);
		prepare_server(write);
		server.iters = 1;
		/* Nobody asks; it has promised nothing, so it is not busy. */
		assert_int_equal(server_fn(&server), -ETIMEDOUT);
		assert_int_equal(server.busy, 0);
		assert_int_equal(b.sends, 0);

		loop.iters = 300;
		loop.spins = 0;
		fake.yield = run_server;
		assert_int_equal(pick(KVERBS_LOOP_PINGPONG_CLIENT, op, 0, 0)(&loop), 0);
		assert_int_equal(server.done, 300);
	}
}

/* A question after 90 % of the deadline leaves all of it to the answer. */
static void server_has_a_deadline_for_each_wait(void **state)
{
	EACH_KIND(k) {
		if (k->loop != KVERBS_LOOP_PINGPONG_SERVER)
			continue;
		prepare(k);
		fake.yield_ticks = 100;
		loop.timeout = 10000;
		loop.spins = 0;
		loop.iters = 1;
		a.recv_cq.wc[0].empty = 90;
		a.tail_empty = 90;
		a.send_empty = 20;
		assert_int_equal(run(k, 0), 0);
		assert_int_equal(loop.done, 1);
		assert_int_equal(loop.yields, 110);
	}
}

/* Picking */

static void picks_a_loop_for_what_it_can_do(void **state)
{
	static const struct {
		__u32 loop;
		__u32 op;
		kv_loop_fn fn;
		kv_loop_fn fn_bh_disabled;
	} want[] = {
#define ROW(loop, op, name) \
	{ KVERBS_LOOP_##loop, KVERBS_OP_##op, kv_loop_##name, kv_loop_##name##_bh_disabled }
		ROW(POST_TO_COMPLETION, WRITE, post_to_completion),
		ROW(POST_TO_COMPLETION, READ, post_to_completion),
		ROW(POST_TO_COMPLETION, READ_WITH_INV, read_inv),
		ROW(POST_TO_COMPLETION, FETCH_ADD, post_to_completion),
		ROW(POST_TO_COMPLETION, CMP_SWP, post_to_completion),
		ROW(POST_TO_COMPLETION, ATOMIC_WRITE, post_to_completion),
		ROW(STREAM, WRITE, stream),
		ROW(STREAM, READ, stream),
		ROW(STREAM, FETCH_ADD, stream),
		ROW(STREAM, CMP_SWP, stream),
		ROW(STREAM, ATOMIC_WRITE, stream),
		ROW(STREAM, SEND, stream),
		ROW(STREAM, SEND_WITH_IMM, stream),
		ROW(STREAM, WRITE_WITH_IMM, stream),
		ROW(STREAM_SERVER, SEND, stream_server),
		ROW(STREAM_SERVER, SEND_WITH_IMM, stream_server),
		ROW(STREAM_SERVER, WRITE_WITH_IMM, stream_server),
		ROW(PINGPONG_CLIENT, SEND_WITH_IMM, send_client),
		ROW(PINGPONG_CLIENT, WRITE_WITH_IMM, send_client),
		ROW(PINGPONG_SERVER, SEND_WITH_IMM, send_server),
		ROW(PINGPONG_SERVER, WRITE_WITH_IMM, send_server),
		ROW(PINGPONG, SEND_WITH_IMM, send_pingpong),
		ROW(PINGPONG, WRITE_WITH_IMM, send_pingpong),
		ROW(PINGPONG_CLIENT, SEND, send_client),
		ROW(PINGPONG_CLIENT, WRITE, write_client),
		ROW(PINGPONG_SERVER, SEND, send_server),
		ROW(PINGPONG_SERVER, WRITE, write_server),
		ROW(PINGPONG, SEND, send_pingpong),
		ROW(PINGPONG, WRITE, write_pingpong),
		ROW(PINGPONG_CLIENT, SEND_WITH_INV, send_inv_client),
		ROW(PINGPONG_SERVER, SEND_WITH_INV, send_inv_server),
		ROW(PINGPONG, SEND_WITH_INV, send_inv_pingpong),
		ROW(CREDIT_STREAM, SEND, credit_stream),
		ROW(CREDIT_SERVER, SEND, credit_server),
	};
	const unsigned int rows = sizeof(want) / sizeof(want[0]);
	unsigned int taken = 0;

	for (unsigned int i = 0; i < rows; i++) {
		assert_true(kv_op_fits_loop(want[i].op, want[i].loop));
		assert_true(pick(want[i].loop, want[i].op, 0, 0) ==
			    want[i].fn);
		assert_true(pick(want[i].loop, want[i].op, 0, 1) ==
			    want[i].fn_bh_disabled);
	}
	/* A new loop, or a new operation of runs, has to be added here. */
	for (__u32 loop = KVERBS_LOOP_NULL + 1; loop < __KVERBS_LOOP_LAST; loop++)
		for (__u32 op = 0; op < __KVERBS_OP_LAST; op++)
			taken += kv_op_fits_loop(op, loop);
	assert_int_equal(taken, rows);
	/* The loop without verbs has no operation. */
	for (__u32 op = 0; op < __KVERBS_OP_LAST; op++) {
		assert_true(kv_op_fits_loop(op, KVERBS_LOOP_NULL));
		assert_true(pick(KVERBS_LOOP_NULL, op, 0, 0) == kv_loop_null);
		assert_true(pick(KVERBS_LOOP_NULL, op, 0, 1) == kv_loop_null_bh_disabled);
	}
}

static kv_loop_fn stream_server = kv_loop_stream_server;

/* STREAM_SERVER, for which @n messages have come: one receive is left of those that are posted. */
static int serve_stream(unsigned int n)
{
	a.recvs = n + 1;
	for (unsigned int i = 0; i < n; i++) {
		a.recvs--;
		fake_complete(&a.recv_cq, (struct fake_wc){ .empty = i });
	}
	return stream_server(&loop);
}

static void a_stream_server_replaces_its_receives(void **state)
{
	assert_int_equal(serve_stream(10), 0);
	assert_int_equal(loop.done, 10);
	assert_int_equal(a.recvs, 11);
	assert_int_equal(a.recvs_posted, 10);
	assert_int_equal(a.sends, 0);
	assert_int_equal(hist_count(), 0);
	assert_int_equal(fake.rescheds, 10);
	assert_drained();
	assert_int_equal(a.recv_cq.used, 0);
}

static void a_stream_server_ends_where_it_waits(void **state)
{
	fake.yield = set_stop;
	loop.spins = 0;
	assert_int_equal(serve_stream(3), -ECANCELED);
	assert_int_equal(loop.done, 2);
	assert_int_equal(loop.busy, 0);
	reset(NULL);
	fake.yield_ticks = 100;
	loop.spins = 0;
	loop.time = 100000;
	assert_int_equal(serve_stream(3), 0);
	assert_int_equal(loop.done, 3);
	assert_int_equal(loop.busy, 0);
}

static void a_stream_server_fails_with_its_receives(void **state)
{
	a.fail_recv = 4;
	a.fail_ret = -ENOMEM;
	assert_int_equal(serve_stream(6), -ENOMEM);
	assert_int_equal(loop.done, 3);
	assert_int_equal(loop.busy, 1);
	reset(NULL);
	fake_complete(&a.recv_cq, (struct fake_wc){ .status = 1, .vendor_err = 7 });
	assert_int_equal(stream_server(&loop), -EIO);
	assert_int_equal(loop.done, 0);
	assert_int_equal(loop.wc_status, 1);
	assert_int_equal(loop.vendor_err, 7);
}

/* The same, with receives of an SRQ. */
static void a_server_of_an_srq_does_the_same(void **state)
{
	stream_server = kv_loop_stream_server_srq;
	a_stream_server_replaces_its_receives(state);
	assert_int_equal(a.srq_posts, a.recvs_posted);
	reset(NULL);
	a_stream_server_ends_where_it_waits(state);
	reset(NULL);
	a_stream_server_fails_with_its_receives(state);
	stream_server = kv_loop_stream_server;
	reset(NULL);
	a_stream_server_replaces_its_receives(state);
	assert_int_equal(a.srq_posts, 0);
}

static void picks_other_loops_for_several_ends(void **state)
{
	assert_true(pick(KVERBS_LOOP_STREAM, KVERBS_OP_READ, MANY_ENDS, 0) == kv_loop_streams);
	assert_true(pick(KVERBS_LOOP_STREAM, KVERBS_OP_READ, MANY_ENDS, 1) == kv_loop_streams_bh_disabled);
	assert_true(pick(KVERBS_LOOP_STREAM_SERVER, KVERBS_OP_SEND, MANY_ENDS, 0) == kv_loop_streams_server);
	assert_true(pick(KVERBS_LOOP_STREAM_SERVER, KVERBS_OP_SEND, MANY_ENDS, 1) ==
		    kv_loop_streams_server_bh_disabled);
	assert_true(pick(KVERBS_LOOP_STREAM, KVERBS_OP_READ, MANY_ENDS | ONE_CQ, 0) == kv_loop_streams_one_cq);
	assert_true(pick(KVERBS_LOOP_STREAM, KVERBS_OP_READ, MANY_ENDS | ONE_CQ, 1) == kv_loop_streams_one_cq_bh_disabled);
	assert_true(pick(KVERBS_LOOP_STREAM_SERVER, KVERBS_OP_SEND, MANY_ENDS | ONE_CQ, 0) == kv_loop_streams_server_one_cq);
	assert_true(pick(KVERBS_LOOP_STREAM_SERVER, KVERBS_OP_SEND, MANY_ENDS | ONE_CQ, 1) ==
		    kv_loop_streams_server_one_cq_bh_disabled);
	assert_true(pick(KVERBS_LOOP_STREAM_SERVER, KVERBS_OP_SEND, FROM_SRQ, 0) == kv_loop_stream_server_srq);
	assert_true(pick(KVERBS_LOOP_STREAM_SERVER, KVERBS_OP_SEND, FROM_SRQ, 1) == kv_loop_stream_server_srq_bh_disabled);
	assert_true(pick(KVERBS_LOOP_STREAM_SERVER, KVERBS_OP_SEND, MANY_ENDS | FROM_SRQ, 0) == kv_loop_streams_server_srq);
	assert_true(pick(KVERBS_LOOP_STREAM_SERVER, KVERBS_OP_SEND, MANY_ENDS | FROM_SRQ, 1) == kv_loop_streams_server_srq_bh_disabled);
}

/* Several ends. */

#define SEVERAL 3

static struct kv_end ends[SEVERAL];
static struct kv_flow flows[SEVERAL];
static __u64 posted_there[SEVERAL * 2];

/* Streams of @groups at each end; or their server, whose CQs are those of the receives. */
static void prepare_several(__u32 groups, bool server_of)
{
	memset(ends, 0, sizeof(ends));
	memset(flows, 0, sizeof(flows));
	loop.a = &ends[0];
	loop.flow = flows;
	loop.flows = SEVERAL;
	loop.groups = groups;
	loop.posted = posted_there;
	kv_flow_init(&loop, !server_of);
}

static void assert_all_drained(void)
{
	for (unsigned int i = 0; i < SEVERAL; i++) {
		assert_int_equal(ends[i].send_cq.used, 0);
		assert_int_equal(ends[i].recv_cq.used, 0);
		assert_int_equal(flows[i].outstanding, 0);
	}
}

static unsigned int most_at[SEVERAL];

static void count_at_each(void)
{
	for (unsigned int i = 0; i < SEVERAL; i++)
		if (ends[i].send_cq.used > most_at[i])
			most_at[i] = ends[i].send_cq.used;
}

static void streams_keep_their_depth_at_each_end(void **state)
{
	prepare_several(2, false);
	loop.iters = 31;
	loop.quiet = 1;
	memset(most_at, 0, sizeof(most_at));
	fake.relax = count_at_each;
	for (unsigned int i = 0; i < SEVERAL; i++)
		ends[i].send_empty = 1;
	assert_int_equal(kv_loop_streams_bh_disabled(&loop), 0);
	assert_int_equal(loop.done, 31);
	assert_int_equal(hist_count(), 31);
	assert_int_equal(fake.rescheds, 31);
	for (unsigned int i = 0; i < SEVERAL; i++) {
		assert_int_equal(most_at[i], 2);
		/* Equal ends have equal shares, within the depth. */
		assert_in_range(ends[i].sends, 9, 12);
		assert_int_equal(ends[i].quiets, ends[i].sends);
		assert_int_equal(ends[i].bh_posts, 2 * ends[i].sends);
		assert_int_equal(flows[i].done, ends[i].sends);
	}
	assert_all_drained();
	kv_loop_reset(&loop);
	assert_int_equal(flows[1].done, 0);
}

/* An end that answers late holds up no other one. */
static void streams_go_on_beside_a_slow_end(void **state)
{
	prepare_several(2, false);
	loop.iters = 40;
	ends[1].send_empty = 50;
	assert_int_equal(kv_loop_streams(&loop), 0);
	assert_int_equal(loop.done, 40);
	assert_true(ends[0].sends > 3 * ends[1].sends);
	assert_true(ends[2].sends > 3 * ends[1].sends);
	assert_all_drained();
}

/* Fewer samples than there is room for: some ends get one, and none two before all have one. */
static void streams_share_few_samples(void **state)
{
	prepare_several(2, false);
	loop.iters = 4;
	assert_int_equal(kv_loop_streams(&loop), 0);
	assert_int_equal(ends[0].sends, 2);
	assert_int_equal(ends[1].sends, 1);
	assert_int_equal(ends[2].sends, 1);
	loop.iters = loop.done;
	assert_int_equal(kv_loop_streams(&loop), 0);
	assert_int_equal(ends[0].sends, 2);
	assert_all_drained();
}

static void streams_take_each_group_from_its_post(void **state)
{
	prepare_several(1, false);
	loop.iters = 3;
	fake.now_ticks = 0;
	fake.post_ticks = 100;
	fake.poll_ticks = 7;
	assert_int_equal(kv_loop_streams(&loop), 0);
	assert_int_equal(hist.sum, (300 + 7) + (200 + 14) + (100 + 21));
}

static void streams_finish_what_is_outstanding_when_stopped(void **state)
{
	prepare_several(2, false);
	loop.spins = 0;
	loop.grace = 100000;
	for (unsigned int i = 0; i < SEVERAL; i++)
		ends[i].send_empty = 3;
	fake.yield = set_stop;
	assert_int_equal(kv_loop_streams(&loop), -ECANCELED);
	assert_int_equal(loop.done, 6);
	assert_int_equal(loop.busy, 0);
	assert_all_drained();
}

/* Every CQ is looked at between two yields, and once more when the time is over. */
static void streams_look_at_all_ends_before_they_yield(void **state)
{
	prepare_several(1, false);
	loop.spins = 0;
	loop.iters = 3;
	for (unsigned int i = 0; i < SEVERAL; i++)
		ends[i].send_empty = 4;
	assert_int_equal(kv_loop_streams(&loop), 0);
	assert_int_equal(loop.yields, 4);
	reset(NULL);
	prepare_several(1, false);
	loop.spins = 0;
	loop.iters = 3;
	loop.timeout = 500;
	fake.yield_ticks = 300;
	ends[2].send_empty = 2;
	ends[0].lost_send = 1;
	assert_int_equal(kv_loop_streams(&loop), -ETIMEDOUT);
	assert_int_equal(loop.done, 2);
	assert_int_equal(loop.busy, 1);
}

static void streams_tell_why_an_end_failed(void **state)
{
	prepare_several(2, false);
	ends[1].bad_send = 3;
	ends[1].bad = (struct fake_wc){ 0, WC_REM_ACCESS, 0x81, NULL };
	loop.iters = 30;
	assert_int_equal(kv_loop_streams(&loop), -EIO);
	assert_int_equal(loop.busy, 1);
	assert_int_equal(loop.wc_status, WC_REM_ACCESS);
	assert_int_equal(loop.vendor_err, 0x81);
	reset(NULL);
	prepare_several(2, false);
	ends[2].fail_send = 2;
	ends[2].fail_ret = -ENOMEM;
	assert_int_equal(kv_loop_streams(&loop), -ENOMEM);
	assert_int_equal(loop.busy, 1);
	reset(NULL);
	prepare_several(2, false);
	ends[2].send_cq.broken = true;
	assert_int_equal(kv_loop_streams(&loop), -EIO);
	assert_int_equal(loop.wc_status, 0);
}

static void serve_streams(kv_loop_fn streams_server)
{
	prepare_several(1, true);
	loop.iters = 9;
	for (unsigned int i = 0; i < SEVERAL; i++)
		for (unsigned int n = 0; n < 2 + i; n++)
			fake_complete(&ends[i].recv_cq, (struct fake_wc){ .empty = 1 });
	assert_int_equal(streams_server(&loop), 0);
	for (unsigned int i = 0; i < SEVERAL; i++) {
		assert_int_equal(ends[i].recvs, 2 + i);
		assert_int_equal(flows[i].done, 2 + i);
		assert_int_equal(ends[i].sends, 0);
	}
	assert_int_equal(hist_count(), 0);
	assert_all_drained();
	/* Nothing comes any more: its time is over, or it is stopped. */
	loop.iters = 20;
	loop.time = 5000;
	loop.spins = 0;
	fake.yield_ticks = 100;
	assert_int_equal(streams_server(&loop), 0);
	assert_int_equal(loop.busy, 0);
	loop.time = ~0ULL;
	fake.yield = set_stop;
	assert_int_equal(streams_server(&loop), -ECANCELED);
	assert_int_equal(loop.busy, 0);
	loop.stop = 0;
	fake.yield = NULL;
	ends[2].fail_recv = ends[2].recvs_posted + 1;
	ends[2].fail_ret = -ENOMEM;
	fake_complete(&ends[2].recv_cq, (struct fake_wc){ 0 });
	assert_int_equal(streams_server(&loop), -ENOMEM);
	assert_int_equal(loop.busy, 1);
}

static void a_server_of_streams_replaces_the_receives_of_each_end(void **state)
{
	serve_streams(kv_loop_streams_server);
	assert_int_equal(ends[2].srq_posts, 0);
}

static void a_server_of_an_srq_replaces_the_receives_of_each_end(void **state)
{
	serve_streams(kv_loop_streams_server_srq);
	for (unsigned int i = 0; i < SEVERAL; i++)
		assert_int_equal(ends[i].srq_posts, ends[i].recvs_posted);
}

/* The same ends complete into one CQ. */
static struct kv_env_cq one_cq;

static void prepare_one_cq(__u32 groups, bool server_of)
{
	prepare_several(groups, server_of);
	memset(&one_cq, 0, sizeof(one_cq));
	for (unsigned int i = 0; i < SEVERAL; i++)
		ends[i].one_cq = &one_cq;
	kv_flow_init(&loop, !server_of);
}

static unsigned int most_in_one_cq;

static void count_in_one_cq(void)
{
	if (one_cq.used > most_in_one_cq)
		most_in_one_cq = one_cq.used;
}

static void streams_of_one_cq_keep_their_depth_at_each_end(void **state)
{
	prepare_one_cq(2, false);
	loop.iters = 31;
	loop.quiet = 1;
	most_in_one_cq = 0;
	fake.relax = count_in_one_cq;
	for (unsigned int i = 0; i < SEVERAL; i++)
		ends[i].send_empty = 1;
	assert_int_equal(kv_loop_streams_one_cq_bh_disabled(&loop), 0);
	assert_int_equal(loop.done, 31);
	assert_int_equal(hist_count(), 31);
	assert_int_equal(most_in_one_cq, 2 * SEVERAL);
	for (unsigned int i = 0; i < SEVERAL; i++) {
		/* Each completion lets its own end post again. */
		assert_in_range(ends[i].sends, 9, 12);
		assert_int_equal(ends[i].quiets, ends[i].sends);
		assert_int_equal(ends[i].bh_posts, 2 * ends[i].sends);
		assert_int_equal(flows[i].done, ends[i].sends);
	}
	assert_int_equal(one_cq.used, 0);
	assert_all_drained();
}

static void streams_of_one_cq_take_each_group_from_its_post(void **state)
{
	prepare_one_cq(1, false);
	loop.iters = 3;
	fake.now_ticks = 0;
	fake.post_ticks = 100;
	fake.poll_ticks = 7;
	assert_int_equal(kv_loop_streams_one_cq(&loop), 0);
	assert_int_equal(hist.sum, (300 + 7) + (200 + 14) + (100 + 21));
}

/* One poll is a look at all ends. */
static void streams_of_one_cq_poll_once_before_they_yield(void **state)
{
	prepare_one_cq(1, false);
	loop.spins = 0;
	loop.iters = 3;
	ends[0].send_empty = 4;
	assert_int_equal(kv_loop_streams_one_cq(&loop), 0);
	assert_int_equal(loop.yields, 4);
	assert_int_equal(fake.relaxed, 0);
}

static void streams_of_one_cq_tell_why_an_end_failed(void **state)
{
	prepare_one_cq(2, false);
	ends[1].bad_send = 3;
	ends[1].bad = (struct fake_wc){ 0, WC_REM_ACCESS, 0x81, NULL };
	loop.iters = 30;
	assert_int_equal(kv_loop_streams_one_cq(&loop), -EIO);
	assert_int_equal(loop.busy, 1);
	assert_int_equal(loop.wc_status, WC_REM_ACCESS);
	reset(NULL);
	prepare_one_cq(2, false);
	one_cq.broken = true;
	assert_int_equal(kv_loop_streams_one_cq(&loop), -EIO);
	assert_int_equal(loop.wc_status, 0);
}

/* A completion of a QP that is none of the run's is no sample. */
static void streams_of_one_cq_drop_what_is_not_theirs(void **state)
{
	static struct kv_end other;

	prepare_one_cq(1, false);
	loop.iters = 6;
	fake_complete(&one_cq, (struct fake_wc){ .end = &other });
	assert_int_equal(kv_loop_streams_one_cq(&loop), 0);
	assert_int_equal(loop.done, 6);
	assert_int_equal(ends[0].sends + ends[1].sends + ends[2].sends, 6);
	assert_int_equal(one_cq.used, 0);
}

static void a_server_of_one_cq_replaces_the_receives_of_each_end(void **state)
{
	prepare_one_cq(1, true);
	loop.iters = 9;
	for (unsigned int i = 0; i < SEVERAL; i++)
		for (unsigned int n = 0; n < 2 + i; n++)
			fake_complete(&one_cq, (struct fake_wc){ .empty = 1, .end = &ends[i] });
	assert_int_equal(kv_loop_streams_server_one_cq(&loop), 0);
	for (unsigned int i = 0; i < SEVERAL; i++) {
		assert_int_equal(ends[i].recvs, 2 + i);
		assert_int_equal(flows[i].done, 2 + i);
	}
	assert_int_equal(one_cq.used, 0);
}

static void picks_nothing_for_an_unknown_loop(void **state)
{
	assert_null(pick(__KVERBS_LOOP_LAST, KVERBS_OP_WRITE, 0, 0));
	assert_null(pick(~0U, KVERBS_OP_WRITE, 0, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_take_what_was_asked, reset),
		cmocka_unit_test_setup(all_stop_before_the_first_when_none_is_wanted,
				       reset),
		cmocka_unit_test_setup(all_hold_off_softirqs_when_told, reset),
		cmocka_unit_test_setup(all_return_what_a_post_returned, reset),
		cmocka_unit_test_setup(all_return_what_a_post_of_a_receive_returned,
				       reset),
		cmocka_unit_test_setup(all_give_up_when_nothing_completes, reset),
		cmocka_unit_test_setup(all_look_once_more_when_it_is_late, reset),
		cmocka_unit_test_setup(all_stop_while_waiting, reset),
		cmocka_unit_test_setup(all_finish_the_sample_when_stopped, reset),
		cmocka_unit_test_setup(grace_begins_when_the_stop_is_seen, reset),
		cmocka_unit_test_setup(all_stop_between_samples, reset),
		cmocka_unit_test_setup(all_are_done_if_stopped_after_the_last, reset),
		cmocka_unit_test_setup(all_do_nothing_if_stopped_before, reset),
		cmocka_unit_test_setup(all_report_a_bad_completion, reset),
		cmocka_unit_test_setup(null_records_what_two_reads_cost, reset),
		cmocka_unit_test_setup(null_is_the_same_with_bh_disabled, reset),
		cmocka_unit_test_setup(null_stops_between_samples, reset),
		cmocka_unit_test_setup(span_is_from_first_to_last, reset),
		cmocka_unit_test_setup(time_ends_the_run, reset),
		cmocka_unit_test_setup(count_ends_the_run_before_the_time, reset),
		cmocka_unit_test_setup(all_drop_a_sample_that_ends_before_it_begins, reset),
		cmocka_unit_test_setup(null_drops_a_sample_that_ends_before_it_begins, reset),
		cmocka_unit_test_setup(null_takes_a_sample_of_no_ticks, reset),
		cmocka_unit_test_setup(time_goes_on_after_a_dropped_sample, reset),
		cmocka_unit_test_setup(wait_is_not_over_because_a_counter_is_behind, reset),
		cmocka_unit_test_setup(elapsed_is_never_negative, reset),
		cmocka_unit_test_setup(reset_forgets_what_a_loop_left, reset),
		cmocka_unit_test_setup(results_are_added_to, reset),
		cmocka_unit_test_setup(completion_sample_is_exact, reset),
		cmocka_unit_test_setup(each_sample_has_its_own_bin, reset),
		cmocka_unit_test_setup(cpu_is_yielded_after_the_spins, reset),
		cmocka_unit_test_setup(cpu_is_yielded_at_once_without_spins, reset),
		cmocka_unit_test_setup(bad_completion_ends_the_loop, reset),
		cmocka_unit_test_setup(broken_cq_ends_the_loop, reset),
		cmocka_unit_test_setup(send_ping_sample_is_exact, reset),
		cmocka_unit_test_setup(send_pingpong_sample_is_exact, reset),
		cmocka_unit_test_setup(send_inv_sample_is_exact, reset),
		cmocka_unit_test_setup(keys_go_on_from_run_to_run, reset),
		cmocka_unit_test_setup(an_idle_server_uses_no_key, reset),
		cmocka_unit_test_setup(an_answer_that_invalidates_nothing_ends_the_loop, reset),
		cmocka_unit_test_setup(each_read_names_its_sink_by_a_new_key, reset),
		cmocka_unit_test_setup(send_loops_replace_their_receives, reset),
		cmocka_unit_test_setup(cause_of_a_flush_is_found, reset),
		cmocka_unit_test_setup(cause_is_found_behind_flushed_sends, reset),
		cmocka_unit_test_setup(flush_without_cause_stays_a_flush, reset),
		cmocka_unit_test_setup(who_only_waits_asks_the_peer, reset),
		cmocka_unit_test_setup(peer_that_is_there_is_but_late, reset),
		cmocka_unit_test_setup(peer_that_allows_no_write_is_there, reset),
		cmocka_unit_test_setup(search_for_the_cause_can_be_stopped, reset),
		cmocka_unit_test_setup(search_for_the_cause_ends_on_a_broken_cq, reset),
		cmocka_unit_test_setup(write_ping_sample_is_exact, reset),
		cmocka_unit_test_setup(write_pingpong_sample_is_exact, reset),
		cmocka_unit_test_setup(write_ping_counts_round, reset),
		cmocka_unit_test_setup(write_pong_counts_round, reset),
		cmocka_unit_test_setup(write_pingpong_counts_round, reset),
		cmocka_unit_test_setup(write_loops_find_their_place_again, reset),
		cmocka_unit_test_setup(write_ping_sees_its_write_fail, reset),
		cmocka_unit_test_setup(write_completion_is_taken_once, reset),
		cmocka_unit_test_setup(a_stream_keeps_its_depth, reset),
		cmocka_unit_test_setup(a_stream_takes_each_group_from_its_post, reset),
		cmocka_unit_test_setup(a_stream_ends_with_nothing_outstanding, reset),
		cmocka_unit_test_setup(a_stream_finishes_what_is_outstanding_when_stopped, reset),
		cmocka_unit_test_setup(a_stream_signals_the_last_list_of_a_group, reset),
		cmocka_unit_test_setup(a_stream_tells_why_a_group_failed, reset),
		cmocka_unit_test_setup(an_event_loop_misses_no_completion, reset),
		cmocka_unit_test_setup(a_handler_takes_one_completion_at_a_time, reset),
		cmocka_unit_test_setup(an_event_loop_that_can_not_arm_ends, reset),
		cmocka_unit_test_setup(ping_and_pong_meet, reset),
		cmocka_unit_test_setup(server_ends_with_its_time, reset),
		cmocka_unit_test_setup(server_tells_its_time, reset),
		cmocka_unit_test_setup(server_may_start_first, reset),
		cmocka_unit_test_setup(server_has_a_deadline_for_each_wait, reset),
		cmocka_unit_test_setup(picks_a_loop_for_what_it_can_do, reset),
		cmocka_unit_test_setup(a_stream_server_replaces_its_receives, reset),
		cmocka_unit_test_setup(a_stream_server_ends_where_it_waits, reset),
		cmocka_unit_test_setup(streams_keep_their_depth_at_each_end, reset),
		cmocka_unit_test_setup(streams_go_on_beside_a_slow_end, reset),
		cmocka_unit_test_setup(streams_share_few_samples, reset),
		cmocka_unit_test_setup(streams_take_each_group_from_its_post, reset),
		cmocka_unit_test_setup(streams_finish_what_is_outstanding_when_stopped, reset),
		cmocka_unit_test_setup(streams_look_at_all_ends_before_they_yield, reset),
		cmocka_unit_test_setup(streams_tell_why_an_end_failed, reset),
		cmocka_unit_test_setup(a_server_of_streams_replaces_the_receives_of_each_end, reset),
		cmocka_unit_test_setup(streams_of_one_cq_keep_their_depth_at_each_end, reset),
		cmocka_unit_test_setup(streams_of_one_cq_take_each_group_from_its_post, reset),
		cmocka_unit_test_setup(streams_of_one_cq_poll_once_before_they_yield, reset),
		cmocka_unit_test_setup(streams_of_one_cq_tell_why_an_end_failed, reset),
		cmocka_unit_test_setup(streams_of_one_cq_drop_what_is_not_theirs, reset),
		cmocka_unit_test_setup(a_server_of_one_cq_replaces_the_receives_of_each_end, reset),
		cmocka_unit_test_setup(a_server_of_an_srq_replaces_the_receives_of_each_end, reset),
		cmocka_unit_test(picks_other_loops_for_several_ends),
		cmocka_unit_test_setup(a_stream_server_fails_with_its_receives, reset),
		cmocka_unit_test_setup(a_server_of_an_srq_does_the_same, reset),
		cmocka_unit_test_setup(picks_nothing_for_an_unknown_loop, reset),
	};

	return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
