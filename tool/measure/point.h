/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_CELL_H
#define KV_MEASURE_CELL_H

#include "cli/progress.h"
#include "measure/design.h"
#include "measure/side.h"

/* What is aimed at; fewer than KV_STATS_MIN_ROUNDS give no interval. */
#define KV_CELL_ROUNDS 12

/**
 * struct kv_plan - how long a cell is measured
 * @time_ns: for all sides together, connecting included; exceeded, but not more than
 *	threefold, if there are too few samples for a p99 by then
 * @rounds: each with fresh connections of all sides
 * @seed: of the order of the sides in each round
 * @verify: check contents first
 */
struct kv_plan {
	uint64_t time_ns;
	unsigned int rounds;
	uint64_t seed;
	bool verify;
};

/**
 * struct kv_ends - between which spaces a side's connection goes
 * @client: has the initiator
 * @server: has the responder
 */
struct kv_ends {
	const struct kv_space *client;
	const struct kv_space *server;
};

/**
 * struct kv_cell - one operation at one size, on all sides
 * @design: the sides, and what of them is compared
 * @work: what was measured
 * @verified: contents were checked, on each connection
 * @rounds: complete ones; only their samples are counted
 * @block_ns: how long one block took samples
 * @side: what each gave
 * @median: [@rounds] of each side, in the order of measurement: the median of a round, ticks
 * @resent: by each side, see struct kv_sides
 * @steal: see struct kv_sides
 * @diff: of each contrast, ticks of a sample
 * @judgement: of each contrast
 * @room: rounds that @median has room for
 */
struct kv_cell {
	const struct kv_design *design;
	struct kv_work work;
	bool verified;
	unsigned int rounds;
	uint64_t block_ns;
	struct kv_side side[KV_SIDES_MAX];
	double *median[KV_SIDES_MAX];
	uint64_t resent[KV_SIDES_MAX];
	double steal;
	struct kv_interval diff[KV_CONTRASTS_MAX];
	struct kv_judgement judgement[KV_CONTRASTS_MAX];
	unsigned int room;
};

int kv_cell_measure(struct kv_cell *c, const struct kv_design *design,
		    const struct kv_ends *ends, const struct kv_work *work,
		    const struct kv_plan *plan, struct kv_progress *progress,
		    struct kv_fault *f);
void kv_cell_free(struct kv_cell *c);

#endif
