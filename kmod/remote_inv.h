/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_REMOTE_INV_H
#define _KV_REMOTE_INV_H

struct kv_wqe_ops;

/*
 * For a request whose completion may tell which key was invalidated. The MR with this key changes
 * its state when the completion is returned or dropped.
 */
extern const struct kv_wqe_ops kv_remote_inv_ops;

#endif
