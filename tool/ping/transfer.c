// SPDX-License-Identifier: MIT
/* Messages and RDMA over a link, and the waits for their completions. */
#include <errno.h>
#include "cli/interrupt.h"
#include "ping/link.h"
#include "sys/now.h"

/* While no completion comes, the connection's state is read at this interval. */
#define LOOK_MS 100

/* IBV_WC_WR_FLUSH_ERR (IBTA 11.6.2) */
#define STATUS_FLUSHED 5

static int post(struct kv_link *l, const struct kv_wr *wr, const char *what, struct kv_fault *f)
{
	int ret = kv_site_post(l->end.site, l->end.qp, wr);

	return ret ? kv_link_refuse(l, ret, what, f) : 0;
}

/**
 * kv_link_post_receive() - post a receive for one more message
 * @l: the link
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_link_post_receive(struct kv_link *l, struct kv_fault *f)
{
	const struct kv_wr wr = {
		.op = KVERBS_OP_RECV,
		.sges = 1,
		.sge = { kv_buffer_piece(&l->message, 0, l->spec.bytes) },
	};

	return post(l, &wr, "post a receive", f);
}

static int take(struct kv_link *l, const struct kv_wc *wc, const char *what, struct kv_fault *f)
{
	int ret;

	if (wc->status == STATUS_FLUSHED) {
		ret = kv_link_look_again(l, f);
		if (ret || l->ended)
			return ret;
	}
	if (wc->status && wc->op == KVERBS_WC_OP_RECV)
		l->recv_status = wc->status;
	if (wc->status)
		return kv_fault_set(f, -EIO, "%s: a %s ended with %s (%u), vendor error 0x%x",
				    what, kv_enum_name(kv_enum_wc_op, wc->op),
				    kv_enum_name(kv_enum_wc_status, wc->status),
				    wc->status, wc->vendor_err);
	if (wc->op == KVERBS_WC_OP_RECV && wc->has_length && wc->length != l->spec.bytes)
		return kv_fault_set(f, -EMSGSIZE, "%s: a message of %u bytes came, and not of %u",
				    what, wc->length, l->spec.bytes);
	if (wc->op == KVERBS_WC_OP_SEND)
		l->sending = false;
	else if (wc->op == KVERBS_WC_OP_RECV)
		l->received++;
	else
		l->moved++;
	return 0;
}

/* Sleeps until a completion comes; after LOOK_MS without one, reads the connection's state. */
static int doze(struct kv_link *l, struct kv_fault *f)
{
	int ret = kv_endpoint_sleep(&l->end, LOOK_MS, f);

	return ret == -EAGAIN ? kv_link_look(l, f) : ret;
}

/* Takes completions; if there is none, waits for one. */
static int advance(struct kv_link *l, uint64_t end_ns, const char *what, struct kv_fault *f)
{
	struct kv_backend *b = l->end.site->b;
	struct kv_polled polled;
	bool ended = l->ended;
	int ret = kv_op_cq_poll(b, &(struct kv_cq_poll){ l->end.send_cq, 4 }, &polled, NULL);

	if (ret)
		return kv_link_refuse(l, ret, "poll", f);
	for (unsigned int i = 0; i < polled.n && !ret; i++)
		ret = take(l, &polled.wc[i], what, f);
	if (ret || polled.n)
		return ret;
	if (ended)
		return kv_fault_set(f, -ECONNRESET, "%s: the peer has closed the connection", what);
	if (kv_interrupt_seen())
		return kv_fault_set(f, -EINTR, "%s: interrupted", what);
	if (kv_now_ns() >= end_ns)
		return kv_fault_set(f, -ETIMEDOUT, "%s: nothing came for %g s%s", what,
				    (double)l->spec.timeout_ns / 1e9,
				    kv_dev_is_iwarp(&l->end.site->dev) ?
				    "; siw can miss the first message of a connection" : "");
	return doze(l, f);
}

/**
 * kv_link_flush() - wait until the peer has received the last message
 * @l: the link
 * @what: the step, for the text of a fault
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno; -ECONNRESET: the peer has closed the connection.
 */
int kv_link_flush(struct kv_link *l, const char *what, struct kv_fault *f)
{
	uint64_t end_ns = kv_link_deadline(l);
	int ret = 0;

	while (l->sending && !ret)
		ret = advance(l, end_ns, what, f);
	return ret;
}

/* Waits for one of the completions that @count counts, and takes it. */
static int wait_done(struct kv_link *l, uint64_t *count, const char *what, struct kv_fault *f)
{
	uint64_t end_ns = kv_link_deadline(l);
	int ret = 0;

	while (!*count && !ret)
		ret = advance(l, end_ns, what, f);
	if (!ret)
		(*count)--;
	return ret;
}

/**
 * kv_link_send() - send a message
 * @l: the link
 * @data: spec.bytes bytes; NULL: the last message again, or zeros if there is none
 * @what: the step, for the text of a fault
 * @f: receives the reason of a failure
 *
 * Waits for the previous message to arrive, and not for this message.
 *
 * Return: as kv_link_flush().
 */
int kv_link_send(struct kv_link *l, const void *data, const char *what, struct kv_fault *f)
{
	const struct kv_wr wr = {
		.op = KVERBS_OP_SEND,
		.sges = 1,
		.sge = { kv_buffer_piece(&l->message, l->spec.bytes, l->spec.bytes) },
	};
	struct kv_backend *b = l->end.site->b;
	int ret = kv_link_flush(l, what, f);

	if (ret)
		return ret;
	if (data) {
		ret = kv_op_buf_write(b, &(struct kv_buf_data){ l->message.buf, l->spec.bytes,
				      l->spec.bytes, .from = data }, NULL, NULL);
		if (ret)
			return kv_link_refuse(l, ret, "write a message", f);
	}
	ret = post(l, &wr, "post a send", f);
	l->sending = !ret;
	return ret;
}

/**
 * kv_link_receive() - wait for a message
 * @l: the link
 * @data: receives the message; NULL: it is dropped, and no further receive is posted
 * @what: the step, for the text of a fault
 * @f: receives the reason of a failure
 *
 * Return: as kv_link_flush().
 */
int kv_link_receive(struct kv_link *l, void *data, const char *what, struct kv_fault *f)
{
	struct kv_backend *b = l->end.site->b;
	int ret = wait_done(l, &l->received, what, f);

	if (ret || !data)
		return ret;
	ret = kv_op_buf_read(b, &(struct kv_buf_data){ l->message.buf, 0, l->spec.bytes,
			     .into = data }, NULL, NULL);
	if (ret)
		return kv_link_refuse(l, ret, "read a message", f);
	return kv_link_post_receive(l, f);
}

/**
 * kv_link_move() - an RDMA READ or WRITE, until it is complete
 * @l: the link
 * @op: KVERBS_OP_READ or KVERBS_OP_WRITE
 * @buffer: the local buffer, for either direction
 * @bytes: how many bytes to move
 * @remote_addr: the address that the peer has sent
 * @remote_key: the key that the peer has sent
 * @what: the step, for the text of a fault
 * @f: receives the reason of a failure
 *
 * Return: as kv_link_flush().
 */
int kv_link_move(struct kv_link *l, uint32_t op, const struct kv_buffer *buffer, uint32_t bytes,
		 uint64_t remote_addr, uint32_t remote_key, const char *what, struct kv_fault *f)
{
	const struct kv_wr wr = {
		.op = op,
		.sges = 1,
		.sge = { kv_buffer_piece(buffer, 0, bytes) },
		.has_remote = true,
		.remote_addr = remote_addr,
		.remote_key = remote_key,
	};

	return post(l, &wr, "post a request", f) ?: wait_done(l, &l->moved, what, f);
}
