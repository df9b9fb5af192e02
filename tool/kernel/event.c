// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include "kernel/genl.h"
#include "kernel/msg.h"
#include "sys/now.h"

static int wait_readable(struct kv_nl *nl, uint64_t deadline_ns)
{
	struct pollfd fd = {
		.fd = nl_socket_get_fd(nl->events),
		.events = POLLIN,
	};
	uint64_t now = kv_now_ns();
	const struct timespec left = kv_timespec(deadline_ns > now ? deadline_ns - now : 0);
	int n = ppoll(&fd, 1, deadline_ns == UINT64_MAX ? NULL : &left, NULL);

	if (n < 0)
		return -errno;
	return n ? 0 : -EAGAIN;
}

static bool parse(const struct kv_nl *nl, struct nlmsghdr *hdr, int len, struct kv_event *event)
{
	const struct genlmsghdr *genl;

	if (!nlmsg_ok(hdr, len) || hdr->nlmsg_type != nl->family ||
	    !nlmsg_valid_hdr(hdr, GENL_HDRLEN))
		return false;
	genl = nlmsg_data(hdr);
	memset(event, 0, sizeof(*event));
	return genl->cmd == KVERBS_CMD_EVENT &&
	       !kv_nl_take(&kv_shape_event, kv_genl_attrs(hdr), kv_genl_attrs_len(hdr), event);
}

/* 0: an event. -EAGAIN: there is none. -ENOBUFS: events got lost. */
static int receive(struct kv_nl *nl, struct kv_event *event)
{
	union {
		struct nlmsghdr hdr;
		char bytes[4096];
	} buf;
	struct sockaddr_nl from;
	socklen_t size;
	ssize_t len;

	/* Skips messages that are no events of the kernel. */
	for (;;) {
		size = sizeof(from);
		len = recvfrom(nl_socket_get_fd(nl->events), &buf, sizeof(buf),
			       MSG_DONTWAIT, (struct sockaddr *)&from, &size);
		if (len < 0)
			return -errno;
		if (!from.nl_pid && parse(nl, &buf.hdr, (int)len, event))
			return 0;
	}
}

/* Waits for the next event of the socket: 0, -EAGAIN, -EINTR; -ENOBUFS: events got lost. */
static int next_event(struct kv_nl *nl, uint64_t deadline_ns, struct kv_event *event)
{
	int ret;

	while ((ret = receive(nl, event)) == -EAGAIN) {
		ret = wait_readable(nl, deadline_ns);
		if (ret)
			break;
	}
	return ret;
}

static void drop(struct kv_nl *nl, unsigned int at)
{
	nl->queued--;
	memmove(&nl->queue[at], &nl->queue[at + 1], (nl->queued - at) * sizeof(nl->queue[0]));
}

static void keep(struct kv_nl *nl, const struct kv_event *event)
{
	if (nl->queued == KV_NL_EVENTS) {
		drop(nl, 0);
		nl->lost = true;
	}
	nl->queue[nl->queued++] = *event;
}

/**
 * kv_nl_deadline() - the end of a wait that begins now
 * @timeout_ms: the longest duration of the wait; negative: the wait has no end
 *
 * Return: a time of kv_now_ns(), or UINT64_MAX.
 */
uint64_t kv_nl_deadline(int32_t timeout_ms)
{
	return timeout_ms < 0 ? UINT64_MAX : kv_now_ns() + (uint64_t)timeout_ms * 1000000;
}

static int unreadable(struct kv_nl *nl, int error)
{
	return kv_backend_fail(&nl->base, error, "the module's events can't be read: %s",
			       strerror(-error));
}

/**
 * kv_nl_wait_any() - wait until something may have happened
 * @deadline_ns: the latest end of the wait
 *
 * Events may get lost, so the caller asks the module for the state.
 *
 * Return: 0, -EAGAIN at the deadline, -EINTR for a signal.
 */
int kv_nl_wait_any(struct kv_nl *nl, uint64_t deadline_ns)
{
	struct kv_event event;
	int ret = next_event(nl, deadline_ns, &event);

	if (ret == -EAGAIN || ret == -EINTR)
		return ret;
	/* Takes all pending events, so that none of them ends a later wait. */
	for (; ret != -EAGAIN; ret = receive(nl, &event)) {
		if (!ret)
			keep(nl, &event);
		else if (ret == -ENOBUFS)
			nl->lost = true;
		else if (ret != -EINTR)
			return unreadable(nl, ret);
	}
	return 0;
}

static bool completes(const struct kv_event *event, uint32_t cq)
{
	return event->type == KVERBS_EVENT_COMPLETION && event->cq == cq;
}

/*
 * Waits for the event of an armed CQ; other events are kept for later waits. 0 if the event came,
 * which may be the event of an earlier arming. Also 0 if events got lost, because this event may be
 * one of them. In either case the caller polls.
 */
int kv_nl_cq_wait(struct kv_nl *nl, const struct kv_wait *in, struct kv_none *out)
{
	uint64_t deadline_ns = kv_nl_deadline(in->timeout_ms);
	uint32_t cq = in->id;
	struct kv_event event;
	unsigned int i;
	int ret;

	for (i = 0; i < nl->queued; i++) {
		if (completes(&nl->queue[i], cq)) {
			drop(nl, i);
			return 0;
		}
	}
	while (!(ret = next_event(nl, deadline_ns, &event))) {
		if (completes(&event, cq))
			return 0;
		keep(nl, &event);
	}
	if (ret == -ENOBUFS) {
		nl->lost = true;
		return 0;
	}
	if (ret == -EAGAIN)
		return kv_backend_fail(&nl->base, ret, "no completion event of cq %u came in time",
				       cq);
	return kv_backend_fail(&nl->base, ret, "no completion event of cq %u: %s", cq,
			       strerror(-ret));
}

/* The next event. -ENOBUFS if events got lost before the event that the next call returns. */
int kv_nl_event_wait(struct kv_nl *nl, const struct kv_wait *in, struct kv_event *event)
{
	int ret = 0;

	if (nl->lost) {
		nl->lost = false;
		ret = -ENOBUFS;
	} else if (nl->queued) {
		*event = nl->queue[0];
		drop(nl, 0);
	} else {
		ret = next_event(nl, kv_nl_deadline(in->timeout_ms), event);
	}
	if (ret == -ENOBUFS)
		return kv_backend_fail(&nl->base, ret,
				       "events were lost: they came faster than they were read");
	if (ret == -EAGAIN)
		return kv_backend_fail(&nl->base, ret, "no event came in time");
	if (ret)
		return unreadable(nl, ret);
	return 0;
}

int kv_nl_conn_wait(struct kv_nl *nl, const struct kv_wait *in, struct kv_none *out)
{
	int ret = kv_nl_wait_any(nl, kv_nl_deadline(in->timeout_ms));

	if (ret == -EAGAIN)
		return kv_backend_fail(&nl->base, ret, "no event of conn %u within %d ms",
				       in->id, in->timeout_ms);
	if (ret == -EINTR)
		return kv_backend_fail(&nl->base, ret, "conn %u: interrupted", in->id);
	return ret;
}
