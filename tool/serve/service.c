// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/parse.h"
#include "kernel/fields.h"
#include "serve/service.h"
#include "sys/now.h"

/**
 * kv_service_init() - start a service
 * @s: receives the service; the caller frees its @made, and the objects stay until the space is
 *	closed
 * @site: open on the client's device; the caller keeps it
 * @limits: the client's limits
 *
 * Return: 0 or -ENOMEM.
 */
int kv_service_init(struct kv_service *s, struct kv_site *site, const struct kv_limits *limits)
{
	memset(s, 0, sizeof(*s));
	s->site = site;
	s->limits = *limits;
	s->entries = limits->objects + KV_SERVICE_RUNS;
	s->made = calloc(s->entries, sizeof(*s->made));
	return s->made ? 0 : -ENOMEM;
}

static int find_call(const char *name)
{
	for (int i = 0; i < KV_CALLS; i++) {
		if (kv_call_rows[i].name && !strcmp(kv_call_rows[i].name, name))
			return i;
	}
	return -1;
}

struct ids {
	struct kv_service *s;
	const struct kv_call_row *row;
};

/* The kernel would accept ids of other processes' persistent objects, too. */
static int check_id(uint32_t refers, const char *name, uint32_t id, void *arg)
{
	const struct ids *ids = arg;

	enum kv_type type = refers == KV_REFERS_ABOUT ? ids->row->about :
							(enum kv_type)(refers - 1);

	if (type == KV_NO_TYPE || kv_quota_find(ids->s, type, id))
		return 0;
	return kv_fault_set(&ids->s->fault, -ENOENT, "%s.%s: no %s %u among the client's",
				 ids->row->name, name, kv_enum_name(kv_enum_type, type), id);
}

static int answer(struct kv_service *s, int call, struct nlattr *args)
{
	const struct kv_call_row *row = &kv_call_rows[call];
	struct ids ids = { s, row };
	int ret;

	if (s->expired)
		return kv_fault_set(&s->fault, -ETIMEDOUT,
				    "a run has taken longer than %g s and was cancelled (kverbs serve --time)",
				    (double)s->limits.time_ns / 1e9);
	ret = kv_attrs_take(row->args, nla_data(args), nla_len(args), row->name, &s->in, &s->fault);
	if (ret)
		return ret;
	if (s->data_length && !row->sends)
		ret = kv_fault_set(&s->fault, -EBADMSG, "%s has no data", row->name);
	if (!ret)
		ret = kv_quota_ids(row->args, &s->in, check_id, &ids);
	if (!ret) {
		memset(&s->out, 0, row->result->size);
		ret = kv_service_run(s, (enum kv_call)call);
	}
	kv_nl_release(row->args, &s->in);
	return ret;
}

static void put_reply(struct kv_service *s, struct nl_msg *msg, int call, int ret)
{
	struct kv_reply reply = {
		.seq = s->seq,
		.ret = ret,
		.verb_ns = ret ? 0 : s->times.verb_ns,
	};

	if (ret) {
		snprintf(reply.error, sizeof(reply.error), "%.511s",
			 s->fault.text[0] ? s->fault.text : strerror(-ret));
		kv_hello_clean(reply.error);
		reply.failed = s->failed;
	}
	for (uint32_t i = 0; !ret && i <= KVERBS_STAGE_MAX; i++)
		if (s->times.stage_ns[i])
			reply.stage[reply.stages++] = (struct kv_stage){ i, s->times.stage_ns[i] };
	kv_nl_put_all(msg, &kv_shape_reply, &reply);
	kv_nl_put_nest(msg, KV_ATTR_NEST, ret ? NULL : kv_call_rows[call].result, &s->out);
}

/**
 * kv_service_answer() - answer a request
 * @w: the wire, with the request that was received; receives the answer, to be sent with
 *	its data
 * @length: receives the number of bytes of the data
 *
 * Return: 0, also if the answer is a refusal; a negative errno if the message was no request:
 * then the client gets a last answer, and s->fault has the reason.
 */
int kv_service_answer(struct kv_service *s, struct kv_wire *w, uint32_t *length)
{
	struct kv_request request;
	int ret, end = 0, call = KV_CALL_NOP;

	s->fault.text[0] = '\0';
	memset(&s->times, 0, sizeof(s->times));
	s->failed = KVERBS_STAGE_UNSPEC;
	s->data = w->data;
	s->data_length = w->data_length;
	ret = kv_attrs_take(&kv_shape_request, w->head, (int)w->head_length, "request", &request,
			    &s->fault);
	if (ret) {
		end = ret;
	} else if (request.seq != s->seq + 1) {
		ret = end = kv_fault_set(&s->fault, -EPROTO, "request.seq is %u, %u was to follow",
					      request.seq, s->seq + 1);
	} else {
		s->seq++;
		call = find_call(request.call);
		ret = call < 0 ? kv_fault_set(&s->fault, -EOPNOTSUPP, "there is no call '%s'",
						   request.call) :
				 answer(s, call, request.args);
	}
	*length = ret ? 0 : s->data_length;
	put_reply(s, kv_wire_begin(w), call, ret);
	return end;
}

/**
 * kv_service_watch() - cancel runs that take too long
 *
 * Return: the time of the next call, of kv_now_ns(); UINT64_MAX: never.
 */
uint64_t kv_service_watch(struct kv_service *s)
{
	struct kv_backend *b = s->site->b;
	uint64_t now = kv_now_ns(), next = UINT64_MAX;

	for (struct kv_made *run = s->made; run < s->made + s->entries; run++) {
		if (!run->id || run->type != KV_QUOTA_RUN)
			continue;
		if (run->end_ns > now) {
			next = run->end_ns < next ? run->end_ns : next;
			continue;
		}
		/* A run that has ended only waits for its deletion. */
		if (kv_op_run_wait(b, &(struct kv_wait){ run->id, 0 }, NULL, NULL) == -EAGAIN) {
			kv_op_run_cancel(b, &(struct kv_id){ run->id }, NULL, NULL);
			s->expired = true;
		}
		kv_quota_remove(s, KV_QUOTA_RUN, run->id);
	}
	return next;
}
