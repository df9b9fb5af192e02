// SPDX-License-Identifier: MIT
/* One client on standard input and output, which ssh connects with it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "serve/serve.h"

/* Returns a nonblocking duplicate of @fd, or -1. */
static int move(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (moved >= 0)
		fcntl(moved, F_SETFL, fcntl(moved, F_GETFL) | O_NONBLOCK);
	return moved;
}

/**
 * kv_serve_stdio() - serve one client on standard input and output
 * @s: what is served
 * @f: receives a failure that the client could not be told
 *
 * The client is told why it is refused. Other output of this process does not reach the client.
 */
int kv_serve_stdio(struct kv_serve *s, struct kv_fault *f)
{
	int in, out, null, ret;

	if (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO))
		return kv_fault_usage(f, "--stdio serves a program, and this is a terminal; 'kverbs lat ssh:HOST' on another host starts it");
	ret = kv_serve_drop(f);
	if (ret)
		return ret;
	in = move(STDIN_FILENO);
	out = move(STDOUT_FILENO);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (in < 0 || out < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0)
		return kv_fault_set(f, -errno, "cannot use standard input and output: %s",
				    strerror(errno));
	close(null);
	/* If the client ends, read() and write() fail; other signals end the process at once. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	kv_serve_client(s, in, out, -1);
	return 0;
}
