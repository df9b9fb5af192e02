/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* A word of another program, and the text of its refusal. */
struct kv_foreign {
	const char *word; /* an option's without dashes; NULL: the table ends */
	char letter; /* of an option, as in -z; 0: there is none */
	const char *here; /* kverbs' word for it, or the reason why there is none */
};

/* Names of operations as perftest, IBTA and libibverbs spell them. */
extern const struct kv_foreign kv_foreign_ops[];

const struct kv_foreign *kv_foreign_find(const struct kv_foreign *table, const char *text,
					 size_t length);
const struct kv_foreign *kv_foreign_option(const struct kv_foreign *table, const char *text);
const char *kv_foreign_value(const struct kv_foreign *table, const char *text);
