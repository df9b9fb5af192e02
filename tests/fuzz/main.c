// SPDX-License-Identifier: MIT
#include <kverbs.h>
#include <execinfo.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "fuzz.h"

#define PROGRESS_S 10
/* Sessions that persistent objects and the other network namespace outlive. */
#define SESSIONS 16
/* How long one may take. */
#define SESSION_S 3.0
/* Variants of a session's messages that are sent between two of them, at most. */
#define BURST 48
#define JOBS 16
/* Each sends so many in the time that it is given, or there was no fuzzing. */
#define MESSAGES_MIN 500

struct place place;

static const char usage[] =
	"usage: fuzz [--seed N] [--messages N] [--time S] [--jobs N] [--plain] [--out FILE]\n"
	"\n"
	"Sends messages to the module that are valid, or nearly so, until there were\n"
	"N of them or S seconds are over, and looks whether anything is left then.\n"
	"\n"
	"  --seed N      of the random numbers; else the time\n"
	"  --messages N  default 100000; 0: no end\n"
	"  --time S      default 0: no end\n"
	"  --jobs N      processes that do so at a time, and share the messages; default 1\n"
	"  --plain       send the valid sessions as they are, each once; none may be refused\n"
	"  --out FILE    where the points go that KCOV saw, for tests/fuzz/coverage; each\n"
	"                process adds its number\n"
	"\n"
	"DEV, ADDR, ADDR6 and GID of the environment name the RDMA device, the addresses\n"
	"of its netdev, and the index of the first one's GID; with DRIVER siw nothing is\n"
	"sent that iWARP has not.\n";

static struct options {
	uint64_t seed;
	uint64_t messages;
	double time;
	unsigned int jobs;
	bool plain;
	const char *out;
} options = { .messages = 100000, .jobs = 1 };

/* Of this process, 0 is the one that waits for the others. */
static unsigned int job;

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void print_progress(double elapsed, bool kcov)
{
	printf("fuzz %u: %.0f s, %llu messages (%.0f/s)", job, elapsed, (unsigned long long)sent,
	       (double)sent / elapsed);
	if (kcov)
		printf(", %u sequences, %u points", corpus_size(), kcov_points());
	printf("\n");
}

/* Sends a message; true if it reaches something new. */
static bool try(const struct message *m)
{
	kcov_start();
	session_send(m);
	return kcov_take();
}

/* In the middle of a session: messages that are nearly those that it consists of. */
static void burst(const struct sequence *s, unsigned int at)
{
	static struct message m;
	unsigned int n;

	for (n = random_below(BURST); n; n--) {
		m = s->message[one_in(2) ? at : random_below(s->messages)];
		mutate_message(&m);
		if (try(&m))
			corpus_add(s, at, &m);
	}
}

/* One session; a variant that reaches new code is kept. */
static void play(const struct sequence *s, bool bursts, bool all)
{
	double begin = seconds();
	unsigned int i, keep = 0;

	for (i = 0; i < s->messages; i++) {
		if (bursts && one_in(2))
			burst(s, i);
		if (try(&s->message[i]))
			keep = i + 1;
		/* A QP that is stuck makes what follows wait, for seconds. */
		if (seconds() - begin > SESSION_S)
			break;
	}
	kcov_start();
	session_end(all);
	if (kcov_take())
		keep = i;
	if (keep)
		corpus_add(s, keep, NULL);
}

/* How many messages of theirs were refused, if they are sent as they are. */
static unsigned int play_seeds(void)
{
	unsigned int which, i, wrong = 0;
	static struct sequence s;

	for (which = 0; which < seed_count(); which++) {
		seed_make(which, &s);
		if (!options.plain) {
			play(&s, false, true);
			continue;
		}
		for (i = 0; i < s.messages; i++)
			if (!session_send(&s.message[i])) {
				printf("fuzz: seed %u: message %u (command %u) was refused\n",
				       which, i, s.message[i].command);
				wrong++;
			}
		session_end(true);
	}
	return wrong;
}

static bool ended(double elapsed)
{
	return (options.messages && sent >= options.messages) ||
	       (options.time && elapsed >= options.time);
}

/* 0, or 1 if valid sessions are none, or there were too few messages. */
static int play_all(bool kcov)
{
	static struct sequence s, other;
	double begin = seconds(), told = 0, elapsed;
	unsigned int n = 0, wrong;

	session_talks = options.plain;
	wrong = play_seeds();
	while (!ended(elapsed = seconds() - begin) && !options.plain) {
		if (elapsed - told >= PROGRESS_S) {
			told = elapsed;
			print_progress(elapsed, kcov);
		}
		corpus_pick(&s);
		corpus_pick(&other);
		mutate_sequence(&s, &other);
		play(&s, true, n++ % SESSIONS == SESSIONS - 1);
	}
	print_progress(seconds() - begin, kcov);
	if (options.plain)
		return wrong > 0;
	if (sent >= MESSAGES_MIN || (options.messages && sent >= options.messages))
		return 0;
	printf("fuzz: FAILED: only %llu messages\n", (unsigned long long)sent);
	return 1;
}

static void parse_options(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "messages", required_argument, NULL, 'm' },
		{ "time", required_argument, NULL, 't' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "plain", no_argument, NULL, 'p' },
		{ "out", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	int opt;

	options.seed = (uint64_t)time(NULL);
	while ((opt = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (opt) {
		case 's':
			options.seed = strtoull(optarg, NULL, 0);
			break;
		case 'm':
			options.messages = strtoull(optarg, NULL, 0);
			break;
		case 't':
			options.time = strtod(optarg, NULL);
			break;
		case 'j':
			options.jobs = (unsigned int)strtoul(optarg, NULL, 0);
			break;
		case 'p':
			options.plain = true;
			break;
		case 'o':
			options.out = optarg;
			break;
		default:
			fputs(usage, opt == 'h' ? stdout : stderr);
			exit(opt == 'h' ? 0 : 2);
		}
	}
}

static const char *env(const char *name, const char *otherwise)
{
	return getenv(name) ?: otherwise;
}

/* Others are started, each with numbers of its own. */
static void start_jobs(void)
{
	if (options.jobs < 1 || options.jobs > JOBS) {
		fprintf(stderr, "fuzz: --jobs takes 1 .. %u\n", JOBS);
		exit(2);
	}
	options.messages = (options.messages + options.jobs - 1) / options.jobs;
	/* Each has counted down to its own number; one that can't be made is missed at the end. */
	for (job = options.jobs - 1; job && fork(); job--)
		;
	options.seed += job;
}

/* 0 if all others have ended well. */
static int wait_jobs(void)
{
	unsigned int others = 0;
	int status, failed = 0;
	pid_t pid;

	for (; (pid = wait(&status)) > 0; others++) {
		failed |= status;
		if (WIFSIGNALED(status))
			printf("fuzz: FAILED: process %d was killed by signal %d\n", pid, WTERMSIG(status));
	}
	if (others + 1 < options.jobs)
		printf("fuzz: FAILED: %u of %u processes could not be made\n",
		       options.jobs - 1 - others, options.jobs);
	return failed || others + 1 < options.jobs;
}

/* A defect of ours: where. addr2line takes the offsets that are printed. */
static void crashed(int signal)
{
	void *frame[32];

	dprintf(STDOUT_FILENO, "fuzz %u: FAILED: signal %d, message %llu\n", job, signal,
		(unsigned long long)sent);
	backtrace_symbols_fd(frame, backtrace(frame, 32), STDOUT_FILENO);
	raise(signal);
}

static void catch_crashes(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	const struct sigaction action = { .sa_handler = crashed, .sa_flags = SA_RESETHAND };
	void *frame[1];

	/* The first call loads a library. */
	backtrace(frame, 1);
	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

static int save_points(void)
{
	char path[256];

	snprintf(path, sizeof(path), "%s.%u", options.out, job);
	if (!kcov_save(path))
		return 0;
	fprintf(stderr, "fuzz: cannot write %s\n", path);
	return 1;
}

int main(int argc, char **argv)
{
	int failed = 0;
	bool kcov;

	parse_options(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	catch_crashes();
	place.dev = env("DEV", "rxe0");
	place.addr = env("ADDR", "192.0.2.1");
	place.addr6 = env("ADDR6", "2001:db8::1");
	place.iwarp = !strcmp(env("DRIVER", "rxe"), "siw");
	place.gid = (unsigned int)strtoul(env("GID", "1"), NULL, 0);
	start_jobs();
	if (policy_read(KVERBS_GENL_NAME) || session_open()) {
		fprintf(stderr, "fuzz: the module is not there, or tells no policies\n");
		return 1;
	}
	kcov = kcov_open(job);
	printf("fuzz %u: seed %llu, %u commands, %s\n", job, (unsigned long long)options.seed,
	       family.commands, kcov ? "guided by KCOV" : "random: this kernel has no KCOV");
	random_seed(options.seed);
	failed |= play_all(kcov);
	session_end(true);
	failed |= session_print(options.plain);
	if (kcov && options.out)
		failed |= save_points();
	if (job)
		return failed;
	failed |= wait_jobs();
	if (session_balance()) {
		printf("fuzz: FAILED: objects or buffers are left\n");
		failed = 1;
	}
	return !!failed;
}
