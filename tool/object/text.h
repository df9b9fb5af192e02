/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include <json-c/json.h>
#include "cli/parse.h"

/* Documents as text: the keys of the commands, each followed by its value, in iproute2's style. */

void kv_text_pairs(char *text, size_t size, struct json_object *obj, const char *begin,
		   const char *glue);
void kv_text_value(char *text, size_t size, const char *key, struct json_object *value);
void kv_text_flags(char *text, size_t size, const struct kv_enum *table, uint32_t flags);
void kv_text_print(FILE *out, struct json_object *doc);

/* For struct kv_command.print. */
void kv_text_object(FILE *out, const char *noun, struct json_object *result);
void kv_text_line(FILE *out, const char *noun, struct json_object *result);
void kv_text_plain(FILE *out, const char *noun, struct json_object *result);
void kv_text_completions(FILE *out, const char *noun, struct json_object *result);
void kv_text_content(FILE *out, const char *noun, struct json_object *result);
void kv_text_refused(FILE *out, const char *noun, struct json_object *result);
