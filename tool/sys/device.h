/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "model/backend.h"

int kv_counters_read(struct kv_backend *b, const struct kv_dev_port *of, struct kv_counters *c);
void kv_netdev_note(struct kv_dev *dev);
bool kv_netdev_has(const char *netdev, const uint8_t addr[16]);
