// SPDX-License-Identifier: MIT
#include "cmd/cmd.h"
#include "file/command.h"

static int run_command(int argc, char **argv)
{
	return kv_file_command(KV_FILE_GET, argc, argv);
}

const struct kv_cmd kv_cmd_get = { run_command, kv_file_rows_get, &kv_file_help_get };
