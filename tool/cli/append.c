// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>
#include "cli/parse.h"

void kv_append(char *text, size_t size, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + used, size - used, fmt, args);
	va_end(args);
}
