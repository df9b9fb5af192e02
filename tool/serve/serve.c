// SPDX-License-Identifier: MIT
/* The process that listens; each client has a process of its own, see client.c. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "out/prose.h"
#include "serve/serve.h"
#include "sys/now.h"

/* How long clients' processes may take to end after SIGTERM, and after SIGKILL. */
#define STOP_NS 10000000000ULL

/* How long the server accepts no client after the kernel had no room for one. */
#define PAUSE_NS 500000000ULL

/* The process of a client. */
struct child {
	pid_t pid; /* 0: the entry is free */
	int fd; /* socket to the process */
	bool active; /* the client was admitted */
	bool closed; /* the process has closed its end of @fd */
	char name[80]; /* name of the client */
	char end[KV_SERVE_TEXT]; /* how the process ended, in its own words */
};

struct parent {
	struct kv_serve *serve;
	sigset_t old; /* signals that are blocked outside of waits */
	struct child *child; /* room for @max */
	struct pollfd *fds; /* room for @max and the listening sockets */
	unsigned int max;
	unsigned int children;
	unsigned int active;
	uint64_t accept_ns; /* no client is accepted before this time, of kv_now_ns() */
	bool wait_told; /* the log says why clients wait */
	bool stopping;
};

static void on_child(int sig)
{
}

/* Signals are taken only during waits, so that none is missed between a check and a wait. */
static int block_signals(struct parent *p)
{
	struct sigaction sa = { .sa_handler = on_child };
	sigset_t set;

	sigemptyset(&sa.sa_mask);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	signal(SIGPIPE, SIG_IGN);
	if (sigaction(SIGCHLD, &sa, NULL) || sigprocmask(SIG_BLOCK, &set, &p->old))
		return -errno;
	return 0;
}

/* Ctrl-C is for the parent. The parent's SIGTERM ends a client at once: the kernel
 * takes back all that the process has.
 */
__attribute__((noreturn))
static void be_child(struct parent *p, int fd, int to_parent, pid_t parent)
{
	char text[KV_SERVE_TEXT];
	struct kv_fault f;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	sigprocmask(SIG_SETMASK, &p->old, NULL);
	kv_serve_unlisten(p->serve);
	for (unsigned int i = 0; i < p->max; i++) {
		if (p->child[i].pid)
			close(p->child[i].fd);
	}
	if (kv_serve_drop(&f)) {
		snprintf(text, sizeof(text), "%crefused: %.300s", KV_SERVE_END, f.text);
		send(to_parent, text, strlen(text), MSG_NOSIGNAL);
		_exit(1);
	}
	kv_serve_client(p->serve, fd, -1, to_parent);
	_exit(0);
}

static struct child *free_child(struct parent *p)
{
	struct child *c = p->child;

	while (c->pid)
		c++;
	return c;
}

/* @pair: the first end stays here, the second one is the child's. */
static void start_child(struct parent *p, int fd, const int pair[2])
{
	struct child *c = free_child(p);
	pid_t self = getpid();

	kv_serve_name(fd, true, c->name, sizeof(c->name));
	fflush(stdout);
	c->pid = fork();
	if (!c->pid) {
		c->fd = pair[0];
		c->pid = self;
		be_child(p, fd, pair[1], self);
	}
	if (c->pid < 0) {
		kv_prose_print(stdout, "client %s: refused: no process for it: %s\n", c->name, strerror(errno));
		c->pid = 0;
		close(pair[0]);
		return;
	}
	c->fd = pair[0];
	c->active = false;
	c->closed = false;
	c->end[0] = '\0';
	p->children++;
}

/* Clients that are not accepted wait in the queue of the listening socket. */
static bool may_accept(const struct parent *p)
{
	return p->children < p->max && kv_now_ns() >= p->accept_ns;
}

/* The listening sockets stay readable, so they are not polled for a while. */
static void pause_accept(struct parent *p, int error)
{
	p->accept_ns = kv_now_ns() + PAUSE_NS;
	if (p->wait_told)
		return;
	p->wait_told = true;
	if (error == EMFILE)
		kv_prose_print(stdout, "clients wait: this process has no descriptor left: raise 'ulimit -n', or lower --clients\n");
	else if (error == ENFILE)
		kv_prose_print(stdout, "clients wait: this host has no file left: raise fs.file-max, or lower --clients\n");
	else
		kv_prose_print(stdout, "clients wait: the kernel has no memory for a connection (%s): lower --clients\n",
			       strerror(error));
}

static void accept_one(struct parent *p, int listener)
{
	int pair[2], fd, error;

	/* Comes before accept4(): an accepted client without this socket would be lost. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		pause_accept(p, errno);
		return;
	}
	fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	error = errno;
	if (fd >= 0) {
		start_child(p, fd, pair);
		close(fd);
	} else {
		close(pair[0]);
		if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM)
			pause_accept(p, error);
	}
	close(pair[1]);
}

/* Takes one packet of a client's process; true if there was one. */
static bool take_packet(struct parent *p, struct child *c)
{
	char text[KV_SERVE_TEXT + 1], word;
	ssize_t n = recv(c->fd, text, KV_SERVE_TEXT, MSG_DONTWAIT);

	if (n <= 0) {
		/* The process has closed its end, and is about to end: SIGCHLD tells when. */
		c->closed = !n || (errno != EAGAIN && errno != EINTR);
		return false;
	}
	text[n] = '\0';
	if (text[0] == KV_SERVE_ASK) {
		c->active = p->active < p->serve->clients;
		word = c->active ? KV_SERVE_YES : KV_SERVE_NO;
		if (c->active) {
			p->active++;
			kv_prose_print(stdout, "client %s: %s\n", c->name, text + 1);
		}
		send(c->fd, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	} else if (text[0] == KV_SERVE_NOTE) {
		kv_prose_print(stdout, "client %s: %s\n", c->name, text + 1);
	} else if (text[0] == KV_SERVE_END) {
		strcpy(c->end, text + 1);
	}
	return true;
}

static void end_child(struct parent *p, struct child *c, int status)
{
	while (take_packet(p, c))
		;
	close(c->fd);
	if (p->stopping)
		printf("client %s: ended: the server stops\n", c->name);
	else if (WIFSIGNALED(status))
		printf("client %s: ended by signal %d\n", c->name, WTERMSIG(status));
	else
		kv_prose_print(stdout, "client %s: %s\n", c->name, c->end[0] ? c->end : "ended without a word");
	p->active -= c->active;
	p->children--;
	/* There is room for a client again. */
	p->accept_ns = 0;
	c->pid = 0;
}

static void reap(struct parent *p)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (unsigned int i = 0; i < p->max; i++) {
			if (p->child[i].pid == pid)
				end_child(p, &p->child[i], status);
		}
	}
}

static bool is_open(const struct child *c)
{
	return c->pid && !c->closed;
}

/* Polls open descriptors only: ppoll() refuses more entries than a process may have descriptors. */
static unsigned int watch(struct parent *p, unsigned int *listeners)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < p->serve->listeners && may_accept(p); i++)
		p->fds[n++] = (struct pollfd){
			.fd = p->serve->listener[i],
			.events = POLLIN,
		};
	*listeners = n;
	for (unsigned int i = 0; i < p->max; i++) {
		if (is_open(&p->child[i]))
			p->fds[n++] = (struct pollfd){
				.fd = p->child[i].fd,
				.events = POLLIN,
			};
	}
	return n;
}

/* Signals, which are blocked outside of waits, may end the wait. */
static int poll_for(struct parent *p, unsigned int n, uint64_t ns)
{
	const struct timespec ts = kv_timespec(ns);

	return ppoll(p->fds, n, &ts, &p->old);
}

/* Waits until one of @n descriptors is ready, at most @ns. Returns true if one may be ready. */
static bool wait_for(struct parent *p, unsigned int n, uint64_t ns)
{
	uint64_t now = kv_now_ns();
	int ret;

	if (p->accept_ns > now && p->accept_ns - now < ns)
		ns = p->accept_ns - now;
	ret = poll_for(p, n, ns);
	if (ret >= 0 || errno == EINTR)
		return ret > 0;
	/* No memory, or a lower limit of descriptors: the server goes on, but slowly. */
	poll_for(p, 0, PAUSE_NS);
	for (unsigned int i = 0; i < n; i++)
		p->fds[i].revents = POLLIN;
	return true;
}

/* Waits until something happens, at most @ns. */
static void wait_once(struct parent *p, uint64_t ns)
{
	unsigned int listeners, n = watch(p, &listeners);
	const struct pollfd *at = p->fds;
	bool waiting = false;

	if (wait_for(p, n, ns)) {
		at += listeners;
		for (unsigned int i = 0; i < p->max; i++) {
			if (is_open(&p->child[i]) && at++->revents)
				take_packet(p, &p->child[i]);
		}
		for (unsigned int i = 0; i < listeners; i++) {
			if (!p->fds[i].revents)
				continue;
			waiting = true;
			if (may_accept(p))
				accept_one(p, p->fds[i].fd);
		}
	}
	if (listeners && !waiting)
		p->wait_told = false;
	reap(p);
	fflush(stdout);
}

static void kill_children(struct parent *p, int sig)
{
	for (unsigned int i = 0; i < p->max; i++) {
		if (p->child[i].pid)
			kill(p->child[i].pid, sig);
	}
}

static void stop(struct parent *p)
{
	static const int sig[] = { SIGTERM, SIGKILL };

	p->stopping = true;
	kv_serve_unlisten(p->serve);
	for (unsigned int i = 0; i < 2 && p->children; i++) {
		uint64_t end_ns = kv_now_ns() + STOP_NS;

		kill_children(p, sig[i]);
		while (p->children && kv_now_ns() < end_ns)
			wait_once(p, 100000000);
	}
}

static void announce(const struct kv_serve *s)
{
	struct kv_prose prose;
	FILE *out = kv_prose_begin(&prose, stdout);
	char name[80];

	fprintf(out, "kverbs %s serves %s space on", KVERBS_VERSION, !s->space[KV_SPACE_USER] ? "kernel" :
	       !s->space[KV_SPACE_KERNEL] ? "user" : "kernel and user");
	for (unsigned int i = 0; i < s->listeners; i++) {
		kv_serve_name(s->listener[i], false, name, sizeof(name));
		fprintf(out, "%s %s", i ? "," : "", name);
	}
	fprintf(out, "; %s\n", s->token.length ? "with a token" :
			 kv_serve_is_local(s) ? "no token: for this host only; --token FILE or --no-token serve other hosts" :
						"no token: every client that reaches the port may use it");
	kv_prose_end(&prose);
	fflush(stdout);
}

/**
 * kv_serve_run() - serve until a signal ends it (see interrupt.h)
 * @s: is listening; does not listen any more afterwards
 */
int kv_serve_run(struct kv_serve *s, struct kv_fault *f)
{
	struct parent p = {
		.serve = s,
		.max = s->clients + KV_SERVE_PENDING,
	};
	int ret;

	p.child = calloc(p.max, sizeof(*p.child));
	p.fds = calloc(p.max + KV_SERVE_LISTENERS, sizeof(*p.fds));
	if (!p.child || !p.fds) {
		ret = kv_fault_no_memory(f);
		goto out_free;
	}
	ret = block_signals(&p);
	if (ret) {
		kv_fault_set(f, ret, "cannot handle signals: %s", strerror(-ret));
		goto out_free;
	}
	announce(s);
	while (!kv_interrupt_seen())
		wait_once(&p, 1000000000);
	stop(&p);
	printf("stopped\n");
	fflush(stdout);
	sigprocmask(SIG_SETMASK, &p.old, NULL);
out_free:
	free(p.fds);
	free(p.child);
	return ret;
}
