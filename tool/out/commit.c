// SPDX-License-Identifier: MIT
#include "out/commit.h"

/* The Makefile defines it for the tool; the tests' builds of these files have none. */
#ifndef KVERBS_COMMIT
#define KVERBS_COMMIT ""
#endif

const char kv_commit[] = KVERBS_COMMIT;
