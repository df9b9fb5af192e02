// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include "cli/there.h"
#include "model/site.h"
#include "sys/clock.h"

/**
 * kv_gid_type_name() - name of a GID's type
 *
 * Return: the name. The kernel calls an iWARP GID "IB", too, though it is no InfiniBand GID.
 */
const char *kv_gid_type_name(const struct kv_dev *dev, const struct kv_gid *gid)
{
	static const char *const names[] = { "IB", "RoCE v1", "RoCE v2" }; /* by KVERBS_GID_* */

	return kv_dev_is_iwarp(dev) ? "iWARP" :
	       gid->type < sizeof(names) / sizeof(names[0]) ? names[gid->type] : "unknown type";
}

static int add_name(const struct kv_dev *dev, void *there)
{
	kv_there_add(there, "", dev->name);
	return 0;
}

/** kv_dev_tell() - add the devices that there are to the refusal of one that does not exist */
void kv_dev_tell(struct kv_backend *b, struct kv_fault *f)
{
	struct kv_there there = { 0 };

	if (!b->ops->dev_each(b, add_name, &there))
		kv_there_tell(&there, f);
}

/* All devices: their names, and the last one. */
struct names {
	struct kv_there there;
	struct kv_dev *dev;
};

static int add_dev(const struct kv_dev *dev, void *arg)
{
	struct names *names = arg;

	*names->dev = *dev;
	return add_name(dev, &names->there);
}

/**
 * kv_dev_choose() - find a device, or the only one there is
 * @name: its name, or NULL for the only one
 * @dev: receives the device as the space sees it
 */
int kv_dev_choose(struct kv_backend *b, const char *name, struct kv_dev *dev, struct kv_fault *f)
{
	struct names names = { .dev = dev };
	int ret;

	if (name) {
		ret = kv_op_dev_get(b, &(struct kv_dev_name){ name }, dev, NULL);
		if (!ret)
			return 0;
		if (ret != -ENODEV)
			return kv_fault_backend(f, b, ret, "cannot look at device %s", name);
	}
	ret = b->ops->dev_each(b, add_dev, &names);
	if (ret && ret != -ENODEV)
		return kv_fault_backend(f, b, ret, "cannot list the RDMA devices");
	if (!names.there.n)
		return kv_fault_set(f, -EOPNOTSUPP,
				    "%s space: there is no RDMA device; 'rdma link add rxe0 type rxe netdev NETDEV' makes a software one",
				    b->ops->space);
	if (name) {
		kv_fault_set(f, -ENODEV, "%s space: there is no RDMA device '%s'", b->ops->space, name);
		kv_there_tell(&names.there, f);
		return f->error;
	}
	if (names.there.n > 1)
		return kv_fault_usage(f, "there are several RDMA devices, choose one with --dev: %s",
				      names.there.text);
	return 0;
}

/**
 * kv_dev_is_gone() - is a device gone, or does its removal wait for us?
 * @name: the device, which was there before
 *
 * Return: true if it is gone or its removal waits for us.
 */
bool kv_dev_is_gone(struct kv_backend *b, const char *name)
{
	struct kv_dev dev;

	if (b->ops->dev_gone)
		return b->ops->dev_gone(b, name);
	return kv_op_dev_get(b, &(struct kv_dev_name){ name }, &dev, NULL) == -ENODEV;
}

/*
 * A removal notifies the users of the device one after the other: the device may still be visible
 * when the CM, or the peer, has released it. The tool waits this long for the device to go.
 */
#define GOING_MS 500
#define LOOK_MS 20

/*
 * Errors that precede the removal of a device. rdma_accept() and rdma_connect() return -EINVAL:
 * cma_send_device_removal_put() changes the state of an id before it sends the event. If the
 * peer's listener goes first, the error is -ECONNREFUSED.
 */
static bool may_be_going(int error)
{
	return error == -ENODEV || error == -ENXIO || error == -EINVAL || error == -ECONNREFUSED;
}

static bool is_going(struct kv_backend *b, const char *name, int error)
{
	unsigned int ms = may_be_going(error) ? GOING_MS : 0;
	bool gone;

	while (!(gone = kv_dev_is_gone(b, name)) && ms) {
		poll(NULL, 0, LOOK_MS);
		ms -= LOOK_MS;
	}
	return gone;
}

/**
 * kv_dev_blame() - if a device is gone, report its removal instead of an error that results
 * @name: the device, which was there before
 * @error: errno of the failure; 0: no failure
 * @f: the fault; replaced if the device was removed
 *
 * The objects of a device go with the device: an operation on them fails with 'no such object'.
 *
 * Return: -ENODEV, or @error if the device is there.
 */
int kv_dev_blame(struct kv_backend *b, const char *name, int error, struct kv_fault *f)
{
	if (!error || error == -EINTR || !is_going(b, name, error))
		return error;
	return kv_fault_set(f, -ENODEV, "%s space: device %s was removed", b->ops->space, name);
}

/**
 * kv_port_find() - find a port of a device
 * @number: number of the port; KV_PORT_ANY: the first active port, or else the first port
 *
 * Return: a port of @dev, possibly one that could not be queried, or NULL if there is none.
 */
const struct kv_port *kv_port_find(const struct kv_dev *dev, uint32_t number)
{
	for (unsigned int i = 0; i < dev->listed; i++) {
		const struct kv_port *port = &dev->port[i];

		if (number == KV_PORT_ANY ? port->state == KV_PORT_ACTIVE : port->number == number)
			return port;
	}
	return number == KV_PORT_ANY && dev->listed ? &dev->port[0] : NULL;
}

/**
 * kv_port_explain() - say why a port of a device can't be used
 * @number: number of the port
 * @text: receives the explanation
 *
 * Return: @text.
 */
const char *kv_port_explain(const struct kv_dev *dev, uint32_t number, char text[KV_PORT_TEXT])
{
	const struct kv_port *port = kv_port_find(dev, number);

	if (port)
		snprintf(text, KV_PORT_TEXT, "port %u of %s cannot be queried: %s", port->number,
			 dev->name, strerror((int)port->error));
	else if (number && number <= dev->ports)
		snprintf(text, KV_PORT_TEXT, "%s has %u ports, and kverbs can use the first %u",
			 dev->name, dev->ports, dev->listed);
	else
		snprintf(text, KV_PORT_TEXT, "%s has no such port; it has %u, numbered from 1 on",
			 dev->name, dev->ports);
	return text;
}

/* Options about another host have this prefix. */
static const char *prefix(const struct kv_site *s)
{
	return s->host ? "peer-" : "";
}

static int choose_port(struct kv_site *s, uint32_t number, struct kv_fault *f)
{
	const char *of = s->host ? " of " : "", *host = s->host ? s->host : "";
	const char *space = s->b->ops->space;
	char text[KV_PORT_TEXT];

	s->port = kv_port_find(&s->dev, number);
	if (!s->port)
		return kv_fault_usage(f, "--%sib-port %u: %s (%s space%s%s)", prefix(s), number,
				      kv_port_explain(&s->dev, number, text), space, of, host);
	if (s->port->error)
		return kv_fault_set(f, -(int)s->port->error, "%s space%s%s: %s", space, of, host,
				    kv_port_explain(&s->dev, number, text));
	if (s->port->state != KV_PORT_ACTIVE)
		return kv_fault_set(f, -ENETDOWN,
				    "%s space%s%s: port %u of %s is not active; is its network interface up, or its cable plugged in?",
				    space, of, host, s->port->number, s->dev.name);
	return 0;
}

static bool is_ipv4(const struct kv_gid *g)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(g->raw, mapped, sizeof(mapped));
}

static bool is_link_local(const struct kv_gid *g)
{
	return g->raw[0] == 0xfe && (g->raw[1] & 0xc0) == 0x80;
}

/* A higher rank is better. The index does not matter: drivers fill their tables in any order. */
static int rank_gid(const struct kv_gid *g)
{
	switch (g->type) {
	case KVERBS_GID_ROCE_V2:
		return is_ipv4(g) ? 5 : is_link_local(g) ? 3 : 4;
	case KVERBS_GID_ROCE_V1:
		return 2;
	case KVERBS_GID_IB:
		return 1;
	}
	return 0;
}

/**
 * kv_gid_choose() - find a GID of a port
 * @index: index in the port's table; -1: the best GID, by type
 *
 * Return: a GID of @port, or NULL if there is none.
 */
const struct kv_gid *kv_gid_choose(const struct kv_port *port, int index)
{
	const struct kv_gid *best = NULL;

	for (unsigned int i = 0; i < port->gids; i++) {
		const struct kv_gid *g = &port->gid[i];

		if (index >= 0 && g->index == (uint32_t)index)
			best = g;
		if (index < 0 && (!best || rank_gid(g) > rank_gid(best)))
			best = g;
	}
	return best;
}

static int choose_gid(struct kv_site *s, int index, struct kv_fault *f)
{
	const char *of = s->host ? " of " : "", *host = s->host ? s->host : "";
	const char *space = s->b->ops->space;

	s->gid = kv_gid_choose(s->port, index);
	if (s->gid)
		return 0;
	if (index >= 0)
		return kv_fault_usage(f, "--%sgid-index %d: port %u of %s%s%s has no such GID (%s space); 'kverbs dev show' lists them%s",
				      prefix(s), index, s->port->number, s->dev.name, of, host,
				      space, s->host ? " there" : "");
	return kv_fault_set(f, -EADDRNOTAVAIL,
			    "%s space: port %u of %s%s%s has no GID; its network interface needs an IP address",
			    space, s->port->number, s->dev.name, of, host);
}

/**
 * kv_site_choose() - choose the port and the GID of a site
 * @s: the site, with its @dev filled in; its @port and @gid receive the choice
 * @port: number of the port, or KV_PORT_ANY
 * @gid_index: index of the GID, or -1 for the best one by type
 * @f: receives the reason of a failure: there is no such port, the port can't be queried or is
 *	not active, or it has no such GID
 */
int kv_site_choose(struct kv_site *s, uint32_t port, int gid_index, struct kv_fault *f)
{
	return choose_port(s, port, f) ?: choose_gid(s, gid_index, f);
}

/**
 * kv_site_open_backend() - open a space, with any devices or none
 * @id: which space
 * @b: receives its backend
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP if the space is not there.
 */
int kv_site_open_backend(enum kv_space_id id, struct kv_backend **b, struct kv_fault *f)
{
	char err[512] = "";
	int ret;

	ret = id == KV_SPACE_KERNEL ? kv_backend_kern_open(b, err, sizeof(err)) :
				      kv_backend_user_open(b, err, sizeof(err));
	if (!ret)
		return 0;
	/* No such netlink family, no such system call, no device file. */
	if (ret == -ENOENT || ret == -ENOSYS || ret == -ENODEV)
		ret = -EOPNOTSUPP;
	return kv_fault_set(f, ret, "%s space: %s", kv_enum_name(kv_enum_space, id),
			    err[0] ? err : strerror(-ret));
}

/* Samples are in ticks, and the tool converts all ticks with the frequency of its own counter. */
static int check_counter(const struct kv_site *s, struct kv_fault *f)
{
	struct kv_info info = { 0 };
	int ret = kv_op_info_get(s->b, NULL, &info, NULL);

	if (ret)
		return kv_fault_backend(f, s->b, ret, "cannot ask for its version");
	if (strcmp(info.counter, kv_clock_name()))
		return kv_fault_set(f, -EPROTO,
				    "%s space reads the counter '%s', but this tool reads '%s': module and tool are not of one build",
				    s->b->ops->space, info.counter, kv_clock_name());
	return 0;
}

/**
 * kv_site_open() - open a space on a device
 * @s: receives the site; kv_site_close() closes it
 * @id: which space
 * @dev: name of the device, or NULL for the only one
 * @port: number of its port, or KV_PORT_ANY
 * @gid_index: index of the GID, or -1 for the best one by type
 */
int kv_site_open(struct kv_site *s, enum kv_space_id id, const char *dev, uint32_t port,
		 int gid_index, struct kv_fault *f)
{
	int ret;

	s->id = id;
	s->host = NULL;
	ret = kv_site_open_backend(id, &s->b, f);
	if (ret)
		return ret;
	ret = check_counter(s, f) ?:
	      kv_dev_choose(s->b, dev, &s->dev, f) ?:
	      kv_site_choose(s, port, gid_index, f);
	if (ret)
		kv_site_close(s);
	return ret;
}

/**
 * kv_site_close() - close a space, and destroy the objects made in it
 * @s: the space; nothing happens if it is not open
 */
void kv_site_close(struct kv_site *s)
{
	if (s->b)
		s->b->ops->close(s->b);
	s->b = NULL;
}

/**
 * kv_site_post_context() - in which context are requests posted best?
 *
 * A post to rxe schedules work in a softirq of this CPU. If the post is in plain process context,
 * ksoftirqd runs the softirq, but only when the poller's time slice is over.
 *
 * Return: enum kverbs_post_context
 */
uint32_t kv_site_post_context(const struct kv_site *s)
{
	return s->id == KV_SPACE_KERNEL && kv_dev_is_rxe(&s->dev) ? KVERBS_POST_BH_DISABLED :
								     KVERBS_POST_PROCESS;
}

/**
 * kv_site_post() - post one request to a QP
 * @qp: the QP
 *
 * Return: 0 or a negative errno; the backend has the reason.
 */
int kv_site_post(const struct kv_site *s, uint32_t qp, const struct kv_wr *wr)
{
	const struct kv_post post = {
		.qp = qp,
		.wrs = 1,
		.wr = wr,
		.context = kv_site_post_context(s),
	};
	struct kv_posted posted;

	return kv_op_wr_post(s->b, &post, &posted, NULL);
}
