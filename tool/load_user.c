// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include "model/backend.h"

/**
 * kv_backend_user_open() - load tool/user, and open its backend
 * @b: receives the backend
 * @err: receives why not
 * @size: of @err
 *
 * tool/user is a shared object beside the tool. The libraries of rdma-core, which it needs, and
 * theirs take a fifth of the time of a short command, and a guest that only has the module
 * need not have them. The object stays loaded: providers of libibverbs can't be unloaded.
 *
 * Return: as the object's function of the same name; -EOPNOTSUPP if it can't be loaded.
 */
int kv_backend_user_open(struct kv_backend **b, char *err, size_t size)
{
	void *object = dlopen("kverbs-user.so", RTLD_NOW);
	int (*open)(struct kv_backend **b, char *err, size_t size) =
		object ? dlsym(object, "kv_backend_user_open") : NULL;

	if (open)
		return open(b, err, size);
	snprintf(err, size, "%s", dlerror());
	return -EOPNOTSUPP;
}
