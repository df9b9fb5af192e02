// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "measure/spec.h"
#include "rules/request.h"
#include "sys/cpu.h"

/* The longest timeout that a run can have. */
#define SERVER_TIMEOUT_NS 3600000000000ULL

static uint32_t post_of(const struct kv_site *site, const struct kv_workload *work)
{
	if (site->id != KV_SPACE_KERNEL || work->post == KV_POST_BY_DEVICE)
		return kv_site_post_context(site);
	return work->post;
}

/* Both spaces of this host get the same default; another host chooses one for its own CPUs. */
static int32_t spins_of(const struct kv_site *site, const struct kv_workload *work)
{
	return work->spins >= 0 || site->host ? work->spins : kv_placement_spins();
}

/* Adds one end of the pair, with the objects that the loop and the operation need. */
static void add_end(struct kv_run_spec *spec, const struct kv_pair *p, unsigned int end)
{
	struct kv_run_end *to = &spec->end[spec->ends++];

	kv_pair_fill(p, end, to);
	if (!kv_run_has_target(spec->loop)) {
		to->target_buf = 0;
		to->target_mr = 0;
	}
	if (!kv_run_sends(spec->loop)) {
		to->local_buf = 0;
		to->local_mr = 0;
		to->ah = 0;
		to->remote_qpn = 0;
		to->remote_qkey = 0;
	}
	to->has_remote = kv_run_has_remote(spec->loop, spec->op);
	if (!to->has_remote && !kv_run_invalidates(spec->loop, spec->op, end))
		to->remote_key = 0;
	if (!kv_run_registers(spec->loop, spec->op, end))
		to->inv_mr = 0;
}

/*
 * An end of each pair. The workers of the initiator have a CPU each, which their first end names.
 */
static void add_threads(struct kv_run_spec *spec, const struct kv_pair *p,
			const struct kv_workload *work, unsigned int end)
{
	for (uint32_t i = 0; i < kv_workload_pairs(work); i++) {
		add_end(spec, &p[i], end);
		if (end || work->threads == 1 || i % work->qps || work->cpu[i / work->qps] < 0)
			continue;
		spec->end[i].has_cpu = true;
		spec->end[i].cpu = (uint32_t)work->cpu[i / work->qps];
	}
	if (work->qps > 1)
		spec->workers = work->threads;
}

/* The fields that all loops need. */
static void fill_common(struct kv_run_spec *spec, const struct kv_workload *work,
			const struct kv_amount *amount)
{
	spec->loop = kv_workload_loop(work);
	spec->iters = amount->iters;
	spec->time_ns = amount->time_ns;
	spec->warmup = amount->warmup;
	/* Of several threads each has the CPU of its end. */
	spec->cpu = work->threads > 1 ? -1 : work->cpu[0];
	spec->spins = -1;
}

/**
 * kv_spec_fill() - the spec of the initiator's run
 * @spec: receives it
 * @site: the initiator's
 * @p: the pairs of the work; NULL for KV_KIND_NULL
 * @work: the operation and its size
 * @amount: how many samples to take, or for how long
 */
void kv_spec_fill(struct kv_run_spec *spec, const struct kv_site *site, const struct kv_pair *p,
		  const struct kv_workload *work, const struct kv_amount *amount)
{
	memset(spec, 0, sizeof(*spec));
	fill_common(spec, work, amount);
	/* A run of another host goes on there while the tool waits for others. */
	spec->in_wait = !site->host;
	if (work->kind == KV_KIND_NULL) {
		snprintf(spec->dev, sizeof(spec->dev), "%s", site->dev.name);
		return;
	}
	spec->op = work->op;
	spec->size = work->size;
	spec->compare_add = work->compare_add;
	spec->swap = work->swap;
	spec->timeout_ns = work->timeout_ns;
	spec->flags = kv_workload_flags(work);
	spec->sges = work->sges;
	if (kv_run_recvs(spec->loop, work->op, 1))
		spec->recv_sges = work->recv_sges;
	spec->post_context = post_of(site, work);
	if (work->completion == KVERBS_CQ_POLLED)
		spec->spins = spins_of(site, work);
	if (work->kind == KV_KIND_STREAM) {
		spec->depth = work->depth;
		spec->list = work->list;
		spec->signal = work->signal;
		spec->interval_ns = kv_workload_interval_ns(work);
		spec->credits = work->credits ? kv_workload_rx_depth(work) : 0;
	}
	if (kv_workload_pairs(work) > 1) {
		add_threads(spec, p, work, 0);
		return;
	}
	for (uint32_t i = 0; i < kv_run_ends(spec->loop); i++)
		add_end(spec, p, i);
}

/* A run of the responder, beside that of the initiator. */
static void fill_responder(struct kv_run_spec *spec, uint32_t loop,
			   const struct kv_run_spec *client, const struct kv_pair *p,
			   const struct kv_workload *work)
{
	*spec = *client;
	spec->loop = loop;
	memset(spec->end, 0, sizeof(spec->end));
	spec->ends = 0;
	add_threads(spec, p, work, 1);
	spec->spins = spins_of(p->end[1].site, work);
	spec->post_context = post_of(p->end[1].site, work);
	/* With several threads, all CPUs of the workload are the initiator's. */
	spec->cpu = work->threads > 1 ? -1 : work->cpu[1];
	/* The tool waits for the other run. */
	spec->in_wait = false;
}

/**
 * kv_spec_fill_back() - the spec of the same run from the responder to the initiator
 * @back: receives it
 * @client: the initiator's
 */
void kv_spec_fill_back(struct kv_run_spec *back, const struct kv_run_spec *client,
		       const struct kv_pair *p, const struct kv_workload *work)
{
	fill_responder(back, client->loop, client, p, work);
}

/**
 * kv_spec_fill_server() - the spec of the responder's run, if the operation needs one
 * @server: receives it
 * @client: the initiator's
 */
void kv_spec_fill_server(struct kv_run_spec *server, const struct kv_run_spec *client,
			 const struct kv_pair *p, const struct kv_workload *work)
{
	bool stream = work->kind == KV_KIND_STREAM;
	uint32_t served = work->credits ? KVERBS_LOOP_CREDIT_SERVER : KVERBS_LOOP_STREAM_SERVER;

	fill_responder(server, stream ? served : KVERBS_LOOP_PINGPONG_SERVER, client, p, work);
	if (stream) {
		if (!kv_run_sends(served))
			server->post_context = KVERBS_POST_PROCESS;
		server->credits = 0;
		server->depth = kv_workload_rx_depth(work);
		server->list = 0;
		server->signal = 0;
		server->interval_ns = 0;
		server->flags = 0;
		server->sges = 0;
		server->recv_sges = work->recv_sges;
	}
	/* The server's run has no limit: the client's run, warm-up included, decides its length. */
	server->warmup = 0;
	server->time_ns = 0;
	server->iters = UINT64_MAX;
	/* The tool cancels the server's run after the client's; until then it may be idle. */
	server->timeout_ns = SERVER_TIMEOUT_NS;
}
