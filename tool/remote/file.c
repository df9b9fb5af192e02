// SPDX-License-Identifier: MIT
/* The file at the other end of a transfer: every operation is a message to the server. */
#include <stdio.h>
#include <string.h>
#include "remote/connect.h"
#include "remote/file.h"

static struct kv_file_remote *remote_of(struct kv_file *file)
{
	return (struct kv_file_remote *)file;
}

/* The text of a failure is the server's. */
static int call(struct kv_file_remote *r, enum kv_call which, const void *args,
		void *result, struct kv_fault *f)
{
	struct kv_backend *b = r->site->b;
	int ret = kv_remote_call(b, which, args, result);

	return ret ? kv_fault_set(f, ret, "%s", b->err) : 0;
}

static int open_file(struct kv_file *file, const char *name, uint64_t *length, struct kv_fault *f)
{
	struct kv_file_remote *r = remote_of(file);
	struct kv_file_opened result;
	int ret = call(r, KV_CALL_FILE_OPEN, &(struct kv_file_open){ name }, &result, f);

	if (ret)
		return ret;
	*length = result.length;
	r->open = true;
	return 0;
}

static int create_file(struct kv_file *file, const struct kv_file_new *new, struct kv_fault *f)
{
	struct kv_file_remote *r = remote_of(file);
	int ret = call(r, KV_CALL_FILE_CREATE, new, NULL, f);

	r->open = !ret;
	return ret;
}

static int load_piece(struct kv_file *file, const struct kv_file_piece *piece, struct kv_fault *f)
{
	return call(remote_of(file), KV_CALL_FILE_LOAD, piece, NULL, f);
}

static int save_piece(struct kv_file *file, const struct kv_file_piece *piece, struct kv_fault *f)
{
	return call(remote_of(file), KV_CALL_FILE_SAVE, piece, NULL, f);
}

static int hash_file(struct kv_file *file, uint64_t *done,
		     uint8_t digest[KV_HASH_BYTES], struct kv_fault *f)
{
	struct kv_file_hashed result;
	int ret = call(remote_of(file), KV_CALL_FILE_HASH, NULL, &result, f);

	if (ret)
		return ret;
	*done = result.done;
	memcpy(digest, result.digest, sizeof(result.digest));
	return 0;
}

static int finish_file(struct kv_file *file, const uint8_t digest[KV_HASH_BYTES],
		       struct kv_fault *f)
{
	struct kv_file_remote *r = remote_of(file);
	struct kv_file_finish args;

	memcpy(args.digest, digest, sizeof(args.digest));
	r->open = false;
	return call(r, KV_CALL_FILE_FINISH, &args, NULL, f);
}

static void close_file(struct kv_file *file, const char *why)
{
	struct kv_file_remote *r = remote_of(file);
	struct kv_file_close args = { .why = "" };
	struct kv_fault f;

	if (!r->open)
		return;
	if (why)
		snprintf(args.why, sizeof(args.why), "%s", why);
	r->open = false;
	call(r, KV_CALL_FILE_CLOSE, &args, NULL, &f);
}

static const struct kv_file_ops ops = {
	.open = open_file,
	.create = create_file,
	.load = load_piece,
	.save = save_piece,
	.hash = hash_file,
	.finish = finish_file,
	.close = close_file,
};

/**
 * kv_file_remote_init() - prepare a file of a server, which is not open yet
 * @r: receives the file; its close() closes it
 * @site: site of the server; its connection is used, and must stay open
 */
void kv_file_remote_init(struct kv_file_remote *r, const struct kv_site *site)
{
	r->file.ops = &ops;
	r->site = site;
	r->open = false;
}
