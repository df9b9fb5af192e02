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

/* How user space posts and polls: ibv_post_send(), ibv_poll_cq(); or ibv_wr_*, ibv_start_poll(). */
enum kv_api {
	KV_API_POST,
	KV_API_WR,
	KV_API_MAX = KV_API_WR,
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

/* A type that a user may ask for, and is refused: no object has it, and no message. */
#define KV_QPT_XRC (KVERBS_QPT_MAX + 1)

/* IBV_DEVICE_XRC, in both spaces */
#define KV_DEVICE_XRC (1U << 20)

/* Why there is no XRC QP, after the device's name. */
static inline const char *kv_dev_explain_xrc(const struct kv_dev *dev)
{
	return dev->cap_flags & KV_DEVICE_XRC ?
	       "has XRC, but kverbs does not make XRC QPs yet: take another type" :
	       "has no XRC: its cap_flags lack bit 20, IBV_DEVICE_XRC";
}

/* The contexts that both spaces have: the RDMA core does not handle these completions. */
static inline bool kv_cq_is_raw(uint32_t context)
{
	return context == KVERBS_CQ_POLLED || context == KVERBS_CQ_EVENT;
}

/* One object; its type decides which member is valid. */
union kv_object {
	uint32_t id; /* the first member of each type */
#define OBJECT(TYPE, type, ...) struct kv_##type type;
#include "model/objects.def"
};
