// SPDX-License-Identifier: MIT
/* The process that listens, with the processes of its clients, on a fake backend. */
#define _GNU_SOURCE
#include "test.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fake_backend.h"
#include "fake_server.h"
#include "interrupt.h"
#include "now.h"

#define SECOND_NS 1000000000ULL

/* A server that waits takes less than 1, one that spins more than 100 even on a busy host. */
#define CPU_MS_PER_S 50

/* Clients that connect and say nothing. */
#define SILENT 12

/* Descriptors that the server may have beyond those that it has when it begins. */
#define SPARE 6

/**
 * struct world - a server in a process of its own
 * @serve: what it serves
 * @pid: of its process; 0: it has ended
 * @out: what it prints, a pipe's end
 * @log: what it has printed
 * @at: where it listens
 * @silent: clients
 */
struct world {
	struct kv_serve serve;
	pid_t pid;
	int out;
	char log[8192];
	struct sockaddr_in at;
	int silent[SILENT];
};

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	socklen_t len = sizeof(w->at);
	struct kv_fault f;

	fake_world_reset();
	fake_serve_init(&w->serve);
	w->serve.clients = 16;
	w->serve.bind = "127.0.0.1";
	w->serve.port = "0";
	assert_int_equal(kv_serve_listen(&w->serve, &f), 0);
	assert_int_equal(getsockname(w->serve.listener[0], (struct sockaddr *)&w->at, &len), 0);
	*state = w;
	return 0;
}

/* The lowest number that a descriptor may still get. */
static rlim_t next_descriptor(void)
{
	int fd = open("/dev/null", O_RDONLY);

	close(fd);
	return (rlim_t)fd;
}

/* With @spare: no more than so many further descriptors. */
static void start(struct world *w, rlim_t spare)
{
	struct rlimit limit;
	struct kv_fault f;
	int out[2];

	assert_int_equal(pipe(out), 0);
	fflush(stdout);
	w->pid = fork();
	assert_true(w->pid >= 0);
	if (!w->pid) {
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		close(out[1]);
		getrlimit(RLIMIT_NOFILE, &limit);
		if (spare)
			limit.rlim_cur = next_descriptor() + spare;
		if (kv_interrupt_init() || setrlimit(RLIMIT_NOFILE, &limit))
			_exit(1);
		_exit(kv_serve_run(&w->serve, &f) ? 1 : 0);
	}
	close(out[1]);
	w->out = out[0];
	fcntl(w->out, F_SETFL, O_NONBLOCK);
	kv_serve_unlisten(&w->serve);
}

static void read_log(struct world *w)
{
	size_t length = strlen(w->log);
	ssize_t n;

	while ((n = read(w->out, w->log + length, sizeof(w->log) - 1 - length)) > 0)
		length += (size_t)n;
	w->log[length] = '\0';
}

/* Until the server has ended: its exit status, or -1 if it has not after 5 s. */
static int end(struct world *w)
{
	uint64_t end_ns = kv_now_ns() + 5 * SECOND_NS;
	int status;

	kill(w->pid, SIGTERM);
	while (!waitpid(w->pid, &status, WNOHANG)) {
		if (kv_now_ns() > end_ns)
			return -1;
		poll(NULL, 0, 10);
	}
	w->pid = 0;
	read_log(w);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	if (w->pid) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, NULL, 0);
	}
	close(w->out);
	free(w);
	return 0;
}

static int connect_to(const struct world *w)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (const struct sockaddr *)&w->at, sizeof(w->at)), 0);
	return fd;
}

/* Does the server say hello to a client within so many ms? */
static bool is_greeted(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char magic[4];

	return poll(&p, 1, ms) == 1 && recv(fd, magic, sizeof(magic), MSG_PEEK) == 4 &&
	       !memcmp(magic, "kvb1", 4);
}

/* CPU time of a process, without its children's. */
static long cpu_ms(pid_t pid)
{
	char path[32], text[1024];
	unsigned long user, system;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_int_equal(sscanf(strrchr(text, ')'),
				") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
				&user, &system), 2);
	return (long)(user + system) * 1000 / sysconf(_SC_CLK_TCK);
}

static void assert_idle(const struct world *w, int seconds)
{
	long before = cpu_ms(w->pid), took;

	poll(NULL, 0, seconds * 1000);
	took = cpu_ms(w->pid) - before;
	if (took > seconds * CPU_MS_PER_S)
		fail_msg("the server has taken %ld ms of CPU time in %d s", took, seconds);
}

static void assert_logged(struct world *w, const char *part, int times)
{
	int n = 0;

	read_log(w);
	for (const char *at = w->log; (at = strstr(at, part)); at++)
		n++;
	if (n != times)
		fail_msg("the server says '%s' %d times, not %d: %s", part, n, times, w->log);
}

static void test_no_descriptor_left(void **state)
{
	struct world *w = *state;
	int late;

	start(w, SPARE);
	for (int i = 0; i < SILENT; i++)
		w->silent[i] = connect_to(w);
	assert_true(is_greeted(w->silent[0], 5000));
	late = connect_to(w);
	assert_idle(w, 3);
	assert_logged(w, "clients wait: this process has no descriptor left: raise 'ulimit -n', or lower --clients\n", 1);
	assert_false(is_greeted(late, 0));
	for (int i = 0; i < SILENT; i++)
		close(w->silent[i]);
	assert_true(is_greeted(late, 5000));
	assert_int_equal(end(w), 0);
	assert_logged(w, "stopped\n", 1);
	close(late);
}

static void test_no_descriptor_left_and_sigterm(void **state)
{
	struct world *w = *state;

	start(w, SPARE);
	for (int i = 0; i < SILENT; i++)
		w->silent[i] = connect_to(w);
	assert_true(is_greeted(w->silent[0], 5000));
	assert_int_equal(end(w), 0);
	assert_logged(w, "stopped\n", 1);
	for (int i = 0; i < SILENT; i++)
		close(w->silent[i]);
}

/* Then ppoll() refuses what the server waits for. */
static void test_limit_below_open_descriptors(void **state)
{
	const struct rlimit one = { 1, 1 };
	struct world *w = *state;
	int fd;

	start(w, 0);
	fd = connect_to(w);
	assert_true(is_greeted(fd, 5000));
	assert_int_equal(prlimit(w->pid, RLIMIT_NOFILE, &one, NULL), 0);
	assert_idle(w, 2);
	assert_int_equal(end(w), 0);
	assert_logged(w, "stopped\n", 1);
	close(fd);
}

static void test_limit_is_raised(void **state)
{
	struct rlimit old, limit;
	struct kv_fault f;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	limit = old;
	limit.rlim_cur = 30;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(kv_serve_allow_descriptors(100, &f), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_in_range(limit.rlim_cur, 100 + KV_SERVE_PENDING, 200);
	assert_int_equal(limit.rlim_max, old.rlim_max);
	if (old.rlim_max < UINT32_MAX) {
		assert_int_equal(kv_serve_allow_descriptors(UINT32_MAX, &f), -EMFILE);
		if (!strstr(f.text, "--clients 4294967295 needs"))
			fail_msg("%s", f.text);
	}
	/* A limit that is high enough stays. */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(kv_serve_allow_descriptors(1, &f), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(limit.rlim_cur, old.rlim_cur);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_no_descriptor_left, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_descriptor_left_and_sigterm, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_limit_below_open_descriptors, set_up,
						tear_down),
		cmocka_unit_test(test_limit_is_raised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
