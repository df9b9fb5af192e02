// SPDX-License-Identifier: MIT
/* The names of numbers, as users type them and the tool prints them. */
#include "cli/parse.h"
#include "model/backend.h"

/* Operations that are measured. */
#define RUN_OPS					\
	{ "send", KVERBS_OP_SEND },		\
	{ "write", KVERBS_OP_WRITE },		\
	{ "read", KVERBS_OP_READ },		\
	{ "fetch-add", KVERBS_OP_FETCH_ADD },	\
	{ "cmp-swp", KVERBS_OP_CMP_SWP }

const struct kv_enum kv_enum_op[] = {
	RUN_OPS,
	{ NULL, 0 },
};

/* Operations that are posted by hand. */
const struct kv_enum kv_enum_wr_op[] = {
	RUN_OPS,
	{ "send-imm", KVERBS_OP_SEND_WITH_IMM },
	{ "write-imm", KVERBS_OP_WRITE_WITH_IMM },
	{ "recv", KVERBS_OP_RECV },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_stage[] = {
	{ "create", KVERBS_STAGE_CREATE },
	{ "destroy", KVERBS_STAGE_DESTROY },
	{ "query", KVERBS_STAGE_QUERY },
	{ "resolve", KVERBS_STAGE_RESOLVE },
	{ "drain", KVERBS_STAGE_DRAIN },
	{ "modify", KVERBS_STAGE_MODIFY },
	{ "map", KVERBS_STAGE_MAP },
	{ "post", KVERBS_STAGE_POST },
	{ "completion", KVERBS_STAGE_COMPLETION },
	{ "arm", KVERBS_STAGE_ARM },
	{ "bind", KVERBS_STAGE_BIND },
	{ "cm", KVERBS_STAGE_CM },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_kind[] = {
	{ "completion", KV_KIND_COMPLETION },
	{ "pingpong", KV_KIND_PINGPONG },
	{ "one-thread", KV_KIND_ONE_THREAD },
	{ "null", KV_KIND_NULL },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_space[] = {
	{ "kernel", KV_SPACE_KERNEL },
	{ "user", KV_SPACE_USER },
	{ NULL, 0 },
};

/* The spaces as bits. */
const struct kv_enum kv_enum_spaces[] = {
	{ "kernel", 1U << KV_SPACE_KERNEL },
	{ "user", 1U << KV_SPACE_USER },
	{ "both", 1U << KV_SPACE_KERNEL | 1U << KV_SPACE_USER },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_post[] = {
	{ "process", KVERBS_POST_PROCESS },
	{ "bh-disabled", KVERBS_POST_BH_DISABLED },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_lkey[] = {
	{ "dma", KV_LKEY_DMA },
	{ "mr", KV_LKEY_MR },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_connect[] = {
	{ "raw", KV_CONNECT_RAW },
	{ "cm", KV_CONNECT_CM },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_type[] = {
#define OBJECT(TYPE, type, ...) { #type, KV_##TYPE },
#include "model/objects.def"
#undef OBJECT
	{ NULL, 0 },
};

const struct kv_enum kv_enum_access[] = {
	{ "local-write", KVERBS_ACCESS_LOCAL_WRITE },
	{ "remote-write", KVERBS_ACCESS_REMOTE_WRITE },
	{ "remote-read", KVERBS_ACCESS_REMOTE_READ },
	{ "remote-atomic", KVERBS_ACCESS_REMOTE_ATOMIC },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_cq_context[] = {
	{ "polled", KVERBS_CQ_POLLED },
	{ "event", KVERBS_CQ_EVENT },
	{ "softirq", KVERBS_CQ_SOFTIRQ },
	{ "workqueue", KVERBS_CQ_WORKQUEUE },
	{ "unbound-workqueue", KVERBS_CQ_UNBOUND_WORKQUEUE },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_qp_type[] = {
	{ "rc", KVERBS_QPT_RC },
	{ "uc", KVERBS_QPT_UC },
	{ "ud", KVERBS_QPT_UD },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_qp_state[] = {
	{ "reset", KVERBS_QPS_RESET },
	{ "init", KVERBS_QPS_INIT },
	{ "rtr", KVERBS_QPS_RTR },
	{ "rts", KVERBS_QPS_RTS },
	{ "sqd", KVERBS_QPS_SQD },
	{ "sqe", KVERBS_QPS_SQE },
	{ "err", KVERBS_QPS_ERR },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_mig_state[] = {
	{ "migrated", KVERBS_MIG_MIGRATED },
	{ "rearm", KVERBS_MIG_REARM },
	{ "armed", KVERBS_MIG_ARMED },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_wc_op[] = {
	{ "send", KVERBS_WC_OP_SEND },
	{ "write", KVERBS_WC_OP_WRITE },
	{ "read", KVERBS_WC_OP_READ },
	{ "fetch-add", KVERBS_WC_OP_FETCH_ADD },
	{ "cmp-swp", KVERBS_WC_OP_CMP_SWP },
	{ "local-inv", KVERBS_WC_OP_LOCAL_INV },
	{ "reg-mr", KVERBS_WC_OP_REG_MR },
	{ "recv", KVERBS_WC_OP_RECV },
	{ "recv-write-imm", KVERBS_WC_OP_RECV_WRITE_WITH_IMM },
	{ NULL, 0 },
};

/* Statuses of completions, IBTA 11.6.2, by their numbers in both spaces. */
const struct kv_enum kv_enum_wc_status[] = {
	{ "success", 0 },
	{ "local length error", 1 },
	{ "local QP operation error", 2 },
	{ "local EE context operation error", 3 },
	{ "local protection error", 4 },
	{ "work request flushed error", 5 },
	{ "memory window bind error", 6 },
	{ "bad response error", 7 },
	{ "local access error", 8 },
	{ "remote invalid request error", 9 },
	{ "remote access error", 10 },
	{ "remote operation error", 11 },
	{ "transport retry counter exceeded", 12 },
	{ "RNR retry counter exceeded", 13 },
	{ "local RDD violation error", 14 },
	{ "remote invalid RD request", 15 },
	{ "remote aborted error", 16 },
	{ "invalid EE context number", 17 },
	{ "invalid EE context state", 18 },
	{ "fatal error", 19 },
	{ "response timeout error", 20 },
	{ "general error", 21 },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_event[] = {
	{ "dev-added", KVERBS_EVENT_DEV_ADDED },
	{ "dev-removed", KVERBS_EVENT_DEV_REMOVED },
	{ "dev-renamed", KVERBS_EVENT_DEV_RENAMED },
	{ "run-started", KVERBS_EVENT_RUN_STARTED },
	{ "run-done", KVERBS_EVENT_RUN_DONE },
	{ "completion", KVERBS_EVENT_COMPLETION },
	{ "wc-error", KVERBS_EVENT_WC_ERROR },
	{ "cq-err", KVERBS_EVENT_CQ_ERR },
	{ "qp-fatal", KVERBS_EVENT_QP_FATAL },
	{ "qp-req-err", KVERBS_EVENT_QP_REQ_ERR },
	{ "qp-access-err", KVERBS_EVENT_QP_ACCESS_ERR },
	{ "comm-est", KVERBS_EVENT_COMM_EST },
	{ "sq-drained", KVERBS_EVENT_SQ_DRAINED },
	{ "path-mig", KVERBS_EVENT_PATH_MIG },
	{ "path-mig-err", KVERBS_EVENT_PATH_MIG_ERR },
	{ "last-wqe-reached", KVERBS_EVENT_LAST_WQE_REACHED },
	{ "srq-err", KVERBS_EVENT_SRQ_ERR },
	{ "srq-limit-reached", KVERBS_EVENT_SRQ_LIMIT_REACHED },
	{ "device-fatal", KVERBS_EVENT_DEVICE_FATAL },
	{ "port-active", KVERBS_EVENT_PORT_ACTIVE },
	{ "port-err", KVERBS_EVENT_PORT_ERR },
	{ "lid-change", KVERBS_EVENT_LID_CHANGE },
	{ "pkey-change", KVERBS_EVENT_PKEY_CHANGE },
	{ "sm-change", KVERBS_EVENT_SM_CHANGE },
	{ "client-reregister", KVERBS_EVENT_CLIENT_REREGISTER },
	{ "gid-change", KVERBS_EVENT_GID_CHANGE },
	{ "other", KVERBS_EVENT_OTHER },
	{ "cm", KVERBS_EVENT_CM },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_conn_state[] = {
	{ "idle", KVERBS_CONN_IDLE },
	{ "listening", KVERBS_CONN_LISTENING },
	{ "resolving-addr", KVERBS_CONN_RESOLVING_ADDR },
	{ "addr-resolved", KVERBS_CONN_ADDR_RESOLVED },
	{ "resolving-route", KVERBS_CONN_RESOLVING_ROUTE },
	{ "route-resolved", KVERBS_CONN_ROUTE_RESOLVED },
	{ "connecting", KVERBS_CONN_CONNECTING },
	{ "answered", KVERBS_CONN_ANSWERED },
	{ "requested", KVERBS_CONN_REQUESTED },
	{ "accepted", KVERBS_CONN_ACCEPTED },
	{ "established", KVERBS_CONN_ESTABLISHED },
	{ "disconnecting", KVERBS_CONN_DISCONNECTING },
	{ "disconnected", KVERBS_CONN_DISCONNECTED },
	{ "rejected", KVERBS_CONN_REJECTED },
	{ "failed", KVERBS_CONN_FAILED },
	{ NULL, 0 },
};

/* Reasons for a rejection (IBTA table 111), in the kernel's words: those that a CM really sends. */
const struct kv_enum kv_enum_cm_reason[] = {
	{ "no QP", 1 },
	{ "no resources", 3 },
	{ "timeout", 4 },
	{ "unsupported", 5 },
	{ "invalid comm ID", 6 },
	{ "invalid comm instance", 7 },
	{ "invalid service ID", 8 },
	{ "invalid transport type", 9 },
	{ "stale conn", 10 },
	{ "invalid GID", 12 },
	{ "invalid LID", 13 },
	{ "invalid SL", 14 },
	{ "invalid traffic class", 15 },
	{ "invalid hop limit", 16 },
	{ "invalid packet rate", 17 },
	{ "port CM redirect", 24 },
	{ "port redirect", 25 },
	{ "invalid MTU", 26 },
	{ "insufficient resp resources", 27 },
	{ "consumer defined", 28 },
	{ "invalid RNR retry", 29 },
	{ "duplicate local comm ID", 30 },
	{ "invalid class version", 31 },
	{ "invalid flow label", 32 },
	{ NULL, 0 },
};

const struct kv_enum kv_enum_cm_event[] = {
	{ "none", KVERBS_CM_EVENT_NONE },
	{ "addr-resolved", KVERBS_CM_EVENT_ADDR_RESOLVED },
	{ "addr-error", KVERBS_CM_EVENT_ADDR_ERROR },
	{ "route-resolved", KVERBS_CM_EVENT_ROUTE_RESOLVED },
	{ "route-error", KVERBS_CM_EVENT_ROUTE_ERROR },
	{ "connect-request", KVERBS_CM_EVENT_CONNECT_REQUEST },
	{ "connect-response", KVERBS_CM_EVENT_CONNECT_RESPONSE },
	{ "connect-error", KVERBS_CM_EVENT_CONNECT_ERROR },
	{ "unreachable", KVERBS_CM_EVENT_UNREACHABLE },
	{ "rejected", KVERBS_CM_EVENT_REJECTED },
	{ "established", KVERBS_CM_EVENT_ESTABLISHED },
	{ "disconnected", KVERBS_CM_EVENT_DISCONNECTED },
	{ "device-removal", KVERBS_CM_EVENT_DEVICE_REMOVAL },
	{ "multicast-join", KVERBS_CM_EVENT_MULTICAST_JOIN },
	{ "multicast-error", KVERBS_CM_EVENT_MULTICAST_ERROR },
	{ "addr-change", KVERBS_CM_EVENT_ADDR_CHANGE },
	{ "timewait-exit", KVERBS_CM_EVENT_TIMEWAIT_EXIT },
	{ "other", KVERBS_CM_EVENT_OTHER },
	{ NULL, 0 },
};
