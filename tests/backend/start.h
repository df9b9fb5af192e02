/* SPDX-License-Identifier: MIT */
#ifndef KV_TESTS_START_H
#define KV_TESTS_START_H

#include "model/site.h"

const char *failed_start_holds_nothing(const struct kv_site *space);
const char *runs_are_refused(const struct kv_site *space);

#endif
