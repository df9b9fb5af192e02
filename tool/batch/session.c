// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "batch/session.h"
#include "cli/interrupt.h"
#include "cli/there.h"
#include "object/options.h"
#include "object/trace.h"
#include "out/out.h"
#include "out/prose.h"
#include "out/unit.h"

static void print_error(FILE *out, const struct kv_trace_call *call)
{
	const char *why = call->why[0] ? call->why : strerror(-call->error);
	size_t n = strcspn(why, ": ");

	/* The arguments begin with the object, too: "pd: no pd with ...". */
	if (!strncmp(why + n, ": ", 2) && !strncmp(why, call->args, n) && call->args[n] == ' ')
		why += n + 2;
	if (call->called)
		fprintf(out, " = %d (%s) %s", call->error, kv_errno_name(call->error), why);
	else
		fprintf(out, " not called: %s (%s)", why, kv_errno_name(call->error));
}

/* A single stage is not printed: its time is the time of the verb. */
static void print_stages(FILE *out, const struct kv_trace_call *call)
{
	const char *before = ": ";

	for (unsigned int i = 0; call->stage_ns && i <= KVERBS_STAGE_MAX; i++) {
		if (!call->stage_ns[i] || call->stage_ns[i] == call->ns)
			continue;
		fprintf(out, "%s%s %.3f", before, kv_enum_name(kv_enum_stage, i),
			(double)call->stage_ns[i] / 1e3);
		before = ", ";
	}
}

static void print_call(const struct kv_trace_call *call)
{
	struct kv_prose prose;
	FILE *out = kv_prose_begin(&prose, stderr);

	fprintf(out, "%s%s(%s%s%s)%s", call->before ?: "", call->verb, call->args,
		call->wr ? ", " : "", call->wr ?: "", call->after ?: "");
	if (call->error)
		print_error(out, call);
	else
		fprintf(out, " = %s", call->result && *call->result ? call->result : "0");
	if (call->timed) {
		fprintf(out, "  [%.3f us%s", (double)call->ns / (double)call->calls / 1e3,
			call->calls > 1 ? " each" : "");
		print_stages(out, call);
		fprintf(out, "]");
	}
	if (call->calls > 1)
		fprintf(out, " %s times", KV_COUNT(call->calls));
	fputc('\n', out);
	kv_prose_end(&prose);
}

/* Notes a verb of the current command. */
static void note_call(const struct kv_trace_call *call, void *arg)
{
	struct kv_session *s = arg;
	struct json_object *verb;

	if (s->untold)
		return;
	if (s->trace)
		print_call(call);
	if (!call->called)
		return;
	if (call->timed && !call->idle) {
		s->verb_ns += call->ns;
		s->timed = true;
	}
	if (!s->verbs)
		return;
	verb = json_object_new_object();
	kv_out_put_string(verb, "verb", call->verb);
	if (call->wr)
		kv_out_put_string(verb, "wr", call->wr);
	if (call->error)
		kv_out_put_string(verb, "errno", kv_errno_name(call->error));
	if (call->timed)
		kv_out_put_count(verb, "ns", call->ns);
	if (call->stage_ns)
		kv_out_put_stages(verb, "stages_ns", call->stage_ns);
	if (call->calls > 1)
		kv_out_put_count(verb, "calls", call->calls);
	if (call->idle)
		kv_out_put_bool(verb, "idle", true);
	json_object_array_add(s->verbs, verb);
}

static void forget_verbs(struct kv_session *s)
{
	json_object_put(s->verbs);
	s->verbs = s->json ? json_object_new_array() : NULL;
	s->verb_ns = 0;
	s->timed = false;
}

/**
 * kv_session_open() - begin a session
 * @s: receives the session; kv_session_close() ends it
 * @dev: device for commands that name none; NULL: the only device
 * @batch: objects die with the session; else they are persistent
 * @trace: print each verb on stderr
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP if the space is not there.
 */
int kv_session_open(struct kv_session *s, enum kv_space_id space, const char *dev, bool batch,
		    bool trace, struct kv_fault *f)
{
	int ret;

	/* @has_dev says that there is no device. */
	memset(s, 0, offsetof(struct kv_session, dev));
	s->space = space;
	s->dev_name = dev;
	s->batch = batch;
	s->trace = trace;
	if (space == KV_SPACE_KERNEL)
		s->variables.names = batch ? KV_NAMES_TYPED : KV_NAMES_TOLD;
	ret = kv_site_open_backend(space, &s->b, f);
	if (ret)
		return ret;
	if (kv_trace_wrap(&s->b, &s->trace, note_call, s))
		ret = kv_fault_no_memory(f);
	/* A device that was named is looked for, whether the command needs it or not. */
	if (!ret && dev)
		ret = kv_session_dev(s, f);
	if (ret)
		kv_session_close(s);
	return ret;
}

/**
 * kv_session_close() - end a session; its objects are destroyed unless they are persistent
 * @s: the session; nothing happens if it is not open
 */
void kv_session_close(struct kv_session *s)
{
	if (s->b)
		s->b->ops->close(s->b);
	s->b = NULL;
	kv_variables_clear(&s->variables);
	json_object_put(s->last);
	s->last = NULL;
	json_object_put(s->verbs);
	s->verbs = NULL;
}

/**
 * kv_session_dev() - find the device for commands that name none
 * @s: the session; receives the device in its @dev
 */
int kv_session_dev(struct kv_session *s, struct kv_fault *f)
{
	int ret;

	if (s->has_dev)
		return 0;
	ret = kv_dev_choose(s->b, s->dev_name, &s->dev, f);
	s->has_dev = !ret;
	return ret;
}

/* The objects of a type. */
struct ids {
	struct kv_variables *names; /* a name stands for its id; NULL: none does */
	enum kv_type type;
	struct kv_there there;
};

static int add_id(const union kv_object *object, void *arg)
{
	struct ids *ids = arg;
	const char *name = ids->names ? kv_variables_of(ids->names, ids->type, object->id) : NULL;
	char id[16];

	snprintf(id, sizeof(id), "%u", object->id);
	kv_there_add(&ids->there, "", name ?: id);
	return 0;
}

/* Adds the objects that there are. False: there are none. */
static bool tell_objects(struct kv_session *s, enum kv_type type, bool by_name, struct kv_fault *f)
{
	struct ids ids = { .names = by_name ? &s->variables : NULL, .type = type };

	if (s->b->ops->each(s->b, type, add_id, &ids))
		return true;
	kv_there_tell(&ids.there, f);
	return ids.there.n;
}

/* Adds the objects that there are to a message about a name that is none of them. */
static void tell_names(struct kv_session *s, struct kv_fault *f)
{
	enum kv_type type = (enum kv_type)(s->variables.missing - 1);

	if (!s->variables.missing)
		return;
	s->variables.missing = 0;
	s->untold = true;
	if (!tell_objects(s, type, true, f) && kv_object_rows[type].add)
		kv_append(f->text, sizeof(f->text), ": 'name' behind '%s add' names one",
			  kv_enum_name(kv_enum_type, type));
	s->untold = false;
}

/* The type of the object whose id is at @m; KV_TYPES: it is no id. */
static enum kv_type type_of(const struct kv_member *m)
{
	enum kv_type type = 0;

	if (m->refers)
		return (enum kv_type)(m->refers - 1);
	while (type < KV_TYPES && m != kv_object_rows[type].shape->member)
		type++;
	return type;
}

/* Adds the objects that there are to a message about one that does not exist. */
static void tell_ids(struct kv_session *s, enum kv_type type, uint32_t id, struct kv_fault *f)
{
	const char *name;

	if (type == KV_TYPES)
		return;
	name = kv_variables_of(&s->variables, type, id);
	if (name)
		kv_append(f->text, sizeof(f->text), ": '%s' was %s %u", name,
			  kv_enum_name(kv_enum_type, type), id);
	tell_objects(s, type, false, f);
}

/* Adds the device's limit to a message about a @value that is above it. */
static void tell_limit(struct kv_session *s, const char *name, uint32_t value, struct kv_fault *f)
{
	const struct kv_member *limit = kv_member_find(kv_op_rows[KV_OP_DEV_GET].out, name);
	struct kv_fault why;
	uint32_t most;

	if (kv_session_dev(s, &why))
		return;
	most = *(uint32_t *)((char *)&s->dev + limit->offset);
	if (value > most)
		kv_append(f->text, sizeof(f->text), "; %s of %s is %u", name, s->dev.name, most);
}

/* Adds the devices or ids that exist, or the limit, for the attribute that the backend refused. */
static void tell_more(struct kv_session *s, struct kv_fault *f)
{
	const struct kv_member *refused = s->b->refused;

	if (!refused)
		return;
	s->untold = true;
	if (f->error == -ENODEV && refused->type == KV_MEMBER_TEXT_AT)
		kv_dev_tell(s->b, f);
	else if (f->error == -ENOENT)
		tell_ids(s, type_of(refused), s->b->refused_value, f);
	else if (refused->limit)
		tell_limit(s, refused->limit, s->b->refused_value, f);
	s->untold = false;
}

/**
 * kv_session_capture() - begin to write the packets of the session's device into a file
 * @c: the capture, which may run already; kv_capture_end() ends it
 * @path: the file; NULL: nothing happens
 */
int kv_session_capture(struct kv_session *s, struct kv_capture *c, const char *path,
		       struct kv_fault *f)
{
	int ret = path && !c->pid ? kv_session_dev(s, f) : 0;

	return path && !c->pid && !ret ? kv_capture_begin(c, path, &s->dev, f) : ret;
}

/**
 * kv_session_refuse() - report the reason of the backend's refusal
 * @error: errno that the backend returned
 *
 * Return: @error
 */
int kv_session_refuse(struct kv_session *s, int error, struct kv_fault *f)
{
	if (error == -EINTR && kv_interrupt_seen())
		return kv_fault_set(f, error, "interrupted");
	kv_fault_set(f, error, "%s", s->b->err[0] ? s->b->err : strerror(-error));
	tell_more(s, f);
	return error;
}

/**
 * kv_session_reword() - put a message of another folder into the words of the commands
 * @f: the message: the space, and what failed there; receives the message without the space
 *
 * Return: the error
 */
int kv_session_reword(struct kv_session *s, struct kv_fault *f)
{
	char space[32];
	size_t n;

	if (f->error == -EINTR && kv_interrupt_seen())
		return kv_fault_set(f, f->error, "interrupted");
	n = (size_t)snprintf(space, sizeof(space), "%s space: ", s->b->ops->space);
	if (!strncmp(f->text, space, n))
		memmove(f->text, f->text + n, strlen(f->text + n) + 1);
	tell_more(s, f);
	return f->error;
}

/** kv_session_get() - look at an object */
int kv_session_get(struct kv_session *s, enum kv_type type, uint32_t id,
		   union kv_object *object, struct kv_fault *f)
{
	int ret = kv_op_get(s->b, type, id, object);

	return ret ? kv_session_refuse(s, ret, f) : 0;
}

/* The words that name the command, or the first word if there is no such command. */
static void find_title(const struct kv_choice *c, char **word, size_t n, char *text, size_t size)
{
	if (c->command)
		kv_command_title(text, size, c->noun, c->command);
	else
		snprintf(text, size, "%s", n ? word[0] : "");
}

/* Adds the command's name; @named: and the errno's name, for users who write 'refused'. */
static void put_title(const char *title, const struct kv_fault *why, bool named,
		      struct kv_fault *f)
{
	*f = *why;
	if (named)
		snprintf(f->text, sizeof(f->text), "%s: %.900s (%s)", title,
			 why->text, kv_errno_name(why->error));
	else
		snprintf(f->text, sizeof(f->text), "%s: %.900s", title, why->text);
}

/* Parses the words after the name. @args: receives the struct, which the caller frees. */
static int parse(const struct kv_command *command, struct kv_variables *variables,
		 char **word, size_t n, struct kv_given **args, struct kv_fault *f)
{
	static const struct kv_key none[] = { { .name = NULL } };
	struct kv_given *given = calloc(1, command->size ?: sizeof(*given));
	size_t used = 0;
	struct kv_why why;
	int ret = 0;

	if (!given)
		return kv_fault_no_memory(f);
	if (command->init)
		memcpy(given, command->init, command->size);
	if (command->in)
		kv_keys_preset(command->in, (char *)given + command->at);
	given->command = command;
	if (command->id == KV_ID_MUST || (command->id == KV_ID_MAY && n)) {
		if (!n)
			ret = kv_fault_usage(f, "the id or the name of the %s is missing",
					     kv_enum_name(kv_enum_type, command->type));
		else if (kv_variables_id(variables, command->type, word[0], &given->id, &why))
			ret = kv_fault_usage(f, "'%s' %s", word[0], why.text);
		used = 1;
	}
	if (!ret)
		ret = kv_args_parse(command->key ?: none, variables, word + used, n - used,
				    given, f);
	if (ret) {
		free(given);
		return ret;
	}
	*args = given;
	return 0;
}

/* Like parse() for all words, if the command makes sense here; @args: NULL if it takes words. */
static int prepare(const struct kv_choice *c, bool batch, struct kv_variables *variables,
		   char **word, size_t n, struct kv_given **args, struct kv_fault *f)
{
	*args = NULL;
	if (c->noun->batch && !batch)
		return kv_fault_usage(f, "it makes sense only in a batch; see 'kverbs batch --help'");
	if (c->command->raw)
		return 0;
	return parse(c->command, variables, word + c->used, n - c->used, args, f);
}

/**
 * kv_session_command() - carry out a command
 * @result: receives the command's output
 */
int kv_session_command(struct kv_session *s, const struct kv_choice *c, char **word, size_t n,
		       struct json_object *result, struct kv_fault *f)
{
	struct kv_given *args = NULL;
	int ret;

	s->variables.missing = 0;
	ret = prepare(c, s->batch, &s->variables, word, n, &args, f);
	if (!ret && c->command->raw)
		ret = c->command->raw(s, word + c->used, n - c->used, result, f);
	else if (!ret)
		ret = c->command->fn(s, args, result, f);
	free(args);
	if (ret)
		tell_names(s, f);
	return ret;
}

/**
 * kv_session_check() - is a command well formed?
 *
 * The check needs no backend, so that a wrong command line is refused without one, too.
 * @word: the command; whether the names of objects in it are known is not checked
 * @f: receives the reason of a refusal, with the command's name
 */
int kv_session_check(char **word, size_t n, struct kv_fault *f)
{
	struct kv_variables any = { .names = KV_NAMES_ANY };
	struct kv_given *args = NULL;
	struct kv_fault why;
	struct kv_choice c;
	char title[64];
	int ret = kv_command_choose(word, n, &c, &why) ?:
		  prepare(&c, false, &any, word, n, &args, &why);

	free(args);
	if (ret) {
		find_title(&c, word, n, title, sizeof(title));
		put_title(title, &why, false, f);
	}
	return ret;
}

/**
 * kv_session_refuse_shell() - in a batch, refuse a command that only the shell has
 *
 * Return: -EINVAL; 0: the word is no such command, or this is no batch.
 */
int kv_session_refuse_shell(struct kv_session *s, const char *word, struct kv_fault *f)
{
	if (!s->batch || kv_noun_find(word))
		return 0;
	if (!strcmp(word, "kverbs"))
		return kv_fault_usage(f, "the commands of a batch stand without 'kverbs'");
	if (!s->is_shell || !s->is_shell(word))
		return 0;
	return kv_fault_usage(f, "'%s' is a command of the shell, 'kverbs %s', and not of a batch", word, word);
}

/* Adds to a refusal that a word of a batch's line is an option of the batch, and no key. */
static void tell_option(const struct kv_command *c, char **word, size_t n, struct kv_fault *f)
{
	const char *value;

	for (size_t i = 1; i < n; i++) {
		if (!kv_option_find(kv_object_batch_rows, word[i], true, &value) ||
		    (c && c->key && kv_key_find(c->key, word[i])))
			continue;
		kv_append(f->text, sizeof(f->text), "; '%.32s' is an option of 'kverbs batch', not of its lines", word[i]);
		return;
	}
}

/* Begins the document of a command. @line: 0: there is no file */
static struct json_object *begin_doc(enum kv_space_id space, unsigned int line, const char *title)
{
	struct json_object *doc = json_object_new_object();

	if (line)
		kv_out_put_count(doc, "line", line);
	kv_out_put_string(doc, "command", title);
	kv_out_put_string(doc, "space", kv_enum_name(kv_enum_space, space));
	return doc;
}

/**
 * kv_session_refusal() - make the document of a command that was not begun
 * @word: the command
 *
 * Return: the document, owned by the caller, who adds the reason.
 */
struct json_object *kv_session_refusal(enum kv_space_id space, char **word, size_t n)
{
	struct json_object *doc;
	struct kv_fault ignored;
	struct kv_choice c;
	char title[64];

	kv_command_choose(word, n, &c, &ignored);
	find_title(&c, word, n, title, sizeof(title));
	doc = begin_doc(space, 0, title);
	/* No verb was called. */
	kv_out_put(doc, "verbs", json_object_new_array());
	return doc;
}

/**
 * kv_session_run() - carry out a command and describe its result
 * @line: line of the command in its file; 0: there is no file
 * @doc: receives its document, owned by the caller; on failure too
 * @f: receives the reason of a failure, with the command's name
 */
int kv_session_run(struct kv_session *s, unsigned int line, char **word,
		   size_t n, struct json_object **doc, struct kv_fault *f)
{
	struct json_object *result = json_object_new_object();
	struct kv_fault why = { 0 };
	struct kv_choice c;
	char title[64];
	/* The command is about objects, and not one of script.c. */
	bool verbs;
	int ret = kv_command_choose(word, n, &c, &why);

	if (ret && n)
		kv_session_refuse_shell(s, word[0], &why);
	verbs = c.command && c.command->fn;
	forget_verbs(s);
	find_title(&c, word, n, title, sizeof(title));
	if (!ret)
		ret = kv_session_command(s, &c, word, n, result, &why);
	if (ret && s->batch && why.exit == KV_EXIT_USAGE)
		tell_option(c.command, word, n, &why);
	kv_trace_settle(s->b);

	*doc = begin_doc(s->space, line, title);
	if (!ret || json_object_object_length(result))
		kv_out_put(*doc, "result", json_object_get(result));
	if (ret)
		kv_out_put_fault(*doc, &why);
	if (s->verbs)
		kv_out_put(*doc, "verbs", json_object_get(s->verbs));

	/* $last and 'expect' refer to the last document. */
	if (!ret && (verbs || c.noun == &kv_noun_refused)) {
		json_object_put(s->last);
		s->last = json_object_get(result);
	}
	json_object_put(result);
	if (ret)
		put_title(title, &why, verbs && why.exit != KV_EXIT_USAGE && ret != -EINTR, f);
	return ret;
}
