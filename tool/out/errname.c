// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <string.h>
#include "out/errname.h"

/* Above every errno that user space sees. */
#define ERRNO_MAX 4095

/**
 * kv_errno_name() - the name of an errno
 * @error: the errno, negative or not
 *
 * Return: the name, as "EINVAL"; "?" if it has none.
 */
const char *kv_errno_name(int error)
{
	const char *name = strerrorname_np(error < 0 ? -error : error);

	return name ? name : "?";
}

/**
 * kv_errno_number() - the errno of a name
 * @name: the name, as "EINVAL"
 *
 * Return: the errno, negative; 0 if there is none of that name.
 */
int kv_errno_number(const char *name)
{
	for (int e = 1; e <= ERRNO_MAX; e++) {
		const char *known = strerrorname_np(e);

		if (known && !strcmp(known, name))
			return -e;
	}
	return 0;
}
