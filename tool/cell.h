/* SPDX-License-Identifier: MIT */
#ifndef KV_CELL_H
#define KV_CELL_H

#include "progress.h"
#include "side.h"
#include "stats.h"

/* What is aimed at; fewer than KV_STATS_MIN_PAIRS give no interval. */
#define KV_CELL_PAIRS 16

/**
 * struct kv_plan - how long a cell is measured
 * @time_ns: for both spaces together, without setting up; exceeded, but not
 *	more than threefold, if there are too few samples for a p99 by then
 * @pairs: blocks of each space, even
 * @verify: check contents first
 */
struct kv_plan {
	uint64_t time_ns;
	unsigned int pairs;
	bool verify;
};

/**
 * struct kv_cell - one operation at one size in both spaces
 * @work: what was measured
 * @verified: contents were checked
 * @pairs: complete pairs of blocks; only their samples are counted
 * @block_ns: how long one block took samples
 * @side: of each space
 * @block: [@pairs] of each space, in the order of measurement
 * @diff: kernel - user of the medians, ticks of a sample
 * @room: pairs that @block has room for
 */
struct kv_cell {
	struct kv_work work;
	bool verified;
	unsigned int pairs;
	uint64_t block_ns;
	struct kv_side side[KV_SPACES];
	struct kv_hist *block[KV_SPACES];
	struct kv_interval diff;
	unsigned int room;
};

int kv_cell_measure(struct kv_cell *c, const struct kv_space *space,
		    const struct kv_work *work, const struct kv_plan *plan,
		    struct kv_progress *progress, struct kv_fault *f);
void kv_cell_free(struct kv_cell *c);

#endif
