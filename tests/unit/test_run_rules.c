// SPDX-License-Identifier: MIT
/* The rules about a run's spec, its QPs and its buffers: good values, with one wrong at a time. */
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

/* Of each end the numbers of its QP, its send and its receive CQ. */
static enum kv_run_cqs cqs_of(unsigned int ends, unsigned int workers, const unsigned int (*end)[3])
{
	bool qp[9] = { false }, cq[9] = { false };
	struct kv_run_marks marks = { 0 };

	for (unsigned int i = 0; i < ends; i++) {
		unsigned int each = ends / workers, first = i - i % each;
		bool same = i % each && end[i][1] == end[first][1] && end[i][2] == end[first][2];

		assert_int_equal(kv_run_mark_end(&marks, same, &qp[end[i][0]], &cq[end[i][1]],
						 &cq[end[i][2]]), !same);
	}
	return kv_run_judge_cqs(&marks, ends, workers);
}

static void cqs_that_ends_have_in_common(void **state)
{
	static const unsigned int own[][3] = { { 1, 1, 2 }, { 2, 3, 3 }, { 3, 4, 5 }, { 4, 6, 6 } };
	static const unsigned int worker[][3] = { { 1, 1, 1 }, { 2, 1, 1 }, { 3, 2, 3 }, { 4, 2, 3 } };
	static const unsigned int half[][3] = { { 1, 1, 1 }, { 2, 1, 1 }, { 3, 2, 2 }, { 4, 3, 3 } };
	static const unsigned int other[][3] = { { 1, 1, 1 }, { 2, 1, 1 }, { 3, 1, 1 }, { 4, 1, 1 } };
	static const unsigned int one[][3] = { { 1, 1, 2 }, { 2, 1, 3 }, { 3, 4, 4 }, { 4, 5, 5 } };
	static const unsigned int twice[][3] = { { 1, 1, 1 }, { 1, 2, 2 }, { 3, 3, 3 }, { 4, 4, 4 } };

	assert_int_equal(cqs_of(4, 2, own), KV_RUN_CQS_OWN);
	assert_int_equal(cqs_of(4, 4, own), KV_RUN_CQS_OWN);
	assert_int_equal(cqs_of(4, 2, worker), KV_RUN_CQS_WORKER);
	assert_int_equal(cqs_of(4, 1, other), KV_RUN_CQS_WORKER);
	assert_int_equal(cqs_of(4, 2, half), KV_RUN_CQS_MIXED);
	assert_int_equal(cqs_of(4, 2, other), KV_RUN_CQS_MIXED);
	assert_int_equal(cqs_of(4, 2, one), KV_RUN_CQS_MIXED);
	assert_int_equal(cqs_of(4, 2, twice), KV_RUN_CQS_MIXED);
}

static void a_spec_has_what_it_needs(void **state)
{
	struct kv_run_given good[] = {
		GIVEN(SPEC(LOOP) | SPEC(ITERS) | SPEC(DEV), 0, NULL, SEND),
		GIVEN(WORK | SPEC(END), 1, POST_TO_COMPLETION, WRITE),
		GIVEN(WORK | SPEC(END), KV_RUN_WORKERS_MAX, POST_TO_COMPLETION, WRITE),
		GIVEN(WORK | SPEC(END), KV_RUN_WORKERS_MAX, STREAM, WRITE),
		GIVEN(WORK | SPEC(END), 1, STREAM, SEND),
		GIVEN(WORK | SPEC(END) | SPEC(DEPTH), KV_RUN_WORKERS_MAX, STREAM_SERVER, WRITE_WITH_IMM),
		GIVEN(WORK | SPEC(END), 2, PINGPONG, SEND_WITH_IMM),
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
	struct kv_run_given many = GIVEN(WORK | SPEC(WORKERS), KV_RUN_ENDS_MAX, STREAM, WRITE);

	surplus(GIVEN(WORK, KV_RUN_WORKERS_MAX + 1, STREAM, WRITE), KVERBS_A_SPEC_END, "more than 16 ends: workers");
	surplus(GIVEN(WORK, KV_RUN_WORKERS_MAX + 1, POST_TO_COMPLETION, WRITE), KVERBS_A_SPEC_END,
		"more than 16 ends: each is driven");
	many.workers = 1;
	assert_int_equal(kv_run_check_given(&many, &why), 0);
	many.ends++;
	surplus(many, KVERBS_A_SPEC_END, "more than 1024 ends");
	surplus(GIVEN(WORK, 2, PINGPONG_CLIENT, WRITE), KVERBS_A_SPEC_END, "more than one end");
	surplus(GIVEN(WORK, 3, PINGPONG, WRITE), KVERBS_A_SPEC_END, "more than two ends: PINGPONG");
	surplus(GIVEN(WORK | SPEC(DEV), 1, POST_TO_COMPLETION, WRITE), KVERBS_A_SPEC_DEV, "dev goes with");
	surplus(GIVEN(WORK | SPEC(SWAP), 1, POST_TO_COMPLETION, FETCH_ADD), KVERBS_A_SPEC_SWAP,
		"swap goes with cmp_swp");
	surplus(GIVEN(WORK, 1, POST_TO_COMPLETION, SEND), KVERBS_A_SPEC_OP, "this loop can't take this op");
	surplus(GIVEN(WORK, 2, PINGPONG, READ), KVERBS_A_SPEC_OP, "this loop can't take this op");
	surplus(GIVEN(WORK, 1, STREAM_SERVER, WRITE), KVERBS_A_SPEC_OP, "this loop can't take this op");
	surplus(GIVEN(WORK | SPEC(LIST), 1, STREAM_SERVER, SEND), KVERBS_A_SPEC_LIST, "list goes with");
	surplus(GIVEN(WORK | SPEC(POST_CONTEXT), 1, STREAM_SERVER, SEND), KVERBS_A_SPEC_POST_CONTEXT,
		"post_context goes with loops that post sends");
	surplus(GIVEN(WORK | SPEC(DEPTH), 1, POST_TO_COMPLETION, WRITE), KVERBS_A_SPEC_DEPTH, "depth goes with");
	surplus(GIVEN(WORK | SPEC(LIST), 2, PINGPONG, WRITE), KVERBS_A_SPEC_LIST, "list goes with");
	surplus(GIVEN(WORK | SPEC(SIGNAL), 2, PINGPONG, WRITE), KVERBS_A_SPEC_SIGNAL, "signal goes with");
	surplus(GIVEN(WORK | SPEC(WORKERS), 1, POST_TO_COMPLETION, WRITE), KVERBS_A_SPEC_WORKERS, "workers goes with");
	surplus(GIVEN(WORK | SPEC(INTERVAL_NS), 1, STREAM_SERVER, SEND), KVERBS_A_SPEC_INTERVAL_NS,
		"interval_ns goes with STREAM only");
	surplus(GIVEN(WORK | SPEC(FLAGS), 1, STREAM_SERVER, SEND), KVERBS_A_SPEC_FLAGS,
		"flags goes with loops that post the op");
	surplus(GIVEN(WORK | SPEC(SGES), 1, STREAM_SERVER, SEND), KVERBS_A_SPEC_SGES,
		"sges goes with loops that post the op");
	surplus(GIVEN(WORK | SPEC(RECV_SGES), 1, STREAM, SEND), KVERBS_A_SPEC_RECV_SGES,
		"recv_sges goes with loops that post receives");
	surplus(GIVEN(WORK | SPEC(RECV_SGES), 2, PINGPONG, WRITE), KVERBS_A_SPEC_RECV_SGES,
		"recv_sges goes with loops that post receives");
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

static void ends_are_shared_out_to_the_workers(void **state)
{
	struct kv_run_given given = GIVEN(WORK | SPEC(END) | SPEC(WORKERS), 6, STREAM, WRITE);
	const uint32_t end = MEMORY | REMOTE | END(CPU);

	given.workers = 2;
	assert_int_equal(kv_run_check_given(&given, &why), 0);
	for (uint32_t i = 0; i < given.ends; i++) {
		assert_int_equal(kv_run_check_end_given(&given, i, end & ~END(CPU), &why), 0);
		if (i % 3)
			is_refused(kv_run_check_end_given(&given, i, end, &why), -EINVAL, KVERBS_A_END_CPU, false,
				   "cpu goes with the first end");
		else
			assert_int_equal(kv_run_check_end_given(&given, i, end, &why), 0);
	}
	given.workers = 4;
	is_refused(kv_run_check_given(&given, &why), -EINVAL, KVERBS_A_SPEC_WORKERS, false,
		   "the number of ends is no multiple");
	given.workers = 7;
	is_refused(kv_run_check_given(&given, &why), -EINVAL, KVERBS_A_SPEC_WORKERS, false,
		   "the number of ends is no multiple");
	assert_int_equal(kv_run_workers(KVERBS_LOOP_STREAM, 6, 2), 2);
	assert_int_equal(kv_run_workers(KVERBS_LOOP_STREAM, 6, 0), 6);
	assert_int_equal(kv_run_workers(KVERBS_LOOP_PINGPONG, 2, 0), 1);
	assert_int_equal(kv_run_workers(KVERBS_LOOP_NULL, 0, 0), 1);
	assert_true(kv_run_several(KVERBS_LOOP_STREAM_SERVER, 6, 2));
	assert_false(kv_run_several(KVERBS_LOOP_STREAM, 6, 6));
	assert_false(kv_run_several(KVERBS_LOOP_PINGPONG, 2, 1));
}

static void an_end_has_what_the_run_needs(void **state)
{
	const struct kv_run_given write = GIVEN(WORK, 1, POST_TO_COMPLETION, WRITE);
	const struct kv_run_given send = GIVEN(WORK, 1, PINGPONG_SERVER, SEND);
	const struct kv_run_given server = GIVEN(WORK, 1, STREAM_SERVER, WRITE_WITH_IMM);
	const struct kv_run_given ask = GIVEN(WORK, 1, PINGPONG_CLIENT, SEND_WITH_INV);
	const struct kv_run_given tell = GIVEN(WORK, 1, PINGPONG_SERVER, SEND_WITH_INV);
	const struct kv_run_given relay = GIVEN(WORK, 2, PINGPONG, SEND_WITH_INV);
	const struct kv_run_given read = GIVEN(WORK, 1, POST_TO_COMPLETION, READ_WITH_INV);
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
		{ &write, MEMORY | REMOTE | END(TARGET_BUF), KVERBS_A_END_TARGET_BUF, false, "target_buf does not go with" },
		{ &write, MEMORY | REMOTE | END(TARGET_MR), KVERBS_A_END_TARGET_MR, false, "target_mr does not go with" },
		{ &write, MEMORY | REMOTE | END(TARGET_OFFSET), KVERBS_A_END_TARGET_OFFSET, false,
		  "target_offset does not go with" },
		{ &send, MEMORY | END(TARGET_BUF) | END(CPU), KVERBS_A_END_CPU, false, "the cpu of an end does not go with" },
		{ &write, MEMORY | REMOTE | END(AH), KVERBS_A_END_AH, false, "ah goes with" },
		{ &server, END(QP) | END(TARGET_BUF) | END(AH), KVERBS_A_END_AH, false, "ah goes with" },
		{ &send, MEMORY | END(TARGET_BUF) | END(AH), KVERBS_A_END_REMOTE_QPN, true, "remote_qpn is missing" },
		{ &send, MEMORY | END(TARGET_BUF) | END(AH) | END(REMOTE_QPN), KVERBS_A_END_REMOTE_QKEY, true,
		  "remote_qkey is missing" },
		{ &send, MEMORY | END(TARGET_BUF) | END(REMOTE_QKEY), KVERBS_A_END_AH, true, "ah is missing" },
		{ &server, END(QP), KVERBS_A_END_TARGET_BUF, true, "target_buf is missing" },
		{ &server, MEMORY | END(TARGET_BUF), KVERBS_A_END_LOCAL_BUF, false, "local_buf does not go with" },
		{ &server, END(QP) | END(TARGET_BUF) | END(LOCAL_MR), KVERBS_A_END_LOCAL_MR, false,
		  "local_mr does not go with" },
		{ &server, END(QP) | END(TARGET_BUF) | END(LOCAL_OFFSET), KVERBS_A_END_LOCAL_OFFSET, false,
		  "local_offset does not go with" },
		{ &server, END(QP) | END(TARGET_BUF) | END(REMOTE_KEY), KVERBS_A_END_REMOTE_KEY, false,
		  "remote_key goes with" },
		{ &send, MEMORY, KVERBS_A_END_TARGET_BUF, true, "target_buf is missing" },
		{ &send, MEMORY | END(TARGET_BUF) | END(REMOTE_ADDR), KVERBS_A_END_REMOTE_ADDR, false,
		  "remote_addr goes with" },
		{ &send, MEMORY | END(TARGET_BUF) | END(REMOTE_KEY), KVERBS_A_END_REMOTE_KEY, false,
		  "remote_key goes with" },
		{ &send, MEMORY | END(TARGET_BUF) | END(INV_MR), KVERBS_A_END_INV_MR, false, "inv_mr goes with send_with_inv" },
		{ &ask, MEMORY | END(TARGET_BUF), KVERBS_A_END_INV_MR, true, "inv_mr is missing" },
		{ &ask, MEMORY | END(TARGET_BUF) | END(INV_MR) | END(REMOTE_KEY), KVERBS_A_END_REMOTE_KEY, false,
		  "remote_key goes with the end that answers" },
		{ &ask, MEMORY | END(TARGET_BUF) | END(INV_MR) | END(REMOTE_ADDR), KVERBS_A_END_REMOTE_ADDR, false,
		  "remote_addr goes with" },
		{ &ask, MEMORY | END(TARGET_BUF) | END(INV_MR) | END(AH), KVERBS_A_END_AH, false, "ah goes with" },
		{ &tell, MEMORY | END(TARGET_BUF), KVERBS_A_END_REMOTE_KEY, true, "remote_key is missing in this end: what" },
		{ &tell, MEMORY | END(TARGET_BUF) | END(REMOTE_KEY) | END(INV_MR), KVERBS_A_END_INV_MR, false,
		  "inv_mr goes with the end that asks" },
		{ &relay, MEMORY | END(TARGET_BUF), KVERBS_A_END_INV_MR, true, "inv_mr is missing" },
		{ &read, MEMORY | REMOTE, KVERBS_A_END_INV_MR, true, "inv_mr is missing" },
		{ &read, MEMORY | REMOTE | END(INV_MR) | END(LOCAL_MR), KVERBS_A_END_LOCAL_MR, false,
		  "local_mr does not go with" },
		{ &read, MEMORY | END(INV_MR) | END(REMOTE_KEY), KVERBS_A_END_REMOTE_ADDR, true, "remote_addr is missing" },
	};

	assert_int_equal(kv_run_check_end_given(&ask, 0, MEMORY | END(TARGET_BUF) | END(INV_MR), &why), 0);
	assert_int_equal(kv_run_check_end_given(&relay, 0, MEMORY | END(TARGET_BUF) | END(INV_MR), &why), 0);
	assert_int_equal(kv_run_check_end_given(&relay, 1, MEMORY | END(TARGET_BUF) | END(REMOTE_KEY), &why), 0);
	is_refused(kv_run_check_end_given(&relay, 1, MEMORY | END(TARGET_BUF) | END(INV_MR), &why), -EINVAL,
		   KVERBS_A_END_REMOTE_KEY, true, "remote_key is missing in this end: what");
	assert_int_equal(kv_run_check_end_given(&tell, 0, MEMORY | END(TARGET_BUF) | END(REMOTE_KEY), &why), 0);
	assert_int_equal(kv_run_check_end_given(&read, 0, MEMORY | REMOTE | END(INV_MR), &why), 0);

	assert_int_equal(kv_run_check_end_given(&write, 0, MEMORY | REMOTE, &why), 0);
	assert_int_equal(kv_run_check_end_given(&write, 0, MEMORY | REMOTE | END(CPU), &why), 0);
	assert_int_equal(kv_run_check_end_given(&send, 0, MEMORY | END(TARGET_BUF), &why), 0);
	assert_int_equal(kv_run_check_end_given(&server, 0, END(QP) | END(TARGET_BUF) | END(CPU), &why), 0);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_refused(kv_run_check_end_given(bad[i].of, 0, bad[i].end, &why), -EINVAL, bad[i].attr,
			   bad[i].missing, bad[i].text);
}

static void the_cpu_of_a_spec_is_for_workers_without(void **state)
{
	struct kv_run_given given = { .spec = 1U << KVERBS_A_SPEC_CPU, .loop = KVERBS_LOOP_STREAM, .ends = 4,
				      .workers = 2 };

	assert_int_equal(kv_run_check_cpus(&given, 0, &why), 0);
	assert_int_equal(kv_run_check_cpus(&given, 1, &why), 0);
	is_refused(kv_run_check_cpus(&given, 2, &why), -EINVAL, KVERBS_A_SPEC_CPU, false, "cpu is of no use");
	given.spec = 0;
	assert_int_equal(kv_run_check_cpus(&given, 2, &why), 0);
}

/* An end of a run, `good' for `send', of which @change makes one thing wrong. */
#define JUDGED(change, error, attr, missing, text)					\
	do {										\
		struct kv_run_end_facts end = good;					\
		change;									\
		is_refused(kv_run_check_end(&send, &end, &why),				\
			   error, KVERBS_A_END_##attr, missing, text);			\
	} while (0)
#define WRONG(change, error, attr, text) JUDGED(change, error, attr, false, text)
#define LACKS(change, attr, text) JUDGED(change, -EINVAL, attr, true, text)

static void a_device_that_invalidates(void **state)
{
	struct kv_run_spec_facts s = { .loop = KVERBS_LOOP_PINGPONG_CLIENT, .op = KVERBS_OP_SEND_WITH_INV, .size = 8,
				       .depth = 1, .list = 1, .signal = 1, .mem_mgt = true, .reg_mr = true,
				       .keeps_map = true };

	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.keeps_map = false;
	is_refused(kv_run_check_spec(&s, &why), -EOPNOTSUPP, KVERBS_A_SPEC_OP, false, "cxgb4 changes the mr's list");
	s.reg_mr = false;
	is_refused(kv_run_check_spec(&s, &why), -EOPNOTSUPP, KVERBS_A_SPEC_OP, false, "each iteration registers an mr");
	s.loop = KVERBS_LOOP_PINGPONG_SERVER;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.mem_mgt = false;
	is_refused(kv_run_check_spec(&s, &why), -EOPNOTSUPP, KVERBS_A_SPEC_OP, false, "the device has no send_with_inv");
	s = (struct kv_run_spec_facts){ .loop = KVERBS_LOOP_POST_TO_COMPLETION, .op = KVERBS_OP_READ_WITH_INV,
					.size = 8, .depth = 1, .list = 1, .signal = 1, .reg_mr = true,
					.keeps_map = true, .iwarp = true };
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.iwarp = false;
	is_refused(kv_run_check_spec(&s, &why), -EOPNOTSUPP, KVERBS_A_SPEC_OP, false, "only iWARP has read_with_inv");
	s.iwarp = true;
	s.reg_mr = false;
	is_refused(kv_run_check_spec(&s, &why), -EOPNOTSUPP, KVERBS_A_SPEC_OP, false, "each iteration registers an mr");
}

static void an_end_that_registers_its_mr(void **state)
{
	const struct kv_run_spec_facts send = { .loop = KVERBS_LOOP_POST_TO_COMPLETION, .op = KVERBS_OP_READ_WITH_INV,
						.size = 64, .depth = 1, .list = 1, .signal = 1, .sges = 1,
						.iwarp = true };
	const struct kv_run_end_facts good = { .local = { .buffer = 4096, .contiguous = 32, .dma_key = true },
					       .max_send_wr = 2, .send_cqe = 2, .max_send_sge = 1,
					       .has_inv_mr = true, .inv_same_pd = true,
					       .reg = { .buffer = 4096, .length = 64, .page_size = 4096, .max_pages = 1,
							.access = KVERBS_ACCESS_LOCAL_WRITE } };
	const struct kv_run_qp_facts event = { .type = KVERBS_QPT_RC, .context = KVERBS_CQ_EVENT };

	assert_int_equal(kv_run_check_end(&send, &good, &why), 0);
	WRONG(end.inv_same_pd = false, -EINVAL, INV_MR, "the mr and the qp are of different pds");
	WRONG(end.reg.offset = 4090; end.reg.buffer = 8192, -EINVAL, INV_MR, "offset and length name more pages");
	WRONG(end.max_send_wr = 1, -EINVAL, QP, "the qp's max_send_wr is below 2");
	WRONG(end.send_cqe = 1, -EINVAL, QP, "the cqe of the qp's send_cq is below 2");
	WRONG(end.sq_sig_all = true, -EINVAL, QP, "inv_mr needs a qp without sq_sig_all");
	is_refused(kv_run_check_qp(&send, &event, &why), -EINVAL, KVERBS_A_END_QP, false, "read_with_inv needs a send_cq");
}

static void a_spec_that_the_device_can_do(void **state)
{
	struct kv_run_spec_facts s = { .loop = KVERBS_LOOP_POST_TO_COMPLETION, .op = KVERBS_OP_CMP_SWP, .size = 8,
				       .depth = 12, .list = 2, .signal = 4, .atomic = true };

	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.list = 3;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_SIGNAL, false, "signal is no multiple of list");
	s.signal = 9;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_DEPTH, false, "depth is no multiple of signal");
	s.signal = 12;
	s.atomic = false;
	is_refused(kv_run_check_spec(&s, &why), -EOPNOTSUPP, KVERBS_A_SPEC_OP, false, "the device has no atomic");
	s.size = 4;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_SIZE, false, "size of an atomic operation is 8");
	s.op = KVERBS_OP_ATOMIC_WRITE;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_SIZE, false, "size of an atomic operation is 8");
	s.size = 8;
	is_refused(kv_run_check_spec(&s, &why), -EOPNOTSUPP, KVERBS_A_SPEC_OP, false, "atomic_write needs user space");
	s.atomic_write = true;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.sges = 2;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_SGES, false, "an atomic operation takes one sge");
	s.sges = 1;
	s.cqs = KV_RUN_CQS_MIXED;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, 0, false, "two ends need a qp each");
	s.loop = KVERBS_LOOP_NULL;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.offline = true;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_CPU, false, "cpu is not online");
	s = (struct kv_run_spec_facts){ .loop = KVERBS_LOOP_STREAM, .op = KVERBS_OP_SEND, .size = 64, .depth = 1,
					.list = 1, .signal = 1, .iwarp = true };
	is_refused(kv_run_check_spec(&s, &why), -EOPNOTSUPP, KVERBS_A_SPEC_OP, false, "iWARP ends a connection");
	s.iwarp = false;
	s.paced = true;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.several = true;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.cqs = KV_RUN_CQS_WORKER;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.paced = false;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.srq = true;
	is_refused(kv_run_check_spec(&s, &why), -EOPNOTSUPP, 0, false, "qps with an srq need cqs of their own");
	s.srq = s.several = false;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, 0, false, "two ends need a qp each");
	s.cqs = KV_RUN_CQS_OWN;
	s.flags = KVERBS_WR_SOLICITED | KVERBS_WR_INLINE | KVERBS_WR_FENCE;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.op = KVERBS_OP_WRITE;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_FLAGS, false, "solicited goes with sends and write_with_imm");
	s.op = KVERBS_OP_READ;
	s.flags = KVERBS_WR_INLINE;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_FLAGS, false, "inline goes with sends and writes");
	s.flags = KVERBS_WR_FENCE;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.iwarp = true;
	is_refused(kv_run_check_spec(&s, &why), -EOPNOTSUPP, KVERBS_A_SPEC_FLAGS, false, "a READ of iWARP takes no fence");
	s.flags = 0;
	s.max_sge_rd = 30;
	s.sges = 1;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.sges = 2;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_SGES, false, "a READ of iWARP takes one sge");
	s.iwarp = false;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.sges = 31;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_SGES, false, "more sges than the device's max_sge_rd");
	s.op = KVERBS_OP_WRITE;
	s.size = 31;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.size = 30;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_SGES, false, "more sges than bytes");
	s.op = KVERBS_OP_FETCH_ADD;
	s.size = 8;
	s.sges = 2;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_SGES, false, "an atomic operation takes one sge");
	s.sges = 1;
	s.op = KVERBS_OP_SEND;
	s.recv_sges = 8;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.recv_sges = 9;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_RECV_SGES, false, "more sges of a receive than bytes");
	s.recv_sges = 1;
	s.flags = 0;
	s.iwarp = true;
	s.loop = KVERBS_LOOP_PINGPONG;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.op = KVERBS_OP_SEND_WITH_IMM;
	is_refused(kv_run_check_spec(&s, &why), -EOPNOTSUPP, KVERBS_A_SPEC_OP, false, "iWARP has no immediate data");
}

static void a_qp_that_a_run_takes(void **state)
{
	const struct kv_run_qp_facts good = { .type = KVERBS_QPT_RC, .polled = true };
	struct kv_run_spec_facts s = { .loop = KVERBS_LOOP_STREAM, .op = KVERBS_OP_WRITE };
	struct kv_run_qp_facts qp = good;

	assert_int_equal(kv_run_check_qp(&s, &qp, &why), 0);
	qp.type = KVERBS_QPT_UD;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "a ud qp takes send, with or without imm");
	s.op = KVERBS_OP_SEND;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_AH, true, "ah is missing");
	qp.has_ah = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_AH, false, "the ah and the qp are of different pds");
	qp.ah_pd = true;
	assert_int_equal(kv_run_check_qp(&s, &qp, &why), 0);
	qp.type = KVERBS_QPT_UC;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_AH, false, "ah is for ud qps only");
	qp.has_ah = false;
	assert_int_equal(kv_run_check_qp(&s, &qp, &why), 0);
	s.op = KVERBS_OP_READ;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "a uc qp takes send and write");
	s = (struct kv_run_spec_facts){ .loop = KVERBS_LOOP_STREAM_SERVER, .op = KVERBS_OP_SEND };
	qp.type = KVERBS_QPT_UD;
	assert_int_equal(kv_run_check_qp(&s, &qp, &why), 0);
	s = (struct kv_run_spec_facts){ .loop = KVERBS_LOOP_STREAM, .op = KVERBS_OP_WRITE };
	qp = good;
	qp.srq = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "this loop takes a qp without an srq");
	s.loop = KVERBS_LOOP_STREAM_SERVER;
	s.op = KVERBS_OP_SEND;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "either all qps of a run have an srq, or none has one");
	s.srq = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "the srq and the qp are of different pds");
	qp.srq_pd = true;
	assert_int_equal(kv_run_check_qp(&s, &qp, &why), 0);
	is_refused(kv_run_check_qp(&s, &good, &why), -EINVAL, KVERBS_A_END_QP, false, "either all qps of a run have an srq, or none has one");
	s = (struct kv_run_spec_facts){ .loop = KVERBS_LOOP_STREAM, .op = KVERBS_OP_WRITE };
	qp = good;
	qp.polled = false;
	qp.context = KVERBS_CQ_SOFTIRQ;
	assert_int_equal(kv_run_check_qp(&s, &qp, &why), 0);
	s.several = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "a worker of several ends polls");
	s.several = false;
	s.paced = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "interval_ns needs a send_cq of context polled");
	s.paced = false;
	qp.other_context = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "the send_cqs of all ends need the same context");
	qp.other_context = false;
	s.spins = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "spins goes with a cq of context polled");
	qp.context = KVERBS_CQ_POLLED;
	assert_int_equal(kv_run_check_qp(&s, &qp, &why), 0);
	s.loop = KVERBS_LOOP_PINGPONG_SERVER;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "ping-pongs, STREAM_SERVER and the loops with credits poll");
	qp = good;
	qp.srq_cq = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EBUSY, KVERBS_A_END_QP, false, "another qp with an srq receives into the cq");
	qp = good;
	qp.pending = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EBUSY, KVERBS_A_END_QP, false, "requests posted by hand are outstanding");
}

static void a_requests_sges_have_all_its_bytes(void **state)
{
	assert_int_equal(kv_run_sge_bytes(10, 1, 0), 10);
	for (uint32_t sges = 1; sges <= 32; sges++) {
		uint32_t bytes = 0;

		for (uint32_t i = 0; i < sges; i++) {
			uint32_t length = kv_run_sge_bytes(100, sges, i);

			assert_true(length == 100 / sges || (length == 100 / sges + 1 && i < 100 % sges));
			bytes += length;
		}
		assert_int_equal(bytes, 100);
	}
}

static void a_receives_sges_have_all_its_room(void **state)
{
	assert_int_equal(kv_run_grh(KVERBS_QPT_RC), 0);
	assert_int_equal(kv_run_grh(KVERBS_QPT_UD), KV_RUN_GRH);
	assert_int_equal(kv_run_recv_sge_bytes(1000, 10, 1, 0), 1000);
	for (uint32_t sges = 1; sges <= 32; sges++) {
		uint32_t bytes = 0;

		for (uint32_t i = 0; i + 1 < sges; i++) {
			assert_int_equal(kv_run_recv_sge_bytes(1000, 100, sges, i), kv_run_sge_bytes(100, sges, i));
			bytes += kv_run_recv_sge_bytes(1000, 100, sges, i);
		}
		assert_int_equal(bytes + kv_run_recv_sge_bytes(1000, 100, sges, sges - 1), 1000);
	}
}

static void an_end_where_a_run_can_begin(void **state)
{
	const struct kv_run_buf_facts mr = { .buffer = 4096, .contiguous = 32, .by_mr = true, .same_pd = true,
					     .registered = true, .length = 64 };
	const struct kv_run_end_facts good = { .local = mr, .target = mr, .max_recv_wr = 2, .recv_cqe = 2, .max_send_sge = 1,
					       .max_recv_sge = 1 };
	const struct kv_run_spec_facts send = { .loop = KVERBS_LOOP_PINGPONG, .op = KVERBS_OP_SEND, .size = 64,
						.depth = 1, .list = 1, .signal = 1, .sges = 1, .recv_sges = 1 };
	const struct kv_run_spec_facts cmp_swp = { .loop = KVERBS_LOOP_POST_TO_COMPLETION, .op = KVERBS_OP_CMP_SWP,
						   .size = 8, .depth = 1, .list = 1, .signal = 1 };
	struct kv_run_end_facts atomic = { .local = mr, .remote_addr = 8 };
	struct kv_run_spec_facts read = { .loop = KVERBS_LOOP_POST_TO_COMPLETION, .op = KVERBS_OP_READ,
					  .size = 8, .depth = 1, .list = 1, .signal = 1 };
	const struct kv_run_end_facts by_dma_key = { .local = { .buffer = 8, .contiguous = 8, .dma_key = true } };
	struct kv_run_end_facts behind = good;

	assert_int_equal(kv_run_check_end(&send, &good, &why), 0);
	behind.local.offset = behind.local.first = 4096 - 64;
	assert_int_equal(kv_run_check_end(&send, &behind, &why), 0);
	WRONG(end.needs_reset = true, -EBUSY, QP, "an earlier run left requests");
	WRONG(end.offline = true, -EINVAL, CPU, "cpu is not online");
	WRONG(end.max_send_sge = 0, -EINVAL, QP, "more sges than the qp's max_send_sge");
	WRONG(end.max_recv_sge = 0, -EINVAL, QP, "more recv_sges than the qp's max_recv_sge");
	WRONG(end.local.buffer = 63, -EINVAL, LOCAL_BUF, "size is above the bytes that the buffer has");
	WRONG(end.local.first = 4096 - 63, -EINVAL, LOCAL_BUF, "size is above the bytes that the buffer has");
	WRONG(end.local.first = UINT64_MAX, -EINVAL, LOCAL_BUF, "size is above the bytes that the buffer has");
	LACKS(end.local.by_mr = false, LOCAL_MR, "local_mr or target_mr is missing");
	LACKS((end.local.by_mr = false, end.local.dma_key = true), LOCAL_MR, "the bytes from the offset to size lie in");
	WRONG(end.local.same_pd = false, -EINVAL, LOCAL_MR, "the mr and the qp are of different pds");
	WRONG(end.local.registered = false, -EINVAL, LOCAL_MR, "the mr is not registered");
	WRONG(end.local.offset = 1, -EINVAL, LOCAL_MR, "the mr is not registered");
	WRONG(end.local.first = 1, -EINVAL, LOCAL_MR, "the mr is not registered");
	WRONG(end.local.length = 63, -EINVAL, LOCAL_MR, "the mr is not registered");
	WRONG(end.target.buffer = 63, -EINVAL, TARGET_BUF, "size is above the bytes that the buffer has");
	WRONG(end.other_target = true, -EBUSY, TARGET_BUF, "receives of an earlier run");
	WRONG(end.one_cq = true, -EINVAL, QP, "receives of a run need a qp whose");
	WRONG(end.max_recv_wr = 1, -EINVAL, QP, "the qp's max_recv_wr is below depth");
	WRONG(end.recv_cqe = 1, -EINVAL, QP, "the cqe of the qp's recv_cq is below depth");
	assert_int_equal(kv_run_check_end(&read, &by_dma_key, &why), 0);
	read.iwarp = true;
	assert_int_equal(kv_run_check_end(&read, &good, &why), 0);
	is_refused(kv_run_check_end(&read, &by_dma_key, &why), -EINVAL, KVERBS_A_END_LOCAL_MR, true,
		   "on iWARP the buffer of a READ needs a registration");
	assert_int_equal(kv_run_check_end(&cmp_swp, &atomic, &why), 0);
	atomic.remote_addr = 12;
	is_refused(kv_run_check_end(&cmp_swp, &atomic, &why),
		   -EINVAL, KVERBS_A_END_REMOTE_ADDR, false, "remote_addr of an atomic operation is a multiple of 8");
}

static void an_end_where_a_stream_can_begin(void **state)
{
	const struct kv_run_buf_facts mr = { .buffer = 64, .contiguous = 64, .by_mr = true, .same_pd = true,
					     .registered = true, .length = 64 };
	const struct kv_run_end_facts good = { .local = mr, .max_send_wr = 8, .send_cqe = 8 };
	const struct kv_run_spec_facts send = { .loop = KVERBS_LOOP_STREAM, .op = KVERBS_OP_WRITE, .size = 64,
						.depth = 8, .list = 2, .signal = 4 };

	assert_int_equal(kv_run_check_end(&send, &good, &why), 0);
	WRONG(end.max_send_wr = 7, -EINVAL, QP, "depth is above the qp's max_send_wr");
	WRONG(end.send_cqe = 7, -EINVAL, QP, "depth is above the cqe of the qp's send_cq");
	WRONG(end.sq_sig_all = true, -EINVAL, QP, "a signal of more than 1 needs a qp without sq_sig_all");
}

/* All receives of an SRQ are alike, and stay there. */
static void an_end_that_receives_from_an_srq(void **state)
{
	const struct kv_run_buf_facts mr = { .buffer = 64, .contiguous = 64, .by_mr = true, .same_pd = true,
					     .registered = true, .length = 64 };
	const struct kv_run_end_facts good = { .target = mr, .max_recv_wr = 8, .recv_cqe = 8 };
	const struct kv_run_spec_facts send = { .loop = KVERBS_LOOP_STREAM_SERVER, .op = KVERBS_OP_SEND,
						.size = 64, .depth = 8, .list = 1, .signal = 1, .srq = true };

	assert_int_equal(kv_run_check_end(&send, &good, &why), 0);
	WRONG(end.srq_target = true, -EINVAL, TARGET_BUF, "ends whose qps have one srq need one target_buf");
	WRONG(end.srq_by_hand = true, -EBUSY, QP, "receives posted by hand are on the srq");
	WRONG(end.srq_lost = true, -EBUSY, QP, "a qp that took receives of an earlier run from the srq");
	WRONG(end.other_target = true, -EBUSY, TARGET_BUF, "receives of an earlier run are on the srq with another");
	WRONG(end.max_recv_wr = 7, -EINVAL, QP, "the srq's max_wr is below depth");
	WRONG(end.recv_cqe = 7, -EINVAL, QP, "the cqe of the qp's recv_cq is below depth");
}

/* It sends nothing: no buffer to send from, and any CQ for sends will do. */
static void an_end_where_a_stream_server_can_begin(void **state)
{
	const struct kv_run_buf_facts mr = { .buffer = 64, .contiguous = 64, .by_mr = true, .same_pd = true,
					     .registered = true, .length = 64 };
	const struct kv_run_end_facts good = { .target = mr, .max_recv_wr = 8, .recv_cqe = 8 };
	const struct kv_run_spec_facts send = { .loop = KVERBS_LOOP_STREAM_SERVER, .op = KVERBS_OP_WRITE_WITH_IMM,
						.size = 64, .depth = 8, .list = 1, .signal = 1 };
	const struct kv_run_spec_facts huge = { .loop = KVERBS_LOOP_STREAM_SERVER, .op = KVERBS_OP_SEND,
						.size = UINT32_MAX, .depth = 8, .list = 1, .signal = 1 };
	const struct kv_run_end_facts datagram = { .target = mr, .grh = KV_RUN_GRH, .max_recv_wr = 8, .recv_cqe = 8 };

	assert_int_equal(kv_run_check_end(&send, &good, &why), 0);
	WRONG(end.target.buffer = 63, -EINVAL, TARGET_BUF, "size is above the bytes that the buffer has");
	WRONG(end.grh = KV_RUN_GRH, -EINVAL, TARGET_BUF, "size is above the bytes that the buffer has");
	/* The sum of both is more than 32 bits hold. */
	assert_int_equal(kv_run_check_end(&huge, &datagram, &why), -EINVAL);
	WRONG(end.one_cq = true, -EINVAL, QP, "receives of a run need a qp whose");
	WRONG(end.max_recv_wr = 7, -EINVAL, QP, "the qp's max_recv_wr is below depth");
	WRONG(end.recv_cqe = 7, -EINVAL, QP, "the cqe of the qp's recv_cq is below depth");
}

/* The byte that one end of a stream with credits writes to the other, in place of a message. */
static void a_loop_with_credits_has_what_it_needs(void **state)
{
	const struct kv_run_given stream = GIVEN(WORK | SPEC(END) | SPEC(CREDITS), 1, CREDIT_STREAM, SEND);
	const struct kv_run_given server = GIVEN(WORK | SPEC(END), 1, CREDIT_SERVER, SEND);
	struct kv_run_given given = stream;

	assert_int_equal(kv_run_check_given(&given, &why), 0);
	given.spec |= SPEC(DEPTH) | SPEC(LIST) | SPEC(SIGNAL) | SPEC(FLAGS) | SPEC(SGES) | SPEC(POST_CONTEXT) | SPEC(SPINS);
	assert_int_equal(kv_run_check_given(&given, &why), 0);
	lacks(GIVEN(WORK | SPEC(END), 1, CREDIT_STREAM, SEND), KVERBS_A_SPEC_CREDITS, "credits is missing");
	surplus(GIVEN(WORK | SPEC(END) | SPEC(CREDITS), 1, STREAM, SEND), KVERBS_A_SPEC_CREDITS, "credits goes with CREDIT_STREAM only");
	surplus(GIVEN(WORK | SPEC(END) | SPEC(CREDITS), 1, CREDIT_SERVER, SEND), KVERBS_A_SPEC_CREDITS,
		"credits goes with CREDIT_STREAM only");
	surplus(GIVEN(WORK | SPEC(END) | SPEC(CREDITS), 1, CREDIT_STREAM, SEND_WITH_IMM), KVERBS_A_SPEC_OP, "this loop can't take this op");
	surplus(GIVEN(WORK | SPEC(END) | SPEC(CREDITS) | SPEC(RECV_SGES), 1, CREDIT_STREAM, SEND), KVERBS_A_SPEC_RECV_SGES,
		"recv_sges goes with");
	surplus(GIVEN(WORK | SPEC(END) | SPEC(SGES), 1, CREDIT_SERVER, SEND), KVERBS_A_SPEC_SGES, "sges goes with loops that post the op");
	surplus(GIVEN(WORK | SPEC(END) | SPEC(SIGNAL), 1, CREDIT_SERVER, SEND), KVERBS_A_SPEC_SIGNAL, "signal goes with");
	given = server;
	given.spec |= SPEC(DEPTH) | SPEC(RECV_SGES) | SPEC(POST_CONTEXT) | SPEC(SPINS);
	assert_int_equal(kv_run_check_given(&given, &why), 0);

	assert_int_equal(kv_run_check_end_given(&stream, 0, MEMORY | END(TARGET_BUF) | END(CPU), &why), 0);
	assert_int_equal(kv_run_check_end_given(&server, 0, MEMORY | END(TARGET_BUF) | REMOTE | END(CPU), &why), 0);
	is_refused(kv_run_check_end_given(&stream, 0, MEMORY, &why), -EINVAL, KVERBS_A_END_TARGET_BUF, true, "target_buf is missing");
	is_refused(kv_run_check_end_given(&stream, 0, MEMORY | END(TARGET_BUF) | REMOTE, &why), -EINVAL,
		   KVERBS_A_END_REMOTE_ADDR, false, "remote_addr goes with");
	is_refused(kv_run_check_end_given(&server, 0, MEMORY | END(TARGET_BUF), &why), -EINVAL,
		   KVERBS_A_END_REMOTE_ADDR, true, "remote_addr is missing");
	is_refused(kv_run_check_end_given(&server, 0, END(QP) | END(TARGET_BUF) | REMOTE, &why), -EINVAL,
		   KVERBS_A_END_LOCAL_BUF, true, "local_buf is missing");

	assert_true(kv_run_several(KVERBS_LOOP_CREDIT_STREAM, 1, 1) && kv_run_several(KVERBS_LOOP_CREDIT_SERVER, 2, 1));
	assert_int_equal(kv_run_posted_op(KVERBS_LOOP_CREDIT_SERVER, KVERBS_OP_SEND), KVERBS_OP_WRITE);
	assert_int_equal(kv_run_posted_op(KVERBS_LOOP_CREDIT_STREAM, KVERBS_OP_SEND), KVERBS_OP_SEND);
	assert_int_equal(kv_run_recvs(KVERBS_LOOP_CREDIT_SERVER, KVERBS_OP_SEND, 8), 8);
	assert_int_equal(kv_run_recvs(KVERBS_LOOP_CREDIT_STREAM, KVERBS_OP_SEND, 8), 0);
	assert_int_equal(kv_run_target_access(KVERBS_LOOP_CREDIT_STREAM, KVERBS_OP_SEND), KVERBS_ACCESS_REMOTE_WRITE);
	assert_int_equal(kv_run_target_access(KVERBS_LOOP_CREDIT_SERVER, KVERBS_OP_SEND), KVERBS_ACCESS_LOCAL_WRITE);
	assert_int_equal(kv_run_target_access(KVERBS_LOOP_PINGPONG, KVERBS_OP_WRITE), KVERBS_ACCESS_REMOTE_WRITE);
	assert_int_equal(kv_run_target_access(KVERBS_LOOP_PINGPONG, KVERBS_OP_WRITE_WITH_IMM),
			 KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE);
	assert_true(kv_run_has_remote(KVERBS_LOOP_CREDIT_SERVER, KVERBS_OP_SEND));
	assert_false(kv_run_has_remote(KVERBS_LOOP_STREAM_SERVER, KVERBS_OP_WRITE_WITH_IMM));
}

static void a_stream_with_credits_that_goes_on(void **state)
{
	struct kv_run_spec_facts s = { .loop = KVERBS_LOOP_CREDIT_STREAM, .op = KVERBS_OP_SEND, .size = 64, .depth = 8,
				       .list = 1, .signal = 4, .several = true, .iwarp = true, .credits = 8 };
	struct kv_run_qp_facts qp = { .type = KVERBS_QPT_RC, .polled = true };

	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.credits = 6;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	s.credits = 5;
	is_refused(kv_run_check_spec(&s, &why), -EINVAL, KVERBS_A_SPEC_CREDITS, false, "the peer has too few receives for a group");
	s.signal = 1;
	s.credits = 1;
	assert_int_equal(kv_run_check_spec(&s, &why), 0);
	assert_int_equal(kv_run_check_qp(&s, &qp, &why), 0);
	qp.polled = false;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "ping-pongs, STREAM_SERVER and the loops with credits poll");
	qp.polled = true;
	qp.type = KVERBS_QPT_UC;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "the loops with credits take an rc qp");
	qp.type = KVERBS_QPT_RC;
	qp.srq = true;
	is_refused(kv_run_check_qp(&s, &qp, &why), -EINVAL, KVERBS_A_END_QP, false, "this loop takes a qp without an srq");
}

static void an_end_where_a_stream_with_credits_can_begin(void **state)
{
	const struct kv_run_buf_facts mr = { .buffer = 64, .contiguous = 64, .by_mr = true, .same_pd = true,
					     .registered = true, .length = 64 };
	const struct kv_run_buf_facts byte = { .buffer = 1, .contiguous = 1, .by_mr = true, .same_pd = true,
					       .registered = true, .length = 1 };
	struct kv_run_end_facts good = { .local = mr, .target = byte, .max_send_wr = 8, .send_cqe = 8, .credits = 16 };
	struct kv_run_spec_facts send = { .loop = KVERBS_LOOP_CREDIT_STREAM, .op = KVERBS_OP_SEND, .size = 64,
					  .depth = 8, .list = 2, .signal = 4, .credits = 16 };

	assert_int_equal(kv_run_check_end(&send, &good, &why), 0);
	WRONG(end.max_send_wr = 7, -EINVAL, QP, "depth is above the qp's max_send_wr");
	WRONG(end.credits = 8, -EBUSY, QP, "an earlier run of the connection had another number of credits");
	WRONG(end.gives_credits = true, -EBUSY, QP, "in an earlier run of the connection the qp was at the other end");
	WRONG(end.other_target = true, -EBUSY, TARGET_BUF, "credits of an earlier run come to another target_buf");
	WRONG(end.local.buffer = 63, -EINVAL, LOCAL_BUF, "size is above the bytes that the buffer has");
	WRONG(end.target.buffer = 0, -EINVAL, TARGET_BUF, "size is above the bytes that the buffer has");
	send = (struct kv_run_spec_facts){ .loop = KVERBS_LOOP_CREDIT_SERVER, .op = KVERBS_OP_SEND, .size = 64,
					   .depth = 16, .list = 1, .signal = 1, .recv_sges = 1 };
	good = (struct kv_run_end_facts){ .local = byte, .target = mr, .max_send_wr = 1, .send_cqe = 1,
					  .max_recv_wr = 16, .recv_cqe = 16, .max_recv_sge = 1, .credits = 16,
					  .gives_credits = true };
	assert_int_equal(kv_run_check_end(&send, &good, &why), 0);
	WRONG(end.max_recv_wr = 15, -EINVAL, QP, "the qp's max_recv_wr is below depth");
	WRONG(end.max_send_wr = 0, -EINVAL, QP, "the qp's max_send_wr is 0");
	WRONG(end.send_cqe = 0, -EINVAL, QP, "the send_cq has no room for a write of each end");
	WRONG(end.gives_credits = false, -EBUSY, QP, "in an earlier run of the connection the qp was at the other end");
	WRONG(end.target.buffer = 63, -EINVAL, TARGET_BUF, "size is above the bytes that the buffer has");
	WRONG(end.one_cq = true, -EINVAL, QP, "receives of a run need a qp whose");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spec_has_what_it_needs),
		cmocka_unit_test(a_spec_has_nothing_else),
		cmocka_unit_test(ends_are_shared_out_to_the_workers),
		cmocka_unit_test(an_end_has_what_the_run_needs),
		cmocka_unit_test(the_cpu_of_a_spec_is_for_workers_without),
		cmocka_unit_test(a_spec_that_the_device_can_do),
		cmocka_unit_test(a_device_that_invalidates),
		cmocka_unit_test(an_end_that_registers_its_mr),
		cmocka_unit_test(a_qp_that_a_run_takes),
		cmocka_unit_test(a_requests_sges_have_all_its_bytes),
		cmocka_unit_test(a_receives_sges_have_all_its_room),
		cmocka_unit_test(an_end_where_a_run_can_begin),
		cmocka_unit_test(an_end_where_a_stream_can_begin),
		cmocka_unit_test(an_end_where_a_stream_server_can_begin),
		cmocka_unit_test(an_end_that_receives_from_an_srq),
		cmocka_unit_test(cqs_that_ends_have_in_common),
		cmocka_unit_test(a_loop_with_credits_has_what_it_needs),
		cmocka_unit_test(a_stream_with_credits_that_goes_on),
		cmocka_unit_test(an_end_where_a_stream_with_credits_can_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
