// SPDX-License-Identifier: MIT
#include "out/commit.h"

/* The Makefile defines it. */
const char kv_commit[] = KVERBS_COMMIT;
