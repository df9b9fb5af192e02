// SPDX-License-Identifier: MIT
#include <string.h>
#include "object/hand.h"

const struct kv_noun *const kv_nouns[] = {
	&kv_noun_dev,
#define OBJECT(TYPE, type, ...) &kv_noun_##type,
#include "model/objects.def"
#undef OBJECT
	&kv_noun_post, &kv_noun_poll, &kv_noun_flush, &kv_noun_monitor, &kv_noun_echo,
	&kv_noun_expect, &kv_noun_refused, &kv_noun_set, &kv_noun_sleep, NULL,
};

/**
 * kv_noun_find() - look for a noun
 * @name: its word
 *
 * Return: the noun, or NULL.
 */
const struct kv_noun *kv_noun_find(const char *name)
{
	for (size_t i = 0; kv_nouns[i]; i++) {
		if (!strcmp(kv_nouns[i]->name, name))
			return kv_nouns[i];
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
const struct kv_command *kv_command_find(const struct kv_noun *noun,
					 const char *name)
{
	for (const struct kv_command *c = noun->command; c->name; c++) {
		if (!strcmp(c->name, name))
			return c;
	}
	return NULL;
}

static int refuse_noun(const char *word, struct kv_fault *f)
{
	char nouns[256] = "";
	size_t n = 0;

	for (size_t i = 0; kv_nouns[i] && n < sizeof(nouns); i++)
		n += (size_t)snprintf(nouns + n, sizeof(nouns) - n, "%s%s",
				      i ? ", " : "", kv_nouns[i]->name);
	return kv_fault_usage(f, "there is no command '%s'; there are %s",
			      word, nouns);
}

static int refuse_command(const struct kv_noun *noun, const char *word,
			  struct kv_fault *f)
{
	char commands[128] = "";
	size_t n = 0;

	for (const struct kv_command *c = noun->command;
	     c->name && n < sizeof(commands); c++)
		n += (size_t)snprintf(commands + n, sizeof(commands) - n,
				      "%s%s", c == noun->command ? "" : ", ",
				      c->name);
	if (!word)
		return kv_fault_usage(f, "a word is missing behind '%s': %s",
				      noun->name, commands);
	return kv_fault_usage(f, "'%s' is not known; there are %s", word,
			      commands);
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
		      const struct kv_command **command, size_t *used,
		      struct kv_fault *f)
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
	snprintf(text, size, "%s%s%s", noun->name, *command->name ? " " : "",
		 command->name);
}
