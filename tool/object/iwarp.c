// SPDX-License-Identifier: MIT
#include <errno.h>
#include "object/iwarp.h"

/**
 * kv_iwarp_check() - refuse what iWARP has not
 * @s: the session
 * @qp: id of the QP that it is asked of
 * @why: KV_IWARP_*
 * @f: receives it, with the device's name
 *
 * Return: -EOPNOTSUPP for a QP on iWARP; 0 for others, and for one that is not there: what
 * follows says so.
 */
int kv_iwarp_check(struct kv_session *s, uint32_t qp, const char *why, struct kv_fault *f)
{
	union kv_object object;
	struct kv_dev dev;

	if (kv_op_get(s->b, KV_QP, qp, &object) ||
	    kv_op_dev_get(s->b, &(struct kv_dev_name){ object.qp.dev }, &dev, NULL) ||
	    !kv_dev_is_iwarp(&dev))
		return 0;
	return kv_fault_set(f, -EOPNOTSUPP, "%s: %s", dev.name, why);
}
