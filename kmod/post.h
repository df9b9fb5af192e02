/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_POST_H
#define _KV_POST_H

#include <linux/types.h>

struct ib_send_wr;
struct kv_cq;
struct kv_mr;
struct kv_qp;
struct kv_wc;
struct kv_wqe_ops;
struct kv_wr_spec;
struct netlink_ext_ack;

/**
 * struct kv_posted - the result of a post
 * @n: how many of the requests are posted, from the first on
 * @error: 0, or the verb's error at the next request
 * @verb_ns: how long the verb took
 */
struct kv_posted {
	unsigned int n;
	int error;
	u64 verb_ns;
};

int kv_post(const struct kv_wr_spec *spec, unsigned int n, u32 context,
	    struct kv_posted *posted, struct netlink_ext_ack *extack);
int kv_post_and_wait(struct kv_qp *qp, struct kv_mr *mr, struct ib_send_wr *wr, u32 op,
		     u32 context, const struct kv_wqe_ops *ops, bool *posted,
		     struct netlink_ext_ack *extack);
int kv_post_poll(struct kv_cq *cq, struct kv_wc *wc, unsigned int max, u64 *verb_ns,
		 struct netlink_ext_ack *extack);

#endif
