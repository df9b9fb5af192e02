/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "cli/fault.h"
#include "cli/parse.h"
#include "model/backend.h"

/*
 * The names of persistent objects, in a file that is valid as long as the module stays loaded. The
 * module gives no id twice: if a name's object is gone, the name stands for nothing.
 */

/* Called for each name; @arg is the caller's. */
typedef void kv_names_fn(const char *text, enum kv_type type, uint32_t id, void *arg);

/* Refuses to give a second object the name of another one. */
static inline int kv_names_refuse(const char *text, enum kv_type type, uint32_t id,
				  struct kv_fault *f)
{
	return kv_fault_usage(f, "the name '%s' is taken: %s %u has it", text,
			      kv_enum_name(kv_enum_type, type), id);
}

/* Is there still an object with this id? */
typedef bool kv_names_exists_fn(enum kv_type type, uint32_t id, void *arg);

int kv_names_each(kv_names_fn *fn, void *arg, struct kv_fault *f);
int kv_names_update(const char *text, enum kv_type type, uint32_t id, kv_names_exists_fn *exists,
		    void *arg, struct kv_fault *f);
