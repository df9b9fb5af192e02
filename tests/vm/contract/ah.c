// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "contract.h"

static struct kv_ah_init good(uint32_t pd)
{
	return (struct kv_ah_init){ .pd = pd, .port = 1, .av = own_address() };
}

static int new_ah(struct link *l, const struct kv_ah_init *init)
{
	return call_new(&l->nl, KV_AH, init, NULL, NULL);
}

static void test_good(struct link *l, uint32_t pd)
{
	static const uint8_t zero[6];
	struct kv_ah_init init = good(pd);
	uint64_t verb_ns = 0;
	struct nl_msg *msg;
	struct kv_ah ah;

	init.av.sl = 3;
	init.av.traffic_class = 200;
	init.av.flow_label = 0xabcde;
	must(l, call_new(&l->nl, KV_AH, &init, &ah, &verb_ns), "ah");
	result(ah.pd == pd && ah.port == 1 && !strcmp(ah.dev, dev) && verb_ns > 0,
	       "made of the pd that was named");
	result(ah.av.has_dgid && !memcmp(ah.av.dgid, init.av.dgid, sizeof(ah.av.dgid)) &&
	       ah.av.has_sgid_index && ah.av.sgid_index == init.av.sgid_index &&
	       ah.av.sl == 3 && ah.av.traffic_class == 200 && ah.av.flow_label == 0xabcde,
	       "and of the address");
	result(ah.has_dmac && memcmp(ah.dmac, zero, sizeof(zero)),
	       "the MAC address is found and told");
	check_shown(l, KV_AH, &ah, "an ah");
	refused(l, call_del(&l->nl, KV_PD, pd, NULL), -EBUSY,
		"in use by an ah: delete that first", "a pd with an ah");
	verb_ns = 0;
	done(l, call_del(&l->nl, KV_AH, ah.id, &verb_ns), "it goes");
	result(verb_ns > 0, "and says how long that took");

	msg = kv_nl_msg(&l->nl, KVERBS_CMD_AH_NEW, 0);
	nla_put_u32(msg, KVERBS_A_AH_PD, pd);
	nla_put(msg, KVERBS_A_AH_DGID, sizeof(init.av.dgid), init.av.dgid);
	nla_put_u32(msg, KVERBS_A_AH_SGID_INDEX, init.av.sgid_index);
	must(l, call_object(&l->nl, KV_AH, msg, &ah), "ah");
	result(ah.port == 1 && !ah.av.sl && !ah.av.traffic_class && !ah.av.flow_label,
	       "what is not said has its default");
	must(l, call_del(&l->nl, KV_AH, ah.id, NULL), "delete");
}

static int send_short_gid(struct link *l, uint32_t pd)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_AH_NEW, 0);

	nla_put_u32(msg, KVERBS_A_AH_PD, pd);
	nla_put(msg, KVERBS_A_AH_DGID, 8, own_address().dgid);
	nla_put_u32(msg, KVERBS_A_AH_SGID_INDEX, own_address().sgid_index);
	return send_msg(l, msg);
}

static void test_bad(struct link *l, uint32_t pd)
{
	/* Of IPv6, and what it is to be reached from is of IPv4. */
	static const uint8_t nowhere[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };
	struct kv_ah_init init;

#define BAD(change, error, text, name)				\
	do {							\
		init = good(pd);				\
		change;						\
		refused(l, new_ah(l, &init), error, text, name);	\
	} while (0)

	BAD(init.pd = 0, -EINVAL, "the pd's id is missing", "no pd");
	BAD(init.pd = 2000000000, -ENOENT,
	    "pd: no pd with this id among yours", "an unknown pd");
	BAD(init.port = 0, -ERANGE, "port: integer out of range", "port 0");
	BAD(init.port = caps.ports + 1, -EINVAL, "the device has no such port",
	    "a port that does not exist");
	BAD(init.av.has_dgid = false, -EINVAL, "dgid is missing: RoCE needs it",
	    "no destination");
	BAD(init.av.has_sgid_index = false, -EINVAL,
	    "sgid_index is missing: dgid needs it", "no source");
	BAD(init.av.sgid_index = 200, -EINVAL, "no GID at sgid_index",
	    "an empty entry of the GID table");
	BAD(init.av.sgid_index = 256, -ERANGE, "sgid_index: integer out of range",
	    "an entry beyond the GID table");
	BAD(init.av.dlid = 1, -EINVAL, "dlid is of no use here: RoCE has no LIDs",
	    "a LID on RoCE");
	BAD(init.av.dlid = 0x10000, -ERANGE, "dlid: integer out of range",
	    "a LID of 17 bits");
	BAD(init.av.sl = 16, -ERANGE, "sl: integer out of range",
	    "a service level that does not exist");
	BAD(init.av.traffic_class = 256, -ERANGE, "traffic_class: integer out of range",
	    "a traffic class of 9 bits");
	BAD(init.av.flow_label = 0x100000, -ERANGE, "flow_label: integer out of range",
	    "a flow label of 21 bits");
	BAD(init.av.hop_limit = 256, -ERANGE, "hop_limit: integer out of range",
	    "a hop limit of 9 bits");
	init = good(pd);
	memcpy(init.av.dgid, nowhere, sizeof(nowhere));
	refused_by(l, new_ah(l, &init), -EINVAL, KVERBS_STAGE_CREATE, "check dgid and the route",
		   "a destination that can't be reached from there");
	refused(l, send_short_gid(l, pd), -ERANGE, "", "half a GID");
#undef BAD
}

void test_ah(void)
{
	struct link l;
	uint32_t pd;

	link_open(&l);
	pd = make_pd(&l);
	test_good(&l, pd);
	test_bad(&l, pd);
	link_close(&l);
}
