// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "cli/printable.h"
#include "remote/codec.h"

/* An address with a scope, a space and a port. */
#define ADDRESS_TEXT (INET6_ADDRSTRLEN + 32)

/* "0x" and 64 bits. */
#define U64_TEXT 19

static uint32_t count_of(const struct kv_member *m, const char *base)
{
	uint32_t n;

	memcpy(&n, base + m->count, sizeof(n));
	return n < m->size ? n : m->size;
}

static struct json_object *encode_hex(const uint8_t *bytes, size_t n)
{
	char *text = malloc(2 * n + 1);
	struct json_object *obj;

	if (!text)
		return NULL;
	for (size_t i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	text[2 * n] = '\0';
	obj = json_object_new_string(text);
	free(text);
	return obj;
}

static struct json_object *encode_address(const void *at)
{
	char text[ADDRESS_TEXT] = "", *end;
	struct sockaddr_storage ss;
	struct sockaddr_in6 in6;
	struct sockaddr_in in;

	memcpy(&ss, at, sizeof(ss));
	memcpy(&in, at, sizeof(in));
	memcpy(&in6, at, sizeof(in6));
	if (ss.ss_family == AF_INET &&
	    inet_ntop(AF_INET, &in.sin_addr, text, INET6_ADDRSTRLEN)) {
		end = text + strlen(text);
		sprintf(end, " %u", ntohs(in.sin_port));
	} else if (ss.ss_family == AF_INET6 &&
		   inet_ntop(AF_INET6, &in6.sin6_addr, text, INET6_ADDRSTRLEN)) {
		end = text + strlen(text);
		if (in6.sin6_scope_id)
			end += sprintf(end, "%%%" PRIu32, in6.sin6_scope_id);
		sprintf(end, " %u", ntohs(in6.sin6_port));
	}
	return json_object_new_string(text);
}

static struct json_object *encode_list(const struct kv_member *m,
				       const char *base)
{
	struct json_object *list = json_object_new_array(), *one;
	uint32_t n = count_of(m, base);

	for (uint32_t i = 0; list && i < n; i++) {
		one = kv_codec_encode(m->shape,
				      base + m->offset + i * m->shape->size);
		if (one && !json_object_array_add(list, one))
			continue;
		json_object_put(one);
		json_object_put(list);
		list = NULL;
	}
	return list;
}

static struct json_object *encode_member(const struct kv_member *m,
					 const char *base)
{
	const char *at = base + m->offset, *string;
	struct json_object *obj;
	char text[U64_TEXT];
	uint32_t u32;
	int32_t s32;
	uint64_t u64;

	switch (m->type) {
	case KV_MEMBER_U32:
		memcpy(&u32, at, sizeof(u32));
		return json_object_new_int64(u32);
	case KV_MEMBER_S32:
		memcpy(&s32, at, sizeof(s32));
		return json_object_new_int64(s32);
	case KV_MEMBER_U64:
		memcpy(&u64, at, sizeof(u64));
		snprintf(text, sizeof(text), "0x%" PRIx64, u64);
		return json_object_new_string(text);
	case KV_MEMBER_BOOL:
		return json_object_new_boolean(*(const bool *)at);
	case KV_MEMBER_TEXT:
		return json_object_new_string_len(at, (int)strnlen(at, m->size - 1));
	case KV_MEMBER_TEXT_AT:
		memcpy(&string, at, sizeof(string));
		return json_object_new_string(string ? string : "");
	case KV_MEMBER_HEX:
		return encode_hex((const uint8_t *)at, m->size);
	case KV_MEMBER_HEX_UPTO:
		return encode_hex((const uint8_t *)at, count_of(m, base));
	case KV_MEMBER_ADDRESS:
		return encode_address(at);
	case KV_MEMBER_STRUCT:
		return kv_codec_encode(m->shape, at);
	case KV_MEMBER_LIST:
		return encode_list(m, base);
	case KV_MEMBER_OBJECT:
		memcpy(&obj, at, sizeof(obj));
		return json_object_get(obj);
	}
	return NULL;
}

/**
 * kv_codec_encode() - write a struct as JSON
 * @shape: of the struct
 * @from: the struct; counts beyond the room there is are cut
 *
 * Return: an object that is the caller's, or NULL if there is no memory.
 */
struct json_object *kv_codec_encode(const struct kv_shape *shape,
				    const void *from)
{
	struct json_object *obj = json_object_new_object(), *one;

	for (unsigned int i = 0; obj && i < shape->members; i++) {
		const struct kv_member *m = &shape->member[i];

		one = encode_member(m, from);
		if (one && !json_object_object_add(obj, m->name, one))
			continue;
		json_object_put(one);
		json_object_put(obj);
		obj = NULL;
	}
	return obj;
}

/* Where the decoder is, for texts; and where those go. */
struct place {
	const struct place *up;
	const char *name;
	int index; /* -1: of no list */
	char *why;
	size_t size;
};

static size_t print_place(const struct place *p, char *text, size_t size)
{
	size_t n = 0;

	if (p->up) {
		n = print_place(p->up, text, size);
		if (n < size)
			n += (size_t)snprintf(text + n, size - n, ".");
	}
	if (n < size)
		n += (size_t)snprintf(text + n, size - n, "%s", p->name);
	if (p->index >= 0 && n < size)
		n += (size_t)snprintf(text + n, size - n, "[%d]", p->index);
	return n;
}

__attribute__((format(printf, 2, 3)))
static int refuse(const struct place *p, const char *fmt, ...)
{
	size_t n = print_place(p, p->why, p->size);
	va_list args;

	va_start(args, fmt);
	if (n + 1 < p->size) {
		p->why[n++] = ' ';
		vsnprintf(p->why + n, p->size - n, fmt, args);
	}
	va_end(args);
	return -EBADMSG;
}

static int decode_shape(const struct kv_shape *shape, struct json_object *obj,
			const struct place *p, char *to);

/* A text without NUL that can be shown, shorter than @room. */
static const char *text_of(struct json_object *obj, const struct place *p,
			   size_t room)
{
	const char *text, *wrong;
	size_t n;

	if (!json_object_is_type(obj, json_type_string)) {
		refuse(p, "is no text");
		return NULL;
	}
	text = json_object_get_string(obj);
	n = (size_t)json_object_get_string_len(obj);
	if (n >= room) {
		refuse(p, "has %zu characters, at most %zu are possible", n,
		       room - 1);
		return NULL;
	}
	wrong = strlen(text) == n ? kv_printable_check(text) : "has a character that can't be printed";
	if (!wrong)
		return text;
	refuse(p, "%s", wrong);
	return NULL;
}

static int decode_number(const struct kv_member *m, struct json_object *obj,
			 const struct place *p, char *at)
{
	int64_t value;
	uint32_t u32;
	int32_t s32;

	if (!json_object_is_type(obj, json_type_int))
		return refuse(p, "is no whole number");
	value = json_object_get_int64(obj);
	if (value < m->min || (value > 0 && (uint64_t)value > m->max))
		return refuse(p, "is %" PRId64 ", not %" PRId64 " .. %" PRIu64,
			      value, m->min, m->max);
	if (m->type == KV_MEMBER_U32) {
		u32 = (uint32_t)value;
		memcpy(at, &u32, sizeof(u32));
	} else {
		s32 = (int32_t)value;
		memcpy(at, &s32, sizeof(s32));
	}
	return 0;
}

static int decode_u64(const struct kv_member *m, struct json_object *obj,
		      const struct place *p, char *at)
{
	const char *text = text_of(obj, p, U64_TEXT);
	uint64_t value;
	char *end;

	if (!text)
		return -EBADMSG;
	if (text[0] != '0' || text[1] != 'x' || !isxdigit((unsigned char)text[2]))
		return refuse(p, "is no number in hex");
	value = strtoull(text + 2, &end, 16);
	if (*end)
		return refuse(p, "is no number in hex");
	if (value > m->max)
		return refuse(p, "is %" PRIu64 ", more than %" PRIu64, value,
			      m->max);
	memcpy(at, &value, sizeof(value));
	return 0;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* @n: receives how many bytes there are, up to @size. */
static int decode_hex(struct json_object *obj, const struct place *p,
		      uint8_t *to, uint32_t size, uint32_t *n)
{
	const char *text = text_of(obj, p, 2 * (size_t)size + 1);
	int high, low;

	if (!text)
		return -EBADMSG;
	for (*n = 0; text[0]; text += 2) {
		high = nibble(text[0]);
		low = high < 0 ? -1 : nibble(text[1]);
		if (low < 0)
			return refuse(p, "is no sequence of bytes in hex");
		to[(*n)++] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

static int decode_bytes(const struct kv_member *m, struct json_object *obj,
			const struct place *p, char *base)
{
	uint32_t n;
	int ret;

	ret = decode_hex(obj, p, (uint8_t *)base + m->offset, m->size, &n);
	if (ret)
		return ret;
	if (m->type == KV_MEMBER_HEX_UPTO)
		memcpy(base + m->count, &n, sizeof(n));
	else if (n != m->size)
		return refuse(p, "has %u bytes, not %u", n, m->size);
	return 0;
}

/* Cuts a number off the end, which @mark begins; -1: there is none. */
static int64_t cut_number(char *text, char mark, uint64_t max)
{
	char *at = strrchr(text, mark), *end;
	unsigned long long value;

	if (!at || !isdigit((unsigned char)at[1]))
		return -1;
	errno = 0;
	value = strtoull(at + 1, &end, 10);
	if (*end || errno || value > max)
		return -1;
	*at = '\0';
	return (int64_t)value;
}

static int decode_address(struct json_object *obj, const struct place *p,
			  char *at)
{
	const char *text = text_of(obj, p, ADDRESS_TEXT);
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in in = { .sin_family = AF_INET };
	char copy[ADDRESS_TEXT];
	int64_t port, scope = 0;

	if (!text)
		return -EBADMSG;
	if (!*text)
		return 0;
	strcpy(copy, text);
	port = cut_number(copy, ' ', 65535);
	if (port < 0)
		return refuse(p, "is no address with a port");
	in.sin_port = in6.sin6_port = htons((uint16_t)port);
	if (inet_pton(AF_INET, copy, &in.sin_addr) == 1) {
		memcpy(at, &in, sizeof(in));
		return 0;
	}
	if (strchr(copy, '%'))
		scope = cut_number(copy, '%', UINT32_MAX);
	if (scope < 0 || inet_pton(AF_INET6, copy, &in6.sin6_addr) != 1)
		return refuse(p, "is no address with a port");
	in6.sin6_scope_id = (uint32_t)scope;
	memcpy(at, &in6, sizeof(in6));
	return 0;
}

static int decode_list(const struct kv_member *m, struct json_object *obj,
		       const struct place *p, char *base)
{
	struct place one = *p;
	uint32_t n;
	size_t len;
	int ret = 0;

	if (!json_object_is_type(obj, json_type_array))
		return refuse(p, "is no list");
	len = json_object_array_length(obj);
	if (len > m->size)
		return refuse(p, "has %zu elements, at most %u are possible",
			      len, m->size);
	n = (uint32_t)len;
	memcpy(base + m->count, &n, sizeof(n));
	for (uint32_t i = 0; i < n && !ret; i++) {
		one.index = (int)i;
		ret = decode_shape(m->shape, json_object_array_get_idx(obj, i),
				   &one, base + m->offset + i * m->shape->size);
	}
	return ret;
}

static int decode_member(const struct kv_member *m, struct json_object *obj,
			 const struct place *p, char *base)
{
	char *at = base + m->offset;
	const char *text;

	switch (m->type) {
	case KV_MEMBER_U32:
	case KV_MEMBER_S32:
		return decode_number(m, obj, p, at);
	case KV_MEMBER_U64:
		return decode_u64(m, obj, p, at);
	case KV_MEMBER_BOOL:
		if (!json_object_is_type(obj, json_type_boolean))
			return refuse(p, "is neither true nor false");
		*(bool *)at = json_object_get_boolean(obj);
		return 0;
	case KV_MEMBER_TEXT:
	case KV_MEMBER_TEXT_AT:
		text = text_of(obj, p, m->size);
		if (!text)
			return -EBADMSG;
		if (m->type == KV_MEMBER_TEXT)
			strcpy(at, text);
		else
			memcpy(at, &text, sizeof(text));
		return 0;
	case KV_MEMBER_HEX:
	case KV_MEMBER_HEX_UPTO:
		return decode_bytes(m, obj, p, base);
	case KV_MEMBER_ADDRESS:
		return decode_address(obj, p, at);
	case KV_MEMBER_STRUCT:
		return decode_shape(m->shape, obj, p, at);
	case KV_MEMBER_LIST:
		return decode_list(m, obj, p, base);
	case KV_MEMBER_OBJECT:
		if (!json_object_is_type(obj, json_type_object))
			return refuse(p, "is no object");
		memcpy(at, &obj, sizeof(obj));
		return 0;
	}
	return -EBADMSG;
}

static bool is_known(const struct kv_shape *shape, const char *name)
{
	for (unsigned int i = 0; i < shape->members; i++) {
		if (!strcmp(shape->member[i].name, name))
			return true;
	}
	return false;
}

static int refuse_unknown(const struct kv_shape *shape, struct json_object *obj,
			  const struct place *p)
{
	json_object_object_foreach(obj, key, value) {
		(void)value;
		if (is_known(shape, key))
			continue;
		/* Printed as it came, it could be anything. */
		for (const char *c = key; *c; c++) {
			if (!isalnum((unsigned char)*c) && *c != '_')
				return refuse(p, "has a member that has no name");
		}
		return refuse(p, "has an unknown member '%.32s'", key);
	}
	return 0;
}

static int decode_shape(const struct kv_shape *shape, struct json_object *obj,
			const struct place *p, char *to)
{
	struct place inner = {
		.up = p,
		.index = -1,
		.why = p->why,
		.size = p->size,
	};
	struct json_object *value;
	int ret = 0;

	if (!json_object_is_type(obj, json_type_object))
		return refuse(p, "is no object");
	for (unsigned int i = 0; i < shape->members && !ret; i++) {
		const struct kv_member *m = &shape->member[i];

		inner.name = m->name;
		if (json_object_object_get_ex(obj, m->name, &value))
			ret = decode_member(m, value, &inner, to);
		else
			ret = refuse(&inner, "is missing");
	}
	if (!ret && (unsigned int)json_object_object_length(obj) != shape->members)
		ret = refuse_unknown(shape, obj, p);
	return ret;
}

/**
 * kv_codec_decode() - read a struct from JSON
 * @shape: of the struct
 * @obj: what is read; NULL is null
 * @name: of the whole, for @why
 * @to: receives it; zeroed first. A text that is pointed to is @obj's
 * @why: receives what is wrong, a phrase
 * @size: room there
 *
 * Return: 0 or -EBADMSG; then @to has anything.
 */
int kv_codec_decode(const struct kv_shape *shape, struct json_object *obj,
		    const char *name, void *to, char *why, size_t size)
{
	const struct place whole = {
		.name = name,
		.index = -1,
		.why = why,
		.size = size,
	};

	memset(to, 0, shape->size);
	return decode_shape(shape, obj, &whole, to);
}

static int find_ids(const struct kv_member *m, const void *from, kv_codec_id fn,
		    void *arg)
{
	const char *at = (const char *)from + m->offset;
	uint32_t n = 1, id;
	int ret = 0;

	if (m->refers) {
		memcpy(&id, at, sizeof(id));
		return id ? fn(m->refers, m->name, id, arg) : 0;
	}
	if (!m->shape)
		return 0;
	if (m->type == KV_MEMBER_LIST)
		memcpy(&n, (const char *)from + m->count, sizeof(n));
	for (uint32_t i = 0; i < n && !ret; i++)
		ret = kv_codec_ids(m->shape, at + i * m->shape->size, fn, arg);
	return ret;
}

/**
 * kv_codec_ids() - the ids that a struct names
 * @shape: of the struct
 * @from: it
 * @fn: called for each but 0, in the shape's order
 * @arg: its last argument
 *
 * Return: 0, or what @fn ended it with.
 */
int kv_codec_ids(const struct kv_shape *shape, const void *from, kv_codec_id fn,
		 void *arg)
{
	int ret = 0;

	for (unsigned int i = 0; i < shape->members && !ret; i++)
		ret = find_ids(&shape->member[i], from, fn, arg);
	return ret;
}
