// SPDX-License-Identifier: MIT
/*
 * A peer that knows every address and every key: it reaches the bytes that were
 * registered for it, and no other, and is told what the IBTA says (9.7.4, 9.7.5.2).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"

#define WC_REM_INV_REQ_ERR 9
#define WC_REM_ACCESS_ERR 10

/* The registered bytes: an atomic operation can begin in them and end beyond. */
#define OFFSET 1024
#define WINDOW 60

enum buffer { TARGET, PRIVATE, READABLE, FOREIGN, BUFFERS };

/**
 * struct victim - who is attacked; each of its buffers has LENGTH bytes
 * @pd: the PD that the peer's requests come to
 * @cq: of its QPs
 * @keeper: a QP of @pd that carries registrations
 * @foreign_keeper: ditto, of the pd of FOREIGN
 * @buf: ids. TARGET is registered for all, from OFFSET on; PRIVATE wholly, but not for
 *	peers; READABLE wholly, for READs; FOREIGN wholly, for all, in another pd
 * @mr: their MRs
 * @reg: their registrations
 * @holds: their expected content
 */
struct victim {
	uint32_t pd;
	uint32_t cq;
	uint32_t keeper;
	uint32_t foreign_keeper;
	uint32_t buf[BUFFERS];
	uint32_t mr[BUFFERS];
	struct kv_mr reg[BUFFERS];
	char holds[BUFFERS][LENGTH];
};

/**
 * struct attacker - who attacks
 * @pd: its own
 * @cq: of its QPs
 * @buf: the buffer that it sends from and reads into
 * @mr: iWARP: registered over it
 * @own: the present QP
 * @peer: the victim's that it is connected to
 */
struct attacker {
	uint32_t pd;
	uint32_t cq;
	uint32_t buf;
	uint32_t mr;
	struct end own;
	struct end peer;
};

static struct victim v;
static struct attacker attacker;

static struct kv_qp make_qp(struct link *l, uint32_t pd, uint32_t cq)
{
	struct kv_qp_init init = {
		.type = KVERBS_QPT_RC,
		.pd = pd,
		.send_cq = cq,
		.recv_cq = cq,
		.max_send_wr = 2,
		.max_recv_wr = 2,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct kv_qp qp;

	must(l, call_qp_new(&l->nl, &init, &qp, NULL), "qp");
	return qp;
}

/* Two new ones; @access: the rights that the victim's grants to peers. */
static void connect_anew(struct link *l, uint32_t access)
{
	struct kv_qp a, b;

	if (attacker.own.qp) {
		end_disconnect(l, &attacker.own);
		end_disconnect(l, &attacker.peer);
		must(l, call_del(&l->nl, KV_QP, attacker.own.qp, NULL), "delete");
		must(l, call_del(&l->nl, KV_QP, attacker.peer.qp, NULL), "delete");
	}
	a = make_qp(l, attacker.pd, attacker.cq);
	b = make_qp(l, v.pd, v.cq);
	attacker.own = (struct end){ .qp = a.id, .qpn = a.qpn };
	attacker.peer = (struct end){ .qp = b.id, .qpn = b.qpn };
	pair_connect(l, &attacker.own, 0, &attacker.peer, access);
}

static void put(struct link *l, uint32_t buf, const char *data)
{
	must(l, call_buf_write(&l->nl, buf, 0, data, LENGTH), "fill a buffer");
}

static void reg(struct link *l, enum buffer which, uint32_t qp, uint32_t access,
		uint64_t offset, uint64_t length)
{
	struct kv_mr_reg how = {
		.buf = v.buf[which], .qp = qp, .access = access, .offset = offset, .length = length,
	};

	must(l, call_mr_reg(&l->nl, v.mr[which], &how, &v.reg[which], NULL), "register");
}

static void victim_make(struct link *l)
{
	uint32_t foreign = make_pd(l);
	unsigned int i, n;

	memset(&v, 0, sizeof(v));
	memset(&attacker, 0, sizeof(attacker));
	v.pd = make_pd(l);
	v.cq = make_cq(l, 64, KVERBS_CQ_POLLED);
	v.keeper = make_rc_qp(l, v.pd);
	v.foreign_keeper = make_rc_qp(l, foreign);
	for (i = 0; i < BUFFERS; i++) {
		v.buf[i] = make_buf(l, LENGTH);
		v.mr[i] = make_mr(l, i == FOREIGN ? foreign : v.pd);
		for (n = 0; n < LENGTH; n++)
			v.holds[i][n] = (char)(n * 13 + i * 64 + 1);
		put(l, v.buf[i], v.holds[i]);
	}
	reg(l, TARGET, v.keeper, all_access(), OFFSET, WINDOW);
	reg(l, PRIVATE, v.keeper, KVERBS_ACCESS_LOCAL_WRITE, 0, LENGTH);
	reg(l, READABLE, v.keeper, KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_READ, 0,
	    LENGTH);
	reg(l, FOREIGN, v.foreign_keeper, all_access(), 0, LENGTH);
	attacker.pd = make_pd(l);
	attacker.cq = make_cq(l, 64, KVERBS_CQ_POLLED);
	attacker.buf = make_buf(l, LENGTH);
	connect_anew(l, all_access());
	if (!is_iwarp())
		return;
	/* For the answers of READs. */
	attacker.mr = make_mr(l, attacker.pd);
	must(l, call_mr_reg(&l->nl, attacker.mr, &(struct kv_mr_reg){
		     .buf = attacker.buf, .qp = make_rc_qp(l, attacker.pd),
		     .access = KVERBS_ACCESS_LOCAL_WRITE, .length = LENGTH,
	     }, NULL, NULL), "register");
}

/**
 * struct attack - one request
 * @op: enum kverbs_op
 * @addr: remote address
 * @key: remote key
 * @length: bytes
 */
struct attack {
	uint32_t op;
	uint64_t addr;
	uint32_t key;
	uint32_t length;
};

/* WRITEs come with an immediate: each takes a receive of the victim's. */
static bool with_imm;

/*
 * The result of a request of iWARP's: a WRITE completes when TCP has it, and a peer that refuses
 * something ends the connection, which is answered as 10; in a READ of no bytes it looks at nothing.
 */
static int iwarp_status(struct link *l, const struct kv_wc *wc, bool ends)
{
	struct limit limit = limit_of(10);

	if (!ends)
		return (int)wc->status;
	while (state_of(l, attacker.peer.qp) != KVERBS_QPS_ERR && !limit_over(&limit))
		usleep(1000);
	return state_of(l, attacker.peer.qp) == KVERBS_QPS_ERR ? WC_REM_ACCESS_ERR : -1;
}

/* The status, or -1 if nothing comes of it. */
static int attack(struct link *l, const struct attack *what, bool ends)
{
	struct wr wr = recv_wr(attacker.own.qp, attacker.buf, what->length, 1);
	struct wr recv = { .qp = attacker.peer.qp, .op = KVERBS_OP_RECV };
	static char bytes[LENGTH];
	struct kv_wc wc;

	if (with_imm)
		post(l, &recv, "a receive for the immediate");
	/* Which is nowhere in the victim's buffers at the same place. */
	memset(bytes, 0xee, sizeof(bytes));
	put(l, attacker.buf, bytes);
	wr.op = with_imm ? KVERBS_OP_WRITE_WITH_IMM : what->op;
	wr.has_remote = true;
	wr.remote_addr = what->addr;
	wr.remote_key = what->key;
	if (what->op == KVERBS_OP_FETCH_ADD || what->op == KVERBS_OP_CMP_SWP)
		wr.compare_add = 0x0101010101010101;
	if (what->op == KVERBS_OP_CMP_SWP)
		wr.swap = 0x0202020202020202;
	wr.sges = what->length ? 1 : 0;
	if (is_iwarp() && what->op == KVERBS_OP_READ)
		wr.sge[0].mr = attacker.mr;
	wr.has_imm = with_imm;
	post(l, &wr, "attack");
	if (!poll_one(l, attacker.cq, &wc))
		return -1;
	return is_iwarp() ? iwarp_status(l, &wc, ends) : (int)wc.status;
}

/* Nothing of the victim's has changed, and nothing of it has come. */
static bool unharmed(struct link *l, const char *name)
{
	static char got[LENGTH], ours[LENGTH];
	unsigned int i;
	bool good;

	memset(ours, 0xee, sizeof(ours));
	must(l, call_buf_read(&l->nl, attacker.buf, 0, got, LENGTH), "read");
	good = !memcmp(got, ours, LENGTH);
	if (!good)
		note("  %s: the attacker has read something", name);
	for (i = 0; i < BUFFERS; i++)
		if (!holds(l, v.buf[i], 0, v.holds[i], LENGTH)) {
			note("  %s: buffer %u has changed", name, i);
			good = false;
		}
	return good;
}

/* Refused like this, without harm; by new QPs each time. */
static bool repelled(struct link *l, const struct attack *what, int status, const char *name)
{
	int got = attack(l, what, status);
	bool good = unharmed(l, name) && got == status;

	if (got != status)
		note("  %s: status %d, want %d", name, got, status);
	if (got || with_imm)
		connect_anew(l, all_access());
	return good;
}

static const char *const op_names[] = {
	[KVERBS_OP_WRITE] = "write",
	[KVERBS_OP_READ] = "read",
	[KVERBS_OP_FETCH_ADD] = "fetch-add",
	[KVERBS_OP_CMP_SWP] = "cmp-swp",
};

static void check_repelled(struct link *l, struct attack what, int status, const char *name)
{
	char full[96];

	snprintf(full, sizeof(full), "%s%s: %s", op_names[what.op],
		 with_imm ? " with immediate" : "", name);
	result(repelled(l, &what, status, full), "%s", full);
}

static void test_borders(struct link *l)
{
	const uint64_t start = v.reg[TARGET].iova;
	const uint32_t key = v.reg[TARGET].rkey;
	const struct {
		const char *name;
		uint64_t addr;
		uint32_t length;
	} bad[] = {
		{ "one byte before", start - 1, 1 },
		{ "from one byte before on", start - 1, 2 },
		{ "from one byte before to the end", start - 1, WINDOW + 1 },
		{ "one byte beyond", start + WINDOW, 1 },
		{ "the last byte and one beyond", start + WINDOW - 1, 2 },
		{ "all and one byte beyond", start, WINDOW + 1 },
		{ "all and both neighbours", start - 1, WINDOW + 2 },
		{ "many packets, the first one inside", start, LENGTH - OFFSET },
		{ "the beginning of the buffer", start - OFFSET, 8 },
		{ "the end of the buffer", start - OFFSET + LENGTH - 8, 8 },
		{ "address 0", 0, 8 },
		{ "the first byte of all addresses", 0, 1 },
		{ "the last byte of all addresses", ~0ULL, 1 },
		{ "around the end of all addresses", ~0ULL - 3, 8 },
		{ "so far below that it wraps", start - (1ULL << 63), 8 },
		{ "4 GiB beyond", start + (1ULL << 32), 8 },
	};
	static const uint32_t ops[] = { KVERBS_OP_WRITE, KVERBS_OP_READ };
	unsigned int i, o;

	for (o = 0; o < COUNT(ops); o++)
		for (i = 0; i < COUNT(bad); i++)
			check_repelled(l, (struct attack){ ops[o], bad[i].addr, key,
							   bad[i].length },
				       WC_REM_ACCESS_ERR, bad[i].name);
	if (lacks("writes with immediate", "immediate data"))
		return;
	with_imm = true;
	for (i = 0; i < COUNT(bad); i++)
		check_repelled(l, (struct attack){ KVERBS_OP_WRITE, bad[i].addr, key,
						   bad[i].length },
			       WC_REM_ACCESS_ERR, bad[i].name);
	with_imm = false;
}

static void test_atomic_borders(struct link *l)
{
	const uint64_t start = v.reg[TARGET].iova;
	const uint32_t key = v.reg[TARGET].rkey;
	static const uint32_t ops[] = { KVERBS_OP_FETCH_ADD, KVERBS_OP_CMP_SWP };
	unsigned int o;

	if (!(caps.caps & KVERBS_CAP_ATOMIC)) {
		skip("atomic operations at the borders", "the device has none");
		return;
	}
	for (o = 0; o < COUNT(ops); o++) {
		check_repelled(l, (struct attack){ ops[o], start - 8, key, 8 },
			       WC_REM_ACCESS_ERR, "before");
		check_repelled(l, (struct attack){ ops[o], start + WINDOW - 4, key, 8 },
			       WC_REM_ACCESS_ERR, "half inside");
		check_repelled(l, (struct attack){ ops[o], start + WINDOW + 4, key, 8 },
			       WC_REM_ACCESS_ERR, "beyond");
		check_repelled(l, (struct attack){ ops[o], ~0ULL - 7, key, 8 },
			       WC_REM_ACCESS_ERR, "the last of all addresses");
	}
}

/* Accesses that are granted work: else the refusals would prove nothing. */
static void test_granted(struct link *l)
{
	struct attack what = { KVERBS_OP_WRITE, v.reg[TARGET].iova, v.reg[TARGET].rkey, WINDOW };
	static char got[LENGTH];

	result(!attack(l, &what, false), "what is registered is written");
	memset(v.holds[TARGET] + OFFSET, 0xee, WINDOW);
	result(unharmed(l, "write"), "all of it, and nothing else");
	what.op = KVERBS_OP_READ;
	result(!attack(l, &what, false), "and read");
	what.addr += WINDOW - 1;
	what.length = 1;
	result(!attack(l, &what, false), "down to its last byte");
	what = (struct attack){ KVERBS_OP_READ, v.reg[READABLE].iova, v.reg[READABLE].rkey,
				LENGTH };
	result(!attack(l, &what, false), "a whole buffer, too");
	must(l, call_buf_read(&l->nl, attacker.buf, 0, got, LENGTH), "read");
	result(!memcmp(got, v.holds[READABLE], LENGTH), "it is what is in it");
	if (!(caps.caps & KVERBS_CAP_ATOMIC))
		return;
	what = (struct attack){ KVERBS_OP_FETCH_ADD, v.reg[TARGET].iova + 48,
				v.reg[TARGET].rkey, 8 };
	result(!attack(l, &what, false), "the last whole word takes atomics");
	memset(v.holds[TARGET] + OFFSET + 48, 0xef, 8);
	result(holds(l, v.buf[TARGET], 0, v.holds[TARGET], LENGTH), "and none beside it changes");
}

/* A message of no bytes names none: its address and its key are not looked at (C9-88). */
static void test_nothing(struct link *l)
{
	static const uint32_t ops[] = { KVERBS_OP_WRITE, KVERBS_OP_READ };
	unsigned int o;

	for (o = 0; o < COUNT(ops); o++) {
		if (ops[o] == KVERBS_OP_READ && lacks("read: no bytes", "read into no piece"))
			break;
		check_repelled(l, (struct attack){ ops[o], v.reg[TARGET].iova - 1,
						   v.reg[TARGET].rkey, 0 }, 0, "no bytes, beside");
		check_repelled(l, (struct attack){ ops[o], ~0ULL, 0xffffffff, 0 }, 0,
			       "no bytes, by no key");
	}
}

/* Every number that could be a key of the target, and those of its neighbours. */
static void test_keys(struct link *l)
{
	const uint32_t key = v.reg[TARGET].rkey;
	struct attack what = { KVERBS_OP_WRITE, v.reg[TARGET].iova, 0, 8 };
	unsigned int i, step = is_watched() ? 127 : is_iwarp() ? 16 : 1, good = 0;

	for (i = 1; i < 256; i += step) {
		what.key = (key & ~0xffU) | ((key + i) & 0xff);
		good += repelled(l, &what, WC_REM_ACCESS_ERR, "another variant of the key");
	}
	result(good == 254 / step + 1, "none of the other variants of a key works");
	note("  %u of 255 were refused", good);
	what.key = 0;
	check_repelled(l, what, WC_REM_ACCESS_ERR, "key 0");
	what.key = ~0U;
	check_repelled(l, what, WC_REM_ACCESS_ERR, "key 0xffffffff");
	what.key = key + 256;
	check_repelled(l, what, WC_REM_ACCESS_ERR, "the next index");
	what.key = key - 256;
	check_repelled(l, what, WC_REM_ACCESS_ERR, "the index before");
	what.key = key ^ 0x80000000;
	check_repelled(l, what, WC_REM_ACCESS_ERR, "an index far away");
}

/* Keys that are somebody's, but not for this. */
static void test_others(struct link *l)
{
	static const uint32_t ops[] = {
		KVERBS_OP_WRITE, KVERBS_OP_READ, KVERBS_OP_FETCH_ADD,
	};
	unsigned int o, n = caps.caps & KVERBS_CAP_ATOMIC ? 3 : 2;
	struct kv_pd pd;

	must(l, call_get(&l->nl, KV_PD, v.pd, &pd), "pd");
	for (o = 0; o < n; o++) {
		struct attack what = { ops[o], 0, pd.local_dma_lkey, 8 };

		what.addr = v.reg[PRIVATE].iova;
		/* siw answers a READ by that key, of any address of the kernel's: here with an oops. */
		if (ops[o] != KVERBS_OP_READ ||
		    !lacks("read: by the pd's local_dma_lkey", "check of the right to read"))
			check_repelled(l, what, WC_REM_ACCESS_ERR, "by the pd's local_dma_lkey");
		what.key = v.reg[PRIVATE].lkey;
		/*
		 * siw answers a READ of whatever is registered (siw_qp_sq_proc_tx()), and what may be the
		 * sink of a READ may be written (mr_sink_access()).
		 */
		if (!lacks("by an lkey that has no rkey", "right of its own for what is not for peers"))
			check_repelled(l, what, WC_REM_ACCESS_ERR, "by an lkey that has no rkey");
		what = (struct attack){ ops[o], v.reg[FOREIGN].iova, v.reg[FOREIGN].rkey, 8 };
		check_repelled(l, what, WC_REM_ACCESS_ERR, "an mr of another pd");
		what.key = v.reg[TARGET].rkey;
		check_repelled(l, what, WC_REM_ACCESS_ERR, "another mr's address by this mr's key");
		if (ops[o] == KVERBS_OP_READ ||
		    lacks("an mr that grants READ only", "right of its own for what is not for peers"))
			continue;
		what = (struct attack){ ops[o], v.reg[READABLE].iova, v.reg[READABLE].rkey, 8 };
		check_repelled(l, what, WC_REM_ACCESS_ERR, "an mr that grants READ only");
	}
}

/* A QP that does not let peers do it, whatever the MR says. */
static void test_qp_access(struct link *l)
{
	static const struct {
		uint32_t op;
		uint32_t allowed;
	} bad[] = {
		{ KVERBS_OP_WRITE, KVERBS_ACCESS_REMOTE_READ | KVERBS_ACCESS_REMOTE_ATOMIC },
		{ KVERBS_OP_READ, KVERBS_ACCESS_REMOTE_WRITE | KVERBS_ACCESS_REMOTE_ATOMIC },
		{ KVERBS_OP_FETCH_ADD, KVERBS_ACCESS_REMOTE_WRITE | KVERBS_ACCESS_REMOTE_READ },
		{ KVERBS_OP_WRITE, 0 },
		{ KVERBS_OP_READ, 0 },
		{ KVERBS_OP_FETCH_ADD, 0 },
	};
	char name[64];
	unsigned int i;

	for (i = 0; i < COUNT(bad); i++) {
		struct attack what = { bad[i].op, v.reg[TARGET].iova, v.reg[TARGET].rkey, 8 };

		snprintf(name, sizeof(name), "a qp with access 0x%x", bad[i].allowed);
		connect_anew(l, bad[i].allowed);
		check_repelled(l, what, WC_REM_INV_REQ_ERR, name);
	}
}

/* Each key is good for one registration, and for its bytes. */
static void test_old_keys(struct link *l)
{
	struct attack what = { KVERBS_OP_WRITE, v.reg[TARGET].iova, v.reg[TARGET].rkey, 8 };

	must(l, call_mr_inv(&l->nl, v.mr[TARGET], v.keeper, NULL), "invalidate");
	check_repelled(l, what, WC_REM_ACCESS_ERR, "an mr that was invalidated");
	what.op = KVERBS_OP_READ;
	check_repelled(l, what, WC_REM_ACCESS_ERR, "an mr that was invalidated");
	reg(l, TARGET, v.keeper, all_access(), 4 * OFFSET, WINDOW);
	check_repelled(l, what, WC_REM_ACCESS_ERR, "the key and the bytes of before");
	what.addr = v.reg[TARGET].iova;
	check_repelled(l, what, WC_REM_ACCESS_ERR, "the key of before");
	what.addr -= 3 * OFFSET;
	what.key = v.reg[TARGET].rkey;
	check_repelled(l, what, WC_REM_ACCESS_ERR, "the bytes of before");
	if (lacks("a registration that is not for peers", "right of its own for what is not for peers"))
		return;
	must(l, call_mr_inv(&l->nl, v.mr[TARGET], v.keeper, NULL), "invalidate");
	reg(l, TARGET, v.keeper, KVERBS_ACCESS_LOCAL_WRITE, 0, LENGTH);
	what.addr = v.reg[TARGET].iova;
	what.key = v.reg[TARGET].lkey;
	check_repelled(l, what, WC_REM_ACCESS_ERR, "a registration that is not for peers");
}

/* Freed memory has another owner, whose bytes must not be reached by the key. */
static void test_freed(struct link *l)
{
	struct attack what = { KVERBS_OP_WRITE, v.reg[READABLE].iova, v.reg[READABLE].rkey, 8 };

	must(l, call_del(&l->nl, KV_MR, v.mr[READABLE], NULL), "delete");
	must(l, call_del(&l->nl, KV_BUF, v.buf[READABLE], NULL), "delete");
	v.buf[READABLE] = make_buf(l, LENGTH);
	v.mr[READABLE] = make_mr(l, v.pd);
	put(l, v.buf[READABLE], v.holds[READABLE]);
	check_repelled(l, what, WC_REM_ACCESS_ERR, "an mr that is gone");
	what.op = KVERBS_OP_READ;
	check_repelled(l, what, WC_REM_ACCESS_ERR, "an mr that is gone");
	reg(l, READABLE, v.keeper, all_access(), 0, LENGTH);
	result(v.reg[READABLE].rkey != what.key, "another mr has another key");
	what.addr = v.reg[READABLE].iova;
	check_repelled(l, what, WC_REM_ACCESS_ERR, "its successor by its key");
}

void test_hostile(void)
{
	double start = seconds();
	struct link l;

	link_open(&l);
	victim_make(&l);
	test_granted(&l);
	test_borders(&l);
	test_atomic_borders(&l);
	test_nothing(&l);
	test_keys(&l);
	test_others(&l);
	if (!lacks("a qp that does not let peers do it", "access of a qp"))
		test_qp_access(&l);
	test_old_keys(&l);
	test_freed(&l);
	note("%.1f s", seconds() - start);
	link_close(&l);
}
