/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * kverbs: kernel verbs over generic netlink.
 *
 * Family "kverbs", version KVERBS_GENL_VERSION. Every command needs
 * CAP_NET_ADMIN in the initial user namespace, and a device can be named only
 * from a network namespace that may use it.
 *
 * A command carries the attributes of its object, at the top level:
 *
 *   INFO_GET   -> KVERBS_A_INFO_*      module version, counters of objects
 *   FLUSH      -> FLUSHED, KEPT        destroys what is persistent
 *   DEV_GET    NAME -> KVERBS_A_DEV_*  do: one device, dump: all devices
 *
 *   PD_NEW     DEV [, PERSISTENT] -> ID, VERB_NS
 *   CQ_NEW     DEV, CQE [, COMP_VECTOR, PERSISTENT] -> ID, CQE, VERB_NS
 *   MR_NEW     PD, LENGTH [, PERSISTENT] -> ID, VERB_NS
 *   MR_REG     ID, QP, ACCESS [, OFFSET, LENGTH]
 *                 -> ACCESS, OFFSET, REG_LENGTH, LKEY, RKEY, IOVA, VERB_NS
 *   MR_INV     ID, QP -> VERB_NS
 *   MR_WRITE   ID, OFFSET, DATA -> nothing
 *   MR_READ    ID, OFFSET, LENGTH -> DATA
 *   QP_NEW     PD, SEND_CQ, RECV_CQ, MAX_* [, PERSISTENT]
 *                 -> ID, QPN, MAX_*, VERB_NS
 *   QP_MODIFY  ID, STATE, and what the transition needs -> VERB_NS
 *   PD_GET, CQ_GET, MR_GET, QP_GET
 *              do: ID -> what it was made with, its parents; a registered MR's
 *              key; a QP's state and what else ib_query_qp() knows.
 *              dump: all that the socket may see, in the order of their ids
 *   PD_DEL, CQ_DEL, MR_DEL, QP_DEL    ID -> VERB_NS
 *
 *   RUN_START  what to measure (see enum kverbs_a_run) -> ID
 *   RUN_GET    ID [, FIRST_BIN] -> state, counters, as many histogram bins as
 *              fit; NEXT_BIN is there if more follow. Any number of times.
 *              dump: all runs, without bins
 *   RUN_CANCEL ID -> nothing. The run ends with -ECANCELED and what it has, in
 *              time for its QP to be used again if what is outstanding
 *              completes within KVERBS_GRACE_NS.
 *   RUN_DEL    ID -> nothing. Cancels first if the run is active.
 *   RUN_DONE   event, group "runs": ID, ERROR. Sent to the namespace of the
 *              socket that started the run.
 *
 * Objects belong to the socket that made them: nobody else sees them, and they
 * die with it, runs first, then QPs, MRs, CQs and PDs. A persistent object stays
 * until it is deleted or flushed, or its network namespace goes; every socket of
 * that namespace sees it. It can use only persistent objects. Runs are never
 * persistent. When a device goes, its objects go; its runs stay, ended with
 * -ENODEV, until they are deleted.
 *
 * A dump during which objects came or went has NLM_F_DUMP_INTR set: ask again.
 *
 * Errors: every refusal is NLMSG_ERROR with a negative errno and an extack
 * message; where one attribute is to blame, extack points at it.
 *
 *   -EINVAL   a value or a combination of values is wrong
 *   -ENOENT   no such object (or it belongs to somebody else)
 *   -ENODEV   no such device, or not from this network namespace
 *   -EBUSY    in use: by another object, or by an active run
 *   -EPERM    no CAP_NET_ADMIN
 *   -EDQUOT   over the module's limits (max_objects, max_bytes)
 *   -ENOMEM   no memory
 *   -EOPNOTSUPP the device can't do this
 *   anything else is what the verb returned
 *
 * Units are in the names: _NS nanoseconds, _BYTES or LENGTH bytes, _TICKS ticks
 * of the counter (see KVERBS_A_INFO_COUNTER). 64-bit numbers stay 64-bit.
 */
#ifndef _UAPI_KVERBS_H
#define _UAPI_KVERBS_H

#include <linux/types.h>

/* Of the release that module and tool were built from. */
#define KVERBS_VERSION "0.1.0"

#define KVERBS_GENL_NAME "kverbs"
#define KVERBS_GENL_VERSION 1
#define KVERBS_MCGRP_RUNS "runs"

/*
 * Empty polls that a run may make before it lets the CPU go. It looks whether it
 * is to end only then: more would make it deaf.
 */
#define KVERBS_SPINS_MAX 1000000

/* How long a run that is cancelled still waits for what it has posted. */
#define KVERBS_GRACE_NS 100000000

/* A single MR_WRITE or MR_READ moves at most this many bytes. */
#define KVERBS_DATA_MAX 16384

enum kverbs_cmd {
	KVERBS_CMD_UNSPEC,

	KVERBS_CMD_INFO_GET,
	KVERBS_CMD_FLUSH,
	KVERBS_CMD_DEV_GET,

	KVERBS_CMD_PD_NEW,
	KVERBS_CMD_PD_DEL,
	KVERBS_CMD_PD_GET,

	KVERBS_CMD_CQ_NEW,
	KVERBS_CMD_CQ_DEL,
	KVERBS_CMD_CQ_GET,

	KVERBS_CMD_MR_NEW,
	KVERBS_CMD_MR_DEL,
	KVERBS_CMD_MR_GET,
	KVERBS_CMD_MR_REG,
	KVERBS_CMD_MR_INV,
	KVERBS_CMD_MR_WRITE,
	KVERBS_CMD_MR_READ,

	KVERBS_CMD_QP_NEW,
	KVERBS_CMD_QP_DEL,
	KVERBS_CMD_QP_GET,
	KVERBS_CMD_QP_MODIFY,

	KVERBS_CMD_RUN_START,
	KVERBS_CMD_RUN_CANCEL,
	KVERBS_CMD_RUN_GET,
	KVERBS_CMD_RUN_DEL,
	KVERBS_CMD_RUN_DONE,

	__KVERBS_CMD_LAST,
	KVERBS_CMD_MAX = __KVERBS_CMD_LAST - 1,
};

/**
 * enum kverbs_a_info - the module itself
 * @KVERBS_A_INFO_VERSION: string, the module's version
 * @KVERBS_A_INFO_COUNTER: string, what the loops read for time: "tsc" or
 *	"ktime_raw" (then a tick is a nanosecond)
 * @KVERBS_A_INFO_CREATED: u64, objects made since the module was loaded
 * @KVERBS_A_INFO_DESTROYED: u64, objects destroyed since
 * @KVERBS_A_INFO_BUFFER_BYTES: u64, buffer memory held now
 * @KVERBS_A_INFO_FLUSHED: u32, persistent objects that FLUSH has destroyed
 * @KVERBS_A_INFO_KEPT: u32, persistent objects that stay because a socket's
 *	objects use them
 */
enum kverbs_a_info {
	KVERBS_A_INFO_UNSPEC,
	KVERBS_A_INFO_VERSION,
	KVERBS_A_INFO_COUNTER,
	KVERBS_A_INFO_CREATED,
	KVERBS_A_INFO_DESTROYED,
	KVERBS_A_INFO_BUFFER_BYTES,
	KVERBS_A_INFO_FLUSHED,
	KVERBS_A_INFO_KEPT,

	__KVERBS_A_INFO_LAST,
	KVERBS_A_INFO_MAX = __KVERBS_A_INFO_LAST - 1,
};

/**
 * enum kverbs_a_dev - an RDMA device, as the kernel sees it
 * @KVERBS_A_DEV_NAME: string, such as "rxe0"
 * @KVERBS_A_DEV_PORTS: u32, number of physical ports
 * @KVERBS_A_DEV_MAX_QP_WR: u32, struct ib_device_attr.max_qp_wr
 * @KVERBS_A_DEV_MAX_CQE: u32, .max_cqe
 * @KVERBS_A_DEV_MAX_SEND_SGE: u32, .max_send_sge
 * @KVERBS_A_DEV_MAX_QP_RD_ATOM: u32, .max_qp_rd_atom
 * @KVERBS_A_DEV_MAX_MR_BYTES: u64, the largest buffer MR_NEW takes here
 * @KVERBS_A_DEV_MAX_MSG_BYTES: u32, the port's max_msg_sz
 * @KVERBS_A_DEV_ATOMIC: u32, enum ib_atomic_cap: 0 none, 1 HCA, 2 global
 * @KVERBS_A_DEV_FAST_REG: u32, 1 if fast registration works here
 * @KVERBS_A_DEV_PORT_STATE: u32, enum ib_port_state of port 1: 4 is active
 * @KVERBS_A_DEV_ACTIVE_MTU: u32, bytes
 * @KVERBS_A_DEV_LID: u32, 0 on RoCE
 * @KVERBS_A_DEV_GID: nest of enum kverbs_a_gid, one for each valid entry of
 *	port 1's GID table
 */
enum kverbs_a_dev {
	KVERBS_A_DEV_UNSPEC,
	KVERBS_A_DEV_NAME,
	KVERBS_A_DEV_PORTS,
	KVERBS_A_DEV_MAX_QP_WR,
	KVERBS_A_DEV_MAX_CQE,
	KVERBS_A_DEV_MAX_SEND_SGE,
	KVERBS_A_DEV_MAX_QP_RD_ATOM,
	KVERBS_A_DEV_MAX_MR_BYTES,
	KVERBS_A_DEV_MAX_MSG_BYTES,
	KVERBS_A_DEV_ATOMIC,
	KVERBS_A_DEV_FAST_REG,
	KVERBS_A_DEV_PORT_STATE,
	KVERBS_A_DEV_ACTIVE_MTU,
	KVERBS_A_DEV_LID,
	KVERBS_A_DEV_GID,

	__KVERBS_A_DEV_LAST,
	KVERBS_A_DEV_MAX = __KVERBS_A_DEV_LAST - 1,
};

/* What a GID table entry stands for. */
enum kverbs_gid_type {
	KVERBS_GID_IB,
	KVERBS_GID_ROCE_V1,
	KVERBS_GID_ROCE_V2,
};

/**
 * enum kverbs_a_gid - one entry of a port's GID table
 * @KVERBS_A_GID_INDEX: u32
 * @KVERBS_A_GID_GID: binary, 16 bytes, network order
 * @KVERBS_A_GID_TYPE: u32, enum kverbs_gid_type
 */
enum kverbs_a_gid {
	KVERBS_A_GID_UNSPEC,
	KVERBS_A_GID_INDEX,
	KVERBS_A_GID_GID,
	KVERBS_A_GID_TYPE,

	__KVERBS_A_GID_LAST,
	KVERBS_A_GID_MAX = __KVERBS_A_GID_LAST - 1,
};

/**
 * enum kverbs_a_pd - a protection domain (IBTA 10.2.3)
 * @KVERBS_A_PD_ID: u32
 * @KVERBS_A_PD_DEV: string, the device's name
 * @KVERBS_A_PD_PERSISTENT: flag
 * @KVERBS_A_PD_VERB_NS: u64, how long ib_alloc_pd()/ib_dealloc_pd() took
 */
enum kverbs_a_pd {
	KVERBS_A_PD_UNSPEC,
	KVERBS_A_PD_ID,
	KVERBS_A_PD_DEV,
	KVERBS_A_PD_PERSISTENT,
	KVERBS_A_PD_VERB_NS,

	__KVERBS_A_PD_LAST,
	KVERBS_A_PD_MAX = __KVERBS_A_PD_LAST - 1,
};

/**
 * enum kverbs_a_cq - a completion queue (IBTA 10.2.6), polled by the runs
 * @KVERBS_A_CQ_ID: u32
 * @KVERBS_A_CQ_DEV: string, the device's name
 * @KVERBS_A_CQ_CQE: u32, 1 .. the device's max_cqe; the reply has the real one
 * @KVERBS_A_CQ_COMP_VECTOR: u32, default 0
 * @KVERBS_A_CQ_PERSISTENT: flag
 * @KVERBS_A_CQ_VERB_NS: u64, how long ib_alloc_cq()/ib_free_cq() took
 */
enum kverbs_a_cq {
	KVERBS_A_CQ_UNSPEC,
	KVERBS_A_CQ_ID,
	KVERBS_A_CQ_DEV,
	KVERBS_A_CQ_CQE,
	KVERBS_A_CQ_COMP_VECTOR,
	KVERBS_A_CQ_PERSISTENT,
	KVERBS_A_CQ_VERB_NS,

	__KVERBS_A_CQ_LAST,
	KVERBS_A_CQ_MAX = __KVERBS_A_CQ_LAST - 1,
};

/* Access flags of a registration, the values of the verbs (IBTA 10.6). */
#define KVERBS_ACCESS_LOCAL_WRITE (1U << 0)
#define KVERBS_ACCESS_REMOTE_WRITE (1U << 1)
#define KVERBS_ACCESS_REMOTE_READ (1U << 2)
#define KVERBS_ACCESS_REMOTE_ATOMIC (1U << 3)
#define KVERBS_ACCESS__ALL 0xfU

/**
 * enum kverbs_a_mr - a buffer and its fast-registration MR (IBTA 10.6.4)
 * @KVERBS_A_MR_ID: u32
 * @KVERBS_A_MR_DEV: string, the device's name; replies only
 * @KVERBS_A_MR_PERSISTENT: flag
 * @KVERBS_A_MR_PD: u32
 * @KVERBS_A_MR_QP: u32, the QP that carries IB_WR_REG_MR or IB_WR_LOCAL_INV;
 *	in RTS, same PD, no run on it
 * @KVERBS_A_MR_ACCESS: u32, KVERBS_ACCESS_*. A remote write or atomic needs
 *	LOCAL_WRITE too.
 * @KVERBS_A_MR_OFFSET: u64, first byte in the buffer, default 0
 * @KVERBS_A_MR_LENGTH: u64, bytes. MR_NEW: 1 .. the device's MAX_MR_BYTES;
 *	MR_REG: default all from OFFSET on; MR_READ: at most KVERBS_DATA_MAX
 * @KVERBS_A_MR_REG_LENGTH: u64, bytes that are registered; absent if none are
 * @KVERBS_A_MR_LKEY: u32
 * @KVERBS_A_MR_RKEY: u32
 * @KVERBS_A_MR_IOVA: u64, the address that a peer names
 * @KVERBS_A_MR_DATA: binary, at most KVERBS_DATA_MAX bytes
 * @KVERBS_A_MR_VERB_NS: u64. MR_NEW: ib_alloc_mr(); MR_REG: ib_map_mr_sg(), the
 *	post and its completion; MR_INV: the post and its completion
 *
 * The buffer starts zeroed. A peer reaches nothing of it before MR_REG, and
 * then exactly the bytes that were named.
 */
enum kverbs_a_mr {
	KVERBS_A_MR_UNSPEC,
	KVERBS_A_MR_ID,
	KVERBS_A_MR_DEV,
	KVERBS_A_MR_PERSISTENT,
	KVERBS_A_MR_PD,
	KVERBS_A_MR_QP,
	KVERBS_A_MR_ACCESS,
	KVERBS_A_MR_OFFSET,
	KVERBS_A_MR_LENGTH,
	KVERBS_A_MR_REG_LENGTH,
	KVERBS_A_MR_LKEY,
	KVERBS_A_MR_RKEY,
	KVERBS_A_MR_IOVA,
	KVERBS_A_MR_DATA,
	KVERBS_A_MR_VERB_NS,

	__KVERBS_A_MR_LAST,
	KVERBS_A_MR_MAX = __KVERBS_A_MR_LAST - 1,
};

/* States of a QP (IBTA 10.3.1). */
enum kverbs_qp_state {
	KVERBS_QPS_RESET,
	KVERBS_QPS_INIT,
	KVERBS_QPS_RTR,
	KVERBS_QPS_RTS,
	KVERBS_QPS_SQD,
	KVERBS_QPS_SQE,
	KVERBS_QPS_ERR,
};

/**
 * enum kverbs_a_qp - an RC queue pair
 * @KVERBS_A_QP_ID: u32
 * @KVERBS_A_QP_DEV: string, the device's name; replies only
 * @KVERBS_A_QP_PERSISTENT: flag
 * @KVERBS_A_QP_PD: u32
 * @KVERBS_A_QP_SEND_CQ: u32
 * @KVERBS_A_QP_RECV_CQ: u32, may be the same CQ for MR_REG and post to
 *	completion; the loops that receive need two
 * @KVERBS_A_QP_MAX_SEND_WR: u32, 1 .. the device's max_qp_wr
 * @KVERBS_A_QP_MAX_RECV_WR: u32, 1 .. the device's max_qp_wr
 * @KVERBS_A_QP_QPN: u32, 24 bits
 * @KVERBS_A_QP_STATE: u32, enum kverbs_qp_state
 * @KVERBS_A_QP_ACCESS: u32, KVERBS_ACCESS_*, what peers may do (INIT)
 * @KVERBS_A_QP_PORT: u32, default 1 (INIT)
 * @KVERBS_A_QP_PKEY_INDEX: u32, default 0 (INIT)
 * @KVERBS_A_QP_PATH_MTU: u32, bytes: 256, 512, 1024, 2048, 4096 (RTR)
 * @KVERBS_A_QP_DEST_QPN: u32 (RTR)
 * @KVERBS_A_QP_RQ_PSN: u32, 24 bits (RTR)
 * @KVERBS_A_QP_DGID: binary, 16 bytes (RTR)
 * @KVERBS_A_QP_SGID_INDEX: u32 (RTR)
 * @KVERBS_A_QP_DLID: u32, InfiniBand only (RTR)
 * @KVERBS_A_QP_HOP_LIMIT: u32, default 64 (RTR)
 * @KVERBS_A_QP_MIN_RNR_TIMER: u32, 0 .. 31, IBTA table 45 (RTR)
 * @KVERBS_A_QP_MAX_DEST_RD_ATOMIC: u32 (RTR)
 * @KVERBS_A_QP_SQ_PSN: u32, 24 bits (RTS)
 * @KVERBS_A_QP_TIMEOUT: u32, 0 .. 31, 4.096 us * 2^n (RTS)
 * @KVERBS_A_QP_RETRY_CNT: u32, 0 .. 7 (RTS)
 * @KVERBS_A_QP_RNR_RETRY: u32, 0 .. 7, 7 is for ever (RTS)
 * @KVERBS_A_QP_MAX_RD_ATOMIC: u32 (RTS)
 * @KVERBS_A_QP_VERB_NS: u64, how long the verb took; for RTR this includes the
 *	resolution of the destination's MAC address
 */
enum kverbs_a_qp {
	KVERBS_A_QP_UNSPEC,
	KVERBS_A_QP_ID,
	KVERBS_A_QP_DEV,
	KVERBS_A_QP_PERSISTENT,
	KVERBS_A_QP_PD,
	KVERBS_A_QP_SEND_CQ,
	KVERBS_A_QP_RECV_CQ,
	KVERBS_A_QP_MAX_SEND_WR,
	KVERBS_A_QP_MAX_RECV_WR,
	KVERBS_A_QP_QPN,
	KVERBS_A_QP_STATE,
	KVERBS_A_QP_ACCESS,
	KVERBS_A_QP_PORT,
	KVERBS_A_QP_PKEY_INDEX,
	KVERBS_A_QP_PATH_MTU,
	KVERBS_A_QP_DEST_QPN,
	KVERBS_A_QP_RQ_PSN,
	KVERBS_A_QP_DGID,
	KVERBS_A_QP_SGID_INDEX,
	KVERBS_A_QP_DLID,
	KVERBS_A_QP_HOP_LIMIT,
	KVERBS_A_QP_MIN_RNR_TIMER,
	KVERBS_A_QP_MAX_DEST_RD_ATOMIC,
	KVERBS_A_QP_SQ_PSN,
	KVERBS_A_QP_TIMEOUT,
	KVERBS_A_QP_RETRY_CNT,
	KVERBS_A_QP_RNR_RETRY,
	KVERBS_A_QP_MAX_RD_ATOMIC,
	KVERBS_A_QP_VERB_NS,

	__KVERBS_A_QP_LAST,
	KVERBS_A_QP_MAX = __KVERBS_A_QP_LAST - 1,
};

/* What a run posts. Not the kernel's enum: that one differs between versions. */
enum kverbs_op {
	KVERBS_OP_SEND,
	KVERBS_OP_WRITE,
	KVERBS_OP_READ,
	KVERBS_OP_FETCH_ADD,
	KVERBS_OP_CMP_SWP,

	__KVERBS_OP_LAST,
	KVERBS_OP_MAX = __KVERBS_OP_LAST - 1,
};

/**
 * enum kverbs_loop - how a run's samples are taken
 * @KVERBS_LOOP_NULL: two counter reads and the record; no verbs. What the
 *	loops themselves cost.
 * @KVERBS_LOOP_POST_TO_COMPLETION: from before ib_post_send() until its
 *	completion was polled. WRITE, READ, FETCH_ADD, CMP_SWP.
 * @KVERBS_LOOP_PING: active side of a ping-pong, SEND or WRITE. A sample is a
 *	round trip. WRITE: both sides watch the last byte of their target.
 * @KVERBS_LOOP_PONG: passive side of a ping-pong; takes no samples
 * @KVERBS_LOOP_RELAY: one thread drives both ends of a ping-pong. A sample is a
 *	round trip. SEND or WRITE.
 */
enum kverbs_loop {
	KVERBS_LOOP_NULL,
	KVERBS_LOOP_POST_TO_COMPLETION,
	KVERBS_LOOP_PING,
	KVERBS_LOOP_PONG,
	KVERBS_LOOP_RELAY,

	__KVERBS_LOOP_LAST,
	KVERBS_LOOP_MAX = __KVERBS_LOOP_LAST - 1,
};

/**
 * enum kverbs_post - the context that requests are posted in
 * @KVERBS_POST_PROCESS: plain process context
 * @KVERBS_POST_SOFTIRQ_OFF: process context with softirqs held off around the
 *	post, so that what it schedules there runs before the post returns, and
 *	not at the next tick
 */
enum kverbs_post {
	KVERBS_POST_PROCESS,
	KVERBS_POST_SOFTIRQ_OFF,

	__KVERBS_POST_LAST,
	KVERBS_POST_MAX = __KVERBS_POST_LAST - 1,
};

/**
 * enum kverbs_lkey - which key names the local buffer
 * @KVERBS_LKEY_DMA: the PD's local_dma_lkey, as ULPs do
 * @KVERBS_LKEY_MR: the key of the MR's fast registration
 */
enum kverbs_lkey {
	KVERBS_LKEY_DMA,
	KVERBS_LKEY_MR,

	__KVERBS_LKEY_LAST,
	KVERBS_LKEY_MAX = __KVERBS_LKEY_LAST - 1,
};

/**
 * enum kverbs_a_end - one end of a connection, as a run uses it
 * @KVERBS_A_END_QP: u32, in RTS
 * @KVERBS_A_END_LOCAL_MR: u32, what is sent from, and read into
 * @KVERBS_A_END_TARGET_MR: u32, what the peer sends or writes into (PING, PONG,
 *	RELAY)
 * @KVERBS_A_END_LKEY: u32, enum kverbs_lkey, default DMA
 * @KVERBS_A_END_REMOTE_ADDR: u64, the peer's IOVA (all but SEND); a multiple of
 *	8 for atomics
 * @KVERBS_A_END_REMOTE_KEY: u32, the peer's RKEY (all but SEND)
 */
enum kverbs_a_end {
	KVERBS_A_END_UNSPEC,
	KVERBS_A_END_QP,
	KVERBS_A_END_LOCAL_MR,
	KVERBS_A_END_TARGET_MR,
	KVERBS_A_END_LKEY,
	KVERBS_A_END_REMOTE_ADDR,
	KVERBS_A_END_REMOTE_KEY,

	__KVERBS_A_END_LAST,
	KVERBS_A_END_MAX = __KVERBS_A_END_LAST - 1,
};

enum kverbs_run_state {
	KVERBS_RUN_ACTIVE,
	KVERBS_RUN_DONE,
};

/**
 * struct kverbs_bin - one bin of a histogram of samples, in ticks
 * @index: which bin. Below 256 a bin is one value. From there on bin i holds
 *	the values from (128 + i % 128) << s up to the next one's start, where
 *	s = i / 128 - 1: each octave has 128 bins.
 * @pad: 0
 * @count: samples in it, never 0 in a message
 */
struct kverbs_bin {
	__u32 index;
	__u32 pad;
	__u64 count;
};

/**
 * enum kverbs_a_run - one measured workload
 *
 * RUN_START:
 * @KVERBS_A_RUN_DEV: string, NULL loop only; the others follow their QP
 * @KVERBS_A_RUN_LOOP: u32, enum kverbs_loop
 * @KVERBS_A_RUN_OP: u32, enum kverbs_op; not for NULL
 * @KVERBS_A_RUN_SIZE: u32, bytes, 1 .. the MR's length; atomics: 8
 * @KVERBS_A_RUN_END: nest of enum kverbs_a_end; not for NULL
 * @KVERBS_A_RUN_PEER: nest of enum kverbs_a_end; RELAY only
 * @KVERBS_A_RUN_COMPARE_ADD: u64, FETCH_ADD: what is added, CMP_SWP: what is
 *	compared; default 0
 * @KVERBS_A_RUN_SWAP: u64, CMP_SWP: what is stored; default 0
 * @KVERBS_A_RUN_ITERS: u64, samples to take; this or TIME_NS, or both (what
 *	comes first ends the run)
 * @KVERBS_A_RUN_TIME_NS: u64, how long to take samples, at most one day
 * @KVERBS_A_RUN_WARMUP: u64, iterations before the first sample, default 0
 * @KVERBS_A_RUN_TIMEOUT_NS: u64, deadline of each iteration, with all that it
 *	waits for, 1 ms .. 1 h, default 10 s
 * @KVERBS_A_RUN_POST: u32, enum kverbs_post, default SOFTIRQ_OFF
 * @KVERBS_A_RUN_CPU: u32, default: wherever the scheduler likes
 * @KVERBS_A_RUN_SPINS: u32, empty polls before the thread lets the CPU go,
 *	0 .. KVERBS_SPINS_MAX; default: 0 with one CPU online, else 1000. Linux' ksoftirqd and
 *	workqueues may need this CPU for the completion to happen at all.
 *
 * RUN_GET, beside what was asked for:
 * @KVERBS_A_RUN_ID: u32
 * @KVERBS_A_RUN_STATE: u32, enum kverbs_run_state
 * @KVERBS_A_RUN_ERROR: s32, 0 or a negative errno: -EIO: see WC_STATUS,
 *	-ETIMEDOUT: no completion within TIMEOUT_NS, -ECANCELED, -ENODEV: the
 *	device was removed; others: what ib_post_send() returned
 * @KVERBS_A_RUN_WC_STATUS: u32, enum ib_wc_status (IBTA 11.6.2), 0 is success
 * @KVERBS_A_RUN_VENDOR_ERR: u32
 * @KVERBS_A_RUN_SAMPLES: u64, in the histogram; PONG: messages answered
 * @KVERBS_A_RUN_WARMED: u64, iterations discarded as warm-up
 * @KVERBS_A_RUN_MIN_TICKS: u64, exact
 * @KVERBS_A_RUN_MAX_TICKS: u64, exact
 * @KVERBS_A_RUN_SUM_TICKS: u64
 * @KVERBS_A_RUN_ELAPSED_TICKS: u64, from the first sample's start to the last's
 *	end
 * @KVERBS_A_RUN_ELAPSED_NS: u64, the same span by CLOCK_MONOTONIC_RAW
 * @KVERBS_A_RUN_LET_GO: u64, how often the thread let the CPU go
 * @KVERBS_A_RUN_FIRST_BIN: u32, request: index of the first bin wanted
 * @KVERBS_A_RUN_NEXT_BIN: u32, reply: where to go on; absent at the end
 * @KVERBS_A_RUN_BINS: binary, array of struct kverbs_bin, ascending. A run that
 *	is still active gives a snapshot that may be a few samples off.
 */
enum kverbs_a_run {
	KVERBS_A_RUN_UNSPEC,
	KVERBS_A_RUN_ID,
	KVERBS_A_RUN_DEV,
	KVERBS_A_RUN_LOOP,
	KVERBS_A_RUN_OP,
	KVERBS_A_RUN_SIZE,
	KVERBS_A_RUN_END,
	KVERBS_A_RUN_PEER,
	KVERBS_A_RUN_COMPARE_ADD,
	KVERBS_A_RUN_SWAP,
	KVERBS_A_RUN_ITERS,
	KVERBS_A_RUN_TIME_NS,
	KVERBS_A_RUN_WARMUP,
	KVERBS_A_RUN_TIMEOUT_NS,
	KVERBS_A_RUN_POST,
	KVERBS_A_RUN_CPU,
	KVERBS_A_RUN_SPINS,
	KVERBS_A_RUN_STATE,
	KVERBS_A_RUN_ERROR,
	KVERBS_A_RUN_WC_STATUS,
	KVERBS_A_RUN_VENDOR_ERR,
	KVERBS_A_RUN_SAMPLES,
	KVERBS_A_RUN_WARMED,
	KVERBS_A_RUN_MIN_TICKS,
	KVERBS_A_RUN_MAX_TICKS,
	KVERBS_A_RUN_SUM_TICKS,
	KVERBS_A_RUN_ELAPSED_TICKS,
	KVERBS_A_RUN_ELAPSED_NS,
	KVERBS_A_RUN_LET_GO,
	KVERBS_A_RUN_FIRST_BIN,
	KVERBS_A_RUN_NEXT_BIN,
	KVERBS_A_RUN_BINS,

	__KVERBS_A_RUN_LAST,
	KVERBS_A_RUN_MAX = __KVERBS_A_RUN_LAST - 1,
};

#endif
