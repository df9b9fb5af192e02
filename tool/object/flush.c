// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include "object/object.h"
#include "object/text.h"
#include "out/out.h"

/* Objects of one type that are to be destroyed. */
struct found {
	bool persistent;
	uint32_t *id;
	size_t n;
	size_t room;
};

static void begin_list(void *arg)
{
	((struct found *)arg)->n = 0;
}

static int add_id(const union kv_object *object, void *arg)
{
	struct found *found = arg;

	/* All types begin with the same members. */
	if (object->pd.persistent != found->persistent)
		return 0;
	if (found->n == found->room) {
		size_t room = found->room ? 2 * found->room : 16;
		uint32_t *id = realloc(found->id, room * sizeof(*id));

		if (!id)
			return -ENOMEM;
		found->id = id;
		found->room = room;
	}
	found->id[found->n++] = object->id;
	return 0;
}

static uint32_t destroy_type(struct kv_session *s, enum kv_type type, bool persistent)
{
	struct found found = { .persistent = persistent };
	uint32_t destroyed = 0;
	uint64_t ns;

	kv_object_each(s, type, begin_list, add_id, &found);
	for (size_t i = 0; i < found.n; i++)
		destroyed += !kv_op_del(s->b, type, found.id[i], &ns);
	free(found.id);
	return destroyed;
}

/**
 * kv_flush_each() - destroy objects one by one, so that each verb is traced
 * @persistent: true: all persistent objects; false: the objects that die with the session
 *
 * Objects that can't be listed or destroyed are left to the caller's last step.
 *
 * Return: how many were destroyed.
 */
uint32_t kv_flush_each(struct kv_session *s, bool persistent)
{
	uint32_t destroyed = 0;

	/* An object is destroyed before the objects that it uses. */
	for (unsigned int type = KV_TYPES; type-- > 0;)
		destroyed += destroy_type(s, (enum kv_type)type, persistent);
	return destroyed;
}

static int flush(struct kv_session *s, const void *args,
		 struct json_object *result, struct kv_fault *f)
{
	struct kv_flushed gone;
	uint32_t each = 0;
	int ret;

	if (s->trace && s->space == KV_SPACE_KERNEL)
		each = kv_flush_each(s, true);
	ret = kv_op_flush(s->b, NULL, &gone, NULL);
	if (ret)
		return kv_session_refuse(s, ret, f);
	kv_out_put_count(result, "flushed", each + gone.flushed);
	kv_out_put_count(result, "busy", gone.busy);
	return s->space == KV_SPACE_KERNEL ? kv_object_forget(s, f) : 0;
}

KV_NOUN_COMMAND(flush, "destroys all persistent objects", false,
		"Persistent objects that a batch or a measurement uses stay; 'busy' is their number.",
		.fn = flush, .print = kv_text_line);
