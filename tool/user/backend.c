// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* dladdr */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "clock.h"
#include "user/user.h"

/* The backend of user space: libibverbs. Devices, and what the objects share. */

#define SYS_DEVICES "/sys/class/infiniband"
#define SYS_UVERBS "/sys/class/infiniband_verbs"
#define DEV_UVERBS "/dev/infiniband"

_Static_assert((int)KVERBS_GID_IB == (int)IBV_GID_TYPE_IB, "GID types");
_Static_assert((int)KVERBS_GID_ROCE_V1 == (int)IBV_GID_TYPE_ROCE_V1, "GID types");
_Static_assert((int)KVERBS_GID_ROCE_V2 == (int)IBV_GID_TYPE_ROCE_V2, "GID types");

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

/* Calls @fn for the entries of a folder until it returns true. */
static bool any_entry(const char *folder, bool (*fn)(const char *name))
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool found = false;

	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)))
		found = entry->d_name[0] != '.' && fn(entry->d_name);
	closedir(dir);
	return found;
}

static bool is_entry(const char *name)
{
	return name[0];
}

static bool lacks_file(const char *name)
{
	char path[PATH_MAX];

	if (strncmp(name, "uverbs", strlen("uverbs")))
		return false;
	snprintf(path, sizeof(path), DEV_UVERBS "/%s", name);
	return access(path, F_OK);
}

/* The kernel has devices, libibverbs does not list them: why? */
static int refuse_unreachable(struct kv_user *u)
{
	if (access(SYS_UVERBS, F_OK))
		return kv_user_fail(u, -ENODEV, "the kernel has RDMA devices, but user space can't reach them: `modprobe ib_uverbs`");
	if (any_entry(SYS_UVERBS, lacks_file))
		return kv_user_fail(u, -ENODEV, "the kernel has RDMA devices, but their files " DEV_UVERBS "/uverbs* are missing: see whether udev runs, or make them (mknod)");
	return kv_user_fail(u, -ENODEV, "the kernel has RDMA devices, but libibverbs has no driver for them: install their provider (Debian: ibverbs-providers)");
}

static int refuse_none(struct kv_user *u)
{
	if (any_entry(SYS_DEVICES, is_entry))
		return refuse_unreachable(u);
	return kv_user_fail(u, -ENODEV, "no RDMA device in user space: load a driver, e.g. `rdma link add rxe0 type rxe netdev eth0`");
}

static int refuse_unknown(struct kv_user *u, const char *name,
			  struct ibv_device **list)
{
	char path[PATH_MAX], known[256] = "";
	size_t used = 0;

	snprintf(path, sizeof(path), SYS_DEVICES "/%s", name);
	if (name[0] && !access(path, F_OK))
		return refuse_unreachable(u);
	for (; *list && used < sizeof(known); list++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, " %s",
					 ibv_get_device_name(*list));
	return kv_user_fail(u, -ENODEV, "no RDMA device %s in user space; there are:%s", name, known);
}

/* errno is of no use: libibverbs tries another way, and fails there otherwise. */
static int refuse_open(struct kv_user *u, struct ibv_device *ib, int error)
{
	const char *name = ibv_get_device_name(ib);
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DEV_UVERBS "/%s", ib->dev_name);
	if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) && errno == EACCES)
		return kv_user_fail(u, -EACCES, "%s can't be opened: no permission for %s: run as root, or join the file's group", name, path);
	return kv_user_fail(u, error ? -error : -EIO, "%s can't be opened: %s: %s", name, path, strerror(error));
}

/* All devices, to be freed by ibv_free_device_list(); there is at least one. */
static int list_devices(struct kv_user *u, struct ibv_device ***list)
{
	int n;

	*list = ibv_get_device_list(&n);
	if (!*list) {
		/* What libibverbs says when there is no uverbs in the kernel. */
		if (errno == ENOSYS)
			return refuse_none(u);
		return kv_user_fail(u, -errno, "ibv_get_device_list: %s", strerror(errno));
	}
	if (n)
		return 0;
	ibv_free_device_list(*list);
	return refuse_none(u);
}

static int open_device(struct kv_user *u, struct ibv_device *ib,
		       struct kv_user_dev **opened)
{
	struct ibv_device_attr_ex attr;
	struct ibv_port_attr port;
	struct kv_user_dev *dev;
	int ret;

	dev = calloc(1, sizeof(*dev));
	if (!dev)
		return kv_user_fail(u, -ENOMEM, "no memory");
	dev->ctx = ibv_open_device(ib);
	if (!dev->ctx) {
		ret = refuse_open(u, ib, errno);
		goto err_free;
	}
	ret = ibv_query_device_ex(dev->ctx, NULL, &attr);
	if (ret) {
		ret = kv_user_fail(u, -ret, "%s: ibv_query_device_ex: %s", ibv_get_device_name(ib), strerror(ret));
		goto err_close;
	}
	ret = ibv_query_port(dev->ctx, 1, &port);
	if (ret) {
		ret = kv_user_fail(u, -ret, "%s: ibv_query_port: %s", ibv_get_device_name(ib), strerror(ret));
		goto err_close;
	}
	dev->attr = attr.orig_attr;
	dev->link_layer = port.link_layer;
	dev->next = u->devs;
	u->devs = dev;
	*opened = dev;
	return 0;

err_close:
	ibv_close_device(dev->ctx);
err_free:
	free(dev);
	return ret;
}

static struct kv_user_dev *find_open(struct kv_user *u, const char *name)
{
	struct kv_user_dev *dev;

	for (dev = u->devs; dev; dev = dev->next)
		if (!strcmp(ibv_get_device_name(dev->ctx->device), name))
			return dev;
	return NULL;
}

/**
 * kv_user_dev_open() - a device, opened unless it is already
 * @u: the backend
 * @name: such as "rxe0"
 * @error: where a negative errno goes
 *
 * Return: the device, the backend's until that is closed; NULL on failure.
 */
struct kv_user_dev *kv_user_dev_open(struct kv_user *u, const char *name,
				     int *error)
{
	struct kv_user_dev *dev = find_open(u, name);
	struct ibv_device **list, **ib;

	if (dev)
		return dev;
	*error = list_devices(u, &list);
	if (*error)
		return NULL;
	for (ib = list; *ib && strcmp(ibv_get_device_name(*ib), name); ib++)
		;
	*error = *ib ? open_device(u, *ib, &dev) : refuse_unknown(u, name, list);
	ibv_free_device_list(list);
	return dev;
}

/* The entries of port 1, as many as there is room for. */
static int query_gids(struct kv_user *u, struct kv_user_dev *dev,
		      uint32_t table_length, struct kv_dev *to)
{
	size_t max = (size_t)table_length * dev->attr.phys_port_cnt;
	struct ibv_gid_entry *entries;
	ssize_t n, i;

	entries = calloc(max ? max : 1, sizeof(*entries));
	if (!entries)
		return kv_user_fail(u, -ENOMEM, "no memory");
	n = ibv_query_gid_table(dev->ctx, entries, max, 0);
	for (i = 0; i < n && to->gids < KV_GIDS_MAX; i++) {
		struct kv_gid *gid = &to->gid[to->gids];

		if (entries[i].port_num != 1)
			continue;
		gid->index = entries[i].gid_index;
		gid->type = entries[i].gid_type;
		memcpy(gid->raw, entries[i].gid.raw, sizeof(gid->raw));
		to->gids++;
	}
	free(entries);
	return n < 0 ? kv_user_fail(u, (int)n, "%s: ibv_query_gid_table: %s", to->name, strerror((int)-n)) : 0;
}

static int query_device(struct kv_user *u, struct kv_user_dev *dev,
			struct kv_dev *to)
{
	const struct ibv_device_attr *attr = &dev->attr;
	struct ibv_port_attr port;
	int ret;

	memset(to, 0, sizeof(*to));
	snprintf(to->name, sizeof(to->name), "%s", ibv_get_device_name(dev->ctx->device));
	ret = ibv_query_port(dev->ctx, 1, &port);
	if (ret)
		return kv_user_fail(u, -ret, "%s: ibv_query_port: %s", to->name, strerror(ret));
	to->ports = attr->phys_port_cnt;
	to->max_qp_wr = (uint32_t)attr->max_qp_wr;
	to->max_cqe = (uint32_t)attr->max_cqe;
	to->max_send_sge = (uint32_t)attr->max_sge;
	to->max_qp_rd_atom = (uint32_t)attr->max_qp_rd_atom;
	to->max_mr_bytes = kv_user_mr_bytes_max(dev);
	to->max_msg_bytes = port.max_msg_sz;
	to->atomic = attr->atomic_cap;
	to->fast_reg = 0; /* user space has none */
	to->port_state = port.state;
	to->active_mtu = 128U << port.active_mtu;
	to->lid = port.lid;
	return query_gids(u, dev, (uint32_t)port.gid_tbl_len, to);
}

static int dev_get(struct kv_backend *b, const char *name, struct kv_dev *dev)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_dev *from;
	int ret;

	from = kv_user_dev_open(u, name, &ret);
	return from ? query_device(u, from, dev) : ret;
}

static int dev_each(struct kv_backend *b,
		    int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	struct kv_user *u = (struct kv_user *)b;
	struct ibv_device **list, **ib;
	struct kv_dev dev;
	int ret;

	ret = list_devices(u, &list);
	if (ret)
		return ret;
	for (ib = list; *ib; ib++) {
		ret = dev_get(b, ibv_get_device_name(*ib), &dev);
		if (ret || fn(&dev, arg))
			break;
	}
	ibv_free_device_list(list);
	return ret;
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
	snprintf(to->version, sizeof(to->version), "%.*s", (int)sizeof(to->version) - 1, name ? name + 1 : path);
	snprintf(to->counter, sizeof(to->counter), "%s", kv_clock_name());
	return 0;
}

static void close_backend(struct kv_backend *b)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_dev *dev;

	kv_user_obj_destroy_all(u);
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
	.dev_get = dev_get,
	.dev_each = dev_each,
	.pd_new = kv_user_pd_new,
	.pd_del = kv_user_pd_del,
	.cq_new = kv_user_cq_new,
	.cq_del = kv_user_cq_del,
	.mr_new = kv_user_mr_new,
	.mr_del = kv_user_mr_del,
	.mr_reg = kv_user_mr_reg,
	.mr_inv = kv_user_mr_inv,
	.mr_write = kv_user_mr_write,
	.mr_read = kv_user_mr_read,
	.qp_new = kv_user_qp_new,
	.qp_del = kv_user_qp_del,
	.qp_modify = kv_user_qp_modify,
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
