// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* cpu_set_t */
#include "test.h"
#include <sched.h>
#include "rules/run.h"
#include "sys/cpu.h"

static cpu_set_t all;

/* May use the CPUs of @set only. */
static void confine(const cpu_set_t *set)
{
	assert_int_equal(sched_setaffinity(0, sizeof(*set), set), 0);
}

static int set_up(void **state)
{
	return sched_getaffinity(0, sizeof(all), &all);
}

static int tear_down(void **state)
{
	return sched_setaffinity(0, sizeof(all), &all);
}

/* Each CPU by itself: the mask's only CPU is both ends' default. */
static void one_cpu_of_the_mask_is_chosen(void **state)
{
	struct kv_fault f = { 0 };
	int32_t cpu[2];

	for (int only = 0; only < CPU_SETSIZE; only++) {
		cpu_set_t set;

		if (!CPU_ISSET(only, &all))
			continue;
		CPU_ZERO(&set);
		CPU_SET(only, &set);
		confine(&set);
		assert_int_equal(kv_placement_choose(NULL, 0, cpu, 2, &f), 0);
		assert_int_equal(cpu[0], only);
		assert_int_equal(cpu[1], only);
		assert_int_equal(kv_placement_spins(), 0);
	}
}

static void two_cpus_are_shared_out(void **state)
{
	struct kv_fault f = { 0 };
	int last = -1, before = -1;
	int32_t asked, cpu[KV_RUN_WORKERS_MAX];

	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &all)) {
			before = last;
			last = i;
		}
	}
	if (before < 0)
		skip();
	assert_int_equal(kv_placement_choose(NULL, 0, cpu, 2, &f), 0);
	assert_int_equal(cpu[0], last);
	assert_int_equal(cpu[1], before);
	assert_int_equal(kv_placement_spins(), 1000);
	asked = before;
	assert_int_equal(kv_placement_choose(&asked, 1, cpu, 2, &f), 0);
	assert_int_equal(cpu[0], before);
	assert_int_equal(cpu[1], last);
	/* More threads than CPUs take them in turn. */
	assert_int_equal(kv_placement_choose(NULL, 0, cpu, KV_RUN_WORKERS_MAX, &f), 0);
	for (int i = CPU_COUNT(&all); i < KV_RUN_WORKERS_MAX; i++)
		assert_int_equal(cpu[i], cpu[i - CPU_COUNT(&all)]);
}

/* A CPU that the user names need not be in the mask: only a cpuset keeps a thread from it. */
static void a_named_cpu_overrules_the_mask(void **state)
{
	struct kv_fault f = { 0 };
	int32_t asked = -1, cpu[2];
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &all))
			continue;
		if (asked < 0)
			asked = i;
		else
			CPU_SET(i, &set);
	}
	if (!CPU_COUNT(&set))
		skip();
	confine(&set);
	assert_int_equal(kv_placement_choose(&asked, 1, cpu, 2, &f), 0);
	assert_int_equal(cpu[0], asked);
	asked = 65535;
	assert_int_not_equal(kv_placement_choose(&asked, 1, cpu, 2, &f), 0);
	assert_non_null(strstr(f.text, "CPU 65535 is not online"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_cpu_of_the_mask_is_chosen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_cpus_are_shared_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_named_cpu_overrules_the_mask, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
