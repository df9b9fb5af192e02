// SPDX-License-Identifier: MIT
/* A server that ssh starts on another host: the user's ssh knows the host and its keys. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "remote/ssh.h"
#include "sys/now.h"

/* A shell reads KVERBS_SSH. ssh notices after 12 s that a host is gone. */
#define DEFAULT "ssh -oServerAliveInterval=4 -oServerAliveCountMax=2"
#define COMMAND "eval \"exec ${KVERBS_SSH:-" DEFAULT "} \\\"\\$@\\\"\""

/* The command on the other host, for a shell there. */
#define SERVER "KVERBS_SSH_SERVER"
#define SERVER_DEFAULT "kverbs serve --stdio"

/* How long ssh may take to end without input, and then after it was told to end. */
#define END_NS 2000000000ULL

/* The status of ssh if ssh itself has failed, and of a shell that does not find the command. */
#define STATUS_SSH 255
#define STATUS_NOT_FOUND 127

static const char *server_command(void)
{
	const char *text = getenv(SERVER);

	return text && *text ? text : SERVER_DEFAULT;
}

/*
 * ssh starts with SIGINT blocked: after Ctrl-C, kverbs still needs the connection to destroy its
 * objects on the other host.
 */
static int spawn(char *const *argv, int end, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t set;
	int ret;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_adddup2(&files, end, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, end, STDOUT_FILENO);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	posix_spawnattr_setsigmask(&attr, &set);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	ret = posix_spawnp(pid, argv[0], &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return -ret;
}

/**
 * kv_ssh_start() - have ssh start a server on another host
 * @peer: the other host
 * @fd: receives a nonblocking socket to it
 * @pid: receives ssh's process; kv_ssh_end() ends it, after @fd was closed
 *
 * The questions and messages of ssh go to the terminal and to standard error.
 */
int kv_ssh_start(const struct kv_peer *peer, int *fd, pid_t *pid, struct kv_fault *f)
{
	char *argv[] = { "sh", "-c", COMMAND, "sh", "-p", (char *)peer->port, (char *)peer->host,
			 (char *)server_command(), NULL };
	int pair[2], ret;

	if (!peer->port)
		memmove(&argv[4], &argv[6], 3 * sizeof(argv[0]));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return kv_fault_set(f, -errno, "no socket for ssh: %s", strerror(errno));
	ret = spawn(argv, pair[1], pid);
	close(pair[1]);
	if (ret) {
		close(pair[0]);
		return kv_fault_set(f, ret, "cannot run ssh: %s", strerror(-ret));
	}
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	*fd = pair[0];
	return 0;
}

/* Returns true if ssh has ended within END_NS. */
static bool wait_end(pid_t *pid, int *status)
{
	uint64_t end_ns = kv_now_ns() + END_NS;
	pid_t ret;

	while (!(ret = waitpid(*pid, status, WNOHANG)) && kv_now_ns() < end_ns)
		poll(NULL, 0, 10);
	if (!ret)
		return false;
	*pid = 0;
	return ret > 0;
}

/**
 * kv_ssh_explain() - why the connection has ended before the server's hello
 * @peer: the server's host
 * @pid: ssh's process; becomes 0 if it has ended
 *
 * Return: -ECONNRESET, also as @f's error.
 */
int kv_ssh_explain(const struct kv_peer *peer, pid_t *pid, struct kv_fault *f)
{
	const char *server = server_command();
	int status;

	if (!wait_end(pid, &status))
		return kv_fault_set(f, -ECONNRESET, "%s: '%s' there has closed the connection",
				    peer->host, server);
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_SSH)
		return kv_fault_set(f, -ECONNRESET, "%s: ssh has failed, see its message above",
				    peer->host);
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND)
		return kv_fault_set(f, -ECONNRESET,
				    "%s: there is no command '%s' on that host, or no ssh here; " SERVER "='/PATH/kverbs serve --stdio' names that command, KVERBS_SSH the ssh",
				    peer->host, server);
	return kv_fault_set(f, -ECONNRESET, "%s: '%s' there ended with status %d before it said hello",
			    peer->host, server, WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

/**
 * kv_ssh_end() - make ssh end, and wait for its end
 * @pid: ssh's process, which has no more input; 0: there is none; becomes 0
 */
void kv_ssh_end(pid_t *pid)
{
	int status;

	if (!*pid || wait_end(pid, &status))
		return;
	kill(*pid, SIGTERM);
	if (wait_end(pid, &status))
		return;
	kill(*pid, SIGKILL);
	waitpid(*pid, &status, 0);
	*pid = 0;
}
