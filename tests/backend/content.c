// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "content.h"

/* What every backend must do, the fake one of the unit tests, too. */

#define LENGTH 64

static const char *move(struct kv_backend *b, uint32_t mr)
{
	char there[LENGTH], back[LENGTH];

	memset(there, 0x5a, sizeof(there));
	if (kv_op_mr_write(b, &(struct kv_mr_write){ mr, 0, LENGTH, there }, NULL, NULL) ||
	    kv_op_mr_read(b, &(struct kv_mr_read){ mr, 0, LENGTH, back }, NULL, NULL) || memcmp(there, back, LENGTH))
		return "a buffer does not keep what is written";
	if (kv_op_mr_write(b, &(struct kv_mr_write){ mr, LENGTH - 1, 2, there }, NULL, NULL) != -EINVAL ||
	    kv_op_mr_read(b, &(struct kv_mr_read){ mr, LENGTH - 1, 2, back }, NULL, NULL) != -EINVAL)
		return "bytes beyond the end of a buffer are not refused as EINVAL";
	if (kv_op_mr_write(b, &(struct kv_mr_write){ mr, 0, 0, there }, NULL, NULL) != -ERANGE)
		return "writing no byte is not refused as ERANGE";
	if (kv_op_mr_read(b, &(struct kv_mr_read){ mr, 0, 0, back }, NULL, NULL) != -ERANGE)
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
	const struct kv_pd_init pd_init = { .dev = dev };
	struct kv_mr_init mr_init = { .length = LENGTH };
	const char *wrong;
	struct kv_pd pd;
	struct kv_mr mr;
	uint64_t ns;

	if (kv_op_pd_new(b, &pd_init, &pd, &ns))
		return "no PD can be made";
	mr_init.pd = pd.id;
	if (kv_op_mr_new(b, &mr_init, &mr, &ns)) {
		wrong = "no MR can be made";
	} else {
		wrong = move(b, mr.id);
		kv_op_del(b, KV_MR, mr.id, &ns);
	}
	kv_op_del(b, KV_PD, pd.id, &ns);
	return wrong;
}
