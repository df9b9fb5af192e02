// SPDX-License-Identifier: MIT
#include <errno.h>
#include <sys/param.h>
#include "loop/loop.h"
#include "measure/workload.h"
#include "out/unit.h"

#define NSEC_PER_SEC 1000000000ULL

/**
 * kv_workload_set() - set the operation and its size
 * @w: the work; its other members are unchanged
 * @kind: how a latency is measured
 * @op: enum kverbs_op
 * @size: bytes
 *
 * Each FETCH_ADD adds 1. Each CMP_SWP compares with 0 and stores 0, so that each
 * comparison succeeds.
 */
void kv_workload_set(struct kv_workload *w, enum kv_kind kind, uint32_t op, uint32_t size)
{
	w->kind = kind;
	w->op = op;
	w->size = size;
	w->compare_add = op == KVERBS_OP_FETCH_ADD;
	w->swap = 0;
}

/**
 * kv_workload_of_host() - the part of the work that one of several hosts has
 * @w: the work
 *
 * Return: the work of one host; with one host @w itself.
 */
struct kv_workload kv_workload_of_host(const struct kv_workload *w)
{
	struct kv_workload part = *w;

	if (w->hosts == 1)
		return part;
	part.threads /= w->hosts;
	part.hosts = 1;
	/* That is the CPU of another thread of this host. */
	part.cpu[1] = -1;
	return part;
}

/**
 * kv_workload_blame() - name the other host that a fault is about
 * @w: the work, which says who initiates
 * @host: the host's name
 * @f: the fault; receives the name at its beginning
 */
void kv_workload_blame(const struct kv_workload *w, const char *host, struct kv_fault *f)
{
	kv_fault_prefix(f, "%s %.128s: ", w->reversed ? "from" : "to", host);
}

/**
 * kv_workload_requests() - how many requests do samples stand for?
 *
 * Return: of a stream, all requests of its groups; else one a sample.
 */
uint64_t kv_workload_requests(const struct kv_workload *w, uint64_t samples)
{
	return w->kind == KV_KIND_STREAM ? samples * w->signal : samples;
}

/**
 * kv_workload_default_kind() - the default loop of an operation
 * @op: enum kverbs_op
 *
 * Return: post to completion for an operation that needs no peer, else a one-thread ping-pong.
 */
enum kv_kind kv_workload_default_kind(uint32_t op)
{
	return kv_op_fits_loop(op, KVERBS_LOOP_POST_TO_COMPLETION) ?
	       KV_KIND_COMPLETION : KV_KIND_ONE_THREAD;
}

const struct kv_workload_kind kv_workload_kinds[] = {
	[KV_KIND_COMPLETION] = { KVERBS_LOOP_POST_TO_COMPLETION, "post to completion", "post to completion", "p50_ns", 1 },
	[KV_KIND_PINGPONG] = { KVERBS_LOOP_PINGPONG_CLIENT, "round trip", "half round trip", "p50_ns", 2 },
	[KV_KIND_ONE_THREAD] = { KVERBS_LOOP_PINGPONG, "round trip", "half round trip", "p50_ns", 2 },
	[KV_KIND_STREAM] = { KVERBS_LOOP_STREAM, "post of a group to its completion", "time per request",
			     "request_ns", 1 },
	[KV_KIND_NULL] = { KVERBS_LOOP_NULL, "null loop", "null loop", "p50_ns", 1 },
};

/** kv_workload_kind() - the samples and figures of a workload */
const struct kv_workload_kind *kv_workload_kind(const struct kv_workload *w)
{
	static const struct kv_workload_kind paced = {
		KVERBS_LOOP_STREAM, "due time of a group to its completion", "due time of a group to its completion", "p50_ns", 1,
	};

	return w->rate ? &paced : &kv_workload_kinds[w->kind];
}

/* As ib_send_bw: what the responder's thread takes that has no CPU, while the initiator goes on. */
#define RECVS_MIN 512

/**
 * kv_workload_rx_depth() - receives that the responder keeps posted on a QP, or on an SRQ
 * @w: the work
 *
 * Return: what the user asks for; by default four for each request outstanding, and RECVS_MIN for
 * each thread at least. 0 for a work that is no stream.
 */
uint32_t kv_workload_rx_depth(const struct kv_workload *w)
{
	uint32_t sharers = w->srq ? 1 : w->qps, senders = w->srq ? w->qps : 1;

	if (w->rx_depth || w->kind != KV_KIND_STREAM)
		return w->rx_depth;
	return MIN(MAX(4 * w->depth * senders, (RECVS_MIN + sharers - 1) / sharers),
		   KV_RUN_DEPTH_MAX);
}

/**
 * kv_workload_fit_depth() - how many requests of this size may be outstanding?
 * @w: a stream
 * @depth: the most, a multiple of @w->signal
 *
 * Return: a multiple of @w->signal, one group at least, with which all connections have not more
 * than KV_WORKLOAD_OUTSTANDING_MAX outstanding.
 */
uint32_t kv_workload_fit_depth(const struct kv_workload *w, uint32_t depth)
{
	uint64_t group =
		(uint64_t)w->size * w->signal * kv_workload_pairs(w) * (w->both_ways ? 2 : 1);
	uint64_t groups = KV_WORKLOAD_OUTSTANDING_MAX / MAX(group, 1);

	return (uint32_t)MIN(depth, MAX(groups, 1) * w->signal);
}

/**
 * kv_workload_interval_ns() - the time between two groups of a thread that are due
 *
 * Return: nanoseconds; 0: groups are not due at a time.
 */
uint64_t kv_workload_interval_ns(const struct kv_workload *w)
{
	return w->rate ? ((uint64_t)w->signal * NSEC_PER_SEC + w->rate / 2) / w->rate : 0;
}

/**
 * kv_workload_offered() - requests that are due in a second at all connections
 * @w: a stream with a rate
 *
 * Return: that of the interval, which is in whole nanoseconds.
 */
double kv_workload_offered(const struct kv_workload *w)
{
	return (double)w->threads * w->signal * NSEC_PER_SEC / (double)kv_workload_interval_ns(w);
}

/**
 * kv_workload_one_way() - does one end post all sends, and the other none?
 * @w: the work; not KV_KIND_NULL
 *
 * Return: false for ping-pongs.
 */
bool kv_workload_one_way(const struct kv_workload *w)
{
	return w->kind == KV_KIND_COMPLETION || w->kind == KV_KIND_STREAM;
}

/**
 * kv_workload_grh() - how many bytes stand in front of a message in the target?
 * @w: the work
 *
 * Return: KV_RUN_GRH for UD, whose receives begin with a GRH; else 0.
 */
uint32_t kv_workload_grh(const struct kv_workload *w)
{
	return kv_run_grh(w->type);
}

/**
 * kv_workload_served() - does the responder need a run of its own?
 * @w: the work; not KV_KIND_NULL
 *
 * Return: true if it answers, or replaces receives, in a thread other than the initiator's.
 */
bool kv_workload_served(const struct kv_workload *w)
{
	return w->kind == KV_KIND_PINGPONG ||
	       (w->kind == KV_KIND_STREAM && kv_op_among(w->op, KV_OPS_RECEIVED));
}

/**
 * kv_workload_recvs() - how many receives does the responder keep posted?
 * @w: the work; not KV_KIND_NULL
 *
 * Return: the number, but not those of ping-pongs; 0 for a stream that takes none.
 */
uint32_t kv_workload_recvs(const struct kv_workload *w)
{
	return w->kind == KV_KIND_STREAM && !kv_workload_served(w) ? 0 : kv_workload_rx_depth(w);
}

/**
 * kv_workload_check_kind() - can this operation be measured with this kind of loop?
 * @kind: how a latency is measured
 * @op: enum kverbs_op
 * @f: receives the reason of a refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_workload_check_kind(enum kv_kind kind, uint32_t op, struct kv_fault *f)
{
	const char *word = kv_enum_name(kv_enum_op, op);

	if (kind == KV_KIND_STREAM && !kv_op_fits_loop(op, KVERBS_LOOP_STREAM))
		return kv_fault_usage(f, "%s registers an MR anew for each request, so a stream needs as many MRs as it has requests outstanding; 'kverbs lat' measures it",
				      word);
	if (kind == KV_KIND_COMPLETION && !kv_op_fits_loop(op, KVERBS_LOOP_POST_TO_COMPLETION))
		return kv_fault_usage(f, "--loop completion does not go with %s, whose completion needs the peer's receive; %s goes with one-thread and pingpong",
				      word, word);
	if ((kind == KV_KIND_PINGPONG || kind == KV_KIND_ONE_THREAD) &&
	    !kv_op_fits_loop(op, KVERBS_LOOP_PINGPONG))
		return kv_fault_usage(f, "--loop %s does not go with %s, which the peer does not notice; %s goes with completion",
				      kv_enum_name(kv_enum_kind, kind), word, word);
	return 0;
}

/**
 * kv_workload_check_completion() - can completions be noticed in this way?
 * @kind: how a latency is measured
 * @completion: enum kverbs_cq_context
 * @user: the initiator is in user space, too
 * @f: receives the reason of a refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_workload_check_completion(enum kv_kind kind, uint32_t completion, bool user,
				 struct kv_fault *f)
{
	const char *word = kv_enum_name(kv_enum_cq_context, completion);

	if (completion == KVERBS_CQ_POLLED)
		return 0;
	if (kind != KV_KIND_COMPLETION && kind != KV_KIND_STREAM)
		return kv_fault_usage(f, "--completion %s does not go with --loop %s, whose threads poll",
				      word, kv_enum_name(kv_enum_kind, kind));
	if (user && !kv_workload_has_completion(KV_SPACE_USER, completion))
		return kv_fault_usage(f, "--completion %s is the kernel's: user space has polled and event",
				      word);
	return 0;
}

/**
 * kv_workload_check_api() - does the choice of an API concern the work?
 * @api: enum kv_api
 * @user: an end is in user space
 * @f: receives the reason of a refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_workload_check_api(uint32_t api, bool user, struct kv_fault *f)
{
	return api == KV_API_POST || user ? 0 :
	kv_fault_usage(f, "--api %s is user space's; the kernel has ib_post_send only",
		       kv_enum_name(kv_enum_api, api));
}

/* A stream of SENDs takes credits if a SEND that finds no receive ends the connection. */
static bool takes_credits(const struct kv_workload *w, const struct kv_dev *dev)
{
	return w->kind == KV_KIND_STREAM && w->op == KVERBS_OP_SEND && kv_dev_is_iwarp(dev);
}

static uint32_t loop_of(const struct kv_workload *w, bool credits)
{
	return credits ? KVERBS_LOOP_CREDIT_STREAM : kv_workload_kinds[w->kind].loop;
}

/**
 * kv_workload_loop() - the loop of the initiator
 * @w: the work, adapted to the device
 *
 * Return: enum kverbs_loop.
 */
uint32_t kv_workload_loop(const struct kv_workload *w)
{
	return loop_of(w, w->kind == KV_KIND_STREAM && w->credits);
}

/**
 * kv_workload_adapt() - adapt the work to the initiator's device
 * @w: the work
 * @dev: the device
 *
 * On iWARP, the local key of a READ must be the key of a registration, and a stream of SENDs takes
 * credits.
 */
void kv_workload_adapt(struct kv_workload *w, const struct kv_dev *dev)
{
	if (w->op == KVERBS_OP_READ && kv_dev_is_iwarp(dev))
		w->lkey = KV_LKEY_MR;
	w->credits = takes_credits(w, dev);
}

/* May the user say how a packet is sent again? */
static int check_retry(const struct kv_workload *w, const struct kv_dev *dev, struct kv_fault *f)
{
	if (!w->retry_option || !kv_dev_is_iwarp(dev))
		return 0;
	return kv_fault_usage(f, "--%s: %s is iWARP, where TCP sends a packet again",
			      w->retry_option, dev->name);
}

/* Can the device do this work over UC or UD? */
static int check_type(const struct kv_workload *w, const struct kv_site *site, struct kv_fault *f)
{
	const char *space = site->b->ops->space, *type = kv_enum_name(kv_enum_qp_type, w->type);
	uint32_t cap = w->type == KVERBS_QPT_UC ? KVERBS_CAP_UC : KVERBS_CAP_UD | KVERBS_CAP_AH;
	struct kv_refusal why;

	if (kv_op_check_type(w->op, w->type, &why))
		return kv_fault_set(f, -EOPNOTSUPP, "%s: %s", kv_enum_name(kv_enum_op, w->op), why.text);
	if ((site->dev.caps & cap) != cap)
		return kv_fault_set(f, -EOPNOTSUPP, "%s space: %s has no %s QPs", space, site->dev.name, type);
	if (w->connect == KV_CONNECT_CM)
		return kv_fault_usage(f, "--type %s does not go with --connect cm, which connects RC QPs", type);
	if (w->type == KVERBS_QPT_UD && w->size > site->port->active_mtu)
		return kv_fault_usage(f, "a size of %u bytes: a message over UD is one packet, on %s of at most %u bytes (%s space)",
				      w->size, site->dev.name, site->port->active_mtu, space);
	return 0;
}

/** kv_workload_flags() - KVERBS_WR_* of each request */
uint32_t kv_workload_flags(const struct kv_workload *w)
{
	bool inlined = kv_op_among(w->op, KV_OPS_CARRY) && w->size <= w->inline_max;

	return (inlined ? KVERBS_WR_INLINE : 0) | (w->fence ? KVERBS_WR_FENCE : 0) |
	       (w->solicited ? KVERBS_WR_SOLICITED : 0);
}

static uint64_t cq_of(const struct kv_workload *w, uint32_t requests)
{
	return (requests + 1ULL) * (w->one_cq ? w->qps : 1);
}

/**
 * kv_workload_send_cqe() - the completions that a CQ of sends has room for
 * @w: the work; not KV_KIND_NULL
 */
uint64_t kv_workload_send_cqe(const struct kv_workload *w)
{
	return cq_of(w, MAX(w->depth, 1) + KV_WORKLOAD_WRS_MORE);
}

/**
 * kv_workload_recv_cqe() - the completions that a CQ of receives has room for
 * @w: the work; not KV_KIND_NULL
 */
uint64_t kv_workload_recv_cqe(const struct kv_workload *w)
{
	return cq_of(w, MAX(kv_workload_recvs(w), KV_LOOP_RECVS) + KV_WORKLOAD_RECVS_MORE);
}

static int check_sges(const struct kv_workload *w, const struct kv_dev *dev, const char *space,
		      struct kv_fault *f)
{
	const struct kv_run_spec_facts facts = {
		.op = w->op,
		.size = w->size,
		.sges = w->sges,
		.max_sge_rd = dev->max_sge_rd,
		.iwarp = kv_dev_is_iwarp(dev),
	};
	struct kv_refusal why;

	if (w->sges > dev->max_send_sge)
		return kv_fault_usage(f, "--sges %u: a request on %s has at most %u SGEs (%s space)", w->sges, dev->name,
				      dev->max_send_sge, space);
	if (!kv_run_check_sges(&facts, &why))
		return 0;
	return kv_fault_usage(f, "--sges %u, %s of %u bytes on %s: %s (%s space)", w->sges,
			      kv_enum_name(kv_enum_op, w->op), w->size, dev->name, why.text, space);
}

/* Likewise of receives, which an SRQ may have. */
static int check_recv_sges(const struct kv_workload *w, const struct kv_dev *dev, const char *space,
			   struct kv_fault *f)
{
	const struct kv_run_spec_facts facts = { .size = w->size, .recv_sges = w->recv_sges };
	const char *op = kv_enum_name(kv_enum_op, w->op);
	uint32_t most = w->srq ? dev->max_srq_sge : dev->max_recv_sge;
	struct kv_refusal why;

	if (!w->recv_sges)
		return 0;
	if (!kv_op_among(w->op, KV_OPS_RECEIVED))
		return kv_fault_usage(f, "--recv-sges: %s takes no receive", op);
	if (w->recv_sges > most)
		return kv_fault_usage(f, "--recv-sges %u: a receive%s on %s has at most %u SGEs (%s space)", w->recv_sges,
				      w->srq ? " of an SRQ" : "", dev->name, most, space);
	if (!kv_run_check_recv_sges(&facts, &why))
		return 0;
	return kv_fault_usage(f, "--recv-sges %u, %s of %u bytes on %s: %s (%s space)", w->recv_sges, op, w->size,
			      dev->name, why.text, space);
}

/* Do the options of a stream go with credits? */
static int check_credits(const struct kv_workload *w, const struct kv_site *site,
			 struct kv_fault *f)
{
	const struct kv_run_spec_facts facts = {
		.loop = KVERBS_LOOP_CREDIT_STREAM,
		.signal = w->signal,
		.credits = kv_workload_rx_depth(w),
	};
	const char *text = w->srq ? "over iWARP a SEND takes a credit for a receive of the peer's QP, and with --srq that QP has no receives of its own" :
			   w->completion != KVERBS_CQ_POLLED ? "over iWARP a SEND takes a credit, and a credit comes without a completion: take --completion polled" :
			   w->rate ? "over iWARP a SEND waits for a credit, so it can't be due at a time: leave out --rate" : NULL;
	struct kv_refusal why;

	if (text)
		return kv_fault_set(f, -EOPNOTSUPP, "%s space, %s, %s: %s", site->b->ops->space,
				    site->dev.name, kv_enum_name(kv_enum_op, w->op), text);
	if (!kv_run_check_credits(&facts, &why))
		return 0;
	return kv_fault_usage(f, "--rx-depth %u with --signal %u on %s: %s", facts.credits, w->signal, site->dev.name,
			      why.text);
}

#define MEM_MGT_EXTENSIONS (1ULL << 21) /* the same bit of both spaces' device_cap_flags */

/**
 * kv_workload_check_initiator() - can the end that begins register its MR in each iteration?
 * @w: the work; not KV_KIND_NULL
 * @site: the open site of that end
 * @f: receives the reason of a refusal
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int kv_workload_check_initiator(const struct kv_workload *w, const struct kv_site *site,
				struct kv_fault *f)
{
	const struct kv_dev *dev = &site->dev;
	const struct kv_run_spec_facts facts = {
		.loop = kv_workload_kinds[w->kind].loop,
		.op = w->op,
		.mem_mgt = dev->cap_flags & MEM_MGT_EXTENSIONS,
		.reg_mr = site->id == KV_SPACE_KERNEL,
		.keeps_map = true, /* only the driver's kernel knows better */
		.iwarp = kv_dev_is_iwarp(dev),
	};
	struct kv_refusal why;

	if (!kv_run_check_inv(&facts, &why))
		return 0;
	return kv_fault_set(f, why.error, "%s space, %s, %s: %s", site->b->ops->space, dev->name,
			    kv_enum_name(kv_enum_op, w->op), why.text);
}

/**
 * kv_workload_check_site() - can the device of a site do this work?
 * @w: the work; not KV_KIND_NULL
 * @site: an open site
 * @f: receives the reason of a refusal
 *
 * Return: 0, -EINVAL for a size, or -EOPNOTSUPP.
 */
int kv_workload_check_site(const struct kv_workload *w, const struct kv_site *site,
			   struct kv_fault *f)
{
	const char *space = site->b->ops->space;
	const struct kv_dev *dev = &site->dev;
	struct kv_refusal why;
	int ret;

	if (w->type == KV_QPT_XRC)
		return kv_fault_set(f, -EOPNOTSUPP, "%s space: %s %s", space, dev->name, kv_dev_explain_xrc(dev));
	if (w->connect == KV_CONNECT_RAW && kv_dev_is_iwarp(dev))
		return kv_fault_set(f, -EOPNOTSUPP,
				    "%s space, %s: iWARP connects through the RDMA CM: --connect cm",
				    space, dev->name);
	if (kv_op_among(w->op, KV_OPS_ATOMIC) && !dev->atomic)
		return kv_fault_set(f, -EOPNOTSUPP,
				    "%s space: %s has no atomic operations, so no %s",
				    space, dev->name, kv_enum_name(kv_enum_op, w->op));
	if (w->type != KVERBS_QPT_RC) {
		ret = check_type(w, site, f);
		if (ret)
			return ret;
	}
	if (kv_dev_is_iwarp(dev) &&
	    kv_run_check_iwarp(loop_of(w, takes_credits(w, dev)), w->op, &why))
		return kv_fault_set(f, why.error, "%s space, %s, %s: %s", space, dev->name,
				    kv_enum_name(kv_enum_op, w->op), why.text);
	if (kv_op_check_flags(w->op, kv_workload_flags(w), kv_dev_is_iwarp(dev), &why))
		return why.error == -EINVAL ? kv_fault_usage(f, "%s: %s", kv_enum_name(kv_enum_op, w->op), why.text) :
		       kv_fault_set(f, why.error, "%s space, %s, %s: %s", space, dev->name,
				    kv_enum_name(kv_enum_op, w->op), why.text);
	/* Only the initiator's CQs are made there. */
	if (w->reversed == !!site->host && w->comp_vector >= dev->comp_vectors)
		return kv_fault_usage(f, "--comp-vector %u: %s has the completion vectors 0 to %u (%s space)",
				      w->comp_vector, dev->name, dev->comp_vectors - 1, space);
	ret = (takes_credits(w, dev) ? check_credits(w, site, f) : 0) ?:
	      check_sges(w, dev, space, f) ?: check_recv_sges(w, dev, space, f);
	if (ret)
		return ret;
	if (!dev->max_mr_bytes)
		return kv_fault_set(f, -EOPNOTSUPP,
				    "%s space: %s has no fast registration, which buffers of runs need",
				    space, dev->name);
	if (w->size > site->port->max_msg_bytes)
		return kv_fault_usage(f, "a size of %s bytes: %s takes messages of at most %s bytes (%s space)",
				      KV_COUNT(w->size), dev->name,
				      KV_COUNT(site->port->max_msg_bytes), space);
	if (w->size > dev->max_mr_bytes)
		return kv_fault_usage(f, "a size of %s bytes: a registration on %s has at most %s bytes (%s space)",
				      KV_COUNT(w->size), dev->name, KV_COUNT(dev->max_mr_bytes),
				      space);
	if (w->depth + KV_WORKLOAD_WRS_MORE > dev->max_qp_wr)
		return kv_fault_usage(f, "--depth %u: a queue on %s has at most %u requests (%s space)",
				      w->depth, dev->name, dev->max_qp_wr, space);
	if (w->srq && !(dev->caps & KVERBS_CAP_SRQ))
		return kv_fault_set(f, -EOPNOTSUPP, "%s space: %s has no shared receive queues", space, dev->name);
	if (w->srq && kv_workload_rx_depth(w) > dev->max_srq_wr)
		return kv_fault_usage(f, "--rx-depth %u: an SRQ on %s has at most %u requests (%s space)",
				      kv_workload_rx_depth(w), dev->name, dev->max_srq_wr, space);
	if (!w->srq && kv_workload_recvs(w) + KV_WORKLOAD_RECVS_MORE > dev->max_qp_wr)
		return kv_fault_usage(f, "--rx-depth %u: a queue on %s has at most %u requests (%s space)",
				      kv_workload_rx_depth(w), dev->name, dev->max_qp_wr, space);
	if (w->one_cq && MAX(kv_workload_send_cqe(w), kv_workload_recv_cqe(w)) > dev->max_cqe)
		return kv_fault_usage(f, "--one-cq with --qps %u needs a CQ for %s completions: on %s it has at most %s (%s space)",
				      w->qps, KV_COUNT(MAX(kv_workload_send_cqe(w),
							   kv_workload_recv_cqe(w))),
				      dev->name, KV_COUNT(dev->max_cqe), space);
	return check_retry(w, dev, f);
}
