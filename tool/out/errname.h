/* SPDX-License-Identifier: MIT */
#ifndef KV_OUT_ERRNAME_H
#define KV_OUT_ERRNAME_H

const char *kv_errno_name(int error);
int kv_errno_number(const char *name);

#endif
