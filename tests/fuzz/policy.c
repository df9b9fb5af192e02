// SPDX-License-Identifier: MIT
/* The kernel's description of the family: its commands, and the attributes of each. */
#include <errno.h>
#include <linux/genetlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <kverbs.h>
#include "fuzz.h"

struct family family;

/**
 * policy_attr() - type, range and length that the kernel takes for an attribute
 * @policy: number of the policy, -1 for none
 * @type: nla_type, with its flags
 *
 * Return: that, or NULL if it takes nothing.
 */
const struct attr_policy *policy_attr(int policy, unsigned int type)
{
	type &= NLA_TYPE_MASK;
	if (policy < 0 || policy >= POLICIES || type >= ATTRS || !family.policy[policy][type].type)
		return NULL;
	return &family.policy[policy][type];
}

/**
 * policy_class() - which commands have their attributes in common
 * @command: one of them
 *
 * Return: a number of theirs, below CLASSES.
 */
unsigned int policy_class(uint8_t command)
{
	/* The commands of a noun follow each other. */
	static const uint8_t first[] = {
		KVERBS_CMD_INFO_GET, KVERBS_CMD_DEV_GET, KVERBS_CMD_PD_NEW, KVERBS_CMD_CQ_NEW,
		KVERBS_CMD_BUF_NEW, KVERBS_CMD_MR_NEW, KVERBS_CMD_SRQ_NEW, KVERBS_CMD_AH_NEW,
		KVERBS_CMD_QP_NEW, KVERBS_CMD_WR_POST, KVERBS_CMD_RUN_START, KVERBS_CMD_CONN_NEW,
	};
	unsigned int i, class = 0;

	/* These came later, and have numbers behind those of the CONNs. */
	if (command == KVERBS_CMD_QP_ATTACH || command == KVERBS_CMD_QP_DETACH)
		command = KVERBS_CMD_QP_NEW;
	for (i = 0; i < COUNT(first); i++)
		if (first[i] <= command && first[i] >= first[class])
			class = i;
	return class;
}

static uint64_t u64_or(const struct nlattr *attr, uint64_t otherwise)
{
	return attr ? nla_get_u64(attr) : otherwise;
}

static uint32_t u32_or(const struct nlattr *attr, uint32_t otherwise)
{
	return attr ? nla_get_u32(attr) : otherwise;
}

static void read_attr(struct attr_policy *to, struct nlattr *attr)
{
	struct nlattr *tb[NL_POLICY_TYPE_ATTR_MAX + 1];

	if (nla_parse_nested(tb, NL_POLICY_TYPE_ATTR_MAX, attr, NULL) ||
	    !tb[NL_POLICY_TYPE_ATTR_TYPE])
		return;
	to->type = (uint8_t)nla_get_u32(tb[NL_POLICY_TYPE_ATTR_TYPE]);
	to->nest = (int)u32_or(tb[NL_POLICY_TYPE_ATTR_POLICY_IDX], (uint32_t)-1);
	to->min = u64_or(tb[NL_POLICY_TYPE_ATTR_MIN_VALUE_U], 0);
	to->max = u64_or(tb[NL_POLICY_TYPE_ATTR_MAX_VALUE_U],
			 to->type == NL_ATTR_TYPE_U64 ? UINT64_MAX : UINT32_MAX);
	to->mask = u64_or(tb[NL_POLICY_TYPE_ATTR_MASK], 0);
	to->min_len = u32_or(tb[NL_POLICY_TYPE_ATTR_MIN_LENGTH], 0);
	to->max_len = u32_or(tb[NL_POLICY_TYPE_ATTR_MAX_LENGTH], 0);
}

static void read_policies(struct nlattr *policies)
{
	struct nlattr *policy, *attr;
	int left, rest;

	nla_for_each_nested(policy, policies, left)
		nla_for_each_nested(attr, policy, rest)
			if (nla_type(policy) < POLICIES && nla_type(attr) < ATTRS)
				read_attr(&family.policy[nla_type(policy)][nla_type(attr)], attr);
}

static void set_policy(uint8_t command, uint32_t policy)
{
	if (policy >= POLICIES)
		return;
	family.policy_of[command] = (int)policy;
	family.class_of[policy] = (uint8_t)policy_class(command);
}

static void read_op_policies(struct nlattr *ops)
{
	struct nlattr *op;
	int left;

	nla_for_each_nested(op, ops, left) {
		struct nlattr *tb[CTRL_ATTR_POLICY_DUMP_MAX + 1];

		if (nla_type(op) >= COMMANDS ||
		    nla_parse_nested(tb, CTRL_ATTR_POLICY_DUMP_MAX, op, NULL))
			continue;
		if (tb[CTRL_ATTR_POLICY_DO])
			set_policy((uint8_t)nla_type(op), nla_get_u32(tb[CTRL_ATTR_POLICY_DO]));
	}
}

static void read_ops(struct nlattr *ops)
{
	struct nlattr *op;
	int left;

	nla_for_each_nested(op, ops, left) {
		struct nlattr *tb[CTRL_ATTR_OP_MAX + 1];

		if (nla_parse_nested(tb, CTRL_ATTR_OP_MAX, op, NULL) || !tb[CTRL_ATTR_OP_ID] ||
		    nla_get_u32(tb[CTRL_ATTR_OP_ID]) >= COMMANDS)
			continue;
		family.command[family.commands++] = (uint8_t)nla_get_u32(tb[CTRL_ATTR_OP_ID]);
	}
}

static int take(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[CTRL_ATTR_MAX + 1];

	(void)arg;
	if (genlmsg_parse(nlmsg_hdr(msg), 0, tb, CTRL_ATTR_MAX, NULL))
		return NL_SKIP;
	if (tb[CTRL_ATTR_OPS])
		read_ops(tb[CTRL_ATTR_OPS]);
	if (tb[CTRL_ATTR_OP_POLICY])
		read_op_policies(tb[CTRL_ATTR_OP_POLICY]);
	if (tb[CTRL_ATTR_POLICY])
		read_policies(tb[CTRL_ATTR_POLICY]);
	return NL_OK;
}

static int ask(struct nl_sock *sock, uint8_t command, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();
	int ret;

	if (!msg || !genlmsg_put(msg, 0, 0, GENL_ID_CTRL, 0, flags, command, 1) ||
	    nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, family.id)) {
		nlmsg_free(msg);
		return -NLE_NOMEM;
	}
	ret = nl_send_auto(sock, msg);
	nlmsg_free(msg);
	return ret < 0 ? ret : nl_recvmsgs_default(sock);
}

/**
 * policy_read() - learn the family
 * @name: its name
 *
 * Return: 0 or a negative errno: there is no such family, or it tells nothing.
 */
int policy_read(const char *name)
{
	struct nl_sock *sock = nl_socket_alloc();
	unsigned int i;
	int ret;

	if (!sock)
		return -ENOMEM;
	for (i = 0; i < COMMANDS; i++)
		family.policy_of[i] = -1;
	/* Each question has one answer, and the end of a dump is its own. */
	nl_socket_disable_auto_ack(sock);
	ret = genl_connect(sock);
	if (!ret)
		ret = genl_ctrl_resolve(sock, name);
	if (ret > 0) {
		family.id = (uint16_t)ret;
		nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, take, NULL);
		ret = ask(sock, CTRL_CMD_GETFAMILY, 0) ?: ask(sock, CTRL_CMD_GETPOLICY, NLM_F_DUMP);
	}
	nl_socket_free(sock);
	return ret < 0 || !family.commands ? -ENOENT : 0;
}
