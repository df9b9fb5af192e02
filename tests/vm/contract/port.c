// SPDX-License-Identifier: MIT
/* A socket's port number is free before its objects are gone: the next socket with that number. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include "contract.h"

#define ROUNDS 20
#define OBJECTS 300
/* A kernel that watches each allocation takes 12 ms an object. */
#define ROUNDS_WATCHED 4
#define OBJECTS_WATCHED 60

/* A number that the C library's sockets don't get: those have the process's id in the low 22 bits. */
#define NUMBER 0x7ffff000U

static unsigned int rounds, objects;

/**
 * struct heir - the socket that has the number next; filled by a thread of its own
 * @number: to bind to; 0: a number of the kernel's, until that is the process's id
 * @family: generic netlink id
 * @waits: the thread is about to ask for the number
 * @stop: the old socket is closed
 * @l: the connection
 * @pd: id of its only object
 * @foreign: objects in its lists that it has not made, the most at a time
 */
struct heir {
	uint32_t number;
	int family;
	atomic_bool waits;
	atomic_bool stop;
	struct link l;
	uint32_t pd;
	unsigned int foreign;
};

static int new_socket(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (fd < 0)
		bail_out("no netlink socket");
	return fd;
}

static uint32_t number_of(int fd)
{
	struct sockaddr_nl addr;
	socklen_t length = sizeof(addr);

	if (getsockname(fd, (struct sockaddr *)&addr, &length))
		bail_out("a socket has no number: %s", strerror(errno));
	return addr.nl_pid;
}

static int bind_number(uint32_t number)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_pid = number };
	int fd = new_socket();

	while (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		if (errno != EADDRINUSE)
			bail_out("bind: %s", strerror(errno));
	return fd;
}

/* The kernel gives the process's id to the first socket that asks for none. */
static int bind_any(void)
{
	int fd;

	while (number_of(fd = bind_number(0)) != (uint32_t)getpid())
		close(fd);
	return fd;
}

static void link_of(struct link *l, int fd, int family)
{
	int one = 1;

	memset(l, 0, sizeof(*l));
	l->nl.base.ops = &kv_nl_backend_ops;
	l->nl.family = family;
	l->nl.sock = nl_socket_alloc();
	if (!l->nl.sock || nl_socket_set_fd(l->nl.sock, NETLINK_GENERIC, fd))
		bail_out("libnl does not take the socket");
	nl_socket_set_msg_buf_size(l->nl.sock, 32768);
	nl_socket_disable_auto_ack(l->nl.sock);
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
}

static int on_listed(const union kv_object *object, void *arg)
{
	(void)object;
	++*(unsigned int *)arg;
	return 0;
}

/* Objects of others may come and go meanwhile: an interrupted list counts, too. */
static unsigned int listed(struct link *l, enum kv_type noun)
{
	unsigned int n = 0;
	int ret = kv_nl_each(&l->nl.base, noun, on_listed, &n);

	if (ret && ret != -EINTR)
		bail_out("list: %d \"%s\"", ret, l->nl.base.err);
	return n;
}

static void *inherit(void *arg)
{
	struct heir *h = arg;
	unsigned int pds, mrs;

	atomic_store(&h->waits, true);
	link_of(&h->l, h->number ? bind_number(h->number) : bind_any(), h->family);
	h->pd = make_pd(&h->l);
	do {
		pds = listed(&h->l, KV_PD);
		mrs = listed(&h->l, KV_MR);
		if (pds + mrs > h->foreign + 1)
			h->foreign = pds + mrs - 1;
	} while (!atomic_load(&h->stop));
	return NULL;
}

/* Half of them come late in the order of destruction, as the heir's pd does. */
static void make_objects(struct link *l)
{
	uint32_t pd = make_pd(l);
	unsigned int i;

	for (i = 1; i < objects; i++) {
		if (i % 2)
			make_mr(l, pd);
		else
			make_pd(l);
	}
}

/* Until there is at most one object: the old socket's are gone. */
static void wait_gone(struct link *watch)
{
	struct kv_info info;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		must(watch, call_info_get(&watch->nl, &info), "info");
		if (info.created - info.destroyed <= 1)
			return;
		usleep(10000);
	}
	bail_out("the old socket's objects stay");
}

/* true: the heir has lost its pd */
static bool play_round(struct link *watch, struct link *old, struct heir *h)
{
	pthread_t thread;
	struct kv_pd pd;

	make_objects(old);
	if (pthread_create(&thread, NULL, inherit, h))
		bail_out("no thread");
	while (!atomic_load(&h->waits))
		;
	kv_nl_close(&old->nl);
	wait_gone(watch);
	atomic_store(&h->stop, true);
	pthread_join(thread, NULL);
	return call_get(&h->l.nl, KV_PD, h->pd, &pd);
}

static void test_rounds(uint32_t number, const char *name)
{
	unsigned int i, lost = 0, seen = 0, most = 0;
	struct link old, watch;
	struct heir h;
	/* First of all: it must be this one that gets the process's id. */
	int fd = number ? bind_number(number) : bind_any();

	link_open(&watch);
	link_of(&old, fd, watch.nl.family);
	for (i = 0; i < rounds; i++) {
		h = (struct heir){ .number = number, .family = watch.nl.family };
		lost += play_round(&watch, &old, &h);
		seen += h.foreign > 0;
		if (h.foreign > most)
			most = h.foreign;
		kv_nl_close(&h.l.nl);
		wait_gone(&watch);
		link_of(&old, number ? bind_number(number) : bind_any(), watch.nl.family);
	}
	result(!lost, "%s: the new socket's pd outlives the old socket's objects", name);
	result(!seen, "%s: the new socket sees none of the old socket's objects", name);
	note("  %u rounds: the pd was gone after %u of them, in %u others' objects were listed, up to %u",
	     rounds, lost, seen, most);
	kv_nl_close(&old.nl);
	link_close(&watch);
}

void test_port(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		skip("a port number that is taken again", "it takes a second CPU to be fast enough");
		return;
	}
	rounds = is_watched() ? ROUNDS_WATCHED : ROUNDS;
	objects = is_watched() ? OBJECTS_WATCHED : OBJECTS;
	test_rounds(NUMBER, "a number that is asked for");
	test_rounds(0, "a number that the kernel gives");
}
