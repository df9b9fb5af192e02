// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <netinet/in.h>
#include <linux/genetlink.h>
#include "nl/fields.h"

static bool is_zero(const char *at, size_t size)
{
	while (size && !*at) {
		at++;
		size--;
	}
	return !size;
}

static bool wanted(const struct kv_nl_table *table,
		   const struct kv_nl_field *f, const char *from)
{
	if (f->bit && !(*(const uint32_t *)(from + table->mask) & f->bit))
		return false;
	switch (f->when) {
	case KV_NL_NONZERO:
		return !is_zero(from + f->offset, f->size);
	case KV_NL_POSITIVE:
		return *(const int32_t *)(from + f->offset) >= 0;
	case KV_NL_HAS:
		return *(const bool *)(from + f->has);
	case KV_NL_ALWAYS:
		break;
	}
	return true;
}

static void put_nest(struct nl_msg *msg, const struct kv_nl_field *f,
		     const char *at)
{
	struct nlattr *nest = nla_nest_start(msg, f->attr | NLA_F_NESTED);

	kv_nl_put(msg, f->table, at);
	nla_nest_end(msg, nest);
}

static void put_nests(struct nl_msg *msg, const struct kv_nl_field *f,
		      const char *from)
{
	unsigned int i, n = *(const unsigned int *)(from + f->has);

	for (i = 0; i < n && i < f->max; i++)
		put_nest(msg, f, from + f->offset + i * f->size);
}

static void put_addr(struct nl_msg *msg, const struct kv_nl_field *f,
		     const struct sockaddr_storage *addr)
{
	if (addr->ss_family == AF_INET)
		nla_put(msg, f->attr, sizeof(struct sockaddr_in), addr);
	else if (addr->ss_family != AF_UNSPEC)
		nla_put(msg, f->attr, sizeof(struct sockaddr_in6), addr);
}

static void put_data(struct nl_msg *msg, const struct kv_nl_field *f,
		     const char *from)
{
	uint32_t length = *(const uint32_t *)(from + f->has);

	if (length && length <= f->size)
		nla_put(msg, f->attr, (int)length, from + f->offset);
}

static void put_field(struct nl_msg *msg, const struct kv_nl_field *f,
		      const char *from)
{
	const char *at = from + f->offset;

	switch (f->kind) {
	case KV_NL_U32:
	case KV_NL_U64:
	case KV_NL_BYTES:
		nla_put(msg, f->attr, (int)f->size, at);
		break;
	case KV_NL_DATA:
		put_data(msg, f, from);
		break;
	case KV_NL_ADDR:
		put_addr(msg, f, (const struct sockaddr_storage *)at);
		break;
	case KV_NL_FLAG:
		if (*(const bool *)at)
			nla_put_flag(msg, f->attr);
		break;
	case KV_NL_STRING:
		nla_put_string(msg, f->attr, at);
		break;
	case KV_NL_NAME:
		if (*(const char *const *)at)
			nla_put_string(msg, f->attr, *(const char *const *)at);
		break;
	case KV_NL_NEST:
		if (f->max)
			put_nests(msg, f, from);
		else
			put_nest(msg, f, at);
		break;
	case KV_NL_PART:
		kv_nl_put(msg, f->table, at);
		break;
	case KV_NL_NONE:
		break;
	}
}

/**
 * kv_nl_put() - a struct into a request
 * @msg: the request, as large as the largest: putting can't fail; or NULL,
 *	which kv_nl_request() will tell
 * @table: what is in the struct
 * @from: the struct
 */
void kv_nl_put(struct nl_msg *msg, const struct kv_nl_table *table,
	       const void *from)
{
	unsigned int i;

	for (i = 0; msg && i < table->fields; i++)
		if (wanted(table, &table->field[i], from))
			put_field(msg, &table->field[i], from);
}

/**
 * kv_nl_put_u32() - a number that is in no struct
 * @msg: the request, or NULL
 * @attr: its attribute
 * @value: the number
 */
void kv_nl_put_u32(struct nl_msg *msg, int attr, uint32_t value)
{
	if (msg)
		nla_put_u32(msg, attr, value);
}

/**
 * kv_nl_put_u64() - a long number that is in no struct
 * @msg: the request, or NULL
 * @attr: its attribute
 * @value: the number
 */
void kv_nl_put_u64(struct nl_msg *msg, int attr, uint64_t value)
{
	if (msg)
		nla_put_u64(msg, attr, value);
}

/* The field of an attribute; @base: offset of the struct that has it. */
static const struct kv_nl_field *find(const struct kv_nl_table **table,
				      int attr, size_t *base)
{
	const struct kv_nl_table *in = *table, *part;
	const struct kv_nl_field *found;
	unsigned int i;

	for (i = 0; i < in->fields; i++) {
		if (in->field[i].kind != KV_NL_PART) {
			if (in->field[i].attr == attr)
				return &in->field[i];
			continue;
		}
		part = in->field[i].table;
		found = find(&part, attr, base);
		if (found) {
			*table = part;
			*base += in->field[i].offset;
			return found;
		}
	}
	return NULL;
}

static int take_string(const struct kv_nl_field *f, struct nlattr *attr,
		       char *at)
{
	size_t length = strnlen(nla_data(attr), (size_t)nla_len(attr));

	if (length >= f->size)
		length = f->size - 1;
	memcpy(at, nla_data(attr), length);
	at[length] = '\0';
	return 0;
}

static int take_nest(const struct kv_nl_field *f, struct nlattr *attr,
		     char *to)
{
	unsigned int *n = (unsigned int *)(to + f->has);
	char *at = to + f->offset;
	int ret;

	if (f->max && *n >= f->max)
		return 0;
	if (f->max)
		at += *n * f->size;
	ret = kv_nl_take(f->table, nla_data(attr), nla_len(attr), at);
	if (!ret && f->max)
		++*n;
	return ret;
}

/* What is longer than the field is longer than any is. */
static int take_data(const struct kv_nl_field *f, struct nlattr *attr,
		     char *to)
{
	size_t length = (size_t)nla_len(attr);

	if (length > f->size)
		return -EBADMSG;
	memcpy(to + f->offset, nla_data(attr), length);
	if (f->kind == KV_NL_DATA)
		*(uint32_t *)(to + f->has) = (uint32_t)length;
	return 0;
}

/* Numbers are copied: the kernel does not align them. */
static int take_field(const struct kv_nl_field *f, struct nlattr *attr,
		      char *to)
{
	char *at = to + f->offset;

	switch (f->kind) {
	case KV_NL_U32:
	case KV_NL_U64:
	case KV_NL_BYTES:
		if (nla_len(attr) != (int)f->size)
			return -EBADMSG;
		memcpy(at, nla_data(attr), f->size);
		return 0;
	case KV_NL_DATA:
	case KV_NL_ADDR:
		return take_data(f, attr, to);
	case KV_NL_FLAG:
		*(bool *)at = true;
		return 0;
	case KV_NL_STRING:
		return take_string(f, attr, at);
	case KV_NL_NEST:
		return take_nest(f, attr, to);
	case KV_NL_NAME:
	case KV_NL_PART:
	case KV_NL_NONE:
		break;
	}
	return 0;
}

/**
 * kv_nl_take() - a struct out of a reply
 * @table: what is in the struct
 * @attrs: the reply's attributes
 * @len: their bytes
 * @to: the struct, zeroed; what the reply does not have stays as it is
 *
 * Attributes that the table does not have are left alone, and so are elements
 * beyond an array's end.
 *
 * Return: 0, or -EBADMSG if an attribute is not of the field's size.
 */
int kv_nl_take(const struct kv_nl_table *table, struct nlattr *attrs, int len,
	       void *to)
{
	const struct kv_nl_table *in;
	const struct kv_nl_field *f;
	struct nlattr *attr;
	size_t base;
	int rest, ret = 0;
	char *at;

	nla_for_each_attr(attr, attrs, len, rest) {
		in = table;
		base = 0;
		f = find(&in, nla_type(attr), &base);
		if (!f)
			continue;
		at = (char *)to + base;
		ret = take_field(f, attr, at);
		if (ret)
			break;
		if (f->when == KV_NL_HAS)
			*(bool *)(at + f->has) = true;
		if (f->bit)
			*(uint32_t *)(at + in->mask) |= f->bit;
	}
	return ret;
}

/**
 * kv_nl_take_u64() - a long number that is in no struct
 * @attrs: the reply's attributes
 * @len: their bytes
 * @attr: the number's
 * @to: the number; stays if the reply does not have it
 *
 * Return: 0, or -EBADMSG if it is not of that size.
 */
int kv_nl_take_u64(struct nlattr *attrs, int len, int attr, uint64_t *to)
{
	struct nlattr *found = nla_find(attrs, len, attr);

	if (!found)
		return 0;
	if (nla_len(found) != sizeof(*to))
		return -EBADMSG;
	memcpy(to, nla_data(found), sizeof(*to));
	return 0;
}

/* Which of the equal attributes it is, from 1 on. */
static unsigned int ordinal(const struct nlattr *attrs, int len,
			    const struct nlattr *attr)
{
	const struct nlattr *at;
	unsigned int n = 1;
	int rest;

	nla_for_each_attr(at, attrs, len, rest) {
		if (at == attr)
			break;
		n += nla_type(at) == nla_type(attr);
	}
	return n;
}

static const struct kv_nl_field *
find_named(const struct kv_nl_table *const *names, int attr)
{
	const struct kv_nl_field *found;
	const struct kv_nl_table *table;
	size_t base;

	for (; *names; names++) {
		table = *names;
		found = find(&table, attr, &base);
		if (found && found->name)
			return found;
	}
	return NULL;
}

/**
 * kv_nl_path() - what a user calls the attribute that a refusal points at
 * @request: the request
 * @offset: of the attribute, from the start of the request
 * @names: tables that know it, up to NULL
 * @path: becomes "name: ", "sge 2: mr: " in a nest, or "" if nobody knows
 * @size: bytes of @path
 */
void kv_nl_path(const struct nlmsghdr *request, uint32_t offset,
		const struct kv_nl_table *const *names, char *path, size_t size)
{
	const char *target = (const char *)request + offset;
	const struct kv_nl_table *inner[2] = { NULL, NULL };
	const struct kv_nl_field *f;
	const struct nlattr *attrs, *attr;
	size_t used = 0;
	int len, rest;

	path[0] = '\0';
	if (request->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return;
	attrs = (const struct nlattr *)((const char *)request + NLMSG_HDRLEN + GENL_HDRLEN);
	len = (int)(request->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN);
	while (len > 0) {
		nla_for_each_attr(attr, attrs, len, rest)
			if (target >= (const char *)attr &&
			    target < (const char *)attr + NLA_ALIGN(attr->nla_len))
				break;
		f = nla_ok(attr, rest) ? find_named(names, nla_type(attr)) : NULL;
		if (!f || used >= size)
			return;
		if (f->max)
			used += (size_t)snprintf(path + used, size - used, "%s %u: ",
						 f->name, ordinal(attrs, len, attr));
		else
			used += (size_t)snprintf(path + used, size - used, "%s: ",
						 f->name);
		if (target == (const char *)attr || f->kind != KV_NL_NEST)
			return;
		attrs = nla_data(attr);
		len = nla_len(attr);
		inner[0] = f->table;
		names = inner;
	}
}
