// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "out/table.h"
#include "out/view_field.h"

/* Names of the numbers from 0 on; what has none is "unknown". */
static void format_code(char *text, size_t size, uint64_t value,
			const char *const *name, size_t names)
{
	snprintf(text, size, "%s (%llu)",
		 value < names && name[value] ? name[value] : "unknown",
		 (unsigned long long)value);
}

#define FORMAT_CODE(text, size, value, name) \
	format_code(text, size, value, name, sizeof(name) / sizeof(name[0]))

/* IBTA 14.2.5.6, PortInfo.PortState */
static void format_state(char *text, size_t size, uint64_t value)
{
	static const char *const name[] = {
		"no change", "down", "init", "armed", "active", "deferred",
	};

	FORMAT_CODE(text, size, value, name);
}

/* IBTA 14.2.5.6, PortInfo.PortPhysicalState */
static void format_phys_state(char *text, size_t size, uint64_t value)
{
	static const char *const name[] = {
		"no change", "sleep", "polling", "disabled", "training",
		"link up", "link error recovery", "phy test",
	};

	FORMAT_CODE(text, size, value, name);
}

static void format_link_layer(char *text, size_t size, uint64_t value)
{
	static const char *const name[] = {
		"unspecified", "InfiniBand", "Ethernet",
	};

	FORMAT_CODE(text, size, value, name);
}

/* IBTA 14.2.5.6, PortInfo.LinkWidthActive */
static void format_width(char *text, size_t size, uint64_t value)
{
	static const char *const name[] = {
		[1] = "1x", [2] = "4x", [4] = "8x", [8] = "12x", [16] = "2x",
	};

	FORMAT_CODE(text, size, value, name);
}

/* IBTA 14.2.5.6, PortInfo.LinkSpeedActive; of one lane, without coding */
static void format_speed(char *text, size_t size, uint64_t value)
{
	static const char *const name[] = {
		[1] = "2.5 Gb/s, SDR", [2] = "5 Gb/s, DDR",
		[4] = "10 Gb/s, QDR",  [8] = "10 Gb/s, FDR10",
		[16] = "14 Gb/s, FDR", [32] = "25 Gb/s, EDR",
		[64] = "50 Gb/s, HDR", [128] = "100 Gb/s, NDR",
		[256] = "200 Gb/s, XDR",
	};

	FORMAT_CODE(text, size, value, name);
}

static void format_atomic(char *text, size_t size, uint64_t value)
{
	static const char *const name[] = {
		"none", "among its QPs", "with CPUs too",
	};

	FORMAT_CODE(text, size, value, name);
}

/* IBTA 11.2.2.2: 4.096 us * 2^value */
static void format_delay(char *text, size_t size, uint64_t value)
{
	snprintf(text, size, "%.3g ms (%llu)",
		 4.096e-3 * (double)(1ULL << (value & 31)),
		 (unsigned long long)value);
}

static void format_guid(char *text, size_t size, uint64_t value)
{
	snprintf(text, size, "%04x:%04x:%04x:%04x",
		 (unsigned int)(value >> 48), (unsigned int)(value >> 32) & 0xffff,
		 (unsigned int)(value >> 16) & 0xffff,
		 (unsigned int)value & 0xffff);
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
	for (unsigned int first = 0, last; first < 64 && used < size;
	     first = last + 1) {
		char from[32], to[32];

		last = first;
		if (!(value >> first & 1))
			continue;
		while (last < 63 && value >> (last + 1) & 1)
			last++;
		kv_size_format(from, sizeof(from), 1ULL << first);
		kv_size_format(to, sizeof(to), 1ULL << last);
		used += (size_t)snprintf(text + used, size - used, "%s%s%s%s",
					 used ? ", " : "", from,
					 last > first ? " .. " : "",
					 last > first ? to : "");
	}
}

#define MEMBER(member)					\
	.offset = offsetof(struct kv_dev, member),	\
	.size = sizeof(((struct kv_dev *)NULL)->member)

#define CAN(flag) MEMBER(can), .bit = KVERBS_CAN_##flag

const struct kv_view_field kv_view_fields[] = {
	{ "device", "fw_ver", "firmware", MEMBER(fw_ver) },
	{ NULL, "vendor_id", "vendor", MEMBER(vendor_id),
	  .format = format_hex },
	{ NULL, "vendor_part_id", "part", MEMBER(vendor_part_id) },
	{ NULL, "hw_ver", "hardware version", MEMBER(hw_ver) },
	{ NULL, "node_guid", "node GUID", MEMBER(node_guid),
	  .format = format_guid, .as_text = true },
	{ NULL, "sys_image_guid", "system image GUID", MEMBER(sys_image_guid),
	  .format = format_guid, .as_text = true },
	{ NULL, "cap_flags", "capability flags", MEMBER(cap_flags),
	  .format = format_hex },
	{ NULL, "comp_vectors", "completion vectors", MEMBER(comp_vectors) },
	{ NULL, "local_ca_ack_delay", "ACK delay, at most",
	  MEMBER(local_ca_ack_delay), .format = format_delay },
	{ NULL, "ports", "ports", MEMBER(ports) },

	{ "port 1", "port_state", "state", MEMBER(port_state),
	  .format = format_state },
	{ NULL, "phys_state", "physical state", MEMBER(phys_state),
	  .format = format_phys_state },
	{ NULL, "link_layer", "link layer", MEMBER(link_layer),
	  .format = format_link_layer },
	{ NULL, "active_mtu_bytes", "MTU", MEMBER(active_mtu) },
	{ NULL, "max_mtu_bytes", "MTU, at most", MEMBER(max_mtu) },
	{ NULL, "max_msg_bytes", "message, at most", MEMBER(max_msg_bytes),
	  .format = format_bytes },
	{ NULL, "active_width", "width", MEMBER(active_width),
	  .format = format_width },
	{ NULL, "active_speed", "speed of a lane", MEMBER(active_speed),
	  .format = format_speed },
	{ NULL, "lid", "LID", MEMBER(lid) },
	{ NULL, "sm_lid", "subnet manager's LID", MEMBER(sm_lid) },
	{ NULL, "gid_table_len", "places for GIDs", MEMBER(gid_table_len) },
	{ NULL, "pkey_table_len", "places for P_Keys", MEMBER(pkey_table_len) },

	{ "what kverbs can do with it", "can_rc", "RC: reliable connections",
	  CAN(RC) },
	{ NULL, "can_uc", "UC: unreliable connections", CAN(UC) },
	{ NULL, "can_ud", "UD: unreliable datagrams", CAN(UD) },
	{ NULL, "can_ah", "address handles", CAN(AH) },
	{ NULL, "can_srq", "shared receive queues", CAN(SRQ) },
	{ NULL, "can_atomic", "FETCH_ADD and CMP_SWP", CAN(ATOMIC) },
	{ NULL, "can_fast_reg", "fast registration", CAN(FAST_REG),
	  .kernel_only = true },
	{ NULL, "atomic", "atomicity", MEMBER(atomic),
	  .format = format_atomic },

	{ "queue pairs", "max_qp", "how many", MEMBER(max_qp) },
	{ NULL, "max_qp_wr", "requests per queue", MEMBER(max_qp_wr) },
	{ NULL, "max_send_sge", "SGEs of a send", MEMBER(max_send_sge) },
	{ NULL, "max_recv_sge", "SGEs of a receive", MEMBER(max_recv_sge) },
	{ NULL, "max_sge_rd", "SGEs of a READ", MEMBER(max_sge_rd) },
	{ NULL, "max_qp_rd_atom", "READs, atomics as target",
	  MEMBER(max_qp_rd_atom) },
	{ NULL, "max_qp_init_rd_atom", "READs, atomics as initiator",
	  MEMBER(max_qp_init_rd_atom) },
	{ NULL, "max_res_rd_atom", "of all QPs as target",
	  MEMBER(max_res_rd_atom) },

	{ "memory", "max_mr", "MRs", MEMBER(max_mr) },
	{ NULL, "max_mr_size", "bytes of an MR", MEMBER(max_mr_size),
	  .format = format_bytes },
	{ NULL, "max_mr_bytes", "bytes of a kverbs buffer",
	  MEMBER(max_mr_bytes), .format = format_bytes },
	{ NULL, "max_fast_reg_pages", "pages of a fast registration",
	  MEMBER(max_fast_reg_pages), .kernel_only = true },
	{ NULL, "page_size_cap", "page sizes", MEMBER(page_size_cap),
	  .format = format_pages },
	{ NULL, "max_mw", "memory windows", MEMBER(max_mw) },

	{ "other objects", "max_pd", "PDs", MEMBER(max_pd) },
	{ NULL, "max_cq", "CQs", MEMBER(max_cq) },
	{ NULL, "max_cqe", "entries of a CQ", MEMBER(max_cqe) },
	{ NULL, "max_srq", "SRQs", MEMBER(max_srq) },
	{ NULL, "max_srq_wr", "receives of an SRQ", MEMBER(max_srq_wr) },
	{ NULL, "max_srq_sge", "SGEs of such a receive", MEMBER(max_srq_sge) },
	{ NULL, "max_ah", "AHs", MEMBER(max_ah) },
	{ NULL, "max_mcast_grp", "multicast groups", MEMBER(max_mcast_grp) },
	{ NULL, "max_mcast_qp_attach", "QPs of such a group",
	  MEMBER(max_mcast_qp_attach) },
	{ NULL, "max_pkeys", "partitions", MEMBER(max_pkeys) },
	{ .key = NULL },
};

static uint64_t read_number(const struct kv_view_field *f,
			    const struct kv_dev *dev)
{
	const void *member = (const char *)dev + f->offset;

	return f->size == sizeof(uint64_t) ? *(const uint64_t *)member :
					     *(const uint32_t *)member;
}

/**
 * kv_view_field_describe() - take a field out of a device
 * @f: the field
 * @dev: the device
 *
 * Return: its value in JSON, owned by the caller.
 */
struct json_object *kv_view_field_describe(const struct kv_view_field *f,
					   const struct kv_dev *dev)
{
	char text[32];

	if (f->size != sizeof(uint32_t) && f->size != sizeof(uint64_t))
		return json_object_new_string((const char *)dev + f->offset);
	if (f->bit)
		return json_object_new_boolean((read_number(f, dev) & f->bit) != 0);
	if (!f->as_text)
		return json_object_new_uint64(read_number(f, dev));
	f->format(text, sizeof(text), read_number(f, dev));
	return json_object_new_string(text);
}

/**
 * kv_view_field_format() - write what kv_view_field_describe() made
 * @f: the field
 * @text: receives the text
 * @size: of @text
 * @value: what it made; NULL: there is none
 */
void kv_view_field_format(const struct kv_view_field *f, char *text,
			  size_t size, struct json_object *value)
{
	if (!value)
		snprintf(text, size, "-");
	else if (json_object_is_type(value, json_type_boolean))
		snprintf(text, size, "%s",
			 json_object_get_boolean(value) ? "yes" : "no");
	else if (json_object_is_type(value, json_type_string))
		snprintf(text, size, "%s",
			 json_object_get_string_len(value) ?
				 json_object_get_string(value) : "-");
	else if (f->format)
		f->format(text, size, json_object_get_uint64(value));
	else
		snprintf(text, size, "%llu",
			 (unsigned long long)json_object_get_uint64(value));
}
