// SPDX-License-Identifier: MIT
/* RDMA devices as both spaces see them: a document, and a table made from the document. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>
#include "cli/there.h"
#include "out/devices.h"
#include "out/out.h"
#include "out/table.h"
#include "out/unit.h"

#define CELL 96

/* A row of the table of a device: a member of struct kv_dev or struct kv_port, or a bit of one. */
struct field {
	const char *key; /* its key in JSON; NULL: @group is a heading, or the table ends */
	const char *head; /* its name in text */
	size_t offset; /* offset of the member */
	size_t size; /* size of the member: 4 and 8 are numbers, others are text */
	uint32_t bit; /* the bit of the number, shown as yes or no; 0: the whole number */
	const char *const *names; /* names of the numbers from 0 on; NULL: none */
	bool bits; /* @names are names of bits */
	/* Writes the number; NULL: in decimal. */
	void (*format)(char *text, size_t size, uint64_t value);
	bool as_text; /* JSON has the text of @format, too */
	bool kernel_only; /* user space lacks this member */
	const char *group; /* heading */
};

/* IBTA 14.2.5.6, PortInfo.PortState */
static const char *const port_states[] = {
	"no change", "down", "init", "armed", "active", "deferred", NULL,
};

/* IBTA 14.2.5.6, PortInfo.PortPhysicalState */
static const char *const phys_states[] = {
	"no change", "sleep", "polling", "disabled", "training", "link up", "link error recovery",
	"phy test", NULL,
};

static const char *const link_layers[] = { "unspecified", "InfiniBand", "Ethernet", NULL };

/* IBTA 14.2.5.6, PortInfo.LinkWidthActive: a bit each */
static const char *const widths[] = { "1x", "4x", "8x", "12x", "2x", NULL };

/* IBTA 14.2.5.6, PortInfo.LinkSpeedActive: a bit each; speed of one lane, without coding */
static const char *const speeds[] = {
	"2.5 Gb/s, SDR", "5 Gb/s, DDR", "10 Gb/s, QDR", "10 Gb/s, FDR10", "14 Gb/s, FDR",
	"25 Gb/s, EDR", "50 Gb/s, HDR", "100 Gb/s, NDR", "200 Gb/s, XDR", NULL,
};

static const char *const atomics[] = { "none", "among its QPs", "with CPUs too", NULL };

/* IBTA 11.2.2.2: 4.096 us * 2^value */
static void format_delay(char *text, size_t size, uint64_t value)
{
	snprintf(text, size, "%.3g ms (%llu)", 4.096e-3 * (double)(1ULL << (value & 31)),
		 (unsigned long long)value);
}

static void format_guid(char *text, size_t size, uint64_t value)
{
	snprintf(text, size, "%04x:%04x:%04x:%04x",
		 (unsigned int)(value >> 48), (unsigned int)(value >> 32) & 0xffff,
		 (unsigned int)(value >> 16) & 0xffff, (unsigned int)value & 0xffff);
}

static void format_hex(char *text, size_t size, uint64_t value)
{
	snprintf(text, size, "0x%llx", (unsigned long long)value);
}

static void format_bytes(char *text, size_t size, uint64_t value)
{
	if (value == UINT64_MAX)
		snprintf(text, size, "no limit");
	else
		kv_size_format(text, size, value);
}

/* Runs of powers of two: "4 KiB .. 2 GiB". */
static void format_pages(char *text, size_t size, uint64_t value)
{
	size_t used = 0;

	snprintf(text, size, "none");
	for (unsigned int first = 0, last; first < 64 && used < size; first = last + 1) {
		char from[32], to[32];

		last = first;
		if (!(value >> first & 1))
			continue;
		while (last < 63 && value >> (last + 1) & 1)
			last++;
		kv_size_format(from, sizeof(from), 1ULL << first);
		kv_size_format(to, sizeof(to), 1ULL << last);
		used += (size_t)snprintf(text + used, size - used, "%s%s%s%s",
					 used ? ", " : "", from, last > first ? " .. " : "",
					 last > first ? to : "");
	}
}

#define MEMBER_OF(type, member)				\
	.offset = offsetof(type, member),		\
	.size = sizeof(((type *)NULL)->member)
#define MEMBER(member) MEMBER_OF(struct kv_dev, member)
#define PORT(member) MEMBER_OF(struct kv_port, member)
#define CAP(flag) MEMBER(caps), .bit = KVERBS_CAP_##flag

/* The fields of a device, in the order of output. */
static const struct field device_fields[] = {
	{ .group = "device" },
	{ "fw_ver", "firmware", MEMBER(fw_ver) },
	{ "vendor_id", "vendor", MEMBER(vendor_id), .format = format_hex },
	{ "vendor_part_id", "part", MEMBER(vendor_part_id) },
	{ "hw_ver", "hardware version", MEMBER(hw_ver) },
	{ "node_guid", "node GUID", MEMBER(node_guid), .format = format_guid, .as_text = true },
	{ "sys_image_guid", "system image GUID", MEMBER(sys_image_guid), .format = format_guid, .as_text = true },
	{ "cap_flags", "capability flags", MEMBER(cap_flags), .format = format_hex },
	{ "comp_vectors", "completion vectors", MEMBER(comp_vectors) },
	{ "local_ca_ack_delay", "ACK delay, at most", MEMBER(local_ca_ack_delay), .format = format_delay },
	{ "phys_port_cnt", "ports", MEMBER(ports) },
	{ .key = NULL },
};

/* The fields of each port. */
static const struct field port_fields[] = {
	{ "state", "state", PORT(state), .names = port_states },
	{ "phys_state", "physical state", PORT(phys_state), .names = phys_states },
	{ "link_layer", "link layer", PORT(link_layer), .names = link_layers },
	{ "active_mtu_bytes", "MTU", PORT(active_mtu) },
	{ "max_mtu_bytes", "MTU, at most", PORT(max_mtu) },
	{ "max_msg_bytes", "message, at most", PORT(max_msg_bytes), .format = format_bytes },
	{ "active_width", "width", PORT(active_width), .names = widths, .bits = true },
	{ "active_speed", "speed of a lane", PORT(active_speed), .names = speeds, .bits = true },
	{ "lid", "LID", PORT(lid) },
	{ "sm_lid", "subnet manager's LID", PORT(sm_lid) },
	{ "gid_table_len", "places for GIDs", PORT(gid_table_len) },
	{ "pkey_table_len", "places for P_Keys", PORT(pkey_table_len) },
	{ .key = NULL },
};

/* The fields of a device that follow its ports. */
static const struct field ability_fields[] = {
	{ .group = "capabilities that kverbs uses" },
	{ "cap_rc", "RC: reliable connections", CAP(RC) },
	{ "cap_uc", "UC: unreliable connections", CAP(UC) },
	{ "cap_ud", "UD: unreliable datagrams", CAP(UD) },
	{ "cap_ah", "address handles", CAP(AH) },
	{ "cap_srq", "shared receive queues", CAP(SRQ) },
	{ "cap_atomic", "FETCH_ADD and CMP_SWP", CAP(ATOMIC) },
	{ "cap_fast_reg", "fast registration", CAP(FAST_REG), .kernel_only = true },
	{ "atomic", "atomicity", MEMBER(atomic), .names = atomics },
	{ .group = "queue pairs" },
	{ "max_qp", "how many", MEMBER(max_qp) },
	{ "max_qp_wr", "requests per queue", MEMBER(max_qp_wr) },
	{ "max_send_sge", "SGEs of a send", MEMBER(max_send_sge) },
	{ "max_recv_sge", "SGEs of a receive", MEMBER(max_recv_sge) },
	{ "max_sge_rd", "SGEs of a READ", MEMBER(max_sge_rd) },
	{ "max_qp_rd_atom", "READs, atomics as target", MEMBER(max_qp_rd_atom) },
	{ "max_qp_init_rd_atom", "READs, atomics as initiator", MEMBER(max_qp_init_rd_atom) },
	{ "max_res_rd_atom", "of all QPs as target", MEMBER(max_res_rd_atom) },
	{ .group = "memory" },
	{ "max_mr", "MRs", MEMBER(max_mr) },
	{ "max_mr_size", "bytes of an MR", MEMBER(max_mr_size), .format = format_bytes },
	{ "max_mr_bytes", "bytes of a registration", MEMBER(max_mr_bytes), .format = format_bytes },
	{ "max_fast_reg_pages", "pages of a fast registration", MEMBER(max_fast_reg_pages), .kernel_only = true },
	{ "page_size_cap", "page sizes", MEMBER(page_size_cap), .format = format_pages },
	{ "max_mw", "memory windows", MEMBER(max_mw) },
	{ .group = "other objects" },
	{ "max_pd", "PDs", MEMBER(max_pd) },
	{ "max_cq", "CQs", MEMBER(max_cq) },
	{ "max_cqe", "entries of a CQ", MEMBER(max_cqe) },
	{ "max_cq_moderation_count", "completions of a moderated event", MEMBER(max_cq_moderation_count) },
	{ "max_cq_moderation_period", "microseconds until it comes", MEMBER(max_cq_moderation_period) },
	{ "max_srq", "SRQs", MEMBER(max_srq) },
	{ "max_srq_wr", "receives of an SRQ", MEMBER(max_srq_wr) },
	{ "max_srq_sge", "SGEs of such a receive", MEMBER(max_srq_sge) },
	{ "max_ah", "AHs", MEMBER(max_ah) },
	{ "max_mcast_grp", "multicast groups", MEMBER(max_mcast_grp) },
	{ "max_mcast_qp_attach", "QPs of such a group", MEMBER(max_mcast_qp_attach) },
	{ "max_pkeys", "partitions", MEMBER(max_pkeys) },
	{ .key = NULL },
};

static int add_dev(const struct kv_dev *dev, void *arg)
{
	struct kv_devices *v = arg;

	if (v->n == KV_DEVICES_MAX)
		return -E2BIG;
	v->dev[v->n++] = *dev;
	return 0;
}

/**
 * kv_devices_take() - query the devices that one space sees
 * @v: receives the devices, or the reason of a failure
 * @name: name of one device, or NULL for all. If there is no such device, the result
 *	is empty, without a fault.
 */
int kv_devices_take(struct kv_devices *v, enum kv_space_id id, const char *name)
{
	struct kv_backend *b;
	int ret = kv_site_open_backend(id, &b, &v->fault);

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
			     b->ops->space, KV_DEVICES_MAX);
	else if (ret)
		kv_fault_backend(&v->fault, b, ret, "cannot look at the RDMA devices");
	b->ops->close(b);
	v->open = !ret;
	return ret;
}

/* The device of this name, or NULL. */
const struct kv_dev *kv_devices_find(const struct kv_devices *v, const char *name)
{
	for (unsigned int i = 0; i < v->n; i++) {
		if (!strcmp(v->dev[i].name, name))
			return &v->dev[i];
	}
	return NULL;
}

/**
 * kv_devices_refuse() - report that neither space has a device; name those that there are
 * @view: of both spaces; receives all devices
 */
int kv_devices_refuse(struct kv_devices *view, const char *name, struct kv_fault *f)
{
	struct kv_there there = { 0 };

	for (unsigned int s = 0; s < KV_SPACES; s++) {
		view[s].n = 0;
		kv_devices_take(&view[s], s, NULL);
		for (unsigned int i = 0; i < view[s].n; i++) {
			if (!s || !kv_devices_find(&view[0], view[s].dev[i].name))
				kv_there_add(&there, "", view[s].dev[i].name);
		}
	}
	kv_fault_set(f, -ENODEV, "there is no RDMA device '%s'", name);
	kv_there_tell(&there, f);
	return f->error;
}

static uint64_t read_number(const struct field *f, const void *from)
{
	const void *member = (const char *)from + f->offset;

	return f->size == sizeof(uint64_t) ? *(const uint64_t *)member : *(const uint32_t *)member;
}

static struct json_object *describe_field(const struct field *f, const void *from)
{
	char text[32];

	if (f->size != sizeof(uint32_t) && f->size != sizeof(uint64_t))
		return json_object_new_string((const char *)from + f->offset);
	if (f->bit)
		return json_object_new_boolean((read_number(f, from) & f->bit) != 0);
	if (!f->as_text)
		return json_object_new_uint64(read_number(f, from));
	f->format(text, sizeof(text), read_number(f, from));
	return json_object_new_string(text);
}

/* A number that has no name is "unknown". */
static void format_name(const struct field *f, char *text, uint64_t value)
{
	const char *name = "unknown";

	for (unsigned int i = 0; f->names[i]; i++) {
		if (value == (f->bits ? 1ULL << i : i))
			name = f->names[i];
	}
	snprintf(text, CELL, "%s (%llu)", name, (unsigned long long)value);
}

/* @value: result of describe_field(); NULL: there is none. */
static void format_field(const struct field *f, char text[CELL], struct json_object *value)
{
	uint64_t number = json_object_get_uint64(value);

	if (json_object_is_type(value, json_type_boolean))
		snprintf(text, CELL, "%s", json_object_get_boolean(value) ? "yes" : "no");
	else if (!value || json_object_is_type(value, json_type_string))
		snprintf(text, CELL, "%s", value && json_object_get_string_len(value) ?
			 json_object_get_string(value) : "-");
	else if (f->names)
		format_name(f, text, number);
	else if (f->format)
		f->format(text, CELL, number);
	else
		kv_unit_count(text, CELL, number);
}

static struct json_object *describe_gids(const struct kv_dev *dev, const struct kv_port *port)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < port->gids; i++) {
		struct json_object *gid = json_object_new_object();
		const struct kv_gid *from = &port->gid[i];
		char text[INET6_ADDRSTRLEN];

		kv_out_put_count(gid, "index", from->index);
		kv_out_put_string(gid, "gid", inet_ntop(AF_INET6, from->raw, text, sizeof(text)));
		kv_out_put_string(gid, "type", kv_gid_type_name(dev, from));
		kv_out_put_string(gid, "netdev", from->netdev[0] ? from->netdev : NULL);
		json_object_array_add(list, gid);
	}
	return list;
}

static void describe_fields(struct json_object *obj, const struct field *fields, const void *from,
			    enum kv_space_id id)
{
	for (const struct field *f = fields; f->key || f->group; f++) {
		if (f->key && !(id == KV_SPACE_USER && f->kernel_only))
			kv_out_put(obj, f->key, describe_field(f, from));
	}
}

/* A port that could not be queried has its number and the errno only. */
static struct json_object *describe_port(const struct kv_dev *dev, const struct kv_port *port,
					 enum kv_space_id id)
{
	struct json_object *obj = json_object_new_object();

	kv_out_put_count(obj, "number", port->number);
	kv_out_put_string(obj, "error", port->error ? kv_errno_name(-(int)port->error) : NULL);
	if (port->error)
		return obj;
	describe_fields(obj, port_fields, port, id);
	kv_out_put(obj, "gids", describe_gids(dev, port));
	return obj;
}

static struct json_object *describe_side(const struct kv_dev *dev, enum kv_space_id id)
{
	struct json_object *side = json_object_new_object();
	struct json_object *ports = json_object_new_array();

	describe_fields(side, device_fields, dev, id);
	describe_fields(side, ability_fields, dev, id);
	for (unsigned int i = 0; i < dev->listed; i++)
		json_object_array_add(ports, describe_port(dev, &dev->port[i], id));
	kv_out_put(side, "ports", ports);
	return side;
}

/* One device in both spaces; either space may lack it. */
static struct json_object *describe_dev(const struct kv_devices *view, const char *name)
{
	struct json_object *obj = json_object_new_object();

	kv_out_put_string(obj, "name", name);
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		const struct kv_dev *dev = kv_devices_find(&view[s], name);

		kv_out_put(obj, kv_enum_name(kv_enum_space, s), dev ? describe_side(dev, s) : NULL);
	}
	return obj;
}

const struct kv_schema kv_devices_schema = { "kverbs.dev", 3 };

/**
 * kv_devices_describe() - make a document of the views of both spaces
 * @view: their views, [KV_SPACES]
 *
 * Return: the document, owned by the caller.
 */
struct json_object *kv_devices_describe(const struct kv_devices *view)
{
	struct json_object *doc = kv_out_document(&kv_devices_schema);
	struct json_object *devs = json_object_new_array();
	struct json_object *notes = json_object_new_object();

	kv_out_put(doc, "devices", devs);
	kv_out_put(doc, "unavailable", notes);
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		const struct kv_devices *v = &view[s];

		if (!v->open)
			kv_out_put_string(notes, kv_enum_name(kv_enum_space, s), v->fault.text);
		for (unsigned int i = 0; i < v->n; i++) {
			if (s && kv_devices_find(&view[0], v->dev[i].name))
				continue;
			json_object_array_add(devs, describe_dev(view, v->dev[i].name));
		}
	}
	return doc;
}

/* A group's heading; an empty row precedes all but the first. */
static void add_heading(struct kv_table *t, const char *text, bool first)
{
	const char *row[] = { "", "", "" };

	if (!first)
		kv_table_add(t, row);
	row[0] = text;
	kv_table_add(t, row);
}

static void add_field(struct kv_table *t, const struct field *f, struct json_object *const *side)
{
	char head[CELL], text[KV_SPACES][CELL];
	const char *row[] = { head, text[0], text[1] };

	snprintf(head, sizeof(head), "  %s", f->head);
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		struct json_object *value = NULL;

		json_object_object_get_ex(side[s], f->key, &value);
		format_field(f, text[s], value);
	}
	kv_table_add(t, row);
}

/* @side: a device or a port in the document, by space; NULL if a space lacks it. */
static void add_fields(struct kv_table *t, const struct field *fields,
		       struct json_object *const *side, bool first)
{
	for (const struct field *field = fields; field->key || field->group; field++) {
		if (field->group)
			add_heading(t, field->group, first && field == fields);
		else
			add_field(t, field, side);
	}
}

/* Finds the @i-th port of the device in both spaces, which list ports in the same order. */
static bool find_port(struct json_object *const *side, size_t i,
		      struct json_object *port[KV_SPACES])
{
	bool found = false;

	for (unsigned int s = 0; s < KV_SPACES; s++) {
		struct json_object *list = kv_out_get(side[s], "/ports");

		port[s] = list ? json_object_array_get_idx(list, i) : NULL;
		found |= port[s] != NULL;
	}
	return found;
}

static unsigned long long number_of(struct json_object *const *port)
{
	return kv_out_get_count(port[0] ? port[0] : port[1], "/number");
}

/* @port: the port, by space. Its fields are added if at least one space could query it. */
static void add_port(struct kv_table *t, struct json_object *const *port)
{
	static const struct field error = { "error", "error", .size = 1 };
	unsigned int failed = 0, there = 0;
	char heading[32];

	for (unsigned int s = 0; s < KV_SPACES; s++) {
		there += port[s] != NULL;
		failed += kv_out_get(port[s], "/error") != NULL;
	}
	snprintf(heading, sizeof(heading), "port %llu", number_of(port));
	add_heading(t, heading, false);
	if (failed)
		add_field(t, &error, port);
	if (failed < there)
		add_fields(t, port_fields, port, false);
}

static int print_fields(const char *name, struct json_object *const *side, struct kv_fault *f)
{
	struct kv_column columns[] = { { name, .right = false }, { "kernel", .right = false }, { "user", .right = false } };
	struct json_object *port[KV_SPACES];
	struct kv_table t;

	kv_table_create(&t, columns, 3);
	add_fields(&t, device_fields, side, true);
	for (size_t i = 0; find_port(side, i, port); i++)
		add_port(&t, port);
	add_fields(&t, ability_fields, side, false);
	return kv_table_print(&t, f);
}

static bool has_gid(struct json_object *list, struct json_object *gid)
{
	size_t n = list ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		if (json_object_equal(json_object_array_get_idx(list, i), gid))
			return true;
	}
	return false;
}

static void add_gid(struct kv_table *t, unsigned long long port, struct json_object *gid,
		    const char *seen)
{
	char number[24], index[24];
	const char *row[] = {
		number, index, kv_out_get_string(gid, "/gid"),
		kv_out_get_string(gid, "/type"),
		kv_out_get_string(gid, "/netdev"), seen,
	};

	snprintf(number, sizeof(number), "%llu", port);
	snprintf(index, sizeof(index), "%llu", kv_out_get_count(gid, "/index"));
	kv_table_add(t, row);
}

/* One row for each GID, with the spaces that see the same entry: mostly both. */
static void add_gids(struct kv_table *t, struct json_object *const *port)
{
	struct json_object *list[KV_SPACES];

	for (unsigned int s = 0; s < KV_SPACES; s++)
		list[s] = kv_out_get(port[s], "/gids");
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		size_t n = list[s] ? json_object_array_length(list[s]) : 0;

		for (size_t i = 0; i < n; i++) {
			struct json_object *gid = json_object_array_get_idx(list[s], i);
			bool other = has_gid(list[!s], gid);

			if (s == KV_SPACE_KERNEL || !other)
				add_gid(t, number_of(port), gid,
					other ? "both" : kv_enum_name(kv_enum_space, s));
		}
	}
}

static int print_gids(struct json_object *const *side, struct kv_fault *f)
{
	struct kv_column columns[] = {
		{ "port", .right = true }, { "index", .right = true }, { "GID", .right = false }, { "type", .right = false },
		{ "netdev", .right = false }, { "seen from", .right = false },
	};
	struct json_object *port[KV_SPACES];
	struct kv_table t;

	kv_table_create(&t, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; find_port(side, i, port); i++)
		add_gids(&t, port);
	return kv_table_print(&t, f);
}

static int print_dev(struct json_object *dev, struct kv_fault *f)
{
	struct json_object *const side[] = {
		[KV_SPACE_KERNEL] = kv_out_get(dev, "/kernel"),
		[KV_SPACE_USER] = kv_out_get(dev, "/user"),
	};
	int ret = print_fields(kv_out_get_string(dev, "/name"), side, f);

	if (ret)
		return ret;
	printf("\n");
	return print_gids(side, f);
}

/**
 * kv_devices_print() - print a document as text to stdout
 * @doc: the document that kv_devices_describe() made
 */
int kv_devices_print(struct json_object *doc, struct kv_fault *f)
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
