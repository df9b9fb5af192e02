// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/parse.h"
#include "out/unit.h"
#include "sys/cpu.h"
#include "sys/io.h"
#include "sys/now.h"

#define ONLINE "/sys/devices/system/cpu/online"

/* Called for each online CPU, in ascending order. */
typedef void (*cpu_fn)(int32_t cpu, void *arg);

/* A list such as 0-3,6 (the kernel's Documentation/admin-guide/cputopology.rst). */
static void walk(const char *text, cpu_fn fn, void *arg)
{
	int first, last, n;

	while (sscanf(text, "%d%n", &first, &n) == 1) {
		text += n;
		last = first;
		if (*text == '-' && sscanf(text, "-%d%n", &last, &n) == 1)
			text += n;
		for (; first <= last && first <= KV_PARSE_CPU_MAX; first++)
			fn(first, arg);
		if (*text++ != ',')
			break;
	}
}

struct search {
	int32_t wanted;
	int32_t found;
	/* CPU number @count - 1 and those before, by number modulo */
	int32_t recent[KV_RUN_WORKERS_MAX];
	unsigned int count;
};

static void look(int32_t cpu, void *arg)
{
	struct search *s = arg;

	if (cpu == s->wanted)
		s->found = cpu;
	s->recent[s->count++ % KV_RUN_WORKERS_MAX] = cpu;
}

/* The last CPU, those before it for the next @i, and the last one again behind the first. */
static int32_t from_last(const struct search *s, unsigned int i)
{
	unsigned int known = s->count < KV_RUN_WORKERS_MAX ? s->count : KV_RUN_WORKERS_MAX;

	return s->recent[(s->count - 1 - i % known) % KV_RUN_WORKERS_MAX];
}

/* The CPUs that the calling thread may use: its affinity mask, in ascending order. */
static int walk_usable(cpu_fn fn, void *arg)
{
	cpu_set_t set[(KV_PARSE_CPU_MAX + 1) / CPU_SETSIZE];

	if (sched_getaffinity(0, sizeof(set), set))
		return -errno;
	for (int32_t cpu = 0; cpu <= KV_PARSE_CPU_MAX; cpu++)
		if (CPU_ISSET_S(cpu, sizeof(set), set))
			fn(cpu, arg);
	return 0;
}

/**
 * kv_placement_online() - list the online CPUs
 * @text: receives a list such as 0-3
 * @count: receives the number of online CPUs
 */
void kv_placement_online(char *text, size_t size, unsigned int *count)
{
	struct search s = { .wanted = -1 };

	if (kv_read_line(ONLINE, text, size))
		snprintf(text, size, "0");
	walk(text, look, &s);
	*count = s.count;
}

/**
 * kv_placement_spins() - default number of empty polls before a run yields its CPU
 *
 * Return: 1000, or 0 if the calling thread may use one CPU only: then the work that generates a
 * completion waits for the poller's CPU.
 */
int32_t kv_placement_spins(void)
{
	struct search s = { .wanted = -1 };

	return walk_usable(look, &s) || s.count > 1 ? 1000 : 0;
}

/**
 * kv_placement_choose() - choose the CPUs that runs are bound to
 * @asked: the CPUs that the user names; they must be online
 * @n: how many of them, @wanted at most
 * @cpu: receives the initiator's and the responder's CPU, or those of the initiator's threads
 *
 * The defaults are CPUs that the calling thread may use, which taskset or a cpuset may limit. The
 * initiator gets the last of them, which has the fewest interrupts and daemons; the responder, or
 * the next thread, gets the CPU before it, if there is one.
 */
int kv_placement_choose(const int32_t *asked, unsigned int n, int32_t *cpu, unsigned int wanted,
			struct kv_fault *f)
{
	struct search s = { .wanted = -1 };
	char text[256];
	int ret = walk_usable(look, &s);

	if (ret)
		return kv_fault_set(f, ret, "cannot ask which CPUs may be used: %s",
				    strerror(-ret));
	for (unsigned int i = 0; i < wanted; i++)
		cpu[i] = from_last(&s, i);
	ret = n ? kv_read_line(ONLINE, text, sizeof(text)) : 0;
	if (ret)
		return kv_fault_set(f, ret, "cannot read %s: %s", ONLINE, strerror(-ret));
	for (unsigned int i = 0; i < n; i++) {
		struct search online = { .wanted = asked[i], .found = -1 };

		walk(text, look, &online);
		if (online.found < 0)
			return kv_fault_usage(f, "--cpus: CPU %d is not online; %s %s",
					      asked[i], text, online.count > 1 ? "are" : "is");
		cpu[i] = asked[i];
	}
	/* If the initiator has taken the responder's CPU, the responder gets the last one. */
	if (n == 1 && wanted > 1 && cpu[0] == cpu[1])
		cpu[1] = from_last(&s, 0);
	return 0;
}

/* user, nice, system, idle, iowait, irq, softirq, steal; user includes the time of guests. */
#define KINDS 8
#define IDLE 3
#define IOWAIT 4
#define STEAL 7

/**
 * kv_cpu_time_read() - what this machine's CPUs have done until now
 * @t: receives it; zeros if /proc/stat can't be read, and in a guest that counts instructions
 *
 * Busy is what is not idle: most kernels measure idle time, while the columns of busy time grow by
 * a whole tick of the scheduler for what runs at that tick.
 */
void kv_cpu_time_read(struct kv_cpu_time *t)
{
	uint64_t now = kv_now_ns();
	FILE *f = kv_unit_counts() ? NULL : fopen("/proc/stat", "re");
	uint64_t v[KINDS] = { 0 };
	unsigned int n = 0;

	memset(t, 0, sizeof(*t));
	if (!f)
		return;
	if (!fscanf(f, "cpu"))
		while (n < KINDS && fscanf(f, "%" SCNu64, &v[n]) == 1)
			n++;
	fclose(f);
	t->all_ns = now * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	t->idle_ns = (v[IDLE] + v[IOWAIT]) * KV_CPU_TICK_NS;
	t->stolen_ns = v[STEAL] * KV_CPU_TICK_NS;
}
