/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_HANDLER_RUN_H
#define _KV_HANDLER_RUN_H

#include <linux/types.h>

struct ib_cqe;
struct kv_cq;
struct kv_loop;
struct kv_worker;

void kv_handler_init(struct kv_worker *worker);
bool kv_handler_notify(struct kv_cq *cq);
struct ib_cqe *kv_handler_cqe(u32 post_context);
int kv_handler_run(struct kv_loop *l);
void kv_handler_attach(struct kv_worker *worker);
void kv_handler_detach(struct kv_worker *worker);

#endif
