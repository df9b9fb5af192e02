// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "sys/clock.h"
#include "user/user.h"

/* Memory of the process is cheap, but a typing mistake should not take it all. */
#define BYTES_MAX (1ULL << 30)

_Static_assert(KVERBS_ACCESS_LOCAL_WRITE == IBV_ACCESS_LOCAL_WRITE, "access");
_Static_assert(KVERBS_ACCESS_REMOTE_WRITE == IBV_ACCESS_REMOTE_WRITE, "access");
_Static_assert(KVERBS_ACCESS_REMOTE_READ == IBV_ACCESS_REMOTE_READ, "access");
_Static_assert(KVERBS_ACCESS_REMOTE_ATOMIC == IBV_ACCESS_REMOTE_ATOMIC, "access");

/**
 * kv_user_mr_bytes_max() - the largest buffer that kv_user_mr_new() makes
 * @dev: on which device
 *
 * Return: bytes: the device's max_mr_size, at most 1 GiB.
 */
uint64_t kv_user_mr_bytes_max(const struct kv_user_dev *dev)
{
	uint64_t max = dev->attr.max_mr_size;

	return max < BYTES_MAX ? max : BYTES_MAX;
}

static size_t whole_pages(uint64_t length)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (length + page - 1) / page * page;
}

/* The kernel finds a page for each, and clears it. */
static void touch(volatile uint8_t *buf, size_t length)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < length; i += page)
		buf[i] = 0;
}

/*
 * Its time is that of the first touch of the pages: user space has no verb that makes an MR before
 * it is registered, and ibv_reg_mr() would have the page faults in its time, of which a buffer of
 * the kernel's has none.
 */
int kv_user_mr_new(struct kv_user *u, struct kv_user_mr *mr, const struct kv_mr_init *init,
		   uint64_t *ns)
{
	uint64_t max = kv_user_mr_bytes_max(mr->obj.dev), start;
	int ret;

	if (!init->length || init->length > max)
		return kv_user_fail(u, init->length ? -EINVAL : -ERANGE,
				    "length is %" PRIu64 " bytes: it must be 1 to %" PRIu64 ", the device's max_mr_bytes",
				    init->length, max);
	ret = kv_user_check_access(u, "max_access", init->max_access);
	if (ret)
		return ret;
	mr->buf = mmap(NULL, whole_pages(init->length), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mr->buf == MAP_FAILED)
		return kv_user_fail(u, -errno, "no memory for a buffer of %" PRIu64 " bytes: %s",
				    init->length, strerror(errno));
	start = kv_clock_raw_ns();
	touch(mr->buf, whole_pages(init->length));
	*ns = kv_clock_raw_ns() - start;
	mr->length = init->length;
	mr->max_access = init->max_access;
	return 0;
}

/**
 * kv_user_mr_check_range() - do these bytes lie in the buffer?
 * @u: the backend
 * @mr: the MR
 * @offset: first byte
 * @length: bytes
 *
 * Return: 0, -ERANGE if there are none, -EINVAL if they don't.
 */
int kv_user_mr_check_range(struct kv_user *u, const struct kv_user_mr *mr,
			   uint64_t offset, uint64_t length)
{
	if (!length)
		return kv_user_fail(u, -ERANGE, "length is 0: it must be 1 byte at least");
	if (offset < mr->length && length <= mr->length - offset)
		return 0;
	return kv_user_fail(u, -EINVAL,
			    "offset %" PRIu64 " and length %" PRIu64 " name bytes beyond the end of the buffer of mr %u, which has %" PRIu64,
			    offset, length, mr->obj.id, mr->length);
}

static int check_reg(struct kv_user *u, const struct kv_user_mr *mr,
		     const struct kv_mr_reg *reg)
{
	uint32_t access = reg->access;
	int ret;

	if (mr->ib)
		return kv_user_fail(u, -EBUSY,
				    "mr %u is registered already: invalidate it first",
				    mr->obj.id);
	ret = kv_user_check_access(u, "access", access);
	if (ret)
		return ret;
	if (access & ~mr->max_access)
		return kv_user_fail(u, -EINVAL,
				    "access 0x%x grants more than the max_access of mr %u, 0x%x",
				    access, mr->obj.id, mr->max_access);
	if (access & (KVERBS_ACCESS_REMOTE_WRITE | KVERBS_ACCESS_REMOTE_ATOMIC) &&
	    !(access & KVERBS_ACCESS_LOCAL_WRITE))
		return kv_user_fail(u, -EINVAL,
				    "access: remote write and remote atomic need local write too");
	return kv_user_mr_check_range(u, mr, reg->offset, reg->length);
}

/* Its QP does not matter: ibv_reg_mr() needs none, and pins the pages, too. */
int kv_user_mr_reg(struct kv_user *u, void *obj, const struct kv_mr_reg *reg, struct kv_mr *to,
		   uint64_t *ns)
{
	struct kv_user_mr *mr = obj;
	struct kv_user_pd *pd = (struct kv_user_pd *)mr->obj.parents[0];
	int ret;

	ret = check_reg(u, mr, reg);
	if (ret)
		return ret;
	mr->ib = KV_USER_TIMED(ns, ibv_reg_mr(pd->ib, mr->buf + reg->offset, reg->length,
					      reg->access));
	if (!mr->ib)
		return kv_user_fail(u, -errno, "ibv_reg_mr of %" PRIu64 " bytes of mr %u: %s%s",
				    reg->length, reg->id, strerror(errno), errno == ENOMEM ?
				    ": raise the limit of locked memory (ulimit -l)" : "");
	mr->access = reg->access;
	mr->offset = reg->offset;
	mr->reg_length = reg->length;
	kv_user_obj_fill(&mr->obj, to);
	return 0;
}

/* A run that posts with the MR needs its registration. */
static int check_no_run(struct kv_user *u, const struct kv_user_mr *mr)
{
	const struct kv_user_table *qps = &u->tables[KV_QP];
	size_t i;

	for (i = 0; i < qps->n; i++) {
		struct kv_user_obj *obj = qps->objs[i];

		if ((obj->parents[KV_USER_QP_LOCAL_MR] == &mr->obj ||
		     obj->parents[KV_USER_QP_TARGET_MR] == &mr->obj) &&
		    kv_user_qp_check_idle(u, (struct kv_user_qp *)obj))
			return -EBUSY;
	}
	return 0;
}

/* Unpins the pages, too. */
static int dereg(struct kv_user_mr *mr, uint64_t *ns)
{
	int ret = KV_USER_TIMED(ns, ibv_dereg_mr(mr->ib));

	if (!ret)
		mr->ib = NULL;
	return -ret;
}

int kv_user_mr_inv(struct kv_user *u, void *obj, const struct kv_mr_inv *in, struct kv_none *out,
		   uint64_t *ns)
{
	struct kv_user_mr *mr = obj;
	int ret;

	if (!mr->ib)
		return kv_user_fail(u, -EINVAL, "mr %u is not registered", in->id);
	ret = check_no_run(u, mr);
	if (ret)
		return ret;
	ret = dereg(mr, ns);
	return ret ? kv_user_fail(u, ret, "ibv_dereg_mr of mr %u: %s", in->id, strerror(-ret)) : 0;
}

int kv_user_mr_destroy(struct kv_user *u, struct kv_user_mr *mr, uint64_t *ns)
{
	int ret = mr->ib ? dereg(mr, ns) : 0;

	if (!ret)
		munmap(mr->buf, whole_pages(mr->length));
	return ret;
}

void kv_user_mr_fill(struct kv_user_mr *mr, struct kv_mr *to)
{
	to->pd = mr->obj.parents[0]->id;
	to->length = mr->length;
	to->max_access = mr->max_access;
	to->registered = mr->ib;
	if (!mr->ib)
		return;
	to->access = mr->access;
	to->offset = mr->offset;
	to->reg_length = mr->reg_length;
	to->lkey = mr->ib->lkey;
	/* The device may give one that is good for nothing. */
	to->rkey = mr->access & ~KVERBS_ACCESS_LOCAL_WRITE ? mr->ib->rkey : 0;
	to->iova = (uintptr_t)mr->ib->addr;
}
