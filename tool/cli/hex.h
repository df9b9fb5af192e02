/* SPDX-License-Identifier: MIT */
#ifndef KV_CLI_HEX_H
#define KV_CLI_HEX_H

/**
 * kv_hex_digit() - the value of a hexadecimal digit
 * @c: the digit, in either case
 *
 * Return: 0 .. 15; -1: it is none.
 */
static inline int kv_hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) % 16 : -1;
}

#endif
