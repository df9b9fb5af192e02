/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdint.h>
#include <time.h>

/* The time for deadlines and progress; samples are taken with the loops' counter. */
static inline uint64_t kv_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Sleeps for less than a second. A signal ends the sleep. */
static inline void kv_sleep_ns(uint32_t ns)
{
	const struct timespec ts = { .tv_nsec = (long)ns };

	nanosleep(&ts, NULL);
}
