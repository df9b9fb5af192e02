/* SPDX-License-Identifier: MIT */
#ifndef KV_TESTS_TEST_H
#define KV_TESTS_TEST_H

/* cmocka wants these before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif
