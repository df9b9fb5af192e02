// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "remote/connect.h"
#include "remote/open.h"

static int look(struct kv_site *s, const struct kv_peer *peer, const char *dev, struct kv_fault *f)
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
 * kv_site_open_peer() - open a space of another host, where 'kverbs serve' runs
 * @s: receives it, with @s->host; kv_site_close() closes it
 * @id: which space
 * @peer: where; must live as long as @s
 * @f: receives why not
 *
 * Ticks in results of runs there are that host's.
 *
 * Return: 0 or a negative errno.
 */
int kv_site_open_peer(struct kv_site *s, enum kv_space_id id,
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
	ret = kv_backend_remote_open(&s->b, &w, peer->host, id, dev, limits.idle_ns, peer->keep);
	if (ret)
		return kv_fault_set(f, ret, "%s: %s", peer->host, strerror(-ret));
	ret = look(s, peer, dev, f);
	if (ret)
		kv_site_close(s);
	return ret;
}
