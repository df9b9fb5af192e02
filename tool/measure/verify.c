// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "measure/block.h"
#include "sys/memory.h"
#include "sys/now.h"

/*
 * The untimed pass: a few iterations of the same loops, endpoints and requests
 * that are measured afterwards; the contents of the buffers are checked.
 */

/* Iterations of a ping-pong loop. */
#define ROUNDS 3

/* Any two values that differ in every byte. */
#define SEED_A 0x6b76657262730011ULL
#define SEED_B 0x517cc1b727220a95ULL

/* How long a message over UC or UD may be on its way, and the interval of looks at the target. */
#define ARRIVAL_NS 2000000000
#define LOOK_MS 2

/* One check of the pairs that a thread drives. */
struct check {
	struct kv_pair *pairs;
	unsigned int n;
	struct kv_pair *p; /* the one whose buffers are filled or compared now */
	struct kv_fault *f;
	/* The same work as in the measurement; only the operands of atomics differ. */
	struct kv_workload work;
	uint32_t size;
	uint8_t *want;
	uint8_t *got;
};

/* One byte of each number of splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static void fill_pattern(uint8_t *data, uint32_t size, uint64_t seed)
{
	for (uint32_t i = 0; i < size; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15ULL;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
		data[i] = (uint8_t)(z >> 32);
	}
}

/* Malloc gives memory that is not there, and whoever touches it is killed. */
static int check_memory(uint32_t size, struct kv_fault *f)
{
	uint64_t need = 2ULL * size, available = kv_memory_for(need);

	if (need <= available)
		return 0;
	return kv_fault_set(f, -EDQUOT, "the check of the contents takes %llu bytes of memory, and %llu are available: --no-verify skips it",
			    (unsigned long long)need, (unsigned long long)available);
}

/* Reports a read or a write of a buffer. */
static int report(const struct check *c, const struct kv_site *s, int error, const char *what)
{
	return kv_fault_backend(c->f, s->b, error, "cannot %s a buffer on %s", what, s->dev.name);
}

static const struct kv_site *site_of(const struct check *c, const struct kv_buffer *buf)
{
	return c->p->end[buf == &c->p->local[1] || buf == &c->p->target[1]].site;
}

/* The offset of a message in a buffer. */
static uint32_t first_of(const struct check *c, const struct kv_buffer *buf)
{
	return buf == &c->p->target[0] || buf == &c->p->target[1] ? kv_workload_grh(&c->work) : 0;
}

static int put(struct check *c, const struct kv_buffer *buf, const void *data)
{
	const struct kv_buf_data write = { buf->buf, first_of(c, buf), c->size, .from = data };
	const struct kv_site *s = site_of(c, buf);

	return report(c, s, kv_op_buf_write(s->b, &write, NULL, NULL), "fill");
}

static int take(struct check *c, const struct kv_buffer *buf, void *data)
{
	const struct kv_buf_data read = { buf->buf, first_of(c, buf), c->size, .into = data };
	const struct kv_site *s = site_of(c, buf);

	return report(c, s, kv_op_buf_read(s->b, &read, NULL, NULL), "read");
}

static int put_zeros(struct check *c)
{
	int ret = 0;

	memset(c->got, 0, c->size);
	for (c->p = c->pairs; c->p < c->pairs + c->n; c->p++)
		for (unsigned int i = 0; i < 2 && !ret; i++)
			ret = put(c, &c->p->local[i], c->got) ?: put(c, &c->p->target[i], c->got);
	return ret;
}

/* @iters: of each pair: few samples are shared out evenly. */
static int run(struct check *c, uint64_t iters)
{
	const struct kv_amount amount = { .iters = iters * c->n };
	static struct kv_run_result result;

	return kv_block_measure(c->pairs->end[0].site, c->pairs, &c->work, &amount, NULL, &result,
				NULL, c->f);
}

static int mismatch(struct check *c, const char *what, uint32_t at, uint8_t got, uint8_t want)
{
	const struct kv_workload *w = &c->p->work;
	char which[40] = "";

	if (c->n > 1)
		snprintf(which, sizeof(which), " at QP %zu of %u", c->p - c->pairs + 1, c->n);
	return kv_fault_set(c->f, -EBADMSG,
			    "%s space, %s: verification of %s with %u bytes failed%s: byte %u of %s is 0x%02x and should be 0x%02x",
			    c->p->end[0].site->b->ops->space, c->p->end[0].site->dev.name,
			    kv_enum_name(kv_enum_op, w->op), w->size, which, at, what, got, want);
}

static int compare_once(struct check *c, const struct kv_buffer *buf, const char *what)
{
	int ret = take(c, buf, c->got);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < c->size; i++) {
		if (c->got[i] != c->want[i])
			return mismatch(c, what, i, c->got[i], c->want[i]);
	}
	return 0;
}

/* Over UC and UD a message may arrive later than its completion. */
static int compare(struct check *c, const struct kv_buffer *buf, const char *what)
{
	uint64_t end_ns = kv_now_ns() + (c->work.type == KVERBS_QPT_RC ? 0 : ARRIVAL_NS);
	int ret;

	while ((ret = compare_once(c, buf, what)) == -EBADMSG && kv_now_ns() < end_ns)
		poll(NULL, 0, LOOK_MS);
	return ret;
}

/* One way: the destination has the source's bytes afterwards. Each pair has its own. */
static int check_one_way_once(struct check *c, uint64_t seed)
{
	bool read = kv_op_among(c->work.op, KV_OPS_READ);
	int ret = 0;

	for (c->p = c->pairs; c->p < c->pairs + c->n && !ret; c->p++) {
		fill_pattern(c->want, c->size, seed + (uint64_t)(c->p - c->pairs));
		ret = put(c, read ? &c->p->target[1] : &c->p->local[0], c->want);
	}
	ret = ret ?: run(c, 1);
	for (c->p = c->pairs; c->p < c->pairs + c->n && !ret; c->p++) {
		fill_pattern(c->want, c->size, seed + (uint64_t)(c->p - c->pairs));
		ret = compare(c, read ? &c->p->local[0] : &c->p->target[1], read ? "the local buffer" : "the target");
	}
	return ret;
}

/* Checked twice: bytes left in the destination cannot equal both patterns. */
static int check_one_way(struct check *c)
{
	return check_one_way_once(c, SEED_A) ?: check_one_way_once(c, SEED_B);
}

static int check_word(struct check *c, const struct kv_buffer *buf, const char *what, uint64_t want)
{
	memcpy(c->want, &want, sizeof(want));
	return compare(c, buf, what);
}

/*
 * One sample of atomics: the last one returns what the target had before it, and leaves its own
 * value there. All write to one local buffer.
 */
static int check_atomics_once(struct check *c, uint64_t old, uint64_t back, uint64_t new)
{
	uint64_t filler = ~back;
	int ret = 0;

	for (c->p = c->pairs; c->p < c->pairs + c->n && !ret; c->p++)
		ret = put(c, &c->p->target[1], &old) ?: put(c, &c->p->local[0], &filler);
	ret = ret ?: run(c, 1);
	for (c->p = c->pairs; c->p < c->pairs + c->n && !ret; c->p++)
		ret = check_word(c, &c->p->local[0], "the value that came back", back) ?:
		      check_word(c, &c->p->target[1], "the target", new);
	return ret;
}

/* Atomics of a sample: a stream's is a group of them. */
static uint32_t count_atomics(const struct check *c)
{
	return c->work.kind == KV_KIND_STREAM ? c->work.signal : 1;
}

static int check_fetch_add(struct check *c)
{
	const uint64_t before = (count_atomics(c) - 1) * SEED_B, sum = before + SEED_B;

	c->work.compare_add = SEED_B;
	/* The last addition of the second sample carries through all bytes. */
	return check_atomics_once(c, SEED_A, SEED_A + before, SEED_A + sum) ?:
	       check_atomics_once(c, -sum, -SEED_B, 0);
}

static int check_cmp_swp(struct check *c)
{
	c->work.compare_add = SEED_A;
	c->work.swap = SEED_B;
	/*
	 * If the comparison fails, as it does after the first of a group, the target keeps its
	 * value.
	 */
	return check_atomics_once(c, SEED_A, count_atomics(c) > 1 ? SEED_B : SEED_A, SEED_B) ?:
	       check_atomics_once(c, SEED_A + 1, SEED_A + 1, SEED_A + 1);
}

/*
 * A ping-pong. The loop of WRITE counts its rounds in the last byte of all four
 * buffers, which must be equal at the start; see loop/write.c.
 */
static int check_both_ways(struct check *c)
{
	static const char *const what[] = {
		"the initiator's target", "the responder's target",
	};
	static const uint64_t seed[] = { SEED_A, SEED_B };
	bool flag = c->work.op == KVERBS_OP_WRITE;
	int ret = 0;

	c->p = c->pairs;

	for (unsigned int i = 0; i < 2 && !ret; i++) {
		fill_pattern(c->want, c->size, seed[i]);
		if (flag)
			c->want[c->size - 1] = 0;
		ret = put(c, &c->p->local[i], c->want);
	}
	if (!ret)
		ret = run(c, ROUNDS);
	for (unsigned int i = 0; i < 2 && !ret; i++) {
		fill_pattern(c->want, c->size, seed[!i]);
		if (flag)
			c->want[c->size - 1] = ROUNDS;
		ret = compare(c, &c->p->target[i], what[i]);
	}
	return ret;
}

static int check_op(struct check *c)
{
	int ret;

	if (c->work.op == KVERBS_OP_FETCH_ADD)
		ret = check_fetch_add(c);
	else if (c->work.op == KVERBS_OP_CMP_SWP)
		ret = check_cmp_swp(c);
	else if (kv_workload_one_way(&c->work))
		ret = check_one_way(c);
	else
		ret = check_both_ways(c);
	return ret ?: put_zeros(c);
}

/* The same with the ends in exchanged roles, of work that goes both ways. */
static int check_back(struct check *c)
{
	int ret;

	for (unsigned int i = 0; i < c->n; i++)
		kv_pair_swap(&c->pairs[i]);
	/* The CPUs are those of the other host, or of this one's initiator. */
	c->work.cpu[0] = -1;
	ret = check_op(c);
	for (unsigned int i = 0; i < c->n; i++)
		kv_pair_swap(&c->pairs[i]);
	return ret;
}

/**
 * kv_verify_pairs() - check that endpoints move the right bytes
 * @p: the endpoints of one thread, not measured on yet; their buffers are zeroed afterwards
 * @n: how many: 1, or those of a stream, each with a target of its own
 * @f: receives the position of a wrong byte, or the reason of another failure
 *
 * Return: 0, -EBADMSG if a byte is wrong, -ECANCELED if a signal asks the tool
 * to end, or another negative errno.
 */
int kv_verify_pairs(struct kv_pair *p, unsigned int n, struct kv_fault *f)
{
	struct check c = {
		.pairs = p,
		.n = n,
		.f = f,
		.work = p->work,
		.size = p->work.size,
	};
	int ret;

	/* One thread. With several threads, all CPUs of the workload are the initiator's. */
	if (c.work.threads > 1)
		c.work.cpu[1] = -1;
	c.work.hosts = 1;
	c.work.threads = 1;
	c.work.qps = n;
	c.work.both_ways = false;

	ret = check_memory(c.size, f);
	if (ret)
		return ret;
	c.want = malloc(c.size);
	c.got = malloc(c.size);
	if (!c.want || !c.got) {
		ret = kv_fault_set(f, -ENOMEM, "no memory for verification");
		goto out_free;
	}
	ret = check_op(&c);
	if (!ret && p->work.both_ways)
		ret = check_back(&c);
	ret = kv_pair_blame(p, ret, f);
out_free:
	free(c.got);
	free(c.want);
	return ret;
}
