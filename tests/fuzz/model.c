// SPDX-License-Identifier: MIT
/*
 * Objects that live, as far as replies tell: ids by the class of the command that told
 * them (its first attribute is the id), and all other numbers.
 * Nothing is forgotten because it died: dead ids are worth asking for, too.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <string.h>
#include "fuzz.h"

#define RING 16

struct id {
	uint32_t id;
	uint32_t socket;
};

static struct {
	struct id id[RING];
	unsigned int n;
} classes[CLASSES];

static struct number {
	uint64_t value[4];
	uint8_t n;
} numbers[CLASSES][ATTRS];

static uint64_t recent[2][RING];
static unsigned int recents[2];
static uint16_t port;

static void add_id(unsigned int class, unsigned int socket, uint32_t id)
{
	unsigned int i, n = classes[class].n;

	for (i = 0; i < RING; i++)
		if (classes[class].id[i].id == id)
			return;
	classes[class].id[n % RING] = (struct id){ .id = id, .socket = socket };
	classes[class].n++;
}

static void add_number(unsigned int class, unsigned int attr, unsigned int bytes, uint64_t value)
{
	struct number *number = &numbers[class][attr];
	unsigned int wide = bytes == 8;

	if (number->n && number->value[(number->n - 1) % 4] == value)
		return;
	number->value[number->n++ % 4] = value;
	recent[wide][recents[wide]++ % RING] = value;
}

/* A listener's reply has the port that the kernel chose. */
static void add_addr(const struct nlattr *attr)
{
	struct sockaddr_in in;

	nla_memcpy(&in, attr, sizeof(in));
	if ((in.sin_family == AF_INET || in.sin_family == AF_INET6) && in.sin_port)
		port = in.sin_port;
}

/**
 * model_reply() - a reply came
 * @socket: which had it
 * @command: whose it is
 * @attrs: its attributes
 * @len: their bytes
 */
void model_reply(unsigned int socket, uint8_t command, const void *attrs, int len)
{
	unsigned int class = policy_class(command);
	struct nlattr *attr;
	int left;

	nla_for_each_attr(attr, (struct nlattr *)attrs, len, left) {
		unsigned int type = (unsigned int)nla_type(attr);

		if (type >= ATTRS)
			continue;
		if (nla_len(attr) == 4) {
			if (type == 1)
				add_id(class, socket, nla_get_u32(attr));
			else
				add_number(class, type, 4, nla_get_u32(attr));
		} else if (nla_len(attr) == 8) {
			add_number(class, type, 8, nla_get_u64(attr));
		} else if (nla_len(attr) == sizeof(struct sockaddr_in) ||
			   nla_len(attr) == sizeof(struct sockaddr_in6)) {
			add_addr(attr);
		}
	}
}

/**
 * model_id() - an object
 * @socket: whose, SOCKETS for anybody's
 * @class: see above
 * @nth: 0 is the youngest
 *
 * Return: its id; if the socket has none, anybody's; if nobody has one, a number
 * that is nobody's.
 */
uint32_t model_id(unsigned int socket, unsigned int class, unsigned int nth)
{
	unsigned int i, n, known, left = nth;

	class %= CLASSES;
	n = classes[class].n;
	known = n < RING ? n : RING;
	for (i = 0; socket < SOCKETS && i < known; i++) {
		const struct id *id = &classes[class].id[(n - 1 - i) % RING];

		if (id->socket == socket && !left--)
			return id->id;
	}
	if (!known)
		return 1 + nth;
	return classes[class].id[(n - 1 - nth % known) % RING].id;
}

/**
 * model_seen() - a number that replies had
 * @class: of the command
 * @attr: the attribute's number
 * @nth: 0 is the youngest
 *
 * Return: the number, 0 if there was none.
 */
uint64_t model_seen(unsigned int class, unsigned int attr, unsigned int nth)
{
	const struct number *number = &numbers[class % CLASSES][attr % ATTRS];

	return number->value[(number->n - 1U - nth) % 4];
}

/**
 * model_any() - any number that a reply had
 * @bytes: 4 or 8
 * @value: the number
 *
 * Return: false if there was none.
 */
bool model_any(unsigned int bytes, uint64_t *value)
{
	unsigned int wide = bytes == 8, known = recents[wide] < RING ? recents[wide] : RING;

	if (known)
		*value = recent[wide][random_below(known)];
	return known;
}

static uint16_t port_of(const struct node *node)
{
	return node->a ? port : htons((uint16_t)(node->value >> 8));
}

/**
 * model_addr() - a socket address
 * @node: its value's low byte says which: even ones are IPv4
 * @to: receives it
 *
 * Return: its bytes.
 */
unsigned int model_addr(const struct node *node, void *to)
{
	static const char *const text[] = { NULL, "127.0.0.1", "0.0.0.0", "192.0.2.99",
					    "224.0.0.1", "255.255.255.255" };
	static const char *const text6[] = { NULL, "::1", "::", "2001:db8::99", "ff02::1",
					     "fe80::1" };
	unsigned int which = (node->value & 0xff) / 2 % COUNT(text);

	if (node->value & 1) {
		struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = port_of(node) };

		inet_pton(AF_INET6, text6[which] ?: place.addr6, &in6.sin6_addr);
		/* Such an address needs an interface, except when it is to be refused. */
		if (which == 5 && !(node->value & 0x80))
			in6.sin6_scope_id = if_nametoindex("d0");
		memcpy(to, &in6, sizeof(in6));
		return sizeof(in6);
	}
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = port_of(node) };

	inet_pton(AF_INET, text[which] ?: place.addr, &in.sin_addr);
	memcpy(to, &in, sizeof(in));
	return sizeof(in);
}

/**
 * model_gid() - a GID
 * @node: its value says which
 * @to: receives its 16 bytes
 *
 * None that nobody answers to: the kernel would ask for a second who has it.
 */
void model_gid(const struct node *node, uint8_t *to)
{
	memset(to, 0, 16);
	switch (node->value % 6) {
	case 0:
		break;
	case 1:
		inet_pton(AF_INET6, place.addr6, to);
		break;
	case 2:
		inet_pton(AF_INET6, "fe80::1", to);
		break;
	case 3:
		/* Multicast: its MAC address need not be asked for. */
		inet_pton(AF_INET6, "ff02::1", to);
		break;
	default:
		to[10] = 0xff;
		to[11] = 0xff;
		inet_pton(AF_INET, place.addr, to + 12);
	}
}
