// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "batch/lexer.h"
#include "batch/names.h"
#include "batch/variables.h"
#include "object/describe.h"
#include "out/out.h"

/* The tables of kv_variables: a name is in both, or its object is gone, or it is a variable. */
enum { BY_TEXT, BY_OBJECT };

/* The smallest number of chains; a power of 2, as all are. */
#define CHAINS 64

/* Numbers of consecutive objects go to consecutive chains. */
static uint32_t hash(int by, const struct kv_variable *name)
{
	uint32_t h = 2166136261;

	if (by == BY_OBJECT)
		return name->id * KV_TYPES + name->type;
	/* FNV-1a */
	for (const char *c = name->text; *c; c++)
		h = (h ^ (unsigned char)*c) * 16777619;
	return h;
}

static bool same(int by, const struct kv_variable *a, const struct kv_variable *b)
{
	return by == BY_TEXT ? !strcmp(a->text, b->text) : a->type == b->type && a->id == b->id;
}

/* The link to the entry that equals @key, or else the end of its chain. */
static struct kv_variable **link_to(const struct kv_names_table *t, int by,
				    const struct kv_variable *key)
{
	struct kv_variable **link = &t->chain[hash(by, key) & (t->chains - 1)];

	while (*link && !same(by, *link, key))
		link = &(*link)->next[by];
	return link;
}

static struct kv_variable *find(const struct kv_variables *variables, int by,
				const struct kv_variable *key)
{
	const struct kv_names_table *t = &variables->table[by];

	return t->n ? *link_to(t, by, key) : NULL;
}

static int grow(struct kv_names_table *t, int by)
{
	struct kv_names_table more = { .n = t->n, .chains = t->chains ? 2 * t->chains : CHAINS };

	more.chain = calloc(more.chains, sizeof(*more.chain));
	if (!more.chain)
		return -ENOMEM;
	for (size_t i = 0; i < t->chains; i++) {
		for (struct kv_variable *name = t->chain[i], *next; name; name = next) {
			next = name->next[by];
			name->next[by] = NULL;
			*link_to(&more, by, name) = name;
		}
	}
	free(t->chain);
	*t = more;
	return 0;
}

/* Adds an entry that equals no other one. */
static int insert(struct kv_variables *variables, int by, struct kv_variable *name)
{
	struct kv_names_table *t = &variables->table[by];

	if (t->n == t->chains && grow(t, by))
		return -ENOMEM;
	name->next[by] = NULL;
	*link_to(t, by, name) = name;
	t->n++;
	return 0;
}

/* @name: an entry of the table */
static void take_out(struct kv_variables *variables, int by, struct kv_variable *name)
{
	struct kv_names_table *t = &variables->table[by];

	*link_to(t, by, name) = name->next[by];
	t->n--;
}

static void free_name(struct kv_variable *name)
{
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
	const struct kv_names_table *t = &variables->table[BY_TEXT];

	for (size_t i = 0; i < t->chains; i++) {
		for (struct kv_variable *name = t->chain[i], *next; name; name = next) {
			next = name->next[BY_TEXT];
			free_name(name);
		}
	}
	free(t->chain);
	free(variables->table[BY_OBJECT].chain);
	memset(variables, 0, sizeof(*variables));
}

/* The names that are not in the file, or were read from it. */
static struct kv_variable *find_text(const struct kv_variables *variables, const char *text)
{
	return find(variables, BY_TEXT, &(struct kv_variable){ .text = (char *)text });
}

static struct kv_variable *find_object(const struct kv_variables *variables, enum kv_type type,
				       uint32_t id)
{
	return find(variables, BY_OBJECT, &(struct kv_variable){ .type = type, .id = id });
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
			take_out(variables, BY_OBJECT, old);
		take_out(variables, BY_TEXT, old);
		free_name(old);
	}
	if (!insert(variables, BY_TEXT, name))
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
	if (!insert(variables, BY_OBJECT, name))
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
	take_out(variables, BY_OBJECT, name);
	name->deleted = true;
	return name;
}

static int compare_texts(const void *a, const void *b)
{
	const struct kv_variable *const *x = a, *const *y = b;

	return strcmp((*x)->text, (*y)->text);
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
	const struct kv_names_table *t = &variables->table[BY_TEXT];
	const struct kv_variable **sorted;
	struct kv_fault why;
	size_t n = 0;

	kv_variables_read(variables, &why);
	sorted = calloc(t->n + 1, sizeof(*sorted));
	if (!sorted)
		return;
	for (size_t i = 0; i < t->chains; i++) {
		for (const struct kv_variable *name = t->chain[i]; name; name = name->next[BY_TEXT])
			sorted[n++] = name;
	}
	qsort(sorted, n, sizeof(*sorted), compare_texts);
	for (size_t i = 0; i < n; i++)
		fn(sorted[i], arg);
	free(sorted);
}
