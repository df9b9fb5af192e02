// SPDX-License-Identifier: MIT
/* Runs whose requests have flags: inline data, fence, solicited. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"
#include "run.h"

#define INLINE 64

static struct kv_run_result last; /* too large for the stack */

/* The CPU copies the bytes: the device needs no key for them. */
static void test_inline(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);

	spec.size = 16;
	spec.flags = KVERBS_WR_INLINE;
	must(l, call_buf_write(&l->nl, a->local, 0, "inline, one each", 16), "write");
	run_whole(l, &spec, 0, &last);
	result(!last.worker[0].error && last.worker[0].samples == 10 && last.spec.flags == KVERBS_WR_INLINE,
	       "a run with inline data tells its flags");
	result(holds(l, b->target, 0, "inline, one each", 16), "its bytes have arrived");
	spec.loop = KVERBS_LOOP_STREAM;
	spec.depth = 8;
	spec.list = 2;
	spec.signal = 4;
	must(l, call_buf_write(&l->nl, a->local, 0, "inline, in lists", 16), "write");
	run_whole(l, &spec, 0, &last);
	result(!last.worker[0].error && last.worker[0].samples == 10, "a stream with inline data");
	result(holds(l, b->target, 0, "inline, in lists", 16), "has brought them, too");
	spec.flags = KVERBS_WR_FENCE;
	run_whole(l, &spec, 0, &last);
	result(!last.worker[0].error && last.spec.flags == KVERBS_WR_FENCE, "a stream with a fence at each request");
	spec.flags = 0;
	run_whole(l, &spec, 0, &last);
	result(!last.worker[0].error && !last.spec.flags, "a stream without flags has none");
}

static void test_refusals(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec good = write_spec(a, b), spec;
	uint32_t id;

	good.size = 16;
	good.flags = KVERBS_WR_INLINE;
#define BAD(change, error, text, name)							\
	do {										\
		spec = good;								\
		change;									\
		refused(l, call_run_start(&l->nl, &spec, &id), error, text, name);	\
	} while (0)

	BAD(spec.size = 2000, -EINVAL, "end 1: inline: size is above the qp's max_inline", "more than the qp takes inline");
	BAD(spec.op = KVERBS_OP_READ, -EINVAL, "inline goes with sends and writes only", "a READ with inline data");
	BAD(spec.flags = KVERBS_WR_SOLICITED, -EINVAL, "solicited goes with sends", "a solicited WRITE");
	BAD(spec.flags = KVERBS_WR_UNSIGNALED, -EINVAL, "flags: reserved bit set", "a run without signals");
	BAD(spec.flags = KVERBS_WR__ALL + 1, -EINVAL, "flags: reserved bit set", "an unknown flag");
	if (is_iwarp()) {
		BAD((spec.op = KVERBS_OP_READ, spec.flags = KVERBS_WR_FENCE), -EOPNOTSUPP, "a READ of iWARP takes no fence",
		    "a READ with a fence");
		return;
	}
	BAD((spec.loop = KVERBS_LOOP_STREAM_SERVER, spec.op = KVERBS_OP_SEND, spec.post_context = KVERBS_POST_PROCESS,
	     spec.end[0] = (struct kv_run_end){ .qp = b->qp, .target_buf = b->target }), -EINVAL,
	    "flags goes with loops that post sends", "a server with flags");
#undef BAD
}

void test_run_flags(void)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC, .max_inline = INLINE };
	struct end a, b;
	struct link l;

	ends_wait(true);
	link_open(&l);
	pair_make(&l, &a, &b, &init);
	register_target(&l, &b);
	test_inline(&l, &a, &b);
	test_refusals(&l, &a, &b);
	link_close(&l);
	ends_wait(false);
}
