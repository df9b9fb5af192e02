/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_POINT_H
#define KV_MEASURE_POINT_H

#include "cli/progress.h"
#include "measure/contrast.h"
#include "measure/block.h"
#include "measure/stats.h"

/* The default; fewer than KV_STATS_MIN_ROUNDS give no interval. */
#define KV_POINT_ROUNDS 12

/**
 * struct kv_plan - how long a point is measured
 * @time_ns: for all series together, connecting included; exceeded, but not more than
 *	threefold, if there are too few samples for a p99 by then
 * @rounds: each with fresh connections of all series
 * @seed: of the order of the series in each round
 * @verify: check contents first
 */
struct kv_plan {
	uint64_t time_ns;
	unsigned int rounds;
	uint64_t seed;
	bool verify;
};

/**
 * struct kv_ends - between which spaces a series' connection goes
 * @client: has the initiator
 * @server: has the responder
 */
struct kv_ends {
	const struct kv_site *client;
	const struct kv_site *server;
};

/**
 * struct kv_point - one operation at one size, on all series
 * @contrast: the series, and which of them are compared
 * @work: the operation and its size
 * @verified: contents were checked, on each connection
 * @rounds: complete ones; only their samples are counted
 * @block_ns: how long one block took samples
 * @series: the samples of each
 * @median: [@rounds] of each series, in the order of measurement: the median of a round, ticks
 * @resent: by each series, see struct kv_rounds
 * @steal: see struct kv_rounds
 * @room: rounds that @median has room for
 */
struct kv_point {
	const struct kv_contrast *contrast;
	struct kv_workload work;
	bool verified;
	unsigned int rounds;
	uint64_t block_ns;
	struct kv_series series[KV_SERIES_MAX];
	double *median[KV_SERIES_MAX];
	uint64_t resent[KV_SERIES_MAX];
	double steal;
	unsigned int room;
};

int kv_point_measure(struct kv_point *c, const struct kv_contrast *contrast,
		    const struct kv_ends *ends, const struct kv_workload *work,
		    const struct kv_plan *plan, struct kv_progress *progress, struct kv_fault *f);
void kv_point_free(struct kv_point *c);

#endif
