// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include "file/transfer.h"
#include "sys/now.h"

#define SENDER 0
#define RECEIVER 1

/* The most bytes that both ends can hold in one buffer, and can register. */
static uint64_t window_max(const struct kv_transfer *t)
{
	uint64_t most = UINT32_MAX;

	for (unsigned int end = SENDER; end <= RECEIVER; end++) {
		uint64_t bytes = t->site[end]->dev.max_mr_bytes;

		if (bytes && bytes < most)
			most = bytes;
	}
	return most;
}

static int choose_window(struct kv_transfer *t, struct kv_fault *f)
{
	const uint32_t message = MIN(t->site[SENDER]->port->max_msg_bytes,
				     t->site[RECEIVER]->port->max_msg_bytes);
	uint64_t most = window_max(t);

	if (!t->piece)
		t->piece = (uint32_t)MIN(MAX(most / (t->depth ? t->depth : KV_TRANSFER_DEPTH), 1),
					 MIN(message ? message : UINT32_MAX, KV_TRANSFER_PIECE));
	if (!t->depth)
		t->depth = most / t->piece < KV_TRANSFER_DEPTH ?
			   (uint32_t)(most / t->piece) : KV_TRANSFER_DEPTH;
	if (!t->depth || (uint64_t)t->piece * t->depth > most)
		return kv_fault_usage(f, "%u pieces of %u bytes are more than a buffer can have here, %" PRIu64 " bytes; take a smaller --piece or --depth",
				      t->depth ? t->depth : 1, t->piece, most);
	if (message && t->piece > message)
		return kv_fault_usage(f, "--piece %u is more than a message can have here, %u bytes",
				      t->piece, message);
	return 0;
}

static int send_over_pair(struct kv_transfer *t, const struct kv_workload *work,
			  struct kv_fault *f)
{
	struct kv_pair pair;
	int ret = kv_pair_create(&pair, t->site[SENDER], t->site[RECEIVER], work, f);

	if (ret)
		return ret;
	ret = kv_flow_run(t, &pair, f);
	kv_pair_destroy(&pair);
	return ret;
}

/* A connection that fails is made anew; the pieces that have arrived are not sent again. */
static int send_pieces(struct kv_transfer *t, struct kv_fault *f)
{
	struct kv_workload work = {
		.kind = KV_KIND_COMPLETION,
		.op = KVERBS_OP_WRITE,
		/* A slot may lie in two pieces of a buffer that has several pieces. */
		.lkey = t->piece * t->depth > KVERBS_PIECE_MAX ? KV_LKEY_MR : KV_LKEY_DMA,
		.depth = t->depth,
		.rx_depth = t->depth,
		.size = t->piece * t->depth,
		.timeout_ns = t->timeout_ns,
		.ack_timeout = t->ack_timeout,
		.retry_cnt = t->retry_cnt,
	};
	unsigned int failures = 0;
	struct kv_fault why;
	uint64_t before;
	int ret;

	for (;;) {
		before = t->arrived;
		ret = send_over_pair(t, &work, f);
		if (!kv_flow_broke(ret))
			break;
		failures = t->arrived > before ? 1 : failures + 1;
		if (failures > KV_TRANSFER_FAILURES)
			break;
		why = *f;
		t->reconnects++;
		if (t->tell)
			t->tell(f->text, t->arg);
	}
	if (ret && ret != -ECANCELED && t->reconnects)
		kv_flow_join(&why, f);
	return ret;
}

static int send_file(struct kv_transfer *t, struct kv_fault *f)
{
	uint64_t begin = kv_now_ns();
	/* An empty file has no bytes to send. */
	int ret = t->length ? send_pieces(t, f) : 0;

	t->ns = kv_now_ns() - begin;
	return ret;
}

/* Both sides compare the digests: each side has its own fault. */
static int finish(struct kv_transfer *t, struct kv_fault *f)
{
	struct kv_file_hashed sent, received;
	struct kv_file_finish arrived, whole;
	struct kv_fault second;
	int ret = kv_file_hash(t->file[SENDER], NULL, &sent, f) ?:
		  kv_file_hash(t->file[RECEIVER], NULL, &received, f);

	if (ret)
		return ret;
	memcpy(t->digest, sent.digest, sizeof(t->digest));
	memcpy(whole.digest, sent.digest, sizeof(whole.digest));
	memcpy(arrived.digest, received.digest, sizeof(arrived.digest));
	ret = kv_file_finish(t->file[SENDER], &arrived, NULL, f);
	if (ret == -EBADMSG)
		kv_file_finish(t->file[RECEIVER], &whole, NULL, &second);
	return ret ? ret : kv_file_finish(t->file[RECEIVER], &whole, NULL, f);
}

/* @f: why the transfer has failed; NULL: it has not. */
static void close_files(struct kv_transfer *t, const struct kv_fault *f)
{
	struct kv_file_close args = { .why = "" };
	struct kv_fault second;

	if (f)
		snprintf(args.why, sizeof(args.why), "%.511s", f->text);
	kv_file_close(t->file[RECEIVER], &args, NULL, &second);
	kv_file_close(t->file[SENDER], &args, NULL, &second);
}

static int open_sent(struct kv_transfer *t, struct kv_fault *f)
{
	struct kv_file_opened opened = { 0 };
	int ret = kv_file_open(t->file[SENDER], &(struct kv_file_open){ t->name[SENDER] }, &opened,
			       f);

	t->length = opened.length;
	return ret;
}

static int announce(struct kv_transfer *t, struct kv_fault *f)
{
	const struct kv_file_new new = {
		.name = t->name[RECEIVER],
		.length = t->length,
		.replace = t->replace,
	};

	return kv_file_create(t->file[RECEIVER], &new, NULL, f);
}

/* A piece's number is the immediate data of its WRITE. */
static int check_devices(const struct kv_transfer *t, struct kv_fault *f)
{
	for (unsigned int i = 0; i < 2; i++) {
		const struct kv_site *s = t->site[i];

		if (kv_dev_is_iwarp(&s->dev))
			return kv_fault_set(f, -EOPNOTSUPP,
					    "%s%s%s: iWARP has no immediate data, which 'put' and 'get' number their pieces with",
					    s->dev.name, s->host ? " on " : "",
					    s->host ? s->host : "");
	}
	return 0;
}

/**
 * kv_transfer_run() - bring a file to the other end
 * @t: the transfer; receives its results
 *
 * Either the receiver has the whole file under its name, with the sender's content; or
 * nothing of the file is left at the receiver.
 */
int kv_transfer_run(struct kv_transfer *t, struct kv_fault *f)
{
	int ret = check_devices(t, f) ?:
		  choose_window(t, f) ?:
		  open_sent(t, f) ?:
		  announce(t, f);

	if (ret)
		goto out_close;
	kv_retries_start(&t->retries, t->site[SENDER], t->site[RECEIVER]);
	ret = send_file(t, f);
	kv_retries_stop(&t->retries);
	if (!ret)
		ret = finish(t, f);
out_close:
	close_files(t, ret ? f : NULL);
	return ret;
}
