// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/interrupt.h"
#include "object/describe.h"
#include "object/object.h"
#include "object/text.h"
#include "out/out.h"

/* How often a list is begun anew because objects came or went. */
#define TRIES 10

const struct kv_key kv_no_key[] = { { .name = NULL } };

/* Can what is about to be made get this name? */
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
 * kv_object_part() - keep under an object's name what is known of it now
 * @s: the session
 * @type: of the object
 * @id: of the object
 * @result: what is known
 */
void kv_object_part(struct kv_session *s, enum kv_type type, uint32_t id,
		    struct json_object *result)
{
	kv_variables_note(&s->variables, type, id, result, KV_NOTE_PART);
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
	int ret;

	ret = check_name(s, name, f);
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

struct listing {
	struct kv_session *s;
	enum kv_type type;
	struct json_object *list;
};

static void begin_list(void *arg)
{
	struct listing *l = arg;

	json_object_put(l->list);
	l->list = json_object_new_array();
}

static int add_object(const union kv_object *object, void *arg)
{
	struct listing *l = arg;
	struct json_object *obj = json_object_new_object();

	kv_object_whole(l->s, l->type, object, obj);
	json_object_array_add(l->list, obj);
	return kv_interrupt_seen() ? -ECANCELED : 0;
}

static int show_all(struct kv_session *s, enum kv_type type,
		    struct json_object *result, struct kv_fault *f)
{
	struct listing l = { .s = s, .type = type };
	int ret;

	ret = kv_object_each(s, type, begin_list, add_object, &l);
	if (!ret) {
		kv_out_put(result, "objects", l.list);
		return 0;
	}
	json_object_put(l.list);
	if (kv_interrupt_seen())
		return kv_fault_set(f, -EINTR, "interrupted");
	if (ret == -EINTR)
		return kv_fault_set(f, ret, "objects came and went each time they were listed; ask again");
	return kv_session_refuse(s, ret, f);
}

/* Describe an object, or all that can be seen. */
static int show(struct kv_session *s, const void *args, struct json_object *result,
		struct kv_fault *f)
{
	const struct kv_given *given = args;
	enum kv_type type = given->command->type;
	union kv_object object;
	int ret;

	if (!given->id)
		return show_all(s, type, result, f);
	ret = kv_session_get(s, type, given->id, &object, f);
	if (!ret)
		kv_object_whole(s, type, &object, result);
	return ret;
}

/* So many are named; more would not help. */
#define NAMED 8

struct search {
	struct kv_session *s;
	enum kv_type type; /* what is used */
	uint32_t id;
	enum kv_type by; /* what is looked at */
	char text[512];
	unsigned int found;
};

static bool uses(enum kv_type by, const union kv_object *o, enum kv_type type, uint32_t id)
{
	const struct kv_shape *shape = kv_object_rows[by].shape;

	for (unsigned int i = 0; i < shape->members; i++) {
		const struct kv_member *m = &shape->member[i];

		if (m->refers == 1U + type &&
		    *(const uint32_t *)((const char *)o + m->offset) == id)
			return true;
	}
	return false;
}

static int look_at(const union kv_object *object, void *arg)
{
	struct search *x = arg;
	const char *name = kv_variables_of(&x->s->variables, x->by, object->id);
	size_t used = strlen(x->text);

	if (!uses(x->by, object, x->type, x->id) || x->found++ >= NAMED)
		return 0;
	snprintf(x->text + used, sizeof(x->text) - used, "%s%s %u%s%s%s",
		 used ? ", " : "", kv_enum_name(kv_enum_type, x->by), object->id,
		 name ? " (" : "", name ? name : "", name ? ")" : "");
	return 0;
}

/*
 * Say who uses an object that can't be destroyed. What can't be seen, another tool's objects
 * above all, leaves the backend's reason as it is.
 */
static void name_users(struct kv_session *s, enum kv_type type, uint32_t id, struct kv_fault *f)
{
	struct search x = { .s = s, .type = type, .id = id };

	for (x.by = KV_PD; x.by < KV_TYPES; x.by++)
		if (s->b->ops->each(s->b, x.by, look_at, &x))
			return;
	if (!x.found)
		return;
	if (x.found > NAMED)
		kv_fault_set(f, -EBUSY, "%s %u is in use by %s and %u more: delete these first",
			     kv_enum_name(kv_enum_type, type), id, x.text, x.found - NAMED);
	else
		kv_fault_set(f, -EBUSY, "%s %u is in use by %s: delete %s first",
			     kv_enum_name(kv_enum_type, type), id, x.text,
			     x.found > 1 ? "these" : "that");
}

static int del(struct kv_session *s, const void *args, struct json_object *result,
	       struct kv_fault *f)
{
	const struct kv_given *given = args;
	enum kv_type type = given->command->type;
	uint64_t ns;
	int ret;

	ret = kv_op_del(s->b, type, given->id, &ns);
	if (ret) {
		kv_session_refuse(s, ret, f);
		if (ret == -EBUSY)
			name_users(s, type, given->id, f);
		return ret;
	}
	kv_object_begin(s, type, given->id, result);
	kv_variables_delete(&s->variables, type, given->id);
	return 0;
}

static int call(struct kv_session *s, struct kv_operation_args *a, union kv_object *object,
		struct kv_fault *f)
{
	enum kv_op op = a->given.command->op;
	int ret;

	ret = kv_prepare[op] ? kv_prepare[op](s, a, f) : 0;
	if (ret)
		return ret;
	ret = kv_op_call(s->b, op, &a->in, object, NULL);
	return ret ? kv_session_refuse(s, ret, f) : 0;
}

/* Make an object of a type's struct kv_TYPE_init. */
static int make(struct kv_session *s, const void *args, union kv_object *object, struct kv_fault *f)
{
	struct kv_operation_args a = *(const struct kv_operation_args *)args;
	const struct kv_shape *init = kv_object_rows[a.given.command->type].init;
	const struct kv_member *dev = kv_member_find(init, "dev");
	const struct kv_member *persistent = kv_member_find(init, "persistent");
	char *in = (char *)&a.in;
	int ret = 0;

	if (dev)
		ret = kv_object_dev(s, (const char **)(in + dev->offset), f);
	*(bool *)(in + persistent->offset) = !s->batch;
	return ret ? ret : call(s, &a, object, f);
}

static int add(struct kv_session *s, const void *args, struct json_object *result,
	       struct kv_fault *f)
{
	const struct kv_operation_args *a = args;
	union kv_object object;

	return kv_object_add(s, a->given.command->type, a->name, make, a, &object, result, f);
}

/* An operation on an object, and how that is then. */
static int operate(struct kv_session *s, const void *args, struct json_object *result,
		   struct kv_fault *f)
{
	struct kv_operation_args a = *(const struct kv_operation_args *)args;
	const struct kv_op_row *row = &kv_op_rows[a.given.command->op];
	union kv_object object;
	int ret;

	a.in.id = a.given.id;
	ret = call(s, &a, &object, f);
	if (!ret && row->out != kv_object_rows[row->about].shape)
		ret = kv_session_get(s, row->about, a.given.id, &object, f);
	if (!ret)
		kv_object_whole(s, row->about, &object, result);
	return ret;
}

static void make_command(struct kv_command *c, enum kv_type type, enum kv_op op,
			 const struct kv_key *const *more)
{
	*c = (struct kv_command){
		.type = type,
		.op = op,
		.in = kv_op_rows[op].in,
		.at = offsetof(struct kv_operation_args, in),
		.key = kv_keys_make(kv_op_rows[op].in, offsetof(struct kv_operation_args, in), more),
		.size = sizeof(struct kv_operation_args),
		.print = kv_text_object,
	};
}

/**
 * kv_object_make_add() - the command that makes an object
 * @c: receives it
 * @type: of the object
 */
void kv_object_make_add(struct kv_command *c, enum kv_type type)
{
	static const struct kv_key name[] = {
		KV_KEY_NAME(offsetof(struct kv_operation_args, name)), { .name = NULL },
	};
	static const struct kv_key qp[] = {
		{ "cq", KV_KEY_ID, offsetof(struct kv_operation_args, cq), .type = KV_CQ,
		  .help = "where both sends and receives complete, in place of send-cq and recv-cq" },
		{ .name = NULL },
	};
	const struct kv_key *const more[] = { type == KV_QP ? qp : name, type == KV_QP ? name : NULL,
					      NULL };

	make_command(c, type, KV_OP_PD_NEW + type, more);
	c->name = "add";
	c->help = kv_object_rows[type].add;
	c->more = kv_object_rows[type].more;
	c->fn = add;
}

/**
 * kv_object_make_operation() - the command that is an operation on an object
 * @c: receives it
 * @op: the operation, whose row names a command
 */
void kv_object_make_operation(struct kv_command *c, enum kv_op op)
{
	const struct kv_op_row *row = &kv_op_rows[op];
	const struct kv_key *const none[] = { NULL };

	make_command(c, row->about, op, none);
	c->id = KV_ID_MUST;
	c->name = row->command;
	c->help = row->help;
	c->more = row->more;
	c->fn = op == KV_OP_QP_MODIFY ? kv_qp_modify : operate;
}

/**
 * kv_object_make_show() - the command that shows objects
 * @c: receives it
 * @type: of the objects
 */
void kv_object_make_show(struct kv_command *c, enum kv_type type)
{
	*c = (struct kv_command){
		.name = "show",
		.help = kv_object_rows[type].show ?: "shows one or all",
		.id = KV_ID_MAY,
		.type = type,
		.key = kv_no_key,
		.size = sizeof(struct kv_given),
		.fn = show,
		.print = kv_text_objects,
	};
}

/**
 * kv_object_make_del() - the command that destroys an object
 * @c: receives it
 * @type: of the object
 */
void kv_object_make_del(struct kv_command *c, enum kv_type type)
{
	*c = (struct kv_command){
		.name = "del",
		.help = kv_object_rows[type].del,
		.id = KV_ID_MUST,
		.type = type,
		.key = kv_no_key,
		.size = sizeof(struct kv_given),
		.fn = del,
	};
}
