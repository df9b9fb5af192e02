// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/guess.h"
#include "cli/interrupt.h"
#include "object/object.h"
#include "object/text.h"
#include "out/out.h"

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

/* The objects that are shown, whose users are sought. */
struct shown {
	enum kv_type type;
	enum kv_type by; /* type of the users */
	char key[32];
	struct json_object *list;
};

static int add_user(const union kv_object *object, void *arg)
{
	struct shown *shown = arg;

	for (size_t i = 0; i < json_object_array_length(shown->list); i++) {
		struct json_object *obj = json_object_array_get_idx(shown->list, i), *users;

		if (!uses(shown->by, object, shown->type, (uint32_t)kv_out_get_count(obj, "/id")))
			continue;
		if (!json_object_object_get_ex(obj, shown->key, &users)) {
			users = json_object_new_array();
			kv_out_put(obj, shown->key, users);
		}
		json_object_array_add(users, json_object_new_int64(object->id));
	}
	return 0;
}

static void forget_users(void *arg)
{
	const struct shown *shown = arg;

	for (size_t i = 0; i < json_object_array_length(shown->list); i++)
		json_object_object_del(json_object_array_get_idx(shown->list, i), shown->key);
}

/*
 * --details: the users are no part of what the command was to do, and a list that fails is left
 * out.
 */
static void add_users(struct kv_session *s, enum kv_type type, struct json_object *list)
{
	struct shown shown = { .type = type, .list = list };

	s->untold = true;
	for (shown.by = 0; s->details && shown.by < KV_TYPES; shown.by++) {
		snprintf(shown.key, sizeof(shown.key), "used_by_%s",
			 kv_enum_name(kv_enum_type, shown.by));
		if (kv_object_each(s, shown.by, forget_users, add_user, &shown))
			forget_users(&shown);
	}
	s->untold = false;
	for (size_t i = 0; s->details && i < json_object_array_length(list); i++) {
		struct json_object *obj = json_object_array_get_idx(list, i);

		kv_variables_note(&s->variables, type, (uint32_t)kv_out_get_count(obj, "/id"), obj,
				  KV_NOTE_MORE);
	}
}

static int show_all(struct kv_session *s, enum kv_type type,
		    struct json_object *result, struct kv_fault *f)
{
	struct listing l = { .s = s, .type = type };
	int ret = kv_object_each(s, type, begin_list, add_object, &l);

	if (!ret) {
		add_users(s, type, l.list);
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

static int show(struct kv_session *s, const void *args, struct json_object *result,
		struct kv_fault *f)
{
	const struct kv_given *given = args;
	enum kv_type type = given->command->type;
	struct json_object *list;
	union kv_object object;
	int ret;

	if (!given->id)
		return show_all(s, type, result, f);
	ret = kv_session_get(s, type, given->id, &object, f);
	if (ret)
		return ret;
	list = json_object_new_array();
	kv_object_whole(s, type, &object, result);
	json_object_array_add(list, json_object_get(result));
	add_users(s, type, list);
	json_object_put(list);
	return 0;
}

/* The maximum number of objects that a message names. */
#define NAMED 8

struct search {
	struct kv_session *s;
	enum kv_type type; /* type of the object in use */
	uint32_t id;
	enum kv_type by; /* type of the objects that are searched for users */
	char text[512];
	unsigned int found;
};

static int look_at(const union kv_object *object, void *arg)
{
	struct search *x = arg;
	const char *name = kv_variables_of(&x->s->variables, x->by, object->id);

	if (!uses(x->by, object, x->type, x->id) || x->found++ >= NAMED)
		return 0;
	kv_append(x->text, sizeof(x->text), "%s%s %u%s%s%s", *x->text ? ", " : "",
		  kv_enum_name(kv_enum_type, x->by), object->id,
		  name ? " (" : "", name ? name : "", name ? ")" : "");
	return 0;
}

/*
 * Names the users of an object that can't be destroyed. If no user is visible (objects of
 * another tool are not), the message keeps the backend's reason.
 */
static void explain_busy(struct kv_session *s, enum kv_type type, uint32_t id, struct kv_fault *f)
{
	struct search x = { .s = s, .type = type, .id = id };
	int ret = 0;

	s->untold = true;
	for (x.by = KV_PD; x.by < KV_TYPES && !ret; x.by++)
		ret = s->b->ops->each(s->b, x.by, look_at, &x);
	s->untold = false;
	if (ret || !x.found)
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
	const struct kv_variable *name;
	uint64_t ns;
	int ret = kv_op_del(s->b, type, given->id, &ns);

	if (ret) {
		kv_session_refuse(s, ret, f);
		if (ret == -EBUSY)
			explain_busy(s, type, given->id, f);
		return ret;
	}
	kv_object_begin(s, type, given->id, result);
	name = kv_variables_delete(&s->variables, type, given->id);
	return name && name->kept ? kv_object_forget(s, f) : 0;
}

static int call(struct kv_session *s, struct kv_operation_args *a, union kv_object *object,
		struct kv_fault *f)
{
	enum kv_op op = a->given.command->op;
	int ret = kv_prepare[op] ? kv_prepare[op](s, a, f) : 0;

	if (ret)
		return ret;
	ret = kv_op_call(s->b, op, &a->in, object, NULL);
	return ret ? kv_session_refuse(s, ret, f) : 0;
}

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

/* An operation on an object; the result describes the object after the operation. */
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
		.key = kv_keys_make(kv_op_rows[op].in, offsetof(struct kv_operation_args, in),
				    more),
		.size = sizeof(struct kv_operation_args),
		.print = kv_text_object,
	};
}

static void make_add(struct kv_command *c, enum kv_type type)
{
	static const struct kv_key name[] = {
		KV_KEY_NAME(offsetof(struct kv_operation_args, name)), { .name = NULL },
	};
	static const struct kv_key qp[] = {
		{ "cq", KV_KEY_ID, offsetof(struct kv_operation_args, cq), .type = KV_CQ,
		  .help = "where both sends and receives complete, in place of send-cq and recv-cq" },
		{ .name = NULL },
	};
	const struct kv_key *const more[] = {
		type == KV_QP ? qp : name, type == KV_QP ? name : NULL, NULL,
	};

	make_command(c, type, KV_OP_PD_NEW + type, more);
	c->name = "add";
	c->help = kv_object_rows[type].add;
	c->more = kv_object_rows[type].more;
	c->fn = add;
}

static void make_operation(struct kv_command *c, enum kv_op op)
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

/* Commands of a type of objects. */
#define COMMANDS_MAX 16

static const struct kv_command *const own_commands[KV_TYPES] = {
	[KV_BUF] = kv_buf_commands,
	[KV_QP] = kv_qp_commands,
	[KV_CONN] = kv_conn_commands,
};

static struct kv_command commands[KV_TYPES][COMMANDS_MAX + 1];
static struct kv_noun objects[KV_TYPES];

static const struct kv_noun *const nouns[] = {
	&kv_noun_dev,
#define OBJECT(TYPE, type, ...) &objects[KV_##TYPE],
#include "model/objects.def"
	&kv_noun_post, &kv_noun_poll, &kv_noun_flush, &kv_noun_monitor, &kv_noun_echo,
	&kv_noun_expect, &kv_noun_refused, &kv_noun_set, &kv_noun_sleep, NULL,
};

/* The commands: add, the operations of ops.def, those of several operations, show, del. */
static void make_commands(enum kv_type type, struct kv_command *c)
{
	const struct kv_object_row *row = &kv_object_rows[type];

	if (row->add)
		make_add(c++, type);
	for (enum kv_op op = KV_OP_PD_DEL + KV_TYPES; op < KV_OPS; op++) {
		if (kv_op_rows[op].about == type && kv_op_rows[op].command)
			make_operation(c++, op);
	}
	for (const struct kv_command *own = own_commands[type]; own && own->name; own++)
		*c++ = *own;
	*c++ = (struct kv_command){ "show", row->show ?: "shows one or all", .id = KV_ID_MAY,
				    .type = type, .fn = show, .print = kv_text_object };
	*c = (struct kv_command){ "del", row->del, .id = KV_ID_MUST, .type = type, .fn = del };
}

/**
 * kv_nouns() - all nouns of the commands
 *
 * Return: the nouns; the last one is NULL.
 */
const struct kv_noun *const *kv_nouns(void)
{
	for (unsigned int type = 0; type < KV_TYPES && !objects[type].command; type++) {
		make_commands(type, commands[type]);
		objects[type] = (struct kv_noun){
			.name = kv_enum_name(kv_enum_type, type),
			.help = kv_object_rows[type].about,
			.command = commands[type],
		};
	}
	if (!kv_noun_post.command->key)
		kv_post_make_keys();
	return nouns;
}

/**
 * kv_noun_find() - look for a noun
 * @name: its word, perhaps cut short
 *
 * Return: the noun, or NULL.
 */
const struct kv_noun *kv_noun_find(const char *name)
{
	struct kv_match match = { 0 };

	for (const struct kv_noun *const *noun = kv_nouns(); *noun; noun++) {
		if (kv_match(&match, name, (*noun)->name, *noun))
			break;
	}
	return match.row;
}

/* iproute2's words, and ours. */
static const char *const aliases[][2] = { { "list", "show" }, { "delete", "del" } };

/* Our word for one of iproute2's, or NULL. */
static const char *find_alias(const char *name)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (!strcmp(name, aliases[i][0]))
			return aliases[i][1];
	}
	return NULL;
}

/**
 * kv_command_find() - look for a command
 * @noun: the command's noun
 * @name: its word, or iproute2's for it, perhaps cut short; "" if the noun is the command
 *
 * Return: the command, or NULL.
 */
const struct kv_command *kv_command_find(const struct kv_noun *noun, const char *name)
{
	struct kv_match match = { 0 };

	name = find_alias(name) ?: name;
	for (const struct kv_command *c = noun->command; c->name; c++) {
		if (kv_match(&match, name, c->name, c))
			break;
	}
	return match.row;
}

/**
 * kv_command_list() - list the commands that a word would be behind a noun
 * @name: the whole word
 * @text: receives them, as "'post send'"
 *
 * Return: true if there are any.
 */
bool kv_command_list(const char *name, char *text, size_t size)
{
	text[0] = '\0';
	for (const struct kv_noun *const *noun = kv_nouns(); *noun; noun++) {
		const struct kv_command *c = *name ? kv_command_find(*noun, name) : NULL;

		if (c && !strcmp(c->name, find_alias(name) ?: name))
			kv_append(text, size, "%s'%s %s'", *text ? ", " : "", (*noun)->name, c->name);
	}
	return *text;
}

/* A word that is the beginning of several is refused with these, any other one with all. */
static void list_word(char *text, size_t size, struct kv_guess *g, const char *word)
{
	kv_append(text, size, "%s%s", *text ? ", " : "", word);
	kv_guess_add(g, word);
}

/* @noun: NULL: @word should be one; @word: NULL: it is missing */
static int refuse(const struct kv_noun *noun, const char *word, struct kv_fault *f)
{
	char text[256] = "", but[256] = "", behind[200];
	struct kv_guess g;

	kv_guess_begin(&g, "", word ?: "", strlen(word ?: ""));
	for (const struct kv_noun *const *at = noun ? NULL : kv_nouns(); at && *at; at++)
		list_word(text, sizeof(text), &g, (*at)->name);
	for (const struct kv_command *c = noun ? noun->command : NULL; c && c->name; c++)
		list_word(text, sizeof(text), &g, c->name);
	for (size_t i = 0; noun && !g.n && i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (kv_command_find(noun, aliases[i][0]))
			kv_guess_add(&g, aliases[i][0]);
	}
	if (g.n > 1)
		return kv_fault_usage(f, "'%s' may be %s", word, g.several);
	if (!word)
		return kv_fault_usage(f, "a word is missing behind '%s': %s", noun->name, text);
	if (!noun && kv_command_list(word, behind, sizeof(behind)))
		snprintf(but, sizeof(but), ", but there is %s", behind);
	else if (g.nearest)
		snprintf(but, sizeof(but), noun ? ", but '%s' is" : ", but there is '%s'", g.nearest);
	return kv_fault_usage(f, noun ? "'%s' is not known%s; there are %s" : "there is no command '%s'%s; there are %s",
			      word, but, text);
}

/**
 * kv_command_choose() - find the command that words begin with
 * @c: receives the command; on failure only the noun, if there is a noun of this name
 *
 * Return: 0 or -EINVAL.
 */
int kv_command_choose(char **word, size_t n, struct kv_choice *c, struct kv_fault *f)
{
	*c = (struct kv_choice){ .noun = n ? kv_noun_find(word[0]) : NULL, .used = 1 };
	if (!c->noun)
		return refuse(NULL, n ? word[0] : "", f);
	/* As in iproute2, an object's noun alone shows its objects. */
	c->command = kv_command_find(c->noun, n < 2 && *c->noun->command->name ? "show" : "");
	if (c->command)
		return 0;
	if (n < 2)
		return refuse(c->noun, NULL, f);
	c->used = 2;
	c->command = kv_command_find(c->noun, word[1]);
	return c->command ? 0 : refuse(c->noun, word[1], f);
}

/** kv_command_title() - the words that name a command */
void kv_command_title(char *text, size_t size, const struct kv_noun *noun,
		      const struct kv_command *command)
{
	snprintf(text, size, "%s%s%s", noun->name, *command->name ? " " : "", command->name);
}
