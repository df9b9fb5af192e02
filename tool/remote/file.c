// SPDX-License-Identifier: MIT
/* The file at the other end of a transfer: every call is a message to the server. */
#include "remote/connect.h"
#include "remote/file.h"

/* The text of a failure is the server's. */
static int call(struct kv_file *file, enum kv_file_call call, const void *args, void *result,
		struct kv_fault *f)
{
	struct kv_file_remote *r = (struct kv_file_remote *)file;
	struct kv_backend *b = r->site->b;
	int ret;

	if (call == KV_FILE_CLOSE && !r->open)
		return 0;
	/* Behind these two the server has no file any more, whatever it answers. */
	if (call == KV_FILE_FINISH || call == KV_FILE_CLOSE)
		r->open = false;
	ret = kv_remote_call(b, KV_CALL_FILE_OPEN + call, args, result);
	if (call == KV_FILE_OPEN || call == KV_FILE_CREATE)
		r->open = !ret;
	return ret ? kv_fault_set(f, ret, "%s", b->err) : 0;
}

static int ask(struct kv_file *file, const struct kv_file_turn *turn, struct kv_fault *f)
{
	struct kv_backend *b = ((struct kv_file_remote *)file)->site->b;
	int ret = kv_remote_ask(b, KV_CALL_FILE_TURN, turn);

	return ret ? kv_fault_set(f, ret, "%s", b->err) : 0;
}

static bool answered(struct kv_file *file, uint64_t ns)
{
	return kv_remote_answered(((struct kv_file_remote *)file)->site->b, ns);
}

static int take(struct kv_file *file, struct kv_file_turned *result, struct kv_fault *f)
{
	struct kv_backend *b = ((struct kv_file_remote *)file)->site->b;
	int ret = kv_remote_take(b, KV_CALL_FILE_TURN, result);

	return ret ? kv_fault_set(f, ret, "%s", b->err) : 0;
}

/*
 * Prepares a file of a server, which is not open yet. @r: receives the file; its close() closes it.
 * @site: site of the server; its connection is used, and must stay open.
 */
void kv_file_remote_init(struct kv_file_remote *r, const struct kv_site *site)
{
	r->file = (struct kv_file){ call, ask, answered, take };
	r->site = site;
	r->open = false;
}
