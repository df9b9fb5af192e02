// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "file/file.h"

/**
 * kv_file_refuse() - say that a file can't be used, with the reason in errno
 * @what: the attempt, such as "open"
 * @name: name of the file
 *
 * Return: -errno
 */
int kv_file_refuse(const char *what, const char *name, struct kv_fault *f)
{
	int error = errno;

	return kv_fault_set(f, -error, "cannot %s %s: %s", what, name, strerror(error));
}

static void close_file(struct kv_file_local *l)
{
	kv_source_close(&l->source);
	kv_store_close(&l->store);
	kv_hash_init(&l->hash);
	l->hashed = false;
	l->flow.piece = 0;
}

static int take_name(struct kv_file_local *l, const char *name, struct kv_fault *f)
{
	if (l->source.fd >= 0 || l->store.fd >= 0)
		return kv_fault_set(f, -EBUSY, "%s is still open: a client has one file at a time",
				    l->name);
	if (strlen(name) >= sizeof(l->name))
		return kv_fault_set(f, -ENAMETOOLONG, "a path of %zu bytes is too long",
				    strlen(name));
	snprintf(l->name, sizeof(l->name), "%s", name);
	return 0;
}

static int open_file(struct kv_file_local *l, const struct kv_file_open *args,
		     struct kv_file_opened *result, struct kv_fault *f)
{
	int ret = take_name(l, args->name, f) ?:
		  kv_source_open(&l->source, l->dir, l->name,
				 l->dir == AT_FDCWD ? 0 : O_NOFOLLOW, f);

	if (ret)
		return ret;
	l->sends = true;
	result->length = l->source.length;
	return 0;
}

/* Opens the folder of a path; @name receives the file's name within the folder. */
static int open_folder(struct kv_file_local *l, const char **name, struct kv_fault *f)
{
	char folder[sizeof(l->name)], *slash;
	int dir;

	strcpy(folder, l->name);
	slash = l->dir == AT_FDCWD ? strrchr(folder, '/') : NULL;
	*name = slash ? l->name + (slash - folder) + 1 : l->name;
	if (slash)
		slash[slash == folder] = '\0';
	else
		strcpy(folder, ".");
	if (!**name || strlen(*name) >= sizeof(l->store.name))
		return kv_fault_set(f, -EINVAL, "%s is no file's name", l->name);
	dir = openat(l->dir, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? kv_file_refuse("open the folder of", l->name, f) : dir;
}

static int create_file(struct kv_file_local *l, const struct kv_file_new *new, struct kv_fault *f)
{
	const char *name;
	int ret = take_name(l, new->name, f) ?: open_folder(l, &name, f);

	if (ret < 0)
		return ret;
	ret = kv_store_open(&l->store, ret, name, new->length, new->replace, f);
	if (ret)
		return ret;
	l->sends = false;
	return 0;
}

static int hash_file(struct kv_file_local *l, struct kv_file_hashed *result, struct kv_fault *f)
{
	uint64_t length = l->sends ? l->source.length : l->store.length;

	if (l->source.fd < 0 && l->store.fd < 0)
		return kv_fault_set(f, -EBADF, "there is no file to be hashed");
	if (!l->hashed && l->hash.done < length)
		return kv_fault_set(f, -EPROTO, "%s is hashed up to %" PRIu64 " of %" PRIu64 " bytes",
				    l->name, l->hash.done, length);
	if (!l->hashed)
		kv_hash_finish(&l->hash, l->digest);
	l->hashed = true;
	memcpy(result->digest, l->digest, sizeof(l->digest));
	return 0;
}

static int say_differs(const struct kv_file_local *l, const char *what,
		       const uint8_t sent[KV_HASH_BYTES],
		       const uint8_t arrived[KV_HASH_BYTES], struct kv_fault *f)
{
	char had[KV_HASH_TEXT], got[KV_HASH_TEXT];

	kv_bytes_hex(had, sent, KV_HASH_BYTES);
	kv_bytes_hex(got, arrived, KV_HASH_BYTES);
	return kv_fault_set(f, -EBADMSG, "%s: %s; SHA-256 sent %s, arrived %s", l->name, what, had,
			    got);
}

static int finish_sent(struct kv_file_local *l, const uint8_t digest[KV_HASH_BYTES],
		       struct kv_fault *f)
{
	int ret = kv_source_check(&l->source, f);

	if (!ret && memcmp(digest, l->digest, sizeof(l->digest)))
		ret = say_differs(l, "the content that arrived is not the content that was sent", l->digest, digest, f);
	return ret;
}

static int finish_received(struct kv_file_local *l, const uint8_t digest[KV_HASH_BYTES],
			   struct kv_fault *f)
{
	if (memcmp(digest, l->digest, sizeof(l->digest)))
		return say_differs(l, "the content that arrived is not the content that was sent, and is not kept",
				   digest, l->digest, f);
	return kv_store_commit(&l->store, f);
}

static int finish_file(struct kv_file_local *l, const struct kv_file_finish *args,
		       struct kv_fault *f)
{
	int ret;

	if (!l->hashed)
		return kv_fault_set(f, -EPROTO, "a file is finished only when it was hashed");
	ret = l->sends ? finish_sent(l, args->digest, f) : finish_received(l, args->digest, f);
	close_file(l);
	return ret;
}

static int call(struct kv_file *file, enum kv_file_call call, const void *args, void *result,
		struct kv_fault *f)
{
	struct kv_file_local *l = (struct kv_file_local *)file;

	switch (call) {
	case KV_FILE_OPEN:
		return open_file(l, args, result, f);
	case KV_FILE_CREATE:
		return create_file(l, args, f);
	case KV_FILE_FLOW:
		return kv_end_begin(l, args, result, f);
	case KV_FILE_TURN:
		return kv_end_turn(l, args, result, f);
	case KV_FILE_HASH:
		return hash_file(l, result, f);
	case KV_FILE_FINISH:
		return finish_file(l, args, f);
	case KV_FILE_CLOSE:
		close_file(l);
		break;
	}
	return 0;
}

/**
 * kv_file_local_init() - prepare a file of this host, which is not open yet
 * @l: receives the file; its close() closes it
 * @site: site whose buffers the file is loaded into and saved from
 * @dir: folder of the file, in which symbolic links are not followed; or AT_FDCWD, and
 *	the name is a path
 */
void kv_file_local_init(struct kv_file_local *l, const struct kv_site *site, int dir)
{
	memset(l, 0, sizeof(*l));
	l->file.call = call;
	l->site = site;
	l->dir = dir;
	l->source.fd = -1;
	l->store.fd = -1;
	l->store.dir = -1;
	kv_hash_init(&l->hash);
}
