// SPDX-License-Identifier: MIT
/*
 * Every allocation that a command makes fails once. Needs a kernel with /proc/PID/fail-nth, and the
 * module fail_verb of tests/vm/fail.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fail.h"
#include "fault.h"

#define NTH "/proc/thread-self/fail-nth"

/* No command makes as many. */
#define NTH_MAX 2000

static int nth_fd = -1;
static int lent_fd = -1;

static void set_nth(unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(nth_fd, text, (size_t)length, 0) != length)
		bail_out("%s: %s", NTH, strerror(errno));
}

/* A file that has been read once is read again without an allocation, which would be counted. */
static void open_lent(void)
{
	char lent;

	lent_fd = open(FAIL_VERB "lent", O_RDONLY);
	if (lent_fd < 0 || pread(lent_fd, &lent, 1, 0) != 1)
		bail_out(FAIL_VERB "lent: %s", strerror(errno));
}

/* A work item has the count while it carries a command out, and a moment longer. */
static void await_count(void)
{
	char lent;

	do {
		if (pread(lent_fd, &lent, 1, 0) != 1)
			bail_out(FAIL_VERB "lent: %s", strerror(errno));
	} while (lent == 'Y');
}

/* The kernel has counted down to 0 if there was one. */
static bool was_refused(void)
{
	char text[16] = "";

	await_count();
	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		bail_out("%s: %s", NTH, strerror(errno));
	set_nth(0);
	return !strtoul(text, NULL, 10);
}

/* The kernel's words for it when it makes a neighbour's entry, an inode, or the entry of a port of TCP. */
static bool is_no_memory(int error)
{
	return error == -ENOMEM || error == -ENOBUFS || error == -ENFILE ||
	       (is_iwarp() && error == -EADDRINUSE);
}

static const struct fault no_memory = {
	.what = "allocation",
	.is_its = is_no_memory,
	/* A verb's memory, or the module's own. */
	.stage = -1,
	.most = NTH_MAX,
	.arm = set_nth,
	.disarm = was_refused,
};

/* Which allocations may be refused: all of them, and nothing of it is logged. */
static bool set_up_faults(void)
{
	return write_text("/sys/kernel/debug/failslab/ignore-gfp-wait", "N") &&
	       write_text("/sys/kernel/debug/failslab/verbose", "0") &&
	       write_text("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N") &&
	       write_text("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N") &&
	       write_text("/sys/kernel/debug/fail_page_alloc/min-order", "0") &&
	       write_text("/sys/kernel/debug/fail_page_alloc/verbose", "0");
}

void test_memory(void)
{
	const struct step *step;
	struct fault_tally t;
	struct scene s;
	char thread[16];

	nth_fd = open(NTH, O_RDWR);
	if (nth_fd < 0 || !set_up_faults()) {
		missing("each allocation of each command is refused",
			"this kernel has no fail-nth: scripts/debug-kernel builds one that has");
		return;
	}
	if (!fail_verb_loaded()) {
		missing("each allocation of each command is refused", FAIL_VERB_MISSING);
		return;
	}
	snprintf(thread, sizeof(thread), "%d", gettid());
	fail_verb_set("lender", thread);
	open_lent();
	scene_make(&s);
	for (step = steps; step->name; step++) {
		if (step->later || (step->not_iwarp && lacks(step->name, "such thing")) ||
		    (step->starves_siw && lacks(step->name, "driver that lives through it")))
			continue;
		t = fault_try(&s, step, &no_memory);
		/* An answer is an allocation at the least. */
		result(t.good && t.all && t.hits,
		       "%s: each of its %u allocations refused, %u of them a failure",
		       step->name, t.hits, t.failures);
	}
	fault_check_commands();
	scene_end(&s);
	fail_verb_set("lender", "0");
	close(lent_fd);
	close(nth_fd);
}
