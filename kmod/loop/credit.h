/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_CREDIT_H
#define _KV_CREDIT_H

#include "loop.h"
#include "loop_env.h"

/*
 * Credits: where a SEND that finds no receive ends the connection (iWARP: RFC 5041, 7.1), the
 * initiator posts a SEND only if the responder has a receive for it. The responder counts the
 * receives that it has replaced, and gives a credit for each batch: it WRITEs one byte, the number
 * of batches modulo 256, into the initiator's target. One byte arrives as a whole or not at all;
 * the bytes of a longer counter may arrive one after the other.
 *
 * The counts go on from run to run of a connection: no run waits until a WRITE of an earlier one
 * has arrived.
 */

/**
 * kv_credit_begin() - a run with credits begins
 * @c: the credits of one end; those of an earlier run of the connection stay as they are
 * @recvs: receives that the responder keeps posted
 * @gives: the end is the responder's
 *
 * Return: 1 if it is the connection's first run: then the byte has to be 0.
 */
static inline int kv_credit_begin(struct kv_credit *c, __u32 recvs, int gives)
{
	if (c->recvs)
		return 0;
	*c = (struct kv_credit){
		.recvs = recvs,
		.gives = gives,
		.batch = kv_credit_batch(recvs),
		.left = recvs,
	};
	return 1;
}

/**
 * kv_credit_covers() - does each SEND of one more group find a receive?
 * @l: the loop of the initiator
 * @e: one of its ends
 *
 * The byte is read only if the known credits don't suffice.
 */
static __always_inline int kv_credit_covers(struct kv_loop *l, struct kv_end *e)
{
	struct kv_credit *c = kv_env_credit(e);
	__u8 told;

	if (c->left >= l->sends)
		return 1;
	told = kv_env_rx_tail(e);
	c->left += (__u8)(told - c->told) * c->batch;
	c->told = told;
	return c->left >= l->sends;
}

#endif
