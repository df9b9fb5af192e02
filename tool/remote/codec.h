/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_CODEC_H
#define KV_REMOTE_CODEC_H

#include <stddef.h>
#include <stdint.h>
#include <json-c/json.h>

/*
 * Structs as JSON. What a struct has stands in a table, its shape; one encoder and
 * one decoder serve all of them. Every member is always there: the decoder refuses
 * what is missing, unknown, of another type or out of range, and names it.
 */

/* How a member is written. */
enum kv_member_type {
	KV_MEMBER_U32, /* number */
	KV_MEMBER_S32, /* number */
	KV_MEMBER_U64, /* "0x" and hex digits: JSON's numbers end at 2^53 */
	KV_MEMBER_BOOL,
	KV_MEMBER_TEXT, /* char[]; printable */
	KV_MEMBER_TEXT_AT, /* const char *; decoded, it points into the JSON object */
	KV_MEMBER_HEX, /* uint8_t[], all of it, hex digits */
	KV_MEMBER_HEX_UPTO, /* uint8_t[], as long as the count says */
	KV_MEMBER_ADDRESS, /* struct sockaddr_storage: "ADDRESS PORT", or "" */
	KV_MEMBER_STRUCT,
	KV_MEMBER_LIST, /* of structs, as many as the count says */
	KV_MEMBER_OBJECT, /* struct json_object *, any object; decoded, it is the whole's */
};

/**
 * struct kv_member - one member of a struct
 * @name: as it stands in JSON
 * @offset: in the struct
 * @type: how it is written
 * @size: bytes of room for texts and hex, most elements of a list
 * @min: of S32
 * @max: of numbers
 * @count: offset of the uint32_t that counts the bytes or elements that there are;
 *	it is no member itself
 * @shape: of structs
 * @refers: of an id: 1 + enum kv_type of what it names, or KV_REFERS_ABOUT; 0: it is
 *	no id, or none that was given to somebody
 */
struct kv_member {
	const char *name;
	size_t offset;
	enum kv_member_type type;
	uint32_t size;
	int64_t min;
	uint64_t max;
	size_t count;
	const struct kv_shape *shape;
	uint32_t refers;
};

/* An id of what the whole struct is about: who reads it knows the type. */
#define KV_REFERS_ABOUT UINT32_MAX

/**
 * struct kv_shape - what a struct has
 * @size: of the struct in bytes
 * @members: entries of @member
 * @member: the table
 */
struct kv_shape {
	size_t size;
	unsigned int members;
	const struct kv_member *member;
};

/* A table as a shape. */
#define KV_SHAPE(s, table) {						\
	.size = sizeof(s),						\
	.members = sizeof(table) / sizeof((table)[0]),			\
	.member = table,						\
}

#define KV_ROOM(s, field) sizeof(((s *)0)->field)

#define KV_AT(s, field)							\
	.name = #field, .offset = offsetof(s, field)

#define KV_U32(s, field, most)						\
	{ KV_AT(s, field), .type = KV_MEMBER_U32, .max = most }
#define KV_ID(s, field, what)						\
	{ KV_AT(s, field), .type = KV_MEMBER_U32, .max = UINT32_MAX,	\
	  .refers = 1U + (what) }
#define KV_ID_ABOUT(s, field)						\
	{ KV_AT(s, field), .type = KV_MEMBER_U32, .max = UINT32_MAX,	\
	  .refers = KV_REFERS_ABOUT }
#define KV_S32(s, field, least, most)					\
	{ KV_AT(s, field), .type = KV_MEMBER_S32, .min = least, .max = most }
#define KV_U64(s, field, most)						\
	{ KV_AT(s, field), .type = KV_MEMBER_U64, .max = most }
#define KV_BOOL(s, field)						\
	{ KV_AT(s, field), .type = KV_MEMBER_BOOL }
#define KV_TEXT(s, field)						\
	{ KV_AT(s, field), .type = KV_MEMBER_TEXT, .size = KV_ROOM(s, field) }
#define KV_TEXT_AT(s, field, room)					\
	{ KV_AT(s, field), .type = KV_MEMBER_TEXT_AT, .size = room }
#define KV_HEX(s, field)						\
	{ KV_AT(s, field), .type = KV_MEMBER_HEX, .size = KV_ROOM(s, field) }
#define KV_HEX_UPTO(s, field, counter)					\
	{ KV_AT(s, field), .type = KV_MEMBER_HEX_UPTO,			\
	  .size = KV_ROOM(s, field), .count = offsetof(s, counter) }
#define KV_ADDRESS(s, field)						\
	{ KV_AT(s, field), .type = KV_MEMBER_ADDRESS }
#define KV_STRUCT(s, field, sh)						\
	{ KV_AT(s, field), .type = KV_MEMBER_STRUCT, .shape = &(sh) }
#define KV_LIST(s, field, counter, sh)					\
	{ KV_AT(s, field), .type = KV_MEMBER_LIST, .shape = &(sh),	\
	  .size = KV_ROOM(s, field) / KV_ROOM(s, field[0]),		\
	  .count = offsetof(s, counter) }

#define KV_OBJECT(s, field)						\
	{ KV_AT(s, field), .type = KV_MEMBER_OBJECT }

/* Called with an id, not 0. Other than 0 ends it. */
typedef int (*kv_codec_id)(uint32_t refers, const char *name, uint32_t id,
			   void *arg);

int kv_codec_ids(const struct kv_shape *shape, const void *from, kv_codec_id fn,
		 void *arg);
struct json_object *kv_codec_encode(const struct kv_shape *shape,
				    const void *from);
int kv_codec_decode(const struct kv_shape *shape, struct json_object *obj,
		    const char *name, void *to, char *why, size_t size);

#endif
