// SPDX-License-Identifier: MIT
#include <sys/wait.h>
#include <unistd.h>
#include "contract.h"

/*
 * Limits on time that hold on a loaded host, as those of pace.sh: by how much
 * longer processes take to be made. That is measured when the time of an idle
 * host is over.
 */
#define MEASURE_S 0.08
#define PROCESS_S 0.0016
#define PROCESS_WATCHED_S 0.04

static double slow_now(void)
{
	double start = seconds(), slow, took;
	unsigned int n = 0;
	pid_t pid;

	do {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid < 0)
			bail_out("no process");
		waitpid(pid, NULL, 0);
		n++;
		took = seconds() - start;
	} while (took < MEASURE_S);
	slow = took / n / (is_watched() ? PROCESS_WATCHED_S : PROCESS_S);
	return slow > 1 ? slow : 1;
}

struct limit limit_of(double length)
{
	return (struct limit){ .start = seconds(), .seconds = length, .slow = 1 };
}

bool limit_over(struct limit *l)
{
	double slow;

	if (seconds() - l->start <= l->seconds * l->slow)
		return false;
	slow = slow_now();
	if (slow > l->slow)
		l->slow = slow;
	return seconds() - l->start > l->seconds * l->slow;
}
