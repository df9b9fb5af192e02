// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "peer.h"
#include "remote/connect.h"
#include "space.h"

/**
 * kv_peer_init() - set defaults
 * @peer: receives them: no host
 */
void kv_peer_init(struct kv_peer *peer)
{
	memset(peer, 0, sizeof(*peer));
	peer->gid = -1;
}

/**
 * kv_peer_parse() - read HOST, HOST:PORT or [HOST]:PORT
 * @peer: receives host, and port if there is one
 * @text: is taken apart in place, and must live as long as @peer
 * @f: receives why not
 *
 * More than one colon without brackets is an IPv6 address without a port.
 *
 * Return: 0 or -EINVAL.
 */
int kv_peer_parse(struct kv_peer *peer, char *text, struct kv_fault *f)
{
	char *host = text, *end = strchr(text, ':');
	struct kv_why why;
	uint64_t v;

	if (*text == '[') {
		host++;
		end = strchr(host, ']');
		if (!end || (end[1] && end[1] != ':'))
			return kv_fault_usage(f, "'%s' is no host; with brackets it is [ADDRESS] or [ADDRESS]:PORT",
					      text);
		*end++ = '\0';
	} else if (end && strchr(end + 1, ':')) {
		end = NULL;
	}
	if (end && *end == ':') {
		*end++ = '\0';
		if (kv_parse_count(end, 1, 65535, &v, &why))
			return kv_fault_usage(f, "port '%s' of host '%s' %s",
					      end, host, why.text);
		peer->port = end;
	}
	if (!*host)
		return kv_fault_usage(f, "the host is empty; it is a name or an address, as in 192.0.2.2 or [2001:db8::2]:%s",
				      KV_PEER_PORT);
	peer->host = host;
	return 0;
}

static int look(struct kv_space *s, const struct kv_peer *peer, const char *dev,
		struct kv_fault *f)
{
	int ret = kv_op_dev_get(s->b, &(struct kv_dev_name){ dev }, &s->dev, NULL);

	if (ret)
		return kv_fault_backend(f, s->b, ret, "cannot look at device %s", dev);
	s->gid = kv_gid_choose(&s->dev, peer->gid);
	if (s->gid)
		return 0;
	if (peer->gid >= 0)
		return kv_fault_usage(f, "--peer-gid %d: %s of %s has no such GID (%s space); 'kverbs dev show' lists them there",
				      peer->gid, dev, peer->host, s->b->ops->space);
	return kv_fault_set(f, -EADDRNOTAVAIL,
			    "%s space: %s of %s has no GID; its network interface needs an IP address",
			    s->b->ops->space, dev, peer->host);
}

/**
 * kv_space_open_peer() - open a space of another host, where 'kverbs serve' runs
 * @s: receives it, with @s->host; kv_space_close() closes it
 * @id: which space
 * @peer: where; must live as long as @s
 * @f: receives why not
 *
 * Ticks in results of runs there are that host's.
 *
 * Return: 0 or a negative errno.
 */
int kv_space_open_peer(struct kv_space *s, enum kv_space_id id,
		       const struct kv_peer *peer, struct kv_fault *f)
{
	struct kv_limits limits;
	struct kv_wire w;
	char dev[64];
	int fd, ret;

	s->id = id;
	s->b = NULL;
	s->host = peer->host;
	ret = kv_remote_connect(peer, &fd, f);
	if (ret)
		return ret;
	if (kv_wire_init(&w, fd))
		return kv_fault_set(f, -ENOMEM, "no memory");
	ret = kv_remote_hello(&w, peer, id, &limits, dev, s->version, f);
	if (ret) {
		kv_wire_close(&w);
		return ret;
	}
	ret = kv_backend_remote_open(&s->b, &w, peer->host, id, dev,
				     limits.idle_ns, peer->keep);
	if (ret)
		return kv_fault_set(f, ret, "%s: %s", peer->host, strerror(-ret));
	ret = look(s, peer, dev, f);
	if (ret)
		kv_space_close(s);
	return ret;
}
