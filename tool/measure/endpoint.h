/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_ENDPOINT_H
#define KV_MEASURE_ENDPOINT_H

#include "measure/pair.h"

const char *kv_verb_name(enum kv_verb verb);
int kv_pair_create(struct kv_pair *p, const struct kv_space *initiator,
		   const struct kv_space *responder, const struct kv_work *work,
		   struct kv_fault *f);
void kv_pair_destroy(struct kv_pair *p);
void kv_pair_verbs(const struct kv_pair *p, uint64_t ns[KV_VERBS]);
void kv_pair_fill(const struct kv_pair *p, unsigned int end,
		  struct kv_run_end *run);

#endif
