/* SPDX-License-Identifier: MIT */
#ifndef KV_STDOUT_H
#define KV_STDOUT_H

int kv_stdout_open(void);
int kv_stdout_close(int status);

#endif
