// SPDX-License-Identifier: MIT
#include <pthread.h>
#include <string.h>
#include <time.h>
#include "loop_env.h"
#include "out/unit.h"
#include "sys/clock.h"
#include "sys/now.h"

/* The time between two pairs of readings; each pair has an error of less than 1 us. */
#define CALIBRATION_NS 20000000

/* How often a pair is read; the least disturbed pair counts. */
#define TRIES 64

/* One moment, as a value of the counter and of the clock. */
struct pair {
	uint64_t ticks;
	uint64_t ns;
};

static pthread_once_t calibrated = PTHREAD_ONCE_INIT;
static double ns_per_tick = 1;

/**
 * kv_clock_raw_ns() - CLOCK_MONOTONIC_RAW, which NTP does not adjust
 *
 * Return: nanoseconds.
 */
uint64_t kv_clock_raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Reads the clock between two readings of the counter; the closest two readings are kept. */
static struct pair read_pair(void)
{
	uint64_t width = UINT64_MAX;
	struct pair best = { 0, 0 };
	int i;

	for (i = 0; i < TRIES; i++) {
		uint64_t t0 = kv_env_now();
		uint64_t ns = kv_clock_raw_ns();
		uint64_t t1 = kv_env_now();

		if (t1 - t0 < width) {
			width = t1 - t0;
			best.ticks = t0 + width / 2;
			best.ns = ns;
		}
	}
	return best;
}

static void calibrate(void)
{
	struct pair from, to;

	/* In such a guest a tick is an instruction, which has no meaningful time. */
	if (kv_unit_counts())
		return;
	/* A tick of ktime_raw is a nanosecond. */
	if (!strcmp(KV_ENV_COUNTER, "ktime_raw"))
		return;
	from = read_pair();
	/* A signal may end the sleep early. */
	do {
		kv_sleep_ns(CALIBRATION_NS);
		to = read_pair();
	} while (to.ns - from.ns < CALIBRATION_NS);
	ns_per_tick = (double)(to.ns - from.ns) / (double)(to.ticks - from.ticks);
}

/**
 * kv_clock_ns_per_tick() - how long a tick of the loops' counter lasts
 *
 * The first call measures the length, in 20 ms; other calls wait for the result or use it.
 *
 * Context: any thread
 * Return: nanoseconds by CLOCK_MONOTONIC_RAW.
 */
double kv_clock_ns_per_tick(void)
{
	pthread_once(&calibrated, calibrate);
	return ns_per_tick;
}

/**
 * kv_clock_hz() - ticks of the loops' counter in a second
 *
 * Return: as KVERBS_A_INFO_COUNTER_HZ, but measured: see kv_clock_ns_per_tick().
 */
uint64_t kv_clock_hz(void)
{
	return (uint64_t)(1e9 / kv_clock_ns_per_tick() + 0.5);
}

/**
 * kv_clock_ns_to_ticks() - a time span for a loop
 * @ns: nanoseconds; ~0 for no limit
 *
 * Return: ticks; ~0 for no limit.
 */
uint64_t kv_clock_ns_to_ticks(uint64_t ns)
{
	double ticks = (double)ns / kv_clock_ns_per_tick();

	/* From 2^64 on, the number does not fit. */
	return ns == UINT64_MAX || ticks >= 0x1p64 ? UINT64_MAX : (uint64_t)ticks;
}

/**
 * kv_clock_name() - the name of the loops' counter
 *
 * Return: as in KVERBS_A_INFO_COUNTER.
 */
const char *kv_clock_name(void)
{
	return KV_ENV_COUNTER;
}
