// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "nl/msg.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Names of what a user can get wrong, as the commands call it. */
static const char *const dev_names[] = {
	[KVERBS_A_DEV_NAME] = "device",
};
static const char *const pd_names[] = {
	[KVERBS_A_PD_ID] = "pd",
	[KVERBS_A_PD_DEV] = "device",
};
static const char *const cq_names[] = {
	[KVERBS_A_CQ_ID] = "cq",
	[KVERBS_A_CQ_DEV] = "device",
	[KVERBS_A_CQ_CQE] = "cqe",
};
static const char *const mr_names[] = {
	[KVERBS_A_MR_ID] = "mr",
	[KVERBS_A_MR_PD] = "pd",
	[KVERBS_A_MR_QP] = "qp",
	[KVERBS_A_MR_ACCESS] = "access",
	[KVERBS_A_MR_OFFSET] = "offset",
	[KVERBS_A_MR_LENGTH] = "length",
	[KVERBS_A_MR_DATA] = "data",
};
static const char *const qp_names[] = {
	[KVERBS_A_QP_ID] = "qp",
	[KVERBS_A_QP_PD] = "pd",
	[KVERBS_A_QP_SEND_CQ] = "send_cq",
	[KVERBS_A_QP_RECV_CQ] = "recv_cq",
	[KVERBS_A_QP_MAX_SEND_WR] = "max_send_wr",
	[KVERBS_A_QP_MAX_RECV_WR] = "max_recv_wr",
	[KVERBS_A_QP_STATE] = "state",
	[KVERBS_A_QP_ACCESS] = "access",
	[KVERBS_A_QP_PORT] = "port",
	[KVERBS_A_QP_PKEY_INDEX] = "pkey_index",
	[KVERBS_A_QP_PATH_MTU] = "path_mtu",
	[KVERBS_A_QP_DEST_QPN] = "dest_qpn",
	[KVERBS_A_QP_RQ_PSN] = "rq_psn",
	[KVERBS_A_QP_DGID] = "dgid",
	[KVERBS_A_QP_SGID_INDEX] = "sgid_index",
	[KVERBS_A_QP_DLID] = "dlid",
	[KVERBS_A_QP_MIN_RNR_TIMER] = "min_rnr_timer",
	[KVERBS_A_QP_MAX_DEST_RD_ATOMIC] = "max_dest_rd_atomic",
	[KVERBS_A_QP_SQ_PSN] = "sq_psn",
	[KVERBS_A_QP_TIMEOUT] = "timeout",
	[KVERBS_A_QP_RETRY_CNT] = "retry_cnt",
	[KVERBS_A_QP_RNR_RETRY] = "rnr_retry",
	[KVERBS_A_QP_MAX_RD_ATOMIC] = "max_rd_atomic",
};
static const char *const run_names[] = {
	[KVERBS_A_RUN_ID] = "run",
	[KVERBS_A_RUN_DEV] = "device",
	[KVERBS_A_RUN_LOOP] = "loop",
	[KVERBS_A_RUN_OP] = "op",
	[KVERBS_A_RUN_SIZE] = "size",
	[KVERBS_A_RUN_END] = "end",
	[KVERBS_A_RUN_PEER] = "peer",
	[KVERBS_A_RUN_ITERS] = "iters",
	[KVERBS_A_RUN_TIME_NS] = "time",
	[KVERBS_A_RUN_TIMEOUT_NS] = "timeout",
	[KVERBS_A_RUN_POST] = "post",
	[KVERBS_A_RUN_CPU] = "cpu",
	[KVERBS_A_RUN_SPINS] = "spins",
};

/* The message is as large as the largest request: putting can't fail. */
static void put_u32(struct nl_msg *msg, int attr, uint32_t value)
{
	if (msg)
		nla_put_u32(msg, attr, value);
}

static void put_u64(struct nl_msg *msg, int attr, uint64_t value)
{
	if (msg)
		nla_put_u64(msg, attr, value);
}

static void put_string(struct nl_msg *msg, int attr, const char *value)
{
	if (msg)
		nla_put_string(msg, attr, value);
}

static void put(struct nl_msg *msg, int attr, const void *data, size_t size)
{
	if (msg)
		nla_put(msg, attr, (int)size, data);
}

static uint32_t get_u32(struct nlattr **attrs, int attr)
{
	uint32_t value = 0;

	if (attrs[attr] && nla_len(attrs[attr]) == sizeof(value))
		memcpy(&value, nla_data(attrs[attr]), sizeof(value));
	return value;
}

/* The kernel does not align them. */
static uint64_t get_u64(struct nlattr **attrs, int attr)
{
	uint64_t value = 0;

	if (attrs[attr] && nla_len(attrs[attr]) == sizeof(value))
		memcpy(&value, nla_data(attrs[attr]), sizeof(value));
	return value;
}

static void get_string(struct nlattr **attrs, int attr, char *to, size_t size)
{
	snprintf(to, size, "%s", attrs[attr] ? nla_get_string(attrs[attr]) : "");
}

/* --- what most replies are: an id, another number, the verb's time --- */

struct made {
	int id_attr;
	int extra_attr; /* a u32 of its own, 0 for none */
	int verb_ns_attr;
	int max;
	uint32_t id;
	uint32_t extra;
	uint64_t verb_ns;
};

static int on_made(struct nlattr *data, int len, void *arg)
{
	struct nlattr *attrs[KVERBS_A_QP_MAX + 1]; /* the largest that comes here */
	struct made *made = arg;

	if (nla_parse(attrs, made->max, data, len, NULL))
		return -EBADMSG;
	made->id = get_u32(attrs, made->id_attr);
	if (made->extra_attr)
		made->extra = get_u32(attrs, made->extra_attr);
	made->verb_ns = get_u64(attrs, made->verb_ns_attr);
	return 0;
}

static int del(struct kv_nl *nl, int cmd, const char *what, struct made *made,
	       const char *const *names, unsigned int n_names, uint32_t id,
	       uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg(nl, cmd, 0);
	int ret;

	put_u32(msg, made->id_attr, id);
	ret = kv_nl_request(nl, msg, what, names, n_names, on_made, made);
	if (!ret && verb_ns)
		*verb_ns = made->verb_ns;
	return ret;
}

/* --- info and dev --- */

static int on_info(struct nlattr *data, int len, void *arg)
{
	struct nlattr *attrs[KVERBS_A_INFO_MAX + 1];
	struct kv_info *info = arg;

	if (nla_parse(attrs, KVERBS_A_INFO_MAX, data, len, NULL))
		return -EBADMSG;
	get_string(attrs, KVERBS_A_INFO_VERSION, info->version,
		   sizeof(info->version));
	get_string(attrs, KVERBS_A_INFO_COUNTER, info->counter,
		   sizeof(info->counter));
	info->created = get_u64(attrs, KVERBS_A_INFO_CREATED);
	info->destroyed = get_u64(attrs, KVERBS_A_INFO_DESTROYED);
	info->buffer_bytes = get_u64(attrs, KVERBS_A_INFO_BUFFER_BYTES);
	return 0;
}

int kv_nl_info_get(struct kv_nl *nl, struct kv_info *info)
{
	return kv_nl_request(nl, kv_nl_msg(nl, KVERBS_CMD_INFO_GET, 0),
			     "kernel module", NULL, 0, on_info, info);
}

static int parse_gid(struct nlattr *nest, struct kv_gid *gid)
{
	struct nlattr *attrs[KVERBS_A_GID_MAX + 1];

	if (nla_parse_nested(attrs, KVERBS_A_GID_MAX, nest, NULL) ||
	    !attrs[KVERBS_A_GID_GID] ||
	    nla_len(attrs[KVERBS_A_GID_GID]) != sizeof(gid->raw))
		return -EBADMSG;
	gid->index = get_u32(attrs, KVERBS_A_GID_INDEX);
	gid->type = get_u32(attrs, KVERBS_A_GID_TYPE);
	memcpy(gid->raw, nla_data(attrs[KVERBS_A_GID_GID]), sizeof(gid->raw));
	return 0;
}

static int parse_dev(struct nlattr *data, int len, struct kv_dev *dev)
{
	struct nlattr *attrs[KVERBS_A_DEV_MAX + 1], *attr;
	int rest;

	if (nla_parse(attrs, KVERBS_A_DEV_MAX, data, len, NULL))
		return -EBADMSG;
	memset(dev, 0, sizeof(*dev));
	get_string(attrs, KVERBS_A_DEV_NAME, dev->name, sizeof(dev->name));
	dev->ports = get_u32(attrs, KVERBS_A_DEV_PORTS);
	dev->max_qp_wr = get_u32(attrs, KVERBS_A_DEV_MAX_QP_WR);
	dev->max_cqe = get_u32(attrs, KVERBS_A_DEV_MAX_CQE);
	dev->max_send_sge = get_u32(attrs, KVERBS_A_DEV_MAX_SEND_SGE);
	dev->max_qp_rd_atom = get_u32(attrs, KVERBS_A_DEV_MAX_QP_RD_ATOM);
	dev->max_mr_bytes = get_u64(attrs, KVERBS_A_DEV_MAX_MR_BYTES);
	dev->max_msg_bytes = get_u32(attrs, KVERBS_A_DEV_MAX_MSG_BYTES);
	dev->atomic = get_u32(attrs, KVERBS_A_DEV_ATOMIC);
	dev->fast_reg = get_u32(attrs, KVERBS_A_DEV_FAST_REG);
	dev->port_state = get_u32(attrs, KVERBS_A_DEV_PORT_STATE);
	dev->active_mtu = get_u32(attrs, KVERBS_A_DEV_ACTIVE_MTU);
	dev->lid = get_u32(attrs, KVERBS_A_DEV_LID);
	nla_for_each_attr(attr, data, len, rest)
		if (nla_type(attr) == KVERBS_A_DEV_GID && dev->gids < KV_GIDS_MAX &&
		    !parse_gid(attr, &dev->gid[dev->gids]))
			dev->gids++;
	return 0;
}

static int on_dev(struct nlattr *data, int len, void *arg)
{
	return parse_dev(data, len, arg);
}

int kv_nl_dev_get(struct kv_nl *nl, const char *name, struct kv_dev *dev)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_DEV_GET, 0);
	char what[80];

	snprintf(what, sizeof(what), "kernel device %.64s", name);
	put_string(msg, KVERBS_A_DEV_NAME, name);
	return kv_nl_request(nl, msg, what, dev_names, COUNT(dev_names), on_dev,
			     dev);
}

struct each {
	int (*fn)(const struct kv_dev *dev, void *arg);
	void *arg;
	int stopped;
};

static int on_each(struct nlattr *data, int len, void *arg)
{
	struct each *each = arg;
	struct kv_dev dev;
	int ret;

	ret = parse_dev(data, len, &dev);
	if (!ret && !each->stopped)
		each->stopped = each->fn(&dev, each->arg);
	return ret;
}

int kv_nl_dev_each(struct kv_nl *nl,
		   int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	struct each each = { .fn = fn, .arg = arg };

	return kv_nl_request(nl, kv_nl_msg(nl, KVERBS_CMD_DEV_GET, NLM_F_DUMP),
			     "kernel devices", dev_names, COUNT(dev_names),
			     on_each, &each);
}

/* --- pd and cq --- */

#define PD_MADE { .id_attr = KVERBS_A_PD_ID, \
	.verb_ns_attr = KVERBS_A_PD_VERB_NS, .max = KVERBS_A_PD_MAX }
#define CQ_MADE { .id_attr = KVERBS_A_CQ_ID, \
	.verb_ns_attr = KVERBS_A_CQ_VERB_NS, .max = KVERBS_A_CQ_MAX }
#define MR_MADE { .id_attr = KVERBS_A_MR_ID, \
	.verb_ns_attr = KVERBS_A_MR_VERB_NS, .max = KVERBS_A_MR_MAX }
#define QP_MADE { .id_attr = KVERBS_A_QP_ID, .extra_attr = KVERBS_A_QP_QPN, \
	.verb_ns_attr = KVERBS_A_QP_VERB_NS, .max = KVERBS_A_QP_MAX }

static int give(int ret, const struct made *made, uint32_t *id, uint64_t *verb_ns)
{
	if (ret)
		return ret;
	if (id)
		*id = made->id;
	if (verb_ns)
		*verb_ns = made->verb_ns;
	return 0;
}

int kv_nl_pd_new(struct kv_nl *nl, const char *dev, uint32_t *id,
		 uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_PD_NEW, 0);
	struct made made = PD_MADE;

	put_string(msg, KVERBS_A_PD_DEV, dev);
	return give(kv_nl_request(nl, msg, "kernel pd", pd_names, COUNT(pd_names),
				  on_made, &made), &made, id, verb_ns);
}

int kv_nl_pd_del(struct kv_nl *nl, uint32_t id, uint64_t *verb_ns)
{
	struct made made = PD_MADE;

	return del(nl, KVERBS_CMD_PD_DEL, "kernel pd", &made, pd_names,
		   COUNT(pd_names), id, verb_ns);
}

int kv_nl_cq_new(struct kv_nl *nl, const char *dev, uint32_t cqe, uint32_t *id,
		 uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_CQ_NEW, 0);
	struct made made = CQ_MADE;

	put_string(msg, KVERBS_A_CQ_DEV, dev);
	put_u32(msg, KVERBS_A_CQ_CQE, cqe);
	return give(kv_nl_request(nl, msg, "kernel cq", cq_names, COUNT(cq_names),
				  on_made, &made), &made, id, verb_ns);
}

int kv_nl_cq_del(struct kv_nl *nl, uint32_t id, uint64_t *verb_ns)
{
	struct made made = CQ_MADE;

	return del(nl, KVERBS_CMD_CQ_DEL, "kernel cq", &made, cq_names,
		   COUNT(cq_names), id, verb_ns);
}

/* --- mr --- */

int kv_nl_mr_new(struct kv_nl *nl, uint32_t pd, uint64_t length, uint32_t *id,
		 uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_MR_NEW, 0);
	struct made made = MR_MADE;

	put_u32(msg, KVERBS_A_MR_PD, pd);
	put_u64(msg, KVERBS_A_MR_LENGTH, length);
	return give(kv_nl_request(nl, msg, "kernel mr", mr_names, COUNT(mr_names),
				  on_made, &made), &made, id, verb_ns);
}

int kv_nl_mr_del(struct kv_nl *nl, uint32_t id, uint64_t *verb_ns)
{
	struct made made = MR_MADE;

	return del(nl, KVERBS_CMD_MR_DEL, "kernel mr", &made, mr_names,
		   COUNT(mr_names), id, verb_ns);
}

struct registered {
	struct kv_mr_key key;
	uint64_t verb_ns;
};

static int on_registered(struct nlattr *data, int len, void *arg)
{
	struct nlattr *attrs[KVERBS_A_MR_MAX + 1];
	struct registered *reg = arg;

	if (nla_parse(attrs, KVERBS_A_MR_MAX, data, len, NULL))
		return -EBADMSG;
	reg->key.lkey = get_u32(attrs, KVERBS_A_MR_LKEY);
	reg->key.rkey = get_u32(attrs, KVERBS_A_MR_RKEY);
	reg->key.iova = get_u64(attrs, KVERBS_A_MR_IOVA);
	reg->verb_ns = get_u64(attrs, KVERBS_A_MR_VERB_NS);
	return 0;
}

int kv_nl_mr_reg(struct kv_nl *nl, uint32_t id, uint32_t qp, uint32_t access,
		 uint64_t offset, uint64_t length, struct kv_mr_key *key,
		 uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_MR_REG, 0);
	struct registered reg = { .verb_ns = 0 };
	int ret;

	put_u32(msg, KVERBS_A_MR_ID, id);
	put_u32(msg, KVERBS_A_MR_QP, qp);
	put_u32(msg, KVERBS_A_MR_ACCESS, access);
	put_u64(msg, KVERBS_A_MR_OFFSET, offset);
	put_u64(msg, KVERBS_A_MR_LENGTH, length);
	ret = kv_nl_request(nl, msg, "kernel mr registration", mr_names,
			    COUNT(mr_names), on_registered, &reg);
	if (ret)
		return ret;
	if (key)
		*key = reg.key;
	if (verb_ns)
		*verb_ns = reg.verb_ns;
	return 0;
}

int kv_nl_mr_inv(struct kv_nl *nl, uint32_t id, uint32_t qp, uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_MR_INV, 0);
	struct made made = MR_MADE;

	put_u32(msg, KVERBS_A_MR_ID, id);
	put_u32(msg, KVERBS_A_MR_QP, qp);
	return give(kv_nl_request(nl, msg, "kernel mr invalidation", mr_names,
				  COUNT(mr_names), on_made, &made),
		    &made, NULL, verb_ns);
}

int kv_nl_mr_write(struct kv_nl *nl, uint32_t id, uint64_t offset,
		   const void *data, uint32_t length)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_MR_WRITE, 0);

	put_u32(msg, KVERBS_A_MR_ID, id);
	put_u64(msg, KVERBS_A_MR_OFFSET, offset);
	put(msg, KVERBS_A_MR_DATA, data, length);
	return kv_nl_request(nl, msg, "kernel mr write", mr_names,
			     COUNT(mr_names), NULL, NULL);
}

struct content {
	void *to;
	uint32_t length;
};

static int on_content(struct nlattr *data, int len, void *arg)
{
	struct nlattr *attrs[KVERBS_A_MR_MAX + 1];
	struct content *content = arg;

	if (nla_parse(attrs, KVERBS_A_MR_MAX, data, len, NULL) ||
	    !attrs[KVERBS_A_MR_DATA] ||
	    nla_len(attrs[KVERBS_A_MR_DATA]) != (int)content->length)
		return -EBADMSG;
	memcpy(content->to, nla_data(attrs[KVERBS_A_MR_DATA]), content->length);
	return 0;
}

int kv_nl_mr_read(struct kv_nl *nl, uint32_t id, uint64_t offset, void *data,
		  uint32_t length)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_MR_READ, 0);
	struct content content = { data, length };

	put_u32(msg, KVERBS_A_MR_ID, id);
	put_u64(msg, KVERBS_A_MR_OFFSET, offset);
	put_u64(msg, KVERBS_A_MR_LENGTH, length);
	return kv_nl_request(nl, msg, "kernel mr read", mr_names,
			     COUNT(mr_names), on_content, &content);
}

/* --- qp --- */

int kv_nl_qp_new(struct kv_nl *nl, const struct kv_qp_init *init, uint32_t *id,
		 uint32_t *qpn, uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_QP_NEW, 0);
	struct made made = QP_MADE;
	int ret;

	put_u32(msg, KVERBS_A_QP_PD, init->pd);
	put_u32(msg, KVERBS_A_QP_SEND_CQ, init->send_cq);
	put_u32(msg, KVERBS_A_QP_RECV_CQ, init->recv_cq);
	put_u32(msg, KVERBS_A_QP_MAX_SEND_WR, init->max_send_wr);
	put_u32(msg, KVERBS_A_QP_MAX_RECV_WR, init->max_recv_wr);
	ret = give(kv_nl_request(nl, msg, "kernel qp", qp_names, COUNT(qp_names),
				 on_made, &made), &made, id, verb_ns);
	if (!ret && qpn)
		*qpn = made.extra;
	return ret;
}

int kv_nl_qp_del(struct kv_nl *nl, uint32_t id, uint64_t *verb_ns)
{
	struct made made = QP_MADE;

	return del(nl, KVERBS_CMD_QP_DEL, "kernel qp", &made, qp_names,
		   COUNT(qp_names), id, verb_ns);
}

static void put_rtr(struct nl_msg *msg, const struct kv_qp_attr *attr)
{
	put_u32(msg, KVERBS_A_QP_PATH_MTU, attr->path_mtu);
	put_u32(msg, KVERBS_A_QP_DEST_QPN, attr->dest_qpn);
	put_u32(msg, KVERBS_A_QP_RQ_PSN, attr->rq_psn);
	put(msg, KVERBS_A_QP_DGID, attr->dgid, sizeof(attr->dgid));
	put_u32(msg, KVERBS_A_QP_SGID_INDEX, attr->sgid_index);
	put_u32(msg, KVERBS_A_QP_DLID, attr->dlid);
	put_u32(msg, KVERBS_A_QP_MIN_RNR_TIMER, attr->min_rnr_timer);
	put_u32(msg, KVERBS_A_QP_MAX_DEST_RD_ATOMIC, attr->max_dest_rd_atomic);
}

static void put_rts(struct nl_msg *msg, const struct kv_qp_attr *attr)
{
	put_u32(msg, KVERBS_A_QP_SQ_PSN, attr->sq_psn);
	put_u32(msg, KVERBS_A_QP_TIMEOUT, attr->timeout);
	put_u32(msg, KVERBS_A_QP_RETRY_CNT, attr->retry_cnt);
	put_u32(msg, KVERBS_A_QP_RNR_RETRY, attr->rnr_retry);
	put_u32(msg, KVERBS_A_QP_MAX_RD_ATOMIC, attr->max_rd_atomic);
}

int kv_nl_qp_modify(struct kv_nl *nl, uint32_t id, const struct kv_qp_attr *attr,
		    uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_QP_MODIFY, 0);
	struct made made = QP_MADE;

	put_u32(msg, KVERBS_A_QP_ID, id);
	put_u32(msg, KVERBS_A_QP_STATE, attr->state);
	switch (attr->state) {
	case KVERBS_QPS_INIT:
		put_u32(msg, KVERBS_A_QP_ACCESS, attr->access);
		put_u32(msg, KVERBS_A_QP_PORT, attr->port);
		put_u32(msg, KVERBS_A_QP_PKEY_INDEX, attr->pkey_index);
		break;
	case KVERBS_QPS_RTR:
		put_rtr(msg, attr);
		break;
	case KVERBS_QPS_RTS:
		put_rts(msg, attr);
		break;
	}
	return give(kv_nl_request(nl, msg, "kernel qp", qp_names, COUNT(qp_names),
				  on_made, &made), &made, NULL, verb_ns);
}

/* --- run --- */

static void put_end(struct nl_msg *msg, int attr, const struct kv_run_end *end)
{
	struct nlattr *nest;

	if (!msg)
		return;
	nest = nla_nest_start(msg, attr | NLA_F_NESTED);
	put_u32(msg, KVERBS_A_END_QP, end->qp);
	put_u32(msg, KVERBS_A_END_LOCAL_MR, end->local_mr);
	if (end->target_mr)
		put_u32(msg, KVERBS_A_END_TARGET_MR, end->target_mr);
	put_u32(msg, KVERBS_A_END_LKEY, end->lkey);
	put_u64(msg, KVERBS_A_END_REMOTE_ADDR, end->remote_addr);
	put_u32(msg, KVERBS_A_END_REMOTE_KEY, end->remote_key);
	nla_nest_end(msg, nest);
}

static int on_id(struct nlattr *data, int len, void *arg)
{
	struct nlattr *attrs[KVERBS_A_RUN_MAX + 1];

	if (nla_parse(attrs, KVERBS_A_RUN_MAX, data, len, NULL))
		return -EBADMSG;
	*(uint32_t *)arg = get_u32(attrs, KVERBS_A_RUN_ID);
	return 0;
}

int kv_nl_run_start(struct kv_nl *nl, const struct kv_run_spec *spec,
		    uint32_t *id)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_RUN_START, 0);

	put_u32(msg, KVERBS_A_RUN_LOOP, spec->loop);
	if (spec->loop == KVERBS_LOOP_NULL) {
		put_string(msg, KVERBS_A_RUN_DEV, spec->dev);
	} else {
		put_u32(msg, KVERBS_A_RUN_OP, spec->op);
		put_u32(msg, KVERBS_A_RUN_SIZE, spec->size);
		put_end(msg, KVERBS_A_RUN_END, &spec->end);
		put_u64(msg, KVERBS_A_RUN_COMPARE_ADD, spec->compare_add);
		put_u64(msg, KVERBS_A_RUN_SWAP, spec->swap);
	}
	if (spec->loop == KVERBS_LOOP_RELAY)
		put_end(msg, KVERBS_A_RUN_PEER, &spec->peer);
	if (spec->iters)
		put_u64(msg, KVERBS_A_RUN_ITERS, spec->iters);
	if (spec->time_ns)
		put_u64(msg, KVERBS_A_RUN_TIME_NS, spec->time_ns);
	put_u64(msg, KVERBS_A_RUN_WARMUP, spec->warmup);
	if (spec->timeout_ns)
		put_u64(msg, KVERBS_A_RUN_TIMEOUT_NS, spec->timeout_ns);
	put_u32(msg, KVERBS_A_RUN_POST, spec->post);
	if (spec->cpu >= 0)
		put_u32(msg, KVERBS_A_RUN_CPU, (uint32_t)spec->cpu);
	if (spec->spins >= 0)
		put_u32(msg, KVERBS_A_RUN_SPINS, (uint32_t)spec->spins);
	return kv_nl_request(nl, msg, "kernel run", run_names, COUNT(run_names),
			     on_id, id);
}

static int run_command(struct kv_nl *nl, int cmd, uint32_t id)
{
	struct nl_msg *msg = kv_nl_msg(nl, cmd, 0);

	put_u32(msg, KVERBS_A_RUN_ID, id);
	return kv_nl_request(nl, msg, "kernel run", run_names, COUNT(run_names),
			     NULL, NULL);
}

int kv_nl_run_cancel(struct kv_nl *nl, uint32_t id)
{
	return run_command(nl, KVERBS_CMD_RUN_CANCEL, id);
}

int kv_nl_run_del(struct kv_nl *nl, uint32_t id)
{
	return run_command(nl, KVERBS_CMD_RUN_DEL, id);
}

struct result {
	struct kv_run_result *to;
	uint32_t next_bin; /* 0: that was all */
};

static int take_bins(struct nlattr *attr, struct kv_hist *hist)
{
	const char *data = nla_data(attr);
	struct kverbs_bin bin;
	int at;

	for (at = 0; at + (int)sizeof(bin) <= nla_len(attr); at += sizeof(bin)) {
		memcpy(&bin, data + at, sizeof(bin));
		if (bin.index >= KV_HIST_BINS)
			return -EBADMSG;
		hist->bin[bin.index] = bin.count;
	}
	return 0;
}

static int on_result(struct nlattr *data, int len, void *arg)
{
	struct nlattr *attrs[KVERBS_A_RUN_MAX + 1];
	struct result *result = arg;
	struct kv_run_result *to = result->to;

	if (nla_parse(attrs, KVERBS_A_RUN_MAX, data, len, NULL))
		return -EBADMSG;
	to->state = get_u32(attrs, KVERBS_A_RUN_STATE);
	to->error = (int32_t)get_u32(attrs, KVERBS_A_RUN_ERROR);
	to->wc_status = get_u32(attrs, KVERBS_A_RUN_WC_STATUS);
	to->vendor_err = get_u32(attrs, KVERBS_A_RUN_VENDOR_ERR);
	to->samples = get_u64(attrs, KVERBS_A_RUN_SAMPLES);
	to->warmed = get_u64(attrs, KVERBS_A_RUN_WARMED);
	to->elapsed_ticks = get_u64(attrs, KVERBS_A_RUN_ELAPSED_TICKS);
	to->elapsed_ns = get_u64(attrs, KVERBS_A_RUN_ELAPSED_NS);
	to->let_go = get_u64(attrs, KVERBS_A_RUN_LET_GO);
	to->hist.min = get_u64(attrs, KVERBS_A_RUN_MIN_TICKS);
	to->hist.max = get_u64(attrs, KVERBS_A_RUN_MAX_TICKS);
	to->hist.sum = get_u64(attrs, KVERBS_A_RUN_SUM_TICKS);
	result->next_bin = get_u32(attrs, KVERBS_A_RUN_NEXT_BIN);
	return attrs[KVERBS_A_RUN_BINS] ?
	       take_bins(attrs[KVERBS_A_RUN_BINS], &to->hist) : 0;
}

static int get_result(struct kv_nl *nl, uint32_t id, int32_t first_bin,
		      struct result *result)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_RUN_GET, 0);

	put_u32(msg, KVERBS_A_RUN_ID, id);
	if (first_bin >= 0)
		put_u32(msg, KVERBS_A_RUN_FIRST_BIN, (uint32_t)first_bin);
	return kv_nl_request(nl, msg, "kernel run", run_names, COUNT(run_names),
			     on_result, result);
}

int kv_nl_run_peek(struct kv_nl *nl, uint32_t id, struct kv_run_result *result)
{
	struct result arg = { .to = result };

	return get_result(nl, id, -1, &arg);
}

int kv_nl_run_get(struct kv_nl *nl, uint32_t id, struct kv_run_result *result)
{
	struct result arg = { .to = result };
	int ret;

	memset(result, 0, sizeof(*result));
	do
		ret = get_result(nl, id, (int32_t)arg.next_bin, &arg);
	while (!ret && arg.next_bin);
	return ret;
}
