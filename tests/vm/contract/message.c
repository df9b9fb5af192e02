// SPDX-License-Identifier: MIT
/* Faults that any message can have, and protection domains, which have no others. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <netlink/msg.h>
#include "contract.h"

static const struct {
	const char *name;
	enum kv_type noun;
	int cmd_del;
	const char *unknown;
	const char *missing;
} types[] = {
	{ "pd", KV_PD, KVERBS_CMD_PD_DEL,
	  "no pd with this id among yours", "the pd's id is missing" },
	{ "cq", KV_CQ, KVERBS_CMD_CQ_DEL,
	  "no cq with this id among yours", "the cq's id is missing" },
	{ "buf", KV_BUF, KVERBS_CMD_BUF_DEL,
	  "no buf with this id among yours", "the buf's id is missing" },
	{ "mr", KV_MR, KVERBS_CMD_MR_DEL,
	  "no mr with this id among yours", "the mr's id is missing" },
	{ "srq", KV_SRQ, KVERBS_CMD_SRQ_DEL,
	  "no srq with this id among yours", "the srq's id is missing" },
	{ "ah", KV_AH, KVERBS_CMD_AH_DEL,
	  "no ah with this id among yours", "the ah's id is missing" },
	{ "qp", KV_QP, KVERBS_CMD_QP_DEL,
	  "no qp with this id among yours", "the qp's id is missing" },
};

static void test_ids(struct link *l)
{
	union kv_object object;
	char name[64];
	unsigned int i;

	for (i = 0; i < COUNT(types); i++) {
		enum kv_type noun = types[i].noun;

		snprintf(name, sizeof(name), "an unknown %s is not shown", types[i].name);
		refused(l, call_get(&l->nl, noun, 2000000000, &object), -ENOENT,
			types[i].unknown, name);
		result(strstr(l->nl.base.err, types[i].name) != NULL, "and it is named");
		snprintf(name, sizeof(name), "nor deleted: %s", types[i].name);
		refused(l, call_del(&l->nl, noun, 2000000000, NULL), -ENOENT,
			types[i].unknown, name);
		snprintf(name, sizeof(name), "%s 0 is no id", types[i].name);
		refused(l, call_get(&l->nl, noun, 0, &object), -ERANGE,
			"integer out of range", name);
		snprintf(name, sizeof(name), "which %s to show is missing", types[i].name);
		refused(l, send_msg(l, kv_nl_msg(&l->nl, kv_nl_objects[noun].cmd_get, 0)), -EINVAL,
			types[i].missing, name);
		snprintf(name, sizeof(name), "which %s to delete is missing", types[i].name);
		refused(l, send_msg(l, kv_nl_msg(&l->nl, types[i].cmd_del, 0)), -EINVAL,
			types[i].missing, name);
	}
}

/* A u64 where a u32 belongs. */
static int send_wrong_size(struct link *l)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_PD_DEL, 0);

	nla_put_u64(msg, KVERBS_A_PD_ID, 1);
	return send_msg(l, msg);
}

static int send_long_name(struct link *l, size_t length)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_PD_NEW, 0);
	char name[300];

	memset(name, 'x', length);
	name[length] = '\0';
	nla_put_string(msg, KVERBS_A_PD_DEV, name);
	return send_msg(l, msg);
}

/* Bytes behind the last attribute that are none. */
static int send_trailing_bytes(struct link *l)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_PD_NEW, 0);

	nla_put_string(msg, KVERBS_A_PD_DEV, dev);
	memset(nlmsg_tail(nlmsg_hdr(msg)), 0xff, 8);
	nlmsg_hdr(msg)->nlmsg_len += 8;
	return send_msg(l, msg);
}

/* Of all commands with all attributes: untaken.c. */
static void test_untaken(struct link *l)
{
	refused(l, RAW(l, KVERBS_CMD_MR_NEW, KVERBS_A_MR_QP, 1), -EINVAL,
		"this command takes no QP", "a qp that carries no registration yet");
	refused(l, RAW(l, KVERBS_CMD_QP_NEW, KVERBS_A_QP_PORT, 1), -EINVAL,
		"this command takes no PORT", "the port of a qp in RESET");
	refused(l, RAW(l, KVERBS_CMD_QP_NEW, KVERBS_A_QP_QKEY, 1), -EINVAL,
		"this command takes no QKEY", "its Q_Key");
	refused(l, RAW(l, KVERBS_CMD_CONN_NEW, KVERBS_A_CONN_BACKLOG, 1), -EINVAL,
		"this command takes no BACKLOG", "the backlog of a conn that does not listen");
	result(!strcmp(strstr(l->nl.base.err, "this command"), "this command takes no BACKLOG"),
	       "and that is all of the text");
}

void test_message(void)
{
	struct kv_pd_init nosuch = { .dev = "nosuch0" };
	struct kv_dev other;
	struct link l;

	link_open(&l);
	refused(&l, call_new(&l.nl, KV_PD, &nosuch, NULL, NULL), -ENODEV,
		"device: no such RDMA device in this network namespace",
		"an unknown device");
	refused(&l, call_dev_get(&l.nl, "nosuch0", &other), -ENODEV,
		"no such RDMA device", "an unknown device can't be shown");
	refused(&l, send_msg(&l, kv_nl_msg(&l.nl, KVERBS_CMD_DEV_GET, 0)), -EINVAL,
		"is missing", "nor one without a name");
	refused(&l, send_msg(&l, kv_nl_msg(&l.nl, KVERBS_CMD_PD_NEW, 0)), -EINVAL,
		"dev is missing: which RDMA device?", "a missing attribute: pd without dev");
	refused(&l, RAW(&l, KVERBS_CMD_PD_NEW, 99, 1), -EINVAL,
		"Unknown attribute type", "an unknown attribute");
	refused(&l, RAW(&l, KVERBS_CMD_PD_NEW, KVERBS_A_PD_VERB_NS, 1), -EINVAL,
		"only replies have it", "an attribute that only replies have");
	refused(&l, RAW(&l, KVERBS_CMD_INFO_GET, KVERBS_A_INFO_VERSION, 1), -EINVAL,
		"ttribute", "an attribute where there are none");
	refused(&l, RAW(&l, KVERBS_CMD_FLUSH, KVERBS_A_INFO_BUSY, 1), -EINVAL,
		"ttribute", "nor does flush take any");
	refused(&l, send_wrong_size(&l), -EINVAL, "invalid attribute length",
		"an attribute of the wrong size");
	refused(&l, send_long_name(&l, 64), -EINVAL, "ttribute", "a name that is too long");
	refused(&l, send_long_name(&l, 299), -EINVAL, "ttribute", "or much too long");
	refused(&l, send_trailing_bytes(&l), -EINVAL, "", "bytes that are no attribute");
	refused(&l, RAW(&l, KVERBS_CMD_EVENT, KVERBS_A_EVENT_TYPE, 1), -EOPNOTSUPP,
		"", "an event sent as a command");
	refused(&l, RAW(&l, 200, 1, 1), -EOPNOTSUPP, "", "an unknown command");
	refused(&l, RAW(&l, KVERBS_CMD_UNSPEC, 1, 1), -EOPNOTSUPP, "", "command 0");
	test_ids(&l);
	test_untaken(&l);
	link_close(&l);
}

void test_pd(void)
{
	struct kv_pd_init init = { .dev = dev };
	uint64_t verb_ns = 0;
	struct kv_pd pd;
	struct link l;

	link_open(&l);
	must(&l, call_new(&l.nl, KV_PD, &init, &pd, &verb_ns), "pd");
	result(pd.id && !strcmp(pd.dev, dev) && !pd.persistent, "made of the device that was named");
	result(verb_ns > 0, "the verb's time is told");
	check_shown(&l, KV_PD, &pd, "a pd");
	verb_ns = 0;
	done(&l, call_del(&l.nl, KV_PD, pd.id, &verb_ns), "it goes");
	result(verb_ns > 0, "and that time is told too");
	refused(&l, call_del(&l.nl, KV_PD, pd.id, NULL), -ENOENT,
		"no pd with this id among yours", "but once");
	result(make_pd(&l) != pd.id, "the next has another id");
	link_close(&l);
}
