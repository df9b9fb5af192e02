// SPDX-License-Identifier: MIT
#include "test.h"
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernel/fields.h"
#include "measure/workload.h"
#include "remote/call.h"
#include "remote/wire.h"
#include "serve/service.h"

struct kv_inner {
	uint32_t a;
	bool b;
};

struct kv_outer {
	uint32_t number;
	int32_t below;
	uint64_t big;
	uint64_t upto;
	bool flag;
	char text[8];
	uint8_t bytes[3];
	uint32_t some_length;
	uint8_t some[4];
	struct sockaddr_storage address;
	struct kv_inner inner;
	uint32_t n;
	struct kv_inner list[2];
};

#define B(number) .attr = KV_ATTR_BEYOND + (number)

#include "model/as_shape.h"

STRUCT(inner)
U32(inner, a, 9, B(1))
BOOL(inner, b, B(2))
END(inner)

STRUCT(outer)
U32(outer, number, 100, B(1))
S32(outer, below, -5, 5, B(2))
U64(outer, big, UINT64_MAX, B(3))
U64(outer, upto, 99, B(4))
BOOL(outer, flag, B(5))
TEXT(outer, text, 8, B(6))
HEX(outer, bytes, 3, B(7))
HEX_UPTO(outer, some, some_length, 4, B(8))
ADDRESS(outer, address, B(9))
PART(outer, inner, inner, inner, B(10))
LIST(outer, list, n, 2, inner, B(11))
END(outer)
#include "model/row_end.h"

static const struct kv_outer good = {
	.number = 7,
	.below = -5,
	.big = UINT64_MAX,
	.upto = 99,
	.flag = true,
	.text = "abcdefg",
	.bytes = { 0x0a, 0xff, 0 },
	.some_length = 2,
	.some = { 1, 2 },
	.address = { .ss_family = AF_INET },
	.inner = { .a = 9 },
	.n = 2,
	.list = { { 1, true }, { 2, false } },
};

static struct nl_msg *new_msg(void)
{
	struct nl_msg *msg = nlmsg_alloc_size(NLMSG_HDRLEN + KV_WIRE_HEAD_MAX);

	assert_non_null(msg);
	return msg;
}

static struct nlattr *attrs_of(struct nl_msg *msg)
{
	return nlmsg_data(nlmsg_hdr(msg));
}

static int length_of(struct nl_msg *msg)
{
	return nlmsg_datalen(nlmsg_hdr(msg));
}

static void test_there_and_back(void **state)
{
	struct nl_msg *msg = new_msg();
	struct kv_outer o;
	struct kv_fault f;

	kv_nl_put_all(msg, &kv_shape_outer, &good);
	memset(&o, 0xff, sizeof(o));
	assert_int_equal(kv_attrs_take(&kv_shape_outer, attrs_of(msg), length_of(msg), "outer", &o, &f), 0);
	assert_memory_equal(&o, &good, sizeof(o));
	nlmsg_free(msg);
}

/* @len bytes of attributes, as they come. */
static void assert_refused(struct nlattr *attrs, int len, const char *says)
{
	struct kv_fault f;
	struct kv_outer o;

	assert_int_equal(kv_attrs_take(&kv_shape_outer, attrs, len, "outer", &o, &f),
			 -EBADMSG);
	if (!strstr(f.text, says))
		fail_msg("'%s' does not say '%s'", f.text, says);
}

/* The good one, of which the last attribute of type @old has another type and other bytes. */
static void refused(int old, int type, const void *bytes, int n, const char *says)
{
	struct nl_msg *msg = new_msg(), *spoiled = new_msg();
	struct nlattr *attr, *last = NULL;
	int rest;

	kv_nl_put_all(msg, &kv_shape_outer, &good);
	nla_for_each_attr(attr, attrs_of(msg), length_of(msg), rest) {
		if (nla_type(attr) == KV_ATTR_BEYOND + old)
			last = attr;
	}
	assert_non_null(last);
	nla_for_each_attr(attr, attrs_of(msg), length_of(msg), rest) {
		if (attr != last)
			nla_put(spoiled, attr->nla_type, nla_len(attr), nla_data(attr));
		else if (type)
			nla_put(spoiled, type, n, bytes);
	}
	assert_refused(attrs_of(spoiled), length_of(spoiled), says);
	nlmsg_free(spoiled);
	nlmsg_free(msg);
}

static void refused_u32(int type, uint32_t value, const char *says)
{
	refused(type, KV_ATTR_BEYOND + type, &value, sizeof(value), says);
}

/* With @value as the a of a nest. */
static void refused_a(int type, uint32_t value, int flags, const char *says)
{
	const struct {
		struct nlattr head;
		uint32_t value;
	} a = { { .nla_len = 8, .nla_type = KV_ATTR_BEYOND + 1 }, value };

	refused(type, (KV_ATTR_BEYOND + type) | flags, &a, sizeof(a), says);
}

static void refused_text(const void *text, int n, const char *says)
{
	refused(6, KV_ATTR_BEYOND + 6, text, n, says);
}

static void test_refused(void **state)
{
	const struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	const struct sockaddr_in in = { .sin_family = AF_INET };
	const struct sockaddr_in un = { .sin_family = AF_UNIX };
	static const uint8_t bytes[100];

	for (int i = 1; i <= 10; i++) {
		/* False, and what may be empty. */
		if (i != 5 && i != 8 && i != 9)
			refused(i, 0, NULL, 0, "is missing");
	}
	refused(1, 0, NULL, 0, "outer.number is missing");
	refused_u32(1, 101, "outer.number is 101, not 0 .. 100");
	refused_u32(1, UINT32_MAX, "outer.number is 4294967295, not 0 .. 100");
	refused(1, KV_ATTR_BEYOND + 1, bytes, 8, "outer.number has 8 bytes, not 4");
	refused(1, KV_ATTR_BEYOND + 1, bytes, 3, "outer.number has 3 bytes, not 4");
	refused(1, KV_ATTR_BEYOND + 1, bytes, 0, "outer.number has 0 bytes, not 4");
	refused(1, KV_ATTR_BEYOND + 12, bytes, 4, "outer has an unknown attribute 0x100c");
	refused(1, 1, bytes, 4, "outer has an unknown attribute 0x1");
	refused(1, (KV_ATTR_BEYOND + 1) | NLA_F_NESTED, bytes, 4, "outer has an unknown attribute 0x9001");
	refused(1, (KV_ATTR_BEYOND + 1) | NLA_F_NET_BYTEORDER, bytes, 4, "outer has an unknown attribute 0x5001");
	refused(5, KV_ATTR_BEYOND + 1, &good.number, 4, "outer.number is there 2 times");
	refused(1, KV_ATTR_BEYOND + 5, NULL, 0, "outer.number is missing");
	refused_u32(2, (uint32_t)-6, "outer.below is -6, not -5 .. 5");
	refused_u32(2, 6, "outer.below is 6, not -5 .. 5");
	refused(3, KV_ATTR_BEYOND + 3, bytes, 4, "outer.big has 4 bytes, not 8");
	refused(4, KV_ATTR_BEYOND + 4, &(uint64_t){ 100 }, 8, "outer.upto is 100, more than 99");
	refused(4, KV_ATTR_BEYOND + 4, &(uint64_t){ UINT64_MAX }, 8,
		"outer.upto is 18446744073709551615, more than 99");
	refused(5, KV_ATTR_BEYOND + 5, bytes, 1, "outer.flag has 1 bytes, not 0");
	refused_text("abcdefgh", 9, "outer.text has 8 characters, at most 7");
	refused_text("abc", 3, "outer.text is no text");
	refused_text("", 0, "outer.text is no text");
	refused_text("a\0b", 4, "outer.text is no text");
	refused_text("a\nb", 4, "outer.text has a character that can't be printed");
	refused_text("a\xc2\x9b", 4, "outer.text has a character that can't be printed");
	refused_text("a\xe2\x80\xae", 5, "outer.text has a character that can't be printed");
	refused_text("a\xff", 3, "outer.text is no UTF-8");
	refused(7, KV_ATTR_BEYOND + 7, bytes, 2, "outer.bytes has 2 bytes, not 3");
	refused(7, KV_ATTR_BEYOND + 7, bytes, 4, "outer.bytes has 4 bytes, not 3");
	refused(8, KV_ATTR_BEYOND + 8, bytes, 5, "outer.some has 5 bytes, at most 4");
	refused(9, KV_ATTR_BEYOND + 9, &in, sizeof(in) - 1, "outer.address is no address with a port");
	refused(9, KV_ATTR_BEYOND + 9, &in6, sizeof(in), "outer.address is no address");
	refused(9, KV_ATTR_BEYOND + 9, &in6, sizeof(in6) - 1, "outer.address is no address");
	refused(9, KV_ATTR_BEYOND + 9, &un, sizeof(un), "outer.address is no address");
	refused(9, KV_ATTR_BEYOND + 9, bytes, 1, "outer.address is no address");
	refused_a(10, 10, NLA_F_NESTED, "outer.inner.a is 10, not 0 .. 9");
	refused_a(10, 9, 0, "outer has an unknown attribute 0x100a");
	refused(10, (KV_ATTR_BEYOND + 10) | NLA_F_NESTED, NULL, 0, "outer.inner.a is missing");
	refused(10, (KV_ATTR_BEYOND + 10) | NLA_F_NESTED, bytes, 8, "outer.inner ends within an attribute");
	refused(10, (KV_ATTR_BEYOND + 10) | NLA_F_NESTED, bytes, 3, "outer.inner ends within an attribute");
	refused_a(11, 20, NLA_F_NESTED, "outer.list[1].a is 20");
	refused_a(5, 9, 0, "outer.flag has 8 bytes");
	refused_a(11, 9, 0, "outer has an unknown attribute 0x100b");
}

/* A list of three; a stream that is cut anywhere, or goes on. */
static void test_frames(void **state)
{
	struct nl_msg *msg = new_msg();
	int accepted = 0;
	struct kv_fault f;
	uint8_t *bytes;
	struct kv_outer o;

	kv_nl_put_all(msg, &kv_shape_outer, &good);
	for (int n = length_of(msg) - 1; n >= 0; n--) {
		/* For ASan, which knows where that ends. */
		bytes = malloc((size_t)n + 1);
		memcpy(bytes, attrs_of(msg), (size_t)n);
		accepted += !kv_attrs_take(&kv_shape_outer, (struct nlattr *)bytes, n, "outer", &o, &f);
		free(bytes);
	}
	/* With one element of the list, and with none. */
	assert_int_equal(accepted, 2);
	attrs_of(msg)->nla_len = 3;
	assert_refused(attrs_of(msg), length_of(msg), "outer ends within an attribute");
	attrs_of(msg)->nla_len = 65535;
	assert_refused(attrs_of(msg), length_of(msg), "outer ends within an attribute");
	attrs_of(msg)->nla_len = 8;
	kv_nl_put_nest(msg, KV_ATTR_BEYOND + 11, &kv_shape_inner, &good.inner);
	assert_refused(attrs_of(msg), length_of(msg), "outer.list has 3 elements, at most 2");
	nlmsg_free(msg);
}

static void test_addresses(void **state)
{
	const struct sockaddr_in6 in6 = {
		.sin6_family = AF_INET6, .sin6_port = 80, .sin6_scope_id = 3,
		.sin6_addr.s6_addr = { 0xfe, 0x80, [15] = 1 },
	};
	const struct kv_shape *shape = kv_call_rows[KV_CALL_CONN_LISTEN].args;
	struct kv_conn_listen args = { .id = 1 }, back;
	struct kv_fault f;

	for (int i = 0; i < 2; i++) {
		struct nl_msg *msg = new_msg();

		kv_nl_put_all(msg, shape, &args);
		assert_int_equal(kv_attrs_take(shape, attrs_of(msg), length_of(msg), "x", &back, &f), 0);
		assert_memory_equal(&back, &args, sizeof(args));
		nlmsg_free(msg);
		memcpy(&args.src, &in6, sizeof(in6));
	}
	assert_int_equal(back.src.ss_family, AF_INET6);
}

/* No two members of a struct, those of its parts among them, have one attribute. */
static void check_numbers(const struct kv_shape *top, const struct kv_shape *shape)
{
	for (unsigned int i = 0; i < shape->members; i++) {
		const struct kv_member *m = &shape->member[i];

		if (m->attr)
			assert_ptr_equal(kv_nl_find(top, m->attr), m);
		if (m->shape)
			check_numbers(m->attr ? m->shape : top, m->shape);
	}
}

static void round_trip(const struct kv_shape *shape, const void *from, const char *name)
{
	struct nl_msg *msg = new_msg(), *again = new_msg();
	void *to = malloc(shape->size);
	struct kv_fault f;

	kv_nl_put_all(msg, shape, from);
	memset(to, 0xff, shape->size);
	if (kv_attrs_take(shape, attrs_of(msg), length_of(msg), name, to, &f))
		fail_msg("%s", f.text);
	kv_nl_put_all(again, shape, to);
	assert_int_equal(length_of(msg), length_of(again));
	assert_memory_equal(attrs_of(msg), attrs_of(again), (size_t)length_of(msg));
	free(to);
	nlmsg_free(again);
	nlmsg_free(msg);
}

/* Every member of a struct comes back. */
static void test_every_shape(void **state)
{
	for (int i = 0; i < KV_CALLS; i++) {
		const struct kv_shape *shapes[] = {
			kv_call_rows[i].args, kv_call_rows[i].result,
		};

		/* Of this host only. */
		if (!kv_call_rows[i].name)
			continue;
		for (int s = 0; s < 2; s++) {
			char *from;

			if (!shapes[s]->size)
				continue;
			check_numbers(shapes[s], shapes[s]);
			from = calloc(1, shapes[s]->size);
			for (unsigned int m = 0; m < shapes[s]->members; m++) {
				const struct kv_member *member = &shapes[s]->member[m];

				if (member->type == KV_MEMBER_TEXT_AT)
					*(const char **)(from + member->offset) = "rxe0";
			}
			round_trip(shapes[s], from, kv_call_rows[i].name);
			free(from);
		}
	}
}

static void test_bins(void **state)
{
	static struct kv_hist from, to;
	static uint8_t data[KV_WIRE_DATA_MAX];
	struct kverbs_bin *bin = (struct kverbs_bin *)data;
	uint32_t n = 0;

	kv_hist_reset(&from);
	kv_hist_reset(&to);
	kv_hist_record(&from, 0);
	kv_hist_record(&from, 1000001);
	kv_hist_record(&from, 1000003);
	from.bin[0].count = UINT64_MAX;
	kv_hist_record(&from, UINT64_MAX);
	from.bin[KV_HIST_BINS - 1].count = 0x0102030405060708;
	/* Of so large samples the extremes are those of the bin. */
	from.bin[KV_HIST_BINS - 1].low = (uint32_t)kv_hist_bin_min(&from, KV_HIST_BINS - 1);
	from.sum = 0;
	assert_int_equal(kv_call_put_bins(&from, data, &n), 0);
	assert_int_equal(n, 3 * sizeof(*bin));
	assert_int_equal(kv_nl_take_bins(data, n, &to), 0);
	assert_memory_equal(&from, &to, sizeof(from));
	assert_int_equal(kv_nl_take_bins(data, n - 1, &to), -EBADMSG);
	/* Extremes that are in the wrong order, or not of one bin. */
	bin[1].min = 1000004;
	assert_int_equal(kv_nl_take_bins(data, n, &to), -EBADMSG);
	bin[1].min = 1;
	assert_int_equal(kv_nl_take_bins(data, n, &to), -EBADMSG);
	/* More bins than a message takes. */
	for (unsigned int i = 0; i < KV_HIST_BINS; i++)
		from.bin[i].count = 1;
	assert_int_equal(kv_call_put_bins(&from, data, &n), -EMSGSIZE);
}

/* A run with the most connections to another host; a WRITE both ways names most of an end's members. */
static void test_most_ends(void **state)
{
	const struct kv_shape *shape = kv_call_rows[KV_CALL_RUN_START].args;
	struct kv_run_spec *spec = calloc(1, sizeof(*spec)), *back = calloc(1, sizeof(*back));
	struct nl_msg *msg = new_msg();
	struct nlattr *nest;
	struct kv_fault f;

	assert_true(spec && back);
	spec->loop = KVERBS_LOOP_STREAM;
	spec->ends = KV_HOST_PAIRS_MAX;
	for (uint32_t i = 0; i < spec->ends; i++)
		spec->end[i] = (struct kv_run_end){
			.qp = i + 1, .local_buf = i + 1, .local_offset = 64, .local_mr = i + 1,
			.target_buf = i + 1, .target_offset = 64, .target_mr = i + 1,
			.has_remote = true, .remote_addr = UINT64_MAX, .remote_key = i,
			.has_cpu = true, .cpu = 1,
		};
	kv_nl_put_nest(msg, KV_ATTR_NEST, shape, spec);
	nest = nla_find(attrs_of(msg), length_of(msg), KV_ATTR_NEST);
	assert_non_null(nest);
	assert_true((size_t)length_of(msg) <= KV_SERVICE_HEAD_MAX - 256);
	assert_int_equal(kv_attrs_take(shape, nla_data(nest), nla_len(nest), "spec", back, &f), 0);
	assert_memory_equal(spec, back, sizeof(*spec));
	nlmsg_free(msg);
	free(back);
	free(spec);
}

/* A bool has one byte: what stands behind it does not count. */
static void test_key_beside_flag(void **state)
{
	struct kv_run_end end;
	uint32_t key = 1U << KVERBS_A_END_REMOTE_KEY;

	memset(&end, 0xff, sizeof(end));
	end.has_remote = false;
	end.has_cpu = false;
	end.remote_key = 0;
	assert_false(kv_shape_given(&kv_shape_run_end, &end) & key);
	end.remote_key = 1;
	assert_true(kv_shape_given(&kv_shape_run_end, &end) & key);
	end.remote_key = 0;
	end.has_remote = true;
	assert_true(kv_shape_given(&kv_shape_run_end, &end) & key);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_every_shape),
		cmocka_unit_test(test_bins),
		cmocka_unit_test(test_most_ends),
		cmocka_unit_test(test_key_beside_flag),
	};

	return cmocka_run_group_tests_name("attrs", tests, NULL, NULL);
}
