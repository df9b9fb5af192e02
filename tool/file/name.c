// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "file/name.h"

/*
 * The next character of a text in UTF-8 (RFC 3629, table in section 4): no byte
 * that can't be, nothing that could be written shorter, no surrogates.
 * Return: its bytes; 0: it is none.
 */
static unsigned int take_char(const unsigned char *text, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned int n;

	if (*text < 0x80) {
		*c = *text;
		return 1;
	}
	n = *text >= 0xf0 ? 4 : *text >= 0xe0 ? 3 : 2;
	if (*text < 0xc2 || *text > 0xf4)
		return 0;
	*c = *text & (0x7f >> n);
	for (unsigned int i = 1; i < n; i++) {
		/* The end of the text is none of these. */
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (text[i] & 0x3f);
	}
	if (*c < least[n] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
		return 0;
	return n;
}

/* Neither a control character nor one that makes a terminal show other text. */
static bool is_printable(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} bad[] = {
		{ 0x00, 0x1f },
		{ 0x7f, 0x9f },
		{ 0x200b, 0x200f }, /* of no width, direction */
		{ 0x2028, 0x202e }, /* ends of lines, direction */
		{ 0x2060, 0x206f }, /* direction */
		{ 0xfeff, 0xfeff }, /* byte order mark */
		{ 0xfff0, 0xffff }, /* none, and what stands for none */
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (c >= bad[i].first && c <= bad[i].last)
			return false;
	}
	return true;
}

static int refuse(struct kv_why *why, const char *reason)
{
	snprintf(why->text, sizeof(why->text), "%s", reason);
	return -EINVAL;
}

/**
 * kv_file_name_check() - can a file of a server be called so?
 * @name: the name
 * @why: receives why not, without what is bad of it
 *
 * A name in one folder: no path, nothing hidden, 1 to KV_FILE_NAME_MAX bytes of
 * UTF-8 that can be printed.
 *
 * Return: 0 or -EINVAL.
 */
int kv_file_name_check(const char *name, struct kv_why *why)
{
	size_t length = strlen(name);
	unsigned int n;
	uint32_t c;

	if (!length)
		return refuse(why, "is empty");
	if (length > KV_FILE_NAME_MAX)
		return refuse(why, "is longer than 255 bytes");
	if (strchr(name, '/'))
		return refuse(why, "has a '/': it takes a file's name, not a path");
	if (*name == '.')
		return refuse(why, "begins with a dot, as hidden files do");
	for (; *name; name += n) {
		n = take_char((const unsigned char *)name, &c);
		if (!n)
			return refuse(why, "is no UTF-8");
		if (!is_printable(c))
			return refuse(why, "has a character that can't be printed");
	}
	return 0;
}
