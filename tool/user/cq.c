// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <string.h>
#include "user/post.h"
#include "user/run.h"

const size_t kv_user_cq_size = sizeof(struct kv_user_cq);

static int check_init(struct kv_user *u, const struct kv_user_dev *dev,
		      const struct kv_cq_init *init)
{
	const struct kv_cq_moderation moderation = { init->moderation_count,
						     init->moderation_period };
	int ret, vectors = dev->ctx->num_comp_vectors;

	ret = kv_user_check_count(u, "cqe", init->cqe, dev->attr.max_cqe, "max_cqe");
	if (ret)
		return ret;
	if (init->comp_vector >= (uint32_t)vectors)
		return kv_user_fail(u, init->comp_vector > INT32_MAX ? -ERANGE : -EINVAL,
				    "comp_vector is %u: it must be 0 to %d, %s has %d",
				    init->comp_vector, vectors - 1, init->dev, vectors);
	if (!kv_cq_is_raw(init->context))
		return kv_user_fail(u, -EOPNOTSUPP,
				    "context: softirq, workqueue and unbound-workqueue are the kernel's: user space has polled and event only");
	if (!kv_cq_check_moderation(&moderation, &dev->moderation, init->context, &u->why))
		return 0;
	return kv_user_fail(u, u->why.error, "%s; max_cq_moderation_count of %s is %u, max_cq_moderation_period is %u",
			    u->why.text, init->dev, dev->moderation.count, dev->moderation.period);
}

static struct ibv_cq *create_ib(struct kv_user_cq *cq, const struct kv_cq_init *init)
{
	struct ibv_context *ctx = cq->obj.dev->ctx;
	struct ibv_cq_init_attr_ex attr = {
		.cqe = init->cqe,
		.cq_context = cq,
		.channel = cq->channel,
		.comp_vector = init->comp_vector,
		/* Without it some providers (rxe, mlx5) have no ibv_wc_read_qp_num(). */
		.wc_flags = IBV_WC_EX_WITH_QP_NUM,
	};
	struct ibv_cq_ex *ex;

	if (init->api == KV_API_POST)
		return ibv_create_cq(ctx, (int)init->cqe, cq, cq->channel, (int)init->comp_vector);
	ex = ibv_create_cq_ex(ctx, &attr);
	return ex ? ibv_cq_ex_to_cq(ex) : NULL;
}

/*
 * Of the providers mlx5, mlx4 and hns have ibv_modify_cq(); for others libibverbs says EOPNOTSUPP.
 */
static int moderate(struct kv_user *u, struct kv_user_cq *cq, const struct kv_cq_init *init)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate.cq_count = (uint16_t)init->moderation_count,
		.moderate.cq_period = (uint16_t)init->moderation_period,
	};
	int ret = init->moderation_count ? ibv_modify_cq(cq->ib, &attr) : 0;

	return ret ? kv_user_verb_failed(u, KVERBS_STAGE_MODIFY, -ret, "%s: ibv_modify_cq with moderation_count %u and moderation_period %u: %s",
					 init->dev, init->moderation_count,
					 init->moderation_period, strerror(ret)) : 0;
}

static void destroy_channel(struct kv_user_cq *cq)
{
	/* A CQ on the channel is the only reason to refuse, and no CQ is left. */
	if (cq->channel)
		ibv_destroy_comp_channel(cq->channel);
}

/* The measured time is that of the verb that creates the CQ alone. */
int kv_user_cq_new(struct kv_user *u, struct kv_user_cq *cq, const struct kv_cq_init *init)
{
	struct ibv_context *ctx = cq->obj.dev->ctx;
	int ret = check_init(u, cq->obj.dev, init);

	if (ret)
		return ret;
	if (init->context == KVERBS_CQ_EVENT) {
		cq->channel = ibv_create_comp_channel(ctx);
		if (!cq->channel)
			return kv_user_fail(u, -errno, "%s: ibv_create_comp_channel: %s", init->dev,
					    strerror(errno));
	}
	cq->ib = KV_USER_TIMED(u, create_ib(cq, init));
	if (!cq->ib) {
		ret = init->api == KV_API_WR && errno == EOPNOTSUPP ?
		      kv_user_fail(u, -EOPNOTSUPP,
				   "libibverbs has no ibv_create_cq_ex for %s, so it can't be polled by ibv_start_poll: take --api post",
				   init->dev) :
		      kv_user_verb_failed(u, KVERBS_STAGE_CREATE, -errno,
					  "%s: ibv_create_cq%s with cqe %u: %s", init->dev,
					  init->api == KV_API_WR ? "_ex" : "", init->cqe,
					  strerror(errno));
		destroy_channel(cq);
		return ret;
	}
	ret = moderate(u, cq, init);
	if (ret) {
		ibv_destroy_cq(cq->ib);
		destroy_channel(cq);
		return ret;
	}
	cq->api = init->api;
	cq->is.context = init->context;
	cq->is.comp_vector = init->comp_vector;
	cq->is.moderation_count = init->moderation_count;
	cq->is.moderation_period = init->moderation_period;
	TAILQ_INIT(&cq->done);
	return 0;
}

int kv_user_cq_destroy(struct kv_user *u, struct kv_user_cq *cq)
{
	int ret;

	/* A receive of an SRQ that completed into this CQ completes nowhere else. */
	kv_user_poll_take_all(u, cq);
	ret = KV_USER_TIMED(u, ibv_destroy_cq(cq->ib));
	if (ret)
		return -ret;
	kv_user_queue_purge_cq(cq);
	destroy_channel(cq);
	return 0;
}

void kv_user_cq_fill(struct kv_user_cq *cq, struct kv_cq *to)
{
	*to = cq->is;
	to->cqe = (uint32_t)cq->ib->cqe;
}

/* -EBUSY if a run polls the CQ. */
int kv_user_cq_check_idle(struct kv_user *u, struct kv_user_cq *cq)
{
	if (!cq->poller || !kv_user_run_active(cq->poller))
		return 0;
	return kv_user_fail(u, -EBUSY,
			    "run %u is active on a qp with cq %u: wait for it or cancel it",
			    cq->poller->obj.id, cq->obj.id);
}

static int check_event(struct kv_user *u, const struct kv_user_cq *cq)
{
	return cq->channel ? 0 :
	kv_user_fail(u, -EINVAL, "the context of cq %u is polled: make one with context event",
		     cq->obj.id);
}

static int get_event(struct kv_user_cq *cq)
{
	struct ibv_cq *ib;
	void *context;

	if (ibv_get_cq_event(cq->channel, &ib, &context))
		return errno ? -errno : -EIO;
	/* Acknowledged at once: ibv_destroy_cq() waits until all events are acknowledged. */
	ibv_ack_cq_events(ib, 1);
	return 0;
}

/* An old event that nobody waited for would end the next wait too early. */
static void drop_events(struct kv_user_cq *cq)
{
	struct pollfd fd = { .fd = cq->channel->fd, .events = POLLIN };

	while (poll(&fd, 1, 0) > 0 && !get_event(cq))
		;
}

/* ibv_req_notify_cq() does not say whether it came too late, so the CQ is polled after it. */
int kv_user_cq_arm(struct kv_user *u, struct kv_user_cq *cq, const struct kv_cq_arm *in,
		   struct kv_armed *out)
{
	int ret = check_event(u, cq) ?: kv_user_cq_check_idle(u, cq);

	if (ret)
		return ret;
	drop_events(cq);
	ret = KV_USER_TIMED(u, ibv_req_notify_cq(cq->ib, in->solicited));
	if (ret)
		return kv_user_verb_failed(u, KVERBS_STAGE_ARM, -ret,
					   "ibv_req_notify_cq of cq %u: %s", in->id, strerror(ret));
	kv_user_poll_take_all(u, cq);
	out->missed = !TAILQ_EMPTY(&cq->done);
	return 0;
}

int kv_user_cq_wait(struct kv_user *u, struct kv_user_cq *cq, const struct kv_wait *in,
		    struct kv_none *out)
{
	struct pollfd fd = { .events = POLLIN };
	int n, ret = check_event(u, cq);

	if (ret)
		return ret;
	fd.fd = cq->channel->fd;
	n = poll(&fd, 1, in->timeout_ms);
	if (n < 0)
		return kv_user_fail(u, -errno, "cq %u: %s", in->id, strerror(errno));
	if (!n)
		return kv_user_fail(u, -EAGAIN, "no event of cq %u within %d ms", in->id,
				    in->timeout_ms);
	ret = get_event(cq);
	return ret ? kv_user_fail(u, ret, "ibv_get_cq_event of cq %u: %s", in->id,
				  strerror(-ret)) : 0;
}
