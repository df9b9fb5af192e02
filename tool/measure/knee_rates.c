// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "measure/knee_rates.h"
#include "measure/listing.h"
#include "measure/points.h"
#include "out/out.h"
#include "out/unit.h"

/* Latency by load: which rates are kept up with, and the tables and the text of that. */

#define DONE_LEAST 0.98
#define P99_MOST 10

#define TEXT 48

/** kv_knee_rates_put() - describe the rates that were asked for */
void kv_knee_rates_put(struct json_object *spec, const struct kv_list *rates)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < rates->n; i++) {
		char text[TEXT];

		snprintf(text, sizeof(text), "%u%s", rates->value[i] & ~KV_PARSE_PERCENT,
			 rates->value[i] & KV_PARSE_PERCENT ? "%" : "");
		json_object_array_add(list, json_object_new_string(text));
	}
	kv_out_put(spec, "rates", list);
}

static double offered(struct json_object *series)
{
	return kv_out_get_real(series, "/offered_per_second");
}

/*
 * The series of a name at another point, if that is the same operation at the same size, and has a
 * rate.
 */
static struct json_object *sibling(struct json_object *point, struct json_object *other,
				   const char *name)
{
	struct json_object *series = NULL;

	json_object_object_get_ex(other, name, &series);
	if (!kv_points_are_alike(point, other, "/size_bytes"))
		return NULL;
	return kv_out_get(series, "/offered_per_second") ? series : NULL;
}

/* The p99 of the lowest rate that has one. */
static double find_base(struct json_object *points, struct json_object *point, const char *name)
{
	double least = INFINITY, base = NAN;

	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *series = sibling(point, kv_out_item(points, i), name);
		double p99 = kv_out_get_real(series, "/p99_ns");

		if (!series || isnan(p99) || offered(series) >= least)
			continue;
		least = offered(series);
		base = p99;
	}
	return base;
}

/* Without a p99, the rate alone decides. */
static bool is_kept(struct json_object *series, double base)
{
	double p99 = kv_out_get_real(series, "/p99_ns");

	return kv_out_get_real(series, "/requests_per_second") >= DONE_LEAST * offered(series) &&
	       !(p99 > P99_MOST * base);
}

/* The lowest rate that is not kept up with; infinite: there is none. */
static double find_limit(struct json_object *points, struct json_object *point, const char *name)
{
	double base = find_base(points, point, name), limit = INFINITY;

	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *series = sibling(point, kv_out_item(points, i), name);

		if (series && !is_kept(series, base))
			limit = fmin(limit, offered(series));
	}
	return limit;
}

/* The highest rate below the limit; NAN: there is none. */
static double find_knee(struct json_object *points, struct json_object *point, const char *name,
			double limit)
{
	double knee = NAN;

	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *series = sibling(point, kv_out_item(points, i), name);

		if (series && offered(series) < limit)
			knee = fmax(knee, offered(series));
	}
	return knee;
}

/**
 * kv_knee_rates_mark() - say of each series with a rate whether it is kept up with, and whether it
 * is the knee
 * @doc: its points are complete
 *
 * If the series keeps up with all rates there is no knee: it is above them.
 */
void kv_knee_rates_mark(struct json_object *doc)
{
	struct json_object *points = kv_out_get(doc, "/points"), *series_list = kv_out_get(doc, "/spec/series");

	for (size_t i = 0; i < json_object_array_length(points); i++) {
		for (size_t k = 0; k < json_object_array_length(series_list); k++) {
			const char *name = kv_out_get_string(kv_out_item(series_list, k), "/name");
			struct json_object *series =
				sibling(kv_out_item(points, i), kv_out_item(points, i), name);
			double limit, knee;

			if (!series)
				continue;
			limit = find_limit(points, kv_out_item(points, i), name);
			kv_out_put_bool(series, "keeps_up", offered(series) < limit);
			knee = find_knee(points, kv_out_item(points, i), name, limit);
			kv_out_put_bool(series, "knee", isfinite(limit) && offered(series) == knee);
		}
	}
}

/* The series whose knee a point is. */
static void format_knee(char *text, struct json_object *value, struct json_object *point)
{
	bool kernel = json_object_get_boolean(kv_out_get(point, "/kernel/knee"));
	bool user = json_object_get_boolean(kv_out_get(point, "/user/knee"));

	snprintf(text, KV_LISTING_TEXT, "%s", kernel && user ? "both" : kernel ? "kernel" : user ? "user" : "");
}

/** kv_knee_rates_print() - print the table of latency by load: one space, or both */
int kv_knee_rates_print(struct json_object *doc, struct kv_fault *f)
{
#define SERIES(name)									\
	{ name, kv_listing_count, .path = "/requests_per_second", .series = name },	\
	{ "p50", kv_listing_time, .path = "/p50_ns", .series = name },			\
	{ "p99", kv_listing_time, .path = "/p99_ns", .series = name },			\
	{ "p99.9", kv_listing_time, .path = "/p99_9_ns", .series = name, .spare = 1 }
#define HEAD										\
	{ "op", kv_listing_word, .path = "/op" }, { "size", kv_listing_size, .path = "/size_bytes" },	\
	{ "due/s", kv_listing_count, .path = "/offered_per_second" }
#define KNEE { "knee", format_knee, .path = "/op" }
	static const struct kv_listing both[] = { HEAD, SERIES("kernel"), SERIES("user"), KNEE };
	static const struct kv_listing kernel[] = { HEAD, SERIES("kernel"), KNEE }, user[] = { HEAD, SERIES("user"), KNEE };
#undef SERIES
#undef HEAD
#undef KNEE
	struct json_object *points = kv_out_get(doc, "/points");
	bool alone = json_object_array_length(kv_out_get(doc, "/spec/series")) == 1;

	printf("Requests per second, and times in %s from when a request was due\n\n", kv_unit_name());
	if (!alone)
		return kv_listing_print(points, both, sizeof(both) / sizeof(both[0]), f);
	return kv_listing_print(points, strcmp(kv_out_get_string(doc, "/spec/series/0/name"), "user") ? kernel : user,
				sizeof(user) / sizeof(user[0]), f);
}

/* One series at all rates of an operation at a size, told at its lowest rate. */
static void tell(FILE *out, struct json_object *points, struct json_object *point, const char *name)
{
	double limit = find_limit(points, point, name),
	       knee = find_knee(points, point, name, limit);
	char size[TEXT];

	kv_size_format(size, sizeof(size), kv_out_get_count(point, "/size_bytes"));
	fprintf(out, "%s %s: %s ", kv_out_get_string(point, "/op"), size, name);
	if (isnan(knee))
		fprintf(out, "keeps up with none of these rates: 98 %% have to be done in the measured time; a longer --duration may help\n");
	else if (isinf(limit))
		fprintf(out, "keeps up with all of these rates: the knee is above %s requests/s\n",
			KV_COUNT((unsigned long long)llround(knee)));
	else
		fprintf(out, "keeps up with %s requests/s, the knee, and not with %s\n",
			KV_COUNT((unsigned long long)llround(knee)),
			KV_COUNT((unsigned long long)llround(limit)));
}

/** kv_knee_rates_tell() - say for each operation, size and space up to which rate it keeps up */
void kv_knee_rates_tell(struct json_object *doc, FILE *out)
{
	struct json_object *points = kv_out_get(doc, "/points"), *series_list = kv_out_get(doc, "/spec/series");

	for (size_t i = 0; i < json_object_array_length(points); i++) {
		for (size_t k = 0; k < json_object_array_length(series_list); k++) {
			const char *name = kv_out_get_string(kv_out_item(series_list, k), "/name");
			bool first = sibling(kv_out_item(points, i), kv_out_item(points, i), name);

			for (size_t before = 0; before < i && first; before++)
				first = !sibling(kv_out_item(points, i),
						 kv_out_item(points, before), name);
			if (first)
				tell(out, points, kv_out_item(points, i), name);
		}
	}
}
