// SPDX-License-Identifier: MIT
/* The sentences around the table of a comparison. */
#include "test.h"
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "measure/report.h"
#include "printed.h"

#define SERIES "\"spec\": {\"contrast\": \"spaces\", \"rounds\": %u, \"series\": [{\"name\": \"kernel\"}, {\"name\": \"user\"}]%s}"
#define SPACE(name, ns) "\"" name "\": {\"p50_ns\": " ns ", \"p99_ns\": 9, \"bytes_per_second\": 1, \"requests_per_second\": 1}"
#define POINT(rounds, kernel, user, percent, faster)								\
	"{\"op\": \"write\", \"size_bytes\": 8, \"loop\": \"completion\", \"rounds\": " rounds ", " SPACE("kernel", kernel) ", "	\
	SPACE("user", user) ", \"difference_ns\": {\"value\": 1000, \"low\": 900, \"high\": 1100, \"percent\": " percent "},"	\
	"\"verdict\": \"" faster " faster\", \"faster\": \"" faster "\"}"

/* The printed text of a document of these points, as one line; the caller frees it. */
static char *print(unsigned int rounds, const char *spec, const char *points)
{
	static const struct kv_report plain = { .stats = false };
	struct printed printed;
	struct json_object *doc;
	struct kv_fault f;
	char json[4096], *text;

	snprintf(json, sizeof(json), "{\"complete\": true, " SERIES ", \"points\": [%s]}", rounds, spec, points);
	doc = json_tokener_parse(json);
	assert_non_null(doc);
	printed_begin(&printed, "200");
	assert_int_equal(kv_report_compare(doc, &plain, &f), 0);
	text = printed_end(&printed);
	json_object_put(doc);
	return text;
}

static void assert_prints(unsigned int rounds, const char *spec, const char *points, const char *want, bool says)
{
	char *text = print(rounds, spec, points);

	if (!strstr(text, want) == says)
		fail_msg("'%s' in\n%s", want, text);
	free(text);
}

/* A share is the table's: of user's time, whichever space is faster. */
static void test_shares(void **state)
{
	static const char points[] = POINT("12", "6000", "5000", "52.4", "user") ","
		POINT("12", "4000", "5000", "-20.3", "kernel") "," POINT("12", "4000", "5000", "-3.04", "kernel");

	assert_prints(12, "", points, "kernel faster in 2 of 3 points, by 3.0 to 20 % of user's time; "
		      "user faster in 1 of 3 points, by 52 % of user's time; equal in 0", true);
	assert_prints(12, "", points, " +52 ", true);
}

static void test_times(void **state)
{
	static const char points[] = POINT("12", "6000", "500", "919.4", "user") ","
		POINT("12", "94000", "500", "18758.3", "user") "," POINT("12", "4000", "5000", "-3.04", "kernel");

	assert_prints(12, "", points, "kernel faster in 1 of 3 points, by 3.0 % of user's time; "
		      "user faster in 2 of 3 points, where kernel takes 10 to 189 times as long; equal in 0", true);
}

/* The difference is not that of the two medians beside it. */
static void test_headings(void **state)
{
	static const char point[] = POINT("12", "5900", "5000", "20", "user");

	assert_prints(12, "", point, "Latency in \xc2\xb5s: medians; K - U is the difference estimated over the rounds, "
		    "% its share of user's\n", true);
	assert_prints(12, ", \"depth\": 128, \"list\": 1, \"signal\": 1", point,
		    "K - U is the difference of the times per request in \xc2\xb5s, estimated over the rounds", true);
}

/* More rounds than were asked for, or fewer, have a reason. */
static void test_rounds(void **state)
{
	static const char two[] = POINT("2", "1", "1", "1", "user") "," POINT("4", "1", "1", "1", "user");

	assert_prints(2, "", two, "rounds: 2 to 4 in place of 2, more to get the 1000 samples of a p99\n", true);
	assert_prints(12, "", two, "rounds: 2 to 4 in place of 12, fewer because more would take over three times --duration\n",
		    true);
	assert_prints(3, "", two, "in place of 3, more to get the 1000 samples of a p99, fewer because more would", true);
	assert_prints(2, "", POINT("2", "1", "1", "1", "user"), "rounds:", false);
}

/* Counters of trouble have a table that explains them. */
static void test_counters(void **state)
{
#define COUNTED(added) POINT("12", "1", "1", "1", "user") "], \"counters\": [{\"host\": null, \"device\": \"rxe0\", \"added\": {" added "}}"
	assert_prints(12, "", COUNTED("\"sent_pkts\": 5, \"duplicate_request\": 3, \"send_err\": 0"),
		      "as counted by rxe0: duplicate_request 3 (docs/troubleshooting.md)\n", true);
	assert_prints(12, "", COUNTED("\"sent_pkts\": 5"), "as counted by rxe0: nothing\n", true);
#undef COUNTED
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_headings),
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
