// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <kverbs.h>
#include "conn.h"
#include "dev.h"
#include "event.h"
#include "genl/family.h"
#include "obj.h"

static int __init kverbs_init(void)
{
	int ret;

	ret = kv_conn_init();
	if (ret)
		return ret;
	ret = kv_dev_init();
	if (ret)
		goto err_conn_exit;
	ret = kv_netlink_init();
	if (ret)
		goto err_dev_exit;
	return 0;

err_dev_exit:
	kv_dev_exit();
err_conn_exit:
	kv_conn_exit();
	return ret;
}

static void __exit kverbs_exit(void)
{
	kv_netlink_exit();
	kv_dev_exit();
	/* Work on CONNs that are gone still has references to them. */
	kv_conn_exit();
	kv_obj_exit();
	/* What they told is not sent any more, but the work may be due. */
	kv_event_flush();
}

module_init(kverbs_init);
module_exit(kverbs_exit);

MODULE_DESCRIPTION("Kernel verbs by hand, and what they cost");
MODULE_VERSION(KVERBS_VERSION);
MODULE_LICENSE("GPL");
