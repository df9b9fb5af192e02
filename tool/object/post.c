// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
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
#define HAS_OFFSET (1U << 1)
#define HAS_BUF (1U << 2)
#define HAS_MR (1U << 3)

struct post_args {
	struct kv_given given;
	uint32_t qp;
	uint32_t srq;
	struct kv_wr wr;
	uint64_t remote_offset;
	unsigned int pieces;
	struct piece piece[KVERBS_SGE_MAX];
	struct kv_rest rest; /* word NULL: nothing follows */
};

#define AT(field) offsetof(struct post_args, field)
#define PIECE_AT(field) offsetof(struct piece, field)

/* Bits besides KVERBS_WR_*, which the keys of the flags set. */
#define HAS_AH (1U << 8)
#define HAS_REMOTE_QPN (1U << 9)
#define HAS_REMOTE_QKEY (1U << 10)

static const struct kv_key piece_key[] = {
	{ "buf", KV_KEY_ID, PIECE_AT(sge.buf), HAS_BUF, .type = KV_BUF,
	  .help = "buffer; default: the one that mr is registered over" },
	{ "mr", KV_KEY_ID, PIECE_AT(sge.mr), HAS_MR, .type = KV_MR,
	  .help = "MR whose lkey is the key; default, in the kernel: the PD's local_dma_lkey" },
	{ "offset", KV_KEY_SIZE, PIECE_AT(sge.offset), HAS_OFFSET,
	  .help = "first byte in the buffer; default: 0, or with mr and no buf the first registered byte" },
	{ "length", KV_KEY_SIZE, PIECE_AT(length), HAS_LENGTH,
	  .max = UINT32_MAX,
	  .help = "bytes; default: the rest of the buffer, or of what is registered; of atomics 8" },
	{ .name = NULL },
};

/* Sets of operations. */
#define REMOTE (KV_OPS_POSTED & KV_OPS_REMOTE)
#define SEND_QUEUE (KV_OPS_POSTED & ~KV_OP(RECV))

/* The keys of all commands, each with the operations that have it. */
static const struct {
	uint32_t ops;
	struct kv_key key;
} keys[] = {
	{ SEND_QUEUE, { "qp", KV_KEY_ID, AT(qp), .type = KV_QP, .must = true,
	  .help = "where it is posted" } },
	{ KV_OP(RECV), { "qp", KV_KEY_ID, AT(qp), .type = KV_QP,
	  .help = "where it is posted, or:" } },
	{ KV_OP(RECV), { "srq", KV_KEY_ID, AT(srq), .type = KV_SRQ,
	  .help = "where it is posted" } },
	{ KV_OPS_IMM, { "imm", KV_KEY_U32, AT(wr.imm), .must = true,
	  .help = "immediate data, which the peer's completion shows" } },
	{ KV_OP(SEND_WITH_INV), { "invalidate-rkey", KV_KEY_U32, AT(wr.invalidate_rkey), .must = true,
	  .help = "the peer's rkey that is invalid from then on" } },
	{ KV_OPS_POSTED, { "sge", KV_KEY_PIECE, AT(piece), .piece = piece_key,
	  .piece_size = sizeof(struct piece), .piece_count = AT(pieces),
	  .piece_max = KVERBS_SGE_MAX,
	  .help = "opens a piece, which has keys of its own; any number" } },
	{ KV_OPS_POSTED, { "wr-id", KV_KEY_U64, AT(wr.wr_id),
	  .help = "comes back in the completion; default: 0" } },
	{ REMOTE, { "remote-addr", KV_KEY_U64, AT(wr.remote_addr), .must = true,
	  .help = "the peer's iova" } },
	{ REMOTE, { "remote-key", KV_KEY_U32, AT(wr.remote_key), .must = true,
	  .help = "the peer's rkey" } },
	{ REMOTE, { "remote-offset", KV_KEY_SIZE, AT(remote_offset),
	  .help = "is added to remote-addr; default: 0" } },
	{ KV_OP(FETCH_ADD), { "add", KV_KEY_U64, AT(wr.compare_add), .must = true,
	  .help = "number that is added to the 8 bytes there" } },
	{ KV_OP(CMP_SWP), { "compare", KV_KEY_U64, AT(wr.compare_add), .must = true,
	  .help = "value that the 8 bytes there must have" } },
	{ KV_OP(CMP_SWP), { "swap", KV_KEY_U64, AT(wr.swap), .must = true,
	  .help = "value that the 8 bytes get then" } },
	{ KV_OPS_CARRY, { "inline", KV_KEY_FLAG, 0, KVERBS_WR_INLINE,
	  .help = "the bytes are copied when the request is posted, see max-inline" } },
	{ KV_OPS_RECEIVED, { "solicited", KV_KEY_FLAG, 0, KVERBS_WR_SOLICITED,
	  .help = "the peer's completion is a solicited one" } },
	{ SEND_QUEUE, { "unsignaled", KV_KEY_FLAG, 0, KVERBS_WR_UNSIGNALED,
	  .help = "no completion unless it fails" } },
	{ SEND_QUEUE, { "fence", KV_KEY_FLAG, 0, KVERBS_WR_FENCE,
	  .help = "begins after the READs and atomics posted before it" } },
	{ KV_OPS_DATAGRAM, { "ah", KV_KEY_ID, AT(wr.ah), HAS_AH, .type = KV_AH, .help = "ud: the address handle of the destination" } },
	{ KV_OPS_DATAGRAM, { "remote-qpn", KV_KEY_U32, AT(wr.remote_qpn), HAS_REMOTE_QPN,
	  .help = "ud: the peer's QPN" } },
	{ KV_OPS_DATAGRAM, { "remote-qkey", KV_KEY_U32, AT(wr.remote_qkey), HAS_REMOTE_QKEY,
	  .help = "ud: the peer's Q_Key" } },
	{ KV_OPS_POSTED, { "and", KV_KEY_REST, AT(rest), .value = "REQUEST...",
	  .help = "another request for the same queue, its operation first: all are posted by one call of the verb" } },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

/* If an SGE names an MR and no buffer: takes the buffer and the range that are registered. */
static int take_registered(struct kv_session *s, const struct piece *piece, struct kv_sge *sge,
			   uint64_t *length, struct kv_fault *f)
{
	union kv_object object;
	const struct kv_mr *mr = &object.mr;
	int ret = kv_session_get(s, KV_MR, sge->mr, &object, f);

	if (ret)
		return ret;
	if (!mr->registered)
		return kv_fault_set(f, -EINVAL, "mr %u is not registered: register it first",
				    mr->id);
	sge->buf = mr->buf;
	if (!(piece->given.bits & HAS_OFFSET))
		sge->offset = mr->offset;
	if (piece->given.bits & HAS_LENGTH)
		return 0;
	if (sge->offset < mr->offset || sge->offset - mr->offset >= mr->length)
		return kv_fault_set(f, -ERANGE,
				    "offset %llu is not registered: mr %u has %llu bytes from %llu on",
				    (unsigned long long)sge->offset, mr->id,
				    (unsigned long long)mr->length, (unsigned long long)mr->offset);
	*length = mr->length - (sge->offset - mr->offset);
	return 0;
}

static int take_piece(struct kv_session *s, uint32_t op, const struct piece *piece,
		      struct kv_sge *sge, struct kv_fault *f)
{
	uint64_t length = piece->length;
	int ret = 0;

	*sge = piece->sge;
	if (!(piece->given.bits & (HAS_BUF | HAS_MR)))
		return kv_fault_usage(f, "'buf' or 'mr' is missing: which bytes?");
	if (!(piece->given.bits & HAS_BUF))
		ret = take_registered(s, piece, sge, &length, f);
	else if (!(piece->given.bits & HAS_LENGTH) && !kv_op_among(op, KV_OPS_ATOMIC))
		ret = kv_content_rest(s, sge->buf, sge->offset, &length, f);
	if (ret)
		return ret;
	if (!(piece->given.bits & HAS_LENGTH) && kv_op_among(op, KV_OPS_ATOMIC))
		length = ATOMIC_BYTES;
	if (length > UINT32_MAX)
		return kv_fault_set(f, -EINVAL,
				    "buf %u: an sge has less than 4 GiB; name its length", sge->buf);
	sge->length = (uint32_t)length;
	return 0;
}

/* A receive goes to one of two queues. */
static int check_queue(const struct post_args *a, struct kv_fault *f)
{
	return !a->qp == !a->srq ? kv_fault_usage(f, "it takes 'qp' or 'srq'") : 0;
}

/* The address of a datagram has three parts; all or none are given. */
static int check_datagram(uint32_t bits, struct kv_fault *f)
{
	const uint32_t all = HAS_AH | HAS_REMOTE_QPN | HAS_REMOTE_QKEY;
	const char *missing = !(bits & HAS_AH) ? "ah" :
			      !(bits & HAS_REMOTE_QPN) ? "remote-qpn" :
							 "remote-qkey";

	if (!(bits & all) || (bits & all) == all)
		return 0;
	return kv_fault_usage(f, "'%s' is missing: a datagram needs 'ah', 'remote-qpn' and 'remote-qkey'",
			      missing);
}

/* @a: the request as it was typed; @queue: the queue of the list. */
static int make_wr(struct kv_session *s, const struct post_args *a, const struct kv_post *queue,
		   struct kv_wr *wr, struct kv_fault *f)
{
	struct kv_why why;
	int ret;

	*wr = a->wr;
	kv_parse_enum(a->given.command->name, kv_enum_wr_op, &wr->op, &why);
	ret = check_datagram(a->given.bits, f);
	if (ret)
		return ret;
	wr->flags = a->given.bits & KVERBS_WR__ALL;
	wr->has_imm = kv_op_among(wr->op, KV_OPS_IMM);
	wr->has_inv = wr->op == KVERBS_OP_SEND_WITH_INV;
	wr->has_remote = kv_op_among(wr->op, KV_OPS_REMOTE);
	if (wr->remote_addr > UINT64_MAX - a->remote_offset)
		return kv_fault_usage(f, "remote-addr and remote-offset together are beyond 64 bits");
	if (wr->has_imm) {
		ret = kv_iwarp_check(s, queue->qp, KV_IWARP_IMM, f);
		if (ret)
			return ret;
	}
	wr->remote_addr += a->remote_offset;
	wr->sges = a->pieces;
	for (unsigned int i = 0; i < a->pieces && !ret; i++)
		ret = take_piece(s, wr->op, &a->piece[i], &wr->sge[i], f);
	return ret;
}

/* Parses the words after "and": they are those of a command, without the queue. */
static int parse_next(struct kv_session *s, const struct kv_rest *words, struct post_args *a,
		      struct kv_fault *f)
{
	const struct kv_command *command = kv_noun_post.command;
	const struct kv_key *key;

	if (!words->n)
		return kv_fault_usage(f, "a request is missing behind 'and'");
	while (command->name && strcmp(command->name, words->word[0]))
		command++;
	if (!command->name)
		return kv_fault_usage(f, "'%.200s' is no request: behind 'and' stands an operation, as behind 'post'",
				      words->word[0]);
	for (key = command->key; key->offset == AT(qp) || key->offset == AT(srq); key++)
		;
	memset(a, 0, sizeof(*a));
	a->given.command = command;
	return kv_args_parse(key, &s->variables, words->word + 1, words->n - 1, a, f);
}

/* Adds the number of the failed request, if there are several. */
static int blame(uint32_t n, int ret, struct kv_fault *f)
{
	char text[sizeof(f->text)];

	if (ret && n) {
		snprintf(text, sizeof(text), "%s", f->text);
		snprintf(f->text, sizeof(f->text), "wr %u: %.900s", n + 1, text);
	}
	return ret;
}

/* @post: has the queue; receives the array of requests, which the caller frees. */
static int make_list(struct kv_session *s, const struct post_args *first, struct kv_post *post,
		     struct kv_wr **list, struct kv_fault *f)
{
	struct post_args next = *first;
	struct kv_rest rest;
	struct kv_wr *more;
	int ret;

	for (;;) {
		if (post->wrs == KVERBS_WR_LIST_MAX)
			return kv_fault_usage(f, "a list has at most %d requests", KVERBS_WR_LIST_MAX);
		more = reallocarray(*list, post->wrs + 1, sizeof(*more));
		if (!more)
			return kv_fault_no_memory(f);
		*list = more;
		ret = blame(post->wrs, make_wr(s, &next, post, &more[post->wrs], f), f);
		if (ret)
			return ret;
		post->wrs++;
		rest = next.rest;
		if (!rest.word)
			return 0;
		ret = blame(post->wrs, parse_next(s, &rest, &next, f), f);
		if (ret)
			return ret;
	}
}

static int post(struct kv_session *s, const void *args, struct json_object *result,
		struct kv_fault *f)
{
	const struct post_args *a = args;
	struct kv_post post = { .qp = a->qp, .srq = a->srq };
	struct kv_wr *list = NULL;
	struct kv_posted posted;
	int ret = check_queue(a, f) ?: make_list(s, a, &post, &list, f);

	post.wr = list;
	if (!ret) {
		ret = kv_op_wr_post(s->b, &post, &posted, NULL);
		if (ret)
			kv_session_refuse(s, ret, f);
	}
	if (!ret && posted.error)
		ret = kv_fault_set(f, posted.error,
				   "the device refuses wr %u of %u; the %u before it %s posted",
				   posted.posted + 1, post.wrs, posted.posted,
				   posted.posted == 1 ? "is" : "are");
	if (!ret)
		kv_describe(result, &kv_shape_post, &post);
	free(list);
	return ret;
}

#define ARGS .size = sizeof(struct post_args), .fn = post

/* Each command has the name of its operation; kv_post_make_keys() adds its keys. */
static struct kv_command commands[] = {
	{ "send", "sends a message, which takes one of the peer's receives", ARGS },
	{ "send-imm", "sends a message with immediate data", ARGS },
	{ "send-inv", "sends a message, and invalidates a key of the peer's; rc only", ARGS },
	{ "write", "writes into the peer's memory", ARGS },
	{ "write-imm", "writes with immediate data, which take one of the peer's receives", ARGS },
	{ "read", "reads from the peer's memory", ARGS },
	{ "read-inv",
	  "reads from the peer's memory, and invalidates the mr that the bytes come to; iWARP, kernel",
	  ARGS },
	{ "fetch-add", "adds to 8 bytes of the peer's, and brings back their old value", ARGS },
	{ "cmp-swp",
	  "replaces 8 bytes of the peer's if they have the value of 'compare', and brings back their old value",
	  ARGS },
	{ "recv", "offers a buffer to a message", ARGS },
	{ .name = NULL },
};

/** kv_post_make_keys() - give the commands of kv_noun_post their keys */
void kv_post_make_keys(void)
{
	static struct kv_key made[sizeof(commands) / sizeof(commands[0])][KEYS + 1];

	for (unsigned int i = 0; commands[i].name; i++) {
		struct kv_key *to = made[i];
		struct kv_why why;
		uint32_t op = 0;

		kv_parse_enum(commands[i].name, kv_enum_wr_op, &op, &why);
		for (size_t k = 0; k < KEYS; k++) {
			if (keys[k].ops & 1U << op)
				*to++ = keys[k].key;
		}
		commands[i].key = made[i];
	}
}

const struct kv_noun kv_noun_post = {
	"post", "posts work requests", false, commands,
};
