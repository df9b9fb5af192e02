// SPDX-License-Identifier: MIT
/* No answer and no new buffer carries what was in that memory before. */
#define _GNU_SOURCE /* sched_setaffinity() */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include "conn.h"
#include "raw.h"
#include "run.h"
#include "wire.h"

#define PATTERN WIRE_SPOILT
#define ROUNDS 4

static struct wire wire;

/* Whose requests leave their pattern where the next answer will be made. */
static struct link spoiler;
static uint32_t spoilt;
static bool spoiling;

/* Before each request: memory of the sizes of messages is used, and freed. */
static void spoil(void)
{
	static const uint32_t sizes[] = { 16, 400, 900, 1900, 3400, 7000, KVERBS_DATA_MAX };
	static char pattern[KVERBS_DATA_MAX];
	unsigned int i;

	if (spoiling)
		return;
	spoiling = true;
	memset(pattern, PATTERN, sizeof(pattern));
	for (i = 0; i < COUNT(sizes); i++)
		must(&spoiler, call_buf_write(&spoiler.nl, spoilt, 0, pattern, sizes[i]),
		     "spoil");
	spoiling = false;
}

/* On one CPU, whose free memory is taken again first. */
static void spoil_from_now_on(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		bail_out("no CPU 0");
	link_open(&spoiler);
	spoilt = make_buf(&spoiler, KVERBS_DATA_MAX);
	wire_tap(&wire, spoil);
}

static void spoil_no_more(const cpu_set_t *all)
{
	wire_tap(NULL, NULL);
	kv_nl_close(&spoiler.nl);
	sched_setaffinity(0, sizeof(*all), all);
}

/* --- answers to all commands --- */

static int ignore(const union kv_object *object, void *arg)
{
	(void)object;
	(void)arg;
	return 0;
}

static int ignore_dev(const struct kv_dev *found, void *arg)
{
	(void)found;
	(void)arg;
	return 0;
}

static void look_at_all(struct link *l)
{
	static const enum kv_type nouns[] = {
		KV_PD, KV_CQ, KV_BUF, KV_MR, KV_SRQ, KV_AH, KV_QP, KV_CONN,
	};
	unsigned int i;

	for (i = 0; i < COUNT(nouns); i++)
		must(l, kv_nl_each(&l->nl.base, nouns[i], ignore, NULL), "list");
	must(l, kv_nl_dev_each(&l->nl.base, ignore_dev, NULL), "list devices");
	must(l, send_msg(l, kv_nl_msg(&l->nl, KVERBS_CMD_RUN_GET, NLM_F_DUMP)), "list runs");
}

static void use_buffers(struct link *l)
{
	const struct kv_buf_init init = { .dev = dev, .length = 777 };
	static char bytes[KVERBS_DATA_MAX];
	uint32_t length, flushed, busy;
	struct kv_info info;
	struct kv_buf buf;

	must(l, call_new(&l->nl, KV_BUF, &init, &buf, NULL), "buf");
	/* Each length that needs another padding. */
	for (length = 1; length <= 9; length++)
		must(l, call_buf_read(&l->nl, buf.id, 0, bytes, length), "read");
	must(l, call_get(&l->nl, KV_BUF, buf.id, &buf), "get");
	must(l, call_del(&l->nl, KV_BUF, buf.id, NULL), "delete");
	must(l, call_dev_get(&l->nl, dev, &(struct kv_dev){ 0 }), "dev");
	must(l, call_info_get(&l->nl, &info), "info");
	must(l, call_flush(&l->nl, &flushed, &busy), "flush");
}

static void use_qps(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC, .context = KVERBS_CQ_EVENT };
	struct kv_srq_attr limit = { .has_limit = true, .limit = 1 };
	uint32_t srq, ah = 0, pd = make_pd(l);
	union kv_object object;
	struct end a, b;
	struct wr wr;
	bool missed;

	srq = make_srq(l, pd, 7);
	must(l, call_srq_modify(&l->nl, srq, &limit, NULL, NULL), "limit");
	must(l, call_get(&l->nl, KV_SRQ, srq, &object), "get");
	if (!is_iwarp()) {
		ah = make_ah(l, pd);
		must(l, call_get(&l->nl, KV_AH, ah, &object), "get");
	}
	must(l, call_get(&l->nl, KV_PD, pd, &object), "get");
	pair_make(l, &a, &b, &init);
	register_target(l, &b);
	must(l, call_get(&l->nl, KV_CQ, a.send_cq, &object), "get");
	must(l, call_get(&l->nl, KV_QP, a.qp, &object), "get");
	wr = recv_wr(b.qp, b.local, 100, 1);
	post(l, &wr, "recv");
	wr = send_wr(a.qp, a.local, 33, 2);
	wr.has_imm = !is_iwarp();
	wr.op = wr.has_imm ? KVERBS_OP_SEND_WITH_IMM : KVERBS_OP_SEND;
	post(l, &wr, "send");
	must(l, call_cq_arm(&l->nl, b.recv_cq, false, &missed, NULL), "arm");
	drain(l, b.recv_cq, 1);
	drain(l, a.send_cq, 1);
	/* An error, of which an event tells, too. */
	must(l, call_cq_arm(&l->nl, a.send_cq, false, &missed, NULL), "arm");
	wr = write_wr(&a, &b, 8, 3);
	wr.remote_key ^= 1;
	post(l, &wr, "write");
	drain(l, a.send_cq, 1);
	pair_reconnect(l, &a, &b, KVERBS_QPT_RC);
	must(l, call_get(&l->nl, KV_MR, b.target_mr, &object), "get");
	must(l, call_mr_inv(&l->nl, b.target_mr, b.qp, NULL), "invalidate");
	look_at_all(l);
	end_del(l, &a);
	must(l, call_del(&l->nl, KV_SRQ, srq, NULL), "delete");
	if (ah)
		must(l, call_del(&l->nl, KV_AH, ah, NULL), "delete");
}

static void use_runs(struct link *l)
{
	struct kv_run_spec spec = {
		.loop = KVERBS_LOOP_NULL, .iters = 5000, .cpu = -1, .spins = -1,
	};
	struct kv_run_result *shown = malloc(sizeof(*shown));
	uint32_t id;

	snprintf(spec.dev, sizeof(spec.dev), "%s", dev);
	must(l, call_run_start(&l->nl, &spec, &id), "start a run");
	must(l, call_run_peek(&l->nl, id, shown), "look at the run");
	run_wait(l, id);
	look_at_all(l);
	must(l, call_run_cancel(&l->nl, id), "cancel");
	must(l, call_run_del(&l->nl, id), "delete");
	free(shown);
}

/* Private data of a few bytes, which the CM pads. */
static bool zero_tail(const struct kv_conn *conn, const char *text)
{
	size_t length = strlen(text), i;

	if (conn->private_length < length || memcmp(conn->private_data, text, length))
		return false;
	for (i = length; i < conn->private_length; i++)
		if (conn->private_data[i])
			return false;
	return true;
}

static void tell(struct kv_conn_param *param, const char *text)
{
	param->private_length = (uint32_t)strlen(text);
	memcpy(param->private_data, text, param->private_length);
}

static void use_conns(struct link *l, int family)
{
	struct kv_conn_param param;
	struct kv_conn conn;
	struct duo d;

	duo_make(l, &d, family, KVERBS_CONN_ROUTE_RESOLVED, 0);
	param = conn_param(d.a.qp);
	tell(&param, "hello");
	must(l, call_conn_connect(&l->nl, d.active, &param, NULL), "connect");
	d.passive = conn_taken(l, d.listener);
	conn = conn_get(l, d.passive);
	result(zero_tail(&conn, "hello"), "a request's private data is padded with zeros");
	param = conn_param(d.p.qp);
	tell(&param, "you");
	must(l, call_conn_accept(&l->nl, d.passive, &param, NULL), "accept");
	conn_must_be(l, d.active, is_iwarp() ? KVERBS_CONN_ESTABLISHED : KVERBS_CONN_ANSWERED);
	conn = conn_get(l, d.active);
	result(zero_tail(&conn, "you"), "so is an answer's");
	if (!is_iwarp())
		must(l, call_conn_establish(&l->nl, d.active, &param, NULL), "establish");
	conn_must_be(l, d.passive, KVERBS_CONN_ESTABLISHED);
	look_at_all(l);
	must(l, call_conn_disconnect(&l->nl, d.active, NULL), "disconnect");
	conn_must_be(l, d.passive, KVERBS_CONN_DISCONNECTED);
	duo_del(l, &d);

	duo_make(l, &d, family, KVERBS_CONN_CONNECTING, KVERBS_CONN_REQUESTED);
	must(l, call_conn_reject(&l->nl, d.passive, "no", 2, NULL), "reject");
	conn_must_be(l, d.active, KVERBS_CONN_REJECTED);
	conn = conn_get(l, d.active);
	/* iWARP's says nothing. */
	if (!lacks("and a rejection's", "private data of a rejection"))
		result(zero_tail(&conn, "no"), "and a rejection's");
	duo_del(l, &d);
}

/* iWARP has no UD. */
static void use_groups(struct link *l)
{
	static const uint8_t gid[16] = { [10] = 0xff, [11] = 0xff, 224, 0, 0, 1 };
	const struct end_init init = { .type = KVERBS_QPT_UD };
	struct kv_conn_join join = {
		.id = conn_new(l), .src = conn_addr(AF_INET, 0), .group = { .ss_family = AF_INET },
	};
	struct kv_qp_attach attach;
	struct kv_qp_detach detach;
	union kv_object object;
	struct end e;

	end_make(l, &e, &init);
	must(l, modify(l, e.qp, init_attr(KVERBS_QPT_UD)), "init");
	attach = (struct kv_qp_attach){ .id = e.qp };
	detach = (struct kv_qp_detach){ .id = e.qp };
	memcpy(attach.gid, gid, sizeof(gid));
	memcpy(detach.gid, gid, sizeof(gid));
	must(l, kv_op_qp_attach(&l->nl.base, &attach, NULL, NULL), "attach");
	must(l, call_get(&l->nl, KV_QP, e.qp, &object), "get");
	must(l, kv_op_qp_detach(&l->nl.base, &detach, NULL, NULL), "detach");
	end_del(l, &e);
	memcpy(&((struct sockaddr_in *)&join.group)->sin_addr, gid + 12, 4);
	must(l, kv_op_conn_join(&l->nl.base, &join, NULL, NULL), "join");
	conn_must_be(l, join.id, KVERBS_CONN_JOINED);
	must(l, kv_op_conn_leave(&l->nl.base, &(struct kv_id){ join.id }, NULL, NULL), "leave");
	must(l, conn_del(l, join.id), "delete");
}

static void look_at_events(struct link *l)
{
	static char event[65536];
	ssize_t n;

	usleep(100000);
	while ((n = recv(nl_socket_get_fd(l->nl.events), event, sizeof(event),
			 MSG_DONTWAIT)) > 0)
		wire_look(&wire, event, (size_t)n);
}

/* All commands that the kernel lists must have been seen, except those whose answer has no attributes. */
static void check_seen(void)
{
	static const unsigned int silent[] = {
		KVERBS_CMD_BUF_WRITE, KVERBS_CMD_RUN_CANCEL, KVERBS_CMD_RUN_DEL,
	};
	static const unsigned int not_iwarp[] = {
		KVERBS_CMD_AH_NEW, KVERBS_CMD_AH_DEL, KVERBS_CMD_AH_GET, KVERBS_CMD_CONN_ESTABLISH,
		KVERBS_CMD_QP_ATTACH, KVERBS_CMD_QP_DETACH, KVERBS_CMD_CONN_JOIN,
		KVERBS_CMD_CONN_LEAVE,
	};
	static const unsigned int events[] = {
		KVERBS_EVENT_DEV_ADDED, KVERBS_EVENT_DEV_RENAMED, KVERBS_EVENT_DEV_REMOVED,
		KVERBS_EVENT_RUN_STARTED, KVERBS_EVENT_RUN_DONE, KVERBS_EVENT_COMPLETION,
		KVERBS_EVENT_WC_ERROR, KVERBS_EVENT_CM, KVERBS_EVENT_PORT_ACTIVE,
	};
	unsigned int cmd, i, missing = 0;
	struct family family;

	family_learn(&family);
	for (i = 0; i < COUNT(silent); i++)
		family.flags[silent[i]] &= ~(uint32_t)GENL_CMD_CAP_DO;
	for (i = 0; i < (is_iwarp() ? COUNT(not_iwarp) : 0); i++)
		family.flags[not_iwarp[i]] = 0;
	for (cmd = 1; cmd <= OPS_MAX; cmd++) {
		if (family.flags[cmd] & GENL_CMD_CAP_DO && !wire.answered[cmd]) {
			note("  no answer to command %u", cmd);
			missing++;
		}
		if (family.flags[cmd] & GENL_CMD_CAP_DUMP && !wire.listed[cmd]) {
			note("  no list of command %u", cmd);
			missing++;
		}
	}
	for (i = 0; i < COUNT(events); i++)
		/* A request that iWARP's peer refuses completes all the same. */
		if (!wire.events[events[i]] &&
		    !(is_iwarp() && events[i] == KVERBS_EVENT_WC_ERROR)) {
			note("  no event %u", events[i]);
			missing++;
		}
	result(!missing, "answers to all commands, all lists and events were looked at");
	result(!wire.wrong, "none carries a byte that is not meant");
	note("  %lu messages, %lu bytes of padding; %u wrong%s%s", wire.messages, wire.bytes,
	     wire.wrong, wire.wrong ? ": " : "", wire.first);
}

static void make_device_events(void)
{
	other_dev_make();
	if (system("ip link set d7 down && ip link set d7 up && "
		   "rdma dev set " OTHER_DEV " name rxe8 && rdma dev set rxe8 name " OTHER_DEV))
		bail_out("the other device does not obey");
	other_dev_del();
}

static void test_messages(void)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	bool noarp = conn_arp();
	struct end a, b;
	cpu_set_t all;
	struct link l;

	sched_getaffinity(0, sizeof(all), &all);
	link_open(&l);
	wire.family = (uint16_t)l.nl.family;
	spoil_from_now_on();
	pair_make(&l, &a, &b, &init);
	use_buffers(&l);
	use_qps(&l);
	use_runs(&l);
	use_conns(&l, AF_INET);
	if (!is_iwarp()) {
		use_conns(&l, AF_INET6);
		use_groups(&l);
	}
	make_device_events();
	look_at_events(&l);
	/* The texts of refusals. */
	RAW(&l, KVERBS_CMD_PD_NEW, 99, 1);
	RAW(&l, KVERBS_CMD_PD_DEL, KVERBS_A_PD_ID, 2000000000);
	RAW(&l, KVERBS_CMD_PD_DEL, KVERBS_A_PD_ID, 0);
	spoil_no_more(&all);
	check_seen();
	link_close(&l);
	conn_noarp(noarp);
}

/* --- new buffers --- */

static bool all_zero(const char *data, size_t length)
{
	return !length || (!data[0] && !memcmp(data, data + 1, length - 1));
}

static bool new_is_zero(struct link *l, uint64_t length, char *seen)
{
	uint32_t id = make_buf(l, length);
	bool good;

	memset(seen, PATTERN, length);
	must(l, call_buf_read(&l->nl, id, 0, seen, length), "read");
	good = all_zero(seen, length);
	memset(seen, PATTERN, length);
	must(l, call_buf_write(&l->nl, id, 0, seen, length), "write");
	must(l, call_del(&l->nl, KV_BUF, id, NULL), "delete");
	return good;
}

static void test_buffers(struct link *l)
{
	const uint64_t lengths[] = {
		1, 2, 63, 64, 4095, 4096, 4097, 8192, 12289, 65536, 1048575, 3 * KVERBS_PIECE_MAX,
	};
	unsigned int i, round;
	char *seen;
	bool good;

	seen = malloc(3 * KVERBS_PIECE_MAX);
	if (!seen)
		bail_out("no memory");
	for (i = 0; i < COUNT(lengths); i++) {
		for (round = 0, good = true; round < ROUNDS; round++)
			good = new_is_zero(l, lengths[i], seen) && good;
		result(good, "a buffer of %llu bytes is zero where one was full",
		       (unsigned long long)lengths[i]);
	}
	free(seen);
}

/* --- the borders of a buffer --- */

#define ODD 4097

struct expect {
	const char *want;
	int length;
	bool good;
};

static int on_data(struct nlattr *attrs, int len, void *arg)
{
	struct nlattr *data = nla_find(attrs, len, KVERBS_A_BUF_DATA);
	struct expect *e = arg;

	e->good = data && nla_len(data) == e->length &&
		  !memcmp(nla_data(data), e->want, (size_t)e->length);
	return 0;
}

static int move(struct link *l, int cmd, uint32_t buf, uint64_t offset, uint64_t length,
		struct expect *e)
{
	struct nl_msg *msg = call_msg_of(&l->nl, KV_BUF, cmd, buf);

	nla_put_u64(msg, KVERBS_A_BUF_OFFSET, offset);
	if (cmd == KVERBS_CMD_BUF_READ)
		nla_put_u64(msg, KVERBS_A_BUF_LENGTH, length);
	else
		nla_put(msg, KVERBS_A_BUF_DATA, (int)length, e->want);
	return kv_nl_request(&l->nl, msg, NULL, cmd == KVERBS_CMD_BUF_READ ? on_data : NULL, e);
}

static void test_borders(struct link *l)
{
	static const uint64_t at[] = {
		0, 1, 7, ODD - 1, ODD, ODD + 1, 8191, 8192, KVERBS_DATA_MAX, 0xffffffff, 1ULL << 32,
		(1ULL << 32) + 1, 1ULL << 63, ~0ULL - ODD, ~0ULL - 1, ~0ULL,
	};
	static const int cmds[] = { KVERBS_CMD_BUF_READ, KVERBS_CMD_BUF_WRITE };
	unsigned int c, o, n, wrong = 0, moved = 0, tried = 0;
	uint32_t buf = make_buf(l, ODD);
	static char pattern[ODD], other[KVERBS_DATA_MAX];

	for (n = 0; n < ODD; n++)
		pattern[n] = (char)(n * 7 + 1);
	must(l, call_buf_write(&l->nl, buf, 0, pattern, ODD), "write");
	for (c = 0; c < COUNT(cmds); c++)
		for (o = 0; o < COUNT(at); o++)
			for (n = 0; n < COUNT(at); n++) {
				bool reads = cmds[c] == KVERBS_CMD_BUF_READ;
				bool in = at[n] && at[o] < ODD && at[n] <= ODD - at[o];
				/* These bytes are there already: a write changes nothing. */
				struct expect e = {
					.want = in ? pattern + at[o] : other,
					.length = in ? (int)at[n] : 0,
					.good = !reads || !in,
				};
				int ret;

				if (!reads && at[n] > KVERBS_DATA_MAX)
					continue;
				ret = move(l, cmds[c], buf, at[o], at[n], &e);
				tried++;
				moved += in;
				if ((in ? ret : ret != -EINVAL && ret != -ERANGE) || !e.good) {
					note("  command %d, offset %llu, length %llu: %d",
					     cmds[c], (unsigned long long)at[o],
					     (unsigned long long)at[n], ret);
					wrong++;
				}
			}
	result(!wrong, "what begins or ends beyond the buffer is refused, all else is its bytes");
	note("  %u of %u were good", moved, tried);
	result(holds(l, buf, 0, pattern, ODD), "none of it has changed the buffer");
}

void test_stale(void)
{
	struct link l;

	link_open(&l);
	test_buffers(&l);
	test_borders(&l);
	link_close(&l);
	test_messages();
}
