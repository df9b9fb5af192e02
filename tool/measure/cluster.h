/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <json-c/json.h>
#include "cli/parse.h"

/* A cluster in which each process is connected to each process of all other nodes. */
struct kv_cluster {
	uint32_t nodes; /* 0: none was asked for */
	uint32_t processes; /* of each node */
};

int kv_cluster_parse(const char *text, void *cluster, struct kv_why *why);
struct json_object *kv_cluster_describe(const struct kv_cluster *c, struct json_object *doc);
void kv_cluster_print(struct json_object *all_to_all, FILE *out);
