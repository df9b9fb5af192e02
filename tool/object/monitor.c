// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "batch/session.h"
#include "cli/interrupt.h"
#include "object/describe.h"
#include "out/out.h"
#include "sys/now.h"

struct monitor_args {
	struct kv_given given;
	uint64_t time_ns;
	uint32_t count;
};

#define HAS_TIME (1U << 0)
#define HAS_COUNT (1U << 1)

static const struct kv_key monitor_key[] = {
	{ "time", KV_KEY_TIME, offsetof(struct monitor_args, time_ns),
	  HAS_TIME, .help = "duration; default: until Ctrl-C" },
	{ "count", KV_KEY_U32, offsetof(struct monitor_args, count),
	  HAS_COUNT,
	  .help = "ends after N events; fewer events within 'time' are a failure" },
	{ .name = NULL },
};

static void tell(struct kv_session *s, const struct kv_event *event, struct json_object *list)
{
	struct json_object *obj = json_object_new_object();

	kv_describe_event(obj, event);
	if (s->live)
		s->live(obj, s->live_arg);
	/* Events are kept only in a batch, which may refer to them later. */
	if (s->batch)
		json_object_array_add(list, obj);
	else
		json_object_put(obj);
}

static int monitor(struct kv_session *s, const void *args,
		   struct json_object *result, struct kv_fault *f)
{
	const struct monitor_args *a = args;
	bool timed = a->given.bits & HAS_TIME;
	bool counted = a->given.bits & HAS_COUNT;
	uint64_t end_ns = timed ? kv_now_ns() + a->time_ns : UINT64_MAX;
	struct json_object *list = json_object_new_array();
	uint32_t got = 0;
	int ret = 0;

	if (isatty(STDERR_FILENO))
		fprintf(stderr, "kverbs: waiting for events; Ctrl-C ends it\n");
	while (!counted || got < a->count) {
		int ms = kv_interrupt_wait_ms(end_ns);
		struct kv_event event = { 0 };

		if (kv_interrupt_seen()) {
			ret = -EINTR;
			break;
		}
		ret = kv_op_event_wait(s->b, &(struct kv_wait){ 0, ms }, &event, NULL);
		if (!ret) {
			tell(s, &event, list);
			got++;
			continue;
		}
		if (ret != -EAGAIN)
			break;
		ret = 0;
		if (!ms)
			break;
	}
	/* Without a time and a count, Ctrl-C ends the command without a fault. */
	if (ret == -EINTR && kv_interrupt_seen() && !timed && !counted)
		ret = 0;
	else if (ret)
		kv_session_refuse(s, ret, f);
	else if (counted && got < a->count)
		ret = kv_fault_set(f, -ETIMEDOUT, "%u of %u events came within %g s", got, a->count,
				   (double)a->time_ns / 1e9);
	kv_out_put_count(result, "count", got);
	if (s->batch)
		kv_out_put(result, "events", list);
	else
		json_object_put(list);
	return ret;
}

KV_NOUN_COMMAND(monitor, "prints events as they come", false,
		"Kernel space: devices that come and go, asynchronous events, completions with errors, runs that start and end, and the RDMA CM's events, of all programs. User space, in a batch: the asynchronous events of the devices that the batch uses, and the events of its connections. Each event is a line, with --json a document.",
		.key = monitor_key, .size = sizeof(struct monitor_args), .fn = monitor);
