// SPDX-License-Identifier: MIT
/*
 * Piece n goes through slot n modulo depth of both ends' buffers, by a WRITE whose immediate data
 * is n. The receive's completion promises that the bytes are in the receiver's memory; the sender's
 * completion says that the sender's slot is free. A slot is used again when both completions were
 * seen and the piece is in the file, so receives never run out.
 */
#include <errno.h>
#include <inttypes.h>
#include "cli/interrupt.h"
#include "file/transfer.h"
#include "sys/now.h"

#define SENDER 0
#define RECEIVER 1

/* The pause between polls doubles as long as nothing completes. */
#define IDLE_MIN_NS 20000
#define IDLE_MAX_NS 2000000

/* After this time the other host's end is asked although nothing is due, as it may have failed. */
#define ASK_NS 50000000

/* A file on its way, in pieces; a few pieces are under way at a time. */
struct kv_flow {
	struct kv_transfer *t;
	struct kv_pair *pair; /* from the first end to the second */
	uint64_t posted; /* number of posted WRITEs */
	uint64_t sent; /* WRITEs that completed at the sender */
	uint64_t landed; /* WRITEs that completed at the receiver */
	uint64_t saved; /* pieces that are in the received file */
};

static uint64_t offset_of(const struct kv_flow *w, uint64_t n)
{
	return n * w->t->piece;
}

static uint32_t length_of(const struct kv_flow *w, uint64_t n)
{
	uint64_t left = w->t->length - offset_of(w, n);

	return left < w->t->piece ? (uint32_t)left : w->t->piece;
}

static uint64_t slot_of(const struct kv_flow *w, uint64_t n)
{
	return n % w->t->depth * w->t->piece;
}

/* The place of piece n in the buffer of its end, and in the file. */
static struct kv_file_piece piece_of(const struct kv_flow *w, const struct kv_buffer *buffer,
				     uint64_t n)
{
	return (struct kv_file_piece){
		.buf = buffer->buf,
		.buf_offset = slot_of(w, n),
		.offset = offset_of(w, n),
		.length = length_of(w, n),
	};
}

static int post(struct kv_flow *w, unsigned int end, const struct kv_wr *wr, const char *what,
		struct kv_fault *f)
{
	const struct kv_endpoint *e = &w->pair->end[end];
	int ret = kv_site_post(e->site, e->qp, wr);

	return ret ? kv_fault_backend(f, e->site->b, ret, "cannot post a %s", what) : 0;
}

static int post_receive(struct kv_flow *w, uint64_t n, struct kv_fault *f)
{
	const struct kv_wr wr = {
		.op = KVERBS_OP_RECV,
		.wr_id = n,
	};

	return post(w, RECEIVER, &wr, "receive", f);
}

static int post_piece(struct kv_flow *w, uint64_t n, struct kv_fault *f)
{
	const struct kv_file_piece piece = piece_of(w, &w->pair->local[SENDER], n);
	struct kv_run_end end;
	struct kv_wr wr = {
		.op = KVERBS_OP_WRITE_WITH_IMM,
		.wr_id = n,
		.has_imm = true,
		.imm = (uint32_t)n,
		.sges = 1,
		.has_remote = true,
	};
	int ret = kv_file_load(w->t->file[SENDER], &piece, NULL, f);

	if (ret)
		return ret;
	kv_pair_fill(w->pair, SENDER, &end);
	wr.sge[0].buf = piece.buf;
	wr.sge[0].offset = piece.buf_offset;
	wr.sge[0].length = piece.length;
	wr.sge[0].mr = end.local_mr;
	wr.remote_addr = end.remote_addr + piece.buf_offset;
	wr.remote_key = end.remote_key;
	return post(w, SENDER, &wr, "WRITE", f);
}

static int save_piece(struct kv_flow *w, uint64_t n, struct kv_fault *f)
{
	const struct kv_file_piece piece = piece_of(w, &w->pair->target[RECEIVER], n);

	return kv_file_save(w->t->file[RECEIVER], &piece, NULL, f);
}

static int check_status(const struct kv_flow *w, unsigned int end,
			const struct kv_wc *wc, struct kv_fault *f)
{
	const struct kv_site *site = w->pair->end[end].site;

	if (!wc->status)
		return 0;
	return kv_fault_set(f, -EIO,
			    "%s space%s%s, %s: the %s of piece %" PRIu64 " of %" PRIu64 " completed with status %u (%s), vendor error 0x%x",
			    site->b->ops->space, site->host ? " of " : "",
			    site->host ? site->host : "", site->dev.name,
			    end == SENDER ? "WRITE" : "receive", wc->wr_id + 1,
			    w->t->pieces, wc->status, kv_enum_name(kv_enum_wc_status, wc->status),
			    wc->vendor_err);
}

/* The completion must be that of the next piece, as far as the backend tells. */
static int check_landed(const struct kv_flow *w, const struct kv_wc *wc, struct kv_fault *f)
{
	uint64_t n = w->landed;

	if (wc->op == KVERBS_WC_OP_RECV_WRITE_WITH_IMM && wc->has_imm &&
	    wc->imm == (uint32_t)n && n < w->posted &&
	    (!wc->has_length || wc->length == length_of(w, n)))
		return 0;
	if (n && wc->has_imm && wc->imm == (uint32_t)(n - 1))
		return kv_fault_set(f, -EPROTO,
				    "piece %" PRIu64 " of %" PRIu64 " came twice: the sender's device, %s, has repeated its WRITE as another message; take a longer --ack-timeout",
				    n, w->t->pieces, w->pair->end[SENDER].site->dev.name);
	return kv_fault_set(f, -EPROTO,
			    "the completion is not that of piece %" PRIu64 ": %s, immediate data %u, %u bytes",
			    n, kv_enum_name(kv_enum_wc_op, wc->op), wc->imm, wc->length);
}

/* @found: incremented for each completion at this end. */
static int poll_end(struct kv_flow *w, unsigned int end, unsigned int *found, struct kv_fault *f)
{
	const struct kv_endpoint *e = &w->pair->end[end];
	struct kv_backend *b = e->site->b;
	const struct kv_cq_poll poll = {
		.id = end == SENDER ? e->send_cq : e->recv_cq,
		.max = KVERBS_POLL_MAX,
	};
	struct kv_polled polled;
	int ret = kv_op_cq_poll(b, &poll, &polled, NULL);

	if (ret)
		return kv_fault_backend(f, b, ret, "cannot poll");
	for (unsigned int i = 0; i < polled.n; i++) {
		ret = check_status(w, end, &polled.wc[i], f);
		if (!ret && end == RECEIVER)
			ret = check_landed(w, &polled.wc[i], f);
		if (ret)
			return ret;
		if (end == SENDER)
			w->sent++;
		else
			w->landed++;
		++*found;
	}
	return 0;
}

/*
 * An end of another host is asked only when a completion is likely: the near end has seen more
 * completions, or nothing was seen for a while.
 */
static bool is_due(const struct kv_flow *w, unsigned int end, uint64_t idle_ns)
{
	uint64_t seen = end == SENDER ? w->sent : w->landed;
	uint64_t other = end == SENDER ? w->landed : w->sent;

	if (seen == w->posted)
		return false;
	return !w->pair->end[end].site->host || other > seen || idle_ns > ASK_NS;
}

static int poll_ends(struct kv_flow *w, uint64_t idle_ns, unsigned int *found, struct kv_fault *f)
{
	int ret = 0;

	/* The sender's status says more than the receiver's. */
	for (unsigned int end = SENDER; end <= RECEIVER && !ret; end++) {
		if (is_due(w, end, idle_ns))
			ret = poll_end(w, end, found, f);
	}
	return ret;
}

static int post_pieces(struct kv_flow *w, unsigned int *found, struct kv_fault *f)
{
	int ret = 0;

	while (!ret && w->posted < w->t->pieces && w->posted - w->sent < w->t->depth &&
	       w->posted - w->saved < w->t->depth) {
		ret = post_piece(w, w->posted, f);
		if (ret)
			break;
		w->posted++;
		++*found;
	}
	return ret;
}

static int save_pieces(struct kv_flow *w, struct kv_fault *f)
{
	int ret = 0;

	while (!ret && w->saved < w->landed) {
		ret = save_piece(w, w->saved, f);
		if (!ret && w->saved + w->t->depth < w->t->pieces)
			ret = post_receive(w, w->saved + w->t->depth, f);
		if (!ret)
			w->saved++;
	}
	if (w->t->watch)
		w->t->watch(w->saved < w->t->pieces ? offset_of(w, w->saved) :
			    w->t->length, w->t->length, w->t->arg);
	return ret;
}

static int move_pieces(struct kv_flow *w, struct kv_fault *f)
{
	uint64_t last = kv_now_ns(), now;
	uint32_t idle = IDLE_MIN_NS;
	unsigned int found;
	int ret;

	while (w->saved < w->t->pieces || w->sent < w->t->pieces) {
		if (kv_interrupt_seen())
			return kv_fault_set(f, -ECANCELED, "interrupted after %" PRIu64 " of %" PRIu64 " bytes",
					    offset_of(w, w->saved), w->t->length);
		found = 0;
		ret = post_pieces(w, &found, f) ?:
		      poll_ends(w, kv_now_ns() - last, &found, f) ?:
		      save_pieces(w, f);
		if (ret)
			return ret;
		now = kv_now_ns();
		if (found) {
			last = now;
			idle = IDLE_MIN_NS;
			continue;
		}
		if (now - last > w->t->timeout_ns)
			return kv_fault_set(f, -ETIMEDOUT,
					    "nothing has happened for %g s (--timeout): of %" PRIu64 " pieces %" PRIu64 " are posted, %" PRIu64 " sent, %" PRIu64 " received",
					    (double)w->t->timeout_ns / 1e9, w->t->pieces,
					    w->posted, w->sent, w->landed);
		kv_sleep_ns(idle);
		idle = idle * 2 < IDLE_MAX_NS ? idle * 2 : IDLE_MAX_NS;
	}
	return 0;
}

/*
 * Explains a WRITE that finds no receive, though each piece has one: the device has sent a message
 * that nobody posted. rxe does so when it repeats a WRITE of several packets. If the acknowledgment
 * comes meanwhile, COMPST_UPDATE_COMP moves comp.psn behind the request, which is not completed;
 * the next req_retry() sends the request once more, from comp.psn.
 */
static int explain_sender(struct kv_flow *w, struct kv_fault *f)
{
	struct kv_fault told;
	unsigned int found = 0;

	if (poll_end(w, RECEIVER, &found, &told) != -EPROTO)
		return -EIO;
	*f = told;
	return -EPROTO;
}

/*
 * If the other host does not answer, the status of an outstanding WRITE is the better fault. If no
 * WRITE is outstanding, a WRITE of 0 bytes asks the QP.
 */
static int explain(struct kv_flow *w, int ret, struct kv_fault *f)
{
	unsigned int here = w->pair->end[SENDER].site->host ? RECEIVER : SENDER;
	unsigned int found = 0;
	struct kv_fault told;

	if (!ret || ret == -ECANCELED)
		return ret;
	if (ret == -EIO)
		return explain_sender(w, f);
	if (here == SENDER && w->sent != w->posted && poll_end(w, SENDER, &found, &told) == -EIO) {
		*f = told;
		return -EIO;
	}
	kv_probe_explain(w->pair, here, f);
	return ret;
}

/**
 * kv_flow_run() - bring all pieces from one file to the other
 * @t: the transfer, whose files are open; receives the number of pieces
 * @pair: made for WRITEs of @t->depth * @t->piece bytes
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno; then the pair takes no more requests.
 */
int kv_flow_run(struct kv_transfer *t, struct kv_pair *pair, struct kv_fault *f)
{
	struct kv_flow flow = { .t = t, .pair = pair };
	int ret = 0;

	t->pieces = (t->length + t->piece - 1) / t->piece;
	for (uint64_t n = 0; n < t->depth && n < t->pieces && !ret; n++)
		ret = post_receive(&flow, n, f);
	if (!ret)
		ret = move_pieces(&flow, f);
	if (!ret)
		return 0;
	pair->broken = true;
	return explain(&flow, ret, f);
}
