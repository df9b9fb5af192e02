// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>
#include "user/user.h"

/* Objects of a type, in an array that shrinks at either end without being moved. */

static struct kv_user_obj **begin(const struct kv_user_table *table)
{
	return table->objs ? table->objs - table->gap : NULL;
}

/* Makes sure that one more object fits. Returns false if there is no memory. */
bool kv_user_table_reserve(struct kv_user_table *table)
{
	size_t room = table->room ? table->room * 2 : 16;
	struct kv_user_obj **objs = begin(table);

	if (table->gap + table->n < table->room)
		return true;
	/* At least as many objects were removed as are moved now. */
	if (objs && table->gap >= table->n) {
		memcpy(objs, table->objs, table->n * sizeof(*objs));
		table->objs = objs;
		table->gap = 0;
		return true;
	}
	objs = reallocarray(objs, room, sizeof(*objs));
	if (!objs)
		return false;
	table->objs = objs + table->gap;
	table->room = room;
	return true;
}

/* Adds an object whose id is higher than all others; kv_user_table_reserve() has made room. */
void kv_user_table_add(struct kv_user_table *table, struct kv_user_obj *obj)
{
	table->objs[table->n++] = obj;
}

/* Index of the first object with this id or a higher one. */
static size_t lower_bound(const struct kv_user_table *table, uint32_t id)
{
	size_t from = 0, to = table->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (table->objs[middle]->id < id)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Finds an object by its id, or NULL. */
struct kv_user_obj *kv_user_table_find(const struct kv_user_table *table, uint32_t id)
{
	size_t i = lower_bound(table, id);

	return i < table->n && table->objs[i]->id == id ? table->objs[i] : NULL;
}

/*
 * Removes the object with this id without freeing it. Moves the objects on the side that has fewer.
 */
void kv_user_table_remove(struct kv_user_table *table, uint32_t id)
{
	size_t i = lower_bound(table, id), behind = table->n - i - 1;
	struct kv_user_obj **objs = table->objs;

	table->n--;
	if (i < behind) {
		memmove(objs + 1, objs, i * sizeof(*objs));
		table->objs++;
		table->gap++;
	} else {
		memmove(objs + i, objs + i + 1, behind * sizeof(*objs));
	}
}

/* Frees the array of an empty table. */
void kv_user_table_free(struct kv_user_table *table)
{
	free(begin(table));
	memset(table, 0, sizeof(*table));
}
