// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "object/connect.h"
#include "object/describe.h"
#include "object/iwarp.h"
#include "object/object.h"
#include "object/qp_fault.h"
#include "object/text.h"
#include "out/out.h"
#include "qp_table.h"

#define PLACE (KV_QPA_PORT | KV_QPA_PKEY_INDEX)

/* Not choices that anybody wants to think about; but in INIT they were made. */
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

/**
 * kv_qp_modify() - qp modify
 * @s: the session
 * @args: struct kv_operation_args
 * @result: receives the attributes that were set
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
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
	kv_object_begin(s, KV_QP, to.id, result);
	kv_describe(result, &kv_shape_qp_attr, &to.attr);
	kv_object_part(s, KV_QP, to.id, result);
	return 0;
}

struct address_args {
	struct kv_given given;
	uint32_t sgid_index;
	uint32_t psn;
};

#define HAS_SGID_INDEX (1U << 0)
#define HAS_PSN (1U << 1)

static const struct kv_key address_key[] = {
	{ "sgid-index", KV_KEY_U32, offsetof(struct address_args, sgid_index),
	  HAS_SGID_INDEX, .max = INT32_MAX,
	  .help = "entry of the GID table; default: IPv4 RoCE v2, else IPv6 RoCE v2, else what there is" },
	{ "psn", KV_KEY_U32, offsetof(struct address_args, psn), HAS_PSN,
	  .max = 0xffffff,
	  .help = "the first PSN that this QP is going to send; default: its QPN" },
	{ .name = NULL },
};

static int address(struct kv_session *s, const void *args,
		   struct json_object *result, struct kv_fault *f)
{
	const struct address_args *a = args;
	uint32_t bits = a->given.bits;
	struct kv_address address;
	char text[KV_ADDRESS_TEXT];
	const struct kv_gid *gid;
	union kv_object object;
	struct kv_dev dev;
	int ret;

	ret = kv_session_get(s, KV_QP, a->given.id, &object, f);
	if (!ret)
		ret = kv_connect_dev(s, &object.qp, &dev, f);
	if (!ret)
		ret = kv_connect_gid(&dev, bits & HAS_SGID_INDEX ? (int)a->sgid_index : -1, &gid,
				     f);
	if (ret)
		return ret;
	address.lid = dev.lid;
	address.qpn = object.qp.qpn;
	address.psn = bits & HAS_PSN ? a->psn : object.qp.qpn;
	memcpy(address.gid, gid->raw, sizeof(address.gid));
	kv_address_format(text, &address);
	kv_object_begin(s, KV_QP, a->given.id, result);
	kv_out_put_string(result, "address", text);
	kv_out_put_count(result, "lid", address.lid);
	kv_out_put_count(result, "qpn", address.qpn);
	kv_out_put_count(result, "psn", address.psn);
	kv_describe_gid(result, "gid", address.gid);
	kv_out_put_count(result, "gid_index", gid->index);
	kv_object_part(s, KV_QP, a->given.id, result);
	return 0;
}

const struct kv_command kv_qp_commands[] = {
	{ "connect", "brings it from reset or init over rtr to rts",
	  "If a step fails, the QP is put back to where it was, with what it had there. UD has no connection: it needs no peer.",
	  .id = KV_ID_MUST, .type = KV_QP, .key = kv_connect_key,
	  .size = sizeof(struct kv_connect_args), .init = &kv_connect_init,
	  .fn = kv_connect, .print = kv_text_object },
	{ "address", "tells what a peer has to know for 'qp connect'",
	  "LID, QPN, PSN and GID in hexadecimal, as rdma-core's ibv_rc_pingpong exchanges them.",
	  .id = KV_ID_MUST, .type = KV_QP, .key = address_key,
	  .size = sizeof(struct address_args), .fn = address,
	  .print = kv_text_plain },
	{ .name = NULL },
};
