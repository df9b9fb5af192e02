// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "out/out.h"
#include "out/table.h"
#include "out/view.h"
#include "out/view_field.h"

#define CELL 96

/* Both sides of a device in the document; NULL where a space does not have it. */
struct sides {
	struct json_object *side[KV_SPACES];
};

/* A group's heading; all but the first stand behind an empty row. */
static void add_heading(struct kv_table *t, const char *text, bool first)
{
	const char *row[] = { "", "", "" };

	if (!first)
		kv_table_add(t, row);
	row[0] = text;
	kv_table_add(t, row);
}

static void add_field(struct kv_table *t, const struct kv_view_field *f,
		      const struct sides *sides)
{
	char head[CELL], text[KV_SPACES][CELL];
	const char *row[] = { head, text[0], text[1] };

	snprintf(head, sizeof(head), "  %s", f->head);
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		struct json_object *value = NULL;

		json_object_object_get_ex(sides->side[s], f->key, &value);
		kv_view_field_format(f, text[s], CELL, value);
	}
	kv_table_add(t, row);
}

static int print_fields(const char *name, const struct sides *sides,
			struct kv_fault *f)
{
	struct kv_column columns[] = {
		{ name, false }, { "kernel", false }, { "user", false },
	};
	struct kv_table t;
	int ret;

	kv_table_create(&t, columns, 3);
	for (const struct kv_view_field *field = kv_view_fields; field->key;
	     field++) {
		if (field->group)
			add_heading(&t, field->group,
				    field == kv_view_fields);
		add_field(&t, field, sides);
	}
	ret = kv_table_print(&t);
	kv_table_destroy(&t);
	return ret ? kv_fault_set(f, ret, "cannot print the table") : 0;
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

static void add_gid(struct kv_table *t, struct json_object *gid,
		    const char *seen)
{
	char index[16];
	const char *row[] = {
		index, kv_out_get_string(gid, "/gid"),
		kv_out_get_string(gid, "/type"),
		kv_out_get_string(gid, "/netdev"), seen,
	};

	snprintf(index, sizeof(index), "%llu",
		 (unsigned long long)kv_out_get_count(gid, "/index"));
	kv_table_add(t, row);
}

/* One row for each GID, with the spaces that see it so: mostly both do. */
static int print_gids(const struct sides *sides, struct kv_fault *f)
{
	struct kv_column columns[] = {
		{ "index", true }, { "GID of port 1", false }, { "type", false },
		{ "netdev", false }, { "seen from", false },
	};
	struct json_object *list[KV_SPACES];
	struct kv_table t;
	int ret;

	kv_table_create(&t, columns, 5);
	for (unsigned int s = 0; s < KV_SPACES; s++)
		list[s] = kv_out_get(sides->side[s], "/gids");
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		size_t n = list[s] ? json_object_array_length(list[s]) : 0;

		for (size_t i = 0; i < n; i++) {
			struct json_object *gid =
				json_object_array_get_idx(list[s], i);
			bool other = has_gid(list[!s], gid);

			if (s == KV_SPACE_KERNEL || !other)
				add_gid(&t, gid, other ? "both" :
					kv_word_name(kv_word_space, s));
		}
	}
	ret = kv_table_print(&t);
	kv_table_destroy(&t);
	return ret ? kv_fault_set(f, ret, "cannot print the table") : 0;
}

static int print_dev(struct json_object *dev, struct kv_fault *f)
{
	struct sides sides = { {
		[KV_SPACE_KERNEL] = kv_out_get(dev, "/kernel"),
		[KV_SPACE_USER] = kv_out_get(dev, "/user"),
	} };
	int ret;

	ret = print_fields(kv_out_get_string(dev, "/name"), &sides, f);
	if (ret)
		return ret;
	printf("\n");
	return print_gids(&sides, f);
}

/**
 * kv_view_print() - print a document as text to stdout
 * @doc: what kv_view_describe() made
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_view_print(struct json_object *doc, struct kv_fault *f)
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
