/* SPDX-License-Identifier: MIT */
#ifndef KV_OUT_STDOUT_H
#define KV_OUT_STDOUT_H

#include "cli/fault.h"

int kv_stdout_open(void);
int kv_stdout_flush(struct kv_fault *f);
int kv_stdout_close(int status);

#endif
