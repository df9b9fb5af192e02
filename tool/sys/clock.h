/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdint.h>

/* The counter that samples are taken with, and the clock that calibrates it. */

/* The file that names the kernel's clock source. */
/* Of the first CPU; cpufreq has none in most guests. */
#define KV_GOVERNOR "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
#define KV_CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

uint64_t kv_clock_raw_ns(void);
double kv_clock_ns_per_tick(void);
uint64_t kv_clock_hz(void);
uint64_t kv_clock_ns_to_ticks(uint64_t ns);
const char *kv_clock_name(void);
