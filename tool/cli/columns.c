// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cli/columns.h"
#include "cli/parse.h"

/**
 * kv_columns_of() - the columns of a terminal that a text takes
 * @text: the text, in UTF-8
 * @bytes: its length
 *
 * Return: one for each character.
 */
unsigned int kv_columns_of(const char *text, size_t bytes)
{
	unsigned int n = 0;

	while (bytes--)
		n += (*text++ & 0xc0) != 0x80;
	return n;
}

/**
 * kv_columns() - the width of what is written to a file
 * @otherwise: the width if the file is no terminal
 *
 * Return: columns, 1 or more; $COLUMNS goes before all else.
 */
unsigned int kv_columns(int fd, unsigned int otherwise)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	struct kv_why why;
	uint64_t v;

	if (columns && !kv_parse_count(columns, 1, UINT16_MAX, &v, &why))
		return (unsigned int)v;
	if (!isatty(fd))
		return otherwise;
	return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : KV_COLUMNS_DEFAULT;
}
