// SPDX-License-Identifier: MIT
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "batch/lexer.h"
#include "batch/names.h"
#include "batch/variables.h"
#include "object/describe.h"
#include "out/out.h"

static int compare_texts(const void *a, const void *b)
{
	const struct kv_variable *x = a, *y = b;

	return strcmp(x->text, y->text);
}

static int compare_objects(const void *a, const void *b)
{
	const struct kv_variable *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->type > y->type) - (x->type < y->type);
}

/* The names that are not in the file, or were read from it. */
static struct kv_variable *find_text(const struct kv_variables *variables, const char *text)
{
	const struct kv_variable key = { .text = (char *)text };
	struct kv_variable *const *found = tfind(&key, &variables->by_text, compare_texts);

	return found ? *found : NULL;
}

static struct kv_variable *find_object(const struct kv_variables *variables, enum kv_type type,
				       uint32_t id)
{
	const struct kv_variable key = { .type = type, .id = id };
	struct kv_variable *const *found = tfind(&key, &variables->by_object, compare_objects);

	return found ? *found : NULL;
}

static void free_name(void *entry)
{
	struct kv_variable *name = entry;

	json_object_put(name->parts);
	json_object_put(name->more);
	free(name->object);
	free(name->value);
	free(name);
}

/**
 * kv_variables_clear() - forget all
 * @variables: those of the session
 */
void kv_variables_clear(struct kv_variables *variables)
{
	while (variables->by_object)
		tdelete(*(void **)variables->by_object, &variables->by_object, compare_objects);
	tdestroy(variables->by_text, free_name);
	memset(variables, 0, sizeof(*variables));
}

static int check_text(const char *text, struct kv_fault *f)
{
	if (!kv_lexer_is_name(text))
		return kv_fault_usage(f, "'%s' can't be a name: a name has letters, digits and _, and no digit first",
				      text);
	if (!strcmp(text, "last") || !strcmp(text, "dev"))
		return kv_fault_usage(f, "the name '%s' is taken: $%s has a meaning of its own",
				      text, text);
	return 0;
}

/**
 * kv_variables_check() - can an object get this name?
 * @variables: those of the session
 * @text: the name
 * @f: receives the reason of a failure
 *
 * Return: 0 or -EINVAL.
 */
int kv_variables_check(const struct kv_variables *variables, const char *text, struct kv_fault *f)
{
	const struct kv_variable *name;
	int ret = check_text(text, f);

	if (ret)
		return ret;
	name = find_text(variables, text);
	if (name && name->value)
		return kv_fault_usage(f, "the name '%s' is taken: 'set' gave it a value", text);
	if (name && !name->deleted && !name->kept)
		return kv_names_refuse(name->text, name->type, name->id, f);
	return 0;
}

/* Makes an entry for a name that is free, or that a deleted or persistent object has. */
static struct kv_variable *new_name(struct kv_variables *variables, const char *text)
{
	struct kv_variable *old = find_text(variables, text);
	size_t size = strlen(text) + 1;
	struct kv_variable *name = calloc(1, sizeof(*name) + size);

	if (!name)
		return NULL;
	name->text = memcpy(name + 1, text, size);
	if (old) {
		if (old->kept && !old->deleted)
			tdelete(old, &variables->by_object, compare_objects);
		tdelete(old, &variables->by_text, compare_texts);
		free_name(old);
	}
	if (tsearch(name, &variables->by_text, compare_texts))
		return name;
	free_name(name);
	return NULL;
}

/**
 * kv_variables_set() - give a variable its value
 * @variables: those of the session
 * @text: the variable's name; its old value is dropped
 * @value: its value, of at most KV_VARIABLES_VALUE_MAX bytes
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_variables_set(struct kv_variables *variables, const char *text, const char *value,
		     struct kv_fault *f)
{
	struct kv_variable *name = find_text(variables, text);
	size_t length = strlen(value), old = name && name->value ? strlen(name->value) : 0;
	char *copy;
	int ret;

	if (length > KV_VARIABLES_VALUE_MAX)
		return kv_fault_usage(f, "the value of '%.64s' has %zu bytes; a variable holds at most %d",
				      text, length, KV_VARIABLES_VALUE_MAX);
	if (variables->bytes - old + length > KV_VARIABLES_MAX)
		return kv_fault_usage(f, "with '%.64s' the variables would have %zu bytes; together they hold at most %d",
				      text, variables->bytes - old + length, KV_VARIABLES_MAX);
	if (!name || !name->value) {
		ret = kv_variables_check(variables, text, f);
		if (ret)
			return ret;
	}
	copy = strdup(value);
	if (!copy)
		return kv_fault_no_memory(f);
	if (!name || !name->value)
		name = new_name(variables, text);
	if (!name) {
		free(copy);
		return kv_fault_no_memory(f);
	}
	free(name->value);
	name->value = copy;
	variables->bytes += length - old;
	return 0;
}

/**
 * kv_variables_add() - name an object
 * @variables: those of the session
 * @text: the name, which kv_variables_check() has accepted
 * @type: type of the object
 * @id: id of the object, which has no other name
 * @f: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int kv_variables_add(struct kv_variables *variables, const char *text, enum kv_type type,
		 uint32_t id, struct kv_fault *f)
{
	struct kv_variable *name = new_name(variables, text);

	if (!name)
		return kv_fault_no_memory(f);
	name->type = type;
	name->id = id;
	if (tsearch(name, &variables->by_object, compare_objects))
		return 0;
	name->deleted = true;
	return kv_fault_no_memory(f);
}

static void add_kept(const char *text, enum kv_type type, uint32_t id, void *arg)
{
	struct kv_variables *variables = arg;
	struct kv_variable *name;
	struct kv_fault why;

	/* A name of the batch hides it. */
	if (find_text(variables, text) || kv_variables_add(variables, text, type, id, &why))
		return;
	name = find_text(variables, text);
	name->kept = true;
	name->parts = json_object_new_object();
	kv_out_put_count(name->parts, "id", id);
}

/**
 * kv_variables_read() - read the names of persistent objects, if they were not read before
 * @variables: those of the session
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_variables_read(struct kv_variables *variables, struct kv_fault *f)
{
	if (variables->names != KV_NAMES_TYPED && variables->names != KV_NAMES_TOLD)
		return 0;
	variables->names = KV_NAMES_NONE;
	return kv_names_each(add_kept, variables, f);
}

/**
 * kv_variables_find() - look for a name, that of a persistent object, too
 * @variables: those of the session
 * @text: the name
 *
 * Return: the entry of this name, or NULL; a deleted object's if no other has taken the name.
 */
struct kv_variable *kv_variables_find(struct kv_variables *variables, const char *text)
{
	struct kv_variable *name = find_text(variables, text);
	struct kv_fault why;

	return name || kv_variables_read(variables, &why) ? name : find_text(variables, text);
}

/**
 * kv_variables_of() - the name of an object
 * @variables: those of the session
 * @type: type of the object
 * @id: id of the object
 *
 * Return: the name, or NULL if it has none.
 */
const char *kv_variables_of(struct kv_variables *variables, enum kv_type type, uint32_t id)
{
	const struct kv_variable *name;
	struct kv_fault why;

	if (variables->names == KV_NAMES_TOLD && kv_variables_read(variables, &why))
		kv_fault_print(&why);
	name = find_object(variables, type, id);
	return name ? name->text : NULL;
}

/**
 * kv_variables_id() - the id of an object from a typed word
 * @variables: those of the session
 * @type: type of the object
 * @text: its id, or its name
 * @id: receives its id
 * @why: receives the reason of a refusal; @variables->missing tells if there is no such name
 *
 * Return: 0 or -EINVAL.
 */
int kv_variables_id(struct kv_variables *variables, enum kv_type type,
		const char *text, uint32_t *id, struct kv_why *why)
{
	const char *word = kv_enum_name(kv_enum_type, type);
	const struct kv_variable *name;
	struct kv_fault f;
	uint64_t v;
	int ret;

	if (!kv_lexer_is_name(text)) {
		ret = kv_parse_count(text, 0, UINT32_MAX, &v, why);
		if (!ret && v) {
			*id = (uint32_t)v;
			return 0;
		}
		return kv_why_set(why, "is no %s: it takes an id, from 1 on, or a name", word);
	}
	if (variables->names == KV_NAMES_ANY) {
		*id = 1;
		return 0;
	}
	name = find_text(variables, text);
	if (!name && kv_variables_read(variables, &f))
		return kv_why_set(why, "can't be looked up: %s", f.text);
	name = name ?: find_text(variables, text);
	if (name && !name->value && name->type == type) {
		*id = name->id;
		return 0;
	}
	if (!name || !name->value)
		variables->missing = type + 1;
	if (!name)
		return kv_why_set(why, "is the name of nothing");
	if (name->value)
		return kv_why_set(why, "is a variable; $%.64s stands for its value", text);
	return kv_why_set(why, "is %s %u, and no %s", kv_enum_name(kv_enum_type, name->type),
			  name->id, word);
}

/* A key may be in memory that @from frees. */
static void copy_fields(struct json_object *to, struct json_object *from)
{
	if (!from)
		return;
	json_object_object_foreach(from, key, value)
		json_object_object_add(to, key, json_object_get(value));
}

static struct json_object *describe(const struct kv_variable *name)
{
	struct json_object *fields = json_object_new_object();

	if (name->object)
		kv_describe_object(fields, name->type, name->text, name->object);
	return fields;
}

/**
 * kv_variable_fields() - list the fields of an object
 * @name: its name
 *
 * Return: the fields that outputs have told, in an object that the caller owns.
 */
struct json_object *kv_variable_fields(const struct kv_variable *name)
{
	struct json_object *fields = describe(name);

	copy_fields(fields, name->more);
	copy_fields(fields, name->parts);
	return fields;
}

/* The fields that a description has had are no longer known from before. */
static void drop_parts(struct kv_variable *name)
{
	struct json_object *fields = describe(name);

	json_object_object_foreach(fields, key, value) {
		(void)value;
		json_object_object_del(name->parts, key);
	}
	json_object_put(fields);
}

/**
 * kv_variables_note_object() - note the description of an object
 * @variables: those of the session; if the object has no name, nothing is kept
 * @type: type of the object
 * @object: the object, which is described when its fields are asked for: few are
 */
void kv_variables_note_object(struct kv_variables *variables, enum kv_type type,
			      const union kv_object *object)
{
	struct kv_variable *name = find_object(variables, type, object->id);
	size_t size = kv_object_rows[type].shape->size;

	if (!name)
		return;
	json_object_put(name->more);
	name->more = NULL;
	if (name->parts && name->object)
		drop_parts(name);
	name->object = name->object ?: malloc(size);
	if (name->object)
		memcpy(name->object, object, size);
	if (name->parts)
		drop_parts(name);
}

/**
 * kv_variables_note() - note fields of an object, beside those of its description
 * @variables: those of the session; if the object has no name, nothing is kept
 * @type: type of the object
 * @id: id of the object
 * @fields: a command's result that has the fields
 * @note: how long they are known
 */
void kv_variables_note(struct kv_variables *variables, enum kv_type type, uint32_t id,
		       struct json_object *fields, enum kv_note note)
{
	struct kv_variable *name = find_object(variables, type, id);
	struct json_object **to;

	if (!name)
		return;
	to = note == KV_NOTE_MORE ? &name->more : &name->parts;
	*to = *to ?: json_object_new_object();
	copy_fields(*to, fields);
}

/**
 * kv_variables_delete() - an object is gone
 * @variables: those of the session; the object's name stays, for messages about its deletion
 * @type: type of the object
 * @id: id of the object
 *
 * Return: the name, or NULL if it had none.
 */
const struct kv_variable *kv_variables_delete(struct kv_variables *variables, enum kv_type type,
					      uint32_t id)
{
	struct kv_variable *name = find_object(variables, type, id);

	if (!name)
		return NULL;
	tdelete(name, &variables->by_object, compare_objects);
	name->deleted = true;
	return name;
}

struct each {
	void (*fn)(const struct kv_variable *variable, void *arg);
	void *arg;
};

static void call_each(const void *node, VISIT visit, void *arg)
{
	const struct kv_variable *const *variable = node;
	const struct each *each = arg;

	if (visit == postorder || visit == leaf)
		each->fn(*variable, each->arg);
}

/**
 * kv_variables_each() - call a function for each name, in their order
 * @variables: those of the session
 * @fn: the function
 * @arg: for @fn
 */
void kv_variables_each(struct kv_variables *variables,
		       void (*fn)(const struct kv_variable *variable, void *arg), void *arg)
{
	struct each each = { .fn = fn, .arg = arg };
	struct kv_fault why;

	kv_variables_read(variables, &why);
	twalk_r(variables->by_text, call_each, &each);
}
