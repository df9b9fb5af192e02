/* SPDX-License-Identifier: MIT */
#ifndef KV_TESTS_FAKE_SERVER_H
#define KV_TESTS_FAKE_SERVER_H

#include "serve/serve.h"

/* A client's process without the process: the server's code is real, its backend is fake. */

void fake_pair(int fd[2]);
void fake_serve_init(struct kv_serve *s);

#endif
