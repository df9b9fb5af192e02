// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "remote/token.h"

static int read_all(int fd, struct kv_token *token)
{
	ssize_t n;

	for (;;) {
		n = read(fd, token->secret + token->length, sizeof(token->secret) - token->length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		token->length += (size_t)n;
		if (!n || token->length == sizeof(token->secret))
			return 0;
	}
}

static int check_file(int fd, const char *path, struct kv_fault *f)
{
	struct stat st;

	if (fstat(fd, &st))
		return kv_fault_set(f, -errno, "--token %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return kv_fault_set(f, -EINVAL, "--token %s: is no regular file", path);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return kv_fault_set(f, -EACCES,
				    "--token %s: others than its owner may use it (mode %04o); 'chmod 600 %s' keeps the secret",
				    path, st.st_mode & 07777, path);
	/* An owner can change the file's mode and content. */
	if (st.st_uid != geteuid() && st.st_uid)
		return kv_fault_set(f, -EACCES,
				    "--token %s: user %u owns it, neither root nor the user who runs this (%u); 'chown %u %s' keeps the secret",
				    path, st.st_uid, geteuid(), geteuid(), path);
	return 0;
}

/**
 * kv_token_wipe() - forget a secret
 * @token: the secret, which is empty afterwards
 */
void kv_token_wipe(struct kv_token *token)
{
	explicit_bzero(token, sizeof(*token));
}

/**
 * kv_token_read() - read a secret from a file
 * @token: receives the secret; kv_token_wipe() forgets it
 * @path: the file; its owner is root or the user who runs this, and only the owner may use
 *	it. A newline at the file's end does not count
 */
int kv_token_read(struct kv_token *token, const char *path, struct kv_fault *f)
{
	/* O_NONBLOCK: opening a pipe would wait for the pipe's other end. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;

	memset(token, 0, sizeof(*token));
	if (fd < 0)
		return kv_fault_set(f, -errno, "--token %s: %s", path, strerror(errno));
	ret = check_file(fd, path, f);
	if (ret)
		goto out_close;
	ret = read_all(fd, token);
	if (ret) {
		kv_fault_set(f, ret, "--token %s: %s", path, strerror(-ret));
		goto out_close;
	}
	if (token->length && token->secret[token->length - 1] == '\n')
		token->length--;
	if (token->length < KV_TOKEN_MIN || token->length > KV_TOKEN_MAX)
		ret = kv_fault_set(f, -EINVAL,
				   "--token %s: the secret must be %d .. %d bytes long; 'head -c 32 /dev/urandom | base64' makes one",
				   path, KV_TOKEN_MIN, KV_TOKEN_MAX);
out_close:
	if (ret)
		kv_token_wipe(token);
	close(fd);
	return ret;
}

/** kv_token_nonce() - choose a number that is used once */
int kv_token_nonce(uint8_t nonce[KV_NONCE_BYTES])
{
	ssize_t n;

	do
		n = getrandom(nonce, KV_NONCE_BYTES, 0);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n == KV_NONCE_BYTES ? 0 : -EIO;
}

/* nettle leaves the key on the stack, in a block that is padded and masked. */
__attribute__((noinline))
static void clear_stack(void)
{
	uint8_t below[4096];

	explicit_bzero(below, sizeof(below));
}

/** kv_token_sign() - prove that the secret is known, without sending it (HMAC, RFC 2104) */
void kv_token_sign(const struct kv_token *token, const struct kv_proof *proof,
		   uint8_t mac[KV_MAC_BYTES])
{
	uint8_t space = (uint8_t)proof->space;
	struct hmac_sha256_ctx ctx;

	/* Each part has a fixed length or ends with NUL: no two proofs are the same bytes. */
	hmac_sha256_set_key(&ctx, token->length, token->secret);
	hmac_sha256_update(&ctx, strlen(proof->role) + 1, (const uint8_t *)proof->role);
	hmac_sha256_update(&ctx, KV_NONCE_BYTES, proof->server_nonce);
	hmac_sha256_update(&ctx, KV_NONCE_BYTES, proof->client_nonce);
	hmac_sha256_update(&ctx, 1, &space);
	hmac_sha256_update(&ctx, strlen(proof->dev) + 1, (const uint8_t *)proof->dev);
	hmac_sha256_digest(&ctx, KV_MAC_BYTES, mac);
	explicit_bzero(&ctx, sizeof(ctx));
	clear_stack();
}

/** kv_token_is_equal() - compare signatures in constant time */
bool kv_token_is_equal(const uint8_t a[KV_MAC_BYTES], const uint8_t b[KV_MAC_BYTES])
{
	return memeql_sec(a, b, KV_MAC_BYTES);
}
