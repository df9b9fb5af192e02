// SPDX-License-Identifier: MIT
#include <errno.h>
#include "batch/session.h"
#include "cli/interrupt.h"
#include "object/describe.h"
#include "object/text.h"
#include "out/out.h"
#include "sys/now.h"

#define TIMEOUT_NS 1000000000ULL

/* The pause between two empty polls. Nothing is measured here. */
#define PAUSE_NS 50000

struct poll_args {
	struct kv_given given;
	uint32_t cq;
	uint32_t count;
	uint32_t max;
	uint64_t timeout_ns;
};

#define AT(field) offsetof(struct poll_args, field)
#define HAS_COUNT (1U << 0)
#define HAS_WAIT (1U << 1)
#define HAS_TIMEOUT (1U << 2)
#define HAS_SOLICITED (1U << 3)

static const struct poll_args poll_init = {
	.max = KVERBS_POLL_MAX,
	.timeout_ns = TIMEOUT_NS,
};

static const struct kv_key poll_key[] = {
	{ "cq", KV_KEY_ID, AT(cq), .type = KV_CQ, .must = true,
	  .help = "which completion queue" },
	{ "count", KV_KEY_U32, AT(count), HAS_COUNT,
	  .help = "polls until N completions have come; without count and wait: takes those that are there" },
	{ "max", KV_KEY_U32, AT(max), .max = KVERBS_POLL_MAX,
	  .help = "completions that one call of the verb may take, up to 64, the default" },
	{ "wait", KV_KEY_FLAG, 0, HAS_WAIT,
	  .help = "sleeps until an event tells of a completion, in place of polling again; not for a CQ with the context polled" },
	{ "solicited", KV_KEY_FLAG, 0, HAS_SOLICITED,
	  .help = "with wait: only a solicited completion, or an error, makes the event" },
	{ "timeout", KV_KEY_TIME, AT(timeout_ns), HAS_TIMEOUT,
	  .help = "time limit of count and wait; default: 1s" },
	{ .name = NULL },
};

/* One poll command: its limits and its completions so far. */
struct polling {
	struct kv_session *s;
	const struct poll_args *a;
	struct json_object *list;
	uint32_t want;
	uint32_t got;
	uint64_t end_ns;
	struct kv_fault *f;
};

/* Takes the completions that the CQ has, at most @max. */
static int take(struct polling *p, uint32_t max, unsigned int *n)
{
	struct kv_polled polled;
	int ret;

	*n = 0;
	ret = kv_op_cq_poll(p->s->b, &(struct kv_cq_poll){ p->a->cq, max }, &polled, NULL);
	if (ret)
		return kv_session_refuse(p->s, ret, p->f);
	*n = polled.n;
	for (unsigned int i = 0; i < *n; i++) {
		struct json_object *obj = json_object_new_object();

		kv_describe(obj, &kv_shape_wc, &polled.wc[i]);
		json_object_array_add(p->list, obj);
	}
	p->got += *n;
	return 0;
}

static int refuse_late(const struct polling *p)
{
	return kv_fault_set(p->f, -ETIMEDOUT, "%u of %u completions came within %g s", p->got,
			    p->want, (double)p->a->timeout_ns / 1e9);
}

static int sleep_for_event(struct polling *p)
{
	struct kv_backend *b = p->s->b;
	const struct kv_cq_arm arm = {
		.id = p->a->cq,
		.solicited = p->a->given.bits & HAS_SOLICITED,
	};
	struct kv_armed armed;
	unsigned int n;
	int ms, ret = kv_op_cq_arm(b, &arm, &armed, NULL);

	if (ret)
		return kv_session_refuse(p->s, ret, p->f);
	if (armed.missed)
		return 0;
	/* Completions from before the CQ was armed raise no event. */
	ret = take(p, p->want - p->got < p->a->max ? p->want - p->got : p->a->max, &n);
	if (ret || n)
		return ret;
	do {
		ms = kv_interrupt_wait_ms(p->end_ns);
		ret = kv_op_cq_wait(b, &(struct kv_wait){ p->a->cq, ms }, NULL, NULL);
	} while (ret == -EAGAIN && ms && !kv_interrupt_seen());
	if (ret == -EAGAIN)
		return 0;
	return ret ? kv_session_refuse(p->s, ret, p->f) : 0;
}

static int take_all(struct polling *p)
{
	bool wait = p->a->given.bits & HAS_WAIT;
	int ret = 0;

	while (!ret && p->got < p->want) {
		uint32_t max = p->want - p->got;
		bool late = kv_now_ns() >= p->end_ns;
		unsigned int n;

		/* One poll after the deadline finds the completions that came in time. */
		ret = take(p, max < p->a->max ? max : p->a->max, &n);
		if (ret || n)
			continue;
		if (kv_interrupt_seen())
			return kv_fault_set(p->f, -EINTR, "interrupted after %u of %u completions",
					    p->got, p->want);
		if (late)
			return refuse_late(p);
		if (wait)
			ret = sleep_for_event(p);
		else
			kv_sleep_ns(PAUSE_NS);
	}
	return ret;
}

static int poll(struct kv_session *s, const void *args,
		struct json_object *result, struct kv_fault *f)
{
	const struct poll_args *a = args;
	struct polling p = { .s = s, .a = a, .f = f };
	unsigned int n;
	int ret;

	if (!a->max || (a->given.bits & HAS_COUNT && !a->count))
		return kv_fault_usage(f, "'%s' is 0; it takes at least 1",
				      a->max ? "count" : "max");
	if (a->given.bits & HAS_TIMEOUT &&
	    !(a->given.bits & (HAS_COUNT | HAS_WAIT)))
		return kv_fault_usage(f, "'timeout' needs 'count' or 'wait': without them there is no waiting");
	if (a->given.bits & HAS_SOLICITED && !(a->given.bits & HAS_WAIT))
		return kv_fault_usage(f, "'solicited' needs 'wait': it chooses the event that ends the wait");
	p.list = json_object_new_array();
	p.want = a->given.bits & HAS_COUNT ? a->count : 1;
	p.end_ns = kv_now_ns() + a->timeout_ns;
	if (a->given.bits & (HAS_COUNT | HAS_WAIT))
		ret = take_all(&p);
	else
		ret = take(&p, a->max, &n);
	/* Polled completions are gone from the CQ: they are printed after a failure, too. */
	if (ret && !p.got) {
		json_object_put(p.list);
		return ret;
	}
	kv_out_put_count(result, "cq", a->cq);
	kv_out_put(result, "completions", p.list);
	return ret;
}

KV_NOUN_COMMAND(poll, "takes completions off a completion queue", false, .key = poll_key,
		.size = sizeof(struct poll_args), .init = &poll_init, .fn = poll,
		.print = kv_text_completions);
