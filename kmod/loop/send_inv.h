/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_SEND_INV_H
#define _KV_SEND_INV_H

#include "sample.h"
#include "wait.h"

/* The untimed part: replace the receive, take the completion of the SEND. */
static __always_inline int send_inv_settle(struct kv_loop *l, struct kv_end *e, __u64 since)
{
	int ret = kv_env_post_recv(e);

	return ret ? ret : kv_wait_wc(l, e, kv_env_send_cq(e), since, 0);
}

#endif
