/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "cli/fault.h"
#include "cli/parse.h"
#include "model/backend.h"

/*
 * Names belong to variables, which are texts, and to objects. An object also has fields, from the
 * results of the commands so far. A name that a batch gives lasts as long as the batch; names of
 * persistent objects are kept in a file (batch/names.h), and a batch can use them for other
 * objects.
 */

/* The maximum length of a variable in bytes: a few lines can't use up the memory. */
#define KV_VARIABLES_VALUE_MAX (64 << 10)

/* The maximum length of all variables together. */
#define KV_VARIABLES_MAX (16 << 20)

/**
 * struct kv_variable - a variable, or an object that has a name
 * @next: the next entries of its chains
 * @text: the name, behind the struct
 * @value: value of a variable; NULL: this is an object
 * @type: type of the object
 * @id: id of the object
 * @kept: the object is persistent, and its name is in the file
 * @deleted: the object is gone; its name can be given to another one
 * @object: the object, as an output has last described it, with the members of its type only;
 *	NULL: no output has
 * @more: further fields that the same output had; NULL: none
 * @parts: fields that other outputs had; NULL: none
 */
struct kv_variable {
	struct kv_variable *next[2];
	char *text;
	char *value;
	enum kv_type type;
	uint32_t id;
	bool kept;
	bool deleted;
	union kv_object *object;
	struct json_object *more;
	struct json_object *parts;
};

/* The names of persistent objects, beside those that were given here. */
enum kv_names {
	KV_NAMES_NONE, /* none, or all that are in the file were read */
	KV_NAMES_TYPED, /* the file is read for a name that is typed and was not given here */
	KV_NAMES_TOLD, /* the file is read for the names of objects that a result tells, too */
	KV_NAMES_ANY, /* any name may be that of an object: only the words are checked */
};

/* A hash table; its entries are chained. */
struct kv_names_table {
	struct kv_variable **chain; /* the first entry of each chain */
	size_t chains; /* number of chains, a power of 2, or 0 */
	size_t n; /* number of entries, at most that of chains */
};

/**
 * struct kv_variables - the names of a session
 * @table: all entries, by name; the entries of objects that are not deleted, by type and id
 * @names: names of persistent objects
 * @bytes: length of the values of all variables
 * @missing: type of the object that kv_variables_id() has last not found, plus 1; 0: it found all
 */
struct kv_variables {
	struct kv_names_table table[2];
	enum kv_names names;
	size_t bytes;
	unsigned int missing;
};

/* How long fields of an object are known that are no part of its description. */
enum kv_note {
	KV_NOTE_MORE, /* until the next description */
	KV_NOTE_PART, /* until a description or an output tells other values */
};

void kv_variables_clear(struct kv_variables *variables);
int kv_variables_check(const struct kv_variables *variables, const char *text, struct kv_fault *f);
int kv_variables_read(struct kv_variables *variables, struct kv_fault *f);
int kv_variables_set(struct kv_variables *variables, const char *text, const char *value,
		     struct kv_fault *f);
int kv_variables_add(struct kv_variables *variables, const char *text, enum kv_type type,
		     uint32_t id, struct kv_fault *f);
struct kv_variable *kv_variables_find(struct kv_variables *variables, const char *text);
const char *kv_variables_of(struct kv_variables *variables, enum kv_type type, uint32_t id);
int kv_variables_id(struct kv_variables *variables, enum kv_type type, const char *text,
		    uint32_t *id, struct kv_why *why);
void kv_variables_note_object(struct kv_variables *variables, enum kv_type type,
			      const union kv_object *object);
void kv_variables_note(struct kv_variables *variables, enum kv_type type, uint32_t id,
		       struct json_object *fields, enum kv_note note);
struct json_object *kv_variable_fields(const struct kv_variable *name);
void kv_variables_each(struct kv_variables *variables,
		       void (*fn)(const struct kv_variable *variable, void *arg), void *arg);
const struct kv_variable *kv_variables_delete(struct kv_variables *variables, enum kv_type type,
					      uint32_t id);
