/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_SHAPE_H
#define KV_REMOTE_SHAPE_H

#include "backend.h"
#include "remote/codec.h"

/* One for each struct of backend.h. Of a run's result all but its bins. */
extern const struct kv_shape kv_shape_gid;
extern const struct kv_shape kv_shape_dev;
extern const struct kv_shape kv_shape_counter;
extern const struct kv_shape kv_shape_counters;
extern const struct kv_shape kv_shape_info;
extern const struct kv_shape kv_shape_pd_init;
extern const struct kv_shape kv_shape_pd;
extern const struct kv_shape kv_shape_cq_init;
extern const struct kv_shape kv_shape_cq;
extern const struct kv_shape kv_shape_mr_init;
extern const struct kv_shape kv_shape_mr;
extern const struct kv_shape kv_shape_mr_reg;
extern const struct kv_shape kv_shape_srq_init;
extern const struct kv_shape kv_shape_srq;
extern const struct kv_shape kv_shape_srq_attr;
extern const struct kv_shape kv_shape_av;
extern const struct kv_shape kv_shape_ah_init;
extern const struct kv_shape kv_shape_ah;
extern const struct kv_shape kv_shape_qp_init;
extern const struct kv_shape kv_shape_qp_attr;
extern const struct kv_shape kv_shape_qp;
extern const struct kv_shape kv_shape_conn_init;
extern const struct kv_shape kv_shape_conn;
extern const struct kv_shape kv_shape_conn_param;
extern const struct kv_shape kv_shape_sge;
extern const struct kv_shape kv_shape_wr;
extern const struct kv_shape kv_shape_wc;
extern const struct kv_shape kv_shape_event;
extern const struct kv_shape kv_shape_run_end;
extern const struct kv_shape kv_shape_run_spec;
extern const struct kv_shape kv_shape_run_result;

#endif
