// SPDX-License-Identifier: MIT
#include <errno.h>
#include "object/object.h"
#include "object/text.h"

struct add_args {
	struct kv_given given;
	struct kv_ah_init init;
	const char *name;
};

#define AT(field) offsetof(struct add_args, field)
#define HAS_DGID (1U << 0)
#define HAS_SGID_INDEX (1U << 1)

static const struct add_args add_init = {
	.init = { .port = 1, .av.hop_limit = 64 },
};

static const struct kv_key add_key[] = {
	{ "pd", KV_KEY_ID, AT(init.pd), .type = KV_PD, .must = true,
	  .help = "its protection domain" },
	{ "dgid", KV_KEY_GID, AT(init.av.dgid), HAS_DGID,
	  .help = "the peer's GID; RoCE needs it" },
	{ "sgid-index", KV_KEY_U32, AT(init.av.sgid_index), HAS_SGID_INDEX,
	  .help = "entry of the own GID table to send from; default: IPv4 RoCE v2, else IPv6 RoCE v2, else what there is" },
	{ "port", KV_KEY_U32, AT(init.port), .help = "default: 1" },
	{ "dlid", KV_KEY_U32, AT(init.av.dlid),
	  .help = "the peer's LID, InfiniBand only" },
	{ "sl", KV_KEY_U32, AT(init.av.sl),
	  .help = "service level, 0 to 15; default: 0" },
	{ "traffic-class", KV_KEY_U32, AT(init.av.traffic_class),
	  .help = "0 to 255; default: 0" },
	{ "flow-label", KV_KEY_U32, AT(init.av.flow_label),
	  .help = "20 bits; default: 0" },
	{ "hop-limit", KV_KEY_U32, AT(init.av.hop_limit),
	  .help = "0 to 255; default: 64; on RoCE the kernel takes the route's" },
	KV_KEY_NAME(AT(name)),
	{ .name = NULL },
};

/* The GID to send from, if nobody named one. */
static int choose_sgid(struct kv_session *s, struct kv_ah_init *init,
		       struct kv_fault *f)
{
	const struct kv_gid *gid;
	union kv_object pd;
	struct kv_dev dev;
	int ret;

	ret = kv_session_get(s, KV_PD, init->pd, &pd, f);
	if (ret)
		return ret;
	ret = kv_op_dev_get(s->b, &(struct kv_dev_name){ pd.pd.dev }, &dev, NULL);
	if (ret)
		return kv_session_refuse(s, ret, f);
	gid = kv_gid_choose(&dev, -1);
	if (!gid)
		return kv_fault_set(f, -EADDRNOTAVAIL,
				    "%s has no GID to send from; its network interface needs an IP address",
				    dev.name);
	init->av.has_sgid_index = true;
	init->av.sgid_index = gid->index;
	return 0;
}

static int make(struct kv_session *s, const void *args,
		union kv_object *object, struct kv_fault *f)
{
	const struct add_args *a = args;
	struct kv_ah_init init = a->init;
	uint64_t ns;
	int ret;

	init.persistent = !s->batch;
	init.av.has_dgid = a->given.bits & HAS_DGID;
	init.av.has_sgid_index = a->given.bits & HAS_SGID_INDEX;
	if (init.av.has_dgid && !init.av.has_sgid_index) {
		ret = choose_sgid(s, &init, f);
		if (ret)
			return ret;
	}
	ret = kv_op_ah_new(s->b, &init, &object->ah, &ns);
	return ret ? kv_session_refuse(s, ret, f) : 0;
}

KV_OBJECT_ADD(add, KV_AH, struct add_args, make)

KV_OBJECT_FUNCTIONS(KV_AH)

static const struct kv_command commands[] = {
	{ "add", "creates an address handle", .key = add_key,
	  .size = sizeof(struct add_args), .init = &add_init, .fn = add,
	  .print = kv_text_object },
	KV_OBJECT_COMMANDS(KV_AH, "shows one or all", "destroys one"),
	{ .name = NULL },
};

const struct kv_noun kv_noun_ah = {
	"ah", "address handle: where a UD message goes", false, commands,
};
