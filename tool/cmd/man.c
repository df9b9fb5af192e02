// SPDX-License-Identifier: MIT
/* Manual pages, from the tables of commands, options and keys. */
#include <stdio.h>
#include <string.h>
#include <kverbs.h>
#include "cmd/cmd.h"
#include "object/noun.h"

/* The length of "usage: ", or of as many blanks, before each command line. */
#define USAGE ((int)strlen("usage: "))

/* Prints text escaped for roff: a dot or a quote at a line's beginning must be no request. */
static void print_text(const char *text)
{
	bool begins = true;

	for (; *text; text++) {
		if (begins && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		begins = *text == '\n';
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
	}
}

/* Prints lines without filling them. */
static void print_lines(const char *text)
{
	printf(".nf\n");
	print_text(text);
	printf(".fi\n");
}

static void begin(const char *name, const char *line)
{
	printf(".TH KVERBS%s", name ? "\\-" : "");
	for (const char *c = name ? name : ""; *c; c++)
		printf("%c", *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
	printf(" 8 \"\" \"kverbs " KVERBS_VERSION "\"\n.SH NAME\nkverbs%s%s \\- ",
	       name ? "\\-" : "", name ? name : "");
	print_text(line);
	printf("\n.ad l\n");
}

static void print_item(const char *what, const char *text)
{
	printf(".TP\n.B ");
	print_text(what);
	putchar('\n');
	/* A newline in the text ends a line of help, too. */
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		char line[512];

		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		print_text(line);
		printf("\n.br\n");
	}
	print_text(text);
	putchar('\n');
}

static void print_rows(const struct kv_option *row)
{
	printf(".SH OPTIONS\n");
	for (; row->name || row->help; row++) {
		char what[64];

		if (!row->name) {
			printf(".SS ");
			print_text(row->help);
			putchar('\n');
		} else if (row->help) {
			kv_option_format(row, what, sizeof(what));
			print_item(what, row->help);
		}
	}
}

/*
 * @usage: command lines, each after "usage: " or as many blanks; then an empty line, and the
 * description
 */
static void print_usage(const char *usage)
{
	const char *end;

	printf(".SH SYNOPSIS\n.nf\n");
	for (; *usage && *usage != '\n'; usage = *end ? end + 1 : end) {
		char line[160];

		end = strchrnul(usage, '\n');
		snprintf(line, sizeof(line), "%.*s", (int)(end - usage) - USAGE, usage + USAGE);
		print_text(line);
		putchar('\n');
	}
	printf(".fi\n");
	if (*usage) {
		printf(".SH DESCRIPTION\n");
		print_text(usage + 1);
	}
}

static void print_cmd(const struct kv_cmd_entry *e)
{
	begin(e->name, e->help);
	print_usage(e->cmd->usage);
	if (e->cmd->rows->name || e->cmd->rows->help)
		print_rows(e->cmd->rows);
	if (*e->cmd->more) {
		printf(".SH NOTES\n");
		print_lines(e->cmd->more);
	}
	printf(".SH SEE ALSO\n.BR kverbs (8)\n");
}

static void print_keys(const struct kv_key *key)
{
	for (; key && key->name; key++) {
		char what[160], text[512];

		kv_help_format_key(key, what, sizeof(what));
		kv_help_describe_key(key, text, sizeof(text));
		print_item(what, text);
		if (!key->piece)
			continue;
		printf(".RS\n");
		print_keys(key->piece);
		printf(".RE\n");
	}
}

static void print_noun(const struct kv_noun *noun)
{
	begin(noun->name, noun->help);
	printf(".SH COMMANDS\n");
	for (const struct kv_command *c = noun->command; c->name; c++) {
		printf(".SS kverbs %s%s%s%s\n", noun->name, *c->name ? " " : "", c->name,
		       c->id == KV_ID_MUST ? " ID" : c->id == KV_ID_MAY ? " [ID]" : "");
		print_text(c->help);
		putchar('\n');
		if (c->more) {
			printf(".PP\n");
			print_text(c->more);
			putchar('\n');
		}
		print_keys(c->key);
	}
	printf(".SH SEE ALSO\n.BR kverbs (8)\n");
}

static void print_tool(void)
{
	begin(NULL, "RDMA objects and their cost, from the kernel and from user space");
	printf(".SH SYNOPSIS\n.B kverbs\n.I COMMAND\n.RI [ OPTION ...]\n.SH COMMANDS\n");
	for (const struct kv_cmd_entry *e = kv_cmd_list; e->help; e++) {
		if (e->name) {
			print_item(e->name, e->help);
			continue;
		}
		printf(".SS ");
		print_text(e->help);
		putchar('\n');
	}
	printf(".SH SEE ALSO\n");
	for (const struct kv_cmd_entry *e = kv_cmd_list; e->help; e++) {
		if (e->name)
			printf(".BR kverbs\\-%s (8)%s\n", e->name, e[1].help ? "," : "");
	}
}

/* A page is about a command or a type of objects; if both are unset, about the tool. */
static struct subject {
	const struct kv_cmd_entry *entry;
	const struct kv_noun *noun;
	bool list;
} subject;

static const struct kv_option rows[] = {
	{ "list", NULL, "print the commands that have a page, one a line", KV_OPTION_FLAG,
	  .at = offsetof(struct subject, list) },
	{ .name = NULL },
};

static void print_list(void)
{
	for (const struct kv_cmd_entry *e = kv_cmd_list; e->help; e++) {
		if (e->name)
			printf("%s\n", e->name);
	}
}

static int check(int n, char **word, struct kv_fault *f)
{
	struct subject *s = &subject;

	if (n > 1)
		return kv_fault_usage(f, "'%s' is one command too many; 'kverbs man' takes one or none",
				      word[1]);
	if (n && s->list)
		return kv_fault_usage(f, "--list takes no command");
	if (!n)
		return 0;
	s->entry = kv_cmd_find(word[0]);
	s->noun = s->entry ? kv_noun_find(s->entry->name) : kv_cmd_find_noun(word[0], f);
	return s->entry || s->noun ? 0 : -EINVAL;
}

static int run(struct kv_fault *f)
{
	const struct subject *s = &subject;

	if (s->list)
		print_list();
	else if (s->entry && s->entry->cmd)
		print_cmd(s->entry);
	else if (s->noun)
		print_noun(s->noun);
	else
		print_tool();
	return 0;
}

const struct kv_cmd kv_cmd_man = {
	.rows = rows,
	.usage = "usage: kverbs man [COMMAND]\n"
		"       kverbs man --list\n"
		"\n"
		"Prints the manual page of a command, or of the tool, for man: kverbs man lat |\n"
		"man -l -\n",
	.more = "",
	.args = &subject,
	.check = check,
	.run = run,
};
