/* SPDX-License-Identifier: MIT */
#pragma once

/* A file that is written beside the one that it replaces: it is there as a whole, or not at all. */
struct kv_temp {
	char *path; /* the final file, with symbolic links resolved; NULL: none */
	char *name; /* the file beside it, until it is renamed; NULL: @path itself is written */
	int fd; /* descriptor of the file that is written; -1: none */
};

int kv_temp_open(struct kv_temp *t, const char *path);
int kv_temp_rename(struct kv_temp *t);
void kv_temp_close(struct kv_temp *t);
