// SPDX-License-Identifier: MIT
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/columns.h"
#include "cli/wrap.h"
#include "out/prose.h"

/* The continuation of a line that is too long. */
#define INDENT 2

/**
 * kv_prose_begin() - begin to write lines that a terminal can't tear
 * @p: the text, to be ended by kv_prose_end()
 * @to: where the lines come to: stdout or stderr
 *
 * Return: where the lines are to be written to; each ends with a newline.
 */
FILE *kv_prose_begin(struct kv_prose *p, FILE *to)
{
	p->to = to;
	p->out = open_memstream(&p->text, &p->size);
	/* Without memory they are written as they are. */
	return p->out ? p->out : to;
}

/**
 * kv_prose_end() - write the lines
 *
 * Lines that are longer than the terminal is wide go on in the next line. If they don't come to a
 * terminal, they stay as they are.
 */
void kv_prose_end(struct kv_prose *p)
{
	/* stdout may be a text in memory, which comes to the terminal later. */
	int width = (int)kv_columns(p->to == stderr ? STDERR_FILENO : STDOUT_FILENO, INT_MAX);

	if (!p->out)
		return;
	fclose(p->out);
	for (char *line = p->text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		kv_wrap_to(p->to, line, INDENT, 0, width);
	}
	free(p->text);
}

/** kv_prose_print() - write lines that a terminal can't tear; the text ends with a newline */
void kv_prose_print(FILE *to, const char *fmt, ...)
{
	struct kv_prose p;
	va_list args;

	va_start(args, fmt);
	vfprintf(kv_prose_begin(&p, to), fmt, args);
	va_end(args);
	kv_prose_end(&p);
}
