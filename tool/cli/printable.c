// SPDX-License-Identifier: MIT
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/parse.h"

/* Checks text of other hosts that is printed on a terminal: file names, and messages of a peer. */

/*
 * The next character of a text in UTF-8 (RFC 3629, table in section 4): refuses invalid bytes,
 * overlong forms and surrogates. Return: its length in bytes; 0: it is no valid character.
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
		/* The zero byte at the end of the text fails this check, too. */
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (text[i] & 0x3f);
	}
	if (*c < least[n] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
		return 0;
	return n;
}

/*
 * Neither a control character nor a character that makes a terminal show other text: these are
 * the ends of lines and of embedding, and the characters that are not shown at all: Unicode's
 * Default_Ignorable_Code_Point (DerivedCoreProperties.txt).
 */
static bool is_printable(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} bad[] = {
		{ 0x00, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f }, { 0x61c, 0x61c },
		{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe0fff }, { 0x2800, 0x2800 }, { 0x13430, 0x1345f },
		{ 0x16fe4, 0x16fe4 }, { 0xfdd0, 0xfdef },
		{ 0xfff0, 0xffff }, /* noncharacters, and characters that stand for none */
	};

	/* The last two of each plane are noncharacters. */
	if ((c & 0xfffe) == 0xfffe)
		return false;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (c >= bad[i].first && c <= bad[i].last)
			return false;
	}
	return true;
}

/**
 * kv_printable_check() - look for characters that a terminal must not get
 *
 * Return: NULL, or the reason of a refusal, such as "is no UTF-8".
 */
const char *kv_printable_check(const char *text)
{
	unsigned int n;
	uint32_t c;

	for (; *text; text += n) {
		n = take_char((const unsigned char *)text, &c);
		if (!n)
			return "is no UTF-8";
		if (!is_printable(c))
			return "has a character that can't be printed";
	}
	return NULL;
}
