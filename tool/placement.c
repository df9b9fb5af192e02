// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "parse.h"
#include "placement.h"

#define ONLINE "/sys/devices/system/cpu/online"

/* Called for each online CPU, in ascending order. */
typedef void (*cpu_fn)(int32_t cpu, void *arg);

static int read_online(char *text, size_t size)
{
	FILE *file = fopen(ONLINE, "re");
	int ret = 0;

	if (!file)
		return -errno;
	if (!fgets(text, (int)size, file))
		ret = -EIO;
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return ret;
}

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
	int32_t last;
	int32_t before_last;
	unsigned int count;
};

static void look(int32_t cpu, void *arg)
{
	struct search *s = arg;

	if (cpu == s->wanted)
		s->found = cpu;
	s->before_last = s->count ? s->last : cpu;
	s->last = cpu;
	s->count++;
}

/**
 * kv_placement_online() - which CPUs are online
 * @text: receives a list such as 0-3
 * @size: of @text
 * @count: receives how many they are
 */
void kv_placement_online(char *text, size_t size, unsigned int *count)
{
	struct search s = { .wanted = -1 };

	if (read_online(text, size))
		snprintf(text, size, "0");
	walk(text, look, &s);
	*count = s.count;
}

/**
 * kv_placement_choose() - choose the CPUs that runs are bound to
 * @asked: what the user wants
 * @n: how many of them: 0, 1 or 2
 * @cpu: receives the initiator's and the responder's CPU
 * @f: receives why not
 *
 * The last CPU is the one with the fewest interrupts and daemons; the responder
 * gets the one before it, if there is one.
 *
 * Return: 0 or -EINVAL.
 */
int kv_placement_choose(const int32_t *asked, unsigned int n, int32_t cpu[2],
			struct kv_fault *f)
{
	struct search s = { .wanted = -1 };
	char text[256];
	int ret;

	ret = read_online(text, sizeof(text));
	if (ret)
		return kv_fault_set(f, ret, "cannot read %s: %s", ONLINE,
				    strerror(-ret));
	walk(text, look, &s);
	cpu[0] = s.last;
	cpu[1] = s.before_last;
	for (unsigned int i = 0; i < n; i++) {
		s = (struct search){ .wanted = asked[i], .found = -1 };
		walk(text, look, &s);
		if (s.found < 0)
			return kv_fault_usage(f, "--cpus: CPU %d is not online; %s %s",
					      asked[i], text,
					      s.count > 1 ? "are" : "is");
		cpu[i] = asked[i];
	}
	/* An initiator on the responder's place leaves it the other one. */
	if (n == 1 && cpu[0] == cpu[1])
		cpu[1] = s.last;
	return 0;
}
