// SPDX-License-Identifier: MIT
/*
 * terminal COLUMNS [--type FILE] COMMAND...: runs a command on a terminal of 24 rows, prints what came
 * there, and ends as the command did. Each line of FILE, without its newline, is typed once the tool's
 * prompt has come again; \r in it is Enter. A line that begins with ! is typed behind the one before,
 * while the command of that runs.
 */
#include <errno.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static const char prompt[] = "kverbs> ";

/* How much of the prompt has come so far. */
static size_t seen;

/* Waits until lines are edited by the tool, and no more by the terminal; or the reverse. */
static void wait_for(int master, bool edited)
{
	struct termios now;

	for (int ms = 0; ms < 30000; ms++) {
		if (tcgetattr(master, &now))
			exit(2);
		if (!(now.c_lflag & ICANON) == edited)
			return;
		usleep(1000);
	}
	exit(2);
}

static void type_line(int master, FILE *typed)
{
	char line[256];

	if (!fgets(line, sizeof(line), typed))
		return;
	line[strcspn(line, "\n")] = '\0';
	if (write(master, line, strlen(line)) < 0)
		exit(2);
}

/* Types the next line for each prompt in the output. */
static void answer(int master, FILE *typed, const char *output, size_t n)
{
	int first;

	for (size_t i = 0; i < n; i++) {
		seen = output[i] == prompt[seen] ? seen + 1 : output[i] == prompt[0];
		if (prompt[seen])
			continue;
		seen = 0;
		wait_for(master, true);
		type_line(master, typed);
		first = getc(typed);
		if (first == '!') {
			wait_for(master, false);
			type_line(master, typed);
		} else {
			ungetc(first, typed);
		}
	}
}

int main(int argc, char **argv)
{
	struct winsize size = { .ws_row = 24 };
	FILE *typed = NULL;
	char buffer[4096];
	ssize_t n;
	int master, status;
	pid_t child;

	if (argc < 3 || !(size.ws_col = (unsigned short)atoi(argv[1])))
		return 2;
	argv += 2;
	if (argc > 4 && !strcmp(*argv, "--type")) {
		typed = fopen(argv[1], "re");
		if (!typed)
			return 2;
		argv += 2;
	}
	child = forkpty(&master, NULL, NULL, &size);
	if (child < 0)
		return 2;
	if (!child) {
		unsetenv("COLUMNS");
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	/* EIO: the last one who had the terminal open is gone. */
	while ((n = read(master, buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR)) {
		if (n > 0 && fwrite(buffer, 1, (size_t)n, stdout) != (size_t)n)
			return 2;
		fflush(stdout);
		if (n > 0 && typed)
			answer(master, typed, buffer, (size_t)n);
	}
	if (waitpid(child, &status, 0) < 0)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
