// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "endpoint/raw.h"
#include "object/describe.h"
#include "object/object.h"
#include "object/text.h"
#include "out/out.h"
#include "rules/qp_table.h"

#define PLACE (KV_QPA_PORT | KV_QPA_PKEY_INDEX)

/* INIT needs a port and a P_Key index: from RESET the defaults are 1 and 0. */
static int add_place(struct kv_session *s, uint32_t id, struct kv_qp_attr *attr, struct kv_fault *f)
{
	union kv_object object;
	int ret;

	if (attr->state != KVERBS_QPS_INIT || (attr->mask & PLACE) == PLACE)
		return 0;
	ret = kv_session_get(s, KV_QP, id, &object, f);
	if (!ret && object.qp.attr.state == KVERBS_QPS_RESET)
		attr->mask |= PLACE;
	return ret;
}

static int tell_modified(struct kv_session *s, const struct kv_qp_modify *to,
			 struct json_object *result)
{
	kv_object_begin(s, KV_QP, to->id, result);
	kv_describe(result, &kv_shape_qp_attr, &to->attr);
	kv_variables_note(&s->variables, KV_QP, to->id, result, KV_NOTE_PART);
	return 0;
}

/**
 * kv_qp_modify() - qp modify
 * @args: struct kv_operation_args
 * @result: receives the attributes that were set
 */
int kv_qp_modify(struct kv_session *s, const void *args, struct json_object *result,
		 struct kv_fault *f)
{
	const struct kv_operation_args *a = args;
	struct kv_qp_modify to = a->in.qp_modify;
	int ret;

	to.id = a->given.id;
	ret = add_place(s, to.id, &to.attr, f);
	if (!ret && (to.attr.state == KVERBS_QPS_RTR || to.attr.state == KVERBS_QPS_RTS))
		ret = kv_iwarp_check(s, to.id, KV_IWARP_CM, f);
	if (ret)
		return ret;
	ret = kv_op_qp_modify(s->b, &to, NULL, NULL);
	if (ret)
		return kv_qp_fault_modify(s, to.id, &to.attr, ret, f);
	return tell_modified(s, &to, result);
}

/* The values of 'qp connect'; of 'qp address', too, which has fewer keys. */
struct connect_args {
	/* The QP, and the attributes that were named: bits of KV_QPA_* and HAS_PEER. */
	struct kv_given given;
	struct kv_address peer; /* address of the peer */
	struct kv_qp_attr attr; /* the attributes, with their defaults */
};

#define AT(field) offsetof(struct connect_args, field)

/* A bit besides KV_QPA_*. */
#define HAS_PEER (1U << 31)

/* The attributes that may be set in INIT, for all types. */
#define INIT_ANY (KV_QPA_PORT | KV_QPA_PKEY_INDEX | KV_QPA_ACCESS_FLAGS | KV_QPA_QKEY)

static const struct connect_args connect_init = {
	.attr = KV_RAW_DEFAULTS,
};

#define KEY_PORT								\
	{ "port", KV_KEY_U32, AT(attr.port), KV_QPA_PORT, .max = INT32_MAX,	\
	  .help = "of the device; default: the one that INIT has put the QP to, else 1" }

static const struct kv_key connect_key[] = {
	{ "peer", KV_KEY_ADDRESS, AT(peer), HAS_PEER,
	  .help = "the address that 'qp address' printed for the other QP; rc and uc need it" },
	{ "psn", KV_KEY_U32, AT(attr.sq_psn), KV_QPA_SQ_PSN, .max = 0xffffff,
	  .help = "the first PSN to send; default: the own QPN" },
	KEY_PORT,
	{ "sgid-index", KV_KEY_U32, AT(attr.av.sgid_index), KV_QPA_AV,
	  .max = INT32_MAX,
	  .help = "entry of the own GID table to send from; default: IPv4 RoCE v2, else IPv6 RoCE v2, else any" },
	{ "access", KV_KEY_FLAGS, AT(attr.access), KV_QPA_ACCESS_FLAGS,
	  .names = kv_enum_access,
	  .help = "rights of peers; default: all that the type and the device have" },
	{ "path-mtu", KV_KEY_U32, AT(attr.path_mtu), KV_QPA_PATH_MTU,
	  .help = "bytes in a packet; default: the port's active MTU" },
	{ "timeout", KV_KEY_U32, AT(attr.timeout), KV_QPA_TIMEOUT,
	  .help = "rc: time until an unacknowledged packet is sent again: 4.096 us * 2^N; default: 14, which is 67 ms" },
	{ "retry-cnt", KV_KEY_U32, AT(attr.retry_cnt), KV_QPA_RETRY_CNT,
	  .help = "rc: how often such a packet is sent again, 0 to 7; default: 6" },
	{ "rnr-retry", KV_KEY_U32, AT(attr.rnr_retry), KV_QPA_RNR_RETRY,
	  .help = "rc: how often a message is sent again if the peer had no receive posted; 7: without end; default: 6" },
	{ "min-rnr-timer", KV_KEY_U32, AT(attr.min_rnr_timer),
	  KV_QPA_MIN_RNR_TIMER,
	  .help = "rc: time after which a peer sends again if no receive was posted here: code of IBTA table 45; default: 12, which is 0.64 ms" },
	{ "max-rd-atomic", KV_KEY_U32, AT(attr.max_rd_atomic),
	  KV_QPA_MAX_QP_RD_ATOMIC,
	  .help = "rc: own READs and atomics that may be outstanding at a time; default: 1" },
	{ "max-dest-rd-atomic", KV_KEY_U32, AT(attr.max_dest_rd_atomic),
	  KV_QPA_MAX_DEST_RD_ATOMIC,
	  .help = "rc: READs and atomics of the peer that this QP handles at a time; default: 1" },
	{ "qkey", KV_KEY_U32, AT(attr.qkey), KV_QPA_QKEY,
	  .help = "ud: the Q_Key that senders must give; default: 0x11111111" },
	{ .name = NULL },
};

/* The device of a QP that is to be connected. */
static int find_dev(struct kv_session *s, const struct kv_qp *qp, struct kv_dev *dev,
		    struct kv_fault *f)
{
	int ret = kv_op_dev_get(s->b, &(struct kv_dev_name){ qp->dev }, dev, NULL);

	if (ret)
		return kv_session_refuse(s, ret, f);
	if (kv_dev_is_iwarp(dev))
		return kv_fault_set(f, -EOPNOTSUPP, "%s: %s", dev->name, KV_IWARP_CM);
	return 0;
}

/* The port that a QP has, or will have. */
static uint32_t port_of(const struct kv_qp *qp)
{
	return qp->attr.mask & KV_QPA_PORT ? qp->attr.port : 1;
}

static int find_port(const struct kv_dev *dev, uint32_t number, const struct kv_port **port,
		     struct kv_fault *f)
{
	char text[KV_PORT_TEXT];

	*port = kv_port_find(dev, number);
	if (!*port)
		return kv_fault_set(f, -EINVAL, "port %u: %s", number,
				    kv_port_explain(dev, number, text));
	if ((*port)->error)
		return kv_fault_set(f, -(int)(*port)->error, "%s",
				    kv_port_explain(dev, number, text));
	return 0;
}

/* The GID of @port that a QP uses. @index: index in the GID table; -1: the best one, by type. */
static int find_gid(const struct kv_dev *dev, const struct kv_port *port, int index,
		    const struct kv_gid **gid, struct kv_fault *f)
{
	*gid = kv_gid_choose(port, index);
	if (*gid)
		return 0;
	if (index >= 0)
		return kv_fault_set(f, -EINVAL, "sgid-index %d: port %u of %s has no such GID; 'dev show' lists those that there are",
				    index, port->number, dev->name);
	return kv_fault_set(f, -EADDRNOTAVAIL,
			    "port %u of %s has no GID; its network interface needs an IP address",
			    port->number, dev->name);
}

/* The place of a QP: its device, and the port and the GID that it has or is going to have. */
struct place {
	struct kv_dev dev;
	const struct kv_port *port;
	const struct kv_gid *gid;
};

static int find_place(struct kv_session *s, const struct connect_args *a, const struct kv_qp *qp,
		      struct place *p, struct kv_fault *f)
{
	uint32_t given = a->given.bits;
	int index = given & KV_QPA_AV ? (int)a->attr.av.sgid_index : -1;

	return find_dev(s, qp, &p->dev, f) ?:
	       find_port(&p->dev, given & KV_QPA_PORT ? a->attr.port : port_of(qp), &p->port, f) ?:
	       find_gid(&p->dev, p->port, index, &p->gid, f);
}

static uint32_t default_access(const struct kv_qp *qp, const struct kv_dev *dev)
{
	uint32_t access = KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE;

	if (qp->type == KVERBS_QPT_RC)
		access |= KVERBS_ACCESS_REMOTE_READ;
	if (qp->type == KVERBS_QPT_RC && dev->caps & KVERBS_CAP_ATOMIC)
		access |= KVERBS_ACCESS_REMOTE_ATOMIC;
	return access;
}

/* The largest value of the attribute that has this bit of KV_QPA_*. */
static uint64_t largest(uint32_t bit)
{
	const struct kv_member *m = kv_shape_qp_attr.member;

	while (m->bit != bit)
		m++;
	return m->max;
}

/*
 * Refuses, before the first step, values that the step to RTS would refuse: a QP in RTR can't go
 * back to INIT without losing the receives posted in INIT.
 */
static int check_rts(const struct kv_dev *dev, const struct kv_qp *qp,
		     const struct connect_args *a, struct kv_fault *f)
{
	uint32_t needs = kv_raw_needs(qp->type, KV_RAW_RTS);

	for (const struct kv_key *k = connect_key; k->name; k++) {
		const uint32_t *value = (const void *)((const char *)a + k->offset);

		if (k->bits & needs && *value > largest(k->bits))
			return kv_fault_set(f, -ERANGE, "%s is %u: it must be 0 to %llu", k->name,
					    *value, (unsigned long long)largest(k->bits));
	}
	if (needs & KV_QPA_MAX_QP_RD_ATOMIC && a->attr.max_rd_atomic > dev->max_qp_init_rd_atom)
		return kv_fault_set(f, -EINVAL,
				    "max-rd-atomic is %u, above the device's max_qp_init_rd_atom, %u",
				    a->attr.max_rd_atomic, dev->max_qp_init_rd_atom);
	return 0;
}

static int prepare(struct kv_session *s, const struct connect_args *a, const struct kv_qp *qp,
		   struct kv_qp_attr *attr, struct kv_fault *f)
{
	uint32_t given = a->given.bits;
	struct place place;
	int ret = find_place(s, a, qp, &place, f) ?:
		  check_rts(&place.dev, qp, a, f);

	if (ret)
		return ret;
	*attr = a->attr;
	attr->port = place.port->number;
	if (!(given & KV_QPA_SQ_PSN))
		attr->sq_psn = qp->qpn;
	if (!(given & KV_QPA_ACCESS_FLAGS))
		attr->access = default_access(qp, &place.dev);
	if (!(given & KV_QPA_PATH_MTU))
		attr->path_mtu = kv_raw_mtu(place.port->active_mtu);
	kv_raw_set_peer(attr, &a->peer, place.gid->index);
	return 0;
}

static int check(const struct connect_args *a, const struct kv_qp *qp, struct kv_fault *f)
{
	bool connected = qp->type != KVERBS_QPT_UD;
	uint32_t any = 0, given = a->given.bits & ~HAS_PEER;

	if (!(qp->attr.mask & KV_QPA_STATE) ||
	    (qp->attr.state != KVERBS_QPS_RESET && qp->attr.state != KVERBS_QPS_INIT))
		return kv_fault_set(
			f, -EINVAL,
			"qp %u is in %s: it can be connected from reset or init; 'qp modify %u state reset' brings it there",
			qp->id,
			qp->attr.mask & KV_QPA_STATE ?
				kv_enum_name(kv_enum_qp_state, qp->attr.state) :
				"an unknown state",
			qp->id);
	if (connected && !(a->given.bits & HAS_PEER))
		return kv_fault_set(f, -EINVAL,
				    "'peer' is missing: qp %u is of type %s, and needs the address that 'qp address' printed for the other QP",
				    qp->id, kv_enum_name(kv_enum_qp_type, qp->type));
	for (unsigned int step = 0; step < KV_RAW_STEPS; step++)
		any |= kv_raw_needs(qp->type, step);
	for (const struct kv_key *k = connect_key; k->name; k++) {
		if (k->bits & given & ~any)
			return kv_fault_set(f, -EINVAL, "'%s' means nothing to a qp of type %s",
					    k->name, kv_enum_name(kv_enum_qp_type, qp->type));
	}
	return 0;
}

/* Undoes the steps before the failed step; the failed step has changed nothing. */
static void put_back(struct kv_session *s, const struct kv_qp *qp, size_t step, struct kv_fault *f)
{
	const struct kv_qp_modify reset = {
		.id = qp->id,
		.attr.mask = KV_QPA_STATE,
		.attr.state = KVERBS_QPS_RESET,
	};
	bool was_init = qp->attr.state == KVERBS_QPS_INIT;
	struct kv_qp_modify init = { .id = qp->id, .attr = qp->attr };
	const char *lost = "";
	int ret = 0;

	if (!step)
		return;
	/* INIT to INIT is a transition; from RTR the QP must go through RESET. */
	if (!was_init || step > 1)
		ret = kv_op_qp_modify(s->b, &reset, NULL, NULL);
	if (!ret && was_init) {
		init.attr.mask = KV_QPA_STATE | (qp->attr.mask & INIT_ANY);
		ret = kv_op_qp_modify(s->b, &init, NULL, NULL);
		if (step > 1)
			lost = ", but receives that were posted are gone";
	}
	kv_append(f->text, sizeof(f->text), "; the qp is %s %s%s",
		  ret ? "not even back in" : "back in", was_init ? "init" : "reset", lost);
}

/* From RESET to RTS in one command, with defaults for all attributes that can have one. */
static int connect_qp(struct kv_session *s, const void *args, struct json_object *result,
		   struct kv_fault *f)
{
	const struct connect_args *a = args;
	struct kv_qp_modify to = { .id = a->given.id };
	union kv_object object;
	struct kv_fault why;
	uint32_t done = 0;
	int ret = kv_session_get(s, KV_QP, a->given.id, &object, f) ?:
		  check(a, &object.qp, f) ?:
		  prepare(s, a, &object.qp, &to.attr, f);

	if (ret)
		return ret;
	for (unsigned int step = 0; step < KV_RAW_STEPS; step++) {
		ret = kv_raw_modify(s->b, object.qp.type, step, &to, NULL);
		done |= to.attr.mask;
		if (ret) {
			kv_qp_fault_step(s, ret, &why);
			kv_fault_set(f, ret, "to %s: %.800s",
				     kv_enum_name(kv_enum_qp_state, to.attr.state), why.text);
			put_back(s, &object.qp, step, f);
			return ret;
		}
	}
	to.attr.mask = done;
	return tell_modified(s, &to, result);
}

static const struct kv_key address_key[] = {
	KEY_PORT,
	{ "sgid-index", KV_KEY_U32, AT(attr.av.sgid_index), KV_QPA_AV, .max = INT32_MAX,
	  .help = "entry of the GID table; default: IPv4 RoCE v2, else IPv6 RoCE v2, else any" },
	{ "psn", KV_KEY_U32, AT(attr.sq_psn), KV_QPA_SQ_PSN, .max = 0xffffff,
	  .help = "the first PSN that this QP is going to send; default: its QPN" },
	{ .name = NULL },
};

static int address(struct kv_session *s, const void *args,
		   struct json_object *result, struct kv_fault *f)
{
	const struct connect_args *a = args;
	struct kv_address address;
	char text[KV_ADDRESS_TEXT];
	union kv_object object;
	struct place place;
	int ret = kv_session_get(s, KV_QP, a->given.id, &object, f) ?:
		  find_place(s, a, &object.qp, &place, f);

	if (ret)
		return ret;
	address.lid = place.port->lid;
	address.qpn = object.qp.qpn;
	address.psn = a->given.bits & KV_QPA_SQ_PSN ? a->attr.sq_psn : object.qp.qpn;
	memcpy(address.gid, place.gid->raw, sizeof(address.gid));
	kv_address_format(text, &address);
	kv_object_begin(s, KV_QP, a->given.id, result);
	kv_out_put_string(result, "address", text);
	kv_out_put_count(result, "lid", address.lid);
	kv_out_put_count(result, "qpn", address.qpn);
	kv_out_put_count(result, "psn", address.psn);
	kv_out_put_count(result, "port", place.port->number);
	kv_describe_gid(result, "gid", address.gid);
	kv_out_put_count(result, "gid_index", place.gid->index);
	kv_variables_note(&s->variables, KV_QP, a->given.id, result, KV_NOTE_PART);
	return 0;
}

const struct kv_command kv_qp_commands[] = {
	{ "connect", "brings it from reset or init over rtr to rts",
	  "If a step fails, the QP is put back into the state that it was in, with the attributes that it had there. UD has no connection: it needs no peer.",
	  .id = KV_ID_MUST, .type = KV_QP, .key = connect_key,
	  .size = sizeof(struct connect_args), .init = &connect_init,
	  .fn = connect_qp, .print = kv_text_object },
	{ "address", "prints the address that a peer needs for 'qp connect'",
	  "LID, QPN, PSN and GID in hexadecimal, as rdma-core's ibv_rc_pingpong exchanges them.",
	  .id = KV_ID_MUST, .type = KV_QP, .key = address_key,
	  .size = sizeof(struct connect_args), .fn = address,
	  .print = kv_text_plain },
	{ .name = NULL },
};
