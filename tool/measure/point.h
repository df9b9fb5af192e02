/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/progress.h"
#include "measure/contrast.h"
#include "measure/block.h"
#include "measure/setup.h"
#include "measure/stats.h"

/* Samples of a block's warm-up, at least. */
#define KV_POINT_WARM_MIN 2

/* The default; fewer than KV_STATS_MIN_ROUNDS give no interval. */
#define KV_POINT_ROUNDS 12

/* How long a point is measured. */
struct kv_plan {
	/*
	 * Time for all series together, connecting included; if it gives too few samples for a p99,
	 * a point takes longer, at most three times as long.
	 */
	uint64_t time_ns;
	/* Number of rounds, each with fresh connections of all series: see kv_stats_rounds(). */
	unsigned int rounds;
	uint64_t seed; /* seed of the random order of the series in each round */
	bool verify; /* check contents first */
	bool setup; /* find out what connections cost, too */
};

/* The sites that a series connects. */
struct kv_ends {
	const struct kv_site *here; /* of the initiator; reversed, of the responder */
	/* Of the other end, on each of the work's hosts; without a host on this one. */
	const struct kv_site *there[KV_HOSTS_MAX];
};

/* One operation at one size, on all series. */
struct kv_point {
	const struct kv_contrast *contrast; /* the series, and which of them are compared */
	struct kv_workload work; /* the operation and its size */
	bool verified; /* contents were checked, on each connection */
	unsigned int rounds; /* number of complete rounds; only their samples are counted */
	uint64_t block_ns; /* how long samples were taken in one block */
	struct kv_series series[KV_SERIES_MAX]; /* the samples of each series */
	/*
	 * [@rounds] for each series: kv_series_figure() of each round, in the order of measurement.
	 */
	double *median[KV_SERIES_MAX];
	/* Packets sent again, for each series; see struct kv_rounds. */
	uint64_t resent[KV_SERIES_MAX];
	double steal; /* see struct kv_rounds */
	struct kv_setup setup[KV_SERIES_MAX]; /* of each series, if the plan asks for it */
	unsigned int room; /* rounds that @median has room for */
};

struct kv_workload kv_point_work(const struct kv_point *c, unsigned int series);
int kv_point_measure(struct kv_point *c, const struct kv_contrast *contrast,
		    const struct kv_ends *ends, const struct kv_workload *work,
		    const struct kv_plan *plan, struct kv_progress *progress, struct kv_fault *f);
void kv_point_free(struct kv_point *c);
