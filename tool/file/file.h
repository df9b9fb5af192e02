/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <nettle/sha2.h>
#include "cli/fault.h"
#include "cli/parse.h"
#include "model/site.h"

/* Bytes, without the NUL. */
#define KV_FILE_NAME_MAX 255

int kv_file_name_check(const char *name, struct kv_why *why);
int kv_file_refuse(const char *what, const char *name, struct kv_fault *f);

#define KV_HASH_BYTES SHA256_DIGEST_SIZE

/* The text that sha256sum prints, with the NUL: see kv_bytes_hex(). */
#define KV_HASH_TEXT KV_BYTES_HEX(KV_HASH_BYTES)

/* The SHA-256 of a file, taken in steps. */
struct kv_hash {
	struct sha256_ctx sha256; /* the state of the hash so far */
	uint64_t done; /* bytes that are in the hash, from the file's beginning on */
};

void kv_hash_init(struct kv_hash *h);
int kv_hash_step(struct kv_hash *h, int fd, uint64_t length);
void kv_hash_add(struct kv_hash *h, uint64_t offset, const uint8_t *from, size_t length);
void kv_hash_finish(struct kv_hash *h, uint8_t digest[KV_HASH_BYTES]);

/* The most bytes of a copy in memory, of a file whose length says nothing about its content. */
#define KV_SOURCE_COPY_MAX (64U << 20)

/* A file that is sent. */
struct kv_source {
	int fd; /* descriptor of the file, or of a copy of its content; -1: none */
	/* Name that the caller gave, for messages; must live as long as the source. */
	const char *name;
	uint64_t length; /* bytes of the file when it was opened; exactly these bytes are sent */
	uint64_t changed_ns; /* time of the file's last change when it was opened */
};

int kv_source_open(struct kv_source *s, int dir, const char *name, int flags, struct kv_fault *f);
int kv_source_check(const struct kv_source *s, struct kv_fault *f);
int kv_source_short(const struct kv_source *s, uint64_t at, struct kv_fault *f);
void kv_source_close(struct kv_source *s);

/* A file that is received; it gets its name when all of it is there. */
struct kv_store {
	int dir; /* folder of the file; -1: none */
	int fd; /* descriptor of the content so far, for reading and writing; -1: none */
	char name[256]; /* final name of the file */
	/*
	 * Name of the file until then; "": the file has no name, and goes when @fd is closed,
	 * however the process ends.
	 */
	char temp[32];
	uint64_t length; /* final length in bytes */
	bool replace; /* a file of that name may be replaced */
};

int kv_store_open(struct kv_store *s, int dir, const char *name,
		  uint64_t length, bool replace, struct kv_fault *f);
int kv_store_commit(struct kv_store *s, struct kv_fault *f);
void kv_store_close(struct kv_store *s);

/* Any number of bytes that are moved between a buffer and a file. */
struct kv_bulk {
	struct kv_backend *b; /* backend of the buffer */
	uint32_t buf; /* the buffer */
	uint64_t buf_offset; /* first byte in the buffer */
	int fd; /* the file */
	uint64_t offset; /* first byte in the file; the file position is not used, and stays */
	uint64_t length; /* bytes */
	uint64_t moved; /* bytes that are at their destination */
	struct kv_hash *hash; /* hash of the file up to @offset, which goes on; NULL: none */
	/* The failure is the file's, with an errno; else the backend's, which has a text. */
	bool of_file;
};

int kv_bulk_load(struct kv_bulk *m);
int kv_bulk_save(struct kv_bulk *m);

/*
 * The calls for the file of one end of a transfer: CALL(NAME, name, args, result).
 *
 * open: opens a file that is sent. create: makes a file that is received. flow: its pieces go over
 * a connection, from the first piece on, or from where they have come; turn: moves a few of them
 * (end.c). hash: the hash of all pieces that were loaded or saved. finish: ends the transfer; a
 * file that is not the same at the other side is refused, a received file gets its name. close:
 * removes an unfinished file, and may be called any number of times.
 */
#define KV_FILE_CALLS(CALL)					\
	CALL(FILE_OPEN, file_open, file_open, file_opened)	\
	CALL(FILE_CREATE, file_create, file_new, none)		\
	CALL(FILE_FLOW, file_flow, file_flow, file_turned)	\
	CALL(FILE_TURN, file_turn, file_turn, file_turned)	\
	CALL(FILE_HASH, file_hash, none, file_hashed)		\
	CALL(FILE_FINISH, file_finish, file_finish, none)	\
	CALL(FILE_CLOSE, file_close, file_close, none)

/* The most pieces under way at a time. */
#define KV_FILE_DEPTH_MAX 1024

/* The longest wait of a turn, in ms. */
#define KV_FILE_WAIT_MAX 1000

#include "model/as_struct.h"
#include "file/file.def"

enum kv_file_call {
#define CALL(NAME, ...) KV_##NAME,
	KV_FILE_CALLS(CALL)
#undef CALL
};

/* The file of one end of a transfer, here or at a server: one for each direction. */
struct kv_file {
	int (*call)(struct kv_file *file, enum kv_file_call call, const void *args, void *result,
		    struct kv_fault *f);
	/*
	 * Of a file of another host only: a turn as a request and its answer. Between the two no
	 * other call goes to that host.
	 */
	int (*ask)(struct kv_file *file, const struct kv_file_turn *turn, struct kv_fault *f);
	/* Waits for the answer, @ns at most; it is to be taken, then or later. */
	bool (*answered)(struct kv_file *file, uint64_t ns);
	int (*take)(struct kv_file *file, struct kv_file_turned *result, struct kv_fault *f);
};

/* kv_file_NAME(file, args, result, f) */
#define CALL(NAME, name, args_, result_)						\
	static inline int kv_##name(struct kv_file *file, const struct kv_##args_ *args,	\
				    struct kv_##result_ *result, struct kv_fault *f)	\
	{										\
		return file->call(file, KV_##NAME, args, result, f);			\
	}
KV_FILE_CALLS(CALL)
#undef CALL

/* A file of this host. */
struct kv_file_local {
	struct kv_file file; /* the interface for its user */
	const struct kv_site *site; /* site whose buffers the file is loaded into and saved from */
	/*
	 * Folder that names are relative to; AT_FDCWD: the working folder, and names are paths; the
	 * caller keeps it.
	 */
	int dir;
	char name[4096]; /* name that the caller gave */
	bool sends; /* the file is sent, and @source is set; else @store */
	struct kv_source source;
	struct kv_store store;
	struct kv_hash hash; /* hash of the bytes that were loaded, or saved, so far */
	uint8_t digest[KV_HASH_BYTES]; /* digest of the whole file */
	bool hashed; /* @digest is set */
	struct kv_file_flow flow; /* the connection; piece is 0 before there is one */
	uint64_t pieces; /* pieces of the file */
	uint64_t posted; /* pieces that a WRITE, or a receive, is posted for */
	uint64_t done; /* pieces whose WRITE has completed, or that are saved */
};

void kv_file_local_init(struct kv_file_local *l, const struct kv_site *site, int dir);

/* end.c */
int kv_end_begin(struct kv_file_local *l, const struct kv_file_flow *flow,
		 struct kv_file_turned *result, struct kv_fault *f);
int kv_end_turn(struct kv_file_local *l, const struct kv_file_turn *args,
		struct kv_file_turned *result, struct kv_fault *f);
