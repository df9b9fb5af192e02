/* SPDX-License-Identifier: MIT */
#pragma once

#include "measure/running.h"
#include "measure/spec.h"
#include "measure/stats.h"

/* The runs of a block: those of the initiator and of the responder, of all hosts. */

/* Figures of blocks beside the results of their runs. */
struct kv_aside {
	struct kv_load load; /* of this host's CPUs meanwhile */
	/* The time within which all runs of several hosts began, the longest of all blocks. */
	uint64_t begun_ns;
};

int kv_runs_measure(const struct kv_site *site, const struct kv_pair *p,
		    const struct kv_workload *work, const struct kv_amount *amount,
		    const struct kv_watch *watch, struct kv_run_result *result,
		    struct kv_aside *aside, struct kv_fault *f);
