/* SPDX-License-Identifier: MIT */
#pragma once

#include <linux/genetlink.h>
#include <netlink/msg.h>

/*
 * The header of generic netlink behind that of netlink. libnl-genl has the same functions; to load
 * it takes longer than a command of ours.
 */

/* Puts both headers of a command into a message; NULL: no memory. */
static inline struct genlmsghdr *kv_genl_put(struct nl_msg *msg, int family, int flags, uint8_t cmd,
					     uint8_t version)
{
	struct nlmsghdr *hdr =
		nlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, GENL_HDRLEN, flags);
	struct genlmsghdr *genl = hdr ? nlmsg_data(hdr) : NULL;

	if (genl)
		*genl = (struct genlmsghdr){ .cmd = cmd, .version = version };
	return genl;
}

static inline struct nlattr *kv_genl_attrs(struct nlmsghdr *hdr)
{
	return nlmsg_attrdata(hdr, GENL_HDRLEN);
}

static inline int kv_genl_attrs_len(struct nlmsghdr *hdr)
{
	return nlmsg_attrlen(hdr, GENL_HDRLEN);
}
