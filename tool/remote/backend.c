// SPDX-License-Identifier: MIT
/* A space of another host: every operation is a message to its 'kverbs serve'. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "interrupt.h"
#include "now.h"
#include "remote/connect.h"
#include "remote/channel.h"

/* How soon Ctrl-C ends a wait. */
#define SLICE_MS 500

struct remote {
	struct kv_backend base; /* first */
	struct kv_backend_ops ops; /* with the name of its space */
	char *host;
	char dev[64];
	struct kv_channel channel;
};

static struct remote *remote_of(struct kv_backend *b)
{
	return (struct remote *)b;
}

/* What fails there says where that is. */
static int call(struct kv_backend *b, struct kv_exchange_call *x,
		uint64_t *verb_ns)
{
	struct remote *r = remote_of(b);
	char err[400];
	int ret;

	ret = kv_channel_call(&r->channel, x, err, sizeof(err));
	if (ret)
		snprintf(b->err, sizeof(b->err), "%.80s: %s", r->host, err);
	else if (verb_ns)
		*verb_ns = x->verb_ns;
	return ret;
}

static int simple(struct kv_backend *b, enum kv_call which, const void *args,
		  void *result, uint64_t *verb_ns)
{
	struct kv_exchange_call x = { .call = which, .args = args, .result = result };

	return call(b, &x, verb_ns);
}

/**
 * kv_remote_call() - ask for what is no operation of a backend
 * @b: the backend, made by kv_backend_remote_open()
 * @which: the call
 * @args: as its row says; NULL if it takes none
 * @result: ditto; NULL: is of no interest
 *
 * Return: 0 or a negative errno; then @b->err has the reason.
 */
int kv_remote_call(struct kv_backend *b, enum kv_call which, const void *args,
		   void *result)
{
	return simple(b, which, args, result, NULL);
}

static int by_id(struct kv_backend *b, enum kv_call which, uint32_t id,
		 void *result, uint64_t *verb_ns)
{
	const struct kv_args_id args = { .id = id };

	return simple(b, which, &args, result, verb_ns);
}

static void close_backend(struct kv_backend *b)
{
	struct remote *r = remote_of(b);

	kv_channel_stop(&r->channel);
	free(r->host);
	free(r);
}

/* A connection is for one device. */
static int check_dev(struct kv_backend *b, const char *dev)
{
	struct remote *r = remote_of(b);

	if (!strcmp(dev, r->dev))
		return 0;
	snprintf(b->err, sizeof(b->err), "%.80s: the device is %s, not '%.64s'",
		 r->host, r->dev, dev);
	return -ENODEV;
}

static int info(struct kv_backend *b, struct kv_info *to)
{
	return simple(b, KV_CALL_INFO, NULL, to, NULL);
}

static int counters(struct kv_backend *b, const char *dev,
		    struct kv_counters *to)
{
	int ret = check_dev(b, dev);

	return ret ? ret : simple(b, KV_CALL_COUNTERS, NULL, to, NULL);
}

static int unsupported(struct kv_backend *b, const char *what)
{
	snprintf(b->err, sizeof(b->err), "%.80s: %s is not served to other hosts",
		 remote_of(b)->host, what);
	return -EOPNOTSUPP;
}

static int dev_get(struct kv_backend *b, const char *name, struct kv_dev *dev)
{
	int ret = check_dev(b, name);

	return ret ? ret : simple(b, KV_CALL_DEV_GET, NULL, dev, NULL);
}

static int dev_each(struct kv_backend *b,
		    int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	struct kv_dev *dev = malloc(sizeof(*dev));
	int ret;

	if (!dev) {
		snprintf(b->err, sizeof(b->err), "no memory");
		return -ENOMEM;
	}
	ret = dev_get(b, remote_of(b)->dev, dev);
	if (!ret)
		ret = fn(dev, arg);
	free(dev);
	return ret;
}

static int flush(struct kv_backend *b, uint32_t *flushed, uint32_t *kept)
{
	(void)flushed;
	(void)kept;
	return unsupported(b, "flush");
}

/* Each of these is its call: @type is one of KV_PD .. KV_CONN. */
#define NEW(noun, type)							\
	static int noun##_new(struct kv_backend *b,			\
			      const struct kv_##noun##_init *init,	\
			      struct kv_##noun *to, uint64_t *verb_ns)	\
	{								\
		return simple(b, KV_CALL_PD_NEW + (type), init, to, verb_ns); \
	}

NEW(pd, KV_PD)
NEW(cq, KV_CQ)
NEW(mr, KV_MR)
NEW(srq, KV_SRQ)
NEW(ah, KV_AH)
NEW(qp, KV_QP)
NEW(conn, KV_CONN)

static int get(struct kv_backend *b, enum kv_type type, uint32_t id,
	       union kv_object *object)
{
	return by_id(b, KV_CALL_PD_GET + type, id, object, NULL);
}

static int each(struct kv_backend *b, enum kv_type type,
		int (*fn)(const union kv_object *object, void *arg), void *arg)
{
	(void)type;
	(void)fn;
	(void)arg;
	return unsupported(b, "a list of objects");
}

static int del(struct kv_backend *b, enum kv_type type, uint32_t id,
	       uint64_t *verb_ns)
{
	return by_id(b, KV_CALL_PD_DEL + type, id, NULL, verb_ns);
}

static int mr_reg(struct kv_backend *b, uint32_t id,
		  const struct kv_mr_reg *reg, struct kv_mr *mr,
		  uint64_t *verb_ns)
{
	const struct kv_args_mr_reg args = { .id = id, .reg = *reg };

	return simple(b, KV_CALL_MR_REG, &args, mr, verb_ns);
}

static int mr_inv(struct kv_backend *b, uint32_t id, uint32_t qp,
		  uint64_t *verb_ns)
{
	const struct kv_args_mr_inv args = { .id = id, .qp = qp };

	return simple(b, KV_CALL_MR_INV, &args, NULL, verb_ns);
}

static uint32_t piece_of(uint64_t length)
{
	return length < KV_WIRE_DATA_MAX ? (uint32_t)length : KV_WIRE_DATA_MAX;
}

static int mr_write(struct kv_backend *b, uint32_t id, uint64_t offset,
		    const void *data, uint64_t length)
{
	struct kv_args_range args = { .id = id, .offset = offset };
	struct kv_exchange_call x = { .call = KV_CALL_MR_WRITE, .args = &args };
	int ret;

	do {
		args.length = piece_of(length);
		x.send = data;
		x.send_length = args.length;
		ret = call(b, &x, NULL);
		args.offset += args.length;
		data = (const char *)data + args.length;
		length -= args.length;
	} while (!ret && length);
	return ret;
}

static int mr_read(struct kv_backend *b, uint32_t id, uint64_t offset,
		   void *data, uint64_t length)
{
	struct kv_args_range args = { .id = id, .offset = offset };
	struct kv_exchange_call x = { .call = KV_CALL_MR_READ, .args = &args };
	int ret;

	do {
		args.length = piece_of(length);
		x.receive = data;
		x.receive_length = args.length;
		ret = call(b, &x, NULL);
		args.offset += args.length;
		data = (char *)data + args.length;
		length -= args.length;
	} while (!ret && length);
	return ret;
}

static int mr_move(struct kv_backend *b, uint32_t id, int fd,
		   uint64_t file_offset, uint64_t offset, uint64_t length,
		   uint64_t *moved)
{
	(void)id;
	(void)fd;
	(void)file_offset;
	(void)offset;
	(void)length;
	(void)moved;
	return unsupported(b, "moving a buffer from or to a file");
}

static int srq_modify(struct kv_backend *b, uint32_t id,
		      const struct kv_srq_attr *attr, struct kv_srq *srq,
		      uint64_t *verb_ns)
{
	const struct kv_args_srq_modify args = { .id = id, .attr = *attr };

	return simple(b, KV_CALL_SRQ_MODIFY, &args, srq, verb_ns);
}

static int qp_modify(struct kv_backend *b, uint32_t id,
		     const struct kv_qp_attr *attr, uint64_t *verb_ns)
{
	const struct kv_args_qp_modify args = { .id = id, .attr = *attr };

	return simple(b, KV_CALL_QP_MODIFY, &args, NULL, verb_ns);
}

static int conn_listen(struct kv_backend *b, uint32_t id,
		       const struct sockaddr_storage *src, uint32_t backlog,
		       struct kv_conn *conn, uint64_t *verb_ns)
{
	const struct kv_args_listen args = {
		.id = id,
		.src = *src,
		.backlog = backlog,
	};

	return simple(b, KV_CALL_CONN_LISTEN, &args, conn, verb_ns);
}

static int conn_take(struct kv_backend *b, uint32_t listener,
		     struct kv_conn *conn)
{
	return by_id(b, KV_CALL_CONN_TAKE, listener, conn, NULL);
}

static int conn_resolve_addr(struct kv_backend *b, uint32_t id,
			     const struct sockaddr_storage *src,
			     const struct sockaddr_storage *dst,
			     uint32_t timeout_ms, uint64_t *verb_ns)
{
	struct kv_args_resolve args = {
		.id = id,
		.dst = *dst,
		.timeout_ms = timeout_ms,
	};

	if (src)
		args.src = *src;
	return simple(b, KV_CALL_CONN_RESOLVE_ADDR, &args, NULL, verb_ns);
}

static int conn_resolve_route(struct kv_backend *b, uint32_t id,
			      uint32_t timeout_ms, uint64_t *verb_ns)
{
	const struct kv_args_resolve args = { .id = id, .timeout_ms = timeout_ms };

	return simple(b, KV_CALL_CONN_RESOLVE_ROUTE, &args, NULL, verb_ns);
}

static int with_param(struct kv_backend *b, enum kv_call which, uint32_t id,
		      const struct kv_conn_param *param, uint64_t *verb_ns)
{
	const struct kv_args_conn args = { .id = id, .param = *param };

	return simple(b, which, &args, NULL, verb_ns);
}

static int conn_connect(struct kv_backend *b, uint32_t id,
			const struct kv_conn_param *param, uint64_t *verb_ns)
{
	return with_param(b, KV_CALL_CONN_CONNECT, id, param, verb_ns);
}

static int conn_establish(struct kv_backend *b, uint32_t id,
			  const struct kv_conn_param *param, uint64_t *verb_ns)
{
	return with_param(b, KV_CALL_CONN_ESTABLISH, id, param, verb_ns);
}

static int conn_accept(struct kv_backend *b, uint32_t id,
		       const struct kv_conn_param *param, uint64_t *verb_ns)
{
	return with_param(b, KV_CALL_CONN_ACCEPT, id, param, verb_ns);
}

static int conn_reject(struct kv_backend *b, uint32_t id, const void *data,
		       uint32_t length, uint64_t *verb_ns)
{
	struct kv_args_reject args = { .id = id, .length = length };

	if (length > sizeof(args.data)) {
		snprintf(b->err, sizeof(b->err),
			 "%u bytes of private data, %zu are possible", length,
			 sizeof(args.data));
		return -EMSGSIZE;
	}
	if (length)
		memcpy(args.data, data, length);
	return simple(b, KV_CALL_CONN_REJECT, &args, NULL, verb_ns);
}

static int conn_disconnect(struct kv_backend *b, uint32_t id, uint64_t *verb_ns)
{
	return by_id(b, KV_CALL_CONN_DISCONNECT, id, NULL, verb_ns);
}

/* In slices, so that Ctrl-C is seen. @timeout_ms: -1: for ever. */
static int wait_for(struct kv_backend *b, enum kv_call which, uint32_t id,
		    int timeout_ms, void *result)
{
	struct kv_args_wait args = { .id = id };
	bool interrupted = kv_interrupt_seen();
	uint64_t end_ns = kv_now_ns() + (uint64_t)timeout_ms * 1000000;
	int64_t left = timeout_ms;
	int ret;

	for (;;) {
		args.timeout_ms = left < 0 || left > SLICE_MS ? SLICE_MS :
								(uint32_t)left;
		ret = simple(b, which, &args, result, NULL);
		if (ret != -EAGAIN)
			return ret;
		if (!interrupted && kv_interrupt_seen())
			return -EINTR;
		if (timeout_ms < 0)
			continue;
		left = (int64_t)(end_ns - kv_now_ns()) / 1000000;
		if (left <= 0)
			return -EAGAIN;
	}
}

static int conn_wait(struct kv_backend *b, uint32_t id, int timeout_ms)
{
	return wait_for(b, KV_CALL_CONN_WAIT, id, timeout_ms, NULL);
}

static int post(struct kv_backend *b, const struct kv_wr *wr, uint64_t *verb_ns)
{
	return simple(b, KV_CALL_POST, wr, NULL, verb_ns);
}

static int poll_cq(struct kv_backend *b, uint32_t cq, struct kv_wc *wc,
		   unsigned int max, unsigned int *n, uint64_t *verb_ns)
{
	const struct kv_args_poll args = { .cq = cq, .max = max };
	struct kv_result_poll result;
	int ret;

	ret = simple(b, KV_CALL_POLL, &args, &result, verb_ns);
	if (ret)
		return ret;
	*n = result.n < max ? result.n : max;
	memcpy(wc, result.wc, *n * sizeof(*wc));
	return 0;
}

static int arm(struct kv_backend *b, uint32_t cq, bool solicited, bool *missed,
	       uint64_t *verb_ns)
{
	const struct kv_args_arm args = { .cq = cq, .solicited = solicited };
	struct kv_result_arm result;
	int ret;

	ret = simple(b, KV_CALL_ARM, &args, &result, verb_ns);
	if (!ret)
		*missed = result.missed;
	return ret;
}

static int cq_wait(struct kv_backend *b, uint32_t cq, int timeout_ms)
{
	return wait_for(b, KV_CALL_CQ_WAIT, cq, timeout_ms, NULL);
}

static int event_wait(struct kv_backend *b, int timeout_ms,
		      struct kv_event *event)
{
	return wait_for(b, KV_CALL_EVENT_WAIT, 0, timeout_ms, event);
}

static int run_start(struct kv_backend *b, const struct kv_run_spec *spec,
		     uint32_t *id)
{
	struct kv_args_id result;
	int ret;

	ret = simple(b, KV_CALL_RUN_START, spec, &result, NULL);
	if (!ret)
		*id = result.id;
	return ret;
}

static int run_wait(struct kv_backend *b, uint32_t id, int timeout_ms)
{
	return wait_for(b, KV_CALL_RUN_WAIT, id, timeout_ms, NULL);
}

static int run_cancel(struct kv_backend *b, uint32_t id)
{
	return by_id(b, KV_CALL_RUN_CANCEL, id, NULL, NULL);
}

static int run_peek(struct kv_backend *b, uint32_t id,
		    struct kv_run_result *result)
{
	return by_id(b, KV_CALL_RUN_PEEK, id, result, NULL);
}

/* The bins come as data, as many as there are. */
static int run_get(struct kv_backend *b, uint32_t id,
		   struct kv_run_result *result)
{
	const struct kv_args_id args = { .id = id };
	struct kv_exchange_call x = {
		.call = KV_CALL_RUN_GET,
		.args = &args,
		.result = result,
		.hist = &result->hist,
	};

	return call(b, &x, NULL);
}

static int run_del(struct kv_backend *b, uint32_t id)
{
	return by_id(b, KV_CALL_RUN_DEL, id, NULL, NULL);
}

static const struct kv_backend_ops remote_ops = {
	.close = close_backend,
	.info = info,
	.dev_get = dev_get,
	.dev_each = dev_each,
	.counters = counters,
	.flush = flush,
	.pd_new = pd_new,
	.cq_new = cq_new,
	.mr_new = mr_new,
	.srq_new = srq_new,
	.ah_new = ah_new,
	.qp_new = qp_new,
	.get = get,
	.each = each,
	.del = del,
	.mr_reg = mr_reg,
	.mr_inv = mr_inv,
	.mr_write = mr_write,
	.mr_read = mr_read,
	.mr_load = mr_move,
	.mr_save = mr_move,
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
	.arm = arm,
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
 * kv_backend_remote_open() - a backend whose space is another host's
 * @b: receives it
 * @w: a wire that has said hello; is the backend's from now on, also after a failure
 * @host: the other host, for messages; copied
 * @id: the space
 * @dev: the device
 * @idle_ns: how long the server lets us say nothing
 * @keep: who says that we are here when there is nothing else to say
 *
 * Return: 0 or a negative errno.
 */
int kv_backend_remote_open(struct kv_backend **b, struct kv_wire *w,
			   const char *host, enum kv_space_id id,
			   const char *dev, uint64_t idle_ns, enum kv_keep keep)
{
	struct remote *r = calloc(1, sizeof(*r));
	int ret = -ENOMEM;

	*b = NULL;
	if (!r)
		goto err_wire;
	r->host = strdup(host);
	if (!r->host)
		goto err_free;
	r->ops = remote_ops;
	r->ops.space = kv_word_name(kv_word_space, id);
	r->base.ops = &r->ops;
	snprintf(r->dev, sizeof(r->dev), "%s", dev);
	ret = kv_channel_start(&r->channel, w, idle_ns, keep);
	if (ret) {
		close_backend(&r->base);
		return ret;
	}
	*b = &r->base;
	return 0;

err_free:
	free(r);
err_wire:
	kv_wire_close(w);
	return ret;
}
