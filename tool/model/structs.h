/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <kverbs.h>
#include "loop/hist.h"
#include "rules/run.h"

/* Entries of a GID table that are kept; no table has more. */
#define KV_GIDS_MAX 256

/*
 * Ports that are kept. Another host sends a device's ports, with their GIDs, in one attribute: its
 * 64 KiB have no room for more.
 */
#define KV_PORTS_MAX 4

/* IB_PORT_ACTIVE */
#define KV_PORT_ACTIVE 4

/* A device has a few dozen. */
#define KV_COUNTERS_MAX 128

/* Types of objects, in the order of model/objects.def. */
enum kv_type {
#define OBJECT(TYPE, type, ...) KV_##TYPE,
#include "model/objects.def"
	KV_TYPES,
	KV_NO_TYPE = KV_TYPES,
};

/* No argument, or no result. */
struct kv_none {
	uint8_t unused;
};

/* Arguments and results of the operations of ops.def. */
#include "model/as_struct.h"
#include "model/structs.def"

/* Only iWARP lacks UC, UD and AHs; the RDMA CM makes its connections. */
static inline bool kv_dev_is_iwarp(const struct kv_dev *dev)
{
	return (dev->caps & (KVERBS_CAP_RC | KVERBS_CAP_UC | KVERBS_CAP_UD | KVERBS_CAP_AH)) ==
	       KVERBS_CAP_RC;
}

/* The vendor's id of rxe, a software device. */
#define KV_RXE_VENDOR_ID 0xffffff

static inline bool kv_dev_is_rxe(const struct kv_dev *dev)
{
	return dev->vendor_id == KV_RXE_VENDOR_ID;
}

/* One object; its type decides which member is valid. */
union kv_object {
	uint32_t id; /* the first member of each type */
#define OBJECT(TYPE, type, ...) struct kv_##type type;
#include "model/objects.def"
};
