/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_SERIES_H
#define KV_MEASURE_SERIES_H

#include "measure/block.h"

/**
 * struct kv_series - what one series gave, of a point or on its own
 * @hist: all its blocks
 * @samples: in @hist
 * @warmed: iterations that were discarded
 * @let_go: how often the thread let the CPU go while samples were taken
 * @elapsed_ns: how long samples were taken
 * @verb_ns: how long setting up took, see kv_pair_verbs()
 */
struct kv_series {
	struct kv_hist hist;
	uint64_t samples;
	uint64_t warmed;
	uint64_t let_go;
	uint64_t elapsed_ns;
	uint64_t verb_ns[KV_VERBS];
};

void kv_series_reset(struct kv_series *s);
void kv_series_add(struct kv_series *s, const struct kv_run_result *r);
void kv_series_merge(struct kv_series *s, const struct kv_series *from);
int kv_series_measure_null(struct kv_series *s, const struct kv_site *site,
			 const struct kv_work *work, struct kv_fault *f);

#endif
