// SPDX-License-Identifier: MIT
#include <errno.h>
#include <signal.h>
#include <string.h>
#include "kernel/fields.h"
#include "remote/channel.h"
#include "sys/now.h"

/* The server's longest time for one call, which may have to clear memory. */
#define REPLY_NS 30000000000ULL

/* Channels without a thread of their own; the measuring thread sends their NOPs. */
static struct kv_channel *without_thread;

static int send_request(struct kv_channel *l, const struct kv_exchange_call *x)
{
	const struct kv_call_row *row = &kv_call_rows[x->call];
	struct kv_request request = { .seq = ++l->seq, .call = row->name };
	struct nl_msg *msg = kv_wire_begin(&l->wire);
	const struct kv_member *large;

	kv_nl_put_all(msg, &kv_shape_request, &request);
	large = kv_nl_put_nest(msg, KV_ATTR_NEST, row->args, x->args);
	if (large)
		return kv_fault_set(&l->wire.fault, -EMSGSIZE, KV_NL_TOO_LARGE, large->name);
	return kv_wire_send(&l->wire, x->send, x->send_length);
}

static void take_times(const struct kv_reply *reply, struct kv_times *times)
{
	times->verb_ns = reply->verb_ns;
	for (uint32_t i = 0; i < reply->stages; i++)
		times->stage_ns[reply->stage[i].kind] = reply->stage[i].ns;
}

/* @error: receives the server's error if the call has failed at the server, else 0. */
static int take_reply(struct kv_channel *l, struct kv_exchange_call *x, int *error)
{
	const struct kv_call_row *row = &kv_call_rows[x->call];
	struct kv_wire *w = &l->wire;
	struct kv_reply reply;
	struct kv_fault why;
	int ret = kv_attrs_take(&kv_shape_reply, w->head, (int)w->head_length, row->name, &reply,
				&why);

	if (ret)
		return kv_fault_set(&w->fault, ret, "the answer makes no sense: %s", why.text);
	if (reply.seq != l->seq)
		return kv_fault_set(&w->fault, -EPROTO, "the answer is that of another request");
	if (reply.ret) {
		kv_fault_set(&w->fault, reply.ret, "%s", reply.error);
		if (x->b)
			x->b->failed = reply.failed;
		*error = reply.ret;
		return 0;
	}
	if (x->b)
		take_times(&reply, &x->b->times);
	if (x->result)
		ret = kv_attrs_take(row->result, nla_data(reply.result), nla_len(reply.result),
				    row->name, x->result, &why);
	if (ret)
		return kv_fault_set(&w->fault, ret, "the answer makes no sense: %s", why.text);
	if (x->receive && w->data_length != x->receive_length)
		return kv_fault_set(&w->fault, -EPROTO, "the answer has %u bytes of data, not %u",
				    w->data_length, x->receive_length);
	if (x->receive)
		memcpy(x->receive, w->data, x->receive_length);
	/* The answer leaves out empty bins, and an empty bin is not all 0. */
	if (x->hist)
		kv_hist_reset(x->hist);
	if (x->hist && kv_nl_take_bins(w->data, w->data_length, x->hist))
		return kv_fault_set(&w->fault, -EBADMSG, "the answer's histogram makes no sense");
	return 0;
}

/* A failure of the channel itself ends it. */
static int end_if(struct kv_channel *l, int ret)
{
	if (ret)
		l->broken = ret == -ETIMEDOUT ? ret : -ECONNRESET;
	return ret ? l->broken : 0;
}

static int ask(struct kv_channel *l, const struct kv_exchange_call *x)
{
	if (l->broken)
		return -ENOTCONN;
	l->said_ns = kv_now_ns();
	return end_if(l, send_request(l, x));
}

static int take(struct kv_channel *l, struct kv_exchange_call *x)
{
	int error = 0;

	return end_if(l, kv_wire_receive(&l->wire, kv_now_ns() + REPLY_NS) ?:
			 take_reply(l, x, &error)) ?: error;
}

static int exchange(struct kv_channel *l, struct kv_exchange_call *x)
{
	return ask(l, x) ?: take(l, x);
}

/* Sends a NOP if one is due. Returns the time when the next NOP is due, of kv_now_ns(). */
static uint64_t keep(struct kv_channel *l)
{
	struct kv_exchange_call x = { .call = KV_CALL_NOP };

	if (!l->broken && kv_now_ns() >= l->said_ns + l->nop_ns)
		exchange(l, &x);
	return l->said_ns + l->nop_ns;
}

static void *keep_thread(void *arg)
{
	struct kv_channel *l = arg;
	struct timespec at;

	pthread_mutex_lock(&l->lock);
	while (!l->ending && !l->broken) {
		at = kv_timespec(keep(l));
		pthread_cond_clockwait(&l->ends, &l->lock, CLOCK_MONOTONIC, &at);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static int start_thread(struct kv_channel *l)
{
	sigset_t all, old;
	int ret;

	/* Signals are for the thread that waits for something. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&l->thread, NULL, keep_thread, l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	l->has_thread = !ret;
	return -ret;
}

/**
 * kv_channel_start() - start a channel
 * @l: receives the channel, zeroed before; kv_channel_stop() ends it, also after a failure
 * @w: a wire that has said hello; the channel owns it from now on
 * @idle_ns: the longest silence that the server accepts
 * @keep: the sender of NOPs
 */
int kv_channel_start(struct kv_channel *l, const struct kv_wire *w, uint64_t idle_ns,
		     enum kv_keep keep)
{
	l->wire = *w;
	l->nop_ns = idle_ns / 3;
	l->said_ns = kv_now_ns();
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->ends, NULL);
	if (keep == KV_KEEP_THREAD)
		return start_thread(l);
	l->next = without_thread;
	without_thread = l;
	return 0;
}

/**
 * kv_channel_keep_all() - send the NOPs that are due on channels without a thread
 *
 * The caller calls this four times a second: a server accepts a silence of at least one second.
 *
 * Return: true if there is a channel without a thread.
 */
bool kv_channel_keep_all(void)
{
	for (struct kv_channel *l = without_thread; l; l = l->next)
		keep(l);
	return without_thread;
}

/** kv_channel_stop() - end a channel; the server destroys the objects of this client */
void kv_channel_stop(struct kv_channel *l)
{
	pthread_mutex_lock(&l->lock);
	l->ending = true;
	pthread_cond_signal(&l->ends);
	pthread_mutex_unlock(&l->lock);
	if (l->has_thread)
		pthread_join(l->thread, NULL);
	for (struct kv_channel **at = &without_thread; *at; at = &(*at)->next) {
		if (*at == l) {
			*at = l->next;
			break;
		}
	}
	pthread_cond_destroy(&l->ends);
	pthread_mutex_destroy(&l->lock);
	kv_wire_close(&l->wire);
}

/**
 * kv_channel_ask() - begin a call
 * @l: the channel; no other call can be made until kv_channel_take()
 *
 * Return: as kv_channel_call(); after a failure there is no answer to take.
 */
int kv_channel_ask(struct kv_channel *l, const struct kv_exchange_call *x, struct kv_fault *f)
{
	int ret;

	pthread_mutex_lock(&l->lock);
	ret = ask(l, x);
	if (!ret)
		return 0;
	*f = l->wire.fault;
	pthread_mutex_unlock(&l->lock);
	return ret;
}

/**
 * kv_channel_take() - wait for the answer of a call that has begun
 * @x: the call; receives the result
 *
 * Return: as kv_channel_call().
 */
int kv_channel_take(struct kv_channel *l, struct kv_exchange_call *x, struct kv_fault *f)
{
	int ret = take(l, x);

	if (ret)
		*f = l->wire.fault;
	pthread_mutex_unlock(&l->lock);
	return ret;
}

/**
 * kv_channel_call() - make a call and wait for the answer
 * @x: the call; receives the result
 *
 * Return: 0, or the error of the operation at the server. -ETIMEDOUT, -ECONNRESET: the server
 * is gone; further calls return -ENOTCONN.
 */
int kv_channel_call(struct kv_channel *l, struct kv_exchange_call *x, struct kv_fault *f)
{
	return kv_channel_ask(l, x, f) ?: kv_channel_take(l, x, f);
}
