// SPDX-License-Identifier: MIT
#include <string.h>
#include "model/shape.h"

const struct kv_object_row kv_object_rows[KV_TYPES] = {
#define OBJECT(TYPE, type, list, ...)						\
	[KV_##TYPE] = { .init = &kv_shape_##type##_init, .shape = &kv_shape_##type, __VA_ARGS__ },
#include "model/objects.def"
#undef OBJECT
};

const struct kv_op_row kv_op_rows[KV_OPS] = {
#define OP(NAME, name, in_, out_, about_, ...)					\
	[KV_OP_##NAME] = { .about = about_, .in = &kv_shape_##in_,		\
			   .out = &kv_shape_##out_, ##__VA_ARGS__ },
#include "model/ops.def"
};

/**
 * kv_member_find() - look for a member of a struct
 * @shape: of the struct
 * @name: as it stands in the struct
 *
 * Return: its row, or NULL.
 */
const struct kv_member *kv_member_find(const struct kv_shape *shape, const char *name)
{
	for (unsigned int i = 0; i < shape->members; i++) {
		if (!strcmp(shape->member[i].name, name))
			return &shape->member[i];
	}
	return NULL;
}
