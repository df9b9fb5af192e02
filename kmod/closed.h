/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_CLOSED_H
#define _KV_CLOSED_H

struct kv_owner;

void kv_closed_begin(struct kv_owner *owner);
bool kv_closed_pending(struct kv_owner *owner);
int kv_closed_wait(struct kv_owner *owner);

#endif
