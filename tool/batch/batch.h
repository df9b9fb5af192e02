/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include "batch/session.h"

/**
 * struct kv_batch - a list of commands
 * @in: the file that they are read from
 * @name: the name of @in in messages
 * @prompt: a user types the commands: there is a prompt, --help prints help, and a
 *	mistake does not end the batch
 * @told: called after each command, a failed one too, with the command's document.
 *	@text is the line as it was written.
 * @arg: for @told
 */
struct kv_batch {
	FILE *in;
	const char *name;
	bool prompt;
	void (*told)(const struct kv_session *s, const char *text,
		     struct json_object *doc, void *arg);
	void *arg;
};

int kv_batch_run(const struct kv_batch *batch, struct kv_session *s, struct kv_fault *f);
