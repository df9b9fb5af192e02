// SPDX-License-Identifier: MIT
#include <stddef.h>
#include "lists.h"

/* Rules for every backend, also for the fake one of the unit tests. */

#define PDS 3
#define STOP -77

struct visit {
	unsigned int seen;
	unsigned int last;
};

static int visit(struct visit *v)
{
	v->seen++;
	return v->seen == v->last ? STOP : 0;
}

static int visit_object(const union kv_object *object, void *arg)
{
	return visit(arg);
}

static int visit_dev(const struct kv_dev *dev, void *arg)
{
	return visit(arg);
}

static const char *list(struct kv_backend *b)
{
	struct visit all = { 0 }, two = { .last = 2 }, one = { .last = 1 };

	if (b->ops->each(b, KV_PD, visit_object, &all) || all.seen < PDS)
		return "a list of objects does not come to its end";
	if (b->ops->each(b, KV_PD, visit_object, &two) != STOP || two.seen != 2)
		return "a list of objects that is ended passes for a whole one";
	if (b->ops->dev_each(b, visit_dev, &one) != STOP || one.seen != 1)
		return "a list of devices that is ended passes for a whole one";
	return NULL;
}

/**
 * lists_end_when_told() - hold a backend's lists against backend.h
 * @b: the backend
 * @dev: a device of its space
 *
 * Return: NULL, or what is wrong.
 */
const char *lists_end_when_told(struct kv_backend *b, const char *dev)
{
	const struct kv_pd_init init = { .dev = dev };
	const char *wrong = NULL;
	struct kv_pd pd[PDS];
	unsigned int n;
	uint64_t ns;

	for (n = 0; n < PDS && !wrong; n++)
		if (kv_op_pd_new(b, &init, &pd[n], &ns))
			wrong = "no PD can be made";
	if (!wrong)
		wrong = list(b);
	while (n--)
		kv_op_del(b, KV_PD, pd[n].id, &ns);
	return wrong;
}
