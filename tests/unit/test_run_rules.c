// SPDX-License-Identifier: MIT
/* The rules about a run's spec, its QPs and its buffers: what is right, with one thing wrong at a time. */
#include "test.h"
#include <errno.h>
#include <string.h>
#include "rules/run.h"

#define SPEC(name) (1U << KVERBS_A_SPEC_##name)
#define END(name) (1U << KVERBS_A_END_##name)
#define WORK (SPEC(LOOP) | SPEC(ITERS) | SPEC(OP) | SPEC(SIZE))
#define MEMORY (END(QP) | END(LOCAL_BUF))
#define REMOTE (END(REMOTE_ADDR) | END(REMOTE_KEY))

static struct kv_refusal why;

/* The last refusal: of which error and attribute, and how its text begins. */
static void is_refused(int ret, int error, uint32_t attr, bool missing, const char *text)
{
	assert_int_equal(ret, error);
	assert_int_equal(why.error, error);
	assert_int_equal(why.attr, attr);
	assert_int_equal(why.missing, missing);
	if (strncmp(why.text, text, strlen(text)))
		fail_msg("'%s', and not '%s'", why.text, text);
}

static void lacks(struct kv_run_given given, uint32_t attr, const char *text)
{
	is_refused(kv_run_check_given(&given, &why), -EINVAL, attr, true, text);
}

static void surplus(struct kv_run_given given, uint32_t attr, const char *text)
{
	is_refused(kv_run_check_given(&given, &why), -EINVAL, attr, false, text);
}

#define GIVEN(attrs, n, LOOP, OP) \
	((struct kv_run_given){ .spec = (attrs), .ends = (n), .loop = KVERBS_LOOP_##LOOP, .op = KVERBS_OP_##OP })

static void a_spec_has_what_it_needs(void **state)
{
	struct kv_run_given good[] = {
		GIVEN(SPEC(LOOP) | SPEC(ITERS) | SPEC(DEV), 0, NULL, SEND),
		GIVEN(WORK | SPEC(END), 1, POST_TO_COMPLETION, WRITE),
		GIVEN(WORK | SPEC(END), KV_RUN_WORKERS_MAX, POST_TO_COMPLETION, WRITE),
		GIVEN(WORK | SPEC(END), KV_RUN_WORKERS_MAX, STREAM, WRITE),
		GIVEN(SPEC(LOOP) | SPEC(TIME_NS) | SPEC(OP) | SPEC(SIZE) | SPEC(END), 2, PINGPONG, SEND),
	};

	for (unsigned int i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(kv_run_check_given(&good[i], &why), 0);
	lacks(GIVEN(WORK & ~SPEC(LOOP), 1, NULL, SEND), KVERBS_A_SPEC_LOOP, "loop is missing");
	lacks(GIVEN(WORK & ~SPEC(ITERS), 1, POST_TO_COMPLETION, WRITE), KVERBS_A_SPEC_ITERS,
	      "iters and time_ns are missing");
	lacks(GIVEN(WORK & ~SPEC(OP), 1, POST_TO_COMPLETION, WRITE), KVERBS_A_SPEC_OP, "op is missing");
	lacks(GIVEN(WORK & ~SPEC(SIZE), 1, POST_TO_COMPLETION, WRITE), KVERBS_A_SPEC_SIZE,
	      "size is missing");
	lacks(GIVEN(WORK, 0, POST_TO_COMPLETION, WRITE), KVERBS_A_SPEC_END, "end is missing");
	lacks(GIVEN(WORK, 1, PINGPONG, WRITE), KVERBS_A_SPEC_END, "an end is missing: PINGPONG");
	lacks(GIVEN(SPEC(LOOP) | SPEC(ITERS), 0, NULL, SEND), KVERBS_A_SPEC_DEV, "dev is missing");
}

static void a_spec_has_nothing_else(void **state)
{
	surplus(GIVEN(WORK, KV_RUN_WORKERS_MAX + 1, STREAM, WRITE), KVERBS_A_SPEC_END, "more than 16 ends");
	surplus(GIVEN(WORK, 2, PINGPONG_CLIENT, WRITE), KVERBS_A_SPEC_END, "more than one end");
	surplus(GIVEN(WORK, 3, PINGPONG, WRITE), KVERBS_A_SPEC_END, "more than two ends: PINGPONG");
	surplus(GIVEN(WORK | SPEC(DEV), 1, POST_TO_COMPLETION, WRITE), KVERBS_A_SPEC_DEV, "dev goes with");
	surplus(GIVEN(WORK | SPEC(SWAP), 1, POST_TO_COMPLETION, FETCH_ADD), KVERBS_A_SPEC_SWAP,
		"swap goes with cmp_swp");
	surplus(GIVEN(WORK, 1, POST_TO_COMPLETION, SEND), KVERBS_A_SPEC_OP, "this loop can't take this op");
	surplus(GIVEN(WORK, 2, PINGPONG, READ), KVERBS_A_SPEC_OP, "this loop can't take this op");
	surplus(GIVEN(WORK, 1, STREAM, SEND), KVERBS_A_SPEC_OP, "this loop can't take this op");
	surplus(GIVEN(WORK | SPEC(DEPTH), 1, POST_TO_COMPLETION, WRITE), KVERBS_A_SPEC_DEPTH, "depth goes with");
	surplus(GIVEN(WORK | SPEC(LIST), 2, PINGPONG, WRITE), KVERBS_A_SPEC_LIST, "list goes with");
	surplus(GIVEN(WORK | SPEC(SIGNAL), 2, PINGPONG, WRITE), KVERBS_A_SPEC_SIGNAL, "signal goes with");
	for (uint32_t attr = 1; attr <= KVERBS_A_SPEC_MAX; attr++) {
		struct kv_run_given given = GIVEN(SPEC(LOOP) | SPEC(ITERS) | SPEC(DEV) | 1U << attr, 0, NULL, SEND);
		bool fine = (SPEC(LOOP) | SPEC(ITERS) | SPEC(DEV) | SPEC(TIME_NS) | SPEC(WARMUP) | SPEC(CPU)) &
			    1U << attr;

		if (fine)
			assert_int_equal(kv_run_check_given(&given, &why), 0);
		else
			is_refused(kv_run_check_given(&given, &why), -EINVAL, attr, false, "");
	}
}

static void an_end_has_what_the_run_needs(void **state)
{
	const struct kv_run_given write = GIVEN(WORK, 1, POST_TO_COMPLETION, WRITE);
	const struct kv_run_given send = GIVEN(WORK, 1, PINGPONG_SERVER, SEND);
	const struct {
		const struct kv_run_given *of;
		uint32_t end, attr;
		bool missing;
		const char *text;
	} bad[] = {
		{ &write, (MEMORY | REMOTE) & ~END(QP), KVERBS_A_END_QP, true, "qp is missing" },
		{ &write, (MEMORY | REMOTE) & ~END(LOCAL_BUF), KVERBS_A_END_LOCAL_BUF, true, "local_buf is missing" },
		{ &write, MEMORY | END(REMOTE_KEY), KVERBS_A_END_REMOTE_ADDR, true, "remote_addr is missing" },
		{ &write, MEMORY | END(REMOTE_ADDR), KVERBS_A_END_REMOTE_KEY, true, "remote_key is missing" },
		{ &write, MEMORY | REMOTE | END(TARGET_BUF), KVERBS_A_END_TARGET_BUF, false, "target_buf goes with" },
		{ &write, MEMORY | REMOTE | END(TARGET_MR), KVERBS_A_END_TARGET_MR, false, "target_mr goes with" },
		{ &write, MEMORY | REMOTE | END(TARGET_OFFSET), KVERBS_A_END_TARGET_OFFSET, false,
		  "target_offset goes with" },
		{ &send, MEMORY | END(TARGET_BUF) | END(CPU), KVERBS_A_END_CPU, false, "the cpu of an end goes with" },
		{ &send, MEMORY, KVERBS_A_END_TARGET_BUF, true, "target_buf is missing" },
		{ &send, MEMORY | END(TARGET_BUF) | END(REMOTE_ADDR), KVERBS_A_END_REMOTE_ADDR, false,
		  "remote_addr goes with" },
		{ &send, MEMORY | END(TARGET_BUF) | END(REMOTE_KEY), KVERBS_A_END_REMOTE_KEY, false,
		  "remote_key goes with" },
	};

	assert_int_equal(kv_run_check_end_given(&write, MEMORY | REMOTE, &why), 0);
	assert_int_equal(kv_run_check_end_given(&write, MEMORY | REMOTE | END(CPU), &why), 0);
	assert_int_equal(kv_run_check_end_given(&send, MEMORY | END(TARGET_BUF), &why), 0);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_refused(kv_run_check_end_given(bad[i].of, bad[i].end, &why), -EINVAL, bad[i].attr,
			   bad[i].missing, bad[i].text);
}

static void a_spec_that_the_device_can_do(void **state)
{
	struct kv_run_spec_facts s = { .loop = KVERBS_LOOP_POST_TO_COMPLETION, .op = KVERBS_OP_CMP_SWP, .size = 8,
				       .depth = 12, .list = 2, .signal = 4, .atomic = true };

	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.list = 3;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, 0, false, "signal is no multiple of list");
	s.signal = 9;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, 0, false, "depth is no multiple of signal");
	s.signal = 12;
	s.atomic = false;
	is_refused(kv_run_check_spec(&s, &why), -EOPNOTSUPP, 0, false, "the device has no atomic");
	s.size = 4;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, 0, false, "size of an atomic operation is 8");
	s.share_cq = true;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, 0, false, "two ends need a qp each");
	s.loop = KVERBS_LOOP_NULL;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
}

static void a_qp_that_a_run_takes(void **state)
{
	const struct kv_run_qp_facts good = { .type = KVERBS_QPT_RC, .polled = true };
	struct kv_run_spec_facts s = { .loop = KVERBS_LOOP_STREAM, .op = KVERBS_OP_WRITE };
	struct kv_run_qp_facts qp = good;

	assert_int_equal(kv_run_check_qp(&s, &qp, &why), 0);
	qp.type = KVERBS_QPT_UD;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, 0, false, "a run takes an rc qp");
	qp = good;
	qp.srq = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, 0, false, "a run takes a qp without an srq");
	qp = good;
	qp.polled = false;
	qp.context = KVERBS_CQ_SOFTIRQ;
	assert_int_equal(kv_run_check_qp(&s, &qp, &why), 0);
	qp.other_context = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, 0, false, "the send_cqs of all ends need the same context");
	qp.other_context = false;
	s.spins = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, 0, false, "spins goes with a cq of context polled");
	qp.context = KVERBS_CQ_POLLED;
	assert_int_equal(kv_run_check_qp(&s, &qp, &why), 0);
	s.loop = KVERBS_LOOP_PINGPONG_SERVER;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, 0, false, "a ping-pong polls");
	qp = good;
	qp.srq_cq = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EBUSY, 0, false, "a qp with an srq receives into the cq");
	qp = good;
	qp.pending = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EBUSY, 0, false, "requests posted by hand are outstanding");
}

/* An end of a SEND ping-pong by an MR's keys, of which @change makes one thing wrong. */
#define WRONG(change, error, text)							\
	do {										\
		struct kv_run_end_facts end = good;					\
		change;									\
		is_refused(kv_run_check_end(&send, &end, &why),				\
			   error, 0, false, text);					\
	} while (0)

static void an_end_where_a_run_can_begin(void **state)
{
	const struct kv_run_buf_facts mr = { .buffer = 4096, .contiguous = 32, .by_mr = true, .same_pd = true,
					     .registered = true, .length = 64 };
	const struct kv_run_end_facts good = { .local = mr, .target = mr, .max_recv_wr = 2, .recv_cqe = 2 };
	const struct kv_run_spec_facts send = { .loop = KVERBS_LOOP_PINGPONG, .op = KVERBS_OP_SEND, .size = 64,
						.depth = 1, .list = 1, .signal = 1 };
	const struct kv_run_spec_facts cmp_swp = { .loop = KVERBS_LOOP_POST_TO_COMPLETION, .op = KVERBS_OP_CMP_SWP,
						   .size = 8, .depth = 1, .list = 1, .signal = 1 };
	struct kv_run_end_facts atomic = { .local = mr, .remote_addr = 8 };
	struct kv_run_end_facts behind = good;

	assert_int_equal(kv_run_check_end(&send, &good, &why), 0);
	behind.local.offset = behind.local.first = 4096 - 64;
	assert_int_equal(kv_run_check_end(&send, &behind, &why), 0);
	WRONG(end.needs_reset = true, -EBUSY, "an earlier run left requests");
	WRONG(end.local.buffer = 63, -EINVAL, "size is larger than what the buffer has");
	WRONG(end.local.first = 4096 - 63, -EINVAL, "size is larger than what the buffer has");
	WRONG(end.local.first = UINT64_MAX, -EINVAL, "size is larger than what the buffer has");
	WRONG(end.local.by_mr = false, -EINVAL, "local_mr or target_mr is missing");
	WRONG((end.local.by_mr = false, end.local.dma_key = true), -EINVAL, "the bytes from the offset to size lie in");
	WRONG(end.local.same_pd = false, -EINVAL, "the mr and the qp are of different pds");
	WRONG(end.local.registered = false, -EINVAL, "the mr is not registered");
	WRONG(end.local.offset = 1, -EINVAL, "the mr is not registered");
	WRONG(end.local.first = 1, -EINVAL, "the mr is not registered");
	WRONG(end.local.length = 63, -EINVAL, "the mr is not registered");
	WRONG(end.target.buffer = 63, -EINVAL, "size is larger than what the buffer has");
	WRONG(end.other_target = true, -EBUSY, "receives of an earlier run");
	WRONG(end.one_cq = true, -EINVAL, "SEND needs a qp whose");
	WRONG(end.max_recv_wr = 1, -EINVAL, "SEND needs a max_recv_wr");
	WRONG(end.recv_cqe = 1, -EINVAL, "SEND needs a max_recv_wr");
	assert_int_equal(kv_run_check_end(&cmp_swp, &atomic, &why), 0);
	atomic.remote_addr = 12;
	is_refused(kv_run_check_end(&cmp_swp, &atomic, &why),
		   -EINVAL, 0, false, "remote_addr of an atomic operation is a multiple of 8");
}

static void an_end_where_a_stream_can_begin(void **state)
{
	const struct kv_run_buf_facts mr = { .buffer = 64, .contiguous = 64, .by_mr = true, .same_pd = true,
					     .registered = true, .length = 64 };
	const struct kv_run_end_facts good = { .local = mr, .max_send_wr = 8, .send_cqe = 8 };
	const struct kv_run_spec_facts send = { .loop = KVERBS_LOOP_STREAM, .op = KVERBS_OP_WRITE, .size = 64,
						.depth = 8, .list = 2, .signal = 4 };

	assert_int_equal(kv_run_check_end(&send, &good, &why), 0);
	WRONG(end.max_send_wr = 7, -EINVAL, "depth is above the qp's max_send_wr");
	WRONG(end.send_cqe = 7, -EINVAL, "depth is above the cqe of the qp's send_cq");
	WRONG(end.sq_sig_all = true, -EINVAL, "a signal of more than 1 needs a qp without sq_sig_all");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spec_has_what_it_needs),
		cmocka_unit_test(a_spec_has_nothing_else),
		cmocka_unit_test(an_end_has_what_the_run_needs),
		cmocka_unit_test(a_spec_that_the_device_can_do),
		cmocka_unit_test(a_qp_that_a_run_takes),
		cmocka_unit_test(an_end_where_a_run_can_begin),
		cmocka_unit_test(an_end_where_a_stream_can_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
