/* SPDX-License-Identifier: MIT */
#ifndef KV_SYS_NETDEV_H
#define KV_SYS_NETDEV_H

#include "model/backend.h"

void kv_netdev_note(struct kv_dev *dev);

#endif
