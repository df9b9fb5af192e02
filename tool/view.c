// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <arpa/inet.h>
#include "out.h"
#include "view.h"

/* A field with a number, and how to read it. */
struct field {
	const char *key;
	uint64_t (*get)(const struct kv_dev *dev);
	/* User space has no such thing. */
	bool kernel_only;
};

#define GETTER(field)						\
	static uint64_t get_##field(const struct kv_dev *dev)	\
	{							\
		return dev->field;				\
	}

GETTER(port_state)
GETTER(active_mtu)
GETTER(lid)
GETTER(ports)
GETTER(max_qp_wr)
GETTER(max_cqe)
GETTER(max_send_sge)
GETTER(max_qp_rd_atom)
GETTER(max_mr_bytes)
GETTER(max_msg_bytes)
GETTER(atomic)
GETTER(fast_reg)

static const struct field fields[] = {
	{ "port_state", get_port_state, false },
	{ "active_mtu_bytes", get_active_mtu, false },
	{ "lid", get_lid, false },
	{ "ports", get_ports, false },
	{ "max_qp_wr", get_max_qp_wr, false },
	{ "max_cqe", get_max_cqe, false },
	{ "max_send_sge", get_max_send_sge, false },
	{ "max_qp_rd_atom", get_max_qp_rd_atom, false },
	{ "max_mr_bytes", get_max_mr_bytes, false },
	{ "max_msg_bytes", get_max_msg_bytes, false },
	{ "atomic", get_atomic, false },
	{ "fast_reg", get_fast_reg, true },
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static int add_dev(const struct kv_dev *dev, void *arg)
{
	struct kv_view *v = arg;

	if (v->n == KV_VIEW_DEVS)
		return -E2BIG;
	v->dev[v->n++] = *dev;
	return 0;
}

/**
 * kv_view_take() - look at devices from one space
 * @v: receives what there is to see, and else why not
 * @id: from which space
 * @name: of one device, or NULL for all. If it is not there, that is nothing to
 *	see and no fault of the space.
 *
 * Return: 0 or a negative errno.
 */
int kv_view_take(struct kv_view *v, enum kv_space_id id, const char *name)
{
	struct kv_backend *b;
	int ret;

	ret = kv_space_open_backend(id, &b, &v->fault);
	if (ret)
		return ret;
	if (name) {
		ret = b->ops->dev_get(b, name, &v->dev[0]);
		v->n = !ret;
	} else {
		ret = b->ops->dev_each(b, add_dev, v);
	}
	if (ret == -ENODEV)
		ret = 0;
	if (ret)
		kv_fault_backend(&v->fault, b, ret,
				 "cannot look at the RDMA devices");
	b->ops->close(b);
	v->open = !ret;
	return ret;
}

static const struct kv_dev *find(const struct kv_view *v, const char *name)
{
	for (unsigned int i = 0; i < v->n; i++) {
		if (!strcmp(v->dev[i].name, name))
			return &v->dev[i];
	}
	return NULL;
}

static struct json_object *describe_gids(const struct kv_dev *dev)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < dev->gids; i++) {
		struct json_object *gid = json_object_new_object();
		char text[INET6_ADDRSTRLEN];

		kv_out_put_count(gid, "index", dev->gid[i].index);
		kv_out_put_string(gid, "gid",
				  inet_ntop(AF_INET6, dev->gid[i].raw, text,
					    sizeof(text)));
		kv_out_put_string(gid, "type",
				  kv_gid_type_name(dev->gid[i].type));
		json_object_array_add(list, gid);
	}
	return list;
}

/* One device in both spaces; each of them may not have it. */
static struct json_object *describe_dev(const struct kv_view *view,
					const char *name)
{
	struct json_object *obj = json_object_new_object();

	kv_out_put_string(obj, "name", name);
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		const struct kv_dev *dev = find(&view[s], name);
		struct json_object *side = NULL;

		if (dev) {
			side = json_object_new_object();
			for (unsigned int i = 0; i < FIELDS; i++) {
				if (s == KV_SPACE_USER && fields[i].kernel_only)
					continue;
				kv_out_put_count(side, fields[i].key,
						 fields[i].get(dev));
			}
			kv_out_put(side, "gids", describe_gids(dev));
		}
		kv_out_put(obj, kv_word_name(kv_word_space, s), side);
	}
	return obj;
}

/**
 * kv_view_describe() - make a document of what both spaces see
 * @view: their views, [KV_SPACES]
 *
 * Return: the document, owned by the caller.
 */
struct json_object *kv_view_describe(const struct kv_view *view)
{
	struct json_object *doc = json_object_new_object();
	struct json_object *devs = json_object_new_array();
	struct json_object *notes = json_object_new_object();

	kv_out_put_string(doc, "schema", "kverbs.dev");
	kv_out_put_count(doc, "schema_version", 1);
	kv_out_put(doc, "devices", devs);
	kv_out_put(doc, "unavailable", notes);
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		const struct kv_view *v = &view[s];

		if (!v->open)
			kv_out_put_string(notes, kv_word_name(kv_word_space, s),
					  v->fault.text);
		for (unsigned int i = 0; i < v->n; i++) {
			if (s && find(&view[0], v->dev[i].name))
				continue;
			json_object_array_add(devs,
					      describe_dev(view,
							   v->dev[i].name));
		}
	}
	return doc;
}
