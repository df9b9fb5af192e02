// SPDX-License-Identifier: MIT
#include <errno.h>
#include "hand/object.h"
#include "hand/text.h"
#include "out.h"

static int flush(struct kv_session *s, const void *args,
		 struct json_object *result, struct kv_fault *f)
{
	uint32_t flushed = 0, kept = 0;
	int ret;

	(void)args;
	ret = s->b->ops->flush(s->b, &flushed, &kept);
	if (ret)
		return kv_session_refuse(s, ret, f);
	kv_out_put_count(result, "flushed", flushed);
	kv_out_put_count(result, "kept", kept);
	return 0;
}

static const struct kv_command commands[] = {
	{ "", "destroys all that is persistent",
	  "Objects of a batch, or of a measurement, keep the persistent ones that they use; 'kept' counts these.",
	  .key = kv_no_key, .size = sizeof(struct kv_given), .fn = flush,
	  .print = kv_text_line },
	{ .name = NULL },
};

const struct kv_noun kv_noun_flush = {
	"flush", "destroys all that is persistent", false, commands,
};
