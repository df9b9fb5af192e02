// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "cli/parse.h"
#include "rules/qp_table.h"
#include "user/post.h"
#include "user/user.h"

/* Transitions of a QP. kmod/rules/qp_table.c lists them, and the attributes that each needs. */

/*
 * uverbs hands the kernel the bits as they are, and the module asserts that ours are the kernel's,
 * one by one.
 */
_Static_assert(KV_QPA_STATE == (int)IBV_QP_STATE, "attributes");
_Static_assert(KV_QPA_RNR_RETRY == (int)IBV_QP_RNR_RETRY, "attributes");
_Static_assert(KV_QPA_DEST_QPN == (int)IBV_QP_DEST_QPN, "attributes");

static int prep_mtu(struct kv_user *u, uint32_t bytes, enum ibv_mtu *to)
{
	enum ibv_mtu mtu;

	for (mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++) {
		if (bytes == 128U << mtu) {
			*to = mtu;
			return 0;
		}
	}
	return kv_user_fail(u, bytes < 256 || bytes > 4096 ? -ERANGE : -EINVAL,
			    "path_mtu is %u: it must be 256, 512, 1024, 2048 or 4096", bytes);
}

static int prep_alt_path(struct kv_user *u, const struct kv_user_dev *dev,
			 const struct kv_qp_attr *from, struct ibv_qp_attr *attr)
{
	int ret = kv_user_dev_check_port(u, dev, "alt_port", from->alt_port);

	if (ret)
		return ret;
	if (dev->link_layer[from->alt_port] == IBV_LINK_LAYER_ETHERNET)
		return kv_user_fail(u, -EINVAL, "an alternate path is for InfiniBand only");
	return kv_user_av_prep(u, dev, from->alt_port, "alt_", &from->alt_av, &attr->alt_ah_attr);
}

/* Attributes that need more than a check of their range. */
static int prep_checked(struct kv_user *u, const struct kv_user_qp *qp,
			const struct kv_qp_attr *from, struct ibv_qp_attr *attr)
{
	const struct kv_user_dev *dev = qp->obj.dev;
	uint32_t port = from->mask & KV_QPA_PORT ? from->port : qp->port;
	int ret = 0;

	if (from->mask & KV_QPA_PATH_MTU)
		ret = prep_mtu(u, from->path_mtu, &attr->path_mtu);
	if (!ret)
		ret = kv_user_dev_check_port(u, dev, "port", port);
	if (ret)
		return ret;
	attr->port_num = (uint8_t)port;
	if (from->mask & KV_QPA_AV)
		ret = kv_user_av_prep(u, dev, port, "", &from->av, &attr->ah_attr);
	return ret || !(from->mask & KV_QPA_ALT_PATH) ? ret : prep_alt_path(u, dev, from, attr);
}

static int check_pkey(struct kv_user *u, const struct kv_user_dev *dev, const char *prefix,
		      uint32_t port, uint32_t index)
{
	__be16 pkey;

	if (kv_user_dev_is_iwarp(dev) ||
	    !ibv_query_pkey(dev->ctx, (uint8_t)port, (int)index, &pkey))
		return 0;
	return kv_user_fail(u, -EINVAL, "%spkey_index is %u: no P_Key there on port %u", prefix,
			    index, port);
}

/* The table does not know the device: does the device have the P_Key, and are its limits kept? */
static int check_device(struct kv_user *u, const struct kv_user_qp *qp,
			uint32_t state, const struct kv_qp_attr *from)
{
	const struct ibv_device_attr *limits = &qp->obj.dev->attr;
	uint32_t port = from->mask & KV_QPA_PORT ? from->port : qp->port;
	int ret = 0;

	if (from->mask & KV_QPA_CUR_STATE && from->cur_state != state)
		return kv_user_fail(u, -EINVAL, "cur_state is not the state that qp %u is in: %s",
				    qp->obj.id, kv_qp_state_name(state));
	if (from->mask & KV_QPA_PKEY_INDEX)
		ret = check_pkey(u, qp->obj.dev, "", port, from->pkey_index);
	if (!ret && from->mask & KV_QPA_ALT_PATH)
		ret = check_pkey(u, qp->obj.dev, "alt_", from->alt_port, from->alt_pkey_index);
	if (ret)
		return ret;
	if (from->mask & KV_QPA_MAX_QP_RD_ATOMIC &&
	    (int)from->max_rd_atomic > limits->max_qp_init_rd_atom)
		return kv_user_fail(u, -EINVAL,
				    "max_rd_atomic is %u, above the device's max_qp_init_rd_atom, %d",
				    from->max_rd_atomic, limits->max_qp_init_rd_atom);
	if (from->mask & KV_QPA_MAX_DEST_RD_ATOMIC &&
	    (int)from->max_dest_rd_atomic > limits->max_qp_rd_atom)
		return kv_user_fail(u, -EINVAL,
				    "max_dest_rd_atomic is %u, above the device's max_qp_rd_atom, %d",
				    from->max_dest_rd_atomic, limits->max_qp_rd_atom);
	return 0;
}

static int prep(struct kv_user *u, const struct kv_user_qp *qp,
		const struct kv_qp_attr *from, struct ibv_qp_attr *attr)
{
#define ATTR(member, NAME, BIT, max, ibv, ...) attr->ibv = (__typeof__(attr->ibv))from->member;
#define VECTOR(...)
#include "model/qp_attr.def"
	if (!(from->mask & KV_QPA_PKEY_INDEX))
		attr->pkey_index = 0;
	return prep_checked(u, qp, from, attr);
}

/* Attributes hold until RESET; RESET also drops all requests. */
static void note_modified(struct kv_user *u, struct kv_user_qp *qp, uint32_t state,
			  uint32_t mask, const struct ibv_qp_attr *attr)
{
	qp->port = attr->port_num;
	qp->given |= mask;
	qp->state = state;
	if (state != KVERBS_QPS_RESET)
		return;
	qp->port = 1;
	qp->given = 0;
	qp->recvs = 0;
	qp->credit = (struct kv_credit){ 0 };
	qp->needs_reset = false;
	for (unsigned int slot = KV_USER_QP_LOCAL_BUF; slot <= KV_USER_QP_AH; slot++)
		kv_user_obj_set_parent(&qp->obj, slot, NULL);
	kv_user_queue_purge_qp(u, qp);
}

/*
 * Brings a QP to the state in @attr for a connection, with the attributes in @mask (KV_QPA_*).
 * Leaves no text.
 */
int kv_user_qp_transit(struct kv_user *u, struct kv_user_qp *qp,
		       struct ibv_qp_attr *attr, uint32_t mask)
{
	int ret = KV_USER_STAGE(u, MODIFY, ibv_modify_qp(qp->ib, attr, (int)mask));

	if (ret)
		return -ret;
	if (!(mask & KV_QPA_PORT))
		attr->port_num = qp->port;
	note_modified(u, qp, attr->qp_state, mask, attr);
	return 0;
}

static const char *advise(int error, uint32_t mask)
{
	if (mask & KV_QPA_AV)
		return ": check dgid, sgid_index, the route to it, and what the device can do";
	return error == EINVAL ? ": the device refuses the value of an attribute" : "";
}

/* On iWARP only the CM takes QPs to RTR and RTS. */
static int check_iwarp(struct kv_user *u, const struct kv_user_qp *qp, uint32_t to)
{
	if (!kv_user_dev_is_iwarp(qp->obj.dev) || (to != KVERBS_QPS_RTR && to != KVERBS_QPS_RTS))
		return 0;
	return kv_user_fail(u, -EOPNOTSUPP,
			    "qp %u: iWARP connects through the RDMA CM, which brings it to RTS: conn connect, conn accept",
			    qp->obj.id);
}

static int modify_ib(struct kv_user *u, struct kv_user_qp *qp, uint32_t from,
		     struct ibv_qp_attr *attr, uint32_t mask)
{
	int ret = KV_USER_STAGE(u, MODIFY, ibv_modify_qp(qp->ib, attr, (int)mask));

	return ret ? kv_user_verb_failed(u, KVERBS_STAGE_MODIFY, -ret,
					 "ibv_modify_qp of qp %u from %s to %s: %s%s", qp->obj.id,
					 kv_qp_state_name(from), kv_qp_state_name(attr->qp_state),
					 strerror(ret), advise(ret, mask)) : 0;
}

static int reset_ib(struct kv_user *u, struct kv_user_qp *qp, uint32_t from,
		    struct ibv_qp_attr *attr)
{
	uint32_t state;
	int ret = kv_user_qp_detach_all(u, qp);

	if (ret)
		return kv_user_verb_failed(u, KVERBS_STAGE_MODIFY, ret,
					   "ibv_detach_mcast of qp %u: %s", qp->obj.id,
					   strerror(-ret));
	/* iWARP has no way back from ERR, and its drivers ignore RESET: requests stay. */
	if (kv_user_dev_is_iwarp(qp->obj.dev))
		return from == KVERBS_QPS_RESET ? 0 :
		       KV_USER_STAGE(u, MODIFY, kv_user_qp_renew(u, qp));
	ret = KV_USER_STAGE(u, MODIFY, ibv_modify_qp(qp->ib, attr, IBV_QP_STATE));
	if (ret)
		return kv_user_verb_failed(u, KVERBS_STAGE_MODIFY, -ret,
					   "ibv_modify_qp of qp %u from %s to RESET: %s",
					   qp->obj.id, kv_qp_state_name(from), strerror(ret));
	ret = kv_user_qp_query_state(u, qp, &state);
	if (ret || state == KVERBS_QPS_RESET)
		return ret;
	return kv_user_verb_failed(u, KVERBS_STAGE_MODIFY, -EIO,
				   "ibv_modify_qp of qp %u to RESET returned 0, but %s says that the qp is in %s",
				   qp->obj.id, kv_user_dev_name(qp->obj.dev),
				   kv_qp_state_name(state));
}

int kv_user_qp_modify(struct kv_user *u, struct kv_user_qp *qp, const struct kv_qp_modify *in,
		      struct kv_none *out)
{
	const struct kv_qp_attr *from = &in->attr;
	uint32_t state, mask = from->mask | KV_QPA_STATE;
	struct ibv_qp_attr attr = { 0 };
	int ret = prep(u, qp, from, &attr) ?: kv_user_qp_query_state(u, qp, &state);

	if (ret)
		return ret;
	if (state == KVERBS_QPS_RESET && from->state == KVERBS_QPS_INIT)
		mask |= KV_QPA_PORT | KV_QPA_PKEY_INDEX;
	ret = kv_user_rule(u, kv_qp_table_check(qp->is.type, state, from->state, mask, &u->why)) ?:
	      check_device(u, qp, state, from) ?:
	      check_iwarp(u, qp, from->state) ?:
	      kv_user_qp_check_idle(u, qp);
	if (ret)
		return ret;

	ret = from->state == KVERBS_QPS_RESET ? reset_ib(u, qp, state, &attr) :
						modify_ib(u, qp, state, &attr, mask);
	if (ret)
		return ret;
	note_modified(u, qp, from->state, mask, &attr);
	return 0;
}
