// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "option.h"
#include "out.h"
#include "table.h"
#include "view.h"

#define CELL 96

static const struct option rows[] = {
	{ "help", no_argument, NULL, KV_OPTION_HELP },
	{ "json", no_argument, NULL, KV_OPTION_JSON },
	{ NULL, 0, NULL, 0 },
};

/* How a field of the document is shown. */
struct field {
	const char *key;
	const char *head;
	/* NULL: the number itself. */
	void (*format)(char *text, size_t size, uint64_t value);
};

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
	{ "port_state", "port 1 state", format_state },
	{ "active_mtu_bytes", "port 1 MTU", NULL },
	{ "lid", "port 1 LID", NULL },
	{ "ports", "ports", NULL },
	{ "max_qp_wr", "requests per queue", NULL },
	{ "max_cqe", "entries per CQ", NULL },
	{ "max_send_sge", "SGEs per request", NULL },
	{ "max_qp_rd_atom", "READs and atomics at once", NULL },
	{ "max_mr_bytes", "largest buffer", kv_size_format },
	{ "max_msg_bytes", "largest message", kv_size_format },
	{ "atomic", "atomic operations", format_atomic },
	{ "fast_reg", "fast registration", format_yes },
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
static int explain_nothing(const struct kv_view *view, const char *name,
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

static int show(struct kv_view *view, const char *name, bool json,
		struct kv_fault *f)
{
	struct kv_out out = { .fd = -1, .to_stdout = true };
	struct json_object *doc;
	int ret;

	for (unsigned int s = 0; s < KV_SPACES; s++)
		kv_view_take(&view[s], s, name);
	if (!view[0].n && !view[1].n)
		return explain_nothing(view, name, f);
	doc = kv_view_describe(view);
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
	struct kv_view *view;
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
