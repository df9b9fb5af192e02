// SPDX-License-Identifier: MIT
/* What fuzz_serve.c looks at of a fake world when the backends are real. */
#include <string.h>
#include "fake_backend.h"

struct fake_world fake_world;

void fake_world_reset(void)
{
	memset(&fake_world, 0, sizeof(fake_world));
}
