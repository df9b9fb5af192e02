/* SPDX-License-Identifier: MIT */
#ifndef KV_CLI_PARSE_H
#define KV_CLI_PARSE_H

#include <stddef.h>
#include <stdint.h>
#include <kverbs.h>

/*
 * Reading of what people type. Nothing here knows devices, backends or options:
 * why a text is refused comes back as a phrase to be put behind the option's
 * name.
 */

/* The most operations and sizes that a list may have. */
#define KV_PARSE_LIST_MAX 32

/* Above every CPU number that Linux can be built for. */
#define KV_PARSE_CPU_MAX 65535

/* Why a text was refused. */
struct kv_why {
	char text[256];
};

/* One word of an option that takes one of a few; a table ends with NULL. */
struct kv_word {
	const char *word;
	uint32_t value;
};

/* How a latency is measured; each is one or two of enum kverbs_loop. */
enum kv_kind {
	KV_KIND_COMPLETION,
	KV_KIND_PINGPONG,
	KV_KIND_RELAY,
	KV_KIND_NULL,
};

enum kv_space_id {
	KV_SPACE_KERNEL,
	KV_SPACE_USER,
	KV_SPACES,
};

/* Who connects two endpoints: the tool by hand, or the RDMA CM. */
enum kv_connect {
	KV_CONNECT_RAW,
	KV_CONNECT_CM,
};

extern const struct kv_word kv_word_op[];
extern const struct kv_word kv_word_kind[];
extern const struct kv_word kv_word_space[];
extern const struct kv_word kv_word_spaces[];
extern const struct kv_word kv_word_post[];
extern const struct kv_word kv_word_lkey[];
extern const struct kv_word kv_word_connect[];
extern const struct kv_word kv_word_type[];
extern const struct kv_word kv_word_access[];
extern const struct kv_word kv_word_cq_context[];
extern const struct kv_word kv_word_qp_type[];
extern const struct kv_word kv_word_qp_state[];
extern const struct kv_word kv_word_mig_state[];
extern const struct kv_word kv_word_wc_op[];
extern const struct kv_word kv_word_wc_status[];
extern const struct kv_word kv_word_event[];
extern const struct kv_word kv_word_conn_state[];
extern const struct kv_word kv_word_cm_event[];
extern const struct kv_word kv_word_cm_reason[];

/* A list without duplicates, in the order in which it was typed. */
struct kv_list {
	unsigned int n;
	uint32_t value[KV_PARSE_LIST_MAX];
};

/* A QP as its peer needs to know it, see kv_parse_address(). */
struct kv_address {
	uint32_t lid;
	uint32_t qpn;
	uint32_t psn;
	uint8_t gid[16]; /* network order */
};

/* What kv_address_format() writes, with its end. */
#define KV_ADDRESS_TEXT sizeof("0000:000000:000000:00000000000000000000000000000000")

struct sockaddr_storage;

/* What kv_sockaddr_format() writes, with its end. */
#define KV_SOCKADDR_TEXT 80

const char *kv_word_name(const struct kv_word *table, uint32_t value);

int kv_parse_word(const char *text, const struct kv_word *table,
		  uint32_t *value, struct kv_why *why);
int kv_parse_count(const char *text, uint64_t min, uint64_t max,
		   uint64_t *value, struct kv_why *why);
int kv_parse_mtu(const char *text, uint32_t *bytes, struct kv_why *why);
int kv_parse_size(const char *text, uint32_t *bytes, struct kv_why *why);
int kv_parse_time(const char *text, uint64_t min_ns, uint64_t max_ns,
		  uint64_t *ns, struct kv_why *why);
int kv_parse_cpus(const char *text, int32_t cpu[2], unsigned int *n,
		  struct kv_why *why);
int kv_parse_ops(const char *text, struct kv_list *list, struct kv_why *why);
int kv_parse_sizes(const char *text, struct kv_list *list, struct kv_why *why);
int kv_parse_number(const char *text, uint64_t max, uint64_t *value,
		    struct kv_why *why);
int kv_parse_bytes(const char *text, uint64_t max, uint64_t *bytes,
		   struct kv_why *why);
int kv_parse_flags(const char *text, const struct kv_word *table,
		   uint32_t *flags, struct kv_why *why);
int kv_parse_gid(const char *text, uint8_t gid[16], struct kv_why *why);
int kv_parse_dev(const char *text, const char **name, struct kv_why *why);
int kv_parse_address(const char *text, struct kv_address *address,
		     struct kv_why *why);
void kv_address_format(char text[KV_ADDRESS_TEXT],
		       const struct kv_address *address);
int kv_parse_sockaddr(const char *text, struct sockaddr_storage *addr,
		      struct kv_why *why);
void kv_sockaddr_format(char text[KV_SOCKADDR_TEXT],
			const struct sockaddr_storage *addr);

#endif
