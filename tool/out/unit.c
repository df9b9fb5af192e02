// SPDX-License-Identifier: MIT
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
 *
 * Return: true if it is.
 */
bool kv_unit_counts(void)
{
	const char *what = getenv("KVERBS_COUNTS");

	return what && !strcmp(what, "instructions");
}

/**
 * kv_unit_name() - the unit
 *
 * Return: its name.
 */
const char *kv_unit_name(void)
{
	return kv_unit_counts() ? "instructions" : "\xc2\xb5s";
}

/**
 * kv_unit_of() - a duration in the unit of kv_unit_name()
 * @ns: nanoseconds
 *
 * Return: the number.
 */
double kv_unit_of(double ns)
{
	return kv_unit_counts() ? ns : ns / 1e3;
}
