/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_CALL_H
#define KV_REMOTE_CALL_H

#include "backend.h"
#include "remote/codec.h"
#include "remote/file_call.h"

/*
 * The operations of backend.h that another host may ask for: what goes there, and what
 * comes back. Not among them: what is persistent, what is others', files.
 */

enum kv_call {
	KV_CALL_NOP,
	KV_CALL_INFO,
	KV_CALL_DEV_GET,
	KV_CALL_COUNTERS,
	/* By enum kv_type. */
	KV_CALL_PD_NEW,
	KV_CALL_CQ_NEW,
	KV_CALL_MR_NEW,
	KV_CALL_SRQ_NEW,
	KV_CALL_AH_NEW,
	KV_CALL_QP_NEW,
	KV_CALL_CONN_NEW,
	/* Ditto. */
	KV_CALL_PD_GET,
	KV_CALL_CQ_GET,
	KV_CALL_MR_GET,
	KV_CALL_SRQ_GET,
	KV_CALL_AH_GET,
	KV_CALL_QP_GET,
	KV_CALL_CONN_GET,
	/* Ditto. */
	KV_CALL_PD_DEL,
	KV_CALL_CQ_DEL,
	KV_CALL_MR_DEL,
	KV_CALL_SRQ_DEL,
	KV_CALL_AH_DEL,
	KV_CALL_QP_DEL,
	KV_CALL_CONN_DEL,
	KV_CALL_MR_REG,
	KV_CALL_MR_INV,
	KV_CALL_MR_WRITE,
	KV_CALL_MR_READ,
	KV_CALL_SRQ_MODIFY,
	KV_CALL_QP_MODIFY,
	KV_CALL_CONN_LISTEN,
	KV_CALL_CONN_TAKE,
	KV_CALL_CONN_RESOLVE_ADDR,
	KV_CALL_CONN_RESOLVE_ROUTE,
	KV_CALL_CONN_CONNECT,
	KV_CALL_CONN_ESTABLISH,
	KV_CALL_CONN_ACCEPT,
	KV_CALL_CONN_REJECT,
	KV_CALL_CONN_DISCONNECT,
	KV_CALL_CONN_WAIT,
	KV_CALL_POST,
	KV_CALL_POLL,
	KV_CALL_ARM,
	KV_CALL_CQ_WAIT,
	KV_CALL_EVENT_WAIT,
	KV_CALL_RUN_START,
	KV_CALL_RUN_WAIT,
	KV_CALL_RUN_CANCEL,
	KV_CALL_RUN_PEEK,
	KV_CALL_RUN_GET,
	KV_CALL_RUN_DEL,
	KV_CALL_FILE_OPEN,
	KV_CALL_FILE_CREATE,
	KV_CALL_FILE_LOAD,
	KV_CALL_FILE_SAVE,
	KV_CALL_FILE_HASH,
	KV_CALL_FILE_FINISH,
	KV_CALL_FILE_CLOSE,
	KV_CALLS,
};

/* The longest wait in one call; who waits longer calls again. */
#define KV_CALL_WAIT_MS 1000

struct kv_args_id {
	uint32_t id;
};

struct kv_args_wait {
	uint32_t id; /* 0 if it is not about one object */
	uint32_t timeout_ms;
};

struct kv_args_mr_reg {
	uint32_t id;
	struct kv_mr_reg reg;
};

struct kv_args_mr_inv {
	uint32_t id;
	uint32_t qp;
};

struct kv_args_range {
	uint32_t id;
	uint64_t offset;
	uint32_t length; /* of the data that the message, or its answer, brings */
};

struct kv_args_srq_modify {
	uint32_t id;
	struct kv_srq_attr attr;
};

struct kv_args_qp_modify {
	uint32_t id;
	struct kv_qp_attr attr;
};

struct kv_args_listen {
	uint32_t id;
	struct sockaddr_storage src;
	uint32_t backlog;
};

struct kv_args_resolve {
	uint32_t id;
	struct sockaddr_storage src; /* family 0: any */
	struct sockaddr_storage dst;
	uint32_t timeout_ms;
};

struct kv_args_conn {
	uint32_t id;
	struct kv_conn_param param;
};

struct kv_args_reject {
	uint32_t id;
	uint32_t length; /* bytes */
	uint8_t data[KVERBS_CONN_PRIVATE_MAX];
};

struct kv_args_poll {
	uint32_t cq;
	uint32_t max;
};

struct kv_args_arm {
	uint32_t cq;
	bool solicited;
};

/* What goes there. */
union kv_call_args {
	struct kv_pd_init pd_init;
	struct kv_cq_init cq_init;
	struct kv_mr_init mr_init;
	struct kv_srq_init srq_init;
	struct kv_ah_init ah_init;
	struct kv_qp_init qp_init;
	struct kv_conn_init conn_init;
	struct kv_args_id id;
	struct kv_args_wait wait;
	struct kv_args_mr_reg mr_reg;
	struct kv_args_mr_inv mr_inv;
	struct kv_args_range range;
	struct kv_args_srq_modify srq_modify;
	struct kv_args_qp_modify qp_modify;
	struct kv_args_listen listen;
	struct kv_args_resolve resolve;
	struct kv_args_conn conn;
	struct kv_args_reject reject;
	struct kv_args_poll poll;
	struct kv_args_arm arm;
	struct kv_wr wr;
	struct kv_run_spec spec;
	struct kv_args_file_open file_open;
	struct kv_args_file_create file_create;
	struct kv_file_piece file_piece;
	struct kv_args_file_finish file_finish;
	struct kv_args_file_close file_close;
};

struct kv_result_poll {
	uint32_t n;
	struct kv_wc wc[KVERBS_POLL_MAX];
};

struct kv_result_arm {
	bool missed;
};

/* What comes back. */
union kv_call_result {
	struct kv_info info;
	struct kv_dev dev;
	struct kv_counters counters;
	union kv_object object;
	struct kv_args_id id;
	struct kv_result_poll poll;
	struct kv_result_arm arm;
	struct kv_event event;
	struct kv_run_result run;
	struct kv_result_file_open file_open;
	struct kv_result_file_hash file_hash;
};

/**
 * struct kv_call_row - one call
 * @name: as it stands in JSON
 * @args: what goes there
 * @result: what comes back
 * @about: 1 + enum kv_type of what the arguments' id names; 0: it is a run's, or none
 * @sends: data may go there
 */
struct kv_call_row {
	const char *name;
	const struct kv_shape *args;
	const struct kv_shape *result;
	uint32_t about;
	bool sends;
};

extern const struct kv_call_row kv_call_rows[KV_CALLS];

/**
 * struct kv_request - a message to the server
 * @seq: 1 in the first, one more in each
 * @call: name of the call
 * @args: its arguments
 */
struct kv_request {
	uint32_t seq;
	const char *call;
	struct json_object *args;
};

/**
 * struct kv_reply - the answer
 * @seq: the request's
 * @ret: 0 or a negative errno; then @result is empty
 * @verb_ns: how long the verb took
 * @error: why it failed
 * @result: what comes back
 */
struct kv_reply {
	uint32_t seq;
	int32_t ret;
	uint64_t verb_ns;
	char error[512];
	struct json_object *result;
};

extern const struct kv_shape kv_shape_request;
extern const struct kv_shape kv_shape_reply;

/* The bins of a histogram that are not empty, as data behind a result. */
#define KV_CALL_BIN_BYTES 20

int kv_call_put_bins(const struct kv_hist *hist, uint8_t *data, uint32_t *length);
int kv_call_take_bins(struct kv_hist *hist, const uint8_t *data,
		      uint32_t length);

#endif
