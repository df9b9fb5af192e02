// SPDX-License-Identifier: MIT
/* The progress bar's line, what it says of a file on its way, and numbers and lines for a reader. */
#include "test.h"
#include "file/transfer.h"
#include "cli/progress.h"
#include "cli/wrap.h"
#include "out/unit.h"

#define SECOND 1000000000ULL
#define MIB (1ULL << 20)

/* A bar in the middle of a comparison, or of a transfer. */
static struct kv_progress bar = { .steps = 3, .done = 1, .start_ns = SECOND, .step_ns = 11 * SECOND };

static void assert_line(double fraction, unsigned int columns, const char *want)
{
	char line[KV_PROGRESS_LINE];

	kv_progress_format(&bar, fraction, 31 * SECOND, columns, line);
	assert_string_equal(line, want);
	assert_true(strlen(line) < columns);
}

static void test_line(void **state)
{
	strcpy(bar.label, "write 64 B");
	bar.round = 2;
	bar.rounds = 12;
	assert_line(0.5, 80, "[###############...............] 2/3 write 64 B, round 2/12, 45 s left");
	assert_line(0.5, 200, "[###############...............] 2/3 write 64 B, round 2/12, 45 s left");
	assert_line(0.5, 71, "[###############...............] 2/3 write 64 B, round 2/12, 45 s left");
	assert_line(0.5, 70, "[##############...............] 2/3 write 64 B, round 2/12, 45 s left");
	assert_line(0.5, 45, "[##..] 2/3 write 64 B, round 2/12, 45 s left");
	assert_line(0.5, 44, "2/3 write 64 B, round 2/12, 45 s left");
	assert_line(0.5, 20, "2/3 write 64 B, rou");
	assert_line(0.5, 1, "");
}

/* A step may take longer than those before it, as a larger size does; the bar never promises its end too early. */
static void test_left(void **state)
{
	struct kv_progress first = bar;

	bar.round = 0;
	bar.step_ns = 21 * SECOND;
	strcpy(bar.label, "write 1 MiB");
	/* 20 s for the first step, 10 s for an eighth of the second: 70 s, and (20 + 80) / 2 for the third. */
	assert_line(0.125, 80, "[###########...................] 2/3 write 1 MiB, 120 s left");
	/* It has just begun: as long as the first. */
	assert_line(0, 80, "[##########....................] 2/3 write 1 MiB, 30 s left");
	/* It takes longer than the first already: there is no estimate. */
	bar.step_ns = 6 * SECOND;
	assert_line(0, 80, "[##########....................] 2/3 write 1 MiB");
	bar.done = 2;
	bar.step_ns = 11 * SECOND;
	assert_line(0.8, 80, "[###########################...] 3/3 write 1 MiB, 5 s left");
	bar = first;
}

/* The longest that put and get have to say. */
static void test_line_of_file(void **state)
{
	struct kv_transfer_label label = { 0 };
	char line[KV_PROGRESS_LINE];

	bar.round = 0;
	kv_transfer_label(&label, 1, 8ULL << 50, SECOND, bar.label,
			     sizeof(bar.label));
	kv_transfer_label(&label, 8ULL << 50, 8ULL << 50, 2 * SECOND, bar.label,
			     sizeof(bar.label));
	for (unsigned int columns = 1; columns <= 200; columns++) {
		kv_progress_format(&bar, 0.3, 31 * SECOND, columns, line);
		assert_true(strlen(line) < columns);
	}
	label.begin_ns = 0;
	kv_transfer_label(&label, 0, 16 * MIB, SECOND, bar.label,
			     sizeof(bar.label));
	kv_transfer_label(&label, 8 * MIB, 16 * MIB, 2 * SECOND, bar.label,
			     sizeof(bar.label));
	assert_line(0.5, 80, "[###############...............] 2/3 8.0 of 16.0 MiB, 8.0 MiB/s, 45 s left");
}

static void assert_label(struct kv_transfer_label *l, uint64_t bytes, uint64_t now_ns,
			 const char *want)
{
	char text[64];

	kv_transfer_label(l, bytes, 16 * MIB, now_ns, text, sizeof(text));
	assert_string_equal(text, want);
}

/* A rate is that of the bytes since the first look, over the time since then; both must be there. */
static void test_rate(void **state)
{
	struct kv_transfer_label l = { 0 };

	/* All of it in the first look, and again after a moment. */
	assert_label(&l, 16 * MIB, SECOND, "16.0 of 16.0 MiB");
	assert_label(&l, 16 * MIB, SECOND + 5, "16.0 of 16.0 MiB");
	l.begin_ns = 0;
	assert_label(&l, MIB, 2 * SECOND, "1.0 of 16.0 MiB");
	assert_label(&l, 3 * MIB, 2 * SECOND + SECOND / 2 - 1, "3.0 of 16.0 MiB");
	assert_label(&l, 3 * MIB, 2 * SECOND + SECOND / 2, "3.0 of 16.0 MiB, 4.0 MiB/s");
	assert_label(&l, 9 * MIB, 4 * SECOND, "9.0 of 16.0 MiB, 4.0 MiB/s");
}

static void assert_grouped(const char *from, size_t size, const char *want)
{
	char text[64];

	snprintf(text, size, "%s", from);
	kv_unit_group(text, size);
	assert_string_equal(text, want);
}

static void test_thousands(void **state)
{
	assert_grouped("", 64, "");
	assert_grouped("1234", 64, "1234");
	assert_grouped("12345", 64, "12,345");
	assert_grouped("123456", 64, "123,456");
	assert_grouped("18446744073709551615", 64, "18,446,744,073,709,551,615");
	assert_grouped("-123456.654321 .. +1234567.5", 64, "-123,456.654321 .. +1,234,567.5");
	assert_grouped("0x123456 rxe123456 123456us", 64, "0x123456 rxe123456 123456us");
	/* A number without room for its commas stays, as those behind it. */
	assert_grouped("123456", 8, "123,456");
	assert_grouped("123456", 7, "123456");
	assert_grouped("12345 12345678", 16, "12,345 12345678");
	assert_string_equal(KV_COUNT(UINT64_MAX), "18,446,744,073,709,551,615");
}

static void assert_wrapped(const char *text, int width, const char *want)
{
	char lines[256] = "";
	FILE *out = fmemopen(lines, sizeof(lines), "w");

	kv_wrap_to(out, text, 2, 0, width);
	fclose(out);
	assert_string_equal(lines, want);
}

/* A number stays with its unit. */
static void test_units(void **state)
{
	assert_wrapped("pd 1  [1.234 us]", 14, "pd 1 \n  [1.234 us]\n");
	assert_wrapped("they may differ by 14 % or more", 23, "they may differ by\n  14 % or more\n");
	assert_wrapped("took 12 \xc2\xb5s, or so", 10, "took\n  12 \xc2\xb5s,\n  or so\n");
	/* A word that only begins like a unit may be in the next line. */
	assert_wrapped("all 12 sizes", 8, "all 12\n  sizes\n");
	assert_wrapped("size s is it", 8, "size s\n  is it\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_line_of_file),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_thousands),
		cmocka_unit_test(test_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
