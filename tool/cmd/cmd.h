/* SPDX-License-Identifier: MIT */
#ifndef KV_CMD_CMD_H
#define KV_CMD_CMD_H

/*
 * The commands. Each gets its name as argv[0], tells on stderr what went wrong,
 * and returns an enum kv_exit. Commands don't call each other.
 */

int kv_cmd_dev(int argc, char **argv);
int kv_cmd_lat(int argc, char **argv);
int kv_cmd_compare(int argc, char **argv);
int kv_cmd_merge(int argc, char **argv);
int kv_cmd_put(int argc, char **argv);
int kv_cmd_get(int argc, char **argv);
int kv_cmd_batch(int argc, char **argv);
int kv_cmd_pingpong(int argc, char **argv);
int kv_cmd_serve(int argc, char **argv);
int kv_cmd_ping(int argc, char **argv);
int kv_cmd_conn_rate(int argc, char **argv);

/* All commands that are about one object: options may stand before the name. */
int kv_cmd_hand(int argc, char **argv);

#endif
