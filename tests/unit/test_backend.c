// SPDX-License-Identifier: MIT
/* The fake backend is held against backend.h by what holds the real ones against it (tests/backend). */
#include "test.h"
#include "backend/content.h"
#include "backend/lists.h"
#include "fake_backend.h"

static void hold(const char *(*test)(struct kv_backend *b, const char *dev))
{
	struct kv_backend *b;
	const char *wrong;
	char err[256];

	fake_world_reset();
	assert_int_equal(kv_backend_kern_open(&b, err, sizeof(err)), 0);
	wrong = test(b, "rxe0");
	if (wrong)
		fail_msg("%s", wrong);
	assert_int_equal(fake_world.objects, 0);
	b->ops->close(b);
}

static void the_fake_ends_its_lists_when_told(void **state)
{
	hold(lists_end_when_told);
}

static void the_fake_keeps_content_in_its_buffer(void **state)
{
	hold(content_stays_in_its_buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fake_ends_its_lists_when_told),
		cmocka_unit_test(the_fake_keeps_content_in_its_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
