// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <string.h>
#include "sys/clock.h"
#include "user/post.h"
#include "user/run.h"
#include "user/user.h"

static int check_init(struct kv_user *u, const struct kv_user_dev *dev,
		      const struct kv_cq_init *init)
{
	int ret, vectors = dev->ctx->num_comp_vectors;

	ret = kv_user_check_count(u, "cqe", init->cqe, dev->attr.max_cqe, "max_cqe");
	if (ret)
		return ret;
	if (init->comp_vector >= (uint32_t)vectors)
		return kv_user_fail(u, init->comp_vector > INT32_MAX ? -ERANGE : -EINVAL,
				    "comp_vector is %u: it must be 0 to %d, %s has %d",
				    init->comp_vector, vectors - 1, init->dev, vectors);
	ret = kv_user_check_max(u, "context", init->context, KVERBS_CQ_MAX);
	if (ret || init->context <= KVERBS_CQ_EVENT)
		return ret;
	return kv_user_fail(u, -EOPNOTSUPP,
			    "context: softirq, workqueue and unbound-workqueue are the kernel's: user space has but polled and event");
}

/**
 * kv_user_cq_new() - create a completion queue; see model/ops.def
 * @b: the backend
 * @init: on which device, how deep, and how completions are noticed: EVENT gives
 *	it a completion channel of its own
 * @to: receives what was made
 * @verb_ns: duration of ibv_create_cq()
 *
 * Return: 0 or a negative errno.
 */
int kv_user_cq_new(struct kv_backend *b, const struct kv_cq_init *init,
		   struct kv_cq *to, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	union kv_object object;
	struct kv_user_dev *dev;
	struct kv_user_cq *cq;
	uint64_t start;
	int ret;

	dev = kv_user_dev_open(u, init->dev, &ret);
	if (!dev)
		return ret;
	ret = check_init(u, dev, init);
	if (ret)
		return ret;
	cq = kv_user_obj_alloc(u, KV_CQ, sizeof(*cq), dev, init->persistent, &ret);
	if (!cq)
		return ret;
	if (init->context == KVERBS_CQ_EVENT) {
		cq->channel = ibv_create_comp_channel(dev->ctx);
		if (!cq->channel) {
			ret = kv_user_fail(u, -errno,
					   "%s: ibv_create_comp_channel: %s",
					   init->dev, strerror(errno));
			goto err_free;
		}
	}
	start = kv_clock_raw_ns();
	cq->ib = ibv_create_cq(dev->ctx, (int)init->cqe, NULL, cq->channel,
			       (int)init->comp_vector);
	*verb_ns = kv_clock_raw_ns() - start;
	if (!cq->ib) {
		ret = kv_user_fail(u, -errno,
				   "%s: ibv_create_cq with cqe %u: %s",
				   init->dev, init->cqe, strerror(errno));
		goto err_destroy_channel;
	}
	cq->context = init->context;
	cq->comp_vector = init->comp_vector;
	TAILQ_INIT(&cq->done);
	kv_user_obj_publish(u, &cq->obj);
	kv_user_get(b, KV_CQ, cq->obj.id, &object);
	*to = object.cq;
	return 0;

err_destroy_channel:
	if (cq->channel)
		ibv_destroy_comp_channel(cq->channel);
err_free:
	kv_user_obj_free(&cq->obj);
	return ret;
}

/**
 * kv_user_cq_destroy() - undo kv_user_cq_new()
 * @u: the backend
 * @obj: the CQ's
 * @verb_ns: duration of ibv_destroy_cq()
 *
 * Return: 0 or a negative errno: then the CQ is as it was.
 */
int kv_user_cq_destroy(struct kv_user *u, struct kv_user_obj *obj, uint64_t *verb_ns)
{
	struct kv_user_cq *cq = (struct kv_user_cq *)obj;
	uint64_t start;
	int ret;

	/* An SRQ's receives that completed here complete nowhere else. */
	kv_user_poll_take_all(u, cq);
	start = kv_clock_raw_ns();
	ret = ibv_destroy_cq(cq->ib);
	*verb_ns = kv_clock_raw_ns() - start;
	if (ret)
		return -ret;
	kv_user_queue_forget_cq(cq);
	/* Nothing of it is left to refuse for. */
	if (cq->channel)
		ibv_destroy_comp_channel(cq->channel);
	return 0;
}

/**
 * kv_user_cq_fill() - what a CQ is
 * @obj: the CQ's
 * @to: receives it
 */
void kv_user_cq_fill(struct kv_user_obj *obj, union kv_object *to)
{
	const struct kv_user_cq *cq = (struct kv_user_cq *)obj;

	to->cq.cqe = (uint32_t)cq->ib->cqe;
	to->cq.comp_vector = cq->comp_vector;
	to->cq.context = cq->context;
	to->cq.pending = cq->pending;
}

/**
 * kv_user_cq_check_idle() - is no run polling the CQ?
 * @u: the backend
 * @cq: the CQ
 *
 * Return: 0 or -EBUSY.
 */
int kv_user_cq_check_idle(struct kv_user *u, struct kv_user_cq *cq)
{
	if (!cq->poller || !kv_user_run_active(cq->poller))
		return 0;
	return kv_user_fail(u, -EBUSY,
			    "run %u is active on a qp with cq %u: wait for it or cancel it",
			    cq->poller->obj.id, cq->obj.id);
}

/* One with a completion channel; NULL: the text is there. */
static struct kv_user_cq *find_event_cq(struct kv_user *u, uint32_t id, int *error)
{
	struct kv_user_cq *cq = kv_user_obj_find(u, KV_CQ, id);

	*error = -ENOENT;
	if (!cq || cq->channel)
		return cq;
	*error = kv_user_fail(u, -EINVAL,
			      "the context of cq %u is polled: make one with context event",
			      id);
	return NULL;
}

static int get_event(struct kv_user_cq *cq)
{
	struct ibv_cq *ib;
	void *context;

	if (ibv_get_cq_event(cq->channel, &ib, &context))
		return errno ? -errno : -EIO;
	/* At once: ibv_destroy_cq() waits until all were. */
	ibv_ack_cq_events(ib, 1);
	return 0;
}

/* What nobody waited for would end the next wait too early. */
static void drop_events(struct kv_user_cq *cq)
{
	struct pollfd fd = { .fd = cq->channel->fd, .events = POLLIN };

	while (poll(&fd, 1, 0) > 0 && !get_event(cq))
		;
}

/**
 * kv_user_cq_arm() - ask for an event of the next completion; see model/ops.def
 * @b: the backend
 * @in: the CQ, with context EVENT; and whether only a solicited completion, or an error,
 *	makes the event
 * @out: receives whether completions are there already, of requests that were
 *	posted by hand
 * @verb_ns: duration of ibv_req_notify_cq()
 *
 * ibv_req_notify_cq() does not say whether it came too late, so the CQ is looked
 * at after it.
 *
 * Return: 0 or a negative errno.
 */
int kv_user_cq_arm(struct kv_backend *b, const struct kv_cq_arm *in,
		struct kv_armed *out, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_cq *cq;
	uint64_t start;
	int ret;

	cq = find_event_cq(u, in->id, &ret);
	if (!cq)
		return ret;
	drop_events(cq);
	start = kv_clock_raw_ns();
	ret = ibv_req_notify_cq(cq->ib, in->solicited);
	*verb_ns = kv_clock_raw_ns() - start;
	if (ret)
		return kv_user_fail(u, -ret, "ibv_req_notify_cq of cq %u: %s", in->id, strerror(ret));
	kv_user_poll_take_all(u, cq);
	out->missed = !TAILQ_EMPTY(&cq->done);
	return 0;
}

/**
 * kv_user_cq_wait() - wait for the event of a CQ that was armed; see model/ops.def
 * @b: the backend
 * @in: the CQ, with context EVENT; and how long
 * @out: nothing
 * @verb_ns: stays as it is
 *
 * Return: 0 or a negative errno: -EAGAIN, -EINTR.
 */
int kv_user_cq_wait(struct kv_backend *b, const struct kv_wait *in,
		    struct kv_none *out, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct pollfd fd = { .events = POLLIN };
	struct kv_user_cq *cq;
	int n, ret;

	cq = find_event_cq(u, in->id, &ret);
	if (!cq)
		return ret;
	fd.fd = cq->channel->fd;
	n = poll(&fd, 1, in->timeout_ms);
	if (n < 0)
		return kv_user_fail(u, -errno, "cq %u: %s", in->id, strerror(errno));
	if (!n)
		return kv_user_fail(u, -EAGAIN, "no event of cq %u within %d ms", in->id, in->timeout_ms);
	ret = get_event(cq);
	return ret ? kv_user_fail(u, ret, "ibv_get_cq_event of cq %u: %s", in->id, strerror(-ret)) : 0;
}
