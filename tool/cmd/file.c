// SPDX-License-Identifier: MIT
/* The commands put and get: one transfer, in one direction or the other. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include "cli/parse.h"
#include "cli/progress.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "file/transfer.h"
#include "out/out.h"
#include "out/prose.h"
#include "out/unit.h"
#include "remote/file.h"
#include "remote/peer.h"
#include "sys/now.h"

static const struct kv_schema schema_put = { "kverbs.put", 3 };
static const struct kv_schema schema_get = { "kverbs.get", 3 };

/* A piece's number has 32 bits, and must count the pieces of any file. */
#define PIECE_MIN 4096

/* All that one invocation needs. */
static struct command {
	struct kv_options common; /* options that other commands have, too */
	bool put; /* the file goes to the server; else it comes from there */
	const char *name; /* --name */
	const char *local_name; /* the file here, a path */
	const char *remote_name; /* the file's name at the server */
	struct kv_transfer transfer; /* the transfer, with its own options */
	bool prepared; /* @transfer has both ends, and was attempted */
	struct kv_site here;
	struct kv_site there;
	struct kv_file_local local;
	struct kv_file_remote remote;
	struct kv_progress progress;
	struct kv_transfer_label label;
} command;

static int parse_piece(const char *text, void *field, struct kv_why *why)
{
	uint32_t *piece = field;
	int ret = kv_parse_size(text, piece, why);

	return ret || *piece >= PIECE_MIN ? ret :
		kv_why_set(why, "is too small; it takes %u bytes or more", PIECE_MIN);
}

#define S struct command

#define ROWS										\
	KV_OPTION_END_ROWS(S, common, NULL, "space in which this host calls verbs", "space in which HOST calls verbs"),		\
	{ "piece", "BYTES", "size of each WRITE, as in 64k; default: 1m, or the device's maximum if that is less", \
	  KV_OPTION_OWN, .at = offsetof(S, transfer.piece), .parse = parse_piece }, \
	{ "depth", "N", "WRITEs outstanding at a time; default: 8", KV_OPTION_U32,	\
	  .at = offsetof(S, transfer.depth), .min = 1, .max = KV_FILE_DEPTH_MAX }, \
	KV_OPTION_HOST_ROWS(S, common),						\
	KV_OPTION_DEV_ROW(S, common),							\
	KV_OPTION_IB_PORT_ROW(S, common),						\
	KV_OPTION_GID_ROW(S, common),							\
	KV_OPTION_TIMEOUT_ROW(S, common, "how long the transfer may stand still; default: 10s"), \
	KV_OPTION_RETRY_ROWS(S, common),						\
	KV_OPTION_JSON_ROW(S, common.json),						\
	{ .name = NULL }

static const struct kv_option rows_put[] = {
	{ "name", "NAME", "name of the file on HOST; default: its name here", KV_OPTION_TEXT,
	  .at = offsetof(S, name) },
	{ "force", NULL, "replace a file that exists under this name", KV_OPTION_FLAG, .at = offsetof(S, transfer.replace) },
	ROWS,
};

static const struct kv_option rows_get[] = {
	{ "name", "NAME", NULL, KV_OPTION_TEXT, .at = offsetof(S, name) },
	{ "force", NULL, "replace FILE", KV_OPTION_FLAG, .at = offsetof(S, transfer.replace) },
	ROWS,
};

#undef S

static void show_progress(uint64_t bytes, uint64_t length, void *arg)
{
	struct command *c = arg;

	if (!c->progress.on)
		return;
	kv_transfer_label(&c->label, bytes, length, kv_now_ns(), c->progress.label,
			  sizeof(c->progress.label));
	kv_progress_draw(&c->progress, length ? (double)bytes / (double)length : 1);
}

static void tell_anew(const char *why, void *arg)
{
	struct command *c = arg;

	kv_progress_erase(&c->progress);
	fprintf(stderr, "kverbs: %s; the connection is made anew\n", why);
}

static void prepare(struct command *c)
{
	struct kv_transfer *t = &c->transfer;
	/* The first end of a transfer is the sender. */
	unsigned int here = !c->put;

	kv_file_local_init(&c->local, &c->here, AT_FDCWD);
	kv_file_remote_init(&c->remote, &c->there);
	t->site[here] = &c->here;
	t->site[!here] = &c->there;
	t->file[here] = &c->local.file;
	t->file[!here] = &c->remote.file;
	t->name[here] = c->local_name;
	t->name[!here] = c->remote_name;
	t->timeout_ns = c->common.work.timeout_ns;
	t->ack_timeout = c->common.work.ack_timeout;
	t->retry_cnt = c->common.work.retry_cnt;
	t->watch = show_progress;
	t->tell = tell_anew;
	t->arg = c;
}

static struct json_object *describe_end(const struct kv_transfer *t, unsigned int end)
{
	struct json_object *obj = json_object_new_object();
	const struct kv_site *s = t->site[end];

	kv_out_put_string(obj, "space", kv_enum_name(kv_enum_space, s->id));
	if (s->host)
		kv_out_put_string(obj, "host", s->host);
	kv_out_put_string(obj, "dev", s->dev.name);
	kv_out_put_string(obj, "file", t->name[end]);
	return obj;
}

static struct json_object *describe(bool result, int error)
{
	struct json_object *doc = kv_out_document(command.put ? &schema_put : &schema_get);
	const struct kv_transfer *t = &command.transfer;
	char digest[KV_HASH_TEXT];

	kv_out_put_bool(doc, "complete", !error);
	if (!result)
		return doc;
	kv_bytes_hex(digest, t->digest, KV_HASH_BYTES);
	kv_out_put(doc, "sender", describe_end(t, 0));
	kv_out_put(doc, "receiver", describe_end(t, 1));
	kv_out_put_count(doc, "length_bytes", t->length);
	kv_out_put_string(doc, "sha256", error ? NULL : digest);
	kv_out_put_count(doc, "pieces", t->pieces);
	kv_out_put_count(doc, "piece_bytes", t->piece);
	kv_out_put_count(doc, "depth", t->depth);
	kv_out_put_count(doc, "reconnects", t->reconnects);
	kv_out_put_count(doc, "send_ns", t->ns);
	kv_out_put(doc, "counters", kv_retries_describe(&t->retries));
	return doc;
}

/* After a failed transfer there is no text: the fault says all. */
static int print(struct json_object *doc, struct kv_fault *f)
{
	const struct kv_transfer *t = &command.transfer;
	double seconds = (double)t->ns / 1e9;
	struct kv_prose counters;

	if (kv_out_get(doc, "/error"))
		return 0;
	printf("%s %s: %s bytes from %s to %s space in %.2f s, %.1f MiB/s\n",
	       command.put ? "put" : "got", t->name[1], KV_COUNT(t->length),
	       kv_enum_name(kv_enum_space, t->site[0]->id),
	       kv_enum_name(kv_enum_space, t->site[1]->id), seconds,
	       seconds > 0 ? (double)t->length / KV_TRANSFER_MIB / seconds : 0);
	printf("%s WRITEs of at most %u bytes, at most %u at a time\n",
	       KV_COUNT(t->pieces), t->piece, t->depth);
	kv_retries_tell(kv_out_get(doc, "/counters"), kv_prose_begin(&counters, stdout));
	kv_prose_end(&counters);
	kv_prose_print(stdout, "SHA-256 at both ends: %s\n", kv_out_get_string(doc, "/sha256"));
	return 0;
}

/* The exit status is that of the transfer: the fault adds that the file has arrived. */
static void add_done(struct kv_fault *f)
{
	const struct kv_fault why = *f;

	kv_fault_set(f, why.error, "%s has arrived completely, but the report can't be written: %.700s",
		     command.transfer.name[1], why.text);
}

static int open_sites(struct command *c, struct kv_fault *f)
{
	const struct kv_options *o = &c->common;
	int ret = kv_site_open(&c->here, o->end[0], o->dev, o->ib_port, o->gid, f);

	return ret ? ret : kv_site_open_peer(&c->there, o->end[1], &o->peer, f);
}

static void init_get(void)
{
	command.common = (struct kv_options)KV_OPTIONS_DEFAULT;
}

static void init_put(void)
{
	init_get();
	command.put = true;
}

/* Takes FILE or NAME, HOST, and for get the name of the local file. */
static int take_words(struct command *c, int n, char **word, struct kv_fault *f)
{
	const char *name = c->put ? "put" : "get", *slash;
	const char *line = c->put ? "put FILE HOST" : "get NAME HOST [FILE]";
	struct kv_why why;

	if (n < 2)
		return kv_fault_usage(f, "%s is missing; it is 'kverbs %s', see 'kverbs %s --help'",
				      n ? "HOST" : c->put ? "FILE" : "NAME", line, name);
	if (n > 3 - c->put)
		return kv_fault_usage(f, "'%s' is unexpected; it is 'kverbs %s', see 'kverbs %s --help'",
				      word[3 - c->put], line, name);
	if (!c->put && c->name)
		return kv_fault_usage(f, "--name is for put; get takes NAME first, and FILE last");
	c->remote_name = c->local_name = word[0];
	if (n == 3)
		c->local_name = word[2];
	slash = c->put ? strrchr(c->local_name, '/') : NULL;
	if (slash)
		c->remote_name = slash + 1;
	if (c->name)
		c->remote_name = c->name;
	if (kv_file_name_check(c->remote_name, &why))
		return kv_fault_usage(f, "the name '%s' at the server %s%s", c->remote_name, why.text,
				      c->put && !c->name ? "; give it one with --name" : "");
	if (!*c->local_name)
		return kv_fault_usage(f, "FILE is empty");
	return kv_options_take_host(&c->common, name, 1, word + 1, f);
}

static int check(int n, char **word, struct kv_fault *f)
{
	int ret = take_words(&command, n, word, f);
	struct kv_fault more;

	return kv_fault_join(f, ret, kv_options_choose_ends(&command.common, ret ? &more : f),
			     &more);
}

static int run(struct kv_fault *f)
{
	struct command *c = &command;
	int ret = open_sites(c, f);

	if (ret)
		return ret;
	prepare(c);
	c->prepared = true;
	kv_progress_start(&c->progress, 1);
	ret = kv_transfer_run(&c->transfer, f);
	kv_progress_erase(&c->progress);
	return ret;
}

static bool has_result(int error)
{
	return command.prepared;
}

static void close_sites(void)
{
	kv_site_close(&command.there);
	kv_site_close(&command.here);
}

/* The options of both commands. */
#define BOTH										\
	.more = "All of the file goes through RDMA WRITEs, from the sender's buffer to the\n"	\
		"receiver's; in kernel space these are the module's.\n",			\
	.args = &command,								\
	.check = check,									\
	.run = run,									\
	.json = &command.common.json,							\
	.has_result = has_result,							\
	.describe = describe,								\
	.print = print,									\
	.unreported = add_done,								\
	.close = close_sites

const struct kv_cmd kv_cmd_put = {
	.rows = rows_put,
	.usage = "usage: kverbs put FILE HOST[:PORT] --space kernel|user [OPTION...]\n"
		"\n"
		"Sends FILE to a HOST where 'kverbs serve --files DIR' runs. The file gets its\n"
		"name there only after all of it has arrived with the SHA-256 that it has here;\n"
		"if anything goes wrong, HOST keeps nothing of it.\n",
	.schema = &schema_put,
	.init = init_put,
	BOTH,
};

const struct kv_cmd kv_cmd_get = {
	.rows = rows_get,
	.usage = "usage: kverbs get NAME HOST[:PORT] [FILE] --space kernel|user [OPTION...]\n"
		"\n"
		"Fetches the file NAME from a HOST where 'kverbs serve --files DIR' runs, and\n"
		"calls it FILE here; default: NAME, in the working folder. FILE gets its name\n"
		"only after all of it has arrived with the SHA-256 that it has on HOST; if\n"
		"anything goes wrong, nothing of it is kept.\n",
	.schema = &schema_get,
	.init = init_get,
	BOTH,
};
