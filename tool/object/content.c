// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/magic.h>
#include "cli/parse.h"
#include "cli/interrupt.h"
#include "file/file.h"
#include "object/object.h"
#include "object/text.h"
#include "out/out.h"
#include "rules/buf.h"

/* The values of all content commands. */
struct content_args {
	struct kv_given given; /* the buffer, and the keys that were given */
	uint64_t offset; /* first byte in the buffer */
	uint64_t file_offset; /* first byte in the file */
	uint64_t length; /* bytes */
	const char *text; /* content as text */
	const char *hex; /* content as hexadecimal digits */
	const char *file; /* name of a file */
	uint32_t format; /* how to print content, see read_key */
};

#define AT(field) offsetof(struct content_args, field)

#define HAS_LENGTH (1U << 0)
#define HAS_TEXT (1U << 1)
#define HAS_HEX (1U << 2)
#define HAS_FILE (1U << 3)
#define HAS_FORMAT (1U << 4)

/* The umask of the process applies. */
#define FILE_MODE 0666

/* A byte takes up to four bytes of text, and json-c takes the length of a text as an int. */
#define TELL_MAX (64 << 20)

enum format {
	FORMAT_TEXT,
	FORMAT_HEX,
};

static const struct kv_enum formats[] = {
	{ "text", FORMAT_TEXT },
	{ "hex", FORMAT_HEX },
	{ NULL, 0 },
};

#define KEY_OFFSET							\
	{ "offset", KV_KEY_SIZE, AT(offset),				\
	  .help = "first byte in the buffer; default: 0" }
#define KEY_LENGTH							\
	{ "length", KV_KEY_SIZE, AT(length), HAS_LENGTH,		\
	  .help = "bytes; default: the rest of the buffer" }

static const struct kv_key write_key[] = {
	KEY_OFFSET,
	{ "text", KV_KEY_TEXT, AT(text), HAS_TEXT, .value = "STRING",
	  .help = "these bytes, without a zero at the end" },
	{ "hex", KV_KEY_TEXT, AT(hex), HAS_HEX, .value = "HEX",
	  .help = "bytes of two hexadecimal digits each" },
	{ "file", KV_KEY_TEXT, AT(file), HAS_FILE, .value = "PATH",
	  .help = "the content of this file; 'buf load' is for large ones" },
	{ .name = NULL },
};

static const struct kv_key read_key[] = {
	KEY_OFFSET,
	KEY_LENGTH,
	{ "format", KV_KEY_ENUM, AT(format), HAS_FORMAT, .names = formats,
	  .help = "default: text" },
	{ "file", KV_KEY_TEXT, AT(file), HAS_FILE, .value = "PATH",
	  .help = "write the bytes to this file; 'buf save' is for many" },
	{ .name = NULL },
};

static const struct kv_key move_key[] = {
	{ "file", KV_KEY_TEXT, AT(file), .must = true, .value = "PATH",
	  .help = "a regular file" },
	{ "file-offset", KV_KEY_SIZE, AT(file_offset),
	  .help = "first byte in the file; default: 0" },
	KEY_OFFSET,
	KEY_LENGTH,
	{ .name = NULL },
};

/**
 * kv_content_rest() - the length of a buffer from an offset to its end
 * @buf: id of the buffer
 * @offset: the byte
 * @length: receives the number of bytes, at least 1
 *
 * Return: 0 or a negative errno, -ERANGE if the buffer has no byte at @offset.
 */
int kv_content_rest(struct kv_session *s, uint32_t buf, uint64_t offset, uint64_t *length,
		    struct kv_fault *f)
{
	union kv_object object;
	int ret = kv_session_get(s, KV_BUF, buf, &object, f);

	if (ret)
		return ret;
	if (offset >= object.buf.length)
		return kv_fault_set(f, -ERANGE, "offset %llu is beyond buf %u, which has %llu bytes",
				    (unsigned long long)offset, buf,
				    (unsigned long long)object.buf.length);
	*length = object.buf.length - offset;
	return 0;
}

static int refuse_file(const char *path, const char *what, struct kv_fault *f)
{
	return kv_fault_set(f, -errno, "file '%s': cannot %s: %s", path, what, strerror(errno));
}

/* The length, which defaults to the rest of the buffer. */
static int find_length(struct kv_session *s, const struct content_args *a,
		       uint64_t *length, struct kv_fault *f)
{
	*length = a->length;
	if (a->given.bits & HAS_LENGTH)
		return 0;
	return kv_content_rest(s, a->given.id, a->offset, length, f);
}

static int read_hex(const char *hex, char **data, uint64_t *length, struct kv_fault *f)
{
	struct kv_why why;

	/* +1: malloc(0) may return NULL. */
	*data = malloc(strlen(hex) / 2 + 1);
	if (!*data)
		return kv_fault_no_memory(f);
	if (kv_parse_hex(hex, (uint8_t *)*data, &why)) {
		free(*data);
		return kv_fault_usage(f, "hex '%s' %s", hex, why.text);
	}
	*length = strlen(hex) / 2;
	return 0;
}

/* @max: maximum number of bytes. */
static int read_file(const char *path, uint64_t max, char **data,
		     uint64_t *length, struct kv_fault *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t used = 0;
	ssize_t n;
	int ret = 0;

	if (fd < 0)
		return refuse_file(path, "open it", f);
	/* +1: a file that is too long fills the extra byte. */
	*data = malloc(max + 1);
	if (!*data) {
		close(fd);
		return kv_fault_no_memory(f);
	}
	do {
		do
			n = read(fd, *data + used, max + 1 - used);
		while (kv_interrupt_retry(n));
		used += n > 0 ? (uint64_t)n : 0;
	} while (n > 0 && used <= max);
	if (n < 0)
		ret = refuse_file(path, "read it", f);
	else if (used > max)
		ret = kv_fault_set(f, -ERANGE, "file '%s' has more bytes than the %llu of the buffer from there on",
				   path, (unsigned long long)max);
	else if (!used)
		ret = kv_fault_set(f, -EINVAL, "file '%s' is empty", path);
	close(fd);
	*length = used;
	if (ret)
		free(*data);
	return ret;
}

static int write_file(const char *path, const char *data, uint64_t length, struct kv_fault *f)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
	int ret = 0;

	if (fd < 0)
		return refuse_file(path, "write there", f);
	while (length && !ret) {
		ssize_t n;

		do
			n = write(fd, data, length);
		while (kv_interrupt_retry(n));
		if (n < 0) {
			ret = refuse_file(path, "write there", f);
		} else {
			data += n;
			length -= (uint64_t)n;
		}
	}
	if (close(fd) && !ret)
		ret = refuse_file(path, "write there", f);
	return ret;
}

/* The bytes of text, hex or file: exactly one of the three is given. */
static int take_content(struct kv_session *s, const struct content_args *a,
			char **data, uint64_t *length, struct kv_fault *f)
{
	uint32_t which = a->given.bits & (HAS_TEXT | HAS_HEX | HAS_FILE);
	uint64_t max;
	int ret;

	switch (which) {
	case HAS_TEXT:
		if (!*a->text)
			return kv_fault_usage(f, "text '' has no byte to write");
		*data = strdup(a->text);
		*length = strlen(a->text);
		return *data ? 0 : kv_fault_no_memory(f);
	case HAS_HEX:
		return read_hex(a->hex, data, length, f);
	case HAS_FILE:
		ret = find_length(s, a, &max, f);
		return ret ? ret : read_file(a->file, max, data, length, f);
	}
	return kv_fault_usage(f, "it takes one of 'text', 'hex' and 'file'");
}

static int buf_write(struct kv_session *s, const void *args, struct json_object *result,
		    struct kv_fault *f)
{
	const struct content_args *a = args;
	uint64_t length = 0;
	char *data = NULL;
	int ret = take_content(s, a, &data, &length, f);

	if (ret)
		return ret;
	ret = kv_op_buf_write(s->b, &(struct kv_buf_data){ a->given.id, a->offset, length,
			      .from = data }, NULL, NULL);
	free(data);
	if (ret)
		return kv_session_refuse(s, ret, f);
	kv_object_begin(s, KV_BUF, a->given.id, result);
	kv_out_put_count(result, "length", length);
	return 0;
}

static struct json_object *make_content(const char *data, uint64_t length, bool hex)
{
	const uint8_t *bytes = (const uint8_t *)data;
	struct json_object *obj;
	char *text = malloc(hex ? KV_BYTES_HEX(length) : KV_BYTES_TEXT(length));
	size_t n;

	if (!text)
		return NULL;
	n = hex ? kv_bytes_hex(text, bytes, length) : kv_bytes_text(text, bytes, length);
	obj = json_object_new_string_len(text, (int)n);
	free(text);
	return obj;
}

static int tell(struct kv_session *s, const struct content_args *a, const char *data,
		uint64_t length, struct json_object *result, struct kv_fault *f)
{
	bool hex = a->format == FORMAT_HEX;
	struct json_object *content = NULL;
	int ret;

	if (a->given.bits & HAS_FILE) {
		ret = write_file(a->file, data, length, f);
		if (ret)
			return ret;
	} else {
		content = make_content(data, length, hex);
		if (!content)
			return kv_fault_no_memory(f);
	}
	kv_object_begin(s, KV_BUF, a->given.id, result);
	kv_out_put_count(result, "offset", a->offset);
	kv_out_put_count(result, "length", length);
	if (content)
		kv_out_put(result, hex ? "hex" : "text", content);
	else
		kv_out_put_string(result, "file", a->file);
	return 0;
}

static int buf_read(struct kv_session *s, const void *args, struct json_object *result,
		   struct kv_fault *f)
{
	const struct content_args *a = args;
	uint64_t length;
	char *data;
	int ret;

	if ((a->given.bits & HAS_FILE) && (a->given.bits & HAS_FORMAT))
		return kv_fault_usage(f, "a file gets the bytes as they are: 'format' and 'file' exclude each other");
	ret = find_length(s, a, &length, f);
	if (ret)
		return ret;
	if (!length || length > TELL_MAX)
		return kv_fault_usage(f, "length %llu: it takes 1 byte to 64 MiB; 'buf save' takes more",
				      (unsigned long long)length);
	data = malloc(length);
	if (!data)
		return kv_fault_no_memory(f);
	ret = kv_op_buf_read(s->b, &(struct kv_buf_data){ a->given.id, a->offset, length,
			     .into = data }, NULL, NULL);
	if (ret)
		kv_session_refuse(s, ret, f);
	else
		ret = tell(s, a, data, length, result, f);
	free(data);
	return ret;
}

/* Like find_length(), but checks the length: either all bytes can be moved, or none is. */
static int find_bytes(struct kv_session *s, const struct content_args *a,
		      uint64_t *length, struct kv_fault *f)
{
	uint64_t rest = 0;
	int ret = kv_content_rest(s, a->given.id, a->offset, &rest, f);
	struct kv_refusal why;

	if (ret)
		return ret;
	*length = a->given.bits & HAS_LENGTH ? a->length : rest;
	if (kv_buf_check_length(*length, &why))
		return kv_fault_set(f, why.error, "%s", why.text);
	if (*length > rest)
		return kv_fault_set(f, -EINVAL, "offset %llu and length %llu name bytes beyond the end of buf %u, which has %llu",
				    (unsigned long long)a->offset, (unsigned long long)*length,
				    a->given.id, (unsigned long long)(a->offset + rest));
	return 0;
}

/* @created: the file did not exist before. */
static int open_file(const char *path, bool load, bool *created)
{
	/* Without O_NONBLOCK a FIFO would wait for its other end. */
	int flags = (load ? O_RDONLY : O_WRONLY) | O_CLOEXEC | O_NONBLOCK, fd;

	fd = open(path, flags);
	*created = fd < 0 && errno == ENOENT && !load;
	return *created ? open(path, flags | O_CREAT, FILE_MODE) : fd;
}

/* File systems that the kernel makes up: bytes written there become settings of the system. */
static bool is_made_up(int fd)
{
	static const long types[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC,
		SELINUX_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,
		EFIVARFS_MAGIC,
	};
	struct statfs fs;
	bool found = false;

	if (fstatfs(fd, &fs))
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		found |= fs.f_type == types[i];
	return found;
}

/* Before any change: the file must be regular, and long enough if it is to be loaded. */
static int check_file(const struct content_args *a, bool load, int fd, struct kv_fault *f)
{
	uint64_t size, least = a->given.bits & HAS_LENGTH ? a->length : 1;
	struct stat st;

	if (fstat(fd, &st))
		return refuse_file(a->file, "look at it", f);
	if (!S_ISREG(st.st_mode))
		return kv_fault_set(f, -EINVAL, "file '%s' is no regular file", a->file);
	if (!load && is_made_up(fd))
		return kv_fault_set(f, -EINVAL, "file '%s' is the kernel's, in /proc, sysfs or the like: such files can only be loaded",
				    a->file);
	size = (uint64_t)st.st_size;
	/* Files of /proc have no length. */
	if (!load || (!size && !st.st_blocks))
		return 0;
	if (a->file_offset > size || least > size - a->file_offset)
		return kv_fault_set(f, -ENODATA, "file '%s' has %llu bytes, and not %llu from %llu on",
				    a->file, (unsigned long long)size,
				    (unsigned long long)least,
				    (unsigned long long)a->file_offset);
	return 0;
}

static bool is_full(int error)
{
	return error == -ENOSPC || error == -EDQUOT || error == -EFBIG;
}

/* Reports the reason why some or all bytes were not moved. */
static int refuse_move(struct kv_session *s, const struct content_args *a, bool load,
		       const struct kv_bulk *bulk, int error, struct kv_fault *f)
{
	if (!bulk->of_file)
		return kv_session_refuse(s, error, f);
	if (!load && is_full(error))
		return kv_fault_set(f, -ENOSPC, "file '%s' takes %llu of %llu bytes: its file system is full",
				    a->file, (unsigned long long)bulk->moved,
				    (unsigned long long)bulk->length);
	errno = -error;
	return refuse_file(a->file, load ? "read it" : "write there", f);
}

/* 'buf load' and 'buf save'. */
static int move(struct kv_session *s, const void *args, struct json_object *result,
		struct kv_fault *f)
{
	const struct content_args *a = args;
	bool load = a->given.command->op == KV_OP_BUF_WRITE;
	struct kv_bulk bulk = {
		.b = s->b,
		.buf = a->given.id,
		.buf_offset = a->offset,
		.offset = a->file_offset,
	};
	bool created;
	int ret = find_bytes(s, a, &bulk.length, f);

	if (ret)
		return ret;
	if (a->file_offset > INT64_MAX - bulk.length)
		return kv_fault_set(f, -EINVAL, "file-offset %llu and length %llu name bytes that no file has",
				    (unsigned long long)a->file_offset,
				    (unsigned long long)bulk.length);
	bulk.fd = open_file(a->file, load, &created);
	if (bulk.fd < 0)
		return refuse_file(a->file, "open it", f);
	ret = check_file(a, load, bulk.fd, f);
	if (ret) {
		close(bulk.fd);
		return ret;
	}
	ret = load ? kv_bulk_load(&bulk) : kv_bulk_save(&bulk);
	if (ret)
		refuse_move(s, a, load, &bulk, ret, f);
	if (ret && created)
		unlink(a->file);
	/* Some file systems report only at close() that they are full. */
	if (close(bulk.fd) && !ret)
		return refuse_file(a->file, "close it", f);
	if (ret)
		return f->error;
	if (load && !bulk.moved)
		return kv_fault_set(f, -ENODATA, "file '%s' has no byte from %llu on", a->file,
				    (unsigned long long)a->file_offset);
	kv_object_begin(s, KV_BUF, a->given.id, result);
	kv_out_put_string(result, "file", a->file);
	kv_out_put_count(result, "file_offset", a->file_offset);
	kv_out_put_count(result, "offset", a->offset);
	kv_out_put_count(result, "length", bulk.moved);
	return 0;
}

#define ARGS .id = KV_ID_MUST, .type = KV_BUF, .size = sizeof(struct content_args)

const struct kv_command kv_buf_commands[] = {
	{ "write", "puts content into the buffer", ARGS, .key = write_key, .fn = buf_write },
	{ "read", "prints the buffer's content",
	  "As text, zeros at the end are left out, and bytes that can't be printed are written as \\xNN.",
	  ARGS, .key = read_key, .fn = buf_read, .print = kv_text_content },
	{ "load", "fills the buffer from a file, of any size", ARGS, .key = move_key,
	  .op = KV_OP_BUF_WRITE, .fn = move, .print = kv_text_object },
	{ "save", "writes the buffer to a file, of any size", ARGS, .key = move_key,
	  .op = KV_OP_BUF_READ, .fn = move, .print = kv_text_object },
	{ .name = NULL },
};
