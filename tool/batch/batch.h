/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include "batch/session.h"
#include "edit/edit.h"

/* A list of commands. */
struct kv_batch {
	FILE *in; /* the file that they are read from */
	const char *name; /* the name of @in in messages */
	/*
	 * A user types the commands: there is a prompt, 'help' and --help print help, 'quit' ends
	 * the batch, and neither a mistake nor Ctrl-C does.
	 */
	bool prompt;
	kv_edit_fn *edit; /* with @prompt: reads a line; NULL: lines are not edited */
	bool echo; /* each line is printed before its command */
	bool step; /* the batch waits for Enter, on standard input, before each command */
	/*
	 * Called after each command, a failed one too, with the command's document. @text is the
	 * line as it was written.
	 */
	void (*told)(const struct kv_session *s, const char *text,
		     struct json_object *doc, void *arg);
	void *arg; /* for @told */
};

int kv_batch_run(const struct kv_batch *batch, struct kv_session *s, struct kv_fault *f);
