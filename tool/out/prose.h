/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>

/* Lines of text for a person. */
struct kv_prose {
	FILE *to; /* gets the lines at the end: stdout or stderr */
	FILE *out; /* the caller writes the lines here */
	char *text; /* the lines, once @out is closed */
	size_t size; /* bytes of @text */
};

FILE *kv_prose_begin(struct kv_prose *p, FILE *to);
void kv_prose_end(struct kv_prose *p);
void kv_prose_print(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
