/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include <sys/types.h>
#include "cli/fault.h"
#include "model/backend.h"

/* Packets of a device that tcpdump writes into a file. */
struct kv_capture {
	pid_t pid; /* tcpdump; 0: it does not run */
	FILE *said; /* the standard error of tcpdump */
	char netdev[16]; /* the network interface that it listens on */
};

int kv_capture_begin(struct kv_capture *c, const char *path, const struct kv_dev *dev,
		     struct kv_fault *f);
void kv_capture_end(struct kv_capture *c);
