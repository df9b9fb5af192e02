// SPDX-License-Identifier: MIT
#include <string.h>
#include "model/shape.h"

const struct kv_object_row kv_object_rows[KV_TYPES] = {
#define OBJECT(TYPE, type, list, ...)						\
	[KV_##TYPE] = { .init = &kv_shape_##type##_init, .shape = &kv_shape_##type, __VA_ARGS__ },
#include "model/objects.def"
};

const struct kv_op_row kv_op_rows[KV_OPS] = {
#define OP(NAME, name, in_, out_, about_, ...)					\
	[KV_OP_##NAME] = { .about = about_, .in = &kv_shape_##in_,		\
			   .out = &kv_shape_##out_, ##__VA_ARGS__ },
#include "model/ops.def"
};

const uint8_t kv_op_commands[KV_OPS] = {
#define OP(NAME, ...) [KV_OP_##NAME] = KVERBS_CMD_##NAME,
#define OWN(...)
#include "model/ops.def"
};

/**
 * kv_member_find() - look for a member of a struct
 * @name: name of the member in the struct
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

/**
 * kv_member_is_zero() - is a member 0, false or ""?
 * @m: the member: a number, a bool or a text
 */
bool kv_member_is_zero(const struct kv_member *m, const void *from)
{
	const char *at = (const char *)from + m->offset;

	switch (m->type) {
	case KV_MEMBER_U64:
		return !*(const uint64_t *)at;
	case KV_MEMBER_BOOL:
	case KV_MEMBER_TEXT:
		return !*at;
	default:
		return !*(const uint32_t *)at;
	}
}

/**
 * kv_member_lacks_zero() - is a number left out of messages to another host if it is 0?
 *
 * Without these a run with the most ends fits into a message.
 *
 * Return: true for numbers that a request to the module lacks, too, if they are 0.
 */
bool kv_member_lacks_zero(const struct kv_member *m)
{
	return m->when == KV_WHEN_NONZERO &&
	       (m->type == KV_MEMBER_U32 || m->type == KV_MEMBER_U64);
}

static uint32_t beside(const struct kv_member *m, const char *from)
{
	return *(const uint32_t *)(from + m->beside);
}

/**
 * kv_member_is_given() - does a struct give a value to its member?
 * @all: a default value counts as given, too
 *
 * Return: true if kv_member.bit and kv_member.when say that it does.
 */
bool kv_member_is_given(const struct kv_shape *shape, const struct kv_member *m,
			const void *from, bool all)
{
	if (m->bit && !(*(const uint32_t *)((const char *)from + shape->mask) & m->bit))
		return false;
	switch (all && m->when != KV_WHEN_HAS ? KV_WHEN_ALWAYS : m->when) {
	case KV_WHEN_NONZERO:
		return !kv_member_is_zero(m, from);
	case KV_WHEN_NOT_NEGATIVE:
		return *(const int32_t *)((const char *)from + m->offset) >= 0;
	case KV_WHEN_HAS:
		return *(const bool *)((const char *)from + m->beside);
	case KV_WHEN_NONZERO_OR_NO:
		return !beside(m, from) || !kv_member_is_zero(m, from);
	case KV_WHEN_NONZERO_OR:
		return beside(m, from) || !kv_member_is_zero(m, from);
	case KV_WHEN_NONZERO_OR_HAS:
		return *(const bool *)((const char *)from + m->beside) ||
		       !kv_member_is_zero(m, from);
	case KV_WHEN_ALWAYS:
		break;
	}
	return m->type != KV_MEMBER_LIST || *(const uint32_t *)((const char *)from + m->count);
}

/**
 * kv_member_elements() - where the elements of a list are
 * @m: the list
 *
 * Return: the first element.
 */
const char *kv_member_elements(const struct kv_member *m, const void *from)
{
	const char *at = (const char *)from + m->offset;

	return m->elsewhere ? *(const char *const *)at : at;
}

/**
 * kv_shape_given() - the attributes that a struct gives
 *
 * Return: bits 1 << attribute, for the attributes below 32.
 */
uint32_t kv_shape_given(const struct kv_shape *shape, const void *from)
{
	uint32_t bits = 0;

	for (unsigned int i = 0; i < shape->members; i++)
		if (shape->member[i].attr && shape->member[i].attr < 32 &&
		    kv_member_is_given(shape, &shape->member[i], from, false))
			bits |= 1U << shape->member[i].attr;
	return bits;
}
