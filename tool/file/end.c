// SPDX-License-Identifier: MIT
/*
 * One end of a transfer, which takes turns. Piece n goes through slot n modulo depth of both ends'
 * buffers, by a WRITE whose immediate data is n. The receive's completion promises that the bytes
 * are in the receiver's memory; the sender's completion says that the sender's slot is free. A slot
 * is used again when both completions were seen and the piece is in the file, so receives never run
 * out.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/param.h>
#include "cli/interrupt.h"
#include "file/file.h"
#include "sys/now.h"

/* The pause between polls doubles as long as nothing completes. */
#define IDLE_MIN_NS 20000
#define IDLE_MAX_NS 2000000

/* The most requests of one list. */
#define LIST 16

/* A turn is a quarter of what may be under way, so that the other end hears of it in time. */
static uint32_t share(const struct kv_file_local *l)
{
	return MIN(MAX(l->flow.depth / 4, 1), LIST);
}

static uint64_t length_of_file(const struct kv_file_local *l)
{
	return l->sends ? l->source.length : l->store.length;
}

static uint32_t length_of(const struct kv_file_local *l, uint64_t n)
{
	return (uint32_t)MIN(length_of_file(l) - n * l->flow.piece, l->flow.piece);
}

static uint64_t slot_of(const struct kv_file_local *l, uint64_t n)
{
	return n % l->flow.depth * l->flow.piece;
}

/* Loads a piece into its slot, or saves it from there. */
static int move_piece(struct kv_file_local *l, uint64_t n, struct kv_fault *f)
{
	struct kv_bulk bulk = {
		.b = l->site->b,
		.buf = l->flow.buf,
		.buf_offset = slot_of(l, n),
		.fd = l->sends ? l->source.fd : l->store.fd,
		.offset = n * l->flow.piece,
		.length = length_of(l, n),
		.hash = &l->hash,
	};
	int ret = l->sends ? kv_bulk_load(&bulk) : kv_bulk_save(&bulk);

	if (ret && bulk.of_file)
		return kv_fault_set(f, ret, "cannot %s %s: %s", l->sends ? "read" : "write",
				    l->sends ? l->name : l->store.name, strerror(-ret));
	if (ret)
		return kv_fault_backend(f, l->site->b, ret, "cannot %s a piece of %s",
					l->sends ? "load" : "save", l->name);
	return bulk.moved < bulk.length ?
	       kv_source_short(&l->source, bulk.offset + bulk.moved, f) : 0;
}

/* Posts receives for up to @n pieces behind those that have one. */
static int post_receives(struct kv_file_local *l, uint64_t n, struct kv_fault *f)
{
	struct kv_wr wr[LIST];
	struct kv_post post = {
		.qp = l->flow.qp,
		.context = kv_site_post_context(l->site),
		.wr = wr,
	};
	struct kv_posted posted;
	int ret;

	for (n = MIN(n, l->pieces - l->posted); n; n -= posted.posted) {
		post.wrs = (uint32_t)MIN(n, LIST);
		for (uint32_t i = 0; i < post.wrs; i++)
			wr[i] = (struct kv_wr){ .op = KVERBS_OP_RECV, .wr_id = l->posted + i };
		ret = kv_op_wr_post(l->site->b, &post, &posted, NULL);
		if (ret)
			return kv_fault_backend(f, l->site->b, ret, "cannot post receives");
		l->posted += posted.posted;
	}
	return 0;
}

static int post_piece(struct kv_file_local *l, struct kv_fault *f)
{
	const struct kv_file_flow *flow = &l->flow;
	uint64_t n = l->posted;
	const struct kv_wr wr = {
		.op = KVERBS_OP_WRITE_WITH_IMM,
		.wr_id = n,
		.has_imm = true,
		.imm = (uint32_t)n,
		.sges = 1,
		.sge[0] = {
			.buf = flow->buf,
			.offset = slot_of(l, n),
			.length = length_of(l, n),
			.mr = flow->mr,
		},
		.has_remote = true,
		.remote_addr = flow->remote_addr + slot_of(l, n),
		.remote_key = flow->remote_key,
	};
	int ret = move_piece(l, n, f);

	if (ret)
		return ret;
	ret = kv_site_post(l->site, flow->qp, &wr);
	if (ret)
		return kv_fault_backend(f, l->site->b, ret, "cannot post a WRITE");
	l->posted++;
	return 0;
}

static int check_status(const struct kv_file_local *l, const struct kv_wc *wc, struct kv_fault *f)
{
	if (!wc->status)
		return 0;
	return kv_fault_set(f, -ENETRESET,
			    "%s space, %s: the %s of piece %" PRIu64 " of %" PRIu64 " completed with status %u (%s), vendor error 0x%x",
			    l->site->b->ops->space, l->site->dev.name,
			    l->sends ? "WRITE" : "receive", wc->wr_id + 1, l->pieces, wc->status,
			    kv_enum_name(kv_enum_wc_status, wc->status), wc->vendor_err);
}

/*
 * The completion must be that of the next piece, as far as the backend tells.
 *
 * A device may send a message that nobody has posted. rxe does so when it repeats a WRITE of
 * several packets. If the acknowledgment comes meanwhile, COMPST_UPDATE_COMP moves comp.psn behind
 * the request, which is not completed; the next req_retry() sends the request once more, from
 * comp.psn.
 */
static int check_landed(const struct kv_file_local *l, const struct kv_wc *wc, struct kv_fault *f)
{
	uint64_t n = l->done;

	if (wc->op == KVERBS_WC_OP_RECV_WRITE_WITH_IMM && wc->has_imm && wc->imm == (uint32_t)n &&
	    n < l->pieces && (!wc->has_length || wc->length == length_of(l, n)))
		return 0;
	if (n && wc->has_imm && wc->imm == (uint32_t)(n - 1))
		return kv_fault_set(f, -EILSEQ,
				    "piece %" PRIu64 " of %" PRIu64 " came twice: the sender's device has repeated its WRITE as another message; a longer --ack-timeout makes that rare",
				    n, l->pieces);
	return kv_fault_set(f, -EILSEQ,
			    "the completion is not that of piece %" PRIu64 ": %s, immediate data %u, %u bytes",
			    n + 1, kv_enum_name(kv_enum_wc_op, wc->op), wc->imm, wc->length);
}

/* @found: incremented for each completion. */
static int poll_end(struct kv_file_local *l, unsigned int *found, struct kv_fault *f)
{
	const struct kv_cq_poll poll = {
		.id = l->flow.cq,
		.max = l->sends ? KVERBS_POLL_MAX : share(l),
	};
	struct kv_polled polled;
	int ret = kv_op_cq_poll(l->site->b, &poll, &polled, NULL);

	if (ret)
		return kv_fault_backend(f, l->site->b, ret, "cannot poll");
	for (unsigned int i = 0; i < polled.n && !ret; i++) {
		ret = check_status(l, &polled.wc[i], f);
		if (!ret && !l->sends)
			ret = check_landed(l, &polled.wc[i], f) ?: move_piece(l, l->done, f);
		if (!ret) {
			l->done++;
			++*found;
		}
	}
	return ret || l->sends ? ret : post_receives(l, polled.n, f);
}

static int post_pieces(struct kv_file_local *l, uint64_t upto, unsigned int *found,
		       struct kv_fault *f)
{
	uint32_t most = share(l);
	int ret = 0;

	upto = MIN(upto, l->pieces);
	while (!ret && most-- && l->posted < upto && l->posted - l->done < l->flow.depth) {
		ret = post_piece(l, f);
		++*found;
	}
	return ret;
}

static int check_flow(const struct kv_file_local *l, const struct kv_file_flow *flow,
		      struct kv_fault *f)
{
	if (l->source.fd < 0 && l->store.fd < 0)
		return kv_fault_set(f, -EBADF, "there is no file whose pieces could move");
	if (!flow->piece || !flow->depth || !flow->qp || !flow->cq || !flow->buf)
		return kv_fault_set(f, -EINVAL, "the pieces of %s have no size, depth, QP, CQ or buffer",
				    l->name);
	if (flow->first > l->hash.done / flow->piece + (l->hash.done % flow->piece != 0))
		return kv_fault_set(f, -EPROTO, "the pieces of %s do not come in order", l->name);
	return 0;
}

/**
 * kv_end_begin() - move the pieces of a file over a connection
 * @l: the file, which is open
 * @flow: the connection. A sender sends from @flow->first on; a receiver goes on behind the pieces
 *	that it has, and posts receives
 * @result: receives what has happened so far
 */
int kv_end_begin(struct kv_file_local *l, const struct kv_file_flow *flow,
		 struct kv_file_turned *result, struct kv_fault *f)
{
	int ret = check_flow(l, flow, f);

	if (ret)
		return ret;
	if (!l->flow.piece)
		l->done = 0;
	l->flow = *flow;
	l->pieces = length_of_file(l) / flow->piece + (length_of_file(l) % flow->piece != 0);
	if (l->sends)
		l->done = flow->first;
	else if (l->hash.done != MIN(l->done * flow->piece, l->store.length))
		return kv_fault_set(f, -EPROTO, "the size of the pieces of %s can't change", l->name);
	l->posted = l->done;
	if (!l->sends)
		ret = post_receives(l, flow->depth, f);
	*result = (struct kv_file_turned){ l->posted, l->done };
	return ret;
}

static int turn(struct kv_file_local *l, uint64_t upto, unsigned int *found, struct kv_fault *f)
{
	int ret = poll_end(l, found, f);

	return ret || !l->sends ? ret : post_pieces(l, upto, found, f);
}

/**
 * kv_end_turn() - move pieces as far as they have come, a few at a time
 * @l: the file, whose pieces move
 * @args: what the end may do, and how long it waits until it can do anything
 * @result: receives what has happened so far
 *
 * A sender polls for its WRITEs, loads pieces and posts WRITEs. A receiver polls for pieces, saves
 * them and posts receives.
 *
 * Return: 0 or a negative errno: -ENETRESET if the connection has failed; -EILSEQ if a
 * message came that nobody has sent.
 */
int kv_end_turn(struct kv_file_local *l, const struct kv_file_turn *args,
		struct kv_file_turned *result, struct kv_fault *f)
{
	uint64_t end = kv_now_ns() + (uint64_t)args->wait_ms * 1000000;
	uint64_t idle = IDLE_MIN_NS;
	unsigned int found = 0;
	int ret;

	if (!l->flow.piece)
		return kv_fault_set(f, -EPROTO, "no pieces move yet");
	for (;;) {
		ret = turn(l, args->upto, &found, f);
		if (ret || found || kv_now_ns() >= end || kv_interrupt_seen())
			break;
		kv_sleep_ns(idle);
		idle = MIN(idle * 2, IDLE_MAX_NS);
	}
	*result = (struct kv_file_turned){ l->posted, l->done };
	return ret;
}
