// SPDX-License-Identifier: MIT
/* Facts about a device that verbs don't give: the driver's counters, and the netdev. */
#include <dirent.h>
#include <errno.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <rdma/rdma_netlink.h>
#include "sys/device.h"
#include "sys/io.h"

#define FOLDER "/sys/class/infiniband/%s/ports/%u/hw_counters"

static int read_counter(const char *folder, const char *name, uint64_t *value)
{
	char path[512], line[32], *end;
	int ret;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return -ENAMETOOLONG;
	ret = kv_read_line(path, line, sizeof(line));
	if (ret)
		return ret;
	errno = 0;
	*value = strtoull(line, &end, 10);
	return errno || end == line ? -EINVAL : 0;
}

static int by_name(const void *a, const void *b)
{
	const struct kv_counter *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int refuse(struct kv_backend *b, int error, const struct kv_dev_port *of)
{
	return kv_backend_fail(b, error,
			       "%s space: cannot read the counters of port %u of %s: %s",
			       b->ops->space, of->port, of->dev, strerror(-error));
}

/**
 * kv_counters_read() - read the counters that a device's driver has for a port
 * @b: the backend that receives the text of a failure; one of this host
 * @c: receives the counters
 *
 * A driver may return a copy that is some milliseconds old.
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP: this device has no counters.
 */
int kv_counters_read(struct kv_backend *b, const struct kv_dev_port *of, struct kv_counters *c)
{
	char folder[256];
	struct dirent *entry;
	DIR *dir;

	memset(c, 0, sizeof(*c));
	snprintf(folder, sizeof(folder), FOLDER, of->dev, of->port);
	dir = opendir(folder);
	if (!dir)
		return refuse(b, errno == ENOENT ? -EOPNOTSUPP : -errno, of);
	while (c->counters < KV_COUNTERS_MAX && (entry = readdir(dir))) {
		struct kv_counter *counter = &c->counter[c->counters];

		/* lifespan is a setting, and no counter. */
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "lifespan"))
			continue;
		if (strlen(entry->d_name) >= sizeof(counter->name) ||
		    read_counter(folder, entry->d_name, &counter->value))
			continue;
		strcpy(counter->name, entry->d_name);
		c->counters++;
	}
	closedir(dir);
	qsort(c->counter, c->counters, sizeof(c->counter[0]), by_name);
	return c->counters ? 0 : refuse(b, -EOPNOTSUPP, of);
}

/*
 * The netdev of an iWARP device, and its IP address. The device's GID is a MAC address, and before
 * Linux 6.5 or so the kernel gives no netdev with the GID.
 */

/* The search for a device among the kernel's RDMA devices. */
struct search {
	const char *dev; /* name of the device */
	uint32_t port; /* number of its port */
	uint32_t index; /* index of the device */
	bool found; /* @index is that of @dev */
	char netdev[IF_NAMESIZE]; /* receives the name of its netdev; "" if there is none */
};

static int on_dev(struct nl_msg *msg, void *arg)
{
	struct nlattr *a[RDMA_NLDEV_ATTR_MAX + 1];
	struct search *s = arg;

	if (nlmsg_parse(nlmsg_hdr(msg), 0, a, RDMA_NLDEV_ATTR_MAX, NULL) ||
	    !a[RDMA_NLDEV_ATTR_DEV_INDEX] || !a[RDMA_NLDEV_ATTR_DEV_NAME] ||
	    strcmp(nla_get_string(a[RDMA_NLDEV_ATTR_DEV_NAME]), s->dev))
		return NL_OK;
	s->index = nla_get_u32(a[RDMA_NLDEV_ATTR_DEV_INDEX]);
	s->found = true;
	return NL_OK;
}

static int on_port(struct nl_msg *msg, void *arg)
{
	struct nlattr *a[RDMA_NLDEV_ATTR_MAX + 1];
	struct search *s = arg;

	if (!nlmsg_parse(nlmsg_hdr(msg), 0, a, RDMA_NLDEV_ATTR_MAX, NULL) &&
	    a[RDMA_NLDEV_ATTR_NDEV_NAME])
		nla_strlcpy(s->netdev, a[RDMA_NLDEV_ATTR_NDEV_NAME], sizeof(s->netdev));
	return NL_OK;
}

/* Sends one command; @fn is called for each message of the answer. */
static int ask(struct nl_sock *sk, int command, int flags, nl_recvmsg_msg_cb_t fn, struct search *s)
{
	struct nl_msg *msg = nlmsg_alloc_simple(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), flags);
	int ret = -NLE_NOMEM;

	if (!msg)
		return ret;
	if (!s->found || (!nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, s->index) &&
			  !nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, s->port)))
		ret = nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, fn, s);
	if (!ret)
		ret = nl_send_auto(sk, msg);
	nlmsg_free(msg);
	/* A request without NLM_F_DUMP has one message as its answer, and no NLMSG_DONE. */
	return ret < 0 ? ret : nl_recvmsgs_default(sk);
}

static void find(struct search *s)
{
	struct nl_sock *sk = nl_socket_alloc();

	if (!sk)
		return;
	nl_socket_disable_auto_ack(sk);
	if (!nl_connect(sk, NETLINK_RDMA) &&
	    !ask(sk, RDMA_NLDEV_CMD_GET, NLM_F_DUMP, on_dev, s) && s->found)
		ask(sk, RDMA_NLDEV_CMD_PORT_GET, 0, on_port, s);
	nl_socket_free(sk);
}

/* IPv4 is best, as for GIDs of RoCE; a link-local address has a meaning on this host only. */
static unsigned int rank(const struct sockaddr *addr)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;

	if (addr->sa_family == AF_INET)
		return 3;
	if (addr->sa_family != AF_INET6)
		return 0;
	return IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) ? 1 : 2;
}

static void take(const struct sockaddr *from, uint8_t addr[16])
{
	memset(addr, 0, 16);
	if (from->sa_family == AF_INET6) {
		memcpy(addr, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
		return;
	}
	addr[10] = 0xff;
	addr[11] = 0xff;
	memcpy(addr + 12, &((const struct sockaddr_in *)from)->sin_addr, 4);
}

/**
 * kv_netdev_has() - does a network interface have an address?
 * @netdev: name of the interface
 * @addr: as a GID of RoCE has it: IPv4 as IPv4-mapped IPv6
 *
 * Return: true also if the addresses can't be listed.
 */
bool kv_netdev_has(const char *netdev, const uint8_t addr[16])
{
	struct ifaddrs *list;
	uint8_t its[16];
	bool found = false;

	if (getifaddrs(&list))
		return true;
	for (struct ifaddrs *i = list; i && !found; i = i->ifa_next) {
		if (!i->ifa_addr || strcmp(i->ifa_name, netdev) || !rank(i->ifa_addr))
			continue;
		take(i->ifa_addr, its);
		found = !memcmp(its, addr, sizeof(its));
	}
	freeifaddrs(list);
	return found;
}

static void find_addr(const char *netdev, uint8_t addr[16])
{
	struct ifaddrs *list, *i;
	unsigned int best = 0;

	if (getifaddrs(&list))
		return;
	for (i = list; i; i = i->ifa_next) {
		if (!i->ifa_addr || strcmp(i->ifa_name, netdev) || rank(i->ifa_addr) <= best)
			continue;
		best = rank(i->ifa_addr);
		take(i->ifa_addr, addr);
	}
	freeifaddrs(list);
}

static void note_port(const char *dev, struct kv_port *port)
{
	struct search s = { .dev = dev, .port = port->number };

	if (port->gids && port->gid[0].netdev[0])
		memcpy(s.netdev, port->gid[0].netdev, sizeof(s.netdev));
	else
		find(&s);
	if (!s.netdev[0])
		return;
	for (unsigned int i = 0; i < port->gids; i++)
		if (!port->gid[i].netdev[0])
			memcpy(port->gid[i].netdev, s.netdev, sizeof(s.netdev));
	find_addr(s.netdev, port->addr);
}

/**
 * kv_netdev_note() - find the IP address of each port of an iWARP device
 * @dev: a device of this host, with its GIDs; its ports receive @addr, and each GID without a
 *	netdev receives its name. A device that is not iWARP is not changed
 *
 * An address or a name that can't be found stays empty.
 */
void kv_netdev_note(struct kv_dev *dev)
{
	if (!kv_dev_is_iwarp(dev))
		return;
	for (unsigned int i = 0; i < dev->listed; i++)
		if (!dev->port[i].error)
			note_port(dev->name, &dev->port[i]);
}
