/* SPDX-License-Identifier: MIT */
#pragma once

#include <sys/types.h>
#include "remote/peer.h"

int kv_ssh_start(const struct kv_peer *peer, int *fd, pid_t *pid, struct kv_fault *f);
int kv_ssh_explain(const struct kv_peer *peer, pid_t *pid, struct kv_fault *f);
void kv_ssh_end(pid_t *pid);
