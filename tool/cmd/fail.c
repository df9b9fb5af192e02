// SPDX-License-Identifier: MIT
#include "cmd/cmd.h"
#include "object/describe.h"

/**
 * kv_cmd_fail() - end a command that failed
 * @f: why
 * @json: print the refusal as a document on standard output, too
 *
 * Return: the command's exit status.
 */
int kv_cmd_fail(const struct kv_fault *f, bool json)
{
	if (json)
		kv_describe_refusal(f);
	kv_fault_print(f);
	return f->exit;
}
