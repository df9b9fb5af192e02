// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include "measure/listing.h"
#include "measure/result.h"
#include "measure/stats.h"
#include "out/out.h"
#include "out/prose.h"
#include "out/unit.h"
#include "rate/rate.h"

/**
 * kv_rate_init() - make the objects that all connections share
 * @r: spec and site are set; receives the objects, which closing the site destroys
 */
int kv_rate_init(struct kv_rate *r, struct kv_fault *f)
{
	for (unsigned int i = 0; i < KV_RATE_STEPS; i++) {
		kv_hist_reset(&r->cost[i].verb);
		kv_hist_reset(&r->cost[i].step);
	}
	/* A CQ of one entry is enough, because no message is sent. */
	return kv_endpoint_add_pd(&r->end, f) ?:
	       kv_endpoint_add_cqs(&r->end, 1, 0, KVERBS_CQ_POLLED, f);
}

/**
 * kv_rate_record() - record the cost of a step
 * @verb_ns: how long the verb itself took; 0: it was not called
 * @step_ns: how long the step took
 */
void kv_rate_record(struct kv_rate *r, enum kv_rate_step step, uint64_t verb_ns, uint64_t step_ns)
{
	if (!verb_ns)
		return;
	kv_hist_record(&r->cost[step].verb, verb_ns);
	kv_hist_record(&r->cost[step].step, step_ns);
}

/**
 * kv_rate_create_qp() - create a QP for one connection
 * @r: the measurement, with the objects that all connections share
 * @id: receives the id of the QP
 * @verb_ns: receives how long the verb took
 */
int kv_rate_create_qp(struct kv_rate *r, uint32_t *id, uint64_t *verb_ns, struct kv_fault *f)
{
	const struct kv_qp_init init = {
		.type = KVERBS_QPT_RC,
		.max_send_wr = 1,
		.max_recv_wr = 1,
	};
	int ret = kv_endpoint_add_qp(&r->end, &init, f);

	*id = r->end.qp;
	*verb_ns = r->end.verb[KV_VERB_QP_NEW].verb_ns;
	return ret;
}

static const char *const names[KV_RATE_STEPS] = {
	[KV_RATE_CREATE_ID] = "create_id",
	[KV_RATE_RESOLVE_ADDR] = "resolve_addr",
	[KV_RATE_RESOLVE_ROUTE] = "resolve_route",
	[KV_RATE_CREATE_QP] = "create_qp",
	[KV_RATE_CONNECT] = "connect",
	[KV_RATE_ACCEPT] = "accept",
	[KV_RATE_DISCONNECT] = "disconnect",
	[KV_RATE_DESTROY_ID] = "destroy_id",
	[KV_RATE_DESTROY_QP] = "destroy_qp",
};

static struct json_object *describe_hist(const struct kv_hist *h)
{
	struct json_object *obj = json_object_new_object();

	/* A tick of this histogram is a nanosecond. */
	kv_result_hist(obj, h, 1);
	return obj;
}

static struct json_object *describe_steps(const struct kv_rate *r)
{
	struct json_object *steps = json_object_new_array();

	for (unsigned int i = 0; i < KV_RATE_STEPS; i++) {
		const struct kv_rate_cost *c = &r->cost[i];
		uint64_t n = kv_stats_count(&c->step);
		struct json_object *step;

		if (!n)
			continue;
		step = json_object_new_object();
		kv_out_put_string(step, "step", names[i]);
		kv_out_put_count(step, "samples", n);
		kv_out_put(step, "verb", describe_hist(&c->verb));
		kv_out_put(step, "until_seen", describe_hist(&c->step));
		json_object_array_add(steps, step);
	}
	return steps;
}

static void put_rate(struct json_object *obj, const char *key, uint64_t n, uint64_t ns)
{
	kv_out_put(obj, key, kv_out_real(ns ? (double)n * 1e9 / (double)ns : NAN, 1));
}

/**
 * kv_rate_describe() - describe the costs of connections
 * @r: the measurement, after its end
 *
 * Return: an object, owned by the caller.
 */
struct json_object *kv_rate_describe(const struct kv_rate *r)
{
	struct json_object *obj = json_object_new_object();

	kv_out_put_string(obj, "space", r->end.site->b->ops->space);
	kv_out_put_count(obj, "connections", r->done);
	if (r->gone)
		kv_out_put_count(obj, "gave_up", r->gone);
	kv_out_put_count(obj, "elapsed_ns", r->elapsed_ns);
	put_rate(obj, "connections_per_second", r->done, r->elapsed_ns);
	if (r->setup_ns) {
		kv_out_put_count(obj, "setup_ns", r->setup_ns);
		put_rate(obj, "setups_per_second", r->done, r->setup_ns);
	}
	kv_out_put(obj, "steps", describe_steps(r));
	return obj;
}

static void print_head(FILE *out, struct json_object *doc)
{
	struct json_object *result = kv_out_get(doc, "/result");

	fprintf(out, "%s connections, %s space, %s side", KV_COUNT(kv_out_get_count(result, "/connections")),
		kv_out_get_string(result, "/space"), kv_out_get_string(doc, "/spec/role"));
	if (kv_out_get(doc, "/spec/parallel"))
		fprintf(out, ", %llu at a time", kv_out_get_count(doc, "/spec/parallel"));
	fprintf(out, ": %.1f per second from begin to end",
		kv_out_get_real(result, "/connections_per_second"));
	if (kv_out_get(result, "/setups_per_second"))
		fprintf(out, ", %.1f per second set up", kv_out_get_real(result, "/setups_per_second"));
	if (kv_out_get(result, "/gave_up"))
		fprintf(out, "\nPeers that gave up before they were accepted: %llu",
			kv_out_get_count(result, "/gave_up"));
	fprintf(out, "\n");
}

/**
 * kv_rate_report() - print the costs of connections
 * @doc: the document of the measurement
 */
int kv_rate_report(struct json_object *doc, struct kv_fault *f)
{
	static const struct kv_listing columns[] = {
		{ "step", kv_listing_word, .path = "/step" },
		{ "verb: p50", kv_listing_time, .path = "/verb/p50_ns" },
		{ "p99", kv_listing_time, .path = "/verb/p99_ns" },
		{ "until seen: min", kv_listing_time, .path = "/until_seen/min_ns" },
		{ "p50", kv_listing_time, .path = "/until_seen/p50_ns" },
		{ "p99", kv_listing_time, .path = "/until_seen/p99_ns" },
		{ "max", kv_listing_time, .path = "/until_seen/max_ns" },
	};
	struct kv_prose prose;
	FILE *out;
	int ret;

	out = kv_prose_begin(&prose, stdout);
	print_head(out, doc);
	kv_prose_end(&prose);
	printf("\nDurations in %s:\n\n", kv_unit_name());
	ret = kv_listing_print(kv_out_get(doc, "/result/steps"), columns,
			       sizeof(columns) / sizeof(columns[0]), f);
	if (ret)
		return ret;
	printf("verb: of the RDMA CM or of the QP, in its own space\n");
	kv_prose_print(stdout, "until seen: until the tool saw the end of the step, with system calls, the QP's transitions and the peer's answer\n");
	return 0;
}
