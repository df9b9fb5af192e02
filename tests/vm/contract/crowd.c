// SPDX-License-Identifier: MIT
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "crowd.h"

/* The thread that makes the kernel's others. */
#define KTHREADD 2

/* Of the module's work items, which carry commands out. */
#define WORK_NICE "/sys/devices/virtual/workqueue/kverbs/nice"

static int usual_nice;
static const char *usual_dev;
static struct kv_dev usual_caps;

/*
 * kthreadd needs the scheduling class, too: without it each new thread would wait for all others. Work items
 * can't have it: they get the most that niceness gives.
 */
void crowd_begin(void)
{
	struct sched_param ahead = { .sched_priority = 1 };

	usual_nice = getpriority(PRIO_PROCESS, 0);
	if (sched_setscheduler(0, SCHED_FIFO, &ahead) || sched_setscheduler(KTHREADD, SCHED_FIFO, &ahead) ||
	    setpriority(PRIO_PROCESS, 0, 19) || !write_text(WORK_NICE, "-20"))
		bail_out("no way to go first: %s", strerror(errno));
}

void crowd_end(void)
{
	struct sched_param plain = { .sched_priority = 0 };

	if (!write_text(WORK_NICE, "0") || setpriority(PRIO_PROCESS, 0, usual_nice) ||
	    sched_setscheduler(KTHREADD, SCHED_OTHER, &plain) || sched_setscheduler(0, SCHED_OTHER, &plain))
		bail_out("no way back: %s", strerror(errno));
}

void crowd_enter_device(void)
{
	struct link l;

	usual_dev = dev;
	usual_caps = caps;
	other_dev_make();
	dev = OTHER_DEV;
	link_open(&l);
	must(&l, call_dev_get(&l.nl, dev, &caps), "the device");
	kv_nl_close(&l.nl);
}

double crowd_delete_device(void)
{
	double start = seconds();

	if (system("rdma link delete " OTHER_DEV))
		bail_out("the device stays");
	return seconds() - start;
}

void crowd_leave_device(void)
{
	if (system("ip link del d7"))
		bail_out("the netdev stays");
	dev = usual_dev;
	caps = usual_caps;
}
