/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>

/**
 * struct kv_prose - lines of text for a person
 * @to: where the lines come to
 * @out: where the lines are written to
 * @text: the lines, once @out is closed
 * @size: bytes of @text
 */
struct kv_prose {
	FILE *to;
	FILE *out;
	char *text;
	size_t size;
};

FILE *kv_prose_begin(struct kv_prose *p, FILE *to);
void kv_prose_end(struct kv_prose *p);
