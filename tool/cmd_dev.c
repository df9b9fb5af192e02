// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include "cmd.h"
#include "option.h"
#include "out.h"
#include "space.h"
#include "table.h"

#define CELL 96
#define DEVS_MAX 64

static const struct option rows[] = {
	{ "help", no_argument, NULL, KV_OPTION_HELP },
	{ "json", no_argument, NULL, KV_OPTION_JSON },
	{ NULL, 0, NULL, 0 },
};

/* One space's view of the devices. */
struct view {
	bool open;
	unsigned int n;
	struct kv_dev dev[DEVS_MAX];
	struct kv_fault fault;
};

/* A field with a number, and how to read it. */
struct field {
	const char *key;
	const char *head;
	uint64_t (*get)(const struct kv_dev *dev);
	/* NULL: the number itself. */
	void (*format)(char *text, size_t size, uint64_t value);
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

/* IBTA 14.2.5.6, PortInfo.PortState */
static void format_state(char *text, size_t size, uint64_t value)
{
	static const char *const name[] = {
		"no change", "down", "init", "armed", "active", "deferred",
	};

	snprintf(text, size, "%s (%llu)",
		 value < sizeof(name) / sizeof(name[0]) ? name[value] :
							  "unknown",
		 (unsigned long long)value);
}

static void format_atomic(char *text, size_t size, uint64_t value)
{
	static const char *const name[] = {
		"none", "among QPs of the device", "with CPUs too",
	};

	snprintf(text, size, "%s",
		 value < sizeof(name) / sizeof(name[0]) ? name[value] :
							  "unknown");
}

static void format_yes(char *text, size_t size, uint64_t value)
{
	snprintf(text, size, "%s", value ? "yes" : "no");
}

static const struct field fields[] = {
	{ "port_state", "port 1 state", get_port_state, format_state, false },
	{ "active_mtu_bytes", "port 1 MTU", get_active_mtu, NULL, false },
	{ "lid", "port 1 LID", get_lid, NULL, false },
	{ "ports", "ports", get_ports, NULL, false },
	{ "max_qp_wr", "requests per queue", get_max_qp_wr, NULL, false },
	{ "max_cqe", "entries per CQ", get_max_cqe, NULL, false },
	{ "max_send_sge", "SGEs per request", get_max_send_sge, NULL, false },
	{ "max_qp_rd_atom", "READs and atomics at once", get_max_qp_rd_atom,
	  NULL, false },
	{ "max_mr_bytes", "largest buffer", get_max_mr_bytes, kv_size_format,
	  false },
	{ "max_msg_bytes", "largest message", get_max_msg_bytes,
	  kv_size_format, false },
	{ "atomic", "atomic operations", get_atomic, format_atomic, false },
	{ "fast_reg", "fast registration", get_fast_reg, format_yes, true },
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static void print_help(void)
{
	printf("usage: kverbs dev show [DEV] [--json]\n"
	       "\n"
	       "Shows RDMA devices, or one of them, as the kernel and as user space see them.\n"
	       "\n"
	       "  --json             print JSON\n");
}

static int add_dev(const struct kv_dev *dev, void *arg)
{
	struct view *v = arg;

	if (v->n == DEVS_MAX)
		return -E2BIG;
	v->dev[v->n++] = *dev;
	return 0;
}

/* An unknown device is not a fault of the space; the caller sees that n is 0. */
static int look(struct view *v, enum kv_space_id id, const char *name)
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

static const struct kv_dev *find(const struct view *v, const char *name)
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
static struct json_object *describe_dev(const struct view *view,
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

static struct json_object *describe(const struct view *view)
{
	struct json_object *doc = json_object_new_object();
	struct json_object *devs = json_object_new_array();
	struct json_object *notes = json_object_new_object();

	kv_out_put_string(doc, "schema", "kverbs.dev");
	kv_out_put_count(doc, "schema_version", 1);
	kv_out_put(doc, "devices", devs);
	kv_out_put(doc, "unavailable", notes);
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		const struct view *v = &view[s];

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

static void format_field(char *text, const struct field *f,
			 struct json_object *side)
{
	struct json_object *value;

	if (!side || !json_object_object_get_ex(side, f->key, &value))
		snprintf(text, CELL, "-");
	else if (f->format)
		f->format(text, CELL, json_object_get_uint64(value));
	else
		snprintf(text, CELL, "%s", json_object_get_string(value));
}

static struct json_object *find_gid(struct json_object *side, uint64_t index)
{
	struct json_object *list = kv_out_get(side, "/gids");

	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *gid = json_object_array_get_idx(list, i);

		if (kv_out_get_count(gid, "/index") == index)
			return gid;
	}
	return NULL;
}

static void format_gid(char *text, struct json_object *gid)
{
	if (gid)
		snprintf(text, CELL, "%s, %s", kv_out_get_string(gid, "/gid"),
			 kv_out_get_string(gid, "/type"));
	else
		snprintf(text, CELL, "-");
}

static void add_gid(struct kv_table *t, uint64_t index, struct json_object *k,
		    struct json_object *u)
{
	char head[32], text[KV_SPACES][CELL];
	const char *row[] = { head, text[0], text[1] };

	snprintf(head, sizeof(head), "port 1 GID %llu",
		 (unsigned long long)index);
	format_gid(text[0], k);
	format_gid(text[1], u);
	kv_table_add(t, row);
}

static void add_gids(struct kv_table *t, struct json_object *kernel,
		     struct json_object *user)
{
	struct json_object *side[] = { kernel, user };

	for (unsigned int s = 0; s < KV_SPACES; s++) {
		struct json_object *list = kv_out_get(side[s], "/gids");
		size_t n = list ? json_object_array_length(list) : 0;

		for (size_t i = 0; i < n; i++) {
			struct json_object *gid;
			uint64_t index;

			gid = json_object_array_get_idx(list, i);
			index = kv_out_get_count(gid, "/index");
			if (!s)
				add_gid(t, index, gid, find_gid(user, index));
			else if (!find_gid(kernel, index))
				add_gid(t, index, NULL, gid);
		}
	}
}

static int print_dev(struct json_object *dev, struct kv_fault *f)
{
	const char *name = kv_out_get_string(dev, "/name");
	struct kv_column columns[] = {
		{ name, false }, { "kernel", false }, { "user", false },
	};
	struct json_object *kernel = kv_out_get(dev, "/kernel");
	struct json_object *user = kv_out_get(dev, "/user");
	char text[KV_SPACES][CELL];
	const char *row[] = { NULL, text[0], text[1] };
	struct kv_table t;
	int ret;

	kv_table_create(&t, columns, 3);
	for (unsigned int i = 0; i < FIELDS; i++) {
		row[0] = fields[i].head;
		format_field(text[0], &fields[i], kernel);
		format_field(text[1], &fields[i], user);
		kv_table_add(&t, row);
	}
	add_gids(&t, kernel, user);
	ret = kv_table_print(&t);
	kv_table_destroy(&t);
	return ret ? kv_fault_set(f, ret, "cannot print the table") : 0;
}

static int print_text(struct json_object *doc, struct kv_fault *f)
{
	struct json_object *devs = kv_out_get(doc, "/devices");
	struct json_object *notes = kv_out_get(doc, "/unavailable");

	for (size_t i = 0; i < json_object_array_length(devs); i++) {
		int ret;

		if (i)
			printf("\n");
		ret = print_dev(json_object_array_get_idx(devs, i), f);
		if (ret)
			return ret;
	}
	json_object_object_foreach(notes, space, note) {
		(void)space;
		printf("\n%s\n", json_object_get_string(note));
	}
	return 0;
}

/* Nothing to show is a failure; which one depends on who could see. */
static int explain_nothing(const struct view *view, const char *name,
			   struct kv_fault *f)
{
	/* One space that could look says what there is; the other, why not. */
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		if (!view[s].open)
			kv_fault_print(&view[s].fault);
	}
	if (!view[0].open && !view[1].open)
		return kv_fault_set(f, -EOPNOTSUPP,
				    "neither space can be looked at");
	if (name)
		return kv_fault_set(f, -ENODEV,
				    "there is no RDMA device '%s'; 'kverbs dev show' lists those that there are",
				    name);
	return kv_fault_set(f, -EOPNOTSUPP,
			    "there is no RDMA device; 'rdma link add rxe0 type rxe netdev NETDEV' makes a software one");
}

static int show(struct view *view, const char *name, bool json,
		struct kv_fault *f)
{
	struct kv_out out = { .fd = -1, .to_stdout = true };
	struct json_object *doc;
	int ret;

	for (unsigned int s = 0; s < KV_SPACES; s++)
		look(&view[s], s, name);
	if (!view[0].n && !view[1].n)
		return explain_nothing(view, name, f);
	doc = describe(view);
	ret = json ? kv_out_commit(&out, doc, f) : print_text(doc, f);
	json_object_put(doc);
	return ret;
}

/**
 * kv_cmd_dev() - show devices
 * @argc: of the command
 * @argv: argv[0] is the command's name
 *
 * Return: enum kv_exit
 */
int kv_cmd_dev(int argc, char **argv)
{
	struct kv_fault fault = { 0 };
	struct view *view;
	bool json = false;
	int id, ret;

	while ((ret = kv_option_next(argc, argv, rows, &id, &fault)) > 0) {
		if (id == KV_OPTION_HELP) {
			print_help();
			return KV_EXIT_DONE;
		}
		json = true;
	}
	if (!ret && (optind == argc || strcmp(argv[optind], "show")))
		ret = kv_fault_usage(&fault, "'kverbs dev' takes 'show'; see 'kverbs dev --help'");
	if (!ret && argc - optind > 2)
		ret = kv_fault_usage(&fault, "'%s' is one device too many; 'kverbs dev show' takes one or none",
				     argv[optind + 2]);
	if (ret)
		goto out_fault;
	view = calloc(KV_SPACES, sizeof(*view));
	if (!view) {
		ret = kv_fault_set(&fault, -ENOMEM, "no memory");
		goto out_fault;
	}
	ret = show(view, argv[optind + 1], json, &fault);
	free(view);
	if (ret)
		goto out_fault;
	return KV_EXIT_DONE;

out_fault:
	kv_fault_print(&fault);
	return fault.exit;
}
