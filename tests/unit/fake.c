// SPDX-License-Identifier: MIT
#include <assert.h>
#include "loop_env.h"

/* The machinery behind tests/unit/loop_env.h. */

struct fake fake;

/* As with the channel of a device, an event that was not armed for never comes. */
static void make_event(struct kv_env_cq *cq)
{
	cq->event |= cq->armed;
	cq->armed = false;
}

/**
 * fake_complete() - add a completion to a CQ
 * @cq: the CQ; the test dies if it overruns
 * @wc: the completion
 */
void fake_complete(struct kv_env_cq *cq, struct fake_wc wc)
{
	assert(cq->used < FAKE_CQ_DEPTH);
	cq->wc[cq->used++] = wc;
	if (!wc.empty)
		make_event(cq);
}

static void complete_at(struct kv_end *e, struct kv_env_cq *cq, struct fake_wc wc)
{
	wc.end = e;
	fake_complete(cq, wc);
}

static void arrive(struct kv_end *to, struct kv_end *from)
{
	if (from->write) {
		/* Nobody may write before what was written has been seen. */
		assert(to->rx_tail == to->new_tail || !to->tail_empty);
		to->rx_tail = to->new_tail;
		to->new_tail = from->tx_tail;
		to->tail_empty = to->recv_empty;
	} else if (!to->arrived) {
		if (!to->recvs) {
			to->unready++;
			return;
		}
		to->recvs--;
		to->inv = from->invalidates;
		complete_at(to, kv_env_recv_cq(to), (struct fake_wc){ .empty = to->recv_empty });
	}
	if (to->arrived)
		to->arrived(to);
}

int kv_env_post_send(struct kv_end *e, int bh_disabled)
{
	unsigned int n = ++e->sends;

	fake.now += fake.post_ticks;
	e->bh_posts += !!bh_disabled;
	if (n == e->fail_send)
		return e->fail_ret;
	if (n == e->lost_send)
		return 0;
	if (n == e->bad_send) {
		while (e->flush && e->recvs) {
			e->recvs--;
			complete_at(e, kv_env_recv_cq(e), (struct fake_wc){ .status = 5, .vendor_err = 1 });
		}
		complete_at(e, kv_env_send_cq(e), e->bad);
		return 0;
	}
	if (!e->arrived)
		complete_at(e, kv_env_send_cq(e), (struct fake_wc){ .empty = e->send_empty });
	if (e->peer)
		arrive(e->peer, e);
	return 0;
}

int kv_env_post_quiet(struct kv_end *e, int bh_disabled)
{
	fake.now += fake.post_ticks;
	e->bh_posts += !!bh_disabled;
	return ++e->quiets == e->fail_quiet ? e->fail_ret : 0;
}

int kv_env_post_probe(struct kv_end *e)
{
	if (!e->probe)
		return -ENOSPC;
	fake_complete(&e->send_cq, *e->probe);
	return 0;
}

int kv_env_post_recv(struct kv_end *e)
{
	fake.now += fake.recv_ticks;
	if (++e->recvs_posted == e->fail_recv)
		return e->fail_ret;
	e->recvs++;
	return 0;
}

/* An SRQ is not modeled: its receives are those of the end that posts them. */
int kv_env_post_srq_recv(struct kv_end *e)
{
	e->srq_posts++;
	return kv_env_post_recv(e);
}

struct kv_env_cq *kv_env_send_cq(struct kv_end *e)
{
	if (e->one_send_cq)
		return e->one_send_cq;
	return e->one_cq ? e->one_cq : &e->send_cq;
}

struct kv_env_cq *kv_env_recv_cq(struct kv_end *e)
{
	return e->one_cq ? e->one_cq : &e->recv_cq;
}

static int poll_one(struct kv_loop *l, struct kv_env_cq *cq, const struct kv_end **end)
{
	struct fake_wc wc;

	fake.now += fake.poll_ticks;
	if (cq->broken)
		return -EIO;
	if (!cq->used)
		return 0;
	if (cq->wc[0].empty) {
		cq->wc[0].empty--;
		return 0;
	}
	wc = cq->wc[0];
	memmove(&cq->wc[0], &cq->wc[1], --cq->used * sizeof(wc));
	*end = wc.end;
	if (!wc.status)
		return 1;
	l->wc_status = wc.status;
	l->vendor_err = wc.vendor_err;
	return -EIO;
}

int kv_env_poll(struct kv_loop *l, struct kv_env_cq *cq)
{
	const struct kv_end *end;

	return poll_one(l, cq, &end);
}

/* The completion of an end that has no flow is dropped. */
int kv_env_poll_flow(struct kv_loop *l, struct kv_env_cq *cq, struct kv_flow **flow)
{
	const struct kv_end *end;
	int ret = poll_one(l, cq, &end);

	if (ret != 1 && !l->wc_status)
		return ret;
	for (__u32 i = 0; i < l->flows; i++) {
		if (l->flow[i].end != end)
			continue;
		*flow = &l->flow[i];
		return ret;
	}
	return 0;
}

static __u32 next_key(__u32 key)
{
	return (key & ~0xffU) | (__u8)(key + 1);
}

void kv_env_register_next(struct kv_end *e)
{
	e->key = next_key(e->key);
}

void kv_env_sink_next(struct kv_end *e)
{
	e->sinks++;
}

int kv_env_poll_inv(struct kv_loop *l, struct kv_end *e)
{
	e->wc_inv = e->inv;
	return kv_env_poll(l, kv_env_recv_cq(e));
}

int kv_env_invalidated(const struct kv_end *e)
{
	return e->wc_inv == e->key;
}

void kv_env_invalidate_next(struct kv_end *e)
{
	e->invalidates = next_key(e->invalidates);
}

int kv_env_arm(struct kv_end *e)
{
	if (++e->arms == e->fail_arm)
		return e->fail_ret;
	e->send_cq.armed = true;
	return 0;
}

int kv_env_sleep(struct kv_loop *l)
{
	struct kv_env_cq *cq = &l->a->send_cq;

	if (cq->event) {
		cq->event = false;
		return 1;
	}
	if (cq->used && cq->wc[0].empty && !--cq->wc[0].empty)
		make_event(cq);
	fake.now += fake.sleep_ticks;
	if (fake.sleep)
		fake.sleep();
	return 0;
}

void kv_env_ack(struct kv_end *e)
{
	e->acked++;
}

__u8 kv_env_rx_tail(struct kv_end *e)
{
	fake.now += fake.tail_ticks;
	if (e->tail_empty)
		e->tail_empty--;
	else
		e->rx_tail = e->new_tail;
	return e->rx_tail;
}

__u8 *kv_env_tx_tail(struct kv_end *e)
{
	return &e->tx_tail;
}

struct kv_credit *kv_env_credit(struct kv_end *e)
{
	return &e->credit;
}

int kv_env_stop(struct kv_loop *l)
{
	return l->stop;
}

__u64 kv_env_now(void)
{
	__u64 now = fake.now;

	fake.now += fake.now_ticks;
	fake.reads++;
	if (fake.reads >= fake.behind_from && fake.reads <= fake.behind_to)
		return now - fake.behind;
	return now;
}

void kv_env_relax(void)
{
	fake.now += fake.relax_ticks;
	fake.relaxed++;
	if (fake.relax)
		fake.relax();
}

void kv_env_yield(void)
{
	fake.now += fake.yield_ticks;
	fake.gone++;
	if (fake.yield)
		fake.yield();
}

void kv_env_cond_resched(struct kv_loop *l)
{
	fake.now += fake.resched_ticks;
	fake.rescheds++;
	if (fake.resched)
		fake.resched();
}
