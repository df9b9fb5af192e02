// SPDX-License-Identifier: MIT
#include "cli/parse.h"
#include "remote/hello.h"

#define S struct kv_limits
static const struct kv_member limits_members[] = {
	KV_U32(S, objects, UINT32_MAX),
	KV_U64(S, bytes, UINT64_MAX),
	KV_U64(S, time_ns, UINT64_MAX),
	KV_U64(S, idle_ns, UINT64_MAX),
};
#undef S

static const struct kv_shape shape_limits = KV_SHAPE(struct kv_limits, limits_members);

#define S struct kv_hello_server
static const struct kv_member server_members[] = {
	KV_U32(S, protocol, UINT32_MAX),
	KV_TEXT(S, version),
	KV_BOOL(S, kernel),
	KV_BOOL(S, user),
	KV_BOOL(S, token),
	KV_STRUCT(S, limits, shape_limits),
	KV_HEX(S, nonce),
};
#undef S

#define S struct kv_hello_client
static const struct kv_member client_members[] = {
	KV_U32(S, protocol, UINT32_MAX),
	KV_TEXT(S, version),
	KV_U32(S, space, KV_SPACES - 1),
	KV_TEXT(S, dev),
	KV_BOOL(S, token),
	KV_HEX(S, nonce),
	KV_HEX(S, mac),
};
#undef S

#define S struct kv_hello_answer
static const struct kv_member answer_members[] = {
	KV_S32(S, ret, -4095, 0),
	KV_TEXT(S, error),
	KV_TEXT(S, dev),
	KV_HEX(S, mac),
};
#undef S

const struct kv_shape kv_shape_hello_server =
	KV_SHAPE(struct kv_hello_server, server_members);
const struct kv_shape kv_shape_hello_client =
	KV_SHAPE(struct kv_hello_client, client_members);
const struct kv_shape kv_shape_hello_answer =
	KV_SHAPE(struct kv_hello_answer, answer_members);

/**
 * kv_hello_protocol() - which protocol does the other end speak?
 * @obj: its first message
 *
 * Return: its number; 0 if it tells none.
 */
uint32_t kv_hello_protocol(struct json_object *obj)
{
	struct json_object *value;
	int64_t number;

	if (!json_object_object_get_ex(obj, "protocol", &value) ||
	    !json_object_is_type(value, json_type_int))
		return 0;
	number = json_object_get_int64(value);
	return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/**
 * kv_hello_clean() - leave but ASCII that can be printed in a text that is sent
 * @text: the text
 */
void kv_hello_clean(char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			*text = '?';
	}
}
