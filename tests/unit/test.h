/* SPDX-License-Identifier: MIT */
#ifndef KV_TESTS_TEST_H
#define KV_TESTS_TEST_H

/* cmocka wants these before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <time.h>
#include "cli/parse.h"

static inline void assert_says(const struct kv_why *why, const char *part)
{
	if (!strstr(why->text, part))
		fail_msg("'%s' does not say '%s'", why->text, part);
}

/* The CPU time of fn(n), in ns: the least of three. */
static inline uint64_t cpu_ns(void (*fn)(size_t n), size_t n)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 3; i++) {
		struct timespec from, to;
		uint64_t ns;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		fn(n);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		ns = (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000 +
		     (uint64_t)to.tv_nsec - (uint64_t)from.tv_nsec;
		if (ns < least)
			least = ns;
	}
	return least;
}

/*
 * Four times as much work takes four times as long if the time is linear, and sixteen
 * times as long if it is quadratic. The bound is twice the former.
 */
static inline void assert_linear(void (*fn)(size_t n), size_t n)
{
	uint64_t once = cpu_ns(fn, n), four = cpu_ns(fn, 4 * n);

	if (four > 8 * once)
		fail_msg("%zu: %llu ns, %zu: %llu ns", n, (unsigned long long)once, 4 * n,
			 (unsigned long long)four);
}

#endif
