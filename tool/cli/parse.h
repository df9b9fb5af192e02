/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <kverbs.h>
#include "rules/run.h"

/*
 * Parsers of typed text. They do not know devices, backends or options: the reason of a refusal
 * is returned as a phrase that is put after the option's name.
 */

/* The maximum number of operations or sizes in a list. */
#define KV_PARSE_LIST_MAX 32

/* Above every CPU number that a Linux kernel can be configured for. */
#define KV_PARSE_CPU_MAX 65535

/* Why a text was refused. */
struct kv_why {
	char text[256];
};

/* A number that has a name; a table ends with the name NULL. */
struct kv_enum {
	const char *name;
	uint32_t value;
};

/* How a latency is measured; each is one or two of enum kverbs_loop. */
enum kv_kind {
	KV_KIND_COMPLETION,
	KV_KIND_PINGPONG,
	KV_KIND_ONE_THREAD,
	KV_KIND_STREAM,
	KV_KIND_NULL,
};

enum kv_space_id {
	KV_SPACE_KERNEL,
	KV_SPACE_USER,
	KV_SPACES,
};

/* How two endpoints are connected: by the tool by hand, or by the RDMA CM. */
enum kv_connect {
	KV_CONNECT_RAW,
	KV_CONNECT_CM,
};

/* The key that names a local buffer: the PD's local_dma_lkey, or the lkey of an MR. */
enum kv_lkey {
	KV_LKEY_DMA,
	KV_LKEY_MR,
};

/* kv_enum_TABLE[] for each of its tables. */
#define NAMES(table) extern const struct kv_enum kv_enum_##table[];
#define NAME(...)
#define NAMES_END
#include "model/enum.def"

/* A list without duplicates, in the order in which it was typed. */
struct kv_list {
	unsigned int n;
	bool all; /* sizes: 1, 2, 4 and so on up to the largest that the devices take; @n is 0 */
	uint32_t value[KV_PARSE_LIST_MAX];
};

/* Per second. */
#define KV_PARSE_RATE_MAX 1000000000U
/* Of a rate in a list: it is a share, in per cent. */
#define KV_PARSE_PERCENT (1U << 31)

/* CPUs of the initiator and of the responder, as many as were given. */
struct kv_cpus {
	unsigned int n;
	int32_t cpu[KV_RUN_WORKERS_MAX];
};

/* A QP as its peer needs to know it, see kv_parse_address(). */
struct kv_address {
	uint32_t lid;
	uint32_t qpn;
	uint32_t psn;
	uint8_t gid[16]; /* network order */
};

/* Size of the text of kv_address_format(), with the terminating NUL. */
#define KV_ADDRESS_TEXT sizeof("0000:000000:000000:00000000000000000000000000000000")

struct sockaddr_storage;

/* Size of the text of kv_sockaddr_format(), with the terminating NUL. */
#define KV_SOCKADDR_TEXT 80

/* Size of the text of kv_bytes_text() and kv_bytes_hex() for n bytes, with the NUL. */
#define KV_BYTES_TEXT(n) (4 * (n) + 1)
#define KV_BYTES_HEX(n) (2 * (n) + 1)

/**
 * kv_hex_digit() - the value of a hexadecimal digit
 * @c: the digit, in either case
 *
 * Return: 0 .. 15; -1: @c is no hexadecimal digit.
 */
static inline int kv_hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) % 16 : -1;
}

/* The word for a value, or "?". */
const char *kv_enum_name(const struct kv_enum *table, uint32_t value);

/* A QP's state by its name in the specification, or "?". */
static inline const char *kv_qp_state_name(uint32_t state)
{
	return kv_enum_name(kv_enum_ibta_state, state);
}

/* Does a word begin with the @n bytes of @text that were typed? There _ stands for - as well. */
bool kv_word_begins(const char *word, const char *text, size_t n);

/* The rows of a table whose word was typed, perhaps cut short. */
struct kv_match {
	unsigned int n; /* how many */
	const void *row; /* the row, if there is one; else NULL */
};

/*
 * Adds a row if its @word begins with @text, as typed. True: @text is the whole word, and the only
 * match.
 */
bool kv_match(struct kv_match *m, const char *text, const char *word, const void *row);

/* All words, separated by @glue, and by @last before the last word. */
void kv_enum_list(const struct kv_enum *table, const char *glue, const char *last, char *text,
		  size_t size);

/* Sets the reason of a refusal; returns -EINVAL. */
int kv_why_set(struct kv_why *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Each reads @text, the typed text, and returns 0. On a refusal it returns -EINVAL, @why has the
 * reason, and the other results are unchanged.
 */

/* One word out of a few. */
int kv_parse_enum(const char *text, const struct kv_enum *table, uint32_t *value,
		  struct kv_why *why);
/* Words whose values are bits, as in local-write,remote-read; or all, or none. */
int kv_parse_flags(const char *text, const struct kv_enum *table, uint32_t *flags,
		   struct kv_why *why);
/*
 * Quantities have one grammar: digits, perhaps with a fraction and a power of ten, as in 1.5 and
 * 1e4, or 0x and hexadecimal digits; and a unit.
 */
/* A number; k, m and g are thousands, millions and thousands of millions. */
int kv_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value,
		   struct kv_why *why);
/* Bytes; k, m, g and t, all also with b or ib behind them, are KiB, MiB, GiB and TiB; may be 0. */
int kv_parse_bytes(const char *text, uint64_t max, uint64_t *bytes, struct kv_why *why);
/* Like kv_parse_bytes(), but never 0. */
int kv_parse_size(const char *text, uint32_t *bytes, struct kv_why *why);
/* A path MTU: 256, 512, 1024, 2048 or 4096 (IBTA 9.4.3). */
int kv_parse_mtu(const char *text, uint32_t *bytes, struct kv_why *why);
/* A time; its unit is ns, us, ms, s (or nothing), m or min, or h; a fraction of 1 ns is cut off. */
int kv_parse_time(const char *text, uint64_t min_ns, uint64_t max_ns, uint64_t *ns,
		  struct kv_why *why);
/* The port of a service: @port, a const char *, receives @text. */
int kv_parse_port(const char *text, void *port, struct kv_why *why);
/* CPUs, KV_RUN_WORKERS_MAX at most, as in 1 or 1,0: struct kv_cpus. */
int kv_parse_cpus(const char *text, void *cpus, struct kv_why *why);
/* Completions and microseconds, as in 16,8: struct kv_cq_moderation. */
int kv_parse_moderation(const char *text, void *moderation, struct kv_why *why);
/* enum kverbs_op, as in send,write. */
int kv_parse_ops(const char *text, void *list, struct kv_why *why);
int kv_parse_completions(const char *text, void *list, struct kv_why *why);
/* Bytes, as in 8,64,4k; 1-1m doubles from the first to the last; or all. */
int kv_parse_sizes(const char *text, void *list, struct kv_why *why);
/* Operations per second, or shares, as in 1k,20k,50%: the latter have KV_PARSE_PERCENT. */
int kv_parse_rates(const char *text, void *list, struct kv_why *why);
/* Numbers of QPs, up to KV_RUN_ENDS_MAX; ranges double, too. */
int kv_parse_qps(const char *text, void *list, struct kv_why *why);
/* The name of an RDMA device: @name, a const char *, receives @text. */
int kv_parse_dev(const char *text, void *name, struct kv_why *why);
/* A GID, into network order: an IPv6 address, ::ffff:192.0.2.1 for IPv4's. */
int kv_parse_gid(const char *text, void *gid, struct kv_why *why);
/*
 * A peer's address, struct kv_address: LID, QPN, PSN and GID as 4, 6, 6 and 32 hexadecimal digits,
 * separated by colons. rdma-core's ibv_*_pingpong exchange addresses in the same form.
 */
int kv_parse_address(const char *text, void *address, struct kv_why *why);
/*
 * An IP address, struct sockaddr_storage, with a port or without (port 0): 192.0.2.1,
 * 192.0.2.1:7471, 2001:db8::1, [2001:db8::1]:7471, fe80::1%eth0; ::ffff:192.0.2.1 is 192.0.2.1.
 */
int kv_parse_sockaddr(const char *text, void *addr, struct kv_why *why);
/* Bytes of two hexadecimal digits each, half as many as @hex has digits. */
int kv_parse_hex(const char *hex, uint8_t *bytes, struct kv_why *why);

/* The reverse: write addresses in the form that the parsers read; "" if there is no address. */
void kv_address_format(char text[KV_ADDRESS_TEXT], const struct kv_address *address);
const char *kv_sockaddr_format(char text[KV_SOCKADDR_TEXT], const struct sockaddr_storage *addr);

/* An address as text, for the arguments of a call: the text lives as long as the block. */
#define KV_SOCKADDR(addr) kv_sockaddr_format((char[KV_SOCKADDR_TEXT]){ "" }, addr)

/*
 * Bytes as text, without zeros at the end and with unprintable bytes as \xNN; or as two hexadecimal
 * digits each. Both functions return the length of the text.
 */
size_t kv_bytes_text(char *text, const uint8_t *bytes, size_t n);
size_t kv_bytes_hex(char *text, const uint8_t *bytes, size_t n);

/* append.c: appends to @text, which has room for @size bytes; a longer text is cut off */
void kv_append(char *text, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* printable.c */
const char *kv_printable_check(const char *text);
