/* SPDX-License-Identifier: MIT */
#ifndef KV_CLI_OPTION_H
#define KV_CLI_OPTION_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include "cli/fault.h"
#include "cli/parse.h"
#include "remote/peer.h"

/*
 * Options that every measuring command has, and how all of them are read.
 */

/* Above all characters: what getopt_long() refuses is a letter or one of these. */
enum kv_option_id {
	KV_OPTION_HELP = 256,
	KV_OPTION_DEV,
	KV_OPTION_GID,
	KV_OPTION_LOOP,
	KV_OPTION_CPUS,
	KV_OPTION_POST,
	KV_OPTION_LKEY,
	KV_OPTION_SPINS,
	KV_OPTION_TIMEOUT,
	KV_OPTION_VERIFY,
	KV_OPTION_NO_VERIFY,
	KV_OPTION_JSON,
	KV_OPTION_MTU,
	KV_OPTION_ACK_TIMEOUT,
	KV_OPTION_RETRY_CNT,
	KV_OPTION_CONNECT,
	KV_OPTION_PORT,
	KV_OPTION_TOKEN,
	KV_OPTION_PEER_DEV,
	KV_OPTION_PEER_GID,
	/* A command's own options go on from here. */
	KV_OPTION_OWN,
};

#define KV_OPTION_ROWS						\
	{ "help", no_argument, NULL, KV_OPTION_HELP },		\
	{ "dev", required_argument, NULL, KV_OPTION_DEV },	\
	{ "gid", required_argument, NULL, KV_OPTION_GID },	\
	{ "loop", required_argument, NULL, KV_OPTION_LOOP },	\
	{ "cpus", required_argument, NULL, KV_OPTION_CPUS },	\
	{ "post", required_argument, NULL, KV_OPTION_POST },	\
	{ "lkey", required_argument, NULL, KV_OPTION_LKEY },	\
	{ "spins", required_argument, NULL, KV_OPTION_SPINS },	\
	{ "timeout", required_argument, NULL, KV_OPTION_TIMEOUT }, \
	{ "verify", no_argument, NULL, KV_OPTION_VERIFY },	\
	{ "no-verify", no_argument, NULL, KV_OPTION_NO_VERIFY }, \
	{ "json", required_argument, NULL, KV_OPTION_JSON },	\
	{ "mtu", required_argument, NULL, KV_OPTION_MTU },	\
	{ "ack-timeout", required_argument, NULL, KV_OPTION_ACK_TIMEOUT }, \
	{ "retry-cnt", required_argument, NULL, KV_OPTION_RETRY_CNT }, \
	{ "connect", required_argument, NULL, KV_OPTION_CONNECT }

/* Of commands that take another host. */
#define KV_OPTION_HOST_ROWS						\
	{ "port", required_argument, NULL, KV_OPTION_PORT },		\
	{ "token", required_argument, NULL, KV_OPTION_TOKEN },		\
	{ "peer-dev", required_argument, NULL, KV_OPTION_PEER_DEV },	\
	{ "peer-gid", required_argument, NULL, KV_OPTION_PEER_GID }

/* Of commands that send many messages. */
#define KV_OPTION_RETRY_HELP							\
	"  --ack-timeout N    local ACK timeout: 4.096 us * 2^N until a packet is sent\n" \
	"                     again; 1 .. 31, default: 14, which is 67 ms\n"	\
	"  --retry-cnt N      how often it is sent again, 0 .. 7; default: 6. rxe takes 7\n" \
	"                     for 'without end', which a link that loses much may need\n"

extern const char kv_option_host_help[];
extern const char kv_option_help[];

/**
 * struct kv_options - what the options common to measuring commands say
 * @dev: device's name; NULL: the only one
 * @gid: GID index; -1: the best by type
 * @has_loop: --loop was given
 * @loop: enum kv_kind
 * @cpus: how many entries of @cpu were given
 * @cpu: initiator, responder
 * @has_post: --post was given
 * @post: enum kverbs_post
 * @has_lkey: --lkey was given
 * @lkey: enum kverbs_lkey
 * @spins: -1: kv_placement_spins()
 * @timeout_ns: how long a completion may take
 * @verify: check contents first
 * @json: where the document goes; NULL: nowhere
 * @mtu: path MTU in bytes; 0: the smaller one of both ends', or the CM's
 * @ack_timeout: as struct kv_work has it
 * @retry_cnt: as struct kv_work has it
 * @connect: enum kv_connect
 * @peer: where the other end is, host NULL: here; see kv_option_take_host()
 * @peer_option: the last option given that needs a HOST, or NULL
 */
struct kv_options {
	const char *dev;
	int gid;
	bool has_loop;
	uint32_t loop;
	unsigned int cpus;
	int32_t cpu[2];
	bool has_post;
	uint32_t post;
	bool has_lkey;
	uint32_t lkey;
	int32_t spins;
	uint64_t timeout_ns;
	bool verify;
	const char *json;
	uint32_t mtu;
	uint8_t ack_timeout;
	uint8_t retry_cnt;
	uint32_t connect;
	struct kv_peer peer;
	const char *peer_option;
};

void kv_option_init(struct kv_options *o);
int kv_option_read(int argc, char **argv, const struct option *rows,
		   void (*help)(void), int (*take)(void *arg, int id), void *arg,
		   struct kv_fault *f);
int kv_option_take(struct kv_options *o, int id, struct kv_fault *f);
int kv_option_choose_cpus(const struct kv_options *o, int32_t cpu[2],
			  struct kv_fault *f);
int kv_option_check_connect(const struct kv_options *o, struct kv_fault *f);
int kv_option_take_host(struct kv_options *o, int argc, char **argv,
			struct kv_fault *f);
int kv_option_refuse(const struct option *rows, int id,
		     const struct kv_why *why, struct kv_fault *f);

#endif
