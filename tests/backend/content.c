// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "content.h"

/* What every backend must do, the fake one of the unit tests, too. */

#define LENGTH 64

static const char *move(struct kv_backend *b, uint32_t buf)
{
	char there[LENGTH], back[LENGTH];

	memset(there, 0x5a, sizeof(there));
	if (kv_op_buf_write(b, &(struct kv_buf_write){ buf, 0, LENGTH, there }, NULL, NULL) ||
	    kv_op_buf_read(b, &(struct kv_buf_read){ buf, 0, LENGTH, back }, NULL, NULL) ||
	    memcmp(there, back, LENGTH))
		return "a buffer does not keep what is written";
	if (kv_op_buf_write(b, &(struct kv_buf_write){ buf, LENGTH - 1, 2, there }, NULL, NULL) !=
	    -EINVAL ||
	    kv_op_buf_read(b, &(struct kv_buf_read){ buf, LENGTH - 1, 2, back }, NULL, NULL) !=
	    -EINVAL)
		return "bytes beyond the end of a buffer are not refused as EINVAL";
	if (kv_op_buf_write(b, &(struct kv_buf_write){ buf, 0, 0, there }, NULL, NULL) != -ERANGE)
		return "writing no byte is not refused as ERANGE";
	if (kv_op_buf_read(b, &(struct kv_buf_read){ buf, 0, 0, back }, NULL, NULL) != -ERANGE)
		return "reading no byte is not refused as ERANGE";
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
