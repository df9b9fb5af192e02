/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_RUN_H
#define TESTS_CONTRACT_RUN_H

#include "contract.h"

struct kv_run_spec write_spec(const struct end *a, const struct end *b);
/* Valid until the next run. */
const struct kv_run_result *run(struct link *l, const struct kv_run_spec *spec);

#endif
