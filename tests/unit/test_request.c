// SPDX-License-Identifier: MIT
/*
 * The attributes that each operation of a work request takes, compared with a second table that was
 * written apart (IBTA 11.4.1.1, table 91).
 */
#include "test.h"
#include <errno.h>
#include "rules/request.h"

/* Attributes by bit; those that every operation takes have no name here. */
static const char *const attr_names[] = {
	[KVERBS_A_WR_IMM] = "imm",
	[KVERBS_A_WR_REMOTE_ADDR] = "remote_addr",
	[KVERBS_A_WR_REMOTE_KEY] = "remote_key",
	[KVERBS_A_WR_COMPARE_ADD] = "compare_add",
	[KVERBS_A_WR_SWAP] = "swap",
	[KVERBS_A_WR_AH] = "ah",
	[KVERBS_A_WR_REMOTE_QPN] = "remote_qpn",
	[KVERBS_A_WR_REMOTE_QKEY] = "remote_qkey",
	[KVERBS_A_WR_INVALIDATE_RKEY] = "invalidate_rkey",
};

#define ATTRS (sizeof(attr_names) / sizeof(attr_names[0]))

static const char *const flag_names[] = { "unsignaled", "solicited", "fence", "inline" };
static const char *const type_names[] = { "RC", "UC", "UD" };
static const char *const loop_names[] = { "null", "completion", "pingpong_client", "pingpong_server", "pingpong", "stream",
	"stream_server", "credit_stream", "credit_server" };

/* @unposted: the refusal's text for an operation that WR_POST does not take. */
static const struct statement {
	const char *name, *unposted, *needs, *takes, *flags, *types, *loops;
	__u32 completion;
} statement[] = {
	[KVERBS_OP_SEND] = {
		"send", NULL, "", "ah remote_qpn remote_qkey",
		"unsignaled solicited fence inline", "RC UC UD",
		"null pingpong_client pingpong_server pingpong stream stream_server credit_stream credit_server",
		KVERBS_WC_OP_SEND },
	[KVERBS_OP_SEND_WITH_IMM] = {
		"send_with_imm", NULL, "imm", "ah remote_qpn remote_qkey",
		"unsignaled solicited fence inline", "RC UC UD",
		"null pingpong_client pingpong_server pingpong stream stream_server", KVERBS_WC_OP_SEND },
	[KVERBS_OP_SEND_WITH_INV] = {
		"send_with_inv", NULL, "invalidate_rkey", "", "unsignaled solicited fence inline", "RC",
		"null pingpong_client pingpong_server pingpong", KVERBS_WC_OP_SEND },
	[KVERBS_OP_WRITE] = {
		"write", NULL, "remote_addr remote_key", "", "unsignaled fence inline",
		"RC UC", "null completion stream pingpong_client pingpong_server pingpong", KVERBS_WC_OP_WRITE },
	[KVERBS_OP_WRITE_WITH_IMM] = {
		"write_with_imm", NULL, "imm remote_addr remote_key", "",
		"unsignaled solicited fence inline", "RC UC",
		"null pingpong_client pingpong_server pingpong stream stream_server", KVERBS_WC_OP_WRITE },
	[KVERBS_OP_READ] = {
		"read", NULL, "remote_addr remote_key", "", "unsignaled fence", "RC",
		"null completion stream", KVERBS_WC_OP_READ },
	[KVERBS_OP_READ_WITH_INV] = {
		"read_with_inv", NULL, "remote_addr remote_key", "", "unsignaled", "RC",
		"null completion", KVERBS_WC_OP_READ },
	[KVERBS_OP_FETCH_ADD] = {
		"fetch_add", NULL, "remote_addr remote_key", "compare_add", "unsignaled fence",
		"RC", "null completion stream", KVERBS_WC_OP_FETCH_ADD },
	[KVERBS_OP_CMP_SWP] = {
		"cmp_swp", NULL, "remote_addr remote_key", "compare_add swap",
		"unsignaled fence", "RC", "null completion stream", KVERBS_WC_OP_CMP_SWP },
	[KVERBS_OP_LOCAL_INV] = {
		.name = "local_inv", .unposted = "MR_INV posts it", .loops = "null",
		.completion = KVERBS_WC_OP_LOCAL_INV },
	[KVERBS_OP_REG_MR] = {
		.name = "reg_mr", .unposted = "MR_REG posts it", .loops = "null",
		.completion = KVERBS_WC_OP_REG_MR },
	[KVERBS_OP_RECV] = {
		"recv", NULL, "", "", "", "RC UC UD", "null", KVERBS_WC_OP_RECV },
	[KVERBS_OP_ATOMIC_WRITE] = {
		.name = "atomic_write", .unposted = "runs in user space post it",
		.loops = "null completion stream", .completion = KVERBS_WC_OP_WRITE },
};

static bool has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

static __u32 bits_of(const char *list)
{
	__u32 bits = 1U << KVERBS_A_WR_OP | 1U << KVERBS_A_WR_WR_ID | 1U << KVERBS_A_WR_SGE |
		     1U << KVERBS_A_WR_FLAGS;

	for (__u32 attr = 0; attr < ATTRS; attr++)
		if (attr_names[attr] && has(list, attr_names[attr]))
			bits |= 1U << attr;
	return bits;
}

static void refuses_what_others_post(void **state)
{
	struct kv_refusal why;

	assert_int_equal(sizeof(statement) / sizeof(statement[0]), __KVERBS_OP_LAST);
	for (__u32 op = 0; op < __KVERBS_OP_LAST; op++) {
		const struct statement *s = &statement[op];

		if (!s->unposted) {
			assert_int_equal(kv_request_check_attrs(op, bits_of(s->needs), &why), 0);
			continue;
		}
		assert_int_equal(kv_request_check_attrs(op, bits_of(""), &why), -EINVAL);
		assert_int_equal(why.attr, KVERBS_A_WR_OP);
		assert_non_null(strstr(why.text, s->name));
		assert_non_null(strstr(why.text, s->unposted));
	}
}

/* The address of a datagram has three parts, which are there together or not at all. */
static __u32 complete(__u32 given, __u32 attr)
{
	const __u32 datagram = 1U << KVERBS_A_WR_AH | 1U << KVERBS_A_WR_REMOTE_QPN |
			       1U << KVERBS_A_WR_REMOTE_QKEY;

	return given | (datagram & 1U << attr ? datagram : 1U << attr);
}

static void check_attr(__u32 op, __u32 attr)
{
	const struct statement *s = &statement[op];
	__u32 given = bits_of(s->needs);
	struct kv_refusal why;

	if (has(s->needs, attr_names[attr])) {
		assert_int_equal(kv_request_check_attrs(op, given & ~(1U << attr), &why), -EINVAL);
		assert_int_equal(why.attr, attr);
		assert_true(why.missing);
	} else if (has(s->takes, attr_names[attr])) {
		assert_int_equal(kv_request_check_attrs(op, complete(given, attr), &why), 0);
	} else {
		assert_int_equal(kv_request_check_attrs(op, given | 1U << attr, &why), -EINVAL);
		assert_int_equal(why.attr, attr);
		assert_false(why.missing);
		assert_non_null(strstr(why.text, "only"));
	}
}

static void each_takes_its_attributes_and_no_other(void **state)
{
	for (__u32 op = 0; op < __KVERBS_OP_LAST; op++)
		for (__u32 attr = 0; attr < ATTRS && !statement[op].unposted; attr++)
			if (attr_names[attr])
				check_attr(op, attr);
}

static struct kv_request_facts facts_of(__u32 op, __u32 type)
{
	const struct kv_request_facts facts = {
		.op = op,
		.type = type,
		.has_ah = type == KVERBS_QPT_UD,
		.same_pd = true,
		.sges = 1,
		.bytes = 8,
		.atomic = true,
		.mem_mgt = true,
		.iwarp = op == KVERBS_OP_READ_WITH_INV,
		.max_sge = 1,
		.max_inline = 8,
	};

	return facts;
}

static void says_what_is_missing(void **state)
{
	struct kv_refusal why;

	assert_int_equal(kv_request_check_attrs(0, 1U << KVERBS_A_WR_WR_ID, &why), -EINVAL);
	assert_int_equal(why.attr, KVERBS_A_WR_OP);
	assert_true(why.missing);
}

#define HAS(attr) (1U << KVERBS_A_POST_##attr)

static void a_list_goes_to_one_queue(void **state)
{
	static const struct {
		__u32 given;
		__u32 n;
		__u32 attr; /* to blame; 0: it is good */
		bool missing;
	} list[] = {
		{ HAS(QP) | HAS(WR), 1, 0, false },
		{ HAS(SRQ) | HAS(WR), 1, 0, false },
		{ HAS(QP) | HAS(WR), KVERBS_WR_LIST_MAX, 0, false },
		{ HAS(WR), 1, KVERBS_A_POST_QP, true },
		{ HAS(QP) | HAS(SRQ) | HAS(WR), 1, KVERBS_A_POST_SRQ, false },
		{ HAS(QP), 0, KVERBS_A_POST_WR, true },
		{ HAS(SRQ), 0, KVERBS_A_POST_WR, true },
		{ HAS(QP) | HAS(WR), KVERBS_WR_LIST_MAX + 1, KVERBS_A_POST_WR, false },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct kv_refusal why = { .attr = 0 };

		assert_int_equal(kv_request_check_list(list[i].given, list[i].n, &why),
				 list[i].attr ? -EINVAL : 0);
		assert_int_equal(why.attr, list[i].attr);
		assert_int_equal(why.missing, list[i].missing);
	}
}

static void receives_stand_in_lists_of_their_own(void **state)
{
	struct kv_refusal why;

	for (__u32 op = 0; op < __KVERBS_OP_LAST; op++) {
		int as_send = op == KVERBS_OP_RECV ? -EINVAL : 0;
		int as_recv = op == KVERBS_OP_RECV ? 0 : -EINVAL;

		assert_int_equal(kv_request_check_queue(op, KVERBS_OP_WRITE, false, &why), as_send);
		assert_int_equal(kv_request_check_queue(op, KVERBS_OP_RECV, false, &why), as_recv);
		assert_int_equal(kv_request_check_queue(op, op, true, &why), as_recv);
		assert_int_equal(kv_request_check_queue(op, op, false, &why), 0);
	}
}

static void all_of_a_list_needs_room(void **state)
{
	struct kv_request_queue q = { .op = KVERBS_OP_SEND, .n = 5, .room = 5, .cq_room = 5 };
	struct kv_refusal why;

	assert_int_equal(kv_request_check_room(&q, &why), 0);
	q.room = 4;
	assert_int_equal(kv_request_check_room(&q, &why), -EBUSY);
	assert_non_null(strstr(why.text, "no room for the whole list"));
	q.room = 0;
	assert_int_equal(kv_request_check_room(&q, &why), -EBUSY);
	assert_non_null(strstr(why.text, "the send queue is full"));
	q.room = 5;
	q.cq_room = 4;
	assert_int_equal(kv_request_check_room(&q, &why), -EBUSY);
	assert_non_null(strstr(why.text, "the cq could overflow"));
}

static void each_takes_its_flags_and_no_other(void **state)
{
	struct kv_refusal why;

	for (__u32 op = 0; op < __KVERBS_OP_LAST; op++)
		for (__u32 flag = 0; 1U << flag & KVERBS_WR__ALL; flag++) {
			struct kv_request_facts facts = facts_of(op, KVERBS_QPT_RC);
			int refused = facts.iwarp && 1U << flag == KVERBS_WR_FENCE ? -EOPNOTSUPP :
				      -EINVAL;

			if (statement[op].unposted)
				continue;
			facts.flags = 1U << flag;
			assert_int_equal(kv_request_check(&facts, &why),
					 has(statement[op].flags, flag_names[flag]) ? 0 : refused);
		}
}

static void each_goes_to_the_qps_of_its_types(void **state)
{
	struct kv_refusal why;

	for (__u32 op = 0; op < __KVERBS_OP_LAST; op++)
		for (__u32 type = KVERBS_QPT_RC; type <= KVERBS_QPT_UD; type++) {
			const struct kv_request_facts facts = facts_of(op, type);

			if (!statement[op].unposted)
				assert_int_equal(kv_request_check(&facts, &why),
						 has(statement[op].types, type_names[type]) ?
						 0 : -EINVAL);
		}
}

static void iwarp_takes_no_immediate_data_and_no_atomics(void **state)
{
	struct kv_refusal why;

	for (__u32 op = 0; op < __KVERBS_OP_LAST; op++) {
		struct kv_request_facts facts = facts_of(op, KVERBS_QPT_RC);
		bool refused = has(statement[op].needs ?: "", "imm") ||
			       kv_op_among(op, KV_OPS_ATOMIC);

		facts.iwarp = true;
		facts.atomic = false;
		if (!statement[op].unposted)
			assert_int_equal(kv_request_check(&facts, &why), refused ? -EOPNOTSUPP : 0);
	}
}

static void invalidations_need_a_device_that_has_them(void **state)
{
	struct kv_request_facts send = facts_of(KVERBS_OP_SEND_WITH_INV, KVERBS_QPT_RC);
	struct kv_request_facts read = facts_of(KVERBS_OP_READ_WITH_INV, KVERBS_QPT_RC);
	struct kv_refusal why;

	send.mem_mgt = false;
	assert_int_equal(kv_request_check(&send, &why), -EOPNOTSUPP);
	assert_non_null(strstr(why.text, "memory management extensions"));
	read.iwarp = false;
	assert_int_equal(kv_request_check(&read, &why), -EOPNOTSUPP);
	assert_non_null(strstr(why.text, "only iWARP has read_with_inv"));
}

static void each_fits_its_loops_and_no_other(void **state)
{
	for (__u32 op = 0; op < __KVERBS_OP_LAST; op++)
		for (__u32 loop = 0; loop < __KVERBS_LOOP_LAST; loop++)
			assert_int_equal(kv_op_fits_loop(op, loop),
					 has(statement[op].loops, loop_names[loop]));
}

static void each_completes_as_what_it_is(void **state)
{
	for (__u32 op = 0; op < __KVERBS_OP_LAST; op++)
		assert_int_equal(kv_op_completion(op), statement[op].completion);
}

static void an_sge_has_less_than_4_gib(void **state)
{
	struct kv_refusal why = { 0 };

	assert_int_equal(kv_request_check_rest(UINT32_MAX, &why), 0);
	assert_int_equal(kv_request_check_rest(1ULL << 32, &why), -EINVAL);
	assert_non_null(strstr(why.text, "length is missing in an sge: an sge has less than 4 GiB"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_others_post),
		cmocka_unit_test(each_takes_its_attributes_and_no_other),
		cmocka_unit_test(says_what_is_missing),
		cmocka_unit_test(a_list_goes_to_one_queue),
		cmocka_unit_test(receives_stand_in_lists_of_their_own),
		cmocka_unit_test(all_of_a_list_needs_room),
		cmocka_unit_test(each_takes_its_flags_and_no_other),
		cmocka_unit_test(each_goes_to_the_qps_of_its_types),
		cmocka_unit_test(iwarp_takes_no_immediate_data_and_no_atomics),
		cmocka_unit_test(invalidations_need_a_device_that_has_them),
		cmocka_unit_test(each_fits_its_loops_and_no_other),
		cmocka_unit_test(each_completes_as_what_it_is),
		cmocka_unit_test(an_sge_has_less_than_4_gib),
	};

	return cmocka_run_group_tests_name("request", tests, NULL, NULL);
}
