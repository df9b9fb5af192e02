/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_FILE_H
#define KV_REMOTE_FILE_H

#include "file/file.h"
#include "model/site.h"

/**
 * struct kv_file_remote - a file of a server
 * @file: what it is for its user
 * @site: of the server, reached over the same connection
 * @open: there may be something to be closed
 */
struct kv_file_remote {
	struct kv_file file;
	const struct kv_site *site;
	bool open;
};

void kv_file_remote_init(struct kv_file_remote *r, const struct kv_site *site);

#endif
