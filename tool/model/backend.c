// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>
#include "model/backend.h"

/**
 * kv_backend_fail() - set the text of a failure
 * @error: negative errno
 *
 * Return: @error
 */
int kv_backend_fail(struct kv_backend *b, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(b->err, sizeof(b->err), fmt, args);
	va_end(args);
	return error;
}
