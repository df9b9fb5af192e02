/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/fault.h"
#include "cli/parse.h"
#include "model/backend.h"

/* In place of a port's number: the first active port. The RDMA CM chooses a port by address. */
#define KV_PORT_ANY UINT32_MAX

/* Size of the text of kv_port_explain(). */
#define KV_PORT_TEXT 160

/* One space, opened on one device. */
struct kv_site {
	enum kv_space_id id; /* which space */
	struct kv_backend *b; /* its backend */
	struct kv_dev dev; /* the device as this space sees it */
	const struct kv_port *port; /* the port that endpoints on the device use; one of dev.port */
	/* The GID that endpoints on the device use; one of the GIDs of @port. */
	const struct kv_gid *gid;
	/* Name of the peer's host; NULL: the space is on this host. See kv_site_open_peer(). */
	const char *host;
	char version[32]; /* version of the peer's kverbs */
	/* A peer's ticks in a second, of results of runs there; 0: the space is on this host. */
	uint64_t counter_hz;
};

const char *kv_gid_type_name(const struct kv_dev *dev, const struct kv_gid *gid);
const struct kv_gid *kv_gid_choose(const struct kv_port *port, int index);
const struct kv_port *kv_port_find(const struct kv_dev *dev, uint32_t number);
const char *kv_port_explain(const struct kv_dev *dev, uint32_t number, char text[KV_PORT_TEXT]);
void kv_dev_tell(struct kv_backend *b, struct kv_fault *f);
int kv_dev_choose(struct kv_backend *b, const char *name, struct kv_dev *dev, struct kv_fault *f);
bool kv_dev_is_gone(struct kv_backend *b, const char *name);
int kv_dev_blame(struct kv_backend *b, const char *name, int error, struct kv_fault *f);
int kv_site_open_backend(enum kv_space_id id, struct kv_backend **b, struct kv_fault *f);
int kv_site_open(struct kv_site *s, enum kv_space_id id, const char *dev, uint32_t port,
		 int gid_index, struct kv_fault *f);
int kv_site_choose(struct kv_site *s, uint32_t port, int gid_index, struct kv_fault *f);
void kv_site_close(struct kv_site *s);
uint32_t kv_site_post_context(const struct kv_site *s);
int kv_site_post(const struct kv_site *s, uint32_t qp, const struct kv_wr *wr);
