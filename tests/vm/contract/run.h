/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_RUN_H
#define TESTS_CONTRACT_RUN_H

#include "contract.h"

/* More than there are keys of an MR. */
#define INV_ITERS 300

struct kv_run_spec write_spec(const struct end *a, const struct end *b);
/* SEND_WITH_INV: @a asks and registers @mr, from the key on that it has now, and @b answers. */
struct kv_run_spec inv_spec(struct link *l, const struct end *a, const struct end *b, uint32_t mr);
uint32_t mr_last_key(struct link *l, uint32_t id);
/* Waits for its end, up to 10 s. The first worker's result is valid until the next run's. */
const struct kv_worker_result *run_wait(struct link *l, uint32_t id);
const struct kv_worker_result *run_look(struct link *l, uint32_t id);
/* Runs to the end. The first worker's result, as that of run_wait(). */
const struct kv_worker_result *run(struct link *l, const struct kv_run_spec *spec);
/* Runs to the end. @to: receives all results, and the bins of one worker. */
void run_whole(struct link *l, const struct kv_run_spec *spec, uint32_t bins_of, struct kv_run_result *to);
/* The run "good", which @change makes wrong as "spec", is refused: for functions that have these two, "l" and "id". */
#define RUN_BAD(change, error, text, name)						\
	do {										\
		spec = good;								\
		change;									\
		refused(l, call_run_start(&l->nl, &spec, &id), error, text, name);	\
	} while (0)
/* The peer has refused a request. siw also refuses a post while the connection ends (siw_post_send()). */
bool run_was_refused(const struct kv_worker_result *w, const struct end *e);

#endif
