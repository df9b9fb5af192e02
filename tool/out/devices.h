/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "model/site.h"

#define KV_DEVICES_MAX 64

/**
 * struct kv_devices - the RDMA devices as one space sees them
 * @open: the query succeeded; else @fault has the reason
 * @n: number of devices in @dev
 * @dev: the devices
 * @fault: the reason of a failed query
 */
struct kv_devices {
	bool open;
	unsigned int n;
	struct kv_dev dev[KV_DEVICES_MAX];
	struct kv_fault fault;
};

int kv_devices_take(struct kv_devices *v, enum kv_space_id id, const char *name);
const struct kv_dev *kv_devices_find(const struct kv_devices *v, const char *name);
struct json_object *kv_devices_describe(const struct kv_devices *view);
int kv_devices_print(struct json_object *doc, struct kv_fault *f);
