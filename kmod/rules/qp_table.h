/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_QP_TABLE_H
#define _KV_QP_TABLE_H

#include <kverbs.h>
#include "refusal.h"

/*
 * The transitions between a QP's states, and the attributes that each needs and
 * allows (IBTA table 96). The file is compiled for the module and for the tool, so
 * that both spaces refuse the same commands with the same text.
 */

/* The attributes, one bit each: the values of the verbs, in both spaces. */
#define KV_QPA_STATE (1U << 0)
#define KV_QPA_CUR_STATE (1U << 1)
#define KV_QPA_EN_SQD_ASYNC_NOTIFY (1U << 2)
#define KV_QPA_ACCESS_FLAGS (1U << 3)
#define KV_QPA_PKEY_INDEX (1U << 4)
#define KV_QPA_PORT (1U << 5)
#define KV_QPA_QKEY (1U << 6)
#define KV_QPA_AV (1U << 7)
#define KV_QPA_PATH_MTU (1U << 8)
#define KV_QPA_TIMEOUT (1U << 9)
#define KV_QPA_RETRY_CNT (1U << 10)
#define KV_QPA_RNR_RETRY (1U << 11)
#define KV_QPA_RQ_PSN (1U << 12)
#define KV_QPA_MAX_QP_RD_ATOMIC (1U << 13)
#define KV_QPA_ALT_PATH (1U << 14)
#define KV_QPA_MIN_RNR_TIMER (1U << 15)
#define KV_QPA_SQ_PSN (1U << 16)
#define KV_QPA_MAX_DEST_RD_ATOMIC (1U << 17)
#define KV_QPA_PATH_MIG_STATE (1U << 18)
#define KV_QPA_DEST_QPN (1U << 20)

int kv_qp_table_check(__u32 type, __u32 from, __u32 to, __u32 mask, struct kv_refusal *wrong);

#endif
