// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "sample.h"

/**
 * kv_sample_broken() - the loop ends in the middle of a sample
 * @l: the loop
 * @error: why, negative errno
 *
 * Not inline: the loops need no register for an error that they do not have.
 *
 * Return: @error
 */
int kv_sample_broken(struct kv_loop *l, int error)
{
	l->busy = 1;
	return error;
}
