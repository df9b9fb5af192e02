// SPDX-License-Identifier: MIT
/* A space of another host: every operation is a message to its 'kverbs serve'. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/interrupt.h"
#include "remote/channel.h"
#include "remote/connect.h"
#include "rules/buf.h"
#include "sys/now.h"

/* The longest time from Ctrl-C to the end of a wait. */
#define SLICE_MS 500

struct remote {
	struct kv_backend base; /* first */
	struct kv_backend_ops ops; /* with the name of its space */
	const char *host;
	char dev[64];
	struct kv_channel channel;
};

static struct remote *remote_of(struct kv_backend *b)
{
	return (struct remote *)b;
}

/* The text of a failure begins with the host's name. */
static int finish(struct kv_backend *b, int ret, const struct kv_fault *f)
{
	return ret ? kv_backend_fail(b, ret, "%.80s: %.400s", remote_of(b)->host, f->text) : 0;
}

static int exchange(struct kv_backend *b, struct kv_exchange_call *x)
{
	struct kv_fault f;

	x->b = b;
	kv_backend_begin(b);
	return finish(b, kv_channel_call(&remote_of(b)->channel, x, &f), &f);
}

/**
 * kv_remote_call() - make a call that is no operation of a backend
 * @b: the backend, made by kv_backend_remote_open()
 * @args: arguments as in the call's row; NULL if the call takes none
 * @result: receives the result as in the row; NULL: the caller does not want it
 *
 * Return: 0 or a negative errno, with the reason in @b->err.
 */
int kv_remote_call(struct kv_backend *b, enum kv_call which, const void *args, void *result)
{
	struct kv_exchange_call x = { .call = which, .args = args, .result = result };

	return exchange(b, &x);
}

/**
 * kv_remote_ask() - begin a call as kv_remote_call() makes; no other call until kv_remote_take()
 *
 * Return: 0 or a negative errno, with the reason in @b->err; then there is no answer to take.
 */
int kv_remote_ask(struct kv_backend *b, enum kv_call which, const void *args)
{
	const struct kv_exchange_call x = { .call = which, .args = args };
	struct kv_fault f;

	return finish(b, kv_channel_ask(&remote_of(b)->channel, &x, &f), &f);
}

/**
 * kv_remote_answered() - is the answer of a call that has begun here?
 * @ns: how long to wait for it
 *
 * Return: true if kv_remote_take() need not wait.
 */
bool kv_remote_answered(struct kv_backend *b, uint64_t ns)
{
	return kv_wire_ready(&remote_of(b)->channel.wire, ns);
}

/**
 * kv_remote_take() - wait for the answer of a call that has begun
 *
 * Return: 0 or a negative errno, with the reason in @b->err.
 */
int kv_remote_take(struct kv_backend *b, enum kv_call which, void *result)
{
	struct kv_exchange_call x = { .b = b, .call = which, .result = result };
	struct kv_fault f;

	return finish(b, kv_channel_take(&remote_of(b)->channel, &x, &f), &f);
}

static void close_backend(struct kv_backend *b)
{
	struct remote *r = remote_of(b);

	kv_channel_stop(&r->channel);
	free(r);
}

/* A connection is for one device. */
static int check_dev(struct kv_backend *b, const char *dev)
{
	struct remote *r = remote_of(b);

	if (!strcmp(dev, r->dev))
		return 0;
	return kv_backend_fail(b, -ENODEV, "%.80s: the device is %s, not '%.64s'",
			       r->host, r->dev, dev);
}

static int unsupported(struct kv_backend *b, const char *what)
{
	return kv_backend_fail(b, -EOPNOTSUPP, "%.80s: %s is not served to other hosts",
			       remote_of(b)->host, what);
}

static int dev_each(struct kv_backend *b, int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	struct kv_dev *dev = malloc(sizeof(*dev));
	int ret;

	if (!dev)
		return kv_backend_fail(b, -ENOMEM, "no memory");
	ret = kv_op_dev_get(b, &(struct kv_dev_name){ remote_of(b)->dev }, dev, NULL);
	if (!ret)
		ret = fn(dev, arg);
	free(dev);
	return ret;
}

static int each(struct kv_backend *b, enum kv_type type,
		int (*fn)(const union kv_object *object, void *arg), void *arg)
{
	return unsupported(b, "a list of objects");
}

static uint32_t piece_of(uint64_t length)
{
	return length < KV_WIRE_DATA_MAX ? (uint32_t)length : KV_WIRE_DATA_MAX;
}

/* Moves contents in several messages, in either direction. */
static int buf_move(struct kv_backend *b, enum kv_call which, const struct kv_buf_data *in)
{
	struct kv_buf_data piece = *in;
	struct kv_exchange_call x = { .call = which, .args = &piece };
	struct kv_refusal why;
	uint64_t done = 0;
	int ret;

	if (kv_buf_check_length(in->length, &why))
		return kv_backend_fail(b, why.error, "%s", why.text);
	do {
		piece.offset = in->offset + done;
		piece.length = piece_of(in->length - done);
		if (which == KV_CALL_BUF_WRITE) {
			x.send = (const uint8_t *)in->from + done;
			x.send_length = (uint32_t)piece.length;
		} else {
			x.receive = (uint8_t *)in->into + done;
			x.receive_length = (uint32_t)piece.length;
		}
		ret = exchange(b, &x);
		done += piece.length;
	} while (!ret && done < in->length);
	return ret;
}

/* Waits in slices, so that Ctrl-C is noticed. */
static int wait_for(struct kv_backend *b, enum kv_op op, const struct kv_wait *in, void *out)
{
	struct kv_wait slice = { .id = in->id };
	bool interrupted = kv_interrupt_seen();
	uint64_t end_ns = kv_now_ns() + (uint64_t)in->timeout_ms * 1000000;
	int64_t left = in->timeout_ms;
	int ret;

	for (;;) {
		slice.timeout_ms = left < 0 || left > SLICE_MS ? SLICE_MS : (int32_t)left;
		ret = kv_remote_call(b, (enum kv_call)op, &slice, out);
		if (ret != -EAGAIN)
			return ret;
		if (!interrupted && kv_interrupt_seen())
			return -EINTR;
		if (in->timeout_ms < 0)
			continue;
		left = (int64_t)(end_ns - kv_now_ns()) / 1000000;
		if (left <= 0)
			return -EAGAIN;
	}
}

static int take_sum(struct kv_backend *b, struct kv_run_result *result, uint32_t worker)
{
	if (worker >= result->workers)
		return kv_backend_fail(b, -EBADMSG,
				       "%.80s: the answer has no result of worker %u",
				       remote_of(b)->host, worker);
	result->hist.sum = result->worker[worker].sum_ticks;
	return 0;
}

/* A request takes up to 200 bytes of a message, and up to 64 for each SGE. */
static int check_list(struct kv_backend *b, const struct kv_post *post)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < post->wrs; i++)
		bytes += 200 + 64 * post->wr[i].sges;
	if (bytes <= KV_WIRE_HEAD_MAX - 1024)
		return 0;
	return kv_backend_fail(b, -EMSGSIZE,
			       "%.80s: a list of %u requests is too long for one message",
			       remote_of(b)->host, post->wrs);
}

static int call(struct kv_backend *b, enum kv_op op, const void *in, void *out)
{
	struct kv_exchange_call x = { .call = (enum kv_call)op, .args = in, .result = out };
	struct kv_run_result *result = out;
	int ret = 0;

	switch (op) {
#define OP(...)
#define LOCAL(NAME, name, ...)								\
	case KV_OP_##NAME:								\
		return unsupported(b, #name);
#include "model/ops.def"
	case KV_OP_DEV_GET:
	case KV_OP_COUNTERS:
		/* The device's name is the first member of both structs. */
		ret = check_dev(b, *(const char *const *)in);
		break;
	case KV_OP_WR_POST:
		ret = check_list(b, in);
		break;
	case KV_OP_BUF_WRITE:
	case KV_OP_BUF_READ:
		return buf_move(b, (enum kv_call)op, in);
	case KV_OP_CONN_WAIT:
	case KV_OP_CQ_WAIT:
	case KV_OP_EVENT_WAIT:
	case KV_OP_RUN_WAIT:
		return wait_for(b, op, in, out);
	case KV_OP_RUN_GET:
		/* The bins come as data, as many as there are. */
		x.hist = &result->hist;
		ret = exchange(b, &x);
		return ret ? ret : take_sum(b, result, ((const struct kv_run_which *)in)->worker);
	default:
		break;
	}
	return ret ? ret : exchange(b, &x);
}

static const struct kv_backend_ops remote_ops = {
	.close = close_backend,
	.call = call,
	.dev_each = dev_each,
	.each = each,
};

/**
 * kv_backend_remote_open() - open a space of another host
 * @w: a wire that has said hello; the backend owns it from now on, also after a failure
 * @host: the other host, for messages; must live as long as the backend
 * @idle_ns: the longest silence that the server accepts
 * @keep: the sender of NOPs
 */
int kv_backend_remote_open(struct kv_backend **b, struct kv_wire *w,
			   const char *host, enum kv_space_id id,
			   const char *dev, uint64_t idle_ns, enum kv_keep keep)
{
	struct remote *r = calloc(1, sizeof(*r));
	int ret;

	*b = NULL;
	if (!r) {
		kv_wire_close(w);
		return -ENOMEM;
	}
	r->host = host;
	r->ops = remote_ops;
	r->ops.space = kv_enum_name(kv_enum_space, id);
	r->base.ops = &r->ops;
	snprintf(r->dev, sizeof(r->dev), "%s", dev);
	ret = kv_channel_start(&r->channel, w, idle_ns, keep);
	if (ret) {
		close_backend(&r->base);
		return ret;
	}
	*b = &r->base;
	return 0;
}
