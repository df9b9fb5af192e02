// SPDX-License-Identifier: MIT
/* Completion for bash and zsh, from the tables of commands, options and keys. */
#include <stdio.h>
#include <string.h>
#include "batch/names.h"
#include "cmd/cmd.h"
#include "object/noun.h"
#include "object/options.h"

enum shell {
	BASH,
	ZSH,
};

static const struct kv_enum shells[] = {
	{ "bash", BASH },
	{ "zsh", ZSH },
	{ NULL, 0 },
};

static void print_words(const struct kv_enum *words)
{
	for (; words->name; words++)
		printf(" %s", words->name);
}

/* The names of this host's devices, when the shell completes a word. */
#define DEVICES "$(ls /sys/class/infiniband 2>/dev/null)"

/* The names of persistent objects of a type, likewise. */
static void print_objects(enum kv_type type)
{
	printf("\" $(\"${COMP_WORDS[0]}\" completion %s 2>/dev/null)\"", kv_enum_name(kv_enum_type, type));
}

/* The values of an option or a key; without @words the shell completes file names. */
static void print_values(const char *dashes, const char *name, const struct kv_enum *words,
			 bool dev)
{
	printf("\t\t%s%s) words=", dashes, name);
	if (dev) {
		printf(DEVICES " ;;\n");
		return;
	}
	printf("'");
	if (words)
		print_words(words);
	printf("' ;;\n");
}

static void print_commands(void)
{
	for (const struct kv_cmd_entry *e = kv_cmd_list; e->help; e++) {
		if (e->name)
			printf(" %s", e->name);
	}
}

static void print_names(const struct kv_option *row)
{
	/* Commands for objects have a row for --help among their options. */
	printf("--help");
	for (; row->name || row->help; row++) {
		if (row->name && *row->name && strcmp(row->name, "help"))
			printf(" --%s", row->name);
	}
}

static void print_option_values(const struct kv_option *row)
{
	for (; row->name || row->help; row++) {
		if (!row->name || !*row->name || !kv_option_takes_word(row))
			continue;
		if (row->letter)
			printf("\t\t-%c|\\\n", row->letter);
		print_values("--", row->name, row->names,
			     row->kind == KV_OPTION_DEV && strcmp(row->name, "peer-dev"));
	}
}

static void print_options(const struct kv_cmd_entry *e)
{
	printf("\t%s)\n\t\twords='", e->name);
	print_names(e->cmd->rows);
	if (e->cmd == &kv_cmd_man)
		print_commands();
	else if (e->cmd == &kv_cmd_completion)
		print_words(shells);
	printf("'\n\t\tcase $last in\n");
	print_option_values(e->cmd->rows);
	printf("\t\tesac ;;\n");
}

static void print_keys(const struct kv_key *key)
{
	for (; key && key->name; key++) {
		if (!key->bare)
			printf(" %s", key->name);
		print_keys(key->piece);
	}
}

static void print_key_values(const struct kv_key *key)
{
	for (; key && key->name; key++) {
		if (key->kind == KV_KEY_ID) {
			printf("\t\t%s) words=", key->name);
			print_objects(key->type);
			printf(" ;;\n");
		} else if (key->kind != KV_KEY_FLAG && key->kind != KV_KEY_PIECE &&
		    key->kind != KV_KEY_REST && !key->bare)
			print_values("", key->name, key->names, key->kind == KV_KEY_DEVICE);
		print_key_values(key->piece);
	}
}

static void print_noun(const struct kv_noun *noun)
{
	const struct kv_command *c;

	printf("\t%s)\n\t\twords='", noun->name);
	print_names(kv_object_command_rows);
	printf("'\n\t\tcase $second in\n");
	for (c = noun->command; c->name && *c->name; c++) {
		printf("\t\t%s) words+='", c->name);
		print_keys(c->key);
		printf("'%s", noun == &kv_noun_dev ? "\" \"" DEVICES : "");
		if (c->id != KV_ID_NONE) {
			printf("; ((COMP_CWORD > 3)) || words+=");
			print_objects(c->type);
		}
		printf(" ;;\n");
	}
	printf("\t\t*) words+='");
	if (!*noun->command->name)
		print_keys(noun->command->key);
	for (c = noun->command; c->name && *c->name; c++)
		printf(" %s", c->name);
	printf("' ;;\n\t\tesac\n\t\tcase $last in\n");
	print_option_values(kv_object_command_rows);
	for (c = noun->command; c->name; c++)
		print_key_values(c->key);
	printf("\t\tesac ;;\n");
}

static void print_script(void)
{
	const struct kv_noun *const *nouns = kv_nouns();
	printf("_kverbs() {\n"
	       "\tlocal words='--help --version'\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} last= first= second=\n"
	       "\t((COMP_CWORD > 1)) && first=${COMP_WORDS[1]} last=${COMP_WORDS[COMP_CWORD - 1]}\n"
	       "\t((COMP_CWORD > 2)) && second=${COMP_WORDS[2]}\n"
	       "\tcase $first in\n"
	       "\t'') words+='");
	print_commands();
	printf("' ;;\n");
	for (const struct kv_cmd_entry *e = kv_cmd_list; e->help; e++) {
		if (e->cmd && e->cmd != &kv_cmd_dev)
			print_options(e);
	}
	for (size_t i = 0; nouns[i]; i++) {
		if (!nouns[i]->batch)
			print_noun(nouns[i]);
	}
	printf("\tesac\n"
	       "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
	       "}\n"
	       "complete -o default -F _kverbs kverbs\n");
}

static struct completion_args {
	uint32_t shell;
	bool names; /* in place of a script, the names of objects of @type */
	uint32_t type;
} args;

static int check(int n, char **word, struct kv_fault *f)
{
	struct kv_why why;

	if (n != 1)
		return kv_fault_usage(f, "'kverbs completion' takes the shell; see 'kverbs completion --help'");
	args.names = !kv_parse_enum(word[0], kv_enum_type, &args.type, &why);
	if (!args.names && kv_parse_enum(word[0], shells, &args.shell, &why))
		return kv_fault_usage(f, "the shell '%s' %s", word[0], why.text);
	return 0;
}

static void print_name(const char *text, enum kv_type type, uint32_t id, void *arg)
{
	if (type == args.type)
		printf("%s\n", text);
}

static int run(struct kv_fault *f)
{
	bool zsh = args.shell == ZSH;

	if (args.names)
		return kv_names_each(print_name, NULL, f);
	if (zsh)
		printf("#compdef kverbs\n"
		       "autoload -U +X bashcompinit && bashcompinit\n");
	print_script();
	/* If the script is a file of $fpath, it is the body of _kverbs, which zsh calls. */
	if (zsh)
		printf("[[ ${funcstack[1]} != _kverbs ]] || _bash_complete -o default -F _kverbs\n");
	return 0;
}

const struct kv_cmd kv_cmd_completion = {
	.rows = kv_cmd_no_rows,
	.usage = "usage: kverbs completion bash\n"
		"       kverbs completion zsh\n"
		"       kverbs completion OBJECT\n"
		"\n"
		"Prints a script that makes the shell complete commands, options and keys. Put it\n"
		"into a file in /etc/bash_completion.d, or for zsh into a file _kverbs of a\n"
		"folder in $fpath; or type: source <(kverbs completion bash). With OBJECT, such\n"
		"as pd, prints the names of these objects, for the script.\n",
	.more = "",
	.args = &args,
	.check = check,
	.run = run,
};
