/* SPDX-License-Identifier: MIT */
#pragma once

#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>
#include "cli/fault.h"

/* Reaching other hosts over TCP, and being reached. */

const char *kv_tcp_find(const char *host, const char *port, int family, int flags,
			struct addrinfo **list);
int kv_tcp_look_up(const char *host, const char *port, int family, struct addrinfo **list,
		   struct kv_fault *f);
int kv_tcp_dial(const struct addrinfo *list, uint64_t each_ns);
int kv_tcp_listen(const struct addrinfo *at, bool both, int backlog);
