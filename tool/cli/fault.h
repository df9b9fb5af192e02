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

/**
 * struct kv_fault - a failure, as a sentence for people
 * @error: negative errno; 0 if nothing went wrong
 * @exit: the tool's exit status
 * @printed: it was printed on stderr
 * @text: a sentence without "kverbs: " and full stop
 */
struct kv_fault {
	int error;
	enum kv_exit exit;
	bool printed;
	char text[1024];
};

int kv_fault_set(struct kv_fault *f, int error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int kv_fault_usage(struct kv_fault *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int kv_fault_backend(struct kv_fault *f, const struct kv_backend *b, int error,
		     const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int kv_fault_run(struct kv_fault *f, const struct kv_backend *b,
		 const char *dev, uint64_t timeout_ns, const struct kv_worker_result *r);
void kv_fault_print(struct kv_fault *f);

/* Returns -ENOMEM. */
static inline int kv_fault_no_memory(struct kv_fault *f)
{
	return kv_fault_set(f, -ENOMEM, "no memory");
}
