/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * For the files of the libibverbs backend alone. In all functions @u is the backend. Functions that
 * return an int return 0 or a negative errno, with the text left by kv_user_fail(), unless their
 * comment says otherwise.
 */

#include <sys/queue.h>
#include <infiniband/verbs.h>

#include "loop/loop.h"
#include "model/shape.h"
#include "rules/cq.h"
#include "rules/refusal.h"
#include "sys/clock.h"

/*
 * Calls a verb, and adds its duration to the operation's time. The value and errno are the verb's.
 */
#define KV_USER_TIMED(u, verb) ({						\
	uint64_t start_ = kv_clock_raw_ns();					\
	__auto_type ret_ = (verb);						\
	(u)->base.times.verb_ns += kv_clock_raw_ns() - start_;			\
	ret_;									\
})

/* The same for an operation that may call several verbs. */
#define KV_USER_STAGE(u, stage, verb) ({					\
	uint64_t before_ = (u)->base.times.verb_ns;					\
	__auto_type verb_ = KV_USER_TIMED(u, verb);				\
	(u)->base.times.stage_ns[KVERBS_STAGE_##stage] += (u)->base.times.verb_ns - before_; \
	verb_;									\
})

struct kv_user_conn;
struct kv_user_post;
struct kv_user_run;
struct rdma_event_channel;

/*
 * The types of the contract, and runs. An object's users are of later types, so objects are
 * destroyed from the last type to the first.
 */
enum {
	KV_USER_RUN = KV_TYPES,
	KV_USER_TYPES,
};

/* Parents that each object has room for: a QP needs the most. A run has room of its own. */
#define KV_USER_PARENTS 9

/* Memory of the process is cheap, but a typing mistake should not take it all. */
#define KV_USER_BUF_MAX (1ULL << 30)

/* The most events that are kept; beyond this number the oldest event is lost. */
#define KV_USER_EVENTS 64

/* Many more buckets than there usually are outstanding requests. */
#define KV_USER_POST_BUCKETS 256

/* An open device. */
struct kv_user_dev {
	struct kv_user_dev *next; /* the backend's next one */
	struct ibv_context *ctx; /* open until the backend is closed */
	struct ibv_device_attr attr; /* its limits */
	uint64_t cap_flags; /* all of its capabilities, IBV_DEVICE_* */
	struct kv_cq_moderation moderation; /* the most that its CQs can */
	uint8_t link_layer[UINT8_MAX + 1]; /* of each port, IBV_LINK_LAYER_* */
	/*
	 * Inode of the device's sysfs folder, 0 if not known. Another device may get the same name,
	 * but not the same inode.
	 */
	ino_t ino;
	uint64_t looked_ns; /* when kv_user_dev_check() last looked for that folder */
};

/* The first member of all objects. */
struct kv_user_obj {
	unsigned int type; /* enum kv_type or KV_USER_RUN */
	uint32_t id; /* its name in the contract */
	unsigned int users; /* how many objects have it as a parent */
	unsigned int posts; /* how often requests posted by hand name the object */
	struct kv_user_dev *dev; /* its device */
	struct kv_user_obj **parents; /* what it uses; NULL where there is none */
	unsigned int slots; /* how many of @parents there are */
	struct kv_user_obj *own[KV_USER_PARENTS]; /* @parents, unless they are allocated */
};

/* All objects of a type. */
struct kv_user_table {
	struct kv_user_obj **objs; /* in the order of their ids */
	size_t n;
	size_t gap; /* number of unused places before @objs */
	size_t room; /* number of places in all */
};

/* Goes through the objects of a type; no object of the type is made or destroyed meanwhile. */
#define KV_USER_FOR_EACH(u, TYPE, object)						\
	for (size_t i_ = 0; i_ < (u)->tables[TYPE].n &&					\
			    ((object) = (void *)(u)->tables[TYPE].objs[i_]); i_++)

/*
 * The backend. One thread at a time calls the operations. The thread of a run touches only its
 * struct kv_user_run, so there are no locks.
 */
struct kv_user {
	struct kv_backend base; /* the tool's view; first member */
	struct kv_user_dev *devs; /* devices opened so far */
	bool opened_all; /* all devices were opened, for their events */
	struct kv_user_table tables[KV_USER_TYPES]; /* the objects by type */
	/* Requests posted by hand, by the last bits of their serial numbers. */
	LIST_HEAD(, kv_user_post) posts[KV_USER_POST_BUCKETS];
	uint64_t serial; /* of the last request that was posted by hand */
	struct kv_refusal why; /* why a rule refuses, for kv_user_rule() */
	/* A ring of the events that are not asynchronous events of a device. */
	struct kv_event events[KV_USER_EVENTS];
	unsigned int first_event; /* the oldest of @events */
	unsigned int n_events;
	/* Channel for the events of all CONNs, not blocking; NULL until there is a CONN. */
	struct rdma_event_channel *cm;
};

/* A protection domain. */
struct kv_user_pd {
	struct kv_user_obj obj;
	struct ibv_pd *ib;
};

TAILQ_HEAD(kv_user_posts, kv_user_post);

/* A completion queue. */
struct kv_user_cq {
	struct kv_user_obj obj;
	struct ibv_cq *ib;
	/*
	 * The reply about it, except the cqe. Its pending requests are those posted by hand that
	 * complete into this CQ; receives of an SRQ count only once they are in @done.
	 */
	struct kv_cq is;
	uint32_t api; /* enum kv_api */
	/* Its own completion channel; NULL unless its context is EVENT. */
	struct ibv_comp_channel *channel;
	/*
	 * The run that polls the CQ; NULL if none does. kv_user_run_active() tells whether the run
	 * has ended since.
	 */
	struct kv_user_run *poller;
	bool marked; /* a spec that is being checked has an end that completes here */
	/*
	 * Requests posted by hand whose completions were taken from @ib, in order, and are not
	 * handed out yet.
	 */
	struct kv_user_posts done;
};

/* A buffer. */
struct kv_user_buf {
	struct kv_user_obj obj;
	uint8_t *mem; /* whole pages */
	uint64_t length; /* bytes that were asked for */
};

/* The parents of an MR by slot. */
enum kv_user_mr_parent {
	KV_USER_MR_PD,
	KV_USER_MR_BUF, /* while it is registered */
};

/* A memory region. */
struct kv_user_mr {
	struct kv_user_obj obj;
	struct ibv_mr *ib; /* the verbs object; NULL while it is not registered */
	struct kv_mr is; /* what it tells */
};

/* The requests posted by hand on a work queue. */
struct kv_user_queue {
	/*
	 * In the order in which they were posted. A request stays until its completion, or that of
	 * a later send, is handed out.
	 */
	struct kv_user_posts posts;
	unsigned int n;
	uint32_t max; /* depth of the work queue */
	uint32_t max_sge; /* SGEs that a request may have */
};

/* The parents of an SRQ by slot. */
enum kv_user_srq_parent {
	KV_USER_SRQ_PD,
	KV_USER_SRQ_TARGET_BUF,
	KV_USER_SRQ_TARGET_MR,
};

/* A shared receive queue. */
struct kv_user_srq {
	/* base; the buffer and the MR among the parents are those of @recvs */
	struct kv_user_obj obj;
	struct ibv_srq *ib;
	struct ibv_srq_attr attr; /* the device's last answer */
	struct kv_user_queue rq; /* its receives */
	uint32_t recvs; /* receives that runs posted; they stay until the SRQ is gone */
	bool recvs_lost; /* a QP that took from @recvs was reset or is gone: fewer are posted */
	uint32_t recv_lkey; /* the key by which @recvs name the target MR */
	uint64_t target_offset; /* where their bytes begin in the target buffer */
};

/* An address handle. */
struct kv_user_ah {
	struct kv_user_obj obj; /* base; parent 0 is the PD */
	struct ibv_ah *ib;
	struct kv_ah is; /* what it tells */
};

/* The parents of a QP by slot. */
enum kv_user_qp_parent {
	KV_USER_QP_PD,
	KV_USER_QP_SEND_CQ,
	KV_USER_QP_RECV_CQ,
	KV_USER_QP_SRQ,
	KV_USER_QP_LOCAL_BUF,
	KV_USER_QP_LOCAL_MR,
	KV_USER_QP_TARGET_BUF,
	KV_USER_QP_TARGET_MR,
	KV_USER_QP_AH,
};

/* A queue pair. */
struct kv_user_qp {
	/*
	 * Base; the buffers, MRs and the AH among the parents are those that the last run posted.
	 * Receives may still be outstanding on them, so they stay until another run, RESET, or the
	 * QP's end.
	 */
	struct kv_user_obj obj;
	struct ibv_qp *ib; /* the verbs object; on iWARP RESET makes another one */
	struct ibv_qp_init_attr init; /* what @ib was made with */
	uint32_t api; /* enum kv_api of its runs, and of its CQs */
	/*
	 * The reply about it, except the values that the device is asked for. The QPN is valid also
	 * while @ib is destroyed.
	 */
	struct kv_qp is;
	uint32_t state; /* last known enum kverbs_qp_state; see kv_user_qp_query_state() */
	struct kv_user_cq *send_cq; /* where sends complete */
	struct kv_user_cq *recv_cq; /* where receives complete */
	struct kv_user_srq *srq; /* where receives come from; NULL if @rq has them */
	uint8_t port; /* the last port that was set, else 1 */
	/* KV_QPA_*, set since the last RESET: only these attributes have a meaning. */
	uint32_t given;
	struct kv_user_queue sq; /* sends posted by hand */
	struct kv_user_queue rq; /* receives posted by hand */
	uint32_t recvs; /* receives that runs posted */
	uint32_t recv_lkey; /* the key by which @recvs name the target MR */
	uint64_t target_offset; /* where their bytes begin in the target buffer */
	struct kv_credit credit; /* of the connection's runs with credits */
	bool needs_reset; /* a run ended with other requests outstanding */
	/*
	 * The outstanding requests of an active run whose ends have one CQ in common; else NULL.
	 * The wr_id of all requests of runs is the address of this member: they are gone from the
	 * CQs before the QP is.
	 */
	struct kv_flow *flow;
	bool in_spec; /* a spec that is being checked names it */
};

/* Leaves the text of a failure: cause and remedy. Returns @error, a negative errno. */
#define kv_user_fail(u, error, ...) kv_backend_fail(&(u)->base, error, __VA_ARGS__)

/* The same for a verb that failed in @stage. */
#define kv_user_verb_failed(u, stage, error, ...)					\
	((u)->base.failed = (stage), kv_user_fail(u, error, __VA_ARGS__))

/* backend.c */
int kv_user_refuse(struct kv_user *u, const struct kv_refusal *why);
int kv_user_rule(struct kv_user *u, int broken);
int kv_user_check_count(struct kv_user *u, const char *what, uint32_t value,
			int limit, const char *limit_name);

/* dev.c */
struct kv_user_dev *kv_user_dev_open(struct kv_user *u, const char *name, int *error);
int kv_user_dev_open_all(struct kv_user *u);
int kv_user_dev_list(struct kv_user *u, struct ibv_device ***list);
const char *kv_user_dev_name(const struct kv_user_dev *dev);
bool kv_user_dev_is_gone(const struct kv_user_dev *dev);
bool kv_user_dev_gone(struct kv_backend *b, const char *name);
int kv_user_dev_check(struct kv_user *u, struct kv_user_dev *dev);
int kv_user_dev_check_port(struct kv_user *u, const struct kv_user_dev *dev,
			   const char *what, uint32_t port);

/* dev_attr.c */
uint32_t kv_user_dev_caps(const struct kv_user_dev *dev);
bool kv_user_dev_has_atomic_write(const struct kv_user_dev *dev);
bool kv_user_dev_is_iwarp(const struct kv_user_dev *dev);
int kv_user_dev_each(struct kv_backend *b,
		     int (*fn)(const struct kv_dev *dev, void *arg), void *arg);

/* obj_table.c */
bool kv_user_table_reserve(struct kv_user_table *table);
void kv_user_table_add(struct kv_user_table *table, struct kv_user_obj *obj);
struct kv_user_obj *kv_user_table_find(const struct kv_user_table *table, uint32_t id);
void kv_user_table_remove(struct kv_user_table *table, uint32_t id);
void kv_user_table_free(struct kv_user_table *table);

/* obj.c */
void *kv_user_obj_alloc(struct kv_user *u, unsigned int type, struct kv_user_dev *dev);
void kv_user_obj_free(struct kv_user_obj *obj);
void kv_user_obj_publish(struct kv_user *u, struct kv_user_obj *obj);
int kv_user_obj_set_slots(struct kv_user *u, struct kv_user_obj *obj, unsigned int slots);
void kv_user_obj_set_parent(struct kv_user_obj *obj, unsigned int slot, struct kv_user_obj *parent);
void *kv_user_obj_find(struct kv_user *u, unsigned int type, uint32_t id);
int kv_user_obj_new(struct kv_user *u, enum kv_type type, const void *init, void *to);
void kv_user_obj_fill(struct kv_user_obj *obj, void *to);
int kv_user_obj_delete(struct kv_user *u, struct kv_user_obj *obj);
void kv_user_obj_destroy_all(struct kv_user *u);
int kv_user_obj_each(struct kv_backend *b, enum kv_type type,
		     int (*fn)(const union kv_object *object, void *arg), void *arg);

/*
 * For each type, in the file of its name. size: of the type's struct, whose first member is the
 * object. new: makes the verbs object. @obj is zeroed but for its device, and for parent 0 if @init
 * names that first. destroy: undoes new, or returns the verb's error and leaves the object as it
 * was. fill: @to is zeroed; it gets its id and its device afterwards.
 */
#define OBJECT(TYPE, type, ...)								\
	struct kv_user_##type;								\
	extern const size_t kv_user_##type##_size;					\
	int kv_user_##type##_new(struct kv_user *u, struct kv_user_##type *obj,		\
				 const struct kv_##type##_init *init);			\
	int kv_user_##type##_destroy(struct kv_user *u, struct kv_user_##type *obj);	\
	void kv_user_##type##_fill(struct kv_user_##type *obj, struct kv_##type *to);
#include "model/objects.def"

/* The object of a row of model/ops.def; a row of KV_NO_TYPE is about a run, or about nothing. */
#define OBJECT(TYPE, type, ...) typedef struct kv_user_##type kv_user_about_KV_##TYPE;
#include "model/objects.def"
typedef void kv_user_about_KV_NO_TYPE;

/*
 * The other operations of model/ops.def, in the files of their objects' types. @obj is the object
 * of the row, NULL if there is none.
 */
#define OP(NAME, name, in_, out_, about, ...)						\
	int kv_user_##name(struct kv_user *u, kv_user_about_##about *obj,		\
			   const struct kv_##in_ *in, struct kv_##out_ *out);
#define NEW(...)
#define GET(...)
#define DEL(...)
#include "model/ops.def"

/* cq.c */
int kv_user_cq_check_idle(struct kv_user *u, struct kv_user_cq *cq);

/* mr.c */
bool kv_user_mr_over(const struct kv_user_mr *mr, const struct kv_user_buf *buf);

/* ah.c */
int kv_user_av_prep(struct kv_user *u, const struct kv_user_dev *dev, uint32_t port,
		    const char *prefix, const struct kv_av *av, struct ibv_ah_attr *ah);
void kv_user_av_fill(const struct ibv_ah_attr *ah, struct kv_av *av);

/* qp.c */
int kv_user_qp_query_state(struct kv_user *u, struct kv_user_qp *qp, uint32_t *state);
int kv_user_qp_renew(struct kv_user *u, struct kv_user_qp *qp);
int kv_user_qp_check_rts(struct kv_user *u, struct kv_user_qp *qp);
bool kv_user_qp_share_cq(const struct kv_user_qp *a, const struct kv_user_qp *b);
int kv_user_qp_check_outstanding(struct kv_user *u, const struct kv_user_qp *qp);
int kv_user_qp_check_idle(struct kv_user *u, struct kv_user_qp *qp);

/* multicast.c */
int kv_user_qp_detach_all(struct kv_user *u, struct kv_user_qp *qp);

/* modify.c */
int kv_user_qp_transit(struct kv_user *u, struct kv_user_qp *qp,
		       struct ibv_qp_attr *attr, uint32_t mask);

/* event.c */
void kv_user_event_add(struct kv_user *u, const struct kv_event *event);
