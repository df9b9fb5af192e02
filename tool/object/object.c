// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "object/describe.h"
#include "object/object.h"
#include "out/out.h"

/* How often a list is begun anew because objects came or went. */
#define TRIES 10

const struct kv_key kv_no_key[] = { { .name = NULL } };

/* May a new object get this name? */
static int check_name(const struct kv_session *s, const char *name, struct kv_fault *f)
{
	if (!name)
		return 0;
	if (!s->batch)
		return kv_fault_usage(f, "name '%s': names last as long as a batch; here the id that is printed names the object",
				      name);
	return kv_variables_check(&s->variables, name, f);
}

/**
 * kv_object_whole() - describe an object
 * @s: the session
 * @type: of the object
 * @object: the object
 * @result: receives its description, which is kept under its name
 */
void kv_object_whole(struct kv_session *s, enum kv_type type,
		     const union kv_object *object, struct json_object *result)
{
	kv_describe_object(result, type, kv_variables_of(&s->variables, type, object->id), object);
	kv_variables_note(&s->variables, type, object->id, result, KV_NOTE_WHOLE);
}

/**
 * kv_object_begin() - begin a result that is about an object
 * @s: the session
 * @type: of the object
 * @id: of the object
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
 * @s: the session
 * @type: of the object
 * @name: what it is to be called; NULL: nothing
 * @make: makes it
 * @args: for @make
 * @object: receives it
 * @result: receives its description
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_object_add(struct kv_session *s, enum kv_type type, const char *name,
		  kv_object_make_fn *make, const void *args, union kv_object *object,
		  struct json_object *result, struct kv_fault *f)
{
	int ret = check_name(s, name, f);

	if (!ret)
		ret = make(s, args, object, f);
	if (!ret && name)
		ret = kv_variables_add(&s->variables, name, type, object->id, f);
	if (!ret)
		kv_object_whole(s, type, object, result);
	return ret;
}

/**
 * kv_object_dev() - on which device is an object to be made?
 * @s: the session
 * @dev: its name; NULL: receives that of the session's
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
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
 * kv_object_each() - list objects; anew if some came or went meanwhile
 * @s: the session
 * @type: of the objects
 * @begin: is called before the first one, each time
 * @fn: is called for each; what it returns, if not 0, ends the list
 * @arg: for both
 *
 * Return: 0; what @fn returned; -EINTR: they came and went each time; another negative
 * errno of the backend's.
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
