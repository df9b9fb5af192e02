/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_FILE_H
#define KV_FILE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <nettle/sha2.h>
#include "cli/fault.h"
#include "cli/parse.h"
#include "model/backend.h"

/* Bytes, without the NUL. */
#define KV_FILE_NAME_MAX 255

int kv_file_name_check(const char *name, struct kv_why *why);
int kv_file_refuse(const char *what, const char *name, struct kv_fault *f);

#define KV_HASH_BYTES SHA256_DIGEST_SIZE

/* The text that sha256sum prints, with the NUL: see kv_bytes_hex(). */
#define KV_HASH_TEXT KV_BYTES_HEX(KV_HASH_BYTES)

/**
 * struct kv_hash - the SHA-256 of a file, taken in steps
 * @sha256: the state of the hash so far
 * @done: bytes that are in the hash, from the file's beginning on
 */
struct kv_hash {
	struct sha256_ctx sha256;
	uint64_t done;
};

void kv_hash_init(struct kv_hash *h);
int kv_hash_step(struct kv_hash *h, int fd, uint64_t length);
void kv_hash_finish(struct kv_hash *h, uint8_t digest[KV_HASH_BYTES]);

/* The most bytes of a copy in memory, of a file whose length says nothing about its content. */
#define KV_SOURCE_COPY_MAX (64U << 20)

/**
 * struct kv_source - a file that is sent
 * @fd: descriptor of the file, or of a copy of its content; -1: none
 * @name: name that the caller gave, for messages; must live as long as the source
 * @length: bytes of the file when it was opened; exactly these bytes are sent
 */
struct kv_source {
	int fd;
	const char *name;
	uint64_t length;
};

int kv_source_open(struct kv_source *s, int dir, const char *name, int flags, struct kv_fault *f);
int kv_source_check(const struct kv_source *s, struct kv_fault *f);
int kv_source_short(const struct kv_source *s, uint64_t at, struct kv_fault *f);
void kv_source_close(struct kv_source *s);

/**
 * struct kv_store - a file that is received; it gets its name when all of it is there
 * @dir: folder of the file; -1: none
 * @fd: descriptor of the content so far, for reading and writing; -1: none
 * @name: final name of the file
 * @temp: name of the file until then; "": the file has no name, and goes when @fd is closed,
 *	however the process ends
 * @length: final length in bytes
 * @replace: a file of that name may be replaced
 */
struct kv_store {
	int dir;
	int fd;
	char name[256];
	char temp[32];
	uint64_t length;
	bool replace;
};

int kv_store_open(struct kv_store *s, int dir, const char *name,
		  uint64_t length, bool replace, struct kv_fault *f);
int kv_store_commit(struct kv_store *s, struct kv_fault *f);
void kv_store_close(struct kv_store *s);

/* The most bytes that one call of hash() takes, so that no call is long. */
#define KV_FILE_HASH_STEP (4U << 20)

/**
 * struct kv_file_new - a file that is announced to its receiver
 * @name: final name of the file
 * @length: bytes
 * @digest: SHA-256 of the file
 * @replace: a file of that name may be replaced
 */
struct kv_file_new {
	const char *name;
	uint64_t length;
	uint8_t digest[KV_HASH_BYTES];
	bool replace;
};

/**
 * struct kv_file_piece - a piece of a file, and where it is in a buffer
 * @buf: the buffer
 * @buf_offset: first byte in the buffer
 * @offset: first byte in the file
 * @length: bytes
 */
struct kv_file_piece {
	uint32_t buf;
	uint64_t buf_offset;
	uint64_t offset;
	uint32_t length;
};

/**
 * struct kv_bulk - any number of bytes that are moved between a buffer and a file
 * @b: backend of the buffer
 * @buf: the buffer
 * @buf_offset: first byte in the buffer
 * @fd: the file
 * @offset: first byte in the file; the file position is not used, and stays
 * @length: bytes
 * @moved: bytes that are at their destination
 * @of_file: the failure is the file's, with an errno; else the backend's, which has a text
 */
struct kv_bulk {
	struct kv_backend *b;
	uint32_t buf;
	uint64_t buf_offset;
	int fd;
	uint64_t offset;
	uint64_t length;
	uint64_t moved;
	bool of_file;
};

int kv_bulk_load(struct kv_bulk *m);
int kv_bulk_save(struct kv_bulk *m);

struct kv_file;

/*
 * The file of one end of a transfer, here or at a server: one for each direction.
 * Every operation returns 0 or a negative errno, with a fault.
 */
struct kv_file_ops {
	/* Opens a file that is sent; @length: receives the bytes of the file. */
	int (*open)(struct kv_file *file, const char *name, uint64_t *length, struct kv_fault *f);
	/* Makes a file that is received. */
	int (*create)(struct kv_file *file, const struct kv_file_new *new, struct kv_fault *f);
	/* Moves a piece from the file into a buffer of the end's space, and back. */
	int (*load)(struct kv_file *file, const struct kv_file_piece *piece, struct kv_fault *f);
	int (*save)(struct kv_file *file, const struct kv_file_piece *piece, struct kv_fault *f);
	/* Goes on with the hash of the bytes on the disk; @done: bytes in the hash.
	 * When these are all bytes, @digest is set.
	 */
	int (*hash)(struct kv_file *file, uint64_t *done,
		    uint8_t digest[KV_HASH_BYTES], struct kv_fault *f);
	/* Ends the transfer with the other side's digest. A file that is not the
	 * same there is refused; a received file gets its name.
	 */
	int (*finish)(struct kv_file *file, const uint8_t digest[KV_HASH_BYTES],
		      struct kv_fault *f);
	/* Removes an unfinished file; @why: for the server's log, or NULL.
	 * May be called any number of times.
	 */
	void (*close)(struct kv_file *file, const char *why);
};

struct kv_file {
	const struct kv_file_ops *ops;
};

/**
 * struct kv_file_local - a file of this host
 * @file: the interface for its user
 * @b: backend whose buffers the file is loaded into and saved from
 * @dir: folder that names are relative to; AT_FDCWD: the working folder, and names are
 *	paths; the caller keeps it
 * @name: name that the caller gave
 * @sends: the file is sent, and @source is set; else @store
 * @hash: hash of the bytes on the disk, so far
 * @digest: digest of the whole file
 * @hashed: @digest is set
 * @announced: digest that the sender announces of a file that is received
 */
struct kv_file_local {
	struct kv_file file;
	struct kv_backend *b;
	int dir;
	char name[4096];
	bool sends;
	struct kv_source source;
	struct kv_store store;
	struct kv_hash hash;
	uint8_t digest[KV_HASH_BYTES];
	bool hashed;
	uint8_t announced[KV_HASH_BYTES];
};

void kv_file_local_init(struct kv_file_local *l, struct kv_backend *b, int dir);

#endif
