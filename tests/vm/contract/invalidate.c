// SPDX-License-Identifier: MIT
/* Keys that a peer invalidates by SEND_WITH_INV: the state of the MR after it. */
#include <errno.h>
#include "contract.h"

/* Keys that are made until one may come again. */
#define KEYS 256

static struct wr inv_wr(const struct end *from, uint32_t key)
{
	struct wr wr = send_wr(from->qp, from->local, 16, 2);

	wr.op = KVERBS_OP_SEND_WITH_INV;
	wr.has_inv = true;
	wr.invalidate_rkey = key;
	return wr;
}

static bool registered(struct link *l, const struct end *e)
{
	struct kv_mr mr;

	must(l, call_get(&l->nl, KV_MR, e->target_mr, &mr), "mr");
	return mr.registered;
}

/* @a sends; the completion of its send is taken. */
static void send_inv(struct link *l, const struct end *a, uint32_t key)
{
	struct wr wr = inv_wr(a, key);

	post(l, &wr, "send with invalidate");
	expect_wc(l, a->send_cq, 2, KVERBS_WC_OP_SEND, 0, "a send that invalidates completes");
}

static void post_recv(struct link *l, const struct end *e)
{
	struct wr recv = recv_wr(e->qp, e->local, 64, 3);

	post(l, &recv, "recv");
}

static struct kv_wc take_recv(struct link *l, const struct end *e, const char *name)
{
	return expect_wc(l, e->recv_cq, 3, KVERBS_WC_OP_RECV, 0, name);
}

/* @b's MR goes with the completion that tells of it, and its buffer is free. */
static void test_told(struct link *l, struct end *a, struct end *b)
{
	uint32_t key;
	struct kv_wc wc;

	register_target(l, b);
	key = b->key.rkey;
	post_recv(l, b);
	send_inv(l, a, key);
	result(registered(l, b), "the mr counts as registered until the completion is returned");
	wc = take_recv(l, b, "the receive completes");
	result(wc.has_inv && wc.invalidate_rkey == key && !wc.has_imm && wc.length == 16,
	       "and tells which key it was");
	result(!registered(l, b), "the mr is not registered any more");
	refused(l, call_mr_inv(&l->nl, b->target_mr, b->qp, NULL), -EINVAL,
		"the mr is not registered", "invalidating it once more");
	done(l, call_del(&l->nl, KV_BUF, b->target, NULL), "its buffer can be deleted");
	b->target = make_buf(l, LENGTH);
	register_target(l, b);
	result(b->key.rkey != key, "it is registered anew, with another key");
	post_recv(l, b);
	post(l, &(struct wr){ .qp = a->qp, .op = KVERBS_OP_SEND, .wr_id = 2 }, "send");
	expect_wc(l, a->send_cq, 2, KVERBS_WC_OP_SEND, 0, "a plain send");
	wc = take_recv(l, b, "is received");
	result(!wc.has_inv && registered(l, b), "and invalidates nothing");
	must(l, call_mr_inv(&l->nl, b->target_mr, b->qp, NULL), "invalidate");
}

/* A completion that is polled late tells of a key that the MR has no more. */
static void test_late(struct link *l, struct end *a, struct end *b)
{
	uint32_t key;
	struct kv_wc wc;

	register_target(l, b);
	key = b->key.rkey;
	post_recv(l, b);
	send_inv(l, a, key);
	done(l, call_mr_inv(&l->nl, b->target_mr, b->qp, NULL), "an mr that the peer has invalidated is");
	register_target(l, b);
	wc = take_recv(l, b, "then the completion of the peer's is polled");
	result(wc.has_inv && wc.invalidate_rkey == key && registered(l, b),
	       "it does not end the new registration");
	must(l, call_mr_inv(&l->nl, b->target_mr, b->qp, NULL), "invalidate");
}

/* The same key comes again after 256: then nobody can tell whether the key is the old one. */
static void test_again(struct link *l, struct end *a, struct end *b)
{
	uint32_t key;
	unsigned int i;

	post_recv(l, b);
	for (i = 0; i < KEYS; i++) {
		register_target(l, b);
		if (i < KEYS - 1)
			must(l, call_mr_inv(&l->nl, b->target_mr, b->qp, NULL), "invalidate");
	}
	key = b->key.rkey;
	send_inv(l, a, key);
	take_recv(l, b, "a receive that was posted 256 registrations before");
	result(!registered(l, b), "ends the registration, too");
	refused(l, call_mr_inv(&l->nl, b->target_mr, b->qp, NULL), -EINVAL, "register it anew",
		"but the mr can't be invalidated");
	refused(l, call_del(&l->nl, KV_BUF, b->target, NULL), -EBUSY, "in use by an mr",
		"and keeps its buffer");
	register_target(l, b);
	result(b->key.rkey >> 8 != key >> 8, "until it is registered by a new verbs object");
	must(l, call_mr_inv(&l->nl, b->target_mr, b->qp, NULL), "invalidate");
}

/* The completion is dropped with the QP's requests. */
static void test_dropped(struct link *l, struct end *a, struct end *b)
{
	register_target(l, b);
	post_recv(l, b);
	send_inv(l, a, b->key.rkey);
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
	result(!registered(l, b), "a completion that a reset drops ends the registration, too");
}

/* The device's answer decides, and not its name: siw's receive ends by a flush. */
static void test_unknown_key(struct link *l, struct end *a, struct end *b)
{
	struct wr wr = inv_wr(a, 0xffffff00);
	struct kv_wc wc;

	register_target(l, b);
	post_recv(l, b);
	post(l, &wr, "send with invalidate");
	result(poll_one(l, b->recv_cq, &wc) && wc.status && !wc.has_inv,
	       "a receive fails if the key is nobody's: status %u", wc.status);
	result(registered(l, b), "the mr of another key is still registered");
	pair_reconnect(l, a, b, KVERBS_QPT_RC);
	must(l, call_mr_inv(&l->nl, b->target_mr, b->qp, NULL), "invalidate");
}

/* READ_WITH_INV ends the registration of its own sink. */
static void test_read(struct link *l, struct end *a, struct end *b)
{
	struct wr read = write_wr(a, b, 64, 4);
	struct kv_wc wc;
	struct kv_mr mr;
	uint32_t key;

	register_target(l, b);
	register_local(l, a, KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE);
	must(l, call_get(&l->nl, KV_MR, a->local_mr, &mr), "mr");
	key = mr.rkey;
	read = write_wr(a, b, 64, 4);
	read.op = KVERBS_OP_READ_WITH_INV;
	refused(l, call_post(&l->nl, &read, NULL), -EINVAL, "needs a registration",
		"a read that invalidates, without an mr");
	read.sge[0].mr = a->local_mr;
	write_all(l, a->local, 0);
	write_all(l, b->target, 'i');
	post(l, &read, "read with invalidate");
	wc = expect_wc(l, a->send_cq, 4, KVERBS_WC_OP_READ, 0, "a read that invalidates completes");
	result(wc.has_inv && wc.invalidate_rkey == key && wc.length == 64, "tells its own key");
	must(l, call_get(&l->nl, KV_MR, a->local_mr, &mr), "mr");
	result(!mr.registered && holds(l, a->local, 0, "iiiiiiii", 8),
	       "brings the bytes, and ends the registration");
	register_local(l, a, KVERBS_ACCESS_LOCAL_WRITE);
	must(l, call_mr_inv(&l->nl, a->local_mr, a->qp, NULL), "invalidate");
	must(l, call_mr_inv(&l->nl, b->target_mr, b->qp, NULL), "invalidate");
}

void test_invalidate(void)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end a, b;
	struct link l;

	link_open(&l);
	pair_make(&l, &a, &b, &init);
	test_told(&l, &a, &b);
	test_late(&l, &a, &b);
	test_again(&l, &a, &b);
	if (is_iwarp())
		test_read(&l, &a, &b);
	test_dropped(&l, &a, &b);
	test_unknown_key(&l, &a, &b);
	link_close(&l);
}
