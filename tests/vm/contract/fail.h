/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_FAIL_H
#define TESTS_CONTRACT_FAIL_H

#include <stdbool.h>

/* The module fail_verb of tests/vm/fail. */
#define FAIL_VERB "/sys/module/fail_verb/parameters/"

/* How to have it, for missing(). */
#define FAIL_VERB_MISSING "no fail_verb.ko: make fail-verb; scripts/vm --file DIR/fail_verb.ko:/kverbs/tests/vm/fail_verb.ko"

bool fail_verb_loaded(void);
void fail_verb_set(const char *parameter, const char *text);

#endif
