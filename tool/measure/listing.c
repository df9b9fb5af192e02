// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "measure/listing.h"
#include "out/out.h"

/* How many bytes of a command are shown. */
#define COMMAND 48

void kv_listing_name_difference(char *title, const char *const name[2])
{
	snprintf(title, KV_LISTING_TEXT, "%c - %c", toupper(*name[0]), toupper(*name[1]));
}

void kv_listing_word(char *text, struct json_object *value, struct json_object *obj)
{
	snprintf(text, KV_LISTING_TEXT, "%s", json_object_get_string(value));
}

void kv_listing_number(char *text, struct json_object *value, struct json_object *obj)
{
	kv_listing_word(text, value, obj);
}

void kv_listing_count(char *text, struct json_object *value, struct json_object *obj)
{
	snprintf(text, KV_LISTING_TEXT, "%.0f", json_object_get_double(value));
}

/* In millions. */
void kv_listing_mega(char *text, struct json_object *value, struct json_object *obj)
{
	double mega = json_object_get_double(value) / 1e6;

	snprintf(text, KV_LISTING_TEXT, "%.*f", mega < 10 ? 3 : mega < 1000 ? 1 : 0, mega);
}

void kv_listing_command(char *text, struct json_object *value, struct json_object *obj)
{
	bool whole = json_object_get_string_len(value) <= COMMAND;

	snprintf(text, KV_LISTING_TEXT, "%.*s%s", whole ? COMMAND : COMMAND - 3,
		 json_object_get_string(value), whole ? "" : "...");
}

void kv_listing_faster(char *text, struct json_object *value, struct json_object *obj)
{
	struct json_object *faster = kv_out_get(value, "/faster");

	snprintf(text, KV_LISTING_TEXT, "%s", faster ? json_object_get_string(faster) : "?");
}

void kv_listing_size(char *text, struct json_object *value, struct json_object *obj)
{
	kv_size_format(text, KV_LISTING_TEXT, json_object_get_uint64(value));
}

void kv_listing_time(char *text, struct json_object *value, struct json_object *obj)
{
	kv_us_format(text, KV_LISTING_TEXT, json_object_get_double(value));
}

static void format_difference(char *text, char *interval, struct json_object *diff)
{
	kv_us_difference_format(text, interval, KV_LISTING_TEXT, kv_out_get_real(diff, "/value"),
				kv_out_get_real(diff, "/low"), kv_out_get_real(diff, "/high"));
}

void kv_listing_difference(char *text, struct json_object *value, struct json_object *obj)
{
	char interval[KV_LISTING_TEXT];

	format_difference(text, interval, value);
}

void kv_listing_interval(char *text, struct json_object *value, struct json_object *obj)
{
	char difference[KV_LISTING_TEXT];

	format_difference(difference, text, value);
}

void kv_listing_percent(char *text, struct json_object *value, struct json_object *obj)
{
	double percent = json_object_get_double(value);

	snprintf(text, KV_LISTING_TEXT, "%+.*f", fabs(percent) < 10, percent);
}

/* As in "kernel faster"; of an operation that can't be judged only what is the matter. */
void kv_listing_verdict(char *text, struct json_object *value, struct json_object *obj)
{
	const char *verdict = json_object_get_string(value), *colon = strchr(verdict, ':');
	struct json_object *faster = kv_out_get(obj, "/faster");

	if (!faster || !strcmp(json_object_get_string(faster), "neither"))
		snprintf(text, KV_LISTING_TEXT, "%.*s",
			 (int)(colon ? (size_t)(colon - verdict) : strlen(verdict)), verdict);
	else
		snprintf(text, KV_LISTING_TEXT, "%s faster", json_object_get_string(faster));
}

static bool is_figure(const struct kv_listing *column)
{
	return column->format != kv_listing_word && column->format != kv_listing_command &&
	       column->format != kv_listing_faster && column->format != kv_listing_verdict;
}

static void add(struct kv_table *t, struct json_object *obj, const struct kv_listing *column,
		unsigned int n)
{
	char text[KV_TABLE_COLUMNS][KV_LISTING_TEXT];
	const char *row[KV_TABLE_COLUMNS];

	for (unsigned int i = 0; i < n; i++) {
		struct json_object *from = column[i].series ? NULL : obj, *value;

		if (column[i].series)
			json_object_object_get_ex(obj, column[i].series, &from);
		value = kv_out_get(from, column[i].path);
		row[i] = value ? text[i] : "-";
		if (value)
			column[i].format(text[i], value, obj);
	}
	kv_table_add(t, row);
}

/**
 * kv_listing_print() - print a table, and an empty line
 * @list: an array with an object for each row; or one object, the only row
 * @n: how many columns, at most KV_TABLE_COLUMNS
 */
int kv_listing_print(struct json_object *list, const struct kv_listing *column, unsigned int n,
		     struct kv_fault *f)
{
	struct kv_column head[KV_TABLE_COLUMNS];
	struct kv_table t;
	int ret;

	for (unsigned int i = 0; i < n; i++)
		head[i] = (struct kv_column){ column[i].head, is_figure(&column[i]),
					      column[i].spare };
	kv_table_create(&t, head, n);
	if (json_object_is_type(list, json_type_array))
		for (size_t i = 0; i < json_object_array_length(list); i++)
			add(&t, json_object_array_get_idx(list, i), column, n);
	else
		add(&t, list, column, n);
	ret = kv_table_print(&t, f);
	printf("\n");
	return ret;
}
