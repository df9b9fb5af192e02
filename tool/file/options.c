// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "file/name.h"
#include "file/options.h"

enum {
	OPTION_SPACE = KV_OPTION_OWN,
	OPTION_CLIENT,
	OPTION_SERVER,
	OPTION_NAME,
	OPTION_FORCE,
	OPTION_PIECE,
	OPTION_DEPTH,
};

static const struct option rows[] = {
	{ "help", no_argument, NULL, KV_OPTION_HELP },
	{ "dev", required_argument, NULL, KV_OPTION_DEV },
	{ "gid", required_argument, NULL, KV_OPTION_GID },
	{ "timeout", required_argument, NULL, KV_OPTION_TIMEOUT },
	{ "ack-timeout", required_argument, NULL, KV_OPTION_ACK_TIMEOUT },
	{ "retry-cnt", required_argument, NULL, KV_OPTION_RETRY_CNT },
	{ "json", required_argument, NULL, KV_OPTION_JSON },
	KV_OPTION_HOST_ROWS,
	{ "space", required_argument, NULL, OPTION_SPACE },
	{ "client", required_argument, NULL, OPTION_CLIENT },
	{ "server", required_argument, NULL, OPTION_SERVER },
	{ "name", required_argument, NULL, OPTION_NAME },
	{ "force", no_argument, NULL, OPTION_FORCE },
	{ "piece", required_argument, NULL, OPTION_PIECE },
	{ "depth", required_argument, NULL, OPTION_DEPTH },
	{ NULL, 0, NULL, 0 },
};

/* So that no file has more pieces than their numbers, which have 32 bits, can count. */
#define PIECE_MIN 4096
#define DEPTH_MAX 1024

static void print_help(enum kv_file_way way)
{
	if (way == KV_FILE_PUT)
		printf("usage: kverbs put FILE HOST[:PORT] --space kernel|user [OPTION...]\n"
		       "\n"
		       "Sends FILE to a HOST where 'kverbs serve --files DIR' runs. It is there under its\n"
		       "name when all of it has arrived and its SHA-256 is what it was here; if anything\n"
		       "goes wrong, nothing is there.\n"
		       "\n"
		       "  --name NAME        what it is to be called there; default: as here\n"
		       "  --force            replace a file of that name\n");
	else
		printf("usage: kverbs get NAME HOST[:PORT] [FILE] --space kernel|user [OPTION...]\n"
		       "\n"
		       "Fetches the file NAME from a HOST where 'kverbs serve --files DIR' runs, and calls\n"
		       "it FILE here; default: NAME, in the working folder. It is here when all of it has\n"
		       "arrived and its SHA-256 is what it was there; if anything goes wrong, nothing is\n"
		       "here.\n"
		       "\n"
		       "  --force            replace FILE\n");
	printf("  --space SPACE      kernel or user: where the verbs are called, at both ends\n"
	       "  --client SPACE     where they are called here, and\n"
	       "  --server SPACE     at HOST\n"
	       "  --piece BYTES      of each WRITE, as in 64k; default: 256k, or less if a device\n"
	       "                     can't\n"
	       "  --depth N          WRITEs under way at a time; default: 8\n"
	       "%s"
	       "  --dev NAME         device; default: the only one there is\n"
	       "  --gid INDEX        entry of the device's GID table; default: IPv4 RoCE v2,\n"
	       "                     else IPv6 RoCE v2, else what there is\n"
	       "  --timeout TIME     how long nothing may happen; default: 10s\n"
	       KV_OPTION_RETRY_HELP
	       "  --json FILE        write what came of it there as JSON; -: to standard output,\n"
	       "                     and no text\n"
	       "\n"
	       "All of the file goes through RDMA WRITEs, from the sender's buffer to the\n"
	       "receiver's; in kernel space these are the module's.\n",
	       kv_option_host_help);
}

static void help_put(void)
{
	print_help(KV_FILE_PUT);
}

static void help_get(void)
{
	print_help(KV_FILE_GET);
}

/* What is read before it is known which options go together. */
struct state {
	struct kv_file_options *o;
	struct kv_fault *f;
	const char *name;
	uint32_t both;
	bool has_both, has_end[2];
};

static int take_option(void *arg, int id)
{
	struct state *s = arg;
	struct kv_file_options *o = s->o;
	struct kv_why why;
	uint64_t v = 0;
	int ret = 0;

	switch (id) {
	case OPTION_SPACE:
		ret = kv_parse_word(optarg, kv_word_space, &s->both, &why);
		s->has_both = true;
		break;
	case OPTION_CLIENT:
	case OPTION_SERVER:
		ret = kv_parse_word(optarg, kv_word_space,
				    &o->space[id == OPTION_SERVER], &why);
		s->has_end[id == OPTION_SERVER] = true;
		break;
	case OPTION_NAME:
		s->name = optarg;
		break;
	case OPTION_FORCE:
		o->replace = true;
		break;
	case OPTION_PIECE:
		ret = kv_parse_size(optarg, &o->piece, &why);
		if (!ret && o->piece < PIECE_MIN) {
			snprintf(why.text, sizeof(why.text),
				 "is too small; it takes %u bytes or more", PIECE_MIN);
			ret = -EINVAL;
		}
		break;
	case OPTION_DEPTH:
		ret = kv_parse_count(optarg, 1, DEPTH_MAX, &v, &why);
		o->depth = (uint32_t)v;
		break;
	default:
		return kv_option_take(&o->common, id, s->f);
	}
	return ret ? kv_option_refuse(rows, id, &why, s->f) : 0;
}

static int choose_spaces(struct state *s, struct kv_fault *f)
{
	if (s->has_both && (s->has_end[0] || s->has_end[1]))
		return kv_fault_usage(f, "--space is where both ends are; give it alone, or --client and --server");
	if (!s->has_both && !s->has_end[0] && !s->has_end[1])
		return kv_fault_usage(f, "--space is missing; it takes kernel or user");
	if (!s->has_both && !(s->has_end[0] && s->has_end[1]))
		return kv_fault_usage(f, "--%s is missing; it takes kernel or user, and goes with --%s",
				      s->has_end[0] ? "server" : "client",
				      s->has_end[0] ? "client" : "server");
	if (s->has_both)
		s->o->space[0] = s->o->space[1] = s->both;
	return 0;
}

/* The FILE or NAME, the HOST, and of get what it is to be called here. */
static int take_words(struct state *s, int argc, char **argv, struct kv_fault *f)
{
	struct kv_file_options *o = s->o;
	bool put = o->way == KV_FILE_PUT;
	struct kv_why why;
	const char *slash;

	if (argc - optind < 2)
		return kv_fault_usage(f, "%s is missing; it is 'kverbs %s', see 'kverbs %s --help'",
				      argc > optind ? "HOST" : put ? "FILE" : "NAME",
				      put ? "put FILE HOST" : "get NAME HOST [FILE]", argv[0]);
	if (argc - optind > 3 - put)
		return kv_fault_usage(f, "'%s' is unexpected; it is 'kverbs %s', see 'kverbs %s --help'",
				      argv[optind + 3 - put],
				      put ? "put FILE HOST" : "get NAME HOST [FILE]", argv[0]);
	o->remote = o->local = argv[optind];
	if (!put && s->name)
		return kv_fault_usage(f, "--name is for put; get takes NAME first, and FILE last");
	if (!put && argc - optind == 3)
		o->local = argv[optind + 2];
	slash = put ? strrchr(o->local, '/') : NULL;
	if (slash)
		o->remote = slash + 1;
	if (s->name)
		o->remote = s->name;
	if (kv_file_name_check(o->remote, &why))
		return kv_fault_usage(f, "the name '%s' at the server %s%s", o->remote,
				      why.text, put && !s->name ? "; give it one with --name" : "");
	if (!*o->local)
		return kv_fault_usage(f, "FILE is empty");
	/* It takes what stands last. */
	optind++;
	return kv_option_take_host(&o->common, optind + 1, argv, f);
}

/**
 * kv_file_options_read() - read the command line of put or get
 * @o: receives what it says
 * @way: which of the two
 * @argc: of the command
 * @argv: of the command; @o points into it
 * @f: receives why not
 *
 * Return: 1: go on. 0: nothing more to do. -EINVAL: see the fault.
 */
int kv_file_options_read(struct kv_file_options *o, enum kv_file_way way,
			 int argc, char **argv, struct kv_fault *f)
{
	struct state s = { .o = o, .f = f };
	int ret;

	kv_option_init(&o->common);
	o->way = way;
	ret = kv_option_read(argc, argv, rows, way == KV_FILE_PUT ? help_put : help_get,
			     take_option, &s, f);
	if (ret <= 0)
		return ret;
	ret = take_words(&s, argc, argv, f);
	if (!ret)
		ret = choose_spaces(&s, f);
	return ret ? ret : 1;
}
