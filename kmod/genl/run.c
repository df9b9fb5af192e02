// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/slab.h>
#include "ah.h"
#include "buf.h"
#include "dev.h"
#include "genl/call.h"
#include "loop/flow.h"
#include "mr.h"
#include "genl/msg.h"
#include "qp.h"
#include "rules/request.h"
#include "run.h"

/* Bins that one reply carries. */
#define BINS_MAX 1024

static struct netlink_range_validation range_time = { .min = 1, .max = KV_RUN_TIME_NS_MAX };
static struct netlink_range_validation range_spins = { .max = KVERBS_SPINS_MAX };
static struct netlink_range_validation range_timeout = {
	.min = KV_RUN_TIMEOUT_NS_MIN,
	.max = KV_RUN_TIMEOUT_NS_MAX,
};

static struct netlink_range_validation range_interval = {
	.min = 1,
	.max = KV_RUN_INTERVAL_NS_MAX,
};

/* Larger than the 16 bits that a policy without a range has. */
static struct netlink_range_validation range_first_bin = { .max = KV_HIST_BINS - 1 };

static const struct nla_policy end_policy[KVERBS_A_END_MAX + 1] = {
	[KVERBS_A_END_QP] = KV_POLICY_ID,
	[KVERBS_A_END_LOCAL_BUF] = KV_POLICY_ID,
	[KVERBS_A_END_LOCAL_MR] = KV_POLICY_ID,
	[KVERBS_A_END_TARGET_BUF] = KV_POLICY_ID,
	[KVERBS_A_END_TARGET_MR] = KV_POLICY_ID,
	[KVERBS_A_END_REMOTE_ADDR] = { .type = NLA_U64 },
	[KVERBS_A_END_REMOTE_KEY] = { .type = NLA_U32 },
	[KVERBS_A_END_LOCAL_OFFSET] = { .type = NLA_U64 },
	[KVERBS_A_END_TARGET_OFFSET] = { .type = NLA_U64 },
	[KVERBS_A_END_CPU] = KV_POLICY_INT,
	[KVERBS_A_END_AH] = KV_POLICY_ID,
	[KVERBS_A_END_REMOTE_QPN] = KV_POLICY_24BIT,
	[KVERBS_A_END_REMOTE_QKEY] = { .type = NLA_U32 },
	[KVERBS_A_END_INV_MR] = KV_POLICY_ID,
};

static const struct nla_policy spec_policy[KVERBS_A_SPEC_MAX + 1] = {
	[KVERBS_A_SPEC_DEV] = KV_POLICY_NAME,
	[KVERBS_A_SPEC_LOOP] = NLA_POLICY_MAX(NLA_U32, KVERBS_LOOP_MAX),
	[KVERBS_A_SPEC_OP] = NLA_POLICY_MAX(NLA_U32, KVERBS_OP_MAX),
	[KVERBS_A_SPEC_SIZE] = NLA_POLICY_MIN(NLA_U32, 1),
	[KVERBS_A_SPEC_END] = NLA_POLICY_NESTED(end_policy),
	[KVERBS_A_SPEC_COMPARE_ADD] = { .type = NLA_U64 },
	[KVERBS_A_SPEC_SWAP] = { .type = NLA_U64 },
	[KVERBS_A_SPEC_ITERS] = KV_POLICY_U64_COUNT,
	[KVERBS_A_SPEC_TIME_NS] = NLA_POLICY_FULL_RANGE(NLA_U64, &range_time),
	[KVERBS_A_SPEC_WARMUP] = { .type = NLA_U64 },
	[KVERBS_A_SPEC_TIMEOUT_NS] = NLA_POLICY_FULL_RANGE(NLA_U64, &range_timeout),
	[KVERBS_A_SPEC_POST_CONTEXT] = NLA_POLICY_MAX(NLA_U32, KVERBS_POST_MAX),
	[KVERBS_A_SPEC_CPU] = KV_POLICY_INT,
	[KVERBS_A_SPEC_SPINS] = NLA_POLICY_FULL_RANGE(NLA_U32, &range_spins),
	[KVERBS_A_SPEC_DEPTH] = NLA_POLICY_RANGE(NLA_U32, 1, KV_RUN_DEPTH_MAX),
	[KVERBS_A_SPEC_LIST] = NLA_POLICY_RANGE(NLA_U32, 1, KV_RUN_LIST_MAX),
	[KVERBS_A_SPEC_SIGNAL] = NLA_POLICY_RANGE(NLA_U32, 1, KV_RUN_DEPTH_MAX),
	[KVERBS_A_SPEC_WORKERS] = NLA_POLICY_RANGE(NLA_U32, 1, KV_RUN_WORKERS_MAX),
	[KVERBS_A_SPEC_INTERVAL_NS] = NLA_POLICY_FULL_RANGE(NLA_U64, &range_interval),
	[KVERBS_A_SPEC_FLAGS] = NLA_POLICY_MASK(NLA_U32, KV_RUN_FLAGS),
	[KVERBS_A_SPEC_SGES] = NLA_POLICY_RANGE(NLA_U32, 1, KVERBS_SGE_MAX),
	[KVERBS_A_SPEC_RECV_SGES] = NLA_POLICY_RANGE(NLA_U32, 1, KVERBS_SGE_MAX),
	[KVERBS_A_SPEC_CREDITS] = NLA_POLICY_RANGE(NLA_U32, 1, KV_RUN_DEPTH_MAX),
};

static const struct nla_policy policy[KVERBS_A_RUN_MAX + 1] = {
	[KVERBS_A_RUN_ID] = KV_POLICY_ID,
	[KVERBS_A_RUN_SPEC] = NLA_POLICY_NESTED(spec_policy),
	[KVERBS_A_RUN_WORKER] = KV_POLICY_INT,
	[KVERBS_A_RUN_FIRST_BIN] = NLA_POLICY_FULL_RANGE(NLA_U32, &range_first_bin),
};

/**
 * struct start - a message that starts a run
 * @nest: its SPEC
 * @spec: the attributes there; of several ENDs the last
 * @given: the attributes that are given
 * @to: the run's spec, whose ends are this message's
 */
struct start {
	struct nlattr *nest;
	struct nlattr *spec[KVERBS_A_SPEC_MAX + 1];
	struct kv_run_given given;
	struct kv_run_spec to;
};

static struct nlattr *run_nth_end(const struct start *start, u32 number)
{
	struct nlattr *attr;
	int rem;

	nla_for_each_nested(attr, start->nest, rem)
		if (nla_type(attr) == KVERBS_A_SPEC_END && !number--)
			return attr;
	return NULL;
}

/* Parses all attributes of a spec that name no object. */
static int run_parse_spec(struct genl_info *info, struct start *start)
{
	struct nlattr *attr, **attrs = start->spec;
	struct kv_run_given *given_attrs = &start->given;
	struct kv_run_spec *spec = &start->to;
	struct kv_refusal why;
	int ret, rem;

	ret = kv_msg_need(info, KVERBS_A_RUN_SPEC, "spec is missing: what shall run?");
	if (ret)
		return ret;
	start->nest = info->attrs[KVERBS_A_RUN_SPEC];
	ret = nla_parse_nested(attrs, KVERBS_A_SPEC_MAX, start->nest, spec_policy, info->extack);
	if (ret)
		return ret;
	nla_for_each_nested(attr, start->nest, rem)
		given_attrs->ends += nla_type(attr) == KVERBS_A_SPEC_END;
	given_attrs->spec = kv_attrs_given(attrs, KVERBS_A_SPEC_MAX);
	given_attrs->loop = kv_u32_or(attrs[KVERBS_A_SPEC_LOOP], 0);
	given_attrs->op = kv_u32_or(attrs[KVERBS_A_SPEC_OP], 0);
	given_attrs->workers = kv_u32_or(attrs[KVERBS_A_SPEC_WORKERS], 0);
	if (kv_run_check_given(given_attrs, &why))
		return kv_msg_refuse_in(info, start->nest, attrs, &why);

	spec->loop = given_attrs->loop;
	spec->op = given_attrs->op;
	spec->size = kv_u32_or(attrs[KVERBS_A_SPEC_SIZE], 0);
	spec->iters = kv_u64_or(attrs[KVERBS_A_SPEC_ITERS], U64_MAX);
	spec->time_ns = kv_u64_or(attrs[KVERBS_A_SPEC_TIME_NS], U64_MAX);
	spec->warmup = kv_u64_or(attrs[KVERBS_A_SPEC_WARMUP], 0);
	spec->timeout_ns = kv_u64_or(attrs[KVERBS_A_SPEC_TIMEOUT_NS], KV_RUN_TIMEOUT_NS);
	spec->compare_add = kv_u64_or(attrs[KVERBS_A_SPEC_COMPARE_ADD], 0);
	spec->swap = kv_u64_or(attrs[KVERBS_A_SPEC_SWAP], 0);
	spec->post_context = kv_u32_or(attrs[KVERBS_A_SPEC_POST_CONTEXT], KVERBS_POST_PROCESS);
	spec->spins = kv_u32_or(attrs[KVERBS_A_SPEC_SPINS], kv_env_default_spins());
	spec->spins_given = attrs[KVERBS_A_SPEC_SPINS];
	spec->list = kv_u32_or(attrs[KVERBS_A_SPEC_LIST], 1);
	spec->signal = kv_u32_or(attrs[KVERBS_A_SPEC_SIGNAL], spec->list);
	spec->depth = kv_u32_or(attrs[KVERBS_A_SPEC_DEPTH], spec->signal);
	spec->workers = kv_run_workers(spec->loop, given_attrs->ends, given_attrs->workers);
	spec->interval_ns = kv_u64_or(attrs[KVERBS_A_SPEC_INTERVAL_NS], 0);
	spec->flags = kv_u32_or(attrs[KVERBS_A_SPEC_FLAGS], 0);
	spec->sges = kv_u32_or(attrs[KVERBS_A_SPEC_SGES], 1);
	spec->recv_sges = kv_u32_or(attrs[KVERBS_A_SPEC_RECV_SGES], 1);
	spec->credits = kv_u32_or(attrs[KVERBS_A_SPEC_CREDITS], 0);
	spec->nice = kv_call_of(info)->nice;
	spec->cpu = kv_u32_or(attrs[KVERBS_A_SPEC_CPU], -1);
	return 0;
}

static int run_parse_end(struct genl_info *info, const struct start *start, u32 number,
			 struct nlattr *end, struct nlattr **attrs)
{
	struct kv_refusal why;
	int ret;

	ret = nla_parse_nested(attrs, KVERBS_A_END_MAX, end, end_policy, info->extack);
	if (ret)
		return ret;
	if (!kv_run_check_end_given(&start->given, number,
				    kv_attrs_given(attrs, KVERBS_A_END_MAX), &why))
		return 0;
	return kv_msg_refuse_in(info, end, attrs, &why);
}

/* A buffer, if there is one, and, if there is one, the MR whose key names it. */
static int run_find_memory(struct genl_info *info, struct nlattr *buf_id, struct nlattr *mr_id,
			   struct kv_dev *dev, struct kv_run_memory *memory)
{
	int ret = kv_msg_find(info, buf_id, buf, dev, &memory->buf) ?:
		  kv_msg_find(info, mr_id, mr, dev, &memory->mr);

	memory->buf_id = kv_u32_or(buf_id, 0);
	memory->mr_id = kv_u32_or(mr_id, 0);
	return ret;
}

/* Finds the objects that one end names; they are of the locked device. */
static int run_find_end(struct genl_info *info, struct nlattr **attrs, struct kv_dev *dev,
			struct kv_run_end *end)
{
	end->qp_id = nla_get_u32(attrs[KVERBS_A_END_QP]);
	end->local.offset = kv_u64_or(attrs[KVERBS_A_END_LOCAL_OFFSET], 0);
	end->target.offset = kv_u64_or(attrs[KVERBS_A_END_TARGET_OFFSET], 0);
	end->remote_addr = kv_u64_or(attrs[KVERBS_A_END_REMOTE_ADDR], 0);
	end->remote_key = kv_u32_or(attrs[KVERBS_A_END_REMOTE_KEY], 0);
	end->cpu = kv_u32_or(attrs[KVERBS_A_END_CPU], -1);
	end->ah_id = kv_u32_or(attrs[KVERBS_A_END_AH], 0);
	end->remote_qpn = kv_u32_or(attrs[KVERBS_A_END_REMOTE_QPN], 0);
	end->remote_qkey = kv_u32_or(attrs[KVERBS_A_END_REMOTE_QKEY], 0);
	end->inv_mr_id = kv_u32_or(attrs[KVERBS_A_END_INV_MR], 0);
	return kv_msg_find(info, attrs[KVERBS_A_END_QP], qp, dev, &end->qp) ?:
	       kv_msg_find(info, attrs[KVERBS_A_END_AH], ah, dev, &end->ah) ?:
	       kv_msg_find(info, attrs[KVERBS_A_END_INV_MR], mr, dev, &end->inv_mr) ?:
	       run_find_memory(info, attrs[KVERBS_A_END_LOCAL_BUF],
			       attrs[KVERBS_A_END_LOCAL_MR], dev, &end->local) ?:
	       run_find_memory(info, attrs[KVERBS_A_END_TARGET_BUF],
			       attrs[KVERBS_A_END_TARGET_MR], dev, &end->target);
}

/* Names what causes a refusal of the run. An attribute that is not there is named as missing. */
static void run_blame(struct genl_info *info, const struct start *start,
		      const struct kv_run_culprit *wrong)
{
	struct nlattr *end, *attr = wrong->attr ? start->spec[wrong->attr] : start->nest;

	if (wrong->end < start->to.ends) {
		end = run_nth_end(start, wrong->end);
		attr = nla_find_nested(end, wrong->attr ?: KVERBS_A_END_QP);
		if (!attr)
			NL_SET_ERR_ATTR_MISS(info->extack, end, wrong->attr);
		attr = attr ?: end;
	}
	if (attr)
		NL_SET_BAD_ATTR(info->extack, attr);
}

static int run_start_on_dev(struct genl_info *info, struct kv_dev *dev, const struct start *start)
{
	const struct kv_new new = {
		.dev = dev,
		.owner = kv_msg_owner(info),
		.extack = info->extack,
	};
	struct sk_buff *reply;
	struct kv_obj *run;
	struct kv_run_culprit wrong;
	int ret;

	ret = kv_reply_start(info, &reply, GENLMSG_DEFAULT_SIZE);
	if (ret)
		return ret;
	run = kv_run_start(&new, &start->to, &wrong);
	if (IS_ERR(run)) {
		run_blame(info, start, &wrong);
		return kv_reply_end(info, reply, PTR_ERR(run));
	}
	ret = kv_reply_end(info, reply, nla_put_u32(reply, KVERBS_A_RUN_ID, run->id));
	if (ret)
		kv_obj_destroy(run, info->extack);
	return ret;
}

static int run_start_null(struct genl_info *info, const struct start *start)
{
	struct kv_dev *dev;
	int ret;

	ret = kv_msg_lock_named_dev(info, start->spec[KVERBS_A_SPEC_DEV], &dev);
	if (ret)
		return ret;
	ret = run_start_on_dev(info, dev, start);
	kv_msg_unlock_dev(dev);
	return ret;
}

/* Finds the objects of all ends; the attributes of each have been checked. */
static int run_find_ends(struct genl_info *info, const struct start *start, struct kv_dev *dev)
{
	struct nlattr *attrs[KVERBS_A_END_MAX + 1];
	struct kv_run_end *end = start->to.end;
	struct nlattr *attr;
	int rem, ret;

	nla_for_each_nested(attr, start->nest, rem) {
		if (nla_type(attr) != KVERBS_A_SPEC_END)
			continue;
		ret = nla_parse_nested(attrs, KVERBS_A_END_MAX, attr, end_policy, info->extack) ?:
		      run_find_end(info, attrs, dev, end++);
		if (ret)
			return ret;
	}
	return 0;
}

/* Checks the attributes of all ends. @qp: receives the first end's QP. */
static int run_parse_ends(struct genl_info *info, struct start *start, struct nlattr **qp)
{
	struct nlattr *attrs[KVERBS_A_END_MAX + 1];
	struct kv_refusal why;
	struct nlattr *attr;
	u32 i = 0, cpus = 0;
	int rem, ret;

	nla_for_each_nested(attr, start->nest, rem) {
		if (nla_type(attr) != KVERBS_A_SPEC_END)
			continue;
		ret = run_parse_end(info, start, i, attr, attrs);
		if (ret)
			return ret;
		cpus += !!attrs[KVERBS_A_END_CPU];
		if (!i++)
			*qp = attrs[KVERBS_A_END_QP];
	}
	if (kv_run_check_cpus(&start->given, cpus, &why))
		return kv_msg_refuse_in(info, start->nest, start->spec, &why);
	return 0;
}

/* The run's device is the device of the first end's QP. */
static int run_start_on_ends(struct genl_info *info, struct start *start)
{
	struct kv_run_spec *spec = &start->to;
	struct nlattr *first;
	struct kv_obj *qp;
	int ret;

	ret = run_parse_ends(info, start, &first);
	if (ret)
		return ret;
	spec->ends = start->given.ends;
	spec->end = kvcalloc(spec->ends, sizeof(*spec->end), GFP_KERNEL);
	if (!spec->end)
		return -ENOMEM;
	ret = kv_msg_lock_found(info, first, &kv_qp_class, &qp);
	if (ret)
		goto out;
	ret = run_find_ends(info, start, qp->dev);
	if (!ret)
		ret = run_start_on_dev(info, qp->dev, start);
	kv_obj_unlock(qp);
out:
	kvfree(spec->end);
	return ret;
}

static int run_start(struct sk_buff *skb, struct genl_info *info)
{
	/* Not on the stack, which has little room. */
	struct start *start = kzalloc(sizeof(*start), GFP_KERNEL);
	int ret;

	if (!start)
		return -ENOMEM;
	ret = run_parse_spec(info, start);
	if (!ret)
		ret = start->given.ends ? run_start_on_ends(info, start) :
					  run_start_null(info, start);
	kfree(start);
	return ret;
}

static int run_cancel(struct sk_buff *skb, struct genl_info *info)
{
	struct kv_obj *obj;
	int ret;

	ret = kv_msg_lock_obj(info, KVERBS_A_RUN_ID, &kv_run_class, &obj);
	if (ret)
		return ret;
	kv_workers_cancel(container_of(obj, struct kv_run, obj), -ECANCELED);
	kv_obj_unlock(obj);
	return 0;
}

/* Puts as many bins as fit, and the number of the bin to continue with. */
static int run_fill_bins(struct sk_buff *skb, const struct kv_hist *hist, u32 first)
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
		/* The bin's first sample is being recorded right now. */
		if (bin.min > bin.max)
			continue;
		if (nla_append(skb, sizeof(bin), &bin))
			return -EMSGSIZE;
		n++;
	}
	attr->nla_len += n * sizeof(bin);
	return i < KV_HIST_BINS ? nla_put_u32(skb, KVERBS_A_RUN_NEXT_BIN, i) : 0;
}

static int run_put_end(struct sk_buff *skb, const struct kv_run_spec *spec,
		       const struct kv_run_end *end)
{
	const struct kv_run_memory *local = &end->local, *target = &end->target;
	struct nlattr *nest = nla_nest_start(skb, KVERBS_A_SPEC_END);
	bool remote = kv_run_has_remote(spec->loop, spec->op);
	bool key = remote || kv_run_invalidates(spec->loop, spec->op, end - spec->end);

	if (!nest ||
	    nla_put_u32(skb, KVERBS_A_END_QP, end->qp_id) ||
	    (local->buf_id && nla_put_u32(skb, KVERBS_A_END_LOCAL_BUF, local->buf_id)) ||
	    (local->mr_id && nla_put_u32(skb, KVERBS_A_END_LOCAL_MR, local->mr_id)) ||
	    (target->buf_id && nla_put_u32(skb, KVERBS_A_END_TARGET_BUF, target->buf_id)) ||
	    (local->buf_id && kv_put_u64(skb, KVERBS_A_END_LOCAL_OFFSET, local->offset)) ||
	    (target->buf_id && kv_put_u64(skb, KVERBS_A_END_TARGET_OFFSET, target->offset)) ||
	    (target->mr_id && nla_put_u32(skb, KVERBS_A_END_TARGET_MR, target->mr_id)) ||
	    (remote && kv_put_u64(skb, KVERBS_A_END_REMOTE_ADDR, end->remote_addr)) ||
	    (key && nla_put_u32(skb, KVERBS_A_END_REMOTE_KEY, end->remote_key)) ||
	    (end->inv_mr_id && nla_put_u32(skb, KVERBS_A_END_INV_MR, end->inv_mr_id)) ||
	    (end->cpu >= 0 && nla_put_u32(skb, KVERBS_A_END_CPU, end->cpu)) ||
	    (end->ah_id && (nla_put_u32(skb, KVERBS_A_END_AH, end->ah_id) ||
			    nla_put_u32(skb, KVERBS_A_END_REMOTE_QPN, end->remote_qpn) ||
			    nla_put_u32(skb, KVERBS_A_END_REMOTE_QKEY, end->remote_qkey))))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Puts the attributes that only a run with ends has. */
static int run_put_verbs(struct sk_buff *skb, const struct kv_run *run)
{
	const struct kv_run_spec *spec = &run->spec;
	bool sends = kv_run_sends(spec->loop), depth = kv_run_has_depth(spec->loop);
	bool atomic = kv_op_among(spec->op, KV_OPS_ATOMIC);
	bool swaps = spec->op == KVERBS_OP_CMP_SWP;
	bool groups = kv_run_has_groups(spec->loop);
	bool recvs = kv_run_recvs(spec->loop, spec->op, spec->depth);
	u32 i;

	if (nla_put_u32(skb, KVERBS_A_SPEC_OP, spec->op) ||
	    nla_put_u32(skb, KVERBS_A_SPEC_SIZE, spec->size) ||
	    kv_put_u64(skb, KVERBS_A_SPEC_TIMEOUT_NS, spec->timeout_ns) ||
	    (sends && nla_put_u32(skb, KVERBS_A_SPEC_POST_CONTEXT, spec->post_context)) ||
	    (kv_run_requests(spec->loop) &&
	     nla_put_u32(skb, KVERBS_A_SPEC_SGES, spec->sges)) ||
	    (recvs && nla_put_u32(skb, KVERBS_A_SPEC_RECV_SGES, spec->recv_sges)) ||
	    (!run->told && nla_put_u32(skb, KVERBS_A_SPEC_SPINS, spec->spins)) ||
	    (atomic && kv_put_u64(skb, KVERBS_A_SPEC_COMPARE_ADD, spec->compare_add)) ||
	    (swaps && kv_put_u64(skb, KVERBS_A_SPEC_SWAP, spec->swap)) ||
	    (groups && nla_put_u32(skb, KVERBS_A_SPEC_LIST, spec->list)) ||
	    (groups && nla_put_u32(skb, KVERBS_A_SPEC_SIGNAL, spec->signal)) ||
	    (depth && nla_put_u32(skb, KVERBS_A_SPEC_DEPTH, spec->depth)) ||
	    (depth && nla_put_u32(skb, KVERBS_A_SPEC_WORKERS, spec->workers)) ||
	    (spec->credits && nla_put_u32(skb, KVERBS_A_SPEC_CREDITS, spec->credits)) ||
	    (spec->interval_ns &&
	     kv_put_u64(skb, KVERBS_A_SPEC_INTERVAL_NS, spec->interval_ns)) ||
	    (spec->flags && nla_put_u32(skb, KVERBS_A_SPEC_FLAGS, spec->flags)))
		return -EMSGSIZE;
	for (i = 0; i < min(spec->ends, KV_RUN_ENDS_TOLD); i++)
		if (run_put_end(skb, spec, &spec->end[i]))
			return -EMSGSIZE;
	return 0;
}

static int run_put_spec(struct sk_buff *skb, const struct kv_run *run)
{
	struct nlattr *nest = nla_nest_start(skb, KVERBS_A_RUN_SPEC);
	const struct kv_run_spec *spec = &run->spec;
	struct kv_dev *dev = run->obj.dev;

	if (!nest ||
	    (!dev->gone && kv_put_dev_name(skb, KVERBS_A_SPEC_DEV, dev)) ||
	    nla_put_u32(skb, KVERBS_A_SPEC_LOOP, spec->loop) ||
	    (spec->iters != U64_MAX && kv_put_u64(skb, KVERBS_A_SPEC_ITERS, spec->iters)) ||
	    (spec->time_ns != U64_MAX && kv_put_u64(skb, KVERBS_A_SPEC_TIME_NS, spec->time_ns)) ||
	    kv_put_u64(skb, KVERBS_A_SPEC_WARMUP, spec->warmup) ||
	    (spec->cpu >= 0 && nla_put_u32(skb, KVERBS_A_SPEC_CPU, spec->cpu)) ||
	    (spec->ends && run_put_verbs(skb, run)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* How evenly the samples are shared out to the ends. */
static int run_put_shares(struct sk_buff *skb, const struct kv_loop *loop, bool measuring)
{
	u64 least, most;

	/* The loops with credits have a flow for a single end, too. */
	if (loop->flows < 2)
		return 0;
	kv_flow_share(loop, &least, &most);
	return kv_put_u64(skb, KVERBS_A_RESULT_LEAST, measuring ? least : 0) ?:
	       kv_put_u64(skb, KVERBS_A_RESULT_MOST, measuring ? most : 0);
}

static int run_put_result(struct sk_buff *skb, const struct kv_worker *worker)
{
	struct nlattr *nest = nla_nest_start(skb, KVERBS_A_RUN_RESULT);
	const struct kv_loop *loop = &worker->loop;
	const struct kv_hist *hist = worker->hist;
	/* Read first: dropped iterations are a part of those done. */
	u64 dropped = READ_ONCE(loop->dropped);
	u64 done = READ_ONCE(loop->done);
	/* Until it is true, the iterations that the loop has done are warm-up. */
	bool measuring = READ_ONCE(worker->measuring);
	int ret, cpu = READ_ONCE(worker->cpu);

	if (!nest || (cpu >= 0 && nla_put_u32(skb, KVERBS_A_RESULT_CPU, cpu)))
		return -EMSGSIZE;
	ret = nla_put_s32(skb, KVERBS_A_RESULT_ERROR, READ_ONCE(worker->error)) ?:
	      nla_put_u32(skb, KVERBS_A_RESULT_WC_STATUS, READ_ONCE(loop->wc_status)) ?:
	      nla_put_u32(skb, KVERBS_A_RESULT_VENDOR_ERR, READ_ONCE(loop->vendor_err)) ?:
	      nla_put_u32(skb, KVERBS_A_RESULT_QPN, READ_ONCE(loop->qp_num)) ?:
	      kv_put_u64(skb, KVERBS_A_RESULT_SAMPLES, measuring ? done - dropped : 0) ?:
	      kv_put_u64(skb, KVERBS_A_RESULT_WARMUP,
			 measuring ? READ_ONCE(worker->warmup) : done) ?:
	      kv_put_u64(skb, KVERBS_A_RESULT_MIN_TICKS, kv_hist_min(hist)) ?:
	      kv_put_u64(skb, KVERBS_A_RESULT_MAX_TICKS, kv_hist_max(hist)) ?:
	      kv_put_u64(skb, KVERBS_A_RESULT_SUM_TICKS, READ_ONCE(hist->sum)) ?:
	      kv_put_u64(skb, KVERBS_A_RESULT_ELAPSED_TICKS, kv_loop_elapsed(loop)) ?:
	      kv_put_u64(skb, KVERBS_A_RESULT_ELAPSED_NS, READ_ONCE(worker->elapsed_ns)) ?:
	      kv_put_u64(skb, KVERBS_A_RESULT_YIELDS, READ_ONCE(loop->yields)) ?:
	      run_put_shares(skb, loop, measuring);
	nla_nest_end(skb, nest);
	return ret;
}

static int run_fill(struct sk_buff *skb, struct kv_obj *obj)
{
	struct kv_run *run = container_of(obj, struct kv_run, obj);
	/* Read first; pairs with the last thread's release: after DONE all else is final. */
	u32 i, state = smp_load_acquire(&run->state);
	int ret;

	ret = run_put_spec(skb, run) ?:
	      nla_put_u32(skb, KVERBS_A_RUN_ENDS, run->spec.ends) ?:
	      nla_put_u32(skb, KVERBS_A_RUN_STATE, state) ?:
	      nla_put_u32(skb, KVERBS_A_RUN_HIST_SHIFT, KV_HIST_SHIFT);
	for (i = 0; i < run->spec.workers && !ret; i++)
		ret = run_put_result(skb, &run->worker[i]);
	return ret;
}

/* Bytes that run_fill() needs at most: an END has less than 136, a RESULT 256. */
#define FILL_SIZE (NLMSG_DEFAULT_SIZE + KV_RUN_ENDS_TOLD * 136 + KV_RUN_WORKERS_MAX * 256)

/* A message of the dump has to hold the run with the most workers. */
static int run_start_list(struct netlink_callback *cb)
{
	cb->min_dump_alloc = max_t(size_t, cb->min_dump_alloc, FILL_SIZE);
	return kv_netlink_dump_start(cb);
}

/* Dumps are without bins: they would not fit. */
static const struct kv_noun run_noun = {
	.class = &kv_run_class,
	.id = KVERBS_A_RUN_ID,
	.fill = run_fill,
};

static int run_get(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	const struct kv_run *run = container_of(obj, struct kv_run, obj);
	struct nlattr *first = info->attrs[KVERBS_A_RUN_FIRST_BIN];
	struct nlattr *worker = info->attrs[KVERBS_A_RUN_WORKER];
	u32 number = kv_u32_or(worker, 0);
	int ret;

	if (worker && !first)
		return kv_msg_refuse(info, worker, -EINVAL, "worker goes with first_bin only");
	if (number >= run->spec.workers)
		return kv_msg_refuse(info, worker, -EINVAL, "the run has fewer workers");
	ret = kv_put_obj(skb, obj, &run_noun);
	if (ret || !first)
		return ret;
	return run_fill_bins(skb, run->worker[number].hist, nla_get_u32(first));
}

static size_t run_size_of_bins(const struct genl_info *info)
{
	size_t bins = info->attrs[KVERBS_A_RUN_FIRST_BIN] ? BINS_MAX : 0;

	return FILL_SIZE + NLA_HDRLEN + bins * sizeof(struct kverbs_bin);
}

#define TAKES(NAME) KV_TAKES(RUN, NAME)

static const struct kv_command run_commands[] = {
	KV_COMMAND(RUN, START, .doit = run_start, TAKES(SPEC)),
	KV_COMMAND_AT_ONCE(RUN, CANCEL, .doit = run_cancel, TAKES(ID)),
	{ .cmd = KVERBS_CMD_RUN_GET, .at_once = true, .run = run_get, .size = run_size_of_bins,
	  .start = run_start_list, .dumpit = kv_netlink_dump,
	  KV_TAKEN(TAKES(ID), TAKES(WORKER), TAKES(FIRST_BIN)) },
	KV_COMMAND(RUN, DEL, .run = kv_noun_del, TAKES(ID)),
};

KV_COMMAND_SET(run, RUN, &run_noun);
