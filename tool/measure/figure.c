// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "measure/contrast.h"
#include "measure/figure.h"
#include "measure/points.h"
#include "measure/report.h"
#include "measure/stats.h"
#include "out/out.h"
#include "out/plot.h"
#include "out/table.h"
#include "out/unit.h"

/* The figures of --plot, made from the document alone. */

#define TEXT 160

static void put_title(FILE *script, struct json_object *doc, const char *what)
{
	char text[TEXT];

	snprintf(text, sizeof(text), "%s, Linux %s: %s",
		 kv_out_get_string(doc, kv_out_get(doc, "/spec/boots") ? "/environment/driver" : "/environment/device"),
		 kv_out_get_string(doc, "/environment/kernel"), what);
	fprintf(script, "set title ");
	kv_plot_quote(script, text);
	fputc('\n', script);
}

/*
 * Of each bin: smallest and largest sample, the shares of the samples before it, and up to its end.
 */
static void put_samples(FILE *script, struct json_object *doc)
{
	struct json_object *bins = kv_out_get(doc, "/point/result/histogram");
	double tick = kv_out_get_real(doc, "/environment/ns_per_tick") / kv_out_get_real(doc, "/point/sample_divisor");
	double all = kv_out_get_real(doc, "/point/result/samples");
	uint64_t before = 0;

	fprintf(script, "$samples << EOD\n");
	for (size_t i = 0; i < json_object_array_length(bins); i++) {
		struct json_object *bin = kv_out_item(bins, i);
		uint64_t n = json_object_get_uint64(kv_out_item(bin, 2));

		fprintf(script, "%.17g %.17g %.17g %.17g\n",
			kv_unit_of(json_object_get_double(kv_out_item(bin, 0)) * tick),
			kv_unit_of(json_object_get_double(kv_out_item(bin, 1)) * tick),
			(double)before / all, (double)(before + n) / all);
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
		{ "/point/result/p50_ns", 0.5 }, { "/point/result/p90_ns", 0.1 },
		{ "/point/result/p99_ns", 0.01 }, { "/point/result/p99_9_ns", 0.001 },
	};

	fprintf(script, "$percentiles << EOD\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double ns = kv_out_get_real(doc, rows[i].path);

		if (!isnan(ns))
			fprintf(script, "%.17g %g\n", kv_unit_of(ns), rows[i].beyond);
	}
	fprintf(script, "EOD\n");
}

/** kv_figure_lat() - the distribution of a measurement, and its tail */
void kv_figure_lat(struct json_object *doc, FILE *script)
{
	struct json_object *point = kv_out_get(doc, "/point");
	char series[TEXT], size[TEXT / 4];

	kv_size_format(size, sizeof(size), kv_out_get_count(point, "/size_bytes"));
	if (kv_out_get(point, "/op"))
		snprintf(series, sizeof(series), "%s of %s from %s space", kv_out_get_string(point, "/op"), size,
			 kv_out_get_string(point, "/space"));
	else
		snprintf(series, sizeof(series), "null loop in %s space", kv_out_get_string(point, "/space"));
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

/*
 * A size, a figure in ns, and the ends of its interval of 95 %, that of the median of connections.
 */
static void put_point(FILE *script, struct json_object *point, struct json_object *series)
{
	static const char *const paths[][2] = {
		{ "/round_p50_ns", "/p50_ns" },
		{ "/round_request_ns", "/request_ns" },
		{ "/boot_p50_ns", NULL }, /* the median of these */
	};
	struct json_object *rounds;
	double value = NAN, low, high, *v;
	unsigned int row = 0, n;

	while (row < 2 && !kv_out_get(series, paths[row][0]))
		row++;
	rounds = kv_out_get(series, paths[row][0]);
	n = rounds ? (unsigned int)json_object_array_length(rounds) : 0;
	v = calloc((size_t)n + 1, sizeof(*v));
	for (unsigned int i = 0; v && i < n; i++)
		v[i] = json_object_get_double(kv_out_item(rounds, i));
	if (paths[row][1])
		value = kv_out_get_real(series, paths[row][1]);
	else if (v && n)
		value = kv_stats_median(v, n);
	if (isnan(value))
		goto out_free;
	low = high = value;
	if (v && n) {
		struct kv_interval interval = kv_stats_center(v, n);

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
		struct json_object *point = kv_out_item(points, i);

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
		unsigned long long bytes = kv_out_get_count(kv_out_item(points, i), "/size_bytes");
		char size[TEXT / 4];

		kv_size_format(size, sizeof(size), bytes);
		fprintf(script, "set xtics add ('%s' %llu)\n", size, bytes);
		least = bytes < least ? bytes : least;
		most = bytes > most ? bytes : most;
	}
	fprintf(script, "set xrange [%llu/1.5:%llu*1.5]\n", least, most);
}

/* A line at each size from which on a series has half of its best rate, and at that of 90 %. */
static void put_knees(FILE *script, struct json_object *knees)
{
	static const char *const paths[] = { "/half_size_bytes", "/nearly_size_bytes" };

	for (size_t i = 0; knees && i < 2 * json_object_array_length(knees); i++) {
		struct json_object *knee = kv_out_item(knees, i / 2);
		unsigned long long size = kv_out_get_count(knee, paths[i % 2]);
		char text[TEXT];

		if (!size)
			continue;
		snprintf(text, sizeof(text), "%s: %s, %s ", i % 2 ? "90 %" : "half", kv_out_get_string(knee, "/op"),
			 kv_out_get_string(knee, "/series"));
		fprintf(script, "set arrow from %1$llu, graph 0 to %1$llu, graph 1 nohead dashtype %2$d\nset label ", size,
			i % 2 ? 3 : 2);
		kv_plot_quote(script, text);
		fprintf(script, " at %llu, graph %.2f right\n", size, 0.97 - 0.04 * (double)(i % 20));
	}
}

/*
 * The rates of one operation at one size in one series: due, p50, p99, and at the knee its highest
 * figure. Returns bits 1 << column, from 0 on, for the last three: gnuplot complains about a column
 * without a number.
 */
static unsigned int put_rates(FILE *script, struct json_object *points, struct json_object *like,
			      const char *name, unsigned int number)
{
	unsigned int has = 0;

	fprintf(script, "$d%u << EOD\n", number);
	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *point = kv_out_item(points, i),
				   *series = kv_report_series(point, name);
		double v[3] = { kv_out_get_real(series, "/p50_ns"), kv_out_get_real(series, "/p99_ns"), NAN };

		if (!kv_points_are_alike(point, like, "/size_bytes") || !kv_out_get(series, "/offered_per_second"))
			continue;
		if (json_object_get_boolean(kv_out_get(series, "/knee")))
			v[2] = fmax(v[0], v[1]);
		fprintf(script, "%.17g", kv_out_get_real(series, "/offered_per_second"));
		for (unsigned int k = 0; k < 3; k++) {
			fprintf(script, " %.17g", kv_unit_of(v[k]));
			has |= (unsigned int)!isnan(v[k]) << k;
		}
		fputc('\n', script);
	}
	fprintf(script, "EOD\n");
	return has;
}

/*
 * The curves of a data block. @has: return value of put_rates(); @glue: the text in front of the
 * next curve
 */
static void put_curves(FILE *plot, struct json_object *point, const char *name, unsigned int number,
		       unsigned int has, const char **glue)
{
	static const struct {
		const char *what;
		const char *style;
	} curves[] = {
		{ "p50", "linespoints pointtype 5" },
		{ "p99", "linespoints dashtype 2 pointtype 4" },
		{ "knee", "points pointtype 7 pointsize 2" },
	};
	char size[TEXT / 4], title[TEXT];

	kv_size_format(size, sizeof(size), kv_out_get_count(point, "/size_bytes"));
	for (unsigned int i = 0; i < sizeof(curves) / sizeof(curves[0]); i++) {
		if (!(has & 1U << i))
			continue;
		snprintf(title, sizeof(title), "%s %s, %s, %s", kv_out_get_string(point, "/op"), size, name, curves[i].what);
		fprintf(plot, "%s$d%u using 1:%u with %s linecolor %u title ", *glue, number, i + 2, curves[i].style, number + 1);
		*glue = ", ";
		kv_plot_quote(plot, title);
	}
}

/* Latency by load, of each operation at each size in each series, with its knee. */
static void put_load(struct json_object *doc, FILE *script)
{
	struct json_object *points = kv_out_get(doc, "/points"), *series_list = kv_out_get(doc, "/spec/series");
	const char *glue = "plot ";
	unsigned int number = 0;
	char *curves = NULL;
	size_t size;
	FILE *plot = open_memstream(&curves, &size);

	for (size_t i = 0; plot && i < json_object_array_length(points); i++) {
		for (size_t k = 0; kv_points_is_first(points, i, "/size_bytes") && k < json_object_array_length(series_list); k++) {
			const char *name = kv_out_get_string(kv_out_item(series_list, k), "/name");

			unsigned int has =
				put_rates(script, points, kv_out_item(points, i), name, number);

			put_curves(plot, kv_out_item(points, i), name, number++, has, &glue);
		}
	}
	put_title(script, doc, "latency by load, from when a request was due");
	fprintf(script, "set xlabel 'requests due in a second'\nset ylabel '%s'\nset logscale y\nset rmargin 6\n"
		"set datafile missing 'nan'\n", kv_unit_name());
	if (plot && !fclose(plot))
		fprintf(script, "%s\n", curves);
	free(curves);
}

/* The operations of a sweep; owned by the caller. */
static struct json_object *list_ops(struct json_object *points)
{
	struct json_object *ops = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *op = kv_out_get(kv_out_item(points, i), "/op");
		size_t k = 0, n = json_object_array_length(ops);

		while (k < n && !json_object_equal(kv_out_item(ops, k), op))
			k++;
		if (k == n)
			json_object_array_add(ops, json_object_get(op));
	}
	return ops;
}

/**
 * kv_figure_sweep() - each operation in each series by size: medians, also of boots, or the
 *	bandwidth of streams; with rates the latency by load
 */
void kv_figure_sweep(struct json_object *doc, FILE *script)
{
	struct json_object *points = kv_out_get(doc, "/points"), *ops = list_ops(points);
	struct json_object *series = kv_out_get(doc, "/spec/series");
	bool streams = kv_out_get(doc, "/spec/depth"), boots = kv_out_get(doc, "/spec/boots");
	size_t n = json_object_array_length(series), all = n * json_object_array_length(ops);

	if (kv_out_get(doc, "/spec/rates")) {
		json_object_put(ops);
		put_load(doc, script);
		return;
	}
	for (size_t i = 0; i < all; i++)
		put_series(script, points, json_object_get_string(kv_out_item(ops, i / n)),
			   kv_out_get_string(kv_out_item(series, i % n), "/name"), (unsigned int)i);
	put_sizes(script, points);
	put_knees(script, kv_out_get(doc, "/knees"));
	put_title(script, doc, streams ? "bandwidth; intervals of 95 % over connections" :
			       boots ? "medians of boots; intervals of 95 % over these" :
				       "medians; intervals of 95 % over connections");
	if (streams)
		fprintf(script, "set ylabel 'Mbytes/s'\nset yrange [0:*]\n");
	else
		fprintf(script, "set ylabel '%s'\nset logscale y 2\n", kv_unit_name());
	for (size_t i = 0; i < all; i++) {
		char title[TEXT];

		snprintf(title, sizeof(title), "%s, %s", json_object_get_string(kv_out_item(ops, i / n)),
			 kv_out_get_string(kv_out_item(series, i % n), "/name"));
		fprintf(script, "%s$d%zu using ", i ? ", " : "plot ", i);
		if (streams)
			fprintf(script, "1:(1e3*$1/$2):(1e3*$1/$4):(1e3*$1/$3)");
		else
			fprintf(script, "1:($2*%1$g):($3*%1$g):($4*%1$g)", kv_unit_of(1));
		fprintf(script, " with yerrorlines linecolor %zu pointtype %zu title ", i / n + 1, i % n * 2 + 5);
		kv_plot_quote(script, title);
	}
	fputc('\n', script);
	json_object_put(ops);
}

/* The panels of a figure by number of QPs. */
static const struct {
	const char *what;
	const char *path;
	double unit; /* 0: nanoseconds */
	const char *label; /* NULL: the unit of times */
} panels[] = {
	{ "set-up of a QP", "/setup/wall_ns/value", 0, NULL },
	{ "memory of a QP", "/setup/memory_bytes/value", 1024, "KiB" },
	{ "requests per second", "/requests_per_second", 1, "requests/s" },
	{ "p99", "/p99_ns", 0, NULL },
};

/*
 * The figures of one panel, of an operation in one series, as the data block $NAME. Returns how
 * many there are.
 */
static unsigned int put_by_qps(FILE *script, struct json_object *points, const char *op,
			       const char *series, size_t panel, const char *block)
{
	unsigned int n = 0;

	fprintf(script, "$%s << EOD\n", block);
	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *of = kv_report_series(kv_out_item(points, i), series);
		double value = kv_out_get_real(of, panels[panel].path);

		if (isnan(value) || strcmp(kv_out_get_string(kv_out_item(points, i), "/op"), op))
			continue;
		value = panels[panel].unit > 0 ? value / panels[panel].unit : kv_unit_of(value);
		fprintf(script, "%llu %.17g\n", kv_out_get_count(of, "/setup/connections"), value);
		n++;
	}
	fprintf(script, "EOD\n");
	return n;
}

static void put_panel(FILE *script, struct json_object *doc, size_t panel)
{
	struct json_object *ops = kv_out_get(doc, "/spec/ops"), *series_list = kv_out_get(doc, "/spec/series");
	size_t n = json_object_array_length(series_list), all = n * json_object_array_length(ops);
	bool has[KV_PARSE_LIST_MAX * KV_SERIES_MAX] = { false }, first = true;
	char text[TEXT];

	for (size_t i = 0; i < all; i++) {
		snprintf(text, sizeof(text), "p%zu_%zu", panel, i);
		has[i] = put_by_qps(script, kv_out_get(doc, "/points"), json_object_get_string(kv_out_item(ops, i / n)),
				    kv_out_get_string(kv_out_item(series_list, i % n), "/name"), panel, text);
	}
	fprintf(script, "set title '%s'\nset ylabel '%s'\n", panels[panel].what,
		panels[panel].label ? panels[panel].label : kv_unit_name());
	for (size_t i = 0; i < all; i++) {
		if (!has[i])
			continue;
		fprintf(script, "%s$p%zu_%zu using 1:2 with linespoints linecolor %zu pointtype %zu title ",
			first ? "plot " : ", ", panel, i, i / n + 1, i % n * 2 + 5);
		snprintf(text, sizeof(text), "%s, %s: %s", json_object_get_string(kv_out_item(ops, i / n)),
			 kv_out_get_string(kv_out_item(series_list, i % n), "/name"), panels[panel].what);
		kv_plot_quote(script, text);
		first = false;
	}
	/* A figure that is not known leaves its place empty. */
	fputs(first ? "set multiplot next\n" : "\n", script);
}

/** kv_figure_scale() - by the number of QPs: what one costs, and how fast all are */
void kv_figure_scale(struct json_object *doc, FILE *script)
{
	struct json_object *points = kv_out_get(doc, "/points");

	fprintf(script, "set multiplot layout 2,2\nset logscale x 2\nset xlabel 'QPs'\nset yrange [0:*]\n"
		"set xrange [%llu/1.5:%llu*1.5]\n", kv_out_get_count(kv_out_item(points, 0), "/qps"),
		kv_out_get_count(kv_out_item(points, json_object_array_length(points) - 1), "/qps") *
		kv_out_get_count(doc, "/spec/threads"));
	for (size_t i = 0; i < sizeof(panels) / sizeof(panels[0]); i++)
		put_panel(script, doc, i);
	fprintf(script, "unset multiplot\n");
}

/** kv_figure_conn_rate() - what each step of a connection costs */
void kv_figure_conn_rate(struct json_object *doc, FILE *script)
{
	static const char *const paths[] = { "/until_seen/p50_ns", "/until_seen/p90_ns", "/verb/p50_ns" };
	struct json_object *steps = kv_out_get(doc, "/result/steps");
	size_t n = json_object_array_length(steps);

	fprintf(script, "$steps << EOD\n");
	for (size_t i = 0; i < n; i++) {
		fprintf(script, "%zu", i);
		for (size_t k = 0; k < sizeof(paths) / sizeof(paths[0]); k++)
			fprintf(script, " %.17g", kv_unit_of(kv_out_get_real(kv_out_item(steps, i), paths[k])));
		fputc('\n', script);
	}
	fprintf(script, "EOD\nset xtics rotate by -30 ()\nset xrange [-0.5:%zu-0.5]\n", n);
	for (size_t i = 0; i < n; i++) {
		fprintf(script, "set xtics add (");
		kv_plot_quote(script, kv_out_get_string(kv_out_item(steps, i), "/step"));
		fprintf(script, " %zu)\n", i);
	}
	put_title(script, doc, "steps of a connection");
	fprintf(script, "set ylabel '%s'\nset logscale y\nset datafile missing 'nan'\n"
		"plot $steps using 1:2 with impulses linewidth 8 title 'until the step was seen, p50', "
		"$steps using 1:3 with points pointtype 7 title 'until the step was seen, p90', "
		"$steps using 1:4 with points pointtype 5 title 'in the verb, p50'\n", kv_unit_name());
}
