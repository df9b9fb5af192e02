/* SPDX-License-Identifier: MIT */
#pragma once

#include "measure/workload.h"

/* A run that was started, on this host or on another one. */
struct kv_running {
	const struct kv_site *site;
	uint64_t timeout_ns; /* that of its spec */
	/* private */
	uint32_t id;
};

/* A callback for the progress of a run. */
struct kv_watch {
	/* Called some times a second with the run's result so far, without its bins. */
	void (*fn)(const struct kv_run_result *r, void *arg);
	void *arg; /* for @fn */
};

int kv_running_ask(struct kv_running *run, const struct kv_run_spec *spec, struct kv_fault *f);
int kv_running_take(struct kv_running *run, struct kv_fault *f);
int kv_running_wait(struct kv_running *run, uint32_t n, const struct kv_watch *watch,
		    uint32_t *failed, struct kv_fault *f);
void kv_running_await(struct kv_running *run, uint64_t n, uint64_t ms);
int kv_running_fetch(struct kv_running *run, struct kv_run_result *result, struct kv_fault *f);
int kv_running_end(struct kv_running *run, struct kv_run_result *result, struct kv_fault *f);
void kv_running_delete(struct kv_running *run);

/* Results of runs. */

const struct kv_worker_result *kv_running_worker(const struct kv_run_result *r);
uint64_t kv_running_done(const struct kv_run_result *r, uint32_t first, uint32_t n);
