// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* pthread_attr_setaffinity_np */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "sys/clock.h"
#include "user/run.h"

/*
 * The threads that run a run's loop: one for each worker, or the thread that waits for the run.
 *
 * In a process with two threads libc's write() has cancellation points, and the kernel counts
 * references to the file: 83 instructions for each doorbell of rxe. So a run of one worker whose
 * loop starts every exchange has no thread of its own (kv_run_spec.in_wait).
 */

#define NSEC_PER_MSEC 1000000ULL

/* The interval of checks on a loop that does not return, in seconds. */
#define LATE_S 1

/* glibc has no name for it before 2.38. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void rewind_worker(struct kv_user_worker *w, uint64_t iters)
{
	kv_loop_reset(&w->loop);
	w->loop.iters = iters;
}

static int warm_up(struct kv_user_worker *w)
{
	const struct kv_user_run *run = w->run;
	int ret = 0;

	kv_env_set(&w->cpu, sched_getcpu());
	if (run->spec.warmup) {
		rewind_worker(w, run->spec.warmup);
		w->loop.time = UINT64_MAX;
		ret = run->fn(&w->loop);
		__atomic_store_n(&w->warmup, w->loop.done, __ATOMIC_RELAXED);
	}
	if (ret)
		return ret;
	rewind_worker(w, run->spec.iters ? run->spec.iters : UINT64_MAX);
	/* Pairs with the acquire of a snapshot. */
	__atomic_store_n(&w->measuring, 1, __ATOMIC_RELEASE);
	return 0;
}

/* Runs the loop for @ticks, or until all iterations are done. The time counts from @start_ns on. */
static int measure(struct kv_user_worker *w, uint64_t ticks, uint64_t start_ns)
{
	int ret;

	w->loop.time = ticks;
	ret = w->run->fn(&w->loop);
	w->elapsed_ns += kv_clock_raw_ns() - start_ns;
	kv_env_set(&w->cpu, sched_getcpu());
	return ret;
}

/* A worker that fails ends the others. The last one ends the run. */
static void end(struct kv_user_worker *w, int error)
{
	struct kv_user_run *run = w->run;

	w->error = error;
	if (error == -ECANCELED)
		w->error = __atomic_load_n(&run->reason, __ATOMIC_RELAXED);
	if (error)
		kv_user_run_stop(run);
	if (__atomic_sub_fetch(&run->active, 1, __ATOMIC_ACQ_REL))
		return;
	/* Pairs with the acquire of kv_user_run_active(). */
	__atomic_store_n(&run->state, KVERBS_RUN_DONE, __ATOMIC_RELEASE);
	if (!run->spec.in_wait)
		eventfd_write(run->done, 1);
}

/* Waits until all workers have come, or are to end. */
static int pass_gate(struct kv_user_run *run)
{
	struct pollfd fd = { .fd = run->gate, .events = POLLIN };

	if (!__atomic_sub_fetch(&run->warming, 1, __ATOMIC_ACQ_REL)) {
		__atomic_store_n(&run->gate_ns, kv_clock_raw_ns(), __ATOMIC_RELEASE);
		eventfd_write(run->gate, 1);
	}
	while (poll(&fd, 1, -1) < 0 && errno == EINTR)
		;
	return __atomic_load_n(&run->gate_ns, __ATOMIC_ACQUIRE) ? 0 : -ECANCELED;
}

/* Returns 0 or a negative errno. */
static int run_loop(struct kv_user_worker *w)
{
	return warm_up(w) ?: pass_gate(w->run) ?: measure(w, w->run->time, w->run->gate_ns);
}

/*
 * The sleep for a completion has no limit: a signal of this thread's own timer ends it, so that the
 * loop looks at its stop flag and its timeout.
 */
static int run_sleeper(struct kv_user_worker *w)
{
	const struct itimerspec often = {
		.it_value.tv_sec = LATE_S,
		.it_interval.tv_sec = LATE_S,
	};
	struct sigevent ev = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGALRM,
		.sigev_notify_thread_id = gettid(),
	};
	timer_t timer;
	sigset_t set;
	int ret;

	if (timer_create(CLOCK_MONOTONIC, &ev, &timer))
		return -errno;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	timer_settime(timer, 0, &often, NULL);
	ret = run_loop(w);
	timer_delete(timer);
	return ret;
}

static void *run_thread(void *arg)
{
	struct kv_user_worker *w = arg;

	end(w, w->run->sleeps ? run_sleeper(w) : run_loop(w));
	return NULL;
}

static int refuse_cpu(struct kv_user *u, int cpu)
{
	return kv_user_fail(u, -EINVAL,
			    "cpu %d is not online, or not one that this process may use", cpu);
}

static int start_thread(struct kv_user *u, struct kv_user_worker *w)
{
	int cpu = w->cpu_asked;
	pthread_attr_t attr;
	sigset_t all, old;
	cpu_set_t cpus;
	int ret;

	pthread_attr_init(&attr);
	if (cpu >= 0) {
		CPU_ZERO(&cpus);
		CPU_SET(cpu, &cpus);
		pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	}
	/* Signals are for the thread that waits for the run. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&w->thread, &attr, run_thread, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (!ret)
		return 0;
	if (ret == EINVAL && cpu >= 0)
		return refuse_cpu(u, cpu);
	return kv_user_fail(u, -ret, "no thread for the run: %s", strerror(ret));
}

static void join_threads(struct kv_user_run *run)
{
	while (run->threads)
		pthread_join(run->worker[--run->threads].thread, NULL);
	close(run->gate);
	close(run->done);
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

/* An alarm ends the sleep of a loop that sleeps, and no other system call. */
static void take_alarms(const struct kv_user_run *run)
{
	struct sigaction sa = {
		.sa_handler = look_after,
		.sa_flags = run->sleeps ? 0 : SA_RESTART,
	};

	sigemptyset(&sa.sa_mask);
	sigaction(SIGALRM, &sa, NULL);
}

/* Starts all threads, or none. */
static int start_threads(struct kv_user *u, struct kv_user_run *run)
{
	int ret = 0;

	run->done = eventfd(0, EFD_CLOEXEC);
	run->gate = eventfd(0, EFD_CLOEXEC);
	if (run->done < 0 || run->gate < 0)
		ret = kv_user_fail(u, -errno, "no eventfd for the run: %s", strerror(errno));
	if (run->sleeps)
		take_alarms(run);
	while (!ret && run->threads < run->workers) {
		ret = start_thread(u, &run->worker[run->threads]);
		run->threads += !ret;
	}
	if (!ret)
		return 0;
	kv_user_run_stop(run);
	join_threads(run);
	return ret;
}

/* Binds this thread, which will run the loop, to the run's CPU. */
static int bind_here(struct kv_user *u, struct kv_user_run *run)
{
	int cpu = run->worker->cpu_asked;
	cpu_set_t cpus;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_getaffinity(0, sizeof(run->cpus), &run->cpus) ||
	    sched_setaffinity(0, sizeof(cpus), &cpus))
		return refuse_cpu(u, cpu);
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
		return start_threads(u, run);
	ret = bind_here(u, run);
	if (!ret)
		kv_interrupt_stops(&run->worker->loop.stop);
	return ret;
}

/*
 * Called after the end of a run, or once the run was asked to end: no thread runs the loop any
 * more. Waits for the run's threads, if there are any.
 */
void kv_user_worker_join(struct kv_user_run *run)
{
	if (!run->spec.in_wait) {
		join_threads(run);
		return;
	}
	kv_interrupt_stops(NULL);
	if (run->worker->cpu_asked >= 0)
		sched_setaffinity(0, sizeof(run->cpus), &run->cpus);
}

static void set_alarm(struct kv_user_run *run, uint64_t ms)
{
	const struct itimerval t = {
		.it_value.tv_sec = (time_t)(ms / 1000) + LATE_S,
		.it_interval.tv_sec = LATE_S,
	};

	late_run = run;
	take_alarms(run);
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
	struct kv_user_worker *w = run->worker;
	struct kv_loop *loop = &w->loop;
	uint64_t left;
	int ret = 0;

	if (!w->measuring)
		ret = warm_up(w);
	/* Ticks that the earlier calls measured. */
	w->before += kv_loop_elapsed(loop);
	kv_env_set(&loop->first, 0);
	left = run->time - w->before;
	if (!ret)
		ret = measure(w, ticks < left ? ticks : left, kv_clock_raw_ns());
	if (!ret && loop->done < loop->iters && w->before + kv_loop_elapsed(loop) < run->time)
		return false;
	end(w, ret);
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
