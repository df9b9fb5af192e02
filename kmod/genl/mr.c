// SPDX-License-Identifier: GPL-2.0
#include <linux/file.h>
#include <linux/fs.h>
#include <rdma/ib_verbs.h>
#include "dev.h"
#include "mr.h"
#include "genl/msg.h"
#include "pd.h"
#include "qp.h"

static struct netlink_range_validation range_file_offset = { .max = S64_MAX };

const struct nla_policy kv_mr_policy[KVERBS_A_MR_MAX + 1] = {
	[KVERBS_A_MR_ID] = KV_POLICY_ID,
	[KVERBS_A_MR_PD] = KV_POLICY_ID,
	[KVERBS_A_MR_MAX_ACCESS] = KV_POLICY_ACCESS,
	[KVERBS_A_MR_QP] = KV_POLICY_ID,
	[KVERBS_A_MR_ACCESS] = KV_POLICY_ACCESS,
	[KVERBS_A_MR_OFFSET] = { .type = NLA_U64 },
	[KVERBS_A_MR_LENGTH] = KV_POLICY_U64_COUNT,
	[KVERBS_A_MR_DATA] = NLA_POLICY_RANGE(NLA_BINARY, 1, KVERBS_DATA_MAX),
	[KVERBS_A_MR_FD] = KV_POLICY_INT,
	[KVERBS_A_MR_FILE_OFFSET] = NLA_POLICY_FULL_RANGE(NLA_U64, &range_file_offset),
	[KVERBS_A_MR_PERSISTENT] = { .type = NLA_FLAG },
};

/* What a registration grants, and under which names. */
static int fill_key(struct sk_buff *skb, const struct kv_mr *mr)
{
	bool remote = mr->access & ~KVERBS_ACCESS_LOCAL_WRITE;

	return nla_put_u32(skb, KVERBS_A_MR_ACCESS, mr->access) ?:
	       kv_put_u64(skb, KVERBS_A_MR_OFFSET, mr->offset) ?:
	       kv_put_u64(skb, KVERBS_A_MR_REG_LENGTH, mr->reg_length) ?:
	       nla_put_u32(skb, KVERBS_A_MR_LKEY, mr->ib->lkey) ?:
	       nla_put_u32(skb, KVERBS_A_MR_RKEY, remote ? mr->ib->rkey : 0) ?:
	       kv_put_u64(skb, KVERBS_A_MR_IOVA, mr->ib->iova);
}

static int fill_mr(struct sk_buff *skb, struct kv_obj *obj)
{
	const struct kv_mr *mr = container_of(obj, struct kv_mr, obj);
	int ret;

	ret = kv_put_parent(skb, KVERBS_A_MR_PD, obj, 0) ?:
	      kv_put_u64(skb, KVERBS_A_MR_LENGTH, mr->length) ?:
	      nla_put_u32(skb, KVERBS_A_MR_MAX_ACCESS, mr->max_access);
	return ret || !kv_mr_registered(mr) ? ret : fill_key(skb, mr);
}

/* A write or atomic of a peer is a write of the local device too. */
static int check_access(struct genl_info *info, int attr)
{
	u32 access = kv_u32_or(info->attrs[attr], 0);

	if (access & (KVERBS_ACCESS_REMOTE_WRITE | KVERBS_ACCESS_REMOTE_ATOMIC) &&
	    !(access & KVERBS_ACCESS_LOCAL_WRITE))
		return kv_msg_refuse(info, info->attrs[attr], -EINVAL,
				     "access: remote write and remote atomic need local write too");
	return 0;
}

static int check_new(struct genl_info *info)
{
	return kv_msg_need(info, KVERBS_A_MR_LENGTH, "length is missing: how many bytes?") ?:
	       check_access(info, KVERBS_A_MR_MAX_ACCESS);
}

static struct kv_obj *make_mr(struct genl_info *info, struct kv_dev *dev, struct kv_pd *pd,
			      struct kv_owner *owner)
{
	return kv_mr_create(pd, owner, nla_get_u64(info->attrs[KVERBS_A_MR_LENGTH]),
			    kv_u32_or(info->attrs[KVERBS_A_MR_MAX_ACCESS], KVERBS_ACCESS__ALL),
			    info->extack);
}

const struct kv_noun kv_mr_noun = {
	.class = &kv_mr_class,
	.id = KVERBS_A_MR_ID,
	.dev = KVERBS_A_MR_DEV,
	.persistent = KVERBS_A_MR_PERSISTENT,
	.pd = KVERBS_A_MR_PD,
	.verb_ns = KVERBS_A_MR_VERB_NS,
	.check = check_new,
	.make = make_mr,
	.fill = fill_mr,
};

/* The QP that carries a registration, of the MR's PD. */
static int find_reg_qp(struct genl_info *info, struct kv_mr *mr, struct kv_qp **qp)
{
	struct nlattr *id = info->attrs[KVERBS_A_MR_QP];
	struct kv_obj *obj;

	if (!id)
		return kv_msg_need(info, KVERBS_A_MR_QP,
				   "qp is missing: which qp carries the request?");
	obj = kv_msg_find_obj(info, id, &kv_qp_class, mr->obj.dev);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	if (obj->parents[KV_QP_PD] != mr->obj.parents[0])
		return kv_msg_refuse(info, id, -EINVAL, "the qp is of another pd than the mr");
	*qp = container_of(obj, struct kv_qp, obj);
	if ((*qp)->type == KVERBS_QPT_RC)
		return 0;
	return kv_msg_refuse(info, id, -EINVAL,
			     "uc and ud qps carry no registration: take an rc qp of the same pd");
}

/* The bytes that a message names; from OFFSET to the end if it does not say. */
static u64 length_from(struct genl_info *info, const struct kv_mr *mr, u64 offset)
{
	return kv_u64_or(info->attrs[KVERBS_A_MR_LENGTH],
			 offset < mr->length ? mr->length - offset : 0);
}

/* What a registration, or its end, has made of the MR. */
static int show_change(struct sk_buff *skb, struct kv_obj *obj)
{
	return kv_put_obj(skb, obj, &kv_mr_noun) ?:
	       kv_put_u64(skb, KVERBS_A_MR_VERB_NS, obj->verb_ns);
}

static int reg(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	struct kv_mr *mr = container_of(obj, struct kv_mr, obj);
	bool atomics = kv_dev_can(obj->dev) & KVERBS_CAN_ATOMIC;
	struct nlattr *access = info->attrs[KVERBS_A_MR_ACCESS];
	u64 offset = kv_u64_or(info->attrs[KVERBS_A_MR_OFFSET], 0);
	u32 rights = kv_u32_or(access, mr->max_access);
	struct kv_qp *qp;
	int ret;

	ret = find_reg_qp(info, mr, &qp);
	if (ret)
		return ret;
	if (access && nla_get_u32(access) & ~mr->max_access)
		return kv_msg_refuse(info, access, -EINVAL,
				     "access is more than the mr's max_access");
	/* mlx5 refuses the right where UMR can't change it (set_reg_wr()), others drop it. */
	if (!atomics && access && rights & KVERBS_ACCESS_REMOTE_ATOMIC)
		return kv_msg_refuse(info, access, -EOPNOTSUPP,
				     "access: the device has no atomic operations");
	if (!atomics)
		rights &= ~KVERBS_ACCESS_REMOTE_ATOMIC;
	return kv_mr_reg(mr, qp, rights, offset, length_from(info, mr, offset), info->extack) ?:
	       show_change(skb, obj);
}

static int inv(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	struct kv_mr *mr = container_of(obj, struct kv_mr, obj);
	struct kv_qp *qp;

	return find_reg_qp(info, mr, &qp) ?:
	       kv_mr_inv(mr, qp, info->extack) ?:
	       show_change(skb, obj);
}

int kv_netlink_mr_reg(struct sk_buff *skb, struct genl_info *info)
{
	return check_access(info, KVERBS_A_MR_ACCESS) ?:
	       kv_msg_command(info, &kv_mr_noun, GENLMSG_DEFAULT_SIZE, reg);
}

int kv_netlink_mr_inv(struct sk_buff *skb, struct genl_info *info)
{
	return kv_msg_command(info, &kv_mr_noun, GENLMSG_DEFAULT_SIZE, inv);
}

int kv_netlink_mr_write(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *data = info->attrs[KVERBS_A_MR_DATA];
	u64 offset = kv_u64_or(info->attrs[KVERBS_A_MR_OFFSET], 0);
	struct kv_obj *obj;
	struct kv_mr *mr;
	int ret;

	ret = kv_msg_need(info, KVERBS_A_MR_DATA, "data is missing") ?:
	      kv_msg_lock_obj(info, KVERBS_A_MR_ID, &kv_mr_class, &obj);
	if (ret)
		return ret;
	mr = container_of(obj, struct kv_mr, obj);
	ret = kv_mr_check_range(mr, offset, nla_len(data), info->extack);
	if (!ret)
		kv_mr_write(mr, offset, nla_data(data), nla_len(data));
	kv_obj_unlock(obj);
	return ret;
}

static int read(struct genl_info *info, struct kv_obj *obj, struct sk_buff *skb)
{
	u64 offset = kv_u64_or(info->attrs[KVERBS_A_MR_OFFSET], 0);
	u64 length = nla_get_u64(info->attrs[KVERBS_A_MR_LENGTH]);
	struct kv_mr *mr = container_of(obj, struct kv_mr, obj);
	struct nlattr *attr;
	int ret;

	ret = kv_mr_check_range(mr, offset, length, info->extack);
	if (ret)
		return ret;
	attr = nla_reserve(skb, KVERBS_A_MR_DATA, length);
	if (!attr)
		return -EMSGSIZE;
	kv_mr_read(mr, offset, nla_data(attr), nla_len(attr));
	return 0;
}

int kv_netlink_mr_read(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *length = info->attrs[KVERBS_A_MR_LENGTH];

	if (!length)
		return kv_msg_need(info, KVERBS_A_MR_LENGTH,
				   "length is missing: how many bytes?");
	if (nla_get_u64(length) > KVERBS_DATA_MAX)
		return kv_msg_refuse(info, length, -EINVAL,
				     "length is above what one message carries: 16384");
	return kv_msg_command(info, &kv_mr_noun, nla_total_size(KVERBS_DATA_MAX), read);
}

/* What the kernel refuses to read or write, it would log too: look first. */
static int check_file(struct genl_info *info, struct nlattr *fd,
		      const struct file *file, bool write)
{
	const struct file_operations *fop = file->f_op;

	if (!S_ISREG(file_inode(file)->i_mode))
		return kv_msg_refuse(info, fd, -EINVAL, "fd is not a regular file");
	if (!(file->f_mode & (write ? FMODE_WRITE : FMODE_READ)))
		return kv_msg_refuse(info, fd, -EBADF,
				     write ?
				     "the file is not open for writing" :
				     "the file is not open for reading");
	if (write && file->f_flags & O_APPEND)
		return kv_msg_refuse(info, fd, -EBADF,
				     "the file is open for appending: it would take no notice of file_offset");
	if (write ? file->f_mode & FMODE_CAN_WRITE && fop->write_iter && !fop->write :
		    file->f_mode & FMODE_CAN_READ && fop->read_iter && !fop->read)
		return 0;
	return kv_msg_refuse(info, fd, -EINVAL,
			     "a file that the kernel can't read or write: use one of a file system on a disk or in memory");
}

/* Called with the device locked, leaves with it unlocked. */
static int move(struct genl_info *info, struct kv_mr *mr, struct file *file,
		bool save, u64 *moved)
{
	struct kv_mr_file what = {
		.file = file,
		.pos = kv_u64_or(info->attrs[KVERBS_A_MR_FILE_OFFSET], 0),
		.offset = kv_u64_or(info->attrs[KVERBS_A_MR_OFFSET], 0),
	};
	s64 ret;

	what.length = length_from(info, mr, what.offset);
	ret = kv_mr_check_range(mr, what.offset, what.length, info->extack);
	mutex_unlock(&mr->obj.dev->lock);
	if (ret)
		return ret;
	if (what.length > S64_MAX - what.pos)
		return kv_msg_refuse(info, info->attrs[KVERBS_A_MR_FILE_OFFSET], -EINVAL,
				     "file_offset and length name bytes beyond the end of any file");
	ret = kv_mr_move(mr, &what, save, info->extack);
	if (ret < 0)
		return ret;
	*moved = ret;
	return 0;
}

/* The sender's file: requests are handled in the context of who sends them. */
static int load_or_save(struct genl_info *info, bool save)
{
	struct nlattr *fd = info->attrs[KVERBS_A_MR_FD];
	struct kv_reply reply;
	struct kv_obj *obj;
	struct file *file;
	u64 moved;
	int ret;

	if (!fd)
		return kv_msg_need(info, KVERBS_A_MR_FD, "fd is missing: which file?");
	file = fget(nla_get_u32(fd));
	if (!file)
		return kv_msg_refuse(info, fd, -EBADF, "fd is no open file of yours");
	ret = check_file(info, fd, file, save) ?:
	      kv_msg_begin_obj(info, KVERBS_A_MR_ID, &kv_mr_class, GENLMSG_DEFAULT_SIZE,
			       &reply, &obj);
	if (ret)
		goto put_file;
	ret = move(info, container_of(obj, struct kv_mr, obj), file, save, &moved) ?:
	      kv_put_u64(reply.skb, KVERBS_A_MR_LENGTH, moved);
	kv_obj_put(obj);
	ret = kv_reply_end(info, &reply, ret);
put_file:
	fput(file);
	return ret;
}

int kv_netlink_mr_load(struct sk_buff *skb, struct genl_info *info)
{
	return load_or_save(info, false);
}

int kv_netlink_mr_save(struct sk_buff *skb, struct genl_info *info)
{
	return load_or_save(info, true);
}
