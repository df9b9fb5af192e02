// SPDX-License-Identifier: GPL-2.0
#include "dev.h"
#include "mr.h"
#include "genl/msg.h"
#include "qp.h"
#include "rules/request.h"
#include "rules/run.h"
#include "run.h"

/* Bins that one reply carries. */
#define BINS_MAX 1024

static struct netlink_range_validation range_time = {
	.min = 1,
	.max = KV_RUN_TIME_NS_MAX,
};

static struct netlink_range_validation range_spins = {
	.max = KVERBS_SPINS_MAX,
};

static struct netlink_range_validation range_timeout = {
	.min = KV_RUN_TIMEOUT_NS_MIN,
	.max = KV_RUN_TIMEOUT_NS_MAX,
};

/* Larger than the 16 bits that a policy without a range has. */
static struct netlink_range_validation range_first_bin = {
	.max = KV_HIST_BINS - 1,
};

static const struct nla_policy end_policy[KVERBS_A_END_MAX + 1] = {
	[KVERBS_A_END_QP] = KV_POLICY_ID,
	[KVERBS_A_END_LOCAL_MR] = KV_POLICY_ID,
	[KVERBS_A_END_TARGET_MR] = KV_POLICY_ID,
	[KVERBS_A_END_LKEY] = NLA_POLICY_MAX(NLA_U32, KVERBS_LKEY_MAX),
	[KVERBS_A_END_REMOTE_ADDR] = { .type = NLA_U64 },
	[KVERBS_A_END_REMOTE_KEY] = { .type = NLA_U32 },
};

const struct nla_policy kv_run_policy[KVERBS_A_RUN_MAX + 1] = {
	[KVERBS_A_RUN_ID] = KV_POLICY_ID,
	[KVERBS_A_RUN_DEV] = KV_POLICY_NAME,
	[KVERBS_A_RUN_LOOP] = NLA_POLICY_MAX(NLA_U32, KVERBS_LOOP_MAX),
	[KVERBS_A_RUN_OP] = NLA_POLICY_MAX(NLA_U32, KVERBS_OP_CMP_SWP),
	[KVERBS_A_RUN_SIZE] = NLA_POLICY_MIN(NLA_U32, 1),
	[KVERBS_A_RUN_END] = NLA_POLICY_NESTED(end_policy),
	[KVERBS_A_RUN_PEER] = NLA_POLICY_NESTED(end_policy),
	[KVERBS_A_RUN_COMPARE_ADD] = { .type = NLA_U64 },
	[KVERBS_A_RUN_SWAP] = { .type = NLA_U64 },
	[KVERBS_A_RUN_ITERS] = KV_POLICY_U64_COUNT,
	[KVERBS_A_RUN_TIME_NS] = NLA_POLICY_FULL_RANGE(NLA_U64, &range_time),
	[KVERBS_A_RUN_WARMUP] = { .type = NLA_U64 },
	[KVERBS_A_RUN_TIMEOUT_NS] = NLA_POLICY_FULL_RANGE(NLA_U64, &range_timeout),
	[KVERBS_A_RUN_POST] = NLA_POLICY_MAX(NLA_U32, KVERBS_POST_MAX),
	[KVERBS_A_RUN_CPU] = KV_POLICY_INT,
	[KVERBS_A_RUN_SPINS] = NLA_POLICY_FULL_RANGE(NLA_U32, &range_spins),
	[KVERBS_A_RUN_FIRST_BIN] = NLA_POLICY_FULL_RANGE(NLA_U32, &range_first_bin),
};

static struct kv_mr *find_mr(struct genl_info *info, struct nlattr *id,
			     struct kv_dev *dev)
{
	struct kv_obj *obj = kv_msg_find_obj(info, id, &kv_mr_class, dev);

	return IS_ERR(obj) ? ERR_CAST(obj) : container_of(obj, struct kv_mr, obj);
}

/* One end, its device locked. */
static int parse_end(struct genl_info *info, struct nlattr **attrs,
		     struct nlattr *nest, const struct kv_run_spec *spec,
		     struct kv_dev *dev, struct kv_run_end *end)
{
	struct kv_obj *qp;

	if (!attrs[KVERBS_A_END_LOCAL_MR])
		return kv_msg_refuse(info, nest, -EINVAL, "local_mr is missing in this end");
	if (kv_run_rules_has_target(spec->loop) && !attrs[KVERBS_A_END_TARGET_MR])
		return kv_msg_refuse(info, nest, -EINVAL,
				     "target_mr is missing in this end: this loop needs it");
	if (kv_op_needs_remote(spec->op) &&
	    (!attrs[KVERBS_A_END_REMOTE_ADDR] || !attrs[KVERBS_A_END_REMOTE_KEY]))
		return kv_msg_refuse(info, nest, -EINVAL,
				     "remote_addr or remote_key is missing in this end: op needs both");

	qp = kv_msg_find_obj(info, attrs[KVERBS_A_END_QP], &kv_qp_class, dev);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	end->qp = container_of(qp, struct kv_qp, obj);
	end->local = find_mr(info, attrs[KVERBS_A_END_LOCAL_MR], dev);
	if (IS_ERR(end->local))
		return PTR_ERR(end->local);
	if (kv_run_rules_has_target(spec->loop)) {
		end->target = find_mr(info, attrs[KVERBS_A_END_TARGET_MR], dev);
		if (IS_ERR(end->target))
			return PTR_ERR(end->target);
	}
	end->lkey = kv_u32_or(attrs[KVERBS_A_END_LKEY], KVERBS_LKEY_DMA);
	end->remote_addr = kv_u64_or(attrs[KVERBS_A_END_REMOTE_ADDR], 0);
	end->remote_key = kv_u32_or(attrs[KVERBS_A_END_REMOTE_KEY], 0);
	return 0;
}

static int parse_nest(struct genl_info *info, struct nlattr *nest,
		      struct nlattr **attrs)
{
	int ret;

	ret = nla_parse_nested(attrs, KVERBS_A_END_MAX, nest, end_policy,
			       info->extack);
	if (ret)
		return ret;
	if (!attrs[KVERBS_A_END_QP])
		return kv_msg_refuse(info, nest, -EINVAL, "qp is missing in this end");
	return 0;
}

static int parse_spec(struct genl_info *info, struct kv_run_spec *spec)
{
	struct nlattr **attrs = info->attrs;
	int ret;

	ret = kv_msg_need(info, KVERBS_A_RUN_LOOP, "loop is missing: which loop shall run?");
	if (ret)
		return ret;
	spec->loop = nla_get_u32(attrs[KVERBS_A_RUN_LOOP]);
	if (!attrs[KVERBS_A_RUN_ITERS] && !attrs[KVERBS_A_RUN_TIME_NS])
		return kv_msg_need(info, KVERBS_A_RUN_ITERS,
				   "iters and time_ns are missing: how long shall it run?");
	if (spec->loop != KVERBS_LOOP_NULL) {
		ret = kv_msg_need(info, KVERBS_A_RUN_OP, "op is missing: which operation?") ?:
		      kv_msg_need(info, KVERBS_A_RUN_SIZE, "size is missing: how many bytes?");
		if (ret)
			return ret;
		spec->op = nla_get_u32(attrs[KVERBS_A_RUN_OP]);
		spec->size = nla_get_u32(attrs[KVERBS_A_RUN_SIZE]);
	}
	if (spec->loop != KVERBS_LOOP_RELAY && attrs[KVERBS_A_RUN_PEER])
		return kv_msg_refuse(info, attrs[KVERBS_A_RUN_PEER], -EINVAL,
				     "peer is for RELAY only");

	spec->iters = kv_u64_or(attrs[KVERBS_A_RUN_ITERS], U64_MAX);
	spec->time_ns = kv_u64_or(attrs[KVERBS_A_RUN_TIME_NS], U64_MAX);
	spec->warmup = kv_u64_or(attrs[KVERBS_A_RUN_WARMUP], 0);
	spec->timeout_ns = kv_u64_or(attrs[KVERBS_A_RUN_TIMEOUT_NS], KV_RUN_TIMEOUT_NS);
	spec->compare_add = kv_u64_or(attrs[KVERBS_A_RUN_COMPARE_ADD], 0);
	spec->swap = kv_u64_or(attrs[KVERBS_A_RUN_SWAP], 0);
	spec->post = kv_u32_or(attrs[KVERBS_A_RUN_POST], KVERBS_POST_SOFTIRQ_OFF);
	spec->spins = kv_u32_or(attrs[KVERBS_A_RUN_SPINS], kv_env_default_spins());
	spec->cpu = attrs[KVERBS_A_RUN_CPU] ? nla_get_u32(attrs[KVERBS_A_RUN_CPU]) : -1;
	return 0;
}

static int start_on(struct genl_info *info, struct kv_dev *dev,
		    const struct kv_run_spec *spec)
{
	struct kv_owner *owner = kv_msg_owner(info);
	struct kv_reply reply;
	struct kv_obj *run;
	int ret;

	ret = kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	run = kv_run_start(dev, owner, spec, info->extack);
	if (IS_ERR(run))
		return kv_reply_end(info, &reply, PTR_ERR(run));
	ret = kv_reply_end(info, &reply, nla_put_u32(reply.skb, KVERBS_A_RUN_ID, run->id));
	if (ret)
		kv_obj_destroy(run, info->extack);
	return ret;
}

static int start_null(struct genl_info *info, const struct kv_run_spec *spec)
{
	struct kv_dev *dev;
	int ret;

	ret = kv_msg_lock_dev(info, KVERBS_A_RUN_DEV, &dev);
	if (ret)
		return ret;
	ret = start_on(info, dev, spec);
	kv_msg_unlock_dev(dev);
	return ret;
}

int kv_netlink_run_start(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *end[KVERBS_A_END_MAX + 1], *peer[KVERBS_A_END_MAX + 1];
	struct nlattr *end_nest = info->attrs[KVERBS_A_RUN_END];
	struct nlattr *peer_nest = info->attrs[KVERBS_A_RUN_PEER];
	struct kv_run_spec spec = {};
	struct kv_obj *qp;
	int ret;

	ret = parse_spec(info, &spec);
	if (ret)
		return ret;
	if (spec.loop == KVERBS_LOOP_NULL)
		return start_null(info, &spec);

	ret = kv_msg_need(info, KVERBS_A_RUN_END, "end is missing: which qp and mrs?") ?:
	      parse_nest(info, end_nest, end);
	if (!ret && spec.loop == KVERBS_LOOP_RELAY)
		ret = kv_msg_need(info, KVERBS_A_RUN_PEER,
				  "peer is missing: RELAY drives both ends") ?:
		      parse_nest(info, peer_nest, peer);
	if (ret)
		return ret;

	qp = kv_obj_lookup(&kv_qp_class, nla_get_u32(end[KVERBS_A_END_QP]),
			   kv_msg_owner(info));
	if (!qp)
		return kv_msg_refuse(info, end[KVERBS_A_END_QP], -ENOENT,
				     "no qp with this id among yours");
	mutex_lock(&qp->dev->lock);
	ret = parse_end(info, end, end_nest, &spec, qp->dev, &spec.end);
	if (!ret && peer_nest)
		ret = parse_end(info, peer, peer_nest, &spec, qp->dev, &spec.peer);
	if (!ret)
		ret = start_on(info, qp->dev, &spec);
	kv_obj_unlock(qp);
	return ret;
}

int kv_netlink_run_cancel(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_obj *obj;
	int ret;

	ret = kv_msg_lock_obj(info, KVERBS_A_RUN_ID, &kv_run_class, &obj);
	if (ret)
		return ret;
	kv_run_cancel(container_of(obj, struct kv_run, obj), -ECANCELED);
	kv_obj_unlock(obj);
	return 0;
}

/* As many bins as fit, and where to go on. */
static int fill_bins(struct sk_buff *skb, const struct kv_hist *hist, u32 first)
{
	struct nlattr *attr;
	struct kverbs_bin bin;
	u32 i, n = 0;

	attr = nla_reserve(skb, KVERBS_A_RUN_BINS, 0);
	if (!attr)
		return -EMSGSIZE;
	for (i = first; i < KV_HIST_BINS && n < BINS_MAX; i++) {
		bin.count = READ_ONCE(hist->bin[i].count);
		if (!bin.count)
			continue;
		bin.min = kv_hist_bin_min(hist, i);
		bin.max = kv_hist_bin_max(hist, i);
		/* The first sample of it is just being recorded. */
		if (bin.min > bin.max)
			continue;
		if (nla_append(skb, sizeof(bin), &bin))
			return -EMSGSIZE;
		n++;
	}
	attr->nla_len += n * sizeof(bin);
	return i < KV_HIST_BINS ? nla_put_u32(skb, KVERBS_A_RUN_NEXT_BIN, i) : 0;
}

static int fill_run(struct sk_buff *skb, struct kv_obj *obj)
{
	struct kv_run *run = container_of(obj, struct kv_run, obj);
	const struct kv_loop *loop = &run->loop;
	const struct kv_hist *hist = run->hist;
	/* First, and pairs with the thread's release: after DONE all else is final. */
	u32 state = smp_load_acquire(&run->state);
	/* First: it is part of what was done. */
	u64 dropped = READ_ONCE(loop->dropped);
	u64 done = READ_ONCE(loop->done);
	/* Until then what the loop has done is warm-up. */
	bool measuring = READ_ONCE(run->measuring);

	return nla_put_u32(skb, KVERBS_A_RUN_STATE, state) ?:
	       nla_put_s32(skb, KVERBS_A_RUN_ERROR, READ_ONCE(run->error)) ?:
	       nla_put_u32(skb, KVERBS_A_RUN_WC_STATUS, READ_ONCE(loop->wc_status)) ?:
	       nla_put_u32(skb, KVERBS_A_RUN_VENDOR_ERR, READ_ONCE(loop->vendor_err)) ?:
	       kv_put_u64(skb, KVERBS_A_RUN_SAMPLES, measuring ? done - dropped : 0) ?:
	       kv_put_u64(skb, KVERBS_A_RUN_WARMED,
			  measuring ? READ_ONCE(run->warmed) : done) ?:
	       kv_put_u64(skb, KVERBS_A_RUN_MIN_TICKS, kv_hist_min(hist)) ?:
	       kv_put_u64(skb, KVERBS_A_RUN_MAX_TICKS, kv_hist_max(hist)) ?:
	       kv_put_u64(skb, KVERBS_A_RUN_SUM_TICKS, READ_ONCE(hist->sum)) ?:
	       kv_put_u64(skb, KVERBS_A_RUN_ELAPSED_TICKS,
			  kv_loop_elapsed(loop)) ?:
	       kv_put_u64(skb, KVERBS_A_RUN_ELAPSED_NS, READ_ONCE(run->elapsed_ns)) ?:
	       kv_put_u64(skb, KVERBS_A_RUN_LET_GO, READ_ONCE(loop->let_go));
}

/* Dumps are without bins: they would not fit. */
const struct kv_noun kv_run_noun = {
	.class = &kv_run_class,
	.id = KVERBS_A_RUN_ID,
	.fill = fill_run,
};

static int get(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	const struct kv_hist *hist = container_of(obj, struct kv_run, obj)->hist;
	struct nlattr *first = info->attrs[KVERBS_A_RUN_FIRST_BIN];
	int ret;

	ret = kv_put_obj(skb, obj, &kv_run_noun);
	return ret || !first ? ret : fill_bins(skb, hist, nla_get_u32(first));
}

int kv_netlink_run_get(struct sk_buff *skb, struct genl_info *info)
{
	size_t bins = info->attrs[KVERBS_A_RUN_FIRST_BIN] ? BINS_MAX : 0;

	return kv_msg_command(info, &kv_run_noun, NLMSG_DEFAULT_SIZE + NLA_HDRLEN +
			      bins * sizeof(struct kverbs_bin), get);
}
