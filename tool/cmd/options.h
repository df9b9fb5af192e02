/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/option.h"
#include "measure/report.h"
#include "measure/workload.h"
#include "remote/peer.h"

/* Options that several commands have. */

#define KV_OPTION_GID_MAX 65535
/* More than any device takes inline. */
#define KV_INLINE_MAX 65535

/* Each macro is one option; @m is the struct kv_options in the command's struct @s. */
#define KV_OPTION_DEV_ROW(s, m)								\
	{ "dev", "NAME", "name of the RDMA device; default: the only device",			\
	  KV_OPTION_DEV, .at = offsetof(s, m.dev), .letter = 'd' }
#define KV_OPTION_IB_PORT_ROW(s, m)							\
	{ "ib-port", "N", "port of the device; default: 1", KV_OPTION_U32,		\
	  .at = offsetof(s, m.ib_port), .min = 1, .max = INT32_MAX, .letter = 'i' }
#define KV_OPTION_GID_ROW(s, m)								\
	{ "gid-index", "INDEX", "index into the port's GID table; default: the first GID of RoCE v2 over IPv4, else over IPv6, else any", \
	  KV_OPTION_S32, .at = offsetof(s, m.gid), .max = KV_OPTION_GID_MAX, .letter = 'x', \
	  .alias = "gid" }
#define KV_OPTION_TIMEOUT_ROW(s, m, text)						\
	{ "timeout", "TIME", text, KV_OPTION_TIME, .at = offsetof(s, m.work.timeout_ns),		\
	  .min = 1000000, .max = 3600000000000ULL }
#define KV_OPTION_CSV_ROW(s, m)								\
	{ "csv", NULL, "print the figures as comma-separated values, and no text",	\
	  KV_OPTION_FLAG, .at = offsetof(s, m) }
#define KV_OPTION_PLOT_ROW(s, m)								\
	{ "plot", "FILE", "also have gnuplot draw the figures into FILE, whose name ends in .svg or .png",	\
	  KV_OPTION_TEXT, .at = offsetof(s, m), .min = 1 }
#define KV_OPTION_LABEL_ROW(s, m)							\
	{ "label", "TEXT", "a name for the measurement; the document of --json contains it",	\
	  KV_OPTION_TEXT, .at = offsetof(s, m.label) }
#define KV_OPTION_REPORT_ROWS(s, m)							\
	{ "notes", NULL, "also print how the figures were taken", KV_OPTION_FLAG,	\
	  .at = offsetof(s, m.report.notes) },						\
	{ "stats", NULL, "also print mean, standard deviation, CPU time of the host per operation, and samples per second",	\
	  KV_OPTION_FLAG, .at = offsetof(s, m.report.stats) }
#define KV_OPTION_LOOP_ROW(s, m, text)							\
	{ "loop", "LOOP", text, KV_OPTION_ENUM, .at = offsetof(s, m.loop),			\
	  .has = offsetof(s, m.has_loop), .names = kv_enum_kind + 1 }

#define KV_OPTION_CQ_ROWS(s, m)								\
	{ "moderate", "COUNT,USEC", "CQ moderation, on a device that has it: COUNT completions make one event, and fewer make one after USEC microseconds. For --completion event, softirq, workqueue and unbound-workqueue; default: as the device does", \
	  KV_OPTION_OWN, .at = offsetof(s, m.work.moderation), .parse = kv_parse_moderation }, \
	{ "comp-vector", "N", "completion vector of the initiator's CQs: its interrupt handles their events; from 0 (the default) to the last one that the device has (comp_vectors of dev show)", \
	  KV_OPTION_U32, .at = offsetof(s, m.work.comp_vector), .max = INT32_MAX }

#define KV_OPTION_COMPLETION_ROWS(s, m)							\
	{ "completion", "CONTEXT", "how the initiator learns of completions: polled (the default); event (-e): the thread sleeps until the CQ's event wakes it, then polls; in the kernel also softirq, workqueue or unbound-workqueue: the context in which the RDMA core handles completions", \
	  KV_OPTION_ENUM, .at = offsetof(s, m.work.completion), .names = kv_enum_cq_context, \
	  .flag = 'e', .flagged = "event" },						\
	KV_OPTION_CQ_ROWS(s, m)

/*
 * Lists of operations and of sizes: bw calls them op and size, compare calls them ops and sizes,
 * and each takes the other's words, too.
 */
#define KV_OPTION_OPS_ROW(s, m, word, other, preset)					\
	{ word, "OP,...", "of send, send-imm, write, write-imm, read, fetch-add, cmp-swp and, in user space with --api wr, atomic-write; default: " preset, \
	  KV_OPTION_OWN, .at = offsetof(s, m), .parse = kv_parse_ops, .alias = other,	\
	  .foreign = kv_foreign_ops }
#define KV_OPTION_SIZES_ROW(s, m, word, other, preset)					\
	{ word, "BYTES,...", "as in 8,64,4k; 1-1m doubles from 1 to 1m, and all (-a) does so up to the device's maximum; default: " preset ". fetch-add, cmp-swp and atomic-write always have 8 bytes, whatever stands here", \
	  KV_OPTION_OWN, .at = offsetof(s, m), .parse = kv_parse_sizes, .letter = 's',	\
	  .flag = 'a', .flagged = "all", .alias = other }

/* For commands whose threads have several QPs each. */
#define KV_OPTION_SHARED_ROWS(s, m)							\
	{ "one-cq", NULL, "the connections of a thread have one CQ in common, as in perftest; by default each has its own", \
	  KV_OPTION_FLAG, .at = offsetof(s, m.work.one_cq) },				\
	{ "srq", NULL, "the responder's connections of a thread take their receives from one SRQ; send, send-imm and write-imm", \
	  KV_OPTION_FLAG, .at = offsetof(s, m.work.srq) }

/* Options of another program or command, which are refused with kverbs' own; @whose: its name. */
#define KV_OPTION_FOREIGN_ROW(whose, table)						\
	{ "", whose, .kind = KV_OPTION_FOREIGN, .foreign = table }

/* For commands that measure. */
#define KV_OPTION_PERFTEST_ROW() KV_OPTION_FOREIGN_ROW("perftest", kv_perftest)

extern const struct kv_foreign kv_perftest[];

/* For commands that send many messages. */
#define KV_OPTION_RETRY_ROWS(s, m)							\
	{ "ack-timeout", "N", "local ACK timeout: 4.096 us * 2^N until a packet is sent again; 1 .. 31, default: 14, which is 67 ms", \
	  KV_OPTION_U8, .at = offsetof(s, m.work.ack_timeout), .min = 1, .max = 31,		\
	  .note = offsetof(s, m.work.retry_option), .letter = 'u' }, \
	{ "retry-cnt", "N", "how often a packet is sent again, 0 .. 7; default: 6. On rxe 7 means without end, for a link that loses many packets", \
	  KV_OPTION_U8, .at = offsetof(s, m.work.retry_cnt),				\
	  .note = offsetof(s, m.work.retry_option), .max = 7 }

/* For commands that take another host. */
#define KV_OPTION_HOST_ROWS(s, m)							\
	{ "port", "N", "TCP port of 'kverbs serve' on HOST; default: " KV_PEER_PORT "; with ssh:HOST, ssh's port", \
	  KV_OPTION_PORT, .at = offsetof(s, m.peer.port), .note = offsetof(s, m.peer_option),	\
	  .letter = 'p' },									\
	{ "token", "FILE", "file with the secret; 'kverbs serve' must have the same one", KV_OPTION_TEXT,		\
	  .at = offsetof(s, m.peer.token_file), .note = offsetof(s, m.peer_option), .min = 1 }, \
	{ "peer-dev", "NAME", "RDMA device of HOST; default: its only device",		\
	  KV_OPTION_DEV, .at = offsetof(s, m.peer.dev), .note = offsetof(s, m.peer_option) },	\
	{ "peer-ib-port", "N", "port of HOST's device; default: 1", KV_OPTION_U32,	\
	  .at = offsetof(s, m.peer.ib_port), .note = offsetof(s, m.peer_option),	\
	  .min = 1, .max = INT32_MAX },						\
	{ "peer-gid-index", "INDEX", "index into that port's GID table; default: chosen as for --gid-index", \
	  KV_OPTION_S32, .at = offsetof(s, m.peer.gid), .note = offsetof(s, m.peer_option),	\
	  .max = KV_OPTION_GID_MAX, .alias = "peer-gid" }

/* How many samples, messages or connections, and for how long. */
#define KV_OPTION_ITERS_ROW(s, m, most, text)						\
	{ "iters", "N", text, KV_OPTION_U64, .at = offsetof(s, m), .min = 1, .max = most,	\
	  .letter = 'n', .alias = "count" }
#define KV_OPTION_DURATION_ROW(s, m, least_ns, text)					\
	{ "duration", "TIME", text, KV_OPTION_TIME, .at = offsetof(s, m), .min = least_ns,	\
	  .max = 86400000000000ULL, .letter = 'D', .alias = "time" }

/*
 * The spaces in which verbs are called: at both ends, or here and at the other end. @table: words
 * that are no space, or NULL.
 */
#define KV_OPTION_SPACE_ROW(s, m, text, table)						\
	{ "space", "SPACE", "kernel or user: where the verbs are called" text,		\
	  KV_OPTION_ENUM, .at = offsetof(s, m.both), .has = offsetof(s, m.has_both),	\
	  .names = kv_enum_space, .foreign = table }
#define KV_OPTION_END_ROWS(s, m, table, client, server)				\
	KV_OPTION_SPACE_ROW(s, m, ", at both ends", table),				\
	{ "client", "SPACE", client, KV_OPTION_ENUM, .at = offsetof(s, m.end[0]),		\
	  .has = offsetof(s, m.has_end[0]), .names = kv_enum_space },			\
	{ "server", "SPACE", server, KV_OPTION_ENUM, .at = offsetof(s, m.end[1]),		\
	  .has = offsetof(s, m.has_end[1]), .names = kv_enum_space }

/* For commands that are one end: with neither --server nor --client the client. */
#define KV_OPTION_SIDE_ROWS(s, m)							\
	{ "client", "[SPACE]", "this end is the client, and calls verbs in SPACE; the default", \
	  KV_OPTION_ENUM_MAY, .at = offsetof(s, m.end[0]), .has = offsetof(s, m.has_end[0]),	\
	  .names = kv_enum_space },							\
	{ "server", "[SPACE]", "this end is the server, and calls verbs in SPACE", KV_OPTION_ENUM_MAY, \
	  .at = offsetof(s, m.end[1]), .has = offsetof(s, m.has_end[1]), .names = kv_enum_space }, \
	{ "space", "SPACE", "the SPACE of --client or --server if the option has none",	\
	  KV_OPTION_ENUM, .at = offsetof(s, m.both), .has = offsetof(s, m.has_both),	\
	  .names = kv_enum_space }

/* For commands that measure operations. */
#define KV_OPTION_ROWS(s, m)								\
	KV_OPTION_DEV_ROW(s, m),							\
	KV_OPTION_IB_PORT_ROW(s, m),							\
	KV_OPTION_GID_ROW(s, m),							\
	{ "cpus", "A[,B]", "CPU of the initiator and of the responder's thread; default: the last CPU that may be used (see taskset), and the one before it", \
	  KV_OPTION_OWN, .at = offsetof(s, m.cpus), .parse = kv_parse_cpus },		\
	{ "post", "CONTEXT", "kernel: context of the posts: process (plain process context) or bh-disabled (softirqs are held off around each post; work that the driver schedules runs right after the post, and not at the next scheduler tick); default: bh-disabled on rxe, else process", \
	  KV_OPTION_ENUM, .at = offsetof(s, m.work.post), .has = offsetof(s, m.has_post), \
	  .names = kv_enum_post },							\
	{ "lkey", "KIND", "kernel: key of the local buffer: dma (local_dma_lkey, which kernel ULPs use; the default) or mr (the key of a fast registration)", \
	  KV_OPTION_ENUM, .at = offsetof(s, m.work.lkey), .has = offsetof(s, m.has_lkey), \
	  .names = kv_enum_lkey },							\
	{ "spins", "N", "empty polls before the thread yields its CPU; default: 0 if kverbs may use one CPU only, else 1000", \
	  KV_OPTION_S32, .at = offsetof(s, m.work.spins), .max = KVERBS_SPINS_MAX },		\
	KV_OPTION_TIMEOUT_ROW(s, m, "how long a completion may take; default: 10s"),	\
	{ "verify", NULL, NULL, KV_OPTION_FLAG, .at = offsetof(s, m.verify) },		\
	{ "no-verify", NULL, "skip the untimed pass that checks the transferred bytes before the measurement",		\
	  KV_OPTION_NO, .at = offsetof(s, m.verify) },					\
	KV_OPTION_JSON_ROW(s, m.json),							\
	KV_OPTION_CSV_ROW(s, m.csv),							\
	KV_OPTION_PLOT_ROW(s, m.plot),							\
	KV_OPTION_LABEL_ROW(s, m),							\
	KV_OPTION_REPORT_ROWS(s, m),							\
	{ "mtu", "BYTES", "path MTU: 256, 512, 1024, 2048 or 4096; default: the smaller active MTU of the two ends", \
	  KV_OPTION_MTU, .at = offsetof(s, m.work.mtu), .letter = 'm' }, \
	KV_OPTION_RETRY_ROWS(s, m),							\
	{ "type", "TYPE", "type of the queue pairs: rc (the default), uc, ud (send and send-imm only, one packet each) or xrc (refused with the reason)", \
	  KV_OPTION_ENUM, .at = offsetof(s, m.work.type), .names = kv_enum_bw_type, \
	  .letter = 'c' }, \
	{ "connect", "HOW", "how the QPs are connected: raw (the tool brings them through their states; the default) or cm (-R; the RDMA CM does that)", \
	  KV_OPTION_ENUM, .at = offsetof(s, m.work.connect), .names = kv_enum_connect,	\
	  .flag = 'R', .flagged = "cm" },							\
	{ "inline", "BYTES", "sends and writes of at most BYTES carry their bytes inline: these are copied when a request is posted; default: 0", \
	  KV_OPTION_U32, .at = offsetof(s, m.work.inline_max), .max = KV_INLINE_MAX, \
	  .letter = 'I' }, \
	{ "fence", NULL, "each request begins after the READs and atomics before it", \
	  KV_OPTION_FLAG, .at = offsetof(s, m.work.fence) },				\
	{ "solicited", NULL, "each request is solicited: it makes an event where a CQ is armed for these only; sends and write-imm", \
	  KV_OPTION_FLAG, .at = offsetof(s, m.work.solicited) },			\
	{ "sges", "N", "SGEs of each request, over equal parts of its bytes: at most the devices' limit, and 1 for an atomic; default: 1", \
	  KV_OPTION_U32, .at = offsetof(s, m.work.sges), .min = 1, .max = KVERBS_SGE_MAX },	\
	{ "recv-sges", "N", "SGEs of each receive, likewise; operations that take a receive; default: 1", \
	  KV_OPTION_U32, .at = offsetof(s, m.work.recv_sges), .min = 1, .max = KVERBS_SGE_MAX }, \
	{ "api", "API", "user space: post (ibv_post_send, ibv_poll_cq; the default) or wr (libibverbs' extended API: ibv_wr_start, ibv_wr_rdma_write ..., ibv_wr_complete, ibv_start_poll)", \
	  KV_OPTION_ENUM, .at = offsetof(s, m.work.api), .names = kv_enum_api }

/* The values of options that several commands have. */
struct kv_options {
	const char *dev; /* device's name; NULL: the only one */
	uint32_t ib_port; /* number of the device's port */
	int gid; /* GID index; -1: the best GID by type */
	bool has_both; /* --space was given */
	uint32_t both; /* enum kv_space_id of both ends */
	bool has_end[2]; /* --client, --server was given */
	uint32_t end[2]; /* enum kv_space_id of the client and of the server */
	bool has_loop; /* --loop was given */
	uint32_t loop; /* enum kv_kind */
	/* CPUs of the initiator and of the responder, or of the initiator's threads. */
	struct kv_cpus cpus;
	bool has_post; /* --post was given */
	bool has_lkey; /* --lkey was given */
	struct kv_workload work; /* how operations are measured; the command sets the operation */
	bool verify; /* check contents first */
	const char *json; /* file of the document, or "-"; NULL: none */
	bool csv; /* the figures are printed as CSV */
	const char *plot; /* file of the image that is drawn of them; NULL: none */
	const char *label;
	struct kv_report report; /* what is printed */
	/* The host of the other end; peer.host NULL: this host; see kv_options_take_host(). */
	struct kv_peer peer;
	const char *peer_option; /* the last option given that needs a HOST, or NULL */
};

/* The caller sends NOPs to the server itself: see kv_run_spec.in_wait. If retry_cnt is 7, rxe
 * sends a packet again without limit, and never reports that the other end is gone.
 */
#define KV_OPTIONS_DEFAULT {								\
	.ib_port = 1,									\
	.gid = -1,									\
	.end = { KV_SPACES, KV_SPACES },						\
	.work = {									\
		.post = KV_POST_BY_DEVICE,						\
		.lkey = KV_LKEY_DMA,						\
		.spins = -1,								\
		.threads = 1,							\
		.qps = 1,								\
		.hosts = 1,								\
		.timeout_ns = 10000000000ULL,						\
		.ack_timeout = 14,							\
		.retry_cnt = 6,								\
	},										\
	.verify = true,									\
	.peer = { .ib_port = 1, .gid = -1, .keep = KV_KEEP_CALLER }, \
}

int kv_options_need_space(const struct kv_options *o, struct kv_fault *f);
int kv_options_choose_ends(struct kv_options *o, struct kv_fault *f);
int kv_options_choose_side(struct kv_options *o, const char *addr, struct kv_fault *f);
int kv_options_settle(struct kv_options *o, struct kv_fault *f);
int kv_options_parse_host(const struct kv_options *o, struct kv_peer *peer, char *word,
			  struct kv_fault *f);
int kv_options_take_host(struct kv_options *o, const char *command, int n, char **word,
			 struct kv_fault *f);
