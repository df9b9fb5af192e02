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
	if (b->ops->mr_write(b, mr, 0, there, LENGTH) ||
	    b->ops->mr_read(b, mr, 0, back, LENGTH) || memcmp(there, back, LENGTH))
		return "a buffer does not keep what is written";
	if (b->ops->mr_write(b, mr, LENGTH - 1, there, 2) != -EINVAL ||
	    b->ops->mr_read(b, mr, LENGTH - 1, back, 2) != -EINVAL)
		return "bytes beyond the end of a buffer are not refused as EINVAL";
	if (b->ops->mr_write(b, mr, 0, there, 0) != -ERANGE)
		return "writing no byte is not refused as ERANGE";
	if (b->ops->mr_read(b, mr, 0, back, 0) != -ERANGE)
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

	if (b->ops->pd_new(b, &pd_init, &pd, &ns))
		return "no PD can be made";
	mr_init.pd = pd.id;
	if (b->ops->mr_new(b, &mr_init, &mr, &ns)) {
		wrong = "no MR can be made";
	} else {
		wrong = move(b, mr.id);
		b->ops->del(b, KV_MR, mr.id, &ns);
	}
	b->ops->del(b, KV_PD, pd.id, &ns);
	return wrong;
}
