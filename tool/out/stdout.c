// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>
#include "out/stdout.h"

/* Why the first write failed that did; 0: none has. A stream keeps that it failed, and not why. */
static int first_error;

/* All of it, or as much as there is before an error. */
static ssize_t write_out(void *cookie, const char *data, size_t length)
{
	size_t done = 0;

	while (done < length) {
		ssize_t n = write(STDOUT_FILENO, data + done, length - done);

		if (n < 0 && !first_error)
			first_error = errno;
		if (n < 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/**
 * kv_stdout_open() - from now on remember why standard output could not be written
 *
 * Return: 0 or a negative errno.
 */
int kv_stdout_open(void)
{
	static const cookie_io_functions_t functions = { .write = write_out };
	FILE *out = fopencookie(NULL, "w", functions);

	if (!out)
		return -ENOMEM;
	setvbuf(out, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
	stdout = out;
	return 0;
}

/**
 * kv_stdout_flush() - see to it that what was printed reaches standard output
 * @f: receives why not
 *
 * What can't be written is dropped, so that it is told once.
 *
 * Return: 0 or a negative errno.
 */
int kv_stdout_flush(struct kv_fault *f)
{
	int error;

	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	error = first_error ? first_error : EIO;
	first_error = 0;
	__fpurge(stdout);
	clearerr(stdout);
	return kv_fault_set(f, -error, "cannot write to standard output: %s", strerror(error));
}

/**
 * kv_stdout_close() - write what is left; say so if any output did not arrive
 * @status: the tool's exit status so far
 *
 * Return: @status, or KV_EXIT_FAILED if it was KV_EXIT_DONE and output is missing
 */
int kv_stdout_close(int status)
{
	struct kv_fault fault;

	if (!kv_stdout_flush(&fault))
		return status;
	kv_fault_print(&fault);
	return status == KV_EXIT_DONE ? KV_EXIT_FAILED : status;
}
