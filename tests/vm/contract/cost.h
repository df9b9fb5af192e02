/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_COST_H
#define TESTS_CONTRACT_COST_H

#include "contract.h"

/*
 * The cost of a call, in instructions: in a guest that counts them a nanosecond is one
 * (scripts/vm --det). Elsewhere the figures mean nothing.
 */

/**
 * struct cost - the least cost of a call, with few and with many of something
 * @few: in instructions
 * @many: the same
 */
struct cost {
	double few;
	double many;
};

/* In instructions, since whenever. */
double cost_now(void);

/* Calls @once some times; the least that it returns. */
double cost_least(double (*once)(void *arg), void *arg);

/* A result: each of @more that are there in addition may cost next to nothing. */
void cost_check(const struct cost *cost, unsigned int more, const char *name);

void cost_owners(void);
void cost_many(void);
void cost_queues(void);

#endif
