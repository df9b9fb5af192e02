// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "measure/figure.h"
#include "measure/report.h"
#include "measure/stats.h"
#include "out/out.h"
#include "out/plot.h"
#include "out/table.h"
#include "out/unit.h"

/* The figures of --plot, made from the document alone. */

#define TEXT 160

static struct json_object *item(struct json_object *list, size_t i)
{
	return json_object_array_get_idx(list, i);
}

static void put_title(FILE *script, struct json_object *doc, const char *what)
{
	char text[TEXT];

	snprintf(text, sizeof(text), "%s, Linux %s: %s", kv_out_get_string(doc, "/environment/device"),
		 kv_out_get_string(doc, "/environment/kernel"), what);
	fprintf(script, "set title ");
	kv_plot_quote(script, text);
	fputc('\n', script);
}

/* Of each bin: smallest and largest sample, the shares of the samples before it, and up to its end. */
static void put_samples(FILE *script, struct json_object *doc)
{
	struct json_object *bins = kv_out_get(doc, "/cell/result/histogram");
	double tick = kv_out_get_real(doc, "/environment/ns_per_tick") / kv_out_get_real(doc, "/cell/sample_divisor");
	double all = kv_out_get_real(doc, "/cell/result/samples");
	uint64_t before = 0;

	fprintf(script, "$samples << EOD\n");
	for (size_t i = 0; i < json_object_array_length(bins); i++) {
		struct json_object *bin = item(bins, i);
		uint64_t n = json_object_get_uint64(item(bin, 2));

		fprintf(script, "%.17g %.17g %.17g %.17g\n", kv_unit_of(json_object_get_double(item(bin, 0)) * tick),
			kv_unit_of(json_object_get_double(item(bin, 1)) * tick), (double)before / all,
			(double)(before + n) / all);
		before += n;
	}
	fprintf(script, "EOD\n");
}

static void put_percentiles(FILE *script, struct json_object *doc)
{
	static const struct {
		const char *path;
		double beyond;
	} rows[] = {
		{ "/cell/result/p50_ns", 0.5 }, { "/cell/result/p90_ns", 0.1 },
		{ "/cell/result/p99_ns", 0.01 }, { "/cell/result/p99_9_ns", 0.001 },
	};

	fprintf(script, "$percentiles << EOD\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double ns = kv_out_get_real(doc, rows[i].path);

		if (!isnan(ns))
			fprintf(script, "%.17g %g\n", kv_unit_of(ns), rows[i].beyond);
	}
	fprintf(script, "EOD\n");
}

/**
 * kv_figure_lat() - the distribution of a measurement, and its tail
 * @doc: its document
 * @script: receives the script
 */
void kv_figure_lat(struct json_object *doc, FILE *script)
{
	struct json_object *cell = kv_out_get(doc, "/cell");
	char series[TEXT], size[TEXT / 4];

	kv_size_format(size, sizeof(size), kv_out_get_count(cell, "/size_bytes"));
	if (kv_out_get(cell, "/op"))
		snprintf(series, sizeof(series), "%s of %s from %s space", kv_out_get_string(cell, "/op"), size,
			 kv_out_get_string(cell, "/space"));
	else
		snprintf(series, sizeof(series), "null loop in %s space", kv_out_get_string(cell, "/space"));
	put_samples(script, doc);
	put_percentiles(script, doc);
	fprintf(script, "set multiplot layout 1,2\nset logscale x 2\nset autoscale xfix\nset xlabel '%s'\n", kv_unit_name());
	put_title(script, doc, "distribution");
	fprintf(script, "set ylabel 'share of samples that took at most so long'\nset yrange [0:1]\n"
		"plot $samples using 2:4 with steps title ");
	kv_plot_quote(script, series);
	fprintf(script, "\nset title 'tail'\nset ylabel 'share of samples that took at least so long'\n"
		"set yrange [*:1]\nset logscale y\nset format y '%%g'\n"
		"plot $samples using 1:(1 - $3) with fsteps title ");
	kv_plot_quote(script, series);
	fprintf(script, ", $percentiles using 1:2 with points pointtype 7 title 'p50, p90, p99, p99.9'\n"
		"unset multiplot\n");
}

/* A size, a figure in ns, and the ends of its interval of 95 %, that of the median of connections. */
static void put_point(FILE *script, struct json_object *point, struct json_object *series)
{
	struct json_object *p50 = kv_out_get(series, "/round_p50_ns");
	struct json_object *rounds = p50 ? p50 : kv_out_get(series, "/round_request_ns");
	double value = kv_out_get_real(series, p50 ? "/p50_ns" : "/request_ns"), low = value, high = value;
	unsigned int n = rounds ? (unsigned int)json_object_array_length(rounds) : 0;
	double *v = calloc(2 * (size_t)n + 1, sizeof(*v));

	if (isnan(value))
		goto out_free;
	for (unsigned int i = 0; v && i < n; i++)
		v[i] = json_object_get_double(item(rounds, i));
	if (v && n) {
		/* How far a series is from nothing. */
		struct kv_interval interval = kv_stats_shift(v, v + n, n);

		low = interval.valid ? fmin(interval.low, value) : value;
		high = interval.valid ? fmax(interval.high, value) : value;
	}
	fprintf(script, "%llu %.17g %.17g %.17g\n", kv_out_get_count(point, "/size_bytes"), value, low, high);
out_free:
	free(v);
}

/* The points of an operation in one series, as the data block $dN. */
static void put_series(FILE *script, struct json_object *points, const char *op, const char *name,
		       unsigned int number)
{
	fprintf(script, "$d%u << EOD\n", number);
	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *point = item(points, i);

		if (!strcmp(kv_out_get_string(point, "/op"), op))
			put_point(script, point, kv_report_series(point, name));
	}
	fprintf(script, "EOD\n");
}

static void put_sizes(FILE *script, struct json_object *points)
{
	unsigned long long least = ~0ULL, most = 0;

	fprintf(script, "set logscale x 2\nset xlabel 'size'\nset xtics ()\n");
	for (size_t i = 0; i < json_object_array_length(points); i++) {
		unsigned long long bytes = kv_out_get_count(item(points, i), "/size_bytes");
		char size[TEXT / 4];

		kv_size_format(size, sizeof(size), bytes);
		fprintf(script, "set xtics add ('%s' %llu)\n", size, bytes);
		least = bytes < least ? bytes : least;
		most = bytes > most ? bytes : most;
	}
	fprintf(script, "set xrange [%llu/1.5:%llu*1.5]\n", least, most);
}

/**
 * kv_figure_sweep() - each operation in each series by size: medians, or the bandwidth of streams
 * @doc: the document
 * @script: receives the script
 */
void kv_figure_sweep(struct json_object *doc, FILE *script)
{
	struct json_object *points = kv_out_get(doc, "/cells"), *ops = kv_out_get(doc, "/spec/ops");
	struct json_object *series = kv_out_get(doc, "/spec/sides");
	bool streams = kv_out_get(doc, "/spec/depth");
	size_t n = json_object_array_length(series), all = n * json_object_array_length(ops);

	for (size_t i = 0; i < all; i++)
		put_series(script, points, json_object_get_string(item(ops, i / n)),
			   kv_out_get_string(item(series, i % n), "/name"), (unsigned int)i);
	put_sizes(script, points);
	put_title(script, doc, streams ? "bandwidth; intervals of 95 % over connections" :
					 "medians; intervals of 95 % over connections");
	if (streams)
		fprintf(script, "set ylabel 'Mbytes/s'\nset yrange [0:*]\n");
	else
		fprintf(script, "set ylabel '%s'\nset logscale y 2\n", kv_unit_name());
	for (size_t i = 0; i < all; i++) {
		char title[TEXT];

		snprintf(title, sizeof(title), "%s, %s", json_object_get_string(item(ops, i / n)),
			 kv_out_get_string(item(series, i % n), "/name"));
		fprintf(script, "%s$d%zu using ", i ? ", " : "plot ", i);
		if (streams)
			fprintf(script, "1:(1e3*$1/$2):(1e3*$1/$4):(1e3*$1/$3)");
		else
			fprintf(script, "1:($2*%1$g):($3*%1$g):($4*%1$g)", kv_unit_of(1));
		fprintf(script, " with yerrorlines linecolor %zu pointtype %zu title ", i / n + 1, i % n * 2 + 5);
		kv_plot_quote(script, title);
	}
	fputc('\n', script);
}
