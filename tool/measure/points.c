// SPDX-License-Identifier: MIT
#include <string.h>
#include "measure/points.h"
#include "out/out.h"

/* The points of a document. */

/**
 * kv_points_are_alike() - are two points of one sweep?
 * @a: a point
 * @b: another one
 * @path: the number that all points of the sweep have in common, as /size_bytes
 *
 * Return: true if the operation and that number are the same.
 */
bool kv_points_are_alike(struct json_object *a, struct json_object *b, const char *path)
{
	return !strcmp(kv_out_get_string(a, "/op"), kv_out_get_string(b, "/op")) &&
	       kv_out_get_count(a, path) == kv_out_get_count(b, path);
}

/**
 * kv_points_is_first() - is none of the points before it alike?
 * @path: see kv_points_are_alike()
 */
bool kv_points_is_first(struct json_object *points, size_t number, const char *path)
{
	struct json_object *point = kv_out_item(points, number);

	for (size_t i = 0; i < number; i++)
		if (kv_points_are_alike(kv_out_item(points, i), point, path))
			return false;
	return true;
}
