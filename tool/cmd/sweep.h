/* SPDX-License-Identifier: MIT */
#pragma once

#include "cmd/options.h"
#include "measure/sweep.h"

/* The common part of the commands that measure operations by sizes. */
struct kv_sweep_cmd {
	struct kv_options common;
	/* the hosts behind common.peer; m.work.hosts counts all */
	struct kv_peer further[KV_HOSTS_MAX - 1];
	struct kv_sweep m;
	struct json_object *doc; /* NULL until the measurement begins */
	bool has_depth; /* --depth was given */
};

/* For the word both as a value of --space, where both are the default. */
extern const struct kv_foreign kv_sweep_both[];

/* @plan: the struct kv_plan in the command's struct @s. */
#define KV_OPTION_SWEEP_ROWS(s, plan, series)						\
	KV_OPTION_DURATION_ROW(s, plan.time_ns, 10000000, "for each operation and size, all " series " together, as in 2 or 500ms; default: 2.3s. Up to three times as long if the 1000 samples that a p99 needs take that long"), \
	{ "rounds", "N", "rounds of a point, each with fresh connections of all " series "; default: 12. There are more if a p99 lacks its 1000 samples, and fewer, but at least 6, where more would take over three times --duration. With fewer than 6 there is no interval", \
	  KV_OPTION_U32, .at = offsetof(s, plan.rounds), .min = 1, .max = 1000 },	\
	{ "seed", "N", "of the order of the " series " in each round; default: 1", KV_OPTION_U64, \
	  .at = offsetof(s, plan.seed), .max = UINT64_MAX }

void kv_sweep_cmd_init(struct kv_sweep_cmd *c);
int kv_sweep_cmd_check_pairs(const struct kv_sweep_cmd *c, uint32_t qps, struct kv_fault *f);
int kv_sweep_cmd_check_shared(const struct kv_sweep_cmd *c, struct kv_fault *f);
void kv_sweep_cmd_put_shared(const struct kv_sweep_cmd *c, struct json_object *spec);
int kv_sweep_cmd_settle(struct kv_sweep_cmd *c, struct kv_fault *f);
int kv_sweep_cmd_run(struct kv_sweep_cmd *c,
		     struct json_object *(*create)(struct json_object *environment),
		     struct kv_fault *f);
void kv_sweep_cmd_close(struct kv_sweep_cmd *c);
