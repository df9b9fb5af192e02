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
 * @time_ns: time for all series together, connecting included; if it gives too few samples for
 *	a p99, a point takes longer, at most three times as long
 * @rounds: number of rounds, each with fresh connections of all series
 * @seed: seed of the random order of the series in each round
 * @verify: check contents first
 */
struct kv_plan {
	uint64_t time_ns;
	unsigned int rounds;
	uint64_t seed;
	bool verify;
};

/**
 * struct kv_ends - the two sites that a series connects
 * @client: site of the initiator
 * @server: site of the responder
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
 * @rounds: number of complete rounds; only their samples are counted
 * @block_ns: how long samples were taken in one block
 * @series: the samples of each series
 * @median: [@rounds] for each series: the median of each round, ticks, in the order of measurement
 * @resent: packets sent again, for each series; see struct kv_rounds
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
