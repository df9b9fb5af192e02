// SPDX-License-Identifier: MIT
/* The spaces, and the RDMA devices as they see them. */
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "doctor/doctor.h"
#include "sys/device.h"
#include "sys/io.h"

#define MTU_BEST 4096

/* Values in sysfs: ARPHRD_ETHER, and the link layer of a port (enum rdma_link_layer). */
#define ETHERNET 1
#define LINK_LAYER_ETHERNET 2

/* Installed, or built here. */
#define LOAD_MODULE "modprobe kverbs || { modprobe rdma_cm && insmod build/module/kverbs.ko; }"

/*
 * Writes the command that makes a software device over the first network interface that can carry
 * it.
 */
static void mend_none(char *mend, size_t size)
{
	struct if_nameindex *all = if_nameindex();
	const char *netdev = "NETDEV";

	for (struct if_nameindex *i = all; i && i->if_index; i++) {
		char path[128], text[32];

		snprintf(path, sizeof(path), "/sys/class/net/%s/type", i->if_name);
		if (kv_read_line(path, text, sizeof(text)) || strtol(text, NULL, 10) != ETHERNET)
			continue;
		snprintf(path, sizeof(path), "/sys/class/net/%s/carrier", i->if_name);
		if (kv_read_line(path, text, sizeof(text)) || strtol(text, NULL, 10) != 1)
			continue;
		netdev = i->if_name;
		break;
	}
	snprintf(mend, size, "rdma link add rxe0 type rxe netdev %s", netdev);
	if_freenameindex(all);
}

static void check_space(struct kv_doctor *d, const struct kv_devices *v, enum kv_space_id id)
{
	const char *space = kv_enum_name(kv_enum_space, id);
	const char *check = id == KV_SPACE_KERNEL ? "module" : "libibverbs";
	bool unloaded = id == KV_SPACE_KERNEL && v->fault.error == -EOPNOTSUPP;
	char mend[128];

	if (!v->open) {
		kv_doctor_add(d, KV_ERROR, check, unloaded ? LOAD_MODULE : NULL, "%s", v->fault.text);
	} else if (v->n) {
		kv_doctor_add(d, KV_FINE, check, NULL, "%s space works, and has %u RDMA device%s", space, v->n,
			      v->n == 1 ? "" : "s");
	} else {
		mend_none(mend, sizeof(mend));
		kv_doctor_add(d, KV_ERROR, check, mend, "%s space has no RDMA device", space);
	}
}

/* A device that one space has, and the other one has not. */
static void check_both(struct kv_doctor *d, const struct kv_devices *view, enum kv_space_id id)
{
	const struct kv_devices *v = &view[id], *other = &view[!id];

	for (unsigned int i = 0; other->open && i < v->n; i++) {
		if (!kv_devices_find(other, v->dev[i].name))
			kv_doctor_add(d, KV_WARNING, "device", NULL, "%s is visible in %s space, and not in %s space",
				      v->dev[i].name, kv_enum_name(kv_enum_space, id),
				      kv_enum_name(kv_enum_space, !id));
	}
}

/*
 * Writes the command that makes the driver set up the device again. @netdev: the device's network
 * interface. The device of a software driver has no hardware in sysfs.
 */
static void mend_device(char *mend, size_t size, const struct kv_dev *dev, const char *netdev)
{
	char path[128], hardware[PATH_MAX];
	const char *name;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device", dev->name);
	if (!realpath(path, hardware)) {
		snprintf(mend, size, "rdma link delete %s && rdma link add %s type %s netdev %s",
			 dev->name, dev->name, kv_dev_is_iwarp(dev) ? "siw" : "rxe", netdev);
		return;
	}
	name = strrchr(hardware, '/') + 1;
	snprintf(mend, size, "cd %s/driver && echo %s >unbind && echo %s >bind", path, name, name);
}

/*
 * The RDMA core keeps a GID of the interface's MAC address, which no address may have: a QP finds
 * no route from there. A GID without an interface is of another network namespace.
 */
static bool has_address(const struct kv_port *port)
{
	for (uint32_t i = 0; i < port->gids; i++) {
		const struct kv_gid *gid = &port->gid[i];

		if (!gid->netdev[0] || kv_netdev_has(gid->netdev, gid->raw))
			return true;
	}
	return false;
}

static void check_port(struct kv_doctor *d, const struct kv_dev *dev, const struct kv_port *port)
{
	const char *netdev = port->gids && port->gid[0].netdev[0] ? port->gid[0].netdev : "NETDEV";
	bool roce = port->link_layer == LINK_LAYER_ETHERNET && !kv_dev_is_iwarp(dev);
	char at[96], mend[512];

	snprintf(at, sizeof(at), "port %u of %s", port->number, dev->name);
	if (port->error) {
		mend_device(mend, sizeof(mend), dev, netdev);
		kv_doctor_add(d, KV_WARNING, "port", mend, "%s can't be queried: %s", at,
			      strerror((int)port->error));
		return;
	}
	if (port->state != KV_PORT_ACTIVE) {
		snprintf(mend, sizeof(mend), "ip link set %s up", netdev);
		kv_doctor_add(d, KV_ERROR, "port", mend, "%s is not active", at);
		return;
	}
	if (!port->gids || (roce && !has_address(port))) {
		snprintf(mend, sizeof(mend), "ip address add ADDRESS/PREFIX dev %s", netdev);
		kv_doctor_add(d, KV_ERROR, "gid", mend, "%s has no GID%s: its network interface needs an IP address", at,
			      port->gids ? " with an address" : "");
		return;
	}
	kv_doctor_add(d, KV_FINE, "port", NULL, "%s is active, and has %u GID%s", at, port->gids,
		      port->gids == 1 ? "" : "s");
	snprintf(mend, sizeof(mend), "ip link set %s mtu 4500", netdev);
	if (!kv_dev_is_iwarp(dev) && port->active_mtu < MTU_BEST && port->max_mtu >= MTU_BEST)
		kv_doctor_add(d, KV_NOTE, "mtu", mend,
			      "the path MTU at %s is %u, and could be %u: larger messages take more packets",
			      at, port->active_mtu, port->max_mtu);
}

/*
 * Looks for what is missing at the spaces and their devices. @d: receives the findings. @view: the
 * views of both spaces, [KV_SPACES].
 */
void kv_doctor_devices(struct kv_doctor *d, const struct kv_devices *view)
{
	const struct kv_devices *v =
		&view[view[KV_SPACE_KERNEL].n ? KV_SPACE_KERNEL : KV_SPACE_USER];

	for (unsigned int id = 0; id < KV_SPACES; id++) {
		check_space(d, &view[id], id);
		check_both(d, view, id);
	}
	for (unsigned int i = 0; i < v->n; i++) {
		for (unsigned int p = 0; p < v->dev[i].listed; p++)
			check_port(d, &v->dev[i], &v->dev[i].port[p]);
	}
}
