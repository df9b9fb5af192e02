// SPDX-License-Identifier: MIT
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/columns.h"
#include "cli/parse.h"
#include "out/prose.h"
#include "out/table.h"
#include "out/unit.h"

/*
 * The bytes of µ and ±. Without locales libsmartcols would print them as escapes; printed
 * unchanged, they only shift the rest of the row.
 */
#define SAFE "\xc2\xb5\xb1"

static void widen(struct kv_table *t, unsigned int column, const char *text)
{
	unsigned int width = kv_columns_of(text, strlen(text));

	if (t->width[column] < width)
		t->width[column] = width;
}

/**
 * kv_table_create() - begin a table
 * @t: receives it; kv_table_print() frees it
 */
void kv_table_create(struct kv_table *t, const struct kv_column *column, unsigned int n)
{
	/* Gives libsmartcols the width of µ; SAFE is for hosts without it. Numbers stay in C. */
	setlocale(LC_CTYPE, "C.UTF-8");
	*t = (struct kv_table){ .scols = scols_new_table(), .columns = n };
	t->failed = !t->scols;
	for (unsigned int i = 0; i < n && !t->failed; i++) {
		struct libscols_column *col;

		t->spare[i] = column[i].spare;
		t->right[i] = column[i].right;
		t->width[i] = kv_columns_of(column[i].head, strlen(column[i].head));
		col = scols_table_new_column(t->scols, column[i].head, 0,
					     column[i].right ? SCOLS_FL_RIGHT : 0);
		t->failed = !col || scols_column_set_safechars(col, SAFE);
	}
}

/**
 * kv_table_add() - add a row
 * @cell: a text for each column; they are copied, those of figures with their thousands parted
 */
void kv_table_add(struct kv_table *t, const char *const *cell)
{
	struct libscols_line *line;
	char figures[KV_TABLE_FIGURES];

	if (t->failed)
		return;
	line = scols_table_new_line(t->scols, NULL);
	t->failed = !line;
	for (unsigned int i = 0; i < t->columns && !t->failed; i++) {
		const char *text = cell[i];

		if (t->right[i]) {
			snprintf(figures, sizeof(figures), "%s", text);
			kv_unit_group(figures, sizeof(figures));
			text = figures;
		}
		t->failed = scols_line_set_data(line, i, text);
		widen(t, i, text);
	}
}

/* Of all columns of a table that a terminal shows, one space between two. */
static unsigned int total_width(const struct kv_table *t)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->columns; i++)
		n += t->width[i] ? t->width[i] + 1 : 0;
	return n;
}

static const char *head_of(const struct kv_table *t, unsigned int column)
{
	return scols_column_get_name(scols_table_get_column(t->scols, column));
}

/* Adds a column's title to those that are left out, unless it is there. */
static void note_left_out(struct kv_table *t, unsigned int column)
{
	for (unsigned int i = 0; i < column; i++)
		if (!t->width[i] && !strcmp(head_of(t, i), head_of(t, column)))
			return;
	kv_append(t->left_out, sizeof(t->left_out), "%s%s", *t->left_out ? ", " : "", head_of(t, column));
}

/* Leaves out columns until the table fits, or all that may be left out are. */
static void fit(struct kv_table *t)
{
	unsigned int room = kv_columns(STDOUT_FILENO, UINT_MAX);

	t->whole = total_width(t) - 1;

	for (;;) {
		unsigned int spare = 0;

		for (unsigned int i = 0; i < t->columns; i++)
			if (t->width[i] && t->spare[i] > spare)
				spare = t->spare[i];
		if (!spare || total_width(t) - 1 <= room)
			return;
		for (unsigned int i = 0; i < t->columns; i++) {
			if (t->spare[i] != spare)
				continue;
			note_left_out(t, i);
			t->width[i] = 0;
			scols_column_set_flags(scols_table_get_column(t->scols, i),
					       SCOLS_FL_HIDDEN);
		}
	}
}

/**
 * kv_table_print() - print a table to stdout, and free it
 *
 * Return: 0, or -ENOMEM if a part is missing; then nothing is printed.
 */
int kv_table_print(struct kv_table *t, struct kv_fault *f)
{
	int ret;

	if (!t->failed)
		fit(t);
	ret = t->failed || scols_print_table(t->scols) ? -ENOMEM : 0;
	if (!ret && *t->left_out)
		kv_prose_print(stdout, "left out, as the terminal is too narrow: %s; COLUMNS=%u prints all columns, and --json all figures\n",
			       t->left_out, t->whole);
	scols_unref_table(t->scols);
	t->scols = NULL;
	return ret ? kv_fault_set(f, ret, "cannot print the table") : 0;
}

/**
 * kv_us_format() - write a time in microseconds, without unit; in guests that count: instructions
 * @text: receives it; "-" for NAN
 */
void kv_us_format(char *text, size_t size, double ns)
{
	double v = kv_unit_of(ns);

	if (isnan(ns))
		snprintf(text, size, "-");
	else if (kv_unit_counts())
		snprintf(text, size, "%.0f", v);
	else
		snprintf(text, size, "%.*f", v < 1 ? 3 : v < 10 ? 2 : v < 1000 ? 1 : 0, v);
}

/**
 * kv_us_difference_decimals() - the number of useful decimals of a difference
 *
 * Return: digits after the point for microseconds, so that two or three digits
 * are significant; 0 for instructions.
 */
int kv_us_difference_decimals(double ns)
{
	double us = fabs(ns) / 1e3;

	if (kv_unit_counts())
		return 0;
	return us < 0.1 ? 3 : us < 10 ? 2 : us < 100 ? 1 : 0;
}

/**
 * kv_us_difference_format() - write a difference and its interval, as kv_us_format() does
 * @text: receives the difference; "-" for NAN
 * @interval: receives both ends of the interval, with as many digits; "-" for NAN
 * @size: size of @text and of @interval
 * @low_ns: lower end
 * @high_ns: upper end
 */
void kv_us_difference_format(char *text, char *interval, size_t size, double ns,
			     double low_ns, double high_ns)
{
	bool has_interval = isfinite(low_ns) && isfinite(high_ns);
	/* A difference that is uncertain by microseconds needs no nanoseconds. */
	double width = has_interval ? (high_ns - low_ns) / 2 : 0;
	int digits = kv_us_difference_decimals(fmax(fabs(ns), width));

	snprintf(text, size, "-");
	snprintf(interval, size, "-");
	if (isfinite(ns))
		snprintf(text, size, "%+.*f", digits, kv_unit_of(ns));
	if (has_interval)
		snprintf(interval, size, "%+.*f .. %+.*f", digits, kv_unit_of(low_ns),
			 digits, kv_unit_of(high_ns));
}

/**
 * kv_size_format() - write a number of bytes with its unit
 * @bytes: the number; written in KiB, MiB or GiB only if it is a whole number of them
 */
void kv_size_format(char *text, size_t size, uint64_t bytes)
{
	if (bytes && !(bytes & 0x3fffffff))
		snprintf(text, size, "%llu GiB", (unsigned long long)bytes >> 30);
	else if (bytes && !(bytes & 0xfffff))
		snprintf(text, size, "%llu MiB", (unsigned long long)bytes >> 20);
	else if (bytes && !(bytes & 0x3ff))
		snprintf(text, size, "%llu KiB", (unsigned long long)bytes >> 10);
	else
		snprintf(text, size, "%s B", KV_COUNT(bytes));
}
