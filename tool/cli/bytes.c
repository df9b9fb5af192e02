// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "cli/parse.h"

int kv_parse_hex(const char *hex, uint8_t *bytes, struct kv_why *why)
{
	size_t n = strlen(hex);

	if (!n || n % 2)
		return kv_why_set(why, "is no list of bytes: each byte takes two digits");
	for (size_t i = 0; i < n; i += 2) {
		int high = kv_hex_digit(hex[i]), low = kv_hex_digit(hex[i + 1]);

		if (high < 0 || low < 0)
			return kv_why_set(why, "is no list of bytes: '%.2s' is no hexadecimal number", hex + i);
		bytes[i / 2] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

size_t kv_bytes_text(char *text, const uint8_t *bytes, size_t n)
{
	size_t used = 0;

	while (n && !bytes[n - 1])
		n--;
	for (size_t i = 0; i < n; i++) {
		uint8_t c = bytes[i];

		if ((c >= ' ' && c < 0x7f) || c == '\n' || c == '\t')
			text[used++] = (char)c;
		else
			used += (size_t)sprintf(text + used, "\\x%02x", c);
	}
	text[used] = '\0';
	return used;
}

size_t kv_bytes_hex(char *text, const uint8_t *bytes, size_t n)
{
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return 2 * n;
}
