// SPDX-License-Identifier: MIT
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>
#include <editline/readline.h>
#include "cli/interrupt.h"
#include "edit/edit.h"

/* The maximum number of lines in the history. */
#define LINES 1000

/* The completion of the line that is being read. */
static kv_edit_complete_fn *complete;
static void *complete_arg;

/* The file of the history; NULL: the history ends with the process. */
static char *history_file;

/* Reads a character. libedit's own function repeats a read that a signal has interrupted. */
static int read_character(FILE *in)
{
	mbstate_t state = { 0 };
	size_t length;
	wchar_t c;
	char byte;

	do {
		ssize_t n;

		do
			n = kv_interrupt_seen() ? 0 : read(fileno(in), &byte, 1);
		while (kv_interrupt_retry(n));
		if (n <= 0)
			return EOF;
		length = mbrtowc(&c, &byte, 1, &state);
	} while (length == (size_t)-2);
	return length == (size_t)-1 ? '?' : (int)c;
}

/* libedit asks for one word after the other; it frees the words. */
static char **next;

static char *take_word(const char *text, int state)
{
	return *next ? *next++ : NULL;
}

static char **find_words(const char *text, int start, int end)
{
	char *before = strndup(rl_line_buffer, (size_t)start);
	char *word = strndup(rl_line_buffer + start, (size_t)(end - start));
	char **words = before && word ? complete(before, word, complete_arg) : NULL;
	char **found = NULL;

	/* In place of the names of files. */
	rl_attempted_completion_over = 1;
	next = words;
	if (words)
		found = rl_completion_matches(text, take_word);
	free(words);
	free(word);
	free(before);
	return found;
}

/* Makes the folder of the history; returns the path of the file in it, or NULL. */
static char *find_history(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path;
	int n;

	if (state && *state == '/')
		n = asprintf(&path, "%s/kverbs/history", state);
	else if (home && *home == '/')
		n = asprintf(&path, "%s/.local/state/kverbs/history", home);
	else
		return NULL;
	if (n < 0)
		return NULL;
	for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		/* If a folder can't be made, the file can't be written. */
		mkdir(path, 0700);
	}
	return path;
}

static void initialize(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	/* For characters of several bytes. */
	setlocale(LC_CTYPE, "C.UTF-8");
	rl_readline_name = "kverbs";
	/* The tool's stdout has no descriptor. */
	rl_outstream = fdopen(STDOUT_FILENO, "w");
	rl_getc_function = read_character;
	rl_basic_word_break_characters = " \t";
	rl_attempted_completion_function = find_words;
	rl_initialize();
	using_history();
	stifle_history(LINES);
	history_file = find_history();
	if (history_file)
		read_history(history_file);
}

char *kv_edit_line(const char *prompt, kv_edit_complete_fn *fn, void *arg)
{
	char *line;

	initialize();
	complete = fn;
	complete_arg = arg;
	line = readline(prompt);
	if (line && *line) {
		add_history(line);
		if (history_file)
			write_history(history_file);
	}
	return line;
}
