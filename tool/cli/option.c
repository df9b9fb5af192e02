// SPDX-License-Identifier: MIT
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "cli/option.h"
#include "cli/wrap.h"
#include "sys/placement.h"

#define TIMEOUT_NS 10000000000ULL
#define ACK_TIMEOUT 14
/* rxe would take 7 for ever, and tell nobody that the other end is gone. */
#define RETRY_CNT 6

/* Where the second column of help begins. */
#define COLUMN 21

/* More than any command has. */
#define ROWS_MAX 64

/* Above all characters: what getopt_long() refuses is a letter or one of these. */
#define HELP 256
#define FIRST 257

/**
 * kv_option_init() - set defaults
 * @o: receives them
 */
void kv_option_init(struct kv_options *o)
{
	memset(o, 0, sizeof(*o));
	o->gid = -1;
	o->post = KVERBS_POST_SOFTIRQ_OFF;
	o->lkey = KVERBS_LKEY_DMA;
	o->spins = -1;
	o->timeout_ns = TIMEOUT_NS;
	o->ack_timeout = ACK_TIMEOUT;
	o->retry_cnt = RETRY_CNT;
	o->verify = true;
	kv_peer_init(&o->peer);
	/* See kv_run_spec.in_wait. */
	o->peer.keep = KV_KEEP_CALLER;
}

/* 1 if there is one more option, 0 if there is none, or -EINVAL. */
static int next_option(int argc, char **argv, const struct option *options, int *id,
		       struct kv_fault *f)
{
	opterr = 0;
	*id = getopt_long(argc, argv, ":h", options, NULL);
	switch (*id) {
	case -1:
		return 0;
	case 'h':
		*id = HELP;
		return 1;
	case ':':
		return kv_fault_usage(f, "%s needs a value; see 'kverbs %s --help'",
				      argv[optind - 1], argv[0]);
	case '?':
		if (optopt && optopt < HELP)
			return kv_fault_usage(f, "-%c is no option of 'kverbs %s'; see 'kverbs %s --help'",
					      optopt, argv[0], argv[0]);
		if (optopt)
			return kv_fault_usage(f, "%s: this option takes no value",
					      argv[optind - 1]);
		return kv_fault_usage(f, "%s is no option of 'kverbs %s', or the beginning of several; see 'kverbs %s --help'",
				      argv[optind - 1], argv[0], argv[0]);
	}
	return 1;
}

static bool is_end(const struct kv_option *row)
{
	return !row->name && !row->help;
}

/**
 * kv_option_print_help() - print what --help asks for
 * @rows: the command's options
 * @help: what else there is to say
 */
void kv_option_print_help(const struct kv_option *rows, const struct kv_option_help *help)
{
	fputs(help->usage, stdout);
	if (!is_end(rows))
		putchar('\n');
	for (; !is_end(rows); rows++) {
		char left[64];

		if (!rows->name) {
			printf("\n%s\n", rows->help);
			continue;
		}
		if (!rows->help)
			continue;
		snprintf(left, sizeof(left), "--%s%s%s", rows->name,
			 rows->value ? " " : "", rows->value ? rows->value : "");
		kv_wrap_row(left, rows->help, COLUMN);
	}
	if (*help->more)
		printf("\n%s", help->more);
}

static int parse_text(const struct kv_option *row, const char *text, void *field,
		      struct kv_why *why)
{
	if (row->min && !*text) {
		snprintf(why->text, sizeof(why->text), "is empty");
		return -EINVAL;
	}
	*(const char **)field = text;
	return 0;
}

static int parse_port(const char *text, void *field, struct kv_why *why)
{
	uint64_t v;

	*(const char **)field = text;
	return kv_parse_count(text, 1, 65535, &v, why);
}

static int parse_count(const struct kv_option *row, const char *text, void *field,
		       struct kv_why *why)
{
	uint64_t v;
	int ret;

	ret = kv_parse_count(text, row->min, row->max, &v, why);
	if (ret)
		return ret;
	if (row->kind == KV_OPTION_U64)
		*(uint64_t *)field = v;
	else if (row->kind == KV_OPTION_U8)
		*(uint8_t *)field = (uint8_t)v;
	else
		*(uint32_t *)field = (uint32_t)v;
	return 0;
}

static int parse(const struct kv_option *row, const char *text, void *field, struct kv_why *why)
{
	switch (row->kind) {
	case KV_OPTION_FLAG:
	case KV_OPTION_NO:
		*(bool *)field = row->kind == KV_OPTION_FLAG;
		return 0;
	case KV_OPTION_TEXT:
		return parse_text(row, text, field, why);
	case KV_OPTION_DEV:
		return kv_parse_dev(text, field, why);
	case KV_OPTION_PORT:
		return parse_port(text, field, why);
	case KV_OPTION_WORD:
		return kv_parse_word(text, row->words, field, why);
	case KV_OPTION_U8:
	case KV_OPTION_U32:
	case KV_OPTION_S32:
	case KV_OPTION_U64:
		return parse_count(row, text, field, why);
	case KV_OPTION_TIME:
		return kv_parse_time(text, row->min, row->max, field, why);
	case KV_OPTION_SIZE:
		return kv_parse_size(text, field, why);
	case KV_OPTION_BYTES:
		return kv_parse_bytes(text, row->max, field, why);
	case KV_OPTION_MTU:
		return kv_parse_mtu(text, field, why);
	case KV_OPTION_OWN:
		return row->parse(text, field, why);
	}
	return -EINVAL;
}

/**
 * kv_option_set() - an option was given
 * @row: which
 * @text: its value, if it takes one
 * @args: the command's struct
 * @f: receives what is wrong with the value
 *
 * Return: 0 or -EINVAL.
 */
int kv_option_set(const struct kv_option *row, const char *text, void *args, struct kv_fault *f)
{
	char *base = args;
	struct kv_why why;

	if (row->has)
		*(bool *)(base + row->has) = true;
	if (row->note)
		*(const char **)(base + row->note) = row->name;
	if (parse(row, text, base + row->at, &why))
		return kv_fault_usage(f, "--%s '%s' %s", row->name, text, why.text);
	return 0;
}

/**
 * kv_option_read() - take the options off the command line
 * @argc: of the command, whose name stands in argv[0]
 * @argv: of the command; what stands behind the options is at optind then
 * @rows: its options, beside --help; at most 64
 * @help: what --help says beside them
 * @args: the command's struct, with its defaults; receives the values
 * @f: receives why not
 *
 * Return: 1 if all are taken, 0 if that was --help, or -EINVAL.
 */
int kv_option_read(int argc, char **argv, const struct kv_option *rows,
		   const struct kv_option_help *help, void *args, struct kv_fault *f)
{
	struct option options[ROWS_MAX + 2] = { { "help", no_argument, NULL, HELP } };
	unsigned int n = 1;
	int id, ret;

	for (int i = 0; i < ROWS_MAX && !is_end(&rows[i]); i++) {
		if (rows[i].name)
			options[n++] = (struct option){
				rows[i].name, rows[i].value ? required_argument : no_argument,
				NULL, FIRST + i,
			};
	}
	while ((ret = next_option(argc, argv, options, &id, f)) > 0) {
		if (id == HELP) {
			kv_option_print_help(rows, help);
			return 0;
		}
		ret = kv_option_set(&rows[id - FIRST], optarg, args, f);
		if (ret)
			return ret;
	}
	return ret ? ret : 1;
}

/**
 * kv_option_parse_cpus() - read --cpus
 * @text: A or A,B
 * @field: struct kv_options
 * @why: receives what is wrong
 *
 * Return: 0 or -EINVAL.
 */
int kv_option_parse_cpus(const char *text, void *field, struct kv_why *why)
{
	struct kv_options *o = field;

	return kv_parse_cpus(text, o->cpu, &o->cpus, why);
}

/**
 * kv_option_choose_cpus() - choose the CPUs that runs are bound to
 * @o: the options, with the HOST if there is one
 * @cpu: receives the initiator's and the responder's CPU; -1: anywhere
 * @f: receives why not
 *
 * Which CPUs another host has is known only there: it checks what was given, and
 * nothing is chosen for it.
 *
 * Return: 0 or a negative errno.
 */
int kv_option_choose_cpus(const struct kv_options *o, int32_t cpu[2],
			  struct kv_fault *f)
{
	unsigned int here = o->peer.host && o->cpus > 1 ? 1 : o->cpus;
	int ret;

	ret = kv_placement_choose(o->cpu, here, cpu, f);
	if (!ret && o->peer.host)
		cpu[1] = o->cpus > 1 ? o->cpu[1] : -1;
	return ret;
}

/**
 * kv_option_check_connect() - do the options fit the way in which the ends are
 * connected?
 * @o: the options
 * @f: receives why not
 *
 * Return: 0 or -EINVAL.
 */
int kv_option_check_connect(const struct kv_options *o, struct kv_fault *f)
{
	if (o->connect == KV_CONNECT_CM && o->mtu)
		return kv_fault_usage(f, "--mtu %u does not go with --connect cm: the CM chooses the path MTU",
				      o->mtu);
	return 0;
}

/**
 * kv_option_take_host() - take what stands behind the options: a HOST, or nothing
 * @o: receives it as peer.host; HOST:PORT and [HOST]:PORT are taken apart
 * @argc: of the command, after kv_option_read()
 * @argv: of the command; HOST stays in it
 * @f: receives why not
 *
 * Return: 0 or -EINVAL.
 */
int kv_option_take_host(struct kv_options *o, int argc, char **argv,
			struct kv_fault *f)
{
	const char *port = o->peer.port;
	int ret;

	if (optind >= argc) {
		if (o->peer_option)
			return kv_fault_usage(f, "--%s goes with a HOST where 'kverbs serve' runs; see 'kverbs %s --help'",
					      o->peer_option, argv[0]);
		return 0;
	}
	if (optind + 1 < argc)
		return kv_fault_usage(f, "'%s' is unexpected; 'kverbs %s' takes one HOST, see 'kverbs %s --help'",
				      argv[optind + 1], argv[0], argv[0]);
	ret = kv_peer_parse(&o->peer, argv[optind], f);
	if (!ret && port && o->peer.port != port)
		return kv_fault_usage(f, "--port %s: the HOST has a port, %s, too",
				      port, o->peer.port);
	return ret;
}
