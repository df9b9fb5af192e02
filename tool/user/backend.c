// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "user/conn.h"
#include "user/post.h"
#include "user/run.h"
#include "user/user.h"

/* The backend of user space: libibverbs. */

/**
 * kv_user_fail() - leave the text of a failure
 * @u: the backend
 * @error: negative errno
 * @format: what is wrong, and what to do about it
 *
 * Return: @error
 */
int kv_user_fail(struct kv_user *u, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(u->base.err, sizeof(u->base.err), format, args);
	va_end(args);
	return error;
}

/**
 * kv_user_check_max() - is a value within the range that its field has?
 * @u: the backend
 * @what: name of the value
 * @value: the value
 * @max: the largest that it can be
 *
 * Return: 0 or -ERANGE.
 */
int kv_user_check_max(struct kv_user *u, const char *what, uint32_t value,
		      uint32_t max)
{
	if (value <= max)
		return 0;
	return kv_user_fail(u, -ERANGE, "%s is %u: it must be 0 to %u", what, value, max);
}

/**
 * kv_user_check_count() - is it 1 at least, and no more than the device can do?
 * @u: the backend
 * @what: name of the value
 * @value: the value
 * @limit: the device's limit
 * @limit_name: its name
 *
 * Return: 0, -ERANGE if no device has such a count, -EINVAL if this one has not.
 */
int kv_user_check_count(struct kv_user *u, const char *what, uint32_t value,
			int limit, const char *limit_name)
{
	if (value && value <= INT32_MAX && (int)value <= limit)
		return 0;
	return kv_user_fail(u, value && value <= INT32_MAX ? -EINVAL : -ERANGE,
			    "%s is %u: it must be 1 to %d, the device's %s",
			    what, value, limit, limit_name);
}

/**
 * kv_user_check_access() - are these access flags that there are?
 * @u: the backend
 * @what: name of the value
 * @access: KVERBS_ACCESS_*
 *
 * Return: 0 or -EINVAL.
 */
int kv_user_check_access(struct kv_user *u, const char *what, uint32_t access)
{
	uint32_t unknown = access & ~KVERBS_ACCESS__ALL;

	if (!unknown)
		return 0;
	return kv_user_fail(u, -EINVAL,
			    "%s 0x%x has flags that are unknown: 0x%x",
			    what, access, unknown);
}

static int info(struct kv_backend *b, struct kv_info *to)
{
	char path[PATH_MAX];
	const char *name;
	Dl_info dl;

	(void)b;
	if (!dladdr((void *)ibv_get_device_list, &dl) || !realpath(dl.dli_fname, path))
		snprintf(path, sizeof(path), "libibverbs");
	name = strrchr(path, '/');
	memset(to, 0, sizeof(*to));
	snprintf(to->version, sizeof(to->version), "%.*s", (int)sizeof(to->version) - 1,
		 name ? name + 1 : path);
	snprintf(to->counter, sizeof(to->counter), "%s", kv_clock_name());
	return 0;
}

static void close_backend(struct kv_backend *b)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_dev *dev;

	kv_user_obj_destroy_all(u);
	if (u->cm)
		rdma_destroy_event_channel(u->cm);
	while ((dev = u->devs)) {
		u->devs = dev->next;
		ibv_close_device(dev->ctx);
		free(dev);
	}
	free(u);
}

static const struct kv_backend_ops ops = {
	.space = "user",
	.close = close_backend,
	.info = info,
	.dev_get = kv_user_dev_get,
	.dev_each = kv_user_dev_each,
	.counters = kv_counters_read,
	.dev_gone = kv_user_dev_gone,
	.flush = kv_user_flush,
	.pd_new = kv_user_pd_new,
	.cq_new = kv_user_cq_new,
	.mr_new = kv_user_mr_new,
	.srq_new = kv_user_srq_new,
	.ah_new = kv_user_ah_new,
	.qp_new = kv_user_qp_new,
	.get = kv_user_obj_get,
	.each = kv_user_obj_each,
	.del = kv_user_obj_del,
	.mr_reg = kv_user_mr_reg,
	.mr_inv = kv_user_mr_inv,
	.mr_write = kv_user_mr_write,
	.mr_read = kv_user_mr_read,
	.mr_load = kv_user_mr_load,
	.mr_save = kv_user_mr_save,
	.srq_modify = kv_user_srq_modify,
	.qp_modify = kv_user_qp_modify,
	.conn_new = kv_user_conn_new,
	.conn_listen = kv_user_conn_listen,
	.conn_take = kv_user_conn_take,
	.conn_resolve_addr = kv_user_conn_resolve_addr,
	.conn_resolve_route = kv_user_conn_resolve_route,
	.conn_connect = kv_user_conn_connect,
	.conn_establish = kv_user_conn_establish,
	.conn_accept = kv_user_conn_accept,
	.conn_reject = kv_user_conn_reject,
	.conn_disconnect = kv_user_conn_disconnect,
	.conn_wait = kv_user_conn_wait,
	.post = kv_user_post,
	.poll = kv_user_poll,
	.arm = kv_user_cq_arm,
	.cq_wait = kv_user_cq_wait,
	.event_wait = kv_user_event_wait,
	.run_start = kv_user_run_start,
	.run_wait = kv_user_run_wait,
	.run_cancel = kv_user_run_cancel,
	.run_peek = kv_user_run_peek,
	.run_get = kv_user_run_get,
	.run_del = kv_user_run_del,
};

/**
 * kv_backend_user_open() - the backend that calls libibverbs in this process
 * @b: where it goes; NULL on failure
 * @err: where the text of a failure goes
 * @size: of @err
 *
 * Devices are opened when they are first named: opening the backend needs none.
 *
 * Return: 0 or -ENOMEM.
 */
int kv_backend_user_open(struct kv_backend **b, char *err, size_t size)
{
	struct kv_user *u = calloc(1, sizeof(*u));

	*b = NULL;
	if (!u) {
		snprintf(err, size, "no memory");
		return -ENOMEM;
	}
	u->base.ops = &ops;
	*b = &u->base;
	return 0;
}
