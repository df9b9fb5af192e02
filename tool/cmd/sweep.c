// SPDX-License-Identifier: MIT
#include "cmd/sweep.h"
#include "out/environment.h"
#include "out/out.h"
#include "remote/peer.h"

#define TIME_DEFAULT_NS 2300000000ULL
#define SEED_DEFAULT 1

const struct kv_foreign kv_sweep_both[] = {
	{ "both", .here = "without --space both are measured, in turn" },
	{ .word = NULL },
};

/**
 * kv_sweep_cmd_init() - set the defaults
 * @c: zeroed
 */
void kv_sweep_cmd_init(struct kv_sweep_cmd *c)
{
	c->common = (struct kv_options)KV_OPTIONS_DEFAULT;
	c->m.plan.time_ns = TIME_DEFAULT_NS;
	c->m.plan.rounds = KV_POINT_ROUNDS;
	c->m.plan.seed = SEED_DEFAULT;
	c->m.contrast = &kv_contrast_spaces;
	c->m.spaces = 1U << KV_SPACE_KERNEL | 1U << KV_SPACE_USER;
}

/**
 * kv_sweep_cmd_settle() - the options are parsed: complete the sweep from them
 * @c: the command
 * @f: receives the reason of a refusal
 *
 * Return: 0 or a negative errno.
 */
int kv_sweep_cmd_settle(struct kv_sweep_cmd *c, struct kv_fault *f)
{
	int ret = kv_options_settle(&c->common, f);

	c->m.plan.verify = c->common.verify;
	c->m.work = c->common.work;
	c->m.host = c->common.peer.host;
	if (c->common.has_both) {
		c->m.contrast = &kv_contrast_alone[c->common.both];
		c->m.spaces = 1U << c->common.both;
	}
	return ret;
}

/**
 * kv_sweep_cmd_check_pairs() - can a run have the connections of all threads?
 * @qps: of each thread
 */
int kv_sweep_cmd_check_pairs(const struct kv_sweep_cmd *c, uint32_t qps, struct kv_fault *f)
{
	const uint32_t threads = c->common.work.threads;

	return threads * qps <= KV_RUN_ENDS_MAX ? 0 :
	       kv_fault_usage(f, "--threads %u with --qps %u are %u connections: at most %u", threads, qps, threads * qps,
			      KV_RUN_ENDS_MAX);
}

/**
 * kv_sweep_cmd_check_shared() - can the connections of a thread have in common what
 *	KV_OPTION_SHARED_ROWS() say?
 */
int kv_sweep_cmd_check_shared(const struct kv_sweep_cmd *c, struct kv_fault *f)
{
	const struct kv_workload *w = &c->common.work;

	if (w->one_cq && w->srq)
		return kv_fault_usage(f, "--one-cq does not go with --srq: in user space the completion of a receive does not tell the QP");
	for (unsigned int i = 0; w->srq && i < c->m.ops.n; i++)
		if (!kv_op_among(c->m.ops.value[i], KV_OPS_RECEIVED))
			return kv_fault_usage(f, "--srq does not go with %s, which takes no receive",
					      kv_enum_name(kv_enum_op, c->m.ops.value[i]));
	return 0;
}

/** kv_sweep_cmd_put_shared() - add these to the spec of a document */
void kv_sweep_cmd_put_shared(const struct kv_sweep_cmd *c, struct json_object *spec)
{
	kv_out_put_bool(spec, "srq", c->m.work.srq);
	kv_out_put_bool(spec, "one_cq", c->m.work.one_cq);
}

static bool has_space(const struct kv_sweep_cmd *c, unsigned int space)
{
	return c->m.spaces & 1U << space;
}

static int open_host(struct kv_sweep_cmd *c, uint32_t host, struct kv_fault *f)
{
	struct kv_peer *peer = host ? &c->further[host - 1] : &c->common.peer;
	struct kv_site *site = c->m.peer[host];
	int ret = 0;

	for (unsigned int s = 0; s < KV_SPACES && !ret; s++) {
		if (!has_space(c, s))
			continue;
		ret = kv_site_open_peer(&site[s], s, peer, f);
		peer->dev = site[s].dev.name;
	}
	return ret;
}

/* All sites of a host use the same device. */
static int open_sites(struct kv_sweep_cmd *c, struct kv_fault *f)
{
	struct kv_options *o = &c->common;
	int ret = 0;

	for (unsigned int s = 0; s < KV_SPACES && !ret; s++) {
		if (!has_space(c, s))
			continue;
		ret = kv_site_open(&c->m.site[s], s, o->dev, o->ib_port, o->gid, f);
		o->dev = c->m.site[s].dev.name;
	}
	for (uint32_t host = 0; host < c->m.work.hosts && !ret && c->m.host; host++)
		ret = open_host(c, host, f);
	if (!ret)
		ret = kv_sweep_settle(&c->m) ?: kv_sweep_check(&c->m);
	if (ret && !f->error)
		*f = c->m.fault;
	return ret;
}

static struct json_object *describe_environment(const struct kv_sweep_cmd *c)
{
	unsigned int first = has_space(c, KV_SPACE_KERNEL) ? KV_SPACE_KERNEL : KV_SPACE_USER;
	unsigned int n = (unsigned int)__builtin_popcount(c->m.spaces);
	struct json_object *environment =
		kv_environment_create(&c->m.site[first], n, c->common.label);

	for (uint32_t host = 0; c->m.host && host < c->m.work.hosts; host++)
		kv_environment_add_peer(environment, &c->m.peer[host][first], n);
	return environment;
}

/**
 * kv_sweep_cmd_run() - open the sites, and measure all points
 * @c: the command; receives the document once there is a measurement
 * @create: begins the document, which owns the environment
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_sweep_cmd_run(struct kv_sweep_cmd *c,
		     struct json_object *(*create)(struct json_object *environment),
		     struct kv_fault *f)
{
	int ret = open_sites(c, f);

	if (ret)
		return ret;
	c->doc = create(describe_environment(c));
	ret = kv_sweep_measure(&c->m, c->doc);
	if (!ret && !c->m.tried)
		ret = c->m.fault.error;
	if (ret)
		*f = c->m.fault;
	kv_out_put_bool(c->doc, "complete", !ret);
	return ret;
}

/**
 * kv_sweep_cmd_close() - close the sites
 * @c: the command
 */
void kv_sweep_cmd_close(struct kv_sweep_cmd *c)
{
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		for (uint32_t host = 0; host < KV_HOSTS_MAX; host++)
			kv_site_close(&c->m.peer[host][s]);
		kv_site_close(&c->m.site[s]);
	}
}
