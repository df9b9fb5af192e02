// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cli/fault.h"
#include "cli/parse.h"
#include "out/prose.h"

static enum kv_exit exit_of(int error)
{
	return error == -EOPNOTSUPP ? KV_EXIT_UNSUPPORTED : KV_EXIT_FAILED;
}

static void set(struct kv_fault *f, int error, enum kv_exit status, const char *fmt, va_list args)
{
	f->error = error;
	f->exit = status;
	f->printed = false;
	vsnprintf(f->text, sizeof(f->text), fmt, args);
}

/**
 * kv_fault_set() - set the text and the error of a fault
 * @error: negative errno; -EOPNOTSUPP ends the tool as "not supported here"
 *
 * Return: @error
 */
int kv_fault_set(struct kv_fault *f, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set(f, error, exit_of(error), fmt, args);
	va_end(args);
	return error;
}

/**
 * kv_fault_usage() - report a mistake in the command line
 *
 * Return: -EINVAL
 */
int kv_fault_usage(struct kv_fault *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set(f, -EINVAL, KV_EXIT_USAGE, fmt, args);
	va_end(args);
	return -EINVAL;
}

/**
 * kv_fault_join() - report the refusals of two checks together, so that neither hides the other
 * @f: has the reason of @first, or else that of @second
 * @more: has that of @second, if both failed
 *
 * Return: the error
 */
int kv_fault_join(struct kv_fault *f, int first, int second, const struct kv_fault *more)
{
	if (first && second)
		kv_append(f->text, sizeof(f->text), "; and %s", more->text);
	return first ?: second;
}

/**
 * kv_fault_backend() - report a failed operation of a backend
 * @b: the backend, whose err has the reason
 * @error: the errno of the operation; 0: it has not failed, and there is nothing to report
 * @fmt: the attempt, such as "cannot create a CQ of rxe0"
 *
 * Return: @error
 */
int kv_fault_backend(struct kv_fault *f, const struct kv_backend *b, int error,
		     const char *fmt, ...)
{
	char attempt[sizeof(f->text) / 2];
	va_list args;

	if (!error)
		return 0;
	va_start(args, fmt);
	vsnprintf(attempt, sizeof(attempt), fmt, args);
	va_end(args);
	return kv_fault_set(f, error, "%s space: %s: %s", b->ops->space, attempt,
			    b->err[0] ? b->err : strerror(-error));
}

/** kv_fault_prefix() - put words in front of the text of a fault */
void kv_fault_prefix(struct kv_fault *f, const char *fmt, ...)
{
	char text[sizeof(f->text)];
	va_list args;
	size_t n;

	memcpy(text, f->text, sizeof(text));
	va_start(args, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, args);
	va_end(args);
	n = strlen(f->text);
	memcpy(f->text + n, text, sizeof(text) - n);
	f->text[sizeof(f->text) - 1] = '\0';
}

/* Hints for a request that completed with a status, enum ib_wc_status. */
static const struct {
	uint32_t status;
	const char *hint;
} wc_hints[] = {
	{ 1, "a message was larger than its receive: examples/22-receive-too-small.kv" },
	{ 2, "the local queue or a receive that is too small: examples/22-receive-too-small.kv" },
	{ 4, "a local key or its rights: examples/13-registration.kv" },
	{ 5, "the QP went to ERR before: the first error tells why, or its CQ had no room; 'qp show', 'kverbs monitor'" },
	{ 9, "key, length or rights differ from the peer's: examples/22-receive-too-small.kv; of send-inv: docs/operations.md" },
	{ 10, "the peer's key, rights or range: examples/20-wrong-rkey.kv" },
	{ 11, "the peer's side, as a receive that is too small: examples/22-receive-too-small.kv" },
	{ 12, "the peer has not answered: --ack-timeout, --retry-cnt; by hand timeout, retry-cnt of 'qp modify'" },
	{ 13, "the peer had posted no receive: examples/21-no-receive.kv" },
};

/** kv_fault_hint() - what helps against a @status, enum ib_wc_status; or NULL */
const char *kv_fault_hint(uint32_t status)
{
	for (unsigned int i = 0; i < sizeof(wc_hints) / sizeof(wc_hints[0]); i++)
		if (wc_hints[i].status == status)
			return wc_hints[i].hint;
	return NULL;
}

/**
 * kv_fault_run() - report the reason of a run's failure
 * @b: the backend that ran it
 * @dev: name of the device
 * @timeout_ns: how long the run waited for a completion
 * @r: the run's result
 *
 * Return: the run's error
 */
int kv_fault_run(struct kv_fault *f, const struct kv_backend *b,
		 const char *dev, uint64_t timeout_ns, const struct kv_worker_result *r)
{
	const char *space = b->ops->space, *hint = kv_fault_hint(r->wc_status);

	if (r->error == -ENODEV)
		return kv_fault_set(f, r->error,
				    "%s space: device %s was removed while the run was active",
				    space, dev);
	if (r->wc_status)
		return kv_fault_set(f, r->error,
				    "%s space, %s: a request of QP number %u completed with status %u (%s), vendor error 0x%x, after %llu samples%s%s",
				    space, dev, r->qpn, r->wc_status,
				    kv_enum_name(kv_enum_wc_status, r->wc_status), r->vendor_err,
				    (unsigned long long)r->samples, hint ? "; " : "", hint ?: "");
	if (r->error == -ETIMEDOUT)
		return kv_fault_set(f, r->error,
				    "%s space, %s: no completion within %g s (--timeout), after %llu samples",
				    space, dev, (double)timeout_ns / 1e9,
				    (unsigned long long)r->samples);
	return kv_fault_set(f, r->error,
			    "%s space, %s: the run ended with error %d (%s) after %llu samples",
			    space, dev, -r->error, strerror(-r->error),
			    (unsigned long long)r->samples);
}

/** kv_fault_print() - print a fault on stderr, once */
void kv_fault_print(struct kv_fault *f)
{
	if (f->printed)
		return;
	f->printed = true;
	kv_prose_print(stderr, "kverbs: %s\n", f->text);
}
