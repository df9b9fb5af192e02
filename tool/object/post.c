// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "object/describe.h"
#include "object/object.h"
#include "rules/request.h"

/* The length of an atomic operation. */
#define ATOMIC_BYTES 8

struct piece {
	struct kv_given given;
	struct kv_sge sge;
	uint64_t length;
};

#define HAS_LENGTH (1U << 0)
#define HAS_LKEY (1U << 1)

struct post_args {
	struct kv_given given;
	struct kv_wr wr;
	uint64_t remote_offset;
	unsigned int pieces;
	struct piece piece[KVERBS_SGE_MAX];
};

#define AT(field) offsetof(struct post_args, field)
#define PIECE_AT(field) offsetof(struct piece, field)

/* Beside KVERBS_WR_*, which the keys of the flags set. */
#define HAS_IMM (1U << 8)
#define HAS_QP (1U << 9)
#define HAS_SRQ (1U << 10)
#define HAS_AH (1U << 11)
#define HAS_REMOTE_QPN (1U << 12)
#define HAS_REMOTE_QKEY (1U << 13)

static const struct kv_key piece_key[] = {
	{ "mr", KV_KEY_ID, PIECE_AT(sge.mr), .type = KV_MR, .must = true,
	  .help = "whose buffer" },
	{ "offset", KV_KEY_SIZE, PIECE_AT(sge.offset),
	  .help = "first byte in the buffer; default: 0" },
	{ "length", KV_KEY_SIZE, PIECE_AT(length), HAS_LENGTH,
	  .max = UINT32_MAX,
	  .help = "bytes; default: the rest of the buffer, of atomics 8" },
	{ "lkey", KV_KEY_ENUM, PIECE_AT(sge.lkey), HAS_LKEY,
	  .names = kv_enum_lkey,
	  .help = "key of the buffer: the PD's local_dma_lkey (kernel, and the default there) or that of the registration" },
	{ .name = NULL },
};

#define KEY_QP								\
	{ "qp", KV_KEY_ID, AT(wr.qp), HAS_QP, .type = KV_QP, .must = true, \
	  .help = "where it is posted" }
#define KEYS_ALL							\
	{ "sge", KV_KEY_PIECE, AT(piece), .piece = piece_key,		\
	  .piece_size = sizeof(struct piece), .piece_count = AT(pieces), \
	  .piece_max = KVERBS_SGE_MAX,					\
	  .help = "opens a piece, which has keys of its own; any number" }, \
	{ "wr-id", KV_KEY_U64, AT(wr.wr_id),				\
	  .help = "comes back in the completion; default: 0" }
#define KEYS_SEND_QUEUE							\
	{ "unsignaled", KV_KEY_FLAG, 0, KVERBS_WR_UNSIGNALED,		\
	  .help = "no completion unless it fails" },			\
	{ "fence", KV_KEY_FLAG, 0, KVERBS_WR_FENCE,			\
	  .help = "not before READs and atomics posted earlier are done" }
#define KEYS_MESSAGE							\
	{ "imm", KV_KEY_U32, AT(wr.imm), HAS_IMM,			\
	  .help = "immediate data, which the peer's completion shows" }, \
	{ "inline", KV_KEY_FLAG, 0, KVERBS_WR_INLINE,			\
	  .help = "the content is taken at once, see max-inline" },	\
	{ "solicited", KV_KEY_FLAG, 0, KVERBS_WR_SOLICITED,		\
	  .help = "the peer's completion is a solicited one" }
#define KEYS_REMOTE							\
	{ "remote-addr", KV_KEY_U64, AT(wr.remote_addr), .must = true,	\
	  .help = "the peer's iova" },					\
	{ "remote-key", KV_KEY_U32, AT(wr.remote_key), .must = true,	\
	  .help = "the peer's rkey" },					\
	{ "remote-offset", KV_KEY_SIZE, AT(remote_offset),		\
	  .help = "is added to remote-addr; default: 0" }

static const struct kv_key send_key[] = {
	KEY_QP, KEYS_ALL, KEYS_MESSAGE, KEYS_SEND_QUEUE,
	{ "ah", KV_KEY_ID, AT(wr.ah), HAS_AH, .type = KV_AH,
	  .help = "ud: where to" },
	{ "remote-qpn", KV_KEY_U32, AT(wr.remote_qpn), HAS_REMOTE_QPN,
	  .help = "ud: the peer's QPN" },
	{ "remote-qkey", KV_KEY_U32, AT(wr.remote_qkey), HAS_REMOTE_QKEY,
	  .help = "ud: the peer's Q_Key" },
	{ .name = NULL },
};

static const struct kv_key write_key[] = {
	KEY_QP, KEYS_ALL, KEYS_REMOTE, KEYS_MESSAGE, KEYS_SEND_QUEUE, { .name = NULL },
};

static const struct kv_key read_key[] = {
	KEY_QP, KEYS_ALL, KEYS_REMOTE, KEYS_SEND_QUEUE, { .name = NULL },
};

static const struct kv_key fetch_add_key[] = {
	KEY_QP, KEYS_ALL, KEYS_REMOTE,
	{ "add", KV_KEY_U64, AT(wr.compare_add), .must = true,
	  .help = "number that is added to the 8 bytes there" },
	KEYS_SEND_QUEUE, { .name = NULL },
};

static const struct kv_key cmp_swp_key[] = {
	KEY_QP, KEYS_ALL, KEYS_REMOTE,
	{ "compare", KV_KEY_U64, AT(wr.compare_add), .must = true,
	  .help = "value that the 8 bytes there must have" },
	{ "swap", KV_KEY_U64, AT(wr.swap), .must = true,
	  .help = "value that they get then" },
	KEYS_SEND_QUEUE, { .name = NULL },
};

static const struct kv_key recv_key[] = {
	{ "qp", KV_KEY_ID, AT(wr.qp), HAS_QP, .type = KV_QP,
	  .help = "where it is posted, or:" },
	{ "srq", KV_KEY_ID, AT(wr.srq), HAS_SRQ, .type = KV_SRQ,
	  .help = "where it is posted" },
	KEYS_ALL, { .name = NULL },
};

static int take_piece(struct kv_session *s, uint32_t op, const struct piece *piece,
		      struct kv_sge *sge, struct kv_fault *f)
{
	uint64_t length = piece->length;
	union kv_object object;
	int ret;

	*sge = piece->sge;
	if (!(piece->given.bits & HAS_LKEY))
		sge->lkey = s->space == KV_SPACE_USER ? KVERBS_LKEY_MR : KVERBS_LKEY_DMA;
	if (!(piece->given.bits & HAS_LENGTH) && kv_op_is_atomic(op)) {
		length = ATOMIC_BYTES;
	} else if (!(piece->given.bits & HAS_LENGTH)) {
		ret = kv_session_get(s, KV_MR, sge->mr, &object, f);
		if (!ret)
			ret = kv_content_rest(&object.mr, sge->offset, &length, f);
		if (ret)
			return ret;
	}
	if (length > UINT32_MAX)
		return kv_fault_set(f, -EINVAL,
				    "mr %u: a piece has less than 4 GiB; name its length", sge->mr);
	sge->length = (uint32_t)length;
	return 0;
}

/* A receive goes to one of two queues; the address of a datagram has three parts. */
static int check_destination(uint32_t op, uint32_t bits, struct kv_fault *f)
{
	uint32_t queue = bits & (HAS_QP | HAS_SRQ);
	const uint32_t all = HAS_AH | HAS_REMOTE_QPN | HAS_REMOTE_QKEY;
	const char *missing = !(bits & HAS_AH) ? "ah" :
			      !(bits & HAS_REMOTE_QPN) ? "remote-qpn" :
							 "remote-qkey";

	if (op == KVERBS_OP_RECV && queue != HAS_QP && queue != HAS_SRQ)
		return kv_fault_usage(f, "it takes 'qp' or 'srq'");
	if (!(bits & all) || (bits & all) == all)
		return 0;
	return kv_fault_usage(f, "'%s' is missing: a datagram needs 'ah', 'remote-qpn' and 'remote-qkey'",
			      missing);
}

static int post(struct kv_session *s, const void *args, struct json_object *result,
		struct kv_fault *f)
{
	const struct post_args *a = args;
	struct kv_wr wr = a->wr;
	struct kv_why why;
	int ret;

	kv_parse_enum(a->given.command->name, kv_enum_wc_op, &wr.op, &why);
	ret = check_destination(wr.op, a->given.bits, f);
	if (ret)
		return ret;
	wr.flags = a->given.bits & KVERBS_WR__ALL;
	wr.has_imm = a->given.bits & HAS_IMM;
	wr.has_remote = kv_op_needs_remote(wr.op);
	if (wr.remote_addr > UINT64_MAX - a->remote_offset)
		return kv_fault_usage(f, "remote-addr and remote-offset together are beyond 64 bits");
	if (wr.has_imm) {
		ret = kv_iwarp_check(s, wr.qp, KV_IWARP_IMM, f);
		if (ret)
			return ret;
	}
	wr.remote_addr += a->remote_offset;
	wr.sges = a->pieces;
	for (unsigned int i = 0; i < a->pieces; i++) {
		ret = take_piece(s, wr.op, &a->piece[i], &wr.sge[i], f);
		if (ret)
			return ret;
	}
	ret = kv_op_wr_post(s->b, &wr, NULL, NULL);
	if (ret)
		return kv_session_refuse(s, ret, f);
	kv_describe(result, &kv_shape_wr, &wr);
	return 0;
}

#define ARGS .size = sizeof(struct post_args), .fn = post

/* Each is named as its operation is. */
static const struct kv_command commands[] = {
	{ "send", "sends a message, which takes one of the peer's receives",
	  .key = send_key, ARGS },
	{ "write", "writes into the peer's memory; with imm it takes a receive",
	  .key = write_key, ARGS },
	{ "read", "reads from the peer's memory", .key = read_key, ARGS },
	{ "fetch-add", "adds to 8 bytes of the peer's, and brings what they were",
	  .key = fetch_add_key, ARGS },
	{ "cmp-swp",
	  "replaces 8 bytes of the peer's if they are what they should be, and brings what they were",
	  .key = cmp_swp_key, ARGS },
	{ "recv", "offers a buffer to a message", .key = recv_key, ARGS },
	{ .name = NULL },
};

const struct kv_noun kv_noun_post = {
	"post", "posts one work request", false, commands,
};
