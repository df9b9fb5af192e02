// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "contract.h"

static int new_mr(struct link *l, uint32_t pd, uint64_t length, uint32_t max_access)
{
	struct kv_mr_init init = { .pd = pd, .length = length, .max_access = max_access };

	return call_new(&l->nl, KV_MR, &init, NULL, NULL);
}

static int reg_mr(struct link *l, uint32_t mr, uint32_t qp, uint32_t access,
		  uint64_t offset, uint64_t length)
{
	struct kv_mr_reg reg = { 0, qp, access, offset, length };

	return call_mr_reg(&l->nl, mr, &reg, NULL, NULL);
}

static int send_read(struct link *l, uint32_t mr, uint64_t length)
{
	struct nl_msg *msg = call_msg_of(&l->nl, KV_MR, KVERBS_CMD_MR_READ, mr);

	nla_put_u64(msg, KVERBS_A_MR_LENGTH, length);
	return send_msg(l, msg);
}

static int send_empty_write(struct link *l, uint32_t mr)
{
	struct nl_msg *msg = call_msg_of(&l->nl, KV_MR, KVERBS_CMD_MR_WRITE, mr);

	nla_put(msg, KVERBS_A_MR_DATA, 0, NULL);
	return send_msg(l, msg);
}

static int send_new(struct link *l, uint32_t pd, uint64_t length)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_MR_NEW, 0);

	if (pd)
		nla_put_u32(msg, KVERBS_A_MR_PD, pd);
	if (length)
		nla_put_u64(msg, KVERBS_A_MR_LENGTH, length);
	return send_msg(l, msg);
}

static void test_new(struct link *l, uint32_t pd)
{
	struct kv_mr_init init = {
		.pd = pd,
		.length = 12345,
		.max_access = KVERBS_ACCESS_LOCAL_WRITE,
	};
	uint64_t verb_ns = 0;
	struct kv_mr mr;

	must(l, call_new(&l->nl, KV_MR, &init, &mr, &verb_ns), "mr");
	result(mr.pd == pd && mr.length == 12345 && verb_ns > 0 && !mr.registered &&
	       mr.max_access == KVERBS_ACCESS_LOCAL_WRITE, "made as it was asked for");
	check_shown(l, KV_MR, &mr, "an mr");
	must(l, call_del(&l->nl, KV_MR, mr.id, NULL), "delete");
	init.length = caps.max_mr_bytes;
	must(l, call_new(&l->nl, KV_MR, &init, &mr, NULL), "the largest mr");
	result(mr.length == caps.max_mr_bytes, "the largest buffer");
	refused(l, call_del(&l->nl, KV_PD, pd, NULL), -EBUSY,
		"kernel pd: pd: in use by an mr: delete that first", "a pd with an mr");
	must(l, call_del(&l->nl, KV_MR, mr.id, NULL), "delete");

	refused(l, new_mr(l, pd, 0, 0), -ERANGE, "kernel mr: length: integer out of range",
		"a buffer of size 0");
	refused(l, new_mr(l, pd, caps.max_mr_bytes + 1, 0), -EINVAL, "max_mr_bytes",
		"a buffer above the device's limit");
	refused(l, new_mr(l, pd, ~0ULL, 0), -EINVAL, "max_mr_bytes", "the largest number");
	refused(l, new_mr(l, pd, 64, KVERBS_ACCESS__ALL + 1), -EINVAL, "reserved bit set",
		"access that does not exist");
	refused(l, new_mr(l, 2000000000, 64, 0), -ENOENT,
		"kernel mr: pd: no pd with this id among yours", "an unknown pd");
	refused(l, send_new(l, 0, 64), -EINVAL, "the pd's id is missing", "no pd");
	refused(l, send_new(l, pd, 0), -EINVAL, "length is missing", "no length");
}

static void test_content(struct link *l, uint32_t mr)
{
	char data[LENGTH], zero[LENGTH] = "", *most;

	result(holds(l, mr, 0, zero, LENGTH), "a new buffer is all zeroes");
	memset(data, 'x', sizeof(data));
	must(l, call_mr_write(&l->nl, mr, 100, data, 50), "write");
	memcpy(zero + 100, data, 50);
	result(holds(l, mr, 0, zero, LENGTH), "what is written is there, and nothing else");
	must(l, call_mr_write(&l->nl, mr, LENGTH - 1, data, 1), "write");
	result(holds(l, mr, LENGTH - 1, data, 1), "the last byte");

	refused(l, call_mr_read(&l->nl, mr, LENGTH - 4, data, 8), -EINVAL,
		"beyond the end of the buffer", "reading beyond the end");
	refused(l, call_mr_read(&l->nl, mr, LENGTH, data, 1), -EINVAL,
		"beyond the end of the buffer", "reading from the end on");
	refused(l, call_mr_read(&l->nl, mr, ~0ULL, data, 8), -EINVAL,
		"beyond the end of the buffer", "reading far beyond the end");
	refused(l, call_mr_write(&l->nl, mr, LENGTH - 4, data, 8), -EINVAL,
		"beyond the end of the buffer", "writing beyond the end");
	refused(l, call_mr_write(&l->nl, mr, ~0ULL - 3, data, 8), -EINVAL,
		"beyond the end of the buffer", "writing around the end of all numbers");
	refused(l, call_mr_read(&l->nl, mr, 0, data, 0), -ERANGE, "length: ",
		"reading nothing");
	refused(l, send_empty_write(l, mr), -ERANGE, "ttribute", "writing nothing");
	refused(l, send_read(l, mr, KVERBS_DATA_MAX + 1), -EINVAL,
		"length is above what one message carries", "reading too much at once");
	refused(l, RAW(l, KVERBS_CMD_MR_READ, KVERBS_A_MR_ID, mr), -EINVAL,
		"length is missing", "reading without a length");
	refused(l, RAW(l, KVERBS_CMD_MR_WRITE, KVERBS_A_MR_ID, mr), -EINVAL,
		"data is missing", "writing without data");
	refused(l, call_mr_write(&l->nl, 2000000000, 0, data, 8), -ENOENT,
		"no mr with this id among yours", "writing an unknown mr");
	result(holds(l, mr, 0, zero, LENGTH - 1), "none of these has changed a byte");

	most = calloc(1, KVERBS_DATA_MAX);
	mr = make_mr(l, make_pd(l), KVERBS_DATA_MAX);
	memset(most, 'y', KVERBS_DATA_MAX);
	done(l, call_mr_write(&l->nl, mr, 0, most, KVERBS_DATA_MAX), "the most at once is written");
	memset(most, 0, KVERBS_DATA_MAX);
	done(l, call_mr_read(&l->nl, mr, 0, most, KVERBS_DATA_MAX), "and read");
	result(most[0] == 'y' && most[KVERBS_DATA_MAX - 1] == 'y', "as it was written");
	free(most);
}

/* What is not said has defaults. */
static void test_defaults(struct link *l, struct end *e)
{
	struct nl_msg *msg;
	struct kv_mr mr;

	msg = call_msg_of(&l->nl, KV_MR, KVERBS_CMD_MR_REG, e->target);
	nla_put_u32(msg, KVERBS_A_MR_QP, e->qp);
	nla_put_u64(msg, KVERBS_A_MR_OFFSET, 100);
	must(l, call_object(&l->nl, KV_MR, msg, &mr), "register");
	result(mr.access == (mr.max_access & all_access()) && mr.reg_length == LENGTH - 100,
	       "by default all access, and all that is left of the buffer");
	must(l, call_mr_inv(&l->nl, e->target, e->qp, NULL), "invalidate");

	msg = kv_nl_msg(&l->nl, KVERBS_CMD_MR_NEW, 0);
	nla_put_u32(msg, KVERBS_A_MR_PD, e->pd);
	nla_put_u64(msg, KVERBS_A_MR_LENGTH, 64);
	must(l, call_object(&l->nl, KV_MR, msg, &mr), "mr");
	result(mr.max_access == KVERBS_ACCESS__ALL, "an mr may grant everything by default");
	must(l, call_del(&l->nl, KV_MR, mr.id, NULL), "delete");
}

static void test_reg(struct link *l, struct end *a, struct end *b)
{
	const uint32_t all = all_access();
	struct kv_mr_reg reg = { 0, a->qp, all, 100, 64 };
	uint64_t verb_ns = 0;
	struct kv_mr mr, got;
	uint32_t rkey, narrow;

	must(l, call_mr_reg(&l->nl, a->target, &reg, &mr, &verb_ns), "register");
	result(mr.registered && mr.access == all && mr.offset == 100 &&
	       mr.reg_length == 64 && mr.lkey && mr.rkey && verb_ns > 0,
	       "a registration says what it grants, and under which names");
	must(l, call_get(&l->nl, KV_MR, a->target, &got), "get");
	result(!memcmp(&got, &mr, sizeof(mr)), "and is shown so");
	result(mr.iova == ((uint64_t)mr.id << 32) + 100, "its address is none of the kernel's");
	rkey = mr.rkey;
	refused(l, reg_mr(l, a->target, a->qp, all, 0, LENGTH), -EBUSY,
		"the mr is registered already: invalidate it first", "registering twice");
	verb_ns = 0;
	done(l, call_mr_inv(&l->nl, a->target, a->qp, &verb_ns), "it is invalidated");
	must(l, call_get(&l->nl, KV_MR, a->target, &got), "get");
	result(!got.registered && !got.lkey && !got.iova && verb_ns > 0, "and shown so");
	refused(l, call_mr_inv(&l->nl, a->target, a->qp, NULL), -EINVAL,
		"the mr is not registered", "invalidating what is not registered");
	must(l, call_mr_reg(&l->nl, a->target, &reg, &mr, NULL), "register");
	result(mr.rkey != rkey, "a new registration has a new key");
	must(l, call_mr_inv(&l->nl, a->target, a->qp, NULL), "invalidate");
	reg.access = KVERBS_ACCESS_LOCAL_WRITE;
	must(l, call_mr_reg(&l->nl, a->target, &reg, &mr, NULL), "register");
	result(mr.lkey && !mr.rkey, "one that grants nothing to peers has no key for them");
	must(l, call_mr_inv(&l->nl, a->target, a->qp, NULL), "invalidate");

	refused(l, reg_mr(l, a->target, a->qp, KVERBS_ACCESS_REMOTE_WRITE, 0, 64),
		-EINVAL, "need local write too", "remote write without local write");
	if (!lacks("remote atomics without local write", "atomics"))
		refused(l, reg_mr(l, a->target, a->qp, KVERBS_ACCESS_REMOTE_ATOMIC, 0, 64),
				-EINVAL, "need local write too", "remote atomics without local write");
	refused(l, reg_mr(l, a->target, a->qp, 1 << 7, 0, 64), -EINVAL,
		"reserved bit set", "an unknown access flag");
	refused(l, reg_mr(l, a->target, a->qp, all, 8, LENGTH), -EINVAL,
		"beyond the end of the buffer", "registering beyond the end");
	refused(l, reg_mr(l, a->target, a->qp, all, ~0ULL, 64), -EINVAL,
		"beyond the end of the buffer", "registering far beyond the end");
	refused(l, reg_mr(l, a->target, a->qp, all, LENGTH, 1), -EINVAL,
		"beyond the end of the buffer", "registering from the end on");
	refused(l, reg_mr(l, a->target, a->qp, all, 0, 0), -ERANGE, "length: ",
		"registering nothing");
	refused(l, reg_mr(l, a->target, 0, all, 0, 64), -EINVAL, "qp is missing",
		"registering by no qp");
	refused(l, reg_mr(l, a->target, 2000000000, all, 0, 64), -ENOENT,
		"kernel mr registration: qp: no qp with this id among yours",
		"registering by an unknown qp");
	refused(l, reg_mr(l, a->target, b->qp, all, 0, 64), -EINVAL,
		"the qp is of another pd than the mr", "registering by a qp of another pd");
	refused(l, call_mr_inv(&l->nl, a->target, 0, NULL), -EINVAL, "qp is missing",
		"invalidating by no qp");

	must(l, call_new(&l->nl, KV_MR, &(struct kv_mr_init){
		     .pd = a->pd, .length = 64,
		     .max_access = KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_READ,
	     }, &mr, NULL), "mr");
	narrow = mr.id;
	refused(l, reg_mr(l, narrow, a->qp, all, 0, 64), -EINVAL, "max_access",
		"granting more than the mr was made for");
	refused(l, reg_mr(l, narrow, a->qp,
			  KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE, 0, 64),
		-EINVAL, "max_access", "granting but one right too many");
	done(l, reg_mr(l, narrow, a->qp, KVERBS_ACCESS_REMOTE_READ, 0, 64),
	     "granting less");
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
	result(reg_mr(l, a->target, a->qp, all_access(), 0, 64) == -ETIMEDOUT &&
	       strstr(l->nl.base.err, "no completion within 2 s"), "one that does not complete says so");
	must(l, call_get(&l->nl, KV_MR, a->target, &mr), "get");
	result(!mr.registered, "until it does the mr is not registered");
	refused(l, reg_mr(l, a->target, a->qp, all_access(), 0, LENGTH), -EBUSY,
		"has not completed: reset its qp", "a second one beside it");
	refused(l, call_mr_inv(&l->nl, a->target, a->qp, NULL), -EBUSY, "has not completed: reset its qp",
		"nor is it invalidated");
	to_state(l, a->qp, KVERBS_QPS_RESET);
	must(l, call_get(&l->nl, KV_MR, a->target, &mr), "get");
	result(!mr.registered, "with its qp reset the mr is free");
	done(l, call_del(&l->nl, KV_MR, a->target, NULL), "with its qp reset the mr can go");
}

void test_mr(void)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end a, b;
	struct link l;

	link_open(&l);
	test_new(&l, make_pd(&l));
	pair_make(&l, &a, &b, &init);
	test_content(&l, a.local);
	test_reg(&l, &a, &b);
	test_defaults(&l, &a);
	to_state(&l, a.qp, KVERBS_QPS_RESET);
	refused(&l, reg_mr(&l, a.target, a.qp, all_access(), 0, 64), -EINVAL,
		"the qp is in RESET", "registering by a qp in RESET");
	to_state(&l, b.qp, KVERBS_QPS_ERR);
	refused(&l, reg_mr(&l, b.target, b.qp, all_access(), 0, 64), -EINVAL,
		"the qp is in ERR", "registering by a qp in ERR");
	if (!lacks("a registration behind READs that nobody answers", "peer that never answers")) {
		pair_make(&l, &a, &b, &init);
		test_late(&l, &a, &b);
	}
	link_close(&l);
}
