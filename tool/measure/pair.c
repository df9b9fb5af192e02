// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/param.h>
#include <sys/random.h>
#include "loop/loop.h"
#include "measure/pair.h"
#include "sys/now.h"

#define PSN_MASK 0xffffff

/* IBTA 9.7.5.2.8. */
#define RNR_RETRY_FOR_EVER 7

/* Far more time than the CM needs on a busy host. */
#define DEADLINE_NS 15000000000ULL
/* A peer that has closed the connection sends no reason. */
#define GOODBYE_NS 1000000000ULL

/* The right that a peer needs at the target. */
static uint32_t remote_access(const struct kv_workload *w)
{
	switch (w->op) {
	case KVERBS_OP_WRITE:
	case KVERBS_OP_WRITE_WITH_IMM:
	case KVERBS_OP_ATOMIC_WRITE:
		return KVERBS_ACCESS_REMOTE_WRITE;
	case KVERBS_OP_READ:
	case KVERBS_OP_READ_WITH_INV:
		return KVERBS_ACCESS_REMOTE_READ;
	case KVERBS_OP_FETCH_ADD:
	case KVERBS_OP_CMP_SWP:
		return KVERBS_ACCESS_REMOTE_ATOMIC;
	}
	return 0;
}

/* Does this end post requests, or only answer them? */
static bool is_active(const struct kv_workload *w, unsigned int end)
{
	return !end || !kv_workload_one_way(w) || w->both_ways;
}

/* Is anything put into this end's target, or read from it? */
static bool is_target(const struct kv_workload *w, unsigned int end)
{
	return end || !kv_workload_one_way(w) || w->both_ways;
}

static bool needs_key(const struct kv_pair *p, unsigned int end)
{
	return kv_endpoint_needs_key(&p->end[end]) || p->work.lkey == KV_LKEY_MR;
}

static uint32_t local_access(const struct kv_pair *p, unsigned int end)
{
	uint32_t access = KVERBS_ACCESS_LOCAL_WRITE;

	/* The run registers the sink of a READ that invalidates. */
	if (!is_active(&p->work, end) || !needs_key(p, end) ||
	    p->work.op == KVERBS_OP_READ_WITH_INV)
		return 0;
	/* On iWARP the response to a READ is placed like a WRITE (RFC 5040, 5.2). */
	if (p->work.op == KVERBS_OP_READ && kv_dev_is_iwarp(&p->end[end].site->dev))
		access |= KVERBS_ACCESS_REMOTE_WRITE;
	return access;
}

static uint32_t target_access(const struct kv_pair *p, unsigned int end)
{
	uint32_t remote = remote_access(&p->work);

	if (!is_target(&p->work, end) || (!remote && !needs_key(p, end)))
		return 0;
	return KVERBS_ACCESS_LOCAL_WRITE | remote;
}

/* The rights of the buffers for credits: the responder WRITEs from its own to the initiator's. */
static uint32_t credit_access(const struct kv_pair *p, unsigned int end)
{
	if (!p->work.credits || (end && !needs_key(p, end)))
		return 0;
	return KVERBS_ACCESS_LOCAL_WRITE | (end ? 0 : KVERBS_ACCESS_REMOTE_WRITE);
}

/*
 * The rights that an end's QP grants to the peer. WRITE is always one of them: a loop's probe is
 * a WRITE of no bytes. The MRs decide which bytes the peer can reach.
 */
static uint32_t qp_access(const struct kv_pair *p, unsigned int end)
{
	return is_target(&p->work, end) || p->work.credits ?
	       remote_access(&p->work) | KVERBS_ACCESS_REMOTE_WRITE : 0;
}

/*
 * A stream can be faster than the responder's thread replaces its receives, by any time that the
 * thread has no CPU. The run's timeout is the limit.
 */
static uint8_t rnr_retry(const struct kv_workload *w, uint8_t otherwise)
{
	return w->kind == KV_KIND_STREAM && kv_workload_served(w) ? RNR_RETRY_FOR_EVER : otherwise;
}

/*
 * READs and atomics that an end may have outstanding at the other one. For a stream it is as many
 * as both devices can, as in perftest; other loops wait for each.
 */
static uint8_t rd_atomic(const struct kv_pair *p, unsigned int end)
{
	uint32_t most = MIN(p->end[end].site->dev.max_qp_init_rd_atom,
			    p->end[!end].site->dev.max_qp_rd_atom);

	return (uint8_t)MIN(most, p->work.kind == KV_KIND_STREAM ? UINT8_MAX : 1);
}

/* Has the end the PD, the SRQ and the target of another pair's? */
static bool has_others_target(const struct kv_pair *p, unsigned int end)
{
	return p->joined && p->work.srq && end;
}

/* A responder may have these from the responder of another pair: PD, target, and SRQ. */
static int add_shared(struct kv_pair *p, const struct kv_pair *first, unsigned int end,
		      struct kv_fault *f)
{
	struct kv_endpoint *e = &p->end[end];
	int ret;

	if (has_others_target(p, end)) {
		e->pd = first->end[1].pd;
		e->srq = first->end[1].srq;
		p->target[1] = first->target[1];
		return 0;
	}
	ret = kv_endpoint_add_pd(e, f);
	if (!ret && end && p->work.srq)
		ret = kv_endpoint_add_srq(e, kv_workload_rx_depth(&p->work), p->work.recv_sges, f);
	return ret ?: kv_endpoint_add_buffer(e, &p->target[end],
					     kv_workload_grh(&p->work) + p->work.size, f);
}

/* Those of another pair; or new ones, with room for all that will have them in common. */
static int add_cqs(struct kv_pair *p, const struct kv_pair *first, unsigned int end,
		   struct kv_fault *f)
{
	struct kv_endpoint *e = &p->end[end];

	if (!p->joined || !p->work.one_cq)
		return kv_endpoint_add_cqs(e, (uint32_t)kv_workload_send_cqe(&p->work),
					   (uint32_t)kv_workload_recv_cqe(&p->work),
					   end ? KVERBS_CQ_POLLED : p->work.completion, f);
	e->send_cq = first->end[end].send_cq;
	e->recv_cq = first->end[end].recv_cq;
	return 0;
}

static int create_end(struct kv_pair *p, const struct kv_pair *first, unsigned int end,
		      struct kv_fault *f)
{
	struct kv_qp_init init = {
		.type = p->work.type,
		.max_send_wr = MAX(p->work.depth, 1) + KV_WORKLOAD_WRS_MORE,
		.max_send_sge = p->work.sges,
		.max_recv_sge = p->work.recv_sges,
		.max_inline = kv_workload_flags(&p->work) & KVERBS_WR_INLINE ?
			      p->work.inline_max : 0,
	};
	struct kv_endpoint *e = &p->end[end];
	uint32_t recvs = MAX(kv_workload_recvs(&p->work), KV_LOOP_RECVS) + KV_WORKLOAD_RECVS_MORE;
	int ret;

	e->api = e->site->id == KV_SPACE_USER ? p->work.api : KV_API_POST;
	if (!end) {
		e->moderation = p->work.moderation;
		e->comp_vector = p->work.comp_vector;
	}
	if (getrandom(&e->psn, sizeof(e->psn), GRND_NONBLOCK) < 0)
		e->psn = end + 1;
	e->psn &= PSN_MASK;
	ret = add_shared(p, first, end, f);
	init.srq = e->srq;
	init.max_recv_wr = e->srq ? 0 : recvs;
	ret = ret ?:
	      add_cqs(p, first, end, f) ?:
	      (p->work.credits ? kv_endpoint_add_buffer(e, &p->credit[end], 1, f) : 0) ?:
	      kv_endpoint_add_buffer(e, &p->local[end], p->work.size, f);
	if (ret)
		return ret;
	ret = kv_endpoint_add_qp(e, &init, f);
	/* No attribute of a device tells how much it takes. */
	if (ret == -EINVAL && init.max_inline)
		kv_fault_prefix(f, "--inline %u may be more than %s takes: ", init.max_inline,
				e->site->dev.name);
	return ret;
}

static int check_mtu(const struct kv_pair *p, struct kv_fault *f)
{
	for (unsigned int i = 0; i < 2; i++) {
		const struct kv_site *s = p->end[i].site;

		if (p->work.mtu > s->port->active_mtu)
			return kv_fault_set(f, -EMSGSIZE,
					    "path MTU %u (--mtu) is too large: the active MTU of %s%s%s is %u, which the MTU of its network interface allows",
					    p->work.mtu, s->dev.name, s->host ? " on " : "",
					    s->host ? s->host : "", s->port->active_mtu);
	}
	return 0;
}

static int connect_raw(struct kv_pair *p, unsigned int end, struct kv_fault *f)
{
	struct kv_endpoint *e = &p->end[end], *peer = &p->end[!end];
	const struct kv_port *port = e->site->port, *to = peer->site->port;
	struct kv_address address = { .lid = to->lid, .qpn = peer->qpn, .psn = peer->psn };
	struct kv_qp_attr attr = KV_RAW_DEFAULTS;
	int ret = 0;

	memcpy(address.gid, peer->site->gid->raw, sizeof(address.gid));
	kv_raw_set_peer(&attr, &address, e->site->gid->index);
	attr.port = port->number;
	attr.access = qp_access(p, end);
	attr.path_mtu = p->work.mtu ? p->work.mtu :
				      kv_raw_mtu(MIN(port->active_mtu, to->active_mtu));
	attr.max_dest_rd_atomic = rd_atomic(p, !end);
	attr.max_rd_atomic = rd_atomic(p, end);
	attr.sq_psn = e->psn;
	attr.timeout = p->work.ack_timeout;
	attr.retry_cnt = p->work.retry_cnt;
	attr.rnr_retry = rnr_retry(&p->work, attr.rnr_retry);
	for (unsigned int step = 0; step < KV_RAW_STEPS && !ret; step++)
		ret = kv_endpoint_step(e, p->work.type, step, &attr, f);
	return ret || p->work.type != KVERBS_QPT_UD ? ret : kv_endpoint_add_ah(e, &attr.av, f);
}

/*
 * The IP address that belongs to a GID. A GID of RoCE v2 is an IP address (IBTA annex A17); a GID
 * of iWARP is a MAC address, so that the IP address is taken from the netdev.
 */
static int to_addr(const struct kv_site *site, struct sockaddr_storage *addr, struct kv_fault *f)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;
	struct in6_addr gid;

	memset(addr, 0, sizeof(*addr));
	memcpy(&gid, kv_dev_is_iwarp(&site->dev) ? site->port->addr : site->gid->raw, sizeof(gid));
	if (IN6_IS_ADDR_UNSPECIFIED(&gid))
		return kv_fault_set(f, -EADDRNOTAVAIL,
				    "--connect cm: the network interface of %s%s%s has no IP address",
				    site->dev.name, site->host ? " on " : "",
				    site->host ? site->host : "");
	if (IN6_IS_ADDR_V4MAPPED(&gid)) {
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, &gid.s6_addr[12], sizeof(in->sin_addr));
		return 0;
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_addr = gid;
	if (!IN6_IS_ADDR_LINKLOCAL(&gid))
		return 0;
	/* The interface numbers of another host differ from ours. */
	if (site->host)
		return kv_fault_set(f, -EOPNOTSUPP,
				    "--connect cm: GID %u of %s on %s is a link-local address, which only that host can name: choose another one",
				    site->gid->index, site->dev.name, site->host);
	in6->sin6_scope_id = if_nametoindex(site->gid->netdev);
	return 0;
}

/* The initiator sends a connection request, and the responder accepts it. */
static int handshake(struct kv_pair *p, const struct kv_conn_peer *peer, uint32_t listener,
		     struct kv_conn_side side[2], struct kv_fault *f)
{
	struct kv_conn_param param[2];
	int ret;

	for (unsigned int i = 0; i < 2; i++) {
		side[i].end_ns = kv_now_ns() + DEADLINE_NS;
		param[i] = kv_endpoint_param(&p->end[i]);
		param[i].access = qp_access(p, i);
		param[i].initiator_depth = rd_atomic(p, i);
		param[i].responder_resources = rd_atomic(p, !i);
		param[i].retry_cnt = p->work.retry_cnt;
		param[i].rnr_retry = rnr_retry(&p->work, param[i].rnr_retry);
		/* iWARP has none: TCP sends a packet again. */
		if (!kv_dev_is_iwarp(&p->end[i].site->dev))
			param[i].ack_timeout = p->work.ack_timeout;
	}
	ret = kv_conn_request(&side[0], peer, &param[0], f);
	if (ret)
		return ret;
	p->end[0].conn = side[0].conn.id;
	ret = kv_conn_get_request(&side[1], listener, f);
	if (ret)
		return ret;
	p->end[1].conn = side[1].conn.id;
	ret = kv_conn_accept(&side[1], &param[1], f);
	for (unsigned int i = 0; i < 2 && !ret; i++)
		ret = kv_conn_confirm(&side[i], &param[i], f);
	return ret;
}

/* The responder listens on the address of its GID, on any port. */
static int connect_cm(struct kv_pair *p, struct kv_fault *f)
{
	const struct kv_site *responder = p->end[1].site;
	const struct kv_conn_init init = { .dev = responder->dev.name };
	struct kv_conn_peer peer = { .dev = p->end[0].site->dev.name };
	struct kv_conn_side side[2] = { { .b = p->end[0].site->b }, { .b = responder->b } };
	struct sockaddr_storage addr;
	uint32_t listener;
	int ret = to_addr(p->end[0].site, &peer.src, f) ?:
		  to_addr(responder, &addr, f) ?:
		  kv_conn_listen(&side[1], &init, &addr, 1, f);

	if (ret)
		return ret;
	listener = side[1].conn.id;
	peer.dst = side[1].conn.src;
	ret = handshake(p, &peer, listener, side, f);
	for (unsigned int i = 0; i < 2 * KV_CONN_STEPS; i++)
		p->end[i % 2].verb[KV_VERB_CM + i / 2].verb_ns = side[i % 2].verb_ns[i / 2];
	kv_endpoint_del(&p->end[1], KV_CONN, &listener);
	return ret;
}

static int connect_ends(struct kv_pair *p, struct kv_fault *f)
{
	if (p->work.connect == KV_CONNECT_CM)
		return connect_cm(p, f);
	return connect_raw(p, 0, f) ?: connect_raw(p, 1, f);
}

/* In the kernel only an RC QP carries registrations. */
static bool carries(const struct kv_pair *p, unsigned int end)
{
	return p->work.type == KVERBS_QPT_RC || p->end[end].site->id == KV_SPACE_USER;
}

static bool registers(const struct kv_workload *w)
{
	return kv_run_registers(kv_workload_loop(w), w->op, 0);
}

static int register_buffers(struct kv_pair *p, unsigned int end, struct kv_fault *f)
{
	uint32_t local = local_access(p, end);
	uint32_t target = has_others_target(p, end) ? 0 : target_access(p, end);
	struct kv_endpoint *e = &p->end[end];
	int ret = 0;

	if ((local || target) && !carries(p, end))
		ret = kv_endpoint_add_carrier(e, f);
	ret = ret ?: kv_endpoint_register(e, &p->credit[end], credit_access(p, end), f) ?:
		     kv_endpoint_register(e, &p->local[end], local, f) ?:
		     kv_endpoint_register(e, &p->target[end], target, f) ?:
		     (!end && registers(&p->work) ? kv_endpoint_add_mr(e, &p->inv, f) : 0);
	kv_endpoint_del(e, KV_QP, &e->carrier);
	return ret;
}

/* Makes a pair whose sites and work are set. @first: see kv_pair_join(), or NULL */
static int create(struct kv_pair *p, const struct kv_pair *first, struct kv_fault *f)
{
	int ret = check_mtu(p, f);

	p->joined = first;
	for (unsigned int i = 0; i < 2 && !ret; i++)
		ret = create_end(p, first, i, f);
	if (!ret)
		ret = connect_ends(p, f);
	/* A fast registration is a request on a QP in RTS. */
	for (unsigned int i = 0; i < 2 && !ret; i++)
		ret = register_buffers(p, i, f);
	ret = kv_pair_blame(p, ret, f);
	if (ret)
		kv_pair_destroy(p);
	return ret;
}

/**
 * kv_pair_create() - make two endpoints and connect them to each other
 * @p: receives them; kv_pair_destroy() destroys them
 * @initiator: site of the endpoint that begins
 * @responder: site of the other endpoint; a loop in which one thread drives both ends
 *	needs the same site for both
 * @work: the work, which decides the rights that are granted; not KV_KIND_NULL
 * @f: receives the reason of a failure
 *
 * The buffers are @work->size bytes long and zeroed, and the peer can reach
 * exactly those bytes.
 *
 * Return: 0 or a negative errno; after an error no object is left.
 */
int kv_pair_create(struct kv_pair *p, const struct kv_site *initiator,
		   const struct kv_site *responder, const struct kv_workload *work,
		   struct kv_fault *f)
{
	memset(p, 0, sizeof(*p));
	p->end[0].site = initiator;
	p->end[1].site = responder;
	p->work = *work;
	p->inv.length = work->size;
	return create(p, NULL, f);
}

/**
 * kv_pair_join() - make a pair like another one, with which it has an SRQ or CQs in common
 * @p: receives the endpoints; kv_pair_destroy() destroys them, before those of @first
 * @first: a pair whose work has an SRQ, or one CQ for the QPs of a thread
 * @f: receives the reason of a failure
 *
 * All receives of an SRQ are alike: so its QPs have one target, and the responders one PD.
 *
 * Return: as kv_pair_create().
 */
int kv_pair_join(struct kv_pair *p, const struct kv_pair *first, struct kv_fault *f)
{
	memset(p, 0, sizeof(*p));
	p->end[0].site = first->end[0].site;
	p->end[1].site = first->end[1].site;
	p->work = first->work;
	return create(p, first, f);
}

/**
 * kv_pair_blame() - if the device of an end is gone, report its removal instead of what results
 * @p: the pair
 * @error: errno of the failure; 0: no failure
 * @f: the fault; replaced if a device was removed
 *
 * Return: -ENODEV, or @error if both devices are there.
 */
int kv_pair_blame(const struct kv_pair *p, int error, struct kv_fault *f)
{
	for (unsigned int i = 0; i < 2 && error && error != -ENODEV; i++)
		error = kv_dev_blame(p->end[i].site->b, p->end[i].site->dev.name, error, f);
	return error;
}

static void invalidate(struct kv_pair *p, struct kv_endpoint *e, struct kv_buffer *buf)
{
	const struct kv_mr_inv inv = {
		.id = buf->mr,
		.qp = e->qp,
		.post_context = kv_site_post_context(e->site),
	};

	if (!buf->access || p->broken)
		return;
	/* If the QP refuses the first of these requests, it refuses the others too. */
	if (kv_op_mr_inv(e->site->b, &inv, NULL, NULL))
		p->broken = true;
	buf->access = 0;
}

/* Ends the connection of the CM, if there is one; the QPs are in ERR afterwards. */
static void disconnect(struct kv_pair *p)
{
	struct kv_conn_side side[2];
	struct kv_fault f;

	for (unsigned int i = 0; i < 2; i++)
		side[i] = (struct kv_conn_side){ p->end[i].site->b, kv_now_ns() + GOODBYE_NS,
						 .conn.id = p->end[i].conn };
	/* The responder answers only while the tool waits for its event. */
	if (p->end[0].conn && p->end[1].conn &&
	    !kv_op_conn_disconnect(side[0].b, &(struct kv_id){ p->end[0].conn }, NULL, NULL) &&
	    !kv_conn_wait(&side[1], 1U << KVERBS_CONN_DISCONNECTED, &f))
		kv_conn_wait(&side[0], 1U << KVERBS_CONN_DISCONNECTED, &f);
	for (int i = 1; i >= 0; i--)
		kv_endpoint_del(&p->end[i], KV_CONN, &p->end[i].conn);
}

/**
 * kv_pair_destroy() - destroy all that kv_pair_create() made
 * @p: the pair
 */
void kv_pair_destroy(struct kv_pair *p)
{
	for (int i = 1; i >= 0; i--) {
		/* The end of the MR ends its registration, too. */
		if (!carries(p, (unsigned int)i))
			continue;
		if (!has_others_target(p, (unsigned int)i))
			invalidate(p, &p->end[i], &p->target[i]);
		invalidate(p, &p->end[i], &p->local[i]);
		invalidate(p, &p->end[i], &p->credit[i]);
	}
	disconnect(p);
	/* Both QPs go first, so that neither can reach the buffers of the other any more. */
	for (int i = 1; i >= 0; i--)
		kv_endpoint_del(&p->end[i], KV_QP, &p->end[i].qp);
	for (int i = 1; i >= 0; i--) {
		struct kv_endpoint *e = &p->end[i];

		if (has_others_target(p, (unsigned int)i)) {
			e->srq = 0;
			e->pd = 0;
			p->target[i] = (struct kv_buffer){ 0 };
		}
		if (p->joined && p->work.one_cq)
			e->send_cq = e->recv_cq = 0;
		kv_endpoint_del(e, KV_AH, &e->ah);
		/* Before the target, which its receives name. */
		kv_endpoint_del(e, KV_SRQ, &e->srq);
		kv_endpoint_del_buffer(e, &p->target[i]);
		kv_endpoint_del_buffer(e, &p->local[i]);
		kv_endpoint_del_buffer(e, &p->credit[i]);
		if (!i)
			kv_endpoint_del_buffer(e, &p->inv);
		kv_endpoint_del(e, KV_CQ, &e->recv_cq);
		kv_endpoint_del(e, KV_CQ, &e->send_cq);
		kv_endpoint_del(e, KV_PD, &e->pd);
	}
}

/**
 * kv_pair_verbs() - how long each verb took
 * @p: the pair
 * @verb: receives the initiator's times, and the responder's times of verbs that
 *	only the responder needs; 0 for a verb that neither needs
 */
void kv_pair_verbs(const struct kv_pair *p, struct kv_times verb[KV_VERBS])
{
	for (unsigned int v = 0; v < KV_VERBS; v++)
		verb[v] = p->end[!p->end[0].verb[v].verb_ns].verb[v];
}

/**
 * kv_pair_fill() - describe one end for a run
 * @p: the pair
 * @end: 0 or 1
 * @run: receives the description
 */
void kv_pair_fill(const struct kv_pair *p, unsigned int end, struct kv_run_end *run)
{
	bool credits = p->work.credits;
	const struct kv_buffer *local = credits && end ? &p->credit[1] : &p->local[end];
	const struct kv_buffer *target = credits && !end ? &p->credit[0] : &p->target[end];
	const struct kv_buffer *remote = credits && end ? &p->credit[0] : &p->target[!end];

	run->qp = p->end[end].qp;
	run->local_buf = local->buf;
	run->target_buf = target->buf;
	run->local_mr = needs_key(p, end) ? local->mr : 0;
	run->target_mr = needs_key(p, end) ? target->mr : 0;
	run->remote_addr = remote->iova;
	run->remote_key = p->inv.mr && end ? p->inv.rkey : remote->rkey;
	run->inv_mr = p->inv.mr;
	run->ah = p->end[end].ah;
	run->remote_qpn = run->ah ? p->end[!end].qpn : 0;
	run->remote_qkey = run->ah ? KV_RAW_QKEY : 0;
}

/**
 * kv_pair_look_up_key() - before a run that registers an MR: which key had the MR last?
 * @p: the pair
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_pair_look_up_key(struct kv_pair *p, struct kv_fault *f)
{
	struct kv_backend *b = p->end[0].site->b;
	struct kv_mr mr;
	int ret;

	if (!p->inv.mr)
		return 0;
	ret = kv_op_mr_get(b, &(struct kv_id){ p->inv.mr }, &mr, NULL);
	p->inv.rkey = ret ? 0 : mr.last_key;
	return kv_fault_backend(f, b, ret, "cannot look at an MR");
}

/**
 * kv_pair_swap() - exchange the roles of initiator and responder
 * @p: the pair
 */
void kv_pair_swap(struct kv_pair *p)
{
	const struct kv_endpoint end = p->end[0];
	const struct kv_buffer local = p->local[0], target = p->target[0];

	p->end[0] = p->end[1];
	p->end[1] = end;
	p->local[0] = p->local[1];
	p->local[1] = local;
	p->target[0] = p->target[1];
	p->target[1] = target;
}
