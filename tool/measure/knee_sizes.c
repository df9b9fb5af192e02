// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include "measure/knee_sizes.h"
#include "measure/points.h"
#include "measure/stats.h"
#include "out/out.h"
#include "out/table.h"

/* From which size on a stream is about as fast as it gets; made from the points of a document. */

#define TEXT 32

/* The sizes of one operation, in one series. */
struct sweep {
	unsigned int n;
	struct rate {
		uint64_t size;
		double value; /* bytes per second; NAN: not measured */
	} *rate;
};

static int compare_sizes(const void *a, const void *b)
{
	const struct rate *x = a, *y = b;

	return (x->size > y->size) - (x->size < y->size);
}

static int collect(struct sweep *s, struct json_object *points, size_t first, const char *name)
{
	size_t n = json_object_array_length(points);
	struct json_object *point = kv_out_item(points, first);

	s->n = 0;
	s->rate = calloc(n, sizeof(*s->rate));
	for (size_t i = first; s->rate && i < n; i++) {
		struct json_object *other = kv_out_item(points, i), *series = NULL;

		if (!kv_points_are_alike(point, other, "/qps"))
			continue;
		json_object_object_get_ex(other, name, &series);
		s->rate[s->n].size = kv_out_get_count(other, "/size_bytes");
		s->rate[s->n++].value = kv_out_get_real(series, "/bytes_per_second");
	}
	if (s->rate)
		qsort(s->rate, s->n, sizeof(*s->rate), compare_sizes);
	return s->rate ? 0 : -1;
}

static void put_size(struct json_object *obj, const char *key, const struct sweep *s, int at)
{
	kv_out_put(obj, key, at < 0 ? NULL : json_object_new_uint64(s->rate[at].size));
}

static struct json_object *find(const struct sweep *s)
{
	double *value = calloc(s->n, sizeof(*value));
	struct json_object *knee = value ? json_object_new_object() : NULL;
	unsigned int best = 0;

	for (unsigned int i = 0; value && i < s->n; i++) {
		value[i] = s->rate[i].value;
		best = value[i] > value[best] || isnan(value[best]) ? i : best;
	}
	if (knee) {
		kv_out_put_ns(knee, "best_bytes_per_second", value[best]);
		put_size(knee, "best_size_bytes", s, (int)best);
		put_size(knee, "half_size_bytes", s, kv_stats_knee(value, s->n, KV_STATS_HALF));
		put_size(knee, "nearly_size_bytes", s, kv_stats_knee(value, s->n, KV_STATS_NEARLY));
	}
	free(value);
	return knee;
}

/**
 * kv_knee_sizes_describe() - find the knee of each sweep of sizes
 * @points: the points of a document
 * @series_list: its series
 *
 * Return: an array, owned by the caller: an object for each operation, number of QPs and series
 * that has at least KV_STATS_KNEE_SIZES sizes; NULL if there are none.
 */
struct json_object *kv_knee_sizes_describe(struct json_object *points,
					   struct json_object *series_list)
{
	struct json_object *knees = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *point = kv_out_item(points, i);

		for (size_t s = 0; kv_points_is_first(points, i, "/qps") && s < json_object_array_length(series_list); s++) {
			const char *name = kv_out_get_string(kv_out_item(series_list, s), "/name");
			struct sweep sweep;
			struct json_object *knee;

			if (collect(&sweep, points, i, name))
				break;
			knee = sweep.n < KV_STATS_KNEE_SIZES || !kv_out_get(point, "/depth") ? NULL : find(&sweep);
			free(sweep.rate);
			if (!knee)
				continue;
			kv_out_put_string(knee, "op", kv_out_get_string(point, "/op"));
			kv_out_put_count(knee, "qps", kv_out_get_count(point, "/qps"));
			kv_out_put_string(knee, "series", name);
			json_object_array_add(knees, knee);
		}
	}
	if (json_object_array_length(knees))
		return knees;
	json_object_put(knees);
	return NULL;
}

/* @size: the smallest size with that share, or absent */
static void print_share(FILE *out, const char *share, struct json_object *size)
{
	char text[TEXT];

	kv_size_format(text, sizeof(text), json_object_get_uint64(size));
	if (size)
		fprintf(out, ", %s of it from %s on", share, text);
	else
		fprintf(out, ", %s of it at a smaller size than all of these, or at one without a figure", share);
}

/** kv_knee_sizes_print() - print where each sweep of sizes has its knee */
void kv_knee_sizes_print(struct json_object *knees, FILE *out)
{
	for (size_t i = 0; knees && i < json_object_array_length(knees); i++) {
		struct json_object *knee = kv_out_item(knees, i);
		double rate = kv_out_get_real(knee, "/best_bytes_per_second") / 1e6;
		char size[TEXT];

		if (isnan(rate))
			continue;
		kv_size_format(size, sizeof(size), kv_out_get_count(knee, "/best_size_bytes"));
		fprintf(out, "%s, %s: best %.4g Mbytes/s, at %s", kv_out_get_string(knee, "/op"),
			kv_out_get_string(knee, "/series"), rate, size);
		print_share(out, "half", kv_out_get(knee, "/half_size_bytes"));
		print_share(out, "90 %", kv_out_get(knee, "/nearly_size_bytes"));
		fputc('\n', out);
	}
}
