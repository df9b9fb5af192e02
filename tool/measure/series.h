/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_SIDE_H
#define KV_MEASURE_SIDE_H

#include "measure/block.h"

/**
 * struct kv_side - what one side gave, of a cell or on its own
 * @hist: all its blocks
 * @samples: in @hist
 * @warmed: iterations that were discarded
 * @let_go: how often the thread let the CPU go while samples were taken
 * @elapsed_ns: how long samples were taken
 * @verb_ns: how long setting up took, see kv_pair_verbs()
 */
struct kv_side {
	struct kv_hist hist;
	uint64_t samples;
	uint64_t warmed;
	uint64_t let_go;
	uint64_t elapsed_ns;
	uint64_t verb_ns[KV_VERBS];
};

void kv_side_reset(struct kv_side *s);
void kv_side_add(struct kv_side *s, const struct kv_run_result *r);
void kv_side_merge(struct kv_side *s, const struct kv_side *from);
int kv_side_measure_null(struct kv_side *s, const struct kv_space *space,
			 const struct kv_work *work, struct kv_fault *f);

#endif
