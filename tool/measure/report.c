// SPDX-License-Identifier: MIT
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "measure/listing.h"
#include "measure/report.h"
#include "measure/retries.h"
#include "out/out.h"
#include "out/table.h"
#include "out/unit.h"

/* The text of a result, made from the document alone. */

#define CELL 96

static bool is(struct json_object *obj, const char *path, const char *word)
{
	return !strcmp(kv_out_get_string(obj, path), word);
}

static void get_us(char *text, struct json_object *obj, const char *path)
{
	kv_us_format(text, CELL, kv_out_get_real(obj, path));
}

/* Words of a document as prose; a row without a word is for all other words. */
static const struct {
	const char *path;
	const char *word;
	const char *prose;
} prose[] = {
	{ "/post", "bh-disabled", "posted in process context with softirqs held off" },
	{ "/post", NULL, "posted in process context" },
	{ "/lkey", "dma", "local buffer by local_dma_lkey" },
	{ "/lkey", NULL, "local buffer by an MR's key" },
	{ "/loop", "one-thread", "half of a round trip in which one thread drives both ends" },
	{ "/loop", "pingpong", "half of a round trip between two threads" },
	{ "/loop", "null", "two reads of the counter and the record, no verbs" },
	{ "/loop", NULL, "from before the post until its completion was polled" },
};

static const char *describe(struct json_object *obj, const char *path)
{
	unsigned int i = 0;

	while (strcmp(prose[i].path, path) || (prose[i].word && !is(obj, path, prose[i].word)))
		i++;
	return prose[i].prose;
}

static void print_peer(struct json_object *p)
{
	if (p)
		printf("servers: %s of %s, %s, MTU %llu, kverbs %s\n",
		       kv_out_get_string(p, "/device"), kv_out_get_string(p, "/host"),
		       kv_out_get_string(p, "/gid/type"), kv_out_get_count(p, "/port_mtu_bytes"),
		       kv_out_get_string(p, "/tool"));
}

static void print_environment(struct json_object *doc)
{
	struct json_object *c = kv_out_get(doc, "/environment");
	struct json_object *accel = kv_out_get(c, "/accelerator");
	const char *driver = kv_out_get_string(c, "/driver");
	unsigned long long mtu = kv_out_get_count(doc, "/spec/mtu_bytes");

	printf("%s", kv_out_get_string(c, "/device"));
	if (strcmp(driver, "-"))
		printf(" (%s)", driver);
	printf(", %s, MTU %llu, Linux %s, %llu CPU%s", kv_out_get_string(c, "/gid/type"),
	       mtu ? mtu : kv_out_get_count(c, "/port_mtu_bytes"),
	       kv_out_get_string(c, "/kernel"), kv_out_get_count(c, "/cpu_count"),
	       kv_out_get_count(c, "/cpu_count") == 1 ? "" : "s");
	if (accel)
		printf(", guest under %s", json_object_get_string(accel));
	else if (json_object_get_boolean(kv_out_get(c, "/virtual_machine")))
		printf(", virtual machine");
	printf(", %s\n", kv_out_get_string(c, "/path"));
	print_peer(kv_out_get(c, "/peer"));
}

static void print_device_note(struct json_object *doc)
{
	struct json_object *c = kv_out_get(doc, "/environment");

	if (json_object_get_boolean(kv_out_get(c, "/software_device")))
		printf("%s is a software device: its figures compare spaces and kernels and predict no HCA.\n",
		       kv_out_get_string(c, "/device"));
	if (json_object_get_boolean(kv_out_get(c, "/kernel_keys_relaxed_ordering")))
		printf("%s writes in relaxed order by keys of the kernel's, and not by those of user space.\n",
		       kv_out_get_string(c, "/device"));
}

static void print_null(struct json_object *doc)
{
	static const char *const space[] = { "kernel", "user" };
	struct json_object *null = kv_out_get(doc, "/null_loop");
	const char *glue = "";
	char text[CELL];

	if (!null)
		return;
	printf("null loop (two reads of the counter and the record; not subtracted): ");
	for (unsigned int i = 0; i < 2; i++) {
		char path[16];

		snprintf(path, sizeof(path), "/%s", space[i]);
		if (!kv_out_get(null, path))
			continue;
		get_us(text, kv_out_get(null, path), "/p50_ns");
		printf("%s%s %s %s", glue, space[i], text, kv_unit_name());
		glue = ", ";
	}
	printf("\n");
}

/* One of two series, or one of the quadrants. */
static struct json_object *find_series(struct json_object *point, const char *name)
{
	char path[32];

	snprintf(path, sizeof(path), "/quadrants/%s", name);
	if (!kv_out_get(point, "/quadrants"))
		snprintf(path, sizeof(path), "/%s", name);
	return kv_out_get(point, path);
}

/* The first series of a comparison, or its last one. */
static const char *name_series(struct json_object *doc, bool last)
{
	struct json_object *series_list = kv_out_get(doc, "/spec/sides");
	size_t n = json_object_array_length(series_list);

	return kv_out_get_string(json_object_array_get_idx(series_list, last ? n - 1 : 0), "/name");
}

/* One line for each way of measuring that occurs in the table. */
static void print_legend(struct json_object *points)
{
	static const char *const loops[] = { "completion", "one-thread", "pingpong" };

	for (unsigned int i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		for (size_t k = 0; k < json_object_array_length(points); k++) {
			struct json_object *point;

			point = json_object_array_get_idx(points, k);
			if (!is(point, "/loop", loops[i]))
				continue;
			printf("%s: %s%s\n", loops[i], describe(point, "/loop"),
			       i ? ", as perftest prints it" : "");
			break;
		}
	}
}

/* In a comparison of spaces, the first series is the kernel's and the last one is user space's. */
static void print_contexts(struct json_object *doc)
{
	const char *name[] = { name_series(doc, false), name_series(doc, true) };
	struct json_object *series[2] = { NULL, NULL }, *responder = NULL;
	struct json_object *points = kv_out_get(doc, "/cells");
	bool verified = true;

	for (size_t k = 0; k < json_object_array_length(points); k++) {
		struct json_object *point = json_object_array_get_idx(points, k);

		if (!find_series(point, name[0]))
			continue;
		for (unsigned int i = 0; i < 2; i++)
			series[i] = find_series(point, name[i]);
		if (!responder)
			responder = kv_out_get(series[0], "/responder_cpu");
		verified &= json_object_get_boolean(kv_out_get(point, "/verified"));
	}
	if (!series[0] || !series[1])
		return;
	for (unsigned int i = 0; i < (is(doc, "/spec/design", "self") ? 1 : 2); i++)
		printf("%s: %s, %s\n", kv_out_get_string(series[i], "/space"), describe(series[i], "/post"),
		       describe(series[i], "/lkey"));
	printf("all: completion %s, on CPU %llu", kv_out_get_string(series[0], "/completion"),
	       kv_out_get_count(series[0], "/cpu"));
	if (responder)
		printf(", responder on CPU %s", json_object_get_string(responder));
	printf("\n");
	if (verified)
		printf("contents: verified in an untimed pass on each connection\n");
}

static unsigned long long count_warmup(struct json_object *point, struct json_object *series_list)
{
	unsigned long long n = 0;

	for (size_t i = 0; i < json_object_array_length(series_list); i++) {
		struct json_object *series = json_object_array_get_idx(series_list, i);

		n += kv_out_get_count(find_series(point, kv_out_get_string(series, "/name")),
				      "/warmup_discarded");
	}
	return n;
}

static void print_method(struct json_object *doc, bool quadrants)
{
	struct json_object *series_list = kv_out_get(doc, "/spec/sides");
	struct json_object *points = kv_out_get(doc, "/cells");
	unsigned long long least = ULLONG_MAX, most = 0, warmed = 0;

	for (size_t k = 0; k < json_object_array_length(points); k++) {
		struct json_object *point = json_object_array_get_idx(points, k);
		unsigned long long rounds = kv_out_get_count(point, "/rounds");

		if (!rounds)
			continue;
		least = rounds < least ? rounds : least;
		most = rounds > most ? rounds : most;
		warmed += count_warmup(point, series_list);
	}
	if (!most)
		return;
	printf("method: %llu", least);
	if (most > least)
		printf(" to %llu", most);
	printf(" rounds, each with fresh connections (order shuffled, seed %llu) and %llu blocks of each\n"
	       "  %s, as in A B B A; %llu iterations discarded as warm-up. Estimate and interval of Hodges\n"
	       "  and Lehmann and of Wilcoxon's signed ranks over rounds (Hollander and Wolfe 1999, ch. 3):\n"
	       "  they are about other connections of this boot. Equal within \xc2\xb1 X %%: two one-sided tests\n"
	       "  of 5 %% say so (Schuirmann 1987)\n",
	       kv_out_get_count(doc, "/spec/seed"), kv_out_get_count(doc, "/spec/blocks_per_round"),
	       quadrants ? "quadrant" : "side", warmed);
	if (quadrants)
		printf("Each interval is one of 95 %% by itself: of twenty, one may miss the truth.\n");
}

/**
 * struct tally - what the verdicts of a comparison say of one series
 * @points: in which it is faster
 * @least: by how much, in per cent of the other's median, as the next
 * @most: in another point
 */
struct tally {
	unsigned int points;
	double least, most;
};

static void count_point(struct tally *t, struct json_object *point, const char *other)
{
	double value = fabs(kv_out_get_real(point, "/difference_ns/value"));
	double share = 100 * value / kv_out_get_real(find_series(point, other), "/p50_ns");

	t->least = t->points ? fmin(t->least, share) : share;
	t->most = fmax(t->most, share);
	t->points++;
}

/* As in "kernel faster in 9 of 11 points, by 3.0 to 33 % of user's median; not decided in 2". */
static void print_summary(struct json_object *points, const char *const name[2])
{
	struct tally faster[2] = { { .points = 0 }, { .points = 0 } };
	unsigned int all = 0, equal = 0;

	for (size_t k = 0; k < json_object_array_length(points); k++) {
		struct json_object *point = json_object_array_get_idx(points, k);

		all += !kv_out_get(point, "/error");
		equal += is(point, "/faster", "neither");
		for (unsigned int i = 0; i < 2; i++) {
			if (is(point, "/faster", name[i]))
				count_point(&faster[i], point, name[!i]);
		}
	}
	if (!all)
		return;
	for (unsigned int i = 0; i < 2; i++) {
		const struct tally *t = &faster[i];

		if (!t->points)
			continue;
		printf("%s faster in %u of %u points, by %.*f", name[i], t->points, all, t->least < 10, t->least);
		if (t->points > 1)
			printf(" to %.*f", t->most < 10, t->most);
		printf(" %% of %s's median; ", name[!i]);
	}
	printf("equal in %u; not decided in %u\n", equal,
	       all - faster[0].points - faster[1].points - equal);
}

static int print_series(struct json_object *doc, struct kv_fault *f)
{
	const char *name[] = { name_series(doc, false), name_series(doc, true) };
	struct json_object *points = kv_out_get(doc, "/cells");
	int ret;

	if (is(doc, "/spec/design", "self"))
		printf("Both sides are in %s space: a difference that is found is none\n",
		       kv_out_get_string(doc, "/spec/sides/0/client_space"));
	ret = kv_unit_counts() ? kv_tables_instructions(points, name, f) :
				 kv_tables_latencies(points, name, f);
	printf("\n");
	if (!ret && is(doc, "/spec/design", "spaces"))
		print_summary(points, name);
	return ret;
}

static void print_notes(struct json_object *doc)
{
	print_null(doc);
	if (kv_out_get(doc, "/counters"))
		kv_retries_tell(kv_out_get(doc, "/counters"));
	print_device_note(doc);
	if (!json_object_get_boolean(kv_out_get(doc, "/complete")))
		printf("Not complete: %s\n", kv_out_get_string(doc, "/error/text"));
}

/**
 * kv_report_compare() - print a comparison
 * @doc: its document
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_report_compare(struct json_object *doc, struct kv_fault *f)
{
	bool quadrants = is(doc, "/spec/design", "quadrants");
	struct json_object *points = kv_out_get(doc, "/cells");
	int ret;

	print_environment(doc);
	ret = quadrants ? kv_tables_quadrants(points, f) : print_series(doc, f);
	if (ret)
		return ret;
	print_legend(points);
	print_contexts(doc);
	print_method(doc, quadrants);
	print_notes(doc);
	return 0;
}

static void print_work(struct json_object *r)
{
	char size[CELL];

	kv_size_format(size, sizeof(size), kv_out_get_count(r, "/size_bytes"));
	if (kv_out_get(r, "/op"))
		printf("%s of %s", kv_out_get_string(r, "/op"), size);
	else
		printf("null loop");
	printf(" from %s space", kv_out_get_string(r, "/space"));
	if (strcmp(kv_out_get_string(r, "/space"), kv_out_get_string(r, "/server_space")))
		printf(" to %s space", kv_out_get_string(r, "/server_space"));
	printf(": %s", describe(r, "/loop"));
	if (kv_out_get_count(r, "/sample_divisor") > 1)
		printf(", as perftest prints it");
	printf("\n");
}

static void print_how(struct json_object *r)
{
	struct json_object *series = kv_out_get(r, "/result");
	double elapsed = kv_out_get_real(series, "/elapsed_ns") / 1e9;

	if (kv_out_get(series, "/post"))
		printf("%s, %s\ncompletion %s, on ", describe(series, "/post"), describe(series, "/lkey"),
		       kv_out_get_string(series, "/completion"));
	printf("CPU %llu", kv_out_get_count(series, "/cpu"));
	if (kv_out_get(series, "/responder_cpu"))
		printf(", responder on CPU %llu", kv_out_get_count(series, "/responder_cpu"));
	printf("; CPU yielded %llu times%s\n", kv_out_get_count(series, "/yields"),
	       json_object_get_boolean(kv_out_get(r, "/verified")) ? "; contents verified" : "");
	printf("%llu samples in %.3g s, after %llu iterations discarded as warm-up\n",
	       kv_out_get_count(series, "/samples"), elapsed,
	       kv_out_get_count(series, "/warmup_discarded"));
}

/**
 * kv_report_lat() - print one measurement
 * @doc: its document
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_report_lat(struct json_object *doc, struct kv_fault *f)
{
	static const struct kv_listing columns[] = {
		{ "min", kv_listing_time, "/min_ns" },
		{ "p50", kv_listing_time, "/p50_ns" },
		{ "p90", kv_listing_time, "/p90_ns" },
		{ "p99", kv_listing_time, "/p99_ns" },
		{ "p99.9", kv_listing_time, "/p99_9_ns" },
		{ "max", kv_listing_time, "/max_ns" },
	};
	struct json_object *r = kv_out_get(doc, "/cell");
	int ret;

	print_environment(doc);
	print_work(r);
	print_how(r);
	printf("Latency in %s:\n\n", kv_unit_name());
	ret = kv_listing_print(kv_out_get(r, "/result"), columns, sizeof(columns) / sizeof(columns[0]), f);
	if (ret)
		return ret;
	printf("\n");
	if (kv_unit_counts())
		kv_tables_print_typical(kv_out_get(r, "/result"));
	print_notes(doc);
	return 0;
}
