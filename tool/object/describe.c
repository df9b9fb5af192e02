// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include "cli/parse.h"
#include "model/site.h"
#include "object/describe.h"
#include "out/out.h"
#include "rules/qp_table.h"

/**
 * kv_describe_flags() - describe a set of words
 * @table: the words, whose values are bits
 *
 * Return: an array of the words whose bits are set, owned by the caller.
 */
struct json_object *kv_describe_flags(const struct kv_enum *table, uint32_t flags)
{
	struct json_object *list = json_object_new_array();

	for (; table->name; table++) {
		if (flags & table->value)
			json_object_array_add(list, json_object_new_string(table->name));
	}
	return list;
}

/**
 * kv_describe_gid() - describe a GID
 * @key: its key in @obj
 * @gid: network order
 */
void kv_describe_gid(struct json_object *obj, const char *key, const uint8_t gid[16])
{
	char text[INET6_ADDRSTRLEN];

	kv_out_put_string(obj, key, inet_ntop(AF_INET6, gid, text, sizeof(text)));
}

static void put_mac(struct json_object *obj, const char *key, const uint8_t mac[6])
{
	char text[sizeof("00:00:00:00:00:00")];

	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	kv_out_put_string(obj, key, text);
}

static void put_address(struct json_object *obj, const char *key,
			const struct sockaddr_storage *addr, enum kv_form form)
{
	/* Both families have the port at the same offset. */
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;
	char text[KV_SOCKADDR_TEXT];

	kv_sockaddr_format(text, addr);
	if (form == KV_FORM_PORT)
		kv_out_put_count(obj, key, ntohs(in->sin_port));
	else if (*text)
		kv_out_put_string(obj, key, text);
}

/* Private data; if it is all padding, it counts as none. */
static void put_bytes(struct json_object *obj, const char *key, const uint8_t *data,
		      uint32_t length, bool counted)
{
	char text[KV_BYTES_TEXT(KVERBS_CONN_PRIVATE_MAX)];

	if (!length || !kv_bytes_text(text, data, length))
		return;
	if (counted)
		kv_out_put_count(obj, "private_length", length);
	kv_out_put_string(obj, key, text);
}

/* A number, and its name beside it. */
static void put_named(struct json_object *obj, const char *key, int64_t value, const char *name)
{
	char beside[64];

	snprintf(beside, sizeof(beside), "%s_name", key);
	kv_out_put(obj, key, json_object_new_int64(value));
	kv_out_put_string(obj, beside, name);
}

/* The name of a CM status. The reason that a rejecting peer gave is in another member. */
static const char *cm_status_name(const struct kv_shape *shape, const char *from, int32_t status)
{
	const struct kv_member *reason = kv_member_find(shape, "reason");

	if (reason && from[reason->offset])
		return from + reason->offset;
	return status < 0 ? kv_errno_name(status) :
			    kv_enum_name(kv_enum_cm_reason, (uint32_t)status);
}

static void put_number(struct json_object *obj, const char *key, const struct kv_member *m,
		       uint32_t value)
{
	switch (m->form) {
	case KV_FORM_ENUM:
		kv_out_put_string(obj, key, kv_enum_name(m->names, value));
		break;
	case KV_FORM_FLAGS:
		kv_out_put(obj, key, kv_describe_flags(m->names, value));
		break;
	case KV_FORM_BITS:
		for (const struct kv_enum *w = m->names; w->name; w++) {
			if (value & w->value)
				kv_out_put_bool(obj, w->name, true);
		}
		break;
	case KV_FORM_NAMED:
		put_named(obj, key, value, kv_enum_name(m->names, value));
		break;
	default:
		kv_out_put_count(obj, key, value);
		break;
	}
}

static struct json_object *make_list(const struct kv_shape *shape, const char *at, uint32_t n)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < n; i++) {
		struct json_object *element = json_object_new_object();

		kv_describe(element, shape, at + i * shape->size);
		json_object_array_add(list, element);
	}
	return list;
}

static bool is_told(const struct kv_shape *shape, const struct kv_member *m, const char *from)
{
	uint32_t beside;

	/* A list is described even if it is empty. */
	if (m->tell == KV_TELL_AS_PUT)
		return m->type == KV_MEMBER_LIST || kv_member_is_given(shape, m, from, false);
	if (m->bit && !(*(const uint32_t *)(from + shape->mask) & m->bit))
		return false;
	switch (m->tell) {
	case KV_TELL_NEVER:
		return false;
	case KV_TELL_NONZERO:
		return !kv_member_is_zero(m, from);
	case KV_TELL_WITH:
		return *(const bool *)(from + m->beside);
	case KV_TELL_BESIDE:
		return *(const uint32_t *)(from + m->beside);
	case KV_TELL_AMONG:
		beside = *(const uint32_t *)(from + m->beside);
		return beside < 32 && m->among & 1U << beside;
	case KV_TELL_AS_PUT:
	case KV_TELL_ALWAYS:
		break;
	}
	return true;
}

static void put_member(struct json_object *obj, const struct kv_shape *shape,
		       const struct kv_member *m, const char *from)
{
	const char *key = m->key ?: m->known ?: m->name, *at = from + m->offset;
	const uint8_t *bytes = (const uint8_t *)at;
	int32_t s32;

	switch (m->type) {
	case KV_MEMBER_U32:
		put_number(obj, key, m, *(const uint32_t *)at);
		break;
	case KV_MEMBER_S32:
		s32 = *(const int32_t *)at;
		if (m->form == KV_FORM_CM_STATUS)
			put_named(obj, key, s32, cm_status_name(shape, from, s32));
		else
			kv_out_put(obj, key, json_object_new_int(s32));
		break;
	case KV_MEMBER_U64:
		kv_out_put_count(obj, key, *(const uint64_t *)at);
		break;
	case KV_MEMBER_BOOL:
		kv_out_put_bool(obj, key, *at);
		break;
	case KV_MEMBER_TEXT:
		kv_out_put_string(obj, key, at);
		break;
	case KV_MEMBER_TEXT_AT:
		kv_out_put_string(obj, key, *(const char *const *)at);
		break;
	case KV_MEMBER_HEX:
		(m->size == 6 ? put_mac : kv_describe_gid)(obj, key, bytes);
		break;
	case KV_MEMBER_HEX_UPTO:
		put_bytes(obj, key, bytes, *(const uint32_t *)(from + m->count),
			  m->form == KV_FORM_COUNTED);
		break;
	case KV_MEMBER_ADDRESS:
		put_address(obj, key, (const struct sockaddr_storage *)at, m->form);
		break;
	case KV_MEMBER_STRUCT:
		kv_describe(obj, m->shape, at);
		break;
	case KV_MEMBER_LIST:
		kv_out_put(obj, key, make_list(m->shape, kv_member_elements(m, from),
					 *(const uint32_t *)(from + m->count)));
		break;
	case KV_MEMBER_NEST:
		break;
	}
}

/**
 * kv_describe() - describe a struct of the model
 * @obj: receives the members that kv_member.tell selects
 */
void kv_describe(struct json_object *obj, const struct kv_shape *shape, const void *from)
{
	for (unsigned int i = 0; i < shape->members; i++) {
		const struct kv_member *m = &shape->member[i];

		if (is_told(shape, m, from))
			put_member(obj, shape, m, from);
	}
}

/* Type and state come first; json-c keeps the position of a key that is added again. */
static void put_qp_state(struct json_object *obj, const struct kv_qp *qp)
{
	kv_out_put_string(obj, "type", kv_enum_name(kv_enum_qp_type, qp->type));
	if (qp->attr.mask & KV_QPA_STATE)
		kv_out_put_string(obj, "state", kv_enum_name(kv_enum_qp_state, qp->attr.state));
}

/**
 * kv_describe_object() - describe an object
 * @name: its name in this batch, or NULL
 */
void kv_describe_object(struct json_object *obj, enum kv_type type, const char *name,
			const union kv_object *object)
{
	/* All types begin with the same members. */
	kv_out_put_count(obj, "id", object->id);
	if (name)
		kv_out_put_string(obj, "name", name);
	kv_out_put_string(obj, "dev", object->pd.dev);
	kv_out_put_bool(obj, "persistent", object->pd.persistent);
	if (type == KV_QP)
		put_qp_state(obj, &object->qp);
	kv_describe(obj, kv_object_rows[type].shape, object);
}

/** kv_describe_event() - describe an event */
void kv_describe_event(struct json_object *obj, const struct kv_event *event)
{
	kv_describe(obj, &kv_shape_event, event);
	if (event->type == KVERBS_EVENT_RUN_DONE || event->error)
		kv_out_put_string(obj, "error",
				  event->error ? kv_errno_name(event->error) : "none");
}

/* The address by which the RDMA CM finds the device: on InfiniBand an IPoIB interface's. */
static void put_ip(struct json_object *obj, const struct kv_dev *dev, const struct kv_port *port,
		   const struct kv_gid *gid)
{
	static const uint8_t none[16];

	if (!kv_dev_is_iwarp(dev) && gid->type != KVERBS_GID_IB)
		kv_describe_gid(obj, "addr", gid->raw);
	else if (kv_dev_is_iwarp(dev) && memcmp(port->addr, none, sizeof(none)))
		kv_describe_gid(obj, "addr", port->addr);
}

/** kv_describe_dev() - describe the device and its port 1 in the form that references use */
void kv_describe_dev(struct json_object *obj, const struct kv_dev *dev)
{
	const struct kv_port *port = kv_port_find(dev, 1);
	const struct kv_gid *gid = port ? kv_gid_choose(port, -1) : NULL;

	kv_out_put_string(obj, "name", dev->name);
	if (!port)
		return;
	kv_out_put_count(obj, "lid", port->lid);
	kv_out_put_count(obj, "active_mtu_bytes", port->active_mtu);
	if (!gid)
		return;
	kv_out_put_count(obj, "gid_index", gid->index);
	kv_describe_gid(obj, "gid", gid->raw);
	put_ip(obj, dev, port, gid);
}
