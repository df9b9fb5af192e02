/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_PD_H
#define _KV_PD_H

#include "obj.h"

struct ib_pd;

/**
 * struct kv_pd - a protection domain
 * @obj: base
 * @ib: the verbs object
 */
struct kv_pd {
	struct kv_obj obj;
	struct ib_pd *ib;
};

struct kv_obj *kv_pd_create(const struct kv_new *new);

extern struct kv_obj_class kv_pd_class;

#endif
