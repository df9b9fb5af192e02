// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "batch/batch.h"
#include "batch/complete.h"
#include "batch/lexer.h"
#include "cli/interrupt.h"

/* Some editors write it at the beginning of a UTF-8 file. */
static const char byte_order_mark[] = "\xef\xbb\xbf";

/* A result of a command: no other one is to be read. */
#define QUIT 2

/* The state of the reader. */
struct reader {
	FILE *in;
	const char *prompt; /* NULL: none */
	kv_edit_fn *edit; /* NULL: lines are not edited */
	struct kv_session *s; /* the names that @edit completes */
	unsigned int line; /* number of the last line that was read */
	unsigned int first; /* number of the command's first line */
	char *text; /* the command, with the lines that continue it */
	size_t length;
	size_t room; /* size of @text: up to one byte more than KV_LEXER_LINE_MAX */
};

static void show_prompt(const struct reader *r)
{
	if (r->prompt) {
		fputs(r->prompt, stdout);
		fflush(stdout);
	}
}

static int add_byte(struct reader *r, int byte, struct kv_fault *f)
{
	size_t room = r->room ? 2 * r->room : BUFSIZ;
	char *more;

	if (r->length == r->room) {
		more = realloc(r->text, room);
		if (!more)
			return kv_fault_no_memory(f);
		r->text = more;
		r->room = room;
	}
	r->text[r->length++] = (char)byte;
	return 0;
}

static int take_byte(struct reader *r, int byte, struct kv_fault *f)
{
	if (!byte)
		return kv_fault_usage(f, "the line has a zero byte: it is no text");
	if (r->length == KV_LEXER_LINE_MAX)
		return kv_lexer_too_long(f);
	return add_byte(r, byte, f);
}

/* At a prompt, skips the rest of a refused line. */
static void skip_line(const struct reader *r)
{
	int byte;

	if (!r->prompt)
		return;
	do {
		byte = getc_unlocked(r->in);
	} while (byte != EOF && byte != '\n');
}

/* Removes the CR of a CRLF line ending, and adds a zero byte, which @length does not count. */
static int end_line(struct reader *r, size_t start, struct kv_fault *f)
{
	const size_t mark = strlen(byte_order_mark);
	int ret;

	if (r->line == 1 && r->length >= mark && !memcmp(r->text, byte_order_mark, mark)) {
		r->length -= mark;
		memmove(r->text, r->text + mark, r->length);
	}
	while (r->length > start && r->text[r->length - 1] == '\r')
		r->length--;
	ret = add_byte(r, '\0', f);
	if (!ret)
		r->length--;
	return ret;
}

/* Like read_line(), for a line that the user edits. */
static int read_edited(struct reader *r, struct kv_fault *f)
{
	size_t start = r->length;
	int ret = 0;
	char *line;

	fflush(stdout);
	line = r->edit(r->prompt, kv_complete, r->s);
	if (!line && kv_interrupt_seen())
		return kv_fault_set(f, -EINTR, "interrupted");
	if (!line) {
		putchar('\n');
		return 0;
	}
	for (const char *c = line; *c && !ret; c++)
		ret = take_byte(r, *c, f);
	free(line);
	return ret ? : end_line(r, start, f) ? : 1;
}

/* Reads one more line of the command. 1: there was one, 0: no line is left. */
static int read_line(struct reader *r, struct kv_fault *f)
{
	size_t start = r->length;
	int byte, ret = 0;

	r->line++;
	if (r->edit)
		return read_edited(r, f);
	show_prompt(r);
	errno = 0;
	while (!ret && (byte = getc_unlocked(r->in)) != EOF && byte != '\n')
		ret = take_byte(r, byte, f);
	if (ret) {
		skip_line(r);
		return ret;
	}
	if (byte == EOF && kv_interrupt_seen())
		return kv_fault_set(f, -EINTR, "interrupted");
	if (byte == EOF && ferror(r->in))
		return kv_fault_set(f, errno ? -errno : -EIO,
				    "cannot read it: %s", strerror(errno));
	if (byte == EOF && r->length == start) {
		if (r->prompt)
			putchar('\n');
		return 0;
	}
	return end_line(r, start, f) ? : 1;
}

/* Ctrl-C at a prompt: what was typed of the command is dropped. */
static int drop_command(struct reader *r, struct kv_fault *f)
{
	putchar('\n');
	clearerr(r->in);
	r->length = 0;
	return end_line(r, 0, f) ? : 1;
}

/* Reads the next command. 1: there was one, 0: no command is left. */
static int read_command(struct reader *r, struct kv_fault *f)
{
	bool begun = false, more = true;

	r->length = 0;
	r->first = r->line + 1;
	while (more) {
		size_t start = r->length;
		int ret = read_line(r, f);

		if (ret == -EINTR && r->prompt && kv_interrupt_forget())
			return drop_command(r, f);
		if (ret <= 0)
			return ret < 0 || !begun ? ret : 1;
		begun = true;
		more = kv_lexer_continue(r->text + start);
		if (more)
			r->text[--r->length] = '\0';
	}
	return 1;
}

/* Prints a line, and waits for Enter before a command. False: standard input has ended. */
static bool show_line(const struct kv_batch *batch, const char *text)
{
	const char *first = text + strspn(text, " \t");
	bool waits = batch->step && *first && *first != '#';
	int byte = '\n';

	if (!batch->echo && !batch->step)
		return true;
	printf("%s%s%s", *first ? "> " : "", text, waits && isatty(STDIN_FILENO) ? "" : "\n");
	fflush(stdout);
	while (waits && (byte = getchar()) != EOF && byte != '\n')
		;
	return byte != EOF;
}

/* The commands of the prompt itself; @ret: receives the result if it was one. */
static bool try_prompt(struct kv_session *s, const struct kv_words *words, int *ret,
		       struct kv_fault *f)
{
	if (words->n == 1 && (!strcmp(words->word[0], "quit") || !strcmp(words->word[0], "exit")))
		*ret = QUIT;
	else if (words->n && (!strcmp(words->word[0], "help") || !strcmp(words->word[0], "?")))
		*ret = (words->n > 1 ? kv_session_refuse_shell(s, words->word[1], f) : 0) ?:
		       kv_help_print(words->word + 1, words->n - 1, f);
	else if (kv_help_wanted(words->word, words->n))
		*ret = kv_help_print(words->word, words->n, f);
	else
		return false;
	return true;
}

static int carry_out(const struct kv_batch *batch, struct kv_session *s,
		     const struct reader *r, struct kv_fault *f)
{
	struct json_object *doc;
	struct kv_words words;
	int ret;

	if (!show_line(batch, r->text))
		return kv_interrupt_seen() ? 0 : QUIT;
	ret = kv_lexer_split(&words, r->text, kv_session_expand, s, f);
	if (!ret && words.n && !(batch->prompt && try_prompt(s, &words, &ret, f))) {
		ret = kv_session_run(s, r->first, words.word, words.n, &doc, f);
		batch->told(s, r->text, doc, batch->arg);
		json_object_put(doc);
	}
	kv_lexer_free(&words);
	return ret;
}

/* Puts the file and the line before the message. */
static void place(const struct kv_batch *batch, unsigned int line, struct kv_fault *f)
{
	struct kv_fault inner = *f;

	snprintf(f->text, sizeof(f->text), "%.200s:%u: %.800s", batch->name, line, inner.text);
}

/**
 * kv_batch_run() - carry out a list of commands, until one fails
 * @batch: the commands
 * @f: receives the reason of a failure, with the file and the line
 */
int kv_batch_run(const struct kv_batch *batch, struct kv_session *s, struct kv_fault *f)
{
	struct reader r = {
		.in = batch->in,
		.prompt = batch->prompt ? "kverbs> " : NULL,
		.edit = batch->prompt ? batch->edit : NULL,
		.s = s,
	};
	int ret;

	do {
		ret = read_command(&r, f);
		if (ret > 0)
			ret = carry_out(batch, s, &r, f) ? : 1;
		if (ret >= 0 && kv_interrupt_seen())
			ret = kv_fault_set(f, -EINTR, "interrupted");
		if (ret < 0)
			place(batch, r.first, f);
		/* The terminal has shown ^C. */
		if (ret < 0 && batch->prompt && kv_interrupt_forget())
			putchar('\n');
		if (ret < 0 && batch->prompt && !kv_interrupt_seen()) {
			fflush(stdout);
			kv_fault_print(f);
			ret = 1;
		}
	} while (ret == 1);
	free(r.text);
	return ret < 0 ? ret : 0;
}
