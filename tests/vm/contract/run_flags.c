// SPDX-License-Identifier: MIT
/* Runs whose requests have flags (inline data, fence, solicited) or several SGEs, as their receives may. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"
#include "run.h"

#define INLINE 64
#define SGES 4

static struct kv_run_result last; /* too large for the stack */

/* A run of 10 requests brings @text from one buffer to the other, as far as its size goes, and tells its flags and SGEs. */
static void brings(struct link *l, const struct kv_run_spec *spec, uint32_t from, uint32_t to, const char *text, const char *what)
{
	must(l, call_buf_write(&l->nl, from, 0, text, strlen(text)), "write");
	run_whole(l, spec, 0, &last);
	result(!last.worker[0].error && last.worker[0].samples == 10 && last.spec.flags == spec->flags &&
	       last.spec.sges == (spec->sges ? spec->sges : 1), "%s", what);
	result(holds(l, to, 0, text, spec->size), "%s: the bytes have arrived, each in its place", what);
}

/* A stream like this run, posted in lists. */
static void make_stream(struct kv_run_spec *spec)
{
	spec->loop = KVERBS_LOOP_STREAM;
	spec->depth = 8;
	spec->list = 2;
	spec->signal = 4;
}

/* The CPU copies the bytes: the device needs no key for them. */
static void test_inline(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);

	spec.size = 16;
	spec.flags = KVERBS_WR_INLINE;
	brings(l, &spec, a->local, b->target, "inline, one each", "a run with inline data tells its flags");
	make_stream(&spec);
	brings(l, &spec, a->local, b->target, "inline, in lists", "a stream with inline data");
	spec.flags = KVERBS_WR_FENCE;
	brings(l, &spec, a->local, b->target, "a fence for each", "a stream with a fence at each request");
	spec.flags = 0;
	brings(l, &spec, a->local, b->target, "no flags for all", "a stream without flags has none");
}

/* The first SGEs have a byte more, where the bytes can't be shared out evenly. */
static void test_sges(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);

	spec.size = 15;
	spec.sges = SGES;
	brings(l, &spec, a->local, b->target, "four, one behind", "a run whose requests have several SGEs tells how many");
	spec.flags = KVERBS_WR_INLINE;
	spec.sges = 3;
	brings(l, &spec, a->local, b->target, "three and inline", "a run with inline data of several SGEs");
	spec.flags = 0;
	make_stream(&spec);
	brings(l, &spec, a->local, b->target, "three, in a list", "a stream whose requests have several SGEs");
	spec.sges = 0;
	brings(l, &spec, a->local, b->target, "one by default  ", "by default a request has one");
	if (is_iwarp())
		return;
	spec.op = KVERBS_OP_READ;
	spec.sges = SGES;
	brings(l, &spec, b->target, a->local, "four for one READ", "READs into several SGEs");
}

/* Messages to and fro, @text from the first end: each lands in the target as if its receive had one SGE. */
static void bounces(struct link *l, const struct kv_run_spec *spec, const struct end *a, const struct end *b, const char *text,
		    const char *what)
{
	must(l, call_buf_write(&l->nl, a->local, 0, text, strlen(text)), "write");
	must(l, call_buf_write(&l->nl, b->target, 0, "....................", 20), "write");
	run_whole(l, spec, 0, &last);
	result(!last.worker[0].error && last.worker[0].samples == 10 &&
	       last.spec.recv_sges == (spec->recv_sges ? spec->recv_sges : 1), "%s", what);
	result(holds(l, b->target, 0, text, spec->size), "%s: the bytes have arrived, each in its place", what);
}

/* Receives that a run leaves posted take messages of the next one, which may be larger. */
static void test_recv_sges(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec good = write_spec(a, b), spec;
	uint32_t id;

	good.loop = KVERBS_LOOP_PINGPONG;
	good.op = KVERBS_OP_SEND;
	good.size = 10;
	good.ends = 2;
	good.end[0] = (struct kv_run_end){ .qp = a->qp, .local_buf = a->local, .target_buf = a->target };
	good.end[1] = (struct kv_run_end){ .qp = b->qp, .local_buf = b->local, .target_buf = b->target };
	good.recv_sges = SGES;
	bounces(l, &good, a, b, "four parts", "a run whose receives have several SGEs tells how many");
	spec = good;
	spec.recv_sges = 0;
	spec.size = 18;
	bounces(l, &spec, a, b, "more for the last.", "a run of larger messages, with these receives");
	RUN_BAD((spec.size = 3, spec.recv_sges = 4), -EINVAL, "more sges of a receive than bytes", "a receive of more SGEs than bytes");
	RUN_BAD((spec.size = 16, spec.recv_sges = 16), -EINVAL, "end 1: qp: more recv_sges than the qp's max_recv_sge",
	    "a receive of more SGEs than the QP takes");
	RUN_BAD(spec.recv_sges = KVERBS_SGE_MAX + 1, -ERANGE, "recv_sges: integer out of range",
	    "a receive of more SGEs than one can have");
	RUN_BAD((spec = write_spec(a, b), spec.recv_sges = 2), -EINVAL, "recv_sges goes with loops that post receives",
	    "a loop that posts no receives");
}

static void test_refusals(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec good = write_spec(a, b), spec;
	uint32_t id;

	good.size = 16;
	good.flags = KVERBS_WR_INLINE;
#define BLAMES(change, attr, what)							\
	do {										\
		spec = good;								\
		change;									\
		result(call_run_start(&l->nl, &spec, &id) && l->nl.base.refused &&	\
		       !strcmp(l->nl.base.refused->name, attr), "blamed: %s, %s", attr, what);	\
	} while (0)

	RUN_BAD(spec.size = 2000, -EINVAL, "end 1: qp: inline: size is above the qp's max_inline", "more than the qp takes inline");
	RUN_BAD(spec.op = KVERBS_OP_READ, -EINVAL, "inline goes with sends and writes only", "a READ with inline data");
	RUN_BAD(spec.flags = KVERBS_WR_SOLICITED, -EINVAL, "solicited goes with sends", "a solicited WRITE");
	RUN_BAD(spec.flags = KVERBS_WR_UNSIGNALED, -EINVAL, "flags: reserved bit set", "a run without signals");
	RUN_BAD(spec.flags = KVERBS_WR__ALL + 1, -EINVAL, "flags: reserved bit set", "an unknown flag");
	RUN_BAD((spec.size = 3, spec.sges = 4), -EINVAL, "more sges than bytes", "more SGEs than bytes");
	RUN_BAD(spec.sges = 16, -EINVAL, "end 1: qp: more sges than the qp's max_send_sge", "more SGEs than the QP takes");
	RUN_BAD(spec.sges = KVERBS_SGE_MAX + 1, -ERANGE, "sges: integer out of range", "more SGEs than a request can have");
	BLAMES((spec.size = 3, spec.sges = 4), "sges", "more SGEs than bytes");
	BLAMES(spec.op = KVERBS_OP_READ, "flags", "a READ with inline data");
	BLAMES((spec.loop = KVERBS_LOOP_STREAM, spec.list = 2, spec.signal = 3), "signal", "three requests in lists of two");
	BLAMES((spec.loop = KVERBS_LOOP_STREAM, spec.signal = 2, spec.depth = 5), "depth", "five requests in groups of two");
	BLAMES(spec.cpu = 5000, "cpu", "a CPU that is not there");
	if (is_iwarp()) {
		RUN_BAD((spec.op = KVERBS_OP_READ, spec.flags = 0, spec.sges = 2), -EINVAL, "a READ of iWARP takes one sge",
		    "a READ into two SGEs");
		RUN_BAD((spec.op = KVERBS_OP_READ, spec.flags = KVERBS_WR_FENCE), -EOPNOTSUPP, "a READ of iWARP takes no fence",
		    "a READ with a fence");
		return;
	}
	BLAMES((spec.op = KVERBS_OP_FETCH_ADD, spec.flags = 0, spec.size = 64), "size", "an atomic of 64 bytes");
	RUN_BAD((spec.op = KVERBS_OP_FETCH_ADD, spec.flags = 0, spec.size = 8, spec.sges = 2), -EINVAL,
	    "an atomic operation takes one sge", "an atomic with two SGEs");
	RUN_BAD((spec.loop = KVERBS_LOOP_STREAM_SERVER, spec.op = KVERBS_OP_SEND, spec.post_context = KVERBS_POST_PROCESS,
	     spec.end[0] = (struct kv_run_end){ .qp = b->qp, .target_buf = b->target }), -EINVAL,
	    "flags goes with loops that post the op", "a server with flags");
#undef BLAMES
}

void test_run_flags(void)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC, .max_inline = INLINE, .max_sge = SGES };
	struct end a, b;
	struct link l;

	ends_wait(true);
	link_open(&l);
	pair_make(&l, &a, &b, &init);
	register_target(&l, &b);
	register_local(&l, &a, KVERBS_ACCESS_LOCAL_WRITE);
	test_inline(&l, &a, &b);
	test_sges(&l, &a, &b);
	test_refusals(&l, &a, &b);
	test_recv_sges(&l, &a, &b);
	link_close(&l);
	ends_wait(false);
}
