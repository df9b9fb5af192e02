// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include "cli/bytes.h"
#include "model/space.h"
#include "object/describe.h"
#include "object/qp_key.h"
#include "out/errname.h"
#include "out/out.h"
#include "qp_table.h"

static void put_word(struct json_object *obj, const char *key,
		     const struct kv_word *table, uint32_t value)
{
	kv_out_put_string(obj, key, kv_word_name(table, value));
}

/* What is 0 where it does not matter. */
static void put_if(struct json_object *obj, const char *key, uint64_t value)
{
	if (value)
		kv_out_put_count(obj, key, value);
}

static void put_access(struct json_object *obj, const char *key,
		       uint32_t access)
{
	kv_out_put(obj, key, kv_args_flags(kv_word_access, access));
}

/**
 * kv_describe_gid() - describe a GID
 * @obj: receives it
 * @key: as what
 * @gid: network order
 */
void kv_describe_gid(struct json_object *obj, const char *key,
		     const uint8_t gid[16])
{
	char text[INET6_ADDRSTRLEN];

	kv_out_put_string(obj, key,
			  inet_ntop(AF_INET6, gid, text, sizeof(text)));
}

static void describe_pd(struct json_object *obj, const struct kv_pd *pd)
{
	put_if(obj, "local_dma_lkey", pd->local_dma_lkey);
}

static void describe_cq(struct json_object *obj, const struct kv_cq *cq)
{
	kv_out_put_count(obj, "cqe", cq->cqe);
	kv_out_put_count(obj, "comp_vector", cq->comp_vector);
	put_word(obj, "context", kv_word_cq_context, cq->context);
	kv_out_put_count(obj, "pending", cq->pending);
}

static void describe_mr(struct json_object *obj, const struct kv_mr *mr)
{
	kv_out_put_count(obj, "pd", mr->pd);
	kv_out_put_count(obj, "length", mr->length);
	put_access(obj, "max_access", mr->max_access);
	kv_out_put_bool(obj, "registered", mr->registered);
	if (!mr->registered)
		return;
	put_access(obj, "access", mr->access);
	kv_out_put_count(obj, "offset", mr->offset);
	kv_out_put_count(obj, "reg_length", mr->reg_length);
	kv_out_put_count(obj, "lkey", mr->lkey);
	kv_out_put_count(obj, "rkey", mr->rkey);
	kv_out_put_count(obj, "iova", mr->iova);
}

static void describe_srq(struct json_object *obj, const struct kv_srq *srq)
{
	kv_out_put_count(obj, "pd", srq->pd);
	kv_out_put_count(obj, "max_wr", srq->max_wr);
	kv_out_put_count(obj, "max_sge", srq->max_sge);
	kv_out_put_count(obj, "limit", srq->limit);
}

/**
 * kv_describe_av() - describe where to
 * @obj: receives it
 * @av: the address vector
 */
void kv_describe_av(struct json_object *obj, const struct kv_av *av)
{
	if (av->has_dgid)
		kv_describe_gid(obj, "dgid", av->dgid);
	if (av->has_sgid_index)
		kv_out_put_count(obj, "sgid_index", av->sgid_index);
	put_if(obj, "dlid", av->dlid);
	kv_out_put_count(obj, "sl", av->sl);
	kv_out_put_count(obj, "traffic_class", av->traffic_class);
	kv_out_put_count(obj, "flow_label", av->flow_label);
	kv_out_put_count(obj, "hop_limit", av->hop_limit);
}

static void describe_ah(struct json_object *obj, const struct kv_ah *ah)
{
	char dmac[sizeof("00:00:00:00:00:00")];

	kv_out_put_count(obj, "pd", ah->pd);
	kv_out_put_count(obj, "port", ah->port);
	kv_describe_av(obj, &ah->av);
	if (!ah->has_dmac)
		return;
	snprintf(dmac, sizeof(dmac), "%02x:%02x:%02x:%02x:%02x:%02x",
		 ah->dmac[0], ah->dmac[1], ah->dmac[2], ah->dmac[3],
		 ah->dmac[4], ah->dmac[5]);
	kv_out_put_string(obj, "dmac", dmac);
}

/**
 * kv_describe_qp_init() - describe what a QP is made with
 * @obj: receives it
 * @init: what it is made with
 */
void kv_describe_qp_init(struct json_object *obj,
			 const struct kv_qp_init *init)
{
	kv_out_put_count(obj, "pd", init->pd);
	put_word(obj, "type", kv_word_qp_type, init->type);
	kv_out_put_count(obj, "send_cq", init->send_cq);
	kv_out_put_count(obj, "recv_cq", init->recv_cq);
	put_if(obj, "srq", init->srq);
	kv_out_put_count(obj, "max_send_wr", init->max_send_wr);
	put_if(obj, "max_recv_wr", init->max_recv_wr);
	kv_out_put_count(obj, "max_send_sge", init->max_send_sge);
	put_if(obj, "max_recv_sge", init->max_recv_sge);
	kv_out_put_count(obj, "max_inline", init->max_inline);
	kv_out_put_bool(obj, "sq_sig_all", init->sq_sig_all);
}

/**
 * kv_describe_qp_attr() - describe attributes of a QP
 * @obj: receives them
 * @attr: those that its mask has
 */
void kv_describe_qp_attr(struct json_object *obj,
			 const struct kv_qp_attr *attr)
{
	struct kv_qp_args args;

	kv_qp_args_fill(&args, attr);
	kv_args_put(kv_qp_key, &args, args.given.bits, obj);
}

static void describe_qp(struct json_object *obj, const struct kv_qp *qp)
{
	const struct kv_qp_init init = {
		.pd = qp->pd,
		.type = qp->type,
		.send_cq = qp->send_cq,
		.recv_cq = qp->recv_cq,
		.srq = qp->srq,
		.max_send_wr = qp->max_send_wr,
		.max_recv_wr = qp->max_recv_wr,
		.max_send_sge = qp->max_send_sge,
		.max_recv_sge = qp->max_recv_sge,
		.max_inline = qp->max_inline,
		.sq_sig_all = qp->sq_sig_all,
	};

	/* What matters most comes first; it keeps its place when it is put again. */
	put_word(obj, "type", kv_word_qp_type, qp->type);
	if (qp->attr.mask & KV_QPA_STATE)
		put_word(obj, "state", kv_word_qp_state, qp->attr.state);
	kv_out_put_count(obj, "qpn", qp->qpn);
	kv_describe_qp_init(obj, &init);
	kv_describe_qp_attr(obj, &qp->attr);
	if (qp->attr.state == KVERBS_QPS_SQD)
		kv_out_put_bool(obj, "sq_draining", qp->sq_draining);
}

static void put_addr(struct json_object *obj, const char *key,
		     const struct sockaddr_storage *addr)
{
	char text[KV_SOCKADDR_TEXT];

	kv_sockaddr_format(text, addr);
	if (*text)
		kv_out_put_string(obj, key, text);
}

static void put_private(struct json_object *obj, const uint8_t *data,
			uint32_t length)
{
	char text[KV_BYTES_TEXT(KVERBS_CONN_PRIVATE_MAX)];

	/* Nothing but padding is nothing. */
	if (!kv_bytes_text(text, data, length))
		return;
	kv_out_put_count(obj, "private_length", length);
	kv_out_put_string(obj, "private_data", text);
}

/* What came with an event; @reason: of a rejection, or "". */
static void put_cm_status(struct json_object *obj, int32_t status,
			  const char *reason)
{
	if (!status)
		return;
	kv_out_put(obj, "status", json_object_new_int(status));
	kv_out_put_string(obj, "status_name",
			  *reason ? reason :
			  status < 0 ? kv_errno_name(status) :
				       kv_word_name(kv_word_cm_reason, (uint32_t)status));
}

/**
 * kv_describe_conn_param() - describe what a connection is made with
 * @obj: receives it
 * @param: what it is made with
 */
void kv_describe_conn_param(struct json_object *obj,
			    const struct kv_conn_param *param)
{
	kv_out_put_count(obj, "qp", param->qp);
	put_access(obj, "access", param->access);
	if (param->responder_resources >= 0)
		kv_out_put_count(obj, "responder_resources",
				 (uint64_t)param->responder_resources);
	if (param->initiator_depth >= 0)
		kv_out_put_count(obj, "initiator_depth",
				 (uint64_t)param->initiator_depth);
	kv_out_put_count(obj, "rnr_retry", param->rnr_retry);
	put_private(obj, param->private_data, param->private_length);
}

static void describe_conn(struct json_object *obj, const struct kv_conn *conn)
{
	const struct sockaddr_in *src = (const struct sockaddr_in *)&conn->src;

	put_word(obj, "state", kv_word_conn_state, conn->state);
	if (conn->event != KVERBS_CM_EVENT_NONE)
		put_word(obj, "event", kv_word_cm_event, conn->event);
	put_cm_status(obj, conn->status, conn->reason);
	put_addr(obj, "src", &conn->src);
	put_addr(obj, "dst", &conn->dst);
	put_if(obj, "listener", conn->listener);
	put_if(obj, "qp", conn->qp);
	if (conn->state == KVERBS_CONN_LISTENING) {
		/* Both families have it at the same place. */
		kv_out_put_count(obj, "port", ntohs(src->sin_port));
		kv_out_put_count(obj, "backlog", conn->backlog);
		kv_out_put_count(obj, "waiting", conn->waiting);
		return;
	}
	put_if(obj, "responder_resources", conn->responder_resources);
	put_if(obj, "initiator_depth", conn->initiator_depth);
	put_private(obj, conn->private_data, conn->private_length);
}

/**
 * kv_describe_object() - describe an object
 * @obj: receives it
 * @type: of the object
 * @name: it has in this batch, or NULL
 * @object: the object
 */
void kv_describe_object(struct json_object *obj, enum kv_type type,
			const char *name, const union kv_object *object)
{
	/* All types begin with the same members. */
	kv_out_put_count(obj, "id", object->id);
	if (name)
		kv_out_put_string(obj, "name", name);
	kv_out_put_string(obj, "dev", object->pd.dev);
	kv_out_put_bool(obj, "persistent", object->pd.persistent);
	switch (type) {
#define OBJECT(TYPE, type, ...)					\
	case KV_##TYPE:						\
		describe_##type(obj, &object->type);		\
		break;
#include "model/objects.def"
#undef OBJECT
	case KV_TYPES:
		break;
	}
}

static void describe_sge(struct json_object *obj, const struct kv_sge *sge)
{
	kv_out_put_count(obj, "mr", sge->mr);
	kv_out_put_count(obj, "offset", sge->offset);
	kv_out_put_count(obj, "length", sge->length);
	put_word(obj, "lkey", kv_word_lkey, sge->lkey);
}

static void put_flags(struct json_object *obj, uint32_t flags)
{
	static const struct kv_word table[] = {
		{ "inline", KVERBS_WR_INLINE },
		{ "unsignaled", KVERBS_WR_UNSIGNALED },
		{ "fence", KVERBS_WR_FENCE },
		{ "solicited", KVERBS_WR_SOLICITED },
		{ NULL, 0 },
	};

	for (const struct kv_word *w = table; w->word; w++) {
		if (flags & w->value)
			kv_out_put_bool(obj, w->word, true);
	}
}

/**
 * kv_describe_wr() - describe a work request
 * @obj: receives it
 * @wr: the work request
 */
void kv_describe_wr(struct json_object *obj, const struct kv_wr *wr)
{
	struct json_object *sges = json_object_new_array();

	put_if(obj, "qp", wr->qp);
	put_if(obj, "srq", wr->srq);
	put_word(obj, "op", kv_word_wc_op, wr->op);
	kv_out_put_count(obj, "wr_id", wr->wr_id);
	for (unsigned int i = 0; i < wr->sges; i++) {
		struct json_object *sge = json_object_new_object();

		describe_sge(sge, &wr->sge[i]);
		json_object_array_add(sges, sge);
	}
	kv_out_put(obj, "sge", sges);
	if (wr->has_imm)
		kv_out_put_count(obj, "imm", wr->imm);
	put_flags(obj, wr->flags);
	if (wr->has_remote) {
		kv_out_put_count(obj, "remote_addr", wr->remote_addr);
		kv_out_put_count(obj, "remote_key", wr->remote_key);
	}
	if (wr->op == KVERBS_OP_FETCH_ADD)
		kv_out_put_count(obj, "add", wr->compare_add);
	if (wr->op == KVERBS_OP_CMP_SWP) {
		kv_out_put_count(obj, "compare", wr->compare_add);
		kv_out_put_count(obj, "swap", wr->swap);
	}
	if (wr->ah) {
		kv_out_put_count(obj, "ah", wr->ah);
		kv_out_put_count(obj, "remote_qpn", wr->remote_qpn);
		kv_out_put_count(obj, "remote_qkey", wr->remote_qkey);
	}
}

/**
 * kv_describe_wc() - describe a completion
 * @obj: receives it
 * @wc: the completion
 */
void kv_describe_wc(struct json_object *obj, const struct kv_wc *wc)
{
	kv_out_put_count(obj, "wr_id", wc->wr_id);
	put_word(obj, "op", kv_word_wc_op, wc->op);
	kv_out_put_count(obj, "status", wc->status);
	put_word(obj, "status_name", kv_word_wc_status, wc->status);
	if (wc->status)
		kv_out_put_count(obj, "vendor_err", wc->vendor_err);
	if (wc->has_length)
		kv_out_put_count(obj, "length", wc->length);
	if (wc->has_imm)
		kv_out_put_count(obj, "imm", wc->imm);
	if (wc->has_src_qpn)
		kv_out_put_count(obj, "src_qpn", wc->src_qpn);
	if (wc->grh)
		kv_out_put_bool(obj, "grh", true);
	put_if(obj, "qp", wc->qp);
}

/**
 * kv_describe_event() - describe something that happened
 * @obj: receives it
 * @event: what happened
 */
void kv_describe_event(struct json_object *obj, const struct kv_event *event)
{
	put_word(obj, "event", kv_word_event, event->type);
	if (event->dev[0])
		kv_out_put_string(obj, "dev", event->dev);
	if (event->old_name[0])
		kv_out_put_string(obj, "old_name", event->old_name);
	put_if(obj, "port", event->port);
	put_if(obj, "cq", event->cq);
	put_if(obj, "srq", event->srq);
	put_if(obj, "qp", event->qp);
	put_if(obj, "run", event->run);
	put_if(obj, "conn", event->conn);
	if (event->type == KVERBS_EVENT_CM) {
		put_word(obj, "cm_event", kv_word_cm_event, event->cm_event);
		put_cm_status(obj, event->cm_status, "");
	}
	if (event->type == KVERBS_EVENT_RUN_DONE || event->error)
		kv_out_put_string(obj, "error",
				  event->error ? kv_errno_name(event->error) :
						 "none");
	if (event->type != KVERBS_EVENT_WC_ERROR)
		return;
	kv_out_put_count(obj, "status", event->wc_status);
	put_word(obj, "status_name", kv_word_wc_status, event->wc_status);
	kv_out_put_count(obj, "vendor_err", event->vendor_err);
}

/* At which address the RDMA CM finds the device; InfiniBand's is that of an IPoIB interface. */
static void put_ip(struct json_object *obj, const struct kv_dev *dev, const struct kv_gid *gid)
{
	static const uint8_t none[16];

	if (!kv_dev_is_iwarp(dev) && gid->type != KVERBS_GID_IB)
		kv_describe_gid(obj, "addr", gid->raw);
	else if (kv_dev_is_iwarp(dev) && memcmp(dev->addr, none, sizeof(none)))
		kv_describe_gid(obj, "addr", dev->addr);
}

/**
 * kv_describe_dev() - describe the device as references to it see it
 * @obj: receives it
 * @dev: the device
 */
void kv_describe_dev(struct json_object *obj, const struct kv_dev *dev)
{
	const struct kv_gid *gid = kv_gid_choose(dev, -1);

	kv_out_put_string(obj, "name", dev->name);
	kv_out_put_count(obj, "lid", dev->lid);
	kv_out_put_count(obj, "active_mtu_bytes", dev->active_mtu);
	if (!gid)
		return;
	kv_out_put_count(obj, "gid_index", gid->index);
	kv_describe_gid(obj, "gid", gid->raw);
	put_ip(obj, dev, gid);
}

/**
 * kv_describe_refusal() - print a document that has nothing but the refusal
 * @f: why
 */
void kv_describe_refusal(const struct kv_fault *f)
{
	struct json_object *doc = json_object_new_object();

	kv_out_put_fault(doc, f);
	kv_out_print(doc, JSON_C_TO_STRING_PRETTY);
	json_object_put(doc);
}
