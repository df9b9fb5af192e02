// SPDX-License-Identifier: MIT
/* Checks and defaults of the commands that are one operation. */
#include <errno.h>
#include "object/object.h"

static bool was_given(const struct kv_operation_args *a, const char *key)
{
	return kv_args_given(a->given.command->key, &a->given, key);
}

/* Nobody makes an XRC QP: the device has none, or kverbs has none. */
static int refuse_xrc(struct kv_session *s, uint32_t pd_id, struct kv_fault *f)
{
	union kv_object pd;
	struct kv_dev dev;
	int ret = kv_session_get(s, KV_PD, pd_id, &pd, f);

	if (ret)
		return ret;
	ret = kv_op_dev_get(s->b, &(struct kv_dev_name){ pd.pd.dev }, &dev, NULL);
	return ret ? kv_session_refuse(s, ret, f) :
		     kv_fault_set(f, -EOPNOTSUPP, "%s %s", dev.name, kv_dev_explain_xrc(&dev));
}

/* The default of sgid-index. */
static int choose_sgid(struct kv_session *s, struct kv_operation_args *a, struct kv_fault *f)
{
	struct kv_ah_init *init = &a->in.ah_new;
	const struct kv_port *port;
	const struct kv_gid *gid;
	char text[KV_PORT_TEXT];
	union kv_object pd;
	struct kv_dev dev;
	int ret;

	if (!init->av.has_dgid || init->av.has_sgid_index)
		return 0;
	ret = kv_session_get(s, KV_PD, init->pd, &pd, f);
	if (ret)
		return ret;
	ret = kv_op_dev_get(s->b, &(struct kv_dev_name){ pd.pd.dev }, &dev, NULL);
	if (ret)
		return kv_session_refuse(s, ret, f);
	port = kv_port_find(&dev, init->port);
	/* The backend refuses a port that does not exist. */
	if (!port)
		return 0;
	if (port->error)
		return kv_fault_set(f, -(int)port->error, "%s",
				    kv_port_explain(&dev, init->port, text));
	gid = kv_gid_choose(port, -1);
	if (!gid)
		return kv_fault_set(f, -EADDRNOTAVAIL,
				    "port %u of %s has no GID to send from; its network interface needs an IP address",
				    port->number, dev.name);
	init->av.has_sgid_index = true;
	init->av.sgid_index = gid->index;
	return 0;
}

static int choose_queues(struct kv_session *s, struct kv_operation_args *a, struct kv_fault *f)
{
	bool send = was_given(a, "send-cq"), recv = was_given(a, "recv-cq");
	struct kv_qp_init *init = &a->in.qp_new;

	if (was_given(a, "cq") ? send || recv : !send || !recv)
		return kv_fault_usage(f, "it takes 'cq' alone, or 'send-cq' and 'recv-cq'");
	if (!send) {
		init->send_cq = a->cq;
		init->recv_cq = a->cq;
	}
	if (init->type == KV_QPT_XRC)
		return refuse_xrc(s, init->pd, f);
	/* With an SRQ the QP has no receive queue: its defaults are 0. */
	if (init->srq && !was_given(a, "max-recv-wr") && !was_given(a, "max-recv-sge")) {
		init->max_recv_wr = 0;
		init->max_recv_sge = 0;
	}
	return 0;
}

/*
 * The kernel registers with a work request, which needs a QP. User space needs no QP; but if one
 * is named, it must exist there, too.
 */
static int check_carrier(struct kv_session *s, uint32_t qp, struct kv_fault *f)
{
	union kv_object object;

	if (qp)
		return kv_session_get(s, KV_QP, qp, &object, f);
	if (s->space == KV_SPACE_USER)
		return 0;
	return kv_fault_set(f, -EINVAL, "'qp' is missing: in the kernel this is a work request, on a QP in rts");
}

static int choose_range(struct kv_session *s, struct kv_operation_args *a, struct kv_fault *f)
{
	struct kv_mr_reg *reg = &a->in.mr_reg;
	int ret = check_carrier(s, reg->qp, f);

	if (ret || was_given(a, "length"))
		return ret;
	return kv_content_rest(s, reg->buf, reg->offset, &reg->length, f);
}

static int check_inv(struct kv_session *s, struct kv_operation_args *a, struct kv_fault *f)
{
	return check_carrier(s, a->in.mr_inv.qp, f);
}

static int check_change(struct kv_session *s, struct kv_operation_args *a, struct kv_fault *f)
{
	if (a->given.seen)
		return 0;
	return kv_fault_usage(f, "there is nothing to change: 'limit' or 'max-wr' is missing");
}

kv_prepare_fn *const kv_prepare[KV_OPS] = {
	[KV_OP_AH_NEW] = choose_sgid,	   [KV_OP_QP_NEW] = choose_queues,
	[KV_OP_MR_REG] = choose_range,	   [KV_OP_MR_INV] = check_inv,
	[KV_OP_SRQ_MODIFY] = check_change,
};
