// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/columns.h"
#include "cli/wrap.h"

/* Texts in lines of a width. */

/* Of a text on standard output, also if that is no terminal. */
#define WIDTH 80

static bool is_unit(const char *word)
{
	static const char *const units[] = {
		"ns", "us", "\xc2\xb5s", "ms", "s", "B", "KiB", "MiB", "GiB", "%",
	};
	size_t n = strcspn(word, " \n"), whole = strcspn(word, " \n],;:)");

	for (unsigned int i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (whole == strlen(units[i]) && !strncmp(word, units[i], whole) && n - whole < 3)
			return true;
	return false;
}

/* The length of a word, and of the unit behind a number: a line does not end between the two. */
static int length_of(const char *text)
{
	size_t n = strcspn(text, " \n");

	if (n && isdigit((unsigned char)text[n - 1]) && text[n] == ' ' && is_unit(text + n + 1))
		n += 1 + strcspn(text + n + 1, " \n");
	return (int)n;
}

/**
 * kv_wrap_to() - print a text in lines of a width, all at once: stderr has no buffer
 * @text: the text; a newline in it ends a line
 * @indent: indent of all lines but the first, in columns
 * @column: column in which the first line begins
 * @width: columns; the last one stays empty
 */
void kv_wrap_to(FILE *to, const char *text, int indent, int column, int width)
{
	char *lines = NULL;
	size_t size;
	FILE *memory = open_memstream(&lines, &size), *out = memory ?: to;
	int first = 1;

	while (*text) {
		int length = length_of(text);
		int columns = (int)kv_columns_of(text, (size_t)length);

		if (!first && columns >= width - column - 1) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
			first = 1;
		}
		fprintf(out, "%s%.*s", first ? "" : " ", length, text);
		column += columns + !first;
		first = 0;
		text += length;
		if (*text == '\n') {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
			first = 1;
		}
		text += *text != '\0';
	}
	fputc('\n', out);
	if (!memory)
		return;
	fclose(memory);
	fputs(lines, to);
	free(lines);
}

/**
 * kv_wrap() - print a text in lines of up to 79 columns, or of a narrower terminal's width
 * @text: as in kv_wrap_to()
 */
void kv_wrap(const char *text, int indent, int column)
{
	int width = (int)kv_columns(STDOUT_FILENO, WIDTH);

	kv_wrap_to(stdout, text, indent, column, width < WIDTH ? width : WIDTH);
}

/**
 * kv_wrap_row() - print a word, and its meaning beside it
 * @column: column in which the meaning begins
 */
void kv_wrap_row(const char *left, const char *right, int column)
{
	int n = printf("  %s", left);

	if (n > column - 2) {
		putchar('\n');
		n = 0;
	}
	printf("%*s", column - n, "");
	kv_wrap(right, column, column);
}
