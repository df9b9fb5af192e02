// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "contract.h"

static void set_limit(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/kverbs/parameters/%s", name);
	if (!write_text(path, value))
		bail_out("%s: %s", path, strerror(errno));
}

void test_cap(void)
{
	struct kv_pd_init pd_init = { .dev = dev };
	struct kv_buf_init buf_init = { .dev = dev, .length = 65536 };
	uint32_t second, id;
	struct link l;

	link_open(&l);
	make_pd(&l);
	second = make_pd(&l);
	set_limit("max_objects", "2");
	refused(&l, call_new(&l.nl, KV_PD, &pd_init, NULL, NULL), -EDQUOT,
		"too many objects", "the cap on objects");
	must(&l, call_del(&l.nl, KV_PD, second, NULL), "delete");
	done(&l, call_new(&l.nl, KV_PD, &pd_init, NULL, NULL), "one goes, one can come");
	set_limit("max_objects", "65536");
	set_limit("max_bytes", "40000");
	refused(&l, call_new(&l.nl, KV_BUF, &buf_init, NULL, NULL), -EDQUOT,
		"too many bytes in buffers and queues: take fewer, or raise", "the cap on buffer memory");
	set_limit("max_bytes", "1073741824");
	id = make_buf(&l, 65536);
	done(&l, call_del(&l.nl, KV_BUF, id, NULL), "after that, memory is there again");
	result(snapshot(&l).live == 2, "objects that are there are counted");
	link_close(&l);
}
