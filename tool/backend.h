/* SPDX-License-Identifier: MIT */
#ifndef KV_BACKEND_H
#define KV_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <kverbs.h>
#include "loop/hist.h"

/*
 * What makes objects and runs in one space. The two backends are written
 * natively, one over netlink, one over libibverbs, and know nothing of each
 * other. Objects are named by ids, never 0; whatever is left when the backend
 * is closed is destroyed then.
 *
 * Every operation returns 0 or a negative errno, and on failure leaves a text in
 * kv_backend.err that names the culprit. Where there is a verb_ns, it is how
 * long the verb itself took, in nanoseconds.
 */

#define KV_GIDS_MAX 64

struct kv_gid {
	uint32_t index;
	uint32_t type; /* enum kverbs_gid_type */
	uint8_t raw[16]; /* network order */
};

/* A device and its port 1; see enum kverbs_a_dev for the fields. */
struct kv_dev {
	char name[64];
	uint32_t ports;
	uint32_t max_qp_wr;
	uint32_t max_cqe;
	uint32_t max_send_sge;
	uint32_t max_qp_rd_atom;
	uint64_t max_mr_bytes;
	uint32_t max_msg_bytes;
	uint32_t atomic; /* enum ib_atomic_cap: 0 none */
	uint32_t fast_reg;
	uint32_t port_state; /* 4 is active */
	uint32_t active_mtu; /* bytes */
	uint32_t lid;
	unsigned int gids;
	struct kv_gid gid[KV_GIDS_MAX];
};

struct kv_qp_init {
	uint32_t pd;
	uint32_t send_cq;
	uint32_t recv_cq;
	uint32_t max_send_wr;
	uint32_t max_recv_wr;
};

/* What one transition needs; see enum kverbs_a_qp. */
struct kv_qp_attr {
	uint32_t state; /* enum kverbs_qp_state */
	uint32_t access; /* INIT: KVERBS_ACCESS_* */
	uint32_t port;
	uint32_t pkey_index;
	uint32_t path_mtu; /* RTR: bytes */
	uint32_t dest_qpn;
	uint32_t rq_psn;
	uint8_t dgid[16];
	uint32_t sgid_index;
	uint32_t dlid;
	uint32_t min_rnr_timer;
	uint32_t max_dest_rd_atomic;
	uint32_t sq_psn; /* RTS */
	uint32_t timeout;
	uint32_t retry_cnt;
	uint32_t rnr_retry;
	uint32_t max_rd_atomic;
};

struct kv_mr_key {
	uint32_t lkey;
	uint32_t rkey;
	uint64_t iova;
};

/* One end of a connection as a run uses it; see enum kverbs_a_end. */
struct kv_run_end {
	uint32_t qp;
	uint32_t local_mr;
	uint32_t target_mr;
	uint32_t lkey; /* enum kverbs_lkey; user space has but MR */
	uint64_t remote_addr;
	uint32_t remote_key;
};

/* What to run; see enum kverbs_a_run. */
struct kv_run_spec {
	char dev[64]; /* KVERBS_LOOP_NULL only */
	uint32_t loop;
	uint32_t op;
	uint32_t size;
	struct kv_run_end end;
	struct kv_run_end peer; /* KVERBS_LOOP_RELAY only */
	uint64_t compare_add;
	uint64_t swap;
	uint64_t iters; /* 0: no limit */
	uint64_t time_ns; /* 0: no limit */
	uint64_t warmup;
	uint64_t timeout_ns;
	uint32_t post; /* enum kverbs_post; user space has but PROCESS */
	int32_t cpu; /* -1: any */
	int32_t spins; /* -1: the space's default */
};

/* What a run has so far, or had at its end. */
struct kv_run_result {
	uint32_t state; /* enum kverbs_run_state */
	int32_t error; /* 0 or negative errno */
	uint32_t wc_status;
	uint32_t vendor_err;
	uint64_t samples;
	uint64_t warmed;
	uint64_t elapsed_ticks;
	uint64_t elapsed_ns;
	uint64_t let_go;
	struct kv_hist hist;
};

/* Whose verbs these are, for the record. */
struct kv_info {
	char version[64]; /* of the module; user space: file of libibverbs */
	char counter[32]; /* what a tick is of; see KVERBS_A_INFO_COUNTER */
	/* Of all connections together; kernel only, 0 in user space. */
	uint64_t created;
	uint64_t destroyed;
	uint64_t buffer_bytes;
};

struct kv_backend;

struct kv_backend_ops {
	const char *space; /* "kernel" or "user" */
	void (*close)(struct kv_backend *b);
	int (*info)(struct kv_backend *b, struct kv_info *info);

	int (*dev_get)(struct kv_backend *b, const char *name,
		       struct kv_dev *dev);
	/* Calls @fn for each device; stops when it returns non-zero. */
	int (*dev_each)(struct kv_backend *b,
			int (*fn)(const struct kv_dev *dev, void *arg),
			void *arg);

	int (*pd_new)(struct kv_backend *b, const char *dev, uint32_t *id,
		      uint64_t *verb_ns);
	int (*pd_del)(struct kv_backend *b, uint32_t id, uint64_t *verb_ns);
	int (*cq_new)(struct kv_backend *b, const char *dev, uint32_t cqe,
		      uint32_t *id, uint64_t *verb_ns);
	int (*cq_del)(struct kv_backend *b, uint32_t id, uint64_t *verb_ns);

	/* A zeroed buffer; in the kernel with an MR that is not yet registered. */
	int (*mr_new)(struct kv_backend *b, uint32_t pd, uint64_t length,
		      uint32_t *id, uint64_t *verb_ns);
	int (*mr_del)(struct kv_backend *b, uint32_t id, uint64_t *verb_ns);
	/* Kernel: IB_WR_REG_MR on @qp (in RTS). User: ibv_reg_mr(). */
	int (*mr_reg)(struct kv_backend *b, uint32_t id, uint32_t qp,
		      uint32_t access, uint64_t offset, uint64_t length,
		      struct kv_mr_key *key, uint64_t *verb_ns);
	/* Kernel: IB_WR_LOCAL_INV on @qp. User: ibv_dereg_mr(). */
	int (*mr_inv)(struct kv_backend *b, uint32_t id, uint32_t qp,
		      uint64_t *verb_ns);
	int (*mr_write)(struct kv_backend *b, uint32_t id, uint64_t offset,
			const void *data, uint64_t length);
	int (*mr_read)(struct kv_backend *b, uint32_t id, uint64_t offset,
		       void *data, uint64_t length);

	int (*qp_new)(struct kv_backend *b, const struct kv_qp_init *init,
		      uint32_t *id, uint32_t *qpn, uint64_t *verb_ns);
	int (*qp_del)(struct kv_backend *b, uint32_t id, uint64_t *verb_ns);
	int (*qp_modify)(struct kv_backend *b, uint32_t id,
			 const struct kv_qp_attr *attr, uint64_t *verb_ns);

	int (*run_start)(struct kv_backend *b, const struct kv_run_spec *spec,
			 uint32_t *id);
	/* 0: it has ended. -EAGAIN: still active after @timeout_ms. -EINTR: a
	 * signal came. */
	int (*run_wait)(struct kv_backend *b, uint32_t id, int timeout_ms);
	int (*run_cancel)(struct kv_backend *b, uint32_t id);
	/* All but the histogram's bins, cheaply; for progress. */
	int (*run_peek)(struct kv_backend *b, uint32_t id,
			struct kv_run_result *result);
	int (*run_get)(struct kv_backend *b, uint32_t id,
		       struct kv_run_result *result);
	int (*run_del)(struct kv_backend *b, uint32_t id);
};

struct kv_backend {
	const struct kv_backend_ops *ops;
	char err[512]; /* text of the last failure */
};

/* On failure *b is NULL, the return value a negative errno, err has the text. */
int kv_backend_kern_open(struct kv_backend **b, char *err, size_t size);
int kv_backend_user_open(struct kv_backend **b, char *err, size_t size);

#endif
