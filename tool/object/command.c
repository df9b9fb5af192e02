// SPDX-License-Identifier: MIT
#include <string.h>
#include "object/object.h"

/* Commands of a type of objects. */
#define COMMANDS_MAX 16

static const struct kv_command *const own_commands[KV_TYPES] = {
	[KV_MR] = kv_mr_commands,
	[KV_QP] = kv_qp_commands,
	[KV_CONN] = kv_conn_commands,
};

static struct kv_command commands[KV_TYPES][COMMANDS_MAX + 1];
static struct kv_noun objects[KV_TYPES];

static const struct kv_noun *const nouns[] = {
	&kv_noun_dev,
#define OBJECT(TYPE, type, ...) &objects[KV_##TYPE],
#include "model/objects.def"
#undef OBJECT
	&kv_noun_post, &kv_noun_poll, &kv_noun_flush, &kv_noun_monitor, &kv_noun_echo,
	&kv_noun_expect, &kv_noun_refused, &kv_noun_set, &kv_noun_sleep, NULL,
};

/* Making it, its operations, what is more than one, showing and destroying it. */
static void make_commands(enum kv_type type, struct kv_command *c)
{
	const struct kv_object_row *row = &kv_object_rows[type];

	if (row->add)
		kv_object_make_add(c++, type);
	for (enum kv_op op = KV_OP_PD_DEL + KV_TYPES; op < KV_OPS; op++) {
		if (kv_op_rows[op].about == type && kv_op_rows[op].command)
			kv_object_make_operation(c++, op);
	}
	for (const struct kv_command *own = own_commands[type]; own && own->name; own++)
		*c++ = *own;
	kv_object_make_show(c++, type);
	kv_object_make_del(c, type);
}

/**
 * kv_nouns() - all that commands are about
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
	return nouns;
}

/**
 * kv_noun_find() - look for a noun
 * @name: its word
 *
 * Return: the noun, or NULL.
 */
const struct kv_noun *kv_noun_find(const char *name)
{
	for (const struct kv_noun *const *noun = kv_nouns(); *noun; noun++) {
		if (!strcmp((*noun)->name, name))
			return *noun;
	}
	return NULL;
}

/**
 * kv_command_find() - look for a command
 * @noun: of which noun
 * @name: its word, "" if the noun is the command
 *
 * Return: the command, or NULL.
 */
const struct kv_command *kv_command_find(const struct kv_noun *noun, const char *name)
{
	for (const struct kv_command *c = noun->command; c->name; c++) {
		if (!strcmp(c->name, name))
			return c;
	}
	return NULL;
}

static int refuse_noun(const char *word, struct kv_fault *f)
{
	char text[256] = "";
	size_t n = 0;

	for (size_t i = 0; nouns[i] && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? ", " : "",
				      nouns[i]->name);
	return kv_fault_usage(f, "there is no command '%s'; there are %s", word, text);
}

static int refuse_command(const struct kv_noun *noun, const char *word, struct kv_fault *f)
{
	char text[128] = "";
	size_t n = 0;

	for (const struct kv_command *c = noun->command; c->name && n < sizeof(text); c++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
				      c == noun->command ? "" : ", ", c->name);
	if (!word)
		return kv_fault_usage(f, "a word is missing behind '%s': %s", noun->name, text);
	return kv_fault_usage(f, "'%s' is not known; there are %s", word, text);
}

/**
 * kv_command_choose() - find the command that words begin with
 * @word: the words
 * @n: how many
 * @noun: receives the noun; on failure too, if there is one of this name
 * @command: receives the command
 * @used: receives how many words its name has
 * @f: receives why not
 *
 * Return: 0 or -EINVAL.
 */
int kv_command_choose(char **word, size_t n, const struct kv_noun **noun,
		      const struct kv_command **command, size_t *used, struct kv_fault *f)
{
	*noun = n ? kv_noun_find(word[0]) : NULL;
	*command = NULL;
	*used = 0;
	if (!*noun)
		return refuse_noun(n ? word[0] : "", f);
	*used = 1;
	*command = kv_command_find(*noun, "");
	if (*command)
		return 0;
	if (n < 2)
		return refuse_command(*noun, NULL, f);
	*used = 2;
	*command = kv_command_find(*noun, word[1]);
	return *command ? 0 : refuse_command(*noun, word[1], f);
}

/**
 * kv_command_title() - the words that name a command
 * @text: receives them
 * @size: of @text
 * @noun: its noun
 * @command: the command
 */
void kv_command_title(char *text, size_t size, const struct kv_noun *noun,
		      const struct kv_command *command)
{
	snprintf(text, size, "%s%s%s", noun->name, *command->name ? " " : "", command->name);
}
