/* SPDX-License-Identifier: MIT */
#ifndef KV_BATCH_BATCH_H
#define KV_BATCH_BATCH_H

#include <stdio.h>
#include "batch/session.h"

/**
 * struct kv_batch - a list of commands
 * @in: where they come from
 * @name: what that is called in messages
 * @prompt: somebody types them: there is a prompt, --help helps, and a mistake does
 *	not end it
 * @told: is given what each command told, as soon as it is done; a failed one
 *	too. @text is the line as it was written.
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

#endif
