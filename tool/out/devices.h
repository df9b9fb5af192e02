/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "model/site.h"
#include "out/out.h"

#define KV_DEVICES_MAX 64

/* The RDMA devices as one space sees them. */
struct kv_devices {
	bool open; /* the query succeeded; else @fault has the reason */
	unsigned int n; /* number of devices in @dev */
	struct kv_dev dev[KV_DEVICES_MAX]; /* the devices */
	struct kv_fault fault; /* the reason of a failed query */
};

extern const struct kv_schema kv_devices_schema;

int kv_devices_take(struct kv_devices *v, enum kv_space_id id, const char *name);
int kv_devices_refuse(struct kv_devices *view, const char *name, struct kv_fault *f);
const struct kv_dev *kv_devices_find(const struct kv_devices *v, const char *name);
struct json_object *kv_devices_describe(const struct kv_devices *view);
int kv_devices_print(struct json_object *doc, struct kv_fault *f);
