// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <stdio.h>
#include "cli/parse.h"
#include "load.h"

/**
 * kv_load() - load a shared object of the tool
 * @name: its file
 * @symbol: name of a function of it
 *
 * The object is beside the tool, or where 'make install' puts it. The tool has no rpath for it,
 * because the loader would search that for every library. The object has what few commands need,
 * and stays loaded. It is linked so that all its functions are found at once; those of the
 * libraries that it needs are found at their first call, because most are never called.
 *
 * Return: the function; NULL: the object can't be loaded.
 */
void *kv_load(const char *name, const char *symbol, char *err, size_t size)
{
	static const char *const folders[] = { "$ORIGIN", "$ORIGIN/../lib/kverbs" };
	char path[64];

	*err = '\0';
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		void *object, *found = NULL;

		snprintf(path, sizeof(path), "%s/%s", folders[i], name);
		object = dlopen(path, RTLD_LAZY);
		if (object)
			found = dlsym(object, symbol);
		if (found)
			return found;
		kv_append(err, size, "%s%s", *err ? "; " : "", dlerror());
	}
	return NULL;
}
