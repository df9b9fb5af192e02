// SPDX-License-Identifier: MIT
#include <string.h>
#include "cli/parse.h"
#include "file/file.h"

/**
 * kv_file_name_check() - can a file of a server have this name?
 * @why: receives the reason of a refusal, without the bad part of the name
 *
 * A name in one folder: no path, nothing hidden, 1 to KV_FILE_NAME_MAX bytes of
 * UTF-8 that can be printed.
 *
 * Return: 0 or -EINVAL.
 */
int kv_file_name_check(const char *name, struct kv_why *why)
{
	size_t length = strlen(name);
	const char *wrong;

	if (!length)
		return kv_why_set(why, "is empty");
	if (length > KV_FILE_NAME_MAX)
		return kv_why_set(why, "is longer than 255 bytes");
	if (strchr(name, '/'))
		return kv_why_set(why, "has a '/': it takes a file's name, not a path");
	if (*name == '.')
		return kv_why_set(why, "begins with a dot, as hidden files do");
	wrong = kv_printable_check(name);
	return wrong ? kv_why_set(why, "%s", wrong) : 0;
}
