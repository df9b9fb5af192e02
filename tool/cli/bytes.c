// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/bytes.h"
#include "cli/hex.h"

/**
 * kv_bytes_parse_hex() - read bytes of two hexadecimal digits each
 * @hex: what was typed
 * @bytes: receives them, half as many as @hex has digits
 * @why: receives why not
 *
 * Return: 0 or -EINVAL.
 */
int kv_bytes_parse_hex(const char *hex, uint8_t *bytes, struct kv_why *why)
{
	size_t n = strlen(hex);

	if (!n || n % 2) {
		snprintf(why->text, sizeof(why->text),
			 "is no bytes: each takes two digits");
		return -EINVAL;
	}
	for (size_t i = 0; i < n / 2; i++) {
		int high = kv_hex_digit(hex[2 * i]), low = kv_hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0) {
			snprintf(why->text, sizeof(why->text),
				 "is no bytes: '%.2s' is no hexadecimal number",
				 hex + 2 * i);
			return -EINVAL;
		}
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

/**
 * kv_bytes_text() - write bytes as text
 * @text: receives it, KV_BYTES_TEXT(@n) bytes: zeros at the end are left out, and
 *	what can't be printed is written as \xNN
 * @bytes: the bytes
 * @n: how many
 *
 * Return: how long the text is.
 */
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

/**
 * kv_bytes_hex() - write bytes as two hexadecimal digits each
 * @text: receives it, KV_BYTES_HEX(@n) bytes
 * @bytes: the bytes
 * @n: how many
 *
 * Return: how long the text is.
 */
size_t kv_bytes_hex(char *text, const uint8_t *bytes, size_t n)
{
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return 2 * n;
}
