/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_JOBS_H
#define _KV_JOBS_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

/**
 * struct kv_job - a command of an owner, done by a work item
 * @link: in kv_jobs.queued
 * @run: does the job; may sleep
 * @release: ends the job's life, whether it was run or not
 */
struct kv_job {
	struct list_head link;
	void (*run)(struct kv_job *job);
	void (*release)(struct kv_job *job);
};

/**
 * struct kv_jobs - the jobs of an owner, done one after the other
 * @lock: protects @queued and @count
 * @queued: jobs that have not begun
 * @count: jobs in @queued, and the one that runs; the work item is queued when it becomes 1
 * @idle: woken when @count becomes 0
 * @work: does all of them
 */
struct kv_jobs {
	spinlock_t lock;
	struct list_head queued;
	unsigned int count;
	wait_queue_head_t idle;
	struct work_struct work;
};

int kv_jobs_start(void);
void kv_jobs_stop(void);
void kv_jobs_init(struct kv_jobs *jobs);
bool kv_jobs_add(struct kv_jobs *jobs, struct kv_job *job);
int kv_jobs_wait(struct kv_jobs *jobs);
void kv_jobs_close(struct kv_jobs *jobs, struct kv_job *last);

/**
 * kv_jobs_any() - has the owner jobs that are not done?
 * @jobs: the jobs of an owner
 *
 * Return: true if jobs are queued, or one runs.
 */
static inline bool kv_jobs_any(const struct kv_jobs *jobs)
{
	return READ_ONCE(jobs->count);
}

#endif
