/* SPDX-License-Identifier: MIT */
#ifndef KV_MODEL_ROW_H
#define KV_MODEL_ROW_H

#include "model/shape.h"

/*
 * Short initialisers of struct kv_member, for the files that describe the model's structs. They
 * define S, the struct whose rows follow.
 */

#define A(name) .attr = KVERBS_A_##name
#define KNOWN(text) .known = text
#define UNLESS_0 .when = KV_WHEN_NONZERO
#define UNLESS_NEGATIVE .when = KV_WHEN_NOT_NEGATIVE
#define IF(field) .when = KV_WHEN_HAS, .beside = offsetof(S, field)
#define UNLESS_0_AND(field) .when = KV_WHEN_NONZERO_OR_NO, .beside = offsetof(S, field)
#define UNLESS_0_AND_NO(field) .when = KV_WHEN_NONZERO_OR, .beside = offsetof(S, field)
#define AMONG(field, values)						\
	.when = KV_WHEN_AMONG, .beside = offsetof(S, field), .among = values
#define BIT(of_mask) .bit = of_mask

#endif
