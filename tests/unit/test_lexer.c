// SPDX-License-Identifier: MIT
/* Lines, words, references, keys and values. */
#include "test.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "object/args.h"
#include "batch/lexer.h"
#include "out/out.h"

/* Every reference stands for its own name in brackets; one has no meaning. */
static int expand(void *arg, const char *reference, char **value,
		  struct kv_fault *f)
{
	if (!strcmp(reference, "nothing"))
		return kv_fault_usage(f, "no such thing");
	*value = malloc(strlen(reference) + 3);
	assert_non_null(*value);
	strcpy(*value, "[");
	strcat(*value, reference);
	strcat(*value, "]");
	return 0;
}

static void test_split(void **state)
{
	static const struct {
		const char *line;
		const char *words; /* with | between them */
	} good[] = {
		{ "", "" },
		{ " \t ", "" },
		{ "# all of it", "" },
		{ "pd add", "pd|add" },
		{ "  pd\tadd  # a comment", "pd|add" },
		{ "pd add\r", "pd|add" },
		{ "a#b #c", "a#b" },
		{ "'a b' \"c  d\"", "a b|c  d" },
		{ "'' \"\"", "|" },
		{ "a'b'\"c\"d", "abcd" },
		{ "'a\\b' \"a\\b\" a\\b", "a\\b|a\\b|ab" },
		{ "\"\\\"\\\\\\$x\"", "\"\\$x" },
		{ "a\\ b \\# \\'", "a b|#|'" },
		{ "$x", "[x]" },
		{ "$x.y.0.z", "[x.y.0.z]" },
		{ "a$x-b ${x}b ${x.y}", "a[x]-b|[x]b|[x.y]" },
		{ "$x. $x.y.", "[x].|[x.y]." },
		{ "\"$x $y\" '$x'", "[x] [y]|$x" },
		{ "\\$x", "$x" },
		{ "\xc2\xb5s", "\xc2\xb5s" },
	};
	static const struct {
		const char *line;
		const char *says;
	} bad[] = {
		{ "'a", "quote ' is not closed" },
		{ "a \"b $x", "quote \" is not closed" },
		{ "$", "no name behind it" },
		{ "$1", "no name behind it" },
		{ "${}", "no name behind it" },
		{ "${x", "${ has no }" },
		{ "pd $nothing", "no such thing" },
		{ "\"$nothing\"", "no such thing" },
		{ "a\x01", "control character, 0x01" },
		{ "a\x7f", "control character, 0x7f" },
		{ "a\x1b[31m", "control character, 0x1b" },
	};
	struct kv_words w;
	struct kv_fault f;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		char text[256] = "";

		assert_int_equal(kv_lexer_split(&w, good[i].line, expand, NULL,
						&f), 0);
		for (size_t j = 0; j < w.n; j++) {
			strcat(text, j ? "|" : "");
			strcat(text, w.word[j]);
		}
		assert_string_equal(text, good[i].words);
		assert_null(w.word[w.n]);
		kv_lexer_free(&w);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(kv_lexer_split(&w, bad[i].line, expand, NULL,
						&f), -EINVAL);
		assert_int_equal(f.exit, KV_EXIT_USAGE);
		if (!strstr(f.text, bad[i].says))
			fail_msg("'%s' does not say '%s'", f.text, bad[i].says);
		kv_lexer_free(&w);
	}
}

static void test_continue(void **state)
{
	assert_true(kv_lexer_continue("a \\"));
	assert_true(kv_lexer_continue("\\"));
	assert_true(kv_lexer_continue("\"a\\"));
	assert_false(kv_lexer_continue("a \\\\"));
	assert_true(kv_lexer_continue("a \\\\\\"));
	assert_false(kv_lexer_continue("a"));
	assert_false(kv_lexer_continue(""));
	assert_false(kv_lexer_continue("# a \\"));
	assert_true(kv_lexer_continue("a# \\"));
	assert_false(kv_lexer_continue("'a\\"));
	assert_true(kv_lexer_continue("'a' \\"));
}

static const struct kv_enum colours[] = {
	{ "red", 1 }, { "green", 2 }, { "blue", 4 }, { NULL, 0 },
};

struct piece {
	struct kv_given given;
	uint32_t mr;
	uint64_t offset;
};

struct args {
	struct kv_given given;
	bool quick;
	uint32_t number;
	uint64_t large;
	uint64_t size;
	uint64_t time;
	uint32_t colour;
	uint32_t colours;
	uint32_t pd;
	uint8_t gid[16];
	struct kv_address peer;
	const char *text;
	unsigned int pieces;
	struct piece piece[2];
};

#define AT(field) offsetof(struct args, field)

static const struct kv_key piece_key[] = {
	{ "mr", KV_KEY_ID, offsetof(struct piece, mr), .type = KV_MR,
	  .must = true, .help = "whose" },
	{ "offset", KV_KEY_SIZE, offsetof(struct piece, offset), 1,
	  .help = "where" },
	{ .name = NULL },
};

static const struct kv_key table[] = {
	{ "pd", KV_KEY_ID, AT(pd), .type = KV_PD, .must = true,
	  .help = "its protection domain" },
	{ "quick", KV_KEY_FLAG, AT(quick), 1, .help = "soon" },
	{ "number", KV_KEY_U32, AT(number), 2, .help = "how many" },
	{ "large", KV_KEY_U64, AT(large), 4, .help = "how very many" },
	{ "size", KV_KEY_SIZE, AT(size), 8, .help = "bytes" },
	{ "time", KV_KEY_TIME, AT(time), 16, .help = "when" },
	{ "colour", KV_KEY_ENUM, AT(colour), 32, .names = colours,
	  .help = "which" },
	{ "colours", KV_KEY_FLAGS, AT(colours), 64, .names = colours,
	  .help = "which" },
	{ "gid", KV_KEY_GID, AT(gid), 128, .help = "who" },
	{ "peer", KV_KEY_ADDRESS, AT(peer), 256, .help = "who" },
	{ "text", KV_KEY_TEXT, AT(text), 512, .help = "what" },
	{ "sge", KV_KEY_PIECE, AT(piece), 1024, .piece = piece_key,
	  .piece_size = sizeof(struct piece), .piece_count = AT(pieces),
	  .piece_max = 2, .help = "a piece" },
	{ .name = NULL },
};

static int parse(const char *line, struct args *a, struct kv_fault *f)
{
	struct kv_variables names = { 0 };
	struct kv_words w;
	int ret;

	memset(a, 0, sizeof(*a));
	assert_int_equal(kv_variables_add(&names, "p", KV_PD, 7, f), 0);
	assert_int_equal(kv_variables_add(&names, "m", KV_MR, 9, f), 0);
	assert_int_equal(kv_variables_set(&names, "v", "x", f), 0);
	ret = kv_lexer_split(&w, line, expand, NULL, f);
	assert_int_equal(ret, 0);
	ret = kv_args_parse(table, &names, w.word, w.n, a, f);
	/* Of what was said only that it was said outlives the words. */
	a->text = a->text ? "said" : NULL;
	kv_lexer_free(&w);
	kv_variables_clear(&names);
	return ret;
}

static void test_args(void **state)
{
	struct kv_fault f;
	struct args a;

	assert_int_equal(parse("pd p", &a, &f), 0);
	assert_int_equal(a.pd, 7);
	assert_int_equal(a.given.bits, 0);

	assert_int_equal(parse("number 0x10 pd 3 quick large 0xffffffffffffffff "
			       "size 4k time 10ms colour green colours red,blue "
			       "gid ::ffff:10.0.0.1 text hello",
			       &a, &f), 0);
	assert_int_equal(a.pd, 3);
	assert_int_equal(a.number, 16);
	assert_true(a.large == UINT64_MAX);
	assert_int_equal(a.size, 4096);
	assert_int_equal(a.time, 10000000);
	assert_int_equal(a.colour, 2);
	assert_int_equal(a.colours, 5);
	assert_int_equal(a.gid[12], 10);
	assert_true(a.quick);
	assert_non_null(a.text);
	assert_int_equal(a.given.bits, 1 + 2 + 4 + 8 + 16 + 32 + 64 + 128 + 512);

	assert_int_equal(parse("pd p --quick colours all size 0", &a, &f), 0);
	assert_true(a.quick);
	assert_int_equal(a.colours, 7);
	assert_int_equal(parse("pd p colours none", &a, &f), 0);
	assert_int_equal(a.colours, 0);

	/* Cut short; a whole key is no beginning of another one. */
	assert_int_equal(parse("pd p qu num 7 colour red sge m m of 8 --ti 1s", &a, &f), 0);
	assert_int_equal(a.number, 7);
	assert_int_equal(a.piece[0].mr, 9);
	assert_int_equal(a.piece[0].offset, 8);
	assert_int_equal(a.time, 1000000000);

	assert_int_equal(parse("sge mr m sge mr 4 offset 8 pd p", &a, &f), 0);
	assert_int_equal(a.pieces, 2);
	assert_int_equal(a.piece[0].mr, 9);
	assert_int_equal(a.piece[0].given.bits, 0);
	assert_int_equal(a.piece[1].mr, 4);
	assert_int_equal(a.piece[1].offset, 8);
	assert_int_equal(a.piece[1].given.bits, 1);
}

static void test_args_refused(void **state)
{
	static const struct {
		const char *line;
		const char *says;
	} bad[] = {
		{ "", "'pd' is missing: its protection domain" },
		{ "quick", "'pd' is missing" },
		{ "pd", "'pd' needs a value: its protection domain" },
		{ "pd p pd p", "'pd' is given twice" },
		{ "pd p frob 1", "'frob' is not known; it takes pd, quick, number" },
		{ "pd p nubmer 1", "'nubmer' is not known, but 'number' is; it takes pd, quick" },
		{ "pd p --nubmer 1", "'--nubmer' is not known, but '--number' is" },
		{ "pd p --detials", "'--detials' is not known, but '--details' is" },
		{ "pd p col red", "'col' may be colour, colours" },
		{ "pd p --col red", "'--col' may be --colour, --colours" },
		{ "pd p sge mr 1 ofset 1", "'ofset' is not known, but 'offset' is" },
		{ "pd p of 1", "'of' belongs to a piece: 'sge' has to stand before it" },
		{ "pd p num 1 number 1", "'number' is given twice" },
		{ "pd p num x", "number 'x' is no number" },
		{ "pd p 1", "'1' stands without its key" },
		{ "pd p mr 1", "'mr' belongs to a piece: 'sge' has to stand before it" },
		{ "pd p sge", "'mr' is missing: whose" },
		{ "pd p sge offset 1", "'mr' is missing: whose" },
		{ "pd p sge sge mr 1", "'mr' is missing: whose" },
		{ "pd p sge mr 1 mr 2", "'mr' is given twice" },
		{ "pd p sge mr 1 sge mr 1 sge mr 1", "more than 2 times 'sge'" },
		{ "pd 0", "is no pd: it takes an id, from 1 on, or a name" },
		{ "pd -1", "is no pd" },
		{ "pd 4294967296", "is no pd" },
		{ "pd m", "pd 'm' is mr 9, and no pd" },
		{ "pd v", "pd 'v' is a variable" },
		{ "pd q", "pd 'q' is the name of nothing" },
		{ "pd p number x", "number 'x' is no number; it takes a number from 0 to 4294967295" },
		{ "pd p number 0x", "number '0x' is no number" },
		{ "pd p number 1x", "has 'x' behind its number" },
		{ "pd p number -1", "is negative" },
		{ "pd p number 4294967296", "is too large" },
		{ "pd p large 0x10000000000000000", "is too large" },
		{ "pd p size 1q", "has 'q' behind its number" },
		{ "pd p size 99999999999g", "is too large" },
		{ "pd p time 1y", "has 'y' behind its number" },
		{ "pd p colour pink", "is not known; it takes red, green or blue" },
		{ "pd p colours red,pink", "has 'pink', which is not known" },
		{ "pd p colours red,red", "names 'red' twice" },
		{ "pd p colours red,", "has '', which is not known" },
		{ "pd p colours ''", "has '', which is not known" },
		{ "pd p gid 10.0.0.1", "is no GID" },
		{ "pd p peer 1:2:3:4", "is no address" },
	};
	struct kv_fault f;
	struct args a;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(bad[i].line, &a, &f), -EINVAL);
		assert_int_equal(f.exit, KV_EXIT_USAGE);
		if (!strstr(f.text, bad[i].says))
			fail_msg("'%s': '%s' does not say '%s'", bad[i].line,
				 f.text, bad[i].says);
	}
}

static void test_address(void **state)
{
	static const char good[] =
		"001a:000011:fffffe:fe80000000000000505400fffe123456";
	static const char *const bad[] = {
		"", "001a", "001a:000011:fffffe:", "01a:000011:fffffe:fe80000000000000505400fffe123456",
		"001a:000011:fffffe:fe80000000000000505400fffe12345",
		"001a:000011:fffffe:fe80000000000000505400fffe1234567",
		"001a:000011:fffffe:fe80000000000000505400fffe12345g",
		"001a:000011:fffffe:fe80000000000000505400fffe123456 ",
		"001a-000011:fffffe:fe80000000000000505400fffe123456",
		"001a:000011:+ffffe:fe80000000000000505400fffe123456",
		"0x1a:000011:fffffe:fe80000000000000505400fffe123456",
	};
	char text[KV_ADDRESS_TEXT];
	struct kv_address a;
	struct kv_why why;

	assert_int_equal(kv_parse_address(good, &a, &why), 0);
	assert_int_equal(a.lid, 0x1a);
	assert_int_equal(a.qpn, 0x11);
	assert_int_equal(a.psn, 0xfffffe);
	assert_int_equal(a.gid[0], 0xfe);
	assert_int_equal(a.gid[15], 0x56);
	kv_address_format(text, &a);
	assert_string_equal(text, good);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(kv_parse_address(bad[i], &a, &why), -EINVAL);
}

static void test_sockaddr(void **state)
{
	static const struct {
		const char *text;
		const char *written; /* NULL: the same */
	} good[] = {
		{ "192.0.2.1", NULL },
		{ "192.0.2.1:7471", NULL },
		{ "192.0.2.1:0", "192.0.2.1" },
		{ "0.0.0.0:65535", NULL },
		{ "2001:db8::1", NULL },
		{ "::", NULL },
		{ "[2001:db8::1]", "2001:db8::1" },
		{ "[2001:db8::1]:7471", NULL },
		{ "[192.0.2.1]:7", "192.0.2.1:7" },
		{ "fe80::1%lo", NULL },
		{ "[fe80::1%lo]:1", NULL },
		{ "::ffff:192.0.2.1", "192.0.2.1" },
		{ "[::ffff:192.0.2.1]:7471", "192.0.2.1:7471" },
	};
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{ "", "is no address" },
		{ "host", "is no address" },
		{ "192.0.2", "is no address" },
		{ "192.0.2.256", "is no address" },
		{ "192.0.2.1:", "has no port behind its colon" },
		{ "192.0.2.1:65536", "has no port behind its colon" },
		{ "192.0.2.1:-1", "has no port behind its colon" },
		{ "192.0.2.1:http", "has no port behind its colon" },
		{ ":5", "is no address" },
		{ "[2001:db8::1", "is no address" },
		{ "[2001:db8::1]5", "is no address" },
		{ "[2001:db8::1]:", "has no port behind its colon" },
		{ "2001:db8::1::2", "is no address" },
		{ "fe80::1%nowhere9", "names an interface behind % that does not exist" },
		{ "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc:dddd:eeee:ffff",
		  "is no address" },
	};
	struct sockaddr_storage addr;
	char text[KV_SOCKADDR_TEXT];
	struct kv_why why;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(kv_parse_sockaddr(good[i].text, &addr, &why), 0);
		kv_sockaddr_format(text, &addr);
		assert_string_equal(text, good[i].written ? good[i].written :
						    good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(kv_parse_sockaddr(bad[i].text, &addr, &why),
				 -EINVAL);
		assert_non_null(strstr(why.text, bad[i].says));
	}
	memset(&addr, 0, sizeof(addr));
	kv_sockaddr_format(text, &addr);
	assert_string_equal(text, "");
}

/* The same bytes every time. */
static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

#ifndef ROUNDS
#define ROUNDS 20000
#endif

/* No line breaks the lexer; ASan watches. */
static void test_noise(void **state)
{
	static const char *const bits[] = {
		"pd", "p", " ", " ", "sge", "mr", "m", "'", "\"", "\\", "$", "{",
		"}", ".", "#", "0x", "4k", "peer", "colours", "red", ",", "all",
		"text", "--quick", "gid", "::", "time", "1", "18446744073709551615",
		"\t", "\x01", "\xff",
	};
	uint32_t seed = 1;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct kv_variables names = { 0 };
		char line[512] = "";
		struct kv_words w;
		struct kv_fault f;
		struct args a;
		size_t n = next(&seed) % 40;

		for (size_t j = 0; j < n; j++) {
			char byte[2] = { (char)next(&seed), '\0' };

			strcat(line, next(&seed) % 4 ?
					     bits[next(&seed) %
						  (sizeof(bits) / sizeof(bits[0]))] :
					     byte);
		}
		memset(&a, 0, sizeof(a));
		kv_lexer_continue(line);
		if (!kv_lexer_split(&w, line, expand, NULL, &f))
			kv_args_parse(table, &names, w.word, w.n, &a, &f);
		kv_lexer_free(&w);
	}
}

static void test_dev(void **state)
{
	char longest[64], longer[65];
	const char *name = NULL;
	struct kv_why why;

	memset(longest, 'w', sizeof(longest));
	longest[63] = '\0';
	memset(longer, 'w', sizeof(longer));
	longer[64] = '\0';
	assert_int_equal(kv_parse_dev(longest, &name, &why), 0);
	assert_ptr_equal(name, longest);
	assert_int_equal(kv_parse_dev(longer, &name, &why), -EINVAL);
	assert_says(&why, "has 64 characters, and a device's name at most 63");
	assert_int_equal(kv_parse_dev("", &name, &why), -EINVAL);
	assert_ptr_equal(name, longest);
}

/* Bytes that are not UTF-8 become text; UTF-8 is unchanged. */
static void test_strings(void **state)
{
	static const char *const strings[][2] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac" },
		{ "\xff", "\\xff" },
		{ "a\xff\xfe" "b", "a\\xff\\xfeb" },
		{ "cut\xc3", "cut\\xc3" },
		{ "\xc3(", "\\xc3(" },
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		struct json_object *string = kv_out_string(strings[i][0]);

		assert_string_equal(json_object_get_string(string), strings[i][1]);
		json_object_put(string);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_continue),
		cmocka_unit_test(test_args),
		cmocka_unit_test(test_args_refused),
		cmocka_unit_test(test_address),
		cmocka_unit_test(test_sockaddr),
		cmocka_unit_test(test_dev),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
