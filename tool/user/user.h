/* SPDX-License-Identifier: MIT */
#ifndef KV_USER_H
#define KV_USER_H

/* What the files of the libibverbs backend share, and nobody else. */

#include <pthread.h>
#include <infiniband/verbs.h>
#include "backend.h"
#include "loop_env.h"

struct kv_user_run;

/* In the order in which they are destroyed: users before what they use. */
enum kv_user_type {
	KV_USER_RUN,
	KV_USER_QP,
	KV_USER_MR,
	KV_USER_CQ,
	KV_USER_PD,
	KV_USER_TYPES,
};

/* A QP has most, see enum kv_user_qp_parent. */
#define KV_USER_PARENTS 5

/**
 * struct kv_user_dev - an open device
 * @next: the backend's next one
 * @ctx: open until the backend is closed
 * @attr: its limits
 * @link_layer: of port 1, IBV_LINK_LAYER_*
 */
struct kv_user_dev {
	struct kv_user_dev *next;
	struct ibv_context *ctx;
	struct ibv_device_attr attr;
	uint8_t link_layer;
};

/**
 * struct kv_user_obj - what all objects have; first member of each
 * @next: older object of the same type
 * @type: what it is
 * @id: its name in the contract
 * @users: how many objects have it as a parent
 * @dev: its device
 * @parents: what it uses; NULL where there is none
 */
struct kv_user_obj {
	struct kv_user_obj *next;
	enum kv_user_type type;
	uint32_t id;
	unsigned int users;
	struct kv_user_dev *dev;
	struct kv_user_obj *parents[KV_USER_PARENTS];
};

/**
 * struct kv_user - the backend
 * @base: what the tool sees; first member
 * @devs: devices opened so far
 * @objs: all objects, those of a type newest first
 *
 * One thread at a time calls the operations. The threads of the runs touch their
 * struct kv_user_run and nothing else, so there are no locks.
 */
struct kv_user {
	struct kv_backend base;
	struct kv_user_dev *devs;
	struct kv_user_obj *objs[KV_USER_TYPES];
};

/**
 * struct kv_user_pd - a protection domain
 * @obj: base
 * @ib: the verbs object
 */
struct kv_user_pd {
	struct kv_user_obj obj;
	struct ibv_pd *ib;
};

/**
 * struct kv_user_cq - a completion queue that we poll ourselves
 * @obj: base
 * @ib: the verbs object
 * @poller: the run that polls it; NULL if nobody does. It may have ended since:
 *	kv_user_run_active() tells.
 */
struct kv_user_cq {
	struct kv_user_obj obj;
	struct ibv_cq *ib;
	struct kv_user_run *poller;
};

/**
 * struct kv_user_mr - a buffer, and its registration
 * @obj: base; parent 0 is the PD
 * @buf: the buffer, whole pages
 * @length: its bytes as they were asked for
 * @ib: the verbs object; NULL while the buffer is not registered
 * @access: rights of the registration, KVERBS_ACCESS_*
 * @offset: first registered byte
 * @reg_length: registered bytes
 */
struct kv_user_mr {
	struct kv_user_obj obj;
	uint8_t *buf;
	uint64_t length;
	struct ibv_mr *ib;
	uint32_t access;
	uint64_t offset;
	uint64_t reg_length;
};

/* What a QP uses: its parents by slot. */
enum kv_user_qp_parent {
	KV_USER_QP_PD,
	KV_USER_QP_SEND_CQ,
	KV_USER_QP_RECV_CQ,
	KV_USER_QP_LOCAL_MR,
	KV_USER_QP_TARGET_MR,
};

/**
 * struct kv_user_qp - an RC queue pair
 * @obj: base; the MRs among the parents are those that the last run posted.
 *	Receives may still be outstanding on them, so they stay until another run,
 *	RESET, or the QP's end.
 * @ib: the verbs object
 * @send_cq: where sends complete
 * @recv_cq: where receives complete
 * @port: the one that INIT named
 * @max_recv_wr: depth of the receive queue
 * @recvs: receives that are posted
 * @recv_lkey: the key that they name the target MR by
 * @dirty: a run ended with other requests outstanding
 */
struct kv_user_qp {
	struct kv_user_obj obj;
	struct ibv_qp *ib;
	struct kv_user_cq *send_cq;
	struct kv_user_cq *recv_cq;
	uint8_t port;
	uint32_t max_recv_wr;
	uint32_t recvs;
	uint32_t recv_lkey;
	bool dirty;
};

/**
 * struct kv_user_end - one end of a connection, as it was asked for
 * @qp: in RTS
 * @local: what is sent from and read into
 * @target: what the peer sends or writes into; NULL if the loop has no use for it
 */
struct kv_user_end {
	struct kv_user_qp *qp;
	struct kv_user_mr *local;
	struct kv_user_mr *target;
};

/**
 * struct kv_user_run - a workload and its thread
 * @obj: base; parents are the QPs of @ends. What the run posts from and into are
 *	the QPs' parents.
 * @spec: what was asked for, defaults filled in
 * @ends: the end, and the peer of a RELAY; qp is NULL where there is none
 * @loop: what the thread works on; others set @loop.stop, and read counters
 * @end: the work requests of @ends
 * @hist: samples
 * @fn: the loop
 * @time: the loop's ticks
 * @thread: the thread; not joined as long as @joined is false
 * @joined: the thread is gone, QPs and CQs are others' again
 * @done: eventfd, readable for ever once the run has ended
 * @measuring: warm-up is over: set after the histogram was emptied, so that what
 *	was warmed up is never read as samples
 * @state: enum kverbs_run_state; the release that makes the rest readable
 * @error: how it ended
 * @warmed: iterations before the first sample
 * @elapsed_ns: around the measured part, by CLOCK_MONOTONIC_RAW
 */
struct kv_user_run {
	struct kv_user_obj obj;
	struct kv_run_spec spec;
	struct kv_user_end ends[2];
	struct kv_loop loop;
	struct kv_end end[2];
	struct kv_hist hist;
	kv_loop_fn fn;
	uint64_t time;
	pthread_t thread;
	bool joined;
	int done;
	int measuring;
	uint32_t state;
	int error;
	__u64 warmed;
	uint64_t elapsed_ns;
};

/* backend.c */
int kv_user_fail(struct kv_user *u, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
struct kv_user_dev *kv_user_dev_open(struct kv_user *u, const char *name,
				     int *error);

/* obj.c */
void kv_user_obj_publish(struct kv_user *u, struct kv_user_obj *obj,
			 enum kv_user_type type, struct kv_user_dev *dev);
void kv_user_obj_set_parent(struct kv_user_obj *obj, unsigned int slot,
			    struct kv_user_obj *parent);
void *kv_user_obj_find(struct kv_user *u, enum kv_user_type type, uint32_t id);
int kv_user_obj_delete(struct kv_user *u, enum kv_user_type type, uint32_t id,
		       uint64_t *verb_ns);
void kv_user_obj_destroy_all(struct kv_user *u);
int kv_user_pd_new(struct kv_backend *b, const char *name, uint32_t *id,
		   uint64_t *verb_ns);
int kv_user_pd_del(struct kv_backend *b, uint32_t id, uint64_t *verb_ns);
int kv_user_cq_new(struct kv_backend *b, const char *name, uint32_t cqe,
		   uint32_t *id, uint64_t *verb_ns);
int kv_user_cq_del(struct kv_backend *b, uint32_t id, uint64_t *verb_ns);

/* mr.c */
uint64_t kv_user_mr_bytes_max(const struct kv_user_dev *dev);
int kv_user_mr_new(struct kv_backend *b, uint32_t pd_id, uint64_t length,
		   uint32_t *id, uint64_t *verb_ns);
int kv_user_mr_del(struct kv_backend *b, uint32_t id, uint64_t *verb_ns);
int kv_user_mr_reg(struct kv_backend *b, uint32_t id, uint32_t qp,
		   uint32_t access, uint64_t offset, uint64_t length,
		   struct kv_mr_key *key, uint64_t *verb_ns);
int kv_user_mr_inv(struct kv_backend *b, uint32_t id, uint32_t qp,
		   uint64_t *verb_ns);
int kv_user_mr_write(struct kv_backend *b, uint32_t id, uint64_t offset,
		     const void *data, uint64_t length);
int kv_user_mr_read(struct kv_backend *b, uint32_t id, uint64_t offset,
		    void *data, uint64_t length);
int kv_user_mr_destroy(struct kv_user_obj *obj, uint64_t *verb_ns);

/* qp.c */
int kv_user_qp_new(struct kv_backend *b, const struct kv_qp_init *init,
		   uint32_t *id, uint32_t *qpn, uint64_t *verb_ns);
int kv_user_qp_del(struct kv_backend *b, uint32_t id, uint64_t *verb_ns);
int kv_user_qp_modify(struct kv_backend *b, uint32_t id,
		      const struct kv_qp_attr *attr, uint64_t *verb_ns);
int kv_user_qp_check_rts(struct kv_user *u, struct kv_user_qp *qp);
int kv_user_qp_check_idle(struct kv_user *u, struct kv_user_qp *qp);
int kv_user_qp_destroy(struct kv_user_obj *obj, uint64_t *verb_ns);

/* wr.c */
int kv_user_wr_check(struct kv_user *u, const struct kv_user_run *run);
void kv_user_wr_prep(struct kv_user_run *run, unsigned int i);

/* run.c */
int kv_user_run_start(struct kv_backend *b, const struct kv_run_spec *spec,
		      uint32_t *id);
int kv_user_run_wait(struct kv_backend *b, uint32_t id, int timeout_ms);
int kv_user_run_cancel(struct kv_backend *b, uint32_t id);
int kv_user_run_del(struct kv_backend *b, uint32_t id);
bool kv_user_run_active(struct kv_user_run *run);
void kv_user_run_stop(struct kv_user_run *run);
int kv_user_run_destroy(struct kv_user_obj *obj, uint64_t *verb_ns);

/* result.c */
int kv_user_run_peek(struct kv_backend *b, uint32_t id,
		     struct kv_run_result *result);
int kv_user_run_get(struct kv_backend *b, uint32_t id,
		    struct kv_run_result *result);

#endif
