// SPDX-License-Identifier: MIT
/* The fake backend is held against backend.h by what holds the real ones against it (tests/backend). */
#include "test.h"
#include "backend/lists.h"
#include "fake_backend.h"

static void the_fake_ends_its_lists_when_told(void **state)
{
	struct kv_backend *b;
	const char *wrong;
	char err[256];

	(void)state;
	fake_world_reset();
	assert_int_equal(kv_backend_kern_open(&b, err, sizeof(err)), 0);
	wrong = lists_end_when_told(b, "rxe0");
	if (wrong)
		fail_msg("%s", wrong);
	assert_int_equal(fake_world.objects, 0);
	b->ops->close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fake_ends_its_lists_when_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
