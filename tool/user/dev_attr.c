// SPDX-License-Identifier: MIT
#include <endian.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sys/device.h"
#include "user/user.h"

/* Attributes of a device, as user space sees them. */

_Static_assert((int)KVERBS_GID_IB == (int)IBV_GID_TYPE_IB, "GID types");
_Static_assert((int)KVERBS_GID_ROCE_V1 == (int)IBV_GID_TYPE_ROCE_V1, "GID types");
_Static_assert((int)KVERBS_GID_ROCE_V2 == (int)IBV_GID_TYPE_ROCE_V2, "GID types");
_Static_assert(sizeof(((struct kv_gid *)NULL)->netdev) == IF_NAMESIZE, "names of netdevs");

static void add_gid(struct kv_port *port, const struct ibv_gid_entry *entry)
{
	struct kv_gid *gid = &port->gid[port->gids];

	if (port->error || port->gids == KV_GIDS_MAX)
		return;
	gid->index = entry->gid_index;
	gid->type = entry->gid_type;
	memcpy(gid->raw, entry->gid.raw, sizeof(gid->raw));
	/* A netdev that is gone, or is in another network namespace, has no name. */
	if (entry->ndev_ifindex)
		if_indextoname(entry->ndev_ifindex, gid->netdev);
	port->gids++;
}

/* Most GID entries of all ports together; a port that can't be queried may have the most. */
static size_t count_places(const struct kv_user_dev *dev, const struct kv_dev *to)
{
	uint32_t most = KV_GIDS_MAX;

	for (unsigned int i = 0; i < to->listed; i++)
		if (to->port[i].gid_table_len > most)
			most = to->port[i].gid_table_len;
	return (size_t)most * dev->attr.phys_port_cnt;
}

static void fail_port(struct kv_port *port, int error)
{
	*port = (struct kv_port){ .number = port->number, .error = (uint32_t)error };
}

/* Adds the GIDs of all ports, for each port as many as there is room for. */
static int query_gids(struct kv_user *u, struct kv_user_dev *dev, struct kv_dev *to)
{
	size_t max = count_places(dev, to);
	struct ibv_gid_entry *entries;
	ssize_t n, i;

	entries = calloc(max ? max : 1, sizeof(*entries));
	if (!entries)
		return kv_user_fail(u, -ENOMEM, "no memory");
	n = ibv_query_gid_table(dev->ctx, entries, max, 0);
	for (i = 0; i < n; i++)
		if (entries[i].port_num && entries[i].port_num <= to->listed)
			add_gid(&to->port[entries[i].port_num - 1], &entries[i]);
	for (i = 0; n < 0 && i < (ssize_t)to->listed; i++)
		if (!to->port[i].error)
			fail_port(&to->port[i], (int)-n);
	free(entries);
	return 0;
}

/* Is the device iWARP? If so, the RDMA CM connects its QPs and takes them to RTS. */
bool kv_user_dev_is_iwarp(const struct kv_user_dev *dev)
{
	return dev->ctx->device->transport_type == IBV_TRANSPORT_IWARP;
}

/* IB_UVERBS_DEVICE_ATOMIC_WRITE, for which libibverbs 44 has no name. */
#define DEVICE_ATOMIC_WRITE (1ULL << 40)

/* Does ibv_wr_atomic_write() work on its QPs? */
bool kv_user_dev_has_atomic_write(const struct kv_user_dev *dev)
{
	return dev->cap_flags & DEVICE_ATOMIC_WRITE;
}

/* The device's KVERBS_CAP_*. iWARP has connections only, and no address handles. */
uint32_t kv_user_dev_caps(const struct kv_user_dev *dev)
{
	const struct ibv_device_attr *attr = &dev->attr;
	bool iwarp = kv_user_dev_is_iwarp(dev);
	uint32_t caps = KVERBS_CAP_RC | KVERBS_CAP_CM;

	if (!iwarp)
		caps |= KVERBS_CAP_UC | KVERBS_CAP_UD;
	if (!iwarp && attr->max_ah > 0)
		caps |= KVERBS_CAP_AH;
	if (attr->max_srq > 0)
		caps |= KVERBS_CAP_SRQ;
	if (attr->atomic_cap != IBV_ATOMIC_NONE)
		caps |= KVERBS_CAP_ATOMIC;
	return caps;
}

static void fill_attr(const struct kv_user_dev *dev, struct kv_dev *to)
{
	const struct ibv_device_attr *attr = &dev->attr;

#define SAME(member) to->member = (__typeof__(to->member))attr->member;
	SAME(vendor_id) SAME(vendor_part_id) SAME(hw_ver) SAME(local_ca_ack_delay)
	SAME(max_mr) SAME(max_mr_size) SAME(page_size_cap) SAME(max_mw) SAME(max_pd) SAME(max_ah)
	SAME(max_cq) SAME(max_cqe) SAME(max_srq) SAME(max_srq_wr) SAME(max_srq_sge) SAME(max_pkeys)
	SAME(max_qp) SAME(max_qp_wr) SAME(max_sge_rd) SAME(max_mcast_grp) SAME(max_mcast_qp_attach)
	SAME(max_qp_rd_atom) SAME(max_res_rd_atom) SAME(max_qp_init_rd_atom)
#undef SAME
	to->ports = attr->phys_port_cnt;
	to->comp_vectors = (uint32_t)dev->ctx->num_comp_vectors;
	to->node_guid = be64toh(attr->node_guid);
	to->sys_image_guid = be64toh(attr->sys_image_guid);
	snprintf(to->fw_ver, sizeof(to->fw_ver), "%s", attr->fw_ver);
	to->cap_flags = dev->cap_flags;
	to->max_cq_moderation_count = dev->moderation.count;
	to->max_cq_moderation_period = dev->moderation.period;
	to->max_send_sge = (uint32_t)attr->max_sge;
	to->max_recv_sge = (uint32_t)attr->max_sge;
	to->atomic = attr->atomic_cap;
	/* No buffer is larger than KV_USER_BUF_MAX. */
	to->max_mr_bytes =
		attr->max_mr_size < KV_USER_BUF_MAX ? attr->max_mr_size : KV_USER_BUF_MAX;
}

static void fill_port(const struct ibv_port_attr *from, struct kv_port *to)
{
	to->state = from->state;
	to->phys_state = from->phys_state;
	/* Devices older than the field are InfiniBand. */
	to->link_layer = from->link_layer ? from->link_layer : IBV_LINK_LAYER_INFINIBAND;
	to->max_mtu = 128U << from->max_mtu;
	to->active_mtu = 128U << from->active_mtu;
	to->max_msg_bytes = from->max_msg_sz;
	to->lid = from->lid;
	to->sm_lid = from->sm_lid;
	to->active_width = from->active_width;
	to->active_speed = from->active_speed;
	to->gid_table_len = (uint32_t)from->gid_tbl_len;
	to->pkey_table_len = from->pkey_tbl_len;
}

/* A port that can't be queried is listed with the error. */
static void query_ports(const struct kv_user_dev *dev, struct kv_dev *to)
{
	struct ibv_port_attr attr;
	int error;

	for (; to->listed < dev->attr.phys_port_cnt && to->listed < KV_PORTS_MAX; to->listed++) {
		struct kv_port *port = &to->port[to->listed];

		port->number = to->listed + 1;
		error = ibv_query_port(dev->ctx, (uint8_t)port->number, &attr);
		if (error)
			fail_port(port, error);
		else
			fill_port(&attr, port);
	}
}

static int query_device(struct kv_user *u, struct kv_user_dev *dev, struct kv_dev *to)
{
	int ret;

	memset(to, 0, sizeof(*to));
	snprintf(to->name, sizeof(to->name), "%s", kv_user_dev_name(dev));
	to->caps = kv_user_dev_caps(dev);
	fill_attr(dev, to);
	query_ports(dev, to);
	ret = query_gids(u, dev, to);
	if (!ret)
		kv_netdev_note(to);
	return ret;
}

int kv_user_dev_get(struct kv_user *u, void *obj, const struct kv_dev_name *in, struct kv_dev *dev)
{
	int ret;
	struct kv_user_dev *from = kv_user_dev_open(u, in->dev, &ret);

	return from ? query_device(u, from, dev) : ret;
}

/* kv_backend_ops.dev_each */
int kv_user_dev_each(struct kv_backend *b,
		     int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	struct kv_user *u = (struct kv_user *)b;
	struct ibv_device **list, **ib;
	struct kv_dev dev;
	int ret = kv_user_dev_list(u, &list);

	if (ret)
		return ret;
	for (ib = list; *ib && !ret; ib++) {
		ret = kv_op_dev_get(b, &(struct kv_dev_name){ ibv_get_device_name(*ib) }, &dev,
				    NULL) ?:
		      fn(&dev, arg);
	}
	ibv_free_device_list(list);
	return ret;
}
