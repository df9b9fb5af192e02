// SPDX-License-Identifier: MIT
#include "test.h"
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "remote/call.h"

struct inner {
	uint32_t a;
	bool b;
};

struct outer {
	uint32_t number;
	int32_t below;
	uint64_t big;
	bool flag;
	char text[8];
	uint8_t bytes[3];
	uint32_t some_length;
	uint8_t some[4];
	struct sockaddr_storage address;
	struct inner inner;
	uint32_t n;
	struct inner list[2];
};

static const struct kv_member inner_members[] = {
	KV_U32(struct inner, a, 9),
	KV_BOOL(struct inner, b),
};

static const struct kv_shape inner_shape = KV_SHAPE(struct inner, inner_members);

static const struct kv_member outer_members[] = {
	KV_U32(struct outer, number, 100),
	KV_S32(struct outer, below, -5, 5),
	KV_U64(struct outer, big, UINT64_MAX),
	KV_BOOL(struct outer, flag),
	KV_TEXT(struct outer, text),
	KV_HEX(struct outer, bytes),
	KV_HEX_UPTO(struct outer, some, some_length),
	KV_ADDRESS(struct outer, address),
	KV_STRUCT(struct outer, inner, inner_shape),
	KV_LIST(struct outer, list, n, inner_shape),
};

static const struct kv_shape outer_shape = KV_SHAPE(struct outer, outer_members);

#define GOOD "{\"number\":7,\"below\":-5,\"big\":\"0xffffffffffffffff\",\"flag\":true," \
	"\"text\":\"abcdefg\",\"bytes\":\"0aff00\",\"some\":\"0102\","		\
	"\"address\":\"192.0.2.1 7471\",\"inner\":{\"a\":9,\"b\":false},"	\
	"\"list\":[{\"a\":1,\"b\":true},{\"a\":2,\"b\":false}]}"

static int decode(const char *text, struct outer *to, char *why)
{
	struct json_object *obj = json_tokener_parse(text);
	int ret;

	assert_non_null(obj);
	why[0] = '\0';
	ret = kv_codec_decode(&outer_shape, obj, "outer", to, why, 200);
	json_object_put(obj);
	return ret;
}

static void test_there_and_back(void **state)
{
	struct json_object *obj;
	struct outer o;
	char why[200];

	assert_int_equal(decode(GOOD, &o, why), 0);
	assert_int_equal(o.number, 7);
	assert_int_equal(o.below, -5);
	assert_true(o.big == UINT64_MAX);
	assert_true(o.flag);
	assert_string_equal(o.text, "abcdefg");
	assert_memory_equal(o.bytes, "\x0a\xff\x00", 3);
	assert_int_equal(o.some_length, 2);
	assert_int_equal(o.n, 2);
	assert_int_equal(o.list[1].a, 2);
	assert_int_equal(o.address.ss_family, AF_INET);
	obj = kv_codec_encode(&outer_shape, &o);
	assert_string_equal(json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PLAIN),
			    GOOD);
	json_object_put(obj);
}

/* GOOD with a part replaced. */
static void refused(const char *part, const char *by, const char *says)
{
	const char *at = strstr(GOOD, part);
	char text[1000], why[200];
	struct outer o;

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - GOOD), GOOD, by,
		 at + strlen(part));
	assert_int_equal(decode(text, &o, why), -EBADMSG);
	if (!strstr(why, says))
		fail_msg("%s: '%s' does not say '%s'", by, why, says);
}

static void test_refused(void **state)
{
	refused("\"number\":7,", "", "outer.number is missing");
	refused("\"number\":7", "\"number\":101", "outer.number is 101, not 0 .. 100");
	refused("\"number\":7", "\"number\":-1", "outer.number is -1, not 0 .. 100");
	refused("\"number\":7", "\"number\":99999999999999999999999", "not 0 .. 100");
	refused("\"number\":7", "\"number\":7.5", "outer.number is no whole number");
	refused("\"number\":7", "\"number\":\"7\"", "outer.number is no whole number");
	refused("\"number\":7", "\"number\":null", "outer.number is no whole number");
	refused("\"number\":7", "\"number\":7,\"more\":1", "outer has an unknown member 'more'");
	refused("\"number\":7", "\"number\":7,\"\\u001b[\":1", "a member that has no name");
	refused("-5", "-6", "outer.below is -6, not -5 .. 5");
	refused("-5", "6", "outer.below is 6, not -5 .. 5");
	refused("0xffffffffffffffff", "0xfffffffffffffffff", "outer.big has 19 characters");
	refused("0xffffffffffffffff", "12", "outer.big is no number in hex");
	refused("0xffffffffffffffff", "0x", "outer.big is no number in hex");
	refused("0xffffffffffffffff", "0x-1", "outer.big is no number in hex");
	refused("0xffffffffffffffff", "0x1g", "outer.big is no number in hex");
	refused("true,\"text", "1,\"text", "outer.flag is neither");
	refused("abcdefg", "abcdefgh", "outer.text has 8 characters, at most 7");
	refused("abcdefg", "a\\u0000b", "outer.text has a character that can't be printed");
	refused("abcdefg", "a\\nb", "outer.text has a character that can't be printed");
	refused("abcdefg", "a\\u009bb", "outer.text has a character that can't be printed");
	refused("abcdefg", "a\\u202eb", "outer.text has a character that can't be printed");
	refused("0aff00", "0aff0", "outer.bytes is no sequence of bytes");
	refused("0aff00", "0aff", "outer.bytes has 2 bytes, not 3");
	refused("0aff00", "0AFF00", "outer.bytes is no sequence of bytes");
	refused("0aff00", "0aff0000", "outer.bytes has 8 characters");
	refused("0102\"", "0102030405\"", "outer.some has 10 characters, at most 8");
	refused("192.0.2.1 7471", "192.0.2.1", "outer.address is no address with a port");
	refused("192.0.2.1 7471", "192.0.2.1 65536", "outer.address is no address");
	refused("192.0.2.1 7471", "host 7471", "outer.address is no address");
	refused("192.0.2.1 7471", "fe80::1%x 1", "outer.address is no address");
	refused("{\"a\":9", "{\"a\":10", "outer.inner.a is 10, not 0 .. 9");
	refused("{\"a\":9,\"b\":false}", "[]", "outer.inner is no object");
	refused("{\"a\":2", "{\"a\":20", "outer.list[1].a is 20");
	refused("[{\"a\":1,\"b\":true},", "[{\"a\":1,\"b\":true},{\"a\":1,\"b\":true},",
		"outer.list has 3 elements, at most 2");
	refused("[{\"a\":1,\"b\":true},{\"a\":2,\"b\":false}]", "{}", "outer.list is no list");
}

static void test_addresses(void **state)
{
	static const char *const text[] = {
		"192.0.2.1 7471", "2001:db8::1 65535", "fe80::1%3 80", "",
	};
	struct kv_conn_listen args = { .id = 1 };
	const struct kv_shape *shape = kv_call_rows[KV_CALL_CONN_LISTEN].args;
	struct json_object *obj, *at;
	char why[200];

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		obj = kv_codec_encode(shape, &args);
		json_object_object_add(obj, "src", json_object_new_string(text[i]));
		assert_int_equal(kv_codec_decode(shape, obj, "x", &args, why,
						 sizeof(why)), 0);
		json_object_put(obj);
		obj = kv_codec_encode(shape, &args);
		assert_true(json_object_object_get_ex(obj, "src", &at));
		assert_string_equal(json_object_get_string(at), text[i]);
		json_object_put(obj);
	}
	assert_int_equal(args.src.ss_family, AF_UNSPEC);
}

/* Every byte of a struct that a shape covers comes back: what is filled with anything
 * that its bounds allow is the same after a journey as JSON.
 */
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
			struct json_object *obj, *again;
			char why[200];
			void *to;

			if (!shapes[s]->size)
				continue;
			to = calloc(1, shapes[s]->size);
			obj = kv_codec_encode(shapes[s], to);
			memset(to, 0xff, shapes[s]->size);
			if (kv_codec_decode(shapes[s], obj, kv_call_rows[i].name,
					    to, why, sizeof(why)))
				fail_msg("%s", why);
			again = kv_codec_encode(shapes[s], to);
			assert_true(json_object_equal(obj, again));
			json_object_put(again);
			json_object_put(obj);
			free(to);
		}
	}
}

static void test_bins(void **state)
{
	static struct kv_hist from, to;
	static uint8_t data[KV_HIST_BINS * KV_CALL_BIN_BYTES];
	uint32_t n = 0;

	kv_hist_reset(&from);
	kv_hist_reset(&to);
	kv_hist_record(&from, 0);
	kv_hist_record(&from, 1000001);
	kv_hist_record(&from, 1000003);
	from.bin[0].count = UINT64_MAX;
	kv_hist_record(&from, UINT64_MAX);
	from.bin[KV_HIST_BINS - 1].count = 0x0102030405060708;
	from.sum = 0;
	assert_int_equal(kv_call_put_bins(&from, data, &n), 0);
	assert_int_equal(n, 3 * KV_CALL_BIN_BYTES);
	assert_int_equal(kv_call_take_bins(&to, data, n), 0);
	assert_memory_equal(&from, &to, sizeof(from));
	assert_int_equal(kv_call_take_bins(&to, data, n - 1), -EBADMSG);
	/* An index that is too large; a smallest sample that lies in another bin. */
	data[0] = 1;
	assert_int_equal(kv_call_take_bins(&to, data, n), -EBADMSG);
	data[0] = 0;
	data[7] = 1;
	assert_int_equal(kv_call_take_bins(&to, data, n), -EBADMSG);
	/* More bins than a message takes. */
	for (unsigned int i = 0; i < KV_HIST_BINS; i++)
		from.bin[i].count = 1;
	assert_int_equal(kv_call_put_bins(&from, data, &n), -EMSGSIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_every_shape),
		cmocka_unit_test(test_bins),
	};

	return cmocka_run_group_tests_name("codec", tests, NULL, NULL);
}
