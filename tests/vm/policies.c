// SPDX-License-Identifier: MIT
/*
 * Prints the policies that the kernel holds for a generic netlink family, as it
 * tells them itself (CTRL_CMD_GETPOLICY):
 *
 *   op COMMAND do|dump POLICY
 *   attr POLICY ATTRIBUTE TYPE [min N] [max N] [mask N] [min-len N] [max-len N] [policy POLICY]
 */
#include <stdio.h>
#include <linux/genetlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

static const char *const types[] = {
	[NL_ATTR_TYPE_FLAG] = "flag",	  [NL_ATTR_TYPE_U8] = "u8",
	[NL_ATTR_TYPE_U16] = "u16",	  [NL_ATTR_TYPE_U32] = "u32",
	[NL_ATTR_TYPE_U64] = "u64",	  [NL_ATTR_TYPE_S8] = "s8",
	[NL_ATTR_TYPE_S16] = "s16",	  [NL_ATTR_TYPE_S32] = "s32",
	[NL_ATTR_TYPE_S64] = "s64",	  [NL_ATTR_TYPE_BINARY] = "binary",
	[NL_ATTR_TYPE_STRING] = "string", [NL_ATTR_TYPE_NUL_STRING] = "string",
	[NL_ATTR_TYPE_NESTED] = "nest",	  [NL_ATTR_TYPE_NESTED_ARRAY] = "nest-array",
	[NL_ATTR_TYPE_BITFIELD32] = "bitfield32",
};

#define TYPES (sizeof(types) / sizeof(types[0]))

static void print_u64(const char *key, const struct nlattr *attr)
{
	if (attr)
		printf(" %s %llu", key, (unsigned long long)nla_get_u64(attr));
}

static void print_s64(const char *key, const struct nlattr *attr)
{
	if (attr)
		printf(" %s %lld", key, (long long)nla_get_u64(attr));
}

static void print_u32(const char *key, const struct nlattr *attr)
{
	if (attr)
		printf(" %s %u", key, nla_get_u32(attr));
}

static void print_ops(struct nlattr *ops)
{
	struct nlattr *op;
	int left;

	nla_for_each_nested(op, ops, left) {
		struct nlattr *tb[CTRL_ATTR_POLICY_DUMP_MAX + 1];

		if (nla_parse_nested(tb, CTRL_ATTR_POLICY_DUMP_MAX, op, NULL))
			continue;
		if (tb[CTRL_ATTR_POLICY_DO])
			printf("op %d do %u\n", nla_type(op),
			       nla_get_u32(tb[CTRL_ATTR_POLICY_DO]));
		if (tb[CTRL_ATTR_POLICY_DUMP])
			printf("op %d dump %u\n", nla_type(op),
			       nla_get_u32(tb[CTRL_ATTR_POLICY_DUMP]));
	}
}

static void print_attr(int policy, struct nlattr *attr)
{
	struct nlattr *tb[NL_POLICY_TYPE_ATTR_MAX + 1];
	const char *name = NULL;
	unsigned int type;

	if (nla_parse_nested(tb, NL_POLICY_TYPE_ATTR_MAX, attr, NULL) ||
	    !tb[NL_POLICY_TYPE_ATTR_TYPE])
		return;
	type = nla_get_u32(tb[NL_POLICY_TYPE_ATTR_TYPE]);
	if (type < TYPES)
		name = types[type];
	printf("attr %d %d %s", policy, nla_type(attr), name ?: "unknown");
	print_s64("min", tb[NL_POLICY_TYPE_ATTR_MIN_VALUE_S]);
	print_s64("max", tb[NL_POLICY_TYPE_ATTR_MAX_VALUE_S]);
	print_u64("min", tb[NL_POLICY_TYPE_ATTR_MIN_VALUE_U]);
	print_u64("max", tb[NL_POLICY_TYPE_ATTR_MAX_VALUE_U]);
	print_u64("mask", tb[NL_POLICY_TYPE_ATTR_MASK]);
	print_u32("min-len", tb[NL_POLICY_TYPE_ATTR_MIN_LENGTH]);
	print_u32("max-len", tb[NL_POLICY_TYPE_ATTR_MAX_LENGTH]);
	print_u32("policy", tb[NL_POLICY_TYPE_ATTR_POLICY_IDX]);
	printf("\n");
}

static int print_message(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[CTRL_ATTR_MAX + 1], *policy, *attr;
	int left, rest;

	(void)arg;
	if (genlmsg_parse(nlmsg_hdr(msg), 0, tb, CTRL_ATTR_MAX, NULL))
		return NL_SKIP;
	if (tb[CTRL_ATTR_OP_POLICY])
		print_ops(tb[CTRL_ATTR_OP_POLICY]);
	if (!tb[CTRL_ATTR_POLICY])
		return NL_OK;
	nla_for_each_nested(policy, tb[CTRL_ATTR_POLICY], left)
		nla_for_each_nested(attr, policy, rest)
			print_attr(nla_type(policy), attr);
	return NL_OK;
}

static int ask(struct nl_sock *sock, int family)
{
	struct nl_msg *msg = nlmsg_alloc();
	int ret;

	if (!msg || !genlmsg_put(msg, 0, 0, GENL_ID_CTRL, 0, NLM_F_DUMP,
				 CTRL_CMD_GETPOLICY, 1) ||
	    nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, (uint16_t)family)) {
		nlmsg_free(msg);
		return -NLE_NOMEM;
	}
	ret = nl_send_auto(sock, msg);
	nlmsg_free(msg);
	return ret < 0 ? ret : nl_recvmsgs_default(sock);
}

int main(int argc, char **argv)
{
	struct nl_sock *sock = nl_socket_alloc();
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: policies FAMILY\n");
		return 2;
	}
	if (!sock)
		return 1;
	ret = genl_connect(sock);
	if (!ret)
		ret = genl_ctrl_resolve(sock, argv[1]);
	if (ret >= 0) {
		nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM,
				    print_message, NULL);
		ret = ask(sock, ret);
	}
	nl_socket_free(sock);
	if (ret < 0) {
		fprintf(stderr, "policies: %s: %s\n", argv[1], nl_geterror(ret));
		return 1;
	}
	return 0;
}
