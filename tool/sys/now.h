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

static inline struct timespec kv_timespec(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
}

/* A signal ends the sleep. */
static inline void kv_sleep_ns(uint64_t ns)
{
	const struct timespec ts = kv_timespec(ns);

	nanosleep(&ts, NULL);
}
