/* SPDX-License-Identifier: MIT */
#ifndef KV_OUT_COMMIT_H
#define KV_OUT_COMMIT_H

/* The commit that the tool was built from, as git describes it; "": it was not built in a clone. */
extern const char kv_commit[];

#endif
