// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "out/csv.h"

/*
 * Objects as comma-separated values, RFC 4180 with lines that end in LF: a column for each member
 * that is a word or a number, also of an object inside. Its title is the path to it, as in
 * kernel.p50_ns. Lists, such as histograms, have no column.
 */

#define TITLE 128

/* Calls a function for each value of an object: its title, and the value, which may be NULL. */
static int each(struct json_object *obj, const char *before,
		int (*fn)(const char *title, struct json_object *value, void *arg), void *arg)
{
	json_object_object_foreach(obj, key, value) {
		char title[TITLE];
		int ret;

		snprintf(title, sizeof(title), "%s%s%s", before, *before ? "." : "", key);
		if (json_object_is_type(value, json_type_array))
			continue;
		if (json_object_is_type(value, json_type_object))
			ret = each(value, title, fn, arg);
		else
			ret = fn(title, value, arg);
		if (ret)
			return ret;
	}
	return 0;
}

/* The titles are the keys of an object, in their order. */
static int add_title(const char *title, struct json_object *value, void *titles)
{
	return json_object_object_add(titles, title, NULL) ? -ENOMEM : 0;
}

static int set_value(const char *title, struct json_object *value, void *row)
{
	return json_object_object_add(row, title, json_object_get(value)) ? -ENOMEM : 0;
}

static void print_field(const char *text, bool first)
{
	bool plain = !text[strcspn(text, ",\"\n\r")];

	printf("%s%s", first ? "" : ",", plain ? "" : "\"");
	for (; *text; text++)
		printf("%s%c", *text == '"' ? "\"" : "", *text);
	if (!plain)
		putchar('"');
}

static int print_row(struct json_object *titles, struct json_object *obj)
{
	struct json_object *row = json_object_new_object();
	int ret = row ? each(obj, "", set_value, row) : -ENOMEM;
	bool first = true;

	json_object_object_foreach(titles, title, unused) {
		struct json_object *value = unused;

		if (ret)
			break;
		json_object_object_get_ex(row, title, &value);
		print_field(value ? json_object_get_string(value) : "", first);
		first = false;
	}
	putchar('\n');
	json_object_put(row);
	return ret;
}

/**
 * kv_csv_print() - print objects as comma-separated values to stdout
 * @rows: an array with an object for each row; or one object, the only row
 *
 * A row without a value that others have has an empty field there.
 *
 * Return: 0 or -ENOMEM.
 */
int kv_csv_print(struct json_object *rows)
{
	bool many = json_object_is_type(rows, json_type_array);
	size_t n = many ? json_object_array_length(rows) : 1;
	struct json_object *titles = json_object_new_object();
	bool first = true;
	int ret = titles ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !ret; i++)
		ret = each(many ? json_object_array_get_idx(rows, i) : rows, "", add_title, titles);
	if (!ret) {
		json_object_object_foreach(titles, title, unused) {
			(void)unused;
			print_field(title, first);
			first = false;
		}
		putchar('\n');
	}
	for (size_t i = 0; i < n && !ret; i++)
		ret = print_row(titles, many ? json_object_array_get_idx(rows, i) : rows);
	json_object_put(titles);
	return ret;
}
