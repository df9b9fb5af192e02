/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_FILE_H
#define KV_REMOTE_FILE_H

#include "file/file.h"
#include "model/site.h"

/**
 * struct kv_file_remote - a file of a server
 * @file: the file as its user sees it
 * @site: site of the server, reached over the same connection
 * @open: there may be a file to close
 */
struct kv_file_remote {
	struct kv_file file;
	const struct kv_site *site;
	bool open;
};

void kv_file_remote_init(struct kv_file_remote *r, const struct kv_site *site);

#endif
