// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "out/unit.h"

/*
 * The unit of printed durations. In a guest that counts instructions, each instruction takes a
 * nanosecond (QEMU's -icount with a shift of 0): the guest has no other time.
 */

/**
 * kv_unit_counts() - is this a guest that counts instructions?
 *
 * A guest can't find out by itself: the script that runs it (scripts/vm --det) sets a variable.
 */
bool kv_unit_counts(void)
{
	const char *what = getenv("KVERBS_COUNTS");

	return what && !strcmp(what, "instructions");
}

/** kv_unit_name() - the name of the unit */
const char *kv_unit_name(void)
{
	return kv_unit_counts() ? "instructions" : "\xc2\xb5s";
}

/**
 * kv_unit_of() - a duration in the unit of kv_unit_name()
 * @ns: nanoseconds
 */
double kv_unit_of(double ns)
{
	return kv_unit_counts() ? ns : ns / 1e3;
}

/* Are the @n digits at @at a whole number, or that part of one that stands before its point? */
static bool is_whole(const char *text, const char *at, size_t n)
{
	int before = at > text ? at[-1] : ' ';

	return !isalnum(before) && before != '.' && !isalnum(at[n]);
}

/**
 * kv_unit_group() - part the thousands of large numbers for a reader, as in 12,345
 * @text: the text; numbers of fewer than five digits, in hexadecimal or behind a point stay
 * @size: bytes of @text; a number that has no room for its commas stays, too
 */
void kv_unit_group(char *text, size_t size)
{
	size_t n;

	for (char *at = text; *at; at += n ? n : 1) {
		n = strspn(at, "0123456789");
		if (n < 5 || !is_whole(text, at, n) || strlen(text) + (n - 1) / 3 >= size)
			continue;
		for (char *comma = at + n - 3; comma > at; comma -= 3, n++) {
			memmove(comma + 1, comma, strlen(comma) + 1);
			*comma = ',';
		}
	}
}

/**
 * kv_unit_count() - a count for a reader, see KV_COUNT()
 * @text: receives it, with its thousands parted
 *
 * Return: @text
 */
const char *kv_unit_count(char *text, size_t size, uint64_t count)
{
	snprintf(text, size, "%llu", (unsigned long long)count);
	kv_unit_group(text, size);
	return text;
}
