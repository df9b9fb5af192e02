// SPDX-License-Identifier: MIT
#include <errno.h>
#include "batch/names.h"
#include "object/describe.h"
#include "object/object.h"
#include "out/out.h"

/* How often a list is restarted because objects came or went. */
#define TRIES 10

static bool exists(enum kv_type type, uint32_t id, void *arg)
{
	struct kv_session *s = arg;
	union kv_object object;
	int ret;

	s->untold = true;
	ret = kv_op_get(s->b, type, id, &object);
	s->untold = false;
	return ret != -ENOENT;
}

/**
 * kv_object_forget() - remove the names of objects that are gone from the file
 * @s: the session
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_object_forget(struct kv_session *s, struct kv_fault *f)
{
	return kv_names_update(NULL, 0, 0, exists, s, f);
}

/* Is the name free for a new object? The file is written, and the name taken, when it exists. */
static int check_name(struct kv_session *s, const char *name, struct kv_fault *f)
{
	const struct kv_variable *old;
	int ret = name ? kv_variables_check(&s->variables, name, f) : 0;

	if (ret || !name || s->batch)
		return ret;
	ret = kv_variables_read(&s->variables, f);
	if (ret)
		return ret;
	old = kv_variables_find(&s->variables, name);
	if (old && exists(old->type, old->id, s))
		return kv_names_refuse(old->text, old->type, old->id, f);
	return 0;
}

/* Names a new object; if it can't get the name, it is destroyed again. */
static int add_name(struct kv_session *s, enum kv_type type, const char *name, uint32_t id,
		    struct kv_fault *f)
{
	int ret = s->batch ? 0 : kv_names_update(name, type, id, exists, s, f);

	if (!ret)
		return kv_variables_add(&s->variables, name, type, id, f);
	kv_op_del(s->b, type, id, &(uint64_t){ 0 });
	return ret;
}

/**
 * kv_object_whole() - describe an object
 * @object: the object, which the session keeps under its name
 * @result: receives its description
 */
void kv_object_whole(struct kv_session *s, enum kv_type type,
		     const union kv_object *object, struct json_object *result)
{
	kv_describe_object(result, type, kv_variables_of(&s->variables, type, object->id), object);
	kv_variables_note_object(&s->variables, type, object);
}

/**
 * kv_object_begin() - begin a result that is about an object
 * @result: receives its id and its name
 */
void kv_object_begin(struct kv_session *s, enum kv_type type, uint32_t id,
		     struct json_object *result)
{
	const char *name = kv_variables_of(&s->variables, type, id);

	kv_out_put_count(result, "id", id);
	if (name)
		kv_out_put_string(result, "name", name);
}

/**
 * kv_object_add() - make, name and describe an object
 * @name: name of the new object; NULL: none
 * @make: makes it
 * @result: receives its description
 */
int kv_object_add(struct kv_session *s, enum kv_type type, const char *name,
		  kv_object_make_fn *make, const void *args, union kv_object *object,
		  struct json_object *result, struct kv_fault *f)
{
	int ret = check_name(s, name, f) ?: make(s, args, object, f);

	if (!ret && name)
		ret = add_name(s, type, name, object->id, f);
	if (!ret)
		kv_object_whole(s, type, object, result);
	return ret;
}

/**
 * kv_object_dev() - choose the device of a new object
 * @dev: the device's name; if NULL, receives the name of the session's device
 */
int kv_object_dev(struct kv_session *s, const char **dev, struct kv_fault *f)
{
	int ret;

	if (*dev)
		return 0;
	ret = kv_session_dev(s, f);
	if (!ret)
		*dev = s->dev.name;
	return ret;
}

/**
 * kv_object_each() - list objects; restart if objects came or went meanwhile
 * @type: type of the objects
 * @begin: called before the first object, at each start
 * @fn: called for each object; a return value that is not 0 ends the list
 * @arg: for @begin and @fn
 *
 * Return: 0; the value that @fn returned; -EINTR if objects came or went at each try; another
 * negative errno of the backend.
 */
int kv_object_each(struct kv_session *s, enum kv_type type, void (*begin)(void *arg),
		   int (*fn)(const union kv_object *object, void *arg), void *arg)
{
	int ret = -EINTR;

	for (int i = 0; i < TRIES && ret == -EINTR; i++) {
		begin(arg);
		ret = s->b->ops->each(s->b, type, fn, arg);
	}
	return ret;
}
