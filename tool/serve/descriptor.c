// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include "serve/serve.h"

/*
 * Descriptors of the listening process that are not a client's: standard input, output and
 * error, the listening sockets, the folder of --files, three while a client's process is
 * started; the rest is for those that the process inherits.
 */
#define OTHERS 16

/**
 * kv_serve_allow_descriptors() - allow this process the descriptors that its clients need
 * @clients: at the same time
 * @f: receives why not
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
