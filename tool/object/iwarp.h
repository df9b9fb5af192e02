/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_IWARP_H
#define KV_OBJECT_IWARP_H

#include "batch/session.h"

#define KV_IWARP_CM "iWARP connects through the RDMA CM: 'conn listen' and 'conn connect'"
#define KV_IWARP_IMM "iWARP has no immediate data"

int kv_iwarp_check(struct kv_session *s, uint32_t qp, const char *why, struct kv_fault *f);

#endif
