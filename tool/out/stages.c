// SPDX-License-Identifier: MIT
#include <kverbs.h>
#include "cli/parse.h"
#include "out/out.h"

void kv_out_put_stages(struct json_object *obj, const char *key, const uint64_t *stage_ns)
{
	struct json_object *stages = NULL;

	for (unsigned int i = 0; i <= KVERBS_STAGE_MAX; i++) {
		if (!stage_ns[i])
			continue;
		if (!stages)
			stages = json_object_new_object();
		kv_out_put_count(stages, kv_enum_name(kv_enum_stage, i), stage_ns[i]);
	}
	if (stages)
		kv_out_put(obj, key, stages);
}
