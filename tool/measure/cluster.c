// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>
#include "measure/cluster.h"
#include "measure/stats.h"
#include "out/out.h"
#include "out/unit.h"

/* The cost of an all-to-all, computed from what a QP was measured to cost; made from a document. */

#define NODES_MAX 1000000
#define PROCESSES_MAX 10000

/**
 * kv_cluster_parse() - read NODES or NODESxPROCESSES;
 * @cluster: receives it, a struct kv_cluster
 */
int kv_cluster_parse(const char *text, void *cluster, struct kv_why *why)
{
	const char *x = strchr(text, 'x');
	char nodes[16] = "";
	uint64_t n, p = 1;
	int ret;

	if (x == text || (x && (size_t)(x - text) >= sizeof(nodes)))
		return kv_why_set(why, "has no number of nodes in front of its 'x'; it takes NODES or NODESxPROCESSES, as in 64 or 64x48");
	memcpy(nodes, text, x ? (size_t)(x - text) : 0);
	ret = kv_parse_count(x ? nodes : text, 2, NODES_MAX, &n, why);
	if (!ret && x)
		ret = kv_parse_count(x + 1, 1, PROCESSES_MAX, &p, why);
	if (!ret)
		*(struct kv_cluster *)cluster = (struct kv_cluster){ (uint32_t)n, (uint32_t)p };
	return ret;
}

/*
 * The point with the most QPs whose cost in a series is known: there the figures are the most
 * exact.
 */
static struct json_object *find_setup(struct json_object *points, const char *name,
				      const char *path)
{
	struct json_object *best = NULL;

	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *point = json_object_array_get_idx(points, i), *series = NULL,
				   *setup;

		json_object_object_get_ex(point, name, &series);
		setup = kv_out_get(series, "/setup");
		if (kv_out_get(setup, path) &&
		    kv_out_get_count(setup, "/connections") >= kv_out_get_count(best, "/connections"))
			best = setup;
	}
	return best;
}

static void put_product(struct json_object *obj, const char *key, double count,
			struct json_object *setup, const char *path)
{
	kv_out_put(obj, key, setup ? kv_out_real(count * kv_out_get_real(setup, path), 0) : NULL);
}

/**
 * kv_cluster_describe() - compute what an all-to-all costs each node
 * @doc: the document with the points
 *
 * Return: an object, owned by the caller.
 */
struct json_object *kv_cluster_describe(const struct kv_cluster *c, struct json_object *doc)
{
	const struct kv_all_to_all all = kv_stats_all_to_all(c->nodes, c->processes);
	struct json_object *obj = json_object_new_object(), *nodes = json_object_new_array();
	struct json_object *series_list = kv_out_get(doc, "/spec/series");
	struct json_object *points = kv_out_get(doc, "/points");

	kv_out_put_count(obj, "nodes", c->nodes);
	kv_out_put_count(obj, "processes_per_node", c->processes);
	kv_out_put_count(obj, "qps_per_process", all.process_qps);
	kv_out_put_count(obj, "qps_per_node", all.node_qps);
	for (size_t s = 0; s < json_object_array_length(series_list); s++) {
		const char *name = kv_out_get_string(json_object_array_get_idx(series_list, s), "/name");
		struct json_object *node = json_object_new_object();
		struct json_object *time = find_setup(points, name, "/wall_ns/value");
		struct json_object *memory = find_setup(points, name, "/memory_bytes/value");

		kv_out_put_string(node, "series", name);
		put_product(node, "process_setup_ns", (double)all.process_qps, time, "/wall_ns/value");
		put_product(node, "process_verbs_ns", (double)all.process_qps, time, "/verbs_ns/value");
		put_product(node, "node_memory_bytes", (double)all.node_qps, memory, "/memory_bytes/value");
		json_object_array_add(nodes, node);
	}
	kv_out_put(obj, "series", nodes);
	return obj;
}

/** kv_cluster_print() - print what kv_cluster_describe() has computed */
void kv_cluster_print(struct json_object *all_to_all, FILE *out)
{
	struct json_object *nodes = kv_out_get(all_to_all, "/series");

	if (!all_to_all)
		return;
	fprintf(out, "All-to-all of %s nodes with %s processes each, computed from the cost of a QP: %s QPs of a process, %s of a node\n",
		KV_COUNT(kv_out_get_count(all_to_all, "/nodes")),
		KV_COUNT(kv_out_get_count(all_to_all, "/processes_per_node")),
		KV_COUNT(kv_out_get_count(all_to_all, "/qps_per_process")),
		KV_COUNT(kv_out_get_count(all_to_all, "/qps_per_node")));
	for (size_t i = 0; i < json_object_array_length(nodes); i++) {
		struct json_object *node = json_object_array_get_idx(nodes, i);
		double memory = kv_out_get_real(node, "/node_memory_bytes");
		double time = kv_out_get_real(node, "/process_setup_ns");

		if (isnan(time))
			continue;
		fprintf(out, "%s: a process sets its QPs up one after the other in %.3g s, of which %.3g s in verbs; ",
			kv_out_get_string(node, "/series"), time / 1e9, kv_out_get_real(node, "/process_verbs_ns") / 1e9);
		if (isnan(memory))
			fprintf(out, "the memory of a QP is not known\n");
		else
			fprintf(out, "a node takes %.3g GiB of memory\n", memory / (1 << 30));
	}
}
