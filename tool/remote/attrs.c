// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cli/parse.h"
#include "kernel/fields.h"
#include "remote/wire.h"

/* The struct or member that is checked, for the text of a refusal. */
struct place {
	const struct place *up;
	const char *name;
	int index; /* index in the list; -1: in no list */
	struct kv_fault *fault;
};

/* Appends to @text. */
static void print_place(const struct place *p, char *text, size_t size)
{
	if (p->up) {
		print_place(p->up, text, size);
		kv_append(text, size, ".");
	}
	kv_append(text, size, "%s", p->name);
	if (p->index >= 0)
		kv_append(text, size, "[%d]", p->index);
}

__attribute__((format(printf, 2, 3)))
static int refuse(const struct place *p, const char *fmt, ...)
{
	char where[128] = "", what[256];
	va_list args;

	print_place(p, where, sizeof(where));
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return kv_fault_set(p->fault, -EBADMSG, "%s %s", where, what);
}

static int check_number(const struct kv_member *m, struct nlattr *attr, const struct place *p)
{
	int size = m->type == KV_MEMBER_U64 ? 8 : 4;
	uint64_t u64 = 0;
	uint32_t u32 = 0;
	int64_t value;

	if (nla_len(attr) != size)
		return refuse(p, "has %d bytes, not %d", nla_len(attr), size);
	if (size == 8) {
		memcpy(&u64, nla_data(attr), sizeof(u64));
		return u64 > m->max ? refuse(p, "is %" PRIu64 ", more than %" PRIu64, u64, m->max) : 0;
	}
	memcpy(&u32, nla_data(attr), sizeof(u32));
	value = m->type == KV_MEMBER_S32 ? (int64_t)(int32_t)u32 : (int64_t)u32;
	if (value < m->min || (value > 0 && (uint64_t)value > m->max))
		return refuse(p, "is %" PRId64 ", not %" PRId64 " .. %" PRIu64, value, m->min,
			      m->max);
	return 0;
}

/* A text ends with its only NUL, is shorter than the room, and is printable. */
static int check_text(const struct kv_member *m, struct nlattr *attr, const struct place *p)
{
	size_t size = (size_t)nla_len(attr);
	const char *text = nla_data(attr), *wrong;

	if (!size || strnlen(text, size) != size - 1)
		return refuse(p, "is no text");
	if (size > m->size)
		return refuse(p, "has %zu characters, at most %u are possible", size - 1,
			      m->size - 1);
	wrong = kv_printable_check(text);
	return wrong ? refuse(p, "%s", wrong) : 0;
}

static int check_address(struct nlattr *attr, const struct place *p)
{
	size_t size = (size_t)nla_len(attr);
	sa_family_t family = AF_UNSPEC;

	if (size >= sizeof(family))
		memcpy(&family, nla_data(attr), sizeof(family));
	if (family == AF_INET && size == sizeof(struct sockaddr_in))
		return 0;
	if (family == AF_INET6 && size == sizeof(struct sockaddr_in6))
		return 0;
	return refuse(p, "is no address with a port");
}

static int check_attrs(const struct kv_shape *shape, struct nlattr *attrs, int len,
		       const struct place *p);

static int check_value(const struct kv_member *m, struct nlattr *attr, const struct place *p)
{
	size_t size = (size_t)nla_len(attr);

	switch (m->type) {
	case KV_MEMBER_U32:
	case KV_MEMBER_S32:
	case KV_MEMBER_U64:
		return check_number(m, attr, p);
	case KV_MEMBER_BOOL:
		return size ? refuse(p, "has %zu bytes, not 0", size) : 0;
	case KV_MEMBER_TEXT:
	case KV_MEMBER_TEXT_AT:
		return check_text(m, attr, p);
	case KV_MEMBER_HEX:
		return size != m->size ? refuse(p, "has %zu bytes, not %u", size, m->size) : 0;
	case KV_MEMBER_HEX_UPTO:
		return size > m->size ? refuse(p, "has %zu bytes, at most %u are possible", size,
					       m->size) : 0;
	case KV_MEMBER_ADDRESS:
		return check_address(attr, p);
	case KV_MEMBER_STRUCT:
	case KV_MEMBER_LIST:
		return check_attrs(m->shape, nla_data(attr), nla_len(attr), p);
	case KV_MEMBER_NEST: /* its reader checks its attributes */
		return 0;
	}
	return -EBADMSG;
}

static int type_of(const struct kv_member *m)
{
	return m->shape || m->type == KV_MEMBER_NEST ? m->attr | NLA_F_NESTED : m->attr;
}

static bool is_optional(const struct kv_member *m)
{
	return m->bit || m->when == KV_WHEN_HAS || kv_member_lacks_zero(m) ||
	       m->type == KV_MEMBER_BOOL || m->type == KV_MEMBER_HEX_UPTO ||
	       m->type == KV_MEMBER_ADDRESS || m->type == KV_MEMBER_LIST;
}

/* Checks all attributes of one member. */
static int check_member(const struct kv_member *m, struct nlattr *attrs, int len,
			struct place *p, bool optional)
{
	struct nlattr *attr;
	unsigned int n = 0;
	int rest, ret = 0;

	p->name = m->name;
	p->index = -1;
	nla_for_each_attr(attr, attrs, len, rest)
		n += attr->nla_type == type_of(m);
	if (!n && !optional && !is_optional(m))
		return refuse(p, "is missing");
	if (m->type == KV_MEMBER_LIST && n > m->size)
		return refuse(p, "has %u elements, at most %u are possible", n, m->size);
	if (m->type != KV_MEMBER_LIST && n > 1)
		return refuse(p, "is there %u times", n);
	nla_for_each_attr(attr, attrs, len, rest) {
		if (attr->nla_type != type_of(m))
			continue;
		p->index += m->type == KV_MEMBER_LIST;
		ret = check_value(m, attr, p);
		if (ret)
			break;
	}
	return ret;
}

/* @optional: every member is optional. */
static int check_members(const struct kv_shape *shape, struct nlattr *attrs, int len,
			 const struct place *p, bool optional)
{
	struct place inner = { .up = p, .fault = p->fault };
	int ret = 0;

	for (unsigned int i = 0; i < shape->members && !ret; i++) {
		const struct kv_member *m = &shape->member[i];

		if (m->attr)
			ret = check_member(m, attrs, len, &inner, optional);
		else if (m->shape)
			ret = check_members(m->shape, attrs, len, p, optional || m->bit);
	}
	return ret;
}

/* Do attributes and their padding fill @len bytes? Only then a loop over them is safe. */
static bool is_whole(const struct nlattr *attr, int len)
{
	while (len >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN &&
	       NLA_ALIGN(attr->nla_len) <= len) {
		len -= NLA_ALIGN(attr->nla_len);
		attr = (const struct nlattr *)((const char *)attr + NLA_ALIGN(attr->nla_len));
	}
	return !len;
}

static int check_attrs(const struct kv_shape *shape, struct nlattr *attrs, int len,
		       const struct place *p)
{
	const struct kv_member *m;
	struct nlattr *attr;
	int rest;

	if (!is_whole(attrs, len))
		return refuse(p, "ends within an attribute");
	nla_for_each_attr(attr, attrs, len, rest) {
		m = kv_nl_find(shape, nla_type(attr));
		if (!m || attr->nla_type != type_of(m))
			return refuse(p, "has an unknown attribute 0x%x", attr->nla_type);
	}
	return check_members(shape, attrs, len, p, false);
}

/**
 * kv_attrs_take() - take a struct out of a message from another host
 * @attrs: the attributes
 * @len: bytes of the attributes
 * @name: name of the whole struct, for @f
 * @to: receives the struct, zeroed first; its pointers to texts point into the message;
 *	the caller gives it to kv_nl_release()
 * @f: receives what is wrong
 *
 * Return: 0, or -EBADMSG if a member is missing, unknown, present twice, of another size or out
 * of range; then @to is not touched.
 */
int kv_attrs_take(const struct kv_shape *shape, struct nlattr *attrs, int len, const char *name,
		  void *to, struct kv_fault *f)
{
	const struct place whole = { .name = name, .index = -1, .fault = f };
	int ret = check_attrs(shape, attrs, len, &whole);

	if (ret || !shape->size)
		return ret;
	memset(to, 0, shape->size);
	ret = kv_nl_take(shape, attrs, len, to);
	if (ret)
		kv_nl_release(shape, to);
	return ret;
}
