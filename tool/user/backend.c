// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sys/clock.h"
#include "sys/device.h"
#include "user/conn.h"

/* The backend of user space: libibverbs. */

/* Fails with the error and the text of a rule that the kernel module applies, too. */
int kv_user_refuse(struct kv_user *u, const struct kv_refusal *why)
{
	return kv_user_fail(u, why->error, "%s", why->text);
}

/* The same for a rule that has put its refusal into @u->why; @broken: its result. */
int kv_user_rule(struct kv_user *u, int broken)
{
	return broken ? kv_user_refuse(u, &u->why) : 0;
}

/*
 * Is @value from 1 to the device's @limit? -ERANGE if no device can have such a count, -EINVAL if
 * only this device can't.
 */
int kv_user_check_count(struct kv_user *u, const char *what, uint32_t value,
			int limit, const char *limit_name)
{
	if (value && value <= INT32_MAX && (int)value <= limit)
		return 0;
	return kv_user_fail(u, value && value <= INT32_MAX ? -EINVAL : -ERANGE,
			    "%s is %u: it must be 1 to %d, the device's %s",
			    what, value, limit, limit_name);
}

/* Checks flags of a registration by their names, other numbers by the range of their member. */
static int check_number(struct kv_user *u, const struct kv_member *m, uint64_t value)
{
	uint32_t unknown = m->form == KV_FORM_FLAGS ? (uint32_t)value & ~KVERBS_ACCESS__ALL : 0;

	if (unknown)
		return kv_user_fail(u, -EINVAL, "%s has flags that are unknown: 0x%x", m->name, unknown);
	if (m->form == KV_FORM_FLAGS || value <= m->max)
		return 0;
	return kv_user_fail(u, -ERANGE, "%s is %" PRIu64 ": it must be 0 to %" PRIu64, m->name,
			    value, m->max);
}

/*
 * Are the members of a struct, and of the structs in it, in their ranges? -ERANGE, or -EINVAL for
 * unknown flags. A device may accept less.
 */
static int check_rows(struct kv_user *u, const struct kv_shape *shape, const void *from)
{
	int ret = 0;

	for (unsigned int i = 0; i < shape->members && !ret; i++) {
		const struct kv_member *m = &shape->member[i];
		const char *at = (const char *)from + m->offset;
		uint64_t value = 0;

		if (!kv_member_is_given(shape, m, from, true))
			continue;
		switch (m->type) {
		case KV_MEMBER_U32:
		case KV_MEMBER_U64:
			memcpy(&value, at, m->type == KV_MEMBER_U32 ? 4 : 8);
			ret = check_number(u, m, value);
			break;
		case KV_MEMBER_S32:
			/* A value below 0 means the default. */
			if (*(const int32_t *)at < m->min || *(const int32_t *)at > (int64_t)m->max)
				ret = kv_user_fail(u, -ERANGE, "%s is %d: it must be 0 to %" PRIu64,
						   m->name, *(const int32_t *)at, m->max);
			break;
		case KV_MEMBER_STRUCT:
			ret = check_rows(u, m->shape, at);
			break;
		case KV_MEMBER_LIST:
			value = *(const uint32_t *)((const char *)from + m->count);
			if (value > m->size)
				return kv_user_fail(u, -EINVAL, "%s: %" PRIu64 " are more than %u",
						    m->name, value, m->size);
			for (uint64_t n = 0; n < value && !ret; n++)
				ret = check_rows(u, m->shape,
						 kv_member_elements(m, from) + n * m->shape->size);
			break;
		default:
			break;
		}
	}
	return ret;
}

int kv_user_info_get(struct kv_user *u, void *obj, const struct kv_none *in, struct kv_info *to)
{
	char path[PATH_MAX];
	const char *name;
	Dl_info dl;

	if (!dladdr((void *)ibv_get_device_list, &dl) || !realpath(dl.dli_fname, path))
		snprintf(path, sizeof(path), "libibverbs");
	name = strrchr(path, '/');
	memset(to, 0, sizeof(*to));
	snprintf(to->version, sizeof(to->version), "%.*s", (int)sizeof(to->version) - 1,
		 name ? name + 1 : path);
	snprintf(to->counter, sizeof(to->counter), "%s", kv_clock_name());
	to->counter_hz = kv_clock_hz();
	return 0;
}

int kv_user_counters(struct kv_user *u, void *obj, const struct kv_dev_port *in,
		     struct kv_counters *to)
{
	return kv_counters_read(&u->base, in, to);
}

static void close_backend(struct kv_backend *b)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_dev *dev;

	kv_user_obj_destroy_all(u);
	if (u->cm)
		rdma_destroy_event_channel(u->cm);
	while ((dev = u->devs)) {
		u->devs = dev->next;
		ibv_close_device(dev->ctx);
		free(dev);
	}
	free(u);
}

static bool is_about_run(enum kv_op op)
{
	return op == KV_OP_RUN_WAIT || op == KV_OP_RUN_CANCEL || op == KV_OP_RUN_PEEK ||
	       op == KV_OP_RUN_GET || op == KV_OP_RUN_DEL;
}

static int call(struct kv_backend *b, enum kv_op op, const void *in, void *out)
{
	unsigned int about = is_about_run(op) ? KV_USER_RUN : kv_op_rows[op].about;
	struct kv_user *u = (struct kv_user *)b;
	void *obj = NULL;
	int ret = 0;

	if (about != KV_NO_TYPE || is_about_run(op)) {
		obj = kv_user_obj_find(u, about, *(const uint32_t *)in);
		if (!obj)
			return -ENOENT;
	}
	if (about == KV_CONN)
		ret = kv_user_conn_check_op(u, obj, op);
	if (!ret)
		ret = check_rows(u, kv_op_rows[op].in, in);
	if (ret)
		return ret;
	switch (op) {
#define OP(NAME, name, ...)								\
	case KV_OP_##NAME:								\
		return kv_user_##name(u, obj, in, out);
#define NEW(NAME, ...)									\
	case KV_OP_##NAME:								\
		return kv_user_obj_new(u, op - KV_OP_PD_NEW, in, out);
#define GET(NAME, ...)									\
	case KV_OP_##NAME:								\
		kv_user_obj_fill(obj, out);						\
		return 0;
#define DEL(NAME, ...)									\
	case KV_OP_##NAME:								\
		return kv_user_obj_delete(u, obj);
#include "model/ops.def"
	case KV_OPS:
		break;
	}
	return -EOPNOTSUPP;
}

static const struct kv_backend_ops ops = {
	.space = "user",
	.close = close_backend,
	.call = call,
	.dev_each = kv_user_dev_each,
	.each = kv_user_obj_each,
	.dev_gone = kv_user_dev_gone,
};

/**
 * kv_backend_user_open() - the backend that calls libibverbs in this process
 * @b: where it goes; NULL on failure
 * @err: where the text of a failure goes
 *
 * A device is opened when it is first named, so opening the backend needs no device.
 *
 * Return: 0 or -ENOMEM.
 */
int kv_backend_user_open(struct kv_backend **b, char *err, size_t size)
{
	struct kv_user *u = calloc(1, sizeof(*u));

	*b = NULL;
	if (!u) {
		snprintf(err, size, "no memory");
		return -ENOMEM;
	}
	u->base.ops = &ops;
	*b = &u->base;
	return 0;
}
