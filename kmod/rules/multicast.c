// SPDX-License-Identifier: GPL-2.0 OR MIT
#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif
#include "multicast.h"

/* Multicast LIDs (IBTA 4.1.1); 0xffff is the permissive LID. */
#define LID_MIN 0xc000
#define LID_MAX 0xfffe

/**
 * kv_group_check_qp() - can this QP be attached to one more group?
 * @type: enum kverbs_qp_type
 * @state: enum kverbs_qp_state
 * @groups: how many it is attached to
 * @why: receives the refusal
 *
 * Return: 0, -EINVAL, or -ENOSPC.
 */
int kv_group_check_qp(__u32 type, __u32 state, __u32 groups, struct kv_refusal *why)
{
	return kv_refusal_if(why, type != KVERBS_QPT_UD, -EINVAL, 0,
			     "the qp is not of type ud: only those receive multicast") ?:
	       kv_refusal_if(why, state == KVERBS_QPS_RESET, -EINVAL, 0,
			     "the qp is in RESET and has no port yet: bring it to INIT first") ?:
	       kv_refusal_if(why, groups == KVERBS_GROUPS_MAX, -ENOSPC, 0,
			     "the qp is attached to 16 groups, and a qp can have no more: detach it from one");
}

/* RoCE v2 over IPv4: ::ffff:224.0.0.0/100 (IBTA A17.5.6). */
static bool group_is_ipv4(const __u8 gid[16])
{
	static const __u8 mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid, mapped, sizeof(mapped)) && (gid[12] & 0xf0) == 0xe0;
}

/**
 * kv_group_check() - are these a GID and a LID of a multicast group?
 * @gid: the GID
 * @lid: the LID; 0: none
 * @has_lids: the port is InfiniBand's
 * @why: receives the refusal, with an attribute of KVERBS_A_QP_*
 *
 * Return: 0 or -EINVAL.
 */
int kv_group_check(const __u8 gid[16], __u32 lid, bool has_lids, struct kv_refusal *why)
{
	return kv_refusal_if(why, gid[0] != 0xff && !group_is_ipv4(gid), -EINVAL,
			     KVERBS_A_QP_GROUP_GID,
			     "gid is no multicast GID: those begin with ff, or are ::ffff: and an IPv4 group") ?:
	       kv_refusal_if(why, !has_lids && lid, -EINVAL, KVERBS_A_QP_GROUP_LID,
			     "lid is of no use here: RoCE has no LIDs") ?:
	       kv_refusal_if(why, has_lids && (lid < LID_MIN || lid > LID_MAX), -EINVAL,
			     KVERBS_A_QP_GROUP_LID,
			     "lid must be the group's on InfiniBand, 0xc000 to 0xfffe: the subnet manager gives it to members");
}
