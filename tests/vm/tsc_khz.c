// SPDX-License-Identifier: MIT
/*
 * On the host: how fast the CPU's time stamp counter runs, for scripts/vm. Prints kHz, or nothing
 * where the loops' counter is another one.
 */
#include <stdio.h>
#include <string.h>
#include "sys/clock.h"

int main(void)
{
	if (!strcmp(kv_clock_name(), "tsc"))
		printf("%llu\n", ((unsigned long long)kv_clock_hz() + 500) / 1000);
	return 0;
}
