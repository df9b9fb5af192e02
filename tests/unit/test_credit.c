// SPDX-License-Identifier: MIT
/* The stream with credits, and its server. */
#include "test.h"
#include <kverbs.h>
#include "loop_env.h"
#include "loop/credit.h"
#include "loop/flow.h"

#define RECVS 4
#define BATCH 2
#define SEVERAL 3

#define WC_FLUSHED 5
#define WC_REM_ACCESS 10

static struct kv_hist hist;
static struct kv_loop loop;
static struct kv_end ends[SEVERAL], peers[SEVERAL];
static struct kv_flow flows[SEVERAL];
static __u64 posted[SEVERAL * 4];
static struct kv_env_cq sends, recvs;

/* @n ends, of the initiator or of the server, with @groups outstanding. */
static void prepare(unsigned int n, __u32 groups, int gives)
{
	memset(&fake, 0, sizeof(fake));
	memset(&loop, 0, sizeof(loop));
	memset(ends, 0, sizeof(ends));
	memset(peers, 0, sizeof(peers));
	memset(flows, 0, sizeof(flows));
	memset(&sends, 0, sizeof(sends));
	memset(&recvs, 0, sizeof(recvs));
	kv_hist_reset(&hist);
	fake.now = 1000000;
	fake.now_ticks = 1;
	loop.a = ends;
	loop.hist = &hist;
	loop.iters = 10;
	loop.time = ~0ULL;
	loop.timeout = 1000000;
	loop.grace = 1000;
	loop.flow = flows;
	loop.flows = n;
	loop.groups = groups;
	loop.posted = posted;
	loop.sends = 1;
	for (unsigned int i = 0; i < n; i++) {
		ends[i].peer = &peers[i];
		ends[i].write = gives;
		peers[i].recvs = gives ? 0 : RECVS;
		assert_int_equal(kv_credit_begin(&ends[i].credit, RECVS, gives), 1);
	}
	kv_flow_init(&loop, !gives);
}

static void set_stop(void)
{
	loop.stop = 1;
}

/* The server of one end, which the test plays: it replaces all receives that were used up. */
static void answer_at(unsigned int i)
{
	struct kv_end *e = &peers[i];

	for (; e->recv_cq.used; e->recv_cq.used--) {
		e->recvs++;
		if (++e->credit.used % BATCH)
			continue;
		ends[i].new_tail++;
	}
}

static void answer(void)
{
	for (unsigned int i = 0; i < SEVERAL; i++)
		answer_at(i);
}

static void a_batch_is_half_of_the_receives(void **state)
{
	struct kv_credit c = { 0 };

	assert_int_equal(kv_credit_batch(1), 1);
	assert_int_equal(kv_credit_batch(2), 1);
	assert_int_equal(kv_credit_batch(3), 2);
	assert_int_equal(kv_credit_batch(16384), 8192);
	/* Only the first run of a connection begins to count. */
	assert_int_equal(kv_credit_begin(&c, 5, 0), 1);
	assert_int_equal(c.batch, 3);
	c.left = 2;
	assert_int_equal(kv_credit_begin(&c, 5, 0), 0);
	assert_int_equal(c.left, 2);
}

/* However slow the server is, each SEND finds a receive. The byte passes 255 many times. */
static void no_send_is_without_a_receive(void **state)
{
	for (unsigned int n = 1; n <= SEVERAL; n += SEVERAL - 1) {
		for (__u32 groups = 1; groups <= 4; groups++) {
			prepare(n, groups, 0);
			loop.iters = 3000;
			fake.yield = answer;
			assert_int_equal(kv_loop_credit_stream(&loop), 0);
			assert_int_equal(loop.done, 3000);
			assert_int_equal(loop.busy, 0);
			assert_int_equal(fake.rescheds, 3000);
			assert_true(loop.yields >= 3000 / n / RECVS - 1);
			for (unsigned int i = 0; i < n; i++) {
				assert_int_equal(peers[i].unready, 0);
				assert_int_equal(flows[i].done, ends[i].sends);
				assert_int_equal(flows[i].outstanding, 0);
				assert_int_equal(ends[i].send_cq.used, 0);
				assert_in_range(ends[i].sends, 3000 / n - RECVS, 3000 / n + RECVS);
			}
		}
	}
}

static void the_same_with_one_cq(void **state)
{
	prepare(SEVERAL, 2, 0);
	for (unsigned int i = 0; i < SEVERAL; i++)
		ends[i].one_cq = &sends;
	kv_flow_init(&loop, 1);
	loop.iters = 1000;
	fake.yield = answer;
	assert_int_equal(kv_loop_credit_stream_one_cq_bh_disabled(&loop), 0);
	for (unsigned int i = 0; i < SEVERAL; i++) {
		assert_int_equal(peers[i].unready, 0);
		assert_int_equal(ends[i].bh_posts, ends[i].sends);
		assert_in_range(ends[i].sends, 1000 / SEVERAL - RECVS, 1000 / SEVERAL + RECVS);
	}
	assert_int_equal(sends.used, 0);
}

/* A group takes credits for all its requests, or waits. */
static void a_group_waits_for_all_its_credits(void **state)
{
	prepare(1, 1, 0);
	loop.sends = 3;
	loop.quiet = 2;
	loop.iters = 2;
	fake.yield = set_stop;
	assert_int_equal(kv_loop_credit_stream(&loop), -ECANCELED);
	assert_int_equal(loop.done, 1);
	assert_int_equal(ends[0].quiets, 2);
	assert_int_equal(ends[0].credit.left, 1);
	assert_int_equal(loop.busy, 0);
	loop.stop = 0;
	loop.stopped = 0;
	ends[0].new_tail = 1;
	assert_int_equal(kv_loop_credit_stream(&loop), 0);
	assert_int_equal(ends[0].credit.left, 0);
}

/* The second run has what the first one has left, and what has come since. */
static void counts_go_on_from_run_to_run(void **state)
{
	prepare(1, 1, 0);
	loop.iters = 3;
	assert_int_equal(kv_loop_credit_stream(&loop), 0);
	kv_loop_reset(&loop);
	fake.yield = set_stop;
	assert_int_equal(kv_loop_credit_stream(&loop), -ECANCELED);
	assert_int_equal(ends[0].sends, RECVS);
	answer_at(0);
	loop.stop = 0;
	loop.stopped = 0;
	kv_loop_reset(&loop);
	loop.iters = RECVS;
	assert_int_equal(kv_loop_credit_stream(&loop), 0);
	assert_int_equal(ends[0].sends, 2 * RECVS);
	assert_int_equal(peers[0].unready, 0);
}

static void few_samples_are_shared_out(void **state)
{
	prepare(SEVERAL, 4, 0);
	loop.iters = SEVERAL;
	assert_int_equal(kv_loop_credit_stream(&loop), 0);
	for (unsigned int i = 0; i < SEVERAL; i++)
		assert_int_equal(ends[i].sends, 1);
	loop.iters = loop.done;
	assert_int_equal(kv_loop_credit_stream(&loop), 0);
	assert_int_equal(ends[0].sends, 1);
}

static void answer_others(void)
{
	answer_at(0);
	answer_at(2);
}

static void an_end_without_credits_holds_up_no_other(void **state)
{
	prepare(SEVERAL, 2, 0);
	loop.iters = 100;
	fake.yield = answer_others;
	assert_int_equal(kv_loop_credit_stream(&loop), 0);
	assert_int_equal(ends[1].sends, RECVS);
	assert_int_equal(peers[0].unready + peers[1].unready + peers[2].unready, 0);
}

static void answer_late(void)
{
	if (!(fake.gone % 7))
		answer();
}

/* A sample begins just before its post: it does not include the wait for credits. */
static void the_wait_for_credits_is_no_sample(void **state)
{
	prepare(1, 1, 0);
	loop.iters = 20;
	fake.now_ticks = 0;
	fake.yield_ticks = 10000;
	fake.post_ticks = 100;
	fake.poll_ticks = 7;
	fake.yield = answer_late;
	assert_int_equal(kv_loop_credit_stream(&loop), 0);
	assert_int_equal(hist.sum, 20 * 107);
	assert_true(kv_loop_elapsed(&loop) > 20000);
}

static void a_wait_for_credits_ends(void **state)
{
	/* At the end of the loop's time. */
	prepare(1, 2, 0);
	loop.time = 100000;
	fake.yield_ticks = 100;
	assert_int_equal(kv_loop_credit_stream(&loop), 0);
	assert_int_equal(loop.done, RECVS);
	assert_int_equal(loop.busy, 0);
	/* At once when the loop is stopped. */
	prepare(1, 2, 0);
	fake.yield = set_stop;
	assert_int_equal(kv_loop_credit_stream(&loop), -ECANCELED);
	assert_int_equal(loop.busy, 0);
	assert_int_equal(ends[0].send_cq.used, 0);
	/* At the timeout. A peer that answers the probe is not to blame, */
	prepare(1, 2, 0);
	fake.yield_ticks = 100;
	ends[0].probe = &(struct fake_wc){ 0 };
	assert_int_equal(kv_loop_credit_stream(&loop), -ETIMEDOUT);
	assert_int_equal(loop.wc_status, 0);
	/* and one that is gone is. */
	prepare(1, 2, 0);
	fake.yield_ticks = 100;
	ends[0].probe = &(struct fake_wc){ .status = WC_FLUSHED };
	assert_int_equal(kv_loop_credit_stream(&loop), -EIO);
	assert_int_equal(loop.wc_status, WC_FLUSHED);
}

static void a_stream_fails_with_its_requests(void **state)
{
	prepare(SEVERAL, 2, 0);
	ends[1].bad_send = 2;
	ends[1].bad = (struct fake_wc){ 0, WC_REM_ACCESS, 0x81, NULL };
	assert_int_equal(kv_loop_credit_stream(&loop), -EIO);
	assert_int_equal(loop.busy, 1);
	assert_int_equal(loop.wc_status, WC_REM_ACCESS);
	prepare(SEVERAL, 2, 0);
	ends[2].fail_send = 2;
	ends[2].fail_ret = -ENOMEM;
	assert_int_equal(kv_loop_credit_stream(&loop), -ENOMEM);
	assert_int_equal(loop.busy, 1);
	/* An answer that does not come, while a SEND is outstanding. */
	prepare(1, 2, 0);
	ends[0].lost_send = 2;
	fake.yield_ticks = 100;
	assert_int_equal(kv_loop_credit_stream(&loop), -ETIMEDOUT);
	assert_int_equal(loop.busy, 1);
}

/* @n messages come to each of @ends. */
static int serve(unsigned int n, kv_loop_fn fn)
{
	loop.iters = n * loop.flows;
	for (unsigned int i = 0; i < loop.flows; i++)
		for (unsigned int k = 0; k < n; k++)
			fake_complete(kv_env_recv_cq(&ends[i]), (struct fake_wc){ .empty = k % 2, .end = &ends[i] });
	return fn(&loop);
}

static void a_server_tells_of_each_batch(void **state)
{
	for (unsigned int n = 1; n <= SEVERAL; n += SEVERAL - 1) {
		prepare(n, 1, 1);
		for (unsigned int i = 0; i < n; i++)
			ends[i].send_empty = 5;
		assert_int_equal(serve(7, kv_loop_credit_server_bh_disabled), 0);
		for (unsigned int i = 0; i < n; i++) {
			assert_int_equal(ends[i].recvs_posted, 7);
			assert_int_equal(ends[i].sends, 3);
			assert_int_equal(ends[i].bh_posts, 3);
			assert_int_equal(peers[i].new_tail, 3);
			assert_int_equal(ends[i].credit.used, 1);
			/* No WRITE is left behind. */
			assert_int_equal(ends[i].send_cq.used, 0);
			assert_int_equal(ends[i].credit.writing, 0);
		}
		assert_int_equal(hist.sum, 0);
		assert_int_equal(loop.busy, 0);
		/* The next run goes on to count. */
		kv_loop_reset(&loop);
		assert_int_equal(serve(1, kv_loop_credit_server), 0);
		assert_int_equal(peers[0].new_tail, 4);
	}
}

static void a_server_with_one_cq_does_the_same(void **state)
{
	prepare(SEVERAL, 1, 1);
	for (unsigned int i = 0; i < SEVERAL; i++) {
		ends[i].one_cq = &recvs;
		ends[i].one_send_cq = &sends;
		ends[i].send_empty = 3;
	}
	kv_flow_init(&loop, 0);
	assert_int_equal(serve(5, kv_loop_credit_server_one_cq), 0);
	for (unsigned int i = 0; i < SEVERAL; i++) {
		assert_int_equal(ends[i].recvs_posted, 5);
		assert_int_equal(peers[i].new_tail, 2);
		assert_int_equal(ends[i].credit.writing, 0);
	}
	assert_int_equal(sends.used, 0);
}

/* While a WRITE is outstanding, its byte stays. */
static void a_server_waits_before_it_changes_the_byte(void **state)
{
	prepare(1, 1, 1);
	ends[0].lost_send = 2;
	fake.yield_ticks = 100;
	assert_int_equal(serve(6, kv_loop_credit_server), -ETIMEDOUT);
	assert_int_equal(ends[0].sends, 2);
	assert_int_equal(ends[0].tx_tail, 2);
	assert_int_equal(loop.done, 5);
	assert_int_equal(loop.busy, 1);
}

static void a_server_ends_where_it_waits(void **state)
{
	prepare(1, 1, 1);
	ends[0].send_empty = 9;
	fake.yield = set_stop;
	loop.spins = 3;
	loop.iters = 3;
	fake_complete(&ends[0].recv_cq, (struct fake_wc){ 0 });
	fake_complete(&ends[0].recv_cq, (struct fake_wc){ 0 });
	assert_int_equal(kv_loop_credit_server(&loop), -ECANCELED);
	assert_int_equal(loop.busy, 0);
	assert_int_equal(ends[0].send_cq.used, 0);
	/* No message comes for too long: the completion of the last WRITE is not left to a later run. */
	prepare(1, 1, 1);
	ends[0].send_empty = 1;
	fake.yield_ticks = 100;
	loop.iters = 3;
	fake_complete(&ends[0].recv_cq, (struct fake_wc){ 0 });
	fake_complete(&ends[0].recv_cq, (struct fake_wc){ 0 });
	assert_int_equal(kv_loop_credit_server(&loop), -ETIMEDOUT);
	assert_int_equal(ends[0].sends, 1);
	assert_int_equal(loop.busy, 0);
	assert_int_equal(ends[0].credit.writing, 0);
	assert_int_equal(ends[0].send_cq.used, 0);
	/* The end of its time is no error. */
	prepare(1, 1, 1);
	loop.time = 1000;
	fake.yield_ticks = 100;
	assert_int_equal(kv_loop_credit_server(&loop), 0);
	/* A WRITE that does not complete within the grace is left. */
	prepare(1, 1, 1);
	ends[0].lost_send = 1;
	fake.yield = set_stop;
	fake.yield_ticks = 100;
	loop.iters = 3;
	fake_complete(&ends[0].recv_cq, (struct fake_wc){ 0 });
	fake_complete(&ends[0].recv_cq, (struct fake_wc){ 0 });
	assert_int_equal(kv_loop_credit_server(&loop), -ECANCELED);
	assert_int_equal(loop.busy, 1);
}

static void a_server_fails_with_its_requests(void **state)
{
	prepare(1, 1, 1);
	ends[0].fail_recv = 2;
	ends[0].fail_ret = -ENOMEM;
	assert_int_equal(serve(3, kv_loop_credit_server), -ENOMEM);
	assert_int_equal(loop.busy, 1);
	prepare(1, 1, 1);
	ends[0].fail_send = 1;
	ends[0].fail_ret = -ENOMEM;
	assert_int_equal(serve(3, kv_loop_credit_server), -ENOMEM);
	assert_int_equal(ends[0].credit.writing, 0);
	prepare(1, 1, 1);
	ends[0].bad_send = 1;
	ends[0].bad = (struct fake_wc){ 0, WC_REM_ACCESS, 7, NULL };
	assert_int_equal(serve(4, kv_loop_credit_server), -EIO);
	assert_int_equal(loop.wc_status, WC_REM_ACCESS);
	prepare(1, 1, 1);
	fake_complete(&ends[0].recv_cq, (struct fake_wc){ .status = 1, .vendor_err = 7 });
	assert_int_equal(kv_loop_credit_server(&loop), -EIO);
	assert_int_equal(loop.done, 0);
	assert_int_equal(loop.wc_status, 1);
}

static void one_cq_has_loops_of_its_own(void **state)
{
	struct kv_loop_form form = { .loop = KVERBS_LOOP_CREDIT_STREAM, .several = 1, .one_cq = 1 };

	assert_true(kv_loop_pick(&form, 0) == kv_loop_credit_stream_one_cq);
	assert_true(kv_loop_pick(&form, 1) == kv_loop_credit_stream_one_cq_bh_disabled);
	form.loop = KVERBS_LOOP_CREDIT_SERVER;
	assert_true(kv_loop_pick(&form, 0) == kv_loop_credit_server_one_cq);
	assert_true(kv_loop_pick(&form, 1) == kv_loop_credit_server_one_cq_bh_disabled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_batch_is_half_of_the_receives),
		cmocka_unit_test(no_send_is_without_a_receive),
		cmocka_unit_test(the_same_with_one_cq),
		cmocka_unit_test(a_group_waits_for_all_its_credits),
		cmocka_unit_test(counts_go_on_from_run_to_run),
		cmocka_unit_test(few_samples_are_shared_out),
		cmocka_unit_test(an_end_without_credits_holds_up_no_other),
		cmocka_unit_test(the_wait_for_credits_is_no_sample),
		cmocka_unit_test(a_wait_for_credits_ends),
		cmocka_unit_test(a_stream_fails_with_its_requests),
		cmocka_unit_test(a_server_tells_of_each_batch),
		cmocka_unit_test(a_server_with_one_cq_does_the_same),
		cmocka_unit_test(a_server_waits_before_it_changes_the_byte),
		cmocka_unit_test(a_server_ends_where_it_waits),
		cmocka_unit_test(a_server_fails_with_its_requests),
		cmocka_unit_test(one_cq_has_loops_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
