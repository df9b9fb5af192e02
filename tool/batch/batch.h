/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include "batch/session.h"
#include "edit/edit.h"

/**
 * struct kv_batch - a list of commands
 * @in: the file that they are read from
 * @name: the name of @in in messages
 * @prompt: a user types the commands: there is a prompt, 'help' and --help print help, 'quit'
 *	ends the batch, and neither a mistake nor Ctrl-C does
 * @edit: with @prompt: reads a line; NULL: lines are not edited
 * @echo: each line is printed before its command
 * @step: the batch waits for Enter, on standard input, before each command
 * @told: called after each command, a failed one too, with the command's document.
 *	@text is the line as it was written.
 * @arg: for @told
 */
struct kv_batch {
	FILE *in;
	const char *name;
	bool prompt;
	kv_edit_fn *edit;
	bool echo;
	bool step;
	void (*told)(const struct kv_session *s, const char *text,
		     struct json_object *doc, void *arg);
	void *arg;
};

int kv_batch_run(const struct kv_batch *batch, struct kv_session *s, struct kv_fault *f);
