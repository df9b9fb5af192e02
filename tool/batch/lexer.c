// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "batch/lexer.h"

/* The state of the lexer. */
struct lexer {
	const char *line;
	const char *at;
	const char *end; /* of @line */
	kv_lexer_expand_fn *expand;
	void *arg;
	struct kv_fault *f;
	char *text; /* the words, each followed by a zero byte */
	size_t n; /* bytes of @text in use */
	size_t room; /* bytes of @text allocated: see make_room() */
	size_t values; /* bytes of the references' values */
};

/* Unlike isalpha(), independent of the locale. */
static bool begins_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool in_name(char c)
{
	return begins_name(c) || (c >= '0' && c <= '9');
}

/* The CR of a CRLF line ending is a blank. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/**
 * kv_lexer_is_name() - is a text a valid name of a variable?
 *
 * Return: true if it has only letters, digits and _, and does not begin with a digit.
 */
bool kv_lexer_is_name(const char *text)
{
	if (!begins_name(*text))
		return false;
	while (in_name(*text))
		text++;
	return !*text;
}

/**
 * kv_lexer_too_long() - refuse a command for its length
 *
 * Return: -EINVAL
 */
int kv_lexer_too_long(struct kv_fault *f)
{
	return kv_fault_usage(f, "the command has more than %d bytes", KV_LEXER_LINE_MAX);
}

/**
 * kv_lexer_continue() - does the next line continue a line?
 *
 * Return: true if it ends in an unquoted backslash, which the caller
 * removes.
 */
bool kv_lexer_continue(const char *line)
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

/* The length of a reference without braces; 0: the text is no reference. */
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

/*
 * Makes room for @n bytes and for the rest of the line, so that put() need not check. The zero byte
 * after a word replaces a blank; only the zero byte of the last word needs an additional byte.
 */
static int make_room(struct lexer *l, size_t n)
{
	size_t need = l->n + n + (size_t)(l->end - l->at) + 1;
	char *more;

	if (need <= l->room)
		return 0;
	more = realloc(l->text, 2 * need);
	if (!more)
		return kv_fault_no_memory(l->f);
	l->text = more;
	l->room = 2 * need;
	return 0;
}

static void put(struct lexer *l, char byte)
{
	l->text[l->n++] = byte;
}

static int put_value(struct lexer *l, const char *value)
{
	size_t n = strlen(value);
	int ret;

	l->values += n;
	if (l->values + (size_t)(l->end - l->line) > KV_LEXER_LINE_MAX)
		return kv_fault_usage(l->f, "the command has more than %d bytes once its references are replaced",
				      KV_LEXER_LINE_MAX);
	ret = make_room(l, n);
	if (ret)
		return ret;
	memcpy(l->text + l->n, value, n);
	l->n += n;
	return 0;
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
		return kv_fault_no_memory(l->f);
	ret = l->expand(l->arg, reference, &value, l->f);
	free(reference);
	if (ret)
		return ret;
	ret = put_value(l, value);
	free(value);
	return ret;
}

static int take_quoted(struct lexer *l)
{
	char quote = *l->at++;
	int ret;

	while (*l->at != quote) {
		if (!*l->at)
			return kv_fault_usage(l->f, "a quote %c is not closed", quote);
		if (quote == '"' && *l->at == '$') {
			ret = take_reference(l);
			if (ret)
				return ret;
			continue;
		}
		/* A backslash before any other character is an ordinary character. */
		if (quote == '"' && *l->at == '\\' && l->at[1] && strchr("\"\\$", l->at[1]))
			l->at++;
		put(l, *l->at++);
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
			put(l, *l->at++);
		}
	}
	return ret;
}

static int take_words(struct lexer *l, size_t *n)
{
	int ret;

	*n = 0;
	for (;;) {
		while (is_blank(*l->at))
			l->at++;
		if (!*l->at || *l->at == '#')
			return 0;
		ret = take_word(l);
		if (ret)
			return ret;
		put(l, '\0');
		(*n)++;
	}
}

/* The words follow each other in @text: finds the beginning of each. */
static int find_words(struct kv_words *w, size_t n)
{
	char *at = w->text;

	w->word = calloc(n + 1, sizeof(*w->word));
	if (!w->word)
		return -ENOMEM;
	for (w->n = 0; w->n < n; at += strlen(at) + 1)
		w->word[w->n++] = at;
	return 0;
}

static int check_characters(const char *line, struct kv_fault *f)
{
	for (; *line; line++) {
		unsigned char c = (unsigned char)*line;

		if ((c < ' ' && !is_blank(*line)) || c == 0x7f)
			return kv_fault_usage(f, "there is a control character, 0x%02x; 'buf write … hex' takes any bytes",
					      c);
	}
	return 0;
}

/**
 * kv_lexer_split() - make words of a line
 * @w: receives the words; kv_lexer_free() frees them, on failure too
 * @expand: gives the values of references
 */
int kv_lexer_split(struct kv_words *w, const char *line,
		   kv_lexer_expand_fn *expand, void *arg, struct kv_fault *f)
{
	struct lexer l = {
		.line = line,
		.at = line,
		.end = line + strlen(line),
		.expand = expand,
		.arg = arg,
		.f = f,
	};
	size_t n;
	int ret;

	memset(w, 0, sizeof(*w));
	if (l.end - line > KV_LEXER_LINE_MAX)
		return kv_lexer_too_long(f);
	ret = check_characters(line, f) ?: make_room(&l, 0) ?: take_words(&l, &n);
	w->text = l.text;
	if (!ret && find_words(w, n))
		ret = kv_fault_no_memory(f);
	return ret;
}

/** kv_lexer_free() - free the words of a line */
void kv_lexer_free(struct kv_words *w)
{
	free(w->word);
	free(w->text);
	memset(w, 0, sizeof(*w));
}
