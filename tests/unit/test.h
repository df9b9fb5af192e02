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
#include "parse.h"

static inline void assert_says(const struct kv_why *why, const char *part)
{
	if (!strstr(why->text, part))
		fail_msg("'%s' does not say '%s'", why->text, part);
}

#endif
