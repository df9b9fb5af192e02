/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include <json-c/json.h>
#include "cli/fault.h"
#include "object/args.h"

/*
 * The commands for objects, as tables: kv_nouns() lists the nouns, a noun has commands, and a
 * command has keys. The tables serve for parsing, help and messages; the function of a command
 * gets the values only.
 */

struct kv_session;

/* Whether the id of an object follows the name of a command. */
enum kv_id_use {
	KV_ID_NONE,
	KV_ID_MAY,
	KV_ID_MUST,
};

/* One command. */
struct kv_command {
	const char *name; /* its word; "": the noun is the command */
	const char *help; /* its effect, one line */
	const char *more; /* further help, lines; or NULL */
	enum kv_id_use id; /* whether an object's id follows */
	enum kv_type type; /* type of that object */
	const struct kv_key *key; /* its keys; NULL: none */
	/* Size of the command's struct, which begins with struct kv_given; 0: that is all. */
	size_t size;
	const void *init; /* the defaults, of that size; NULL: all 0 */
	/* In place of @init: the shape of a struct with presets, at @at. */
	const struct kv_shape *in;
	size_t at; /* offset of the struct of @in in the command's struct */
	enum kv_op op; /* the operation, if @fn performs several */
	/* Performs the command; adds its output to @result. */
	int (*fn)(struct kv_session *s, const void *args,
		  struct json_object *result, struct kv_fault *f);
	/* Prints @result as text; NULL: there is nothing to print. */
	void (*print)(FILE *out, const char *noun, struct json_object *result);
	const char *words; /* in place of @key: the words that follow, for the help */
	/* In place of @fn: performs the command with the words as they were typed. */
	int (*raw)(struct kv_session *s, char **word, size_t n,
		   struct json_object *result, struct kv_fault *f);
};

/* The thing that commands are about. */
struct kv_noun {
	const char *name; /* its word */
	const char *help; /* its description, one line */
	bool batch; /* it makes sense only in a batch */
	const struct kv_command *command; /* its commands; the last one has no name */
};

extern const struct kv_noun kv_noun_dev;
extern const struct kv_noun kv_noun_post;
extern const struct kv_noun kv_noun_poll;
extern const struct kv_noun kv_noun_flush;
extern const struct kv_noun kv_noun_monitor;
extern const struct kv_noun kv_noun_echo;
extern const struct kv_noun kv_noun_expect;
extern const struct kv_noun kv_noun_refused;
extern const struct kv_noun kv_noun_set;
extern const struct kv_noun kv_noun_sleep;

/* Commands of objects that do more than one operation; the last one has no name. */
extern const struct kv_command kv_buf_commands[];
extern const struct kv_command kv_qp_commands[];
extern const struct kv_command kv_conn_commands[];

/* A noun that is itself a command; further arguments are the command's other members. */
#define KV_NOUN_COMMAND(noun, does, in_batch, ...)			\
	const struct kv_noun kv_noun_##noun = {				\
		#noun, does, in_batch, (const struct kv_command[]){	\
			{ "", does, __VA_ARGS__ }, { .name = NULL },	\
		},							\
	}

/* The key of all commands that make an object, and the key of those that name a device. */
#define KV_KEY_NAME(offset)						\
	{ "name", KV_KEY_TEXT, offset, .value = "NAME",			\
	  .help = "its name, in place of the id: until the batch ends, or until the object is deleted" }
#define KV_KEY_DEV(offset)						\
	{ "dev", KV_KEY_DEVICE, offset, .value = "DEV",			\
	  .help = "device; default: the device of --dev, or the only device" }

/* The command that words begin with. */
struct kv_choice {
	const struct kv_noun *noun; /* its noun; NULL: there is no noun of this name */
	/* The command; NULL: the noun has no command of this name. */
	const struct kv_command *command;
	size_t used; /* how many words name the command */
};

const struct kv_noun *const *kv_nouns(void);
const struct kv_noun *kv_noun_find(const char *name);
const struct kv_command *kv_command_find(const struct kv_noun *noun, const char *name);
int kv_dev_word(const char *word, const char **name, struct kv_fault *f);
bool kv_command_list(const char *name, char *text, size_t size);
int kv_command_choose(char **word, size_t n, struct kv_choice *c, struct kv_fault *f);
void kv_command_title(char *text, size_t size, const struct kv_noun *noun,
		      const struct kv_command *command);
bool kv_help_wanted(char **word, size_t n);
void kv_help_format_key(const struct kv_key *key, char *text, size_t size);
void kv_help_describe_key(const struct kv_key *key, char *text, size_t size);
int kv_help_print(char **word, size_t n, struct kv_fault *f);
