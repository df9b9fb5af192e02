/* SPDX-License-Identifier: MIT */
#ifndef KV_TESTS_FAKE_RUN_H
#define KV_TESTS_FAKE_RUN_H

#include "backend.h"

/* Runs of the fake backend: each has ended when it is looked at, with three samples. */

int fake_info(struct kv_backend *b, struct kv_info *info);
int fake_counters(struct kv_backend *b, const char *dev,
		  struct kv_counters *counters);
int fake_run_start(struct kv_backend *b, const struct kv_run_spec *spec,
		   uint32_t *id);
int fake_run_wait(struct kv_backend *b, uint32_t id, int timeout_ms);
int fake_run_cancel(struct kv_backend *b, uint32_t id);
int fake_run_get(struct kv_backend *b, uint32_t id,
		 struct kv_run_result *result);
int fake_run_del(struct kv_backend *b, uint32_t id);
void fake_run_forget(void);

#endif
