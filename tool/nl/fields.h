/* SPDX-License-Identifier: MIT */
#ifndef KV_NL_FIELDS_H
#define KV_NL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <netlink/attr.h>
#include <netlink/netlink.h>

/*
 * Structs of the backend as attributes of the module's messages, in both
 * directions: a table says for each attribute where its field is.
 */

enum kv_nl_kind {
	KV_NL_NONE, /* has but a name */
	KV_NL_U32, /* or s32 */
	KV_NL_U64,
	KV_NL_FLAG, /* bool */
	KV_NL_BYTES, /* uint8_t[], of exactly that size */
	KV_NL_STRING, /* char[] */
	KV_NL_NAME, /* const char *, requests only; NULL: none */
	KV_NL_DATA, /* uint8_t[], as many as a uint32_t beside it says; 0: none */
	KV_NL_ADDR, /* struct sockaddr_storage; AF_UNSPEC: none */
	KV_NL_NEST, /* a struct with attributes of its own, or an array of them */
	KV_NL_PART, /* a struct whose attributes stand among the others */
};

/* When a field is put into a request. */
enum kv_nl_when {
	KV_NL_ALWAYS,
	KV_NL_NONZERO,
	KV_NL_POSITIVE, /* an s32: or 0 */
	KV_NL_HAS, /* a bool beside it says so; taking it from a reply sets that */
};

struct kv_nl_table;

/**
 * struct kv_nl_field - one attribute
 * @attr: its number
 * @kind: enum kv_nl_kind
 * @when: enum kv_nl_when
 * @offset: of the field in the struct
 * @size: bytes of the field, of one element if there are several
 * @has: HAS: offset of the bool; array of NEST, DATA: of the unsigned int that counts
 * @max: array of NEST: elements that there is room for; else 0
 * @bit: of the table's mask: put only if it is set there, taking sets it; 0:
 *	none
 * @table: NEST, PART: of what is in it
 * @name: what a user calls it, for the text of a failure; NULL: not the user's
 */
struct kv_nl_field {
	int attr;
	enum kv_nl_kind kind;
	enum kv_nl_when when;
	size_t offset;
	size_t size;
	size_t has;
	unsigned int max;
	uint32_t bit;
	const struct kv_nl_table *table;
	const char *name;
};

/**
 * struct kv_nl_table - a struct
 * @field: its fields
 * @fields: how many
 * @mask: offset of the uint32_t that has the fields' bits
 */
struct kv_nl_table {
	const struct kv_nl_field *field;
	unsigned int fields;
	size_t mask;
};

#define KV_NL_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define KV_NL_SIZE(type, member) sizeof(((type *)0)->member)

/* Of 64 bits there are two kinds: libc's and that of the kernel's headers. */
#define KV_NL_KIND(type, member)		\
	_Generic(((type *)0)->member,		\
		 uint32_t: KV_NL_U32,		\
		 int32_t: KV_NL_U32,		\
		 unsigned long: KV_NL_U64,	\
		 unsigned long long: KV_NL_U64,	\
		 bool: KV_NL_FLAG,		\
		 uint8_t *: KV_NL_BYTES,	\
		 char *: KV_NL_STRING,		\
		 struct sockaddr_storage: KV_NL_ADDR, \
		 const char *: KV_NL_NAME)

/* A plain field; what follows the name are initialisers such as KV_NL_IF(). */
#define KV_NL_FIELD(type, member, number, known, ...)			\
	{								\
		.attr = (number), .kind = KV_NL_KIND(type, member),	\
		.offset = offsetof(type, member),			\
		.size = KV_NL_SIZE(type, member), .name = (known),	\
		##__VA_ARGS__						\
	}

/* Only if the struct's bool says that it is there. */
#define KV_NL_IF(type, member) .when = KV_NL_HAS, .has = offsetof(type, member)
#define KV_NL_UNLESS_0 .when = KV_NL_NONZERO
#define KV_NL_UNLESS_NEGATIVE .when = KV_NL_POSITIVE
#define KV_NL_BIT(mask_bit) .bit = (mask_bit)

#define KV_NL_BYTES_OF(type, member, count, number, known)		\
	{								\
		.attr = (number), .kind = KV_NL_DATA,			\
		.offset = offsetof(type, member),			\
		.size = KV_NL_SIZE(type, member),			\
		.has = offsetof(type, count), .name = (known),		\
	}

#define KV_NL_ONE(type, member, number, known, its_table)		\
	{								\
		.attr = (number), .kind = KV_NL_NEST,			\
		.offset = offsetof(type, member), .name = (known),	\
		.table = (its_table),					\
	}

#define KV_NL_MANY(type, member, count, number, known, its_table)	\
	{								\
		.attr = (number), .kind = KV_NL_NEST,			\
		.offset = offsetof(type, member),			\
		.size = KV_NL_SIZE(type, member[0]),			\
		.has = offsetof(type, count),				\
		.max = KV_NL_SIZE(type, member) /			\
		       KV_NL_SIZE(type, member[0]),			\
		.name = (known), .table = (its_table),			\
	}

#define KV_NL_WITHIN(type, member, its_table)				\
	{								\
		.kind = KV_NL_PART, .offset = offsetof(type, member),	\
		.table = (its_table),					\
	}

/* An attribute that no struct has. */
#define KV_NL_KNOWN(number, known) { .attr = (number), .name = (known) }

#define KV_NL_TABLE(array) \
	{ .field = (array), .fields = KV_NL_COUNT(array) }

void kv_nl_put(struct nl_msg *msg, const struct kv_nl_table *table,
	       const void *from);
void kv_nl_put_u32(struct nl_msg *msg, int attr, uint32_t value);
void kv_nl_put_u64(struct nl_msg *msg, int attr, uint64_t value);
int kv_nl_take(const struct kv_nl_table *table, struct nlattr *attrs, int len,
	       void *to);
int kv_nl_take_u64(struct nlattr *attrs, int len, int attr, uint64_t *to);
void kv_nl_path(const struct nlmsghdr *request, uint32_t offset,
		const struct kv_nl_table *const *names, char *path, size_t size);

#endif
