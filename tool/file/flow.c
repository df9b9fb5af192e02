// SPDX-License-Identifier: MIT
/*
 * Both ends of a transfer take turns (end.c). The end of the other host is asked for a turn, and
 * takes it while this host's end takes its own.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/param.h>
#include "cli/interrupt.h"
#include "file/transfer.h"
#include "sys/now.h"

#define SENDER 0
#define RECEIVER 1

/* The pause between two turns of this host doubles as long as nothing completes. */
#define IDLE_MIN_NS 20000
#define IDLE_MAX_NS 2000000

/* How long the other host's end waits for something to do. */
#define WAIT_MS 50

/* After this time an end is asked although nothing is due, as it may have failed. */
#define ASK_NS 50000000

/* A file on its way over one connection. */
struct kv_flow {
	struct kv_transfer *t;
	struct kv_pair *pair; /* from the sender to the receiver */
	unsigned int near; /* end of this host */
	struct kv_file_turned end[2]; /* what each end has done, as far as it is known here */
	bool asked; /* the other host's end has a turn, and has not answered yet */
};

/*
 * The pieces that the sender may have posted: those that are saved, and as many as there are slots.
 */
static uint64_t upto(const struct kv_flow *w)
{
	return MIN(w->end[RECEIVER].done + w->t->depth, w->t->pieces);
}

/* Is there anything to do for an end? The receiver alone finds that out. */
static bool is_due(const struct kv_flow *w, unsigned int end, uint64_t idle_ns)
{
	return end == RECEIVER || upto(w) > w->end[SENDER].posted || idle_ns > ASK_NS;
}

static struct kv_file_turn turn_of(const struct kv_flow *w, unsigned int end)
{
	return (struct kv_file_turn){ upto(w), end == w->near ? 0 : WAIT_MS };
}

/* @found: set if the end has done anything. */
static void note(struct kv_flow *w, unsigned int end, const struct kv_file_turned *turned,
		 bool *found)
{
	if (turned->posted != w->end[end].posted || turned->done != w->end[end].done)
		*found = true;
	w->end[end] = *turned;
}

static int ask(struct kv_flow *w, uint64_t idle_ns, struct kv_fault *f)
{
	struct kv_file *far = w->t->file[!w->near];
	const struct kv_file_turn turn = turn_of(w, !w->near);
	int ret = 0;

	if (w->asked || !is_due(w, !w->near, idle_ns))
		return 0;
	ret = far->ask(far, &turn, f);
	w->asked = !ret;
	return ret;
}

static int take_answer(struct kv_flow *w, bool *found, struct kv_fault *f)
{
	struct kv_file *far = w->t->file[!w->near];
	struct kv_file_turned turned;
	int ret = far->take(far, &turned, f);

	w->asked = false;
	if (!ret)
		note(w, !w->near, &turned, found);
	return ret;
}

static int take_turn(struct kv_flow *w, unsigned int end, bool *found, struct kv_fault *f)
{
	const struct kv_file_turn turn = turn_of(w, end);
	struct kv_file_turned turned;
	int ret = kv_file_turn(w->t->file[end], &turn, &turned, f);

	if (!ret)
		note(w, end, &turned, found);
	return ret;
}

/* Waits for the answer of the other host, @ns at most. */
static int await(struct kv_flow *w, uint64_t ns, bool *found, struct kv_fault *f)
{
	struct kv_file *far = w->t->file[!w->near];

	if (w->asked)
		return far->answered(far, ns) ? take_answer(w, found, f) : 0;
	if (ns)
		kv_sleep_ns(ns);
	return 0;
}

static void tell(const struct kv_flow *w)
{
	if (w->t->watch)
		w->t->watch(MIN(w->end[RECEIVER].done * w->t->piece, w->t->length), w->t->length,
			    w->t->arg);
}

static int step(struct kv_flow *w, uint64_t idle_ns, uint64_t *pause_ns, bool *found,
		struct kv_fault *f)
{
	bool due = is_due(w, w->near, idle_ns);
	int ret = ask(w, idle_ns, f);

	if (!ret && due)
		ret = take_turn(w, w->near, found, f);
	/* A sender without slots has nothing to look for but the answer. */
	if (!due && w->asked)
		*pause_ns = ASK_NS;
	return ret ?: await(w, *found ? 0 : *pause_ns, found, f);
}

static int move_pieces(struct kv_flow *w, struct kv_fault *f)
{
	uint64_t last = kv_now_ns(), pause = IDLE_MIN_NS;
	bool found;
	int ret;

	while (w->end[RECEIVER].done < w->t->pieces) {
		if (kv_interrupt_seen())
			return kv_fault_set(f, -ECANCELED, "interrupted after %" PRIu64 " of %" PRIu64 " bytes",
					    w->end[RECEIVER].done * w->t->piece, w->t->length);
		found = false;
		ret = step(w, kv_now_ns() - last, &pause, &found, f);
		if (ret)
			return ret;
		if (found) {
			tell(w);
			last = kv_now_ns();
			pause = IDLE_MIN_NS;
			continue;
		}
		if (kv_now_ns() - last > w->t->timeout_ns)
			return kv_fault_set(f, -ETIMEDOUT,
					    "nothing has happened for %g s (--timeout): of %" PRIu64 " pieces %" PRIu64 " are posted, %" PRIu64 " sent, %" PRIu64 " received",
					    (double)w->t->timeout_ns / 1e9, w->t->pieces,
					    w->end[SENDER].posted, w->end[SENDER].done,
					    w->end[RECEIVER].done);
		pause = MIN(pause * 2, IDLE_MAX_NS);
	}
	return 0;
}

static int begin_end(struct kv_flow *w, unsigned int end, struct kv_fault *f)
{
	const struct kv_endpoint *e = &w->pair->end[end];
	struct kv_file_flow flow = {
		.qp = e->qp,
		.cq = end == SENDER ? e->send_cq : e->recv_cq,
		.piece = w->t->piece,
		.depth = w->t->depth,
		.first = w->end[RECEIVER].done,
	};
	struct kv_run_end run;

	kv_pair_fill(w->pair, end, &run);
	flow.buf = end == SENDER ? run.local_buf : run.target_buf;
	if (end == SENDER) {
		flow.mr = run.local_mr;
		flow.remote_addr = run.remote_addr;
		flow.remote_key = run.remote_key;
	}
	return kv_file_flow(w->t->file[end], &flow, &w->end[end], f);
}

/**
 * kv_flow_broke() - is it only the connection that has failed?
 * @error: what kv_flow_run() has returned
 *
 * Return: true if another connection may do better.
 */
bool kv_flow_broke(int error)
{
	return error == -ENETRESET || error == -EILSEQ;
}

/** kv_flow_join() - put the reason of an earlier failure before that of a later one */
void kv_flow_join(const struct kv_fault *first, struct kv_fault *f)
{
	const struct kv_fault then = *f;

	kv_fault_set(f, then.error, "%.500s; then: %.500s", first->text, then.text);
}

/*
 * The receiver fails, too, after a connection has broken. That its QP is flushed says nothing; a
 * message that nobody has sent says why the sender's WRITE has failed.
 */
static int add_failure(int ret, int error, const struct kv_fault *second, struct kv_fault *f)
{
	const struct kv_fault first = *f;

	if (!kv_flow_broke(ret) || !error || error == -ENETRESET)
		return ret;
	*f = *second;
	if (error != -EILSEQ)
		kv_flow_join(&first, f);
	return error;
}

/* Saves the pieces that came before the connection broke, so that they need not be sent again. */
static int save_rest(struct kv_flow *w, int ret, struct kv_fault *f)
{
	struct kv_fault second;
	bool found;
	int error;

	if (w->asked)
		ret = add_failure(ret, take_answer(w, &found, &second), &second, f);
	while (kv_flow_broke(ret)) {
		found = false;
		error = take_turn(w, RECEIVER, &found, &second);
		ret = add_failure(ret, error, &second, f);
		if (error || !found)
			break;
	}
	return ret;
}

/*
 * If the other host does not answer, the status of an outstanding WRITE is the better fault. If no
 * WRITE is outstanding, a WRITE of 0 bytes asks the QP.
 */
static int explain(struct kv_flow *w, int ret, struct kv_fault *f)
{
	struct kv_fault told;
	bool found;

	if (!ret || ret == -ECANCELED || kv_flow_broke(ret))
		return ret;
	if (w->near == SENDER && w->end[SENDER].posted != w->end[SENDER].done &&
	    take_turn(w, SENDER, &found, &told) == -ENETRESET) {
		kv_flow_join(&told, f);
		return ret;
	}
	kv_probe_explain(w->pair, w->near, f);
	return ret;
}

/**
 * kv_flow_run() - bring all pieces from one file to the other
 * @t: the transfer, whose files are open
 * @pair: made for WRITEs of @t->depth * @t->piece bytes
 *
 * The receiver goes on behind the pieces that it has, if an earlier connection has broken.
 *
 * Return: 0 or a negative errno; then the pair takes no more requests.
 */
int kv_flow_run(struct kv_transfer *t, struct kv_pair *pair, struct kv_fault *f)
{
	struct kv_flow flow = {
		.t = t,
		.pair = pair,
		.near = t->site[SENDER]->host ? RECEIVER : SENDER,
	};
	int ret;

	t->pieces = (t->length + t->piece - 1) / t->piece;
	/* The receives are there before the first WRITE, and the receiver knows where to go on. */
	ret = begin_end(&flow, RECEIVER, f) ?: begin_end(&flow, SENDER, f) ?: move_pieces(&flow, f);
	ret = save_rest(&flow, ret, f);
	t->arrived = flow.end[RECEIVER].done;
	/* A WRITE whose acknowledgement is not here yet needs no wait. */
	pair->broken = ret || flow.end[SENDER].done < t->pieces;
	return explain(&flow, ret, f);
}
