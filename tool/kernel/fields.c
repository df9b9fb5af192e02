// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <linux/genetlink.h>
#include "kernel/fields.h"

static size_t size_of(const struct kv_member *m)
{
	return m->type == KV_MEMBER_U64 ? sizeof(uint64_t) : sizeof(uint32_t);
}

static uint32_t count_of(const struct kv_member *m, const char *from)
{
	return *(const uint32_t *)(from + m->count);
}

static const struct kv_member *put(struct nl_msg *msg, const struct kv_shape *shape,
				   const char *from, bool all, int without);

/* Returns NULL, or the member whose nest is too large for an attribute: it is left out. */
static const struct kv_member *put_nest(struct nl_msg *msg, const struct kv_member *m,
					const char *at, bool all)
{
	struct nlattr *nest = nla_nest_start(msg, m->attr | NLA_F_NESTED);
	const struct kv_member *large;

	/* The message is full; nla_put() would fail, too. */
	if (!nest)
		return NULL;
	large = put(msg, m->shape, at, all, 0);
	return nla_nest_end(msg, nest) < 0 ? m : large;
}

static void put_addr(struct nl_msg *msg, const struct kv_member *m,
		     const struct sockaddr_storage *addr)
{
	if (addr->ss_family == AF_INET)
		nla_put(msg, m->attr, sizeof(struct sockaddr_in), addr);
	else if (addr->ss_family != AF_UNSPEC)
		nla_put(msg, m->attr, sizeof(struct sockaddr_in6), addr);
}

static const struct kv_member *put_member(struct nl_msg *msg, const struct kv_member *m,
					  const char *from, bool all)
{
	const struct kv_member *large = NULL;
	const char *at = from + m->offset;
	uint32_t n;

	switch (m->type) {
	case KV_MEMBER_U32:
	case KV_MEMBER_S32:
	case KV_MEMBER_U64:
		nla_put(msg, m->attr, (int)size_of(m), at);
		break;
	case KV_MEMBER_HEX:
		nla_put(msg, m->attr, (int)m->size, at);
		break;
	case KV_MEMBER_HEX_UPTO:
		n = count_of(m, from);
		if (n && n <= m->size)
			nla_put(msg, m->attr, (int)n, at);
		break;
	case KV_MEMBER_ADDRESS:
		put_addr(msg, m, (const struct sockaddr_storage *)at);
		break;
	case KV_MEMBER_BOOL:
		if (*(const bool *)at)
			nla_put_flag(msg, m->attr);
		break;
	case KV_MEMBER_TEXT:
		nla_put_string(msg, m->attr, at);
		break;
	case KV_MEMBER_TEXT_AT:
		if (*(const char *const *)at)
			nla_put_string(msg, m->attr, *(const char *const *)at);
		break;
	case KV_MEMBER_STRUCT:
		large = put_nest(msg, m, at, all);
		break;
	case KV_MEMBER_LIST:
		n = count_of(m, from);
		for (uint32_t i = 0; i < n && i < m->size && !large; i++)
			large = put_nest(msg, m, kv_member_elements(m, from) +
						 i * m->shape->size, all);
		break;
	case KV_MEMBER_NEST: /* the caller puts it */
		break;
	}
	return large;
}

/* Is it a struct without an attribute of its own, whose members stand among the others? */
static bool is_part(const struct kv_member *m)
{
	return m->type == KV_MEMBER_STRUCT && !m->attr;
}

static const struct kv_member *put(struct nl_msg *msg, const struct kv_shape *shape,
				   const char *from, bool all, int without)
{
	const struct kv_member *large = NULL;

	for (unsigned int i = 0; i < shape->members && !large; i++) {
		const struct kv_member *m = &shape->member[i];

		if (!kv_member_is_given(shape, m, from, all) ||
		    (all && kv_member_lacks_zero(m) && kv_member_is_zero(m, from)))
			continue;
		if (is_part(m))
			large = put(msg, m->shape, from + m->offset, all, without);
		else if (m->attr && m->attr != without && (all || m->attr < KV_ATTR_BEYOND))
			large = put_member(msg, m, from, all);
	}
	return large;
}

/**
 * kv_nl_put() - put a struct into a request to the module
 * @msg: the request, as large as the largest one, so that putting can't fail; or NULL,
 *	which kv_nl_request() reports
 * @without: an attribute that is left out; 0: none
 *
 * Return: NULL, or the member that needs more bytes than an attribute can have: the request lacks
 * it, and is not to be sent.
 */
const struct kv_member *kv_nl_put(struct nl_msg *msg, const struct kv_shape *shape,
				  const void *from, int without)
{
	return msg ? put(msg, shape, from, false, without) : NULL;
}

/**
 * kv_nl_put_all() - put a struct into a message to another host
 * @msg: the message, as large as the largest one
 *
 * Puts every member, also defaults and members for which the module has no attribute, but for
 * those of kv_member_lacks_zero() that are 0.
 */
void kv_nl_put_all(struct nl_msg *msg, const struct kv_shape *shape, const void *from)
{
	put(msg, shape, from, true, 0);
}

/**
 * kv_nl_put_nest() - put a struct as an attribute into a message to another host
 * @msg: the message, as large as the largest one
 * @attr: the attribute
 * @shape: members of the struct; NULL: none
 *
 * Return: as kv_nl_put()
 */
const struct kv_member *kv_nl_put_nest(struct nl_msg *msg, int attr, const struct kv_shape *shape,
				       const void *from)
{
	struct nlattr *nest = nla_nest_start(msg, attr | NLA_F_NESTED);
	const struct kv_member *large = shape ? put(msg, shape, from, true, 0) : NULL;

	/* All members together are too much: the first one stands for them. */
	if (nla_nest_end_keep_empty(msg, nest) < 0 && !large)
		large = shape->member;
	return large;
}

/**
 * kv_nl_put_u32() - put a number that is in no struct
 * @msg: the request, or NULL
 */
void kv_nl_put_u32(struct nl_msg *msg, int attr, uint32_t value)
{
	if (msg)
		nla_put_u32(msg, attr, value);
}

static int take_string(const struct kv_member *m, struct nlattr *attr, char *at)
{
	size_t length = strnlen(nla_data(attr), (size_t)nla_len(attr));

	if (length >= m->size)
		length = m->size - 1;
	memcpy(at, nla_data(attr), length);
	at[length] = '\0';
	return 0;
}

/* Adds a zeroed element to a list, and returns its place; NULL: no memory. */
static char *element(const struct kv_member *m, char *to, uint32_t n)
{
	char **at = (char **)(to + m->offset), *more;

	if (!m->elsewhere)
		return to + m->offset + n * m->shape->size;
	more = reallocarray(*at, n + 1, m->shape->size);
	if (!more)
		return NULL;
	*at = more;
	return memset(more + n * m->shape->size, 0, m->shape->size);
}

/* Elements beyond the list's end are ignored. */
static int take_element(const struct kv_member *m, struct nlattr *attr, char *to)
{
	uint32_t *n = (uint32_t *)(to + m->count);
	char *at;
	int ret;

	if (*n >= m->size)
		return 0;
	at = element(m, to, *n);
	if (!at)
		return -ENOMEM;
	ret = kv_nl_take(m->shape, nla_data(attr), nla_len(attr), at);
	if (!ret)
		++*n;
	return ret;
}

/* No value is longer than the member. */
static int take_data(const struct kv_member *m, struct nlattr *attr, char *to)
{
	size_t length = (size_t)nla_len(attr);

	if (length > m->size)
		return -EBADMSG;
	memcpy(to + m->offset, nla_data(attr), length);
	if (m->type == KV_MEMBER_HEX_UPTO)
		*(uint32_t *)(to + m->count) = (uint32_t)length;
	return 0;
}

static int take_exactly(struct nlattr *attr, void *at, size_t size)
{
	if (nla_len(attr) != (int)size)
		return -EBADMSG;
	memcpy(at, nla_data(attr), size);
	return 0;
}

/* Numbers are copied, because the kernel does not align them. */
static int take_member(const struct kv_member *m, struct nlattr *attr, char *to)
{
	char *at = to + m->offset;

	switch (m->type) {
	case KV_MEMBER_U32:
	case KV_MEMBER_S32:
	case KV_MEMBER_U64:
		return take_exactly(attr, at, size_of(m));
	case KV_MEMBER_HEX:
		return take_exactly(attr, at, m->size);
	case KV_MEMBER_HEX_UPTO:
	case KV_MEMBER_ADDRESS:
		return take_data(m, attr, to);
	case KV_MEMBER_BOOL:
		*(bool *)at = true;
		return 0;
	case KV_MEMBER_TEXT:
		return take_string(m, attr, at);
	case KV_MEMBER_STRUCT:
		return kv_nl_take(m->shape, nla_data(attr), nla_len(attr), at);
	case KV_MEMBER_LIST:
		return take_element(m, attr, to);
	case KV_MEMBER_TEXT_AT:
		*(const char **)at = nla_data(attr);
		return 0;
	case KV_MEMBER_NEST:
		*(struct nlattr **)at = attr;
		return 0;
	}
	return 0;
}

/* 1: the struct has the attribute's member, and the value is set. 0: it has no such member. */
static int take_attr(const struct kv_shape *shape, struct nlattr *attr, char *to)
{
	int ret = 0;

	for (unsigned int i = 0; i < shape->members && !ret; i++) {
		const struct kv_member *m = &shape->member[i];

		if (is_part(m))
			ret = take_attr(m->shape, attr, to + m->offset);
		else if (m->attr && m->attr == nla_type(attr))
			ret = take_member(m, attr, to) ? -EBADMSG : 1;
		if (ret != 1)
			continue;
		if (m->when == KV_WHEN_HAS)
			*(bool *)(to + m->beside) = true;
		if (m->bit)
			*(uint32_t *)(to + shape->mask) |= m->bit;
	}
	return ret;
}

/**
 * kv_nl_take() - take a struct out of a reply
 * @len: their bytes
 * @to: the struct, zeroed; members without an attribute in the reply stay as they are
 *
 * Attributes that the struct does not have are ignored, and so are elements
 * beyond a list's end.
 *
 * Return: 0, or -EBADMSG if an attribute is not of the member's size.
 */
int kv_nl_take(const struct kv_shape *shape, struct nlattr *attrs, int len, void *to)
{
	struct nlattr *attr;
	int rest, ret = 0;

	nla_for_each_attr(attr, attrs, len, rest) {
		ret = take_attr(shape, attr, to);
		if (ret < 0)
			break;
	}
	return ret < 0 ? ret : 0;
}

/**
 * kv_nl_release() - free the memory that taking a struct has allocated
 * @from: the struct, not used any more
 */
void kv_nl_release(const struct kv_shape *shape, void *from)
{
	for (unsigned int i = 0; i < shape->members; i++)
		if (shape->member[i].elsewhere)
			free(*(void **)((char *)from + shape->member[i].offset));
}

/**
 * kv_nl_take_u64() - take a 64-bit number that is in no struct
 * @len: their bytes
 * @attr: the number's attribute
 * @to: the number; stays if the reply does not have it
 *
 * Return: 0, or -EBADMSG if the attribute has another size.
 */
int kv_nl_take_u64(struct nlattr *attrs, int len, int attr, uint64_t *to)
{
	struct nlattr *found = nla_find(attrs, len, attr);

	return found ? take_exactly(found, to, sizeof(*to)) : 0;
}

/**
 * kv_nl_take_bins() - take bins of a histogram out of a message
 * @data: an array of struct kverbs_bin
 * @length: its bytes
 * @hist: receives the bins; its other bins stay
 *
 * Return: 0, or -EBADMSG if the data are no such array, or if extremes lie in no bin.
 */
int kv_nl_take_bins(const void *data, size_t length, struct kv_hist *hist)
{
	const char *at = data, *end = at + length;
	struct kverbs_bin bin;
	unsigned int i;

	if (length % sizeof(bin))
		return -EBADMSG;
	for (; at < end; at += sizeof(bin)) {
		memcpy(&bin, at, sizeof(bin));
		i = kv_hist_index(bin.min);
		if (bin.min > bin.max || kv_hist_index(bin.max) != i)
			return -EBADMSG;
		hist->bin[i].count = bin.count;
		hist->bin[i].low = (uint32_t)bin.min;
		hist->bin[i].high = (uint32_t)bin.max;
	}
	return 0;
}

/* Counts the attributes of a type, up to @end; NULL: all. */
static unsigned int count(const struct nlattr *attrs, int len, int type, const struct nlattr *end)
{
	const struct nlattr *at;
	unsigned int n = 0;
	int rest;

	nla_for_each_attr(at, attrs, len, rest) {
		if (at == end)
			break;
		n += nla_type(at) == type;
	}
	return n;
}

static const char *name_of(const struct kv_member *m)
{
	return m->known ? m->known : m->name;
}

/**
 * kv_nl_find() - find the member of an attribute
 *
 * Return: the member's row, which may be that of a part, or NULL.
 */
const struct kv_member *kv_nl_find(const struct kv_shape *shape, int attr)
{
	const struct kv_member *found = NULL;

	for (unsigned int i = 0; i < shape->members && !found; i++) {
		const struct kv_member *m = &shape->member[i];

		if (is_part(m))
			found = kv_nl_find(m->shape, attr);
		else if (m->attr && m->attr == attr)
			found = m;
	}
	return found;
}

static const struct kv_member *find_named(const struct kv_shape *const *names, int attr)
{
	const struct kv_member *found = NULL;

	for (; *names && !found; names++)
		found = kv_nl_find(*names, attr);
	return found;
}

/**
 * kv_nl_path() - the user's name of the attribute that a refusal points at
 * @offset: the attribute's offset from the start of the request
 * @names: shapes that have the attribute, up to NULL
 * @path: becomes "name: ", "sge 2: mr: " in a nest, or "" if no shape has the attribute
 *
 * Return: the attribute's member, or NULL if no shape has it.
 */
const struct kv_member *kv_nl_path(const struct nlmsghdr *request, uint32_t offset,
				   const struct kv_shape *const *names, char *path, size_t size)
{
	const char *target = (const char *)request + offset;
	const struct kv_shape *inner[2] = { NULL, NULL };
	const struct kv_member *m;
	const struct nlattr *attrs, *attr;
	size_t used = 0;
	int len, rest;

	path[0] = '\0';
	if (request->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return NULL;
	attrs = (const struct nlattr *)((const char *)request + NLMSG_HDRLEN + GENL_HDRLEN);
	len = (int)(request->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN);
	while (len > 0) {
		nla_for_each_attr(attr, attrs, len, rest)
			if (target >= (const char *)attr &&
			    target < (const char *)attr + NLA_ALIGN(attr->nla_len))
				break;
		m = nla_ok(attr, rest) ? find_named(names, nla_type(attr)) : NULL;
		if (!m || used >= size)
			return NULL;
		if (m->elsewhere && count(attrs, len, nla_type(attr), NULL) == 1)
			; /* the only element needs no number */
		else if (m->type == KV_MEMBER_LIST)
			used += (size_t)snprintf(path + used, size - used, "%s %u: ", name_of(m),
						 1 + count(attrs, len, nla_type(attr), attr));
		else
			used += (size_t)snprintf(path + used, size - used, "%s: ", name_of(m));
		if (target == (const char *)attr || !m->shape)
			return m;
		attrs = nla_data(attr);
		len = nla_len(attr);
		inner[0] = m->shape;
		names = inner;
	}
	return NULL;
}
