// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <arpa/inet.h>
#include "out/out.h"
#include "out/view.h"
#include "out/view_field.h"

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

	ret = kv_site_open_backend(id, &b, &v->fault);
	if (ret)
		return ret;
	if (name) {
		ret = kv_op_dev_get(b, &(struct kv_dev_name){ name }, &v->dev[0], NULL);
		v->n = !ret;
	} else {
		ret = b->ops->dev_each(b, add_dev, v);
	}
	if (ret == -ENODEV)
		ret = 0;
	if (ret == -E2BIG)
		kv_fault_set(&v->fault, ret, "%s space: there are more than %u RDMA devices: name one of them",
			     b->ops->space, KV_VIEW_DEVS);
	else if (ret)
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
				  kv_gid_type_name(dev, &dev->gid[i]));
		kv_out_put_string(gid, "netdev", dev->gid[i].netdev[0] ?
				  dev->gid[i].netdev : NULL);
		json_object_array_add(list, gid);
	}
	return list;
}

static struct json_object *describe_side(const struct kv_dev *dev,
					 enum kv_space_id id)
{
	struct json_object *side = json_object_new_object();

	for (const struct kv_view_field *f = kv_view_fields; f->key; f++) {
		if (id == KV_SPACE_USER && f->kernel_only)
			continue;
		kv_out_put(side, f->key, kv_view_field_describe(f, dev));
	}
	kv_out_put(side, "gids", describe_gids(dev));
	return side;
}

/* One device in both spaces; each of them may not have it. */
static struct json_object *describe_dev(const struct kv_view *view,
					const char *name)
{
	struct json_object *obj = json_object_new_object();

	kv_out_put_string(obj, "name", name);
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		const struct kv_dev *dev = find(&view[s], name);

		kv_out_put(obj, kv_word_name(kv_word_space, s),
			   dev ? describe_side(dev, s) : NULL);
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
	kv_out_put_count(doc, "schema_version", 2);
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
