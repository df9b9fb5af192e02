// SPDX-License-Identifier: MIT
#include <string.h>
#include "cmd/cmd.h"

const struct kv_cmd_entry kv_cmd_list[] = {
	{ NULL, NULL, "measure:" },
	{ "compare", &kv_cmd_compare, "operations in both spaces, and the difference" },
	{ "merge", &kv_cmd_merge, "comparisons of several boots as one" },
	{ "lat", &kv_cmd_lat, "one operation in one space" },
	{ "serve", &kv_cmd_serve, "the other end, for these commands on other hosts" },
	{ NULL, NULL, "files, to and from a host with 'kverbs serve --files DIR':" },
	{ "put", &kv_cmd_put, "send a file; it is there when its hash is right" },
	{ "get", &kv_cmd_get, "fetch one" },
	{ NULL, NULL, "with a peer that we did not write:" },
	{ "pingpong", &kv_cmd_pingpong, "messages to and fro with ibv_rc_pingpong and its kin" },
	{ "conn-rate", &kv_cmd_conn_rate, "connections per second and what each step costs, as cmtime" },
	{ "ping", &kv_cmd_ping, "by the RDMA CM, with rping, rdma_client, ucmatose and their like" },
	{ NULL, NULL, "look:" },
	{ "dev", &kv_cmd_dev, "RDMA devices, as kernel and user space see them" },
	{ "monitor", NULL, "events as they come" },
	{ NULL, NULL, "objects by hand, in the kernel, where they stay until they are flushed:" },
#define OBJECT(TYPE, type, list, ...) { #type, NULL, list },
#include "model/objects.def"
#undef OBJECT
	{ "post", NULL, "a work request: send, write, read, fetch-add, cmp-swp, recv" },
	{ "poll", NULL, "completions" },
	{ "flush", NULL, "destroy all of them" },
	{ NULL, NULL, "objects by hand, many commands over one connection, in either space:" },
	{ "batch", &kv_cmd_batch, "commands from a file, or typed; --space both shows times" },
	{ NULL, NULL, "for the system:" },
	{ "man", &kv_cmd_man, "the manual page of a command, for man" },
	{ "completion", &kv_cmd_completion, "what makes bash or zsh complete its words" },
	{ NULL, NULL, NULL },
};

const struct kv_option kv_cmd_no_rows[] = {
	{ .name = NULL },
};

/**
 * kv_cmd_find() - look for a command
 * @name: its word
 *
 * Return: its entry, or NULL.
 */
const struct kv_cmd_entry *kv_cmd_find(const char *name)
{
	for (const struct kv_cmd_entry *e = kv_cmd_list; e->help; e++) {
		if (e->name && !strcmp(e->name, name))
			return e;
	}
	return NULL;
}
