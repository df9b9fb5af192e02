// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "endpoint/endpoint.h"

/* READs and atomics outstanding, in each direction, on a device that has any. */
#define RD_ATOMIC 1

/** kv_verb_name() - name of a verb in results */
const char *kv_verb_name(enum kv_verb verb)
{
	static const char *const name[KV_VERBS] = {
		[KV_VERB_PD_NEW] = "alloc_pd",
		[KV_VERB_CQ_NEW] = "create_cq",
		[KV_VERB_MR_NEW] = "alloc_mr",
		[KV_VERB_TOUCH] = "first_touch",
		[KV_VERB_QP_NEW] = "create_qp",
		[KV_VERB_QP_INIT] = "modify_qp_init",
		[KV_VERB_QP_RTR] = "modify_qp_rtr",
		[KV_VERB_QP_RTS] = "modify_qp_rts",
		[KV_VERB_MR_REG] = "reg_mr",
		[KV_VERB_CM + KV_CONN_CREATE_ID] = "cm_create_id",
		[KV_VERB_CM + KV_CONN_RESOLVE_ADDR] = "cm_resolve_addr",
		[KV_VERB_CM + KV_CONN_RESOLVE_ROUTE] = "cm_resolve_route",
		[KV_VERB_CM + KV_CONN_CONNECT] = "cm_connect",
		[KV_VERB_CM + KV_CONN_ESTABLISH] = "cm_establish",
		[KV_VERB_CM + KV_CONN_LISTEN] = "cm_listen",
		[KV_VERB_CM + KV_CONN_ACCEPT] = "cm_accept",
	};

	return name[verb];
}

static int refuse(const struct kv_endpoint *e, int error, const char *what, struct kv_fault *f)
{
	return kv_fault_backend(f, e->site->b, error, "cannot %s on %s", what, e->site->dev.name);
}

/**
 * kv_endpoint_add_pd() - make the PD
 * @e: the endpoint; its site is set
 */
int kv_endpoint_add_pd(struct kv_endpoint *e, struct kv_fault *f)
{
	const struct kv_pd_init init = { .dev = e->site->dev.name };
	struct kv_pd pd;
	int ret = kv_op_pd_new(e->site->b, &init, &pd, &e->verb[KV_VERB_PD_NEW].verb_ns);

	e->pd = ret ? 0 : pd.id;
	return refuse(e, ret, "make a PD", f);
}

static int make_cq(struct kv_endpoint *e, uint32_t cqe, uint32_t context, uint32_t *id,
		   struct kv_fault *f)
{
	const struct kv_cq_init init = {
		.dev = e->site->dev.name,
		.cqe = cqe,
		.context = context,
		.comp_vector = e->comp_vector,
		.moderation_count = e->moderation.count,
		.moderation_period = e->moderation.period,
		.api = e->api,
	};
	struct kv_cq cq;
	int ret = kv_op_cq_new(e->site->b, &init, &cq, &e->verb[KV_VERB_CQ_NEW].verb_ns);

	*id = ret ? 0 : cq.id;
	return refuse(e, ret, "make a CQ", f);
}

/**
 * kv_endpoint_add_cqs() - make a CQ for sends and another one for receives, or one for both
 * @sends: room for completions in the CQ for sends
 * @receives: room for completions in the CQ for receives; 0: they complete in the other one
 * @context: enum kverbs_cq_context
 */
int kv_endpoint_add_cqs(struct kv_endpoint *e, uint32_t sends, uint32_t receives, uint32_t context,
			struct kv_fault *f)
{
	int ret = make_cq(e, sends, context, &e->send_cq, f);

	e->recv_cq = e->send_cq;
	return ret || !receives ? ret : make_cq(e, receives, context, &e->recv_cq, f);
}

/**
 * kv_endpoint_add_srq() - make an SRQ, which QPs made with its id take receives from
 * @e: the endpoint, with its PD
 * @receives: its depth
 * @sges: SGEs of a receive; 0: one
 */
int kv_endpoint_add_srq(struct kv_endpoint *e, uint32_t receives, uint32_t sges,
			struct kv_fault *f)
{
	const struct kv_srq_init init = { .pd = e->pd, .max_wr = receives, .max_sge = sges ?: 1 };
	struct kv_srq srq;
	int ret = kv_op_srq_new(e->site->b, &init, &srq, NULL);

	e->srq = ret ? 0 : srq.id;
	return refuse(e, ret, "make an SRQ", f);
}

/**
 * kv_endpoint_add_buffer() - make a buffer that has no registration yet
 * @e: the endpoint, with its PD
 * @length: bytes; all of them are zero
 */
int kv_endpoint_add_buffer(struct kv_endpoint *e, struct kv_buffer *buf, uint32_t length,
			   struct kv_fault *f)
{
	const struct kv_site *site = e->site;
	const struct kv_buf_init init = { .dev = site->dev.name, .length = length };
	struct kv_buf made;
	int ret = kv_op_buf_new(site->b, &init, &made, &e->verb[KV_VERB_TOUCH].verb_ns);

	if (ret)
		return kv_fault_backend(f, site->b, ret, "cannot make a buffer of %u bytes on %s",
					length, site->dev.name);
	*buf = (struct kv_buffer){ .buf = made.id, .length = length };
	return 0;
}

/**
 * kv_endpoint_add_qp() - make a QP
 * @e: the endpoint, with its PD and its CQs
 * @init: type, requests, the SRQ if there is one, and SGEs of a send request and of a receive, by
 *	default 1
 */
int kv_endpoint_add_qp(struct kv_endpoint *e, const struct kv_qp_init *init, struct kv_fault *f)
{
	struct kv_qp_init whole = *init;
	struct kv_qp qp;
	int ret;

	whole.pd = e->pd;
	whole.api = e->api;
	whole.send_cq = e->send_cq;
	whole.recv_cq = e->recv_cq;
	whole.max_send_sge = init->max_send_sge ?: 1;
	whole.max_recv_sge = whole.srq ? 0 : init->max_recv_sge ?: 1;
	ret = kv_op_qp_new(e->site->b, &whole, &qp, &e->verb[KV_VERB_QP_NEW].verb_ns);
	if (ret)
		return refuse(e, ret, "make a QP", f);
	e->qp = qp.id;
	e->qpn = qp.qpn;
	return 0;
}

/**
 * kv_endpoint_step() - bring the QP one state further
 * @type: enum kverbs_qp_type
 * @step: the step to the next state
 * @attr: has all attributes of the step; its mask and state are ignored
 */
int kv_endpoint_step(struct kv_endpoint *e, uint32_t type, enum kv_raw_step step,
		     const struct kv_qp_attr *attr, struct kv_fault *f)
{
	struct kv_qp_modify modify = { .id = e->qp, .attr = *attr };
	struct kv_backend *b = e->site->b;
	int ret = kv_raw_modify(b, type, step, &modify, NULL);

	e->verb[KV_VERB_QP_INIT + step] = b->times;
	return kv_fault_backend(f, b, ret, "cannot bring a QP on %s to %s", e->site->dev.name,
				kv_qp_state_name(modify.attr.state));
}

/* No device has smaller pages, see kv_reg_page_size(). */
#define PAGE_MIN 4096

/**
 * kv_endpoint_add_mr() - make an MR that is not registered
 * @e: the endpoint, with its PD
 * @buf: has the bytes of a registration; receives the MR. If the device can't make an MR of so many
 *	pages, the MR has as many as it can
 */
int kv_endpoint_add_mr(struct kv_endpoint *e, struct kv_buffer *buf, struct kv_fault *f)
{
	uint32_t max = e->site->dev.max_fast_reg_pages;
	struct kv_mr_init init = {
		.pd = e->pd,
		.max_pages = (buf->length + PAGE_MIN - 1) / PAGE_MIN,
	};
	struct kv_mr mr;
	int ret;

	if (max && init.max_pages > max)
		init.max_pages = max;
	ret = kv_op_mr_new(e->site->b, &init, &mr, &e->verb[KV_VERB_MR_NEW].verb_ns);
	buf->mr = ret ? 0 : mr.id;
	return refuse(e, ret, "make an MR", f);
}

/**
 * kv_endpoint_add_ah() - make an address handle for the peer of a UD QP
 * @e: the endpoint, with a PD
 * @av: the peer's address
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_endpoint_add_ah(struct kv_endpoint *e, const struct kv_av *av, struct kv_fault *f)
{
	const struct kv_ah_init init = { .pd = e->pd, .port = e->site->port->number, .av = *av };
	struct kv_ah ah;
	int ret = kv_op_ah_new(e->site->b, &init, &ah, NULL);

	e->ah = ret ? 0 : ah.id;
	return kv_fault_backend(f, e->site->b, ret, "cannot make an AH");
}

/**
 * kv_endpoint_add_carrier() - make an RC QP that carries the registrations of a UC or UD QP
 * @e: the endpoint, with its PD and its CQs
 *
 * In the kernel a registration is a request, which only RC QPs take (wr_opcode_info of rxe,
 * mlx5_ib_post_send()). The key is valid for all QPs of the PD. The carrier is its own peer.
 */
int kv_endpoint_add_carrier(struct kv_endpoint *e, struct kv_fault *f)
{
	const struct kv_qp_init init = {
		.type = KVERBS_QPT_RC,
		.max_send_wr = 2,
		.max_recv_wr = 1,
	};
	const struct kv_port *port = e->site->port;
	struct kv_endpoint own = {
		.site = e->site,
		.pd = e->pd,
		.send_cq = e->send_cq,
		.recv_cq = e->recv_cq,
	};
	struct kv_address address = { .lid = port->lid };
	struct kv_qp_attr attr = KV_RAW_DEFAULTS;
	int ret = kv_endpoint_add_qp(&own, &init, f);

	address.qpn = own.qpn;
	memcpy(address.gid, e->site->gid->raw, sizeof(address.gid));
	kv_raw_set_peer(&attr, &address, e->site->gid->index);
	attr.port = port->number;
	attr.path_mtu = kv_raw_mtu(port->active_mtu);
	for (unsigned int step = 0; step < KV_RAW_STEPS && !ret; step++)
		ret = kv_endpoint_step(&own, init.type, step, &attr, f);
	e->carrier = own.qp;
	return ret;
}

/**
 * kv_endpoint_register() - make an MR, if the buffer has none, and register it over all of a buffer
 * @e: the endpoint; in the kernel its carrier or, without one, its QP carries the request, and has
 *	to be in RTS
 * @access: KVERBS_ACCESS_*; 0: no rights, and nothing is done
 */
int kv_endpoint_register(struct kv_endpoint *e, struct kv_buffer *buf, uint32_t access,
			 struct kv_fault *f)
{
	struct kv_mr_reg reg = {
		.buf = buf->buf,
		.qp = e->carrier ?: e->qp,
		.length = buf->length,
		.access = access,
		.post_context = kv_site_post_context(e->site),
	};
	struct kv_mr mr;
	int ret;

	if (!access)
		return 0;
	ret = buf->mr ? 0 : kv_endpoint_add_mr(e, buf, f);
	if (ret)
		return ret;
	reg.id = buf->mr;
	ret = kv_op_mr_reg(e->site->b, &reg, &mr, NULL);
	e->verb[KV_VERB_MR_REG] = e->site->b->times;
	if (ret)
		return kv_fault_backend(f, e->site->b, ret, "cannot register %u bytes on %s",
					buf->length, e->site->dev.name);
	buf->access = access;
	buf->iova = mr.iova;
	buf->rkey = mr.rkey;
	return 0;
}

/**
 * kv_endpoint_needs_key() - must a buffer that only this end reaches be registered?
 *
 * Return: false in the kernel, where the PD's local_dma_lkey reaches every buffer.
 */
bool kv_endpoint_needs_key(const struct kv_endpoint *e)
{
	return e->site->id == KV_SPACE_USER;
}

/**
 * kv_buffer_piece() - make the SGE of a part of a buffer
 * @offset: first byte of the part
 * @length: bytes of the part
 *
 * Return: the SGE, with the key of the registration if there is one.
 */
struct kv_sge kv_buffer_piece(const struct kv_buffer *buf, uint64_t offset, uint32_t length)
{
	return (struct kv_sge){
		.buf = buf->buf,
		.offset = offset,
		.length = length,
		.mr = buf->mr,
	};
}

/**
 * kv_endpoint_sleep() - sleep until there may be a completion
 * @e: the endpoint, with one CQ for sends and receives, which was empty a moment ago
 * @ms: longest time to sleep
 *
 * A completion that came before the CQ was armed makes no event. So the first call only arms
 * the CQ, and the caller polls once more before the next call.
 *
 * Return: 0: the caller polls; -EAGAIN: nothing has come; or another negative errno.
 */
int kv_endpoint_sleep(struct kv_endpoint *e, int ms, struct kv_fault *f)
{
	struct kv_backend *b = e->site->b;
	struct kv_armed armed;
	int ret;

	if (!e->armed) {
		ret = kv_op_cq_arm(b, &(struct kv_cq_arm){ .id = e->send_cq }, &armed, NULL);
		e->armed = !ret && !armed.missed;
		return refuse(e, ret, "arm a CQ", f);
	}
	ret = kv_op_cq_wait(b, &(struct kv_wait){ e->send_cq, ms }, NULL, NULL);
	if (ret == -EAGAIN || ret == -EINTR)
		return -EAGAIN;
	e->armed = false;
	return refuse(e, ret, "wait for a completion", f);
}

/**
 * kv_endpoint_param() - parameters for the CM to connect the QP
 *
 * Return: the defaults, and one READ or atomic at a time if the device can do that.
 */
struct kv_conn_param kv_endpoint_param(const struct kv_endpoint *e)
{
	struct kv_conn_param param = { .qp = e->qp, KV_CONN_PARAM_DEFAULTS };

	param.responder_resources = e->site->dev.max_qp_rd_atom ? RD_ATOMIC : 0;
	param.initiator_depth = e->site->dev.max_qp_init_rd_atom ? RD_ATOMIC : 0;
	return param;
}

/**
 * kv_endpoint_del() - destroy an object of an endpoint
 * @id: its id, 0 afterwards; 0: there is none
 *
 * Errors are ignored: the removal of a device destroys its objects, and closing the backend
 * destroys the others.
 */
void kv_endpoint_del(struct kv_endpoint *e, enum kv_type type, uint32_t *id)
{
	if (*id)
		kv_op_del(e->site->b, type, *id, NULL);
	*id = 0;
}

/**
 * kv_endpoint_del_buffer() - destroy a buffer and its MR
 *
 * Errors are ignored, as by kv_endpoint_del().
 */
void kv_endpoint_del_buffer(struct kv_endpoint *e, struct kv_buffer *buf)
{
	kv_endpoint_del(e, KV_MR, &buf->mr);
	kv_endpoint_del(e, KV_BUF, &buf->buf);
}
