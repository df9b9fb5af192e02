/* SPDX-License-Identifier: MIT */
#ifndef KV_OUT_VIEW_H
#define KV_OUT_VIEW_H

#include <json-c/json.h>
#include "model/site.h"

#define KV_VIEW_DEVS 64

/**
 * struct kv_view - what one space sees of the RDMA devices
 * @open: it could look; else @fault says why not
 * @n: how many there are in @dev
 * @dev: the devices
 * @fault: why it could not look
 */
struct kv_view {
	bool open;
	unsigned int n;
	struct kv_dev dev[KV_VIEW_DEVS];
	struct kv_fault fault;
};

int kv_view_take(struct kv_view *v, enum kv_space_id id, const char *name);
struct json_object *kv_view_describe(const struct kv_view *view);
int kv_view_print(struct json_object *doc, struct kv_fault *f);

#endif
