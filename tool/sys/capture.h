/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include <sys/types.h>
#include "cli/fault.h"
#include "model/backend.h"

/**
 * struct kv_capture - packets of a device that tcpdump writes into a file
 * @pid: tcpdump; 0: it does not run
 * @said: the standard error of tcpdump
 * @netdev: the network interface that it listens on
 */
struct kv_capture {
	pid_t pid;
	FILE *said;
	char netdev[16];
};

int kv_capture_begin(struct kv_capture *c, const char *path, const struct kv_dev *dev,
		     struct kv_fault *f);
void kv_capture_end(struct kv_capture *c);
