// SPDX-License-Identifier: MIT
/* Texts of connections that fail. */
#include <errno.h>
#include <string.h>
#include "cli/parse.h"
#include "cm/conn.h"

/* IBTA 12.6.7.2; iWARP has no reasons, and a negative errno says that the peer has rejected. */
#define REASON_INVALID_SERVICE_ID 8
#define REASON_CONSUMER 28

/**
 * kv_conn_peer_format() - format the peer of a connection
 * @text: receives the peer's address
 * @conn: the connection
 *
 * Return: @text, or a word for a peer that is not known.
 */
const char *kv_conn_peer_format(char text[KV_SOCKADDR_TEXT], const struct kv_conn *conn)
{
	return kv_sockaddr_format(text, &conn->dst)[0] ? text : "the peer";
}

static int say_rejected(struct kv_fault *f, const char *space,
			const struct kv_conn *conn, const char *peer)
{
	char data[KV_BYTES_TEXT(KVERBS_CONN_PRIVATE_MAX)];

	kv_bytes_text(data, conn->private_data, conn->private_length);
	/* This side has rejected the connection: there is no reason from the peer. */
	if (conn->event != KVERBS_CM_EVENT_REJECTED)
		return kv_fault_set(f, -ECONNREFUSED,
				    "%s space: the connection with %s was rejected here",
				    space, peer);
	if (conn->status == REASON_INVALID_SERVICE_ID)
		return kv_fault_set(f, -ECONNREFUSED,
				    "%s space: cannot connect to %s: nobody listens there: rejected: %s (%d)",
				    space, peer, conn->reason, conn->status);
	return kv_fault_set(f, -ECONNREFUSED,
			    "%s space: cannot connect to %s: rejected by the peer%s: %s (%d)%s%s%s",
			    space, peer, conn->status == REASON_CONSUMER ||
			    conn->status < 0 ? "" : "'s connection manager", conn->reason,
			    conn->status, *data ? ", private data '" : "", data, *data ? "'" : "");
}

static int say_failed(struct kv_fault *f, const char *space, const struct kv_conn *conn,
		      const char *peer)
{
	int error = conn->status < 0 ? conn->status : -EIO;
	const char *why = strerror(-error);

	switch (conn->event) {
	case KVERBS_CM_EVENT_ADDR_ERROR:
		if (error == -EXDEV)
			return kv_fault_set(f, error,
					    "%s space: cannot connect to %s: it is not reached through %s, but through another device",
					    space, peer, conn->dev);
		return kv_fault_set(f, error,
				    "%s space: address %s not resolved: %s: is there a host with this address, and a route to it by way of %s?",
				    space, peer, why, conn->dev);
	case KVERBS_CM_EVENT_ROUTE_ERROR:
		return kv_fault_set(f, error, "%s space: route to %s not resolved: %s", space,
				    peer, why);
	case KVERBS_CM_EVENT_UNREACHABLE:
		return kv_fault_set(f, error,
				    "%s space: cannot connect to %s: unreachable: nobody answers: %s",
				    space, peer, why);
	case KVERBS_CM_EVENT_DEVICE_REMOVAL:
		return kv_fault_set(f, -ENODEV,
				    "%s space: the connection with %s has failed: device %s was removed",
				    space, peer, conn->dev);
	}
	return kv_fault_set(f, error, "%s space: the connection with %s has failed at %s: %s",
			    space, peer, kv_enum_name(kv_enum_cm_event, conn->event), why);
}

/**
 * kv_conn_fault_connect() - say why a request could not be sent
 * @f: receives the text
 * @b: the backend, which has the reason
 * @error: negative errno
 * @dst: the peer
 *
 * On iWARP a TCP connection is made before the request, and may fail.
 *
 * Return: @error
 */
int kv_conn_fault_connect(struct kv_fault *f, const struct kv_backend *b, int error,
			  const struct sockaddr_storage *dst)
{
	return kv_fault_backend(f, b, error, "cannot connect to %s%s", KV_SOCKADDR(dst),
				error == -ECONNREFUSED ? ": nobody listens there" :
				error == -ETIMEDOUT ? ": nobody answers" : "");
}

/**
 * kv_conn_fault_ended() - say how a connection has ended
 * @f: receives the text
 * @space: space of the connection, "kernel" or "user"
 * @conn: the connection, which was rejected, has failed or is disconnected
 *
 * Return: -ECONNREFUSED, the connection's status or -ECONNABORTED, in this order.
 */
int kv_conn_fault_ended(struct kv_fault *f, const char *space, const struct kv_conn *conn)
{
	char text[KV_SOCKADDR_TEXT];
	const char *peer = kv_conn_peer_format(text, conn);

	if (conn->state == KVERBS_CONN_REJECTED)
		return say_rejected(f, space, conn, peer);
	if (conn->state == KVERBS_CONN_FAILED)
		return say_failed(f, space, conn, peer);
	return kv_fault_set(f, -ECONNABORTED,
			    "%s space: the connection with %s was ended", space, peer);
}

/**
 * kv_conn_fault_late() - say which answer has not come in time
 * @f: receives the text
 * @space: space of the connection
 * @conn: the last known values of the connection
 * @waited_ns: duration of the wait
 *
 * Return: -ETIMEDOUT
 */
int kv_conn_fault_late(struct kv_fault *f, const char *space,
		       const struct kv_conn *conn, uint64_t waited_ns)
{
	/* The texts around the peer, for states in which the peer or the CM has to answer. */
	static const struct {
		const char *before;
		const char *behind;
	} missing[] = {
		[KVERBS_CONN_RESOLVING_ADDR] = { "address ", " not resolved" },
		[KVERBS_CONN_RESOLVING_ROUTE] = { "route to ", " not resolved" },
		[KVERBS_CONN_CONNECTING] = { "cannot connect to ", ": nobody answers" },
		[KVERBS_CONN_ACCEPTED] = { "", " was accepted, but did not confirm" },
		[KVERBS_CONN_DISCONNECTING] = { "", " did not confirm the end of the connection" },
	};
	double s = (double)waited_ns / 1e9;
	char text[KV_SOCKADDR_TEXT];
	const char *peer = kv_conn_peer_format(text, conn);

	if (conn->state < sizeof(missing) / sizeof(missing[0]) && missing[conn->state].before)
		return kv_fault_set(f, -ETIMEDOUT, "%s space: %s%s%s within %.3g s", space,
				    missing[conn->state].before, peer,
				    missing[conn->state].behind, s);
	return kv_fault_set(f, -ETIMEDOUT,
			    "%s space: the connection with %s is still %s after %.3g s",
			    space, peer, kv_enum_name(kv_enum_conn_state, conn->state), s);
}
