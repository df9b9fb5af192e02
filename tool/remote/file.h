/* SPDX-License-Identifier: MIT */
#pragma once

#include "file/file.h"
#include "model/site.h"

/* A file of a server. */
struct kv_file_remote {
	struct kv_file file; /* the file as its user sees it */
	const struct kv_site *site; /* site of the server, reached over the same connection */
	bool open; /* there may be a file to close */
};

void kv_file_remote_init(struct kv_file_remote *r, const struct kv_site *site);
