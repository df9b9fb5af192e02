/* SPDX-License-Identifier: MIT */
#ifndef KV_OUT_VIEW_FIELD_H
#define KV_OUT_VIEW_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <json-c/json.h>
#include "model/backend.h"

/**
 * struct kv_view_field - what there is to tell of a device: a member of struct
 * kv_dev, or a bit of one
 * @group: heading that it is the first one below; NULL: below the same as the
 *	one before
 * @key: in JSON
 * @head: in text
 * @offset: of the member
 * @size: of the member: 4 and 8 are numbers, others are text
 * @bit: the one that is meant, told as yes or no; 0: the whole number
 * @format: writes the number; NULL: as it is
 * @as_text: the number is written so in JSON, too
 * @kernel_only: user space has no such thing
 */
struct kv_view_field {
	const char *group;
	const char *key;
	const char *head;
	size_t offset;
	size_t size;
	uint32_t bit;
	void (*format)(char *text, size_t size, uint64_t value);
	bool as_text;
	bool kernel_only;
};

/* All of them, in the order in which they are shown; the last one has no key. */
extern const struct kv_view_field kv_view_fields[];

struct json_object *kv_view_field_describe(const struct kv_view_field *f,
					   const struct kv_dev *dev);
void kv_view_field_format(const struct kv_view_field *f, char *text,
			  size_t size, struct json_object *value);

#endif
