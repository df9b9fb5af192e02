// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "sys/clock.h"
#include "user/user.h"

const size_t kv_user_mr_size = sizeof(struct kv_user_mr);

/* Memory of the process is cheap, but a typing mistake should not take it all. */
#define BYTES_MAX (1ULL << 30)

_Static_assert(KVERBS_ACCESS_LOCAL_WRITE == IBV_ACCESS_LOCAL_WRITE, "access");
_Static_assert(KVERBS_ACCESS_REMOTE_WRITE == IBV_ACCESS_REMOTE_WRITE, "access");
_Static_assert(KVERBS_ACCESS_REMOTE_READ == IBV_ACCESS_REMOTE_READ, "access");
_Static_assert(KVERBS_ACCESS_REMOTE_ATOMIC == IBV_ACCESS_REMOTE_ATOMIC, "access");

/* The largest buffer that kv_user_mr_new() makes: the device's max_mr_size, at most 1 GiB. */
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

	if (!init->length || init->length > max)
		return kv_user_fail(u, init->length ? -EINVAL : -ERANGE,
				    "length is %" PRIu64 " bytes: it must be 1 to %" PRIu64 ", the device's max_mr_bytes",
				    init->length, max);
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

/* Do these bytes lie in the buffer? -ERANGE if there are none, -EINVAL if they don't. */
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

static int check_reg(struct kv_user *u, const struct kv_user_mr *mr, const struct kv_mr_reg *reg)
{
	uint32_t access = reg->access;

	if (mr->ib)
		return kv_user_fail(u, -EBUSY, "mr %u is registered already: invalidate it first",
				    mr->obj.id);
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
	int ret = check_reg(u, mr, reg);

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
	struct kv_user_qp *qp;

	KV_USER_FOR_EACH(u, KV_QP, qp)
		if ((qp->obj.parents[KV_USER_QP_LOCAL_MR] == &mr->obj ||
		     qp->obj.parents[KV_USER_QP_TARGET_MR] == &mr->obj) &&
		    kv_user_qp_check_idle(u, qp))
			return -EBUSY;
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

int kv_user_mr_write(struct kv_user *u, void *obj, const struct kv_mr_write *in,
		     struct kv_none *out, uint64_t *ns)
{
	struct kv_user_mr *mr = obj;
	int ret = kv_user_mr_check_range(u, mr, in->offset, in->length);

	if (!ret)
		memcpy(mr->buf + in->offset, in->data, in->length);
	return ret;
}

int kv_user_mr_read(struct kv_user *u, void *obj, const struct kv_mr_read *in,
		    struct kv_none *out, uint64_t *ns)
{
	struct kv_user_mr *mr = obj;
	int ret = kv_user_mr_check_range(u, mr, in->offset, in->length);

	if (!ret)
		memcpy(in->data, mr->buf + in->offset, in->length);
	return ret;
}

/* A regular file, open for this; the range in the file is one that can be. */
static int check_file(struct kv_user *u, const struct kv_user_mr *mr,
		      const struct kv_mr_file *in, int mode)
{
	int flags = fcntl(in->fd, F_GETFL);
	struct stat st;
	int ret = kv_user_mr_check_range(u, mr, in->offset, in->length);

	if (ret)
		return ret;
	if (flags < 0 || fstat(in->fd, &st))
		return kv_user_fail(u, -errno, "fd %d: %s", in->fd, strerror(errno));
	if (flags & O_PATH || ((flags & O_ACCMODE) != mode && (flags & O_ACCMODE) != O_RDWR))
		return kv_user_fail(u, -EBADF, "fd %d is not open for %s", in->fd,
				    mode == O_RDONLY ? "reading" : "writing");
	if (!S_ISREG(st.st_mode))
		return kv_user_fail(u, -EINVAL, "fd %d is no regular file", in->fd);
	if (in->file_offset > INT64_MAX)
		return kv_user_fail(u, -ERANGE,
				    "file_offset is %" PRIu64 ": it must be 0 to %" PRId64,
				    in->file_offset, INT64_MAX);
	if (in->length > INT64_MAX - in->file_offset)
		return kv_user_fail(u, -EINVAL,
				    "file_offset %" PRIu64 " and length %" PRIu64 " name bytes that no file has",
				    in->file_offset, in->length);
	return 0;
}

static bool is_full(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

/*
 * Saves fewer bytes than asked for if there is no room for more, and fails if there is none for
 * any; loads fewer where the file ends.
 */
static int move(struct kv_user *u, struct kv_user_mr *mr, const struct kv_mr_file *in, bool load,
		struct kv_moved *moved)
{
	int ret = check_file(u, mr, in, load ? O_RDONLY : O_WRONLY);
	ssize_t n;

	if (ret)
		return ret;
	for (moved->length = 0; moved->length < in->length; moved->length += (size_t)n) {
		off_t at = (off_t)(in->file_offset + moved->length);
		uint8_t *buf = mr->buf + in->offset + moved->length;
		size_t left = in->length - moved->length;

		do
			n = load ? pread(in->fd, buf, left, at) : pwrite(in->fd, buf, left, at);
		while (kv_interrupt_retry(n));
		if (!n || (n < 0 && !load && moved->length && is_full(errno)))
			break;
		if (n < 0)
			return kv_user_fail(u, -errno, "fd %d can't be %s: %s", in->fd,
					    load ? "read" : "written", strerror(errno));
	}
	return 0;
}

int kv_user_mr_load(struct kv_user *u, void *obj, const struct kv_mr_file *in,
		    struct kv_moved *moved, uint64_t *ns)
{
	return move(u, obj, in, true, moved);
}

int kv_user_mr_save(struct kv_user *u, void *obj, const struct kv_mr_file *in,
		    struct kv_moved *moved, uint64_t *ns)
{
	return move(u, obj, in, false, moved);
}
