// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "measure/listing.h"
#include "measure/report.h"
#include "out/out.h"
#include "out/prose.h"
#include "out/unit.h"

/* The tables of comparisons. */

#define CELL 64
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define OP { "op", kv_listing_word, .path = "/op" }
#define SIZE { "size", kv_listing_size, .path = "/size_bytes" }
#define LOOP { "loop", kv_listing_word, .path = "/loop", .spare = 2 }
#define VERDICT { "verdict", kv_listing_verdict, .path = "/verdict" }

/** kv_tables_latencies() - print the table of a comparison of two series */
int kv_tables_latencies(struct json_object *points, const char *const name[2], struct kv_fault *f)
{
	char difference[KV_LISTING_TEXT];
	const struct kv_listing columns[] = {
		OP, SIZE, LOOP,
		{ name[0], kv_listing_time, .path = "/p50_ns", .series = name[0] },
		{ "p99", kv_listing_time, .path = "/p99_ns", .series = name[0], .spare = 3 },
		{ name[1], kv_listing_time, .path = "/p50_ns", .series = name[1] },
		{ "p99", kv_listing_time, .path = "/p99_ns", .series = name[1], .spare = 3 },
		KV_LISTING_FINDING(difference),
	};

	kv_listing_name_difference(difference, name);
	kv_prose_print(stdout, "Latency in %s: medians; %s is the difference estimated over the rounds, %% its share of %s's\n\n",
		       kv_unit_name(), difference, name[1]);
	return kv_listing_print(points, columns, COUNT(columns), f);
}

/** kv_tables_rates() - print the table of the streams of one series */
int kv_tables_rates(struct json_object *points, const char *name, struct kv_fault *f)
{
	const struct kv_listing columns[] = {
		OP, SIZE,
		{ "Mbytes/s", kv_listing_mega, .path = "/bytes_per_second", .series = name },
		{ "requests/s", kv_listing_count, .path = "/requests_per_second", .series = name },
		{ "per request", kv_listing_time, .path = "/request_ns", .series = name },
		{ "group: p50", kv_listing_time, .path = "/p50_ns", .series = name },
		{ "p99", kv_listing_time, .path = "/p99_ns", .series = name },
	};

	printf("From %s space; times in %s; group: from its first post to its completion\n\n", name,
	       kv_unit_name());
	return kv_listing_print(points, columns, COUNT(columns), f);
}

/** kv_tables_rates_of_two() - print the table of a comparison of streams of two series */
int kv_tables_rates_of_two(struct json_object *points, const char *const name[2],
			   struct kv_fault *f)
{
	char difference[KV_LISTING_TEXT];
	const struct kv_listing columns[] = {
		OP, SIZE,
		{ name[0], kv_listing_mega, .path = "/bytes_per_second", .series = name[0] },
		{ "req/s", kv_listing_count, .path = "/requests_per_second", .series = name[0], .spare = 2 },
		{ "p99", kv_listing_time, .path = "/p99_ns", .series = name[0], .spare = 3 },
		{ name[1], kv_listing_mega, .path = "/bytes_per_second", .series = name[1] },
		{ "req/s", kv_listing_count, .path = "/requests_per_second", .series = name[1], .spare = 2 },
		{ "p99", kv_listing_time, .path = "/p99_ns", .series = name[1], .spare = 3 },
		KV_LISTING_FINDING(difference),
	};

	kv_listing_name_difference(difference, name);
	kv_prose_print(stdout, "Mbytes/s of each space; %s is the difference of the times per request in %s, estimated over the rounds, %% its share of %s's\n\n",
		       difference, kv_unit_name(), name[1]);
	return kv_listing_print(points, columns, COUNT(columns), f);
}

/* In KiB, with its decimal. */
static void kibibytes(char *text, struct json_object *value, struct json_object *obj)
{
	snprintf(text, KV_LISTING_TEXT, "%.1f", json_object_get_double(value) / 1024);
}

static void share_of_one(char *text, struct json_object *value, struct json_object *obj)
{
	snprintf(text, KV_LISTING_TEXT, "%.0f", 100 * json_object_get_double(value));
}

/**
 * kv_tables_scale() - print what QPs cost, and how fast they are, by their number: a table for each
 * series
 * @n: how many series there are, 1 or 2
 */
int kv_tables_scale(struct json_object *points, const char *const *name, unsigned int n,
		    struct kv_fault *f)
{
	int ret = 0;

	kv_prose_print(stdout, "set-up: %s for a QP with all that belongs to it; verbs: its own part and that of its CQs; KiB: its memory; p50, p99: of a request, in %s; even: requests of the QP with the fewest, in %% of those of the QP with the most\n\n",
		       kv_unit_name(), kv_unit_name());
	for (unsigned int i = 0; i < n && !ret; i++) {
		const struct kv_listing columns[] = {
			{ name[i], kv_listing_word, .path = "/op" }, SIZE,
			{ "QPs", kv_listing_number, .path = "/setup/connections", .series = name[i] },
			{ "set-up", kv_listing_time, .path = "/setup/wall_ns/value", .series = name[i] },
			{ "verbs", kv_listing_time, .path = "/setup/verbs_ns/value", .series = name[i], .spare = 1 },
			{ "KiB", kibibytes, .path = "/setup/memory_bytes/value", .series = name[i] },
			{ "requests/s", kv_listing_count, .path = "/requests_per_second", .series = name[i] },
			{ "Mbytes/s", kv_listing_mega, .path = "/bytes_per_second", .series = name[i], .spare = 2 },
			{ "p50", kv_listing_time, .path = "/p50_ns", .series = name[i], .spare = 3 },
			{ "p99", kv_listing_time, .path = "/p99_ns", .series = name[i] },
			{ "even", share_of_one, .path = "/qp_fairness", .series = name[i] },
		};

		ret = kv_listing_print(points, columns, COUNT(columns), f);
	}
	return ret;
}

/**
 * kv_tables_stats() - print mean, standard deviation, CPU time and rate of series
 * @n: how many there are, 1 or 2
 */
int kv_tables_stats(struct json_object *points, const char *const *name, unsigned int n,
		    struct kv_fault *f)
{
#define FIGURES(title, name)								\
	{ title, kv_listing_time, .path = "/mean_ns", .series = name },			\
	{ "stddev", kv_listing_time, .path = "/stddev_ns", .series = name },		\
	{ "CPU", kv_listing_time, .path = "/cpu_ns", .series = name },			\
	{ "samples/s", kv_listing_count, .path = "/samples_per_second", .series = name, .spare = 1 }
	char title[2][CELL] = { "" };
	const struct kv_listing columns[] = {
		OP, SIZE, FIGURES(title[0], name[0]), FIGURES(title[1], name[n - 1]),
	};
#undef FIGURES

	for (unsigned int i = 0; i < n; i++)
		snprintf(title[i], CELL, "%s: mean", name[i]);
	printf("In %s: mean and standard deviation; CPU time of all CPUs per operation\n\n",
	       kv_unit_name());
	return kv_listing_print(points, columns, COUNT(columns) - 4 * (2 - n), f);
}

/**
 * kv_tables_quadrants() - print the tables of a comparison of quadrants
 *
 * The tables show the figures of each quadrant, and the effect of changing one end: a single table
 * would be twice as wide as a terminal. The differences are those of kv_contrast_quadrants.
 */
int kv_tables_quadrants(struct json_object *points, struct kv_fault *f)
{
	static const struct kv_listing medians[] = {
		OP, SIZE, LOOP,
		{ "p50: K-K", kv_listing_time, .path = "/quadrants/K-K/p50_ns" },
		{ "K-U", kv_listing_time, .path = "/quadrants/K-U/p50_ns" },
		{ "U-K", kv_listing_time, .path = "/quadrants/U-K/p50_ns" },
		{ "U-U", kv_listing_time, .path = "/quadrants/U-U/p50_ns" },
		{ "p99: K-K", kv_listing_time, .path = "/quadrants/K-K/p99_ns", .spare = 3 },
		{ "K-U", kv_listing_time, .path = "/quadrants/K-U/p99_ns", .spare = 3 },
		{ "U-K", kv_listing_time, .path = "/quadrants/U-K/p99_ns", .spare = 3 },
		{ "U-U", kv_listing_time, .path = "/quadrants/U-U/p99_ns", .spare = 3 },
	};
#define DIFFERENCE(head, at)							\
	{ head, kv_listing_difference, .path = at }, { "95 % interval", kv_listing_interval, .path = at },	\
	{ "faster", kv_listing_faster, .path = at }
	static const struct kv_listing client[] = {
		OP, SIZE,
		DIFFERENCE("K-K - U-K", "/differences_ns/0"),
		DIFFERENCE("K-U - U-U", "/differences_ns/1"),
	};
	static const struct kv_listing server[] = {
		OP, SIZE,
		DIFFERENCE("K-K - K-U", "/differences_ns/2"),
		DIFFERENCE("U-K - U-U", "/differences_ns/3"),
	};
#undef DIFFERENCE
	static const char title[] =
		"%s in the kernel minus in user space: estimated over the rounds, in %s\n\n";
	int ret;

	printf("Latency in %s from client to server; K: kernel space, U: user space\n\n", kv_unit_name());
	ret = kv_listing_print(points, medians, COUNT(medians), f);
	if (ret)
		return ret;
	printf(title, "client", kv_unit_name());
	ret = kv_listing_print(points, client, COUNT(client), f);
	if (ret)
		return ret;
	printf(title, "server", kv_unit_name());
	return kv_listing_print(points, server, COUNT(server), f);
}

/* Has a series of a point a figure that is null? */
static bool lacks(struct json_object *obj, const char *figure)
{
	bool found = false;

	if (!json_object_is_type(obj, json_type_object))
		return false;
	json_object_object_foreach(obj, key, value)
		found |= strcmp(key, figure) ? lacks(value, figure) : !value;
	return found;
}

/** kv_tables_gaps() - print why figures of points are - in their table; @cpu: it has CPU times */
void kv_tables_gaps(FILE *out, struct json_object *points, bool cpu)
{
	bool short_of_samples = false, idle = false;

	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *point = json_object_array_get_idx(points, i);

		short_of_samples |= lacks(point, "p99_ns");
		idle |= cpu && lacks(point, "cpu_ns");
	}
	if (short_of_samples)
		fprintf(out, "p99 is - where it needs more samples than there are: take a longer --duration\n");
	if (idle)
		fprintf(out, "CPU is - where the CPUs were busy for too short a time: take a longer --duration\n");
}

/* The reason why a difference is not decided; NULL: it is. */
static const char *find_doubt(struct json_object *differences, size_t i)
{
	struct json_object *diff = kv_out_item(differences, i);

	return kv_out_get(diff, "/faster") ? NULL : kv_out_get_string(diff, "/verdict");
}

static bool has_doubt(struct json_object *differences, size_t i, const char *why)
{
	const char *doubt = find_doubt(differences, i);

	return doubt && !strcmp(doubt, why);
}

/** kv_tables_undecided() - print why differences of a point have "?": two lines for each reason */
void kv_tables_undecided(FILE *out, struct json_object *point, const char *size)
{
	struct json_object *differences = kv_out_get(point, "/differences_ns");
	size_t n = differences ? json_object_array_length(differences) : 0;

	for (size_t i = 0; i < n; i++) {
		const char *why = find_doubt(differences, i);
		size_t first = 0;

		while (why && !has_doubt(differences, first, why))
			first++;
		if (!why || first < i)
			continue;
		fprintf(out, "%s %s: ? of", kv_out_get_string(point, "/op"), size);
		for (size_t k = i; k < n; k++) {
			struct json_object *diff = kv_out_item(differences, k);

			if (has_doubt(differences, k, why))
				fprintf(out, "%s %s - %s", k == i ? "" : ",", kv_out_get_string(diff, "/of"),
					kv_out_get_string(diff, "/minus"));
		}
		/* A line of its own: names and reason together are wider than a table. */
		fprintf(out, ":\n  %s\n", why);
	}
}

/* Makes a list of a point's series, each with its difference to the first one of its space. */
static struct json_object *list_contexts(struct json_object *point)
{
	struct json_object *differences = kv_out_get(point, "/differences_ns");
	struct json_object *list = json_object_new_array();

	json_object_object_foreach(kv_out_get(point, "/contexts"), name, series) {
		struct json_object *row = json_object_new_object();

		kv_out_put_string(row, "name", name);
		kv_out_put(row, "series", json_object_get(series));
		for (size_t i = 0; i < json_object_array_length(differences); i++) {
			struct json_object *difference = json_object_array_get_idx(differences, i);

			if (!strcmp(kv_out_get_string(difference, "/of"), name) &&
			    !strcmp(kv_out_get_string(difference, "/changed"), "completion"))
				kv_out_put(row, "difference", json_object_get(difference));
		}
		json_object_array_add(list, row);
	}
	return list;
}

/* The differences of a point that change the space, with the context that both series have. */
static struct json_object *list_spaces(struct json_object *point)
{
	struct json_object *differences = kv_out_get(point, "/differences_ns");
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(differences); i++) {
		struct json_object *difference = json_object_array_get_idx(differences, i);
		struct json_object *row;

		if (strcmp(kv_out_get_string(difference, "/changed"), "space"))
			continue;
		row = json_object_new_object();
		kv_out_put_string(row, "name", kv_out_get_string(difference, "/of"));
		kv_out_put_string(row, "minus", kv_out_get_string(difference, "/minus"));
		kv_out_put(row, "difference", json_object_get(difference));
		json_object_array_add(list, row);
	}
	return list;
}

/** kv_tables_contexts() - print how completions were noticed: two tables for each point */
int kv_tables_contexts(struct json_object *points, struct kv_fault *f)
{
#define DIFFERENCE(head)							\
	{ head, kv_listing_difference, .path = "/difference" },			\
	{ "%", kv_listing_percent, .path = "/difference/percent", .spare = 1 },	\
	{ "95 % interval", kv_listing_interval, .path = "/difference" },	\
	{ "faster", kv_listing_faster, .path = "/difference", .spare = 2 }
	static const struct kv_listing contexts[] = {
		{ "completion", kv_listing_word, .path = "/name" },
		{ "p50", kv_listing_time, .path = "/series/p50_ns" },
		{ "p99", kv_listing_time, .path = "/series/p99_ns" },
		{ "CPU", kv_listing_time, .path = "/series/cpu_ns" },
		DIFFERENCE("- first"),
	};
	static const struct kv_listing spaces[] = {
		{ "kernel", kv_listing_word, .path = "/name" },
		{ "user", kv_listing_word, .path = "/minus" },
		DIFFERENCE("K - U"),
	};
#undef DIFFERENCE
	int ret = 0;

	kv_prose_print(stdout, "Latency and CPU time in %s, by how completions are noticed; - first: minus the first one of its space, estimated over the rounds\n\n",
		       kv_unit_name());
	for (size_t i = 0; i < json_object_array_length(points) && !ret; i++) {
		struct json_object *point = json_object_array_get_idx(points, i), *list;
		char size[CELL];

		if (!kv_out_get(point, "/contexts"))
			continue;
		kv_size_format(size, sizeof(size), kv_out_get_count(point, "/size_bytes"));
		printf("%s of %s\n\n", kv_out_get_string(point, "/op"), size);
		list = list_contexts(point);
		ret = kv_listing_print(list, contexts, COUNT(contexts), f);
		json_object_put(list);
		list = list_spaces(point);
		if (!ret && json_object_array_length(list))
			ret = kv_listing_print(list, spaces, COUNT(spaces), f);
		json_object_put(list);
	}
	return ret;
}

/*
 * In a guest that counts instructions (out/unit.c), a tick of the counter is an instruction. Most
 * samples have the same value; the scheduler's tick causes the other values.
 */

/* For example 12790; 815763-816072 for several values; 12696.5 for half of 25393. */
static void format_range(char *text, double min, double max)
{
	char low[CELL / 2], high[CELL / 2];

	snprintf(low, sizeof(low), "%.*f", fabs(min - rint(min)) > 0.05, min);
	snprintf(high, sizeof(high), "%.*f", fabs(max - rint(max)) > 0.05, max);
	snprintf(text, KV_LISTING_TEXT, "%s%s%s", low, max > min ? "-" : "", max > min ? high : "");
}

static void format_typical(char *text, struct json_object *series, double divisor)
{
	format_range(text, (double)kv_out_get_count(series, "/mode_min_ticks") / divisor,
		     (double)kv_out_get_count(series, "/mode_max_ticks") / divisor);
}

static void typical(char *text, struct json_object *series, struct json_object *obj)
{
	format_typical(text, series, (double)kv_out_get_count(obj, "/sample_divisor"));
}

static void share(char *text, struct json_object *series, struct json_object *obj)
{
	double all = (double)kv_out_get_count(series, "/samples");

	snprintf(text, KV_LISTING_TEXT, "%.4g %%",
		 100 * (double)kv_out_get_count(series, "/mode_samples") / all);
}

/* The smallest and the largest median of a round; each round has its own connection. */
static void connections(char *text, struct json_object *rounds, struct json_object *obj)
{
	double min = INFINITY, max = -INFINITY;

	for (size_t i = 0; i < json_object_array_length(rounds); i++) {
		double v = json_object_get_double(json_object_array_get_idx(rounds, i));

		min = fmin(min, v);
		max = fmax(max, v);
	}
	format_range(text, min, max);
}

/**
 * kv_tables_instructions() - print the table of a comparison of two series that count instructions
 */
int kv_tables_instructions(struct json_object *points, const char *const name[2],
			   struct kv_fault *f)
{
	const struct kv_listing columns[] = {
		OP, SIZE, LOOP,
		{ name[0], typical, .path = "", .series = name[0] },
		{ "have it", share, .path = "", .series = name[0], .spare = 3 },
		{ "connections", connections, .path = "/round_p50_ns", .series = name[0], .spare = 4 },
		{ name[1], typical, .path = "", .series = name[1] },
		{ "have it", share, .path = "", .series = name[1], .spare = 3 },
		{ "connections", connections, .path = "/round_p50_ns", .series = name[1], .spare = 4 },
		VERDICT,
	};

	printf("Instructions of the typical sample; the number of samples with exactly these;\n"
	       "the medians of all connections\n\n");
	return kv_listing_print(points, columns, COUNT(columns), f);
}

/**
 * kv_tables_print_typical() - print the most frequent sample of a measurement
 * @series: the object that kv_result_series() made
 */
void kv_tables_print_typical(struct json_object *series, FILE *out)
{
	char text[KV_LISTING_TEXT];

	format_typical(text, series, 1);
	kv_unit_group(text, sizeof(text));
	fprintf(out, "typical: %s, which %s of %s samples have\n", text,
		KV_COUNT(kv_out_get_count(series, "/mode_samples")),
		KV_COUNT(kv_out_get_count(series, "/samples")));
}
