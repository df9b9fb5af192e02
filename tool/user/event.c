// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "user/conn.h"

/* Asynchronous events of all devices (IBTA 11.6.3), those of the CM, and others. */

enum about {
	OF_DEVICE,
	OF_CQ,
	OF_QP,
	OF_SRQ,
	OF_PORT,
};

static const struct {
	uint8_t type;
	uint8_t about; /* which member of ibv_async_event.element is set */
} types[] = {
	[IBV_EVENT_CQ_ERR] = { KVERBS_EVENT_CQ_ERR, OF_CQ },
	[IBV_EVENT_QP_FATAL] = { KVERBS_EVENT_QP_FATAL, OF_QP },
	[IBV_EVENT_QP_REQ_ERR] = { KVERBS_EVENT_QP_REQ_ERR, OF_QP },
	[IBV_EVENT_QP_ACCESS_ERR] = { KVERBS_EVENT_QP_ACCESS_ERR, OF_QP },
	[IBV_EVENT_COMM_EST] = { KVERBS_EVENT_COMM_EST, OF_QP },
	[IBV_EVENT_SQ_DRAINED] = { KVERBS_EVENT_SQ_DRAINED, OF_QP },
	[IBV_EVENT_PATH_MIG] = { KVERBS_EVENT_PATH_MIG, OF_QP },
	[IBV_EVENT_PATH_MIG_ERR] = { KVERBS_EVENT_PATH_MIG_ERR, OF_QP },
	[IBV_EVENT_DEVICE_FATAL] = { KVERBS_EVENT_DEVICE_FATAL, OF_DEVICE },
	[IBV_EVENT_PORT_ACTIVE] = { KVERBS_EVENT_PORT_ACTIVE, OF_PORT },
	[IBV_EVENT_PORT_ERR] = { KVERBS_EVENT_PORT_ERR, OF_PORT },
	[IBV_EVENT_LID_CHANGE] = { KVERBS_EVENT_LID_CHANGE, OF_PORT },
	[IBV_EVENT_PKEY_CHANGE] = { KVERBS_EVENT_PKEY_CHANGE, OF_PORT },
	[IBV_EVENT_SM_CHANGE] = { KVERBS_EVENT_SM_CHANGE, OF_PORT },
	[IBV_EVENT_SRQ_ERR] = { KVERBS_EVENT_SRQ_ERR, OF_SRQ },
	[IBV_EVENT_SRQ_LIMIT_REACHED] = { KVERBS_EVENT_SRQ_LIMIT_REACHED, OF_SRQ },
	[IBV_EVENT_QP_LAST_WQE_REACHED] = { KVERBS_EVENT_LAST_WQE_REACHED, OF_QP },
	[IBV_EVENT_CLIENT_REREGISTER] = { KVERBS_EVENT_CLIENT_REREGISTER, OF_PORT },
	[IBV_EVENT_GID_CHANGE] = { KVERBS_EVENT_GID_CHANGE, OF_PORT },
};

/* The context of a verbs object is the object's struct kv_user_obj. */
static uint32_t id_of(const void *context)
{
	return ((const struct kv_user_obj *)context)->id;
}

static void fill(const struct kv_user_dev *dev, const struct ibv_async_event *from,
		 struct kv_event *to)
{
	enum ibv_event_type type = from->event_type;

	memset(to, 0, sizeof(*to));
	snprintf(to->dev, sizeof(to->dev), "%s", kv_user_dev_name(dev));
	to->type = KVERBS_EVENT_OTHER;
	if ((size_t)type >= sizeof(types) / sizeof(types[0]) || !types[type].type)
		return;
	to->type = types[type].type;
	switch (types[type].about) {
	case OF_CQ:
		to->cq = id_of(from->element.cq->cq_context);
		break;
	case OF_QP:
		to->qp = id_of(from->element.qp->qp_context);
		break;
	case OF_SRQ:
		to->srq = id_of(from->element.srq->srq_context);
		break;
	case OF_PORT:
		to->port = (uint32_t)from->element.port_num;
		break;
	}
}

static int get_event(struct kv_user *u, struct kv_user_dev *dev, struct kv_event *to)
{
	struct ibv_async_event event;

	if (ibv_get_async_event(dev->ctx, &event))
		return kv_user_fail(u, errno ? -errno : -EIO, "%s: ibv_get_async_event: %s",
				    kv_user_dev_name(dev), strerror(errno));
	fill(dev, &event, to);
	/* Acknowledged at once: destroying the object waits until all events are acknowledged. */
	ibv_ack_async_event(&event);
	return 0;
}

/* Adds an event that the kernel does not report. */
void kv_user_event_add(struct kv_user *u, const struct kv_event *event)
{
	if (u->n_events == KV_USER_EVENTS) {
		u->first_event = (u->first_event + 1) % KV_USER_EVENTS;
		u->n_events--;
	}
	u->events[(u->first_event + u->n_events++) % KV_USER_EVENTS] = *event;
}

static void take_added(struct kv_user *u, struct kv_event *event)
{
	*event = u->events[u->first_event];
	u->first_event = (u->first_event + 1) % KV_USER_EVENTS;
	u->n_events--;
}

/* Lists the descriptors of the open devices in their order, and the CM's last. */
static struct pollfd *list_fds(const struct kv_user *u, nfds_t *n)
{
	const struct kv_user_dev *dev;
	struct pollfd *fds;

	for (dev = u->devs, *n = 0; dev; dev = dev->next)
		(*n)++;
	fds = calloc(*n + 1, sizeof(*fds));
	if (!fds)
		return NULL;
	for (dev = u->devs, *n = 0; dev; dev = dev->next)
		fds[(*n)++] = (struct pollfd){ .fd = dev->ctx->async_fd, .events = POLLIN };
	if (u->cm)
		fds[(*n)++] = (struct pollfd){ .fd = u->cm->fd, .events = POLLIN };
	return fds;
}

int kv_user_event_wait(struct kv_user *u, void *obj, const struct kv_wait *in,
		       struct kv_event *event)
{
	struct kv_user_dev *dev = u->devs;
	struct pollfd *fds;
	unsigned int i;
	nfds_t n;
	int ready, ret;

	if (u->n_events) {
		take_added(u, event);
		return 0;
	}
	if (!u->opened_all) {
		ret = kv_user_dev_open_all(u);
		if (ret && ret != -ENODEV)
			return ret;
		u->opened_all = !ret;
		dev = u->devs;
	}
	fds = list_fds(u, &n);
	if (!fds)
		return kv_user_fail(u, -ENOMEM, "no memory");
	ready = poll(fds, n, in->timeout_ms);
	if (ready < 0)
		ret = kv_user_fail(u, -errno, "waiting for events: %s", strerror(errno));
	else if (!ready)
		ret = kv_user_fail(u, -EAGAIN, "no event within %d ms", in->timeout_ms);
	else
		ret = -EAGAIN;
	for (i = 0; ready > 0 && dev; i++, dev = dev->next) {
		if (!fds[i].revents)
			continue;
		ret = get_event(u, dev, event);
		break;
	}
	free(fds);
	/* The CM may have added several events. */
	if (ready > 0 && !dev && kv_user_conn_take_events(u) && u->n_events) {
		take_added(u, event);
		ret = 0;
	}
	return ret;
}
