// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <sys/param.h>
#include "measure/hosts.h"
#include "measure/listing.h"
#include "measure/report.h"
#include "out/out.h"

/* Requests of the threads of a host; both ways, those of the host's own threads, too. */
static uint64_t requests_of_host(const struct kv_workload *w, const struct kv_series *s,
				 uint32_t host)
{
	const uint32_t threads = w->threads / w->hosts;
	uint64_t samples = 0;

	for (uint32_t i = host * threads; i < (host + 1) * threads; i++)
		samples += s->worker[i] + (w->both_ways ? s->worker[w->threads + i] : 0);
	return samples * w->signal;
}

/**
 * kv_hosts_put_shares() - describe the share of each host in a series
 * @obj: receives arrays in the order of the hosts
 * @w: the work, of several hosts
 * @s: the series; it has samples
 */
void kv_hosts_put_shares(struct json_object *obj, const struct kv_workload *w,
			 const struct kv_series *s)
{
	struct json_object *requests = json_object_new_array(), *rates = json_object_new_array();
	uint64_t least = UINT64_MAX, most = 0;

	for (uint32_t i = 0; i < w->hosts; i++) {
		const uint64_t n = requests_of_host(w, s, i);

		json_object_array_add(requests, json_object_new_uint64(n));
		json_object_array_add(rates,
				      kv_out_real(1e9 * (double)n * w->size / (double)s->elapsed_ns,
						  1));
		least = MIN(least, n);
		most = MAX(most, n);
	}
	kv_out_put(obj, "host_requests", requests);
	kv_out_put(obj, "host_bytes_per_second", rates);
	kv_out_put(obj, "host_fairness", kv_out_real((double)least / (double)most, 4));
}

/* A row for a host at a point. */
static struct json_object *describe_host(struct json_object *doc, struct json_object *point,
					 const char *const name[2], unsigned int n, size_t host)
{
	struct json_object *row = json_object_new_object();
	char path[64];

	kv_out_put(row, "op", json_object_get(kv_out_get(point, "/op")));
	kv_out_put(row, "size_bytes", json_object_get(kv_out_get(point, "/size_bytes")));
	snprintf(path, sizeof(path), "/spec/hosts/%zu", host);
	kv_out_put(row, "host", json_object_get(kv_out_get(doc, path)));
	for (unsigned int i = 0; i < n; i++) {
		struct json_object *series = kv_report_series(point, name[i]), *part;

		snprintf(path, sizeof(path), "/host_bytes_per_second/%zu", host);
		if (!kv_out_get(series, path))
			continue;
		part = json_object_new_object();
		kv_out_put(part, "rate", json_object_get(kv_out_get(series, path)));
		kv_out_put(part, "percent", kv_out_real(100 * kv_out_get_real(series, path) /
							kv_out_get_real(series, "/bytes_per_second"), 1));
		kv_out_put(row, name[i], part);
	}
	return row;
}

/**
 * kv_hosts_print() - print the table of each host's share
 * @doc: a document of streams to several hosts
 * @name: the names of its series
 * @n: how many series, 1 or 2
 */
int kv_hosts_print(struct json_object *doc, const char *const name[2], unsigned int n,
		   struct kv_fault *f)
{
	const struct kv_listing columns[] = {
		{ "op", kv_listing_word, .path = "/op" },
		{ "size", kv_listing_size, .path = "/size_bytes" },
		{ "host", kv_listing_word, .path = "/host" },
		{ name[0], kv_listing_mega, .path = "/rate", .series = name[0] },
		{ "%", kv_listing_number, .path = "/percent", .series = name[0] },
		{ name[1], kv_listing_mega, .path = "/rate", .series = name[1] },
		{ "%", kv_listing_number, .path = "/percent", .series = name[1] },
	};
	struct json_object *points = kv_out_get(doc, "/points"), *rows = json_object_new_array();
	size_t hosts = json_object_array_length(kv_out_get(doc, "/spec/hosts"));
	int ret;

	for (size_t i = 0; i < json_object_array_length(points); i++)
		for (size_t host = 0; host < hosts; host++)
			json_object_array_add(rows,
					      describe_host(doc,
							    json_object_array_get_idx(points, i),
							    name, n, host));
	printf("Each host's part: Mbytes/s, and %% of all bytes\n\n");
	ret = kv_listing_print(rows, columns, n == 1 ? 5 : 7, f);
	json_object_put(rows);
	return ret;
}
