// SPDX-License-Identifier: MIT
/*
 * terminal COLUMNS COMMAND...: runs a command on a terminal of 24 rows, prints what came there, and
 * ends as the command did.
 */
#include <errno.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct winsize size = { .ws_row = 24 };
	char buffer[4096];
	ssize_t n;
	int master, status;
	pid_t child;

	if (argc < 3 || !(size.ws_col = (unsigned short)atoi(argv[1])))
		return 2;
	child = forkpty(&master, NULL, NULL, &size);
	if (child < 0)
		return 2;
	if (!child) {
		unsetenv("COLUMNS");
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	/* EIO: the last one who had the terminal open is gone. */
	while ((n = read(master, buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && fwrite(buffer, 1, (size_t)n, stdout) != (size_t)n)
			return 2;
	if (waitpid(child, &status, 0) < 0)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
