// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "object/tell.h"

/**
 * kv_tell_pass() - say of a failure what the inner backend says
 * @t: the backend
 * @ret: what the inner one returned
 *
 * Return: @ret
 */
int kv_tell_pass(struct kv_trace *t, int ret)
{
	if (ret)
		memcpy(t->base.err, t->inner->err, sizeof(t->base.err));
	return ret;
}

/**
 * kv_trace_settle() - tell what has been held back
 * @b: what kv_trace_wrap() made
 */
void kv_trace_settle(struct kv_backend *b)
{
	struct kv_trace *t = (struct kv_trace *)b;
	char args[32];
	struct kv_trace_call call = {
		.called = true,
		.verb = t->kernel ? "ib_poll_cq" : "ibv_poll_cq",
		.args = args,
		.wr = "",
		.before = "",
		.after = "",
		.result = "0",
		.why = "",
		.calls = t->idle_calls,
		.idle = true,
		.timed = true,
		.ns = t->idle_ns,
	};

	if (!t->idle_calls)
		return;
	snprintf(args, sizeof(args), "cq %u", t->idle_cq);
	t->idle_calls = 0;
	t->idle_ns = 0;
	t->fn(&call, t->arg);
}

/**
 * kv_tell_idle() - a poll found nothing: tell when another verb follows
 * @t: the backend
 * @cq: where
 * @ns: how long it took
 */
void kv_tell_idle(struct kv_trace *t, uint32_t cq, uint64_t ns)
{
	if (t->idle_calls && t->idle_cq != cq)
		kv_trace_settle(&t->base);
	t->idle_cq = cq;
	t->idle_calls++;
	t->idle_ns += ns;
}

/**
 * kv_tell_failed() - was it the kernel's verb that failed?
 * @verb: which one
 * @err: what the module says; of a failure it gives nothing else
 *
 * Return: false if the module refused before it.
 */
bool kv_tell_failed(const char *verb, const char *err)
{
	static const struct {
		const char *verb;
		const char *text;
	} others[] = {
		{ "ib_create_cq", "the device refuses to make the cq" },
		{ "ib_alloc_cq", "the device refuses to make the cq" },
		{ "rdma_create_user_ah", "MAC address can't be resolved" },
		{ "rdma_bind_addr", "is not an address of an RDMA device" },
		{ "rdma_bind_addr", "port is a privileged one" },
		{ "rdma_listen", "port is in use" },
		{ "rdma_resolve_addr", "no route leads to dst" },
		{ "ib_post_", "the device says that the queue is full" },
		{ "ib_post_", "the device refuses the request" },
		{ "ib_post_", "the device completed the request with an error" },
		{ "ib_post_", "no completion within" },
	};
	char text[64];

	snprintf(text, sizeof(text), "%s failed", verb);
	if (strstr(err, text))
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strncmp(verb, others[i].verb, strlen(others[i].verb)) &&
		    strstr(err, others[i].text))
			return true;
	}
	return false;
}

/* In user space a verb that fails has taken its time, too. */
static bool was_called(const struct kv_trace *t, const char *verb,
		       const uint64_t *ns, int ret)
{
	if (!ret)
		return true;
	return t->kernel ? kv_tell_failed(verb, t->inner->err) : ns && *ns;
}

/**
 * kv_tell_call() - tell of a verb, and pass on what it returned
 * @t: the backend
 * @call: the verb, without what came of it
 * @ns: how long it took, 0 before it was called; NULL: nobody knows
 * @ret: what the inner backend returned
 *
 * Return: @ret
 */
int kv_tell_call(struct kv_trace *t, struct kv_trace_call *call,
		 const uint64_t *ns, int ret)
{
	call->called = was_called(t, call->verb, ns, ret);
	if (ret)
		call->result = "";
	if (!call->called) {
		call->before = "";
		call->after = "";
	}
	call->error = ret;
	call->why = ret ? t->inner->err : "";
	call->calls = 1;
	call->timed = ns && !ret;
	call->ns = call->timed ? *ns : 0;
	kv_trace_settle(&t->base);
	t->fn(call, t->arg);
	return kv_tell_pass(t, ret);
}

/**
 * kv_tell_verb() - as kv_tell_call(), of a verb that stands alone
 * @t: the backend
 * @kernel: its name in the kernel
 * @user: its name in user space
 * @args: what it was called for
 * @result: what it made or found
 * @ns: as in kv_tell_call()
 * @ret: as in kv_tell_call()
 *
 * Return: @ret
 */
int kv_tell_verb(struct kv_trace *t, const char *kernel, const char *user,
		 const char *args, const char *result, const uint64_t *ns,
		 int ret)
{
	struct kv_trace_call call = {
		.verb = t->kernel ? kernel : user,
		.args = args,
		.wr = "",
		.before = "",
		.after = "",
		.result = result,
	};

	return kv_tell_call(t, &call, ns, ret);
}
