// SPDX-License-Identifier: MIT
#include <time.h>
#include "cost.h"

#define TIMES 15

/*
 * A walk over a list takes five instructions an element at the least. Other things than walks
 * grow, too: an index gets a level, a cache is used up. None of these comes near one.
 */
#define SLOPE 2.0

double cost_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* A timer's interrupt makes some take longer. */
double cost_least(double (*once)(void *arg), void *arg)
{
	double cost, least = once(arg);
	unsigned int i;

	for (i = 1; i < TIMES; i++) {
		cost = once(arg);
		if (cost < least)
			least = cost;
	}
	return least;
}

void cost_check(const struct cost *cost, unsigned int more, const char *name)
{
	double slope = (cost->many - cost->few) / more;

	result(slope < SLOPE, "%s", name);
	note("  %.0f instructions, with %u more %.0f: %.2f for each of them", cost->few, more,
	     cost->many, slope);
}

void test_cost(void)
{
	cost_owners();
	cost_many();
	cost_queues();
}
