// SPDX-License-Identifier: GPL-2.0
#include "jobs.h"

/* Jobs that one owner may have: the limit stops a sender that reads no answers. */
#define JOBS_MAX 128

static struct workqueue_struct *queue;

/**
 * kv_jobs_start() - before the first job
 *
 * Return: 0 or -ENOMEM.
 */
int kv_jobs_start(void)
{
	/*
	 * Each owner has one work item: a job that hangs delays no other owner's jobs. In sysfs,
	 * users set the CPUs and the niceness of the commands while runs measure.
	 */
	queue = alloc_workqueue("kverbs", WQ_UNBOUND | WQ_SYSFS, WQ_MAX_ACTIVE);
	return queue ? 0 : -ENOMEM;
}

/**
 * kv_jobs_stop() - all jobs are done when this returns; none is added any more
 */
void kv_jobs_stop(void)
{
	destroy_workqueue(queue);
}

/* Takes the next job off the list; NULL if there is none. */
static struct kv_job *jobs_pop(struct kv_jobs *jobs)
{
	struct kv_job *job;

	lockdep_assert_held(&jobs->lock);
	job = list_first_entry_or_null(&jobs->queued, struct kv_job, link);
	if (job)
		list_del(&job->link);
	return job;
}

static void jobs_push(struct kv_jobs *jobs, struct kv_job *job)
{
	lockdep_assert_held(&jobs->lock);
	list_add_tail(&job->link, &jobs->queued);
	/* Under the lock: after the unlock the job, and the owner with it, may be gone. */
	if (!jobs->count++)
		queue_work(queue, &jobs->work);
}

static void jobs_run_all(struct work_struct *work)
{
	struct kv_jobs *jobs = container_of(work, struct kv_jobs, work);
	struct kv_job *job, *next;

	scoped_guard(spinlock, &jobs->lock)
		job = jobs_pop(jobs);
	while (job) {
		job->run(job);
		spin_lock(&jobs->lock);
		if (!--jobs->count)
			wake_up_all(&jobs->idle);
		next = jobs_pop(jobs);
		spin_unlock(&jobs->lock);
		/* The release of the last job may free the owner, and @jobs with it. */
		job->release(job);
		job = next;
	}
}

/**
 * kv_jobs_init() - an owner is made
 * @jobs: its jobs
 */
void kv_jobs_init(struct kv_jobs *jobs)
{
	spin_lock_init(&jobs->lock);
	INIT_LIST_HEAD(&jobs->queued);
	init_waitqueue_head(&jobs->idle);
	INIT_WORK(&jobs->work, jobs_run_all);
}

/**
 * kv_jobs_add() - add a job, to be done after those that were added before
 * @jobs: the jobs of an owner
 * @job: the job, which keeps the owner until it is released
 *
 * Return: false if the owner has too many jobs: the caller keeps the job.
 */
bool kv_jobs_add(struct kv_jobs *jobs, struct kv_job *job)
{
	guard(spinlock)(&jobs->lock);
	if (jobs->count >= JOBS_MAX)
		return false;
	jobs_push(jobs, job);
	return true;
}

/**
 * kv_jobs_wait() - wait until the owner has no jobs
 * @jobs: the jobs of an owner
 *
 * Context: may sleep
 * Return: 0, or -ERESTARTSYS if a signal came first.
 */
int kv_jobs_wait(struct kv_jobs *jobs)
{
	return wait_event_interruptible(jobs->idle, !kv_jobs_any(jobs));
}

/**
 * kv_jobs_close() - the owner does not need its jobs any more
 * @jobs: the jobs of an owner; none is added any more
 * @last: a last job
 *
 * Jobs that have not begun are dropped. This function does not wait for the job that runs.
 */
void kv_jobs_close(struct kv_jobs *jobs, struct kv_job *last)
{
	struct kv_job *job;

	do {
		spin_lock(&jobs->lock);
		job = jobs_pop(jobs);
		jobs->count -= !!job;
		spin_unlock(&jobs->lock);
		if (job)
			job->release(job);
	} while (job);
	guard(spinlock)(&jobs->lock);
	jobs_push(jobs, last);
}
