// SPDX-License-Identifier: MIT
/* Kernel space: every operation is a command to the module. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernel/msg.h"
#include "rules/qp_table.h"

static void close_backend(struct kv_backend *b)
{
	kv_nl_close((struct kv_nl *)b);
	free(b);
}

static int command(struct kv_nl *nl, enum kv_op op, const void *in, void *out)
{
	struct kv_qp_modify modify;

	switch (op) {
#define OP(...)
#define OWN(NAME, name, ...)								\
	case KV_OP_##NAME:								\
		return kv_nl_##name(nl, in, out);
#include "model/ops.def"
	case KV_OP_DEV_GET:
		return kv_nl_dev_get(nl, in, out);
	case KV_OP_BUF_WRITE:
	case KV_OP_BUF_READ:
		return kv_nl_buf_move(nl, op, in);
	case KV_OP_RUN_GET:
		return kv_nl_run_get(nl, in, out);
	case KV_OP_QP_MODIFY:
		/* The target state is always sent. */
		modify = *(const struct kv_qp_modify *)in;
		modify.attr.mask |= KV_QPA_STATE;
		return kv_nl_command(nl, op, &modify, out);
	default:
		return kv_nl_command(nl, op, in, out);
	}
}

static int call(struct kv_backend *b, enum kv_op op, const void *in, void *out)
{
	struct kv_nl *nl = (struct kv_nl *)b;
	int ret = command(nl, op, in, out);

	/* If no verb has failed, the module itself has refused the command. */
	if (ret == -EDQUOT && !b->failed)
		kv_nl_tell_quota(nl);
	return ret;
}

const struct kv_backend_ops kv_nl_backend_ops = {
	.space = "kernel",
	.close = close_backend,
	.call = call,
	.dev_each = kv_nl_dev_each,
	.each = kv_nl_each,
};

/**
 * kv_backend_kern_open() - connect to the module
 *
 * Return: 0, or a negative errno: -EOPNOTSUPP if the module is not loaded.
 */
int kv_backend_kern_open(struct kv_backend **b, char *err, size_t size)
{
	struct kv_nl *nl = calloc(1, sizeof(*nl));
	struct kv_info info;
	int ret;

	*b = NULL;
	if (!nl) {
		snprintf(err, size, "no memory");
		return -ENOMEM;
	}
	ret = kv_nl_open(nl);
	if (ret)
		goto err_free;
	/* Without the privilege every command fails: it is better to fail here. */
	ret = kv_op_info_get(&nl->base, NULL, &info, NULL);
	if (ret)
		goto err_close;
	*b = &nl->base;
	return 0;

err_close:
	kv_nl_close(nl);
err_free:
	snprintf(err, size, "%s", nl->base.err);
	free(nl);
	return ret;
}
