/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "model/backend.h"

struct kv_enum;

/*
 * A shape has a row for each member of a struct. The rows are used to write and read the struct
 * as netlink attributes, in messages to and from the module (kernel/fields.h) and other hosts
 * (remote/attrs.c); to print it (object/describe.h); and to read it from the keys of a command
 * (object/args.h). There is one shape for each struct that an operation takes or returns.
 */

/* The type of a member. */
enum kv_member_type {
	KV_MEMBER_U32,
	KV_MEMBER_S32,
	KV_MEMBER_U64,
	KV_MEMBER_BOOL, /* a flag: present if true. Without an attribute: KV_WHEN_HAS sets it */
	KV_MEMBER_TEXT, /* char[]; printable */
	KV_MEMBER_TEXT_AT, /* const char *; if read from a message, it points into the message */
	KV_MEMBER_HEX, /* uint8_t[], all of it */
	KV_MEMBER_HEX_UPTO, /* uint8_t[], the first @count bytes */
	KV_MEMBER_ADDRESS, /* struct sockaddr_storage; absent if its family is AF_UNSPEC */
	KV_MEMBER_STRUCT,
	KV_MEMBER_LIST, /* @count structs; see kv_member.elsewhere */
	KV_MEMBER_NEST, /* const struct nlattr *; if read, it points into the message */
};

/* Attributes from this number on go to other hosts only; the module has none of them. */
#define KV_ATTR_BEYOND 0x1000

/* When a member is put into a request to the module; HAS applies to other hosts, too. */
enum kv_member_when {
	KV_WHEN_ALWAYS,
	KV_WHEN_NONZERO,
	KV_WHEN_NOT_NEGATIVE, /* S32 */
	KV_WHEN_HAS, /* if the bool at @beside is true; reading the member from a reply sets it */
	KV_WHEN_NONZERO_OR_NO, /* if it is not 0, or the uint32_t at @beside is 0 */
	KV_WHEN_NONZERO_OR, /* if it or the uint32_t at @beside is not 0 */
	KV_WHEN_NONZERO_OR_HAS, /* if it is not 0, or the bool at @beside is set */
};

/* How users read and write a member, if the type alone does not decide it. */
enum kv_form {
	KV_FORM_PLAIN,
	KV_FORM_SIZE, /* number of bytes */
	KV_FORM_ENUM, /* one of @names */
	KV_FORM_FLAGS, /* several of @names, whose values are bits */
	KV_FORM_BITS, /* the same, printed as one bool for each name */
	KV_FORM_NAMED, /* a number, and its word beside it as KEY_name */
	KV_FORM_CM_STATUS, /* the same for a CM event: an errno, or the reason of a rejection */
	KV_FORM_PORT, /* an address: its port alone */
	KV_FORM_COUNTED, /* HEX_UPTO, printed with its length */
};

/* When a member is printed. */
enum kv_tell {
	KV_TELL_AS_PUT, /* if it would be put into a request */
	KV_TELL_ALWAYS,
	KV_TELL_NEVER,
	KV_TELL_NONZERO,
	KV_TELL_WITH, /* if the bool at @beside is true */
	KV_TELL_BESIDE, /* if the uint32_t at @beside is not 0 */
	KV_TELL_AMONG, /* if @among has the bit of the uint32_t at @beside */
};

/* One member of a struct. */
struct kv_member {
	const char *name; /* name of the member in the struct */
	size_t offset; /* offset in the struct */
	enum kv_member_type type; /* type of the member */
	uint32_t size; /* texts and hex: size in bytes; lists: the maximum number of elements */
	/* S32: the smallest value; another host's number must be between @min and @max. */
	int64_t min;
	uint64_t max; /* numbers: the largest value */
	/*
	 * Offset of the uint32_t that has the number of bytes or elements; that uint32_t has no row
	 * of its own.
	 */
	size_t count;
	/*
	 * Lists: the member points to the elements. If read from a message, they are allocated:
	 * kv_nl_release(). A list of one is not counted in the text of a refusal.
	 */
	bool elsewhere;
	const struct kv_shape *shape; /* structs and lists: shape of the struct */
	/* The attribute; 0: none. The members of a struct without one are put beside the others. */
	int attr;
	const char *known; /* the name that users see, if it is not @name */
	enum kv_member_when when; /* enum kv_member_when */
	size_t beside; /* offset of the field that @when or @tell looks at */
	uint32_t among; /* AMONG: a bit for each value */
	/* Bit of the shape's mask: the member is put if it is set, reading sets it; 0: none. */
	uint32_t bit;
	/*
	 * Ids: 1 + enum kv_type of the object, or KV_REFERS_ABOUT; 0: the member is no id, or no id
	 * that a client was given.
	 */
	uint32_t refers;
	enum kv_form form; /* how users read and write it */
	const struct kv_enum *names; /* the names of ENUM, FLAGS, BITS and NAMED */
	enum kv_tell tell; /* when it is printed */
	/* Its word in descriptions and, with - for _, in commands, if not @known or @name. */
	const char *key;
	const char *help; /* its purpose as a key of a command; NULL: it is no key */
	/* The word for the key's value in the help, if the other fields do not determine it. */
	const char *value;
	bool must; /* the command requires the key */
	uint64_t preset; /* numbers: the value if the key is not given */
	/* U32, S32: the member of struct kv_dev that is the device's limit, or NULL */
	const char *limit;
};

/* The id of the object that the whole struct is about: the reader knows its type. */
#define KV_REFERS_ABOUT UINT32_MAX

/* The members of a struct. */
struct kv_shape {
	size_t size; /* size of the struct in bytes */
	unsigned int members; /* number of entries of @member */
	const struct kv_member *member; /* the table */
	size_t mask; /* offset of the uint32_t that has the members' bits */
};

/* A table as a shape. */
#define KV_SHAPE(s, table, ...) {						\
	.size = sizeof(s),						\
	.members = sizeof(table) / sizeof((table)[0]),			\
	.member = table, ##__VA_ARGS__					\
}

#define KV_ROOM(of, field) sizeof(((struct kv_##of *)0)->field)

#define KV_AT(of, field) .name = #field, .offset = offsetof(struct kv_##of, field)

extern const struct kv_shape kv_shape_none;

/* A type of objects: a row of objects.def. */
struct kv_object_row {
	const struct kv_shape *init; /* shape of its parameters */
	const struct kv_shape *shape; /* shape of the object */
	const char *about; /* help text: the type; the next four fields are help texts, too */
	const char *add; /* the effect of 'add'; NULL: there is no 'add' */
	const char *more; /* further text about 'add', or NULL */
	const char *show; /* the effect of 'show'; NULL: nothing special */
	const char *del; /* the effect of 'del' */
	const char *make[2]; /* the verb that makes it, in the kernel and in user space */
	const char *destroy[2]; /* the verb that destroys it */
};

extern const struct kv_object_row kv_object_rows[KV_TYPES];

/* An operation: a row of ops.def. */
struct kv_op_row {
	/* Type of the object whose id is the first member of @in, or KV_NO_TYPE. */
	enum kv_type about;
	const struct kv_shape *in; /* shape of its arguments */
	const struct kv_shape *out; /* shape of its results */
	/* The verb that it calls, in the kernel and in user space; NULL: no verb. */
	const char *verb[2];
	/*
	 * The word of its command, after the word of the object's type; NULL: there is no command,
	 * or the command has a function of its own.
	 */
	const char *command;
	const char *help; /* help text: its effect */
	const char *more; /* further help text, or NULL */
};

extern const struct kv_op_row kv_op_rows[KV_OPS];

/* enum kverbs_cmd of each operation; 0: the operation is no command of the module. */
extern const uint8_t kv_op_commands[KV_OPS];

const struct kv_member *kv_member_find(const struct kv_shape *shape, const char *name);
bool kv_member_lacks_zero(const struct kv_member *m);
bool kv_member_is_given(const struct kv_shape *shape, const struct kv_member *m,
			const void *from, bool all);
bool kv_member_is_zero(const struct kv_member *m, const void *from);
const char *kv_member_elements(const struct kv_member *m, const void *from);
uint32_t kv_shape_given(const struct kv_shape *shape, const void *from);
