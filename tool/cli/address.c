// SPDX-License-Identifier: MIT
/* Addresses: GIDs, and the addresses that two QPs exchange. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>
#include <net/if.h>
#include "cli/parse.h"

#define PORT_MAX 65535

int kv_parse_gid(const char *text, void *gid, struct kv_why *why)
{
	struct in6_addr addr;

	if (inet_pton(AF_INET6, text, &addr) != 1)
		return kv_why_set(why, "is no GID; it takes an IPv6 address, or ::ffff:192.0.2.1 for an IPv4 one");
	memcpy(gid, &addr, sizeof(addr));
	return 0;
}

/* Takes exactly @digits digits, followed by @end if @end is not 0. */
static int take_hex(const char **text, unsigned int digits, char end, uint32_t *value)
{
	uint32_t v = 0;

	for (unsigned int i = 0; i < digits; i++, (*text)++) {
		if (kv_hex_digit(**text) < 0)
			return -EINVAL;
		v = v << 4 | (uint32_t)kv_hex_digit(**text);
	}
	if (end && *(*text)++ != end)
		return -EINVAL;
	*value = v;
	return 0;
}

int kv_parse_address(const char *text, void *address, struct kv_why *why)
{
	struct kv_address found;
	uint32_t byte = 0;
	int ret = take_hex(&text, 4, ':', &found.lid) ?:
		  take_hex(&text, 6, ':', &found.qpn) ?:
		  take_hex(&text, 6, ':', &found.psn);

	for (unsigned int i = 0; i < sizeof(found.gid) && !ret; i++) {
		ret = take_hex(&text, 2, '\0', &byte);
		found.gid[i] = (uint8_t)byte;
	}
	if (ret || *text)
		return kv_why_set(why, "is no address; it takes LID:QPN:PSN:GID with 4, 6, 6 and 32 hexadecimal digits, as 'qp address' prints it");
	*(struct kv_address *)address = found;
	return 0;
}

void kv_address_format(char text[KV_ADDRESS_TEXT], const struct kv_address *address)
{
	int n = snprintf(text, KV_ADDRESS_TEXT, "%04x:%06x:%06x:",
			 address->lid & 0xffff, address->qpn & 0xffffff, address->psn & 0xffffff);

	for (unsigned int i = 0; i < sizeof(address->gid); i++, n += 2)
		snprintf(text + n, KV_ADDRESS_TEXT - (size_t)n, "%02x", address->gid[i]);
}

/* An IPv6 address, with %SCOPE if needed; an IPv4-mapped address is read as IPv4. */
static int read_in6(const char *text, struct sockaddr_storage *addr)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;
	char host[INET6_ADDRSTRLEN];
	size_t n = strcspn(text, "%");
	struct in6_addr found;

	if (n >= sizeof(host))
		return -EINVAL;
	snprintf(host, sizeof(host), "%.*s", (int)n, text);
	if (inet_pton(AF_INET6, host, &found) != 1)
		return -EINVAL;
	if (IN6_IS_ADDR_V4MAPPED(&found) && !text[n]) {
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, &found.s6_addr[12], sizeof(in->sin_addr));
		return 0;
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_addr = found;
	if (!text[n])
		return 0;
	in6->sin6_scope_id = if_nametoindex(text + n + 1);
	return in6->sin6_scope_id ? 0 : -ENODEV;
}

static void set_port(struct sockaddr_storage *addr, uint16_t port)
{
	if (addr->ss_family == AF_INET)
		((struct sockaddr_in *)addr)->sin_port = htons(port);
	else
		((struct sockaddr_in6 *)addr)->sin6_port = htons(port);
}

/* Splits a text into host and port. @port: receives NULL if there is none. */
static int split_host(const char *text, char *host, size_t size, const char **port)
{
	const char *begin = text, *end, *colon = strchr(text, ':');

	if (*text == '[') {
		begin++;
		end = strchr(begin, ']');
		if (!end || (end[1] && end[1] != ':'))
			return -EINVAL;
		*port = end[1] ? end + 2 : NULL;
	} else if (colon && !strchr(colon + 1, ':')) {
		end = colon;
		*port = colon + 1;
	} else {
		end = text + strlen(text);
		*port = NULL;
	}
	if ((size_t)(end - begin) >= size)
		return -EINVAL;
	snprintf(host, size, "%.*s", (int)(end - begin), begin);
	return 0;
}

int kv_parse_sockaddr(const char *text, void *addr, struct kv_why *why)
{
	struct sockaddr_storage found = { 0 };
	struct sockaddr_in *in = (struct sockaddr_in *)&found;
	char host[INET6_ADDRSTRLEN + IF_NAMESIZE];
	struct kv_why number;
	const char *port;
	uint64_t v = 0;
	int ret = split_host(text, host, sizeof(host), &port);

	if (!ret && strchr(host, ':'))
		ret = read_in6(host, &found);
	else if (!ret && inet_pton(AF_INET, host, &in->sin_addr) == 1)
		in->sin_family = AF_INET;
	else
		ret = -EINVAL;
	if (ret == -ENODEV)
		return kv_why_set(why, "names an interface behind %% that does not exist");
	if (ret)
		return kv_why_set(why, "is no address; it takes 192.0.2.1, 192.0.2.1:7471, 2001:db8::1 or [2001:db8::1]:7471");
	if (port && kv_parse_count(port, 0, PORT_MAX, &v, &number))
		return kv_why_set(why, "has no port behind its colon; it takes a number from 0 to 65535");
	set_port(&found, (uint16_t)v);
	*(struct sockaddr_storage *)addr = found;
	return 0;
}

const char *kv_sockaddr_format(char text[KV_SOCKADDR_TEXT], const struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;
	char host[INET6_ADDRSTRLEN + IF_NAMESIZE] = "", name[IF_NAMESIZE];
	bool is_in6 = addr->ss_family == AF_INET6;
	const void *from = is_in6 ? (const void *)&in6->sin6_addr : (const void *)&in->sin_addr;
	uint16_t port;

	text[0] = '\0';
	if (!is_in6 && addr->ss_family != AF_INET)
		return text;
	inet_ntop(addr->ss_family, from, host, sizeof(host));
	if (is_in6 && in6->sin6_scope_id && if_indextoname(in6->sin6_scope_id, name))
		snprintf(host + strlen(host), sizeof(host) - strlen(host), "%%%s", name);
	port = ntohs(is_in6 ? in6->sin6_port : in->sin_port);
	if (!port)
		snprintf(text, KV_SOCKADDR_TEXT, "%s", host);
	else
		snprintf(text, KV_SOCKADDR_TEXT, is_in6 ? "[%s]:%u" : "%s:%u", host, port);
	return text;
}
