// SPDX-License-Identifier: MIT
/* Kernel space: every operation is a command to the module. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "backend.h"
#include "netdev.h"
#include "nl/msg.h"
#include "now.h"

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
	int ret = kv_nl_dev_get(nl_of(b), name, dev);

	if (!ret)
		kv_netdev_note(dev);
	return ret;
}

/* Who looks at each device, and wants its address. */
struct each {
	int (*fn)(const struct kv_dev *dev, void *arg);
	void *arg;
};

static int on_dev(const struct kv_dev *dev, void *arg)
{
	const struct each *each = arg;
	struct kv_dev noted = *dev;

	kv_netdev_note(&noted);
	return each->fn(&noted, each->arg);
}

static int dev_each(struct kv_backend *b,
		    int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	struct each each = { .fn = fn, .arg = arg };

	return kv_nl_dev_each(nl_of(b), on_dev, &each);
}

static int flush(struct kv_backend *b, uint32_t *flushed, uint32_t *kept)
{
	return kv_nl_flush(nl_of(b), flushed, kept);
}

static int pd_new(struct kv_backend *b, const struct kv_pd_init *init,
		  struct kv_pd *pd, uint64_t *verb_ns)
{
	return kv_nl_new(nl_of(b), &kv_nl_pd, init, pd, verb_ns);
}

static int cq_new(struct kv_backend *b, const struct kv_cq_init *init,
		  struct kv_cq *cq, uint64_t *verb_ns)
{
	return kv_nl_new(nl_of(b), &kv_nl_cq, init, cq, verb_ns);
}

static int mr_new(struct kv_backend *b, const struct kv_mr_init *init,
		  struct kv_mr *mr, uint64_t *verb_ns)
{
	return kv_nl_new(nl_of(b), &kv_nl_mr, init, mr, verb_ns);
}

static int srq_new(struct kv_backend *b, const struct kv_srq_init *init,
		   struct kv_srq *srq, uint64_t *verb_ns)
{
	return kv_nl_new(nl_of(b), &kv_nl_srq, init, srq, verb_ns);
}

static int ah_new(struct kv_backend *b, const struct kv_ah_init *init,
		  struct kv_ah *ah, uint64_t *verb_ns)
{
	return kv_nl_new(nl_of(b), &kv_nl_ah, init, ah, verb_ns);
}

static int qp_new(struct kv_backend *b, const struct kv_qp_init *init,
		  struct kv_qp *qp, uint64_t *verb_ns)
{
	return kv_nl_qp_new(nl_of(b), init, qp, verb_ns);
}

static const struct kv_nl_noun *const nouns[KV_TYPES] = {
	[KV_PD] = &kv_nl_pd,
	[KV_CQ] = &kv_nl_cq,
	[KV_MR] = &kv_nl_mr,
	[KV_SRQ] = &kv_nl_srq,
	[KV_AH] = &kv_nl_ah,
	[KV_QP] = &kv_nl_qp,
	[KV_CONN] = &kv_nl_conn,
};

static int get_object(struct kv_backend *b, enum kv_type type, uint32_t id,
		      union kv_object *object)
{
	return kv_nl_get(nl_of(b), nouns[type], id, object);
}

static int each_object(struct kv_backend *b, enum kv_type type,
		       int (*fn)(const union kv_object *object, void *arg),
		       void *arg)
{
	return kv_nl_each(nl_of(b), nouns[type], fn, arg);
}

static int del_object(struct kv_backend *b, enum kv_type type, uint32_t id,
		      uint64_t *verb_ns)
{
	return kv_nl_del(nl_of(b), nouns[type], id, verb_ns);
}

static int mr_reg(struct kv_backend *b, uint32_t id,
		  const struct kv_mr_reg *reg, struct kv_mr *mr,
		  uint64_t *verb_ns)
{
	return kv_nl_mr_reg(nl_of(b), id, reg, mr, verb_ns);
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
	uint64_t done = 0;
	int ret;

	/* The module refuses a length of 0. */
	do {
		ret = kv_nl_mr_write(nl_of(b), id, offset + done,
				     (const char *)data + done,
				     piece(length - done));
		done += KVERBS_DATA_MAX;
	} while (!ret && done < length);
	return ret;
}

static int mr_read(struct kv_backend *b, uint32_t id, uint64_t offset,
		   void *data, uint64_t length)
{
	uint64_t done = 0;
	int ret;

	do {
		ret = kv_nl_mr_read(nl_of(b), id, offset + done,
				    (char *)data + done, piece(length - done));
		done += KVERBS_DATA_MAX;
	} while (!ret && done < length);
	return ret;
}

static int mr_load(struct kv_backend *b, uint32_t id, int fd,
		   uint64_t file_offset, uint64_t offset, uint64_t length,
		   uint64_t *moved)
{
	return kv_nl_mr_load(nl_of(b), id, fd, file_offset, offset, length, moved);
}

static int mr_save(struct kv_backend *b, uint32_t id, int fd,
		   uint64_t file_offset, uint64_t offset, uint64_t length,
		   uint64_t *moved)
{
	return kv_nl_mr_save(nl_of(b), id, fd, file_offset, offset, length, moved);
}

static int srq_modify(struct kv_backend *b, uint32_t id,
		      const struct kv_srq_attr *attr, struct kv_srq *srq,
		      uint64_t *verb_ns)
{
	return kv_nl_srq_modify(nl_of(b), id, attr, srq, verb_ns);
}

static int qp_modify(struct kv_backend *b, uint32_t id,
		     const struct kv_qp_attr *attr, uint64_t *verb_ns)
{
	return kv_nl_qp_modify(nl_of(b), id, attr, verb_ns);
}

static int post(struct kv_backend *b, const struct kv_wr *wr, uint64_t *verb_ns)
{
	return kv_nl_post(nl_of(b), wr, verb_ns);
}

static int poll_cq(struct kv_backend *b, uint32_t cq, struct kv_wc *wc,
		   unsigned int max, unsigned int *n, uint64_t *verb_ns)
{
	return kv_nl_cq_poll(nl_of(b), cq, wc, max, n, verb_ns);
}

static int arm_cq(struct kv_backend *b, uint32_t cq, bool solicited,
		  bool *missed, uint64_t *verb_ns)
{
	return kv_nl_cq_arm(nl_of(b), cq, solicited, missed, verb_ns);
}

/* Negative: no end. */
static uint64_t deadline_of(int timeout_ms)
{
	return timeout_ms < 0 ? UINT64_MAX :
	       kv_now_ns() + (uint64_t)timeout_ms * 1000000;
}

static int cq_wait(struct kv_backend *b, uint32_t cq, int timeout_ms)
{
	return kv_nl_wait_completion(nl_of(b), cq, deadline_of(timeout_ms));
}

static int conn_new(struct kv_backend *b, const struct kv_conn_init *init,
		    struct kv_conn *conn, uint64_t *verb_ns)
{
	return kv_nl_new(nl_of(b), &kv_nl_conn, init, conn, verb_ns);
}

static int conn_listen(struct kv_backend *b, uint32_t id,
		       const struct sockaddr_storage *src, uint32_t backlog,
		       struct kv_conn *conn, uint64_t *verb_ns)
{
	return kv_nl_conn_listen(nl_of(b), id, src, backlog, conn, verb_ns);
}

static int conn_take(struct kv_backend *b, uint32_t listener,
		     struct kv_conn *conn)
{
	return kv_nl_conn_take(nl_of(b), listener, conn);
}

static int conn_resolve_addr(struct kv_backend *b, uint32_t id,
			     const struct sockaddr_storage *src,
			     const struct sockaddr_storage *dst,
			     uint32_t timeout_ms, uint64_t *verb_ns)
{
	return kv_nl_conn_resolve_addr(nl_of(b), id, src, dst, timeout_ms, verb_ns);
}

static int conn_resolve_route(struct kv_backend *b, uint32_t id,
			      uint32_t timeout_ms, uint64_t *verb_ns)
{
	return kv_nl_conn_resolve_route(nl_of(b), id, timeout_ms, verb_ns);
}

static int conn_connect(struct kv_backend *b, uint32_t id,
			const struct kv_conn_param *param, uint64_t *verb_ns)
{
	return kv_nl_conn_connect(nl_of(b), id, param, verb_ns);
}

static int conn_establish(struct kv_backend *b, uint32_t id,
			  const struct kv_conn_param *param, uint64_t *verb_ns)
{
	return kv_nl_conn_establish(nl_of(b), id, param, verb_ns);
}

static int conn_accept(struct kv_backend *b, uint32_t id,
		       const struct kv_conn_param *param, uint64_t *verb_ns)
{
	return kv_nl_conn_accept(nl_of(b), id, param, verb_ns);
}

static int conn_reject(struct kv_backend *b, uint32_t id, const void *data,
		       uint32_t length, uint64_t *verb_ns)
{
	if (length > KVERBS_CONN_PRIVATE_MAX)
		return kv_nl_fail(nl_of(b), -ERANGE,
				  "private_data has %u bytes: it can have at most %u",
				  length, KVERBS_CONN_PRIVATE_MAX);
	return kv_nl_conn_reject(nl_of(b), id, data, length, verb_ns);
}

static int conn_disconnect(struct kv_backend *b, uint32_t id, uint64_t *verb_ns)
{
	return kv_nl_conn_disconnect(nl_of(b), id, verb_ns);
}

static int conn_wait(struct kv_backend *b, uint32_t id, int timeout_ms)
{
	int ret = kv_nl_wait_any(nl_of(b), deadline_of(timeout_ms));

	if (ret == -EAGAIN)
		return kv_nl_fail(nl_of(b), ret, "no event of kernel conn %u within %d ms",
				  id, timeout_ms);
	if (ret == -EINTR)
		return kv_nl_fail(nl_of(b), ret, "kernel conn %u: interrupted", id);
	return ret;
}

static int event_wait(struct kv_backend *b, int timeout_ms,
		      struct kv_event *event)
{
	return kv_nl_wait_event(nl_of(b), deadline_of(timeout_ms), event);
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

static int run_wait(struct kv_backend *b, uint32_t id, int timeout_ms)
{
	uint64_t deadline_ns = deadline_of(timeout_ms);
	struct kv_run_result result;
	int ret;

	/* An event can be somebody else's: ask, wait, ask again. */
	do {
		ret = run_peek(b, id, &result);
		if (ret || result.state == KVERBS_RUN_DONE)
			return ret;
		ret = kv_nl_wait_any(nl_of(b), deadline_ns);
	} while (!ret);
	return ret;
}

static const struct kv_backend_ops kern_ops = {
	.space = "kernel",
	.close = close_backend,
	.info = get_info,
	.dev_get = dev_get,
	.dev_each = dev_each,
	.counters = kv_counters_read,
	.flush = flush,
	.pd_new = pd_new,
	.cq_new = cq_new,
	.mr_new = mr_new,
	.srq_new = srq_new,
	.ah_new = ah_new,
	.qp_new = qp_new,
	.get = get_object,
	.each = each_object,
	.del = del_object,
	.mr_reg = mr_reg,
	.mr_inv = mr_inv,
	.mr_write = mr_write,
	.mr_read = mr_read,
	.mr_load = mr_load,
	.mr_save = mr_save,
	.srq_modify = srq_modify,
	.qp_modify = qp_modify,
	.conn_new = conn_new,
	.conn_listen = conn_listen,
	.conn_take = conn_take,
	.conn_resolve_addr = conn_resolve_addr,
	.conn_resolve_route = conn_resolve_route,
	.conn_connect = conn_connect,
	.conn_establish = conn_establish,
	.conn_accept = conn_accept,
	.conn_reject = conn_reject,
	.conn_disconnect = conn_disconnect,
	.conn_wait = conn_wait,
	.post = post,
	.poll = poll_cq,
	.arm = arm_cq,
	.cq_wait = cq_wait,
	.event_wait = event_wait,
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
