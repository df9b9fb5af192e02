/* SPDX-License-Identifier: MIT */
#ifndef KV_TESTS_PRINTED_H
#define KV_TESTS_PRINTED_H

/* What is printed on stdout, where that is a terminal of some columns, as a text. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "test.h"

struct printed {
	FILE *file;
	int old;
};

static inline void printed_begin(struct printed *p, const char *columns)
{
	p->file = tmpfile();
	fflush(stdout);
	p->old = dup(STDOUT_FILENO);
	assert_true(p->old >= 0 && dup2(fileno(p->file), STDOUT_FILENO) == STDOUT_FILENO);
	setenv("COLUMNS", columns, 1);
}

/* The caller frees the text. */
static inline char *printed_end(struct printed *p)
{
	char *text;
	size_t n;

	fflush(stdout);
	unsetenv("COLUMNS");
	assert_true(dup2(p->old, STDOUT_FILENO) == STDOUT_FILENO);
	close(p->old);
	n = (size_t)ftell(p->file);
	text = calloc(1, n + 1);
	rewind(p->file);
	assert_int_equal(fread(text, 1, n, p->file), n);
	fclose(p->file);
	return text;
}

#endif
