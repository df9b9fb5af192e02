// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "cli/parse.h"
#include "user/conn.h"

/* Addresses of our own, which bind a CONN to a device. */

/**
 * kv_user_conn_is_foreign() - is the address reached through another device?
 * @conn: the CONN, bound or resolved
 *
 * Return: true if librdmacm has found another device than the CONN's.
 */
bool kv_user_conn_is_foreign(const struct kv_user_conn *conn)
{
	const struct ibv_context *verbs = conn->cm->verbs;

	return verbs && strcmp(ibv_get_device_name(verbs->device),
			       kv_user_dev_name(conn->obj.dev));
}

/**
 * kv_user_conn_check_addr() - is it an address that a CM knows?
 * @u: the backend
 * @what: name of the value
 * @addr: the value
 * @port: it needs a port
 *
 * Return: 0 or -EINVAL.
 */
int kv_user_conn_check_addr(struct kv_user *u, const char *what,
			    const struct sockaddr_storage *addr, bool port)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;

	if (addr->ss_family != AF_INET && addr->ss_family != AF_INET6)
		return kv_user_fail(u, -EINVAL, "%s is no IPv4 or IPv6 address", what);
	if (port && !(addr->ss_family == AF_INET ? in->sin_port : in6->sin6_port))
		return kv_user_fail(u, -EINVAL, "%s has no port", what);
	if (addr->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) &&
	    !in6->sin6_scope_id)
		return kv_user_fail(u, -EINVAL,
				    "%s is a link-local address: say of which interface, as in fe80::1%%eth0",
				    what);
	return 0;
}

static const char *advise(int error)
{
	switch (error) {
	case EADDRINUSE:
		return ": the port is in use: take another one, or 0";
	case EADDRNOTAVAIL:
	case ENODEV:
		return ": it must be an address of this host, of a device's netdev, with a port that is free";
	}
	return "";
}

/**
 * kv_user_conn_refuse_addr() - say why an address of our own can't be had
 * @u: the backend
 * @verb: what has failed
 * @src: the address
 * @error: errno
 *
 * Return: -@error
 */
int kv_user_conn_refuse_addr(struct kv_user *u, const char *verb,
			     const struct sockaddr_storage *src, int error)
{
	char text[KV_SOCKADDR_TEXT];

	kv_sockaddr_format(text, src);
	return kv_user_fail(u, -error, "%s of %s: %s%s", verb, text, strerror(error),
			    advise(error));
}

/**
 * kv_user_conn_bind() - give a CONN an address of our own
 * @u: the backend
 * @conn: the CONN
 * @src: the address
 *
 * Return: 0 or a negative errno, -EXDEV if it is another device's; then
 * kv_user_conn_renew() is to follow.
 */
int kv_user_conn_bind(struct kv_user *u, struct kv_user_conn *conn,
		      const struct sockaddr_storage *src)
{
	struct sockaddr_storage addr = *src;
	char text[KV_SOCKADDR_TEXT];

	if (rdma_bind_addr(conn->cm, (struct sockaddr *)&addr))
		return kv_user_conn_refuse_addr(u, "rdma_bind_addr", src, errno);
	if (!kv_user_conn_is_foreign(conn))
		return 0;
	kv_sockaddr_format(text, src);
	return kv_user_fail(u, -EXDEV, "%s is an address of %s, not of %s", text,
			    ibv_get_device_name(conn->cm->verbs->device),
			    kv_user_dev_name(conn->obj.dev));
}

/**
 * kv_user_conn_renew() - make a CONN as it was before it was bound
 * @u: the backend
 * @conn: the CONN; it has failed if that can't be done
 *
 * What librdmacm has bound once stays bound, even if what came after it failed.
 */
void kv_user_conn_renew(struct kv_user *u, struct kv_user_conn *conn)
{
	struct rdma_cm_id *cm;

	conn->state = KVERBS_CONN_FAILED;
	if (rdma_create_id(u->cm, &cm, conn, RDMA_PS_TCP))
		return;
	rdma_destroy_id(conn->cm);
	conn->cm = cm;
	conn->state = KVERBS_CONN_IDLE;
}
