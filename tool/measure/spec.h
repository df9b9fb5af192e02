/* SPDX-License-Identifier: MIT */
#pragma once

#include "measure/pair.h"

/* What the runs of a block do, for the backends of their sites. */

/* How much a block measures. */
struct kv_amount {
	uint64_t iters; /* samples; 0: no limit */
	uint64_t time_ns; /* how long samples are taken; 0: no limit, if there are @iters */
	uint64_t warmup; /* iterations before the first sample */
};

void kv_spec_fill(struct kv_run_spec *spec, const struct kv_site *site, const struct kv_pair *p,
		  const struct kv_workload *work, const struct kv_amount *amount);
void kv_spec_fill_back(struct kv_run_spec *back, const struct kv_run_spec *client,
		       const struct kv_pair *p, const struct kv_workload *work);
void kv_spec_fill_server(struct kv_run_spec *server, const struct kv_run_spec *client,
			 const struct kv_pair *p, const struct kv_workload *work);
