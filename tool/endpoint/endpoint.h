/* SPDX-License-Identifier: MIT */
#pragma once

#include "cm/conn.h"
#include "endpoint/raw.h"
#include "model/site.h"
#include "rules/cq.h"

/*
 * One end of a connection, made verb by verb: measuring, ping, pingpong and conn-rate have no other
 * way to a PD, a CQ, an MR or a QP. All objects die with the site; kv_pair_destroy() destroys a
 * pair earlier.
 */

/* Verbs whose duration is kept; see kv_verb_name(). */
enum kv_verb {
	KV_VERB_PD_NEW,
	KV_VERB_CQ_NEW,
	KV_VERB_MR_NEW,
	KV_VERB_TOUCH, /* no verb: the first touch of the pages of a buffer in user space */
	KV_VERB_QP_NEW,
	KV_VERB_QP_INIT, /* this and the next two in the order of kv_raw_steps */
	KV_VERB_QP_RTR,
	KV_VERB_QP_RTS,
	KV_VERB_MR_REG,
	KV_VERB_CM, /* this and the following in the order of enum kv_conn_step */
	KV_VERBS = KV_VERB_CM + KV_CONN_STEPS,
};

/* One buffer of an endpoint. */
struct kv_buffer {
	uint32_t buf; /* id of the buffer; 0 if there is none */
	uint32_t mr; /* id of the MR that is registered over the buffer; 0 if there is none */
	uint32_t length; /* bytes of the buffer */
	uint32_t access; /* KVERBS_ACCESS_*, the rights of the registration; 0: there is none */
	uint64_t iova; /* address of the registration for a peer */
	/* Key of the registration for a peer; 0 if the peer may not reach the buffer. */
	uint32_t rkey;
};

/* A QP and all that belongs to it. */
struct kv_endpoint {
	const struct kv_site *site; /* site of the endpoint; must stay open */
	/* Id of the PD; this id and the following ids are 0 where there is no object. */
	uint32_t pd;
	uint32_t send_cq; /* CQ of the sends */
	uint32_t recv_cq; /* CQ of the receives; the same CQ, if it was made for both */
	uint32_t srq; /* the SRQ of the receives */
	uint32_t qp; /* the queue pair; the latest QP if several share the rest */
	uint32_t qpn; /* number of the QP */
	/* First packet sequence number that the QP sends; the CM chooses another one. */
	uint32_t psn;
	uint32_t ah; /* address of the peer, for a UD QP */
	uint32_t carrier; /* an RC QP that carries registrations in place of @qp */
	uint32_t api; /* enum kv_api, in user space; set before there is a CQ */
	/* Of the events of its CQs; set before there is a CQ, with a context that has events. */
	struct kv_cq_moderation moderation;
	uint32_t comp_vector; /* of its CQs; set before there is one */
	uint32_t conn; /* connection of the QP, if the CM has made it */
	bool armed; /* the next completion makes an event; see kv_endpoint_sleep() */
	/* Duration of each verb; the latest where there were several calls. */
	struct kv_times verb[KV_VERBS];
};

const char *kv_verb_name(enum kv_verb verb);
int kv_endpoint_add_pd(struct kv_endpoint *e, struct kv_fault *f);
int kv_endpoint_add_cqs(struct kv_endpoint *e, uint32_t sends, uint32_t receives, uint32_t context,
			struct kv_fault *f);
int kv_endpoint_add_srq(struct kv_endpoint *e, uint32_t receives, uint32_t sges,
			struct kv_fault *f);
int kv_endpoint_add_buffer(struct kv_endpoint *e, struct kv_buffer *buf, uint32_t length,
			   struct kv_fault *f);
int kv_endpoint_add_qp(struct kv_endpoint *e, const struct kv_qp_init *init, struct kv_fault *f);
int kv_endpoint_step(struct kv_endpoint *e, uint32_t type, enum kv_raw_step step,
		     const struct kv_qp_attr *attr, struct kv_fault *f);
int kv_endpoint_add_ah(struct kv_endpoint *e, const struct kv_av *av, struct kv_fault *f);
int kv_endpoint_add_carrier(struct kv_endpoint *e, struct kv_fault *f);
int kv_endpoint_add_mr(struct kv_endpoint *e, struct kv_buffer *buf, struct kv_fault *f);
int kv_endpoint_register(struct kv_endpoint *e, struct kv_buffer *buf, uint32_t access,
			 struct kv_fault *f);
bool kv_endpoint_needs_key(const struct kv_endpoint *e);
struct kv_sge kv_buffer_piece(const struct kv_buffer *buf, uint64_t offset, uint32_t length);
int kv_endpoint_sleep(struct kv_endpoint *e, int ms, struct kv_fault *f);
struct kv_conn_param kv_endpoint_param(const struct kv_endpoint *e);
void kv_endpoint_del_buffer(struct kv_endpoint *e, struct kv_buffer *buf);
void kv_endpoint_del(struct kv_endpoint *e, enum kv_type type, uint32_t *id);
