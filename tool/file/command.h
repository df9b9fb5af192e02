/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_COMMAND_H
#define KV_FILE_COMMAND_H

#include "file/options.h"

int kv_file_command(enum kv_file_way way, int argc, char **argv);

#endif
