/* SPDX-License-Identifier: MIT */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include "model/backend.h"

/* Exit statuses of the tool. */
enum kv_exit {
	KV_EXIT_DONE = 0,
	KV_EXIT_FAILED = 1,
	KV_EXIT_USAGE = 2,
	KV_EXIT_WARNED = 3,
	KV_EXIT_UNSUPPORTED = 77,
};

/*
 * A failure, as a sentence for people. A function that takes a fault returns 0, or a negative errno
 * and the reason in the fault; its description says no more of that than what is special.
 */
struct kv_fault {
	int error; /* negative errno; 0 if nothing went wrong */
	enum kv_exit exit; /* the tool's exit status */
	bool printed; /* it was printed on stderr */
	char text[1024]; /* a sentence without "kverbs: " and full stop */
};

int kv_fault_set(struct kv_fault *f, int error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int kv_fault_usage(struct kv_fault *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int kv_fault_join(struct kv_fault *f, int first, int second, const struct kv_fault *more);
int kv_fault_backend(struct kv_fault *f, const struct kv_backend *b, int error,
		     const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void kv_fault_prefix(struct kv_fault *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int kv_fault_run(struct kv_fault *f, const struct kv_backend *b,
		 const char *dev, uint64_t timeout_ns, const struct kv_worker_result *r);
void kv_fault_print(struct kv_fault *f);
const char *kv_fault_hint(uint32_t status);

/* Returns -ENOMEM. */
static inline int kv_fault_no_memory(struct kv_fault *f)
{
	return kv_fault_set(f, -ENOMEM, "no memory");
}
