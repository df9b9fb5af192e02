// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "rules/buf.h"
#include "user/user.h"

const size_t kv_user_mr_size = sizeof(struct kv_user_mr);

_Static_assert(KVERBS_ACCESS_LOCAL_WRITE == IBV_ACCESS_LOCAL_WRITE, "access");
_Static_assert(KVERBS_ACCESS_REMOTE_WRITE == IBV_ACCESS_REMOTE_WRITE, "access");
_Static_assert(KVERBS_ACCESS_REMOTE_READ == IBV_ACCESS_REMOTE_READ, "access");
_Static_assert(KVERBS_ACCESS_REMOTE_ATOMIC == IBV_ACCESS_REMOTE_ATOMIC, "access");

/* libibverbs has no verb that makes an MR without registering it. */
int kv_user_mr_new(struct kv_user *u, struct kv_user_mr *mr, const struct kv_mr_init *init)
{
	mr->is.pd = init->pd;
	mr->is.max_pages = init->max_pages ? init->max_pages : KV_MR_MAX_PAGES;
	return 0;
}

/* Is the MR registered over the buffer? */
bool kv_user_mr_over(const struct kv_user_mr *mr, const struct kv_user_buf *buf)
{
	return mr->ib && mr->obj.parents[KV_USER_MR_BUF] == &buf->obj;
}

static int check_reg(struct kv_user *u, const struct kv_user_mr *mr, const struct kv_user_buf *buf,
		     const struct kv_mr_reg *reg)
{
	const struct kv_user_dev *dev = mr->obj.dev;
	const struct kv_reg_facts facts = {
		.buffer = buf->length,
		.offset = reg->offset,
		.length = reg->length,
		.page_size = kv_reg_page_size(dev->attr.page_size_cap,
					      (uint32_t)sysconf(_SC_PAGESIZE)),
		.max_pages = mr->is.max_pages,
		.access = reg->access,
		.atomic = kv_user_dev_caps(dev) & KVERBS_CAP_ATOMIC,
	};

	if (mr->ib)
		return kv_user_fail(u, -EBUSY, "mr %u is registered already: invalidate it first",
				    mr->obj.id);
	return kv_user_rule(u, kv_reg_check(&facts, &u->why));
}

/* The QP in @reg is ignored: ibv_reg_mr() needs no QP. ibv_reg_mr() pins the pages, too. */
int kv_user_mr_reg(struct kv_user *u, struct kv_user_mr *mr, const struct kv_mr_reg *reg,
		   struct kv_mr *to)
{
	struct kv_user_pd *pd = (struct kv_user_pd *)mr->obj.parents[KV_USER_MR_PD];
	struct kv_user_buf *buf;
	int ret;

	if (!reg->buf)
		return kv_user_fail(u, -EINVAL, "buf is missing: which buffer is registered?");
	buf = kv_user_obj_find(u, KV_BUF, reg->buf);
	if (!buf)
		return -ENOENT;
	if (buf->obj.dev != mr->obj.dev)
		return kv_user_fail(u, -EINVAL, "buf %u is of another device than mr %u", reg->buf,
				    reg->id);
	ret = check_reg(u, mr, buf, reg);
	if (ret)
		return ret;
	mr->ib = KV_USER_STAGE(u, CREATE, ibv_reg_mr(pd->ib, buf->mem + reg->offset,
						     reg->length, reg->access));
	if (!mr->ib)
		return kv_user_verb_failed(u, KVERBS_STAGE_CREATE, -errno,
					   "ibv_reg_mr of %" PRIu64 " bytes of buf %u: %s%s",
					   reg->length, reg->buf, strerror(errno),
					   errno == ENOMEM ?
					   ": raise the limit of locked memory (ulimit -l)" : "");
	kv_user_obj_set_parent(&mr->obj, KV_USER_MR_BUF, &buf->obj);
	mr->is = (struct kv_mr){
		.pd = mr->is.pd,
		.max_pages = mr->is.max_pages,
		.registered = true,
		.buf = reg->buf,
		.offset = reg->offset,
		.length = reg->length,
		.access = reg->access,
		.lkey = mr->ib->lkey,
		/* Without a remote right the device may still give an rkey, of no use. */
		.rkey = reg->access & ~KVERBS_ACCESS_LOCAL_WRITE ? mr->ib->rkey : 0,
		.iova = (uintptr_t)mr->ib->addr,
	};
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

/* Deregisters the MR, which also unpins the pages. */
static int dereg(struct kv_user *u, struct kv_user_mr *mr)
{
	int ret = KV_USER_STAGE(u, DESTROY, ibv_dereg_mr(mr->ib));

	if (ret)
		return -ret;
	mr->ib = NULL;
	mr->is = (struct kv_mr){ .pd = mr->is.pd, .max_pages = mr->is.max_pages };
	kv_user_obj_set_parent(&mr->obj, KV_USER_MR_BUF, NULL);
	return 0;
}

int kv_user_mr_inv(struct kv_user *u, struct kv_user_mr *mr, const struct kv_mr_inv *in,
		   struct kv_none *out)
{
	int ret;

	if (!mr->ib)
		return kv_user_fail(u, -EINVAL, "mr %u is not registered", in->id);
	ret = check_no_run(u, mr);
	if (ret)
		return ret;
	ret = dereg(u, mr);
	return ret ? kv_user_verb_failed(u, KVERBS_STAGE_DESTROY, ret, "ibv_dereg_mr of mr %u: %s",
					 in->id, strerror(-ret)) : 0;
}

int kv_user_mr_destroy(struct kv_user *u, struct kv_user_mr *mr)
{
	return mr->ib ? dereg(u, mr) : 0;
}

void kv_user_mr_fill(struct kv_user_mr *mr, struct kv_mr *to)
{
	*to = mr->is;
}
