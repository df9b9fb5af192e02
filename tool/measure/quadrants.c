// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "measure/quadrants.h"
#include "out/out.h"
#include "out/table.h"
#include "out/unit.h"

/*
 * The tables of a comparison of quadrants: what each took, and what changing one
 * end does. One table with all of it would be twice as wide as a terminal.
 */

#define CELL 96

static const char *const quadrants[] = { "K-K", "K-U", "U-K", "U-U" };

#define QUADRANTS (sizeof(quadrants) / sizeof(quadrants[0]))

/* Of each end that changes there are as many: one for each space of the other. */
#define DIFFERENCES 2

static void format_size(char *text, struct json_object *cell)
{
	kv_size_format(text, CELL, kv_out_get_count(cell, "/size_bytes"));
}

static void add_medians(struct kv_table *t, struct json_object *cell)
{
	char size[CELL], us[2 * QUADRANTS][CELL], path[48];
	const char *row[3 + 2 * QUADRANTS] = {
		kv_out_get_string(cell, "/op"), size,
		kv_out_get_string(cell, "/loop"),
	};

	format_size(size, cell);
	for (unsigned int i = 0; i < 2 * QUADRANTS; i++) {
		snprintf(path, sizeof(path), "/quadrants/%s/%s", quadrants[i % QUADRANTS],
			 i < QUADRANTS ? "p50_ns" : "p99_ns");
		kv_us_format(us[i], CELL, kv_out_get_real(cell, path));
		row[3 + i] = us[i];
	}
	kv_table_add(t, row);
}

static int print_medians(struct json_object *cells)
{
	static const struct kv_column columns[] = {
		{ "op", false },      { "size", true },	    { "loop", false },
		{ "p50: K-K", true }, { "K-U", true },	    { "U-K", true },
		{ "U-U", true },      { "p99: K-K", true }, { "K-U", true },
		{ "U-K", true },      { "U-U", true },
	};
	struct kv_table t;
	int ret;

	printf("Latency in %s from client to server; K: kernel space, U: user space\n\n", kv_unit_name());
	kv_table_create(&t, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < json_object_array_length(cells); i++)
		add_medians(&t, json_object_array_get_idx(cells, i));
	ret = kv_table_print(&t);
	kv_table_destroy(&t);
	return ret;
}

/* What there is no verdict on: "?", or "-" where nothing was measured at all. */
static const char *get_faster(struct json_object *diff)
{
	if (!diff)
		return "-";
	return kv_out_get(diff, "/faster") ? kv_out_get_string(diff, "/faster") : "?";
}

static void add_differences(struct kv_table *t, struct json_object *cell, const char *changed)
{
	struct json_object *list = kv_out_get(cell, "/differences_ns");
	size_t n = list ? json_object_array_length(list) : 0;
	char size[CELL], text[DIFFERENCES][CELL], interval[DIFFERENCES][CELL];
	const char *row[2 + 3 * DIFFERENCES] = {
		kv_out_get_string(cell, "/op"), size,
		"-", "-", "-", "-", "-", "-",
	};
	unsigned int found = 0;

	format_size(size, cell);
	for (size_t i = 0; i < n && found < DIFFERENCES; i++) {
		struct json_object *diff = json_object_array_get_idx(list, i);

		if (strcmp(kv_out_get_string(diff, "/changed"), changed))
			continue;
		kv_us_difference_format(text[found], interval[found], CELL,
					kv_out_get_real(diff, "/value"),
					kv_out_get_real(diff, "/low"),
					kv_out_get_real(diff, "/high"));
		row[2 + 3 * found] = text[found];
		row[3 + 3 * found] = interval[found];
		row[4 + 3 * found] = get_faster(diff);
		found++;
	}
	kv_table_add(t, row);
}

static int print_differences(struct json_object *cells, const char *changed,
			     const struct kv_column *columns)
{
	struct kv_table t;
	int ret;

	printf("\n%s in the kernel minus %s in user space: difference of the medians in %s\n\n",
	       changed, changed, kv_unit_name());
	kv_table_create(&t, columns, 2 + 3 * DIFFERENCES);
	for (size_t i = 0; i < json_object_array_length(cells); i++)
		add_differences(&t, json_object_array_get_idx(cells, i), changed);
	ret = kv_table_print(&t);
	kv_table_destroy(&t);
	return ret;
}

/* The cells that have no figures, or not all of them. */
static void print_failed(struct json_object *cells)
{
	for (size_t i = 0; i < json_object_array_length(cells); i++) {
		struct json_object *cell = json_object_array_get_idx(cells, i);
		char size[CELL];

		if (!kv_out_get(cell, "/error"))
			continue;
		format_size(size, cell);
		printf("%s %s: %s\n", kv_out_get_string(cell, "/op"), size,
		       kv_out_get_string(cell, "/error/text"));
	}
}

/**
 * kv_quadrants_print() - print the tables of a comparison of quadrants
 * @cells: of its document
 *
 * Return: 0 or -ENOMEM.
 */
int kv_quadrants_print(struct json_object *cells)
{
	static const struct kv_column client[] = {
		{ "op", false },	 { "size", true },
		{ "K-K - U-K", true },	 { "95 % interval", true },
		{ "faster", false },	 { "K-U - U-U", true },
		{ "95 % interval", true }, { "faster", false },
	};
	static const struct kv_column server[] = {
		{ "op", false },	 { "size", true },
		{ "K-K - K-U", true },	 { "95 % interval", true },
		{ "faster", false },	 { "U-K - U-U", true },
		{ "95 % interval", true }, { "faster", false },
	};
	int ret;

	ret = print_medians(cells);
	if (!ret)
		ret = print_differences(cells, "client", client);
	if (!ret)
		ret = print_differences(cells, "server", server);
	printf("\n");
	if (!ret)
		print_failed(cells);
	return ret;
}
