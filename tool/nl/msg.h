/* SPDX-License-Identifier: MIT */
#ifndef KV_NL_MSG_H
#define KV_NL_MSG_H

#include "backend.h"
#include "nl/link.h"

/*
 * The module's commands, one function each, with the arguments of the backend's
 * operation of that name. This folder is all of the tool that knows attributes;
 * a file knows those of one noun.
 */

/**
 * struct kv_nl_noun - what the messages of one type of objects are made of
 * @what: "kernel " and the type's name, for the text of a failure
 * @init: what it is made with; NULL: it has a function of its own for that
 * @object: what it is
 * @names: these and others that requests have, up to NULL
 * @cmd_new: command that makes one
 * @cmd_get: command that shows it, or all
 * @cmd_del: command that deletes it
 * @id: attribute
 * @verb_ns: attribute
 * @size: bytes of the struct of @object
 */
struct kv_nl_noun {
	const char *what;
	const struct kv_nl_table *init;
	const struct kv_nl_table *object;
	const struct kv_nl_table *const *names;
	int cmd_new;
	int cmd_get;
	int cmd_del;
	int id;
	int verb_ns;
	size_t size;
};

extern const struct kv_nl_noun kv_nl_pd;
extern const struct kv_nl_noun kv_nl_cq;
extern const struct kv_nl_noun kv_nl_mr;
extern const struct kv_nl_noun kv_nl_srq;
extern const struct kv_nl_noun kv_nl_ah;
extern const struct kv_nl_noun kv_nl_qp;
extern const struct kv_nl_noun kv_nl_conn;

/* What all types have. The structs are the noun's; each argument but @id may be NULL. */
int kv_nl_new(struct kv_nl *nl, const struct kv_nl_noun *noun, const void *init,
	      void *object, uint64_t *verb_ns);
int kv_nl_get(struct kv_nl *nl, const struct kv_nl_noun *noun, uint32_t id,
	      void *object);
int kv_nl_each(struct kv_nl *nl, const struct kv_nl_noun *noun,
	       int (*fn)(const union kv_object *object, void *arg), void *arg);
int kv_nl_del(struct kv_nl *nl, const struct kv_nl_noun *noun, uint32_t id,
	      uint64_t *verb_ns);
struct nl_msg *kv_nl_msg_of(struct kv_nl *nl, const struct kv_nl_noun *noun,
			    int cmd, uint32_t id);
int kv_nl_call(struct kv_nl *nl, const struct kv_nl_noun *noun,
	       struct nl_msg *msg, const char *what, void *object,
	       uint64_t *verb_ns);

int kv_nl_info_get(struct kv_nl *nl, struct kv_info *info);
int kv_nl_flush(struct kv_nl *nl, uint32_t *flushed, uint32_t *kept);
int kv_nl_dev_get(struct kv_nl *nl, const char *name, struct kv_dev *dev);
int kv_nl_dev_each(struct kv_nl *nl,
		   int (*fn)(const struct kv_dev *dev, void *arg), void *arg);
int kv_nl_cq_poll(struct kv_nl *nl, uint32_t id, struct kv_wc *wc,
		  unsigned int max, unsigned int *n, uint64_t *verb_ns);
int kv_nl_cq_arm(struct kv_nl *nl, uint32_t id, bool solicited, bool *missed,
		 uint64_t *verb_ns);
int kv_nl_mr_reg(struct kv_nl *nl, uint32_t id, const struct kv_mr_reg *reg,
		 struct kv_mr *mr, uint64_t *verb_ns);
int kv_nl_mr_inv(struct kv_nl *nl, uint32_t id, uint32_t qp, uint64_t *verb_ns);
/* At most KVERBS_DATA_MAX bytes. */
int kv_nl_mr_write(struct kv_nl *nl, uint32_t id, uint64_t offset,
		   const void *data, uint32_t length);
int kv_nl_mr_read(struct kv_nl *nl, uint32_t id, uint64_t offset, void *data,
		  uint32_t length);
int kv_nl_mr_load(struct kv_nl *nl, uint32_t id, int fd, uint64_t file_offset,
		  uint64_t offset, uint64_t length, uint64_t *moved);
int kv_nl_mr_save(struct kv_nl *nl, uint32_t id, int fd, uint64_t file_offset,
		  uint64_t offset, uint64_t length, uint64_t *moved);
int kv_nl_srq_modify(struct kv_nl *nl, uint32_t id,
		     const struct kv_srq_attr *attr, struct kv_srq *srq,
		     uint64_t *verb_ns);
int kv_nl_qp_new(struct kv_nl *nl, const struct kv_qp_init *qp_init,
		 struct kv_qp *qp, uint64_t *verb_ns);
int kv_nl_qp_modify(struct kv_nl *nl, uint32_t id, const struct kv_qp_attr *attr,
		    uint64_t *verb_ns);
int kv_nl_conn_listen(struct kv_nl *nl, uint32_t id,
		      const struct sockaddr_storage *src, uint32_t backlog,
		      struct kv_conn *conn, uint64_t *verb_ns);
int kv_nl_conn_take(struct kv_nl *nl, uint32_t listener, struct kv_conn *conn);
int kv_nl_conn_resolve_addr(struct kv_nl *nl, uint32_t id,
			    const struct sockaddr_storage *src,
			    const struct sockaddr_storage *dst,
			    uint32_t timeout_ms, uint64_t *verb_ns);
int kv_nl_conn_resolve_route(struct kv_nl *nl, uint32_t id,
			     uint32_t timeout_ms, uint64_t *verb_ns);
int kv_nl_conn_connect(struct kv_nl *nl, uint32_t id,
		       const struct kv_conn_param *param, uint64_t *verb_ns);
int kv_nl_conn_establish(struct kv_nl *nl, uint32_t id,
			 const struct kv_conn_param *param, uint64_t *verb_ns);
int kv_nl_conn_accept(struct kv_nl *nl, uint32_t id,
		      const struct kv_conn_param *param, uint64_t *verb_ns);
/* At most KVERBS_CONN_PRIVATE_MAX bytes. */
int kv_nl_conn_reject(struct kv_nl *nl, uint32_t id, const void *data,
		      uint32_t length, uint64_t *verb_ns);
int kv_nl_conn_disconnect(struct kv_nl *nl, uint32_t id, uint64_t *verb_ns);
int kv_nl_post(struct kv_nl *nl, const struct kv_wr *wr, uint64_t *verb_ns);
int kv_nl_run_start(struct kv_nl *nl, const struct kv_run_spec *spec,
		    uint32_t *id);
int kv_nl_run_cancel(struct kv_nl *nl, uint32_t id);
int kv_nl_run_peek(struct kv_nl *nl, uint32_t id, struct kv_run_result *result);
int kv_nl_run_get(struct kv_nl *nl, uint32_t id, struct kv_run_result *result);
int kv_nl_run_del(struct kv_nl *nl, uint32_t id);

/* Deadlines are of kv_now_ns(); UINT64_MAX: none. */
int kv_nl_wait_any(struct kv_nl *nl, uint64_t deadline_ns);
int kv_nl_wait_completion(struct kv_nl *nl, uint32_t cq, uint64_t deadline_ns);
int kv_nl_wait_event(struct kv_nl *nl, uint64_t deadline_ns,
		     struct kv_event *event);

#endif
