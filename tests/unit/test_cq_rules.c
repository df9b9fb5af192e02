// SPDX-License-Identifier: MIT
/* The rule about CQ moderation: good values, with one wrong at a time. */
#include "test.h"
#include <errno.h>
#include <string.h>
#include "rules/cq.h"

static const struct kv_cq_moderation none, most = { 100, 50 };

static void is_refused(struct kv_cq_moderation moderation, const struct kv_cq_moderation *limit,
		       uint32_t context, int error, uint32_t attr, const char *text)
{
	struct kv_refusal why;

	assert_int_equal(kv_cq_check_moderation(&moderation, limit, context, &why), error);
	assert_int_equal(why.error, error);
	assert_int_equal(why.attr, attr);
	if (strncmp(why.text, text, strlen(text)))
		fail_msg("'%s', and not '%s'", why.text, text);
}

static void what_a_device_can(void **state)
{
	static const struct kv_cq_moderation good[] = { { 1, 1 }, { 100, 50 } };
	struct kv_refusal why;

	for (uint32_t context = KVERBS_CQ_EVENT; context <= KVERBS_CQ_MAX; context++)
		for (unsigned int i = 0; i < 2; i++)
			assert_int_equal(kv_cq_check_moderation(&good[i], &most, context, &why), 0);
	/* Nothing is asked for. */
	assert_int_equal(kv_cq_check_moderation(&none, &most, KVERBS_CQ_POLLED, &why), 0);
	assert_int_equal(kv_cq_check_moderation(&none, &none, KVERBS_CQ_EVENT, &why), 0);
}

static void what_it_cannot(void **state)
{
	struct kv_cq_moderation some = { 1, 1 };

	is_refused(some, &most, KVERBS_CQ_POLLED, -EINVAL, KVERBS_A_CQ_MODERATION_COUNT,
		   "a cq with context polled makes no events to moderate");
	is_refused((struct kv_cq_moderation){ 0, 1 }, &most, KVERBS_CQ_EVENT, -EINVAL,
		   KVERBS_A_CQ_MODERATION_PERIOD, "moderation_count and moderation_period go together");
	is_refused((struct kv_cq_moderation){ 1, 0 }, &most, KVERBS_CQ_EVENT, -EINVAL,
		   KVERBS_A_CQ_MODERATION_COUNT, "moderation_count and moderation_period go together");
	is_refused(some, &none, KVERBS_CQ_EVENT, -EOPNOTSUPP, KVERBS_A_CQ_MODERATION_COUNT,
		   "the device has no CQ moderation");
	is_refused((struct kv_cq_moderation){ 101, 1 }, &most, KVERBS_CQ_EVENT, -EINVAL,
		   KVERBS_A_CQ_MODERATION_COUNT, "moderation_count is above");
	is_refused((struct kv_cq_moderation){ 1, 51 }, &most, KVERBS_CQ_EVENT, -EINVAL,
		   KVERBS_A_CQ_MODERATION_PERIOD, "moderation_period is above");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_device_can),
		cmocka_unit_test(what_it_cannot),
	};

	return cmocka_run_group_tests_name("cq_rules", tests, NULL, NULL);
}
