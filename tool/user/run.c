// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* CPU_SETSIZE */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/param.h>
#include "loop/flow.h"
#include "rules/run.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "user/post.h"
#include "user/put.h"
#include "user/run.h"

/* Does the spec have what its loop needs, and nothing else? */
static int check_given(struct kv_user *u, const struct kv_run_spec *spec)
{
	const struct kv_run_given given = {
		.spec = kv_shape_given(&kv_shape_run_spec, spec),
		.ends = spec->ends,
		.workers = spec->workers,
		.loop = spec->loop,
		.op = spec->op,
	};
	struct kv_refusal why;
	uint32_t cpus = 0;

	if (kv_run_check_given(&given, &why))
		return kv_user_refuse(u, &why);
	for (uint32_t i = 0; i < spec->ends; i++) {
		if (kv_run_check_end_given(&given, i,
					   kv_shape_given(&kv_shape_run_end, &spec->end[i]), &why))
			return kv_user_run_refuse(u, i, &why);
		cpus += spec->end[i].has_cpu;
	}
	return kv_run_check_cpus(&given, cpus, &why) ? kv_user_refuse(u, &why) : 0;
}

/* Checks the spec, and fills in its defaults. */
static int check_spec(struct kv_user *u, struct kv_run_spec *spec)
{
	int ret = check_given(u, spec);

	if (ret)
		return ret;
	if (kv_user_post_check_context(u, "post_context", spec->post_context))
		return -EOPNOTSUPP;
	if (!spec->timeout_ns)
		spec->timeout_ns = KV_RUN_TIMEOUT_NS;
	if (spec->timeout_ns < KV_RUN_TIMEOUT_NS_MIN)
		return kv_user_fail(u, -EINVAL, "timeout_ns must be 1 ms to 1 h");
	if (spec->spins < 0)
		spec->spins = kv_placement_spins();
	spec->sges = spec->sges ?: 1;
	spec->recv_sges = spec->recv_sges ?: 1;
	spec->list = spec->list ?: 1;
	spec->signal = spec->signal ?: spec->list;
	spec->depth = spec->depth ?: spec->signal;
	return 0;
}

static int find_memory(struct kv_user *u, uint32_t buf_id, uint32_t mr_id,
		       struct kv_user_buf **buf, struct kv_user_mr **mr)
{
	if (!buf_id)
		return 0;
	*buf = kv_user_obj_find(u, KV_BUF, buf_id);
	if (!*buf)
		return -ENOENT;
	*mr = mr_id ? kv_user_obj_find(u, KV_MR, mr_id) : NULL;
	return mr_id && !*mr ? -ENOENT : 0;
}

static int find_end(struct kv_user *u, const struct kv_run_end *from, struct kv_user_end *to)
{
	to->qp = kv_user_obj_find(u, KV_QP, from->qp);
	if (!to->qp)
		return -ENOENT;
	to->ah = from->ah ? kv_user_obj_find(u, KV_AH, from->ah) : NULL;
	if (from->ah && !to->ah)
		return -ENOENT;
	return find_memory(u, from->local_buf, from->local_mr, &to->local, &to->local_mr) ?:
	       find_memory(u, from->target_buf, from->target_mr, &to->target, &to->target_mr);
}

static int make_ends(struct kv_user *u, struct kv_user_run *run)
{
	if (!run->spec.ends)
		return 0;
	run->ends = calloc(run->spec.ends, sizeof(*run->ends));
	if (!run->ends)
		return kv_user_fail(u, -ENOMEM, "no memory for %u ends", run->spec.ends);
	return kv_user_obj_set_slots(u, &run->obj, run->spec.ends);
}

static int find_ends(struct kv_user *u, struct kv_user_run *run, struct kv_user_dev **dev)
{
	const struct kv_run_spec *spec = &run->spec;
	int ret = 0;

	if (!spec->ends) {
		*dev = kv_user_dev_open(u, spec->dev, &ret);
		return *dev ? 0 : ret;
	}
	if (!spec->size)
		return kv_user_fail(u, -ERANGE, "size is 0: it must be 1 byte at least");
	for (uint32_t i = 0; i < spec->ends && !ret; i++)
		ret = find_end(u, &spec->end[i], &run->ends[i]);
	if (ret)
		return ret;
	*dev = run->ends[0].qp->obj.dev;
	run->sleeps = run->ends[0].qp->send_cq->channel;
	return 0;
}

/* Posts the receives that the loop expects, less those that are posted already. */
static int post_recvs(struct kv_user *u, struct kv_user_qp *qp, struct kv_end *end, uint32_t recvs)
{
	int ret;

	qp->recv_lkey = end->recv_sge->lkey;
	for (; qp->recvs < recvs; qp->recvs++) {
		ret = kv_env_post_recv(end);
		if (ret)
			return kv_user_verb_failed(u, KVERBS_STAGE_POST, ret,
						   "ibv_post_recv on qp %u: %s", qp->obj.id,
						   strerror(-ret));
	}
	return 0;
}

/* The same for an SRQ, which counts the receives of all runs on its QPs, and holds their target. */
static int post_srq_recvs(struct kv_user *u, const struct kv_user_run *run, unsigned int i,
			  struct kv_end *to, uint32_t recvs)
{
	const struct kv_user_end *end = &run->ends[i];
	struct kv_user_srq *srq = end->qp->srq;
	int ret;

	srq->recv_lkey = to->recv_sge->lkey;
	srq->target_offset = run->spec.end[i].target_offset;
	kv_user_obj_set_parent(&srq->obj, KV_USER_SRQ_TARGET_BUF, &end->target->obj);
	kv_user_obj_set_parent(&srq->obj, KV_USER_SRQ_TARGET_MR, &end->target_mr->obj);
	for (; srq->recvs < recvs; srq->recvs++) {
		ret = kv_env_post_srq_recv(to);
		if (ret)
			return kv_user_verb_failed(u, KVERBS_STAGE_POST, ret,
						   "ibv_post_srq_recv on srq %u: %s", srq->obj.id,
						   strerror(-ret));
	}
	return 0;
}

static void hold_target(const struct kv_user_run *run, unsigned int i)
{
	const struct kv_user_end *end = &run->ends[i];

	end->qp->target_offset = run->spec.end[i].target_offset;
	kv_user_obj_set_parent(&end->qp->obj, KV_USER_QP_TARGET_BUF, &end->target->obj);
	kv_user_obj_set_parent(&end->qp->obj, KV_USER_QP_TARGET_MR, &end->target_mr->obj);
}

/* So that a completion tells the end, see kv_env_poll_flow(). */
static void set_flow(const struct kv_user_run *run, unsigned int i)
{
	const struct kv_user_worker *w = kv_user_run_worker(run, i);

	run->ends[i].qp->flow = run->one_cq ? &w->loop.flow[i - w->first] : NULL;
}

static int prep_ends(struct kv_user *u, struct kv_user_run *run)
{
	const struct kv_run_spec *spec = &run->spec;
	uint32_t recvs = spec->ends ? kv_run_recvs(spec->loop, spec->op, spec->depth) : 0;
	int ret = 0;

	for (unsigned int i = 0; i < spec->ends && !ret; i++) {
		const struct kv_user_end *end = &run->ends[i];
		struct kv_end *to = kv_user_wr_prep(run, i);

		if (!recvs)
			continue;
		if (end->qp->srq) {
			ret = post_srq_recvs(u, run, i, to, recvs);
			continue;
		}
		ret = post_recvs(u, end->qp, to, recvs);
		/* Receives stay posted, whether the run starts or not. */
		if (end->qp->recvs)
			hold_target(run, i);
	}
	for (unsigned int i = 0; i < run->workers && !ret; i++)
		kv_flow_init(&run->worker[i].loop, kv_run_has_groups(spec->loop));
	for (unsigned int i = 0; i < spec->ends && !ret; i++)
		set_flow(run, i);
	return ret;
}

/* The run has started: its QPs use its buffers until they are reset. */
static void hold_buffers(struct kv_user_run *run)
{
	for (unsigned int i = 0; i < run->spec.ends; i++) {
		const struct kv_user_end *end = &run->ends[i];
		struct kv_user_obj *qp = &end->qp->obj;

		if (end->local) {
			kv_user_obj_set_parent(qp, KV_USER_QP_LOCAL_BUF, &end->local->obj);
			kv_user_obj_set_parent(qp, KV_USER_QP_LOCAL_MR, &end->local_mr->obj);
		}
		if (end->target)
			hold_target(run, i);
		kv_user_obj_set_parent(qp, KV_USER_QP_AH, &end->ah->obj);
	}
}

static int check_idle(struct kv_user *u, struct kv_user_run *run)
{
	int ret = 0;

	for (unsigned int i = 0; i < run->spec.ends && !ret; i++)
		ret = kv_user_qp_check_idle(u, run->ends[i].qp);
	return ret;
}

static void set_poller(struct kv_user_run *run, struct kv_user_run *poller)
{
	for (unsigned int i = 0; i < run->spec.ends; i++) {
		run->ends[i].qp->send_cq->poller = poller;
		run->ends[i].qp->recv_cq->poller = poller;
	}
}

/* The worker that drives end @i. */
struct kv_user_worker *kv_user_run_worker(const struct kv_user_run *run, unsigned int i)
{
	return &run->worker[i / run->share];
}

static void free_workers(struct kv_user_run *run)
{
	for (unsigned int i = 0; run->worker && i < run->workers; i++) {
		struct kv_user_worker *w = &run->worker[i];

		free(w->loop.flow);
		free(w->more);
		free(w->posted);
		free(w->sges);
		free(w->end);
	}
	free(run->worker);
	free(run->ends);
}

static int init_worker(struct kv_user_run *run, struct kv_user_worker *w)
{
	const struct kv_run_spec *spec = &run->spec;
	double interval = (double)spec->interval_ns / kv_clock_ns_per_tick();
	struct kv_loop *loop = &w->loop;

	loop->hist = &w->hist;
	loop->groups = spec->depth / spec->signal;
	loop->quiet = spec->signal / spec->list - 1;
	loop->sends = spec->signal;
	loop->timeout = kv_clock_ns_to_ticks(spec->timeout_ns);
	loop->grace = kv_clock_ns_to_ticks(KVERBS_GRACE_NS);
	loop->spins = (uint32_t)spec->spins;
	loop->interval = (uint64_t)interval;
	loop->fraction = (uint32_t)((interval - (double)loop->interval) * 0x1p32);
	if (!run->share)
		return 0;
	w->end = calloc(run->share, sizeof(*w->end));
	w->sges = calloc(run->share * kv_user_wr_sges(spec), sizeof(*w->sges));
	w->posted = calloc(run->share * loop->groups, sizeof(*w->posted));
	w->more = calloc(run->share * kv_user_wr_more(spec), sizeof(*w->more));
	if (!w->end || !w->sges || !w->posted || !w->more)
		return -ENOMEM;
	loop->posted = w->posted;
	loop->a = &w->end[0];
	loop->b = kv_run_ends(spec->loop) > 1 ? &w->end[1] : NULL;
	if (!run->several)
		return 0;
	loop->flows = run->share;
	loop->flow = calloc(loop->flows, sizeof(*loop->flow));
	return loop->flow ? 0 : -ENOMEM;
}

/* How the ends are shared out to the workers. */
static void share_out(struct kv_user_run *run)
{
	const struct kv_run_spec *spec = &run->spec;

	run->workers = kv_run_workers(spec->loop, spec->ends, spec->workers);
	run->share = spec->ends / run->workers;
	run->several = kv_run_several(spec->loop, spec->ends, run->workers);
}

static int make_workers(struct kv_user *u, struct kv_user_run *run)
{
	const struct kv_run_spec *spec = &run->spec;

	run->warming = run->active = run->workers;
	/*
	 * A wait ends the loop, and the next one begins it anew: groups would be due later than
	 * they are.
	 */
	run->spec.in_wait &= run->workers == 1 && !spec->interval_ns;
	run->worker = calloc(run->workers, sizeof(*run->worker));
	if (!run->worker)
		return kv_user_fail(u, -ENOMEM, "no memory for %u workers", run->workers);
	for (unsigned int i = 0; i < run->workers; i++) {
		struct kv_user_worker *w = &run->worker[i];
		const struct kv_run_end *first = &spec->end[i * run->share];

		w->run = run;
		w->cpu = -1;
		w->first = i * run->share;
		w->cpu_asked = run->share && first->has_cpu ? (int32_t)first->cpu : spec->cpu;
		if (w->cpu_asked >= CPU_SETSIZE)
			return kv_user_fail(u, -EINVAL, "cpu %d is not online", w->cpu_asked);
		if (init_worker(run, w))
			return kv_user_fail(u, -ENOMEM, "no memory for a worker of %u ends", run->share);
	}
	return 0;
}

/* The workers have ended: may their QPs be used by another run? */
static void judge_qps(struct kv_user_run *run)
{
	for (unsigned int i = 0; i < run->spec.ends; i++) {
		const struct kv_user_worker *w = kv_user_run_worker(run, i);

		run->ends[i].qp->flow = NULL;
		run->ends[i].qp->needs_reset = w->loop.busy || (w->error && w->error != -ECANCELED);
	}
}

/* The loop, of the API that the QPs are made for. */
static kv_loop_fn pick(const struct kv_user_run *run)
{
	const struct kv_run_spec *spec = &run->spec;
	const struct kv_user_qp *qp = spec->ends ? run->ends[0].qp : NULL;
	const struct kv_loop_form form = {
		.loop = spec->loop,
		.op = spec->op,
		.several = run->several,
		.one_cq = run->one_cq,
		.paced = spec->interval_ns > 0,
		.srq = qp && qp->srq,
	};
	int wr = qp && qp->api == KV_API_WR;

	if (run->sleeps)
		return wr ? kv_loop_pick_event_wr(0) : kv_loop_pick_event(0);
	return wr ? kv_loop_pick_wr(&form, 0) : kv_loop_pick(&form, 0);
}

/* The first call measures the clock, which takes 20 ms. */
int kv_user_run_start(struct kv_user *u, void *obj, const struct kv_run_start *in,
		      struct kv_id *out)
{
	const struct kv_run_spec *spec = &in->spec;
	int ret;
	struct kv_user_run *run = kv_user_obj_alloc(u, KV_USER_RUN, NULL);

	if (!run)
		return -ENOMEM;
	run->spec = *spec;
	run->reason = -ECANCELED;
	run->spins_given = spec->spins >= 0;
	ret = check_spec(u, &run->spec) ?: make_ends(u, run) ?: find_ends(u, run, &run->obj.dev);
	if (ret)
		goto err_free;
	share_out(run);
	ret = check_idle(u, run) ?:
	      kv_user_wr_check(u, run) ?:
	      make_workers(u, run);
	if (ret)
		goto err_free;

	run->fn = pick(run);
	run->time = spec->time_ns ? kv_clock_ns_to_ticks(spec->time_ns) : UINT64_MAX;
	ret = prep_ends(u, run) ?: kv_user_worker_start(u, run);
	if (ret)
		goto err_judge;

	hold_buffers(run);
	set_poller(run, run);
	for (unsigned int i = 0; i < run->spec.ends; i++)
		kv_user_obj_set_parent(&run->obj, i, &run->ends[i].qp->obj);
	kv_user_obj_publish(u, &run->obj);
	out->id = run->obj.id;
	return 0;

err_judge:
	judge_qps(run);
err_free:
	free_workers(run);
	kv_user_obj_free(&run->obj);
	return ret;
}

/* Gives the run's QPs and CQs back; the loop has ended, or is about to end. */
static void join(struct kv_user_run *run)
{
	kv_user_worker_join(run);
	run->joined = true;
	judge_qps(run);
	set_poller(run, NULL);
}

/* May the loop still post and poll? A run that has ended gives its QPs and CQs back here. */
bool kv_user_run_active(struct kv_user_run *run)
{
	if (run->joined)
		return false;
	if (__atomic_load_n(&run->state, __ATOMIC_ACQUIRE) != KVERBS_RUN_DONE)
		return true;
	join(run);
	return false;
}

/* Asks the loops to end. A run that has ended stays as it is. */
void kv_user_run_stop(struct kv_user_run *run)
{
	if (run->joined)
		return;
	for (unsigned int i = 0; i < run->workers; i++)
		__atomic_store_n(&run->worker[i].loop.stop, 1, __ATOMIC_RELAXED);
	if (!run->spec.in_wait)
		eventfd_write(run->gate, 1);
}

/*
 * Asks the loop to end if its device is being removed, which the loop does not notice by itself.
 * Also called by a signal handler.
 */
void kv_user_run_check_dev(struct kv_user_run *run)
{
	if (!kv_user_dev_is_gone(run->obj.dev))
		return;
	__atomic_store_n(&run->reason, -ENODEV, __ATOMIC_RELAXED);
	kv_user_run_stop(run);
}

/* Waits for the thread: its loop looks at the stop flag before each wait that could last. */
int kv_user_run_destroy(struct kv_user *u, void *obj)
{
	struct kv_user_run *run = obj;

	kv_user_run_stop(run);
	if (!run->joined)
		join(run);
	free_workers(run);
	return 0;
}

/*
 * A run with in_wait makes progress only here. A run whose device is being removed is asked to end.
 */
int kv_user_run_wait(struct kv_user *u, void *obj, const struct kv_wait *in, struct kv_none *out)
{
	struct kv_user_run *run = obj;
	int ret;

	if (!kv_user_run_active(run))
		return 0;
	ret = kv_user_worker_wait(run, in->timeout_ms);
	if (ret == -EAGAIN) {
		kv_user_run_check_dev(run);
		return kv_user_fail(u, ret, "run %u is still active", in->id);
	}
	if (ret)
		return kv_user_fail(u, ret, "run %u: %s", in->id, strerror(-ret));
	kv_user_run_active(run);
	return 0;
}

int kv_user_run_cancel(struct kv_user *u, void *obj, const struct kv_id *in, struct kv_none *out)
{
	kv_user_run_stop(obj);
	return 0;
}

int kv_user_run_del(struct kv_user *u, void *obj, const struct kv_id *in, struct kv_none *out)
{
	return kv_user_obj_delete(u, obj);
}

/* Results, of a run that goes on or of one that has ended. */

static __u64 load(const __u64 *from)
{
	return __atomic_load_n(from, __ATOMIC_RELAXED);
}

/* The spec with the values in effect, as the module reports them. */
static void fill_spec(const struct kv_user_run *run, struct kv_run_spec *spec)
{
	const size_t ends = MIN(run->spec.ends, KV_RUN_ENDS_TOLD),
		     begin = offsetof(struct kv_run_spec, end);
	const size_t behind = begin + sizeof(spec->end);

	/* Without the room for more ends: a run that goes on is looked at often. */
	memcpy(spec, &run->spec, begin + ends * sizeof(spec->end[0]));
	memcpy((char *)spec + behind, (const char *)&run->spec + behind, sizeof(*spec) - behind);
	spec->ends = (uint32_t)ends;
	if (!kv_run_has_depth(spec->loop)) {
		spec->depth = 0;
		spec->workers = 0;
	} else {
		spec->workers = run->workers;
	}
	if (!kv_run_has_groups(spec->loop)) {
		spec->list = 0;
		spec->signal = 0;
	}
	if (!kv_run_requests(spec->loop))
		spec->sges = 0;
	if (!kv_run_recvs(spec->loop, spec->op, run->spec.depth))
		spec->recv_sges = 0;
	snprintf(spec->dev, sizeof(spec->dev), "%s", kv_user_dev_name(run->obj.dev));
}

/* @active: the run is; its workers may have no error yet. */
static void fill_worker(const struct kv_user_worker *w, bool active, struct kv_worker_result *to)
{
	bool measuring = __atomic_load_n(&w->measuring, __ATOMIC_ACQUIRE);
	const struct kv_loop *loop = &w->loop;
	__u64 warmup = load(&w->warmup), least, most;
	int cpu = kv_env_get(&w->cpu);

	memset(to, 0, sizeof(*to));
	to->has_cpu = cpu >= 0;
	to->cpu = cpu >= 0 ? (uint32_t)cpu : 0;
	to->error = active ? 0 : w->error;
	to->wc_status = active ? 0 : loop->wc_status;
	to->vendor_err = active ? 0 : loop->vendor_err;
	to->qpn = active ? 0 : loop->qp_num;
	to->warmup = warmup || measuring ? warmup : load(&loop->done);
	to->samples = measuring ? load(&loop->done) : 0;
	to->yields = measuring ? load(&loop->yields) : 0;
	to->sum_ticks = measuring ? load(&w->hist.sum) : 0;
	to->elapsed_ticks = measuring ? w->before + kv_loop_elapsed(loop) : 0;
	if (measuring && loop->flows > 1) {
		kv_flow_share(loop, &least, &most);
		to->least = least;
		to->most = most;
	}
	to->several = loop->flows > 1;
	to->elapsed_ns = active ? (uint64_t)((double)to->elapsed_ticks * kv_clock_ns_per_tick()) :
				  w->elapsed_ns;
}

/* Fills all but the bins. */
static void fill(struct kv_user_run *run, struct kv_run_result *result)
{
	bool active = kv_user_run_active(run);

	fill_spec(run, &result->spec);
	result->ends = run->spec.ends;
	result->state = active ? KVERBS_RUN_ACTIVE : KVERBS_RUN_DONE;
	result->hist_shift = KV_HIST_SHIFT;
	result->workers = run->workers;
	for (unsigned int i = 0; i < run->workers; i++)
		fill_worker(&run->worker[i], active, &result->worker[i]);
}

/* Reads all results but the bins. */
int kv_user_run_peek(struct kv_user *u, void *obj, const struct kv_id *in,
		     struct kv_run_result *result)
{
	fill(obj, result);
	return 0;
}

int kv_user_run_get(struct kv_user *u, void *obj, const struct kv_run_which *in,
		    struct kv_run_result *result)
{
	struct kv_user_run *run = obj;
	const struct kv_user_worker *w;
	bool measuring;

	if (in->worker >= run->workers)
		return kv_user_fail(u, -EINVAL, "worker %u: the run has fewer workers", in->worker);
	w = &run->worker[in->worker];
	fill(run, result);
	/* False if the warm-up is not over, or if the worker ended in it. */
	measuring = __atomic_load_n(&w->measuring, __ATOMIC_ACQUIRE);
	if (!measuring)
		kv_hist_reset(&result->hist);
	result->hist.sum = measuring ? result->worker[in->worker].sum_ticks : 0;
	for (unsigned int i = 0; i < KV_HIST_BINS && measuring; i++) {
		result->hist.bin[i].count = load(&w->hist.bin[i].count);
		result->hist.bin[i].low = kv_env_get(&w->hist.bin[i].low);
		result->hist.bin[i].high = kv_env_get(&w->hist.bin[i].high);
	}
	return 0;
}
