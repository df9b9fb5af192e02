// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "clock.h"
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

/**
 * kv_user_mr_new() - make a zeroed buffer; see struct kv_backend_ops
 * @b: the backend
 * @pd_id: its protection domain
 * @length: bytes, 1 .. kv_user_mr_bytes_max()
 * @id: where its id goes
 * @verb_ns: 0: user space has no verb that makes an MR before it is registered
 *
 * Return: 0 or a negative errno.
 */
int kv_user_mr_new(struct kv_backend *b, uint32_t pd_id, uint64_t length,
		   uint32_t *id, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_pd *pd = kv_user_obj_find(u, KV_USER_PD, pd_id);
	struct kv_user_mr *mr;
	uint64_t max;
	int ret;

	if (!pd)
		return -ENOENT;
	max = kv_user_mr_bytes_max(pd->obj.dev);
	if (!length || length > max)
		return kv_user_fail(u, -EINVAL, "length is %" PRIu64 " bytes: it must be 1 to %" PRIu64 ", the device's max_mr_bytes", length, max);
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return kv_user_fail(u, -ENOMEM, "no memory");
	mr->buf = mmap(NULL, whole_pages(length), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mr->buf == MAP_FAILED) {
		ret = kv_user_fail(u, -errno, "no memory for a buffer of %" PRIu64 " bytes: %s", length, strerror(errno));
		free(mr);
		return ret;
	}
	mr->length = length;
	kv_user_obj_set_parent(&mr->obj, 0, &pd->obj);
	kv_user_obj_publish(u, &mr->obj, KV_USER_MR, pd->obj.dev);
	*id = mr->obj.id;
	*verb_ns = 0;
	return 0;
}

/**
 * kv_user_mr_del() - free a buffer; see struct kv_backend_ops
 * @b: the backend
 * @id: its id
 * @verb_ns: duration of ibv_dereg_mr(), 0 if the buffer was not registered
 *
 * Return: 0 or a negative errno.
 */
int kv_user_mr_del(struct kv_backend *b, uint32_t id, uint64_t *verb_ns)
{
	return kv_user_obj_delete((struct kv_user *)b, KV_USER_MR, id, verb_ns);
}

static int check_range(struct kv_user *u, const struct kv_user_mr *mr,
		       uint64_t offset, uint64_t length)
{
	if (length && offset < mr->length && length <= mr->length - offset)
		return 0;
	return kv_user_fail(u, -EINVAL, "offset %" PRIu64 " and length %" PRIu64 " name no byte of mr %u, or bytes beyond the end of its buffer of %" PRIu64, offset, length, mr->obj.id, mr->length);
}

/**
 * kv_user_mr_reg() - grant access to exactly these bytes; see struct
 * kv_backend_ops
 * @b: the backend
 * @id: the MR, not registered
 * @qp: does not matter: ibv_reg_mr() needs none
 * @access: KVERBS_ACCESS_*
 * @offset: first byte
 * @length: bytes
 * @key: where the keys go; rkey is 0 if no remote right was asked for
 * @verb_ns: duration of ibv_reg_mr(), which pins the pages too
 *
 * Return: 0 or a negative errno.
 */
int kv_user_mr_reg(struct kv_backend *b, uint32_t id, uint32_t qp,
		   uint32_t access, uint64_t offset, uint64_t length,
		   struct kv_mr_key *key, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_mr *mr = kv_user_obj_find(u, KV_USER_MR, id);
	struct kv_user_pd *pd;
	uint64_t start;
	int ret;

	(void)qp;
	if (!mr)
		return -ENOENT;
	if (mr->ib)
		return kv_user_fail(u, -EBUSY, "mr %u is already registered: invalidate it first", id);
	if (access & ~KVERBS_ACCESS__ALL)
		return kv_user_fail(u, -EINVAL, "access 0x%x has flags that are unknown: 0x%x", access, access & ~KVERBS_ACCESS__ALL);
	if (access & (KVERBS_ACCESS_REMOTE_WRITE | KVERBS_ACCESS_REMOTE_ATOMIC) &&
	    !(access & KVERBS_ACCESS_LOCAL_WRITE))
		return kv_user_fail(u, -EINVAL, "access: remote write and remote atomic need local write too");
	ret = check_range(u, mr, offset, length);
	if (ret)
		return ret;

	pd = (struct kv_user_pd *)mr->obj.parents[0];
	start = kv_clock_raw_ns();
	mr->ib = ibv_reg_mr(pd->ib, mr->buf + offset, length, access);
	*verb_ns = kv_clock_raw_ns() - start;
	if (!mr->ib)
		return kv_user_fail(u, -errno, "ibv_reg_mr of %" PRIu64 " bytes of mr %u: %s%s", length, id, strerror(errno),
				    errno == ENOMEM ? ": raise the limit of locked memory (ulimit -l)" : "");
	mr->access = access;
	mr->offset = offset;
	mr->reg_length = length;
	key->lkey = mr->ib->lkey;
	key->rkey = access & ~KVERBS_ACCESS_LOCAL_WRITE ? mr->ib->rkey : 0;
	key->iova = (uintptr_t)mr->ib->addr;
	return 0;
}

/* A run that posts with the MR needs its registration. */
static int check_no_run(struct kv_user *u, const struct kv_user_mr *mr)
{
	struct kv_user_obj *obj;

	for (obj = u->objs[KV_USER_QP]; obj; obj = obj->next) {
		if ((obj->parents[KV_USER_QP_LOCAL_MR] == &mr->obj ||
		     obj->parents[KV_USER_QP_TARGET_MR] == &mr->obj) &&
		    kv_user_qp_check_idle(u, (struct kv_user_qp *)obj))
			return -EBUSY;
	}
	return 0;
}

static int dereg(struct kv_user_mr *mr, uint64_t *verb_ns)
{
	uint64_t start = kv_clock_raw_ns();
	int ret;

	ret = ibv_dereg_mr(mr->ib);
	*verb_ns = kv_clock_raw_ns() - start;
	if (!ret)
		mr->ib = NULL;
	return -ret;
}

/**
 * kv_user_mr_inv() - take the access back; see struct kv_backend_ops
 * @b: the backend
 * @id: the MR, registered
 * @qp: does not matter: ibv_dereg_mr() needs none
 * @verb_ns: duration of ibv_dereg_mr(), which unpins the pages too
 *
 * Return: 0 or a negative errno.
 */
int kv_user_mr_inv(struct kv_backend *b, uint32_t id, uint32_t qp,
		   uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_mr *mr = kv_user_obj_find(u, KV_USER_MR, id);
	int ret;

	(void)qp;
	if (!mr)
		return -ENOENT;
	if (!mr->ib)
		return kv_user_fail(u, -EINVAL, "mr %u is not registered", id);
	ret = check_no_run(u, mr);
	if (ret)
		return ret;
	ret = dereg(mr, verb_ns);
	if (ret)
		return kv_user_fail(u, ret, "ibv_dereg_mr of mr %u: %s", id, strerror(-ret));
	return 0;
}

/**
 * kv_user_mr_write() - put bytes into the buffer; see struct kv_backend_ops
 * @b: the backend
 * @id: the MR, registered or not
 * @offset: where
 * @data: what
 * @length: bytes
 *
 * Return: 0 or a negative errno.
 */
int kv_user_mr_write(struct kv_backend *b, uint32_t id, uint64_t offset,
		     const void *data, uint64_t length)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_mr *mr = kv_user_obj_find(u, KV_USER_MR, id);
	int ret;

	if (!mr)
		return -ENOENT;
	ret = check_range(u, mr, offset, length);
	if (!ret)
		memcpy(mr->buf + offset, data, length);
	return ret;
}

/**
 * kv_user_mr_read() - take bytes from the buffer; see struct kv_backend_ops
 * @b: the backend
 * @id: the MR, registered or not
 * @offset: where
 * @data: where to
 * @length: bytes
 *
 * Return: 0 or a negative errno.
 */
int kv_user_mr_read(struct kv_backend *b, uint32_t id, uint64_t offset,
		    void *data, uint64_t length)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_mr *mr = kv_user_obj_find(u, KV_USER_MR, id);
	int ret;

	if (!mr)
		return -ENOENT;
	ret = check_range(u, mr, offset, length);
	if (!ret)
		memcpy(data, mr->buf + offset, length);
	return ret;
}

/**
 * kv_user_mr_destroy() - free what kv_user_mr_new() made
 * @obj: the MR's
 * @verb_ns: duration of ibv_dereg_mr(), 0 if the buffer was not registered
 *
 * Return: 0 or a negative errno: then the MR is as it was.
 */
int kv_user_mr_destroy(struct kv_user_obj *obj, uint64_t *verb_ns)
{
	struct kv_user_mr *mr = (struct kv_user_mr *)obj;
	int ret;

	*verb_ns = 0;
	if (mr->ib) {
		ret = dereg(mr, verb_ns);
		if (ret)
			return ret;
	}
	munmap(mr->buf, whole_pages(mr->length));
	return 0;
}
