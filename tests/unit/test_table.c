// SPDX-License-Identifier: MIT
/* Tables of comparisons, on a terminal of 80 columns. */
#include "test.h"
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/columns.h"
#include "measure/report.h"
#include "printed.h"

static const char *const spaces[2] = { "kernel", "user" };

/* Two points of siw: long figures, and an operation that it lacks. */
static const char long_points[] =
	"[{\"op\": \"fetch-add\", \"size_bytes\": 8, \"loop\": \"completion\", \"verdict\": \"not supported\"},"
	"{\"op\": \"read\", \"size_bytes\": 65536, \"loop\": \"completion\","
	" \"kernel\": {\"p50_ns\": 12345678, \"p99_ns\": 92345678},"
	" \"user\": {\"p50_ns\": 22345678, \"p99_ns\": 92345678},"
	" \"difference_ns\": {\"value\": -12345678, \"low\": -22345678, \"high\": -11345678, \"percent\": -123.4},"
	" \"verdict\": \"equal within \xc2\xb1 2.3 %\", \"faster\": \"neither\"}]";

static const char short_points[] =
	"[{\"op\": \"read\", \"size_bytes\": 8, \"loop\": \"completion\","
	" \"kernel\": {\"p50_ns\": 1000, \"p99_ns\": 2000}, \"user\": {\"p50_ns\": 1000, \"p99_ns\": 2000},"
	" \"difference_ns\": {\"value\": 1, \"low\": 1, \"high\": 1, \"percent\": 1},"
	" \"verdict\": \"kernel faster by 1\", \"faster\": \"kernel\"}]";

/* The printed table of the points; the caller frees it. */
static char *print(const char *points, const char *columns)
{
	struct json_object *list = json_tokener_parse(points);
	struct printed printed;
	struct kv_fault f;
	char *text;

	assert_non_null(list);
	printed_begin(&printed, columns);
	assert_int_equal(kv_tables_latencies(list, spaces, &f), 0);
	text = printed_end(&printed);
	json_object_put(list);
	return text;
}

static unsigned int widest(const char *text)
{
	unsigned int most = 0;

	for (size_t n; *text; text += n + 1) {
		n = strcspn(text, "\n");
		if (kv_columns_of(text, n) > most)
			most = kv_columns_of(text, n);
		if (!text[n])
			break;
	}
	return most;
}

/* The line that tells what is left out, as one, wherever it was broken; NULL: there is none. */
static char *left_out(char *text)
{
	char *line = strstr(text, "left out, ");

	for (char *c = line; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	return line;
}

static void test_narrow(void **state)
{
	char *text = print(long_points, "80");

	assert_in_range(widest(text), 60, 80);
	/* Each title once, though two series have a p99; the ones that matter stay. */
	assert_non_null(strstr(text, "95 % interval"));
	assert_non_null(strstr(text, "not supported"));
	assert_non_null(left_out(text));
	if (!strstr(left_out(text), "narrow: p99, loop, %;"))
		fail_msg("'%s'", text);
	free(text);
}

static void test_wide(void **state)
{
	char *text = print(long_points, "200");
	unsigned int whole = widest(text);
	char columns[16];

	assert_null(left_out(text));
	free(text);
	/* The line names the width that is enough. */
	snprintf(columns, sizeof(columns), "%u", whole - 1);
	text = print(long_points, columns);
	snprintf(columns, sizeof(columns), "COLUMNS=%u", whole);
	assert_non_null(left_out(text));
	assert_non_null(strstr(left_out(text), columns));
	assert_non_null(strstr(left_out(text), "narrow: p99;"));
	free(text);
	snprintf(columns, sizeof(columns), "%u", whole);
	text = print(long_points, columns);
	assert_null(left_out(text));
	free(text);
}

static void test_fits(void **state)
{
	char *text = print(short_points, "100");

	assert_null(left_out(text));
	assert_in_range(widest(text), 60, 100);
	free(text);
}

/* A figure that is null has its reason; one that the table does not show needs none. */
static void test_gaps(void **state)
{
	static const struct {
		const char *points;
		bool cpu;
		bool p99_said, cpu_said;
	} row[] = {
		{ "[{\"kernel\": {\"p99_ns\": 1, \"cpu_ns\": 1}}, {\"verdict\": \"failed\"}]", true, false, false },
		{ "[{\"kernel\": {\"p99_ns\": 1}}, {\"user\": {\"p99_ns\": null}}]", true, true, false },
		{ "[{\"contexts\": {\"user-event\": {\"cpu_ns\": null}}}]", true, false, true },
		{ "[{\"contexts\": {\"user-event\": {\"cpu_ns\": null}}}]", false, false, false },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct json_object *points = json_tokener_parse(row[i].points);
		char text[512] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");

		kv_tables_gaps(out, points, row[i].cpu);
		fclose(out);
		json_object_put(points);
		assert_int_equal(!!strstr(text, "p99 is -"), row[i].p99_said);
		assert_int_equal(!!strstr(text, "CPU is -"), row[i].cpu_said);
	}
}

/* Differences with "?": a line for each reason, and none for what is decided. */
static void test_undecided(void **state)
{
	struct json_object *point = json_tokener_parse(
		"{\"op\": \"write\", \"differences_ns\": ["
		"{\"of\": \"b\", \"minus\": \"a\", \"faster\": null, \"verdict\": \"not decided: few\"},"
		"{\"of\": \"c\", \"minus\": \"a\", \"faster\": \"a\", \"verdict\": \"a faster\"},"
		"{\"of\": \"d\", \"minus\": \"a\", \"faster\": null, \"verdict\": \"not decided: wide\"},"
		"{\"of\": \"e\", \"minus\": \"a\", \"faster\": null, \"verdict\": \"not decided: few\"}]}");
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	kv_tables_undecided(out, point, "8 B");
	fclose(out);
	json_object_put(point);
	assert_string_equal(text, "write 8 B: ? of b - a, e - a:\n  not decided: few\n"
			    "write 8 B: ? of d - a:\n  not decided: wide\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_undecided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
