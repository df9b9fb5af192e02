// SPDX-License-Identifier: MIT
/* Many commands over one connection, in either space or in both. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "batch/batch.h"
#include "batch/cost.h"
#include "cmd/cmd.h"
#include "load.h"
#include "object/object.h"
#include "object/options.h"
#include "object/text.h"
#include "out/out.h"

/* The maximum size of a file that is kept in memory, because several rounds read it. */
#define TEXT_MAX (64 << 20)

/*
 * The rounds of several spaces, if there is no --repeat: a single one tells what the first call
 * costs.
 */
#define ROUNDS 10

static const struct kv_schema schema = { "kverbs.batch", 1 };

/* The options of a batch, and its results. */
static struct work {
	struct kv_object_options o; /* the options */
	struct kv_out out; /* where the documents go: in place of text, or beside it */
	FILE *in; /* the file */
	const char *name; /* name of the file, for messages */
	/* With several rounds the whole file; NULL: each line is read when it is needed. */
	char *text;
	size_t size; /* size of @text */
	unsigned int rounds; /* number of rounds */
	bool timed; /* a table of times is printed at the end */
	unsigned int round; /* number of this round, from 0 on */
	struct kv_cost times; /* the times of all rounds */
	/* The documents of the first round's commands, if they are written at the end. */
	struct json_object *docs[KV_SPACES];
	struct kv_capture capture; /* --pcap; of all spaces and rounds */
	unsigned int printed; /* how many documents were printed as they came */
	bool told_fault; /* the document of a command has the fault */
} work = { .o.spaces = 1U << KV_SPACE_KERNEL, .out.file.fd = -1 };

/* Prints the nouns of the tool in lines of up to 79 columns. */
static void print_nouns(void)
{
	const struct kv_noun *const *nouns = kv_nouns();
	int column = printf("Commands are those of the tool, without 'kverbs':");

	for (size_t i = 0; nouns[i]; i++) {
		int width = (int)strlen(nouns[i]->name) + 2;

		if (nouns[i]->batch)
			continue;
		if (column + width > 79)
			column = printf("\n") - 1;
		column += printf("%s%s%s", column ? " " : "", nouns[i]->name,
				 nouns[i + 1] && !nouns[i + 1]->batch ? "," : ".");
	}
	printf("\n");
}

static const char usage[] = "usage: kverbs batch FILE [OPTION...]\n"
	"       kverbs batch -    [OPTION...]\n"
	"\n"
	"Carries out the commands in a file or on standard input, one command a line.\n"
	"The objects that they make are destroyed at the end. The batch ends at the\n"
	"first command that fails. On a terminal it goes on after a failure; there lines\n"
	"can be edited and recalled, Tab completes words, 'help' lists the commands, and\n"
	"'quit' ends the batch.\n";

static const char more[] =
	"'name N' behind an 'add' gives the object the name N, which stands for its id.\n"
	"$N.FIELD is a field of the last output about that object, $last.FIELD a field\n"
	"of the last result, and $dev.FIELD a field of the device (name, gid, gid_index,\n"
	"addr, lid, active_mtu_bytes). Words are quoted as in a shell, # begins a\n"
	"comment, and \\ at the end of a line continues it. Only in a batch there are:\n"
	"\n"
	"  expect FIELD VALUE        fail unless the last result has this value there\n"
	"  refused ERRNO COMMAND...  fail unless the command is refused with this errno\n"
	"  echo TEXT...   set NAME VALUE   sleep TIME\n"
	"\n"
	"'kverbs COMMAND --help' lists the keys of a command; see also docs/hand.md.\n";

static void print_help(void)
{
	kv_option_print_help(kv_object_batch_rows, usage, "");
	printf("\n");
	print_nouns();
	printf("%s", more);
}

static bool keeps_docs(const struct work *w)
{
	return w->timed || !w->out.to_stdout;
}

static void print_doc(struct work *w, struct json_object *doc)
{
	int flags = JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;

	if (w->o.pretty)
		flags |= JSON_C_TO_STRING_PRETTY;
	printf("%s%s", w->printed++ ? ",\n" : "[\n", json_object_to_json_string_ext(doc, flags));
	fflush(stdout);
}

static void add_doc(struct work *w, enum kv_space_id space, struct json_object *doc)
{
	if (w->o.json && keeps_docs(w))
		json_object_array_add(w->docs[space], json_object_get(doc));
	else if (w->o.json)
		print_doc(w, doc);
}

static void told(const struct kv_session *s, const char *text, struct json_object *doc, void *arg)
{
	struct work *w = arg;

	if (w->timed && s->timed && !kv_out_get(doc, "/error") &&
	    strcmp(kv_out_get_string(doc, "/command"), kv_noun_refused.name))
		kv_cost_add(&w->times, (unsigned int)kv_out_get_count(doc, "/line"),
			     text, s->space, s->verb_ns);
	if (w->round)
		return;
	w->told_fault = kv_out_get(doc, "/error");
	if (!w->out.to_stdout) {
		kv_text_print(stdout, doc);
		fflush(stdout);
	}
	add_doc(w, s->space, doc);
}

/* A fault that no command has, such as a word that means nothing, is the last document. */
static void tell_fault(struct work *w, enum kv_space_id space, const struct kv_fault *f)
{
	struct json_object *doc;

	if (w->timed || w->told_fault)
		return;
	doc = kv_session_refusal(space, (char *[]){ "batch" }, 1);
	kv_out_put_fault(doc, f);
	add_doc(w, space, doc);
	json_object_put(doc);
}

static void tell_event(struct json_object *event, void *arg)
{
	kv_text_line(stdout, NULL, event);
	fflush(stdout);
}

static int set_names(struct kv_session *s, const struct kv_object_options *o, struct kv_fault *f)
{
	int ret = 0;

	for (size_t i = 0; i < o->sets && !ret; i++) {
		char *value = strchr(o->set[i], '=');
		char *name = strndup(o->set[i], (size_t)(value - o->set[i]));

		if (!name)
			return kv_fault_no_memory(f);
		ret = kv_variables_set(&s->variables, name, value + 1, f);
		free(name);
	}
	return ret;
}

static int open_input(struct work *w, FILE **in, struct kv_fault *f)
{
	*in = w->in;
	/* fmemopen() refuses a size of 0. */
	if (w->text)
		*in = w->size ? fmemopen(w->text, w->size, "r") : fopen("/dev/null", "r");
	return *in ? 0 : kv_fault_no_memory(f);
}

/* One space, one round. */
static int run_space(struct work *w, enum kv_space_id space, struct kv_fault *f)
{
	static struct kv_session s;
	bool first = !w->round;
	char why[512];
	struct kv_batch batch = {
		.name = w->name,
		.told = told,
		.arg = w,
	};
	int ret = kv_session_open(&s, space, w->o.dev, true, w->o.trace && first, f);

	if (ret)
		return ret;
	s.is_shell = kv_cmd_is_shell;
	s.json = w->o.json && first;
	s.details = w->o.details && first;
	if (!w->out.to_stdout && first)
		s.live = tell_event;
	ret = set_names(&s, &w->o, f) ?:
	      kv_session_capture(&s, &w->capture, w->o.pcap, f) ?:
	      open_input(w, &batch.in, f);
	if (ret)
		goto out_close;
	batch.prompt = batch.in == stdin && isatty(STDIN_FILENO) && !w->out.to_stdout;
	/* Without the editor a line is what the terminal makes of it. */
	if (batch.prompt && isatty(STDOUT_FILENO))
		batch.edit = kv_load("kverbs-edit.so", "kv_edit_line", why, sizeof(why));
	batch.echo = w->o.echo && first;
	batch.step = w->o.step && first;
	ret = kv_batch_run(&batch, &s, f);
	if (w->text)
		fclose(batch.in);
out_close:
	/* Closing a session destroys the remaining objects at once, and traces no verb. */
	if (s.trace)
		kv_flush_each(&s, false);
	kv_session_close(&s);
	return ret;
}

/* Adds the space and the round to a fault, if there are several. */
static void place(const struct work *w, enum kv_space_id space, struct kv_fault *f)
{
	struct kv_fault inner = *f;
	const char *name = kv_enum_name(kv_enum_space, space);
	char where[64];
	size_t n;

	if (w->round)
		n = (size_t)snprintf(where, sizeof(where), "%s space, round %u: ", name,
				     w->round + 1);
	else
		n = (size_t)snprintf(where, sizeof(where), "%s space: ", name);
	/* If a space could not be opened, the text has its name already. */
	if (w->timed && strncmp(inner.text, where, n))
		snprintf(f->text, sizeof(f->text), "%s%.900s", where, inner.text);
}

static int run_rounds(struct work *w, struct kv_fault *f)
{
	for (w->round = 0; w->round < w->rounds; w->round++) {
		for (unsigned int s = 0; s < KV_SPACES; s++) {
			bool several = w->o.spaces & (w->o.spaces - 1);
			int ret;

			if (!(w->o.spaces & (1U << s)))
				continue;
			if (several && !w->round && !w->out.to_stdout)
				printf("%s%s space:\n", s ? "\n" : "",
				       kv_enum_name(kv_enum_space, s));
			ret = run_space(w, s, f);
			if (ret) {
				place(w, s, f);
				tell_fault(w, s, f);
				return ret;
			}
		}
	}
	return 0;
}

static int print_times(struct work *w, struct kv_fault *f)
{
	struct json_object *list = kv_cost_describe(&w->times, w->o.spaces);
	int ret;

	printf("\n");
	ret = kv_cost_print(list, w->o.spaces, w->rounds, f);
	json_object_put(list);
	return ret;
}

static struct json_object *describe_timed(struct work *w, int failed, const struct kv_fault *f)
{
	struct json_object *doc = kv_out_document(&schema);

	kv_out_put_bool(doc, "complete", !failed);
	kv_out_put_string(doc, "file", w->name);
	kv_out_put_count(doc, "repeat", w->rounds);
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		if (w->o.spaces & (1U << s))
			kv_out_put(doc, kv_enum_name(kv_enum_space, s),
				   json_object_get(w->docs[s]));
	}
	if (failed)
		kv_out_put_fault(doc, f);
	else
		kv_out_put(doc, "times", kv_cost_describe(&w->times, w->o.spaces));
	return doc;
}

/* The document of one space and one round is the list of its commands' documents. */
static int write_docs(struct work *w, int failed, struct kv_fault *f)
{
	struct kv_fault why = *f;
	struct json_object *doc;
	int ret;

	if (w->timed)
		doc = describe_timed(w, failed, f);
	else
		doc = json_object_get(w->docs[w->o.spaces >> 1]);
	ret = kv_out_commit(&w->out, doc, &why);
	json_object_put(doc);
	if (ret && failed)
		kv_fault_print(&why);
	else if (ret)
		*f = why;
	return failed ? failed : ret;
}

static int finish(struct work *w, int failed, struct kv_fault *f)
{
	if (!failed && w->times.failed)
		failed = kv_fault_set(f, -ENOMEM, "no memory for the times");
	if (w->o.json && keeps_docs(w))
		failed = write_docs(w, failed, f);
	else if (w->o.json)
		puts(w->printed ? "\n]" : "[]");
	if (w->timed && !w->out.to_stdout && !failed)
		return print_times(w, f);
	return failed;
}

static int refuse_reading(const struct work *w, struct kv_fault *f)
{
	return kv_fault_set(f, -errno, "%s: cannot read it: %s", w->name, strerror(errno));
}

/* Reads the whole file, which each round reads again. */
static int read_all(struct work *w, struct kv_fault *f)
{
	size_t room = BUFSIZ, n;

	do {
		char *more = realloc(w->text, room);

		if (!more)
			return kv_fault_no_memory(f);
		w->text = more;
		n = fread(w->text + w->size, 1, room - w->size, w->in);
		w->size += n;
		if (w->size > TEXT_MAX)
			return kv_fault_usage(f, "%s: the file has more than %d bytes, the most that is kept for several rounds",
					      w->name, TEXT_MAX);
		if (w->size == room)
			room *= 2;
	} while (n);
	return ferror(w->in) ? refuse_reading(w, f) : 0;
}

/* A folder can be opened but not read: refuses it before the first command. */
static int try_reading(struct work *w, struct kv_fault *f)
{
	int byte = getc(w->in);

	if (byte == EOF && ferror(w->in))
		return refuse_reading(w, f);
	ungetc(byte, w->in);
	return 0;
}

static int open_file(struct work *w, const char *path, struct kv_fault *f)
{
	if (!strcmp(path, "-")) {
		w->name = "stdin";
		w->in = stdin;
		return 0;
	}
	w->name = path;
	w->in = fopen(path, "re");
	if (!w->in)
		return kv_fault_set(f, -errno, "%s: cannot open it: %s", path, strerror(errno));
	return try_reading(w, f);
}

static int check(int n, char **word, struct kv_fault *f)
{
	struct work *w = &work;
	bool several, json = w->o.json && !strcmp(w->o.json, "-");

	if (w->o.help)
		return 0;
	if (!n)
		return kv_fault_usage(f, "'kverbs batch' takes a file, or - for standard input; see 'kverbs batch --help'");
	if (n > 1)
		return kv_fault_usage(f, "'%s' is one file too many; 'kverbs batch' takes one",
				      word[1]);
	w->name = word[0];
	if (json && (w->o.echo || w->o.step))
		return kv_fault_usage(f, "--%s prints text, and --json prints none",
				      w->o.echo ? "echo" : "step");
	if (w->o.step && !strcmp(w->name, "-"))
		return kv_fault_usage(f, "--step needs a FILE: it reads Enter from standard input");
	several = w->o.spaces & (w->o.spaces - 1);
	w->rounds = w->o.repeat ? : several ? ROUNDS : 1;
	w->timed = w->o.repeat || several;
	if (w->timed && !strcmp(w->name, "-") && isatty(STDIN_FILENO))
		return kv_fault_usage(f, "%s repeats all lines: write them into a FILE, or send them through a pipe",
				      w->o.repeat ? "--repeat" : "--space both");
	return 0;
}

/* Reports that the file can't be read. */
static int refuse_file(struct work *w, int error, const struct kv_fault *f)
{
	struct json_object *doc = kv_out_document(&schema);

	kv_out_put_bool(doc, "complete", false);
	kv_out_commit_fault(&w->out, doc, f);
	json_object_put(doc);
	return error;
}

static int run_file(struct work *w, struct kv_fault *f)
{
	int ret = kv_out_open(&w->out, "--json", w->o.json, f);

	if (ret)
		return ret;
	ret = open_file(w, w->name, f);
	if (!ret && w->timed)
		ret = read_all(w, f);
	if (ret)
		return refuse_file(w, ret, f);
	/* From here on the documents of the commands report failures. */
	for (unsigned int s = 0; s < KV_SPACES; s++)
		w->docs[s] = json_object_new_array();
	ret = run_rounds(w, f);
	kv_capture_end(&w->capture);
	return finish(w, ret, f);
}

static int run(struct kv_fault *f)
{
	struct work *w = &work;
	int ret = 0;

	if (w->o.help)
		print_help();
	else
		ret = run_file(w, f);
	for (unsigned int s = 0; s < KV_SPACES; s++)
		json_object_put(w->docs[s]);
	kv_out_close(&w->out);
	kv_cost_clear(&w->times);
	free(w->text);
	if (w->in && w->in != stdin)
		fclose(w->in);
	kv_object_options_free(&w->o);
	return ret;
}

const struct kv_cmd kv_cmd_batch = {
	.rows = kv_object_batch_rows,
	.usage = usage,
	.more = more,
	.args = &work,
	.json = &work.o.json,
	.schema = &schema,
	.check = check,
	.run = run,
};
