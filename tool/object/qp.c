// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "object/connect.h"
#include "object/describe.h"
#include "object/iwarp.h"
#include "object/object.h"
#include "object/qp_fault.h"
#include "object/qp_key.h"
#include "object/text.h"
#include "out/out.h"
#include "qp_table.h"

struct add_args {
	struct kv_given given;
	struct kv_qp_init init;
	uint32_t cq;
	const char *name;
};

#define AT(field) offsetof(struct add_args, field)

#define HAS_CQ (1U << 0)
#define HAS_SEND_CQ (1U << 1)
#define HAS_RECV_CQ (1U << 2)
#define HAS_RECV_QUEUE (1U << 3)

static const struct add_args add_init = {
	.init = {
		.max_send_wr = 16,
		.max_recv_wr = 16,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	},
};

static const struct kv_key add_key[] = {
	{ "pd", KV_KEY_ID, AT(init.pd), .type = KV_PD, .must = true,
	  .help = "its protection domain" },
	{ "type", KV_KEY_WORD, AT(init.type), .words = kv_word_qp_type,
	  .help = "transport; default: rc" },
	{ "cq", KV_KEY_ID, AT(cq), HAS_CQ, .type = KV_CQ,
	  .help = "where both sends and receives complete, or:" },
	{ "send-cq", KV_KEY_ID, AT(init.send_cq), HAS_SEND_CQ, .type = KV_CQ,
	  .help = "where sends complete" },
	{ "recv-cq", KV_KEY_ID, AT(init.recv_cq), HAS_RECV_CQ, .type = KV_CQ,
	  .help = "where receives complete" },
	{ "srq", KV_KEY_ID, AT(init.srq), .type = KV_SRQ,
	  .help = "where receives come from in place of an own queue" },
	{ "max-send-wr", KV_KEY_U32, AT(init.max_send_wr),
	  .help = "requests that can be posted at once; default: 16" },
	{ "max-recv-wr", KV_KEY_U32, AT(init.max_recv_wr), HAS_RECV_QUEUE,
	  .help = "receives that can be posted at once; default: 16; not with srq" },
	{ "max-send-sge", KV_KEY_U32, AT(init.max_send_sge),
	  .help = "pieces that a request can have; default: 1" },
	{ "max-recv-sge", KV_KEY_U32, AT(init.max_recv_sge), HAS_RECV_QUEUE,
	  .help = "pieces that a receive can have; default: 1; not with srq" },
	{ "max-inline", KV_KEY_SIZE32, AT(init.max_inline),
	  .help = "bytes that a request can carry inline; default: 0" },
	{ "sq-sig-all", KV_KEY_FLAG, AT(init.sq_sig_all),
	  .help = "every send completes, unsignaled or not" },
	KV_KEY_NAME(AT(name)),
	{ .name = NULL },
};

static int choose_cqs(const struct add_args *a, struct kv_qp_init *init,
		      struct kv_fault *f)
{
	uint32_t both = HAS_SEND_CQ | HAS_RECV_CQ;
	uint32_t given = a->given.bits & (both | HAS_CQ);

	if (given == HAS_CQ) {
		init->send_cq = a->cq;
		init->recv_cq = a->cq;
	} else if (given != both) {
		return kv_fault_usage(f, "it takes 'cq' alone, or 'send-cq' and 'recv-cq'");
	}
	return 0;
}

static int make(struct kv_session *s, const void *args,
		union kv_object *object, struct kv_fault *f)
{
	const struct add_args *a = args;
	struct kv_qp_init init = a->init;
	uint64_t ns;
	int ret;

	ret = choose_cqs(a, &init, f);
	if (ret)
		return ret;
	init.persistent = !s->batch;
	/* With an SRQ there is no queue for the defaults to be about. */
	if (init.srq && !(a->given.bits & HAS_RECV_QUEUE)) {
		init.max_recv_wr = 0;
		init.max_recv_sge = 0;
	}
	ret = kv_op_qp_new(s->b, &init, &object->qp, &ns);
	return ret ? kv_session_refuse(s, ret, f) : 0;
}

KV_OBJECT_ADD(add, KV_QP, struct add_args, make)

static const struct kv_qp_args modify_init = {
	.attr = { .port = 1, .av.hop_limit = 64, .alt_av.hop_limit = 64,
		  .alt_port = 1 },
};

#define PLACE (KV_QPA_PORT | KV_QPA_PKEY_INDEX)

/* Not choices that anybody wants to think about; but in INIT they were made. */
static int add_place(struct kv_session *s, uint32_t id, struct kv_qp_attr *attr,
		     struct kv_fault *f)
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

static int modify(struct kv_session *s, const void *args,
		  struct json_object *result, struct kv_fault *f)
{
	const struct kv_qp_args *a = args;
	struct kv_qp_modify to = { .id = a->given.id };
	int ret;

	kv_qp_args_take(a, &to.attr);
	ret = add_place(s, to.id, &to.attr, f);
	if (!ret && (to.attr.state == KVERBS_QPS_RTR || to.attr.state == KVERBS_QPS_RTS))
		ret = kv_iwarp_check(s, a->given.id, KV_IWARP_CM, f);
	if (ret)
		return ret;
	ret = kv_op_qp_modify(s->b, &to, NULL, NULL);
	if (ret)
		return kv_qp_fault_modify(s, to.id, &to.attr, ret, f);
	kv_object_begin(s, KV_QP, to.id, result);
	kv_describe_qp_attr(result, &to.attr);
	kv_object_part(s, KV_QP, a->given.id, result);
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
		ret = kv_connect_gid(&dev,
				     bits & HAS_SGID_INDEX ?
					     (int)a->sgid_index : -1,
				     &gid, f);
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

KV_OBJECT_FUNCTIONS(KV_QP)

static const struct kv_command commands[] = {
	{ "add", "creates a queue pair", .key = add_key,
	  .size = sizeof(struct add_args), .init = &add_init, .fn = add,
	  .print = kv_text_object },
	{ "modify", "brings it into another state",
	  "What is named is set, and nothing else. Which attributes a transition needs, and which others it allows, depends on the type; a refusal names them.",
	  .id = KV_ID_MUST, .type = KV_QP, .key = kv_qp_key,
	  .size = sizeof(struct kv_qp_args), .init = &modify_init,
	  .fn = modify, .print = kv_text_object },
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
	KV_OBJECT_COMMANDS(KV_QP, "shows one or all, with what the device says of it",
			   "destroys one; what is posted there is dropped"),
	{ .name = NULL },
};

const struct kv_noun kv_noun_qp = {
	"qp", "queue pair: where requests are posted", false, commands,
};
