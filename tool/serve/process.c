// SPDX-License-Identifier: MIT
/* A process of the server: descriptors for clients, few capabilities in a client's process. */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "serve/serve.h"

/*
 * Descriptors of the listening process that are not a client's: standard input, output and error,
 * the listening sockets, the folder of --files, and three while a client's process is started. The
 * rest is for descriptors that the process inherits.
 */
#define OTHERS 16

/**
 * kv_serve_allow_descriptors() - allow this process the descriptors that its clients need
 * @clients: number of clients at the same time
 *
 * Raises the soft limit (RLIMIT_NOFILE) if it is too low; the hard limit is the
 * administrator's and stays.
 *
 * Return: 0 or a negative errno; -EMFILE: the hard limit is too low.
 */
int kv_serve_allow_descriptors(uint32_t clients, struct kv_fault *f)
{
	rlim_t need = (rlim_t)clients + KV_SERVE_PENDING + OTHERS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return kv_fault_set(f, -errno, "cannot read the limit of descriptors: %s",
				    strerror(errno));
	if (limit.rlim_cur >= need)
		return 0;
	if (limit.rlim_max < need)
		return kv_fault_set(f, -EMFILE,
				    "--clients %u needs %llu descriptors, and the hard limit is %llu: raise it ('ulimit -Hn'), or lower --clients",
				    clients, (unsigned long long)need,
				    (unsigned long long)limit.rlim_max);
	limit.rlim_cur = need;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return kv_fault_set(f, -errno, "cannot raise the limit of descriptors: %s",
				    strerror(errno));
	return 0;
}

/*
 * CAP_NET_ADMIN: the module's commands and events need it.
 * CAP_IPC_LOCK: the kernel pins user space's buffers and queues; without it they count
 *	against RLIMIT_MEMLOCK, which may be smaller than --bytes.
 *
 * Not needed: device files are opened with the rights of the user; a file that was put gets
 * its name through /proc/self/fd (CAP_DAC_READ_SEARCH would be for AT_EMPTY_PATH); no thread
 * raises its priority (CAP_SYS_NICE); raw packets and privileged Q_Keys are not served
 * (CAP_NET_RAW). Without CAP_DAC_OVERRIDE the user must have the right to write to --files.
 */
#define KEPT (1U << CAP_NET_ADMIN | 1U << CAP_IPC_LOCK)

/* Refused without CAP_SETPCAP: then no_new_privs alone keeps a program from getting more. */
static int drop_bounding(void)
{
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++) {
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) && errno != EPERM)
			return -errno;
	}
	return 0;
}

/* The kernel takes capabilities that are not permitted out of the ambient set. */
static int drop_others(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted &= i ? 0 : KEPT;
		data[i].effective &= data[i].permitted;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/**
 * kv_serve_drop() - give up all capabilities but CAP_NET_ADMIN and CAP_IPC_LOCK
 *
 * The calling thread keeps these two if it has them, and can get no others: the bounding,
 * inheritable and ambient sets are empty, and no_new_privs is set.
 */
int kv_serve_drop(struct kv_fault *f)
{
	int ret = drop_bounding() ?: drop_others();

	if (!ret && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		ret = -errno;
	return ret ? kv_fault_set(f, ret, "cannot drop capabilities: %s", strerror(-ret)) : 0;
}
