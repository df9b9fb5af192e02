/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_ARGS_H
#define KV_OBJECT_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "batch/variables.h"
#include "cli/fault.h"
#include "cli/parse.h"
#include "model/shape.h"

struct kv_command;

/*
 * The keys of a command: one table, from which its words are parsed and its help is printed.
 * The values go to a struct of the command, which begins with struct kv_given.
 */

/**
 * struct kv_given - how the struct of every command begins
 * @id: of the object that the command is about; 0 if none was named
 * @bits: those of the keys that were given
 * @seen: which keys were given, a bit each in the order of their table
 * @command: the command
 */
struct kv_given {
	uint32_t id;
	uint32_t bits;
	uint64_t seen;
	const struct kv_command *command;
};

/* What KV_KEY_BYTES takes: as much as is told with a connection. */
struct kv_bytes {
	uint32_t n;
	uint8_t byte[KVERBS_CONN_PRIVATE_MAX];
};

/* What a key's value is, and which field it goes to. */
enum kv_key_kind {
	KV_KEY_FLAG, /* the key alone; no field or bool */
	KV_KEY_U32, /* number; uint32_t */
	KV_KEY_U64, /* number; uint64_t */
	KV_KEY_SIZE, /* bytes; uint64_t */
	KV_KEY_SIZE32, /* bytes; uint32_t */
	KV_KEY_TIME, /* ns; uint64_t */
	KV_KEY_ENUM, /* one of a table; uint32_t */
	KV_KEY_FLAGS, /* several of a table; uint32_t */
	KV_KEY_ID, /* an object; uint32_t */
	KV_KEY_GID, /* uint8_t[16] */
	KV_KEY_ADDRESS, /* struct kv_address */
	KV_KEY_SOCKADDR, /* struct sockaddr_storage */
	KV_KEY_PORT, /* ditto, and a port has to be named */
	KV_KEY_BYTES, /* text, or hex: and digits; struct kv_bytes */
	KV_KEY_DEVICE, /* const char *, the name of one; ditto */
	KV_KEY_TEXT, /* const char *, as long as the words live */
	KV_KEY_PIECE, /* opens a piece, which has keys of its own */
	KV_KEY_REST, /* the words behind it, whatever they are; struct kv_rest */
};

struct kv_rest {
	char **word;
	size_t n;
};

/**
 * struct kv_key - one key of a command; a table ends with one that has no name
 * @name: the word
 * @kind: of its value
 * @offset: of the field in the command's struct, or in the piece's
 * @bits: set in struct kv_given if the key was given
 * @must: the command can't do without it
 * @bare: the first key of a command only: its value stands first, without the name
 * @max: the largest number; 0: what the field holds. Ranges belong to the backends,
 *	which know the reasons.
 * @names: KV_KEY_ENUM, KV_KEY_FLAGS
 * @type: KV_KEY_ID
 * @value: what the help calls the value, if not by its kind
 * @help: what it is for; a sentence's beginning
 * @has: offset of a bool that is set if the key was given; 0: none
 * @mask: offset of a uint32_t that receives @bits, too, if it was given; 0: none
 * @piece: KV_KEY_PIECE: the keys of a piece, whose struct begins with struct
 *	kv_given too
 * @piece_size: bytes of that struct; @offset is that of an array of them
 * @piece_count: offset of the unsigned int that counts them
 * @piece_max: how many the array has
 */
struct kv_key {
	const char *name;
	enum kv_key_kind kind;
	size_t offset;
	uint32_t bits;
	bool must;
	bool bare;
	uint64_t max;
	const struct kv_enum *names;
	enum kv_type type;
	const char *value;
	const char *help;
	size_t has;
	size_t mask;
	const struct kv_key *piece;
	size_t piece_size;
	size_t piece_count;
	unsigned int piece_max;
};

/* The longest that anything is waited for. */
#define KV_ARGS_TIME_MAX_NS (24 * 3600 * 1000000000ULL)

const struct kv_key *kv_keys_make(const struct kv_shape *shape, size_t at,
				  const struct kv_key *const *more);
void kv_keys_preset(const struct kv_shape *shape, void *to);
int kv_args_parse(const struct kv_key *table, const struct kv_variables *variables, char **word,
		  size_t n, void *args, struct kv_fault *f);
bool kv_args_given(const struct kv_key *table, const struct kv_given *given, const char *name);
struct json_object *kv_args_flags(const struct kv_enum *table, uint32_t flags);

#endif
