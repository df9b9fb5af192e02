// SPDX-License-Identifier: MIT
/* usage: backend DEV: holds the backends of both spaces against backend.h. Ends with 1 if one does not comply. */
#include <stdio.h>
#include "content.h"
#include "lists.h"
#include "start.h"

/* The fault in it; NULL: none. */
static const char *hold(const struct kv_site *space)
{
	const char *wrong = lists_end_when_told(space->b, space->dev.name);

	if (!wrong)
		wrong = content_stays_in_its_buffer(space->b, space->dev.name);
	if (!wrong)
		wrong = failed_start_holds_nothing(space);
	return wrong ? wrong : runs_are_refused(space);
}

int main(int argc, char **argv)
{
	static const enum kv_space_id id[] = { KV_SPACE_KERNEL, KV_SPACE_USER };
	int status = 0;

	if (argc != 2)
		return 2;
	for (unsigned int i = 0; i < 2; i++) {
		struct kv_fault f = { 0 };
		struct kv_site space;
		const char *wrong;

		if (kv_site_open(&space, id[i], argv[1], 1, -1, &f)) {
			kv_fault_print(&f);
			return 1;
		}
		wrong = hold(&space);
		if (wrong) {
			fprintf(stderr, "%s space: %s\n", space.b->ops->space, wrong);
			status = 1;
		}
		kv_site_close(&space);
	}
	return status;
}
