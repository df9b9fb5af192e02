/* SPDX-License-Identifier: MIT */
#ifndef KV_CONNECT_H
#define KV_CONNECT_H

#include "endpoint.h"

/* What both ways of connecting a pair agree on. */

/* 4.096 us * 2^14 = 67 ms until a packet is sent again, unless it is chosen. */
#define KV_CONNECT_ACK_TIMEOUT 14
/* 7 would be for ever. */
#define KV_CONNECT_RETRIES 6
/* READs and atomics outstanding, in each direction. */
#define KV_CONNECT_RD_ATOMIC 1

/**
 * kv_connect_ack_timeout() - of a pair's QPs
 * @w: what is measured
 *
 * Return: the local ACK timeout, 1 .. 31.
 */
static inline uint8_t kv_connect_ack_timeout(const struct kv_work *w)
{
	return w->ack_timeout ? w->ack_timeout : KV_CONNECT_ACK_TIMEOUT;
}

int kv_connect_cm(struct kv_pair *p, const uint32_t access[2], struct kv_fault *f);
void kv_connect_undo(struct kv_pair *p);

#endif
