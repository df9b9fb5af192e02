/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_PACE_H
#define _KV_PACE_H

#include "loop.h"
#include "loop_env.h"

/* What the loops have in common whose groups are due at an interval. */

/* Lets others have the CPU until a group is due; nothing is outstanding. */
static int kv_pace_yield(struct kv_loop *l)
{
	if (kv_env_stop(l))
		return -ECANCELED;
	kv_env_add(&l->yields, 1);
	kv_env_yield();
	return 0;
}

#endif
