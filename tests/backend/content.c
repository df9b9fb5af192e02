// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "content.h"

/* Rules for every backend, also for the fake one of the unit tests. */

#define LENGTH 64
#define NO_BYTE "length is 0: it must be 1 byte at least"

static int put(struct kv_backend *b, uint32_t buf, uint64_t offset, uint64_t length,
	       const void *data)
{
	const struct kv_buf_data in = { buf, offset, length, .from = data };

	return kv_op_buf_write(b, &in, NULL, NULL);
}

static int take(struct kv_backend *b, uint32_t buf, uint64_t offset, uint64_t length, void *data)
{
	const struct kv_buf_data in = { buf, offset, length, .into = data };

	return kv_op_buf_read(b, &in, NULL, NULL);
}

static const char *move(struct kv_backend *b, uint32_t buf)
{
	char there[LENGTH], back[LENGTH];

	memset(there, 0x5a, sizeof(there));
	if (put(b, buf, 0, LENGTH, there) || take(b, buf, 0, LENGTH, back) ||
	    memcmp(there, back, LENGTH))
		return "a buffer does not keep what is written";
	if (put(b, buf, LENGTH - 1, 2, there) != -EINVAL ||
	    take(b, buf, LENGTH - 1, 2, back) != -EINVAL)
		return "bytes beyond the end of a buffer are not refused as EINVAL";
	if (put(b, buf, 0, 0, there) != -ERANGE || strcmp(b->err, NO_BYTE))
		return "writing no byte is not refused as ERANGE, by the text of the rule";
	if (take(b, buf, 0, 0, back) != -ERANGE || strcmp(b->err, NO_BYTE))
		return "reading no byte is not refused as ERANGE, by the text of the rule";
	return NULL;
}

/**
 * content_stays_in_its_buffer() - hold how a backend reads and writes buffers against backend.h
 * @b: the backend
 * @dev: a device of its space
 *
 * Return: NULL, or what is wrong.
 */
const char *content_stays_in_its_buffer(struct kv_backend *b, const char *dev)
{
	const struct kv_buf_init init = { .dev = dev, .length = LENGTH };
	const char *wrong;
	struct kv_buf buf;

	if (kv_op_buf_new(b, &init, &buf, NULL))
		return "no buffer can be made";
	wrong = move(b, buf.id);
	kv_op_del(b, KV_BUF, buf.id, NULL);
	return wrong;
}
