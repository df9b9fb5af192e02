// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a software device answer as drivers of hardware do, for tests in a guest: functions of
 * this module take the place of some of the device's operations. Each ib_device has a copy
 * of its driver's table, and the verbs call through that copy, so nothing is probed.
 *
 * /sys/module/hardware/parameters/:
 *   purge     completions of a QP that lie in its CQs are gone when a transition to RESET or
 *             ib_destroy_qp() returns, as with __mlx5_ib_cq_clean(), bnxt_qplib_clean_qp()
 *             and irdma_clean_cqes()
 *   flush_ms  completions with IB_WC_WR_FLUSH_ERR come that much later, in order, and then the
 *             CQ's comp_handler() is called: irdma_generate_flush_completions() runs
 *             IRDMA_FLUSH_DELAY_MS after the QP failed
 *   dead      RESET is told and done as ERR, and no INIT follows it: irdma_modify_qp_roce()
 *   refuse    of the requests of these QPs, and of SRQs, that are posted from now on, which one is
 *             refused, with -EIO; 0: none. It counts down. Requests before it in its list are
 *             posted, as mlx5r_post_send(), bnxt_re_post_send() and irdma_post_send() do
 *   moderate  the CQs have moderation, of MODERATION_COUNT completions and MODERATION_PERIOD us at
 *             most, as with mlx5_ib_modify_cq(), mlx4_ib_modify_cq() and hns_roce_v2_modify_cq().
 *             Given when the module is loaded. Events come as before
 *   moderated_count, moderated_period
 *             the values that the last CQ was given
 *   purged, delayed, overruns
 *             completions that were taken out, that came later, and that found their CQ full
 *
 * It acts on kernel QPs that are made while it is loaded, and on their CQs. Load it before the
 * module that makes them, and unload it after that one.
 */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

static bool purge;
module_param(purge, bool, 0644);

static unsigned int flush_ms;
module_param(flush_ms, uint, 0644);

static bool dead;
module_param(dead, bool, 0644);

static unsigned int refuse;
module_param(refuse, uint, 0644);

static bool moderate;
module_param(moderate, bool, 0444);

#define MODERATION_COUNT 1000
#define MODERATION_PERIOD 500

static ushort moderated_count;
module_param(moderated_count, ushort, 0444);

static ushort moderated_period;
module_param(moderated_period, ushort, 0444);

static atomic_t purged = ATOMIC_INIT(0);
static atomic_t delayed = ATOMIC_INIT(0);
static atomic_t overruns = ATOMIC_INIT(0);

/* The driver's own operations. All of its devices have the same. */
static typeof_member(struct ib_device, ops) driver;

struct entry {
	struct list_head link;
	struct ib_wc wc;
	/* From when on a poll finds it, in jiffies. */
	unsigned long due;
};

/*
 * The completions taken out of a driver's CQ. Its entries are as many as the CQ has, and together
 * they are the CQ that a poll sees.
 */
struct shadow {
	struct ib_cq *cq;
	/* Taken outside the driver's own lock of the CQ. */
	spinlock_t lock;
	struct list_head unused;
	struct list_head ready;
	/* Not due yet, in order. */
	struct list_head late;
	/* ib_req_notify_cq() was called, and comp_handler() was not since. */
	bool armed;
	struct delayed_work work;
	struct entry entry[];
};

/* By struct ib_cq. */
static DEFINE_XARRAY(shadows);

/* By struct ib_qp: values of these. */
#define QP_DEAD		1	/* it takes no INIT any more */
#define QP_TELLS_RESET	2	/* what a query says */
static DEFINE_XARRAY(qps);

static struct shadow *shadow_of(const struct ib_cq *cq)
{
	return xa_load(&shadows, (unsigned long)cq);
}

static unsigned long qp_flags(const struct ib_qp *qp)
{
	void *value = xa_load(&qps, (unsigned long)qp);

	return value ? xa_to_value(value) : 0;
}

static int qp_set_flags(const struct ib_qp *qp, unsigned long flags)
{
	return xa_err(xa_store(&qps, (unsigned long)qp, xa_mk_value(flags), GFP_KERNEL));
}

/* Those of ib_mad, of user space, and made before this module came are the driver's alone. */
static bool is_ours(const struct ib_qp *qp)
{
	return !qp->uobject && qp->qp_type != IB_QPT_GSI && qp->qp_type != IB_QPT_SMI;
}

/* shadow->lock */
static void shadow_fill(struct shadow *shadow)
{
	unsigned int ms = READ_ONCE(flush_ms);
	struct entry *entry;
	struct ib_wc wc;

	while (driver.poll_cq(shadow->cq, 1, &wc) == 1) {
		entry = list_first_entry_or_null(&shadow->unused, struct entry, link);
		if (!entry) {
			atomic_inc(&overruns);
			pr_warn_once("hardware: a cq of %d is full\n", shadow->cq->cqe);
			continue;
		}
		entry->wc = wc;
		if (!ms || wc.status != IB_WC_WR_FLUSH_ERR) {
			list_move_tail(&entry->link, &shadow->ready);
			continue;
		}
		entry->due = jiffies + msecs_to_jiffies(ms);
		list_move_tail(&entry->link, &shadow->late);
		atomic_inc(&delayed);
		schedule_delayed_work(&shadow->work, msecs_to_jiffies(ms));
	}
}

/* shadow->lock. True if some that were late are there. */
static bool shadow_ripen(struct shadow *shadow)
{
	struct entry *entry, *next;
	bool any = false;

	list_for_each_entry_safe(entry, next, &shadow->late, link) {
		if (time_before(jiffies, entry->due))
			break;
		list_move_tail(&entry->link, &shadow->ready);
		any = true;
	}
	return any;
}

static void shadow_work(struct work_struct *work)
{
	struct shadow *shadow = container_of(work, struct shadow, work.work);
	struct entry *first;
	bool notify = false;

	spin_lock_irq(&shadow->lock);
	shadow_ripen(shadow);
	if (!list_empty(&shadow->ready)) {
		notify = shadow->armed;
		shadow->armed = false;
	}
	first = list_first_entry_or_null(&shadow->late, struct entry, link);
	if (first)
		schedule_delayed_work(&shadow->work,
				      max_t(long, first->due - jiffies, 1));
	spin_unlock_irq(&shadow->lock);
	if (notify)
		shadow->cq->comp_handler(shadow->cq, shadow->cq->cq_context);
}

static int shadow_make(struct ib_cq *cq)
{
	struct shadow *shadow;
	int i, ret;

	if (!cq || shadow_of(cq))
		return 0;
	shadow = kvzalloc(struct_size(shadow, entry, cq->cqe), GFP_KERNEL);
	if (!shadow)
		return -ENOMEM;
	shadow->cq = cq;
	spin_lock_init(&shadow->lock);
	INIT_LIST_HEAD(&shadow->unused);
	INIT_LIST_HEAD(&shadow->ready);
	INIT_LIST_HEAD(&shadow->late);
	INIT_DELAYED_WORK(&shadow->work, shadow_work);
	for (i = 0; i < cq->cqe; i++)
		list_add_tail(&shadow->entry[i].link, &shadow->unused);
	/* It may have been armed before it had a QP. */
	shadow->armed = true;
	ret = xa_insert(&shadows, (unsigned long)cq, shadow, GFP_KERNEL);
	if (ret)
		kvfree(shadow);
	return ret == -EBUSY ? 0 : ret;
}

static void shadow_free(struct shadow *shadow)
{
	xa_erase(&shadows, (unsigned long)shadow->cq);
	cancel_delayed_work_sync(&shadow->work);
	kvfree(shadow);
}

/* shadow->lock */
static void list_purge(struct shadow *shadow, struct list_head *list, const struct ib_qp *qp)
{
	struct entry *entry, *next;

	list_for_each_entry_safe(entry, next, list, link) {
		if (entry->wc.qp != qp)
			continue;
		list_move_tail(&entry->link, &shadow->unused);
		atomic_inc(&purged);
	}
}

static void cq_purge(struct ib_cq *cq, const struct ib_qp *qp)
{
	struct shadow *shadow = cq ? shadow_of(cq) : NULL;

	if (!shadow)
		return;
	spin_lock_irq(&shadow->lock);
	shadow_fill(shadow);
	list_purge(shadow, &shadow->ready, qp);
	list_purge(shadow, &shadow->late, qp);
	spin_unlock_irq(&shadow->lock);
}

static void qp_purge(struct ib_qp *qp)
{
	if (!READ_ONCE(purge))
		return;
	cq_purge(qp->send_cq, qp);
	cq_purge(qp->recv_cq, qp);
}

static int hardware_poll_cq(struct ib_cq *cq, int num_entries, struct ib_wc *wc)
{
	struct shadow *shadow = shadow_of(cq);
	struct entry *entry;
	unsigned long flags;
	int n = 0;

	if (!shadow)
		return driver.poll_cq(cq, num_entries, wc);
	spin_lock_irqsave(&shadow->lock, flags);
	shadow_fill(shadow);
	shadow_ripen(shadow);
	while (n < num_entries && !list_empty(&shadow->ready)) {
		entry = list_first_entry(&shadow->ready, struct entry, link);
		wc[n++] = entry->wc;
		list_move_tail(&entry->link, &shadow->unused);
	}
	spin_unlock_irqrestore(&shadow->lock, flags);
	return n;
}

static int hardware_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags notify)
{
	struct shadow *shadow = shadow_of(cq);
	int ret = driver.req_notify_cq(cq, notify);
	unsigned long flags;

	if (!shadow)
		return ret;
	spin_lock_irqsave(&shadow->lock, flags);
	shadow->armed = true;
	if (notify & IB_CQ_REPORT_MISSED_EVENTS && !ret)
		ret = !list_empty(&shadow->ready);
	spin_unlock_irqrestore(&shadow->lock, flags);
	return ret;
}

static int hardware_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	struct shadow *shadow = shadow_of(cq);
	int ret;

	/* No comp_handler() once the driver has begun. */
	if (shadow)
		cancel_delayed_work_sync(&shadow->work);
	ret = driver.destroy_cq(cq, udata);
	if (!shadow)
		return ret;
	if (ret)
		schedule_delayed_work(&shadow->work, 0);
	else
		shadow_free(shadow);
	return ret;
}

static int hardware_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *init,
			      struct ib_udata *udata)
{
	int ret;

	if (!udata && is_ours(qp)) {
		ret = shadow_make(init->send_cq) ?: shadow_make(init->recv_cq);
		if (ret)
			return ret;
	}
	return driver.create_qp(qp, init, udata);
}

/* As a transition to RESET that fails the QP for good. */
static int qp_kill(struct ib_qp *qp)
{
	struct ib_qp_attr err = { .qp_state = IB_QPS_ERR }, now = {};
	struct ib_qp_init_attr init;
	int ret;

	ret = driver.query_qp(qp, &now, IB_QP_STATE, &init);
	if (!ret && now.qp_state != IB_QPS_RESET)
		ret = driver.modify_qp(qp, &err, IB_QP_STATE, NULL);
	return ret ?: qp_set_flags(qp, QP_DEAD | QP_TELLS_RESET);
}

static int hardware_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			      struct ib_udata *udata)
{
	int ret;

	if (!is_ours(qp) || !(mask & IB_QP_STATE))
		return driver.modify_qp(qp, attr, mask, udata);
	if (attr->qp_state == IB_QPS_RESET && READ_ONCE(dead))
		return qp_kill(qp);
	if (qp_flags(qp) & QP_DEAD) {
		if (attr->qp_state != IB_QPS_RESET && attr->qp_state != IB_QPS_ERR)
			return -EINVAL;
		return qp_set_flags(qp, attr->qp_state == IB_QPS_RESET ?
				    QP_DEAD | QP_TELLS_RESET : QP_DEAD);
	}
	ret = driver.modify_qp(qp, attr, mask, udata);
	if (!ret && attr->qp_state == IB_QPS_RESET)
		qp_purge(qp);
	return ret;
}

static int hardware_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			     struct ib_qp_init_attr *init)
{
	int ret = driver.query_qp(qp, attr, mask, init);

	if (!ret && qp_flags(qp) & QP_TELLS_RESET) {
		attr->qp_state = IB_QPS_RESET;
		attr->cur_qp_state = IB_QPS_RESET;
	}
	return ret;
}

static int hardware_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	int ret = driver.destroy_qp(qp, udata);

	if (ret || !is_ours(qp))
		return ret;
	qp_purge(qp);
	xa_erase(&qps, (unsigned long)qp);
	return 0;
}

/* How requests of either kind begin. The list is our own module's, and may be cut for a moment. */
struct request {
	struct request *next;
};

static_assert(!offsetof(struct ib_send_wr, next) && !offsetof(struct ib_recv_wr, next));

/* The request of a list that is to be refused, or NULL; and the one before it. */
static struct request *find_refused(struct request *wr, struct request **last)
{
	*last = NULL;
	for (; wr && READ_ONCE(refuse) != 1; wr = wr->next) {
		*last = wr;
		if (refuse)
			WRITE_ONCE(refuse, refuse - 1);
	}
	if (wr)
		WRITE_ONCE(refuse, 0);
	return wr;
}

static int hardware_post_send(struct ib_qp *queue, const struct ib_send_wr *wr,
			      const struct ib_send_wr **bad)
{
	struct request *last, *refused = find_refused((struct request *)wr, &last);
	int ret = 0;

	if (!refused)
		return driver.post_send(queue, wr, bad);
	if (last) {
		last->next = NULL;
		ret = driver.post_send(queue, wr, bad);
		last->next = refused;
	}
	if (!ret)
		*bad = (struct ib_send_wr *)refused;
	return ret ?: -EIO;
}

static int hardware_post_recv(struct ib_qp *queue, const struct ib_recv_wr *wr,
			      const struct ib_recv_wr **bad)
{
	struct request *last, *refused = find_refused((struct request *)wr, &last);
	int ret = 0;

	if (!refused)
		return driver.post_recv(queue, wr, bad);
	if (last) {
		last->next = NULL;
		ret = driver.post_recv(queue, wr, bad);
		last->next = refused;
	}
	if (!ret)
		*bad = (struct ib_recv_wr *)refused;
	return ret ?: -EIO;
}

static int hardware_post_srq_recv(struct ib_srq *queue, const struct ib_recv_wr *wr,
				  const struct ib_recv_wr **bad)
{
	struct request *last, *refused = find_refused((struct request *)wr, &last);
	int ret = 0;

	if (!refused)
		return driver.post_srq_recv(queue, wr, bad);
	if (last) {
		last->next = NULL;
		ret = driver.post_srq_recv(queue, wr, bad);
		last->next = refused;
	}
	if (!ret)
		*bad = (struct ib_recv_wr *)refused;
	return ret ?: -EIO;
}

static int hardware_modify_cq(struct ib_cq *cq, u16 count, u16 period)
{
	moderated_count = count;
	moderated_period = period;
	return 0;
}

static int hardware_add(struct ib_device *device)
{
	if (device->ops.driver_id != RDMA_DRIVER_RXE && device->ops.driver_id != RDMA_DRIVER_SIW)
		return -EOPNOTSUPP;
	if (!driver.poll_cq)
		driver = device->ops;
	if (driver.driver_id != device->ops.driver_id) {
		pr_warn("hardware: %s is of another driver\n", dev_name(&device->dev));
		return -EOPNOTSUPP;
	}
	WRITE_ONCE(device->ops.poll_cq, hardware_poll_cq);
	WRITE_ONCE(device->ops.req_notify_cq, hardware_req_notify_cq);
	WRITE_ONCE(device->ops.destroy_cq, hardware_destroy_cq);
	WRITE_ONCE(device->ops.create_qp, hardware_create_qp);
	WRITE_ONCE(device->ops.modify_qp, hardware_modify_qp);
	WRITE_ONCE(device->ops.query_qp, hardware_query_qp);
	WRITE_ONCE(device->ops.destroy_qp, hardware_destroy_qp);
	WRITE_ONCE(device->ops.post_send, hardware_post_send);
	WRITE_ONCE(device->ops.post_recv, hardware_post_recv);
	WRITE_ONCE(device->ops.post_srq_recv, hardware_post_srq_recv);
	if (moderate) {
		WRITE_ONCE(device->ops.modify_cq, hardware_modify_cq);
		device->attrs.cq_caps.max_cq_moderation_count = MODERATION_COUNT;
		device->attrs.cq_caps.max_cq_moderation_period = MODERATION_PERIOD;
	}
	return 0;
}

static void hardware_remove(struct ib_device *device, void *client_data)
{
	WRITE_ONCE(device->ops.poll_cq, driver.poll_cq);
	WRITE_ONCE(device->ops.req_notify_cq, driver.req_notify_cq);
	WRITE_ONCE(device->ops.destroy_cq, driver.destroy_cq);
	WRITE_ONCE(device->ops.create_qp, driver.create_qp);
	WRITE_ONCE(device->ops.modify_qp, driver.modify_qp);
	WRITE_ONCE(device->ops.query_qp, driver.query_qp);
	WRITE_ONCE(device->ops.destroy_qp, driver.destroy_qp);
	WRITE_ONCE(device->ops.post_send, driver.post_send);
	WRITE_ONCE(device->ops.post_recv, driver.post_recv);
	WRITE_ONCE(device->ops.post_srq_recv, driver.post_srq_recv);
	WRITE_ONCE(device->ops.modify_cq, driver.modify_cq);
	device->attrs.cq_caps = (struct ib_cq_caps){};
}

static struct ib_client client = {
	.name = "hardware",
	.add = hardware_add,
	.remove = hardware_remove,
};

module_param_named(purged, purged.counter, int, 0644);
module_param_named(delayed, delayed.counter, int, 0644);
module_param_named(overruns, overruns.counter, int, 0644);

static int __init start(void)
{
	return ib_register_client(&client);
}
module_init(start);

static void __exit end(void)
{
	struct shadow *shadow;
	unsigned long i;

	ib_unregister_client(&client);
	xa_for_each(&shadows, i, shadow) {
		pr_warn("hardware: a cq is left\n");
		shadow_free(shadow);
	}
	xa_destroy(&qps);
}
module_exit(end);

MODULE_DESCRIPTION("Makes a software device answer as drivers of hardware do, for tests");
MODULE_LICENSE("GPL");
