/* SPDX-License-Identifier: MIT */
#ifndef KV_MODEL_STRUCTS_H
#define KV_MODEL_STRUCTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <kverbs.h>
#include "loop/hist.h"
#include "rules/run.h"

/* Arguments and results of the operations of ops.def. */

/* How long a stage of an operation took; see enum kverbs_a_stage. */
struct kv_stage {
	uint32_t kind; /* enum kverbs_stage */
	uint64_t ns;
};

/* Entries of a GID table that are kept; no table has more. */
#define KV_GIDS_MAX 256

struct kv_gid {
	uint32_t index;
	uint32_t type; /* enum kverbs_gid_type */
	uint8_t raw[16]; /* network order */
	char netdev[16]; /* "" if there is none */
};

/*
 * Ports that are kept. Another host sends a device's ports, with their GIDs, in one attribute: its
 * 64 KiB have no room for more.
 */
#define KV_PORTS_MAX 4

/* IB_PORT_ACTIVE */
#define KV_PORT_ACTIVE 4

/* A port of a device; see enum kverbs_a_port for the fields. */
struct kv_port {
	uint32_t number; /* from 1 on */
	uint32_t error; /* errno of a failed query: nothing else is known; 0: no error */
	uint32_t state; /* KV_PORT_ACTIVE, or another one of enum ib_port_state */
	uint32_t phys_state;
	uint32_t link_layer; /* 1 InfiniBand, 2 Ethernet */
	uint32_t max_mtu; /* bytes */
	uint32_t active_mtu; /* bytes */
	uint32_t max_msg_bytes;
	uint32_t lid;
	uint32_t sm_lid;
	uint32_t active_width;
	uint32_t active_speed;
	uint32_t gid_table_len;
	uint32_t pkey_table_len;
	uint8_t addr[16]; /* iWARP: IP address of the netdev, as in a GID; zeros: none */
	unsigned int gids;
	struct kv_gid gid[KV_GIDS_MAX];
};

/* A device; see enum kverbs_a_dev for the fields. */
struct kv_dev {
	char name[64];
	uint32_t caps; /* KVERBS_CAP_* */
	uint32_t ports;
	uint32_t comp_vectors;
	uint64_t node_guid; /* host order, like sys_image_guid */
	uint64_t sys_image_guid;
	char fw_ver[64];
	uint32_t vendor_id;
	uint32_t vendor_part_id;
	uint32_t hw_ver;
	uint64_t cap_flags;
	uint64_t max_mr_size; /* bytes */
	uint64_t page_size_cap;
	uint32_t max_qp;
	uint32_t max_qp_wr;
	uint32_t max_send_sge;
	uint32_t max_recv_sge;
	uint32_t max_sge_rd;
	uint32_t max_cq;
	uint32_t max_cqe;
	uint32_t max_mr;
	uint32_t max_pd;
	uint32_t max_qp_rd_atom;
	uint32_t max_res_rd_atom;
	uint32_t max_qp_init_rd_atom;
	uint32_t atomic; /* enum ib_atomic_cap: 0 none */
	uint32_t max_mw;
	uint32_t max_mcast_grp;
	uint32_t max_mcast_qp_attach;
	uint32_t max_ah;
	uint32_t max_srq;
	uint32_t max_srq_wr;
	uint32_t max_srq_sge;
	uint32_t max_fast_reg_pages; /* kernel only */
	uint32_t max_pkeys;
	uint32_t local_ca_ack_delay;
	uint64_t max_mr_bytes; /* the largest length that mr_reg() registers */
	unsigned int listed;
	struct kv_port port[KV_PORTS_MAX]; /* the first ones, by number */
};

/* Only iWARP lacks UC, UD and AHs; the RDMA CM makes its connections. */
static inline bool kv_dev_is_iwarp(const struct kv_dev *dev)
{
	return (dev->caps & (KVERBS_CAP_RC | KVERBS_CAP_UC | KVERBS_CAP_UD | KVERBS_CAP_AH)) ==
	       KVERBS_CAP_RC;
}

/* The vendor's id of rxe, a software device. */
#define KV_RXE_VENDOR_ID 0xffffff

static inline bool kv_dev_is_rxe(const struct kv_dev *dev)
{
	return dev->vendor_id == KV_RXE_VENDOR_ID;
}

/* A device has a few dozen. */
#define KV_COUNTERS_MAX 128

/**
 * struct kv_counter - one of a port's counters
 * @name: the driver's name for it
 * @value: count since the device exists, or the difference of two readings
 */
struct kv_counter {
	char name[64];
	uint64_t value;
};

/**
 * struct kv_counters - the counters of the driver at a port (hw_counters)
 * @counters: how many there are
 * @counter: in the order of their names
 */
struct kv_counters {
	unsigned int counters;
	struct kv_counter counter[KV_COUNTERS_MAX];
};

/* Types of objects, in the order of model/objects.def. */
enum kv_type {
#define OBJECT(TYPE, type, ...) KV_##TYPE,
#include "model/objects.def"
#undef OBJECT
	KV_TYPES,
	KV_NO_TYPE = KV_TYPES,
};

/* No argument, or no result. */
struct kv_none {
	uint8_t unused;
};

/* The argument of an operation that needs an id alone. */
struct kv_id {
	uint32_t id;
};

struct kv_dev_name {
	const char *dev;
};

struct kv_dev_port {
	const char *dev;
	uint32_t port;
};

/* A wait. @id is 0 if the wait is not for one object. */
struct kv_wait {
	uint32_t id;
	int32_t timeout_ms; /* negative: no limit */
};

/*
 * Each type has two structs: its parameters (init), and the object. Objects are named by
 * ids; an id of 0 means none. Only the kernel has persistent objects.
 */

struct kv_pd_init {
	const char *dev;
	bool persistent;
};

struct kv_pd {
	uint32_t id;
	char dev[64];
	bool persistent;
	uint32_t local_dma_lkey; /* kernel only */
};

struct kv_cq_init {
	const char *dev;
	uint32_t cqe;
	uint32_t comp_vector;
	uint32_t context; /* enum kverbs_cq_context; user: POLLED or EVENT */
	bool persistent;
};

struct kv_cq {
	uint32_t id;
	char dev[64];
	bool persistent;
	uint32_t cqe;
	uint32_t comp_vector;
	uint32_t context;
	uint32_t pending; /* requests, other than of runs, whose completions were not polled */
};

struct kv_buf_init {
	const char *dev;
	uint64_t length; /* bytes */
	uint32_t pieces; /* 0: as few as possible; user: 0 or 1 */
	bool has_node;
	uint32_t node; /* NUMA node */
	bool persistent;
};

struct kv_buf {
	uint32_t id;
	char dev[64];
	bool persistent;
	uint64_t length;
	uint32_t pieces; /* physically contiguous ones; user: 1, of virtual memory */
	uint32_t node; /* of the first page */
};

struct kv_mr_init {
	uint32_t pd;
	uint32_t max_pages; /* 0: the default */
	bool persistent;
};

struct kv_mr {
	uint32_t id;
	char dev[64];
	bool persistent;
	uint32_t pd;
	uint32_t max_pages;
	/* While it is registered: */
	bool registered;
	uint32_t buf;
	uint64_t offset;
	uint64_t length;
	uint32_t access; /* KVERBS_ACCESS_* */
	uint32_t lkey;
	uint32_t rkey; /* 0 if @access grants nothing to peers */
	uint64_t iova;
};

/* The arguments of mr_reg(). */
struct kv_mr_reg {
	uint32_t id;
	uint32_t buf;
	uint32_t qp; /* that carries the request, in RTS; user: does not matter */
	uint64_t offset;
	uint64_t length;
	uint32_t access; /* KVERBS_ACCESS_* */
	uint32_t post_context; /* enum kverbs_post_context; user: does not matter */
};

struct kv_mr_inv {
	uint32_t id;
	uint32_t qp; /* that carries the request; user: does not matter */
	uint32_t post_context; /* enum kverbs_post_context; user: does not matter */
};

/* The arguments of buf_write() and buf_read(). */
struct kv_buf_data {
	uint32_t id;
	uint64_t offset;
	uint64_t length; /* bytes, as @offset */
	union {
		const void *from; /* the bytes to write */
		void *into; /* room for the bytes read */
	};
};

struct kv_srq_init {
	uint32_t pd;
	uint32_t max_wr;
	uint32_t max_sge;
	uint32_t limit;
	bool persistent;
};

struct kv_srq {
	uint32_t id;
	char dev[64];
	bool persistent;
	uint32_t pd;
	uint32_t max_wr;
	uint32_t max_sge;
	uint32_t limit;
};

/* The arguments of srq_modify(). */
struct kv_srq_attr {
	uint32_t id;
	bool has_limit;
	uint32_t limit;
	bool has_max_wr;
	uint32_t max_wr;
};

/* A destination: an address vector (IBTA 10.2.2). */
struct kv_av {
	bool has_dgid;
	uint8_t dgid[16]; /* network order */
	bool has_sgid_index;
	uint32_t sgid_index;
	uint32_t dlid; /* InfiniBand only */
	uint32_t sl;
	uint32_t traffic_class;
	uint32_t flow_label;
	uint32_t hop_limit;
};

struct kv_ah_init {
	uint32_t pd;
	uint32_t port;
	struct kv_av av;
	bool persistent;
};

struct kv_ah {
	uint32_t id;
	char dev[64];
	bool persistent;
	uint32_t pd;
	uint32_t port;
	struct kv_av av;
	bool has_dmac; /* kernel only */
	uint8_t dmac[6];
};

struct kv_qp_init {
	uint32_t pd;
	uint32_t type; /* enum kverbs_qp_type */
	uint32_t send_cq;
	uint32_t recv_cq;
	uint32_t srq;
	uint32_t max_send_wr;
	uint32_t max_recv_wr; /* 0 with @srq, like max_recv_sge */
	uint32_t max_send_sge;
	uint32_t max_recv_sge;
	uint32_t max_inline; /* bytes */
	bool sq_sig_all;
	bool persistent;
};

/*
 * The attributes of a transition, or of a QP as the device reports them; see enum kverbs_a_qp.
 * @mask has the bits of the attributes that are present: KV_QPA_* of kmod/rules/qp_table.h.
 */
struct kv_qp_attr {
	uint32_t mask; /* KV_QPA_* */
	uint32_t state; /* enum kverbs_qp_state */
	uint32_t cur_state;
	uint32_t access; /* KVERBS_ACCESS_* */
	uint32_t port;
	uint32_t pkey_index;
	uint32_t qkey;
	uint32_t path_mtu; /* bytes */
	uint32_t dest_qpn;
	uint32_t rq_psn;
	struct kv_av av;
	uint32_t min_rnr_timer;
	uint32_t max_dest_rd_atomic;
	uint32_t sq_psn;
	uint32_t timeout;
	uint32_t retry_cnt;
	uint32_t rnr_retry;
	uint32_t max_rd_atomic;
	uint32_t path_mig_state; /* enum kverbs_mig_state */
	struct kv_av alt_av;
	uint32_t alt_port;
	uint32_t alt_pkey_index;
	uint32_t alt_timeout;
	uint32_t sqd_async_notify;
};

struct kv_qp_modify {
	uint32_t id;
	struct kv_qp_attr attr;
};

struct kv_qp {
	uint32_t id;
	char dev[64];
	bool persistent;
	uint32_t pd;
	uint32_t type;
	uint32_t send_cq;
	uint32_t recv_cq;
	uint32_t srq;
	uint32_t max_send_wr;
	uint32_t max_recv_wr;
	uint32_t max_send_sge;
	uint32_t max_recv_sge;
	uint32_t max_inline;
	bool sq_sig_all;
	bool sq_draining;
	uint32_t qpn;
	struct kv_qp_attr attr; /* mask 0: the device gave no answer */
};

struct kv_conn_init {
	const char *dev;
	bool persistent;
};

/* See enum kverbs_a_conn. An address of family 0 (AF_UNSPEC) is not known. */
struct kv_conn {
	uint32_t id;
	char dev[64];
	bool persistent;
	struct sockaddr_storage src;
	struct sockaddr_storage dst;
	uint32_t backlog; /* of a listener, like waiting */
	uint32_t waiting;
	uint32_t listener; /* 0: none, or gone */
	uint32_t qp; /* 0: none yet */
	uint32_t responder_resources;
	uint32_t initiator_depth;
	uint32_t state; /* enum kverbs_conn_state */
	uint32_t event; /* enum kverbs_cm_event, the last one */
	int32_t status; /* of @event */
	char reason[96]; /* "" unless rejected */
	uint32_t private_length; /* bytes */
	uint8_t private_data[KVERBS_CONN_PRIVATE_MAX];
};

struct kv_conn_listen {
	uint32_t id;
	struct sockaddr_storage src; /* port 0: any; the CONN's src has the chosen port */
	uint32_t backlog;
};

struct kv_conn_resolve {
	uint32_t id;
	struct sockaddr_storage src; /* AF_UNSPEC: any */
	struct sockaddr_storage dst;
	uint32_t timeout_ms;
};

struct kv_conn_route {
	uint32_t id;
	uint32_t timeout_ms;
};

/* Parameters of connect (which alone uses @retry_cnt) and accept (which uses @ack_timeout). */
struct kv_conn_param {
	uint32_t id;
	uint32_t qp;
	uint32_t access; /* KVERBS_ACCESS_*; 0 if the QP is in INIT */
	int32_t responder_resources; /* -1: the device's limit, like initiator_depth */
	int32_t initiator_depth;
	uint32_t retry_cnt;
	uint32_t rnr_retry;
	int32_t ack_timeout; /* -1: KV_CONN_ACK_TIMEOUT */
	uint32_t private_length; /* bytes */
	uint8_t private_data[KVERBS_CONN_PRIVATE_MAX];
};

struct kv_conn_establish {
	uint32_t id;
	int32_t ack_timeout; /* of our QP, IBTA 9.7.6.1.3; -1: KV_CONN_ACK_TIMEOUT */
};

struct kv_conn_reject {
	uint32_t id;
	uint32_t private_length; /* bytes */
	uint8_t private_data[KVERBS_CONN_PRIVATE_MAX];
};

/* One object; its type decides which member is valid. */
union kv_object {
	uint32_t id; /* the first member of each type */
#define OBJECT(TYPE, type, ...) struct kv_##type type;
#include "model/objects.def"
#undef OBJECT
};

struct kv_sge {
	uint32_t buf;
	uint64_t offset;
	uint32_t length; /* bytes */
	uint32_t mr; /* gives the lkey; 0: the PD's local_dma_lkey, which user space lacks */
};

/* One work request; see enum kverbs_a_wr. */
struct kv_wr {
	uint32_t op; /* enum kverbs_op */
	uint64_t wr_id;
	uint32_t flags; /* KVERBS_WR_* */
	bool has_imm; /* as the operation needs it */
	uint32_t imm; /* host order */
	unsigned int sges;
	struct kv_sge sge[KVERBS_SGE_MAX];
	bool has_remote;
	uint64_t remote_addr;
	uint32_t remote_key;
	uint64_t compare_add;
	uint64_t swap;
	uint32_t ah; /* UD only, like the following */
	uint32_t remote_qpn;
	uint32_t remote_qkey;
};

/* Work requests for one queue, in order. */
struct kv_post {
	uint32_t qp;
	uint32_t srq; /* in place of @qp; RECV only */
	uint32_t wrs; /* 1 .. KVERBS_WR_LIST_MAX */
	uint32_t context; /* enum kverbs_post_context; user: PROCESS */
	const struct kv_wr *wr;
};

struct kv_posted {
	uint32_t posted; /* number of requests posted, from the first on */
	int32_t error; /* 0, or the verb's negative errno for the next request */
};

/* One completion; see enum kverbs_a_wc. */
struct kv_wc {
	uint64_t wr_id;
	uint32_t status; /* enum ib_wc_status, 0 is success */
	uint32_t vendor_err;
	uint32_t op; /* enum kverbs_wc_op */
	uint32_t qp; /* id; 0 if it is gone */
	bool has_length;
	uint32_t length; /* bytes */
	bool has_imm;
	uint32_t imm; /* host order */
	bool has_src_qpn;
	uint32_t src_qpn;
	bool grh;
};

struct kv_cq_poll {
	uint32_t id;
	uint32_t max; /* 1 .. KVERBS_POLL_MAX */
};

struct kv_polled {
	uint32_t n;
	struct kv_wc wc[KVERBS_POLL_MAX];
};

struct kv_cq_arm {
	uint32_t id;
	bool solicited;
};

struct kv_armed {
	bool missed; /* completions are there already: poll before waiting */
};

/* An event; see enum kverbs_a_event. 0 and "": not reported. */
struct kv_event {
	uint32_t type; /* enum kverbs_event */
	char dev[64];
	char old_name[64];
	uint32_t port;
	uint32_t cq;
	uint32_t srq;
	uint32_t qp;
	uint32_t run;
	int32_t error; /* 0 or negative errno */
	uint32_t wc_status;
	uint32_t vendor_err;
	uint32_t conn;
	uint32_t cm_event; /* enum kverbs_cm_event */
	int32_t cm_status;
};

/* One end of a connection as a run uses it; see enum kverbs_a_end. */
struct kv_run_end {
	uint32_t qp;
	uint32_t local_buf;
	uint64_t local_offset; /* the first byte that the run uses */
	uint32_t local_mr; /* 0: the key is the PD's local_dma_lkey, which user space lacks */
	uint32_t target_buf;
	uint64_t target_offset;
	uint32_t target_mr;
	bool has_remote;
	uint64_t remote_addr;
	uint32_t remote_key;
};

/* A run to start, or a started run with the values in effect; see enum kverbs_a_spec. */
struct kv_run_spec {
	char dev[64]; /* to start a run: KVERBS_LOOP_NULL only */
	uint32_t loop;
	uint32_t op;
	uint32_t size;
	uint32_t ends; /* kv_run_ends() gives the number */
	struct kv_run_end end[KV_RUN_ENDS_MAX];
	uint64_t compare_add;
	uint64_t swap;
	uint64_t iters; /* 0: no limit */
	uint64_t time_ns; /* 0: no limit */
	uint64_t warmup;
	uint64_t timeout_ns;
	uint32_t post_context; /* enum kverbs_post_context; user space has only PROCESS */
	int32_t cpu; /* -1: any */
	int32_t spins; /* -1: the space's default */
	/* User space: run_wait() executes the run, which has no thread. One such run at a time. */
	bool in_wait;
};

struct kv_run_start {
	struct kv_run_spec spec;
};

struct kv_run_which {
	uint32_t id;
	uint32_t worker; /* number of the worker whose histogram is wanted, from 0 on */
};

/* The result of a worker so far, or at the run's end; see enum kverbs_a_result. */
struct kv_worker_result {
	bool has_cpu;
	uint32_t cpu;
	int32_t error; /* 0 or negative errno */
	uint32_t wc_status;
	uint32_t vendor_err;
	uint64_t samples;
	uint64_t warmup;
	uint64_t sum_ticks;
	uint64_t elapsed_ticks;
	uint64_t elapsed_ns;
	uint64_t yields;
};

/* The result of a run so far, or at its end. */
struct kv_run_result {
	struct kv_run_spec spec;
	uint32_t state; /* enum kverbs_run_state */
	uint32_t hist_shift; /* see KVERBS_A_RUN_HIST_SHIFT */
	uint32_t workers; /* at least one */
	struct kv_worker_result worker[KV_RUN_WORKERS_MAX];
	struct kv_hist hist; /* of the worker named in the request */
};

/* The implementation of the verbs, for a result's environment. */
struct kv_info {
	char version[64]; /* of the module; user space: file of libibverbs */
	char counter[32]; /* the counter of ticks; see KVERBS_A_INFO_COUNTER */
	uint64_t counter_hz; /* ticks in a second */
	/* Totals over all connections to the module; kernel only, 0 in user space. */
	uint64_t created;
	uint64_t destroyed;
	uint64_t buffer_bytes;
};

struct kv_flushed {
	uint32_t flushed;
	uint32_t busy; /* objects that are used by objects of other owners */
};

#endif
