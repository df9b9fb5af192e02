/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "measure/pair.h"

enum kv_setup_figure {
	KV_SETUP_WALL, /* ns for a QP of this host, all that belongs to it included */
	/* ns in verbs for a QP of the initiator, its CQs and its connection; not its buffers */
	KV_SETUP_VERBS,
	KV_SETUP_MEMORY, /* bytes that a QP of this host takes, all that belongs to it included */
	KV_SETUP_FIGURES,
};

/* The costs of the connections of a series. */
struct kv_setup {
	uint32_t connections; /* made in each round */
	uint32_t qps; /* of these connections, on this host */
	double *figure[KV_SETUP_FIGURES]; /* [@rounds] of each */
	unsigned int rounds;
	bool blind; /* this host does not say how much memory is used */

	/* private */
	uint64_t before; /* memory in use before the connections of the round were made */
	uint64_t wall_ns; /* of the round's connections so far */
};

int kv_setup_begin(struct kv_setup *s, struct kv_fault *f);
void kv_setup_end(struct kv_setup *s, const struct kv_pair *p, uint32_t connections);
struct json_object *kv_setup_describe(const struct kv_setup *s);
void kv_setup_free(struct kv_setup *s);
