// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hand/words.h"

/* Where the splitting stands. */
struct lexer {
	const char *at;
	kv_words_expand_fn *expand;
	void *arg;
	struct kv_fault *f;
	FILE *word; /* that is being collected */
};

/* isalpha() follows the locale; this does not. */
static bool begins_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool in_name(char c)
{
	return begins_name(c) || (c >= '0' && c <= '9');
}

/* The end of a line of DOS is no word. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int no_memory(struct kv_fault *f)
{
	return kv_fault_set(f, -ENOMEM, "no memory");
}

/**
 * kv_words_continue() - does a line go on with the next one?
 * @line: the line
 *
 * Return: true if it ends in a backslash that is not quoted, which is to be taken
 * off.
 */
bool kv_words_continue(const char *line)
{
	char quote = '\0', before = ' ';

	for (; *line; before = *line++) {
		if (quote == '\'') {
			if (*line == quote)
				quote = '\0';
		} else if (*line == '\\') {
			if (!line[1])
				return true;
			line++;
		} else if (quote) {
			if (*line == quote)
				quote = '\0';
		} else if (*line == '\'' || *line == '"') {
			quote = *line;
		} else if (*line == '#' && is_blank(before)) {
			return false;
		}
	}
	return false;
}

/* The length of what stands behind a $ without braces, 0 if that is no name. */
static size_t measure_reference(const char *text)
{
	size_t n = 0;

	if (!begins_name(*text))
		return 0;
	while (in_name(text[n]))
		n++;
	while (text[n] == '.' && in_name(text[n + 1])) {
		n++;
		while (in_name(text[n]))
			n++;
	}
	return n;
}

static int take_reference(struct lexer *l)
{
	const char *start = ++l->at;
	char *reference, *value;
	size_t n;
	int ret;

	if (*start == '{') {
		n = strcspn(++start, "}");
		if (!start[n])
			return kv_fault_usage(l->f, "a ${ has no }");
		l->at = start + n + 1;
	} else {
		n = measure_reference(start);
		l->at = start + n;
	}
	if (!n)
		return kv_fault_usage(l->f, "a $ has no name behind it; \\$ stands for a $ itself");
	reference = strndup(start, n);
	if (!reference)
		return no_memory(l->f);
	ret = l->expand(l->arg, reference, &value, l->f);
	free(reference);
	if (ret)
		return ret;
	fputs(value, l->word);
	free(value);
	return 0;
}

static int take_quoted(struct lexer *l)
{
	char quote = *l->at++;
	int ret;

	while (*l->at != quote) {
		if (!*l->at)
			return kv_fault_usage(l->f, "a quote %c is not closed",
					      quote);
		if (quote == '"' && *l->at == '$') {
			ret = take_reference(l);
			if (ret)
				return ret;
			continue;
		}
		/* Before any other character it stands for itself. */
		if (quote == '"' && *l->at == '\\' && l->at[1] &&
		    strchr("\"\\$", l->at[1]))
			l->at++;
		fputc(*l->at++, l->word);
	}
	l->at++;
	return 0;
}

static int take_word(struct lexer *l)
{
	int ret = 0;

	while (!ret && *l->at && !is_blank(*l->at)) {
		switch (*l->at) {
		case '\'':
		case '"':
			ret = take_quoted(l);
			break;
		case '$':
			ret = take_reference(l);
			break;
		case '\\':
			if (l->at[1])
				l->at++;
			/* fallthrough */
		default:
			fputc(*l->at++, l->word);
		}
	}
	return ret;
}

static int add_word(struct kv_words *w, struct lexer *l)
{
	char **more = realloc(w->word, (w->n + 2) * sizeof(*more));
	char *text = NULL;
	size_t size;
	int ret;

	if (!more)
		return no_memory(l->f);
	w->word = more;
	w->word[w->n] = NULL;
	l->word = open_memstream(&text, &size);
	if (!l->word)
		return no_memory(l->f);
	ret = take_word(l);
	if (fclose(l->word) && !ret)
		ret = no_memory(l->f);
	if (ret) {
		free(text);
		return ret;
	}
	w->word[w->n++] = text;
	w->word[w->n] = NULL;
	return 0;
}

static int check_characters(const char *line, struct kv_fault *f)
{
	for (; *line; line++) {
		unsigned char c = (unsigned char)*line;

		if ((c < ' ' && !is_blank(*line)) || c == 0x7f)
			return kv_fault_usage(f, "there is a control character, 0x%02x; 'mr write … hex' takes any bytes",
					      c);
	}
	return 0;
}

/**
 * kv_words_split() - make words of a line
 * @w: receives them; kv_words_free() frees them, on failure too
 * @line: the line
 * @expand: says what references stand for
 * @arg: for @expand
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_words_split(struct kv_words *w, const char *line,
		   kv_words_expand_fn *expand, void *arg, struct kv_fault *f)
{
	struct lexer l = { .at = line, .expand = expand, .arg = arg, .f = f };
	int ret;

	w->n = 0;
	w->word = calloc(1, sizeof(*w->word));
	if (!w->word)
		return no_memory(f);
	ret = check_characters(line, f);
	while (!ret) {
		while (is_blank(*l.at))
			l.at++;
		if (!*l.at || *l.at == '#')
			break;
		ret = add_word(w, &l);
	}
	return ret;
}

/**
 * kv_words_free() - free the words of a line
 * @w: the words
 */
void kv_words_free(struct kv_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->word[i]);
	free(w->word);
	w->word = NULL;
	w->n = 0;
}
