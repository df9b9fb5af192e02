// SPDX-License-Identifier: MIT
#include "cmd/cmd.h"
#include "file/command.h"

/**
 * kv_cmd_put() - send a file to a server
 * @argc: of the command
 * @argv: argv[0] is the command's name
 *
 * Return: enum kv_exit
 */
int kv_cmd_put(int argc, char **argv)
{
	return kv_file_command(KV_FILE_PUT, argc, argv);
}
