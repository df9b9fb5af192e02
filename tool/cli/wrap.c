// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "cli/wrap.h"

/* Where lines end. */
#define WIDTH 80

/**
 * kv_wrap() - print a text in lines
 * @text: the text; a newline in it ends a line
 * @indent: of the lines but the first one, in columns
 * @column: where the first one begins
 */
void kv_wrap(const char *text, int indent, int column)
{
	int first = 1;

	while (*text) {
		int length = (int)strcspn(text, " \n");

		if (!first && column + 1 + length >= WIDTH) {
			printf("\n%*s", indent, "");
			column = indent;
			first = 1;
		}
		column += printf("%s%.*s", first ? "" : " ", length, text);
		first = 0;
		text += length;
		if (*text == '\n') {
			printf("\n%*s", indent, "");
			column = indent;
			first = 1;
		}
		text += *text != '\0';
	}
	putchar('\n');
}

/**
 * kv_wrap_row() - print a word, and what it means beside it
 * @left: the word
 * @right: what it means
 * @column: where that begins
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
