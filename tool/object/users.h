/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_USERS_H
#define KV_OBJECT_USERS_H

#include "batch/session.h"

/* Who uses an object, as far as it can be seen. */

void kv_users_name(struct kv_session *s, enum kv_type type, uint32_t id,
		   struct kv_fault *f);

#endif
