// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "user/user.h"

const size_t kv_user_ah_size = sizeof(struct kv_user_ah);

/* Address vectors of AHs and of connected QPs. */

/* Without this check the device's own complaint goes to stderr. */
static int check_sgid(struct kv_user *u, const struct kv_user_dev *dev,
		      uint32_t port, const char *prefix, const struct kv_av *av)
{
	struct ibv_gid_entry entry;

	if (!av->has_sgid_index)
		return kv_user_fail(u, -EINVAL, "%ssgid_index is missing: %sdgid needs it",
				    prefix, prefix);
	if (!ibv_query_gid_ex(dev->ctx, port, av->sgid_index, &entry, 0))
		return 0;
	return kv_user_fail(u, -EINVAL, "%ssgid_index is %u: %s has no GID there on port %u",
			    prefix, av->sgid_index, kv_user_dev_name(dev), port);
}

/* Fields of the GRH are of no use without a GRH. */
static int check_no_grh(struct kv_user *u, const char *prefix, const struct kv_av *av)
{
	const char *what = av->has_sgid_index ? "sgid_index" :
			   av->traffic_class ? "traffic_class" :
			   av->flow_label ? "flow_label" : NULL;

	return what ? kv_user_fail(u, -EINVAL, "%s%s is of no use without %sdgid", prefix, what,
				   prefix) : 0;
}

/* Is the address one of the port's link layer? */
static int check_kind(struct kv_user *u, const struct kv_user_dev *dev, uint32_t port,
		      const char *prefix, const struct kv_av *av)
{
	bool roce = dev->link_layer[port] == IBV_LINK_LAYER_ETHERNET;

	if (roce && av->dlid)
		return kv_user_fail(u, -EINVAL, "%sdlid is of no use here: RoCE has no LIDs",
				    prefix);
	if (roce && !av->has_dgid)
		return kv_user_fail(u, -EINVAL, "%sdgid is missing: RoCE needs it", prefix);
	if (!av->has_dgid && !av->dlid)
		return kv_user_fail(u, -EINVAL, "%sdlid and %sdgid are missing: where to?", prefix,
				    prefix);
	return 0;
}

/*
 * Converts an address vector to that of the verbs. @port is checked; @prefix, "" or "alt_", stands
 * before the names of the fields. On RoCE the kernel looks up the MAC address of the GID.
 */
int kv_user_av_prep(struct kv_user *u, const struct kv_user_dev *dev, uint32_t port,
		    const char *prefix, const struct kv_av *av, struct ibv_ah_attr *ah)
{
	int ret = check_kind(u, dev, port, prefix, av) ?:
		  (av->has_dgid ? check_sgid(u, dev, port, prefix, av) :
				  check_no_grh(u, prefix, av));

	if (ret)
		return ret;
	ah->port_num = (uint8_t)port;
	ah->dlid = (uint16_t)av->dlid;
	ah->sl = (uint8_t)av->sl;
	ah->is_global = av->has_dgid;
	if (!av->has_dgid)
		return 0;
	ah->grh.sgid_index = (uint8_t)av->sgid_index;
	ah->grh.traffic_class = (uint8_t)av->traffic_class;
	ah->grh.flow_label = av->flow_label;
	ah->grh.hop_limit = (uint8_t)av->hop_limit;
	memcpy(ah->grh.dgid.raw, av->dgid, sizeof(ah->grh.dgid.raw));
	return 0;
}

/* Undoes kv_user_av_prep(). */
void kv_user_av_fill(const struct ibv_ah_attr *ah, struct kv_av *av)
{
	av->dlid = ah->dlid;
	av->sl = ah->sl;
	if (!ah->is_global)
		return;
	av->has_dgid = true;
	memcpy(av->dgid, ah->grh.dgid.raw, sizeof(av->dgid));
	av->has_sgid_index = true;
	av->sgid_index = ah->grh.sgid_index;
	av->traffic_class = ah->grh.traffic_class;
	av->flow_label = ah->grh.flow_label;
	av->hop_limit = ah->grh.hop_limit;
}

/* The measured time is that of ibv_create_ah(), in which the kernel resolves the MAC address. */
int kv_user_ah_new(struct kv_user *u, struct kv_user_ah *ah, const struct kv_ah_init *init)
{
	struct kv_user_pd *pd = (struct kv_user_pd *)ah->obj.parents[0];
	const struct kv_user_dev *dev = ah->obj.dev;
	struct ibv_ah_attr attr = { 0 };
	int ret;

	if (!(kv_user_dev_caps(dev) & KVERBS_CAP_AH))
		return kv_user_fail(u, -EOPNOTSUPP, "%s has no address handles",
				    kv_user_dev_name(dev));
	ret = kv_user_dev_check_port(u, dev, "port", init->port) ?:
	      kv_user_av_prep(u, dev, init->port, "", &init->av, &attr);
	if (ret)
		return ret;
	ah->ib = KV_USER_TIMED(u, ibv_create_ah(pd->ib, &attr));
	if (!ah->ib)
		return kv_user_verb_failed(u, KVERBS_STAGE_CREATE, -errno,
					   "ibv_create_ah: %s: check dgid, sgid_index and the route to it",
					   strerror(errno));
	ah->is.pd = init->pd;
	ah->is.port = init->port;
	kv_user_av_fill(&attr, &ah->is.av);
	return 0;
}

int kv_user_ah_destroy(struct kv_user *u, struct kv_user_ah *ah)
{
	return -KV_USER_TIMED(u, ibv_destroy_ah(ah->ib));
}

void kv_user_ah_fill(struct kv_user_ah *ah, struct kv_ah *to)
{
	*to = ah->is;
}
