// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cm/conn.h"
#include "ping/ping.h"
#include "sys/now.h"

static int accept_all(struct kv_ping *p, const struct sockaddr_storage *at, struct kv_link *l,
		      struct kv_fault *f)
{
	const struct kv_site *site = l->end.site;
	const struct kv_conn_init init = { .dev = site->dev.name };
	struct kv_conn_side listener = { .b = site->b };
	int ret = kv_conn_listen(&listener, &init, at, p->connections, f);

	if (ret)
		return ret;
	if (p->verbose)
		printf("listening at %s\n", KV_SOCKADDR(&listener.conn.src));
	else if (isatty(STDERR_FILENO))
		fprintf(stderr, "kverbs: listening at %s; Ctrl-C ends it\n",
			KV_SOCKADDR(&listener.conn.src));
	fflush(stdout);
	for (uint32_t i = 0; i < p->connections && !ret; i++)
		ret = kv_link_accept(&l[i], listener.conn.id, f);
	return ret;
}

static int play(struct kv_ping *p, const struct kv_site *site, struct kv_link *l,
		struct kv_fault *f)
{
	const struct kv_ping_ops *ops = p->protocol == KV_PING_RPING ? &kv_ping_rping :
								       &kv_ping_message;
	struct sockaddr_storage addr;
	int ret = kv_link_look_up(&site->dev, p->host, p->port, &addr, f);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < p->connections; i++) {
		l[i].end.site = site;
		l[i].spec.timeout_ns = p->timeout_ns;
		ops->spec(p, &l[i].spec);
	}
	if (p->server)
		ret = accept_all(p, &addr, l, f);
	for (uint32_t i = 0; !p->server && i < p->connections && !ret; i++)
		ret = kv_link_connect(&l[i], &addr, f);
	if (ret)
		return ret;
	memcpy(p->peer, l[0].peer, sizeof(p->peer));
	p->begin_ns = kv_now_ns();
	return ops->play(p, l, f);
}

/**
 * kv_ping_count() - count pings, or messages each way, that have gone through
 * @p: its done and elapsed_ns are updated
 */
void kv_ping_count(struct kv_ping *p, uint64_t n)
{
	p->done += n;
	p->elapsed_ns = kv_now_ns() - p->begin_ns;
}

/**
 * kv_ping_run() - run one side
 * @p: the side; receives the counts
 *
 * Return: 0 or a negative errno. All objects are destroyed.
 */
int kv_ping_run(struct kv_ping *p, struct kv_fault *f)
{
	struct kv_site site = { 0 };
	struct kv_link *l;
	int ret;

	l = calloc(p->connections, sizeof(*l));
	if (!l)
		return kv_fault_set(f, -ENOMEM, "no memory for %u connections", p->connections);
	ret = kv_site_open(&site, p->space, p->dev, KV_PORT_ANY, -1, f);
	if (!ret) {
		ret = play(p, &site, l, f);
		ret = kv_dev_blame(site.b, site.dev.name, ret, f);
	}
	kv_site_close(&site);
	free(l);
	return ret;
}
