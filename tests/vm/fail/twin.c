// SPDX-License-Identifier: GPL-2.0
/*
 * An InfiniBand device with two ports, twin0, for tests in a guest: rxe and siw have one port
 * each, and neither is InfiniBand. Its links carry nothing: requests stay outstanding, until
 * its QP goes to ERR (a flush error each) or to RESET, or is destroyed. There is no user space for
 * it.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <rdma/ib_verbs.h>

/* The ports differ in all that can be told of one. */
static const struct port {
	u16 lid;
	u16 sm_lid;
	u16 pkey[2];
	enum ib_mtu mtu;
	__be64 guid;
} ports[] = {
	{ 0x11, 1, { 0xffff, 0x8001 }, IB_MTU_4096, cpu_to_be64(0x0200000000000011) },
	{ 0x22, 2, { 0xffff, 0x8002 }, IB_MTU_2048, cpu_to_be64(0x0200000000000022) },
};

struct twin_cq {
	struct ib_cq ib;
	/* Completions that nobody has polled; under lock. */
	struct list_head ready;
};

struct twin_qp {
	struct ib_qp ib;
	struct ib_qp_attr attr;
	struct ib_qp_init_attr init;
	/* Requests without a completion, in order; under lock. */
	struct list_head posted;
};

struct request {
	struct list_head link;
	struct twin_cq *cq;
	struct ib_wc wc;
};

struct twin {
	struct ib_device ib;
};

struct twin_pd {
	struct ib_pd ib;
};

struct twin_ah {
	struct ib_ah ib;
};

/* Of all queues. */
static DEFINE_SPINLOCK(lock);

static const struct port *port_of(u32 number)
{
	return &ports[number - 1];
}

static int twin_query_device(struct ib_device *device, struct ib_device_attr *attr,
			     struct ib_udata *udata)
{
	*attr = (struct ib_device_attr){
		.sys_image_guid = device->node_guid,
		.max_mr_size = U32_MAX,
		.page_size_cap = PAGE_SIZE,
		.max_qp = 64,
		.max_qp_wr = 256,
		.max_send_sge = 4,
		.max_recv_sge = 4,
		.max_sge_rd = 1,
		.max_cq = 64,
		.max_cqe = 1024,
		.max_mr = 64,
		.max_pd = 64,
		.max_qp_rd_atom = 8,
		.max_qp_init_rd_atom = 8,
		.max_ah = 64,
		.max_pkeys = ARRAY_SIZE(ports[0].pkey),
	};
	return 0;
}

static int twin_query_port(struct ib_device *device, u32 number, struct ib_port_attr *attr)
{
	const struct port *port = port_of(number);

	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = port->mtu;
	attr->max_msg_sz = SZ_1G;
	attr->lid = port->lid;
	attr->sm_lid = port->sm_lid;
	attr->gid_tbl_len = 1;
	attr->pkey_tbl_len = ARRAY_SIZE(port->pkey);
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_EDR;
	return 0;
}

/* No datagrams for management: no subnet manager will ask, and ib_mad needs QP 0 and QP 1. */
static int twin_get_port_immutable(struct ib_device *device, u32 number,
				   struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_CAP_PROT_IB;
	immutable->gid_tbl_len = 1;
	immutable->pkey_tbl_len = ARRAY_SIZE(ports[0].pkey);
	return 0;
}

static int twin_query_gid(struct ib_device *device, u32 number, int index, union ib_gid *gid)
{
	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000);
	gid->global.interface_id = port_of(number)->guid;
	return 0;
}

static int twin_query_pkey(struct ib_device *device, u32 number, u16 index, u16 *pkey)
{
	*pkey = port_of(number)->pkey[index];
	return 0;
}

static int twin_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int twin_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int twin_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *attr, struct ib_udata *udata)
{
	return 0;
}

static int twin_destroy_ah(struct ib_ah *ah, u32 flags)
{
	return 0;
}

static struct ib_mr *twin_get_dma_mr(struct ib_pd *pd, int access)
{
	struct ib_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->lkey = 1;
	return mr;
}

static int twin_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	kfree(mr);
	return 0;
}

/* The core takes a device without it for one that kernel verbs can't use. */
static struct ib_mr *twin_reg_user_mr(void)
{
	return ERR_PTR(-EOPNOTSUPP);
}

#if KERNEL_VERSION(6, 11, 0) > LINUX_VERSION_CODE
static int twin_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
			  struct ib_udata *udata)
#else
static int twin_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
			  struct uverbs_attr_bundle *attrs)
#endif
{
	struct twin_cq *cq = container_of(ib, struct twin_cq, ib);

	INIT_LIST_HEAD(&cq->ready);
	ib->cqe = attr->cqe;
	return 0;
}

static int twin_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	struct twin_cq *cq = container_of(ib, struct twin_cq, ib);
	struct request *request, *next;

	list_for_each_entry_safe(request, next, &cq->ready, link)
		kfree(request);
	return 0;
}

static int twin_poll_cq(struct ib_cq *ib, int entries, struct ib_wc *wc)
{
	struct twin_cq *cq = container_of(ib, struct twin_cq, ib);
	struct request *request;
	unsigned long flags;
	int n = 0;

	spin_lock_irqsave(&lock, flags);
	while (n < entries && !list_empty(&cq->ready)) {
		request = list_first_entry(&cq->ready, struct request, link);
		list_del(&request->link);
		wc[n++] = request->wc;
		kfree(request);
	}
	spin_unlock_irqrestore(&lock, flags);
	return n;
}

/* A thread that waits for an event is woken at once, and polls. */
static int twin_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	struct twin_cq *cq = container_of(ib, struct twin_cq, ib);

	return flags & IB_CQ_REPORT_MISSED_EVENTS && !list_empty(&cq->ready);
}

static int twin_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct twin_qp *qp = container_of(ib, struct twin_qp, ib);
	static u32 number = 1;

	if (init->qp_type == IB_QPT_GSI || init->qp_type == IB_QPT_SMI)
		return -EOPNOTSUPP;
	INIT_LIST_HEAD(&qp->posted);
	qp->init = *init;
	ib->qp_num = ++number;
	return 0;
}

/* Each member that a bit of the mask stands for. */
#define MEMBER(BIT, NAME) { IB_QP_##BIT, offsetof(struct ib_qp_attr, NAME), \
			    sizeof_field(struct ib_qp_attr, NAME) }
static const struct {
	int bit;
	unsigned int offset;
	unsigned int size;
} members[] = {
	MEMBER(STATE, qp_state),
	MEMBER(ACCESS_FLAGS, qp_access_flags),
	MEMBER(PKEY_INDEX, pkey_index),
	MEMBER(PORT, port_num),
	MEMBER(QKEY, qkey),
	MEMBER(AV, ah_attr),
	MEMBER(PATH_MTU, path_mtu),
	MEMBER(TIMEOUT, timeout),
	MEMBER(RETRY_CNT, retry_cnt),
	MEMBER(RNR_RETRY, rnr_retry),
	MEMBER(RQ_PSN, rq_psn),
	MEMBER(MAX_QP_RD_ATOMIC, max_rd_atomic),
	MEMBER(ALT_PATH, alt_ah_attr),
	MEMBER(ALT_PATH, alt_pkey_index),
	MEMBER(ALT_PATH, alt_port_num),
	MEMBER(ALT_PATH, alt_timeout),
	MEMBER(MIN_RNR_TIMER, min_rnr_timer),
	MEMBER(SQ_PSN, sq_psn),
	MEMBER(MAX_DEST_RD_ATOMIC, max_dest_rd_atomic),
	MEMBER(PATH_MIG_STATE, path_mig_state),
	MEMBER(DEST_QPN, dest_qp_num),
};

/* lock */
static void qp_flush(struct twin_qp *qp)
{
	struct request *request, *next;

	list_for_each_entry_safe(request, next, &qp->posted, link)
		list_move_tail(&request->link, &request->cq->ready);
}

/* As if the QP had never had a request. */
static void qp_purge(struct twin_qp *qp)
{
	struct request *request, *next;
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	list_for_each_entry_safe(request, next, &qp->posted, link) {
		list_del(&request->link);
		kfree(request);
	}
	spin_unlock_irqrestore(&lock, flags);
}

static void cq_tell(struct ib_cq *cq)
{
	if (cq && cq->comp_handler)
		cq->comp_handler(cq, cq->cq_context);
}

static int twin_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
			  struct ib_udata *udata)
{
	struct twin_qp *qp = container_of(ib, struct twin_qp, ib);
	enum ib_qp_state from = qp->attr.qp_state;
	enum ib_qp_state to = mask & IB_QP_STATE ? attr->qp_state : from;
	unsigned long flags;
	unsigned int i;

	if (!ib_modify_qp_is_ok(from, to, ib->qp_type, mask))
		return -EINVAL;
	if (to == IB_QPS_RESET)
		qp_purge(qp);
	spin_lock_irqsave(&lock, flags);
	for (i = 0; i < ARRAY_SIZE(members); i++)
		if (mask & members[i].bit)
			memcpy((u8 *)&qp->attr + members[i].offset, (u8 *)attr + members[i].offset,
			       members[i].size);
	if (to == IB_QPS_ERR)
		qp_flush(qp);
	spin_unlock_irqrestore(&lock, flags);
	if (to == IB_QPS_ERR) {
		cq_tell(ib->send_cq);
		cq_tell(ib->recv_cq);
	}
	return 0;
}

static int twin_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
			 struct ib_qp_init_attr *init)
{
	struct twin_qp *qp = container_of(ib, struct twin_qp, ib);

	*attr = qp->attr;
	attr->cur_qp_state = attr->qp_state;
	attr->cap = qp->init.cap;
	*init = qp->init;
	return 0;
}

static int twin_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	qp_purge(container_of(ib, struct twin_qp, ib));
	return 0;
}

static int qp_post(struct twin_qp *qp, struct ib_cq *cq, struct ib_cqe *cqe)
{
	struct request *request = kzalloc(sizeof(*request), GFP_ATOMIC);
	unsigned long flags;
	bool err;

	if (!request)
		return -ENOMEM;
	request->cq = container_of(cq, struct twin_cq, ib);
	request->wc.wr_cqe = cqe;
	request->wc.qp = &qp->ib;
	request->wc.status = IB_WC_WR_FLUSH_ERR;
	spin_lock_irqsave(&lock, flags);
	list_add_tail(&request->link, &qp->posted);
	err = qp->attr.qp_state == IB_QPS_ERR;
	if (err)
		qp_flush(qp);
	spin_unlock_irqrestore(&lock, flags);
	if (err)
		cq_tell(cq);
	return 0;
}

/* Both queues take a list of requests, of a type of their own. */
#define TWIN_POST(queue)							\
static int twin_post_##queue(struct ib_qp *ib,					\
			     const struct ib_##queue##_wr *wr,			\
			     const struct ib_##queue##_wr **bad)		\
{										\
	struct twin_qp *qp = container_of(ib, struct twin_qp, ib);		\
	int ret = 0;								\
										\
	for (; wr && !ret; wr = wr->next) {					\
		ret = qp_post(qp, ib->queue##_cq, wr->wr_cqe);			\
		*bad = wr;							\
	}									\
	return ret;								\
}

TWIN_POST(send)
TWIN_POST(recv)

static const struct ib_device_ops ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.query_device = twin_query_device,
	.query_port = twin_query_port,
	.get_port_immutable = twin_get_port_immutable,
	.query_gid = twin_query_gid,
	.query_pkey = twin_query_pkey,
	.alloc_pd = twin_alloc_pd,
	.dealloc_pd = twin_dealloc_pd,
	.create_ah = twin_create_ah,
	.destroy_ah = twin_destroy_ah,
	.get_dma_mr = twin_get_dma_mr,
	.dereg_mr = twin_dereg_mr,
	/* Its parameters are not the same in all kernels. */
	.reg_user_mr = (void *)twin_reg_user_mr,
	.create_cq = twin_create_cq,
	.destroy_cq = twin_destroy_cq,
	.poll_cq = twin_poll_cq,
	.req_notify_cq = twin_req_notify_cq,
	.create_qp = twin_create_qp,
	.modify_qp = twin_modify_qp,
	.query_qp = twin_query_qp,
	.destroy_qp = twin_destroy_qp,
	.post_send = twin_post_send,
	.post_recv = twin_post_recv,
	INIT_RDMA_OBJ_SIZE(ib_pd, twin_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_ah, twin_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, twin_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, twin_qp, ib),
};

static struct twin *twin;

static int __init start(void)
{
	int ret;

	twin = ib_alloc_device(twin, ib);
	if (!twin)
		return -ENOMEM;
	twin->ib.node_type = RDMA_NODE_IB_CA;
	twin->ib.node_guid = cpu_to_be64(0x0200000000000001);
	twin->ib.phys_port_cnt = ARRAY_SIZE(ports);
	twin->ib.num_comp_vectors = 1;
	ib_set_device_ops(&twin->ib, &ops);
	ret = ib_register_device(&twin->ib, "twin%d", NULL);
	if (ret)
		ib_dealloc_device(&twin->ib);
	return ret;
}
module_init(start);

static void __exit end(void)
{
	ib_unregister_device(&twin->ib);
	ib_dealloc_device(&twin->ib);
}
module_exit(end);

MODULE_DESCRIPTION("An InfiniBand device with two ports, for tests");
MODULE_LICENSE("GPL");
