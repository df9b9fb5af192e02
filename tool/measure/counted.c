// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include "measure/counted.h"
#include "out/out.h"
#include "out/table.h"

/*
 * What people read of a guest that counts instructions (out/unit.c): most samples are one number
 * there, and what departs from it is the scheduler's tick. A tick of the counter is an instruction.
 */

#define CELL 64

/* As in 12790, or 815763-816072 if there are several, or 12696.5 for half of 25393. */
static void format_range(char *text, double min, double max)
{
	char low[CELL / 2], high[CELL / 2];

	snprintf(low, sizeof(low), "%.*f", fabs(min - rint(min)) > 0.05, min);
	snprintf(high, sizeof(high), "%.*f", fabs(max - rint(max)) > 0.05, max);
	snprintf(text, CELL, "%s%s%s", low, max > min ? "-" : "", max > min ? high : "");
}

static void format_typical(char *text, struct json_object *side, uint64_t divisor)
{
	format_range(text, (double)kv_out_get_count(side, "/mode_min_ticks") / (double)divisor,
		     (double)kv_out_get_count(side, "/mode_max_ticks") / (double)divisor);
}

static void format_share(char *text, struct json_object *side)
{
	double all = (double)kv_out_get_count(side, "/samples");

	snprintf(text, CELL, "%.4g %%", 100 * (double)kv_out_get_count(side, "/mode_samples") / all);
}

/* The least and the largest median of a round, each of which has a connection of its own. */
static void format_rounds(char *text, struct json_object *side)
{
	struct json_object *rounds = kv_out_get(side, "/round_p50_ns");
	double min = INFINITY, max = -INFINITY;

	for (size_t i = 0; i < json_object_array_length(rounds); i++) {
		double v = json_object_get_double(json_object_array_get_idx(rounds, i));

		min = fmin(min, v);
		max = fmax(max, v);
	}
	format_range(text, min, max);
}

static void add(struct kv_table *t, struct json_object *cell, const char *const name[2])
{
	char size[CELL], text[6][CELL], path[CELL];
	const char *row[] = {
		kv_out_get_string(cell, "/op"), size, kv_out_get_string(cell, "/loop"),
		"-", "-", "-", "-", "-", "-", kv_out_get_string(cell, "/verdict"),
	};

	kv_size_format(size, sizeof(size), kv_out_get_count(cell, "/size_bytes"));
	for (unsigned int i = 0; i < 2; i++) {
		struct json_object *side;

		snprintf(path, sizeof(path), "/%s", name[i]);
		side = kv_out_get(cell, path);
		if (!side)
			continue;
		format_typical(text[3 * i], side, kv_out_get_count(cell, "/sample_divisor"));
		format_share(text[3 * i + 1], side);
		format_rounds(text[3 * i + 2], side);
		for (unsigned int k = 0; k < 3; k++)
			row[3 + 3 * i + k] = text[3 * i + k];
	}
	kv_table_add(t, row);
}

/**
 * kv_counted_print_typical() - print what most samples of a measurement are
 * @side: as kv_result_series() describes it
 */
void kv_counted_print_typical(struct json_object *side)
{
	char text[CELL];

	format_typical(text, side, 1);
	printf("typical: %s, which %llu of %llu samples have\n", text,
	       (unsigned long long)kv_out_get_count(side, "/mode_samples"),
	       (unsigned long long)kv_out_get_count(side, "/samples"));
}

/**
 * kv_counted_print() - print the table of a comparison of two sides
 * @cells: the document's
 * @name: the sides'
 *
 * Return: 0 or -ENOMEM.
 */
int kv_counted_print(struct json_object *cells, const char *const name[2])
{
	const struct kv_column columns[] = {
		{ "op", false }, { "size", true }, { "loop", false },
		{ name[0], true }, { "have it", true }, { "connections", true },
		{ name[1], true }, { "have it", true }, { "connections", true },
		{ "verdict, with 95 % interval", false },
	};
	struct kv_table t;
	int ret;

	printf("Instructions of the typical sample; how many samples have exactly these; the medians of all connections\n\n");
	kv_table_create(&t, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < json_object_array_length(cells); i++)
		add(&t, json_object_array_get_idx(cells, i), name);
	ret = kv_table_print(&t);
	kv_table_destroy(&t);
	return ret;
}
