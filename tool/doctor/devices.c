// SPDX-License-Identifier: MIT
/* The spaces, and the RDMA devices as they see them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "doctor/doctor.h"

#define MTU_BEST 4096

static void check_space(struct kv_doctor *d, const struct kv_devices *v, enum kv_space_id id)
{
	const char *space = kv_enum_name(kv_enum_space, id);
	const char *check = id == KV_SPACE_KERNEL ? "module" : "libibverbs";

	if (!v->open)
		kv_doctor_add(d, KV_ERROR, check, NULL, "%s", v->fault.text);
	else if (v->n)
		kv_doctor_add(d, KV_FINE, check, NULL, "%s space works, and has %u RDMA device%s", space, v->n,
			      v->n == 1 ? "" : "s");
	else
		kv_doctor_add(d, KV_ERROR, check, "rdma link add rxe0 type rxe netdev eth0",
			      "%s space has no RDMA device", space);
}

/* A device that one space has, and the other one has not. */
static void check_both(struct kv_doctor *d, const struct kv_devices *view, enum kv_space_id id)
{
	const struct kv_devices *v = &view[id], *other = &view[!id];

	for (unsigned int i = 0; other->open && i < v->n; i++) {
		if (!kv_devices_find(other, v->dev[i].name))
			kv_doctor_add(d, KV_WARNING, "device", NULL, "%s is there in %s space, and in %s space it is not",
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

static void check_port(struct kv_doctor *d, const struct kv_dev *dev, const struct kv_port *port)
{
	const char *netdev = port->gids && port->gid[0].netdev[0] ? port->gid[0].netdev : "NETDEV";
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
	if (!port->gids) {
		kv_doctor_add(d, KV_ERROR, "gid", "ip address add ADDRESS dev NETDEV",
			      "%s has no GID: its network interface needs an IP address", at);
		return;
	}
	kv_doctor_add(d, KV_FINE, "port", NULL, "%s is active, and has %u GID%s", at, port->gids,
		      port->gids == 1 ? "" : "s");
	snprintf(mend, sizeof(mend), "ip link set %s mtu 4500", netdev);
	if (!kv_dev_is_iwarp(dev) && port->active_mtu < MTU_BEST && port->max_mtu >= MTU_BEST)
		kv_doctor_add(d, KV_NOTE, "mtu", mend,
			      "the path MTU at %s is %u, and could be %u: larger messages are more packets",
			      at, port->active_mtu, port->max_mtu);
}

/*
 * Looks for what is missing at the spaces and their devices. @d: receives the findings. @view: the
 * views of both spaces, [KV_SPACES].
 */
void kv_doctor_devices(struct kv_doctor *d, const struct kv_devices *view)
{
	const struct kv_devices *v = &view[view[KV_SPACE_KERNEL].n ? KV_SPACE_KERNEL : KV_SPACE_USER];

	for (unsigned int id = 0; id < KV_SPACES; id++) {
		check_space(d, &view[id], id);
		check_both(d, view, id);
	}
	for (unsigned int i = 0; i < v->n; i++) {
		for (unsigned int p = 0; p < v->dev[i].listed; p++)
			check_port(d, &v->dev[i], &v->dev[i].port[p]);
	}
}
