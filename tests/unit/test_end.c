// SPDX-License-Identifier: MIT
/* The two ends of a transfer, on a connection that loses, repeats and damages the pieces that a test names. */
#define _GNU_SOURCE
#include "test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "file/file.h"

#define PIECE 4096
#define DEPTH 8
#define LENGTH (20 * PIECE + 100)

/* The ids of the connection's objects: those of the receiver are one more. */
#define SENDER 1
#define RECEIVER 2

static uint8_t content[LENGTH];
static char folder[64];

/* One connection. */
static struct {
	uint8_t buffer[3][DEPTH * PIECE];
	struct kv_wc wc[3][4 * DEPTH];
	unsigned int wcs[3];
	unsigned int receives;
	int64_t lost; /* imm of a WRITE that is lost, and all after it; -1: none */
	int64_t twice; /* imm of a WRITE that comes twice */
	int64_t spoiled; /* imm of a WRITE of which a bit changes */
} wire;

static void complete(uint32_t cq, const struct kv_wc *wc)
{
	assert_true(wire.wcs[cq] < 4 * DEPTH);
	wire.wc[cq][wire.wcs[cq]++] = *wc;
}

static void land(const struct kv_wr *wr)
{
	assert_true(wire.receives);
	wire.receives--;
	memcpy(wire.buffer[RECEIVER] + wr->remote_addr, wire.buffer[SENDER] + wr->sge[0].offset,
	       wr->sge[0].length);
	if (wr->imm == wire.spoiled)
		wire.buffer[RECEIVER][wr->remote_addr] ^= 1;
	complete(RECEIVER, &(struct kv_wc){
		.op = KVERBS_WC_OP_RECV_WRITE_WITH_IMM, .has_imm = true, .imm = wr->imm,
		.has_length = true, .length = wr->sge[0].length });
}

static int post(const struct kv_post *in, struct kv_posted *out)
{
	out->posted = in->wrs;
	out->error = 0;
	for (uint32_t i = 0; i < in->wrs; i++) {
		const struct kv_wr *wr = &in->wr[i];

		if (wr->op == KVERBS_OP_RECV) {
			wire.receives++;
			continue;
		}
		if (wire.lost >= 0 && wr->imm >= wire.lost) {
			complete(SENDER, &(struct kv_wc){ .wr_id = wr->wr_id, .status = 12 });
			continue;
		}
		land(wr);
		if (wr->imm == wire.twice)
			land(wr);
		complete(SENDER, &(struct kv_wc){ .wr_id = wr->wr_id });
	}
	return 0;
}

static int poll(const struct kv_cq_poll *in, struct kv_polled *out)
{
	out->n = wire.wcs[in->id] < in->max ? wire.wcs[in->id] : in->max;
	memcpy(out->wc, wire.wc[in->id], out->n * sizeof(out->wc[0]));
	wire.wcs[in->id] -= out->n;
	memmove(wire.wc[in->id], wire.wc[in->id] + out->n, wire.wcs[in->id] * sizeof(out->wc[0]));
	return 0;
}

static int backend_call(struct kv_backend *b, enum kv_op op, const void *in, void *out)
{
	const struct kv_buf_data *data = in;

	switch (op) {
	case KV_OP_BUF_WRITE:
		memcpy(wire.buffer[data->id] + data->offset, data->from, data->length);
		return 0;
	case KV_OP_BUF_READ:
		memcpy(data->into, wire.buffer[data->id] + data->offset, data->length);
		return 0;
	case KV_OP_WR_POST:
		return post(in, out);
	case KV_OP_CQ_POLL:
		return poll(in, out);
	default:
		fail_msg("operation %d is not needed", op);
		return -EOPNOTSUPP;
	}
}

static const struct kv_backend_ops ops = { .space = "user", .call = backend_call };
static struct kv_backend backend = { .ops = &ops };
static struct kv_site site = { .id = KV_SPACE_USER, .b = &backend };
static struct kv_file_local sender, receiver;
static struct kv_fault f;

static void connect_ends(struct kv_file_turned *from, struct kv_file_turned *to)
{
	struct kv_file_flow flow = { .qp = RECEIVER, .cq = RECEIVER, .buf = RECEIVER,
				     .piece = PIECE, .depth = DEPTH };

	memset(&wire, 0, sizeof(wire));
	wire.lost = wire.twice = wire.spoiled = -1;
	assert_int_equal(kv_file_flow(&receiver.file, &flow, to, &f), 0);
	flow.qp = flow.cq = flow.buf = SENDER;
	flow.first = to->done;
	assert_int_equal(kv_file_flow(&sender.file, &flow, from, &f), 0);
}

/* Both ends take turns until all is there, or one fails; returns that failure. */
static int move(struct kv_file_turned *from, struct kv_file_turned *to)
{
	int ret = 0;

	while (!ret && to->done < receiver.pieces) {
		const struct kv_file_turn turn = { .upto = to->done + DEPTH };

		ret = kv_file_turn(&sender.file, &turn, from, &f) ?:
		      kv_file_turn(&receiver.file, &turn, to, &f);
	}
	return ret;
}

static int finish(void)
{
	struct kv_file_hashed sent, arrived;
	struct kv_file_finish digest;
	int ret;

	assert_int_equal(kv_file_hash(&sender.file, NULL, &sent, &f), 0);
	assert_int_equal(kv_file_hash(&receiver.file, NULL, &arrived, &f), 0);
	memcpy(digest.digest, arrived.digest, sizeof(digest.digest));
	ret = kv_file_finish(&sender.file, &digest, NULL, &f);
	memcpy(digest.digest, sent.digest, sizeof(digest.digest));
	assert_int_equal(kv_file_finish(&receiver.file, &digest, NULL, &f), ret);
	return ret;
}

static char *path_of(const char *name)
{
	static char path[2][96];
	static unsigned int next;
	char *path_to = path[next++ % 2];

	snprintf(path_to, sizeof(path[0]), "%s/%s", folder, name);
	return path_to;
}

static bool is_there(void)
{
	static uint8_t found[LENGTH + 1];
	int fd = open(path_of("to"), O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, found, sizeof(found));

	if (fd < 0)
		return false;
	close(fd);
	assert_int_equal(n, LENGTH);
	assert_memory_equal(found, content, LENGTH);
	return true;
}

static int open_files(void **state)
{
	struct kv_file_opened opened;
	int fd;

	strcpy(folder, "/tmp/kverbs-unit-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	for (size_t i = 0; i < LENGTH; i++)
		content[i] = (uint8_t)(i * 31 + i / PIECE);
	fd = open(path_of("from"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (write(fd, content, LENGTH) != LENGTH || close(fd))
		return -1;
	kv_file_local_init(&sender, &site, AT_FDCWD);
	kv_file_local_init(&receiver, &site, AT_FDCWD);
	return kv_file_open(&sender.file, &(struct kv_file_open){ path_of("from") }, &opened, &f) ?:
	       kv_file_create(&receiver.file,
			      &(struct kv_file_new){ path_of("to"), opened.length, false }, NULL, &f);
}

static int close_files(void **state)
{
	kv_file_close(&sender.file, NULL, NULL, &f);
	kv_file_close(&receiver.file, NULL, NULL, &f);
	unlink(path_of("from"));
	unlink(path_of("to"));
	return rmdir(folder);
}

static void all_pieces_arrive(void **state)
{
	struct kv_file_turned from, to;

	connect_ends(&from, &to);
	assert_int_equal(move(&from, &to), 0);
	assert_false(is_there());
	assert_int_equal(finish(), 0);
	assert_true(is_there());
}

/* Pieces that have arrived are not sent again, and what is loaded again is not hashed again. */
static void another_connection_goes_on(void **state)
{
	struct kv_file_turned from, to;

	connect_ends(&from, &to);
	wire.lost = 9;
	assert_int_equal(move(&from, &to), -ENETRESET);
	assert_non_null(strstr(f.text, "the WRITE of piece 10 of 21 completed with status 12"));
	while (wire.wcs[RECEIVER])
		assert_int_equal(kv_file_turn(&receiver.file, &(struct kv_file_turn){ 0, 0 }, &to, &f), 0);
	connect_ends(&from, &to);
	assert_int_equal(to.done, 9);
	assert_int_equal(from.posted, 9);
	wire.twice = 12;
	assert_int_equal(move(&from, &to), -EILSEQ);
	assert_non_null(strstr(f.text, "piece 13 of 21 came twice"));
	connect_ends(&from, &to);
	assert_int_equal(to.done, 13);
	assert_int_equal(move(&from, &to), 0);
	assert_int_equal(finish(), 0);
	assert_true(is_there());
}

static void a_wrong_bit_leaves_no_file(void **state)
{
	struct kv_file_turned from, to;

	connect_ends(&from, &to);
	wire.spoiled = 3;
	assert_int_equal(move(&from, &to), 0);
	assert_int_equal(finish(), -EBADMSG);
	assert_non_null(strstr(f.text, "the content that arrived is not the content that was sent, and is not kept"));
	assert_false(is_there());
}

/* Requests that a client must not send. */
static void order_is_kept(void **state)
{
	struct kv_file_flow flow = { .qp = 1, .cq = 1, .buf = 1, .piece = PIECE, .depth = DEPTH,
				     .first = 1 };
	struct kv_file_turned from, to;
	struct kv_file_hashed hashed;

	assert_int_equal(kv_file_turn(&sender.file, &(struct kv_file_turn){ 1, 0 }, &from, &f), -EPROTO);
	assert_int_equal(kv_file_flow(&sender.file, &flow, &from, &f), -EPROTO);
	flow.depth = flow.first = 0;
	assert_int_equal(kv_file_flow(&sender.file, &flow, &from, &f), -EINVAL);
	connect_ends(&from, &to);
	assert_int_equal(kv_file_hash(&sender.file, NULL, &hashed, &f), -EPROTO);
	wire.lost = 5;
	assert_int_equal(move(&from, &to), -ENETRESET);
	flow.depth = DEPTH;
	flow.piece = 2 * PIECE;
	assert_int_equal(kv_file_turn(&receiver.file, &(struct kv_file_turn){ 0, 0 }, &to, &f), 0);
	assert_int_equal(kv_file_flow(&receiver.file, &flow, &to, &f), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_pieces_arrive, open_files, close_files),
		cmocka_unit_test_setup_teardown(another_connection_goes_on, open_files, close_files),
		cmocka_unit_test_setup_teardown(a_wrong_bit_leaves_no_file, open_files, close_files),
		cmocka_unit_test_setup_teardown(order_is_kept, open_files, close_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
