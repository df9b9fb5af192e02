// SPDX-License-Identifier: MIT
/* The loops of ibv_wr_*() and ibv_start_poll(), on a QP and a CQ that are not there. */
#include "test.h"
#include <errno.h>
#include "user/put.h"

enum { REQUESTS = 64 };

/* The requests that the device was given, and its answers. */
static struct device {
	struct ibv_qp_ex qp;
	struct ibv_cq_ex cq;
	uint64_t remote_addr;
	uint32_t rkey;
	uint64_t sge_addr;
	void *inline_addr;
	unsigned int flags[REQUESTS];
	unsigned int open; /* requests that are not posted yet */
	unsigned int posted;
	unsigned int calls; /* of ibv_wr_complete() */
	unsigned int signaled; /* completions that wait */
	bool polling;
	int complete_ret;
	int poll_ret; /* of ibv_start_poll() in place of a completion */
	enum ibv_wc_status status;
} d;

/* How the requests name their bytes. */
static enum kv_put_data data;
static uint32_t op; /* enum kverbs_op of the requests */

static void wr_start(struct ibv_qp_ex *qp)
{
	assert_int_equal(d.open, 0);
}

static void wr_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr)
{
	d.rkey = rkey;
	d.remote_addr = remote_addr;
	assert_in_range(d.posted + d.open, 0, REQUESTS - 1);
	d.flags[d.posted + d.open++] = qp->wr_flags;
}

static void wr_atomic_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, const void *bytes)
{
	wr_write(qp, rkey, remote_addr);
	d.inline_addr = (void *)(uintptr_t)bytes;
}

static void wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length)
{
	assert_int_equal(lkey, 7);
	assert_int_equal(length, 64);
	d.sge_addr = addr;
}

static void wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length)
{
	assert_int_equal(length, 64);
	d.inline_addr = addr;
}

static void wr_set_sge_list(struct ibv_qp_ex *qp, size_t n, const struct ibv_sge *sge)
{
	assert_int_equal(n, 2);
	assert_int_equal(sge[1].length, 64);
	d.sge_addr = sge[1].addr;
}

static void wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t n, const struct ibv_data_buf *buf)
{
	assert_int_equal(n, 2);
	assert_int_equal(buf[1].length, 32);
	d.inline_addr = buf[1].addr;
}

static int wr_complete(struct ibv_qp_ex *qp)
{
	d.calls++;
	if (d.complete_ret)
		return d.complete_ret;
	for (; d.open; d.open--)
		d.signaled += !!(d.flags[d.posted++] & IBV_SEND_SIGNALED);
	return 0;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	assert_false(d.polling);
	assert_int_equal(attr->comp_mask, 0);
	if (d.poll_ret)
		return d.poll_ret;
	if (!d.signaled)
		return ENOENT;
	d.signaled--;
	d.polling = true;
	cq->status = d.status;
	return 0;
}

static void end_poll(struct ibv_cq_ex *cq)
{
	assert_true(d.polling);
	d.polling = false;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *cq)
{
	assert_true(d.polling);
	return 42;
}

static uint32_t read_qp_num(struct ibv_cq_ex *cq)
{
	assert_true(d.polling);
	return 17;
}

/* Each of @iters samples has @quiet lists of two requests, and one request that is signaled. */
static int run(uint32_t kind, struct kv_loop *l, uint64_t iters, unsigned int quiet)
{
	static struct kv_hist hist;
	static uint64_t posted[4];
	/* Two SGEs, and room for two buffers of inline data. */
	static struct ibv_sge sge[4] = { { .addr = 0x1000, .length = 64, .lkey = 7 },
					 { .addr = 0x3000, .length = 64, .lkey = 7 } };
	int sges = data == KV_PUT_SGES || data == KV_PUT_INLINES ? 2 : 1;
	static struct ibv_send_wr second, wr[2];
	static struct kv_end e;

	kv_hist_reset(&hist);
	second = (struct ibv_send_wr){ .sg_list = sge, .num_sge = sges, .send_flags = IBV_SEND_SIGNALED };
	second.wr.rdma.rkey = 9;
	second.wr.rdma.remote_addr = 0x2000;
	if (data == KV_PUT_INLINES)
		kv_user_put_bufs(&second)[1] = (struct ibv_data_buf){ .addr = (void *)0x4000, .length = 32 };
	wr[0] = wr[1] = second;
	wr[0].send_flags = wr[1].send_flags = 0;
	wr[0].next = &wr[1];
	e = (struct kv_end){
		.send_cq = ibv_cq_ex_to_cq(&d.cq),
		.ex = &d.qp,
		.put = kv_user_put_pick(op, false, data),
		.send_wr = second,
		.quiet = wr,
	};
	*l = (struct kv_loop){
		.a = &e,
		.hist = &hist,
		.posted = (__u64 *)posted,
		.groups = 2,
		.quiet = quiet,
		.iters = iters,
		.time = UINT64_MAX,
		.timeout = UINT64_MAX,
	};
	return kv_loop_pick_wr(&(struct kv_loop_form){ .loop = kind, .op = op }, 0)(l);
}

static int setup(void **state)
{
	data = KV_PUT_SGE;
	op = KVERBS_OP_WRITE;
	d = (struct device){
		.qp.wr_start = wr_start,
		.qp.wr_rdma_write = wr_write,
		.qp.wr_atomic_write = wr_atomic_write,
		.qp.wr_set_sge = wr_set_sge,
		.qp.wr_set_inline_data = wr_set_inline_data,
		.qp.wr_set_sge_list = wr_set_sge_list,
		.qp.wr_set_inline_data_list = wr_set_inline_data_list,
		.qp.wr_complete = wr_complete,
		.cq.start_poll = start_poll,
		.cq.end_poll = end_poll,
		.cq.read_vendor_err = read_vendor_err,
		.cq.read_qp_num = read_qp_num,
	};
	return 0;
}

static void test_completion(void **state)
{
	struct kv_loop l;

	assert_int_equal(run(KVERBS_LOOP_POST_TO_COMPLETION, &l, 3, 0), 0);
	assert_int_equal(l.done, 3);
	assert_int_equal(d.posted, 3);
	assert_int_equal(d.calls, 3);
	assert_int_equal(d.rkey, 9);
	assert_int_equal(d.remote_addr, 0x2000);
	assert_int_equal(d.sge_addr, 0x1000);
	assert_null(d.inline_addr);
	assert_false(d.polling);
}

static void test_inline(void **state)
{
	struct kv_loop l;

	data = KV_PUT_INLINE;
	assert_int_equal(run(KVERBS_LOOP_STREAM, &l, 3, 1), 0);
	assert_ptr_equal(d.inline_addr, (void *)0x1000);
	assert_int_equal(d.sge_addr, 0);
	assert_int_equal(d.posted, 3 * 3);
}

static void test_sges(void **state)
{
	struct kv_loop l;

	data = KV_PUT_SGES;
	assert_int_equal(run(KVERBS_LOOP_STREAM, &l, 3, 1), 0);
	assert_int_equal(d.sge_addr, 0x3000);
	assert_null(d.inline_addr);
	data = KV_PUT_INLINES;
	assert_int_equal(run(KVERBS_LOOP_STREAM, &l, 3, 1), 0);
	assert_ptr_equal(d.inline_addr, (void *)0x4000);
}

/* A list is posted by one ibv_wr_complete(). */
static void test_lists(void **state)
{
	struct kv_loop l;

	assert_int_equal(run(KVERBS_LOOP_STREAM, &l, 5, 2), 0);
	assert_int_equal(l.done, 5);
	assert_int_equal(d.calls, 5 * 3);
	assert_int_equal(d.posted, 5 * (2 * 2 + 1));
	for (unsigned int i = 0; i < d.posted; i++)
		assert_int_equal(d.flags[i], i % 5 == 4 ? IBV_SEND_SIGNALED : 0);
}

static void test_failed_post(void **state)
{
	struct kv_loop l;

	d.complete_ret = ENOMEM;
	assert_int_equal(run(KVERBS_LOOP_POST_TO_COMPLETION, &l, 3, 0), -ENOMEM);
	assert_int_equal(l.done, 0);
}

static void test_failed_request(void **state)
{
	struct kv_loop l;

	d.status = IBV_WC_REM_ACCESS_ERR;
	assert_int_equal(run(KVERBS_LOOP_POST_TO_COMPLETION, &l, 3, 0), -EIO);
	assert_int_equal(l.wc_status, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(l.vendor_err, 42);
	assert_int_equal(l.qp_num, 17);
	assert_false(d.polling);
}

/* Its bytes are no SGE. */
static void test_atomic_write(void **state)
{
	struct kv_loop l;

	op = KVERBS_OP_ATOMIC_WRITE;
	assert_int_equal(run(KVERBS_LOOP_POST_TO_COMPLETION, &l, 3, 0), 0);
	assert_int_equal(d.posted, 3);
	assert_int_equal(d.rkey, 9);
	assert_int_equal(d.remote_addr, 0x2000);
	assert_ptr_equal(d.inline_addr, (void *)0x1000);
	assert_int_equal(d.sge_addr, 0);
}

/* The CQ is broken: there is no completion that ibv_end_poll() could end. */
static void test_failed_poll(void **state)
{
	struct kv_loop l;

	d.poll_ret = EINVAL;
	assert_int_equal(run(KVERBS_LOOP_POST_TO_COMPLETION, &l, 3, 0), -EIO);
	assert_int_equal(l.wc_status, 0);
	assert_false(d.polling);
}

static void test_flags(void **state)
{
	uint64_t rc = kv_user_put_flags(IBV_QPT_RC, false), uc = kv_user_put_flags(IBV_QPT_UC, true),
		 ud = kv_user_put_flags(IBV_QPT_UD, true);

	assert_true(rc & IBV_QP_EX_WITH_RDMA_READ && rc & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP);
	assert_false((rc | uc) & IBV_QP_EX_WITH_ATOMIC_WRITE);
	assert_true(kv_user_put_flags(IBV_QPT_RC, true) & IBV_QP_EX_WITH_ATOMIC_WRITE);
	assert_true(uc & IBV_QP_EX_WITH_RDMA_WRITE && !(uc & IBV_QP_EX_WITH_RDMA_READ));
	assert_int_equal(ud, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM);
	assert_ptr_not_equal(kv_user_put_pick(KVERBS_OP_SEND, true, KV_PUT_SGE),
			     kv_user_put_pick(KVERBS_OP_SEND, false, KV_PUT_SGE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_completion, setup),
		cmocka_unit_test_setup(test_inline, setup),
		cmocka_unit_test_setup(test_sges, setup),
		cmocka_unit_test_setup(test_lists, setup),
		cmocka_unit_test_setup(test_atomic_write, setup),
		cmocka_unit_test_setup(test_failed_post, setup),
		cmocka_unit_test_setup(test_failed_request, setup),
		cmocka_unit_test_setup(test_failed_poll, setup),
		cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
