// SPDX-License-Identifier: MIT
/* The table in which user space keeps its objects. */
#include "test.h"
#include <stdlib.h>
#include "user/user.h"

static void add(struct kv_user_table *table, struct kv_user_obj *obj, uint32_t id)
{
	obj->id = id;
	assert_true(kv_user_table_reserve(table));
	kv_user_table_add(table, obj);
}

/* Adds and removes in turns, and compares with the plain list of what is there. */
static void test_contents(void **state)
{
	enum { IDS = 4000 };
	struct kv_user_obj *objs = calloc(IDS + 1, sizeof(*objs));
	struct kv_user_table table = { 0 };
	bool there[IDS + 1] = { false };
	uint32_t seed = 1, last = 0;

	assert_non_null(objs);
	while (last < IDS) {
		uint32_t from = table.n ? table.objs[0]->id : 1, span = last - from + 1;
		size_t n = 0;

		seed = seed * 1664525 + 1013904223;
		/* More is added than removed, at times, and then the other way round. */
		if (seed >> 24 < (last / 500 % 2 ? 120 : 150)) {
			add(&table, &objs[last + 1], last + 1);
			there[++last] = true;
		} else if (table.n) {
			uint32_t place = seed >> 8 & 3;
			uint32_t id = place == 0 ? from : place == 1 ? table.objs[table.n - 1]->id :
							from + (seed >> 10) % span;

			assert_int_equal(!!kv_user_table_find(&table, id), there[id]);
			if (there[id])
				kv_user_table_remove(&table, id);
			there[id] = false;
			assert_null(kv_user_table_find(&table, id));
		}
		for (uint32_t id = 1; id <= last; id++) {
			if (there[id])
				assert_ptr_equal(table.objs[n++], &objs[id]);
		}
		assert_int_equal(n, table.n);
	}
	for (uint32_t id = 1; id <= last; id++)
		assert_ptr_equal(kv_user_table_find(&table, id), there[id] ? &objs[id] : NULL);
	kv_user_table_free(&table);
	free(objs);
}

/* Adds @n objects and removes them, the oldest or the newest first. */
static void remove_all(size_t n, bool oldest)
{
	struct kv_user_obj *objs = calloc(n, sizeof(*objs));
	struct kv_user_table table = { 0 };

	assert_non_null(objs);
	for (size_t i = 0; i < n; i++)
		add(&table, &objs[i], (uint32_t)i + 1);
	for (size_t i = 0; i < n; i++)
		kv_user_table_remove(&table, (uint32_t)(oldest ? i + 1 : n - i));
	assert_int_equal(table.n, 0);
	kv_user_table_free(&table);
	free(objs);
}

static void remove_oldest(size_t n)
{
	remove_all(n, true);
}

static void remove_newest(size_t n)
{
	remove_all(n, false);
}

/* There are always @n objects, and the oldest goes when a new one comes. */
static void replace_oldest(size_t n)
{
	struct kv_user_obj *objs = calloc(3 * n, sizeof(*objs));
	struct kv_user_table table = { 0 };

	assert_non_null(objs);
	for (size_t i = 0; i < 3 * n; i++) {
		add(&table, &objs[i], (uint32_t)i + 1);
		if (i >= n)
			kv_user_table_remove(&table, (uint32_t)(i + 1 - n));
	}
	assert_int_equal(table.n, n);
	assert_true(table.room <= 4 * n);
	kv_user_table_free(&table);
	free(objs);
}

static void test_linear(void **state)
{
	assert_linear(remove_oldest, 10000);
	assert_linear(remove_newest, 10000);
	assert_linear(replace_oldest, 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contents),
		cmocka_unit_test(test_linear),
	};

	return cmocka_run_group_tests_name("obj_table", tests, NULL, NULL);
}
