/* SPDX-License-Identifier: MIT */
#ifndef KV_CLI_OPTION_H
#define KV_CLI_OPTION_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/fault.h"
#include "cli/parse.h"
#include "remote/peer.h"

/*
 * Options: a row each, from which it is read and its help is printed; and those that
 * measuring commands have in common.
 */

/* What an option's value is, and which field it goes to. */
enum kv_option_kind {
	KV_OPTION_FLAG, /* none; bool, which becomes true */
	KV_OPTION_NO, /* none; bool, which becomes false */
	KV_OPTION_TEXT, /* const char *; @min 1: not empty */
	KV_OPTION_DEV, /* the name of one; const char * */
	KV_OPTION_PORT, /* a port's number; const char * */
	KV_OPTION_WORD, /* one of a table; uint32_t */
	KV_OPTION_U8, /* a number from @min to @max, as the next ones; uint8_t */
	KV_OPTION_U32, /* uint32_t */
	KV_OPTION_S32, /* int32_t */
	KV_OPTION_U64, /* uint64_t */
	KV_OPTION_TIME, /* ns; uint64_t */
	KV_OPTION_SIZE, /* bytes; uint32_t */
	KV_OPTION_BYTES, /* bytes, up to @max; uint64_t */
	KV_OPTION_MTU, /* uint32_t */
	KV_OPTION_OWN, /* what @parse takes */
};

/**
 * struct kv_option - an option: how it is read, and its line of help
 * @name: without the dashes; NULL: @help is a heading, or the table ends
 * @value: what help calls its value; NULL: it has none
 * @help: what the option is for, and its default; NULL: --help does not list it
 * @kind: of its value
 * @at: offset of the field in the command's struct
 * @has: offset of a bool that becomes true, and of
 * @note: a const char * that becomes @name; 0: there is none
 * @min: the smallest number, and
 * @max: the largest one
 * @words: WORD
 * @parse: OWN: reads @text into the field at @at; returns 0, or -EINVAL and why not
 */
struct kv_option {
	const char *name;
	const char *value;
	const char *help;
	enum kv_option_kind kind;
	size_t at;
	size_t has;
	size_t note;
	uint64_t min;
	uint64_t max;
	const struct kv_word *words;
	int (*parse)(const char *text, void *field, struct kv_why *why);
};

/**
 * struct kv_option_help - what help says beside the options
 * @usage: before them, lines
 * @more: behind them, lines; or ""
 */
struct kv_option_help {
	const char *usage;
	const char *more;
};

/* A constant's digits, for help. */
#define KV_OPTION_DIGITS(n) #n
#define KV_OPTION_NUMBER(n) KV_OPTION_DIGITS(n)

#define KV_OPTION_GID_MAX 65535
#define KV_OPTION_TIMEOUT_MIN_NS 1000000ULL
#define KV_OPTION_TIMEOUT_MAX_NS 3600000000000ULL

/* One option each; @m is the struct kv_options in the command's struct @s. */
#define KV_OPTION_DEV_ROW(s, m)								\
	{ "dev", "NAME", "device; default: the only one there is",			\
	  KV_OPTION_DEV, .at = offsetof(s, m.dev) }
#define KV_OPTION_GID_ROW(s, m)								\
	{ "gid", "INDEX", "entry of the device's GID table; default: IPv4 RoCE v2, else IPv6 RoCE v2, else what there is", \
	  KV_OPTION_S32, .at = offsetof(s, m.gid), .max = KV_OPTION_GID_MAX }
#define KV_OPTION_TIMEOUT_ROW(s, m, text)						\
	{ "timeout", "TIME", text, KV_OPTION_TIME, .at = offsetof(s, m.timeout_ns),		\
	  .min = KV_OPTION_TIMEOUT_MIN_NS, .max = KV_OPTION_TIMEOUT_MAX_NS }
#define KV_OPTION_JSON_ROW(s, m, text)							\
	{ "json", "FILE", text, KV_OPTION_TEXT, .at = offsetof(s, m.json) }
#define KV_OPTION_LOOP_ROW(s, m, text)							\
	{ "loop", "LOOP", text, KV_OPTION_WORD, .at = offsetof(s, m.loop),			\
	  .has = offsetof(s, m.has_loop), .words = kv_word_kind }

/* Of commands that send many messages. */
#define KV_OPTION_RETRY_ROWS(s, m)							\
	{ "ack-timeout", "N", "local ACK timeout: 4.096 us * 2^N until a packet is sent again; 1 .. 31, default: 14, which is 67 ms", \
	  KV_OPTION_U8, .at = offsetof(s, m.ack_timeout), .min = 1, .max = 31 },		\
	{ "retry-cnt", "N", "how often it is sent again, 0 .. 7; default: 6. rxe takes 7 for 'without end', which a link that loses much may need", \
	  KV_OPTION_U8, .at = offsetof(s, m.retry_cnt), .max = 7 }

/* Of commands that take another host. */
#define KV_OPTION_HOST_ROWS(s, m)							\
	{ "port", "N", "where 'kverbs serve' of HOST listens; default: " KV_PEER_PORT,	\
	  KV_OPTION_PORT, .at = offsetof(s, m.peer.port), .note = offsetof(s, m.peer_option) }, \
	{ "token", "FILE", "secret that both hosts have", KV_OPTION_TEXT,		\
	  .at = offsetof(s, m.peer.token_file), .note = offsetof(s, m.peer_option), .min = 1 }, \
	{ "peer-dev", "NAME", "HOST's device; default: the only one there is",		\
	  KV_OPTION_DEV, .at = offsetof(s, m.peer.dev), .note = offsetof(s, m.peer_option) },	\
	{ "peer-gid", "INDEX", "entry of its GID table; default: as --gid",		\
	  KV_OPTION_S32, .at = offsetof(s, m.peer.gid), .note = offsetof(s, m.peer_option),	\
	  .max = KV_OPTION_GID_MAX }

/* Of commands that measure operations. */
#define KV_OPTION_ROWS(s, m)								\
	KV_OPTION_DEV_ROW(s, m),							\
	KV_OPTION_GID_ROW(s, m),							\
	{ "cpus", "A[,B]", "CPU of the initiator and of the responder's thread; default: the last CPU that may be used (see taskset), and the one before it", \
	  KV_OPTION_OWN, .at = offsetof(s, m), .parse = kv_option_parse_cpus },		\
	{ "post", "CONTEXT", "kernel: where requests are posted: softirq-off (process context, softirqs held off around the post; the default, because what a driver schedules then runs at once and not at the next scheduler tick) or process", \
	  KV_OPTION_WORD, .at = offsetof(s, m.post), .has = offsetof(s, m.has_post),		\
	  .words = kv_word_post },							\
	{ "lkey", "KIND", "kernel: key of the local buffer: dma (local_dma_lkey, as ULPs do; the default) or mr (a fast registration's)", \
	  KV_OPTION_WORD, .at = offsetof(s, m.lkey), .has = offsetof(s, m.has_lkey),		\
	  .words = kv_word_lkey },							\
	{ "spins", "N", "empty polls before the CPU is let go; default: 0 if one CPU only may be used, else 1000", \
	  KV_OPTION_S32, .at = offsetof(s, m.spins), .max = KVERBS_SPINS_MAX },		\
	KV_OPTION_TIMEOUT_ROW(s, m, "how long a completion may take; default: 10s"),	\
	{ "verify", NULL, NULL, KV_OPTION_FLAG, .at = offsetof(s, m.verify) },		\
	{ "no-verify", NULL, "do not check contents in an untimed pass before",		\
	  KV_OPTION_NO, .at = offsetof(s, m.verify) },					\
	KV_OPTION_JSON_ROW(s, m, "write everything there as JSON, too; -: to standard output, and no text"), \
	{ "mtu", "BYTES", "path MTU: 256, 512, 1024, 2048 or 4096; default: the active MTU, of two ends the smaller one", \
	  KV_OPTION_MTU, .at = offsetof(s, m.mtu) },						\
	KV_OPTION_RETRY_ROWS(s, m),							\
	{ "connect", "HOW", "how the ends are connected: raw (the tool walks the QPs through their states; the default) or cm (the RDMA CM does)", \
	  KV_OPTION_WORD, .at = offsetof(s, m.connect), .words = kv_word_connect }

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
int kv_option_read(int argc, char **argv, const struct kv_option *rows,
		   const struct kv_option_help *help, void *args, struct kv_fault *f);
int kv_option_set(const struct kv_option *row, const char *text, void *args, struct kv_fault *f);
void kv_option_print_help(const struct kv_option *rows, const struct kv_option_help *help);
int kv_option_parse_cpus(const char *text, void *field, struct kv_why *why);
int kv_option_choose_cpus(const struct kv_options *o, int32_t cpu[2],
			  struct kv_fault *f);
int kv_option_check_connect(const struct kv_options *o, struct kv_fault *f);
int kv_option_take_host(struct kv_options *o, int argc, char **argv,
			struct kv_fault *f);

#endif
