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

static int compare(const void *key, const void *at)
{
	uint32_t id = *(const uint32_t *)key, its = (*(struct kv_user_obj *const *)at)->id;

	return (id > its) - (id < its);
}

/* The place of an object in the array, or NULL. */
static struct kv_user_obj **look_up(const struct kv_user_table *table, uint32_t id)
{
	return table->n ? bsearch(&id, table->objs, table->n, sizeof(*table->objs), compare) : NULL;
}

/* Finds an object by its id, or NULL. */
struct kv_user_obj *kv_user_table_find(const struct kv_user_table *table, uint32_t id)
{
	struct kv_user_obj **at = look_up(table, id);

	return at ? *at : NULL;
}

/*
 * Removes the object with this id without freeing it. Moves the objects on the side that has fewer.
 */
void kv_user_table_remove(struct kv_user_table *table, uint32_t id)
{
	struct kv_user_obj **objs = table->objs;
	size_t i = (size_t)(look_up(table, id) - objs), behind = table->n - i - 1;

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
