// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/option.h"
#include "sys/placement.h"

/* As in enum kverbs_a_run. */
#define TIMEOUT_MIN_NS 1000000ULL
#define TIMEOUT_MAX_NS 3600000000000ULL
#define TIMEOUT_NS 10000000000ULL

/* Index 0 .. 65535 is what a GID table can have. */
#define GID_MAX 65535


/* A field of five bits, of which 0 is for ever. */
#define ACK_TIMEOUT_MAX 31
#define ACK_TIMEOUT 14
/* A field of three. rxe would take 7 for ever, and tell nobody that the other end is gone. */
#define RETRY_CNT_MAX 7
#define RETRY_CNT 6

const char kv_option_help[] =
	"  --dev NAME         device; default: the only one there is\n"
	"  --gid INDEX        entry of the device's GID table; default: IPv4 RoCE v2,\n"
	"                     else IPv6 RoCE v2, else what there is\n"
	"  --cpus A[,B]       CPU of the initiator and of the responder's thread;\n"
	"                     default: the last CPU that may be used (see\n"
	"                     taskset), and the one before it\n"
	"  --post CONTEXT     kernel: where requests are posted: softirq-off (process\n"
	"                     context, softirqs held off around the post; the default,\n"
	"                     because what a driver schedules then runs at once and not\n"
	"                     at the next scheduler tick) or process\n"
	"  --lkey KIND        kernel: key of the local buffer: dma (local_dma_lkey, as\n"
	"                     ULPs do; the default) or mr (a fast registration's)\n"
	"  --spins N          empty polls before the CPU is let go; default: 0 if one\n"
	"                     CPU only may be used, else 1000\n"
	"  --timeout TIME     how long a completion may take; default: 10s\n"
	"  --no-verify        do not check contents in an untimed pass before\n"
	"  --json FILE        write everything there as JSON, too; -: to standard output,\n"
	"                     and no text\n"
	"  --mtu BYTES        path MTU: 256, 512, 1024, 2048 or 4096; default: the active\n"
	"                     MTU, of two ends the smaller one\n"
	KV_OPTION_RETRY_HELP
	"  --connect HOW      how the ends are connected: raw (the tool walks the QPs\n"
	"                     through their states; the default) or cm (the RDMA CM does)\n";

const char kv_option_host_help[] =
	"  --port N           where 'kverbs serve' of HOST listens; default: " KV_PEER_PORT "\n"
	"  --token FILE       secret that both hosts have\n"
	"  --peer-dev NAME    HOST's device; default: the only one there is\n"
	"  --peer-gid INDEX   entry of its GID table; default: as --gid\n";

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
static int next_option(int argc, char **argv, const struct option *rows, int *id,
		       struct kv_fault *f)
{
	opterr = 0;
	*id = getopt_long(argc, argv, ":h", rows, NULL);
	switch (*id) {
	case -1:
		return 0;
	case 'h':
		*id = KV_OPTION_HELP;
		return 1;
	case ':':
		return kv_fault_usage(f, "%s needs a value; see 'kverbs %s --help'",
				      argv[optind - 1], argv[0]);
	case '?':
		if (optopt && optopt < KV_OPTION_HELP)
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

/**
 * kv_option_read() - take the options off the command line
 * @argc: of the command, whose name stands in argv[0]
 * @argv: of the command; what stands behind the options is at optind then
 * @rows: its options
 * @help: prints what --help asks for
 * @take: takes one option, whose argument stands in optarg; a negative errno, with
 *	its text in @f, ends it
 * @arg: its first argument
 * @f: receives why not
 *
 * Return: 1 if all are taken, 0 if that was --help, or a negative errno.
 */
int kv_option_read(int argc, char **argv, const struct option *rows,
		   void (*help)(void), int (*take)(void *arg, int id), void *arg,
		   struct kv_fault *f)
{
	int id, ret;

	while ((ret = next_option(argc, argv, rows, &id, f)) > 0) {
		if (id == KV_OPTION_HELP) {
			help();
			return 0;
		}
		ret = take(arg, id);
		if (ret)
			return ret;
	}
	return ret ? ret : 1;
}

/**
 * kv_option_refuse() - say what is wrong with an option's value
 * @rows: the command's options
 * @id: which option; its value stands in optarg
 * @why: what the parser says
 * @f: receives it all
 *
 * Return: -EINVAL
 */
int kv_option_refuse(const struct option *rows, int id,
		     const struct kv_why *why, struct kv_fault *f)
{
	while (rows->name && rows->val != id)
		rows++;
	return kv_fault_usage(f, "--%s '%s' %s", rows->name ? rows->name : "?",
			      optarg, why->text);
}

static int take_peer(struct kv_options *o, int id, struct kv_why *why)
{
	uint64_t v;
	int ret = 0;

	switch (id) {
	case KV_OPTION_PORT:
		o->peer_option = "port";
		ret = kv_parse_count(optarg, 1, 65535, &v, why);
		o->peer.port = optarg;
		break;
	case KV_OPTION_TOKEN:
		o->peer_option = "token";
		o->peer.token_file = optarg;
		break;
	case KV_OPTION_PEER_DEV:
		o->peer_option = "peer-dev";
		ret = kv_parse_dev(optarg, &o->peer.dev, why);
		break;
	case KV_OPTION_PEER_GID:
		o->peer_option = "peer-gid";
		ret = kv_parse_count(optarg, 0, GID_MAX, &v, why);
		if (!ret)
			o->peer.gid = (int)v;
		break;
	}
	if (!ret && !*optarg) {
		snprintf(why->text, sizeof(why->text), "is empty");
		ret = -EINVAL;
	}
	return ret;
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

/**
 * kv_option_take() - take the value of one of the common options
 * @o: receives it
 * @id: which option; its value stands in optarg
 * @f: receives why not
 *
 * Return: 0 or -EINVAL.
 */
int kv_option_take(struct kv_options *o, int id, struct kv_fault *f)
{
	static const struct option rows[] = {
		KV_OPTION_ROWS,
		KV_OPTION_HOST_ROWS,
		{ 0 },
	};
	struct kv_why why;
	uint64_t v;
	int ret = 0;

	switch (id) {
	case KV_OPTION_DEV:
		ret = kv_parse_dev(optarg, &o->dev, &why);
		break;
	case KV_OPTION_GID:
		ret = kv_parse_count(optarg, 0, GID_MAX, &v, &why);
		if (!ret)
			o->gid = (int)v;
		break;
	case KV_OPTION_LOOP:
		ret = kv_parse_word(optarg, kv_word_kind, &o->loop, &why);
		o->has_loop = true;
		break;
	case KV_OPTION_CPUS:
		ret = kv_parse_cpus(optarg, o->cpu, &o->cpus, &why);
		break;
	case KV_OPTION_POST:
		ret = kv_parse_word(optarg, kv_word_post, &o->post, &why);
		o->has_post = true;
		break;
	case KV_OPTION_LKEY:
		ret = kv_parse_word(optarg, kv_word_lkey, &o->lkey, &why);
		o->has_lkey = true;
		break;
	case KV_OPTION_SPINS:
		ret = kv_parse_count(optarg, 0, KVERBS_SPINS_MAX, &v, &why);
		if (!ret)
			o->spins = (int32_t)v;
		break;
	case KV_OPTION_TIMEOUT:
		ret = kv_parse_time(optarg, TIMEOUT_MIN_NS, TIMEOUT_MAX_NS,
				    &o->timeout_ns, &why);
		break;
	case KV_OPTION_VERIFY:
		o->verify = true;
		break;
	case KV_OPTION_NO_VERIFY:
		o->verify = false;
		break;
	case KV_OPTION_JSON:
		o->json = optarg;
		break;
	case KV_OPTION_MTU:
		ret = kv_parse_mtu(optarg, &o->mtu, &why);
		break;
	case KV_OPTION_ACK_TIMEOUT:
		ret = kv_parse_count(optarg, 1, ACK_TIMEOUT_MAX, &v, &why);
		if (!ret)
			o->ack_timeout = (uint8_t)v;
		break;
	case KV_OPTION_RETRY_CNT:
		ret = kv_parse_count(optarg, 0, RETRY_CNT_MAX, &v, &why);
		if (!ret)
			o->retry_cnt = (uint8_t)v;
		break;
	case KV_OPTION_CONNECT:
		ret = kv_parse_word(optarg, kv_word_connect, &o->connect, &why);
		break;
	case KV_OPTION_PORT:
	case KV_OPTION_TOKEN:
	case KV_OPTION_PEER_DEV:
	case KV_OPTION_PEER_GID:
		ret = take_peer(o, id, &why);
		break;
	}
	return ret ? kv_option_refuse(rows, id, &why, f) : 0;
}
