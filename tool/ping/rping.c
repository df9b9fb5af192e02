// SPDX-License-Identifier: MIT
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ping/ping.h"

/*
 * The protocol of rping: the client sends the address of its bytes (the source), the server
 * READs them and sends a go-ahead; the client sends the address for the answer (the sink),
 * the server WRITEs the bytes there and sends a go-ahead; and so on until the client closes
 * the connection. The contents of a go-ahead do not matter.
 */

/* A message in its wire format: the position of a buffer of the client. */
struct place {
	__be64 addr;
	__be32 rkey;
	__be32 bytes;
};

/* The rights of the server to the two buffers. */
#define SOURCE_ACCESS (KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_READ)
#define SINK_ACCESS (KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE)

static_assert(sizeof(struct place) == 16, "as rping has it");

/*
 * krping (the kernel's rping) with server_inv: the server's go-ahead is a SEND with invalidate of
 * the client's key, and the client registers again without a local invalidate. Neither side
 * announces this variant; only the way in which the connection ends shows it. Here --invalidate
 * says so: the client looks whether the go-ahead has invalidated the key.
 */
#define STATUS_REM_INV_REQ 9 /* IBV_WC_REM_INV_REQ_ERR (IBTA 11.6.2) */
static const char server_inv_user[] =
	"the connection with a server of krping's server_inv ends in this way, too: the go-ahead invalidates the client's key, which is not possible with a key of user space: try --client kernel --invalidate";
static const char server_inv_kernel[] =
	"the connection with a server of krping's server_inv ends in this way, too: the go-ahead has invalidated the client's key, which is used for each ping here: try --invalidate";
static const char server_inv_client[] =
	"the connection with a client of krping's server_inv ends in this way, too: the client waits for a go-ahead that invalidates a key, and the go-ahead from here invalidates none: try --invalidate";
static const char no_server_inv[] =
	"the connection with a client without krping's server_inv ends in this way, too: the client needs the key that the go-ahead has invalidated: leave --invalidate out";

static void spec(const struct kv_ping *p, struct kv_link_spec *s)
{
	s->receives = 1;
	s->bytes = sizeof(struct place);
	if (!p->server)
		s->access = KVERBS_ACCESS_REMOTE_READ | KVERBS_ACCESS_REMOTE_WRITE;
}

/* The contents of rping's pings: the number of the ping, then letters that start one later in
 * each ping, and a zero at the end.
 */
static void fill(char *bytes, uint32_t size, uint64_t ping)
{
	const unsigned int letters = 'z' - 'A' + 1;
	int n = snprintf(bytes, size, "rdma-ping-%d: ", (int)ping);

	for (uint32_t i = (uint32_t)n; i < size; i++)
		bytes[i] = (char)('A' + (ping + i - (uint32_t)n) % letters);
	bytes[size - 1] = '\0';
}

/* One side's memory. */
struct rping {
	struct kv_ping *p; /* the options, and the counts */
	struct kv_link *l; /* the connection */
	/* Client: the buffer that the server READs; server: the buffer that it READs into. */
	struct kv_buffer source;
	struct kv_buffer sink; /* client: the buffer that the server WRITEs */
	char *expected; /* the bytes of a ping */
	char *found; /* the bytes that came */
	/* Explanation if the peer closes the connection in this step; NULL: none. */
	const char *hint;
};

static int init(struct rping *r, struct kv_ping *p, struct kv_link *l, struct kv_fault *f)
{
	memset(r, 0, sizeof(*r));
	r->p = p;
	r->l = l;
	/* A server learns it from the first ping. */
	if (!p->server)
		p->bytes = p->size;
	r->expected = calloc(1, p->size);
	/* Any received bytes are printed as a string: +1 for the terminating NUL. */
	r->found = calloc(1, (size_t)p->size + 1);
	if (!r->expected || !r->found)
		return kv_fault_set(f, -ENOMEM, "no memory for %u bytes", p->size);
	return 0;
}

static void exit_rping(struct rping *r)
{
	free(r->found);
	free(r->expected);
}

/* Adds a hint to a fault if the peer's variant of the protocol explains the fault. */
static void explain(const struct rping *r, struct kv_fault *f)
{
	const struct kv_fault told = *f;
	const char *hint = f->error == -ECONNRESET ? r->hint : NULL;

	if (!r->p->server && r->l->end.site->id == KV_SPACE_USER &&
	    r->l->recv_status == STATUS_REM_INV_REQ)
		hint = server_inv_user;
	if (r->p->server && r->p->invalidate && (f->error == -ECONNRESET || f->error == -EIO))
		hint = no_server_inv;
	if (hint)
		kv_fault_set(f, told.error, "%.600s; %s", told.text, hint);
}

/* Checks the bytes of a ping with --validate, and prints them with --verbose. */
static int inspect(struct rping *r, const struct kv_buffer *buffer,
		   uint32_t bytes, struct kv_fault *f)
{
	struct kv_backend *b = r->l->end.site->b;
	int ret;

	if (!r->p->validate && !r->p->verbose)
		return 0;
	ret = kv_op_buf_read(b, &(struct kv_buf_data){ buffer->buf, 0, bytes, .into = r->found },
			     NULL, NULL);
	if (ret)
		return kv_fault_backend(f, b, ret, "cannot read a ping");
	r->found[bytes] = '\0';
	if (r->p->verbose)
		printf("%sping data: %s\n", r->p->server ? "server " : "", r->found);
	for (uint32_t i = 0; r->p->validate && i < bytes; i++)
		if (r->found[i] != r->expected[i])
			return kv_fault_set(f, -EBADMSG, "ping %llu has wrong bytes: byte %u is 0x%02x, and not 0x%02x",
					    (unsigned long long)r->p->done, i,
					    (unsigned char)r->found[i],
					    (unsigned char)r->expected[i]);
	return 0;
}

/* Has the go-ahead invalidated the buffer's key, if it is to? */
static int check_key(const struct rping *r, const struct kv_buffer *buffer, const char *text,
		     struct kv_fault *f)
{
	const uint32_t key = r->l->invalidated;

	if (!r->p->invalidate || key == buffer->rkey)
		return 0;
	if (!key)
		return kv_fault_set(f, -EPROTO, "%s: its go-ahead invalidates no key: the peer does not speak krping's server_inv; leave --invalidate out",
				    text);
	return kv_fault_set(f, -EPROTO, "%s: its go-ahead has invalidated the key 0x%x, and not 0x%x",
			    text, key, buffer->rkey);
}

/*
 * Sends the position of a buffer to the server, and waits for the go-ahead. @access: the rights of
 * the server; a buffer whose key each go-ahead invalidates is registered here.
 */
static int advertise(struct rping *r, struct kv_buffer *buffer, uint32_t access,
		     const char *what, struct kv_fault *f)
{
	struct place place = { .bytes = htobe32(buffer->length) }, ignored;
	char text[96];
	int ret = r->p->invalidate ? kv_link_register(r->l, buffer, access, f) : 0;

	if (ret)
		return ret;
	place.addr = htobe64(buffer->iova);
	place.rkey = htobe32(buffer->rkey);
	snprintf(text, sizeof(text), "ping %llu, until the server has %s",
		 (unsigned long long)r->p->done, what);
	return kv_link_send(r->l, &place, 0, text, f) ?:
	       kv_link_receive(r->l, &ignored, text, f) ?: check_key(r, buffer, text, f);
}

static int ping(struct rping *r, struct kv_fault *f)
{
	struct kv_backend *b = r->l->end.site->b;
	int ret;

	fill(r->expected, r->p->size, r->p->done);
	ret = kv_op_buf_write(b, &(struct kv_buf_data){ r->source.buf, 0, r->p->size,
			      .from = r->expected }, NULL, NULL);
	if (ret)
		return kv_fault_backend(f, b, ret, "cannot write a ping");
	/* From the second ping on, the server gets a key that it has already used. */
	if (r->p->done && r->l->end.site->id == KV_SPACE_KERNEL && !r->p->invalidate)
		r->hint = server_inv_kernel;
	ret = advertise(r, &r->source, SOURCE_ACCESS, "read it", f);
	if (ret)
		return ret;
	r->hint = NULL;
	return advertise(r, &r->sink, SINK_ACCESS, "written it back", f) ?: inspect(r, &r->sink, r->p->size, f);
}

static int ping_all(struct rping *r, struct kv_fault *f)
{
	struct kv_ping *p = r->p;
	const uint32_t later = p->invalidate ? KVERBS_ACCESS_LOCAL_WRITE : 0;
	int ret = kv_link_add_buffer(r->l, &r->source, p->size, later ? later : SOURCE_ACCESS, f) ?:
		  kv_link_add_buffer(r->l, &r->sink, p->size, later ? later : SINK_ACCESS, f);

	while (!ret && (!p->count || p->done < p->count)) {
		ret = ping(r, f);
		if (!ret)
			kv_ping_count(p, 1);
	}
	return ret;
}

/* Receives the position of the client's next buffer. */
static int hear(struct rping *r, struct place *place, const char *what, struct kv_fault *f)
{
	char text[96];

	snprintf(text, sizeof(text), "ping %llu, until the client tells %s",
		 (unsigned long long)r->p->done, what);
	return kv_link_receive(r->l, place, text, f);
}

/* Sends the go-ahead for a step that is done. @place: the client's buffer of that step. */
static int go_ahead(struct rping *r, const struct place *place, const char *what,
		    struct kv_fault *f)
{
	return kv_link_send(r->l, NULL, r->p->invalidate ? be32toh(place->rkey) : 0, what, f);
}

static int fetch(struct rping *r, const struct place *from, struct kv_fault *f)
{
	uint32_t bytes = be32toh(from->bytes);

	if (!bytes || bytes > r->p->size)
		return kv_fault_set(f, -EMSGSIZE, "the client's pings have %u bytes; this side takes 1 to %u (--size)",
				    bytes, r->p->size);
	r->p->bytes = bytes;
	return kv_link_move(r->l, KVERBS_OP_READ, &r->source, bytes,
			    be64toh(from->addr), be32toh(from->rkey), "reading the ping", f);
}

static int give_back(struct rping *r, const struct place *to, struct kv_fault *f)
{
	if (be32toh(to->bytes) < r->p->bytes)
		return kv_fault_set(f, -EMSGSIZE, "the client has room for %u bytes, and sent %u",
				    be32toh(to->bytes), r->p->bytes);
	return kv_link_move(r->l, KVERBS_OP_WRITE, &r->source, r->p->bytes,
			    be64toh(to->addr), be32toh(to->rkey), "writing the ping back", f);
}

/* @source: the client's message about its source. */
static int pong(struct rping *r, const struct place *source, struct kv_fault *f)
{
	struct place sink;
	int ret = fetch(r, source, f);

	if (ret)
		return ret;
	fill(r->expected, r->p->bytes, r->p->done);
	ret = inspect(r, &r->source, r->p->bytes, f) ?:
	      go_ahead(r, source, "saying that it was read", f);
	/* A krping client may close the connection after the first go-ahead. */
	r->hint = !ret && !r->p->done && !r->p->invalidate ? server_inv_client : NULL;
	if (!ret)
		ret = hear(r, &sink, "where it wants it back", f);
	if (ret)
		return ret;
	r->hint = NULL;
	return give_back(r, &sink, f) ?: go_ahead(r, &sink, "saying that it was written", f);
}

static int pong_all(struct rping *r, struct kv_fault *f)
{
	struct kv_ping *p = r->p;
	uint32_t access = KVERBS_ACCESS_LOCAL_WRITE;
	struct place source;
	int ret;

	/* On iWARP the response to a READ is placed like a WRITE (RFC 5040, 5.2). */
	if (kv_dev_is_iwarp(&r->l->end.site->dev))
		access |= KVERBS_ACCESS_REMOTE_WRITE;
	ret = kv_link_add_buffer(r->l, &r->source, p->size, access, f);
	while (!ret) {
		ret = hear(r, &source, "where its next ping is", f);
		/* A client may end the connection between two pings. */
		if (ret == -ECONNRESET)
			break;
		if (!ret)
			ret = pong(r, &source, f);
		if (!ret)
			kv_ping_count(p, 1);
	}
	if (ret != -ECONNRESET || !p->done)
		return ret;
	if (p->count && p->done != p->count)
		return kv_fault_set(f, -EPROTO, "the client has closed the connection after %llu pings, and not after %llu",
				    (unsigned long long)p->done, (unsigned long long)p->count);
	return 0;
}

static int play(struct kv_ping *p, struct kv_link *l, struct kv_fault *f)
{
	struct kv_fault why;
	struct rping r;
	int ret = init(&r, p, l, f) ?: (p->server ? pong_all(&r, f) : ping_all(&r, f));

	if (ret)
		explain(&r, f);
	exit_rping(&r);
	if (!ret)
		return p->server ? 0 : kv_link_disconnect(l, f);
	/* The peer need not wait; the fault of this side is known already. */
	kv_link_disconnect(l, &why);
	return ret;
}

const struct kv_ping_ops kv_ping_rping = { .spec = spec, .play = play };
