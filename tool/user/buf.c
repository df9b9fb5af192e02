// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "rules/buf.h"
#include "sys/clock.h"
#include "sys/memory.h"
#include "user/user.h"

const size_t kv_user_buf_size = sizeof(struct kv_user_buf);

/* No kernel has more nodes. */
#define NODES_MAX 1024
#define NODES_WORD (8 * sizeof(unsigned long))

static size_t whole_pages(uint64_t length)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (length + page - 1) / page * page;
}

/* Touches each page, so that the kernel finds and clears a page for it. */
static void touch(volatile uint8_t *mem, size_t length)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < length; i += page)
		mem[i] = 0;
}

/* glibc has wrappers for neither mbind() nor get_mempolicy(). */
static int bind_node(struct kv_user *u, const struct kv_user_buf *buf, uint32_t node)
{
	unsigned long nodes[NODES_MAX / NODES_WORD] = { 0 };
	int error;

	if (node >= NODES_MAX)
		return kv_user_fail(u, -EINVAL, "node %u: there is no NUMA node of this number with memory", node);
	nodes[node / NODES_WORD] = 1UL << node % NODES_WORD;
	if (!syscall(SYS_mbind, buf->mem, whole_pages(buf->length), MPOL_BIND, nodes, NODES_MAX, 0))
		return 0;
	error = errno;
	/* A kernel without NUMA does not have the call, and has all memory on node 0. */
	if (error == ENOSYS && !node)
		return 0;
	if (error == ENOSYS)
		error = EINVAL;
	return kv_user_fail(u, -error, "node %u: there is no NUMA node of this number with memory: %s", node,
			    strerror(error));
}

static uint32_t node_of(const struct kv_user_buf *buf)
{
	int node;

	/* A kernel without NUMA does not have the call. */
	if (syscall(SYS_get_mempolicy, &node, NULL, 0, buf->mem, MPOL_F_NODE | MPOL_F_ADDR))
		return 0;
	return (uint32_t)node;
}

/*
 * All pages are touched, so what Linux can't give is taken from other processes, or the process is
 * killed. As much as the buffer has is left for what is done with it. The module has a quota.
 */
static int check_memory(struct kv_user *u, uint64_t length)
{
	uint64_t available = kv_memory_for(length);

	if (length <= available / 2)
		return 0;
	return kv_user_fail(u, -EDQUOT,
			    "length is %" PRIu64 " bytes: in user space a buffer may have half of the memory that is available, which is %" PRIu64,
			    length, available);
}

static int check_init(struct kv_user *u, const struct kv_buf_init *init)
{
	if (!init->length || init->length > KV_USER_BUF_MAX)
		return kv_user_fail(u, init->length ? -EDQUOT : -ERANGE,
				    "length is %" PRIu64 " bytes: in user space it must be 1 to %llu",
				    init->length, KV_USER_BUF_MAX);
	if (init->pieces > 1)
		return kv_user_fail(u, -EOPNOTSUPP,
				    "pieces are for kernel space: in user space a buffer is one piece");
	return check_memory(u, init->length);
}

/*
 * The measured time is that of the first touch of the pages. Without the touch ibv_reg_mr() would
 * have the page faults in its time; a buffer of the kernel has no page faults.
 */
int kv_user_buf_new(struct kv_user *u, struct kv_user_buf *buf, const struct kv_buf_init *init)
{
	uint64_t start;
	int ret = check_init(u, init);

	if (ret)
		return ret;
	buf->mem = mmap(NULL, whole_pages(init->length), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buf->mem == MAP_FAILED)
		return kv_user_fail(u, -errno, "no memory for a buffer of %" PRIu64 " bytes: %s",
				    init->length, strerror(errno));
	buf->length = init->length;
	if (init->has_node)
		ret = bind_node(u, buf, init->node);
	if (ret) {
		munmap(buf->mem, whole_pages(buf->length));
		return ret;
	}
	start = kv_clock_raw_ns();
	touch(buf->mem, whole_pages(buf->length));
	u->base.times.verb_ns = kv_clock_raw_ns() - start;
	return 0;
}

int kv_user_buf_destroy(struct kv_user *u, struct kv_user_buf *buf)
{
	munmap(buf->mem, whole_pages(buf->length));
	return 0;
}

void kv_user_buf_fill(struct kv_user_buf *buf, struct kv_buf *to)
{
	to->length = buf->length;
	to->pieces = 1;
	to->node = node_of(buf);
}

static int check_range(struct kv_user *u, const struct kv_user_buf *buf, uint64_t offset,
		       uint64_t length)
{
	return kv_user_rule(u, kv_buf_rules_check_range(buf->length, offset, length, &u->why));
}

int kv_user_buf_write(struct kv_user *u, struct kv_user_buf *buf, const struct kv_buf_data *in,
		     struct kv_none *out)
{
	int ret = check_range(u, buf, in->offset, in->length);

	if (!ret)
		memcpy(buf->mem + in->offset, in->from, in->length);
	return ret;
}

int kv_user_buf_read(struct kv_user *u, struct kv_user_buf *buf, const struct kv_buf_data *in,
		    struct kv_none *out)
{
	int ret = check_range(u, buf, in->offset, in->length);

	if (!ret)
		memcpy(in->into, buf->mem + in->offset, in->length);
	return ret;
}
