/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_OPTIONS_H
#define KV_FILE_OPTIONS_H

#include "cli/option.h"

/* Which way the file goes. */
enum kv_file_way {
	KV_FILE_PUT, /* to the server */
	KV_FILE_GET,
};

/**
 * struct kv_file_options - what the command line of put or get says
 * @common: what other commands have, too
 * @way: which of the two
 * @local: the file here, a path
 * @remote: the file's name at the server
 * @space: of the client and of the server
 * @replace: a file of that name may be replaced
 * @piece: bytes; 0: what fits
 * @depth: pieces under way at a time; 0: what fits
 */
struct kv_file_options {
	struct kv_options common;
	enum kv_file_way way;
	const char *local;
	const char *remote;
	uint32_t space[2];
	bool replace;
	uint32_t piece;
	uint32_t depth;
};

extern const struct kv_option kv_file_rows_put[], kv_file_rows_get[];
extern const struct kv_option_help kv_file_help_put, kv_file_help_get;

int kv_file_options_read(struct kv_file_options *o, enum kv_file_way way,
			 int argc, char **argv, struct kv_fault *f);

#endif
