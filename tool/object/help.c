// SPDX-License-Identifier: MIT
/* Help, made from the tables. */
#include <string.h>
#include "cli/wrap.h"
#include "object/noun.h"

/* The start of the second column. */
#define COLUMN 24

/* Or else the noun is the command. */
static bool has_commands(const struct kv_noun *noun)
{
	return *noun->command->name;
}

/**
 * kv_help_wanted() - is help asked for?
 *
 * Return: true if its first words end with --help, or if it is 'help' behind the noun of objects.
 */
bool kv_help_wanted(char **word, size_t n)
{
	const struct kv_noun *noun = n == 2 && !strcmp(word[1], "help") ? kv_noun_find(word[0]) : NULL;

	if (noun && has_commands(noun))
		return true;
	for (size_t i = 0; i < n && i < 3; i++) {
		if (!strcmp(word[i], "--help") || !strcmp(word[i], "-h"))
			return true;
	}
	return false;
}

/* More words than stand beside the key's meaning: they are a part of that. */
static bool has_many_words(const struct kv_key *key)
{
	char words[256];

	if (key->kind != KV_KEY_ENUM)
		return false;
	kv_enum_list(key->names, "|", "|", words, sizeof(words));
	return strlen(words) > 60;
}

/* The placeholder for a key's value. */
static void format_value(const struct kv_key *key, char *text, size_t size)
{
	static const char *const name[] = {
		[KV_KEY_FLAG] = "", [KV_KEY_U32] = "N", [KV_KEY_U64] = "N",
		[KV_KEY_SIZE] = "SIZE", [KV_KEY_SIZE32] = "SIZE",
		[KV_KEY_TIME] = "TIME", [KV_KEY_ENUM] = "WORD",
		[KV_KEY_FLAGS] = "A[,B...]", [KV_KEY_ID] = "ID",
		[KV_KEY_GID] = "GID", [KV_KEY_ADDRESS] = "ADDRESS",
		[KV_KEY_SOCKADDR] = "ADDR[:PORT]", [KV_KEY_PORT] = "ADDR:PORT",
		[KV_KEY_BYTES] = "TEXT|hex:HEX", [KV_KEY_DEVICE] = "DEV",
		[KV_KEY_TEXT] = "TEXT", [KV_KEY_PIECE] = "...",
		[KV_KEY_REST] = "...",
	};

	if (key->value)
		snprintf(text, size, "%s", key->value);
	else if (has_many_words(key))
		snprintf(text, size, "%s", name[KV_KEY_ENUM]);
	else if (key->kind == KV_KEY_ENUM)
		kv_enum_list(key->names, "|", "|", text, size);
	else
		snprintf(text, size, "%s", name[key->kind]);
}

/** kv_help_format_key() - a key and the placeholder for its value */
void kv_help_format_key(const struct kv_key *key, char *text, size_t size)
{
	char value[128];

	format_value(key, value, sizeof(value));
	snprintf(text, size, "%s%s%s", key->bare ? "" : key->name,
		 *value && !key->bare ? " " : "", value);
}

/** kv_help_describe_key() - a key's purpose and its values */
void kv_help_describe_key(const struct kv_key *key, char *text, size_t size)
{
	char words[256];

	snprintf(text, size, "%s", key->help);
	if (has_many_words(key)) {
		kv_enum_list(key->names, ", ", " or ", words, sizeof(words));
		kv_append(text, size, ": %s", words);
	}
	if (key->kind == KV_KEY_FLAGS) {
		kv_enum_list(key->names, ", ", ", ", words, sizeof(words));
		kv_append(text, size, "; A is one of %s; or the word all, or none", words);
	}
	if (key->must)
		kv_append(text, size, " (can't be left out)");
}

static void print_keys(const struct kv_key *table, const char *indent)
{
	for (; table->name; table++) {
		char left[160], right[512];
		int n = snprintf(left, sizeof(left), "%s", indent);

		kv_help_format_key(table, left + n, sizeof(left) - (size_t)n);
		kv_help_describe_key(table, right, sizeof(right));
		kv_wrap_row(left, right, COLUMN);
		if (table->piece)
			print_keys(table->piece, "  ");
	}
}

static void print_usage(const struct kv_noun *noun, const struct kv_command *c)
{
	static const char *const id[] = {
		[KV_ID_NONE] = "", [KV_ID_MAY] = " [ID]", [KV_ID_MUST] = " ID",
	};
	char text[512], title[64], key[160];
	bool optional = false;

	kv_command_title(title, sizeof(title), noun, c);
	snprintf(text, sizeof(text), "%s%s%s%s", title, id[c->id],
		 c->words ? " " : "", c->words ? c->words : "");
	for (const struct kv_key *k = c->key; k && k->name; k++) {
		optional |= !k->must;
		if (!k->must)
			continue;
		kv_help_format_key(k, key, sizeof(key));
		kv_append(text, sizeof(text), " %s", key);
	}
	printf("  %s%s\n", text, optional ? " [KEY VALUE]..." : "");
}

static void print_command(const struct kv_noun *noun, const struct kv_command *c)
{
	printf("usage:\n");
	print_usage(noun, c);
	putchar('\n');
	kv_wrap(c->help, 0, 0);
	if (c->more) {
		putchar('\n');
		kv_wrap(c->more, 0, 0);
	}
	if (c->key && c->key->name) {
		printf("\nkeys:\n");
		print_keys(c->key, "");
	}
}

static void print_noun(const struct kv_noun *noun)
{
	printf("%s: %s\n\nusage:\n", noun->name, noun->help);
	for (const struct kv_command *c = noun->command; c->name; c++)
		print_usage(noun, c);
	putchar('\n');
	for (const struct kv_command *c = noun->command; c->name; c++) {
		char title[64];

		kv_command_title(title, sizeof(title), noun, c);
		kv_wrap_row(title, c->help, COLUMN);
	}
	printf("\n'kverbs COMMAND --help' lists a command's keys, 'kverbs --help' the options.\n");
}

/* The nouns, for a user at a prompt. */
static void print_nouns(void)
{
	for (const struct kv_noun *const *noun = kv_nouns(); *noun; noun++)
		kv_wrap_row((*noun)->name, (*noun)->help, COLUMN);
	kv_wrap_row("help [COMMAND]", "a command's words and keys; so does ?", COLUMN);
	kv_wrap_row("quit", "ends the batch, as exit and Ctrl-D do", COLUMN);
}

/**
 * kv_help_print() - print the usage of a command, or of all commands of a noun
 * @word: the command, which may have --help among its words
 * @n: how many words; 0: all nouns are listed
 *
 * Return: 0, or -EINVAL if there is no such command.
 */
int kv_help_print(char **word, size_t n, struct kv_fault *f)
{
	struct kv_choice c;
	int ret = n ? kv_command_choose(word, n, &c, f) : 0;

	if (!n)
		print_nouns();
	else if (c.noun && has_commands(c.noun) &&
		 (n < 2 || *word[1] == '-' || kv_help_wanted(word, n)))
		print_noun(c.noun);
	else if (!ret)
		print_command(c.noun, c.command);
	else
		return ret;
	return 0;
}
