// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "file/name.h"
#include "file/options.h"

/* So that no file has more pieces than their numbers, which have 32 bits, can count. */
#define PIECE_MIN 4096
#define DEPTH_MAX 1024

/* What is read before it is known which options go together. */
struct state {
	struct kv_file_options o;
	const char *name;
	uint32_t both;
	bool has_both, has_end[2];
};

static int parse_piece(const char *text, void *field, struct kv_why *why)
{
	uint32_t *piece = field;
	int ret;

	ret = kv_parse_size(text, piece, why);
	if (ret || *piece >= PIECE_MIN)
		return ret;
	snprintf(why->text, sizeof(why->text), "is too small; it takes %u bytes or more",
		 PIECE_MIN);
	return -EINVAL;
}

#define S struct state

#define ROWS										\
	{ "space", "SPACE", "kernel or user: where the verbs are called, at both ends",	\
	  KV_OPTION_WORD, .at = offsetof(S, both), .has = offsetof(S, has_both),		\
	  .words = kv_word_space },							\
	{ "client", "SPACE", "where they are called here, and", KV_OPTION_WORD,		\
	  .at = offsetof(S, o.space[0]), .has = offsetof(S, has_end[0]),			\
	  .words = kv_word_space },							\
	{ "server", "SPACE", "at HOST", KV_OPTION_WORD, .at = offsetof(S, o.space[1]),	\
	  .has = offsetof(S, has_end[1]), .words = kv_word_space },			\
	{ "piece", "BYTES", "of each WRITE, as in 64k; default: 256k, or less if a device can't", \
	  KV_OPTION_OWN, .at = offsetof(S, o.piece), .parse = parse_piece },			\
	{ "depth", "N", "WRITEs under way at a time; default: 8", KV_OPTION_U32,	\
	  .at = offsetof(S, o.depth), .min = 1, .max = DEPTH_MAX },				\
	KV_OPTION_HOST_ROWS(S, o.common),						\
	KV_OPTION_DEV_ROW(S, o.common),							\
	KV_OPTION_GID_ROW(S, o.common),							\
	KV_OPTION_TIMEOUT_ROW(S, o.common, "how long nothing may happen; default: 10s"), \
	KV_OPTION_RETRY_ROWS(S, o.common),						\
	KV_OPTION_JSON_ROW(S, o.common, "write what came of it there as JSON; -: to standard output, and no text"), \
	{ .name = NULL }

const struct kv_option kv_file_rows_put[] = {
	{ "name", "NAME", "what it is to be called there; default: as here", KV_OPTION_TEXT,
	  .at = offsetof(S, name) },
	{ "force", NULL, "replace a file of that name", KV_OPTION_FLAG, .at = offsetof(S, o.replace) },
	ROWS,
};

const struct kv_option kv_file_rows_get[] = {
	{ "name", "NAME", NULL, KV_OPTION_TEXT, .at = offsetof(S, name) },
	{ "force", NULL, "replace FILE", KV_OPTION_FLAG, .at = offsetof(S, o.replace) },
	ROWS,
};

#undef S

const struct kv_option_help kv_file_help_put = {
	.usage =
		"usage: kverbs put FILE HOST[:PORT] --space kernel|user [OPTION...]\n"
		"\n"
		"Sends FILE to a HOST where 'kverbs serve --files DIR' runs. It is there under its\n"
		"name when all of it has arrived and its SHA-256 is what it was here; if anything\n"
		"goes wrong, nothing is there.\n",
	.more =
		"All of the file goes through RDMA WRITEs, from the sender's buffer to the\n"
		"receiver's; in kernel space these are the module's.\n",
};

const struct kv_option_help kv_file_help_get = {
	.usage =
		"usage: kverbs get NAME HOST[:PORT] [FILE] --space kernel|user [OPTION...]\n"
		"\n"
		"Fetches the file NAME from a HOST where 'kverbs serve --files DIR' runs, and calls\n"
		"it FILE here; default: NAME, in the working folder. It is here when all of it has\n"
		"arrived and its SHA-256 is what it was there; if anything goes wrong, nothing is\n"
		"here.\n",
	.more =
		"All of the file goes through RDMA WRITEs, from the sender's buffer to the\n"
		"receiver's; in kernel space these are the module's.\n",
};

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
		s->o.space[0] = s->o.space[1] = s->both;
	return 0;
}

/* The FILE or NAME, the HOST, and of get what it is to be called here. */
static int take_words(struct state *s, int argc, char **argv, struct kv_fault *f)
{
	struct kv_file_options *o = &s->o;
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
	struct state s = { .o.way = way };
	bool put = way == KV_FILE_PUT;
	int ret;

	kv_option_init(&s.o.common);
	ret = kv_option_read(argc, argv, put ? kv_file_rows_put : kv_file_rows_get,
			     put ? &kv_file_help_put : &kv_file_help_get,
			     &s, f);
	if (ret <= 0)
		return ret;
	ret = take_words(&s, argc, argv, f);
	if (!ret)
		ret = choose_spaces(&s, f);
	*o = s.o;
	return ret ? ret : 1;
}
