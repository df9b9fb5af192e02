/* SPDX-License-Identifier: MIT */
#pragma once

#include "file/file.h"
#include "model/site.h"
#include "remote/call.h"
#include "remote/hello.h"
#include "remote/wire.h"

/* The most runs of a client at a time. */
#define KV_SERVICE_RUNS 64

/* The deepest queues of a client's objects. */
#define KV_SERVICE_WR_MAX 16384
#define KV_SERVICE_CQE_MAX 65536

/* The longest request: a run with all its ends. */
#define KV_SERVICE_HEAD_MAX KV_WIRE_HEAD_MAX

/* The longest file that is accepted by default. */
#define KV_SERVE_FILE_BYTES (4ULL << 30)

/* The files that clients may fetch and put. */
struct kv_serve_files {
	int dir; /* folder of the files; -1: there is none, and no client gets files */
	bool read_only; /* clients can fetch files, but can't put any */
	uint64_t bytes; /* length of the longest file that is accepted */
};

/* The type of a run among the objects. */
#define KV_QUOTA_RUN KV_NO_TYPE

/* An object that a client has, or a run that it has started. */
struct kv_made {
	enum kv_type type; /* type of the object */
	uint32_t id; /* id of the object or run; 0: the entry is free */
	uint64_t bytes; /* bytes of a buffer, or of queues */
	uint64_t end_ns; /* end of the time that a run may take, of kv_now_ns() */
};

/* The limits and the objects of one client. */
struct kv_service {
	struct kv_site *site; /* the client's space, open on the client's device */
	struct kv_limits limits; /* the client's limits */
	struct kv_made *made; /* the client's objects and runs */
	uint32_t entries; /* room in @made: @limits.objects and KV_SERVICE_RUNS */
	uint32_t objects; /* number of objects */
	uint32_t runs; /* number of runs */
	uint64_t bytes; /* bytes of all buffers and queues */
	bool expired; /* a run has taken too long; nothing goes on */
	const struct kv_serve_files *files; /* files that the client may use */
	struct kv_file_local file; /* the file that the client fetches or puts */
	char note[320]; /* for the log, about the last call for @file; "": nothing */
	uint32_t seq; /* @seq of the last request */
	union kv_call_args in; /* arguments of the call that is being answered */
	union kv_call_result out; /* result of the call */
	uint8_t *data; /* data of the request; data of the answer come there, too */
	uint32_t data_length; /* bytes of @data */
	struct kv_times times; /* durations of the call's verbs */
	uint32_t failed; /* enum kverbs_stage of the verb that has failed; 0: none has */
	struct kv_fault fault; /* reason of the failure */
};

int kv_service_init(struct kv_service *s, struct kv_site *site, const struct kv_limits *limits);
int kv_service_answer(struct kv_service *s, struct kv_wire *w, uint32_t *length);
uint64_t kv_service_watch(struct kv_service *s);

int kv_service_run(struct kv_service *s, enum kv_call call);

void kv_serve_file_init(struct kv_service *s, const struct kv_serve_files *files);
void kv_serve_file_exit(struct kv_service *s);
int kv_serve_file_call(struct kv_service *s, enum kv_call which);

/* The limits of a client: see quota.c. */
int kv_quota_check(struct kv_service *s, uint64_t bytes);
void kv_quota_add(struct kv_service *s, enum kv_type type, uint32_t id, uint64_t bytes);
struct kv_made *kv_quota_find(const struct kv_service *s, enum kv_type type, uint32_t id);
int kv_quota_resize(struct kv_service *s, enum kv_type type, uint32_t id, uint64_t bytes);
void kv_quota_remove(struct kv_service *s, enum kv_type type, uint32_t id);
int kv_quota_check_run(struct kv_service *s, const struct kv_run_spec *spec);

/* Called with an id that is not 0. A value other than 0 ends the list. */
typedef int (*kv_quota_id)(uint32_t refers, const char *name, uint32_t id, void *arg);

int kv_quota_ids(const struct kv_shape *shape, const void *from, kv_quota_id fn, void *arg);
bool kv_quota_concerns(struct kv_service *s, const struct kv_event *event);
