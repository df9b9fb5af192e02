// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "fault.h"
#include "stdout.h"

/* Why the first write failed that did; 0: none has. A stream keeps that it failed, and not why. */
static int first_error;

/* All of it, or as much as there is before an error. */
static ssize_t write_out(void *cookie, const char *data, size_t length)
{
	size_t done = 0;

	(void)cookie;
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
 * kv_stdout_close() - write what is left; say so if any output did not arrive
 * @status: the tool's exit status so far
 *
 * Return: @status, or KV_EXIT_FAILED if it was KV_EXIT_DONE and output is missing
 */
int kv_stdout_close(int status)
{
	bool failed = fflush(stdout) || ferror(stdout);

	if (!failed)
		return status;
	fprintf(stderr, "kverbs: cannot write to standard output: %s\n",
		strerror(first_error));
	return status == KV_EXIT_DONE ? KV_EXIT_FAILED : status;
}
