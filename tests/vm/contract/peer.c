// SPDX-License-Identifier: MIT
/* A stream with a thousand requests outstanding loses its peer: one request says why, the others are flushed. */
#include <errno.h>
#include <unistd.h>
#include "contract.h"
#include "run.h"

#define DEPTH 1000
/* enum ib_wc_status */
#define WC_LOC_QP_OP_ERR 2
#define WC_WR_FLUSH_ERR 5
#define WC_RETRY_EXC_ERR 12

static const char *const contexts[] = {
	[KVERBS_CQ_POLLED] = "polled",
	[KVERBS_CQ_EVENT] = "event",
	[KVERBS_CQ_SOFTIRQ] = "softirq",
	[KVERBS_CQ_WORKQUEUE] = "workqueue",
	[KVERBS_CQ_UNBOUND_WORKQUEUE] = "unbound workqueue",
};

static void peer_goes_to_err(struct link *l, struct end *peer)
{
	must(l, modify(l, peer->qp, (struct kv_qp_attr){ .state = KVERBS_QPS_ERR }), "to ERR");
}

static void peer_is_destroyed(struct link *l, struct end *peer)
{
	end_disconnect(l, peer);
	must(l, call_del(&l->nl, KV_QP, peer->qp, NULL), "destroy");
}

/* siw has no retries, and refuses a post while its connection ends (siw_post_send()). */
static bool tells_why(const struct kv_worker_result *w)
{
	if (!is_iwarp())
		return w->error == -EIO && w->wc_status == WC_RETRY_EXC_ERR;
	return w->error == -ENOTCONN ||
	       (w->error == -EIO && (w->wc_status == WC_WR_FLUSH_ERR || w->wc_status == WC_LOC_QP_OP_ERR));
}

static void test_loss(struct link *l, uint32_t context, void (*lose)(struct link *, struct end *), const char *how)
{
	const struct end_init init = {
		.type = KVERBS_QPT_RC, .context = context, .max_send_wr = DEPTH, .cqe = DEPTH,
	};
	const struct kv_worker_result *w;
	struct kv_run_spec spec;
	struct end a, b;
	uint64_t before;
	struct kv_cq cq;
	uint32_t id;

	pair_make(l, &a, &b, &init);
	register_target(l, &b);
	spec = write_spec(&a, &b);
	spec.loop = KVERBS_LOOP_STREAM;
	spec.depth = DEPTH;
	spec.iters = 0;
	spec.time_ns = 600000000000ULL;
	must(l, call_run_start(&l->nl, &spec, &id), "start a stream");
	do {
		usleep(10000);
		w = run_look(l, id);
	} while (!w->samples && !w->error);
	before = w->samples;
	lose(l, &b);
	w = run_wait(l, id);
	result(tells_why(w), "%s: the peer's qp %s: the stream says why", contexts[context], how);
	result(w->samples >= before, "its samples until then stay");
	note("  error %d, status %u, %llu samples", w->error, w->wc_status, (unsigned long long)w->samples);
	must(l, call_run_del(&l->nl, id), "delete the run");
	result(state_of(l, a.qp) == KVERBS_QPS_ERR, "its qp is in ERR");
	end_disconnect(l, &a);
	done(l, modify(l, a.qp, (struct kv_qp_attr){ .state = KVERBS_QPS_RESET }), "all that was outstanding is flushed");
	must(l, call_get(&l->nl, KV_CQ, a.send_cq, &cq), "look at the cq");
	result(!cq.pending && nothing_comes(l, a.send_cq), "and nothing of it is left in the cq");
	done(l, call_del(&l->nl, KV_QP, a.qp, NULL), "the qp goes");
	done(l, call_del(&l->nl, KV_BUF, a.local, NULL), "and its buffer");
}

void test_peer(void)
{
	struct link l;

	link_open(&l);
	for (uint32_t context = 0; context <= KVERBS_CQ_MAX; context++) {
		test_loss(&l, context, peer_goes_to_err, "goes to ERR");
		test_loss(&l, context, peer_is_destroyed, "is destroyed");
	}
	link_close(&l);
}
