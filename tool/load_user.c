// SPDX-License-Identifier: MIT
#include <errno.h>
#include "load.h"
#include "model/backend.h"

/**
 * kv_backend_user_open() - load tool/user, and open its backend
 *
 * Loading the libraries of rdma-core, which tool/user needs, takes a fifth of the time of a short
 * command, and a guest with only the module can do without.
 *
 * Return: like the object's function of the same name; -EOPNOTSUPP if the object can't be loaded.
 */
int kv_backend_user_open(struct kv_backend **b, char *err, size_t size)
{
	int (*open)(struct kv_backend **b, char *err, size_t size) =
		kv_load("kverbs-user.so", "kv_backend_user_open", err, size);

	return open ? open(b, err, size) : -EOPNOTSUPP;
}
