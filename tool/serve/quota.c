// SPDX-License-Identifier: MIT
/* The limits of a client. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "serve/service.h"
#include "sys/now.h"

static int check_bytes(struct kv_service *s, uint64_t bytes)
{
	if (bytes > s->limits.bytes - s->bytes)
		return kv_fault_set(&s->fault, -EDQUOT,
				    "a client's buffers and queues may have %" PRIu64 " bytes together (kverbs serve --bytes), and %" PRIu64 " are taken",
				    s->limits.bytes, s->bytes);
	return 0;
}

/**
 * kv_quota_check() - may one more object be made?
 * @bytes: bytes of the object's buffer or queues
 *
 * Return: 0 or -EDQUOT.
 */
int kv_quota_check(struct kv_service *s, uint64_t bytes)
{
	if (s->objects >= s->limits.objects)
		return kv_fault_set(&s->fault, -EDQUOT,
				    "a client may have %u objects (kverbs serve --objects)",
				    s->limits.objects);
	return check_bytes(s, bytes);
}

/**
 * kv_quota_find() - find an object, or a run, of a client
 * @type: of the object, or KV_QUOTA_RUN
 * @id: of the object or run
 *
 * Return: the entry; NULL unless the client has made the object, and has not deleted it.
 */
struct kv_made *kv_quota_find(const struct kv_service *s, enum kv_type type, uint32_t id)
{
	for (uint32_t i = 0; id && i < s->entries; i++) {
		if (s->made[i].id == id && s->made[i].type == type)
			return &s->made[i];
	}
	return NULL;
}

/**
 * kv_quota_resize() - count an object whose size changes
 * @type: of the object
 * @id: of the object, which the client has
 * @bytes: new bytes of the object's queues
 *
 * Return: 0, or -EDQUOT; then the object counts as before.
 */
int kv_quota_resize(struct kv_service *s, enum kv_type type, uint32_t id, uint64_t bytes)
{
	struct kv_made *made = kv_quota_find(s, type, id);
	int ret = bytes > made->bytes ? check_bytes(s, bytes - made->bytes) : 0;

	if (ret)
		return ret;
	s->bytes += bytes - made->bytes;
	made->bytes = bytes;
	return 0;
}

/**
 * kv_quota_add() - count an object, or a run, whose time starts now
 * @s: the service; kv_quota_check() or kv_quota_check_run() has said that there is room
 * @type: of the object, or KV_QUOTA_RUN
 * @id: id of the object or run
 * @bytes: bytes of the object's buffer or queues
 */
void kv_quota_add(struct kv_service *s, enum kv_type type, uint32_t id, uint64_t bytes)
{
	struct kv_made *made = s->made;

	while (made->id)
		made++;
	made->type = type;
	made->id = id;
	made->bytes = bytes;
	/* A run's warm-up and last completion's timeout come on top; they are not counted. */
	made->end_ns = kv_now_ns() + s->limits.time_ns;
	if (type == KV_QUOTA_RUN)
		s->runs++;
	else
		s->objects++;
	s->bytes += bytes;
}

/**
 * kv_quota_remove() - count an object or a run no more
 * @type: of the object, or KV_QUOTA_RUN
 * @id: id of the object or run; need not be the client's
 */
void kv_quota_remove(struct kv_service *s, enum kv_type type, uint32_t id)
{
	struct kv_made *made = kv_quota_find(s, type, id);

	if (!made)
		return;
	if (type == KV_QUOTA_RUN)
		s->runs--;
	else
		s->objects--;
	s->bytes -= made->bytes;
	made->id = 0;
}

/**
 * kv_quota_check_run() - may this run be started?
 *
 * Return: 0, -EDQUOT or -ERANGE.
 */
int kv_quota_check_run(struct kv_service *s, const struct kv_run_spec *spec)
{
	if (spec->time_ns > s->limits.time_ns)
		return kv_fault_set(&s->fault, -ERANGE,
				    "a run may take %g s here (kverbs serve --time), not %g s",
				    (double)s->limits.time_ns / 1e9, (double)spec->time_ns / 1e9);
	if (s->runs == KV_SERVICE_RUNS)
		return kv_fault_set(&s->fault, -EDQUOT, "a client may have %d runs", KV_SERVICE_RUNS);
	return 0;
}

static int find_ids(const struct kv_member *m, const char *from, kv_quota_id fn, void *arg)
{
	const char *at = from + m->offset;
	uint32_t n = 1, id;
	int ret = 0;

	if (m->refers) {
		memcpy(&id, at, sizeof(id));
		return id ? fn(m->refers, m->name, id, arg) : 0;
	}
	if (!m->shape)
		return 0;
	if (m->type == KV_MEMBER_LIST) {
		memcpy(&n, from + m->count, sizeof(n));
		at = kv_member_elements(m, from);
	}
	for (uint32_t i = 0; i < n && !ret; i++)
		ret = kv_quota_ids(m->shape, at + i * m->shape->size, fn, arg);
	return ret;
}

/**
 * kv_quota_ids() - call a function for each id that a struct names
 * @fn: called for each id but 0, in the shape's order
 *
 * Return: 0, or the value with which @fn ended the list.
 */
int kv_quota_ids(const struct kv_shape *shape, const void *from, kv_quota_id fn, void *arg)
{
	int ret = 0;

	for (unsigned int i = 0; i < shape->members && !ret; i++)
		ret = find_ids(&shape->member[i], from, fn, arg);
	return ret;
}

static int check_own(uint32_t refers, const char *name, uint32_t id, void *arg)
{
	return kv_quota_find(arg, (enum kv_type)(refers - 1), id) ? 0 : -ENOENT;
}

/**
 * kv_quota_concerns() - may the client know of an event?
 * @event: the backend's event; the kernel reports events of everybody's objects
 *
 * Return: true if the event is about an object or a run of the client, or about a device.
 */
bool kv_quota_concerns(struct kv_service *s, const struct kv_event *event)
{
	if (event->run && !kv_quota_find(s, KV_QUOTA_RUN, event->run))
		return false;
	return !kv_quota_ids(&kv_shape_event, event, check_own, s);
}
