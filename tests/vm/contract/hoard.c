// SPDX-License-Identifier: MIT
/*
 * Large objects again and again, in a guest with little memory: a limit is met
 * before the memory is gone. tests/memory.sh reads the kernel's messages about it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "contract.h"

/* More than any guest has memory for. */
#define MOST 20000

/* Of a queue, if the device takes as much: rxe's largest would be refused at once. */
#define DEPTH 16384

/**
 * struct hoard - what each of them is made of
 * @l: the connection
 * @pd: of all
 * @cq: of QPs
 */
struct hoard {
	struct link l;
	uint32_t pd;
	uint32_t cq;
};

static uint32_t depth(uint32_t max)
{
	return max < DEPTH ? max : DEPTH;
}

static int new_cq(struct hoard *h)
{
	struct kv_cq_init init = { .dev = dev, .cqe = caps.max_cqe };

	return call_new(&h->l.nl, KV_CQ, &init, NULL, NULL);
}

static int new_srq(struct hoard *h)
{
	struct kv_srq_init init = { .pd = h->pd, .max_wr = depth(caps.max_srq_wr), .max_sge = 1 };

	return call_new(&h->l.nl, KV_SRQ, &init, NULL, NULL);
}

static int new_qp(struct hoard *h)
{
	struct kv_qp_init init = {
		.pd = h->pd,
		.type = KVERBS_QPT_RC,
		.send_cq = h->cq,
		.recv_cq = h->cq,
		.max_send_wr = depth(caps.max_qp_wr),
		.max_recv_wr = depth(caps.max_qp_wr),
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct kv_qp qp;

	return call_qp_new(&h->l.nl, &init, &qp, NULL);
}

static int new_buf(struct hoard *h)
{
	struct kv_buf_init init = { .dev = dev, .length = KVERBS_PIECE_MAX };

	return call_new(&h->l.nl, KV_BUF, &init, NULL, NULL);
}

static const struct {
	const char *name;
	int (*make)(struct hoard *h);
} kinds[] = {
	{ "cqs", new_cq },
	{ "srqs", new_srq },
	{ "qps", new_qp },
	{ "buffers", new_buf },
};

void test_hoard(void)
{
	unsigned int i, n;
	struct hoard h;
	int ret;

	for (i = 0; i < COUNT(kinds); i++) {
		link_open(&h.l);
		h.pd = make_pd(&h.l);
		h.cq = make_cq(&h.l, 8, KVERBS_CQ_POLLED);
		for (n = 0, ret = 0; !ret && n < MOST; n++)
			ret = kinds[i].make(&h);
		result((ret == -EDQUOT || ret == -ENOMEM) &&
		       (strstr(h.l.nl.base.err, "memory") || strstr(h.l.nl.base.err, "bytes")),
		       "large %s: at some time one is refused, for want of memory",
		       kinds[i].name);
		note("  after %u: %d \"%s\"", n - 1, ret, h.l.nl.base.err);
		result(!system("exec true"), "a program can be started then");
		link_close(&h.l);
	}
}
