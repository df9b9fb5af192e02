// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* pthread_attr_setaffinity_np */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "sys/clock.h"
#include "user/run.h"

/*
 * The thread that runs a run's loop: the run's own thread, or the thread that waits for the run.
 *
 * In a process with two threads libc's write() has cancellation points, and the kernel counts
 * references to the file: 83 instructions for each doorbell of rxe. So a run whose loop starts
 * every exchange has no thread of its own (kv_run_spec.in_wait).
 */

#define NSEC_PER_MSEC 1000000ULL

/* The interval of checks on a loop that does not return, in seconds. */
#define LATE_S 1

static void rewind_run(struct kv_user_run *run, uint64_t iters)
{
	kv_loop_reset(&run->loop);
	run->loop.iters = iters;
}

static int warm_up(struct kv_user_run *run)
{
	int ret = 0;

	kv_env_set(&run->cpu, sched_getcpu());
	if (run->spec.warmup) {
		rewind_run(run, run->spec.warmup);
		run->loop.time = UINT64_MAX;
		ret = run->fn(&run->loop);
		__atomic_store_n(&run->warmup, run->loop.done, __ATOMIC_RELAXED);
	}
	if (ret)
		return ret;
	rewind_run(run, run->spec.iters ? run->spec.iters : UINT64_MAX);
	/* Pairs with the acquire of a snapshot. */
	__atomic_store_n(&run->measuring, 1, __ATOMIC_RELEASE);
	return 0;
}

/* Runs the loop for @ticks, or until all iterations are done. */
static int measure(struct kv_user_run *run, uint64_t ticks)
{
	uint64_t start;
	int ret;

	run->loop.time = ticks;
	start = kv_clock_raw_ns();
	ret = run->fn(&run->loop);
	run->elapsed_ns += kv_clock_raw_ns() - start;
	kv_env_set(&run->cpu, sched_getcpu());
	return ret;
}

static void end(struct kv_user_run *run, int error)
{
	run->error = error;
	if (error == -ECANCELED)
		run->error = __atomic_load_n(&run->reason, __ATOMIC_RELAXED);
	/* Pairs with the acquire of kv_user_run_active(). */
	__atomic_store_n(&run->state, KVERBS_RUN_DONE, __ATOMIC_RELEASE);
}

static void *run_thread(void *arg)
{
	struct kv_user_run *run = arg;
	int ret = warm_up(run);

	end(run, ret ? ret : measure(run, run->time));
	eventfd_write(run->done, 1);
	return NULL;
}

static int refuse_cpu(struct kv_user *u, int cpu)
{
	return kv_user_fail(u, -EINVAL,
			    "cpu %d is not online, or not one that this process may use", cpu);
}

static int start_thread(struct kv_user *u, struct kv_user_run *run)
{
	int cpu = run->spec.cpu;
	pthread_attr_t attr;
	sigset_t all, old;
	cpu_set_t cpus;
	int ret;

	run->done = eventfd(0, EFD_CLOEXEC);
	if (run->done < 0)
		return kv_user_fail(u, -errno, "no eventfd for the run: %s", strerror(errno));
	pthread_attr_init(&attr);
	if (cpu >= 0) {
		CPU_ZERO(&cpus);
		CPU_SET(cpu, &cpus);
		pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	}
	/* Signals are for the thread that waits for the run. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&run->thread, &attr, run_thread, run);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (!ret)
		return 0;
	close(run->done);
	if (ret == EINVAL && cpu >= 0)
		return refuse_cpu(u, cpu);
	return kv_user_fail(u, -ret, "no thread for the run: %s", strerror(ret));
}

/* Binds this thread, which will run the loop, to the run's CPU. */
static int bind_here(struct kv_user *u, struct kv_user_run *run)
{
	cpu_set_t cpus;

	if (run->spec.cpu < 0)
		return 0;
	CPU_ZERO(&cpus);
	CPU_SET(run->spec.cpu, &cpus);
	if (sched_getaffinity(0, sizeof(run->cpus), &run->cpus) ||
	    sched_setaffinity(0, sizeof(cpus), &cpus))
		return refuse_cpu(u, run->spec.cpu);
	return 0;
}

/*
 * Starts a run whose ends are set; kv_user_worker_join() ends the run. With in_wait the calling
 * thread stays bound to the run's CPU until the end, and runs the loop in kv_user_worker_wait().
 */
int kv_user_worker_start(struct kv_user *u, struct kv_user_run *run)
{
	int ret;

	if (!run->spec.in_wait)
		return start_thread(u, run);
	ret = bind_here(u, run);
	if (!ret)
		kv_interrupt_stops(&run->loop.stop);
	return ret;
}

/*
 * Called after the end of a run, or once the run was asked to end: no thread runs the loop any
 * more. Waits for the run's thread, if there is one.
 */
void kv_user_worker_join(struct kv_user_run *run)
{
	if (!run->spec.in_wait) {
		pthread_join(run->thread, NULL);
		close(run->done);
		return;
	}
	kv_interrupt_stops(NULL);
	if (run->spec.cpu >= 0)
		sched_setaffinity(0, sizeof(run->cpus), &run->cpus);
}

static struct kv_user_run *late_run;

/* The loop is late: it waits for a completion, maybe of a device that is being removed. */
static void look_after(int sig)
{
	int saved = errno;

	if (late_run)
		kv_user_run_check_dev(late_run);
	errno = saved;
}

static void set_alarm(struct kv_user_run *run, uint64_t ms)
{
	struct sigaction sa = {
		.sa_handler = look_after,
		.sa_flags = run->sleeps ? 0 : SA_RESTART,
	};
	struct itimerval t = {
		.it_value.tv_sec = (time_t)(ms / 1000) + LATE_S,
		.it_interval.tv_sec = LATE_S,
	};

	sigemptyset(&sa.sa_mask);
	late_run = run;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

static void clear_alarm(void)
{
	static const struct itimerval never;

	setitimer(ITIMER_REAL, &never, NULL);
	late_run = NULL;
}

/* Runs the loop for @ticks at most. Returns true once the run has ended. */
static bool advance(struct kv_user_run *run, uint64_t ticks)
{
	struct kv_loop *loop = &run->loop;
	uint64_t left;
	int ret = 0;

	if (!run->measuring)
		ret = warm_up(run);
	/* Ticks that the earlier calls measured. */
	run->before += kv_loop_elapsed(loop);
	kv_env_set(&loop->first, 0);
	left = run->time - run->before;
	if (!ret)
		ret = measure(run, ticks < left ? ticks : left);
	if (!ret && loop->done < loop->iters && run->before + kv_loop_elapsed(loop) < run->time)
		return false;
	end(run, ret);
	return true;
}

/*
 * Waits for the end of an active run; with in_wait, runs its loop meanwhile. @timeout_ms:
 * milliseconds, negative for no limit. With in_wait a signal that asks the tool to end also ends
 * the run. With in_wait the call takes longer than @timeout_ms by the warm-up, and by the iteration
 * that is under way. -EAGAIN, -EINTR; leaves no text.
 */
int kv_user_worker_wait(struct kv_user_run *run, int timeout_ms)
{
	struct pollfd fd = { .fd = run->done, .events = POLLIN };
	uint64_t ms = (uint64_t)timeout_ms;
	bool ended;
	int n;

	if (!run->spec.in_wait) {
		n = poll(&fd, 1, timeout_ms);
		if (n < 0)
			return -errno;
		return n ? 0 : -EAGAIN;
	}
	set_alarm(run, timeout_ms < 0 ? 0 : ms);
	ended = advance(run, timeout_ms < 0 ? run->time : kv_clock_ns_to_ticks(ms * NSEC_PER_MSEC));
	clear_alarm();
	return ended ? 0 : -EAGAIN;
}
