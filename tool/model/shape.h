/* SPDX-License-Identifier: MIT */
#ifndef KV_MODEL_SHAPE_H
#define KV_MODEL_SHAPE_H

#include <stddef.h>
#include <stdint.h>
#include "model/backend.h"

struct kv_enum;

/*
 * The members of a struct, a row each, from which it is written as netlink attributes and read
 * from them, in messages to and from the module (kernel/fields.h) and another host
 * (remote/attrs.c), described to people (object/describe.h) and read as keys of commands
 * (object/args.h). There is one shape for each struct that an operation takes or gives.
 */

/* What a member is. */
enum kv_member_type {
	KV_MEMBER_U32,
	KV_MEMBER_S32,
	KV_MEMBER_U64,
	KV_MEMBER_BOOL, /* a flag: there if true. Without an attribute: KV_WHEN_HAS sets it */
	KV_MEMBER_TEXT, /* char[]; printable */
	KV_MEMBER_TEXT_AT, /* const char *; taken, it points into the message */
	KV_MEMBER_HEX, /* uint8_t[], all of it */
	KV_MEMBER_HEX_UPTO, /* uint8_t[], as long as the count says */
	KV_MEMBER_ADDRESS, /* struct sockaddr_storage; not there if its family is AF_UNSPEC */
	KV_MEMBER_STRUCT,
	KV_MEMBER_LIST, /* of structs, as many as the count says; see kv_member.elsewhere */
	KV_MEMBER_NEST, /* const struct nlattr *; taken, it points into the message */
};

/* Attributes from here on go to other hosts only; the module has none of them. */
#define KV_ATTR_BEYOND 0x1000

/* When a member is put into a request to the module; HAS counts for other hosts, too. */
enum kv_member_when {
	KV_WHEN_ALWAYS,
	KV_WHEN_NONZERO,
	KV_WHEN_NOT_NEGATIVE, /* S32 */
	KV_WHEN_HAS, /* a bool beside it says so; taking it from a reply sets that */
	KV_WHEN_NONZERO_OR_NO, /* or if the uint32_t at @beside is 0 */
	KV_WHEN_NONZERO_OR, /* or if the uint32_t at @beside is not */
	KV_WHEN_AMONG, /* if @among has the bit of the uint32_t at @beside */
};

/* How people read and write a member, if its type does not say it. */
enum kv_form {
	KV_FORM_PLAIN,
	KV_FORM_SIZE, /* number of bytes */
	KV_FORM_ENUM, /* one of @names */
	KV_FORM_FLAGS, /* several of @names, whose values are bits */
	KV_FORM_BITS, /* the same, told as a bool each */
	KV_FORM_NAMED, /* number, and beside it, as KEY_name, its word */
	KV_FORM_CM_STATUS, /* the same of a CM event: an errno, or why it was rejected */
	KV_FORM_PORT, /* of an address, its port alone */
	KV_FORM_COUNTED, /* HEX_UPTO, told with its length */
};

/* When a member is told to people. */
enum kv_tell {
	KV_TELL_AS_PUT, /* when it would be put into a request */
	KV_TELL_ALWAYS,
	KV_TELL_NEVER,
	KV_TELL_NONZERO,
	KV_TELL_BESIDE, /* if the uint32_t at @beside is not 0 */
	KV_TELL_AMONG, /* if @among has the bit of the uint32_t at @beside */
};

/**
 * struct kv_member - one member of a struct
 * @name: as it stands in the struct
 * @offset: in the struct
 * @type: how it is written
 * @size: bytes of room for texts and hex, most elements of a list
 * @min: of S32; another host's number must not be less, nor more than @max
 * @max: of numbers
 * @count: offset of the uint32_t that counts the bytes or elements that there are;
 *	it is no member itself
 * @elsewhere: of a list: the member points to the elements. Taken, they are allocated:
 *	kv_nl_release(). A list of one is not counted in the text of a refusal.
 * @shape: of structs
 * @attr: the attribute; 0: none. A struct without one stands among the others
 * @known: what a user calls it, if that is not @name
 * @when: enum kv_member_when
 * @beside: offset of what @when looks at
 * @among: AMONG: a bit for each value
 * @bit: of the shape's mask: put only if it is set there, taking sets it; 0: none
 * @refers: of an id: 1 + enum kv_type of what it names, or KV_REFERS_ABOUT; 0: it is
 *	no id, or none that was given to somebody
 * @form: how people read and write it
 * @names: of ENUM, FLAGS, BITS and NAMED
 * @tell: when people are told
 * @key: its word in descriptions and, with - for _, in commands, if not @known or @name
 * @help: what it is for, as a key of a command; NULL: it is none
 * @value: what the help calls the key's value, if that does not follow from the rest
 * @must: the command can't do without it
 * @preset: its value where the key is not given; of numbers
 */
struct kv_member {
	const char *name;
	size_t offset;
	enum kv_member_type type;
	uint32_t size;
	int64_t min;
	uint64_t max;
	size_t count;
	bool elsewhere;
	const struct kv_shape *shape;
	int attr;
	const char *known;
	enum kv_member_when when;
	size_t beside;
	uint32_t among;
	uint32_t bit;
	uint32_t refers;
	enum kv_form form;
	const struct kv_enum *names;
	enum kv_tell tell;
	const char *key;
	const char *help;
	const char *value;
	bool must;
	uint64_t preset;
};

/* An id of what the whole struct is about: who reads it knows the type. */
#define KV_REFERS_ABOUT UINT32_MAX

/**
 * struct kv_shape - what a struct has
 * @size: of the struct in bytes
 * @members: entries of @member
 * @member: the table
 * @mask: offset of the uint32_t that has the members' bits
 */
struct kv_shape {
	size_t size;
	unsigned int members;
	const struct kv_member *member;
	size_t mask;
};

/* A table as a shape. */
#define KV_SHAPE(s, table, ...) {						\
	.size = sizeof(s),						\
	.members = sizeof(table) / sizeof((table)[0]),			\
	.member = table, ##__VA_ARGS__					\
}

#define KV_ROOM(s, field) sizeof(((s *)0)->field)

#define KV_AT(s, field)							\
	.name = #field, .offset = offsetof(s, field)

/* One member each; what follows are further initialisers, such as those of model/row.h. */
#define KV_U32(s, field, most, ...)					\
	{ KV_AT(s, field), .type = KV_MEMBER_U32, .max = most, ##__VA_ARGS__ }
#define KV_ID(s, field, what, ...)					\
	{ KV_AT(s, field), .type = KV_MEMBER_U32, .max = UINT32_MAX,	\
	  .refers = 1U + (what), ##__VA_ARGS__ }
#define KV_ID_ABOUT(s, field)						\
	{ KV_AT(s, field), .type = KV_MEMBER_U32, .max = UINT32_MAX,	\
	  .attr = KV_ATTR_BEYOND, .refers = KV_REFERS_ABOUT, .tell = KV_TELL_NEVER }
#define KV_S32(s, field, least, most, ...)				\
	{ KV_AT(s, field), .type = KV_MEMBER_S32, .min = least, .max = most, ##__VA_ARGS__ }
#define KV_U64(s, field, most, ...)					\
	{ KV_AT(s, field), .type = KV_MEMBER_U64, .max = most, ##__VA_ARGS__ }
#define KV_BOOL(s, field, ...)						\
	{ KV_AT(s, field), .type = KV_MEMBER_BOOL, ##__VA_ARGS__ }
#define KV_TEXT(s, field, ...)						\
	{ KV_AT(s, field), .type = KV_MEMBER_TEXT, .size = KV_ROOM(s, field), ##__VA_ARGS__ }
#define KV_TEXT_AT(s, field, room, ...)					\
	{ KV_AT(s, field), .type = KV_MEMBER_TEXT_AT, .size = room, ##__VA_ARGS__ }
#define KV_HEX(s, field, ...)						\
	{ KV_AT(s, field), .type = KV_MEMBER_HEX, .size = KV_ROOM(s, field), ##__VA_ARGS__ }
#define KV_HEX_UPTO(s, field, counter, ...)				\
	{ KV_AT(s, field), .type = KV_MEMBER_HEX_UPTO,			\
	  .size = KV_ROOM(s, field), .count = offsetof(s, counter), ##__VA_ARGS__ }
#define KV_ADDRESS(s, field, ...)					\
	{ KV_AT(s, field), .type = KV_MEMBER_ADDRESS,			\
	  .size = KV_ROOM(s, field), ##__VA_ARGS__ }
#define KV_STRUCT(s, field, sh, ...)					\
	{ KV_AT(s, field), .type = KV_MEMBER_STRUCT, .shape = &(sh), ##__VA_ARGS__ }
#define KV_LIST(s, field, counter, sh, ...)				\
	{ KV_AT(s, field), .type = KV_MEMBER_LIST, .shape = &(sh),	\
	  .size = KV_ROOM(s, field) / KV_ROOM(s, field[0]),		\
	  .count = offsetof(s, counter), ##__VA_ARGS__ }
#define KV_LIST_AT(s, field, counter, most, sh, ...)			\
	{ KV_AT(s, field), .type = KV_MEMBER_LIST, .shape = &(sh),	\
	  .size = most, .count = offsetof(s, counter), .elsewhere = true, ##__VA_ARGS__ }
#define KV_NEST(s, field, ...)						\
	{ KV_AT(s, field), .type = KV_MEMBER_NEST, ##__VA_ARGS__ }

/* Of a run's result all but its bins, of buf_write() and buf_read() all but the data. */
#define OP(NAME, name, in, out, about, ...)					\
	extern const struct kv_shape kv_shape_##in, kv_shape_##out;
#include "model/ops.def"

/**
 * struct kv_object_row - a type of objects: a row of objects.def
 * @init: what it is made with
 * @shape: what it is
 * @about: what it is, for the help, as the following
 * @add: what making it does; NULL: no 'add' makes it
 * @more: what else there is to say of that, or NULL
 * @show: what showing it does; NULL: nothing special
 * @del: what destroying it does
 * @make: the verb that makes it, in the kernel and in user space
 * @destroy: the verb that destroys it
 */
struct kv_object_row {
	const struct kv_shape *init;
	const struct kv_shape *shape;
	const char *about;
	const char *add;
	const char *more;
	const char *show;
	const char *del;
	const char *make[2];
	const char *destroy[2];
};

extern const struct kv_object_row kv_object_rows[KV_TYPES];

/**
 * struct kv_op_row - an operation: a row of ops.def
 * @about: type of the object whose id stands first in what it takes, or KV_NO_TYPE
 * @in: what it takes
 * @out: what it gives
 * @verb: what it calls, in the kernel and in user space; NULL: no verb
 * @command: the word of its command, behind that of the object's type; NULL: none, or one that
 *	has a function of its own
 * @help: what it does
 * @more: what else there is to say, or NULL
 */
struct kv_op_row {
	enum kv_type about;
	const struct kv_shape *in;
	const struct kv_shape *out;
	const char *verb[2];
	const char *command;
	const char *help;
	const char *more;
};

extern const struct kv_op_row kv_op_rows[KV_OPS];

/* enum kverbs_cmd of each operation that is one command; 0: it is none. */
extern const uint8_t kv_op_commands[KV_OPS];

const struct kv_member *kv_member_find(const struct kv_shape *shape, const char *name);
bool kv_member_is_given(const struct kv_shape *shape, const struct kv_member *m,
			const void *from, bool all);
bool kv_member_is_zero(const struct kv_member *m, const void *from);
const char *kv_member_elements(const struct kv_member *m, const void *from);
uint32_t kv_shape_given(const struct kv_shape *shape, const void *from);

extern const struct kv_shape kv_shape_stage;
extern const struct kv_shape kv_shape_av;
extern const struct kv_shape kv_shape_qp_attr;
extern const struct kv_shape kv_shape_run_end;
extern const struct kv_shape kv_shape_run_spec;
extern const struct kv_shape kv_shape_wr;
extern const struct kv_shape kv_shape_wc;

#endif
