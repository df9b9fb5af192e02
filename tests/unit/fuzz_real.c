// SPDX-License-Identifier: MIT
/* The variables of a fake world that fuzz_serve.c reads, for real backends. */
#include <string.h>
#include "fake_backend.h"

struct fake_world fake_world;

void fake_world_reset(void)
{
	memset(&fake_world, 0, sizeof(fake_world));
}
