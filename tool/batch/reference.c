// SPDX-License-Identifier: MIT
/* The values of references, $NAME.FIELD. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "batch/session.h"
#include "cli/there.h"
#include "object/describe.h"
#include "object/text.h"
#include "out/out.h"

#define PATH 256

/* Room for a value that is no string: a number, or the names of flags. */
#define VALUE 256

/**
 * kv_field_text() - look for a field and write its value
 * @obj: the object that has the field
 * @path: names and indices separated by dots; names may have - for _
 * @text: receives the value in the form that commands take, in memory that the caller
 *	frees
 *
 * Return: 0; -ENOENT: there is no such field; -EINVAL: it has no single value;
 * -ENOMEM.
 */
int kv_field_text(struct json_object *obj, const char *path, char **text)
{
	struct json_object *value;
	char pointer[PATH], other[VALUE];
	int n;

	n = snprintf(pointer, sizeof(pointer), "/%s", path);
	if (n >= PATH || strpbrk(path, "~/"))
		return -ENOENT;
	for (char *c = pointer; *c; c++) {
		if (*c == '.')
			*c = '/';
		if (*c == '-')
			*c = '_';
	}
	value = kv_out_get(obj, pointer);
	if (!value)
		return -ENOENT;
	if (json_object_is_type(value, json_type_object))
		return -EINVAL;
	n = json_object_is_type(value, json_type_array) ? (int)json_object_array_length(value) : 0;
	for (int i = 0; i < n; i++) {
		if (!json_object_is_type(json_object_array_get_idx(value, (size_t)i),
					 json_type_string))
			return -EINVAL;
	}
	kv_text_value(other, sizeof(other), strrchr(pointer, '/') + 1, value);
	*text = strdup(json_object_is_type(value, json_type_string) ?
		       json_object_get_string(value) : other);
	return *text ? 0 : -ENOMEM;
}

static void list_fields(struct json_object *obj, char *text, size_t size)
{
	text[0] = '\0';
	json_object_object_foreach(obj, key, value) {
		(void)value;
		kv_append(text, size, "%s%s", *text ? ", " : "", key);
	}
}

/* @what: owner of the fields, for messages. */
static int expand_field(struct json_object *obj, const char *what,
			const char *path, char **value, struct kv_fault *f)
{
	char fields[640];
	int ret = kv_field_text(obj, path, value);

	if (ret == -ENOENT) {
		list_fields(obj, fields, sizeof(fields));
		return kv_fault_usage(f, "%s has no field '%s'; it has %s",
				      what, path, *fields ? fields : "none");
	}
	if (ret == -EINVAL)
		return kv_fault_usage(f, "field '%s' of %s has no single value", path, what);
	return ret ? kv_fault_set(f, ret, "no memory") : 0;
}

static int expand_dev(struct kv_session *s, const char *path, char **value, struct kv_fault *f)
{
	struct json_object *obj;
	int ret = kv_session_dev(s, f);

	if (ret)
		return ret;
	obj = json_object_new_object();
	kv_describe_dev(obj, &s->dev);
	ret = expand_field(obj, "the device", path, value, f);
	json_object_put(obj);
	return ret;
}

static void add_name(const struct kv_variable *name, void *arg)
{
	if (!name->deleted)
		kv_there_add(arg, "$", name->text);
}

static int refuse_name(struct kv_session *s, const char *text, struct kv_fault *f)
{
	struct kv_there names = { .n = 0 };

	kv_fault_usage(f, "$%s: there is no '%s'; 'name %s' at the end of an 'add', or 'set %s VALUE', makes one",
		       text, text, text, text);
	kv_variables_each(&s->variables, add_name, &names);
	if (names.n)
		kv_there_tell(&names, f);
	return f->error;
}

static int expand_name(struct kv_session *s, const char *text,
		       const char *path, char **value, struct kv_fault *f)
{
	const struct kv_variable *name = kv_variables_find(&s->variables, text);
	struct json_object *fields;
	char what[128];
	int ret;

	if (!name)
		return refuse_name(s, text, f);
	if (name->value && path)
		return kv_fault_usage(f, "$%s.%s: '%s' is a variable, which has no fields",
				      text, path, text);
	if (name->value) {
		*value = strdup(name->value);
		return *value ? 0 : kv_fault_no_memory(f);
	}
	snprintf(what, sizeof(what), "%s '%.64s'", kv_enum_name(kv_enum_type, name->type), text);
	fields = kv_variable_fields(name);
	ret = expand_field(fields, what, path ? path : "id", value, f);
	json_object_put(fields);
	return ret;
}

/**
 * kv_session_expand() - give the value of a reference; a kv_lexer_expand_fn
 * @reference: the text after the $
 * @value: receives the text, in memory that the caller frees
 */
int kv_session_expand(void *arg, const char *reference, char **value, struct kv_fault *f)
{
	struct kv_session *s = arg;
	const char *dot = strchr(reference, '.');
	char name[PATH];

	snprintf(name, sizeof(name), "%.*s", dot ? (int)(dot - reference) : (int)strlen(reference),
		 reference);
	if (dot)
		dot++;
	if (strcmp(name, "last") && strcmp(name, "dev"))
		return expand_name(s, name, dot, value, f);
	if (!dot)
		return kv_fault_usage(f, "$%s needs a field, as in $%s.%s", name, name,
				      *name == 'd' ? "name" : "id");
	if (*name == 'd')
		return expand_dev(s, dot, value, f);
	if (!s->last)
		return kv_fault_usage(f, "$last.%s: no command has printed a result yet", dot);
	return expand_field(s->last, "the last result", dot, value, f);
}
