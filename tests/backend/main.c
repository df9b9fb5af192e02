// SPDX-License-Identifier: MIT
/* usage: backend DEV: holds the backends of both spaces against backend.h. Ends with 1 if one does not comply. */
#include <stdio.h>
#include "content.h"
#include "lists.h"

/* What is wrong with it; NULL: nothing. */
static const char *hold(struct kv_backend *b, const char *dev)
{
	const char *wrong = lists_end_when_told(b, dev);

	return wrong ? wrong : content_stays_in_its_buffer(b, dev);
}

int main(int argc, char **argv)
{
	static int (*const opens[])(struct kv_backend **b, char *err, size_t size) = {
		kv_backend_kern_open, kv_backend_user_open,
	};
	int status = 0;

	if (argc != 2)
		return 2;
	for (unsigned int i = 0; i < 2; i++) {
		struct kv_backend *b;
		char err[256];
		const char *wrong;

		if (opens[i](&b, err, sizeof(err))) {
			fprintf(stderr, "%s\n", err);
			return 1;
		}
		wrong = hold(b, argv[1]);
		if (wrong) {
			fprintf(stderr, "%s space: %s\n", b->ops->space, wrong);
			status = 1;
		}
		b->ops->close(b);
	}
	return status;
}
