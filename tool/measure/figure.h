/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include <json-c/json.h>

/* Each writes for gnuplot what --plot draws; @doc is the document. */
void kv_figure_lat(struct json_object *doc, FILE *script);
void kv_figure_sweep(struct json_object *doc, FILE *script);
void kv_figure_scale(struct json_object *doc, FILE *script);
void kv_figure_conn_rate(struct json_object *doc, FILE *script);
