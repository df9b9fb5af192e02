/* SPDX-License-Identifier: MIT */
#ifndef KV_MODEL_ROW_H
#define KV_MODEL_ROW_H

#include "cli/parse.h"
#include "model/shape.h"

/*
 * Short initialisers of struct kv_member, for the files that describe the model's structs. They
 * define S, the struct whose rows follow.
 */

/* The largest value of a number that has no limit of its own. */
#define ANY UINT32_MAX

#define A(name) .attr = KVERBS_A_##name
#define BEYOND(number) .attr = KV_ATTR_BEYOND + (number)
#define KNOWN(text) .known = text
#define UNLESS_0 .when = KV_WHEN_NONZERO
#define UNLESS_NEGATIVE .when = KV_WHEN_NOT_NEGATIVE
#define IF(field) .when = KV_WHEN_HAS, .beside = offsetof(S, field)
#define UNLESS_0_AND(field) .when = KV_WHEN_NONZERO_OR_NO, .beside = offsetof(S, field)
#define UNLESS_0_AND_NO(field) .when = KV_WHEN_NONZERO_OR, .beside = offsetof(S, field)
#define AMONG(field, values)						\
	.when = KV_WHEN_AMONG, .beside = offsetof(S, field), .among = values
#define BIT(of_mask) .bit = of_mask
#define ENUM(table) .form = KV_FORM_ENUM, .names = kv_enum_##table
#define FLAGS(table) .form = KV_FORM_FLAGS, .names = kv_enum_##table
#define NAMED(table) .form = KV_FORM_NAMED, .names = kv_enum_##table
#define SIZE .form = KV_FORM_SIZE
#define CM_STATUS .form = KV_FORM_CM_STATUS, TOLD_UNLESS_0
#define COUNTED .form = KV_FORM_COUNTED
#define TOLD .tell = KV_TELL_ALWAYS
#define UNTOLD .tell = KV_TELL_NEVER
#define TOLD_UNLESS_0 .tell = KV_TELL_NONZERO
#define TOLD_IF(field) .tell = KV_TELL_BESIDE, .beside = offsetof(S, field)
#define TOLD_AMONG(field, values)					\
	.tell = KV_TELL_AMONG, .beside = offsetof(S, field), .among = values
#define CALLED(word) .key = word
#define KEY(text) .help = text
#define MUST(text) .help = text, .must = true
#define PRESET(number) .preset = number

/* The shape of struct kv_NAME; the further arguments are its rows. */
#define SHAPE(name, ...)							\
	const struct kv_shape kv_shape_##name =					\
		KV_SHAPE(struct kv_##name, ((const struct kv_member[]){ __VA_ARGS__ }))

/* The first members of an object, and the device of its parameters. */
#define HEAD(TYPE, type)							\
	KV_U32(S, id, ANY, A(TYPE##_ID), KNOWN(type), UNTOLD),		\
	KV_TEXT(S, dev, A(TYPE##_DEV), KNOWN("device"), UNTOLD),		\
	KV_BOOL(S, persistent, A(TYPE##_PERSISTENT), UNTOLD)
#define DEV(name)								\
	KV_TEXT_AT(S, dev, 64, A(name), KNOWN("device"), CALLED("dev"), UNTOLD,	\
		   KEY("device; default: that of --dev, or the only one there is"))

#endif
