// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "user/post.h"

const size_t kv_user_srq_size = sizeof(struct kv_user_srq);

static int check_init(struct kv_user *u, const struct kv_user_dev *dev,
		      const struct kv_srq_init *init)
{
	int ret;

	if (!(kv_user_dev_caps(dev) & KVERBS_CAP_SRQ))
		return kv_user_fail(u, -EOPNOTSUPP, "%s has no shared receive queues",
				    kv_user_dev_name(dev));
	ret = kv_user_check_count(u, "max_wr", init->max_wr, dev->attr.max_srq_wr, "max_srq_wr") ?:
	      kv_user_check_count(u, "max_sge", init->max_sge,
				  dev->attr.max_srq_sge, "max_srq_sge");
	if (!ret && init->limit > init->max_wr)
		return kv_user_fail(u, -EINVAL, "limit %u is above max_wr, which is %u",
				    init->limit, init->max_wr);
	return ret;
}

/* If the device gives no answer, the SRQ keeps the values that were asked for. */
static void refresh(struct kv_user_srq *srq)
{
	struct ibv_srq_attr attr = { 0 };

	if (!ibv_query_srq(srq->ib, &attr))
		srq->attr = attr;
	srq->rq.max = srq->attr.max_wr;
}

static int set_limit(struct kv_user *u, struct kv_user_srq *srq, uint32_t limit)
{
	struct ibv_srq_attr attr = { .srq_limit = limit };
	int ret = limit ? ibv_modify_srq(srq->ib, &attr, IBV_SRQ_LIMIT) : 0;

	return ret ? kv_user_verb_failed(u, KVERBS_STAGE_MODIFY, -ret,
					 "ibv_modify_srq with limit %u: %s", limit, strerror(ret)) : 0;
}

/* The measured time is that of ibv_create_srq() alone; ibv_modify_srq() sets the limit after it. */
int kv_user_srq_new(struct kv_user *u, struct kv_user_srq *srq, const struct kv_srq_init *init)
{
	struct ibv_srq_init_attr attr = {
		.srq_context = srq,
		.attr.max_wr = init->max_wr,
		.attr.max_sge = init->max_sge,
	};
	struct kv_user_pd *pd = (struct kv_user_pd *)srq->obj.parents[0];
	int ret = check_init(u, srq->obj.dev, init);

	if (ret)
		return ret;
	srq->ib = KV_USER_TIMED(u, ibv_create_srq(pd->ib, &attr));
	if (!srq->ib)
		return kv_user_verb_failed(u, KVERBS_STAGE_CREATE, -errno,
					   "ibv_create_srq with max_wr %u and max_sge %u: %s",
					   init->max_wr, init->max_sge, strerror(errno));
	ret = set_limit(u, srq, init->limit);
	if (ret) {
		ibv_destroy_srq(srq->ib);
		return ret;
	}
	srq->attr = attr.attr;
	srq->attr.srq_limit = init->limit;
	kv_user_queue_init(&srq->rq, attr.attr.max_wr, attr.attr.max_sge);
	refresh(srq);
	return 0;
}

/* A device checks limit and max_wr each against the values in force, not against each other. */
static int check_attr(struct kv_user *u, const struct kv_user_srq *srq,
		      const struct kv_srq_attr *attr)
{
	const struct kv_user_dev *dev = srq->obj.dev;
	int ret;

	if (!attr->has_limit && !attr->has_max_wr)
		return kv_user_fail(u, -EINVAL, "limit and max_wr are missing: what shall change?");
	if (attr->has_limit && attr->limit > srq->attr.max_wr)
		return kv_user_fail(u, -EINVAL,
				    "limit %u is above max_wr, which is %u: raise max_wr first",
				    attr->limit, srq->attr.max_wr);
	if (!attr->has_max_wr)
		return 0;
	ret = kv_user_check_count(u, "max_wr", attr->max_wr, dev->attr.max_srq_wr, "max_srq_wr");
	if (ret)
		return ret;
	if (!(dev->attr.device_cap_flags & IBV_DEVICE_SRQ_RESIZE))
		return kv_user_fail(u, -EOPNOTSUPP, "max_wr: %s can't resize an srq",
				    kv_user_dev_name(dev));
	if (attr->max_wr < srq->attr.srq_limit || (attr->has_limit && attr->max_wr < attr->limit))
		return kv_user_fail(u, -EINVAL, "max_wr %u is below limit: lower limit first",
				    attr->max_wr);
	if (attr->max_wr < srq->rq.n + srq->recvs)
		return kv_user_fail(u, -EBUSY,
				    "more receives than max_wr are posted, %u: let them complete, and poll their completions",
				    srq->rq.n + srq->recvs);
	return 0;
}

int kv_user_srq_modify(struct kv_user *u, struct kv_user_srq *srq, const struct kv_srq_attr *attr,
		       struct kv_srq *to)
{
	struct ibv_srq_attr ib = { .max_wr = attr->max_wr, .srq_limit = attr->limit };
	int ret, mask = (attr->has_max_wr ? IBV_SRQ_MAX_WR : 0) |
			(attr->has_limit ? IBV_SRQ_LIMIT : 0);

	refresh(srq);
	ret = check_attr(u, srq, attr);
	if (ret)
		return ret;
	ret = KV_USER_TIMED(u, ibv_modify_srq(srq->ib, &ib, mask));
	if (ret)
		return kv_user_verb_failed(u, KVERBS_STAGE_MODIFY, -ret,
					   "ibv_modify_srq of srq %u: %s%s", attr->id,
					   strerror(ret),
					   ret == EINVAL ?
					   ": the device refuses this value of an attribute" : "");
	if (attr->has_max_wr)
		srq->attr.max_wr = attr->max_wr;
	if (attr->has_limit)
		srq->attr.srq_limit = attr->limit;
	kv_user_obj_fill(&srq->obj, to);
	return 0;
}

int kv_user_srq_destroy(struct kv_user *u, struct kv_user_srq *srq)
{
	int ret = KV_USER_TIMED(u, ibv_destroy_srq(srq->ib));

	if (!ret)
		kv_user_queue_purge(&srq->rq);
	return -ret;
}

/* Fills @to with the values that the device has now. */
void kv_user_srq_fill(struct kv_user_srq *srq, struct kv_srq *to)
{
	refresh(srq);
	to->pd = srq->obj.parents[0]->id;
	to->max_wr = srq->attr.max_wr;
	to->max_sge = srq->attr.max_sge;
	to->limit = srq->attr.srq_limit;
}
