// SPDX-License-Identifier: MIT
#include <string.h>
#include "remote/peer.h"

/**
 * kv_peer_parse() - read HOST, HOST:PORT or [HOST]:PORT, or one of them after "ssh:"
 * @peer: receives the host, and the port if there is one
 * @text: the text; is taken apart in place, and must live as long as @peer
 *
 * More than one colon without brackets is an IPv6 address without a port.
 *
 * Return: 0 or -EINVAL.
 */
int kv_peer_parse(struct kv_peer *peer, char *text, struct kv_fault *f)
{
	char *host = text, *end;
	struct kv_why why;

	peer->ssh = !strncmp(text, "ssh:", 4);
	if (peer->ssh)
		host += 4;
	end = strchr(host, ':');
	if (*host == '[') {
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
		if (kv_parse_port(end, &peer->port, &why))
			return kv_fault_usage(f, "port '%s' of host '%s' %s", end, host, why.text);
	}
	if (peer->ssh && *host == '-')
		return kv_fault_usage(f, "host '%s' begins with '-': ssh would take it for an option", host);
	if (!*host)
		return kv_fault_usage(f, "the host is empty; it is a name or an address, as in 192.0.2.2 or [2001:db8::2]:%s",
				      KV_PEER_PORT);
	peer->host = host;
	return 0;
}
