/* SPDX-License-Identifier: MIT */
#ifndef KV_NL_MSG_H
#define KV_NL_MSG_H

#include "backend.h"
#include "nl/link.h"

/*
 * The module's commands, one function each, with the arguments of the backend's
 * operation of that name. This folder is all of the tool that knows attributes.
 */

int kv_nl_info_get(struct kv_nl *nl, struct kv_info *info);
int kv_nl_dev_get(struct kv_nl *nl, const char *name, struct kv_dev *dev);
int kv_nl_dev_each(struct kv_nl *nl,
		   int (*fn)(const struct kv_dev *dev, void *arg), void *arg);
int kv_nl_pd_new(struct kv_nl *nl, const char *dev, uint32_t *id,
		 uint64_t *verb_ns);
int kv_nl_pd_del(struct kv_nl *nl, uint32_t id, uint64_t *verb_ns);
int kv_nl_cq_new(struct kv_nl *nl, const char *dev, uint32_t cqe, uint32_t *id,
		 uint64_t *verb_ns);
int kv_nl_cq_del(struct kv_nl *nl, uint32_t id, uint64_t *verb_ns);
int kv_nl_mr_new(struct kv_nl *nl, uint32_t pd, uint64_t length, uint32_t *id,
		 uint64_t *verb_ns);
int kv_nl_mr_del(struct kv_nl *nl, uint32_t id, uint64_t *verb_ns);
int kv_nl_mr_reg(struct kv_nl *nl, uint32_t id, uint32_t qp, uint32_t access,
		 uint64_t offset, uint64_t length, struct kv_mr_key *key,
		 uint64_t *verb_ns);
int kv_nl_mr_inv(struct kv_nl *nl, uint32_t id, uint32_t qp, uint64_t *verb_ns);
/* At most KVERBS_DATA_MAX bytes. */
int kv_nl_mr_write(struct kv_nl *nl, uint32_t id, uint64_t offset,
		   const void *data, uint32_t length);
int kv_nl_mr_read(struct kv_nl *nl, uint32_t id, uint64_t offset, void *data,
		  uint32_t length);
int kv_nl_qp_new(struct kv_nl *nl, const struct kv_qp_init *init, uint32_t *id,
		 uint32_t *qpn, uint64_t *verb_ns);
int kv_nl_qp_del(struct kv_nl *nl, uint32_t id, uint64_t *verb_ns);
int kv_nl_qp_modify(struct kv_nl *nl, uint32_t id, const struct kv_qp_attr *attr,
		    uint64_t *verb_ns);
int kv_nl_run_start(struct kv_nl *nl, const struct kv_run_spec *spec,
		    uint32_t *id);
int kv_nl_run_cancel(struct kv_nl *nl, uint32_t id);
int kv_nl_run_peek(struct kv_nl *nl, uint32_t id, struct kv_run_result *result);
int kv_nl_run_get(struct kv_nl *nl, uint32_t id, struct kv_run_result *result);
int kv_nl_run_del(struct kv_nl *nl, uint32_t id);

#endif
