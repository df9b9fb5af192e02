/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <json-c/json.h>
#include "cli/fault.h"

/* The parts that are printed beside the figures. */
struct kv_report {
	bool notes; /* how they were taken */
	bool stats; /* mean, standard deviation, CPU time and rate */
};

int kv_report_compare(struct json_object *doc, const struct kv_report *r, struct kv_fault *f);
struct json_object *kv_report_series(struct json_object *point, const char *name);
void kv_report_doubts(FILE *out, struct json_object *points);
int kv_report_lat(struct json_object *doc, const struct kv_report *r, struct kv_fault *f);

/* hosts.c */
int kv_hosts_print(struct json_object *doc, const char *const name[2], unsigned int n,
		   struct kv_fault *f);

/* tables.c: @points are those of a document, @name the names of its series. */
int kv_tables_rates(struct json_object *points, const char *name, struct kv_fault *f);
int kv_tables_rates_of_two(struct json_object *points, const char *const name[2],
			   struct kv_fault *f);
int kv_tables_latencies(struct json_object *points, const char *const name[2], struct kv_fault *f);
int kv_tables_instructions(struct json_object *points, const char *const name[2],
			   struct kv_fault *f);
int kv_tables_stats(struct json_object *points, const char *const *name, unsigned int n,
		    struct kv_fault *f);
int kv_tables_scale(struct json_object *points, const char *const *name, unsigned int n,
		    struct kv_fault *f);
int kv_tables_quadrants(struct json_object *points, struct kv_fault *f);
void kv_tables_undecided(FILE *out, struct json_object *point, const char *size);
void kv_tables_gaps(FILE *out, struct json_object *points, bool cpu);
int kv_tables_contexts(struct json_object *points, struct kv_fault *f);
void kv_tables_print_typical(struct json_object *series, FILE *out);
