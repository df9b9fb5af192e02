// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "model/shape.h"
#include "object/users.h"

/* So many are named; more would not help. */
#define NAMED 8

struct search {
	struct kv_session *s;
	enum kv_type type; /* what is used */
	uint32_t id;
	enum kv_type by; /* what is looked at */
	char text[512];
	unsigned int found;
};

static bool uses(enum kv_type by, const union kv_object *o, enum kv_type type, uint32_t id)
{
	static const struct kv_shape *const shapes[KV_TYPES] = {
#define OBJECT(TYPE, type, ...) [KV_##TYPE] = &kv_shape_##type,
#include "model/objects.def"
#undef OBJECT
	};
	const struct kv_shape *shape = shapes[by];

	for (unsigned int i = 0; i < shape->members; i++) {
		const struct kv_member *m = &shape->member[i];

		if (m->refers == 1U + type &&
		    *(const uint32_t *)((const char *)o + m->offset) == id)
			return true;
	}
	return false;
}

static int look_at(const union kv_object *object, void *arg)
{
	struct search *x = arg;
	const char *name = kv_names_of(&x->s->names, x->by, object->id);
	size_t used = strlen(x->text);

	if (!uses(x->by, object, x->type, x->id) || x->found++ >= NAMED)
		return 0;
	snprintf(x->text + used, sizeof(x->text) - used, "%s%s %u%s%s%s",
		 used ? ", " : "", kv_word_name(kv_word_type, x->by), object->id,
		 name ? " (" : "", name ? name : "", name ? ")" : "");
	return 0;
}

/**
 * kv_users_name() - say who uses an object that can't be destroyed
 * @s: the session
 * @type: of the object
 * @id: of the object
 * @f: has the backend's reason; receives a better one if a user of it can be seen
 *
 * What can't be seen, another tool's objects above all, leaves the reason as it is.
 */
void kv_users_name(struct kv_session *s, enum kv_type type, uint32_t id,
		   struct kv_fault *f)
{
	struct search x = { .s = s, .type = type, .id = id };

	for (x.by = KV_PD; x.by < KV_TYPES; x.by++)
		if (s->b->ops->each(s->b, x.by, look_at, &x))
			return;
	if (!x.found)
		return;
	if (x.found > NAMED)
		kv_fault_set(f, -EBUSY, "%s %u is in use by %s and %u more: delete these first",
			     kv_word_name(kv_word_type, type), id, x.text,
			     x.found - NAMED);
	else
		kv_fault_set(f, -EBUSY, "%s %u is in use by %s: delete %s first",
			     kv_word_name(kv_word_type, type), id, x.text,
			     x.found > 1 ? "these" : "that");
}
