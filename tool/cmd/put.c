// SPDX-License-Identifier: MIT
#include "cmd/cmd.h"
#include "file/command.h"

static int run_command(int argc, char **argv)
{
	return kv_file_command(KV_FILE_PUT, argc, argv);
}

const struct kv_cmd kv_cmd_put = { run_command, kv_file_rows_put, &kv_file_help_put };
