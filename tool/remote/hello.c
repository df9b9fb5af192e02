// SPDX-License-Identifier: MIT
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include "cli/parse.h"
#include "kernel/fields.h"
#include "model/row.h"
#include "remote/hello.h"

#define HEAD_DEPTH 8

/* Numbers in attributes have the byte order of the processor, and are not swapped. */
#define ORDER (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big")

#include "model/as_shape.h"
#include "remote/hello.def"

/**
 * kv_hello_send() - send the first message
 * @shape: shape of the message's content
 * @from: the content, or NULL: only the head, which tells the protocol
 *
 * Return: 0 or a negative errno, with the reason in w->fault; this holds for all functions below.
 */
int kv_hello_send(struct kv_wire *w, const struct kv_shape *shape, const void *from)
{
	struct nl_msg *msg = kv_wire_begin(w);
	char text[128];

	if (from)
		kv_nl_put_all(msg, shape, from);
	snprintf(text, sizeof(text), "{\"protocol\":%u,\"version\":\"%s\",\"order\":\"%s\"}",
		 KV_PROTOCOL, KVERBS_VERSION, ORDER);
	return kv_wire_send_hello(w, text);
}

static int parse(struct kv_wire *w, struct json_object **obj)
{
	struct json_tokener *tok = json_tokener_new_ex(HEAD_DEPTH);
	enum json_tokener_error error;
	int ret = 0;

	if (!tok)
		return kv_fault_no_memory(&w->fault);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*obj = json_tokener_parse_ex(tok, w->head, (int)w->head_length);
	error = json_tokener_get_error(tok);
	if (error != json_tokener_success || json_tokener_get_parse_end(tok) != w->head_length ||
	    !json_object_is_type(*obj, json_type_object)) {
		ret = kv_fault_set(&w->fault, -EBADMSG, "a message is no JSON object: %s",
			     error == json_tokener_success ? "it is something else" :
							     json_tokener_error_desc(error));
		json_object_put(*obj);
	}
	json_tokener_free(tok);
	return ret;
}

/* The text comes from another host, and was not checked before. */
static const char *text_of(struct json_object *obj, const char *name)
{
	struct json_object *value;
	const char *text = NULL;

	if (json_object_object_get_ex(obj, name, &value))
		text = json_object_get_string(value);
	return text && !kv_printable_check(text) ? text : "?";
}

static uint32_t protocol_of(struct json_object *obj)
{
	struct json_object *value;
	int64_t number;

	if (!json_object_object_get_ex(obj, "protocol", &value) ||
	    !json_object_is_type(value, json_type_int))
		return 0;
	number = json_object_get_int64(value);
	return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* A head of this protocol has these members, and no others. */
static int check_members(struct kv_wire *w, struct json_object *obj)
{
	static const char *const names[] = { "version", "order" };
	struct json_object *value;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!json_object_object_get_ex(obj, names[i], &value))
			return kv_fault_set(&w->fault, -EBADMSG, "hello.%s is missing", names[i]);
		if (!json_object_is_type(value, json_type_string))
			return kv_fault_set(&w->fault, -EBADMSG, "hello.%s is no text", names[i]);
	}
	if (json_object_object_length(obj) != 3)
		return kv_fault_set(&w->fault, -EBADMSG, "hello has an unknown member");
	if (strcmp(text_of(obj, "order"), ORDER))
		return kv_fault_set(&w->fault, -EPROTONOSUPPORT,
			      "the two hosts have different byte orders, and kverbs does not convert them");
	return 0;
}

/**
 * kv_hello_take_head() - look at the protocol of the first message
 * @w: the wire, which has received the message
 * @head: receives the head; the rest may be read only if the protocol is ours
 *
 * Return: 0, also for another protocol; -EBADMSG; -EPROTONOSUPPORT: same protocol, but the
 * hosts have different byte orders; -ENOMEM.
 */
int kv_hello_take_head(struct kv_wire *w, struct kv_hello_head *head)
{
	struct json_object *obj = NULL;
	const char *version;
	int ret = parse(w, &obj);

	if (ret)
		return ret;
	version = text_of(obj, "version");
	strcpy(head->version, strlen(version) < sizeof(head->version) ? version : "?");
	head->protocol = protocol_of(obj);
	if (head->protocol == KV_PROTOCOL)
		ret = check_members(w, obj);
	json_object_put(obj);
	return ret;
}

/**
 * kv_hello_take() - take the rest of the first message
 * @w: the wire; kv_hello_take_head() has found our protocol in the message
 * @shape: shape of the message's content
 *
 * Return: 0 or -EBADMSG.
 */
int kv_hello_take(struct kv_wire *w, const struct kv_shape *shape, void *to)
{
	return kv_attrs_take(shape, (struct nlattr *)w->data, (int)w->data_length, "hello", to,
			     &w->fault);
}

/** kv_hello_clean() - replace all but printable ASCII in a text that is sent */
void kv_hello_clean(char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			*text = '?';
	}
}
