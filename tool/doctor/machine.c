// SPDX-License-Identifier: MIT
/* The machine, without its RDMA devices: privileges, limits, device files, clock and CPUs. */
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "doctor/doctor.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/io.h"

#define ISOLATED "/sys/devices/system/cpu/isolated"
#define CLOCKSOURCES "/sys/devices/system/clocksource/clocksource0/available_clocksource"
#define CM_FILE "/dev/infiniband/rdma_cm"

/* Buffers and queues of some QPs: what 'kverbs compare' pins in user space. */
#define PINNED_BYTES (64UL << 20)

/* An effective capability, see capabilities(7). */
static bool may(unsigned int capability)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long set = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %llx", &set) == 1)
			break;
	if (file)
		fclose(file);
	return set >> capability & 1;
}

static void check_rights(struct kv_doctor *d)
{
	struct rlimit limit;

	if (may(CAP_NET_ADMIN))
		kv_doctor_add(d, KV_FINE, "privileges", NULL, "this process has CAP_NET_ADMIN");
	else
		kv_doctor_add(d, KV_ERROR, "privileges", "sudo kverbs ...",
			      "kernel space needs CAP_NET_ADMIN in the initial user namespace");
	if (may(CAP_IPC_LOCK) || getrlimit(RLIMIT_MEMLOCK, &limit) ||
	    limit.rlim_cur >= PINNED_BYTES)
		kv_doctor_add(d, KV_FINE, "memlock", NULL, "user space may pin its buffers");
	else
		kv_doctor_add(d, KV_WARNING, "memlock", "ulimit -l unlimited",
			      "user space may pin %lu KiB only: its buffers and queues count against that",
			      (unsigned long)limit.rlim_cur >> 10);
}

static void check_cm(struct kv_doctor *d)
{
	if (!access(CM_FILE, R_OK | W_OK))
		kv_doctor_add(d, KV_FINE, "rdma_cm", NULL, "user space can use the RDMA CM");
	else
		kv_doctor_add(d, KV_WARNING, "rdma_cm", "modprobe rdma_ucm",
			      "user space can't open " CM_FILE ": --connect cm, ping, conn and conn-rate need it");
}

static void check_clock(struct kv_doctor *d)
{
	char source[64] = "", online[256], others[256] = "";
	unsigned int cpus;

	kv_placement_online(online, sizeof(online), &cpus);
	kv_read_line(KV_CLOCKSOURCE, source, sizeof(source));
	kv_read_line(CLOCKSOURCES, others, sizeof(others));
	if (cpus == 1 || !strcmp(source, "tsc") || !strcmp(source, "arch_sys_counter"))
		kv_doctor_add(d, KV_FINE, "clock", NULL, "the clock source is %s", source);
	else
		/* The kernel takes a counter off the list when it finds the counter unstable. */
		kv_doctor_add(d, KV_WARNING, "clock",
			      strstr(others, "tsc") ? "echo tsc >" KV_CLOCKSOURCE : "kverbs compare --cpus 0,1",
			      "the clock source is %s, and not the counter that runs are measured with: figures of runs that are not bound to CPUs (--cpus) are doubtful",
			      *source ? source : "unknown");
}

static void check_cpus(struct kv_doctor *d)
{
	char governor[64], isolated[256] = "";

	/* A guest has no governor. */
	if (kv_read_line(KV_GOVERNOR, governor, sizeof(governor)) || !strcmp(governor, "performance"))
		kv_doctor_add(d, KV_FINE, "governor", NULL, "the CPUs' frequency is not scaled down by a governor");
	else
		kv_doctor_add(d, KV_WARNING, "governor", "cpupower frequency-set -g performance",
			      "the governor '%s' changes the CPUs' frequency", governor);
	kv_read_line(ISOLATED, isolated, sizeof(isolated));
	if (*isolated)
		kv_doctor_add(d, KV_FINE, "isolation", NULL, "isolated CPUs: %s; --cpus takes one of them", isolated);
	else
		kv_doctor_add(d, KV_NOTE, "isolation", NULL,
			      "no CPU is isolated (isolcpus= on the kernel's command line): other work may interrupt a run");
}

static void check_autogroup(struct kv_doctor *d)
{
	char enabled[16] = "";

	/* A kernel without autogroups has no such file. */
	if (kv_read_line(KV_AUTOGROUP, enabled, sizeof(enabled)) || !strcmp(enabled, "0"))
		kv_doctor_add(d, KV_FINE, "autogroup", NULL, "the scheduler puts no session into a group of its own");
	else
		kv_doctor_add(d, KV_NOTE, "autogroup", "sysctl kernel.sched_autogroup_enabled=0",
			      "each session is a group of the scheduler: a poller of user space that yields its CPU does not yield it to kernel threads");
}

/* All that is not about a device. */
void kv_doctor_machine(struct kv_doctor *d)
{
	check_rights(d);
	check_cm(d);
	check_clock(d);
	check_cpus(d);
	check_autogroup(d);
}
