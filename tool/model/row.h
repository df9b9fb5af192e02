/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/parse.h"
#include "model/shape.h"

/* Short initialisers of struct kv_member, for lists of rows. @of: struct kv_OF has the rows. */

/* The largest value of a number that has no limit of its own. */
#define ANY UINT32_MAX

/* The largest errno of Linux (MAX_ERRNO). */
#define ERRNO_MAX 4095

#define A(name) .attr = KVERBS_A_##name
#define BEYOND(number) .attr = KV_ATTR_BEYOND + (number)
#define KNOWN(text) .known = text
#define UNLESS_0 .when = KV_WHEN_NONZERO
#define UNLESS_NEGATIVE .when = KV_WHEN_NOT_NEGATIVE
#define IF(of, field) .when = KV_WHEN_HAS, .beside = offsetof(struct kv_##of, field)
#define UNLESS_0_AND(of, field)						\
	.when = KV_WHEN_NONZERO_OR_NO, .beside = offsetof(struct kv_##of, field)
#define UNLESS_0_AND_NO(of, field)					\
	.when = KV_WHEN_NONZERO_OR, .beside = offsetof(struct kv_##of, field)
#define UNLESS_0_AND_NOT(of, flag)						\
	.when = KV_WHEN_NONZERO_OR_HAS, .beside = offsetof(struct kv_##of, flag)
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
#define TOLD_WITH(of, field) .tell = KV_TELL_WITH, .beside = offsetof(struct kv_##of, field)
#define TOLD_IF(of, field) .tell = KV_TELL_BESIDE, .beside = offsetof(struct kv_##of, field)
#define TOLD_AMONG(of, field, values)					\
	.tell = KV_TELL_AMONG, .beside = offsetof(struct kv_##of, field), .among = values
#define CALLED(word) .key = word
#define KEY(text) .help = text
#define MUST(text) .help = text, .must = true
#define LIMIT(field) .limit = #field
#define PRESET(number) .preset = number
