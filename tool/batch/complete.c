// SPDX-License-Identifier: MIT
/* The words that may follow at a prompt. */
#include <stdlib.h>
#include <string.h>
#include "batch/complete.h"
#include "batch/lexer.h"
#include "batch/session.h"

/* A list of words that begin with @begin. */
struct list {
	const char *begin;
	char **word; /* the last one is NULL; NULL: none */
	size_t n;
	enum kv_type type; /* of the objects whose names are added */
};

/* @text, behind @prefix. If there is no memory, the word is left out. */
static void add(struct list *l, const char *prefix, const char *text)
{
	size_t n = strlen(prefix), m = strlen(l->begin);
	char *word = malloc(n + strlen(text) + 1), **more;

	if (!word)
		return;
	strcpy(stpcpy(word, prefix), text);
	more = strncmp(word, l->begin, m) ? NULL : reallocarray(l->word, l->n + 2, sizeof(*more));
	if (!more) {
		free(word);
		return;
	}
	l->word = more;
	l->word[l->n++] = word;
	l->word[l->n] = NULL;
}

static void add_name(const struct kv_variable *name, void *arg)
{
	struct list *l = arg;

	if (!name->value && !name->deleted && name->type == l->type)
		add(l, "", name->text);
}

static void add_reference(const struct kv_variable *name, void *arg)
{
	if (!name->deleted)
		add(arg, "$", name->text);
}

/* The fields of an object; @prefix: "$NAME." */
static void add_fields(struct list *l, const char *prefix, struct json_object *fields)
{
	if (!fields)
		return;
	json_object_object_foreach(fields, field, value) {
		(void)value;
		add(l, prefix, field);
	}
}

/* $NAME, or $NAME.FIELD once the dot was typed. */
static void add_references(struct list *l, struct kv_session *s)
{
	size_t n = strcspn(l->begin, ".");
	char *prefix = strndup(l->begin, n + 1);
	struct json_object *fields = NULL;
	const struct kv_variable *name;

	if (!prefix)
		return;
	if (prefix[n]) {
		prefix[n] = '\0';
		name = kv_variables_find(&s->variables, prefix + 1);
		prefix[n] = '.';
		if (name)
			fields = kv_variable_fields(name);
		else if (!strcmp(prefix, "$last."))
			fields = json_object_get(s->last);
		add_fields(l, prefix, fields);
		json_object_put(fields);
	} else {
		kv_variables_each(&s->variables, add_reference, l);
		add(l, "", "$dev");
		add(l, "", "$last");
	}
	free(prefix);
}

static const struct kv_key *find_key(const struct kv_key *table, const char *word)
{
	const struct kv_key *key = kv_key_find(table, word);

	for (; !key && table->name; table++)
		key = table->piece ? kv_key_find(table->piece, word) : NULL;
	return key;
}

/* The key whose value follows the words; NULL: another key follows. */
static const struct kv_key *find_awaited(const struct kv_command *c, char **word, size_t n)
{
	const struct kv_key *key;

	for (size_t i = c->id != KV_ID_NONE || c->key->bare; i < n; i++) {
		key = find_key(c->key, word[i]);
		if (!key || key->kind == KV_KEY_FLAG || key->kind == KV_KEY_PIECE)
			continue;
		if (++i == n)
			return key;
	}
	return NULL;
}

static void add_keys(struct list *l, const struct kv_key *key, const char *dashes)
{
	for (; key->name; key++) {
		if (!key->bare)
			add(l, dashes, key->name);
		if (key->piece)
			add_keys(l, key->piece, dashes);
	}
}

static int add_device(const struct kv_dev *dev, void *arg)
{
	add(arg, "", dev->name);
	return 0;
}

static void add_devices(struct list *l, const struct kv_session *s)
{
	s->b->ops->dev_each(s->b, add_device, l);
}

static void add_values(struct list *l, struct kv_session *s, const struct kv_key *key)
{
	for (const struct kv_enum *w = key->names; w && w->name; w++)
		add(l, "", w->name);
	l->type = key->type;
	if (key->kind == KV_KEY_ID)
		kv_variables_each(&s->variables, add_name, l);
	else if (key->kind == KV_KEY_DEVICE)
		add_devices(l, s);
}

/* The words that follow the name of a command; @word: those that followed already. */
static void add_arguments(struct list *l, struct kv_session *s, const struct kv_command *c,
			  char **word, size_t n)
{
	const struct kv_key *key;

	l->type = c->type;
	if (!n && c->id != KV_ID_NONE)
		kv_variables_each(&s->variables, add_name, l);
	add(l, "", "--help");
	if (!c->key)
		return;
	key = n || !c->key->bare ? find_awaited(c, word, n) : c->key;
	if (key)
		add_values(l, s, key);
	else
		add_keys(l, c->key, *l->begin == '-' ? "--" : "");
}

static void add_words(struct list *l, struct kv_session *s, char **word, size_t n)
{
	struct kv_fault why;
	struct kv_choice c;

	if (n && !strcmp(word[0], "help")) {
		word++;
		n--;
	} else if (!n) {
		add(l, "", "help");
		add(l, "", "quit");
	}
	if (n >= 2 && !strcmp(word[0], kv_noun_refused.name)) {
		word += 2;
		n -= 2;
	}
	for (const struct kv_noun *const *noun = kv_nouns(); *noun && !n; noun++)
		add(l, "", (*noun)->name);
	if (!n)
		return;
	if (!kv_command_choose(word, n, &c, &why) && !(n == 1 && *c.command->name)) {
		if (c.noun == &kv_noun_expect && n == 1)
			add_fields(l, "", s->last);
		else if (c.noun == &kv_noun_dev && n == c.used)
			add_devices(l, s);
		add_arguments(l, s, c.command, word + c.used, n - c.used);
	} else if (c.noun && n == 1) {
		for (const struct kv_command *command = c.noun->command; command->name; command++)
			add(l, "", command->name);
	}
}

/* A reference has a value only once the line is carried out. */
static int keep_reference(void *arg, const char *reference, char **value, struct kv_fault *f)
{
	*value = strdup(reference);
	return *value ? 0 : kv_fault_no_memory(f);
}

/**
 * kv_complete() - find the words that may follow; a kv_edit_complete_fn
 * @before: the line before the last word
 * @word: the beginning of the last word
 *
 * Return: the words that begin with @word, see kv_edit_complete_fn.
 */
char **kv_complete(const char *before, const char *word, void *session)
{
	struct kv_session *s = session;
	struct list l = { .begin = word };
	struct kv_words words;
	struct kv_fault why;

	if (!kv_lexer_split(&words, before, keep_reference, NULL, &why)) {
		if (*word == '$')
			add_references(&l, s);
		else
			add_words(&l, s, words.word, words.n);
	}
	kv_lexer_free(&words);
	return l.word;
}
