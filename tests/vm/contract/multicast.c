// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include "conn.h"

/* The group of all hosts of a link: ::ffff:224.0.0.1. */
static const uint8_t all_hosts[16] = { [10] = 0xff, [11] = 0xff, 224, 0, 0, 1 };

static struct kv_qp_attach in_group(uint32_t qp, uint8_t last)
{
	struct kv_qp_attach in = { .id = qp };

	memcpy(in.gid, all_hosts, sizeof(in.gid));
	in.gid[15] = last;
	return in;
}

static int attach(struct link *l, const struct kv_qp_attach *in)
{
	return kv_op_qp_attach(&l->nl.base, in, NULL, NULL);
}

static int detach(struct link *l, uint32_t qp, uint8_t last)
{
	struct kv_qp_detach out = { .id = qp };

	memcpy(out.gid, in_group(qp, last).gid, sizeof(out.gid));
	return kv_op_qp_detach(&l->nl.base, &out, NULL, NULL);
}

static uint32_t groups_of(struct link *l, uint32_t id)
{
	struct kv_qp qp;

	must(l, call_get(&l->nl, KV_QP, id, &qp), "qp");
	return qp.groups;
}

static void test_refused(struct link *l, uint32_t qp, uint32_t rc)
{
	struct kv_qp_attach in;

#define BAD(change, error, text, name)				\
	do {							\
		in = in_group(qp, 1);				\
		change;						\
		refused(l, attach(l, &in), error, text, name);	\
	} while (0)

	BAD(in.id = 2000000000, -ENOENT, "no qp with this id among yours", "an unknown qp");
	BAD(in.id = rc, -EINVAL, "not of type ud", "a qp of type rc");
	BAD(in.gid[0] = 0xfe, -EINVAL, "gid is no multicast GID", "the GID of one host");
	BAD(in.gid[12] = 192, -EINVAL, "gid is no multicast GID", "the IPv4 address of one host");
	BAD(in.lid = 0xc000, -EINVAL, "lid is of no use here: RoCE has no LIDs", "a LID on RoCE");
	BAD(in.lid = 0x10000, -ERANGE, "lid: integer out of range", "a LID of 17 bits");
#undef BAD
	refused(l, detach(l, qp, 1), -ENOENT, "not attached to this group",
		"to detach what is not attached");
	refused(l, RAW(l, KVERBS_CMD_QP_ATTACH, KVERBS_A_QP_ID, qp), -EINVAL, "gid is missing",
		"attach without a group");
	refused(l, RAW(l, KVERBS_CMD_QP_DETACH, KVERBS_A_QP_ID, qp), -EINVAL, "gid is missing",
		"detach without a group");
}

static void test_limit(struct link *l, uint32_t id)
{
	struct kv_qp_attach in;
	struct kv_qp qp;
	unsigned int i;

	for (i = 1; i <= KVERBS_GROUPS_MAX; i++) {
		in = in_group(id, (uint8_t)i);
		must(l, attach(l, &in), "attach");
	}
	in = in_group(id, 99);
	refused(l, attach(l, &in), -ENOSPC, "attached to 16 groups", "one group more than that");
	done(l, detach(l, id, 1), "it leaves the first one");
	must(l, call_get(&l->nl, KV_QP, id, &qp), "qp");
	result(qp.groups == KVERBS_GROUPS_MAX - 1 && qp.group[0].gid[15] == 2 &&
	       qp.group[qp.groups - 1].gid[15] == KVERBS_GROUPS_MAX && !qp.group[0].lid,
	       "the others are shown, in their order");
	done(l, attach(l, &in), "there is room for another one");
	refused(l, attach(l, &in), -ENOSPC, "", "and then no more");
}

static void test_goes(struct link *l, struct end *e)
{
	struct kv_qp_attach in = in_group(e->qp, 1);

	must(l, modify(l, e->qp, (struct kv_qp_attr){ .mask = KV_QPA_STATE }), "reset");
	result(!groups_of(l, e->qp), "RESET detaches it from all");
	refused(l, attach(l, &in), -EINVAL, "the qp is in RESET", "in RESET it has no groups");
	must(l, modify(l, e->qp, init_attr(KVERBS_QPT_UD)), "init");
	done(l, attach(l, &in), "in INIT it is attached again");
	refused(l, attach(l, &in), -EEXIST, "attached to this group already", "twice to one group");
	result(groups_of(l, e->qp) == 1, "to one group");
}

static struct sockaddr_storage address(const char *text)
{
	struct sockaddr_storage addr = { .ss_family = AF_INET };

	inet_pton(AF_INET, text, &((struct sockaddr_in *)&addr)->sin_addr);
	return addr;
}

static int join(struct link *l, uint32_t id, const struct sockaddr_storage *src,
		const struct sockaddr_storage *group)
{
	const struct kv_conn_join in = { .id = id, .src = *src, .group = *group };

	return kv_op_conn_join(&l->nl.base, &in, NULL, NULL);
}

static int leave(struct link *l, uint32_t id)
{
	return kv_op_conn_leave(&l->nl.base, &(struct kv_id){ id }, NULL, NULL);
}

static void refuse_join(struct link *l, uint32_t id)
{
	const struct sockaddr_storage src = conn_addr(AF_INET, 0), six = conn_addr(AF_INET6, 0);
	const struct sockaddr_storage group = address("239.1.1.1"), none = { 0 };
	const struct sockaddr_storage any = address("0.0.0.0"), other = address("192.0.2.77");

	refused(l, join(l, id, &none, &group), -EINVAL, "src is missing", "join from nowhere");
	refused(l, join(l, id, &src, &none), -EINVAL, "group is missing", "join without a group");
	refused(l, join(l, id, &any, &group), -EINVAL, "src must be an address of the device",
		"join from any address");
	refused(l, join(l, id, &src, &other), -EINVAL, "group is no multicast address",
		"join one host");
	refused(l, join(l, id, &six, &group), -EINVAL, "must be of the same family",
		"join a group of IPv4 from IPv6");
	refused_by(l, join(l, id, &other, &group), -EADDRNOTAVAIL, KVERBS_STAGE_BIND,
		   "not an address of an RDMA device", "join from an address of nobody");
	refused(l, leave(l, id), -EINVAL, "the conn is idle", "leave without having joined");
}

static void test_join(struct link *l)
{
	const struct sockaddr_storage src = conn_addr(AF_INET, 0), group = address("239.1.1.1");
	uint32_t id = conn_new(l);
	struct kv_conn conn;

	refuse_join(l, id);
	done(l, join(l, id, &src, &group), "it joins");
	conn_must_be(l, id, KVERBS_CONN_JOINED);
	conn = conn_get(l, id);
	result(conn.event == KVERBS_CM_EVENT_MULTICAST_JOIN && !conn.status &&
	       !memcmp(&conn.group, &group, sizeof(struct sockaddr_in)), "and tells of which group");
	result(conn.group_qpn == 0xffffff && conn.group_qkey == 0x01234567 &&
	       conn.group_port == 1 && !conn.group_lid && conn.group_gid[11] == 0xff &&
	       conn.group_gid[12] == 239 &&
	       conn.group_sgid_index == own_address().sgid_index,
	       "and with what to send to it");
	refused(l, join(l, id, &src, &group), -EINVAL, "leave it first", "to join twice");
	done(l, leave(l, id), "it leaves");
	conn = conn_get(l, id);
	result(conn.state == KVERBS_CONN_IDLE && !conn.group_qpn && !conn.group.ss_family,
	       "and is idle");
	done(l, join(l, id, &src, &group), "it joins again");
	done(l, leave(l, id), "and leaves before the answer");
	done(l, join(l, id, &src, &group), "and joins, and goes as a member");
	must(l, conn_del(l, id), "delete");
	id = conn_new(l);
	must(l, join(l, id, &src, &group), "join");
	note("another one is left for the end of its owner");
}

/* QPs that are attached to multicast groups. examples/18-multicast.kv tests which datagrams they receive. */
void test_multicast(void)
{
	const struct end_init init = { .type = KVERBS_QPT_UD };
	struct end e;
	struct link l;
	uint32_t rc;

	link_open(&l);
	end_make(&l, &e, &init);
	rc = make_rc_qp(&l, e.pd);
	must(&l, modify(&l, e.qp, init_attr(KVERBS_QPT_UD)), "init");
	test_refused(&l, e.qp, rc);
	test_limit(&l, e.qp);
	test_goes(&l, &e);
	must(&l, call_del(&l.nl, KV_QP, rc, NULL), "delete");
	end_del(&l, &e);
	note("and deleted while it was attached");
	test_join(&l);

	/* A killed process leaves nothing: the same, without deleting. */
	end_make(&l, &e, &init);
	must(&l, modify(&l, e.qp, init_attr(KVERBS_QPT_UD)), "init");
	must(&l, attach(&l, &(struct kv_qp_attach[]){ in_group(e.qp, 1) }[0]), "attach");
	link_close(&l);
}
