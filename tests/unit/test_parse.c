// SPDX-License-Identifier: MIT
#include "test.h"
#include <stdio.h>
#include <errno.h>
#include "cli/guess.h"
#include "rules/cq.h"
#include "rules/request.h"

#define UNTOUCHED 0xdeadbeef

static void test_count(void **state)
{
	static const struct {
		const char *text;
		uint64_t count;
	} good[] = {
		{ "0x10", 16 },
		{ "1e4", 10000 },
		{ "1E4", 10000 },
		{ "1.5e3", 1500 },
		{ "10k", 10000 },
		{ "1m", 1000000 },
		{ "2.5M", 2500000 },
		{ "1g", 1000000000 },
		{ "1e19", 10000000000000000000U },
		{ "0e99", 0 },
		{ "1844674407370.955e6", 1844674407370955000 },
	};
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{ "", "is empty" },
		{ "-1", "is negative" },
		{ "+1", "is no number" },
		{ " 1", "is no number" },
		{ "x", "is no number" },
		{ "0x", "is no number" },
		{ "12 ", "has ' ' behind its number" },
		{ "12b", "has 'b' behind its number" },
		{ "100.5", "is no whole number" },
		{ "0.0105k", "is no whole number" },
		{ "1.", "has '.' behind its number" },
		{ "1e", "has 'e' behind its number" },
		{ "1e-1", "has 'e-1' behind its number" },
		{ "1e99999999999999999999", "is too large" },
		{ "6,7", "is a list" },
		{ "4", "is too small; it takes a number from 5 to 1000" },
		{ "1001", "is too large" },
		{ "18446744073709551616", "is too large" },
		{ "99999999999999999999999999", "is too large" },
	};
	struct kv_why why;
	uint64_t v;

	assert_int_equal(kv_parse_count("5", 5, 1000, &v, &why), 0);
	assert_int_equal(v, 5);
	assert_int_equal(kv_parse_count("1000", 5, 1000, &v, &why), 0);
	assert_int_equal(v, 1000);
	assert_int_equal(kv_parse_count("007", 5, 1000, &v, &why), 0);
	assert_int_equal(v, 7);
	assert_int_equal(kv_parse_count("18446744073709551615", 0, UINT64_MAX,
					&v, &why), 0);
	assert_true(v == UINT64_MAX);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(kv_parse_count(good[i].text, 0, UINT64_MAX, &v, &why), 0);
		assert_int_equal(v, good[i].count);
	}

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		v = UNTOUCHED;
		assert_int_equal(kv_parse_count(bad[i].text, 5, 1000, &v, &why),
				 -EINVAL);
		assert_says(&why, bad[i].says);
		assert_int_equal(v, UNTOUCHED);
	}
}

static void test_match(void **state)
{
	static const char *const words[] = { "conn", "conn-rate", "cq", "compare" };
	static const struct {
		const char *text;
		unsigned int n;
		const char *word;
	} typed[] = {
		{ "conn", 1, "conn" },
		{ "con", 2, NULL },
		{ "conn-", 1, "conn-rate" },
		{ "conn_r", 1, "conn-rate" },
		{ "cq", 1, "cq" },
		{ "com", 1, "compare" },
		{ "c", 4, NULL },
		{ "", 0, NULL },
		{ "cqe", 0, NULL },
		{ "_", 0, NULL },
	};

	for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
		struct kv_match match = { 0 };

		for (size_t j = 0; j < sizeof(words) / sizeof(words[0]); j++) {
			if (kv_match(&match, typed[i].text, words[j], words[j]))
				break;
		}
		assert_int_equal(match.n, typed[i].n);
		if (typed[i].word)
			assert_string_equal(match.row, typed[i].word);
		else
			assert_null(match.row);
	}
}

static void test_guess(void **state)
{
	static const char *const words[] = { "iters", "ib-port", "pd", "list", "details" };
	static const struct {
		const char *text;
		const char *several;
		const char *nearest;
	} typed[] = {
		{ "i", "--iters, --ib-port", NULL },
		{ "it", "--iters", NULL },
		{ "itres", "", "iters" }, /* exchanged */
		{ "iiters", "", "iters" },
		{ "itrs", "", "iters" },
		{ "dteials", "", "details" },
		{ "dtlaizs", "", NULL },
		{ "ilst", "", "list" },
		{ "lisu", "", "list" },
		{ "lasu", "", NULL },
		{ "pdd", "", "pd" },
		{ "qd", "", "pd" },
		{ "x", "", NULL },
		{ "", "", NULL },
		{ "a-word-that-is-longer-than-any-word-of-a-table", "", NULL },
	};

	for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
		struct kv_guess g;

		kv_guess_begin(&g, "--", typed[i].text, strlen(typed[i].text));
		for (size_t j = 0; j < sizeof(words) / sizeof(words[0]); j++)
			kv_guess_add(&g, words[j]);
		assert_string_equal(g.several, typed[i].several);
		if (typed[i].nearest)
			assert_string_equal(g.nearest, typed[i].nearest);
		else if (g.nearest && !*typed[i].several)
			fail_msg("'%s' is not '%s'", typed[i].text, g.nearest);
	}
}

static void test_size(void **state)
{
	static const struct {
		const char *text;
		uint32_t bytes;
	} good[] = {
		{ "1", 1 },
		{ "64", 64 },
		{ "4k", 4096 },
		{ "64K", 65536 },
		{ "1m", 1048576 },
		{ "2M", 2097152 },
		{ "4294967295", UINT32_MAX },
		{ "4194303k", 4294966272U },
		{ "4095m", 4293918720U },
		{ "1g", 1073741824 },
		{ "3G", 3221225472U },
		{ "0x40", 64 },
		{ "0x1k", 1024 },
		{ "64b", 64 },
		{ "4kb", 4096 },
		{ "4kB", 4096 },
		{ "4KiB", 4096 },
		{ "1MiB", 1048576 },
		{ "1.5k", 1536 },
		{ "0.25g", 268435456 },
		{ "1e4", 10000 },
		{ "1e2k", 102400 },
	};
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{ "", "is empty" },
		{ "0", "is too small" },
		{ "0k", "is too small" },
		{ "-64", "is negative" },
		{ "k", "is no number" },
		{ "64q", "has 'q' behind its number" },
		{ "4kk", "has 'kk' behind its number" },
		{ "4kbb", "has 'kbb' behind its number" },
		{ "4ib", "has 'ib' behind its number" },
		{ "4bk", "has 'bk' behind its number" },
		{ "4 k", "has ' k' behind its number" },
		{ "4.0001k", "is no whole number" },
		{ "1t", "is too large" },
		{ "8,64", "is a list" },
		{ "4294967296", "is too large" },
		{ "4194304k", "is too large" },
		{ "4096m", "is too large" },
		{ "4g", "is too large" },
		{ "0x", "is no number" },
		{ "0x100000000", "is too large" },
		{ "18446744073709551617", "is too large" },
		{ "18014398509481985k", "is too large" },
	};
	struct kv_why why;
	uint32_t v;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(kv_parse_size(good[i].text, &v, &why), 0);
		assert_int_equal(v, good[i].bytes);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		v = UNTOUCHED;
		assert_int_equal(kv_parse_size(bad[i].text, &v, &why), -EINVAL);
		assert_says(&why, bad[i].says);
		assert_int_equal(v, UNTOUCHED);
	}
}

static void test_time(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "2", 2000000000 },
		{ "2s", 2000000000 },
		{ "0.5s", 500000000 },
		{ "0.5", 500000000 },
		{ "200ms", 200000000 },
		{ "1.5ms", 1500000 },
		{ "1500us", 1500000 },
		{ "1000000ns", 1000000 },
		{ "1.0000000009s", 1000000000 },
		{ "1.000000001s", 1000000001 },
		{ "10", 10000000000 },
		{ "9.999999999", 9999999999 },
		{ "1e3us", 1000000 },
		{ "0.1m", 6000000000 },
		{ "0.05min", 3000000000 },
		{ "0.002h", 7200000000 },
	};
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{ "", "is empty" },
		{ "-1", "is negative" },
		{ ".5", "is no number" },
		{ "1.", "has '.' behind its number" },
		{ "1.s", "has '.s' behind its number" },
		{ "1,5", "is a list" },
		{ "2min", "is too long" },
		{ "2d", "has 'd' behind its number" },
		{ "2 s", "has ' s' behind its number" },
		{ "1e3", "is too long" },
		{ "0", "is too short; it takes a time from 0.001s to 10s" },
		{ "999us", "is too short" },
		{ "10.000000001", "is too long" },
		{ "11", "is too long" },
		{ "18446744073709551615", "is too long" },
		{ "18446744073709551616", "is too long" },
		{ "18446744073709551615.999999999ns", "is too long" },
	};
	struct kv_why why;
	uint64_t v;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(kv_parse_time(good[i].text, 1000000,
					       10000000000, &v, &why), 0);
		assert_int_equal(v, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		v = UNTOUCHED;
		assert_int_equal(kv_parse_time(bad[i].text, 1000000,
					       10000000000, &v, &why), -EINVAL);
		assert_says(&why, bad[i].says);
		assert_int_equal(v, UNTOUCHED);
	}
}

static void test_cpus(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{ "", "is empty" },
		{ "-1", "is negative" },
		{ "a", "is no number" },
		{ ",1", "is no number" },
		{ "1,", "has no CPU number behind its comma" },
		{ "1,,2", "has no CPU number behind its comma" },
		{ "1,-2", "has no CPU number behind its comma" },
		{ "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "has more than 16 CPUs" },
		{ "1-2", "has '-2' behind its number" },
		{ "1 2", "has ' 2' behind its number" },
		{ "65536", "is too large" },
		{ "4294967296", "is too large" },
	};
	struct kv_cpus cpus;
	struct kv_why why;

	assert_int_equal(kv_parse_cpus("3", &cpus, &why), 0);
	assert_int_equal(cpus.n, 1);
	assert_int_equal(cpus.cpu[0], 3);
	assert_int_equal(kv_parse_cpus("65535,0", &cpus, &why), 0);
	assert_int_equal(cpus.n, 2);
	assert_int_equal(cpus.cpu[0], 65535);
	assert_int_equal(cpus.cpu[1], 0);
	/* Both ends on one CPU is a thing that one may want to see. */
	assert_int_equal(kv_parse_cpus("1,1", &cpus, &why), 0);
	assert_int_equal(cpus.cpu[1], 1);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cpus.n = 7;
		assert_int_equal(kv_parse_cpus(bad[i].text, &cpus, &why), -EINVAL);
		assert_says(&why, bad[i].says);
		assert_int_equal(cpus.n, 7);
	}
}

static void test_moderation(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{ "", "is empty" },
		{ "16", "has no comma behind its first number" },
		{ "16 8", "has no comma behind its first number" },
		{ "16,", "is no number" },
		{ ",8", "is no number" },
		{ "16,-8", "is no number" },
		{ "16,8,1", "has ',1' behind its numbers" },
		{ "0,8", "has a number that is out of range" },
		{ "16,0", "has a number that is out of range" },
		{ "65536,8", "has a number that is out of range" },
		{ "16,65536", "has a number that is out of range" },
	};
	struct kv_cq_moderation moderation;
	struct kv_why why;

	assert_int_equal(kv_parse_moderation("16,8", &moderation, &why), 0);
	assert_int_equal(moderation.count, 16);
	assert_int_equal(moderation.period, 8);
	assert_int_equal(kv_parse_moderation("65535,1", &moderation, &why), 0);
	assert_int_equal(moderation.count, 65535);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(kv_parse_moderation(bad[i].text, &moderation, &why), -EINVAL);
		assert_says(&why, bad[i].says);
		assert_int_equal(moderation.period, 1);
	}
}

static void test_word(void **state)
{
	struct kv_why why;
	uint32_t v = UNTOUCHED;

	assert_int_equal(kv_parse_enum("user", kv_enum_space, &v, &why), 0);
	assert_int_equal(v, KV_SPACE_USER);
	assert_int_equal(kv_parse_enum("bh-disabled", kv_enum_post, &v, &why),
			 0);
	assert_int_equal(v, KVERBS_POST_BH_DISABLED);
	/* perftest writes RC, UC and UD. */
	assert_int_equal(kv_parse_enum("UD", kv_enum_qp_type, &v, &why), 0);
	assert_int_equal(v, KVERBS_QPT_UD);

	v = UNTOUCHED;
	assert_int_equal(kv_parse_enum("use", kv_enum_space, &v, &why),
			 -EINVAL);
	assert_says(&why, "is not known; it takes kernel or user");
	assert_int_equal(kv_parse_enum("users", kv_enum_space, &v, &why),
			 -EINVAL);
	assert_int_equal(kv_parse_enum("", kv_enum_kind + 1, &v, &why), -EINVAL);
	assert_says(&why, "is empty; it takes completion, pingpong, one-thread or null");
	assert_int_equal(v, UNTOUCHED);

	assert_string_equal(kv_enum_name(kv_enum_op, KVERBS_OP_CMP_SWP),
			    "cmp-swp");
	assert_string_equal(kv_enum_name(kv_enum_op, 99), "?");
	/* Each operation that a run can have has a word, and no other has one. */
	for (uint32_t op = 0; op < __KVERBS_OP_LAST; op++)
		assert_int_equal(kv_op_fits_loop(op, KVERBS_LOOP_POST_TO_COMPLETION) ||
				 kv_op_fits_loop(op, KVERBS_LOOP_PINGPONG),
				 strcmp(kv_enum_name(kv_enum_op, op), "?") != 0);
	for (uint32_t op = 0; op < __KVERBS_WC_OP_LAST; op++)
		assert_string_not_equal(kv_enum_name(kv_enum_wc_op, op), "?");
}

static void test_ops(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{ "", "has an empty entry" },
		{ ",read", "has an empty entry" },
		{ "read,", "has an empty entry" },
		{ "read,,write", "has an empty entry" },
		{ "read, write", "has ' write', which is not known" },
		{ "read,flush", "it takes a list of send, send-imm, write, write-imm, read, fetch-add, cmp-swp, send-inv, read-inv or atomic-write" },
		{ "read,write,read", "names 'read' twice" },
	};
	struct kv_list list = { 0 };
	struct kv_why why;
	char text[600];

	assert_int_equal(kv_parse_ops("cmp-swp,send,read", &list, &why), 0);
	assert_int_equal(list.n, 3);
	assert_int_equal(list.value[0], KVERBS_OP_CMP_SWP);
	assert_int_equal(list.value[1], KVERBS_OP_SEND);
	assert_int_equal(list.value[2], KVERBS_OP_READ);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(kv_parse_ops(bad[i].text, &list, &why),
				 -EINVAL);
		assert_says(&why, bad[i].says);
		assert_int_equal(list.n, 3);
	}

	/* A text longer than any message must not break the message. */
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(kv_parse_ops(text, &list, &why), -EINVAL);
	assert_true(strlen(why.text) < sizeof(why.text));
}

static void test_sizes(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{ "", "is empty" },
		{ ",8", "has an empty entry" },
		{ "8,", "has an empty entry" },
		{ "8,,64", "has an empty entry" },
		{ "8,0", "is too small" },
		{ "8,-1", "has '-1', a range without a beginning" },
		{ "8;64", "has ';64' behind its number" },
		{ "64,8,64", "names '64' twice" },
		{ "4096,8,4k", "names '4k' twice" },
		{ "8,8589934592", "is too large" },
		{ "8-8", "has '8-8', a range that must end above its beginning" },
		{ "8-", "has '8-', a range without an end" },
		{ "4,8-,16", "has '8-', a range without an end" },
		{ "-8,16", "has '-8', a range without a beginning" },
		{ "8--16", "is negative" },
		{ "8-64-128", "has '-128' behind a range" },
		{ "all,8", "is no number" },
		{ "1-8,4", "names '4' twice" },
	};
	struct kv_list list = { 0 };
	struct kv_why why;
	char text[300] = "";

	assert_int_equal(kv_parse_sizes("8,64,4k,64K", &list, &why), 0);
	assert_int_equal(list.n, 4);
	assert_int_equal(list.value[0], 8);
	assert_int_equal(list.value[1], 64);
	assert_int_equal(list.value[2], 4096);
	assert_int_equal(list.value[3], 65536);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(kv_parse_sizes(bad[i].text, &list, &why),
				 -EINVAL);
		assert_says(&why, bad[i].says);
		assert_int_equal(list.n, 4);
	}

	for (int i = 1; i <= KV_PARSE_LIST_MAX; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s%d", i > 1 ? "," : "", i);
	assert_int_equal(kv_parse_sizes(text, &list, &why), 0);
	assert_int_equal(list.n, KV_PARSE_LIST_MAX);
	strcat(text, ",99");
	assert_int_equal(kv_parse_sizes(text, &list, &why), -EINVAL);
	assert_says(&why, "has more than 32 entries");
}

static void test_rates(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{ "", "is empty" },
		{ "1k,", "is empty" },
		{ "%", "is empty" },
		{ "0", "is too small" },
		{ "50%,0%", "is too small" },
		{ "2g", "is too large" },
		{ "1001%", "is too large" },
		{ "5x", "has 'x' behind its number" },
		{ "5%%", "has '%' behind its number" },
		{ "1k,50%,1000", "names '1000' twice" },
		{ "10000000000000000000000000000000000000000%", "is too large" },
	};
	struct kv_list list = { 0 };
	struct kv_why why;

	assert_int_equal(kv_parse_rates("10k,1g,50%,50,1k%", &list, &why), 0);
	assert_int_equal(list.n, 5);
	assert_int_equal(list.value[0], 10000);
	assert_int_equal(list.value[1], 1000000000);
	assert_int_equal(list.value[2], 50 | KV_PARSE_PERCENT);
	assert_int_equal(list.value[3], 50);
	assert_int_equal(list.value[4], 1000 | KV_PARSE_PERCENT);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(kv_parse_rates(bad[i].text, &list, &why), -EINVAL);
		assert_says(&why, bad[i].says);
		assert_int_equal(list.n, 5);
	}
}

static void test_ranges(void **state)
{
	struct kv_list list = { 0 };
	struct kv_why why;

	assert_int_equal(kv_parse_sizes("3,8-64,1k-1.5k", &list, &why), 0);
	assert_int_equal(list.n, 7);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(list.value[1 + i], 8U << i);
	assert_int_equal(list.value[5], 1024);
	assert_int_equal(list.value[6], 1536);
	assert_int_equal(kv_parse_sizes("all", &list, &why), 0);
	assert_true(list.all && !list.n);
	assert_int_equal(kv_parse_sizes("1-4294967295", &list, &why), -EINVAL);
	assert_says(&why, "has more than 32 entries");

	assert_int_equal(kv_parse_qps("1-12", &list, &why), 0);
	assert_int_equal(list.n, 5);
	assert_int_equal(list.value[4], 12);
	assert_int_equal(kv_parse_qps("all", &list, &why), -EINVAL);
	assert_int_equal(kv_parse_qps("1-2k", &list, &why), -EINVAL);
	assert_says(&why, "is too large");
}

static void test_mtu(void **state)
{
	static const char *const good[] = { "256", "512", "1024", "2048", "4k" };
	static const char *const bad[] = { "", "0", "128", "255", "1000", "4095", "8192", "1x" };
	struct kv_why why;
	uint32_t v = 0;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(kv_parse_mtu(good[i], &v, &why), 0);
		assert_int_equal(v, 256U << i);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(kv_parse_mtu(bad[i], &v, &why), -EINVAL);
	assert_int_equal(v, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_guess),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_moderation),
		cmocka_unit_test(test_word),
		cmocka_unit_test(test_ops),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_mtu),
	};

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
