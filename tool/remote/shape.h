/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_SHAPE_H
#define KV_REMOTE_SHAPE_H

#include "model/backend.h"
#include "remote/codec.h"

/*
 * One for each struct that an operation takes or gives, and for those within them. Of a run's
 * result all but its bins, of mr_write() and mr_read() all but the data.
 */
#define OP(NAME, name, in, out, about) \
	extern const struct kv_shape kv_shape_##in, kv_shape_##out;
#define LOCAL(...)
#include "model/ops.def"
extern const struct kv_shape kv_shape_gid;
extern const struct kv_shape kv_shape_counter;
extern const struct kv_shape kv_shape_av;
extern const struct kv_shape kv_shape_qp_attr;
extern const struct kv_shape kv_shape_sge;
extern const struct kv_shape kv_shape_run_end;

#endif
