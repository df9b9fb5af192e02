// SPDX-License-Identifier: MIT
/* The commands put and get: one transfer, in one direction or the other. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/fault.h"
#include "cli/progress.h"
#include "file/command.h"
#include "file/label.h"
#include "file/options.h"
#include "file/transfer.h"
#include "out/out.h"
#include "out/stdout.h"
#include "out/table.h"
#include "remote/file.h"
#include "remote/open.h"
#include "sys/now.h"

#define SCHEMA_VERSION 2

#define MIB (1024.0 * 1024.0)

/* All that one invocation needs. */
struct command {
	struct kv_file_options o;
	struct kv_space here;
	struct kv_space there;
	struct kv_file_local local;
	struct kv_file_remote remote;
	struct kv_transfer transfer;
	struct kv_out out;
	struct kv_progress progress;
	struct kv_file_label label;
	struct kv_fault fault;
};

static void show_progress(enum kv_transfer_step step, uint64_t bytes,
			  uint64_t length, void *arg)
{
	struct command *c = arg;

	if (!c->progress.on)
		return;
	while (c->progress.done < (unsigned int)step)
		kv_progress_finish_step(&c->progress);
	kv_file_label_format(&c->label, step, bytes, length, kv_now_ns(), c->progress.label,
			     sizeof(c->progress.label));
	kv_progress_draw(&c->progress, length ? (double)bytes / (double)length : 1);
}

static void prepare(struct command *c)
{
	struct kv_transfer *t = &c->transfer;
	/* Which end is which of the transfer's: its first one sends. */
	unsigned int here = c->o.way == KV_FILE_PUT ? 0 : 1;

	kv_file_local_init(&c->local, c->here.b, AT_FDCWD);
	kv_file_remote_init(&c->remote, &c->there);
	t->space[here] = &c->here;
	t->space[!here] = &c->there;
	t->file[here] = &c->local.file;
	t->file[!here] = &c->remote.file;
	t->name[here] = c->o.local;
	t->name[!here] = c->o.remote;
	t->replace = c->o.replace;
	t->piece = c->o.piece;
	t->depth = c->o.depth;
	t->timeout_ns = c->o.common.timeout_ns;
	t->ack_timeout = c->o.common.ack_timeout;
	t->retry_cnt = c->o.common.retry_cnt;
	t->watch = show_progress;
	t->arg = c;
}

static double rate_of(const struct kv_transfer *t)
{
	uint64_t ns = t->ns[KV_TRANSFER_SEND];

	return ns ? (double)t->length / MIB / ((double)ns / 1e9) : 0;
}

static struct json_object *describe_end(const struct kv_transfer *t, unsigned int end)
{
	struct json_object *obj = json_object_new_object();
	const struct kv_space *s = t->space[end];

	kv_out_put_string(obj, "space", kv_word_name(kv_word_space, s->id));
	if (s->host)
		kv_out_put_string(obj, "host", s->host);
	kv_out_put_string(obj, "dev", s->dev.name);
	kv_out_put_string(obj, "file", t->name[end]);
	return obj;
}

static struct json_object *begin_doc(const struct command *c, int ret)
{
	struct json_object *doc = json_object_new_object();

	kv_out_put_string(doc, "schema", c->o.way == KV_FILE_PUT ? "kverbs.put" : "kverbs.get");
	kv_out_put_count(doc, "schema_version", SCHEMA_VERSION);
	kv_out_put_bool(doc, "complete", !ret);
	return doc;
}

static struct json_object *describe(const struct command *c, int ret)
{
	struct json_object *doc = begin_doc(c, ret);
	const struct kv_transfer *t = &c->transfer;
	char digest[KV_HASH_TEXT];

	kv_hash_format(digest, t->digest);
	kv_out_put(doc, "sender", describe_end(t, 0));
	kv_out_put(doc, "receiver", describe_end(t, 1));
	kv_out_put_count(doc, "length_bytes", t->length);
	kv_out_put_string(doc, "sha256", digest);
	kv_out_put_count(doc, "pieces", t->pieces);
	kv_out_put_count(doc, "piece_bytes", t->piece);
	kv_out_put_count(doc, "depth", t->depth);
	kv_out_put_count(doc, "hash_ns", t->ns[KV_TRANSFER_HASH]);
	kv_out_put_count(doc, "send_ns", t->ns[KV_TRANSFER_SEND]);
	kv_out_put_count(doc, "check_ns", t->ns[KV_TRANSFER_CHECK]);
	kv_out_put(doc, "counters", kv_retries_describe(&t->retries));
	if (ret)
		kv_out_put_fault(doc, &c->fault);
	return doc;
}

static void tell_counters(const struct kv_transfer *t)
{
	struct json_object *counters = kv_retries_describe(&t->retries);

	kv_retries_tell(counters);
	json_object_put(counters);
}

static void tell(const struct command *c)
{
	const struct kv_transfer *t = &c->transfer;
	char digest[KV_HASH_TEXT];

	kv_hash_format(digest, t->digest);
	printf("%s %s: %llu bytes from %s to %s space in %.2f s, %.1f MiB/s\n",
	       c->o.way == KV_FILE_PUT ? "put" : "got", t->name[1],
	       (unsigned long long)t->length,
	       kv_word_name(kv_word_space, t->space[0]->id),
	       kv_word_name(kv_word_space, t->space[1]->id),
	       (double)t->ns[KV_TRANSFER_SEND] / 1e9, rate_of(t));
	printf("%llu WRITEs of at most %u bytes, at most %u at a time\n",
	       (unsigned long long)t->pieces, t->piece, t->depth);
	tell_counters(t);
	printf("SHA-256 at both ends: %s\n", digest);
}

static int open_spaces(struct command *c)
{
	const struct kv_options *o = &c->o.common;
	int ret;

	ret = kv_space_open(&c->here, c->o.space[0], o->dev, o->gid, &c->fault);
	if (!ret)
		ret = kv_space_open_peer(&c->there, c->o.space[1], &o->peer, &c->fault);
	return ret;
}

static int report(struct command *c, int ret, struct kv_fault *f)
{
	struct json_object *doc = describe(c, ret);
	int err = kv_out_commit(&c->out, doc, f);

	json_object_put(doc);
	if (err || ret)
		return err;
	if (!c->out.to_stdout)
		tell(c);
	return kv_stdout_flush(f);
}

/* The exit status tells whether the file is there, and not whether that could be reported. */
static void try_report(struct command *c, int ret)
{
	struct kv_fault why, f;

	if (!report(c, ret, &why))
		return;
	f = why;
	if (!ret)
		kv_fault_set(&f, why.error, "%s is there, all of it, but there is no report: %.700s",
			     c->transfer.name[1], why.text);
	kv_fault_print(&f);
}

/* Before there is a transfer. */
static void refuse(struct command *c, int ret)
{
	struct json_object *doc = begin_doc(c, ret);

	kv_out_commit_fault(&c->out, doc, &c->fault);
	json_object_put(doc);
}

static int run(struct command *c)
{
	int ret;

	ret = kv_out_open(&c->out, c->o.common.json, &c->fault);
	if (ret)
		return ret;
	ret = open_spaces(c);
	if (ret) {
		refuse(c, ret);
		goto out_close;
	}
	prepare(c);
	kv_progress_start(&c->progress, KV_TRANSFER_STEPS);
	ret = kv_transfer_run(&c->transfer, &c->fault);
	kv_progress_erase(&c->progress);
	try_report(c, ret);
out_close:
	kv_space_close(&c->there);
	kv_space_close(&c->here);
	kv_out_close(&c->out);
	return ret;
}

/**
 * kv_file_command() - put or get a file
 * @way: which of the two
 * @argc: of the command
 * @argv: argv[0] is the command's name
 *
 * Return: enum kv_exit
 */
int kv_file_command(enum kv_file_way way, int argc, char **argv)
{
	/* Too large for a stack. */
	static struct command c;
	int ret;

	ret = kv_file_options_read(&c.o, way, argc, argv, &c.fault);
	if (ret > 0)
		ret = run(&c);
	if (!ret)
		return KV_EXIT_DONE;
	kv_fault_print(&c.fault);
	return c.fault.exit;
}
