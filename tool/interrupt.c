// SPDX-License-Identifier: MIT
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include "interrupt.h"

static volatile sig_atomic_t seen;

static void note(int sig)
{
	(void)sig;
	seen = 1;
}

/**
 * kv_interrupt_init() - from now on SIGINT and SIGTERM ask for an orderly end
 *
 * Waits are not restarted: they return -EINTR. The second signal of a kind
 * finds its default action again and kills.
 *
 * Return: 0 or a negative errno.
 */
int kv_interrupt_init(void)
{
	struct sigaction sa = { .sa_handler = note, .sa_flags = SA_RESETHAND };

	sigemptyset(&sa.sa_mask);
	if (sigaction(SIGINT, &sa, NULL) || sigaction(SIGTERM, &sa, NULL))
		return -errno;
	return 0;
}

/**
 * kv_interrupt_seen() - has somebody asked for the end?
 *
 * Return: true from the first signal on.
 */
bool kv_interrupt_seen(void)
{
	return seen;
}
