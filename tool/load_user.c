// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "model/backend.h"

/**
 * kv_backend_user_open() - load tool/user, and open its backend
 * @b: receives the backend
 * @err: receives the reason of a failure
 * @size: size of @err
 *
 * tool/user is a shared object beside the tool, or where 'make install' puts it. The tool has no
 * rpath for it, because the loader would search that for every library. Loading the libraries of
 * rdma-core, which the object needs, takes a fifth of the time of a short command, and a guest with
 * only the module can do without. The object stays loaded: libibverbs' providers can't be unloaded.
 *
 * Return: like the object's function of the same name; -EOPNOTSUPP if the object can't be loaded.
 */
int kv_backend_user_open(struct kv_backend **b, char *err, size_t size)
{
	void *object = dlopen("$ORIGIN/kverbs-user.so", RTLD_NOW);
	int (*open)(struct kv_backend **b, char *err, size_t size);

	*err = '\0';
	if (!object) {
		snprintf(err, size, "%s", dlerror());
		object = dlopen("$ORIGIN/../lib/kverbs/kverbs-user.so", RTLD_NOW);
	}
	open = object ? dlsym(object, "kv_backend_user_open") : NULL;
	if (open)
		return open(b, err, size);
	snprintf(err + strlen(err), size - strlen(err), "%s%s", *err ? "; " : "", dlerror());
	return -EOPNOTSUPP;
}
