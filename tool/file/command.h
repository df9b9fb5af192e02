/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_COMMAND_H
#define KV_FILE_COMMAND_H

/* Which way the file goes. */
enum kv_file_way {
	KV_FILE_PUT, /* to the server */
	KV_FILE_GET,
};

int kv_file_command(enum kv_file_way way, int argc, char **argv);

#endif
