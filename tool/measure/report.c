// SPDX-License-Identifier: MIT
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "measure/cluster.h"
#include "measure/knee_rates.h"
#include "measure/knee_sizes.h"
#include "measure/listing.h"
#include "measure/report.h"
#include "measure/retries.h"
#include "measure/stats.h"
#include "out/out.h"
#include "out/prose.h"
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
	{ "/loop", "stream", "time per request, with many of them outstanding" },
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

/* Nothing of the API that is the default, and of the kernel, which has one. */
static const char *name_api(struct json_object *series)
{
	return is(series, "/api", "wr") ? " by ibv_wr_*" : "";
}

static void print_peer(FILE *out, struct json_object *p)
{
	if (p)
		fprintf(out, "servers: %s of %s, %s, MTU %llu, kverbs %s\n",
			kv_out_get_string(p, "/device"), kv_out_get_string(p, "/host"),
			kv_out_get_string(p, "/gid/type"), kv_out_get_count(p, "/port_mtu_bytes"),
			kv_out_get_string(p, "/tool"));
}

static void print_environment(FILE *out, struct json_object *doc)
{
	struct json_object *c = kv_out_get(doc, "/environment");
	struct json_object *accel = kv_out_get(c, "/accelerator"), *further = kv_out_get(c, "/further_peers");
	const char *driver = kv_out_get_string(c, "/driver");
	unsigned long long mtu = kv_out_get_count(doc, "/spec/mtu_bytes");

	fprintf(out, "%s", kv_out_get_string(c, "/device"));
	if (strcmp(driver, "-"))
		fprintf(out, " (%s)", driver);
	fprintf(out, ", %s, MTU %llu, Linux %s, %llu CPU%s", kv_out_get_string(c, "/gid/type"),
		mtu ? mtu : kv_out_get_count(c, "/port_mtu_bytes"),
		kv_out_get_string(c, "/kernel"), kv_out_get_count(c, "/cpu_count"),
		kv_out_get_count(c, "/cpu_count") == 1 ? "" : "s");
	if (accel)
		fprintf(out, ", guest under %s", json_object_get_string(accel));
	else if (json_object_get_boolean(kv_out_get(c, "/virtual_machine")))
		fprintf(out, ", virtual machine");
	fprintf(out, ", %s\n", kv_out_get_string(c, "/path"));
	print_peer(out, kv_out_get(c, "/peer"));
	for (size_t i = 0; further && i < json_object_array_length(further); i++)
		print_peer(out, json_object_array_get_idx(further, i));
}

static void print_device_note(FILE *out, struct json_object *doc)
{
	struct json_object *c = kv_out_get(doc, "/environment");

	if (json_object_get_boolean(kv_out_get(c, "/software_device")))
		fprintf(out, "%s is a software device: its figures compare spaces and kernels and predict no HCA.\n",
			kv_out_get_string(c, "/device"));
	if (json_object_get_boolean(kv_out_get(c, "/kernel_keys_relaxed_ordering")))
		fprintf(out, "%s writes in relaxed order by keys of the kernel's, and not by those of user space.\n",
			kv_out_get_string(c, "/device"));
}

static void print_null(FILE *out, struct json_object *doc)
{
	static const char *const space[] = { "kernel", "user" };
	struct json_object *null = kv_out_get(doc, "/null_loop");
	const char *glue = "";
	char text[CELL];

	if (!null)
		return;
	fprintf(out, "null loop (two reads of the counter and the record; not subtracted): ");
	for (unsigned int i = 0; i < 2; i++) {
		char path[16];

		snprintf(path, sizeof(path), "/%s", space[i]);
		if (!kv_out_get(null, path))
			continue;
		get_us(text, kv_out_get(null, path), "/p50_ns");
		fprintf(out, "%s%s %s %s", glue, space[i], text, kv_unit_name());
		glue = ", ";
	}
	fprintf(out, "\n");
}

/**
 * kv_report_series() - look for a series of a point
 * @name: the name of one of two series, of a quadrant, or of a context of completions
 *
 * Return: the series, or NULL.
 */
struct json_object *kv_report_series(struct json_object *point, const char *name)
{
	static const char *const in[] = { "/quadrants", "/contexts" };
	struct json_object *several = NULL;
	char path[40];

	for (unsigned int i = 0; i < sizeof(in) / sizeof(in[0]) && !several; i++)
		several = kv_out_get(point, in[i]);
	snprintf(path, sizeof(path), "/%s", name);
	return kv_out_get(several ? several : point, path);
}

/* The first series of a comparison, or its last one. */
static const char *name_series(struct json_object *doc, bool last)
{
	struct json_object *series_list = kv_out_get(doc, "/spec/series");
	size_t n = json_object_array_length(series_list);

	return kv_out_get_string(json_object_array_get_idx(series_list, last ? n - 1 : 0), "/name");
}

/* One line for each way of measuring that occurs in the table. */
static void print_legend(FILE *out, struct json_object *points)
{
	static const char *const loops[] = { "completion", "stream", "one-thread", "pingpong" };

	for (unsigned int i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		for (size_t k = 0; k < json_object_array_length(points); k++) {
			struct json_object *point;

			point = json_object_array_get_idx(points, k);
			if (!is(point, "/loop", loops[i]))
				continue;
			fprintf(out, "%s: %s%s\n", loops[i], describe(point, "/loop"),
				i > 1 ? ", as perftest prints it" : "");
			break;
		}
	}
}

/* A line for each context, of the first point that was measured. */
static void print_completions(FILE *out, struct json_object *doc)
{
	struct json_object *points = kv_out_get(doc, "/points"), *contexts = NULL;

	for (size_t k = 0; k < json_object_array_length(points) && !contexts; k++)
		contexts = kv_out_get(json_object_array_get_idx(points, k), "/contexts");
	if (!contexts)
		return;
	json_object_object_foreach(contexts, name, series)
		fprintf(out, "%s: completion %s\n", name, kv_out_get_string(series, "/completion"));
}

/* As in " at each of 8 QPs of each of 4 threads"; nothing where there is one. */
static const char *count_connections(char text[CELL], struct json_object *doc)
{
	unsigned long long threads = kv_out_get_count(doc, "/spec/threads");
	unsigned long long qps = kv_out_get_count(doc, "/spec/qps");
	int n = 0;

	*text = '\0';
	if (kv_out_get(doc, "/spec/qps_counts"))
		n = snprintf(text, CELL, " at each QP");
	if (qps > 1)
		n = snprintf(text, CELL, " at each of %llu QPs%s", qps,
			     json_object_get_boolean(kv_out_get(doc, "/spec/one_cq")) ? " of one CQ" : "");
	if (threads > 1)
		snprintf(text + n, CELL - (size_t)n, " of each of %llu threads", threads);
	return text;
}

/*
 * How evenly requests were shared out at the point and in the series where that was worst. @last:
 * receives one series
 */
static double worst_share(struct json_object *doc, const char *const name[2], const char *key,
			  struct json_object **last)
{
	struct json_object *points = kv_out_get(doc, "/points");
	double worst = 1;

	for (size_t k = 0; k < json_object_array_length(points); k++) {
		for (unsigned int i = 0; i < 2; i++) {
			struct json_object *series =
				kv_report_series(json_object_array_get_idx(points, k), name[i]);

			if (!kv_out_get(series, key))
				continue;
			*last = series;
			worst = fmin(worst, kv_out_get_real(series, key));
		}
	}
	return worst;
}

/* The longest time within which all runs of several hosts began. */
static double worst_begin(struct json_object *doc, const char *const name[2])
{
	struct json_object *points = kv_out_get(doc, "/points");
	double worst = 0;

	for (size_t k = 0; k < json_object_array_length(points); k++)
		for (unsigned int i = 0; i < 2; i++)
			worst = fmax(worst, kv_out_get_real(kv_report_series(
				json_object_array_get_idx(points, k), name[i]), "/host_begin_ns"));
	return worst;
}

/* The note on streams of several threads and QPs. */
static void print_threads(FILE *out, struct json_object *doc, const char *const name[2])
{
	struct json_object *series = NULL, *cpus;
	double worst = worst_share(doc, name, "/qp_fairness", &series);

	if (series)
		fprintf(out, "QPs: in the mean of all blocks, the QP with the fewest requests had at least %.0f %% of the requests of the QP with the most\n",
			100 * worst);
	if (kv_out_get_count(doc, "/spec/threads") < 2)
		return;
	worst = worst_share(doc, name, "/fairness", &series);
	fprintf(out, "threads: each with connections of its own; the time is from when all had warmed up until the last one ended; the thread with the fewest requests had at least %.0f %% of the requests of the thread with the most",
		100 * worst);
	cpus = kv_out_get(series, "/thread_cpus");
	for (size_t i = 0; i < json_object_array_length(cpus); i++)
		fprintf(out, "%s%d", i ? ", " : "; on CPUs ", json_object_get_int(json_object_array_get_idx(cpus, i)));
	fprintf(out, "\n");
	if (kv_out_get(series, "/host_begin_ns"))
		fprintf(out, "hosts: in each block all runs began within %.2f ms\n",
			worst_begin(doc, name) / 1e6);
}

/* The note on SENDs that take credits. */
static void print_credits(FILE *out, struct json_object *doc)
{
	struct json_object *points = kv_out_get(doc, "/points");
	bool credits = false;

	for (size_t k = 0; k < json_object_array_length(points); k++)
		credits |= kv_out_get(json_object_array_get_idx(points, k), "/credits") != NULL;
	if (credits)
		fprintf(out, "send: the responder writes how many receives it has replaced, and the initiator posts no SEND without a receive; its waits for credits are part of the time per request, but of no group's time\n");
}

/* In a comparison of spaces, the first series is the kernel's and the last one is user space's. */
static void print_contexts(FILE *out, struct json_object *doc)
{
	const char *name[] = { name_series(doc, false), name_series(doc, true) };
	struct json_object *series[2] = { NULL, NULL }, *responder = NULL;
	struct json_object *points = kv_out_get(doc, "/points");
	bool verified = true;

	for (size_t k = 0; k < json_object_array_length(points); k++) {
		struct json_object *point = json_object_array_get_idx(points, k);

		if (!kv_report_series(point, name[0]))
			continue;
		for (unsigned int i = 0; i < 2; i++)
			series[i] = kv_report_series(point, name[i]);
		if (!responder)
			responder = kv_out_get(series[0], "/responder_cpu");
		verified &= json_object_get_boolean(kv_out_get(point, "/verified"));
	}
	if (!series[0] || !series[1])
		return;
	for (unsigned int i = 0; i < (is(doc, "/spec/contrast", "spaces") ? 2 : 1); i++)
		fprintf(out, "%s: %s%s, %s\n", kv_out_get_string(series[i], "/space"), describe(series[i], "/post"),
			name_api(series[i]), describe(series[i], "/lkey"));
	if (is(doc, "/spec/contrast", "contexts"))
		print_completions(out, doc);
	else
		fprintf(out, "all: completion %s; ", kv_out_get_string(series[0], "/completion"));
	if (kv_out_get(series[0], "/cpu"))
		fprintf(out, "on CPU %llu", kv_out_get_count(series[0], "/cpu"));
	else
		fprintf(out, "on the CPU that its host chooses");
	if (responder)
		fprintf(out, ", responder on CPU %s", json_object_get_string(responder));
	fprintf(out, "\n");
	if (verified)
		fprintf(out, "contents: verified in an untimed pass on each connection\n");
}

static unsigned long long count_warmup(struct json_object *point, struct json_object *series_list)
{
	unsigned long long n = 0;

	for (size_t i = 0; i < json_object_array_length(series_list); i++) {
		struct json_object *series = json_object_array_get_idx(series_list, i);

		n += kv_out_get_count(kv_report_series(point, kv_out_get_string(series, "/name")),
				      "/warmup_discarded");
	}
	return n;
}

/* The fewest and the most rounds of a point; 0: none has any. */
static unsigned long long count_rounds(struct json_object *points, unsigned long long *least)
{
	unsigned long long most = 0;

	*least = ULLONG_MAX;
	for (size_t k = 0; k < json_object_array_length(points); k++) {
		unsigned long long rounds = kv_out_get_count(json_object_array_get_idx(points, k), "/rounds");

		if (!rounds)
			continue;
		*least = rounds < *least ? rounds : *least;
		most = rounds > most ? rounds : most;
	}
	return most;
}

static void print_range(FILE *out, unsigned long long least, unsigned long long most)
{
	fprintf(out, "%llu", least);
	if (most > least)
		fprintf(out, " to %llu", most);
}

/* The reason for more or fewer rounds than --rounds; see kv_stats_rounds(). */
static void print_rounds(FILE *out, struct json_object *doc)
{
	unsigned long long least, planned = kv_out_get_count(doc, "/spec/rounds");
	unsigned long long most = count_rounds(kv_out_get(doc, "/points"), &least);

	if (!most || !json_object_get_boolean(kv_out_get(doc, "/complete")) || (least >= planned && most <= planned))
		return;
	fputs("rounds: ", out);
	print_range(out, least, most);
	fprintf(out, " in place of %llu", planned);
	if (most > planned)
		fprintf(out, ", more to get the %d samples of a p99", KV_STATS_SAMPLES);
	if (least < planned)
		fputs(", fewer because more would take over three times --duration", out);
	fputs("\n", out);
}

static void print_method(FILE *out, struct json_object *doc, bool quadrants)
{
	struct json_object *series_list = kv_out_get(doc, "/spec/series");
	struct json_object *points = kv_out_get(doc, "/points");
	unsigned long long least, most = count_rounds(points, &least), warmed = 0;

	for (size_t k = 0; k < json_object_array_length(points); k++)
		warmed += count_warmup(json_object_array_get_idx(points, k), series_list);
	if (!most)
		return;
	fprintf(out, "method: ");
	print_range(out, least, most);
	fprintf(out, " rounds, each with fresh connections (order shuffled, seed %llu) and %llu blocks of each "
		"%s, as in A B B A; %s iterations discarded as warm-up. Estimate and interval of Hodges "
		"and Lehmann and of Wilcoxon's signed ranks over rounds (Hollander and Wolfe 1999, ch. 3): "
		"they are about other connections of this boot. Equal within \xc2\xb1 X %%: two one-sided tests "
		"of 5 %% say so (Schuirmann 1987)\n",
		kv_out_get_count(doc, "/spec/seed"), kv_out_get_count(doc, "/spec/blocks_per_round"),
		quadrants ? "quadrant" : "side", KV_COUNT(warmed));
	if (quadrants)
		fprintf(out, "Each interval is one of 95 %% by itself: of twenty, one may miss the truth.\n");
}

/* The verdicts of a comparison on one series. */
struct tally {
	unsigned int points; /* in which it is faster */
	double least; /* the least by which it is faster, in per cent as in the table */
	double most; /* the most, likewise */
};

static void count_point(struct tally *t, struct json_object *point)
{
	double share = fabs(kv_out_get_real(point, "/difference_ns/percent"));

	t->least = t->points ? fmin(t->least, share) : share;
	t->most = fmax(t->most, share);
	t->points++;
}

/* The other one's time in times of this one's: per cent beyond 100 are hard to read. */
static void print_times(FILE *out, const struct tally *t, const char *other)
{
	double least = 1 + t->least / 100, most = 1 + t->most / 100;

	fprintf(out, ", where %s takes %.*f", other, least < 10, least);
	if (t->points > 1)
		fprintf(out, " to %.*f", most < 10, most);
	fprintf(out, " times as long; ");
}

/* As in "kernel faster in 9 of 11 points, by 3.0 to 33 % of user's time; not decided in 2". */
static void print_summary(FILE *out, struct json_object *points, const char *const name[2])
{
	struct tally faster[2] = { { .points = 0 }, { .points = 0 } };
	unsigned int all = 0, equal = 0;

	for (size_t k = 0; k < json_object_array_length(points); k++) {
		struct json_object *point = json_object_array_get_idx(points, k);

		all += !kv_out_get(point, "/error");
		equal += is(point, "/faster", "neither");
		for (unsigned int i = 0; i < 2; i++) {
			if (is(point, "/faster", name[i]))
				count_point(&faster[i], point);
		}
	}
	if (!all)
		return;
	for (unsigned int i = 0; i < 2; i++) {
		const struct tally *t = &faster[i];

		if (!t->points)
			continue;
		fprintf(out, "%s faster in %u of %u points", name[i], t->points, all);
		if (t->most >= 200) {
			print_times(out, t, name[!i]);
			continue;
		}
		fprintf(out, ", by %.*f", t->least < 10, t->least);
		if (t->points > 1)
			fprintf(out, " to %.*f", t->most < 10, t->most);
		fprintf(out, " %% of %s's time; ", name[1]);
	}
	fprintf(out, "equal in %u; not decided in %u\n", equal,
		all - faster[0].points - faster[1].points - equal);
}

static int print_series(struct json_object *doc, const struct kv_report *r, struct kv_fault *f)
{
	const char *name[] = { name_series(doc, false), name_series(doc, true) };
	struct json_object *points = kv_out_get(doc, "/points");
	bool alone = is(doc, "/spec/contrast", "alone");
	int ret = kv_out_get(doc, "/spec/rates") ? kv_knee_rates_print(doc, f) :
		  kv_out_get(doc, "/spec/qps_counts") ? kv_tables_scale(points, name, alone ? 1 : 2, f) :
		  alone ? kv_tables_rates(points, name[0], f) :
		  kv_out_get(doc, "/spec/depth") ? kv_tables_rates_of_two(points, name, f) :
		  kv_unit_counts() ? kv_tables_instructions(points, name, f) :
				     kv_tables_latencies(points, name, f);

	if (!ret && kv_out_get(doc, "/spec/hosts"))
		ret = kv_hosts_print(doc, name, alone ? 1 : 2, f);
	return ret || !r->stats ? ret : kv_tables_stats(points, name, alone ? 1 : 2, f);
}

/* Over UC and UD a message may be lost, and nobody tells the sender. */
static void print_lost(FILE *out, struct json_object *point, const char *size, const char *name)
{
	struct json_object *series = kv_report_series(point, name);
	unsigned long long lost = series ? kv_out_get_count(series, "/lost_requests") : 0;

	if (lost)
		fprintf(out, "%s %s: %s: %s messages did not arrive; %s were sent in the measured time\n",
			kv_out_get_string(point, "/op"), size, name, KV_COUNT(lost),
			KV_COUNT(kv_out_get_count(series, "/requests")));
}

/* Why a point has no verdict, or no figures; NULL: it has. */
static const char *find_doubt(struct json_object *points, size_t i)
{
	struct json_object *point = json_object_array_get_idx(points, i);
	const char *error = json_object_get_string(kv_out_get(point, "/error/text"));

	/* Latencies by load are a table without verdicts. */
	if (error || kv_out_get(point, "/offered_per_second") || kv_out_get(point, "/faster"))
		return error;
	return json_object_get_string(kv_out_get(point, "/verdict"));
}

static void format_size(struct json_object *point, char *text, size_t size)
{
	struct json_object *load = kv_out_get(point, "/offered_per_second");

	kv_size_format(text, size, kv_out_get_count(point, "/size_bytes"));
	if (load)
		kv_append(text, size, " at %s/s", KV_COUNT((unsigned long long)llround(json_object_get_double(load))));
}

static bool has_doubt(struct json_object *points, size_t i, const char *why)
{
	const char *doubt = find_doubt(points, i);

	return doubt && !strcmp(doubt, why);
}

/* Prints a reason behind the points that have it, of which @first is the first one. */
static void print_doubt(FILE *out, struct json_object *points, size_t first, const char *why)
{
	for (size_t i = first; i < json_object_array_length(points); i++) {
		struct json_object *point = json_object_array_get_idx(points, i);
		char size[CELL];

		if (!has_doubt(points, i, why))
			continue;
		format_size(point, size, sizeof(size));
		fprintf(out, "%s%s %s", i == first ? "" : "; ", kv_out_get_string(point, "/op"), size);
		if (kv_out_get_count(point, "/qps") > 1)
			fprintf(out, ", %llu QPs", kv_out_get_count(point, "/qps"));
	}
	fprintf(out, ": %s\n", why);
}

/** kv_report_doubts() - print why points have no verdict, or no figures: each reason once */
void kv_report_doubts(FILE *out, struct json_object *points)
{
	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *point = json_object_array_get_idx(points, i);
		const char *why = find_doubt(points, i);
		char size[CELL];
		size_t first = 0;

		format_size(point, size, sizeof(size));
		print_lost(out, point, size, "kernel");
		print_lost(out, point, size, "user");
		kv_tables_undecided(out, point, size);
		while (why && !has_doubt(points, first, why))
			first++;
		if (why && first == i)
			print_doubt(out, points, i, why);
	}
}

/* Why a QP's memory is not known, and how both are counted. */
static void print_setup(FILE *out, struct json_object *doc, const char *const name[2])
{
	struct json_object *points = kv_out_get(doc, "/points");
	bool doubt = false;

	for (size_t i = 0; i < 2 * json_object_array_length(points); i++)
		doubt |= kv_out_get(kv_report_series(json_object_array_get_idx(points, i / 2),
						     name[i % 2]),
				    "/setup/memory_doubt") != NULL;
	if (doubt)
		fprintf(out, "memory is - where it is not known: all QPs took less than 1 MiB, the interval is wider than \xc2\xb1 10 %%, or there were fewer than %d rounds\n",
			KV_STATS_MIN_ROUNDS);
}

/* The notes that a reader needs who does not ask for them. */
static void print_warnings(FILE *out, struct json_object *doc)
{
	if (kv_out_get(doc, "/counters"))
		kv_retries_tell(kv_out_get(doc, "/counters"), out);
	print_device_note(out, doc);
	if (!json_object_get_boolean(kv_out_get(doc, "/complete")))
		fprintf(out, "Not complete: %s\n", kv_out_get_string(doc, "/error/text"));
}

static bool is_first_of_size(struct json_object *points, size_t k, unsigned long long size)
{
	for (size_t i = 0; i < k; i++)
		if (kv_out_get_count(json_object_array_get_idx(points, i), "/size_bytes") == size)
			return false;
	return true;
}

/* Sizes of which fewer are outstanding than of the others. */
static void print_depths(FILE *out, struct json_object *doc)
{
	unsigned long long most = kv_out_get_count(doc, "/spec/depth"), depth, bytes;
	struct json_object *points = kv_out_get(doc, "/points"), *point;
	bool any = false;
	char size[16];

	for (size_t k = 0; k < json_object_array_length(points); k++) {
		point = json_object_array_get_idx(points, k);
		depth = kv_out_get_count(point, "/depth");
		bytes = kv_out_get_count(point, "/size_bytes");
		if (!depth || depth == most || !is_first_of_size(points, k, bytes))
			continue;
		kv_size_format(size, sizeof(size), bytes);
		fprintf(out, "%s %llu of %s", any ? "," : "; only", depth, size);
		any = true;
	}
}

/** kv_report_compare() - print a comparison, or streams of one space alone */
int kv_report_compare(struct json_object *doc, const struct kv_report *r, struct kv_fault *f)
{
	const char *name[] = { name_series(doc, false), name_series(doc, true) };
	bool quadrants = is(doc, "/spec/contrast", "quadrants");
	struct json_object *points = kv_out_get(doc, "/points");
	struct kv_prose prose;
	FILE *out = kv_prose_begin(&prose, stdout);
	char connections[CELL];
	int ret;

	print_environment(out, doc);
	if (is(doc, "/spec/contrast", "self"))
		fprintf(out, "Both series are in %s space: a difference between them is an error of the method\n",
			kv_out_get_string(doc, "/spec/series/0/client_space"));
	if (kv_out_get(doc, "/spec/depth")) {
		fprintf(out, "%llu request%s outstanding%s, posted in lists of %llu, one of %llu signaled%s",
			kv_out_get_count(doc, "/spec/depth"), kv_out_get_count(doc, "/spec/depth") == 1 ? "" : "s",
			count_connections(connections, doc),
			kv_out_get_count(doc, "/spec/list"), kv_out_get_count(doc, "/spec/signal"),
			json_object_get_boolean(kv_out_get(doc, "/spec/both_ways")) ?
			", in both directions at the same time" :
			json_object_get_boolean(kv_out_get(doc, "/spec/reversed")) ?
			"; each HOST initiates" : "");
		print_depths(out, doc);
		fputs("\n", out);
	}
	kv_prose_end(&prose);
	ret = quadrants ? kv_tables_quadrants(points, f) :
	      is(doc, "/spec/contrast", "contexts") ? kv_tables_contexts(points, f) :
						    print_series(doc, r, f);
	if (ret)
		return ret;
	out = kv_prose_begin(&prose, stdout);
	kv_report_doubts(out, points);
	print_rounds(out, doc);
	if (!kv_unit_counts())
		kv_tables_gaps(out, points, r->stats || is(doc, "/spec/contrast", "contexts"));
	if (kv_out_get(doc, "/spec/qps_counts"))
		print_setup(out, doc, name);
	if (kv_out_get(doc, "/spec/rates"))
		kv_knee_rates_tell(doc, out);
	else if (is(doc, "/spec/contrast", "spaces"))
		print_summary(out, points, name);
	kv_knee_sizes_print(kv_out_get(doc, "/knees"), out);
	kv_cluster_print(kv_out_get(doc, "/all_to_all"), out);
	if (kv_out_get(doc, "/spec/left_out"))
		fprintf(out, "%s\n", kv_out_get_string(doc, "/spec/left_out"));
	if (r->notes) {
		print_legend(out, points);
		if (kv_out_get(doc, "/spec/rates"))
			fputs("with a rate: from when a request was due until its completion was polled, also if it was posted later; "
				"the knee is the highest rate up to which " KV_KNEE_RATES_RULE "\n", out);
		print_contexts(out, doc);
		print_threads(out, doc, name);
		print_credits(out, doc);
		print_method(out, doc, quadrants);
		print_null(out, doc);
	}
	print_warnings(out, doc);
	if (!r->notes)
		fprintf(out, "How it was measured: --notes\n");
	kv_prose_end(&prose);
	return 0;
}

static void print_work(FILE *out, struct json_object *r)
{
	char size[CELL];

	kv_size_format(size, sizeof(size), kv_out_get_count(r, "/size_bytes"));
	if (kv_out_get(r, "/op"))
		fprintf(out, "%s of %s", kv_out_get_string(r, "/op"), size);
	else
		fprintf(out, "null loop");
	fprintf(out, " from %s space", kv_out_get_string(r, "/space"));
	if (strcmp(kv_out_get_string(r, "/space"), kv_out_get_string(r, "/server_space")))
		fprintf(out, " to %s space", kv_out_get_string(r, "/server_space"));
	fprintf(out, ": %s", describe(r, "/loop"));
	if (kv_out_get_count(r, "/sample_divisor") > 1)
		fprintf(out, ", as perftest prints it");
	fprintf(out, "\n");
}

static void print_how(FILE *out, struct json_object *r)
{
	struct json_object *series = kv_out_get(r, "/result");
	double elapsed = kv_out_get_real(series, "/elapsed_ns") / 1e9;

	if (kv_out_get(series, "/post"))
		fprintf(out, "%s%s, %s\ncompletion %s, on ", describe(series, "/post"), name_api(series),
			describe(series, "/lkey"), kv_out_get_string(series, "/completion"));
	fprintf(out, "CPU %llu", kv_out_get_count(series, "/cpu"));
	if (kv_out_get(series, "/responder_cpu"))
		fprintf(out, ", responder on CPU %llu", kv_out_get_count(series, "/responder_cpu"));
	fprintf(out, "; CPU yielded %s times%s\n", KV_COUNT(kv_out_get_count(series, "/yields")),
		json_object_get_boolean(kv_out_get(r, "/verified")) ? "; contents verified" : "");
	fprintf(out, "measured for %.3g s, after %s iterations discarded as warm-up\n", elapsed,
		KV_COUNT(kv_out_get_count(series, "/warmup_discarded")));
}

/** kv_report_lat() - print one measurement */
int kv_report_lat(struct json_object *doc, const struct kv_report *r, struct kv_fault *f)
{
	static const struct kv_listing columns[] = {
		{ "min", kv_listing_time, .path = "/min_ns" },
		{ "p50", kv_listing_time, .path = "/p50_ns" },
		{ "p90", kv_listing_time, .path = "/p90_ns" },
		{ "p99", kv_listing_time, .path = "/p99_ns" },
		{ "p99.9", kv_listing_time, .path = "/p99_9_ns" },
		{ "max", kv_listing_time, .path = "/max_ns" },
		{ "mean", kv_listing_time, .path = "/mean_ns" },
		{ "stddev", kv_listing_time, .path = "/stddev_ns" },
		{ "CPU", kv_listing_time, .path = "/cpu_ns" },
		{ "samples/s", kv_listing_number, .path = "/samples_per_second" },
	};
	struct json_object *point = kv_out_get(doc, "/point");
	unsigned long long samples = kv_out_get_count(point, "/result/samples");
	struct kv_prose prose;
	FILE *out = kv_prose_begin(&prose, stdout);
	int ret;

	print_environment(out, doc);
	print_work(out, point);
	if (r->notes)
		print_how(out, point);
	fprintf(out, "%s sample%s in %s:\n", KV_COUNT(samples), samples == 1 ? "" : "s", kv_unit_name());
	kv_prose_end(&prose);
	printf("\n");
	ret = kv_listing_print(kv_out_get(point, "/result"), columns, r->stats ? 10 : 6, f);
	if (ret)
		return ret;
	out = kv_prose_begin(&prose, stdout);
	if (kv_unit_counts())
		kv_tables_print_typical(kv_out_get(point, "/result"), out);
	if (r->notes)
		print_null(out, doc);
	print_warnings(out, doc);
	if (!r->notes)
		fprintf(out, "How it was measured: --notes\n");
	kv_prose_end(&prose);
	return 0;
}
