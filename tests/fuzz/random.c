// SPDX-License-Identifier: MIT
#include "fuzz.h"

static uint64_t state;

/**
 * random_seed() - begin anew
 * @seed: any number
 */
void random_seed(uint64_t seed)
{
	state = seed;
}

/**
 * random_u64() - the next random number (splitmix64)
 *
 * Return: the number.
 */
uint64_t random_u64(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/**
 * random_below() - a random number
 * @limit: from 1 on
 *
 * Return: 0 .. @limit - 1
 */
uint32_t random_below(uint32_t limit)
{
	return (uint32_t)((random_u64() >> 32) * limit >> 32);
}

/**
 * one_in() - shall it happen?
 * @n: how seldom
 *
 * Return: true once in @n times.
 */
bool one_in(uint32_t n)
{
	return !random_below(n);
}
