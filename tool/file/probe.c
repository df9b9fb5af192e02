// SPDX-License-Identifier: MIT
#include <errno.h>
#include "cli/interrupt.h"
#include "file/transfer.h"
#include "sys/now.h"

/* Longer than the retries of an endpoint's QP take. */
#define PROBE_NS 30000000000ULL
#define LOOK_NS 10000000

/* A wr_id that no request of a run has, and no piece of a file. */
#define PROBE_ID UINT64_MAX

/* Is it the error of a TCP connection whose other host is gone? */
static bool is_loss(int error)
{
	switch (error) {
	case -ETIMEDOUT:
	case -ECONNRESET:
	case -ECONNABORTED:
	case -ENOTCONN:
	case -EPIPE:
	case -EHOSTUNREACH:
	case -ENETUNREACH:
		return true;
	}
	return false;
}

/* Polls until the probe completes, or any request with an error: the first one. Ctrl-C ends it. */
static bool await(struct kv_backend *b, uint32_t cq, struct kv_wc *wc)
{
	uint64_t end = kv_now_ns() + PROBE_NS;
	struct kv_polled polled;

	do {
		if (kv_op_cq_poll(b, &(struct kv_cq_poll){ cq, 1 }, &polled, NULL))
			return false;
		*wc = polled.wc[0];
		if (polled.n && (wc->status || wc->wr_id == PROBE_ID))
			return true;
		if (!polled.n)
			kv_sleep_ns(LOOK_NS);
	} while (!kv_interrupt_seen() && kv_now_ns() < end);
	return false;
}

/**
 * kv_probe_explain() - ask the QP why the other host does not answer
 * @end: the end that asks; nothing is done if this end is of another host
 * @f: why a run or a transfer ended; if a connection was lost, receives the status of a WRITE of
 *	0 bytes, which touches no memory and needs no key (IBTA 9.7.4.1.3)
 *
 * An end that only waits has no request outstanding that could fail.
 */
void kv_probe_explain(const struct kv_pair *p, unsigned int end, struct kv_fault *f)
{
	struct kv_backend *b = p->end[end].site->b;
	const struct kv_wr wr = {
		.op = KVERBS_OP_WRITE,
		.wr_id = PROBE_ID,
		.has_remote = true,
	};
	const struct kv_fault told = *f;
	struct kv_wc wc;

	if (p->end[end].site->host || !p->end[!end].site->host || !is_loss(f->error) ||
	    kv_site_post(p->end[end].site, p->end[end].qp, &wr) ||
	    !await(b, p->end[end].send_cq, &wc))
		return;
	kv_fault_set(f, told.error, "%.700s; a WRITE of no bytes to its QP completed with status %u (%s)",
		     told.text, wc.status, kv_enum_name(kv_enum_wc_status, wc.status));
}
