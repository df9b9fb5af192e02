// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "hand/batch.h"
#include "hand/words.h"
#include "interrupt.h"

/* Where the reading stands. */
struct reader {
	FILE *in;
	const char *prompt; /* NULL: none */
	unsigned int line; /* the last one that was read */
	unsigned int first; /* where the command begins */
	char *text; /* the command, with the lines that continue it */
	size_t length;
};

static void show_prompt(const struct reader *r)
{
	if (r->prompt) {
		fputs(r->prompt, stdout);
		fflush(stdout);
	}
}

/* A line without its end. 1: there is one, 0: there is none left. */
static int read_line(struct reader *r, char **line, struct kv_fault *f)
{
	size_t size = 0;
	ssize_t n;

	*line = NULL;
	show_prompt(r);
	errno = 0;
	n = getline(line, &size, r->in);
	if (n < 0 && kv_interrupt_seen())
		return kv_fault_set(f, -EINTR, "interrupted");
	if (n < 0 && !feof(r->in))
		return kv_fault_set(f, errno ? -errno : -EIO,
				    "cannot read it: %s", strerror(errno));
	if (n < 0 && r->prompt)
		putchar('\n');
	if (n < 0)
		return 0;
	r->line++;
	if (memchr(*line, '\0', (size_t)n))
		return kv_fault_usage(f, "there is a zero byte: this is no text");
	while (n && ((*line)[n - 1] == '\n' || (*line)[n - 1] == '\r'))
		(*line)[--n] = '\0';
	return 1;
}

/* The next command. 1: there is one, 0: there is none left. */
static int read_command(struct reader *r, struct kv_fault *f)
{
	bool more = true;

	free(r->text);
	r->text = NULL;
	r->length = 0;
	r->first = r->line + 1;
	while (more) {
		char *line, *longer;
		size_t n;
		int ret;

		ret = read_line(r, &line, f);
		if (ret <= 0) {
			free(line);
			return ret < 0 || !r->text ? ret : 1;
		}
		more = kv_words_continue(line);
		n = strlen(line) - more;
		longer = realloc(r->text, r->length + n + 1);
		if (!longer) {
			free(line);
			return kv_fault_set(f, -ENOMEM, "no memory");
		}
		memcpy(longer + r->length, line, n);
		longer[r->length + n] = '\0';
		r->text = longer;
		r->length += n;
		free(line);
	}
	return 1;
}

static int carry_out(const struct kv_batch *batch, struct kv_session *s,
		     const struct reader *r, struct kv_fault *f)
{
	struct json_object *doc;
	struct kv_words words;
	int ret;

	ret = kv_words_split(&words, r->text, kv_session_expand, s, f);
	if (!ret && batch->prompt && kv_help_wanted(words.word, words.n)) {
		ret = kv_help_print(words.word, words.n, f);
	} else if (!ret && words.n) {
		ret = kv_session_run(s, r->first, words.word, words.n, &doc,
				     f);
		batch->told(s, r->text, doc, batch->arg);
		json_object_put(doc);
	}
	kv_words_free(&words);
	return ret;
}

/* Say where it went wrong. */
static void place(const struct kv_batch *batch, unsigned int line,
		  struct kv_fault *f)
{
	struct kv_fault inner = *f;

	snprintf(f->text, sizeof(f->text), "%.200s:%u: %.800s", batch->name,
		 line, inner.text);
}

/**
 * kv_batch_run() - carry out a list of commands, until one fails
 * @batch: the commands
 * @s: where
 * @f: receives why not, with the place
 *
 * Return: 0 or a negative errno.
 */
int kv_batch_run(const struct kv_batch *batch, struct kv_session *s,
		 struct kv_fault *f)
{
	struct reader r = {
		.in = batch->in,
		.prompt = batch->prompt ? "kverbs> " : NULL,
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
		if (ret < 0 && batch->prompt && !kv_interrupt_seen()) {
			kv_fault_print(f);
			ret = 1;
		}
	} while (ret > 0);
	free(r.text);
	return ret;
}
