/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_H
#define TESTS_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>
#include "call.h"
#include "rules/qp_table.h"

/*
 * Holds the module against its contract: each refusal with its errno and its
 * text, and nothing changed by it. Runs in the guest, as root, prints TAP.
 */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Bytes of the buffers that end_make() makes. */
#define LENGTH 8192

/* The Q_Key of UD QPs. */
#define UD_QKEY 0x1234567

/**
 * struct link - a connection, as a tool has one
 * @nl: the connection
 * @raw: the last message was sent without the names of its attributes
 */
struct link {
	struct kv_nl nl;
	bool raw;
};

/**
 * struct end - one end of a connection between QPs, and what it is made of
 * @pd: id, as are the following
 * @send_cq: of the QP
 * @recv_cq: of the QP
 * @qp: the QP
 * @local: buffer of LENGTH bytes
 * @local_mr: MR for it, not registered
 * @target: buffer of LENGTH bytes
 * @target_mr: MR for it
 * @qpn: of @qp
 * @key: @target's registration, once that is made
 * @conn: iWARP: the conn that connects @qp; 0: none does
 */
struct end {
	uint32_t pd;
	uint32_t send_cq;
	uint32_t recv_cq;
	uint32_t qp;
	uint32_t local;
	uint32_t local_mr;
	uint32_t target;
	uint32_t target_mr;
	uint32_t qpn;
	struct kv_mr key;
	uint32_t conn;
};

/**
 * struct end_init - what an end is made with
 * @type: enum kverbs_qp_type
 * @context: of its CQs
 * @srq: where its receives come from; 0: its own queue
 * @max_sge: of each request, 0 is 1
 * @max_send_wr: of the send queue, 0 is 8
 * @cqe: of its send CQ, 0 is 32
 * @send_cq: a CQ that it has in common with others; 0: one of its own
 * @recv_cq: ditto
 * @max_inline: bytes
 * @sq_sig_all: every send completes
 */
struct end_init {
	uint32_t type;
	uint32_t context;
	uint32_t srq;
	uint32_t max_sge;
	uint32_t max_send_wr;
	uint32_t cqe;
	uint32_t send_cq;
	uint32_t recv_cq;
	uint32_t max_inline;
	bool sq_sig_all;
};

/**
 * struct snapshot - what somebody sees of the module
 * @hash: of all objects that they may see
 * @live: objects of everybody
 * @bytes: in buffers, of everybody
 */
struct snapshot {
	uint64_t hash;
	uint64_t live;
	uint64_t bytes;
};

/* The device that all is tested on. */
extern const char *dev;
extern struct kv_dev caps;

/* TAP. Results stand under the heading of the last section(). */
void section(const char *name);
void result(bool good, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void skip(const char *name, const char *why);
/* Is the device iWARP's? */
bool is_iwarp(void);
/* True if it is, which has none of @what: then @name is skipped. */
bool lacks(const char *name, const char *what);
/* Features that the kernel with kmemleak, and so with all checkers of memory, must have. */
void missing(const char *name, const char *why);
void bail_out(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
bool all_passed(void);

void done(struct link *l, int ret, const char *name);
void must(struct link *l, int ret, const char *what);

/* A call must be refused with this errno and a text that holds @text, because the verb of this
 * stage has failed, or before any; and whoever @l is must see nothing changed by it.
 */
void check_refused(struct link *l, const struct snapshot *before, int ret, int error,
		   enum kverbs_stage failed, const char *text, const char *name);
struct snapshot snapshot(struct link *l);
#define refused_by(l, call, error, failed, text, name)				\
	do {									\
		struct snapshot before_ = snapshot(l);				\
										\
		check_refused(l, &before_, call, error, failed, text, name);	\
	} while (0)
#define refused(l, call, error, text, name) \
	refused_by(l, call, error, KVERBS_STAGE_UNSPEC, text, name)

void link_open(struct link *l);
/* Closes it, and sees to it that nothing is left of it. */
void link_close(struct link *l);

/* Requests of our own making. */
int raw(struct link *l, int cmd, const uint32_t *attrs, unsigned int pairs);
#define RAW(l, cmd, ...)						\
	raw(l, cmd, (const uint32_t[]){ __VA_ARGS__ },			\
	    sizeof((const uint32_t[]){ __VA_ARGS__ }) / (2 * sizeof(uint32_t)))
int send_msg(struct link *l, struct nl_msg *msg);

/* Objects. */
uint32_t make_pd(struct link *l);
uint32_t make_cq(struct link *l, uint32_t cqe, uint32_t context);
uint32_t make_buf(struct link *l, uint64_t length);
uint32_t make_mr(struct link *l, uint32_t pd);
uint32_t make_srq(struct link *l, uint32_t pd, uint32_t max_wr);
uint32_t make_ah(struct link *l, uint32_t pd);
struct kv_av own_address(void);
void check_shown(struct link *l, enum kv_type noun,
		 const void *object, const char *name);
unsigned int count_listed(struct link *l, enum kv_type noun);
void write_all(struct link *l, uint32_t buf, int byte);
bool holds(struct link *l, uint32_t buf, uint64_t offset, const void *want,
	   uint64_t length);

/* A device beside ours, of the same driver. */
#define OTHER_DEV "rxe7"
const char *driver(void);
void other_dev_make(void);
void other_dev_del(void);
/* The core makes the GID of a new address in a work item: waits for it. @gid: as sysfs has it. */
void await_gid(const char *gid);

/* Connections. */
void end_make(struct link *l, struct end *e, const struct end_init *init);
void end_del(struct link *l, struct end *e);
/* The rights that the device can grant to peers. */
uint32_t all_access(void);
struct kv_qp_attr init_attr(uint32_t type);
struct kv_qp_attr rtr_attr(uint32_t type, uint32_t dest_qpn);
struct kv_qp_attr rts_attr(uint32_t type);
/* Connections that are made from now on wait 1 s for an answer, and for ever for a receive: for one slow CPU. */
void ends_wait(bool longer);
int modify(struct link *l, uint32_t qp, struct kv_qp_attr attr);
void to_state(struct link *l, uint32_t qp, uint32_t state);
uint32_t state_of(struct link *l, uint32_t qp);
/* To one that is its own peer; on iWARP to another one of its PD. */
void qp_connect_self(struct link *l, uint32_t pd, const struct kv_qp *qp);
void qp_connect(struct link *l, uint32_t qp, struct kv_qp_attr init, uint32_t type,
		uint32_t dest_qpn);
void end_connect(struct link *l, const struct end *e, uint32_t type,
		 uint32_t dest_qpn);
/* Each with what it lets the other do. */
void pair_connect(struct link *l, struct end *a, uint32_t a_access, struct end *b,
		  uint32_t b_access);
/* iWARP: its conn goes, and its QP is in ERR. */
void end_disconnect(struct link *l, struct end *e);
void pair_make(struct link *l, struct end *a, struct end *b,
	       const struct end_init *init);
void pair_reconnect(struct link *l, struct end *a, struct end *b, uint32_t type);
/* Later requests on @a wait for READs that @b, which is in RESET, never answers. */
void qp_block(struct link *l, struct end *a, struct end *b);
uint32_t make_rc_qp(struct link *l, uint32_t pd);
void register_target(struct link *l, struct end *e);
/* Of all bytes; the completion is not looked at. */
void register_local(struct link *l, const struct end *e, uint32_t access);

/* Requests and completions. */
struct wr recv_wr(uint32_t qp, uint32_t buf, uint32_t length, uint64_t wr_id);
struct wr send_wr(uint32_t qp, uint32_t buf, uint32_t length, uint64_t wr_id);
struct wr write_wr(const struct end *from, const struct end *to,
		      uint32_t length, uint64_t wr_id);
void post(struct link *l, const struct wr *wr, const char *what);
bool poll_one(struct link *l, uint32_t cq, struct kv_wc *wc);
bool nothing_comes(struct link *l, uint32_t cq);
struct kv_wc expect_wc(struct link *l, uint32_t cq, uint64_t wr_id, uint32_t op,
		       uint32_t status, const char *name);
void drain(struct link *l, uint32_t cq, unsigned int n);

double seconds(void);

/* A limit on time, in seconds of an idle host. */
struct limit {
	double start;
	double seconds;
	double slow;
};

struct limit limit_of(double seconds);
bool limit_over(struct limit *limit);
bool write_text(const char *path, const char *text);
/* Does this kernel watch each allocation, or each access? Then an object takes 12 ms, and more. */
bool is_watched(void);
bool has_kmemleak(void);

/* The tests, a noun each. */
void test_message(void);
void test_pd(void);
void test_cq(void);
void test_buf(void);
void test_mr(void);
void test_stage(void);
void test_registration(void);
void test_invalidate(void);
void test_srq(void);
void test_srq_run(void);
void test_ah(void);
void test_qp(void);
void test_modify(void);
void test_multicast(void);
void test_post(void);
void test_post_list(void);
void test_refuse_post(void);
void test_hold(void);
void test_poll(void);
void test_run(void);
void test_inv_run(void);
void test_handler(void);
void test_workers(void);
void test_one_cq(void);
void test_credit(void);
void test_run_flags(void);
void test_paced(void);
void test_peer(void);
void test_stuck(void);
void test_streams(void);
void test_look(void);
void test_access(void);
void test_hostile(void);
void test_privilege(void);
void test_namespace(void);
void test_exclusive(void);
void test_stale(void);
void test_quota(void);
void test_event(void);
void test_owner(void);
void test_port(void);
void test_conn(void);
void test_refuse_conn(void);
void test_conn_end(void);
void test_rdma(void);
void test_list(void);
void test_cap(void);
void test_memory(void);
void test_verbs(void);
void test_cost(void);
void test_hoard(void);
void test_hang(void);
void test_iwarp(void);
void test_infiniband(void);

#endif
