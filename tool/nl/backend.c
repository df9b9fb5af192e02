// SPDX-License-Identifier: MIT
/* Kernel space: every operation is a command to the module. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "backend.h"
#include "nl/msg.h"

struct kern {
	struct kv_backend base; /* first */
	struct kv_nl nl;
};

static struct kv_nl *nl_of(struct kv_backend *b)
{
	return &((struct kern *)b)->nl;
}

static void close_backend(struct kv_backend *b)
{
	kv_nl_close(nl_of(b));
	free(b);
}

static int get_info(struct kv_backend *b, struct kv_info *info)
{
	return kv_nl_info_get(nl_of(b), info);
}

static int dev_get(struct kv_backend *b, const char *name, struct kv_dev *dev)
{
	return kv_nl_dev_get(nl_of(b), name, dev);
}

static int dev_each(struct kv_backend *b,
		    int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	return kv_nl_dev_each(nl_of(b), fn, arg);
}

static int pd_new(struct kv_backend *b, const char *dev, uint32_t *id,
		  uint64_t *verb_ns)
{
	return kv_nl_pd_new(nl_of(b), dev, id, verb_ns);
}

static int pd_del(struct kv_backend *b, uint32_t id, uint64_t *verb_ns)
{
	return kv_nl_pd_del(nl_of(b), id, verb_ns);
}

static int cq_new(struct kv_backend *b, const char *dev, uint32_t cqe,
		  uint32_t *id, uint64_t *verb_ns)
{
	return kv_nl_cq_new(nl_of(b), dev, cqe, id, verb_ns);
}

static int cq_del(struct kv_backend *b, uint32_t id, uint64_t *verb_ns)
{
	return kv_nl_cq_del(nl_of(b), id, verb_ns);
}

static int mr_new(struct kv_backend *b, uint32_t pd, uint64_t length,
		  uint32_t *id, uint64_t *verb_ns)
{
	return kv_nl_mr_new(nl_of(b), pd, length, id, verb_ns);
}

static int mr_del(struct kv_backend *b, uint32_t id, uint64_t *verb_ns)
{
	return kv_nl_mr_del(nl_of(b), id, verb_ns);
}

static int mr_reg(struct kv_backend *b, uint32_t id, uint32_t qp,
		  uint32_t access, uint64_t offset, uint64_t length,
		  struct kv_mr_key *key, uint64_t *verb_ns)
{
	return kv_nl_mr_reg(nl_of(b), id, qp, access, offset, length, key,
			    verb_ns);
}

static int mr_inv(struct kv_backend *b, uint32_t id, uint32_t qp,
		  uint64_t *verb_ns)
{
	return kv_nl_mr_inv(nl_of(b), id, qp, verb_ns);
}

static uint32_t piece(uint64_t length)
{
	return length < KVERBS_DATA_MAX ? (uint32_t)length : KVERBS_DATA_MAX;
}

static int mr_write(struct kv_backend *b, uint32_t id, uint64_t offset,
		    const void *data, uint64_t length)
{
	uint64_t done;
	int ret = 0;

	for (done = 0; !ret && done < length; done += KVERBS_DATA_MAX)
		ret = kv_nl_mr_write(nl_of(b), id, offset + done,
				     (const char *)data + done,
				     piece(length - done));
	return ret;
}

static int mr_read(struct kv_backend *b, uint32_t id, uint64_t offset,
		   void *data, uint64_t length)
{
	uint64_t done;
	int ret = 0;

	for (done = 0; !ret && done < length; done += KVERBS_DATA_MAX)
		ret = kv_nl_mr_read(nl_of(b), id, offset + done,
				    (char *)data + done, piece(length - done));
	return ret;
}

static int qp_new(struct kv_backend *b, const struct kv_qp_init *init,
		  uint32_t *id, uint32_t *qpn, uint64_t *verb_ns)
{
	return kv_nl_qp_new(nl_of(b), init, id, qpn, verb_ns);
}

static int qp_del(struct kv_backend *b, uint32_t id, uint64_t *verb_ns)
{
	return kv_nl_qp_del(nl_of(b), id, verb_ns);
}

static int qp_modify(struct kv_backend *b, uint32_t id,
		     const struct kv_qp_attr *attr, uint64_t *verb_ns)
{
	return kv_nl_qp_modify(nl_of(b), id, attr, verb_ns);
}

static int run_start(struct kv_backend *b, const struct kv_run_spec *spec,
		     uint32_t *id)
{
	return kv_nl_run_start(nl_of(b), spec, id);
}

static int run_cancel(struct kv_backend *b, uint32_t id)
{
	return kv_nl_run_cancel(nl_of(b), id);
}

static int run_peek(struct kv_backend *b, uint32_t id,
		    struct kv_run_result *result)
{
	return kv_nl_run_peek(nl_of(b), id, result);
}

static int run_get(struct kv_backend *b, uint32_t id,
		   struct kv_run_result *result)
{
	return kv_nl_run_get(nl_of(b), id, result);
}

static int run_del(struct kv_backend *b, uint32_t id)
{
	return kv_nl_run_del(nl_of(b), id);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int run_wait(struct kv_backend *b, uint32_t id, int timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	struct kv_run_result result;
	int64_t left;
	int ret;

	/* An event can be somebody else's: ask, wait, ask again. */
	for (;;) {
		ret = run_peek(b, id, &result);
		if (ret || result.state == KVERBS_RUN_DONE)
			return ret;
		left = deadline - now_ms();
		if (left <= 0)
			return -EAGAIN;
		ret = kv_nl_wait_event(nl_of(b), (int)left);
		if (ret && ret != -EAGAIN)
			return ret;
	}
}

static const struct kv_backend_ops kern_ops = {
	.space = "kernel",
	.close = close_backend,
	.info = get_info,
	.dev_get = dev_get,
	.dev_each = dev_each,
	.pd_new = pd_new,
	.pd_del = pd_del,
	.cq_new = cq_new,
	.cq_del = cq_del,
	.mr_new = mr_new,
	.mr_del = mr_del,
	.mr_reg = mr_reg,
	.mr_inv = mr_inv,
	.mr_write = mr_write,
	.mr_read = mr_read,
	.qp_new = qp_new,
	.qp_del = qp_del,
	.qp_modify = qp_modify,
	.run_start = run_start,
	.run_wait = run_wait,
	.run_cancel = run_cancel,
	.run_peek = run_peek,
	.run_get = run_get,
	.run_del = run_del,
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
	struct kern *kern = calloc(1, sizeof(*kern));
	struct kv_info info;
	int ret;

	*b = NULL;
	if (!kern) {
		snprintf(err, size, "no memory");
		return -ENOMEM;
	}
	kern->base.ops = &kern_ops;
	kern->nl.err = kern->base.err;
	kern->nl.err_size = sizeof(kern->base.err);
	ret = kv_nl_open(&kern->nl);
	if (ret)
		goto err_free;
	/* Without the privilege every command fails: better at once. */
	ret = kv_nl_info_get(&kern->nl, &info);
	if (ret)
		goto err_close;
	*b = &kern->base;
	return 0;

err_close:
	kv_nl_close(&kern->nl);
err_free:
	snprintf(err, size, "%s", kern->base.err);
	free(kern);
	return ret;
}
