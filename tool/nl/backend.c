// SPDX-License-Identifier: MIT
/* Kernel space: every operation is a command to the module. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "nl/msg.h"

static struct kv_nl *nl_of(struct kv_backend *b)
{
	return (struct kv_nl *)b;
}

static void close_backend(struct kv_backend *b)
{
	kv_nl_close(nl_of(b));
	free(b);
}

static int call(struct kv_backend *b, enum kv_op op, const void *in, void *out, uint64_t *ns)
{
	static const struct kv_nl_op *const ops[KV_OPS] = {
#define OP(NAME, name, in_, out_, about) [KV_OP_##NAME] = &kv_nl_op_##name,
#include "model/ops.def"
	};

	return kv_nl_call(nl_of(b), ops[op], in, out, ns);
}

static int dev_each(struct kv_backend *b,
		    int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	return kv_nl_dev_each(nl_of(b), fn, arg);
}

static int each_object(struct kv_backend *b, enum kv_type type,
		       int (*fn)(const union kv_object *object, void *arg), void *arg)
{
	static const struct kv_nl_noun *const nouns[KV_TYPES] = {
#define OBJECT(TYPE, type) [KV_##TYPE] = &kv_nl_##type,
#include "model/objects.def"
#undef OBJECT
	};

	return kv_nl_each(nl_of(b), nouns[type], fn, arg);
}

const struct kv_backend_ops kv_nl_backend_ops = {
	.space = "kernel",
	.close = close_backend,
	.call = call,
	.dev_each = dev_each,
	.each = each_object,
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
	/* Without the privilege every command fails: better at once. */
	ret = kv_op_info(&nl->base, NULL, &info, NULL);
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
