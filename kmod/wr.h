/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_WR_H
#define _KV_WR_H

#include "loop_env.h"
#include "run.h"

void kv_wr_prep(struct kv_end *end, const struct kv_run_spec *spec,
		const struct kv_run_end *from);

#endif
