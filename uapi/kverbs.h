/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * kverbs: kernel verbs over generic netlink.
 *
 * Family "kverbs", version KVERBS_GENL_VERSION. Every command needs
 * CAP_NET_ADMIN in the initial user namespace, and a device can be named only
 * from a network namespace that may use it. To receive
 * events takes the same. The kernel does not enforce this in a network namespace that belongs to
 * another user namespace: every root user there can join the group. So no event is sent there.
 *
 * A command carries the attributes of its object, at the top level:
 *
 *   INFO_GET   -> KVERBS_A_INFO_*      module version, counters of objects
 *   FLUSH      -> FLUSHED, BUSY        destroys all persistent objects
 *   DEV_GET    NAME -> KVERBS_A_DEV_*  do: one device, dump: all devices
 *
 *   PD_NEW     DEV [, PERSISTENT] -> as PD_GET, VERB_NS
 *   CQ_NEW     DEV, CQE [, COMP_VECTOR, CONTEXT, MODERATION_COUNT, MODERATION_PERIOD,
 *              PERSISTENT] -> as CQ_GET, VERB_NS
 *   CQ_POLL    ID [, MAX_WC] -> WC for each completion, in order; VERB_NS
 *   CQ_ARM     ID [, SOLICITED] -> VERB_NS, MISSED if completions are there
 *              already: then an event need not come. Else EVENT COMPLETION follows.
 *   BUF_NEW    DEV, LENGTH [, PIECES, NODE, PERSISTENT] -> as BUF_GET
 *   BUF_WRITE  ID, DATA [, OFFSET] -> no answer, as RUN_CANCEL
 *   BUF_READ   ID, LENGTH [, OFFSET] -> DATA
 *   MR_NEW     PD [, MAX_PAGES, PERSISTENT] -> as MR_GET, VERB_NS
 *   MR_REG     ID, QP, BUF [, OFFSET, LENGTH, ACCESS, POST_CONTEXT] -> as MR_GET, VERB_NS
 *   MR_INV     ID, QP [, POST_CONTEXT] -> as MR_GET, VERB_NS
 *   SRQ_NEW    PD, MAX_WR [, MAX_SGE, LIMIT, PERSISTENT] -> as SRQ_GET, VERB_NS
 *   SRQ_MODIFY ID, LIMIT or MAX_WR or both -> as SRQ_GET, VERB_NS
 *   AH_NEW     PD, and the destination [, PERSISTENT] -> as AH_GET, VERB_NS
 *   QP_NEW     PD, SEND_CQ, RECV_CQ, MAX_SEND_WR, MAX_RECV_WR or SRQ [, TYPE, ...,
 *              PERSISTENT] -> as QP_GET, VERB_NS
 *   QP_MODIFY  ID, STATE, and the attributes of the transition -> VERB_NS
 *   QP_ATTACH  ID of a UD QP that is not in RESET, GROUP_GID [, GROUP_LID] -> VERB_NS.
 *              RESET and QP_DEL detach it from all groups.
 *   QP_DETACH  ID, GROUP_GID -> VERB_NS
 *   PD_GET, CQ_GET, BUF_GET, MR_GET, SRQ_GET, AH_GET, QP_GET
 *              do: ID -> the attributes that it was made with, its parents; a registered
 *              MR's key; a QP's state and the other results of ib_query_qp().
 *              dump: all that the socket may see, in the order of their ids
 *   PD_DEL, CQ_DEL, MR_DEL, SRQ_DEL, AH_DEL, QP_DEL    ID -> VERB_NS
 *   BUF_DEL    ID -> an answer without attributes
 *
 *   WR_POST    QP or SRQ, WR for each work request, in order [, CONTEXT] -> POSTED,
 *              VERB_NS, and ERROR if the device refused a request of the list, but not the first
 *
 *   CONN_NEW        DEV [, PERSISTENT] -> as CONN_GET, VERB_NS
 *   CONN_LISTEN     ID, SRC [, BACKLOG] -> as CONN_GET, VERB_NS
 *   CONN_GET_REQUEST       ID of a listener -> as CONN_GET, of the oldest request that it
 *                   has; -EAGAIN if there is none
 *   CONN_RESOLVE_ADDR  ID, DST [, SRC, TIMEOUT_MS] -> VERB_NS
 *   CONN_RESOLVE_ROUTE ID [, TIMEOUT_MS] -> VERB_NS
 *   CONN_CONNECT    ID, QP [, ACCESS, PRIVATE_DATA, ...] -> VERB_NS
 *   CONN_ESTABLISH  ID [, ACK_TIMEOUT] -> VERB_NS. The active side, once the peer
 *                   has accepted. No event follows.
 *   CONN_ACCEPT     ID, QP [, ACCESS, PRIVATE_DATA, ...] -> VERB_NS
 *   CONN_REJECT     ID [, PRIVATE_DATA] -> VERB_NS. A peer's request, or its answer
 *   CONN_DISCONNECT ID -> VERB_NS. Of an established one
 *   CONN_JOIN       ID of an idle one, SRC, GROUP -> VERB_NS. EVENT CM tells of the answer;
 *                   then CONN_GET has the group's GID, QPN and Q_Key, for a QP that is
 *                   attached, or that sends to it
 *   CONN_LEAVE      ID -> VERB_NS. It is idle then; CONN_DEL leaves, too
 *   CONN_GET        do: ID -> its attributes; dump: all that the socket may see
 *   CONN_DEL        ID -> VERB_NS
 *              The verbs of the RDMA CM. Those that ask somebody else return when
 *              they have asked; the answer is the CONN's new STATE, told by
 *              EVENT CM. A CONN that has ended is of no more use: make another.
 *
 *   RUN_START  SPEC: the measurement (see enum kverbs_a_spec) -> ID
 *   RUN_GET    ID [, FIRST_BIN [, WORKER]] -> SPEC, STATE, HIST_SHIFT, a RESULT for
 *              each worker, as many bins of WORKER's histogram as fit; NEXT_BIN is
 *              there if more follow. Any number of times.
 *              dump: all runs, without bins
 *   RUN_CANCEL ID -> no answer, only the NLMSG_ERROR that NLM_F_ACK asks for.
 *              The run ends with -ECANCELED and the samples that it has. Its QP can be used
 *              again if the outstanding requests complete within KVERBS_GRACE_NS.
 *   RUN_DEL    ID -> an answer without attributes. Cancels first if the run is active.
 *
 *   EVENT      event, group "events": see enum kverbs_a_event. Sent to the
 *              network namespace of the object's owner; an event of a device to all
 *              network namespaces that may use the device. Events may get lost: the
 *              commands *_GET are reliable.
 *
 * Objects belong to the socket that made them: nobody else sees them, and they
 * die with it, runs first, then CONNs, QPs, AHs, SRQs, MRs, BUFs, CQs and PDs. A
 * persistent object stays until it is deleted or flushed, or its network namespace goes;
 * every socket of that namespace sees it. It can use only persistent objects.
 * Runs are never persistent. When a device goes, its objects go; its runs stay,
 * ended with -ENODEV, until they are deleted.
 *
 * The objects that a work request names (its BUFs, its MRs, its AH) are in use until its
 * completion was polled, or that of a later request of the same queue; or its QP was reset or
 * destroyed; or its SRQ was destroyed. As long as requests that were posted by
 * hand are outstanding, or their completions not polled, no run can be started
 * with their CQs.
 *
 * A command that may wait, for a verb, a thread or another command, is carried out by a work
 * item: sending it returns before it is done, and its answer comes when it is. No other
 * message of generic netlink waits behind it. The commands of a socket are carried out, and
 * answered, in the order in which they came. A socket may have 128 that are not answered;
 * the next is refused with -EBUSY. close() waits for none: the command that has begun goes on;
 * those behind it are not carried out.
 *
 * A dump begins with a message of the type NLMSG_NOOP, which readers ignore. The rest is
 * collected while the reader receives, after the commands that the socket has sent before.
 * A dump during which objects came or went has NLM_F_DUMP_INTR set: ask again.
 *
 * Errors: every refusal is NLMSG_ERROR with a negative errno and an extack
 * message; where one attribute is to blame, extack points at it. A command refuses
 * the attributes that it does not take; a dump takes none. Of an attribute that is no list and is
 * given twice, the last one counts, as everywhere in netlink.
 *
 *   -EINVAL   a value or a combination of values is wrong, or a value is more than
 *             the device or the object can
 *   -ERANGE   a value is out of the range that holds everywhere; extack has it
 *   -ENOENT   no such object (or it belongs to somebody else)
 *   -ENODEV   no such device, or not from this network namespace
 *   -EBUSY    in use: by another object, by a posted request, by an active run; or too
 *             many commands of the socket are under way
 *   -EPERM    no CAP_NET_ADMIN
 *   -EDQUOT   over the module's limits (max_objects, max_bytes)
 *   -EAGAIN   CONN_GET_REQUEST: no request is there
 *   -EXDEV    an address of, or reached through, another device
 *   -ENOMEM   no memory
 *   -EOPNOTSUPP the device can't do this
 *   anything else is the error of the verb
 *
 * If it was a verb that failed, the refusal has a cookie (NLMSGERR_ATTR_COOKIE), a u32:
 * enum kverbs_stage says which one. Without a cookie the command was refused before it
 * called a verb that makes or changes something, or by a check between two verbs.
 *
 * An object's id is never 0. A device's name has at most 63 bytes. A number
 * whose maximum is a device's attribute is at most 2^31 - 1 on all devices.
 *
 * VERB_NS is the time of the verbs of a command; it is absent if none was called. MRs,
 * QPs and CONNs have commands of several verbs: they answer a STAGE for each, too.
 *
 * Units are in the names: _NS nanoseconds, _BYTES or LENGTH bytes, _TICKS ticks
 * of the counter (see KVERBS_A_INFO_COUNTER). 64-bit numbers stay 64-bit.
 *
 * Numbers of commands and attributes never change; new ones are added at the end.
 */
#ifndef _UAPI_KVERBS_H
#define _UAPI_KVERBS_H

#include <linux/types.h>

/* Of the release that module and tool were built from. */
#define KVERBS_VERSION "0.1.0"

#define KVERBS_GENL_NAME "kverbs"
#define KVERBS_GENL_VERSION 1
#define KVERBS_MCGRP_EVENTS "events"

/*
 * Empty polls that a run may make before it yields the CPU. Only when it
 * yields does it look whether it is to end: with more polls it would notice that too late.
 */
#define KVERBS_SPINS_MAX 1000000

/* How long a run that is cancelled still waits for the requests that it has posted. */
#define KVERBS_GRACE_NS 100000000

/*
 * A single BUF_WRITE or BUF_READ moves at most this many bytes. A reply that carries them is an
 * allocation of 32 KiB, the largest that the kernel keeps trying when its free memory is fragmented
 * (PAGE_ALLOC_COSTLY_ORDER).
 */
#define KVERBS_DATA_MAX 31744

/* A work request has at most this many SGEs; devices may take less. */
#define KVERBS_SGE_MAX 32

/* A single CQ_POLL takes at most this many completions. */
#define KVERBS_POLL_MAX 64

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
	KVERBS_CMD_CQ_POLL,
	KVERBS_CMD_CQ_ARM,

	KVERBS_CMD_BUF_NEW,
	KVERBS_CMD_BUF_DEL,
	KVERBS_CMD_BUF_GET,
	KVERBS_CMD_BUF_WRITE,
	KVERBS_CMD_BUF_READ,

	KVERBS_CMD_MR_NEW,
	KVERBS_CMD_MR_DEL,
	KVERBS_CMD_MR_GET,
	KVERBS_CMD_MR_REG,
	KVERBS_CMD_MR_INV,

	KVERBS_CMD_SRQ_NEW,
	KVERBS_CMD_SRQ_DEL,
	KVERBS_CMD_SRQ_GET,
	KVERBS_CMD_SRQ_MODIFY,

	KVERBS_CMD_AH_NEW,
	KVERBS_CMD_AH_DEL,
	KVERBS_CMD_AH_GET,

	KVERBS_CMD_QP_NEW,
	KVERBS_CMD_QP_DEL,
	KVERBS_CMD_QP_GET,
	KVERBS_CMD_QP_MODIFY,

	KVERBS_CMD_WR_POST,

	KVERBS_CMD_RUN_START,
	KVERBS_CMD_RUN_CANCEL,
	KVERBS_CMD_RUN_GET,
	KVERBS_CMD_RUN_DEL,

	KVERBS_CMD_EVENT,

	KVERBS_CMD_CONN_NEW,
	KVERBS_CMD_CONN_DEL,
	KVERBS_CMD_CONN_GET,
	KVERBS_CMD_CONN_LISTEN,
	KVERBS_CMD_CONN_GET_REQUEST,
	KVERBS_CMD_CONN_RESOLVE_ADDR,
	KVERBS_CMD_CONN_RESOLVE_ROUTE,
	KVERBS_CMD_CONN_CONNECT,
	KVERBS_CMD_CONN_ESTABLISH,
	KVERBS_CMD_CONN_ACCEPT,
	KVERBS_CMD_CONN_REJECT,
	KVERBS_CMD_CONN_DISCONNECT,

	KVERBS_CMD_QP_ATTACH,
	KVERBS_CMD_QP_DETACH,

	KVERBS_CMD_CONN_JOIN,
	KVERBS_CMD_CONN_LEAVE,

	__KVERBS_CMD_LAST,
	KVERBS_CMD_MAX = __KVERBS_CMD_LAST - 1,
};

/**
 * enum kverbs_stage - a part of a command: a verb, or a wait
 * @KVERBS_STAGE_CREATE: the verb that makes an object; of an AH it resolves DMAC, too
 * @KVERBS_STAGE_DESTROY: the verb that destroys one
 * @KVERBS_STAGE_QUERY: ib_query_qp() or rdma_init_qp_attr(), which a command needs before
 *	its own verb
 * @KVERBS_STAGE_RESOLVE: RTR on RoCE: rdma_create_user_ah() and rdma_destroy_ah(), for the
 *	destination's MAC address
 * @KVERBS_STAGE_DRAIN: the QP goes to ERR, and its requests come back
 * @KVERBS_STAGE_MODIFY: ib_modify_qp(), ib_modify_srq(), rdma_set_cq_moderation(),
 *	ib_attach_mcast(), ib_detach_mcast(); if the command makes another QP in place of the
 *	first, ib_create_qp() and ib_destroy_qp()
 * @KVERBS_STAGE_MAP: ib_map_mr_sg()
 * @KVERBS_STAGE_POST: ib_post_send(), ib_post_recv() or ib_post_srq_recv()
 * @KVERBS_STAGE_COMPLETION: ib_poll_cq(); MR_REG and MR_INV: until the completion is there
 * @KVERBS_STAGE_ARM: ib_req_notify_cq()
 * @KVERBS_STAGE_BIND: rdma_bind_addr()
 * @KVERBS_STAGE_CM: the RDMA CM's verb that the command is named after
 */
enum kverbs_stage {
	KVERBS_STAGE_UNSPEC,
	KVERBS_STAGE_CREATE,
	KVERBS_STAGE_DESTROY,
	KVERBS_STAGE_QUERY,
	KVERBS_STAGE_RESOLVE,
	KVERBS_STAGE_DRAIN,
	KVERBS_STAGE_MODIFY,
	KVERBS_STAGE_MAP,
	KVERBS_STAGE_POST,
	KVERBS_STAGE_COMPLETION,
	KVERBS_STAGE_ARM,
	KVERBS_STAGE_BIND,
	KVERBS_STAGE_CM,

	__KVERBS_STAGE_LAST,
	KVERBS_STAGE_MAX = __KVERBS_STAGE_LAST - 1,
};

/**
 * enum kverbs_a_stage - how long a stage of a command took
 * @KVERBS_A_STAGE_KIND: u32, enum kverbs_stage
 * @KVERBS_A_STAGE_NS: u64; of COMPLETION from the return of the post until the completion was
 *	seen, without the sleeps meanwhile. QUERY is not timed.
 */
enum kverbs_a_stage {
	KVERBS_A_STAGE_UNSPEC,
	KVERBS_A_STAGE_KIND,
	KVERBS_A_STAGE_NS,

	__KVERBS_A_STAGE_LAST,
	KVERBS_A_STAGE_MAX = __KVERBS_A_STAGE_LAST - 1,
};

/**
 * enum kverbs_a_info - the module itself
 * @KVERBS_A_INFO_VERSION: string, the module's version
 * @KVERBS_A_INFO_COUNTER: string, the counter that the loops read: "tsc" or
 *	"ktime_raw" (then a tick is a nanosecond)
 * @KVERBS_A_INFO_COUNTER_HZ: u64, its ticks in a second, by which the module converts times of a
 *	run's SPEC. Linux' estimate: a more exact measurement may differ by some 10^-5
 * @KVERBS_A_INFO_CREATED: u64, objects made since the module was loaded
 * @KVERBS_A_INFO_DESTROYED: u64, objects destroyed since; counted at the same
 *	moment as @KVERBS_A_INFO_CREATED, so the difference is the number of those that exist
 * @KVERBS_A_INFO_BUFFER_BYTES: u64, memory that counts against max_bytes now: buffers,
 *	and the computed memory of queues and runs
 * @KVERBS_A_INFO_FLUSHED: u32, persistent objects that FLUSH has destroyed
 * @KVERBS_A_INFO_BUSY: u32, persistent objects that stay because a socket's
 *	objects use them
 * @KVERBS_A_INFO_MAX_OBJECTS: u64, objects that may exist at a time: max_objects
 * @KVERBS_A_INFO_MAX_BYTES: u64, the most that @KVERBS_A_INFO_BUFFER_BYTES may be: max_bytes,
 *	or a quarter of the memory if that is less
 */
enum kverbs_a_info {
	KVERBS_A_INFO_UNSPEC,
	KVERBS_A_INFO_VERSION,
	KVERBS_A_INFO_COUNTER,
	KVERBS_A_INFO_COUNTER_HZ,
	KVERBS_A_INFO_CREATED,
	KVERBS_A_INFO_DESTROYED,
	KVERBS_A_INFO_BUFFER_BYTES,
	KVERBS_A_INFO_FLUSHED,
	KVERBS_A_INFO_BUSY,
	KVERBS_A_INFO_MAX_OBJECTS,
	KVERBS_A_INFO_MAX_BYTES,

	__KVERBS_A_INFO_LAST,
	KVERBS_A_INFO_MAX = __KVERBS_A_INFO_LAST - 1,
};

/* The capabilities of a device, among those that this module knows. */
#define KVERBS_CAP_RC (1U << 0)
#define KVERBS_CAP_UC (1U << 1)
#define KVERBS_CAP_UD (1U << 2)
#define KVERBS_CAP_SRQ (1U << 3)
#define KVERBS_CAP_AH (1U << 4)
#define KVERBS_CAP_FAST_REG (1U << 5)
#define KVERBS_CAP_ATOMIC (1U << 6)
#define KVERBS_CAP_CM (1U << 7)
#define KVERBS_CAP__ALL 0xffU

/**
 * enum kverbs_a_dev - an RDMA device, as the kernel sees it
 * @KVERBS_A_DEV_NAME: string, such as "rxe0"
 * @KVERBS_A_DEV_CAPS: u32, KVERBS_CAP_*
 * @KVERBS_A_DEV_PORTS: u32, struct ib_device.phys_port_cnt
 * @KVERBS_A_DEV_COMP_VECTORS: u32, .num_comp_vectors
 * @KVERBS_A_DEV_NODE_GUID: u64
 * @KVERBS_A_DEV_SYS_IMAGE_GUID: u64, struct ib_device_attr.sys_image_guid, as
 *	are the following
 * @KVERBS_A_DEV_FW_VER: string, the result of ib_get_device_fw_str()
 * @KVERBS_A_DEV_VENDOR_ID: u32, .vendor_id
 * @KVERBS_A_DEV_VENDOR_PART_ID: u32, .vendor_part_id
 * @KVERBS_A_DEV_HW_VER: u32, .hw_ver
 * @KVERBS_A_DEV_CAP_FLAGS: u64, .device_cap_flags
 * @KVERBS_A_DEV_MAX_MR_SIZE: u64, .max_mr_size, bytes
 * @KVERBS_A_DEV_PAGE_SIZE_CAP: u64, .page_size_cap, a bit for each size
 * @KVERBS_A_DEV_MAX_QP: u32, .max_qp
 * @KVERBS_A_DEV_MAX_QP_WR: u32, .max_qp_wr
 * @KVERBS_A_DEV_MAX_SEND_SGE: u32, .max_send_sge
 * @KVERBS_A_DEV_MAX_RECV_SGE: u32, .max_recv_sge
 * @KVERBS_A_DEV_MAX_SGE_RD: u32, .max_sge_rd
 * @KVERBS_A_DEV_MAX_CQ: u32, .max_cq
 * @KVERBS_A_DEV_MAX_CQE: u32, .max_cqe
 * @KVERBS_A_DEV_MAX_MR: u32, .max_mr
 * @KVERBS_A_DEV_MAX_PD: u32, .max_pd
 * @KVERBS_A_DEV_MAX_QP_RD_ATOM: u32, .max_qp_rd_atom
 * @KVERBS_A_DEV_MAX_RES_RD_ATOM: u32, .max_res_rd_atom
 * @KVERBS_A_DEV_MAX_QP_INIT_RD_ATOM: u32, .max_qp_init_rd_atom
 * @KVERBS_A_DEV_ATOMIC: u32, enum ib_atomic_cap: 0 none, 1 HCA, 2 global
 * @KVERBS_A_DEV_MAX_MW: u32, .max_mw
 * @KVERBS_A_DEV_MAX_MCAST_GRP: u32, .max_mcast_grp
 * @KVERBS_A_DEV_MAX_MCAST_QP_ATTACH: u32, .max_mcast_qp_attach
 * @KVERBS_A_DEV_MAX_AH: u32, .max_ah
 * @KVERBS_A_DEV_MAX_SRQ: u32, .max_srq
 * @KVERBS_A_DEV_MAX_SRQ_WR: u32, .max_srq_wr
 * @KVERBS_A_DEV_MAX_SRQ_SGE: u32, .max_srq_sge
 * @KVERBS_A_DEV_MAX_FAST_REG_PAGES: u32, .max_fast_reg_page_list_len
 * @KVERBS_A_DEV_MAX_PKEYS: u32, .max_pkeys
 * @KVERBS_A_DEV_LOCAL_CA_ACK_DELAY: u32, .local_ca_ack_delay
 * @KVERBS_A_DEV_MAX_MR_BYTES: u64, the most bytes that one MR can be
 *	registered over
 * @KVERBS_A_DEV_PORT: nest of enum kverbs_a_port, one for each port, in the order of their
 *	numbers
 * @KVERBS_A_DEV_MAX_CQ_MODERATION_COUNT: u32, .cq_caps.max_cq_moderation_count; this and the
 *	next one are 0 if the device has no CQ moderation
 * @KVERBS_A_DEV_MAX_CQ_MODERATION_PERIOD: u32, .cq_caps.max_cq_moderation_period, microseconds
 */
enum kverbs_a_dev {
	KVERBS_A_DEV_UNSPEC,
	KVERBS_A_DEV_NAME,
	KVERBS_A_DEV_CAPS,
	KVERBS_A_DEV_PORTS,
	KVERBS_A_DEV_COMP_VECTORS,
	KVERBS_A_DEV_NODE_GUID,
	KVERBS_A_DEV_SYS_IMAGE_GUID,
	KVERBS_A_DEV_FW_VER,
	KVERBS_A_DEV_VENDOR_ID,
	KVERBS_A_DEV_VENDOR_PART_ID,
	KVERBS_A_DEV_HW_VER,
	KVERBS_A_DEV_CAP_FLAGS,
	KVERBS_A_DEV_MAX_MR_SIZE,
	KVERBS_A_DEV_PAGE_SIZE_CAP,
	KVERBS_A_DEV_MAX_QP,
	KVERBS_A_DEV_MAX_QP_WR,
	KVERBS_A_DEV_MAX_SEND_SGE,
	KVERBS_A_DEV_MAX_RECV_SGE,
	KVERBS_A_DEV_MAX_SGE_RD,
	KVERBS_A_DEV_MAX_CQ,
	KVERBS_A_DEV_MAX_CQE,
	KVERBS_A_DEV_MAX_MR,
	KVERBS_A_DEV_MAX_PD,
	KVERBS_A_DEV_MAX_QP_RD_ATOM,
	KVERBS_A_DEV_MAX_RES_RD_ATOM,
	KVERBS_A_DEV_MAX_QP_INIT_RD_ATOM,
	KVERBS_A_DEV_ATOMIC,
	KVERBS_A_DEV_MAX_MW,
	KVERBS_A_DEV_MAX_MCAST_GRP,
	KVERBS_A_DEV_MAX_MCAST_QP_ATTACH,
	KVERBS_A_DEV_MAX_AH,
	KVERBS_A_DEV_MAX_SRQ,
	KVERBS_A_DEV_MAX_SRQ_WR,
	KVERBS_A_DEV_MAX_SRQ_SGE,
	KVERBS_A_DEV_MAX_FAST_REG_PAGES,
	KVERBS_A_DEV_MAX_PKEYS,
	KVERBS_A_DEV_LOCAL_CA_ACK_DELAY,
	KVERBS_A_DEV_MAX_MR_BYTES,
	KVERBS_A_DEV_PORT,
	KVERBS_A_DEV_MAX_CQ_MODERATION_COUNT,
	KVERBS_A_DEV_MAX_CQ_MODERATION_PERIOD,

	__KVERBS_A_DEV_LAST,
	KVERBS_A_DEV_MAX = __KVERBS_A_DEV_LAST - 1,
};

/**
 * enum kverbs_a_port - a port of a device
 * @KVERBS_A_PORT_NUMBER: u32, the number that PORT of AH_NEW and of QP_MODIFY takes
 * @KVERBS_A_PORT_ERROR: u32, errno with which ib_query_port() failed: none of the following is
 *	there then; absent if it did not
 * @KVERBS_A_PORT_STATE: u32, enum ib_port_state: 4 is active
 * @KVERBS_A_PORT_PHYS_STATE: u32, enum ib_port_phys_state: 5 is link up
 * @KVERBS_A_PORT_LINK_LAYER: u32, enum rdma_link_layer: 1 InfiniBand, 2 Ethernet
 * @KVERBS_A_PORT_MAX_MTU: u32, bytes
 * @KVERBS_A_PORT_ACTIVE_MTU: u32, bytes
 * @KVERBS_A_PORT_MAX_MSG_BYTES: u32, max_msg_sz
 * @KVERBS_A_PORT_LID: u32, 0 on RoCE
 * @KVERBS_A_PORT_SM_LID: u32, 0 on RoCE
 * @KVERBS_A_PORT_ACTIVE_WIDTH: u32, enum ib_port_width
 * @KVERBS_A_PORT_ACTIVE_SPEED: u32, enum ib_port_speed
 * @KVERBS_A_PORT_GID_TABLE_LEN: u32
 * @KVERBS_A_PORT_PKEY_TABLE_LEN: u32
 * @KVERBS_A_PORT_GID: nest of enum kverbs_a_gid, one for each valid entry of the port's GID
 *	table, as many as an attribute has room for: some 1000
 */
enum kverbs_a_port {
	KVERBS_A_PORT_UNSPEC,
	KVERBS_A_PORT_NUMBER,
	KVERBS_A_PORT_ERROR,
	KVERBS_A_PORT_STATE,
	KVERBS_A_PORT_PHYS_STATE,
	KVERBS_A_PORT_LINK_LAYER,
	KVERBS_A_PORT_MAX_MTU,
	KVERBS_A_PORT_ACTIVE_MTU,
	KVERBS_A_PORT_MAX_MSG_BYTES,
	KVERBS_A_PORT_LID,
	KVERBS_A_PORT_SM_LID,
	KVERBS_A_PORT_ACTIVE_WIDTH,
	KVERBS_A_PORT_ACTIVE_SPEED,
	KVERBS_A_PORT_GID_TABLE_LEN,
	KVERBS_A_PORT_PKEY_TABLE_LEN,
	KVERBS_A_PORT_GID,

	__KVERBS_A_PORT_LAST,
	KVERBS_A_PORT_MAX = __KVERBS_A_PORT_LAST - 1,
};

/* The type of a GID table entry. */
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
 * @KVERBS_A_GID_NETDEV: string, RoCE's network interface; absent if there is none
 */
enum kverbs_a_gid {
	KVERBS_A_GID_UNSPEC,
	KVERBS_A_GID_INDEX,
	KVERBS_A_GID_GID,
	KVERBS_A_GID_TYPE,
	KVERBS_A_GID_NETDEV,

	__KVERBS_A_GID_LAST,
	KVERBS_A_GID_MAX = __KVERBS_A_GID_LAST - 1,
};

/**
 * enum kverbs_a_pd - a protection domain (IBTA 10.2.3)
 * @KVERBS_A_PD_ID: u32
 * @KVERBS_A_PD_DEV: string, the device's name
 * @KVERBS_A_PD_PERSISTENT: flag
 * @KVERBS_A_PD_LOCAL_DMA_LKEY: u32, replies only
 * @KVERBS_A_PD_VERB_NS: u64, how long ib_alloc_pd()/ib_dealloc_pd() took
 */
enum kverbs_a_pd {
	KVERBS_A_PD_UNSPEC,
	KVERBS_A_PD_ID,
	KVERBS_A_PD_DEV,
	KVERBS_A_PD_PERSISTENT,
	KVERBS_A_PD_LOCAL_DMA_LKEY,
	KVERBS_A_PD_VERB_NS,

	__KVERBS_A_PD_LAST,
	KVERBS_A_PD_MAX = __KVERBS_A_PD_LAST - 1,
};

/**
 * enum kverbs_cq_context - how a CQ's completions are noticed and handled
 * @KVERBS_CQ_POLLED: somebody polls
 * @KVERBS_CQ_EVENT: somebody polls, after CQ_ARM and the event that follows;
 *	in user space: a completion channel. A run's thread sleeps until the event
 * @KVERBS_CQ_SOFTIRQ: the kernel handles them in a softirq (IB_POLL_SOFTIRQ) and
 *	keeps them for CQ_POLL; CQ_ARM works too. In a run this handler takes the sample
 *	and posts the next request
 * @KVERBS_CQ_WORKQUEUE: in a workqueue (IB_POLL_WORKQUEUE)
 * @KVERBS_CQ_UNBOUND_WORKQUEUE: in an unbound one (IB_POLL_UNBOUND_WORKQUEUE)
 *
 * A run of POST_TO_COMPLETION or STREAM goes by the context of the CQ of its sends. Ping-pongs
 * take only POLLED.
 */
enum kverbs_cq_context {
	KVERBS_CQ_POLLED,
	KVERBS_CQ_EVENT,
	KVERBS_CQ_SOFTIRQ,
	KVERBS_CQ_WORKQUEUE,
	KVERBS_CQ_UNBOUND_WORKQUEUE,

	__KVERBS_CQ_LAST,
	KVERBS_CQ_MAX = __KVERBS_CQ_LAST - 1,
};

/**
 * enum kverbs_a_cq - a completion queue (IBTA 10.2.6)
 * @KVERBS_A_CQ_ID: u32
 * @KVERBS_A_CQ_DEV: string, the device's name
 * @KVERBS_A_CQ_PERSISTENT: flag
 * @KVERBS_A_CQ_CQE: u32, 1 .. the device's max_cqe: the completions that it must hold, and in
 *	a reply those that it holds
 * @KVERBS_A_CQ_COMP_VECTOR: u32, 0 .. the device's num_comp_vectors - 1, default 0
 * @KVERBS_A_CQ_CONTEXT: u32, enum kverbs_cq_context, default POLLED
 * @KVERBS_A_CQ_PENDING: u32, replies only: requests posted by hand whose
 *	completions come here and have not been polled; those of an SRQ are not
 *	counted before they complete
 * @KVERBS_A_CQ_MAX_WC: u32, CQ_POLL: 1 .. KVERBS_POLL_MAX, default KVERBS_POLL_MAX
 * @KVERBS_A_CQ_WC: nest of enum kverbs_a_wc, any number
 * @KVERBS_A_CQ_SOLICITED: flag, CQ_ARM: only a solicited completion or an error
 *	makes the event; context EVENT only
 * @KVERBS_A_CQ_MISSED: flag
 * @KVERBS_A_CQ_VERB_NS: u64, how long the verb took: ib_alloc_cq() or
 *	ib_create_cq(), ib_free_cq() or ib_destroy_cq(), ib_poll_cq(),
 *	ib_req_notify_cq(); that of rdma_set_cq_moderation() is not in it
 * @KVERBS_A_CQ_MODERATION_COUNT: u32, 0 .. 65535: so many completions make one event
 *	(rdma_set_cq_moderation()); at most the device's max_cq_moderation_count. Default 0, like
 *	PERIOD: both are 0, which leaves it to the device, or neither is. Not with context POLLED,
 *	which has no events
 * @KVERBS_A_CQ_MODERATION_PERIOD: u32, 0 .. 65535: microseconds after which the event comes
 *	for fewer completions, too; at most the device's max_cq_moderation_period
 */
enum kverbs_a_cq {
	KVERBS_A_CQ_UNSPEC,
	KVERBS_A_CQ_ID,
	KVERBS_A_CQ_DEV,
	KVERBS_A_CQ_PERSISTENT,
	KVERBS_A_CQ_CQE,
	KVERBS_A_CQ_COMP_VECTOR,
	KVERBS_A_CQ_CONTEXT,
	KVERBS_A_CQ_PENDING,
	KVERBS_A_CQ_MAX_WC,
	KVERBS_A_CQ_WC,
	KVERBS_A_CQ_SOLICITED,
	KVERBS_A_CQ_MISSED,
	KVERBS_A_CQ_VERB_NS,
	KVERBS_A_CQ_MODERATION_COUNT,
	KVERBS_A_CQ_MODERATION_PERIOD,

	__KVERBS_A_CQ_LAST,
	KVERBS_A_CQ_MAX = __KVERBS_A_CQ_LAST - 1,
};

/* Access flags of a registration, the values of the verbs (IBTA 10.6). */
#define KVERBS_ACCESS_LOCAL_WRITE (1U << 0)
#define KVERBS_ACCESS_REMOTE_WRITE (1U << 1)
#define KVERBS_ACCESS_REMOTE_READ (1U << 2)
#define KVERBS_ACCESS_REMOTE_ATOMIC (1U << 3)
#define KVERBS_ACCESS__ALL 0xfU

/* A piece of a buffer has at most this many bytes: the page allocator's limit. */
#define KVERBS_PIECE_MAX 4194304

/* A buffer has at most this many pieces. */
#define KVERBS_PIECES_MAX 1048576

/**
 * enum kverbs_a_buf - a buffer: memory that a device reads and writes
 * @KVERBS_A_BUF_ID: u32
 * @KVERBS_A_BUF_DEV: string, the device's name
 * @KVERBS_A_BUF_PERSISTENT: flag
 * @KVERBS_A_BUF_LENGTH: u64, bytes, from 1 on; BUF_READ takes KVERBS_DATA_MAX at most
 * @KVERBS_A_BUF_PIECES: u32, physically contiguous pieces of which the buffer consists,
 *	1 .. KVERBS_PIECES_MAX, of a page at least and KVERBS_PIECE_MAX bytes at most; default:
 *	as few as there can be. The first ones may be a page longer than the others.
 * @KVERBS_A_BUF_NODE: u32, 0 .. 2^31 - 1, the NUMA node that the memory is from; default: a
 *	node near the device. Replies: the node that the first page is from
 * @KVERBS_A_BUF_OFFSET: u64, first byte in the buffer, default 0
 * @KVERBS_A_BUF_DATA: binary, 1 .. KVERBS_DATA_MAX bytes
 *
 * The buffer starts zeroed, and is mapped for DMA in both directions. A peer reaches
 * nothing of it before an MR is registered over it. As long as an MR is, the buffer is in use.
 */
enum kverbs_a_buf {
	KVERBS_A_BUF_UNSPEC,
	KVERBS_A_BUF_ID,
	KVERBS_A_BUF_DEV,
	KVERBS_A_BUF_PERSISTENT,
	KVERBS_A_BUF_LENGTH,
	KVERBS_A_BUF_PIECES,
	KVERBS_A_BUF_NODE,
	KVERBS_A_BUF_OFFSET,
	KVERBS_A_BUF_DATA,

	__KVERBS_A_BUF_LAST,
	KVERBS_A_BUF_MAX = __KVERBS_A_BUF_LAST - 1,
};

/**
 * enum kverbs_a_mr - a memory region for fast registration (IBTA 10.6.4)
 * @KVERBS_A_MR_ID: u32
 * @KVERBS_A_MR_DEV: string, the device's name; replies only
 * @KVERBS_A_MR_PERSISTENT: flag
 * @KVERBS_A_MR_PD: u32
 * @KVERBS_A_MR_MAX_PAGES: u32, pages that a registration may have, 1 .. the device's
 *	MAX_FAST_REG_PAGES; default 256, or that if it is less. A page has the smallest
 *	size that the device has, but 4096 bytes at least.
 * @KVERBS_A_MR_QP: u32, the QP that carries IB_WR_REG_MR or IB_WR_LOCAL_INV;
 *	RC, in RTS, same PD, no run on it
 * @KVERBS_A_MR_BUF: u32, the BUF that it is registered over; any number of MRs may be
 *	registered over one BUF. This and the following are absent from replies if the MR
 *	is not registered.
 * @KVERBS_A_MR_OFFSET: u64, first registered byte of the buffer, default 0
 * @KVERBS_A_MR_LENGTH: u64, registered bytes, 1 .. what is left from OFFSET on, which is
 *	the default
 * @KVERBS_A_MR_ACCESS: u32, KVERBS_ACCESS_*, default: none, the device reads the bytes for
 *	its own requests. A remote write or atomic needs LOCAL_WRITE too.
 * @KVERBS_A_MR_LKEY: u32
 * @KVERBS_A_MR_RKEY: u32, 0 if ACCESS grants nothing to peers
 * @KVERBS_A_MR_IOVA: u64, the address that a peer names
 * @KVERBS_A_MR_VERB_NS: u64, the sum of the STAGEs
 * @KVERBS_A_MR_STAGE: nest of enum kverbs_a_stage for each. MR_NEW: CREATE; MR_REG: MAP, POST
 *	and COMPLETION, and before them CREATE and DESTROY if a request on the MR had failed;
 *	MR_INV: POST and COMPLETION; MR_DEL: DESTROY
 * @KVERBS_A_MR_POST_CONTEXT: u32, enum kverbs_post_context, of the request; default PROCESS
 * @KVERBS_A_MR_LAST_KEY: u32, replies only: the rkey of the last registration, valid or not; before
 *	the first one, that of the new MR; absent while a run has the MR as INV_MR
 *
 * A peer reaches nothing before MR_REG, and then exactly the bytes that were named.
 */
enum kverbs_a_mr {
	KVERBS_A_MR_UNSPEC,
	KVERBS_A_MR_ID,
	KVERBS_A_MR_DEV,
	KVERBS_A_MR_PERSISTENT,
	KVERBS_A_MR_PD,
	KVERBS_A_MR_MAX_PAGES,
	KVERBS_A_MR_QP,
	KVERBS_A_MR_BUF,
	KVERBS_A_MR_OFFSET,
	KVERBS_A_MR_LENGTH,
	KVERBS_A_MR_ACCESS,
	KVERBS_A_MR_LKEY,
	KVERBS_A_MR_RKEY,
	KVERBS_A_MR_IOVA,
	KVERBS_A_MR_VERB_NS,
	KVERBS_A_MR_STAGE,
	KVERBS_A_MR_POST_CONTEXT,
	KVERBS_A_MR_LAST_KEY,

	__KVERBS_A_MR_LAST,
	KVERBS_A_MR_MAX = __KVERBS_A_MR_LAST - 1,
};

/**
 * enum kverbs_a_srq - a shared receive queue (IBTA 10.2.9)
 * @KVERBS_A_SRQ_ID: u32
 * @KVERBS_A_SRQ_DEV: string, the device's name; replies only
 * @KVERBS_A_SRQ_PERSISTENT: flag
 * @KVERBS_A_SRQ_PD: u32
 * @KVERBS_A_SRQ_MAX_WR: u32, 1 .. the device's max_srq_wr; the reply has the real
 *	one
 * @KVERBS_A_SRQ_MAX_SGE: u32, 1 .. the device's max_srq_sge, default 1
 * @KVERBS_A_SRQ_LIMIT: u32, 0 .. MAX_WR, default 0: EVENT SRQ_LIMIT_REACHED comes
 *	once when fewer receives than this are left; 0: never
 * @KVERBS_A_SRQ_VERB_NS: u64, how long ib_create_srq(), ib_modify_srq() or
 *	ib_destroy_srq() took
 */
enum kverbs_a_srq {
	KVERBS_A_SRQ_UNSPEC,
	KVERBS_A_SRQ_ID,
	KVERBS_A_SRQ_DEV,
	KVERBS_A_SRQ_PERSISTENT,
	KVERBS_A_SRQ_PD,
	KVERBS_A_SRQ_MAX_WR,
	KVERBS_A_SRQ_MAX_SGE,
	KVERBS_A_SRQ_LIMIT,
	KVERBS_A_SRQ_VERB_NS,

	__KVERBS_A_SRQ_LAST,
	KVERBS_A_SRQ_MAX = __KVERBS_A_SRQ_LAST - 1,
};

/**
 * enum kverbs_a_ah - an address handle (IBTA 10.2.2), for UD
 * @KVERBS_A_AH_ID: u32
 * @KVERBS_A_AH_DEV: string, the device's name; replies only
 * @KVERBS_A_AH_PERSISTENT: flag
 * @KVERBS_A_AH_PD: u32
 * @KVERBS_A_AH_PORT: u32, from 1 on, default 1
 * @KVERBS_A_AH_DGID: binary, 16 bytes; RoCE needs it
 * @KVERBS_A_AH_SGID_INDEX: u32, 0 .. 255; with DGID
 * @KVERBS_A_AH_DLID: u32, 16 bits, InfiniBand only
 * @KVERBS_A_AH_SL: u32, service level, 0 .. 15, default 0
 * @KVERBS_A_AH_TRAFFIC_CLASS: u32, 0 .. 255, default 0
 * @KVERBS_A_AH_FLOW_LABEL: u32, 20 bits, default 0
 * @KVERBS_A_AH_HOP_LIMIT: u32, 0 .. 255, default 64; on RoCE to a unicast DGID the RDMA core takes
 *	the route's instead (rdma_create_user_ah()): the reply has the one in effect
 * @KVERBS_A_AH_DMAC: binary, 6 bytes, RoCE, replies only: the MAC address of
 *	DGID
 * @KVERBS_A_AH_VERB_NS: u64, how long rdma_create_user_ah() or rdma_destroy_ah()
 *	took; the first resolves DMAC
 */
enum kverbs_a_ah {
	KVERBS_A_AH_UNSPEC,
	KVERBS_A_AH_ID,
	KVERBS_A_AH_DEV,
	KVERBS_A_AH_PERSISTENT,
	KVERBS_A_AH_PD,
	KVERBS_A_AH_PORT,
	KVERBS_A_AH_DGID,
	KVERBS_A_AH_SGID_INDEX,
	KVERBS_A_AH_DLID,
	KVERBS_A_AH_SL,
	KVERBS_A_AH_TRAFFIC_CLASS,
	KVERBS_A_AH_FLOW_LABEL,
	KVERBS_A_AH_HOP_LIMIT,
	KVERBS_A_AH_DMAC,
	KVERBS_A_AH_VERB_NS,

	__KVERBS_A_AH_LAST,
	KVERBS_A_AH_MAX = __KVERBS_A_AH_LAST - 1,
};

/* Transports of a QP (IBTA 9.7, 9.8). */
enum kverbs_qp_type {
	KVERBS_QPT_RC,
	KVERBS_QPT_UC,
	KVERBS_QPT_UD,

	__KVERBS_QPT_LAST,
	KVERBS_QPT_MAX = __KVERBS_QPT_LAST - 1,
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

/* Path migration of a QP (IBTA 10.4), the values of the verbs. */
enum kverbs_mig_state {
	KVERBS_MIG_MIGRATED,
	KVERBS_MIG_REARM,
	KVERBS_MIG_ARMED,
};

/* The multicast groups that a QP can be attached to at a time. */
#define KVERBS_GROUPS_MAX 16

/**
 * enum kverbs_a_group - a multicast group that a QP is attached to
 * @KVERBS_A_GROUP_GID: binary, 16 bytes
 * @KVERBS_A_GROUP_LID: u32, InfiniBand only
 */
enum kverbs_a_group {
	KVERBS_A_GROUP_UNSPEC,
	KVERBS_A_GROUP_GID,
	KVERBS_A_GROUP_LID,

	__KVERBS_A_GROUP_LAST,
	KVERBS_A_GROUP_MAX = __KVERBS_A_GROUP_LAST - 1,
};

/**
 * enum kverbs_a_qp - a queue pair
 * @KVERBS_A_QP_ID: u32
 * @KVERBS_A_QP_DEV: string, the device's name; replies only
 * @KVERBS_A_QP_PERSISTENT: flag
 * @KVERBS_A_QP_PD: u32
 * @KVERBS_A_QP_TYPE: u32, enum kverbs_qp_type, default RC
 * @KVERBS_A_QP_SEND_CQ: u32
 * @KVERBS_A_QP_RECV_CQ: u32, may be the same CQ for MR_REG and post to
 *	completion; the loops that receive need two
 * @KVERBS_A_QP_SRQ: u32, where receives come from in place of its own queue
 * @KVERBS_A_QP_MAX_SEND_WR: u32, 1 .. the device's max_qp_wr
 * @KVERBS_A_QP_MAX_RECV_WR: u32, 1 .. the device's max_qp_wr; not with SRQ
 * @KVERBS_A_QP_MAX_SEND_SGE: u32, 1 .. the device's max_send_sge, default 1
 * @KVERBS_A_QP_MAX_RECV_SGE: u32, 1 .. the device's max_recv_sge, default 1; not
 *	with SRQ
 * @KVERBS_A_QP_MAX_INLINE: u32, 0 .. 2^31 - 1, bytes that a request can carry
 *	inline, default 0; the reply has the real one
 * @KVERBS_A_QP_SQ_SIG_ALL: flag, every send completes, unsignaled or not
 * @KVERBS_A_QP_QPN: u32, 24 bits
 * @KVERBS_A_QP_STATE: u32, enum kverbs_qp_state
 * @KVERBS_A_QP_CUR_STATE: u32, enum kverbs_qp_state, which state the QP is thought
 *	to be in
 * @KVERBS_A_QP_ACCESS: u32, KVERBS_ACCESS_*, the rights of peers
 * @KVERBS_A_QP_PORT: u32, from 1 on, default 1 (INIT)
 * @KVERBS_A_QP_PKEY_INDEX: u32, 16 bits, default 0 (INIT)
 * @KVERBS_A_QP_QKEY: u32 (UD)
 * @KVERBS_A_QP_PATH_MTU: u32, bytes: 256, 512, 1024, 2048, 4096
 * @KVERBS_A_QP_DEST_QPN: u32, 24 bits
 * @KVERBS_A_QP_RQ_PSN: u32, 24 bits
 * @KVERBS_A_QP_DGID: binary, 16 bytes; RoCE needs it
 * @KVERBS_A_QP_SGID_INDEX: u32, 0 .. 255; with DGID
 * @KVERBS_A_QP_DLID: u32, 16 bits, InfiniBand only
 * @KVERBS_A_QP_SL: u32, service level, 0 .. 15, default 0
 * @KVERBS_A_QP_TRAFFIC_CLASS: u32, 0 .. 255, default 0
 * @KVERBS_A_QP_FLOW_LABEL: u32, 20 bits, default 0
 * @KVERBS_A_QP_HOP_LIMIT: u32, 0 .. 255, default 64
 * @KVERBS_A_QP_MIN_RNR_TIMER: u32, 0 .. 31, IBTA table 45
 * @KVERBS_A_QP_MAX_DEST_RD_ATOMIC: u32, 0 .. 255
 * @KVERBS_A_QP_SQ_PSN: u32, 24 bits
 * @KVERBS_A_QP_TIMEOUT: u32, 0 .. 31, 4.096 us * 2^n; 0 is for ever
 * @KVERBS_A_QP_RETRY_CNT: u32, 0 .. 7
 * @KVERBS_A_QP_RNR_RETRY: u32, 0 .. 7, 7 is for ever
 * @KVERBS_A_QP_MAX_RD_ATOMIC: u32, 0 .. 255
 * @KVERBS_A_QP_PATH_MIG_STATE: u32, enum kverbs_mig_state
 * @KVERBS_A_QP_ALT_DGID: binary, 16 bytes: the alternate path, InfiniBand only
 * @KVERBS_A_QP_ALT_SGID_INDEX: u32, 0 .. 255
 * @KVERBS_A_QP_ALT_DLID: u32, 16 bits
 * @KVERBS_A_QP_ALT_PORT: u32, from 1 on
 * @KVERBS_A_QP_ALT_PKEY_INDEX: u32, 16 bits
 * @KVERBS_A_QP_ALT_TIMEOUT: u32, 0 .. 31
 * @KVERBS_A_QP_SQD_ASYNC_NOTIFY: u32, 0 or 1: EVENT SQ_DRAINED when the send
 *	queue has drained (SQD)
 * @KVERBS_A_QP_VERB_NS: u64, the sum of the STAGEs
 * @KVERBS_A_QP_SQ_DRAINING: flag, it is on its way to SQD and has requests under
 *	way yet; every transition but that to ERR is refused until they are done
 * @KVERBS_A_QP_STAGE: nest of enum kverbs_a_stage for each. NEW: CREATE; MODIFY: MODIFY, before
 *	it RESOLVE for RTR on RoCE and DRAIN for RESET; ATTACH, DETACH: MODIFY; DEL: DESTROY
 * @KVERBS_A_QP_GROUP_GID: binary, 16 bytes: the GID of a multicast group, ff... or an IPv4 group
 *	behind ::ffff:
 * @KVERBS_A_QP_GROUP_LID: u32, 16 bits, InfiniBand only: the group's LID, from 0xc000 on
 * @KVERBS_A_QP_GROUP: nest of enum kverbs_a_group for each group that the QP is attached to, at
 *	most KVERBS_GROUPS_MAX; replies only
 *
 * Which of them a transition needs and which it allows depends on the type: IBTA
 * table 96, and kmod/rules/qp_table.c.
 */
enum kverbs_a_qp {
	KVERBS_A_QP_UNSPEC,
	KVERBS_A_QP_ID,
	KVERBS_A_QP_DEV,
	KVERBS_A_QP_PERSISTENT,
	KVERBS_A_QP_PD,
	KVERBS_A_QP_TYPE,
	KVERBS_A_QP_SEND_CQ,
	KVERBS_A_QP_RECV_CQ,
	KVERBS_A_QP_SRQ,
	KVERBS_A_QP_MAX_SEND_WR,
	KVERBS_A_QP_MAX_RECV_WR,
	KVERBS_A_QP_MAX_SEND_SGE,
	KVERBS_A_QP_MAX_RECV_SGE,
	KVERBS_A_QP_MAX_INLINE,
	KVERBS_A_QP_SQ_SIG_ALL,
	KVERBS_A_QP_QPN,
	KVERBS_A_QP_STATE,
	KVERBS_A_QP_CUR_STATE,
	KVERBS_A_QP_ACCESS,
	KVERBS_A_QP_PORT,
	KVERBS_A_QP_PKEY_INDEX,
	KVERBS_A_QP_QKEY,
	KVERBS_A_QP_PATH_MTU,
	KVERBS_A_QP_DEST_QPN,
	KVERBS_A_QP_RQ_PSN,
	KVERBS_A_QP_DGID,
	KVERBS_A_QP_SGID_INDEX,
	KVERBS_A_QP_DLID,
	KVERBS_A_QP_SL,
	KVERBS_A_QP_TRAFFIC_CLASS,
	KVERBS_A_QP_FLOW_LABEL,
	KVERBS_A_QP_HOP_LIMIT,
	KVERBS_A_QP_MIN_RNR_TIMER,
	KVERBS_A_QP_MAX_DEST_RD_ATOMIC,
	KVERBS_A_QP_SQ_PSN,
	KVERBS_A_QP_TIMEOUT,
	KVERBS_A_QP_RETRY_CNT,
	KVERBS_A_QP_RNR_RETRY,
	KVERBS_A_QP_MAX_RD_ATOMIC,
	KVERBS_A_QP_PATH_MIG_STATE,
	KVERBS_A_QP_ALT_DGID,
	KVERBS_A_QP_ALT_SGID_INDEX,
	KVERBS_A_QP_ALT_DLID,
	KVERBS_A_QP_ALT_PORT,
	KVERBS_A_QP_ALT_PKEY_INDEX,
	KVERBS_A_QP_ALT_TIMEOUT,
	KVERBS_A_QP_SQD_ASYNC_NOTIFY,
	KVERBS_A_QP_VERB_NS,
	KVERBS_A_QP_SQ_DRAINING,
	KVERBS_A_QP_STAGE,
	KVERBS_A_QP_GROUP_GID,
	KVERBS_A_QP_GROUP_LID,
	KVERBS_A_QP_GROUP,

	__KVERBS_A_QP_LAST,
	KVERBS_A_QP_MAX = __KVERBS_A_QP_LAST - 1,
};

/**
 * enum kverbs_op - the operation of a work request (IBTA 11.4.1.1; enum ib_wr_opcode)
 * @KVERBS_OP_SEND: SEND
 * @KVERBS_OP_SEND_WITH_IMM: SEND with immediate data
 * @KVERBS_OP_SEND_WITH_INV: SEND that invalidates a key of the peer's; RC only
 * @KVERBS_OP_WRITE: RDMA WRITE
 * @KVERBS_OP_WRITE_WITH_IMM: RDMA WRITE with immediate data, which takes a receive of the peer's
 * @KVERBS_OP_READ: RDMA READ
 * @KVERBS_OP_READ_WITH_INV: RDMA READ that invalidates the key of its sink; iWARP only
 * @KVERBS_OP_FETCH_ADD: atomic fetch and add
 * @KVERBS_OP_CMP_SWP: atomic compare and swap
 * @KVERBS_OP_LOCAL_INV: local invalidate; MR_INV posts it
 * @KVERBS_OP_REG_MR: fast registration; MR_REG posts it
 * @KVERBS_OP_RECV: receive
 * @KVERBS_OP_ATOMIC_WRITE: atomic write of 8 bytes; runs in user space post it
 *
 * Not the kernel's numbers: those differ between versions. The order means nothing.
 */
enum kverbs_op {
	KVERBS_OP_SEND,
	KVERBS_OP_SEND_WITH_IMM,
	KVERBS_OP_SEND_WITH_INV,
	KVERBS_OP_WRITE,
	KVERBS_OP_WRITE_WITH_IMM,
	KVERBS_OP_READ,
	KVERBS_OP_READ_WITH_INV,
	KVERBS_OP_FETCH_ADD,
	KVERBS_OP_CMP_SWP,
	KVERBS_OP_LOCAL_INV,
	KVERBS_OP_REG_MR,
	KVERBS_OP_RECV,
	KVERBS_OP_ATOMIC_WRITE,

	__KVERBS_OP_LAST,
	KVERBS_OP_MAX = __KVERBS_OP_LAST - 1,
};

/**
 * enum kverbs_wc_op - the operation that has completed (IBTA 11.4.2.1; enum ib_wc_opcode)
 * @KVERBS_WC_OP_SEND: SEND, SEND_WITH_IMM or SEND_WITH_INV
 * @KVERBS_WC_OP_WRITE: WRITE, WRITE_WITH_IMM or ATOMIC_WRITE
 * @KVERBS_WC_OP_READ: READ or READ_WITH_INV
 * @KVERBS_WC_OP_FETCH_ADD: FETCH_ADD
 * @KVERBS_WC_OP_CMP_SWP: CMP_SWP
 * @KVERBS_WC_OP_LOCAL_INV: LOCAL_INV
 * @KVERBS_WC_OP_REG_MR: REG_MR
 * @KVERBS_WC_OP_RECV: a receive that a SEND took, or that failed
 * @KVERBS_WC_OP_RECV_WRITE_WITH_IMM: a receive that a WRITE_WITH_IMM took
 *
 * Not the kernel's numbers: those differ between versions.
 */
enum kverbs_wc_op {
	KVERBS_WC_OP_SEND,
	KVERBS_WC_OP_WRITE,
	KVERBS_WC_OP_READ,
	KVERBS_WC_OP_FETCH_ADD,
	KVERBS_WC_OP_CMP_SWP,
	KVERBS_WC_OP_LOCAL_INV,
	KVERBS_WC_OP_REG_MR,
	KVERBS_WC_OP_RECV,
	KVERBS_WC_OP_RECV_WRITE_WITH_IMM,

	__KVERBS_WC_OP_LAST,
	KVERBS_WC_OP_MAX = __KVERBS_WC_OP_LAST - 1,
};

/**
 * enum kverbs_loop - how a run's samples are taken
 * @KVERBS_LOOP_NULL: two counter reads and the record; no verbs. The
 *	cost of the loops themselves.
 * @KVERBS_LOOP_POST_TO_COMPLETION: from before ib_post_send() until its
 *	completion was polled. WRITE, READ, FETCH_ADD, CMP_SWP. READ_WITH_INV: from before the post
 *	of a list, which registers the sink (INV_MR) and reads
 * @KVERBS_LOOP_PINGPONG_CLIENT: active side of a ping-pong, SEND or WRITE, with or without
 *	immediate data. A sample is a round trip. WRITE: both sides watch the last byte of their
 *	target. SEND_WITH_INV: the post is a list, which registers INV_MR and SENDs; the answer is
 *	a SEND_WITH_INV of that registration's key. A completion that does not tell the key ends
 *	the run (EKEYREJECTED).
 * @KVERBS_LOOP_PINGPONG_SERVER: passive side of a ping-pong; takes no samples
 * @KVERBS_LOOP_PINGPONG: one thread drives both ends of a ping-pong. A sample is a
 *	round trip. Operations as in PINGPONG_CLIENT.
 * @KVERBS_LOOP_STREAM: DEPTH requests outstanding, posted in lists of LIST. A sample is a group of
 *	SIGNAL requests: from before its first ib_post_send() until the completion of its last
 *	request, the only one that is signaled, was polled. WRITE, READ, FETCH_ADD, CMP_SWP; SEND,
 *	SEND_WITH_IMM and WRITE_WITH_IMM, if the peer posts receives, as STREAM_SERVER does.
 * @KVERBS_LOOP_STREAM_SERVER: the peer of such a STREAM: DEPTH receives posted, and one more after
 *	each that has completed; takes no samples. SEND, SEND_WITH_IMM, WRITE_WITH_IMM.
 * @KVERBS_LOOP_CREDIT_STREAM: a STREAM of SENDs, RC only. It posts a SEND only if its peer, a
 *	CREDIT_SERVER, has a receive for it: on iWARP a SEND that finds none ends the connection.
 *	The peer WRITEs credits into one byte of the target, which the first run of a connection
 *	sets to 0.
 * @KVERBS_LOOP_CREDIT_SERVER: the peer of such a stream. It does what STREAM_SERVER does, for SEND
 *	only. After each (DEPTH + 1) / 2 receives it gives a credit: it WRITEs the number of
 *	credits of the connection, modulo 256, from one byte of the local buffer to REMOTE_ADDR.
 */
enum kverbs_loop {
	KVERBS_LOOP_NULL,
	KVERBS_LOOP_POST_TO_COMPLETION,
	KVERBS_LOOP_PINGPONG_CLIENT,
	KVERBS_LOOP_PINGPONG_SERVER,
	KVERBS_LOOP_PINGPONG,
	KVERBS_LOOP_STREAM,
	KVERBS_LOOP_STREAM_SERVER,
	KVERBS_LOOP_CREDIT_STREAM,
	KVERBS_LOOP_CREDIT_SERVER,

	__KVERBS_LOOP_LAST,
	KVERBS_LOOP_MAX = __KVERBS_LOOP_LAST - 1,
};

/**
 * enum kverbs_post_context - the context that requests are posted in
 * @KVERBS_POST_PROCESS: plain process context
 * @KVERBS_POST_BH_DISABLED: process context with softirqs held off around the
 *	post: work that the post schedules there runs before the post returns, and
 *	not at the next tick
 */
enum kverbs_post_context {
	KVERBS_POST_PROCESS,
	KVERBS_POST_BH_DISABLED,

	__KVERBS_POST_LAST,
	KVERBS_POST_MAX = __KVERBS_POST_LAST - 1,
};

/**
 * enum kverbs_a_sge - bytes of a buffer, and the key that names them
 * @KVERBS_A_SGE_BUF: u32, of the queue's device
 * @KVERBS_A_SGE_OFFSET: u64, first byte in the buffer, default 0
 * @KVERBS_A_SGE_LENGTH: u32, bytes, 0 .. what is left from OFFSET on, which is the
 *	default
 * @KVERBS_A_SGE_MR: u32, an MR that is registered over the buffer, of the QP's or SRQ's PD:
 *	the key is its lkey, and the device checks the range. Default: none, the key is the
 *	PD's local_dma_lkey, and the bytes lie in one piece of the buffer. So do those of an
 *	INLINE request.
 */
enum kverbs_a_sge {
	KVERBS_A_SGE_UNSPEC,
	KVERBS_A_SGE_BUF,
	KVERBS_A_SGE_OFFSET,
	KVERBS_A_SGE_LENGTH,
	KVERBS_A_SGE_MR,

	__KVERBS_A_SGE_LAST,
	KVERBS_A_SGE_MAX = __KVERBS_A_SGE_LAST - 1,
};

/* Flags of a work request (IBTA 11.4.1.1). */
#define KVERBS_WR_UNSIGNALED (1U << 0)
#define KVERBS_WR_SOLICITED (1U << 1)
#define KVERBS_WR_FENCE (1U << 2)
#define KVERBS_WR_INLINE (1U << 3)
#define KVERBS_WR__ALL 0xfU

/* A single WR_POST posts at most this many requests. */
#define KVERBS_WR_LIST_MAX 128

/**
 * enum kverbs_a_post - work requests that are posted to one queue
 * @KVERBS_A_POST_QP: u32; its state must allow the post: RECV from INIT on, all
 *	else in RTS, SQD, SQE or ERR
 * @KVERBS_A_POST_SRQ: u32, in place of QP; RECV only
 * @KVERBS_A_POST_WR: nest of enum kverbs_a_wr, 1 .. KVERBS_WR_LIST_MAX, in the order of the
 *	queue; either all are receives, or none is. The verb is called once, with all of them: one
 *	post list, one doorbell. If one fails a check, or there is no room for all, none is posted.
 * @KVERBS_A_POST_POSTED: u32, reply: how many of them, from the first on, are posted. It is
 *	less than all only with ERROR; if the device refuses the first one, the command is
 *	refused.
 * @KVERBS_A_POST_ERROR: s32, reply: the verb's error for the first request that is not posted, a
 *	negative errno. That request and the rest have no completion, and keep no object in use.
 * @KVERBS_A_POST_VERB_NS: u64, how long ib_post_send(), ib_post_recv() or
 *	ib_post_srq_recv() took
 * @KVERBS_A_POST_CONTEXT: u32, enum kverbs_post_context, of the verb; default PROCESS
 */
enum kverbs_a_post {
	KVERBS_A_POST_UNSPEC,
	KVERBS_A_POST_QP,
	KVERBS_A_POST_SRQ,
	KVERBS_A_POST_WR,
	KVERBS_A_POST_POSTED,
	KVERBS_A_POST_ERROR,
	KVERBS_A_POST_VERB_NS,
	KVERBS_A_POST_CONTEXT,

	__KVERBS_A_POST_LAST,
	KVERBS_A_POST_MAX = __KVERBS_A_POST_LAST - 1,
};

/**
 * enum kverbs_a_wr - a work request (IBTA 11.4.1)
 * @KVERBS_A_WR_OP: u32, enum kverbs_op; all but LOCAL_INV, REG_MR and ATOMIC_WRITE
 * @KVERBS_A_WR_WR_ID: u64, comes back in the completion; default 0
 * @KVERBS_A_WR_FLAGS: u32, KVERBS_WR_*, default 0; INLINE: SENDs and WRITEs; SOLICITED:
 *	SENDs and WRITE_WITH_IMM; none of them with RECV
 * @KVERBS_A_WR_IMM: u32, immediate data, in host order; SEND_WITH_IMM and WRITE_WITH_IMM,
 *	which need it
 * @KVERBS_A_WR_SGE: nest of enum kverbs_a_sge, 0 .. KVERBS_SGE_MAX, not more than
 *	the queue was made for; atomics: one, of 8 bytes
 * @KVERBS_A_WR_REMOTE_ADDR: u64, WRITEs, READs, atomics
 * @KVERBS_A_WR_REMOTE_KEY: u32, ditto
 * @KVERBS_A_WR_COMPARE_ADD: u64, FETCH_ADD: the summand, CMP_SWP: the value to
 *	compare with; default 0
 * @KVERBS_A_WR_SWAP: u64, CMP_SWP: the value to store; default 0
 * @KVERBS_A_WR_AH: u32, UD: the destination; same PD
 * @KVERBS_A_WR_REMOTE_QPN: u32, 24 bits, UD
 * @KVERBS_A_WR_REMOTE_QKEY: u32, UD
 * @KVERBS_A_WR_INVALIDATE_RKEY: u32, the peer's key that is invalidated; SEND_WITH_INV, which needs
 *	it
 */
enum kverbs_a_wr {
	KVERBS_A_WR_UNSPEC,
	KVERBS_A_WR_OP,
	KVERBS_A_WR_WR_ID,
	KVERBS_A_WR_FLAGS,
	KVERBS_A_WR_IMM,
	KVERBS_A_WR_SGE,
	KVERBS_A_WR_REMOTE_ADDR,
	KVERBS_A_WR_REMOTE_KEY,
	KVERBS_A_WR_COMPARE_ADD,
	KVERBS_A_WR_SWAP,
	KVERBS_A_WR_AH,
	KVERBS_A_WR_REMOTE_QPN,
	KVERBS_A_WR_REMOTE_QKEY,
	KVERBS_A_WR_INVALIDATE_RKEY,

	__KVERBS_A_WR_LAST,
	KVERBS_A_WR_MAX = __KVERBS_A_WR_LAST - 1,
};

/**
 * enum kverbs_a_wc - a work completion (IBTA 11.4.2.1)
 * @KVERBS_A_WC_WR_ID: u64, of the request
 * @KVERBS_A_WC_STATUS: u32, enum ib_wc_status (IBTA 11.6.2), 0 is success
 * @KVERBS_A_WC_VENDOR_ERR: u32, absent on success
 * @KVERBS_A_WC_OP: u32, enum kverbs_wc_op
 * @KVERBS_A_WC_QP: u32, id of the QP; absent if that is gone
 * @KVERBS_A_WC_LENGTH: u32, bytes, receives and READs only, absent on failure
 * @KVERBS_A_WC_IMM: u32, immediate data, in host order, if there was any
 * @KVERBS_A_WC_SRC_QPN: u32, UD receives: the QPN of the sender
 * @KVERBS_A_WC_GRH: flag, UD receives: the first 40 bytes are a GRH
 * @KVERBS_A_WC_INVALIDATE_RKEY: u32, receives: the key that the peer's SEND_WITH_INV has
 *	invalidated; READ_WITH_INV: the key of its sink. An MR with this key is not registered any
 *	more once CQ_POLL has returned the completion. Once 256 or more keys were made on the device
 *	after the post of the request, the same number may have been given anew, to a newer key of
 *	an MR. Then that MR may be registered or not: its next registration takes new keys from the
 *	device, and the MR uses its buffer until then.
 */
enum kverbs_a_wc {
	KVERBS_A_WC_UNSPEC,
	KVERBS_A_WC_WR_ID,
	KVERBS_A_WC_STATUS,
	KVERBS_A_WC_VENDOR_ERR,
	KVERBS_A_WC_OP,
	KVERBS_A_WC_QP,
	KVERBS_A_WC_LENGTH,
	KVERBS_A_WC_IMM,
	KVERBS_A_WC_SRC_QPN,
	KVERBS_A_WC_GRH,
	KVERBS_A_WC_INVALIDATE_RKEY,

	__KVERBS_A_WC_LAST,
	KVERBS_A_WC_MAX = __KVERBS_A_WC_LAST - 1,
};

/* The longest private data; a CM may take less: 56 bytes with a request of IB's. */
#define KVERBS_CONN_PRIVATE_MAX 196

/* A listener keeps at most this many requests that nobody has taken yet. */
#define KVERBS_CONN_BACKLOG_MAX 1024

/**
 * enum kverbs_conn_state - the progress of a connection
 * @KVERBS_CONN_IDLE: made
 * @KVERBS_CONN_LISTENING: CONN_GET_REQUEST has the requests that come
 * @KVERBS_CONN_RESOLVING_ADDR: asked for
 * @KVERBS_CONN_ADDR_RESOLVED: the device is known, and the peer's GID
 * @KVERBS_CONN_RESOLVING_ROUTE: asked for
 * @KVERBS_CONN_ROUTE_RESOLVED: CONN_CONNECT may follow
 * @KVERBS_CONN_CONNECTING: the peer was asked
 * @KVERBS_CONN_ANSWERED: the peer has accepted: CONN_ESTABLISH is to follow, or
 *	CONN_REJECT. iWARP has no such state: ESTABLISHED comes.
 * @KVERBS_CONN_REQUESTED: a peer's request: CONN_ACCEPT or CONN_REJECT is to follow
 * @KVERBS_CONN_ACCEPTED: by us; the peer is to confirm
 * @KVERBS_CONN_ESTABLISHED: both QPs are in RTS
 * @KVERBS_CONN_DISCONNECTING: CONN_DISCONNECT was called
 * @KVERBS_CONN_DISCONNECTED: by one of both; in this state and in the next two the QP, if there is
 *	one, is in ERR
 * @KVERBS_CONN_REJECTED: by the peer or by us
 * @KVERBS_CONN_FAILED: EVENT and STATUS name the step that failed
 * @KVERBS_CONN_JOINING: CONN_JOIN was called
 * @KVERBS_CONN_JOINED: the host is a member of the multicast group
 */
enum kverbs_conn_state {
	KVERBS_CONN_IDLE,
	KVERBS_CONN_LISTENING,
	KVERBS_CONN_RESOLVING_ADDR,
	KVERBS_CONN_ADDR_RESOLVED,
	KVERBS_CONN_RESOLVING_ROUTE,
	KVERBS_CONN_ROUTE_RESOLVED,
	KVERBS_CONN_CONNECTING,
	KVERBS_CONN_ANSWERED,
	KVERBS_CONN_REQUESTED,
	KVERBS_CONN_ACCEPTED,
	KVERBS_CONN_ESTABLISHED,
	KVERBS_CONN_DISCONNECTING,
	KVERBS_CONN_DISCONNECTED,
	KVERBS_CONN_REJECTED,
	KVERBS_CONN_FAILED,
	KVERBS_CONN_JOINING,
	KVERBS_CONN_JOINED,

	__KVERBS_CONN_LAST,
	KVERBS_CONN_MAX = __KVERBS_CONN_LAST - 1,
};

/**
 * enum kverbs_cm_event - events of the RDMA CM (enum rdma_cm_event_type)
 *
 * NONE: nothing yet. OTHER: one that this list does not have. Not the kernel's
 * numbers: those differ between versions.
 */
enum kverbs_cm_event {
	KVERBS_CM_EVENT_NONE,
	KVERBS_CM_EVENT_ADDR_RESOLVED,
	KVERBS_CM_EVENT_ADDR_ERROR,
	KVERBS_CM_EVENT_ROUTE_RESOLVED,
	KVERBS_CM_EVENT_ROUTE_ERROR,
	KVERBS_CM_EVENT_CONNECT_REQUEST,
	KVERBS_CM_EVENT_CONNECT_RESPONSE,
	KVERBS_CM_EVENT_CONNECT_ERROR,
	KVERBS_CM_EVENT_UNREACHABLE,
	KVERBS_CM_EVENT_REJECTED,
	KVERBS_CM_EVENT_ESTABLISHED,
	KVERBS_CM_EVENT_DISCONNECTED,
	KVERBS_CM_EVENT_DEVICE_REMOVAL,
	KVERBS_CM_EVENT_MULTICAST_JOIN,
	KVERBS_CM_EVENT_MULTICAST_ERROR,
	KVERBS_CM_EVENT_ADDR_CHANGE,
	KVERBS_CM_EVENT_TIMEWAIT_EXIT,
	KVERBS_CM_EVENT_OTHER,

	__KVERBS_CM_EVENT_LAST,
	KVERBS_CM_EVENT_MAX = __KVERBS_CM_EVENT_LAST - 1,
};

/**
 * enum kverbs_a_conn - a connection of the RDMA CM (IBTA annex A11, chapter 12)
 * @KVERBS_A_CONN_ID: u32
 * @KVERBS_A_CONN_DEV: string, the device's name. An address that is reached through
 *	another device is refused (if that is known later: ADDR_ERROR with -EXDEV), and
 *	so is a request that comes through one (reason 8, no such service).
 * @KVERBS_A_CONN_PERSISTENT: flag; in the first network namespace only, for it would keep any
 *	other one from ending
 * @KVERBS_A_CONN_SRC: binary, 16 .. 28 bytes, all of a struct sockaddr_in or
 *	sockaddr_in6: the address to listen on (port 0: any, the reply has it), or the
 *	source address
 * @KVERBS_A_CONN_DST: binary, 16 .. 28 bytes, the same of the peer, with a port
 * @KVERBS_A_CONN_BACKLOG: u32, requests that wait to be taken, 1 ..
 *	KVERBS_CONN_BACKLOG_MAX, default 128; more are rejected (reason 3, no
 *	resources)
 * @KVERBS_A_CONN_WAITING: u32, replies only: requests that wait; not those whose peer
 *	has given up
 * @KVERBS_A_CONN_TIMEOUT_MS: u32, 1 .. 60000, default 2000: how long resolving may
 *	take before ADDR_ERROR or ROUTE_ERROR comes
 * @KVERBS_A_CONN_LISTENER: u32, replies only: the listener that had the request;
 *	absent if there was none, or if it is gone
 * @KVERBS_A_CONN_QP: u32, same device, RC, in RESET or INIT. CONNECT and ACCEPT bring
 *	it to INIT, ACCEPT and ESTABLISH to RTR and RTS, with the CM's attributes, but for
 *	ACK_TIMEOUT and a minimum RNR timer of 0.64 ms. In use by the CONN until that is
 *	deleted; brought to ERR when the connection ends.
 * @KVERBS_A_CONN_ACCESS: u32, KVERBS_ACCESS_*, the rights of peers by way of the QP, if
 *	it is in RESET; default: none
 * @KVERBS_A_CONN_PRIVATE_DATA: binary, at most KVERBS_CONN_PRIVATE_MAX bytes, goes to
 *	the peer. Replies: the data of the peer's request, answer or rejection,
 *	padded with zeros to the length that the CM transports (IB, RoCE: 56, 196, 148), at most
 *	KVERBS_CONN_PRIVATE_MAX.
 * @KVERBS_A_CONN_RESPONDER_RESOURCES: u32, READs and atomics that the peer may have
 *	outstanding here, 0 .. 255, at most the device's max_qp_rd_atom, which is
 *	the default (ACCEPT: the least of that and of the number that the peer wants).
 *	Replies: the number in the peer's request
 * @KVERBS_A_CONN_INITIATOR_DEPTH: u32, READs and atomics that we may have outstanding
 *	there, 0 .. 255, at most the device's max_qp_init_rd_atom, which is the
 *	default (ACCEPT: as above). Replies: the number in the peer's request
 * @KVERBS_A_CONN_RETRY_CNT: u32, 0 .. 7, default 6; CONNECT only
 * @KVERBS_A_CONN_RNR_RETRY: u32, 0 .. 7, default 6
 * @KVERBS_A_CONN_ACK_TIMEOUT: u32, 0 .. 31, default 14: 4.096 us * 2^n until a packet
 *	is sent again, in place of the CM's own value; ACCEPT and ESTABLISH; not iWARP
 * @KVERBS_A_CONN_STATE: u32, enum kverbs_conn_state
 * @KVERBS_A_CONN_EVENT: u32, enum kverbs_cm_event, the last one
 * @KVERBS_A_CONN_STATUS: s32, the event's: 0, a negative errno, or, with REJECTED, the
 *	reason (IBTA 12.6.7.2; iWARP: a negative errno): 28 if the consumer rejects
 * @KVERBS_A_CONN_REASON: string, replies only: rdma_reject_msg() of STATUS, if EVENT is
 *	REJECTED
 * @KVERBS_A_CONN_VERB_NS: u64, the sum of the STAGEs
 * @KVERBS_A_CONN_STAGE: nest of enum kverbs_a_stage for each. NEW: CREATE; LISTEN,
 *	RESOLVE_ADDR: BIND, if there is a SRC, and CM; CONNECT, ESTABLISH, ACCEPT: MODIFY, for
 *	the QP's transitions, and CM; JOIN: CREATE, BIND and CM; DEL: CM, if it disconnects, and
 *	DESTROY; others: CM
 * @KVERBS_A_CONN_GROUP: binary, 16 .. 28 bytes, as SRC and of its family: the address of a
 *	multicast group; on RoCE v2 IPv4
 * @KVERBS_A_CONN_GROUP_GID: binary, 16 bytes: the group's GID, for AH_NEW and QP_ATTACH; this and
 *	the following in replies only, if JOINED
 * @KVERBS_A_CONN_GROUP_LID: u32, the group's LID, InfiniBand only
 * @KVERBS_A_CONN_GROUP_PORT: u32, the device's port
 * @KVERBS_A_CONN_GROUP_SGID_INDEX: u32, for AH_NEW
 * @KVERBS_A_CONN_GROUP_QPN: u32, to send to: 0xffffff
 * @KVERBS_A_CONN_GROUP_QKEY: u32, to send with; receivers have the same
 *
 * Errors: -EISCONN, -ENOTCONN and the like are the verbs'; a command that does not
 * fit the state is -EINVAL.
 */
enum kverbs_a_conn {
	KVERBS_A_CONN_UNSPEC,
	KVERBS_A_CONN_ID,
	KVERBS_A_CONN_DEV,
	KVERBS_A_CONN_PERSISTENT,
	KVERBS_A_CONN_SRC,
	KVERBS_A_CONN_DST,
	KVERBS_A_CONN_BACKLOG,
	KVERBS_A_CONN_WAITING,
	KVERBS_A_CONN_TIMEOUT_MS,
	KVERBS_A_CONN_LISTENER,
	KVERBS_A_CONN_QP,
	KVERBS_A_CONN_ACCESS,
	KVERBS_A_CONN_PRIVATE_DATA,
	KVERBS_A_CONN_RESPONDER_RESOURCES,
	KVERBS_A_CONN_INITIATOR_DEPTH,
	KVERBS_A_CONN_RETRY_CNT,
	KVERBS_A_CONN_RNR_RETRY,
	KVERBS_A_CONN_ACK_TIMEOUT,
	KVERBS_A_CONN_STATE,
	KVERBS_A_CONN_EVENT,
	KVERBS_A_CONN_STATUS,
	KVERBS_A_CONN_REASON,
	KVERBS_A_CONN_VERB_NS,
	KVERBS_A_CONN_STAGE,
	KVERBS_A_CONN_GROUP,
	KVERBS_A_CONN_GROUP_GID,
	KVERBS_A_CONN_GROUP_LID,
	KVERBS_A_CONN_GROUP_PORT,
	KVERBS_A_CONN_GROUP_SGID_INDEX,
	KVERBS_A_CONN_GROUP_QPN,
	KVERBS_A_CONN_GROUP_QKEY,

	__KVERBS_A_CONN_LAST,
	KVERBS_A_CONN_MAX = __KVERBS_A_CONN_LAST - 1,
};

/**
 * enum kverbs_a_end - one end of a connection, as a run uses it
 * @KVERBS_A_END_QP: u32, in RTS
 * @KVERBS_A_END_LOCAL_BUF: u32, the BUF to send from and to read into: SIZE bytes from LOCAL_OFFSET
 *	on; not for STREAM_SERVER, which sends nothing; CREDIT_SERVER: 1 byte
 * @KVERBS_A_END_LOCAL_MR: u32, an MR of the QP's PD, registered over these bytes of LOCAL_BUF,
 *	whose lkey is the key. Default: none, the key is the PD's local_dma_lkey, and the bytes
 *	lie in one piece of the buffer.
 * @KVERBS_A_END_TARGET_BUF: u32, the BUF that the peer sends or writes into: SIZE bytes from
 *	TARGET_OFFSET on; not for POST_TO_COMPLETION and STREAM. CREDIT_STREAM: 1 byte, which
 *	the peer WRITEs by the key of an MR that allows remote writes.
 * @KVERBS_A_END_TARGET_MR: u32, as LOCAL_MR, of TARGET_BUF
 * @KVERBS_A_END_REMOTE_ADDR: u64, the peer's IOVA for WRITE, READ and atomics, for the latter a
 *	multiple of 8; CREDIT_SERVER: that of the byte for credits; not for STREAM_SERVER
 * @KVERBS_A_END_REMOTE_KEY: u32, the peer's RKEY; goes with REMOTE_ADDR. SEND_WITH_INV, the end
 *	that answers: the LAST_KEY of the peer's INV_MR when the run starts
 * @KVERBS_A_END_LOCAL_OFFSET: u64, the first byte in LOCAL_BUF, default 0
 * @KVERBS_A_END_TARGET_OFFSET: u64, the first byte in TARGET_BUF, default 0
 * @KVERBS_A_END_CPU: u32, 0 .. 2^31 - 1, of the worker that drives it, default SPEC's CPU;
 *	not for ping-pongs; only the first end of a worker has it
 * @KVERBS_A_END_AH: u32, the destination; same PD; UD QPs that send need it, with the next two
 * @KVERBS_A_END_REMOTE_QPN: u32, 24 bits, the peer's; UD only
 * @KVERBS_A_END_REMOTE_QKEY: u32, the peer's; UD only
 * @KVERBS_A_END_INV_MR: u32, an MR of the QP's PD that is not registered, and that no other run
 *	uses. EINVAL after a run that failed, until a MR_REG has given it other keys. Each
 *	iteration registers it under its next key, and has that key invalidated. SEND_WITH_INV, the
 *	end that asks: registered over the bytes of TARGET_BUF, with remote writes. READ_WITH_INV:
 *	over those of LOCAL_BUF, which it names in place of LOCAL_MR
 *
 * A receive of a UD QP begins with a GRH of 40 bytes (IBTA 11.4.1.2): its target has SIZE + 40
 * bytes.
 */
enum kverbs_a_end {
	KVERBS_A_END_UNSPEC,
	KVERBS_A_END_QP,
	KVERBS_A_END_LOCAL_BUF,
	KVERBS_A_END_LOCAL_MR,
	KVERBS_A_END_TARGET_BUF,
	KVERBS_A_END_TARGET_MR,
	KVERBS_A_END_REMOTE_ADDR,
	KVERBS_A_END_REMOTE_KEY,
	KVERBS_A_END_LOCAL_OFFSET,
	KVERBS_A_END_TARGET_OFFSET,
	KVERBS_A_END_CPU,
	KVERBS_A_END_AH,
	KVERBS_A_END_REMOTE_QPN,
	KVERBS_A_END_REMOTE_QKEY,
	KVERBS_A_END_INV_MR,

	__KVERBS_A_END_LAST,
	KVERBS_A_END_MAX = __KVERBS_A_END_LAST - 1,
};

enum kverbs_run_state {
	KVERBS_RUN_ACTIVE,
	KVERBS_RUN_DONE,
};

/**
 * struct kverbs_bin - samples of nearly one value: one bin of a histogram, in ticks
 * @min: the smallest of them. Below 2^43 exact; from there on the bin's smallest value.
 * @max: the largest of them, ditto. Where it is @min all of them are exactly that. No two
 *	bins overlap, and none is wider than 1/1024 of the values in it.
 * @count: how many, never 0 in a message
 */
struct kverbs_bin {
	__u64 min;
	__u64 max;
	__u64 count;
};

/**
 * enum kverbs_a_spec - what a run does
 * @KVERBS_A_SPEC_DEV: string, NULL only: the device of the others is that of their QPs
 * @KVERBS_A_SPEC_LOOP: u32, enum kverbs_loop
 * @KVERBS_A_SPEC_OP: u32, enum kverbs_op, one that LOOP takes; not for NULL
 * @KVERBS_A_SPEC_SIZE: u32, bytes, 1 .. the buffers' length; atomics: 8; not for NULL
 * @KVERBS_A_SPEC_END: nest of enum kverbs_a_end, for each end of a connection that the run
 *	drives: PINGPONG 2, NULL none, the others 1; POST_TO_COMPLETION up to 16, streams and
 *	their peers up to 1024. They are shared out to the WORKERS in their order. Each END has
 *	CQs of its own; or, if each worker has several ENDs, and these have no SRQ, all ENDs of a
 *	worker have one SEND_CQ and one RECV_CQ. All are in one nest, which has 64 KiB at most.
 *	RUN_GET tells the first 16.
 * @KVERBS_A_SPEC_COMPARE_ADD: u64, FETCH_ADD: the summand, CMP_SWP: the value to
 *	compare with; default 0; atomics only
 * @KVERBS_A_SPEC_SWAP: u64, what is stored; default 0; CMP_SWP only
 * @KVERBS_A_SPEC_ITERS: u64, from 1 on, samples that each worker takes; this or TIME_NS, or both
 *	(what comes first ends the worker)
 * @KVERBS_A_SPEC_TIME_NS: u64, how long to take samples, 1 ns .. 24 h
 * @KVERBS_A_SPEC_WARMUP: u64, iterations before a worker's first sample, default 0. Once all
 *	workers have done theirs, all begin to take samples.
 * @KVERBS_A_SPEC_TIMEOUT_NS: u64, deadline of each iteration, with all that it
 *	waits for, 1 ms .. 1 h, default 10 s; not for NULL
 * @KVERBS_A_SPEC_POST_CONTEXT: u32, enum kverbs_post_context, default PROCESS; not for NULL and
 *	STREAM_SERVER. If a handler takes the completions of the CQs, this is the context of the
 *	first posts only: the handler posts in its own context
 * @KVERBS_A_SPEC_CPU: u32, 0 .. 2^31 - 1, default: wherever the scheduler likes
 * @KVERBS_A_SPEC_SPINS: u32, empty polls before the thread yields the CPU,
 *	0 .. KVERBS_SPINS_MAX; default: 0 with one CPU online, else 1000; not for NULL, and
 *	only with a CQ of context POLLED. Linux'
 *	ksoftirqd and workqueues may need this CPU for the completion to happen at all.
 * @KVERBS_A_SPEC_DEPTH: u32, requests outstanding at most, a multiple of SIGNAL, 1 .. 16384, and at
 *	most the QP's MAX_SEND_WR and its send CQ's CQE; default SIGNAL; STREAM and CREDIT_STREAM.
 *	STREAM_SERVER and CREDIT_SERVER: receives posted, 1 .. 16384, and at most the QP's
 *	MAX_RECV_WR and its recv CQ's CQE; default 1. A CQ of several ENDs has room for the DEPTH
 *	of each.
 * @KVERBS_A_SPEC_LIST: u32, requests of one ib_post_send(), 1 .. 32, default 1; STREAM and
 *	CREDIT_STREAM only
 * @KVERBS_A_SPEC_SIGNAL: u32, one of so many requests is signaled, a multiple of LIST,
 *	1 .. 16384, default LIST; STREAM and CREDIT_STREAM only. More than 1 needs a QP without
 *	SQ_SIG_ALL.
 * @KVERBS_A_SPEC_WORKERS: u32, threads, 1 .. 16; the number of ENDs is a multiple of it; default:
 *	one for each END, of which there are then at most 16; streams and their peers only. A
 *	worker of several ends has DEPTH at each, and polls: its CQs have the context POLLED.
 * @KVERBS_A_SPEC_INTERVAL_NS: u64, 1 ns .. 1 s: an open loop. A group of SIGNAL requests is due
 *	at the worker's start, and one more after each interval, whether earlier ones are complete
 *	or not. A sample begins when its group was due, also if DEPTH or a busy CPU have
 *	delayed its post; a worker that is late posts at once what is due. A worker lasts for whole
 *	intervals. The ENDs of a worker get its groups in turn: a group that DEPTH delays waits for
 *	its END, while the next ENDs get theirs. Default: none, a group is posted as soon as DEPTH
 *	allows. STREAM only, with CQs of context POLLED.
 * @KVERBS_A_SPEC_FLAGS: u32, KVERBS_WR_* of each request, but UNSIGNALED, which SIGNAL decides;
 *	default 0; not for NULL, STREAM_SERVER and CREDIT_SERVER. INLINE: SENDs and WRITEs of at
 *	most the QP's MAX_INLINE bytes; SOLICITED: SENDs and WRITE_WITH_IMM
 * @KVERBS_A_SPEC_SGES: u32, 1 .. KVERBS_SGE_MAX, default 1: SGEs of each request, one behind the
 *	other, over SIZE bytes of the local buffer. Each has SIZE / SGES bytes, and the first
 *	SIZE % SGES of them have one more. At most SIZE, at most the QP's MAX_SEND_SGE and, for a
 *	READ, at most the device's MAX_SGE_RD; 1 for an atomic; not for NULL,
 *	STREAM_SERVER and CREDIT_SERVER
 * @KVERBS_A_SPEC_RECV_SGES: u32, 1 .. KVERBS_SGE_MAX, default 1: SGEs of each receive, over the
 *	bytes of a message (with UD also its GRH) in the target, divided as those of SGES; the last
 *	SGE also has all further bytes that the target's key covers. At most SIZE, and at most the
 *	QP's MAX_RECV_SGE or its SRQ's MAX_SGE. Receives that an earlier run has left posted keep
 *	their SGEs. Ping-pongs, STREAM_SERVER and CREDIT_SERVER, with an operation that takes a
 *	receive
 * @KVERBS_A_SPEC_CREDITS: u32, 1 .. 16384: the DEPTH of the peer, a CREDIT_SERVER; CREDIT_STREAM
 *	only. SIGNAL is CREDITS / 2 + 1 at most. Both ends go on counting from run to run until
 *	RESET: all runs of a connection have the same CREDITS, the same direction and the same
 *	byte of CREDIT_STREAM.
 *
 * RUN_START refuses an attribute that the loop or the operation has no use for. RUN_GET tells
 * the values in effect: defaults among them (FLAGS of 0 are absent), and of each run its DEV,
 * unless that is gone.
 */
enum kverbs_a_spec {
	KVERBS_A_SPEC_UNSPEC,
	KVERBS_A_SPEC_DEV,
	KVERBS_A_SPEC_LOOP,
	KVERBS_A_SPEC_OP,
	KVERBS_A_SPEC_SIZE,
	KVERBS_A_SPEC_END,
	KVERBS_A_SPEC_COMPARE_ADD,
	KVERBS_A_SPEC_SWAP,
	KVERBS_A_SPEC_ITERS,
	KVERBS_A_SPEC_TIME_NS,
	KVERBS_A_SPEC_WARMUP,
	KVERBS_A_SPEC_TIMEOUT_NS,
	KVERBS_A_SPEC_POST_CONTEXT,
	KVERBS_A_SPEC_CPU,
	KVERBS_A_SPEC_SPINS,
	KVERBS_A_SPEC_DEPTH,
	KVERBS_A_SPEC_LIST,
	KVERBS_A_SPEC_SIGNAL,
	KVERBS_A_SPEC_WORKERS,
	KVERBS_A_SPEC_INTERVAL_NS,
	KVERBS_A_SPEC_FLAGS,
	KVERBS_A_SPEC_SGES,
	KVERBS_A_SPEC_RECV_SGES,
	KVERBS_A_SPEC_CREDITS,

	__KVERBS_A_SPEC_LAST,
	KVERBS_A_SPEC_MAX = __KVERBS_A_SPEC_LAST - 1,
};

/**
 * enum kverbs_a_result - what one worker of a run has measured
 * @KVERBS_A_RESULT_CPU: u32, where its thread ran last; absent if it has not begun
 * @KVERBS_A_RESULT_ERROR: s32, 0 or a negative errno: -EIO: see WC_STATUS,
 *	-ETIMEDOUT: no completion within TIMEOUT_NS, -ECANCELED: by RUN_CANCEL, or because
 *	another worker failed, -ENODEV: the device was removed; others: what ib_post_send()
 *	returned
 * @KVERBS_A_RESULT_WC_STATUS: u32, enum ib_wc_status (IBTA 11.6.2) of the completion that
 *	ended it; 0, success, if none did
 * @KVERBS_A_RESULT_VENDOR_ERR: u32, of that completion
 * @KVERBS_A_RESULT_SAMPLES: u64, in the histogram; PINGPONG_SERVER: messages answered
 * @KVERBS_A_RESULT_WARMUP: u64, iterations discarded as warm-up
 * @KVERBS_A_RESULT_MIN_TICKS: u64, exact
 * @KVERBS_A_RESULT_MAX_TICKS: u64, exact
 * @KVERBS_A_RESULT_SUM_TICKS: u64
 * @KVERBS_A_RESULT_ELAPSED_TICKS: u64, from the first sample's start to the last's
 *	end
 * @KVERBS_A_RESULT_ELAPSED_NS: u64, by CLOCK_MONOTONIC_RAW, from the moment when all workers had
 *	warmed up to the last sample's end: the largest of all workers is the time of the run
 * @KVERBS_A_RESULT_YIELDS: u64, how often the thread yielded the CPU after SPINS empty polls
 *	while samples were taken
 * @KVERBS_A_RESULT_LEAST: u64, of a worker with several ends: samples at the end that has the
 *	fewest
 * @KVERBS_A_RESULT_MOST: u64, ditto, at the end that has the most
 * @KVERBS_A_RESULT_QPN: u32, number of the QP of WC_STATUS's completion; no meaning if that is 0
 */
enum kverbs_a_result {
	KVERBS_A_RESULT_UNSPEC,
	KVERBS_A_RESULT_CPU,
	KVERBS_A_RESULT_ERROR,
	KVERBS_A_RESULT_WC_STATUS,
	KVERBS_A_RESULT_VENDOR_ERR,
	KVERBS_A_RESULT_SAMPLES,
	KVERBS_A_RESULT_WARMUP,
	KVERBS_A_RESULT_MIN_TICKS,
	KVERBS_A_RESULT_MAX_TICKS,
	KVERBS_A_RESULT_SUM_TICKS,
	KVERBS_A_RESULT_ELAPSED_TICKS,
	KVERBS_A_RESULT_ELAPSED_NS,
	KVERBS_A_RESULT_YIELDS,
	KVERBS_A_RESULT_LEAST,
	KVERBS_A_RESULT_MOST,
	KVERBS_A_RESULT_QPN,

	__KVERBS_A_RESULT_LAST,
	KVERBS_A_RESULT_MAX = __KVERBS_A_RESULT_LAST - 1,
};

/**
 * enum kverbs_a_run - one measured workload
 * @KVERBS_A_RUN_ID: u32
 * @KVERBS_A_RUN_SPEC: nest of enum kverbs_a_spec
 * @KVERBS_A_RUN_STATE: u32, enum kverbs_run_state; DONE once all workers have ended
 * @KVERBS_A_RUN_RESULT: nest of enum kverbs_a_result, for each worker: a thread with its ends
 *	and its histogram; in the order of the ENDs
 * @KVERBS_A_RUN_HIST_SHIFT: u32, a histogram has 2^HIST_SHIFT bins for each power of two
 * @KVERBS_A_RUN_WORKER: u32, 0 .. 2^31 - 1, request: whose bins, in the order of the RESULTs,
 *	default 0
 * @KVERBS_A_RUN_FIRST_BIN: u32, 0 .. 56319, request: index of the first bin wanted
 * @KVERBS_A_RUN_NEXT_BIN: u32, reply: where to go on; absent at the end
 * @KVERBS_A_RUN_BINS: binary, array of struct kverbs_bin, ascending. A run that
 *	is still active gives a snapshot that may be a few samples off.
 * @KVERBS_A_RUN_ENDS: u32, reply: how many ENDs the run has; SPEC tells the first 16
 */
enum kverbs_a_run {
	KVERBS_A_RUN_UNSPEC,
	KVERBS_A_RUN_ID,
	KVERBS_A_RUN_SPEC,
	KVERBS_A_RUN_STATE,
	KVERBS_A_RUN_RESULT,
	KVERBS_A_RUN_HIST_SHIFT,
	KVERBS_A_RUN_WORKER,
	KVERBS_A_RUN_FIRST_BIN,
	KVERBS_A_RUN_NEXT_BIN,
	KVERBS_A_RUN_BINS,
	KVERBS_A_RUN_ENDS,

	__KVERBS_A_RUN_LAST,
	KVERBS_A_RUN_MAX = __KVERBS_A_RUN_LAST - 1,
};

/**
 * enum kverbs_event - what happened
 * @KVERBS_EVENT_DEV_ADDED: DEV can be used
 * @KVERBS_EVENT_DEV_REMOVED: DEV is gone, and all objects made on it
 * @KVERBS_EVENT_DEV_RENAMED: OLD_NAME is called DEV now
 * @KVERBS_EVENT_RUN_STARTED: RUN
 * @KVERBS_EVENT_RUN_DONE: RUN, ERROR: all workers have ended; ERROR is that of the worker that
 *	failed first
 * @KVERBS_EVENT_COMPLETION: CQ was armed and has a completion
 * @KVERBS_EVENT_WC_ERROR: QP (of a PINGPONG: RUN), WC_STATUS, VENDOR_ERR: a request
 *	posted by hand, or a run, met a completion with an error other than "flushed"
 * @KVERBS_EVENT_CQ_ERR: CQ. This one and the rest are the asynchronous events of
 *	IBTA 11.6.3, with the object or the port that they are about.
 * @KVERBS_EVENT_QP_FATAL: QP, local work queue catastrophic error
 * @KVERBS_EVENT_QP_REQ_ERR: QP, invalid request
 * @KVERBS_EVENT_QP_ACCESS_ERR: QP, local access violation
 * @KVERBS_EVENT_COMM_EST: QP, communication established
 * @KVERBS_EVENT_SQ_DRAINED: QP
 * @KVERBS_EVENT_PATH_MIG: QP
 * @KVERBS_EVENT_PATH_MIG_ERR: QP
 * @KVERBS_EVENT_LAST_WQE_REACHED: QP with an SRQ, in ERR
 * @KVERBS_EVENT_SRQ_ERR: SRQ
 * @KVERBS_EVENT_SRQ_LIMIT_REACHED: SRQ
 * @KVERBS_EVENT_DEVICE_FATAL: DEV
 * @KVERBS_EVENT_PORT_ACTIVE: DEV, PORT
 * @KVERBS_EVENT_PORT_ERR: DEV, PORT
 * @KVERBS_EVENT_LID_CHANGE: DEV, PORT
 * @KVERBS_EVENT_PKEY_CHANGE: DEV, PORT
 * @KVERBS_EVENT_SM_CHANGE: DEV, PORT
 * @KVERBS_EVENT_CLIENT_REREGISTER: DEV, PORT
 * @KVERBS_EVENT_GID_CHANGE: DEV, PORT
 * @KVERBS_EVENT_OTHER: one that this list does not have
 * @KVERBS_EVENT_CM: CONN, CM_EVENT, CM_STATUS: the RDMA CM says something of a CONN.
 *	CONNECT_REQUEST: CONN is the listener, CONN_GET_REQUEST has the request
 */
enum kverbs_event {
	KVERBS_EVENT_UNSPEC,
	KVERBS_EVENT_DEV_ADDED,
	KVERBS_EVENT_DEV_REMOVED,
	KVERBS_EVENT_DEV_RENAMED,
	KVERBS_EVENT_RUN_STARTED,
	KVERBS_EVENT_RUN_DONE,
	KVERBS_EVENT_COMPLETION,
	KVERBS_EVENT_WC_ERROR,
	KVERBS_EVENT_CQ_ERR,
	KVERBS_EVENT_QP_FATAL,
	KVERBS_EVENT_QP_REQ_ERR,
	KVERBS_EVENT_QP_ACCESS_ERR,
	KVERBS_EVENT_COMM_EST,
	KVERBS_EVENT_SQ_DRAINED,
	KVERBS_EVENT_PATH_MIG,
	KVERBS_EVENT_PATH_MIG_ERR,
	KVERBS_EVENT_LAST_WQE_REACHED,
	KVERBS_EVENT_SRQ_ERR,
	KVERBS_EVENT_SRQ_LIMIT_REACHED,
	KVERBS_EVENT_DEVICE_FATAL,
	KVERBS_EVENT_PORT_ACTIVE,
	KVERBS_EVENT_PORT_ERR,
	KVERBS_EVENT_LID_CHANGE,
	KVERBS_EVENT_PKEY_CHANGE,
	KVERBS_EVENT_SM_CHANGE,
	KVERBS_EVENT_CLIENT_REREGISTER,
	KVERBS_EVENT_GID_CHANGE,
	KVERBS_EVENT_OTHER,
	KVERBS_EVENT_CM,

	__KVERBS_EVENT_LAST,
	KVERBS_EVENT_MAX = __KVERBS_EVENT_LAST - 1,
};

/**
 * enum kverbs_a_event - a message of the group "events"
 * @KVERBS_A_EVENT_TYPE: u32, enum kverbs_event, which says what else is there
 * @KVERBS_A_EVENT_DEV: string, the device's name; always, unless it is gone
 * @KVERBS_A_EVENT_OLD_NAME: string
 * @KVERBS_A_EVENT_PORT: u32
 * @KVERBS_A_EVENT_CQ: u32, the object's id, as are the following
 * @KVERBS_A_EVENT_SRQ: u32
 * @KVERBS_A_EVENT_QP: u32
 * @KVERBS_A_EVENT_RUN: u32
 * @KVERBS_A_EVENT_ERROR: s32, 0 or a negative errno, see KVERBS_A_RESULT_ERROR
 * @KVERBS_A_EVENT_WC_STATUS: u32, enum ib_wc_status (IBTA 11.6.2)
 * @KVERBS_A_EVENT_VENDOR_ERR: u32
 * @KVERBS_A_EVENT_CONN: u32, the object's id
 * @KVERBS_A_EVENT_CM_EVENT: u32, enum kverbs_cm_event
 * @KVERBS_A_EVENT_CM_STATUS: s32, see KVERBS_A_CONN_STATUS
 */
enum kverbs_a_event {
	KVERBS_A_EVENT_UNSPEC,
	KVERBS_A_EVENT_TYPE,
	KVERBS_A_EVENT_DEV,
	KVERBS_A_EVENT_OLD_NAME,
	KVERBS_A_EVENT_PORT,
	KVERBS_A_EVENT_CQ,
	KVERBS_A_EVENT_SRQ,
	KVERBS_A_EVENT_QP,
	KVERBS_A_EVENT_RUN,
	KVERBS_A_EVENT_ERROR,
	KVERBS_A_EVENT_WC_STATUS,
	KVERBS_A_EVENT_VENDOR_ERR,
	KVERBS_A_EVENT_CONN,
	KVERBS_A_EVENT_CM_EVENT,
	KVERBS_A_EVENT_CM_STATUS,

	__KVERBS_A_EVENT_LAST,
	KVERBS_A_EVENT_MAX = __KVERBS_A_EVENT_LAST - 1,
};

#endif
