/* SPDX-License-Identifier: MIT */
#ifndef KV_CMD_CMD_H
#define KV_CMD_CMD_H

#include <stddef.h>
#include "cli/option.h"

/**
 * struct kv_cmd - a command, in a file of its own
 * @run: gets the command's name as argv[0], tells on stderr what went wrong, and returns an
 *	enum kv_exit; commands don't call each other
 * @rows: its options
 * @help: what else its help says
 */
struct kv_cmd {
	int (*run)(int argc, char **argv);
	const struct kv_option *rows;
	const struct kv_option_help *help;
};

extern const struct kv_cmd kv_cmd_batch;
extern const struct kv_cmd kv_cmd_compare;
extern const struct kv_cmd kv_cmd_completion;
extern const struct kv_cmd kv_cmd_conn_rate;
extern const struct kv_cmd kv_cmd_dev;
extern const struct kv_cmd kv_cmd_get;
extern const struct kv_cmd kv_cmd_lat;
extern const struct kv_cmd kv_cmd_man;
extern const struct kv_cmd kv_cmd_merge;
extern const struct kv_cmd kv_cmd_ping;
extern const struct kv_cmd kv_cmd_pingpong;
extern const struct kv_cmd kv_cmd_put;
extern const struct kv_cmd kv_cmd_serve;

/* A command without options of its own. */
extern const struct kv_option kv_cmd_no_rows[];

int kv_cmd_fail(const struct kv_fault *f, bool json);

/* All commands that are about one object: options may stand before the name. */
int kv_cmd_hand(int argc, char **argv);

/**
 * struct kv_cmd_entry - a command in the list of all
 * @name: its word; NULL: @help is a heading, or the list ends
 * @cmd: NULL: it is about objects (object/hand.h)
 * @help: a line
 */
struct kv_cmd_entry {
	const char *name;
	const struct kv_cmd *cmd;
	const char *help;
};

extern const struct kv_cmd_entry kv_cmd_list[];

const struct kv_cmd_entry *kv_cmd_find(const char *name);

#endif
