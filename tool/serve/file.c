// SPDX-License-Identifier: MIT
/* Files for clients: within one folder, one at a time, as long as the client is there. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "serve/service.h"

static const struct kv_serve_files none = { .dir = -1 };

__attribute__((format(printf, 2, 3)))
static void note(struct kv_service *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(s->note, sizeof(s->note), fmt, args);
	va_end(args);
}

static const char *doing(const struct kv_service *s)
{
	return s->file.sends ? "fetches" : "puts";
}

/* An unfinished transfer leaves nothing. */
static void end(struct kv_service *s, const char *why)
{
	if (s->file.source.fd >= 0 || s->file.store.fd >= 0)
		note(s, "%s %s: given up: %s", doing(s), s->file.name, why);
	kv_file_close(&s->file.file, NULL, NULL, &s->fault);
}

/**
 * kv_serve_file_init() - set which files a client may fetch and put
 * @s: the service; kv_serve_file_exit() ends it
 * @files: the files; must live as long as @s; NULL: none
 */
void kv_serve_file_init(struct kv_service *s, const struct kv_serve_files *files)
{
	s->files = files ? files : &none;
	kv_file_local_init(&s->file, s->site, s->files->dir);
}

/**
 * kv_serve_file_exit() - end an unfinished transfer of a client that is gone
 * @s: the service; need not have been started
 */
void kv_serve_file_exit(struct kv_service *s)
{
	if (s->file.file.call)
		end(s, "the client is gone");
}

static int check_name(struct kv_service *s, const char *name)
{
	struct kv_why why;

	if (s->files->dir < 0)
		return kv_fault_set(&s->fault, -EPERM,
				    "no files are served here (kverbs serve --files)");
	if (kv_file_name_check(name, &why))
		return kv_fault_set(&s->fault, -EINVAL, "the file's name %s", why.text);
	return 0;
}

static int check_new(struct kv_service *s, const struct kv_file_new *in)
{
	int ret = check_name(s, in->name);

	if (ret)
		return ret;
	if (s->files->read_only)
		return kv_fault_set(&s->fault, -EROFS,
				    "files can be fetched here, not put (kverbs serve --files-read-only)");
	if (in->length > s->files->bytes)
		return kv_fault_set(&s->fault, -EFBIG,
				    "a file may have %" PRIu64 " bytes here (kverbs serve --file-bytes), not %" PRIu64,
				    s->files->bytes, in->length);
	return 0;
}

/**
 * kv_serve_file_call() - carry out a call that is about a file
 * @s: the service, with the arguments; receives the result
 * @which: KV_CALL_FILE_*
 *
 * Return: 0 or a negative errno; then s->fault has the reason.
 */
int kv_serve_file_call(struct kv_service *s, enum kv_call which)
{
	enum kv_file_call call = (enum kv_file_call)(which - KV_CALL_FILE_OPEN);
	struct kv_file *file = &s->file.file;
	int ret = 0;

	if (call == KV_FILE_CLOSE) {
		end(s, s->in.file_close.why);
		return 0;
	}
	if (call == KV_FILE_OPEN)
		ret = check_name(s, s->in.file_open.name);
	else if (call == KV_FILE_CREATE)
		ret = check_new(s, &s->in.file_create);
	if (ret)
		return ret;
	ret = file->call(file, call, &s->in, &s->out, &s->fault);
	if (call == KV_FILE_FINISH)
		note(s, "%s %s: %s", doing(s), s->file.name, ret ? s->fault.text : "done");
	else if (ret && call <= KV_FILE_CREATE)
		note(s, "%s nothing: %s", call == KV_FILE_OPEN ? "fetches" : "puts", s->fault.text);
	return ret;
}
