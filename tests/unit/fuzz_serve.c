// SPDX-License-Identifier: MIT
/*
 * Random and mutated messages for what 'kverbs serve' runs for a client, under ASan and
 * UBSan: valid sessions, of which framing, hellos, attributes, values and order are spoiled. TAP.
 * On the fake backend, or, linked with fuzz_real.c, on those of the tool.
 *
 * usage: fuzz_serve [MESSAGES [SEED [SECONDS]]], SECONDS: the time limit of one session
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include <json-c/json.h>
#include "fake_backend.h"
#include "fake_server.h"
#include "kernel/fields.h"
#include "sys/now.h"
#include "remote/call.h"
#include "remote/wire.h"

#define MESSAGES 100000
/* Time limit of one session; the server's own deadlines are longer. */
#define SESSION_S 8
/* All of them; a machine that is busy elsewhere takes some ten seconds. */
#define ALARM_S 600

#define HEADER 12
#define ORDER (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big")
#define SESSION_MAX 60
#define DATA_MAX 2000
#define MESSAGE_MAX (HEADER + KV_WIRE_HEAD_MAX + DATA_MAX)
#define STREAM_MAX (1U << 19)

static uint64_t state;
static uint64_t session_ns;

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014) */
static uint64_t next(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)(next() % n);
}

/* Once in @n. */
static bool once_in(uint32_t n)
{
	return !below(n);
}

/* The messages of one session. */
static struct {
	uint8_t bytes[STREAM_MAX];
	size_t length;
	size_t at[SESSION_MAX + 1]; /* where each message begins */
	unsigned int messages;
	uint32_t seq;
} out;

static struct {
	uint64_t messages;
	uint64_t sessions;
	uint64_t done;
	uint64_t refused;
	uint64_t broken;
} count;

__attribute__((format(printf, 1, 2), noreturn))
static void give_up(const char *fmt, ...)
{
	va_list args;

	printf("not ok 1 - ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	exit(1);
}

static uint64_t some_number(void)
{
	static const uint64_t odd[] = {
		0, 1, 2, 7, 255, 256, 65535, 65536, 0x7fffffff, 0x80000000,
		0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
		UINT64_MAX,
	};

	switch (below(3)) {
	case 0:
		return odd[below(sizeof(odd) / sizeof(odd[0]))];
	case 1:
		return below(70);
	}
	return next() >> below(64);
}

/* Something that the member's bounds allow. */
static void fill_member(const struct kv_member *m, char *base);

static void fill(const struct kv_shape *shape, char *base)
{
	for (unsigned int i = 0; i < shape->members; i++)
		fill_member(&shape->member[i], base);
}

static void fill_number(const struct kv_member *m, char *at)
{
	uint64_t v = some_number();

	if (m->max != UINT64_MAX)
		v %= m->max + 1;
	if (m->type == KV_MEMBER_U64) {
		memcpy(at, &v, 8);
	} else {
		int32_t s = m->min < 0 && once_in(2) ? (int32_t)m->min : (int32_t)v;

		memcpy(at, &s, 4);
	}
}

static void fill_count(const struct kv_member *m, char *base)
{
	uint32_t n = once_in(4) ? m->size : below(m->size + 1);

	memcpy(base + m->count, &n, sizeof(n));
}

static void fill_address(char *at)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };

	in.sin_port = in6.sin6_port = (uint16_t)next();
	in.sin_addr.s_addr = (uint32_t)next();
	in6.sin6_scope_id = once_in(2) ? 0 : (uint32_t)next();
	memcpy(&in6.sin6_addr, &in, 8);
	if (once_in(2))
		memcpy(at, &in, sizeof(in));
	else
		memcpy(at, &in6, sizeof(in6));
}

/* Room for the only list that its struct points to. */
static char *elsewhere(const struct kv_member *m, char *base)
{
	static struct kv_wr wr[KVERBS_WR_LIST_MAX];
	const struct kv_wr *to = wr;

	memset(wr, 0, sizeof(wr));
	memcpy(base + m->offset, &to, sizeof(to));
	return (char *)wr;
}

static void fill_member(const struct kv_member *m, char *base)
{
	static const char dev[] = "rxe0";
	const char *text = dev;
	char *at = base + m->offset;
	uint32_t n;

	switch (m->type) {
	case KV_MEMBER_U32:
	case KV_MEMBER_S32:
	case KV_MEMBER_U64:
		fill_number(m, at);
		break;
	case KV_MEMBER_BOOL:
		/* Of persistent objects all are refused. */
		*at = strcmp(m->name, "persistent") ? (char)below(2) : once_in(20);
		break;
	case KV_MEMBER_TEXT:
		strcpy(at, m->size > sizeof(dev) ? dev : "x");
		break;
	case KV_MEMBER_TEXT_AT:
		memcpy(at, &text, sizeof(text));
		break;
	case KV_MEMBER_HEX:
		memset(at, (int)next(), m->size);
		break;
	case KV_MEMBER_HEX_UPTO:
		fill_count(m, base);
		memset(at, (int)next(), m->size);
		break;
	case KV_MEMBER_ADDRESS:
		fill_address(at);
		break;
	case KV_MEMBER_STRUCT:
		fill(m->shape, at);
		break;
	case KV_MEMBER_LIST:
		fill_count(m, base);
		memcpy(&n, base + m->count, sizeof(n));
		if (m->elsewhere)
			at = elsewhere(m, base);
		while (n--)
			fill(m->shape, at + n * m->shape->size);
		break;
	case KV_MEMBER_NEST:
		break;
	}
}

/* Any JSON, not too large. */
static struct json_object *some_json(unsigned int depth)
{
	struct json_object *obj;
	unsigned int n;

	switch (below(depth ? 8 : 6)) {
	case 0:
		return NULL;
	case 1:
		return json_object_new_boolean((int)below(2));
	case 2:
		return json_object_new_int64((int64_t)some_number());
	case 3:
		return json_object_new_uint64(some_number());
	case 4:
		return json_object_new_double((double)some_number() / 3);
	case 5:
		return json_object_new_string_len((const char *)&state, (int)below(9));
	case 6:
		obj = json_object_new_array();
		for (n = below(4); n; n--)
			json_object_array_add(obj, some_json(depth - 1));
		return obj;
	}
	obj = json_object_new_object();
	for (n = below(4); n; n--)
		json_object_object_add(obj, n % 2 ? "a" : "seq", some_json(depth - 1));
	return obj;
}

/* One member, somewhere, gets another value, goes, or gets company. */
static void spoil_json(struct json_object *obj, unsigned int depth)
{
	int n = json_object_object_length(obj), i = 0;

	if (!n)
		return;
	n = (int)below((uint32_t)n);
	json_object_object_foreach(obj, key, value) {
		if (i++ != n)
			continue;
		if (depth && json_object_is_type(value, json_type_object) && !once_in(6))
			spoil_json(value, depth - 1);
		else if (once_in(4))
			json_object_object_del(obj, key);
		else if (once_in(4))
			json_object_object_add(obj, "new", some_json(3));
		else
			json_object_object_add(obj, key, some_json(9));
		return;
	}
}

/* Where the attributes of a message are while they are made, and spoiled. */
static struct {
	uint8_t bytes[KV_WIRE_HEAD_MAX];
	uint32_t length;
} attrs;

/* The bytes of nests grow or shrink with what is in them: if not @honest, some do not. */
static void resize(size_t end, int by, const size_t *nest, unsigned int nests)
{
	memmove(attrs.bytes + (int)end + by, attrs.bytes + end, attrs.length - end);
	attrs.length += (uint32_t)by;
	while (nests--) {
		struct nlattr *attr = (struct nlattr *)(attrs.bytes + nest[nests]);

		if (!once_in(20))
			attr->nla_len = (uint16_t)(attr->nla_len + by);
	}
}

/* Any attribute, or a number of such. */
static void insert(size_t at, const size_t *nest, unsigned int nests)
{
	static const uint16_t flags[] = { 0, 0, 0, NLA_F_NESTED, NLA_F_NET_BYTEORDER };
	uint64_t value = some_number();
	struct nlattr attr = {
		.nla_len = (uint16_t)(NLA_HDRLEN + below(9)),
		.nla_type = (uint16_t)((once_in(2) ? KV_ATTR_BEYOND : 0) + below(60)) |
			    flags[below(5)],
	};
	int by = NLA_ALIGN(attr.nla_len);

	if (attrs.length + (uint32_t)by > sizeof(attrs.bytes))
		return;
	resize(at, by, nest, nests);
	memset(attrs.bytes + at, 0, (size_t)by);
	memcpy(attrs.bytes + at, &attr, NLA_HDRLEN);
	memcpy(attrs.bytes + at + NLA_HDRLEN, &value, attr.nla_len - NLA_HDRLEN);
}

/* One attribute, somewhere, gets another value, length or type, goes, or gets company. */
static void spoil_one(size_t at, const size_t *nest, unsigned int nests)
{
	struct nlattr *attr = (struct nlattr *)(attrs.bytes + at);
	int size = NLA_ALIGN(attr->nla_len);

	switch (below(8)) {
	case 0:
		resize(at + (size_t)size, -size, nest, nests);
		break;
	case 1:
		insert(at, nest, nests);
		break;
	case 2:
		attr->nla_type = (uint16_t)some_number();
		break;
	case 3:
		attr->nla_len = (uint16_t)some_number();
		break;
	case 4:
		/* It comes twice. */
		if (attrs.length + (uint32_t)size > sizeof(attrs.bytes))
			break;
		resize(at, size, nest, nests);
		memmove(attrs.bytes + at, attrs.bytes + at + size, (size_t)size);
		break;
	default:
		/* Odd numbers, and bytes that are none. */
		for (int i = NLA_HDRLEN; i < attr->nla_len; i++)
			attrs.bytes[at + (size_t)i] = (uint8_t)next();
		if (attr->nla_len >= NLA_HDRLEN + 8 && once_in(2))
			memcpy(nla_data(attr), &(uint64_t){ some_number() }, 8);
		else if (attr->nla_len >= NLA_HDRLEN + 4 && once_in(2))
			memcpy(nla_data(attr), &(uint32_t){ (uint32_t)some_number() }, 4);
		break;
	}
}

static struct nlattr *attr_at(size_t at)
{
	return (struct nlattr *)(attrs.bytes + at);
}

static void spoil_attrs(void)
{
	size_t at = 0, end = attrs.length, nest[8];
	unsigned int nests = 0, n, last;

	while (at < end) {
		n = 0;
		for (size_t i = at; i < end; i += NLA_ALIGN(attr_at(i)->nla_len))
			n++;
		/* The last one more often than others: a request's arguments. */
		last = n - 1;
		n = below(n + 3);
		for (n = n < last ? n : last; n; n--)
			at += NLA_ALIGN(attr_at(at)->nla_len);
		if (!(attr_at(at)->nla_type & NLA_F_NESTED) ||
		    attr_at(at)->nla_len == NLA_HDRLEN || nests == 8 || once_in(6)) {
			spoil_one(at, nest, nests);
			return;
		}
		nest[nests++] = at;
		end = at + attr_at(at)->nla_len;
		at += NLA_HDRLEN;
	}
}

static void take_attrs(struct nl_msg *msg)
{
	attrs.length = (uint32_t)nlmsg_datalen(nlmsg_hdr(msg));
	memcpy(attrs.bytes, nlmsg_data(nlmsg_hdr(msg)), attrs.length);
}

static void put_u32(size_t at, uint32_t v)
{
	v = htonl(v);
	memcpy(out.bytes + at, &v, sizeof(v));
}

static void put(const void *bytes, size_t n)
{
	if (out.length + n > STREAM_MAX)
		give_up("the stream is too small");
	memcpy(out.bytes + out.length, bytes, n);
	out.length += n;
}

/* A whole message. */
static void put_message(const void *head, uint32_t size, const void *data, uint32_t length)
{
	uint32_t header[3] = { htonl(KV_WIRE_MAGIC), htonl(size), htonl(length) };

	out.at[out.messages++] = out.length;
	put(header, sizeof(header));
	put(head, size);
	put(data, length);
	out.at[out.messages] = out.length;
}

static void put_hello(bool good)
{
	const bool spoils_head = !good && once_in(2);
	struct kv_hello_client hello = { .space = below(2) };
	struct nl_msg *msg = nlmsg_alloc_size(KV_HELLO_MAX);
	struct json_object *obj = json_object_new_object();
	const char *text;

	json_object_object_add(obj, "protocol", json_object_new_int(KV_PROTOCOL));
	json_object_object_add(obj, "version", json_object_new_string(KVERBS_VERSION));
	json_object_object_add(obj, "order", json_object_new_string(ORDER));
	kv_nl_put_all(msg, &kv_shape_hello_client, &hello);
	take_attrs(msg);
	if (spoils_head)
		spoil_json(obj, 2);
	else if (!good)
		spoil_attrs();
	text = json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PLAIN);
	put_message(text, (uint32_t)strlen(text), attrs.bytes, attrs.length);
	json_object_put(obj);
	nlmsg_free(msg);
}

/* Ids that exist are small; the first objects of each session have them. */
static void aim(enum kv_call call, union kv_call_args *args)
{
	uint32_t *id = (uint32_t *)args;

	if (once_in(5))
		return;
	if (call == KV_CALL_MR_NEW || call == KV_CALL_SRQ_NEW ||
	    call == KV_CALL_AH_NEW || call == KV_CALL_QP_NEW) {
		*id = 1 + below(3);
		if (call == KV_CALL_QP_NEW) {
			args->qp_new.max_send_wr %= 64;
			args->qp_new.max_recv_wr %= 64;
		}
	} else if (call > KV_CALL_CONN_NEW && call != KV_CALL_FILE_OPEN &&
		   call != KV_CALL_FILE_CREATE) {
		/* The two begin with a name. */
		*id = 1 + below(3);
	}
	if (call == KV_CALL_BUF_NEW)
		args->buf_new.length = below(FAKE_BYTES);
	if (call == KV_CALL_CQ_NEW)
		args->cq_new.cqe %= 100;
	if (call == KV_CALL_BUF_READ) {
		args->buf_read.offset = below(100);
		args->buf_read.length = below(300);
	}
	if (call == KV_CALL_BUF_WRITE) {
		args->buf_write.offset = below(100);
		args->buf_write.length = below(300);
	}
	/* Real runs and waits take their time. */
	if (call == KV_CALL_RUN_START) {
		args->run_start.spec.iters = 1 + args->run_start.spec.iters % 100;
		args->run_start.spec.timeout_ns %= 5000000;
	}
	if (kv_call_rows[call].args == kv_call_rows[KV_CALL_RUN_WAIT].args)
		args->run_wait.timeout_ms %= 3;
	if (call == KV_CALL_FILE_TURN)
		args->file_turn.wait_ms %= 3;
}

static uint32_t max_data(const union kv_call_args *args)
{
	return args->buf_write.length < DATA_MAX ? (uint32_t)args->buf_write.length : DATA_MAX;
}

/* One that another host may ask for. */
static enum kv_call any_call(void)
{
	enum kv_call call;

	do
		call = (enum kv_call)below(KV_CALLS);
	while (!kv_call_rows[call].name);
	return call;
}

static void put_call(bool good)
{
	/* Things are made more often than others are asked for. */
	enum kv_call call = once_in(2) ?
			    (enum kv_call)(KV_CALL_PD_NEW + below(KV_TYPES)) :
			    any_call();
	const struct kv_call_row *row = &kv_call_rows[call];
	struct kv_request request = { .seq = ++out.seq, .call = row->name };
	struct nl_msg *msg = nlmsg_alloc_size(NLMSG_HDRLEN + KV_WIRE_HEAD_MAX);
	static union kv_call_args args;
	static uint8_t bytes[DATA_MAX];
	uint32_t data;

	fill(row->args, (char *)&args);
	aim(call, &args);
	data = row->sends ? max_data(&args) : 0;
	kv_nl_put_all(msg, &kv_shape_request, &request);
	kv_nl_put_nest(msg, KV_ATTR_NEST, row->args, &args);
	take_attrs(msg);
	nlmsg_free(msg);
	if (!good && !once_in(3))
		spoil_attrs();
	if (!good && once_in(8))
		data = below(100);
	memset(bytes, (int)next(), sizeof(bytes));
	put_message(attrs.bytes, attrs.length, bytes, data);
}

/* One message changes places with another, or comes twice. */
static void spoil_order(void)
{
	static uint8_t copy[STREAM_MAX];
	unsigned int a = below(out.messages), b = below(out.messages);
	size_t n = out.length, at[SESSION_MAX + 1];
	unsigned int messages = out.messages;
	bool twice = once_in(2);

	memcpy(copy, out.bytes, n);
	memcpy(at, out.at, sizeof(at));
	out.length = out.messages = 0;
	for (unsigned int i = 0; i < messages; i++) {
		unsigned int from = i == a ? b : i == b && !twice ? a : i;

		out.at[out.messages++] = out.length;
		put(copy + at[from], at[from + 1] - at[from]);
	}
	out.at[out.messages] = out.length;
}

/* A header says something else, or bytes are others, or are not there. */
static void spoil_bytes(void)
{
	size_t at = out.at[below(out.messages)], n;

	switch (below(6)) {
	case 0:
		put_u32(at, (uint32_t)some_number());
		break;
	case 1:
		put_u32(at + 4, (uint32_t)some_number());
		break;
	case 2:
		put_u32(at + 8, (uint32_t)some_number());
		break;
	case 3:
		for (n = 1 + below(8); n; n--)
			out.bytes[at + below((uint32_t)(out.length - at))] = (uint8_t)next();
		break;
	case 4:
		/* A head that ends early, or goes on. */
		n = at + HEADER + below((uint32_t)(out.length - at - HEADER));
		memmove(out.bytes + n, out.bytes + n + 1, out.length - n - 1);
		break;
	case 5:
		out.length = at + below((uint32_t)(out.length - at));
		break;
	}
}

static void make_session(void)
{
	unsigned int n = 1 + below(SESSION_MAX - 1);
	bool good = once_in(8);

	out.length = out.messages = out.seq = 0;
	out.at[0] = 0;
	put_hello(good || !once_in(30));
	/* The last one to be put, and one that comes twice. */
	while (out.messages < n && out.length + 2 * MESSAGE_MAX <= STREAM_MAX)
		put_call(good || !once_in(3));
	if (good)
		return;
	if (once_in(3))
		spoil_order();
	if (once_in(3))
		spoil_bytes();
	/* No message at all. */
	if (once_in(30)) {
		for (size_t i = 0; i < out.length; i++)
			out.bytes[i] = (uint8_t)next();
	}
}

/* The answer must be complete, and belong to our request. */
static void read_replies(int fd, bool ended)
{
	struct kv_wire wire;
	struct kv_reply reply;
	unsigned int n = 0;
	struct kv_fault f;

	if (kv_wire_init(&wire, fd))
		give_up("no memory");
	while (!kv_wire_receive(&wire, kv_now_ns() + session_ns)) {
		/* Two hellos come first. */
		if (n++ >= 2) {
			if (kv_attrs_take(&kv_shape_reply, wire.head, (int)wire.head_length,
					  "reply", &reply, &f))
				give_up("an answer makes no sense: %s", f.text);
			count.messages++;
			count.done += !reply.ret;
			count.refused += !!reply.ret;
		} else if (n == 2) {
			count.messages++;
		}
	}
	if (!strstr(wire.fault.text, "was closed") && !strstr(wire.fault.text, "Connection reset"))
		give_up("an answer is broken: %s", wire.fault.text);
	/* The one that was the last. */
	count.messages += ended;
	count.broken += ended;
	kv_wire_close(&wire);
}

static bool was_broken(int fd)
{
	char text[KV_SERVE_TEXT + 1];
	bool broken = false;
	ssize_t n;

	while ((n = recv(fd, text, KV_SERVE_TEXT, MSG_DONTWAIT)) > 0) {
		text[n] = '\0';
		if (text[0] != KV_SERVE_END)
			continue;
		broken = !strstr(text, "the connection was closed");
		for (const char *c = text; *c; c++) {
			if (*c < ' ' || *c > '~')
				give_up("what the server says can't be printed");
		}
	}
	return broken;
}

static void run_session(struct kv_serve *serve)
{
	uint64_t begin = kv_now_ns();
	char yes = KV_SERVE_YES;
	int fd[2], parent[2];

	fake_pair(fd);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, parent) ||
	    send(parent[0], &yes, 1, 0) != 1 ||
	    send(fd[0], out.bytes, out.length, 0) != (ssize_t)out.length ||
	    shutdown(fd[0], SHUT_WR))
		give_up("%s", strerror(errno));
	kv_serve_client(serve, fd[1], -1, parent[1]);
	close(parent[1]);
	read_replies(fd[0], was_broken(parent[0]));
	close(parent[0]);
	count.sessions++;
	if (kv_now_ns() - begin > session_ns)
		give_up("a session took %.0f s", (double)(kv_now_ns() - begin) / 1e9);
	if (fake_world.open || fake_world.objects)
		give_up("%d backends and %d objects are left", fake_world.open,
			fake_world.objects);
}

int main(int argc, char **argv)
{
	uint64_t messages = argc > 1 ? strtoull(argv[1], NULL, 0) : MESSAGES;
	uint64_t begin = kv_now_ns(), seed;
	struct kv_serve serve;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		return 1;
	if (argc > 2 && argv[2][0])
		seed = strtoull(argv[2], NULL, 0);
	session_ns = (argc > 3 ? strtoull(argv[3], NULL, 0) : SESSION_S) * 1000000000;
	printf("# seed 0x%llx\n", (unsigned long long)seed);
	fflush(stdout);
	alarm(ALARM_S);
	fake_world_reset();
	fake_serve_init(&serve);
	while (count.messages < messages) {
		/* Each session can be repeated by its own seed. */
		state = seed + count.sessions;
		fake_world.late_runs = once_in(10);
		make_session();
		run_session(&serve);
	}
	printf("ok 1 - %llu messages in %llu sessions: %llu answered, %llu refused, %llu ended the session\n"
	       "# %.0f s\n",
	       (unsigned long long)count.messages, (unsigned long long)count.sessions,
	       (unsigned long long)count.done, (unsigned long long)count.refused,
	       (unsigned long long)count.broken,
	       (double)(kv_now_ns() - begin) / 1e9);
	printf("1..1\n");
	return 0;
}
