// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "contract.h"

static int new_mr(struct link *l, uint32_t pd, uint32_t max_pages)
{
	struct kv_mr_init init = { .pd = pd, .max_pages = max_pages };

	return call_new(&l->nl, KV_MR, &init, NULL, NULL);
}

/* Of the end's target. */
static int reg_mr(struct link *l, const struct end *e, uint32_t qp, uint32_t access,
		  uint64_t offset, uint64_t length)
{
	struct kv_mr_reg reg = {
		.buf = e->target, .qp = qp, .access = access, .offset = offset, .length = length,
	};

	return call_mr_reg(&l->nl, e->target_mr, &reg, NULL, NULL);
}

static void test_new(struct link *l, uint32_t pd)
{
	uint32_t most = caps.max_fast_reg_pages;
	struct kv_mr_init init = { .pd = pd, .max_pages = 9 };
	uint64_t verb_ns = 0;
	struct kv_mr mr;

	must(l, call_new(&l->nl, KV_MR, &init, &mr, &verb_ns), "mr");
	result(mr.pd == pd && mr.max_pages == 9 && verb_ns > 0 && !mr.registered,
	       "made as it was asked for");
	check_shown(l, KV_MR, &mr, "an mr");
	must(l, call_del(&l->nl, KV_MR, mr.id, NULL), "delete");
	init.max_pages = most;
	must(l, call_new(&l->nl, KV_MR, &init, &mr, NULL), "the largest mr");
	result(mr.max_pages == most, "the largest mr");
	refused(l, call_del(&l->nl, KV_PD, pd, NULL), -EBUSY,
		"pd: in use by an mr: invalidate or delete that first", "a pd with an mr");
	must(l, call_del(&l->nl, KV_MR, mr.id, NULL), "delete");
	init.max_pages = 0;
	must(l, call_new(&l->nl, KV_MR, &init, &mr, NULL), "an mr");
	result(mr.max_pages == (most < 256 ? most : 256), "256 pages by default");
	must(l, call_del(&l->nl, KV_MR, mr.id, NULL), "delete");

	refused(l, RAW(l, KVERBS_CMD_MR_NEW, KVERBS_A_MR_PD, pd, KVERBS_A_MR_MAX_PAGES, 0), -ERANGE,
		"integer out of range", "an mr of no pages");
	refused(l, new_mr(l, pd, most + 1), -EINVAL, 
		"max_pages is above the device's max_fast_reg_pages",
		"more pages than the device has");
	refused(l, new_mr(l, pd, 0x80000000), -ERANGE, "max_pages: integer out of range",
		"the largest number");
	refused(l, new_mr(l, 2000000000, 1), -ENOENT,
		"pd: no pd with this id among yours", "an unknown pd");
	refused(l, RAW(l, KVERBS_CMD_MR_NEW, KVERBS_A_MR_MAX_PAGES, 1), -EINVAL,
		"the pd's id is missing", "no pd");
}

/* Attributes that are not given have defaults. */
static void test_defaults(struct link *l, struct end *e)
{
	struct nl_msg *msg;
	struct kv_mr mr;

	msg = call_msg_of(&l->nl, KV_MR, KVERBS_CMD_MR_REG, e->target_mr);
	nla_put_u32(msg, KVERBS_A_MR_QP, e->qp);
	nla_put_u32(msg, KVERBS_A_MR_BUF, e->target);
	nla_put_u64(msg, KVERBS_A_MR_OFFSET, 100);
	must(l, call_object(&l->nl, KV_MR, msg, &mr), "register");
	result(!mr.access && !mr.rkey && mr.length == LENGTH - 100,
	       "by default no rights, and all that is left of the buffer");
	must(l, call_mr_inv(&l->nl, e->target_mr, e->qp, NULL), "invalidate");
}

/* As many MRs as one likes are registered over a buffer, each for itself. */
static void test_several(struct link *l, struct end *a, struct end *b)
{
	struct kv_mr_reg first = {
		.buf = b->target, .qp = b->qp, .length = 5000,
		.access = KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE,
	};
	struct kv_mr_reg second = {
		.buf = b->target, .qp = b->qp, .offset = 4000, .length = LENGTH - 4000,
		.access = KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE,
	};
	uint32_t other = make_mr(l, b->pd);
	char want[LENGTH] = "";
	struct wr wr;
	struct kv_mr key;

	must(l, call_mr_reg(&l->nl, b->target_mr, &first, &b->key, NULL), "register");
	done(l, call_mr_reg(&l->nl, other, &second, &key, NULL), "a second mr over the same bytes");
	result(key.rkey != b->key.rkey && key.iova != b->key.iova && key.buf == b->key.buf,
	       "with keys and an address of its own");
	write_all(l, a->local, '1');
	write_all(l, b->target, 0);
	wr = write_wr(a, b, 16, 1);
	wr.remote_addr += 4984;
	post(l, &wr, "write");
	expect_wc(l, a->send_cq, 1, KVERBS_WC_OP_WRITE, 0, "a write by the first one");
	wr = write_wr(a, b, 16, 2);
	wr.remote_addr = key.iova + 1000;
	wr.remote_key = key.rkey;
	post(l, &wr, "write");
	expect_wc(l, a->send_cq, 2, KVERBS_WC_OP_WRITE, 0, "and by the second one");
	memset(want + 4984, '1', 32);
	result(holds(l, b->target, 0, want, LENGTH), "reach bytes side by side");

	refused(l, call_del(&l->nl, KV_BUF, b->target, NULL), -EBUSY,
		"in use by an mr: invalidate or delete that first", "a buffer with two mrs");
	must(l, call_mr_inv(&l->nl, b->target_mr, b->qp, NULL), "invalidate");
	refused(l, call_del(&l->nl, KV_BUF, b->target, NULL), -EBUSY,
		"in use by an mr: invalidate or delete that first", "a buffer with one");
	wr.wr_id = 3;
	post(l, &wr, "write");
	expect_wc(l, a->send_cq, 3, KVERBS_WC_OP_WRITE, 0, "one goes on where the other has ended");
	done(l, call_del(&l->nl, KV_MR, other, NULL), "deleting the mr");
	done(l, call_del(&l->nl, KV_BUF, b->target, NULL), "frees the buffer");
	b->target = make_buf(l, LENGTH);
}

/* Each of two MRs over the same bytes lets the peer do something else. */
static void test_rights(struct link *l)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct kv_mr_reg reg = { .length = LENGTH };
	struct kv_mr reading;
	char want[LENGTH] = "";
	struct end a, b;
	uint32_t other;
	struct kv_wc wc;
	struct wr wr;

	pair_make(l, &a, &b, &init);
	register_local(l, &a, KVERBS_ACCESS_LOCAL_WRITE);
	reg.buf = b.target;
	reg.qp = b.qp;
	reg.access = KVERBS_ACCESS_REMOTE_READ;
	other = make_mr(l, b.pd);
	must(l, call_mr_reg(&l->nl, other, &reg, &reading, NULL), "register");
	reg.access = KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE;
	done(l, call_mr_reg(&l->nl, b.target_mr, &reg, &b.key, NULL),
	     "a second mr with other rights over the same bytes");
	write_all(l, a.local, '1');
	wr = write_wr(&a, &b, 16, 1);
	post(l, &wr, "write");
	expect_wc(l, a.send_cq, 1, KVERBS_WC_OP_WRITE, 0, "a write by the one");
	write_all(l, a.local, 0);
	b.key = reading;
	wr = write_wr(&a, &b, 16, 2);
	wr.op = KVERBS_OP_READ;
	wr.sge[0].mr = a.local_mr;
	post(l, &wr, "read");
	expect_wc(l, a.send_cq, 2, KVERBS_WC_OP_READ, 0, "and a read by the other");
	memset(want, '1', 16);
	result(holds(l, a.local, 0, want, LENGTH), "of the same bytes");
	wr.op = KVERBS_OP_WRITE;
	wr.sge[0].offset = 16;
	post(l, &wr, "write");
	/* iWARP's completion does not tell what the peer has made of it. */
	result(poll_one(l, a.send_cq, &wc) && (wc.status || is_iwarp()),
	       "a write by the key that allows reads fails");
	result(holds(l, b.target, 0, want, LENGTH), "and has changed nothing");
	must(l, call_del(&l->nl, KV_MR, other, NULL), "delete");
	end_del(l, &a);
	end_del(l, &b);
}

/* An SGE names a buffer and an MR: they must belong together. */
static void test_over(struct link *l, struct end *a)
{
	struct wr wr = send_wr(a->qp, a->local, 64, 1);

	register_target(l, a);
	wr.sge[0].mr = a->target_mr;
	refused(l, call_post(&l->nl, &wr, NULL), -EINVAL,
		"the mr is registered over another buffer", "a key of another buffer");
	must(l, call_mr_inv(&l->nl, a->target_mr, a->qp, NULL), "invalidate");
}

static void test_reg(struct link *l, struct end *a, struct end *b)
{
	const uint32_t all = all_access();
	struct kv_mr_reg reg = {
		.buf = a->target, .qp = a->qp, .access = all, .offset = 100, .length = 64,
	};
	uint64_t verb_ns = 0;
	struct kv_mr mr, got;
	uint32_t rkey, narrow;

	must(l, call_mr_reg(&l->nl, a->target_mr, &reg, &mr, &verb_ns), "register");
	result(mr.registered && mr.access == all && mr.offset == 100 &&
	       mr.length == 64 && mr.buf == a->target && mr.lkey && mr.rkey && verb_ns > 0,
	       "a registration says what it grants, and under which names");
	must(l, call_get(&l->nl, KV_MR, a->target_mr, &got), "get");
	result(!memcmp(&got, &mr, sizeof(mr)), "and is shown so");
	result(mr.iova == ((uint64_t)mr.id << 32) + 100, "its address is none of the kernel's");
	rkey = mr.rkey;
	refused(l, reg_mr(l, a, a->qp, all, 0, LENGTH), -EBUSY,
		"the mr is registered already: invalidate it first", "registering twice");
	verb_ns = 0;
	done(l, call_mr_inv(&l->nl, a->target_mr, a->qp, &verb_ns), "it is invalidated");
	must(l, call_get(&l->nl, KV_MR, a->target_mr, &got), "get");
	result(!got.registered && !got.lkey && !got.iova && verb_ns > 0, "and shown so");
	refused(l, call_mr_inv(&l->nl, a->target_mr, a->qp, NULL), -EINVAL,
		"the mr is not registered", "invalidating what is not registered");
	must(l, call_mr_reg(&l->nl, a->target_mr, &reg, &mr, NULL), "register");
	result(mr.rkey != rkey, "a new registration has a new key");
	must(l, call_mr_inv(&l->nl, a->target_mr, a->qp, NULL), "invalidate");
	reg.access = KVERBS_ACCESS_LOCAL_WRITE;
	must(l, call_mr_reg(&l->nl, a->target_mr, &reg, &mr, NULL), "register");
	result(mr.lkey && !mr.rkey, "one that grants nothing to peers has no key for them");
	must(l, call_mr_inv(&l->nl, a->target_mr, a->qp, NULL), "invalidate");

	refused(l, reg_mr(l, a, a->qp, KVERBS_ACCESS_REMOTE_WRITE, 0, 64),
		-EINVAL, "need local write too", "remote write without local write");
	if (!lacks("remote atomics without local write", "atomics"))
		refused(l, reg_mr(l, a, a->qp, KVERBS_ACCESS_REMOTE_ATOMIC, 0, 64),
				-EINVAL, "need local write too", "remote atomics without local write");
	refused(l, reg_mr(l, a, a->qp, 1 << 7, 0, 64), -EINVAL,
		"reserved bit set", "an unknown access flag");
	refused(l, reg_mr(l, a, a->qp, all, 8, LENGTH), -EINVAL,
		"beyond the end of the buffer", "registering beyond the end");
	refused(l, reg_mr(l, a, a->qp, all, ~0ULL, 64), -EINVAL,
		"beyond the end of the buffer", "registering far beyond the end");
	refused(l, reg_mr(l, a, a->qp, all, LENGTH, 1), -EINVAL,
		"beyond the end of the buffer", "registering from the end on");
	refused(l, reg_mr(l, a, a->qp, all, 0, 0), -ERANGE, "length: ",
		"registering nothing");
	refused(l, reg_mr(l, a, 0, all, 0, 64), -EINVAL, "qp is missing",
		"registering by no qp");
	refused(l, reg_mr(l, a, 2000000000, all, 0, 64), -ENOENT,
		"qp: no qp with this id among yours",
		"registering by an unknown qp");
	refused(l, reg_mr(l, a, b->qp, all, 0, 64), -EINVAL,
		"the qp is of another pd than the mr", "registering by a qp of another pd");
	refused(l, call_mr_inv(&l->nl, a->target_mr, 0, NULL), -EINVAL, "qp is missing",
		"invalidating by no qp");

	reg.buf = 0;
	refused(l, call_mr_reg(&l->nl, a->target_mr, &reg, NULL, NULL), -EINVAL, "buf is missing",
		"registering no buffer");
	reg.buf = 2000000000;
	refused(l, call_mr_reg(&l->nl, a->target_mr, &reg, NULL, NULL), -ENOENT,
		"buf: no buf with this id among yours",
		"registering an unknown buffer");
	if (is_iwarp())
		refused(l, reg_mr(l, a, a->qp, KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_ATOMIC,
				  0, 64), -EOPNOTSUPP, "the device has no atomic operations",
			"a right that the device does not have");

	must(l, call_new(&l->nl, KV_MR, &(struct kv_mr_init){ .pd = a->pd, .max_pages = 1 }, &mr,
			 NULL), "mr");
	narrow = mr.id;
	reg = (struct kv_mr_reg){ .buf = a->target, .qp = a->qp, .offset = 1, .length = 4096 };
	refused(l, call_mr_reg(&l->nl, narrow, &reg, NULL, NULL), -EINVAL,
		"length: offset and length name more pages than the mr's max_pages",
		"bytes of two pages by an mr of one");
	reg.length = 4095;
	done(l, call_mr_reg(&l->nl, narrow, &reg, NULL, NULL), "all that is left of the page");
	done(l, call_del(&l->nl, KV_MR, narrow, NULL), "a registered mr can be deleted");
}

/*
 * Behind READs that nobody answers the registration waits. As long as it does the MR is
 * neither registered nor free; when its QP is reset the request is flushed, and it is
 * free.
 */
static void test_late(struct link *l, struct end *a, struct end *b)
{
	struct kv_mr mr;

	qp_block(l, a, b);
	result(reg_mr(l, a, a->qp, all_access(), 0, 64) == -ETIMEDOUT &&
	       strstr(l->nl.base.err, "no completion within 2 s"), "one that does not complete says so");
	must(l, call_get(&l->nl, KV_MR, a->target_mr, &mr), "get");
	result(!mr.registered, "until it does the mr is not registered");
	refused(l, reg_mr(l, a, a->qp, all_access(), 0, LENGTH), -EBUSY,
		"has not completed: reset its qp", "a second one beside it");
	refused(l, call_mr_inv(&l->nl, a->target_mr, a->qp, NULL), -EBUSY,
		"has not completed: reset its qp", "nor is it invalidated");
	refused(l, call_del(&l->nl, KV_BUF, a->target, NULL), -EBUSY, "in use by an mr",
		"and the buffer stays");
	to_state(l, a->qp, KVERBS_QPS_RESET);
	must(l, call_get(&l->nl, KV_MR, a->target_mr, &mr), "get");
	result(!mr.registered, "with its qp reset the mr is free");
	done(l, call_del(&l->nl, KV_BUF, a->target, NULL), "with its qp reset the buffer can go");
	done(l, call_del(&l->nl, KV_MR, a->target_mr, NULL), "and the mr");
}

void test_mr(void)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end a, b;
	struct link l;

	link_open(&l);
	test_new(&l, make_pd(&l));
	pair_make(&l, &a, &b, &init);
	test_reg(&l, &a, &b);
	test_defaults(&l, &a);
	test_several(&l, &a, &b);
	test_rights(&l);
	test_over(&l, &a);
	to_state(&l, a.qp, KVERBS_QPS_RESET);
	refused(&l, reg_mr(&l, &a, a.qp, all_access(), 0, 64), -EINVAL,
		"the qp is in RESET", "registering by a qp in RESET");
	to_state(&l, b.qp, KVERBS_QPS_ERR);
	refused(&l, reg_mr(&l, &b, b.qp, all_access(), 0, 64), -EINVAL,
		"the qp is in ERR", "registering by a qp in ERR");
	if (!lacks("a registration behind READs that nobody answers", "peer that never answers")) {
		pair_make(&l, &a, &b, &init);
		test_late(&l, &a, &b);
	}
	link_close(&l);
}
