/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "batch/variables.h"
#include "cli/fault.h"
#include "cli/parse.h"
#include "model/shape.h"

struct kv_command;

/*
 * The keys of a command: one table is used to parse its words and to print its help. The values
 * go to a struct of the command, which begins with struct kv_given.
 */

/* The beginning of the struct of every command. */
struct kv_given {
	uint32_t id; /* id of the object that the command is about; 0 if none was named */
	uint32_t bits; /* kv_key.bits of the keys that were given */
	uint64_t seen; /* the keys that were given, a bit each in the order of their table */
	const struct kv_command *command; /* the command */
};

/* The value of KV_KEY_BYTES: the two members of the private data of a connection. */
struct kv_bytes {
	uint32_t n;
	uint8_t byte[KVERBS_CONN_PRIVATE_MAX];
};

/* The kind of a key's value, and the type of its field. */
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
	KV_KEY_PORT, /* struct sockaddr_storage, and a port has to be named */
	KV_KEY_BYTES, /* text, or hex: and digits; struct kv_bytes */
	KV_KEY_DEVICE, /* const char *, the name of a device; lives as long as the words */
	KV_KEY_TEXT, /* const char *; lives as long as the words */
	KV_KEY_PIECE, /* opens a piece, which has keys of its own */
	KV_KEY_REST, /* all words after the key, uninterpreted; struct kv_rest */
};

struct kv_rest {
	char **word;
	size_t n;
};

/* One key of a command; a table ends with a key without a name. */
struct kv_key {
	const char *name; /* the word */
	enum kv_key_kind kind; /* kind of its value */
	size_t offset; /* offset of the field in the command's struct, or in the piece's */
	uint32_t bits; /* bits to set in struct kv_given if the key was given */
	bool must; /* the command requires the key */
	/* The first key of a command only: its value is the first word, without the name. */
	bool bare;
	/*
	 * The largest number; 0: the largest that the field holds. The backends check narrower
	 * ranges, because they know the reasons.
	 */
	uint64_t max;
	const struct kv_enum *names; /* KV_KEY_ENUM, KV_KEY_FLAGS */
	enum kv_type type; /* KV_KEY_ID */
	const char *value; /* the word for the value in the help; NULL: the kind decides it */
	const char *help; /* its purpose, as the beginning of a sentence */
	size_t has; /* offset of a bool that is set if the key was given; 0: none */
	/* Offset of a uint32_t that receives @bits, too, if the key was given; 0: none. */
	size_t mask;
	/* KV_KEY_PIECE: the keys of a piece, whose struct begins with struct kv_given, too. */
	const struct kv_key *piece;
	/* Size of a piece's struct; @offset is the offset of an array of pieces. */
	size_t piece_size;
	size_t piece_count; /* offset of the unsigned int that counts the pieces */
	unsigned int piece_max; /* size of the array in pieces */
};

/* The longest timeout of any command. */
#define KV_ARGS_TIME_MAX_NS (24 * 3600 * 1000000000ULL)

const struct kv_key *kv_keys_make(const struct kv_shape *shape, size_t at,
				  const struct kv_key *const *more);
void kv_keys_preset(const struct kv_shape *shape, void *to);
int kv_args_parse(const struct kv_key *table, struct kv_variables *variables, char **word,
		  size_t n, void *args, struct kv_fault *f);
const struct kv_key *kv_key_find(const struct kv_key *table, const char *word);
bool kv_args_given(const struct kv_key *table, const struct kv_given *given, const char *name);
