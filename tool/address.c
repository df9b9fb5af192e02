// SPDX-License-Identifier: MIT
/* Addresses: GIDs, and what two QPs tell each other of themselves. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>
#include "parse.h"

static int refuse(struct kv_why *why, const char *text)
{
	snprintf(why->text, sizeof(why->text), "%s", text);
	return -EINVAL;
}

/**
 * kv_parse_gid() - read a GID
 * @text: what was typed: an IPv6 address, ::ffff:192.0.2.1 for IPv4's
 * @gid: receives it in network order
 * @why: receives why not
 *
 * Return: 0 or -EINVAL.
 */
int kv_parse_gid(const char *text, uint8_t gid[16], struct kv_why *why)
{
	struct in6_addr addr;

	if (inet_pton(AF_INET6, text, &addr) != 1)
		return refuse(why, "is no GID; it takes an IPv6 address, or ::ffff:192.0.2.1 for an IPv4 one");
	memcpy(gid, &addr, sizeof(addr));
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Exactly so many digits, and @end behind them if it is not 0. */
static int take_hex(const char **text, unsigned int digits, char end,
		    uint32_t *value)
{
	uint32_t v = 0;

	for (unsigned int i = 0; i < digits; i++, (*text)++) {
		if (hex_digit(**text) < 0)
			return -EINVAL;
		v = v << 4 | (uint32_t)hex_digit(**text);
	}
	if (end && *(*text)++ != end)
		return -EINVAL;
	*value = v;
	return 0;
}

/**
 * kv_parse_address() - read a peer's address
 * @text: what was typed: LID, QPN, PSN and GID as 4, 6, 6 and 32 hexadecimal
 *	digits with colons between them, which rdma-core's ibv_*_pingpong exchange
 *	as well
 * @address: receives it
 * @why: receives why not
 *
 * Return: 0 or -EINVAL.
 */
int kv_parse_address(const char *text, struct kv_address *address,
		     struct kv_why *why)
{
	struct kv_address found;
	uint32_t byte = 0;
	int ret;

	ret = take_hex(&text, 4, ':', &found.lid);
	if (!ret)
		ret = take_hex(&text, 6, ':', &found.qpn);
	if (!ret)
		ret = take_hex(&text, 6, ':', &found.psn);
	for (unsigned int i = 0; i < sizeof(found.gid) && !ret; i++) {
		ret = take_hex(&text, 2, '\0', &byte);
		found.gid[i] = (uint8_t)byte;
	}
	if (!ret && *text)
		ret = -EINVAL;
	if (ret)
		return refuse(why, "is no address; it takes LID:QPN:PSN:GID with 4, 6, 6 and 32 hexadecimal digits, as 'qp address' prints it");
	*address = found;
	return 0;
}

/**
 * kv_address_format() - write an address as kv_parse_address() reads it
 * @text: receives it
 * @address: the address
 */
void kv_address_format(char text[KV_ADDRESS_TEXT],
		       const struct kv_address *address)
{
	int n = snprintf(text, KV_ADDRESS_TEXT, "%04x:%06x:%06x:",
			 address->lid & 0xffff, address->qpn & 0xffffff,
			 address->psn & 0xffffff);

	for (unsigned int i = 0; i < sizeof(address->gid); i++, n += 2)
		snprintf(text + n, KV_ADDRESS_TEXT - (size_t)n, "%02x",
			 address->gid[i]);
}
