// SPDX-License-Identifier: MIT
/* The packets of a device, which tcpdump takes off its network interface. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "out/prose.h"
#include "sys/capture.h"
#include "sys/now.h"
#include "sys/temp.h"

/* RoCE v2 is UDP to this port, RoCE v1 an Ethernet type of its own. iWARP is TCP to any port. */
#define ROCE "udp port 4791 or ether proto 0x8915"
#define IWARP "tcp"

/* tcpdump prints it when no packet is missed any more. */
#define LISTENS "listening on "

/* The status of the child if there is no tcpdump. */
#define NOT_FOUND 127

/* How long tcpdump may take at the end for the packets that the kernel has kept for it. */
#define END_NS 5000000000ULL

static int find_netdev(struct kv_capture *c, const struct kv_dev *dev, struct kv_fault *f)
{
	for (unsigned int p = 0; p < dev->listed; p++) {
		const struct kv_port *port = &dev->port[p];

		for (unsigned int i = 0; i < port->gids; i++) {
			if (!port->gid[i].netdev[0])
				continue;
			memcpy(c->netdev, port->gid[i].netdev, sizeof(c->netdev));
			return 0;
		}
	}
	return kv_fault_set(f, -ENODEV, "--pcap: %s has no network interface (in this network namespace) to capture on",
			    dev->name);
}

/* Becomes tcpdump, which Ctrl-C does not end, but the end of kverbs does. */
static void run(const struct kv_capture *c, int out, int said, const char *filter)
{
	sigset_t set;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	dup2(out, STDOUT_FILENO);
	dup2(said, STDERR_FILENO);
	/*
	 * -Z: as root tcpdump would become a user of its own, which a guest or a container may
	 * lack.
	 */
	execlp("tcpdump", "tcpdump", "-i", c->netdev, "-Z", "root", "-U", "--immediate-mode", "-w",
	       "-", filter, NULL);
	_exit(NOT_FOUND);
}

/* Starts tcpdump. If that fails, nothing stays open. */
static int start(struct kv_capture *c, int out, const char *filter)
{
	int said[2], error = 0;

	if (pipe2(said, O_CLOEXEC))
		return -errno;
	c->said = fdopen(said[0], "r");
	if (!c->said) {
		error = errno;
		close(said[0]);
		goto out_close;
	}
	c->pid = fork();
	if (!c->pid)
		run(c, out, said[1], filter);
	if (c->pid < 0) {
		error = errno;
		c->pid = 0;
		fclose(c->said);
	}
out_close:
	close(said[1]);
	return -error;
}

/* Waits until tcpdump listens; if it ends before, its own message is the reason. */
static int wait_ready(struct kv_capture *c, struct kv_fault *f)
{
	char why[512] = "", line[512];
	int status;

	while (fgets(line, sizeof(line), c->said)) {
		if (strstr(line, LISTENS))
			return 0;
		if (!why[0] && !strncmp(line, "tcpdump: ", 9))
			snprintf(why, sizeof(why), "%.*s", (int)strcspn(line + 9, "\n"), line + 9);
	}
	fclose(c->said);
	waitpid(c->pid, &status, 0);
	c->pid = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return kv_fault_set(f, -ENOENT, "--pcap: there is no tcpdump in PATH; Debian: apt-get install tcpdump");
	return kv_fault_set(f, -EPERM, "--pcap: tcpdump does not listen on %s: %s", c->netdev, why);
}

/**
 * kv_capture_begin() - have tcpdump write the packets of a device into a file
 * @c: kv_capture_end() ends it
 * @path: the file, which is replaced if tcpdump can write it
 */
int kv_capture_begin(struct kv_capture *c, const char *path, const struct kv_dev *dev,
		     struct kv_fault *f)
{
	int ret = find_netdev(c, dev, f);
	struct kv_temp file;

	if (ret)
		return ret;
	ret = kv_temp_open(&file, path);
	if (ret)
		return kv_fault_set(f, ret, "--pcap: cannot write %s: %s", path, strerror(-ret));
	ret = start(c, file.fd, kv_dev_is_iwarp(dev) ? IWARP : ROCE);
	if (ret)
		kv_fault_set(f, ret, "--pcap: cannot start tcpdump: %s", strerror(-ret));
	else
		ret = wait_ready(c, f);
	if (!ret && (ret = kv_temp_rename(&file))) {
		kv_fault_set(f, ret, "--pcap: cannot write %s: %s", path, strerror(-ret));
		kv_capture_end(c);
	}
	kv_temp_close(&file);
	return ret;
}

/*
 * Reads until tcpdump tells how many packets it has written, and how many the kernel has kept for
 * it.
 */
static bool read_counts(struct kv_capture *c, unsigned int *written, unsigned int *kept,
			unsigned int *lost)
{
	char line[512];

	while (fgets(line, sizeof(line), c->said)) {
		const char *second = strstr(line, "captured, "), *third = strstr(line, "filter, ");

		if (second && third && sscanf(line, "tcpdump: %u", written) == 1 &&
		    sscanf(second, "captured, %u", kept) == 1 && sscanf(third, "filter, %u", lost) == 1)
			return true;
	}
	return false;
}

/**
 * kv_capture_end() - end tcpdump when all packets until now are in its file
 * @c: nothing happens if it does not run
 *
 * It says on standard error if there were none, or if some were lost.
 */
void kv_capture_end(struct kv_capture *c)
{
	uint64_t end_ns = kv_now_ns() + END_NS;
	unsigned int written = 0, kept = 0, lost = 0;

	if (!c->pid)
		return;
	while (!kill(c->pid, SIGUSR1) && read_counts(c, &written, &kept, &lost) &&
	       written + lost < kept && kv_now_ns() < end_ns)
		kv_sleep_ns(10000000);
	kill(c->pid, SIGTERM);
	waitpid(c->pid, NULL, 0);
	fclose(c->said);
	c->pid = 0;
	if (!kept)
		kv_prose_print(stderr, "kverbs: --pcap: no packet has passed %s: packets between two QPs of one software device do not pass it, and packets of an RNIC bypass the kernel\n",
			       c->netdev);
	else if (written < kept)
		fprintf(stderr, "kverbs: --pcap: %u of %u packets are not in the file\n",
			kept - written, kept);
}
