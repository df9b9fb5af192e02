// SPDX-License-Identifier: MIT
/* Buffers: their pieces, their content, and who may not free them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "contract.h"

#define MIB (1ULL << 20)
#define PAGE 4096U

/* Registered as a whole by one MR, a page each. */
#define PIECES 64

static int new_buf(struct link *l, uint64_t length, uint32_t pieces)
{
	struct kv_buf_init init = { .dev = dev, .length = length, .pieces = pieces };

	return call_new(&l->nl, KV_BUF, &init, NULL, NULL);
}

static int send_read(struct link *l, uint32_t buf, uint64_t length)
{
	struct nl_msg *msg = call_msg_of(&l->nl, KV_BUF, KVERBS_CMD_BUF_READ, buf);

	nla_put_u64(msg, KVERBS_A_BUF_LENGTH, length);
	return send_msg(l, msg);
}

static int send_empty_write(struct link *l, uint32_t buf)
{
	struct nl_msg *msg = call_msg_of(&l->nl, KV_BUF, KVERBS_CMD_BUF_WRITE, buf);

	nla_put(msg, KVERBS_A_BUF_DATA, 0, NULL);
	return send_msg(l, msg);
}

static int send_new(struct link *l, const char *name, uint64_t length)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_BUF_NEW, 0);

	if (name)
		nla_put_string(msg, KVERBS_A_BUF_DEV, name);
	if (length)
		nla_put_u64(msg, KVERBS_A_BUF_LENGTH, length);
	return send_msg(l, msg);
}

static void test_new(struct link *l)
{
	static const struct {
		uint64_t length;
		uint32_t asked;
		uint32_t pieces;
	} good[] = {
		{ 12345, 0, 1 },
		{ KVERBS_PIECE_MAX, 0, 1 },
		{ KVERBS_PIECE_MAX + 1, 0, 2 },
		{ 12 * MIB - 1, 0, 3 },
		{ 64, 1, 1 },
		{ 3 * PAGE, 3, 3 },
		{ 5 * PAGE - 1, 3, 3 },
		{ 8 * MIB, 5, 5 },
	};
	struct kv_buf_init init = { .dev = dev, .length = 12345, .has_node = true };
	struct kv_buf buf;
	unsigned int i;

	must(l, call_new(&l->nl, KV_BUF, &init, &buf, NULL), "buf");
	result(buf.length == 12345 && !buf.node, "made as it was asked for");
	check_shown(l, KV_BUF, &buf, "a buffer");
	must(l, call_del(&l->nl, KV_BUF, buf.id, NULL), "delete");
	init.has_node = false;
	for (i = 0; i < COUNT(good); i++) {
		init.length = good[i].length;
		init.pieces = good[i].asked;
		must(l, call_new(&l->nl, KV_BUF, &init, &buf, NULL), "buf");
		result(buf.length == good[i].length && buf.pieces == good[i].pieces,
		       "%llu bytes are %u pieces", (unsigned long long)good[i].length,
		       good[i].pieces);
		must(l, call_del(&l->nl, KV_BUF, buf.id, NULL), "delete");
	}

	refused(l, new_buf(l, 0, 0), -ERANGE, "length: integer out of range",
		"a buffer of size 0");
	refused(l, new_buf(l, ~0ULL, 0), -EDQUOT, "buffers and queues", "the largest number");
	refused(l, new_buf(l, ~0ULL >> 1, 0), -EDQUOT, "buffers and queues", "the largest signed one");
	refused(l, new_buf(l, 3 * PAGE, 4), -EINVAL, "pieces: a piece has a page at least: take fewer",
		"more pieces than pages");
	refused(l, new_buf(l, KVERBS_PIECE_MAX + 1, 1), -EINVAL, "pieces: a piece has 4 MiB at most",
		"one piece that is too large");
	refused(l, new_buf(l, 64, KVERBS_PIECES_MAX + 1), -ERANGE,
		"pieces: integer out of range", "more pieces than a buffer can have");
	init.length = 64;
	init.pieces = 0;
	init.has_node = true;
	init.node = 777;
	refused(l, call_new(&l->nl, KV_BUF, &init, NULL, NULL), -EINVAL,
		"node: there is no NUMA node of this number with memory", "a node that is not there");
	init.node = 0x7fffffff;
	refused(l, call_new(&l->nl, KV_BUF, &init, NULL, NULL), -EINVAL,
		"node: there is no NUMA node of this number with memory", "the largest node");
	refused(l, send_new(l, "nosuch0", 64), -ENODEV, "no such RDMA device", "an unknown device");
	refused(l, send_new(l, NULL, 64), -EINVAL, "missing", "no device");
	refused(l, send_new(l, dev, 0), -EINVAL, "length is missing", "no length");
}

static void test_content(struct link *l, uint32_t buf)
{
	char data[LENGTH], zero[LENGTH] = "", *most;

	result(holds(l, buf, 0, zero, LENGTH), "a new buffer is all zeroes");
	memset(data, 'x', sizeof(data));
	must(l, call_buf_write(&l->nl, buf, 100, data, 50), "write");
	memcpy(zero + 100, data, 50);
	result(holds(l, buf, 0, zero, LENGTH), "what is written is there, and nothing else");
	must(l, call_buf_write(&l->nl, buf, PAGE - 10, data, 20), "write");
	memcpy(zero + PAGE - 10, data, 20);
	result(holds(l, buf, 0, zero, LENGTH), "across two pages, too");
	must(l, call_buf_write(&l->nl, buf, LENGTH - 1, data, 1), "write");
	result(holds(l, buf, LENGTH - 1, data, 1), "the last byte");

	refused(l, call_buf_read(&l->nl, buf, LENGTH - 4, data, 8), -EINVAL,
		"beyond the end of the buffer", "reading beyond the end");
	refused(l, call_buf_read(&l->nl, buf, LENGTH, data, 1), -EINVAL,
		"beyond the end of the buffer", "reading from the end on");
	refused(l, call_buf_read(&l->nl, buf, ~0ULL, data, 8), -EINVAL,
		"beyond the end of the buffer", "reading far beyond the end");
	refused(l, call_buf_write(&l->nl, buf, LENGTH - 4, data, 8), -EINVAL,
		"beyond the end of the buffer", "writing beyond the end");
	refused(l, call_buf_write(&l->nl, buf, ~0ULL - 3, data, 8), -EINVAL,
		"beyond the end of the buffer", "writing around the end of all numbers");
	refused(l, send_read(l, buf, 0), -ERANGE, "integer out of range", "reading nothing");
	refused(l, send_empty_write(l, buf), -ERANGE, "ttribute", "writing nothing");
	refused(l, send_read(l, buf, KVERBS_DATA_MAX + 1), -EINVAL,
		"length is above what one message carries", "reading too much at once");
	refused(l, RAW(l, KVERBS_CMD_BUF_READ, KVERBS_A_BUF_ID, buf), -EINVAL,
		"length is missing", "reading without a length");
	refused(l, RAW(l, KVERBS_CMD_BUF_WRITE, KVERBS_A_BUF_ID, buf), -EINVAL,
		"data is missing", "writing without data");
	refused(l, call_buf_write(&l->nl, 2000000000, 0, data, 8), -ENOENT,
		"no buf with this id among yours", "writing an unknown buffer");
	result(holds(l, buf, 0, zero, LENGTH - 1), "none of these has changed a byte");

	most = calloc(1, KVERBS_DATA_MAX);
	buf = make_buf(l, KVERBS_DATA_MAX);
	memset(most, 'y', KVERBS_DATA_MAX);
	done(l, call_buf_write(&l->nl, buf, 0, most, KVERBS_DATA_MAX), "the most at once is written");
	memset(most, 0, KVERBS_DATA_MAX);
	done(l, call_buf_read(&l->nl, buf, 0, most, KVERBS_DATA_MAX), "and read");
	result(most[0] == 'y' && most[KVERBS_DATA_MAX - 1] == 'y', "as it was written");
	free(most);
}

/* Bytes of which no two pages, and no two lines of a cache, have the same. */
static char byte_at(uint64_t offset)
{
	return (char)(offset * 2654435761U >> 13);
}

static bool has_bytes(struct link *l, uint32_t buf, uint64_t offset, uint64_t length)
{
	char want[LENGTH];
	uint64_t at, n, i;

	for (at = 0; at < length; at += n) {
		n = length - at < LENGTH ? length - at : LENGTH;
		for (i = 0; i < n; i++)
			want[i] = byte_at(at + i);
		if (!holds(l, buf, offset + at, want, n))
			return false;
	}
	return true;
}

static uint32_t make_pieces(struct link *l, uint64_t length, uint32_t pieces)
{
	struct kv_buf_init init = { .dev = dev, .length = length, .pieces = pieces };
	struct kv_buf buf;

	must(l, call_new(&l->nl, KV_BUF, &init, &buf, NULL), "buf");
	result(buf.pieces == pieces, "a buffer of %llu bytes in %u pieces",
	       (unsigned long long)length, pieces);
	return buf.id;
}

/* One MR over all pieces of a buffer, at either end: a WRITE from all to all, a page or more beside. */
static void test_pieces(struct link *l)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC, .max_inline = 64, .max_sge = 2 };
	const uint64_t length = (PIECES - 1) * PAGE + 100;
	uint32_t from = make_pieces(l, PIECES * PAGE, PIECES);
	uint32_t to = make_pieces(l, PIECES * PAGE, PIECES);
	struct kv_mr_reg reg = { .offset = 50, .length = length };
	struct wr wr;
	struct end a, b;
	uint64_t i;
	char *data;

	data = malloc(length);
	for (i = 0; i < length; i++)
		data[i] = byte_at(i);
	must(l, call_buf_write(&l->nl, from, 50, data, length), "write");
	result(has_bytes(l, from, 50, length), "its content is written and read across pieces");
	pair_make(l, &a, &b, &init);
	reg.buf = to;
	reg.qp = b.qp;
	reg.access = KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE;
	done(l, call_mr_reg(&l->nl, b.target_mr, &reg, &b.key, NULL),
	     "one mr is registered over all of its pieces");
	reg.buf = from;
	reg.qp = a.qp;
	reg.access = 0;
	done(l, call_mr_reg(&l->nl, a.local_mr, &reg, NULL, NULL), "at either end");
	wr = write_wr(&a, &b, (uint32_t)length, 1);
	wr.sge[0].buf = from;
	wr.sge[0].offset = 50;
	refused(l, call_post(&l->nl, &wr, NULL), -EINVAL,
		"the bytes lie in several pieces of the buffer: name an mr",
		"a request by the dma key across pieces");
	wr.sge[0].mr = a.local_mr;
	post(l, &wr, "write");
	expect_wc(l, a.send_cq, 1, KVERBS_WC_OP_WRITE, 0, "a write from all pieces");
	result(has_bytes(l, to, 50, length), "reaches all pieces");

	wr = write_wr(&a, &b, 20, 2);
	wr.sge[0].buf = from;
	wr.sge[0].offset = PAGE - 10;
	wr.sge[0].mr = a.local_mr;
	wr.flags = KVERBS_WR_INLINE;
	refused(l, call_post(&l->nl, &wr, NULL), -EINVAL,
		"an inline sge must lie in one piece of the buffer",
		"an inline request across pieces");
	wr.sges = 2;
	wr.sge[1] = wr.sge[0];
	wr.sge[0].length = 10;
	wr.sge[1].offset = PAGE;
	wr.sge[1].length = 10;
	wr.sge[0].mr = wr.sge[1].mr = 0;
	post(l, &wr, "inline write");
	expect_wc(l, a.send_cq, 2, KVERBS_WC_OP_WRITE, 0, "an sge for each piece, by the dma key");
	must(l, call_buf_read(&l->nl, to, 50, data, 20), "read");
	for (i = 0; i < 20 && data[i] == byte_at(PAGE - 60 + i); i++)
		;
	result(i == 20, "brings the bytes of both");
	free(data);
	end_del(l, &a);
	end_del(l, &b);
	done(l, call_del(&l->nl, KV_BUF, from, NULL), "with its mr the buffer is free");
	done(l, call_del(&l->nl, KV_BUF, to, NULL), "and the other one");
}

static bool has_byte(struct link *l, uint32_t buf, uint64_t offset, char byte)
{
	return holds(l, buf, offset, &byte, 1);
}

/* The largest that the module takes here: a GiB, or a quarter of the memory. */
static void test_huge(struct link *l)
{
	uint64_t length = 1024 * MIB;
	struct kv_mr_reg reg = {
		.length = 64, .access = KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE,
	};
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct kv_buf_init buf_init = { .dev = dev };
	struct kv_buf buf;
	struct wr wr;
	struct end a, b;
	int ret;

	do {
		length -= 16 * MIB;
		buf_init.length = length - 1;
		buf_init.pieces = (uint32_t)(length / MIB);
		ret = call_new(&l->nl, KV_BUF, &buf_init, &buf, NULL);
	} while (ret == -EDQUOT && length > 256 * MIB);
	done(l, ret, "a buffer of several hundred MiB");
	note("  %llu MiB", (unsigned long long)(length / MIB));
	result(buf.length == length - 1 && buf.pieces == length / MIB, "in pieces of one MiB");
	must(l, call_buf_write(&l->nl, buf.id, length - 10, "ends here", 9), "write");
	result(holds(l, buf.id, length - 10, "ends here", 9) && has_byte(l, buf.id, length / 2, 0),
	       "its last bytes are written and read");
	pair_make(l, &a, &b, &init);
	reg.buf = buf.id;
	reg.qp = b.qp;
	reg.offset = length - 65;
	must(l, call_mr_reg(&l->nl, b.target_mr, &reg, &b.key, NULL), "register");
	must(l, call_buf_write(&l->nl, a.local, 0, "from the peer", 13), "write");
	wr = write_wr(&a, &b, 13, 1);
	post(l, &wr, "write");
	expect_wc(l, a.send_cq, 1, KVERBS_WC_OP_WRITE, 0, "a write to its end");
	result(holds(l, buf.id, length - 65, "from the peer", 13), "comes there");
	end_del(l, &b);
	end_del(l, &a);
	done(l, call_del(&l->nl, KV_BUF, buf.id, NULL), "it goes");
}

void test_buf(void)
{
	struct link l;

	link_open(&l);
	test_new(&l);
	test_content(&l, make_buf(&l, LENGTH));
	test_content(&l, make_pieces(&l, LENGTH, 2));
	test_pieces(&l);
	test_huge(&l);
	link_close(&l);
}
