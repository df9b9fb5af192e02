// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "measure/listing.h"
#include "measure/merge.h"
#include "measure/result.h"
#include "measure/report.h"
#include "out/out.h"
#include "out/prose.h"
#include "out/table.h"
#include "out/unit.h"

/*
 * Merges comparisons of several boots into one whose unit is the boot. The rounds of one boot show
 * how connections of that boot differ; they show nothing about another boot.
 */

#define CELL 96

/* Documents that differ in one of these are samples of different populations. */
static const char *const alike[] = {
	"/spec/contrast", "/spec/series", "/spec/mtu_bytes", "/spec/verify",
	"/environment/kernel", "/environment/kernel_version", "/environment/architecture", "/environment/cpu_model",
	"/environment/cpu_count", "/environment/accelerator", "/environment/driver", "/environment/gid/type",
	"/environment/path", "/environment/tool", "/environment/libibverbs", "/environment/module",
};

/* Points of two documents are the same point if these are equal. */
static const char *const keys[] = { "/op", "/size_bytes", "/loop", "/connect" };

/* The value as JSON, so that every difference is visible. */
static const char *show(struct json_object *doc, const char *path)
{
	struct json_object *value = kv_out_get(doc, path);

	return value ? json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN) : "nothing";
}

static bool are_alike(struct json_object *a, struct json_object *b, const char *path)
{
	return json_object_equal(kv_out_get(a, path), kv_out_get(b, path));
}

static int check_document(struct json_object *doc, const char *path, struct kv_fault *f)
{
	if (strcmp(kv_out_get_string(doc, "/schema"), "kverbs.compare") ||
	    kv_out_get_count(doc, "/schema_version") != KV_RESULT_VERSION)
		return kv_fault_set(f, -EINVAL,
				    "%s is no document of kverbs compare, version %u (compare --json=FILE writes them)",
				    path, KV_RESULT_VERSION);
	if (!json_object_get_boolean(kv_out_get(doc, "/complete")))
		return kv_fault_set(f, -EINVAL, "%s is not complete: the comparison was ended before its end", path);
	if (!json_object_is_type(kv_out_get(doc, "/spec/series"), json_type_array) ||
	    !json_object_is_type(kv_out_get(doc, "/points"), json_type_array))
		return kv_fault_set(f, -EINVAL, "%s is damaged: it has no list of series, or none of points", path);
	if (!json_object_is_type(kv_out_get(doc, "/environment/boot_id"), json_type_string))
		return kv_fault_set(f, -EINVAL, "%s does not name its boot: documents of a newer kverbs compare do", path);
	if (json_object_array_length(kv_out_get(doc, "/spec/series")) != 2)
		return kv_fault_set(f, -EINVAL, "%s has %zu series: comparisons of two can be merged", path,
				    json_object_array_length(kv_out_get(doc, "/spec/series")));
	if (!strcmp(kv_out_get_string(doc, "/environment/counts"), "instructions"))
		return kv_fault_set(f, -EINVAL, "%s counts instructions, which are the same in each boot", path);
	return 0;
}

static const char *series_name(struct json_object *doc, unsigned int series)
{
	return kv_out_get_string(json_object_array_get_idx(kv_out_get(doc, "/spec/series"), series), "/name");
}

static struct json_object *series_of(struct json_object *doc, struct json_object *point,
				     unsigned int series)
{
	char path[CELL];

	snprintf(path, sizeof(path), "/%s", series_name(doc, series));
	return kv_out_get(point, path);
}

/* A damaged document, or one that somebody has edited. */
static int check_medians(struct json_object *doc, const char *path, struct kv_fault *f)
{
	struct json_object *points = kv_out_get(doc, "/points");

	for (size_t i = 0; i < 2 * json_object_array_length(points); i++) {
		struct json_object *point = json_object_array_get_idx(points, i / 2);
		double median = kv_out_get_real(series_of(doc, point, i % 2), "/p50_ns");

		if (median < 0)
			return kv_fault_set(f, -EINVAL, "%s is damaged: %s of %s has a median of %g ns", path,
					    series_name(doc, i % 2), kv_out_get_string(point, "/op"), median);
	}
	return 0;
}

static int check_pair(const struct kv_merge *m, unsigned int i, unsigned int k, struct kv_fault *f)
{
	if (are_alike(m->doc[i], m->doc[k], "/environment/boot_id"))
		return kv_fault_set(f, -EINVAL, "%s and %s are of the same boot: each boot counts once",
				    m->path[i], m->path[k]);
	for (unsigned int a = 0; a < sizeof(alike) / sizeof(alike[0]); a++)
		if (!are_alike(m->doc[i], m->doc[k], alike[a]))
			return kv_fault_set(f, -EINVAL, "%s has %s %s: only the boot may differ, and %s has %s",
					    m->path[i], alike[a] + 1, show(m->doc[i], alike[a]),
					    m->path[k], show(m->doc[k], alike[a]));
	return 0;
}

/**
 * kv_merge_read() - read documents, and check that they belong together
 * @m: receives them; kv_merge_free() frees it, after an error too
 * @path: path of each document
 * @n: how many, 1 or more
 */
int kv_merge_read(struct kv_merge *m, char **path, unsigned int n, struct kv_fault *f)
{
	int ret = 0;

	m->path = path;
	m->doc = calloc(n, sizeof(*m->doc));
	if (!m->doc)
		return kv_fault_no_memory(f);
	for (m->n = 0; m->n < n && !ret; m->n++) {
		ret = kv_out_read(path[m->n], &m->doc[m->n], f) ?:
		      check_document(m->doc[m->n], path[m->n], f) ?:
		      check_medians(m->doc[m->n], path[m->n], f);
		for (unsigned int i = 0; i < m->n && !ret; i++)
			ret = check_pair(m, i, m->n, f);
	}
	return ret;
}

/**
 * kv_merge_free() - free the documents
 * @m: kv_merge_read() was called
 */
void kv_merge_free(struct kv_merge *m)
{
	for (unsigned int i = 0; m->doc && i < m->n; i++)
		json_object_put(m->doc[i]);
	free(m->doc);
}

static struct json_object *find_point(struct json_object *doc, struct json_object *like)
{
	struct json_object *points = kv_out_get(doc, "/points");

	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *point = json_object_array_get_idx(points, i);
		unsigned int k = 0;

		while (k < sizeof(keys) / sizeof(keys[0]) && are_alike(point, like, keys[k]))
			k++;
		if (k == sizeof(keys) / sizeof(keys[0]))
			return point;
	}
	return NULL;
}

/* The figures of one point from each boot; the arrays have room for all boots. */
struct row {
	double *median[2]; /* whose difference is judged */
	double *own; /* the first series' own */
	uint64_t resent[2];
	uint64_t samples[2];
	double steal;
	unsigned int n;
};

/*
 * A boot counts with its estimate of the difference, which is not the difference of its medians
 * over all samples: the second series has that median, the first series is judged by the median
 * plus the estimate. That sum may be negative where medians are bimodal, so nobody is shown it.
 */
static void add_boot(struct row *r, struct json_object *doc, struct json_object *point)
{
	double diff = kv_out_get_real(point, "/difference_ns/value");
	double median = kv_out_get_real(series_of(doc, point, 1), "/p50_ns");

	if (isnan(diff) || isnan(median))
		return;
	r->own[r->n] = kv_out_get_real(series_of(doc, point, 0), "/p50_ns");
	r->median[0][r->n] = median + diff;
	r->median[1][r->n++] = median;
	r->steal += kv_out_get_real(point, "/steal");
	for (unsigned int s = 0; s < 2; s++) {
		r->resent[s] += kv_out_get_count(series_of(doc, point, s), "/resent");
		r->samples[s] += kv_out_get_count(series_of(doc, point, s), "/samples");
	}
}

static void judge(struct json_object *obj, struct json_object *doc, const struct row *r)
{
	const char *name[2] = { series_name(doc, 0), series_name(doc, 1) };

	kv_finding_put(obj, &(struct kv_finding){
		.name = { name[0], name[1] },
		.who = { name[0], name[1] },
		.changed = "",
		.repeated = "boots",
		.more = "scripts/boots",
		.n = r->n,
		.median = { r->median[0], r->median[1] },
		.samples = { r->samples[0], r->samples[1] },
		.resent = { r->resent[0], r->resent[1] },
		.steal = r->n ? r->steal / r->n : 0,
		.scale = 1,
	});
}

static struct json_object *merge_point(const struct kv_merge *m, struct json_object *like)
{
	static const char *const copied[] = {
		"/op", "/size_bytes", "/connect", "/loop", "/estimand", "/sample_divisor",
	};
	struct json_object *obj = json_object_new_object();
	struct row r = { .own = calloc(m->n, sizeof(*r.own)) };

	for (unsigned int i = 0; i < sizeof(copied) / sizeof(copied[0]); i++)
		kv_out_put(obj, copied[i] + 1, json_object_get(kv_out_get(like, copied[i])));
	for (unsigned int s = 0; s < 2; s++)
		r.median[s] = calloc(m->n, sizeof(*r.median[s]));
	for (unsigned int i = 0; i < m->n && r.own && r.median[0] && r.median[1]; i++)
		add_boot(&r, m->doc[i], find_point(m->doc[i], like));
	kv_out_put_count(obj, "boots", r.n);
	for (unsigned int s = 0; s < 2 && r.n; s++) {
		struct json_object *series = json_object_new_object();

		kv_out_put(series, "boot_p50_ns", kv_result_medians(s ? r.median[s] : r.own, r.n, 1));
		kv_out_put_count(series, "samples", r.samples[s]);
		kv_out_put_count(series, "resent", r.resent[s]);
		kv_out_put(obj, series_name(*m->doc, s), series);
	}
	judge(obj, *m->doc, &r);
	for (unsigned int s = 0; s < 2; s++)
		free(r.median[s]);
	free(r.own);
	return obj;
}

const struct kv_schema kv_merge_schema = { "kverbs.merge", KV_RESULT_VERSION };

/**
 * kv_merge_describe() - compare over boots
 *
 * Return: a document, owned by the caller. Its points are those of the first document.
 */
struct json_object *kv_merge_describe(const struct kv_merge *m)
{
	struct json_object *spec = json_object_new_object(),
			   *environment = json_object_new_object();
	struct json_object *boots = json_object_new_array(), *merged = json_object_new_array();
	struct json_object *points = kv_out_get(*m->doc, "/points"), *doc;

	for (unsigned int i = 0; i < sizeof(alike) / sizeof(alike[0]); i++) {
		struct json_object *value = json_object_get(kv_out_get(*m->doc, alike[i]));
		const char *key = strrchr(alike[i], '/') + 1;

		kv_out_put(strncmp(alike[i], "/spec", 5) ? environment : spec, strcmp(key, "type") ? key : "gid_type", value);
	}
	for (unsigned int i = 0; i < m->n; i++) {
		struct json_object *boot = json_object_new_object();

		kv_out_put_string(boot, "file", m->path[i]);
		kv_out_put_string(boot, "boot_id", kv_out_get_string(m->doc[i], "/environment/boot_id"));
		kv_out_put_string(boot, "date", kv_out_get_string(m->doc[i], "/environment/date"));
		kv_out_put_count(boot, "seed", kv_out_get_count(m->doc[i], "/spec/seed"));
		json_object_array_add(boots, boot);
	}
	kv_out_put_string(spec, "interval", "Wilcoxon's signed ranks over boots");
	kv_out_put(spec, "boots", boots);
	doc = kv_result_create(&kv_merge_schema, spec, environment);
	for (size_t i = 0; i < json_object_array_length(points); i++)
		json_object_array_add(merged, merge_point(m, json_object_array_get_idx(points, i)));
	kv_out_put(doc, "points", merged);
	kv_out_put_bool(doc, "complete", true);
	return doc;
}

/* The median of the boots' medians, in the column of a series. */
static void median_of_boots(char *text, struct json_object *list, struct json_object *obj)
{
	unsigned int n = (unsigned int)json_object_array_length(list);
	double *value = calloc(n, sizeof(*value));

	for (unsigned int i = 0; value && i < n; i++)
		value[i] = json_object_get_double(json_object_array_get_idx(list, i));
	kv_us_format(text, KV_LISTING_TEXT, value ? kv_stats_median(value, n) : NAN);
	free(value);
}

/**
 * kv_merge_print() - print a comparison over boots
 * @doc: the document that kv_merge_describe() made
 */
int kv_merge_print(struct json_object *doc, struct kv_fault *f)
{
	const char *name[2] = { series_name(doc, 0), series_name(doc, 1) };
	char difference[KV_LISTING_TEXT];
	const struct kv_listing columns[] = {
		{ "op", kv_listing_word, .path = "/op" },
		{ "size", kv_listing_size, .path = "/size_bytes" },
		{ "loop", kv_listing_word, .path = "/loop" },
		{ "boots", kv_listing_number, .path = "/boots" },
		{ name[0], median_of_boots, .path = "/boot_p50_ns", .series = name[0] },
		{ name[1], median_of_boots, .path = "/boot_p50_ns", .series = name[1] },
		KV_LISTING_FINDING(difference),
	};
	size_t boots = json_object_array_length(kv_out_get(doc, "/spec/boots"));
	struct kv_prose prose;
	FILE *out;
	int ret;

	printf("%s, %s, Linux %s, %llu CPU%s, %zu boot%s\n", kv_out_get_string(doc, "/environment/driver"),
	       kv_out_get_string(doc, "/environment/gid_type"), kv_out_get_string(doc, "/environment/kernel"),
	       kv_out_get_count(doc, "/environment/cpu_count"),
	       kv_out_get_count(doc, "/environment/cpu_count") == 1 ? "" : "s",
	       boots, boots == 1 ? "" : "s");
	kv_listing_name_difference(difference, name);
	kv_prose_print(stdout, "Latency in %s: medians of the boots' medians; %s is the difference estimated over the boots, %% its share of the median of all of %s's samples ('compare' has that of the rounds)\n\n",
		       kv_unit_name(), difference, name[1]);
	ret = kv_listing_print(kv_out_get(doc, "/points"), columns, sizeof(columns) / sizeof(columns[0]), f);
	if (ret)
		return ret;
	out = kv_prose_begin(&prose, stdout);
	kv_report_doubts(out, kv_out_get(doc, "/points"));
	fprintf(out, "method: each boot gives its estimate of the difference. Estimate and interval of Hodges and "
		"Lehmann and of Wilcoxon's signed ranks over boots: they are about another boot of this machine\n");
	kv_prose_end(&prose);
	return 0;
}
