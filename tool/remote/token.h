/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/fault.h"

#define KV_TOKEN_MIN 16
#define KV_TOKEN_MAX 4096
#define KV_NONCE_BYTES 32
#define KV_MAC_BYTES 32

/* A secret that two hosts share. */
struct kv_token {
	size_t length; /* bytes of the secret; 0: there is none */
	uint8_t secret[KV_TOKEN_MAX + 1]; /* the bytes */
};

/* Data that each side signs to prove that it knows the secret. */
struct kv_proof {
	/* "client" or "server", so that neither can send back the other's signature. */
	const char *role;
	const uint8_t *server_nonce; /* chosen by the server for this connection */
	const uint8_t *client_nonce; /* chosen by the client */
	uint32_t space; /* the space that the client wants */
	const char *dev; /* the device that the client wants */
};

int kv_token_read(struct kv_token *token, const char *path, struct kv_fault *f);
int kv_token_nonce(uint8_t nonce[KV_NONCE_BYTES]);
void kv_token_wipe(struct kv_token *token);
void kv_token_sign(const struct kv_token *token, const struct kv_proof *proof,
		   uint8_t mac[KV_MAC_BYTES]);
bool kv_token_is_equal(const uint8_t a[KV_MAC_BYTES], const uint8_t b[KV_MAC_BYTES]);
