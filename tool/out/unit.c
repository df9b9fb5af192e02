// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>
#include "out/unit.h"

/*
 * In which unit people read durations. In a guest that counts instructions for time, each takes
 * a nanosecond (QEMU's -icount with a shift of 0): there is no other time.
 */

/**
 * kv_unit_counts() - is this a guest that counts instructions?
 *
 * A guest can't tell by itself: what runs it says so in the environment (scripts/vm --det).
 *
 * Return: true if so.
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
 * kv_unit_of() - a duration in that unit
 * @ns: nanoseconds
 *
 * Return: the number.
 */
double kv_unit_of(double ns)
{
	return kv_unit_counts() ? ns : ns / 1e3;
}
