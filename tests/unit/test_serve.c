// SPDX-License-Identifier: MIT
/* The process that listens, with the processes of its clients, on a fake backend. */
#define _GNU_SOURCE
#include "test.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fake_backend.h"
#include "fake_server.h"
#include "cli/interrupt.h"
#include "sys/now.h"
#include "remote/connect.h"

#define SECOND_NS 1000000000ULL

/* A server that waits takes less than 1, one that spins more than 100 even on a busy host. */
#define CPU_MS_PER_S 50

/* Clients that connect and say nothing. */
#define SILENT 12

/* Descriptors that the server may have beyond those that it has when it begins. */
#define SPARE 6

/* Bytes of a secret; HMAC hashes longer ones than 64 before it masks them. */
#define SECRET 40

#define REGION_MAX (32U << 20)

/**
 * struct world - a server in a process of its own
 * @serve: the options of its service
 * @pid: of its process; 0: it has ended
 * @out: its output, a pipe's end
 * @log: the text that the server has printed
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

/* The process of the only client. */
static pid_t find_child(const struct world *w)
{
	char path[64];
	pid_t pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", w->pid, w->pid);
	f = fopen(path, "r");
	/* Not every kernel tells. */
	if (!f)
		skip();
	assert_int_equal(fscanf(f, "%d", &pid), 1);
	fclose(f);
	return pid;
}

/* A line of /proc/PID/status, a number in hex digits. */
static uint64_t status(pid_t pid, const char *name)
{
	char path[32], line[256];
	uint64_t value = UINT64_MAX;
	size_t length = strlen(name);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, name, length) && line[length] == ':')
			value = strtoull(line + length + 1, NULL, 16);
	}
	fclose(f);
	return value;
}

static void test_capabilities(void **state)
{
	const uint64_t kept = 1ULL << CAP_NET_ADMIN | 1ULL << CAP_IPC_LOCK;
	struct world *w = *state;
	pid_t child;
	int fd;

	start(w, 0);
	fd = connect_to(w);
	assert_true(is_greeted(fd, 5000));
	child = find_child(w);
	assert_int_equal(status(child, "CapEff"), status(w->pid, "CapEff") & kept);
	assert_int_equal(status(child, "CapPrm"), status(w->pid, "CapPrm") & kept);
	assert_int_equal(status(child, "CapInh"), 0);
	assert_int_equal(status(child, "CapAmb"), 0);
	assert_int_equal(status(child, "NoNewPrivs"), 1);
	/* Only who has CAP_SETPCAP can change it. */
	if (status(w->pid, "CapEff") & 1ULL << CAP_SETPCAP)
		assert_int_equal(status(child, "CapBnd"), 0);
	assert_int_equal(end(w), 0);
	close(fd);
}

/* Letters that are in no program. @path: receives the file's name. */
static void write_secret(char *path)
{
	uint8_t secret[SECRET];
	int fd;

	assert_int_equal(getrandom(secret, sizeof(secret), 0), sizeof(secret));
	for (int i = 0; i < SECRET; i++)
		secret[i] = (uint8_t)('a' + secret[i] % 16);
	strcpy(path, "/tmp/kverbs-secret-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, secret, sizeof(secret)), sizeof(secret));
	close(fd);
	explicit_bzero(secret, sizeof(secret));
}

/* How often @bytes contain the secret: as it is, or as HMAC's inner or outer key. */
static int count_in(const uint8_t *bytes, size_t length, const struct kv_token *token)
{
	static const uint8_t masks[] = { 0, 0x36, 0x5c };
	uint8_t want[SECRET];
	int found = 0;

	for (size_t m = 0; m < sizeof(masks); m++) {
		const uint8_t *hit = bytes;

		for (int i = 0; i < SECRET; i++)
			want[i] = token->secret[i] ^ masks[m];
		while ((hit = memmem(hit, length - (size_t)(hit - bytes), want, SECRET))) {
			found++;
			hit++;
		}
	}
	return found;
}

static int count_in_region(int mem, uint64_t begin, uint64_t end, const struct kv_token *token)
{
	size_t length = end - begin, at = 0;
	uint8_t *bytes = malloc(length);
	int found;
	ssize_t n;

	while (at < length && (n = pread(mem, bytes + at, length - at, (off_t)(begin + at))) > 0)
		at += (size_t)n;
	found = count_in(bytes, at, token);
	free(bytes);
	return found;
}

static int count_secrets(pid_t pid, const struct kv_token *token)
{
	char path[32], line[512], mode[8];
	uint64_t begin, end;
	int mem, found = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	assert_true(mem >= 0 && maps);
	while (fgets(line, sizeof(line), maps)) {
		assert_int_equal(sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &begin, &end, mode), 3);
		/* Larger blocks belong to the sanitizer. */
		if (!strncmp(mode, "rw", 2) && end - begin <= REGION_MAX)
			found += count_in_region(mem, begin, end, token);
	}
	fclose(maps);
	close(mem);
	return found;
}

static void test_secret_is_wiped(void **state)
{
	struct world *w = *state;
	char path[32], dev[64], version[32];
	struct kv_limits limits;
	struct kv_token token;
	struct kv_peer peer = { .host = "there", .token_file = path };
	struct kv_wire wire;
	struct kv_fault f;
	int fd, found, before;
	uint64_t end_ns;
	pid_t child;

	write_secret(path);
	assert_int_equal(kv_token_read(&w->serve.token, path, &f), 0);
	start(w, 0);
	kv_token_wipe(&w->serve.token);
	fd = connect_to(w);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	assert_true(is_greeted(fd, 5000));
	child = find_child(w);
	assert_int_equal(kv_token_read(&token, path, &f), 0);
	before = count_secrets(child, &token);
	kv_token_wipe(&token);
	assert_int_equal(kv_wire_init(&wire, fd), 0);
	if (kv_remote_hello(&wire, &peer, KV_SPACE_KERNEL, &limits, dev, version, &f))
		fail_msg("%s", f.text);
	assert_int_equal(kv_token_read(&token, path, &f), 0);
	/* It wipes it when its answer is on the way. */
	end_ns = kv_now_ns() + 5 * SECOND_NS;
	while ((found = count_secrets(child, &token)) && kv_now_ns() < end_ns)
		poll(NULL, 0, 10);
	assert_int_equal(found, 0);
	assert_true(before > 0);
	assert_true(count_secrets(w->pid, &token) > 0);
	kv_token_wipe(&token);
	/* The client is this process. */
	unlink(path);
	kv_wire_close(&wire);
	assert_int_equal(end(w), 0);
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
		cmocka_unit_test_setup_teardown(test_capabilities, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_secret_is_wiped, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
