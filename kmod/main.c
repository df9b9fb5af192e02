// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <net/genetlink.h>
#include <rdma/ib_verbs.h>
#include <kverbs.h>
#include "ah.h"
#include "buf.h"
#include "conn.h"
#include "cq.h"
#include "dev.h"
#include "event.h"
#include "genl/family.h"
#include "mr.h"
#include "obj.h"
#include "pd.h"
#include "qp.h"
#include "run.h"
#include "srq.h"

static struct kv_obj_class *const classes[KV_OBJ_RANKS] = {
	[KV_OBJ_RUN] = &kv_run_class,
	[KV_OBJ_CONN] = &kv_conn_class,
	[KV_OBJ_QP] = &kv_qp_class,
	[KV_OBJ_AH] = &kv_ah_class,
	[KV_OBJ_SRQ] = &kv_srq_class,
	[KV_OBJ_MR] = &kv_mr_class,
	[KV_OBJ_BUF] = &kv_buf_class,
	[KV_OBJ_CQ] = &kv_cq_class,
	[KV_OBJ_PD] = &kv_pd_class,
};

static int __init kverbs_init(void)
{
	int ret;

	kv_obj_init(classes);
	ret = kv_conn_init();
	if (ret)
		return ret;
	ret = ib_register_client(&kv_client);
	if (ret)
		goto err_conn_exit;
	ret = kv_netlink_init();
	if (!ret)
		return 0;
	ib_unregister_client(&kv_client);
err_conn_exit:
	kv_conn_exit();
	return ret;
}

static void __exit kverbs_exit(void)
{
	kv_netlink_exit();
	ib_unregister_client(&kv_client);
	/* Work on CONNs that are gone still has references to them. */
	kv_conn_exit();
	kv_obj_exit();
	/* Their events are not sent any more; the work item may still be queued. */
	kv_event_flush();
}

module_init(kverbs_init);
module_exit(kverbs_exit);

MODULE_AUTHOR("The kverbs authors");
MODULE_DESCRIPTION("Kernel verbs by hand, and what they cost");
MODULE_VERSION(KVERBS_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS_GENL_FAMILY(KVERBS_GENL_NAME);
