// SPDX-License-Identifier: MIT
/* Kernel space: every operation is a command to the module. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernel/msg.h"
#include "rules/qp_table.h"

static struct kv_nl *nl_of(struct kv_backend *b)
{
	return (struct kv_nl *)b;
}

static void close_backend(struct kv_backend *b)
{
	kv_nl_close(nl_of(b));
	free(b);
}

static int call(struct kv_backend *b, enum kv_op op, const void *in, void *out)
{
	static kv_nl_op_fn *const own[KV_OPS] = {
#define OP(...)
#define OWN(NAME, name, ...) [KV_OP_##NAME] = kv_nl_##name,
#include "model/ops.def"
		[KV_OP_DEV_GET] = kv_nl_dev_get,
		[KV_OP_BUF_WRITE] = kv_nl_buf_write,
		[KV_OP_BUF_READ] = kv_nl_buf_read,
		[KV_OP_RUN_GET] = kv_nl_run_get,
	};
	struct kv_qp_modify modify;

	if (own[op])
		return own[op](nl_of(b), in, out);
	if (op == KV_OP_QP_MODIFY) {
		/* The target state is always sent. */
		modify = *(const struct kv_qp_modify *)in;
		modify.attr.mask |= KV_QPA_STATE;
		in = &modify;
	}
	return kv_nl_command(nl_of(b), op, in, out);
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
 * @b: the backend
 * @err: text of a failure
 * @size: bytes of @err
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
