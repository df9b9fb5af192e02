// SPDX-License-Identifier: MIT
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include "cli/fault.h"
#include "cli/interrupt.h"
#include "sys/now.h"

#define MS_NS 1000000
#define LOOK_MS 200

static volatile sig_atomic_t seen;
static int *stops;

static void note(int sig)
{
	int *stop = __atomic_load_n(&stops, __ATOMIC_RELAXED);

	seen = sig;
	if (stop)
		__atomic_store_n(stop, 1, __ATOMIC_RELAXED);
}

/**
 * kv_interrupt_init() - from now on SIGINT and SIGTERM ask for an orderly end
 *
 * Waits are not restarted: they return -EINTR. The first signal restores the
 * default action, so that a second signal of the same kind kills.
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
 * kv_interrupt_seen() - has a signal asked the tool to end?
 *
 * Return: true from the first signal on.
 */
bool kv_interrupt_seen(void)
{
	return seen;
}

/**
 * kv_interrupt_forget() - at a prompt: Ctrl-C ends a command, and not the tool
 *
 * Return: true if the signal was Ctrl-C: from now on it is as if there had been none; false if
 * there was no signal, or if it was SIGTERM.
 */
bool kv_interrupt_forget(void)
{
	if (seen != SIGINT)
		return false;
	seen = 0;
	return !kv_interrupt_init();
}

/**
 * kv_interrupt_status() - the exit status of a command
 * @status: what it would be without a signal, an enum kv_exit
 *
 * Return: of a command that failed, and was asked to end, 128 and the signal's number, as shells
 * have it: 130 for Ctrl-C; else @status.
 */
int kv_interrupt_status(int status)
{
	return seen && status == KV_EXIT_FAILED ? 128 + seen : status;
}

/**
 * kv_interrupt_retry() - is a system call to be repeated?
 * @result: return value of the call; negative: errno has the error
 *
 * Return: true if a signal interrupted it that does not ask for the end. errno is unchanged.
 */
bool kv_interrupt_retry(ssize_t result)
{
	return result < 0 && errno == EINTR && !seen;
}

/**
 * kv_interrupt_stops() - the first signal sets a flag, too
 * @flag: the flag that this thread checks instead of kv_interrupt_seen(); set at once if
 *	a signal came before. NULL: no flag any more
 */
void kv_interrupt_stops(int *flag)
{
	__atomic_store_n(&stops, flag, __ATOMIC_SEQ_CST);
	if (flag && seen)
		__atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}

/**
 * kv_interrupt_wait_ms() - how long to wait until the next check of kv_interrupt_seen()
 * @end_ns: end of the whole wait, in the time of kv_now_ns(); UINT64_MAX: no end
 *
 * A signal between a check and a wait, or during output, does not end the wait: so each
 * wait is short.
 *
 * Return: milliseconds, rounded up; 0: the end has come.
 */
int kv_interrupt_wait_ms(uint64_t end_ns)
{
	uint64_t now = kv_now_ns();
	uint64_t ms = end_ns > now ? (end_ns - now - 1) / MS_NS + 1 : 0;

	return ms < LOOK_MS ? (int)ms : LOOK_MS;
}
