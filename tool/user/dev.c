// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sys/now.h"
#include "user/user.h"

/* Devices: opened when they are first named, closed with the backend. */

#define SYS_DEVICES "/sys/class/infiniband"
#define SYS_UVERBS "/sys/class/infiniband_verbs"
#define DEV_UVERBS "/dev/infiniband"

/* The interval of checks: each check costs some microseconds. */
#define LOOK_NS 100000000

/* Is the device file of any uverbs device missing? */
static bool lacks_file(void)
{
	glob_t found = { 0 };
	char path[PATH_MAX];
	bool missing = false;

	if (!glob(SYS_UVERBS "/uverbs*", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && !missing; i++) {
			snprintf(path, sizeof(path), DEV_UVERBS "%s",
				 strrchr(found.gl_pathv[i], '/'));
			missing = access(path, F_OK);
		}
	globfree(&found);
	return missing;
}

/* Says why libibverbs does not list devices that the kernel has. */
static int refuse_unreachable(struct kv_user *u)
{
	if (access(SYS_UVERBS, F_OK))
		return kv_user_fail(u, -ENODEV,
				    "the kernel has RDMA devices, but user space can't reach them: `modprobe ib_uverbs`");
	if (lacks_file())
		return kv_user_fail(u, -ENODEV,
				    "the kernel has RDMA devices, but their files " DEV_UVERBS "/uverbs* are missing: see whether udev runs, or make them (mknod)");
	return kv_user_fail(u, -ENODEV,
			    "the kernel has RDMA devices, but libibverbs has no driver for them: install their provider (Debian: ibverbs-providers)");
}

static int refuse_none(struct kv_user *u)
{
	glob_t found = { 0 };
	int ret = glob(SYS_DEVICES "/*", GLOB_NOSORT, NULL, &found);

	globfree(&found);
	if (!ret)
		return refuse_unreachable(u);
	return kv_user_fail(u, -ENODEV,
			    "no RDMA device in user space: load a driver, or make a software one: 'rdma link add rxe0 type rxe netdev NETDEV'");
}

static int refuse_unknown(struct kv_user *u, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), SYS_DEVICES "/%s", name);
	if (name[0] && !access(path, F_OK))
		return refuse_unreachable(u);
	u->base.refused = kv_shape_dev_name.member;
	return kv_user_fail(u, -ENODEV, "no RDMA device '%s' in user space", name);
}

/* errno is of no use: libibverbs then tries another way, which fails with an errno of its own. */
static int refuse_open(struct kv_user *u, struct ibv_device *ib, int error)
{
	const char *name = ibv_get_device_name(ib);
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DEV_UVERBS "/%s", ib->dev_name);
	if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) && errno == EACCES)
		return kv_user_fail(u, -EACCES,
				    "%s can't be opened: no permission for %s: run as root, or join the file's group",
				    name, path);
	return kv_user_fail(u, error ? -error : -EIO, "%s can't be opened: %s: %s", name, path,
			    strerror(error));
}

/*
 * Lists all devices, at least one, with NULL after the last. The caller frees the list with
 * ibv_free_device_list(). -ENODEV if there is no device.
 */
int kv_user_dev_list(struct kv_user *u, struct ibv_device ***list)
{
	int n;

	*list = ibv_get_device_list(&n);
	if (!*list) {
		/* libibverbs sets ENOSYS if the kernel has no uverbs. */
		if (errno == ENOSYS)
			return refuse_none(u);
		return kv_user_fail(u, -errno, "ibv_get_device_list: %s", strerror(errno));
	}
	if (n)
		return 0;
	ibv_free_device_list(*list);
	return refuse_none(u);
}

/* Inode of the sysfs folder of an open device; 0 once the folder is gone. */
static ino_t find_ino(const struct kv_user_dev *dev)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), SYS_UVERBS "/%s", dev->ctx->device->dev_name);
	return stat(path, &st) ? 0 : st.st_ino;
}

/*
 * Is the device being removed? A driver that can't take its objects from user space waits, without
 * telling anybody, until all that have the device open close it. Until then the objects stay as
 * they were; the device's folder in sysfs goes first.
 */
bool kv_user_dev_is_gone(const struct kv_user_dev *dev)
{
	return dev->ino && find_ino(dev) != dev->ino;
}

/* For loops that wait for the device: -ENODEV if it is being removed. */
int kv_user_dev_check(struct kv_user *u, struct kv_user_dev *dev)
{
	uint64_t now = kv_now_ns();

	if (now - dev->looked_ns < LOOK_NS)
		return 0;
	dev->looked_ns = now;
	if (!kv_user_dev_is_gone(dev))
		return 0;
	return kv_user_fail(u, -ENODEV, "device %s was removed", kv_user_dev_name(dev));
}

/* A port that can't be queried keeps an unspecified link layer; the device is usable otherwise. */
static void note_link_layers(struct kv_user_dev *dev)
{
	struct ibv_port_attr port;

	for (unsigned int i = 1; i <= dev->attr.phys_port_cnt; i++)
		if (!ibv_query_port(dev->ctx, (uint8_t)i, &port))
			dev->link_layer[i] = port.link_layer;
}

static int open_device(struct kv_user *u, struct ibv_device *ib, struct kv_user_dev **opened)
{
	struct ibv_device_attr_ex attr;
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
		ret = kv_user_fail(u, -ret, "%s: ibv_query_device_ex: %s", ibv_get_device_name(ib),
				   strerror(ret));
		goto err_close;
	}
	dev->attr = attr.orig_attr;
	dev->cap_flags = attr.device_cap_flags_ex | attr.orig_attr.device_cap_flags;
	dev->moderation.count = attr.cq_mod_caps.max_cq_count;
	dev->moderation.period = attr.cq_mod_caps.max_cq_period;
	note_link_layers(dev);
	dev->ino = find_ino(dev);
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
		if (!strcmp(kv_user_dev_name(dev), name))
			return dev;
	return NULL;
}

/* Opens a device unless it is open. The backend owns the device until the backend is closed. */
struct kv_user_dev *kv_user_dev_open(struct kv_user *u, const char *name, int *error)
{
	struct kv_user_dev *dev = find_open(u, name);
	struct ibv_device **list, **ib;

	if (dev)
		return dev;
	*error = kv_user_dev_list(u, &list);
	if (*error)
		return NULL;
	for (ib = list; *ib && strcmp(ibv_get_device_name(*ib), name); ib++)
		;
	*error = *ib ? open_device(u, *ib, &dev) : refuse_unknown(u, name);
	ibv_free_device_list(list);
	return dev;
}

/* Opens all devices. -ENODEV if there is none. */
int kv_user_dev_open_all(struct kv_user *u)
{
	struct ibv_device **list, **ib;
	int ret = kv_user_dev_list(u, &list);

	if (ret)
		return ret;
	for (ib = list; *ib && !ret; ib++)
		kv_user_dev_open(u, ibv_get_device_name(*ib), &ret);
	ibv_free_device_list(list);
	return ret;
}

/* kv_backend_ops.dev_gone; also false for a device that was not opened. */
bool kv_user_dev_gone(struct kv_backend *b, const char *name)
{
	const struct kv_user_dev *dev = find_open((struct kv_user *)b, name);

	return dev && kv_user_dev_is_gone(dev);
}

/* The device's name, such as "rxe0". */
const char *kv_user_dev_name(const struct kv_user_dev *dev)
{
	return ibv_get_device_name(dev->ctx->device);
}

/* Does the device have the port? -ERANGE if no device has it, -EINVAL if this one does not. */
int kv_user_dev_check_port(struct kv_user *u, const struct kv_user_dev *dev,
			   const char *what, uint32_t port)
{
	uint32_t ports = dev->attr.phys_port_cnt;

	if (port && port <= ports)
		return 0;
	return kv_user_fail(u, port ? -EINVAL : -ERANGE, "%s is %u: %s has 1 to %u", what, port,
			    kv_user_dev_name(dev), ports);
}
