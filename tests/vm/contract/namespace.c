// SPDX-License-Identifier: MIT
/* Another network namespace: the objects and the events that it has. */
#define _GNU_SOURCE /* setns(), unshare() */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"
#include "sys/now.h"

#define NOUNS 8

/* iWARP has no AHs, which are the last. */
static unsigned int nouns(void)
{
	return is_iwarp() ? NOUNS - 1 : NOUNS;
}

/**
 * struct made - an object
 * @name: of its type
 * @noun: ditto
 * @id: its id
 */
struct made {
	const char *name;
	enum kv_type noun;
	uint32_t id;
};

/*
 * A connection from a network namespace of its own, which ends with it; with the other device
 * there if it is wanted.
 */
static void link_open_apart(struct link *l, bool with_dev)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	if (own < 0 || unshare(CLONE_NEWNET))
		bail_out("no network namespace: %s", strerror(errno));
	if (with_dev)
		other_dev_make();
	link_open(l);
	if (setns(own, CLONE_NEWNET))
		bail_out("the way back is lost: %s", strerror(errno));
	close(own);
}

static uint32_t make(struct link *l, enum kv_type noun, const void *init)
{
	union kv_object object;

	must(l, call_new(&l->nl, noun, init, &object, NULL), "create an object");
	return object.id;
}

/* One of each. A CONN is persistent in the first namespace only. */
static void make_all(struct link *l, struct made made[NOUNS], bool persistent, bool apart)
{
	const struct kv_pd_init pd = { .dev = dev, .persistent = persistent };
	const struct kv_cq_init cq = { .dev = dev, .cqe = 8, .persistent = persistent };
	const struct kv_conn_init conn = { .dev = dev, .persistent = persistent && !apart };
	const struct kv_buf_init buf = { .dev = dev, .length = 64, .persistent = persistent };
	struct kv_mr_init mr = { .persistent = persistent };
	struct kv_srq_init srq = { .max_wr = 4, .max_sge = 1, .persistent = persistent };
	struct kv_ah_init ah = { .port = 1, .av = own_address(), .persistent = persistent };
	struct kv_qp_init qp = { .max_send_wr = 4, .max_send_sge = 1, .persistent = persistent };
	struct kv_qp qp_made;

	mr.pd = make(l, KV_PD, &pd);
	srq.pd = mr.pd;
	ah.pd = mr.pd;
	qp.pd = mr.pd;
	qp.send_cq = make(l, KV_CQ, &cq);
	qp.recv_cq = qp.send_cq;
	qp.srq = make(l, KV_SRQ, &srq);
	must(l, call_qp_new(&l->nl, &qp, &qp_made, NULL), "qp");
	made[0] = (struct made){ "conn", KV_CONN, make(l, KV_CONN, &conn) };
	made[1] = (struct made){ "qp", KV_QP, qp_made.id };
	made[2] = (struct made){ "srq", KV_SRQ, qp.srq };
	made[3] = (struct made){ "mr", KV_MR, make(l, KV_MR, &mr) };
	made[4] = (struct made){ "cq", KV_CQ, qp.send_cq };
	made[5] = (struct made){ "pd", KV_PD, mr.pd };
	made[6] = (struct made){ "buf", KV_BUF, make(l, KV_BUF, &buf) };
	if (!is_iwarp())
		made[7] = (struct made){ "ah", KV_AH, make(l, KV_AH, &ah) };
}

/* @l must see, list, use and delete none of it. */
static void check_unseen(struct link *l, const struct made made[NOUNS], const char *whose)
{
	struct wr wr = { .op = KVERBS_OP_RECV };
	union kv_object object;
	uint32_t flushed, busy;
	char name[80];
	unsigned int i, n;

	for (i = 0; i < nouns(); i++) {
		snprintf(name, sizeof(name), "a %s %s is not seen", whose, made[i].name);
		refused(l, call_get(&l->nl, made[i].noun, made[i].id, &object), -ENOENT,
			"among yours", name);
		snprintf(name, sizeof(name), "a %s %s is not deleted", whose, made[i].name);
		refused(l, call_del(&l->nl, made[i].noun, made[i].id, NULL), -ENOENT,
			"among yours", name);
	}
	for (i = 0, n = 0; i < nouns(); i++)
		n += count_listed(l, made[i].noun);
	result(!n, "nor is any of them listed");
	refused(l, call_buf_read(&l->nl, made[6].id, 0, name, 8), -ENOENT, "among yours",
		"its content is not read");
	refused(l, call_buf_write(&l->nl, made[6].id, 0, "stranger", 8), -ENOENT, "among yours",
		"nor written");
	refused(l, modify(l, made[1].id, init_attr(KVERBS_QPT_RC)), -ENOENT, "among yours",
		"its qp is not modified");
	wr.srq = made[2].id;
	refused(l, call_post(&l->nl, &wr, NULL), -ENOENT, "among yours",
		"its srq is not posted to");
	refused(l, call_cq_poll(&l->nl, made[4].id, &(struct kv_wc){ 0 }, 1,
				 &(unsigned int){ 0 }, NULL), -ENOENT, "among yours",
		"its cq is not polled");
	refused(l, call_new(&l->nl, KV_MR, &(struct kv_mr_init){
			.pd = made[5].id }, NULL, NULL), -ENOENT, "among yours",
		"its pd is not used");
	must(l, call_flush(&l->nl, &flushed, &busy), "flush");
	result(!flushed && !busy, "a flush takes nothing along");
}

static bool hears(struct link *l, uint32_t type)
{
	uint64_t end = kv_now_ns() + 300000000;
	struct kv_event event;

	while (!call_wait_event(&l->nl, end, &event))
		if (event.type == type)
			return true;
	return false;
}

/* @other must hear nothing of what happens to what is @own's. */
static void check_unheard(struct link *own, struct link *other, const char *name)
{
	struct kv_run_spec spec = { .loop = KVERBS_LOOP_NULL, .iters = 10, .cpu = -1, .spins = -1 };
	struct kv_run_result shown;
	uint32_t id;

	snprintf(spec.dev, sizeof(spec.dev), "%s", dev);
	must(own, call_run_start(&own->nl, &spec, &id), "start a run");
	result(hears(own, KVERBS_EVENT_RUN_DONE), "the end of a run is heard %s", name);
	result(!hears(other, KVERBS_EVENT_RUN_DONE), "and nowhere else");
	refused(other, call_run_peek(&other->nl, id, &shown), -ENOENT, "among yours",
		"its result is not seen elsewhere");
	refused(other, call_run_cancel(&other->nl, id), -ENOENT, "among yours",
		"nor is it cancelled from there");
	refused(other, call_run_del(&other->nl, id), -ENOENT, "among yours", "nor deleted");
	must(own, call_run_del(&own->nl, id), "delete");
}

/* Devices are everybody's, as they are in the kernel unless it is told otherwise. */
static void test_shared(struct link *l, struct link *apart)
{
	struct made ours[NOUNS], theirs[NOUNS];
	uint32_t flushed, busy;
	struct kv_dev found;
	unsigned int i, n;

	done(apart, call_dev_get(&apart->nl, dev, &found),
	     "a device that is shared is seen from another namespace");
	make_all(l, ours, true, false);
	check_unseen(apart, ours, "persistent");
	make_all(apart, theirs, true, true);
	for (i = 0, n = 0; i < nouns(); i++)
		n += count_listed(apart, theirs[i].noun);
	result(n == nouns(), "what is made there is listed there, and nothing else");
	for (i = 0, n = 0; i < nouns(); i++)
		n += count_listed(l, ours[i].noun);
	result(n == nouns(), "nor does it appear here");
	must(l, call_flush(&l->nl, &flushed, &busy), "flush");
	result(flushed == nouns() && !busy, "a flush takes what is here");
	check_unseen(l, theirs, "stranger's persistent");
	must(apart, call_flush(&apart->nl, &flushed, &busy), "flush");
	result(flushed == nouns() - 1 && !busy, "what is there is flushed there");
	must(apart, call_del(&apart->nl, KV_CONN, theirs[0].id, NULL), "delete");

	make_all(l, ours, false, false);
	check_unseen(apart, ours, "private");
	check_unheard(l, apart, "here");
	check_unheard(apart, l, "there");
	make_all(apart, theirs, true, true);
}

/* Its rdma_cm_id would keep the namespace for ever. */
static void test_persistent_conn(struct link *apart)
{
	const struct kv_conn_init init = { .dev = dev, .persistent = true };
	struct snapshot before = snapshot(apart), after;
	struct kv_conn conn;
	int ret;

	apart->nl.base.err[0] = '\0';
	ret = call_new(&apart->nl, KV_CONN, &init, &conn, NULL);
	result((ret == -EINVAL || ret == -EOPNOTSUPP) && strstr(apart->nl.base.err, "namespace"),
	       "a persistent conn is refused outside the first namespace");
	note("  %d \"%s\"", ret, apart->nl.base.err);
	if (!ret)
		must(apart, call_del(&apart->nl, KV_CONN, conn.id, NULL), "delete");
	after = snapshot(apart);
	result(after.hash == before.hash && after.live == before.live, "and nothing is left of it");
}

struct named {
	const char *name;
	unsigned int gids;
	unsigned int netdevs;
};

static void count_netdevs(const struct kv_dev *found, struct named *named)
{
	unsigned int i;

	named->gids = found->port[0].gids;
	named->netdevs = 0;
	for (i = 0; i < found->port[0].gids; i++)
		named->netdevs += found->port[0].gid[i].netdev[0] != '\0';
}

static int on_named(const struct kv_dev *found, void *arg)
{
	struct named *named = arg;

	if (!strcmp(found->name, named->name))
		count_netdevs(found, named);
	return 0;
}

/* How many of a device's GIDs have their netdev named: as it is shown, and as it is listed. */
static void check_netdevs(struct link *l, const char *device, bool all, const char *name)
{
	struct named one = { .name = device }, listed = { .name = device };
	struct kv_dev found;

	must(l, call_dev_get(&l->nl, device, &found), "the device");
	count_netdevs(&found, &one);
	must(l, kv_nl_dev_each(&l->nl.base, on_named, &listed), "list devices");
	result(one.gids && one.netdevs == (all ? one.gids : 0) &&
	       listed.gids == one.gids && listed.netdevs == one.netdevs, "%s", name);
	note("  %u of %u GIDs; in the list %u of %u", one.netdevs, one.gids, listed.netdevs,
	     listed.gids);
}

/* Two devices that all may use; the netdev of one is in this namespace, the other's is not. */
static void test_netdevs(void)
{
	struct link l, apart;

	/* Theirs is a MAC address. */
	if (lacks("a GID's netdev", "GID of a netdev"))
		return;
	link_open(&l);
	link_open_apart(&apart, true);
	check_netdevs(&l, dev, true, "a GID's netdev is named in its namespace");
	check_netdevs(&apart, dev, false, "and in no other one");
	check_netdevs(&apart, OTHER_DEV, true, "so is one of another namespace there");
	check_netdevs(&l, OTHER_DEV, false, "and not in the first one");
	if (system("rdma link delete " OTHER_DEV))
		bail_out("the other device stays");
	kv_nl_close(&apart.nl);
	link_close(&l);
}

void test_namespace(void)
{
	struct link l, apart;

	link_open(&l);
	link_open_apart(&apart, false);
	test_shared(&l, &apart);
	test_persistent_conn(&apart);
	kv_nl_close(&apart.nl);
	note("the namespace goes, with what is persistent in it");
	link_close(&l);
	test_netdevs();
}

static int on_dev(const struct kv_dev *found, void *arg)
{
	(void)found;
	++*(unsigned int *)arg;
	return 0;
}

/*
 * Devices belong to namespaces: `rdma system set netns exclusive`. The device that is
 * named is this namespace's.
 */
void test_exclusive(void)
{
	const struct kv_pd_init pd = { .dev = dev };
	const struct kv_cq_init cq = { .dev = dev, .cqe = 8 };
	const struct kv_conn_init conn = { .dev = dev };
	struct kv_run_spec spec = { .loop = KVERBS_LOOP_NULL, .iters = 10, .cpu = -1, .spins = -1 };
	struct made ours[NOUNS];
	struct link l, apart;
	uint32_t flushed, busy, id;
	struct kv_dev found;
	unsigned int n = 0;

	link_open(&l);
	make_all(&l, ours, true, false);
	link_open_apart(&apart, false);
	refused(&apart, call_dev_get(&apart.nl, dev, &found), -ENODEV,
		"no such RDMA device in this network namespace",
		"a device of another namespace is not seen");
	must(&apart, kv_nl_dev_each(&apart.nl.base, on_dev, &n), "list devices");
	result(!n, "nor listed");
	refused(&apart, call_new(&apart.nl, KV_PD, &pd, NULL, NULL), -ENODEV,
		"no such RDMA device", "no pd is made there");
	refused(&apart, call_new(&apart.nl, KV_CQ, &cq, NULL, NULL), -ENODEV,
		"no such RDMA device", "no cq");
	refused(&apart, call_new(&apart.nl, KV_CONN, &conn, NULL, NULL), -ENODEV,
		"no such RDMA device", "no conn");
	snprintf(spec.dev, sizeof(spec.dev), "%s", dev);
	refused(&apart, call_run_start(&apart.nl, &spec, &id), -ENODEV,
		"no such RDMA device", "and no run");
	check_unseen(&apart, ours, "persistent");
	other_dev_make();
	result(hears(&l, KVERBS_EVENT_DEV_ADDED), "that a device comes is heard where it comes");
	result(!hears(&apart, KVERBS_EVENT_DEV_ADDED), "and nowhere else");
	other_dev_del();
	kv_nl_close(&apart.nl);
	must(&l, call_flush(&l.nl, &flushed, &busy), "flush");
	result(flushed == nouns() && !busy, "what was made is there to the end");
	link_close(&l);
}
