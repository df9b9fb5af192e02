// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "kernel/msg.h"
#include "sys/device.h"

static const struct kv_shape *const names[] = { &kv_shape_dev, NULL };

static int on_dev(struct nlattr *attrs, int len, void *arg)
{
	return kv_nl_take(&kv_shape_dev, attrs, len, arg);
}

int kv_nl_dev_get(struct kv_nl *nl, const void *in, void *out, uint64_t *ns)
{
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_DEV_GET, 0);
	const char *name = ((const struct kv_dev_name *)in)->dev;
	char what[80];
	int ret;

	snprintf(what, sizeof(what), "kernel device %.64s", name);
	if (msg)
		nla_put_string(msg, KVERBS_A_DEV_NAME, name);
	memset(out, 0, sizeof(struct kv_dev));
	ret = kv_nl_request(nl, msg, what, names, on_dev, out);
	if (!ret)
		kv_netdev_note(out);
	return ret;
}

int kv_nl_counters(struct kv_nl *nl, const void *in, void *out, uint64_t *ns)
{
	return kv_counters_read(&nl->base, ((const struct kv_dev_name *)in)->dev, out);
}

struct each {
	int (*fn)(const struct kv_dev *dev, void *arg);
	void *arg;
	int stopped;
};

static int on_each(struct nlattr *attrs, int len, void *arg)
{
	struct each *each = arg;
	struct kv_dev dev;
	int ret;

	if (each->stopped)
		return 0;
	memset(&dev, 0, sizeof(dev));
	ret = on_dev(attrs, len, &dev);
	if (ret)
		return ret;
	kv_netdev_note(&dev);
	each->stopped = each->fn(&dev, each->arg);
	return 0;
}

int kv_nl_dev_each(struct kv_nl *nl, int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	struct each each = { .fn = fn, .arg = arg };
	int ret;

	ret = kv_nl_request(nl, kv_nl_msg(nl, KVERBS_CMD_DEV_GET, NLM_F_DUMP),
			    "kernel devices", names, on_each, &each);
	return ret ? ret : each.stopped;
}
