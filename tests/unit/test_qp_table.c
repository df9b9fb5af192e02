// SPDX-License-Identifier: MIT
/*
 * The transitions of a QP, held against a second statement of them that was
 * written apart (IBTA table 96), and what is said of each that does not exist.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>
#include "rules/qp_table.h"

#define STATES 7
#define TYPES 3

static const char *const type_names[TYPES] = { "RC", "UC", "UD" };
static const char *const state_names[STATES] = {
	"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR",
};

/* By bit; "" where there is no attribute. */
static const char *const attr_names[32] = {
	"state", "cur_state", "sqd_async_notify", "access", "pkey_index", "port",
	"qkey", "dgid", "path_mtu", "timeout", "retry_cnt", "rnr_retry", "rq_psn",
	"max_rd_atomic", "alternate", "min_rnr_timer", "sq_psn",
	"max_dest_rd_atomic", "path_mig_state", "", "dest_qpn",
	"", "", "", "", "", "", "", "", "", "", "",
};

static const struct {
	const char *types, *from, *to, *needs, *takes;
} statement[] = {
	{ "RC UC UD", "RESET INIT RTR RTS SQD SQE ERR", "RESET", "", "" },
	{ "RC UC UD", "INIT RTR RTS SQD SQE ERR", "ERR", "", "" },
	{ "RC UC", "RESET", "INIT", "pkey_index port access", "" },
	{ "UD", "RESET", "INIT", "pkey_index port qkey", "" },
	{ "RC UC", "INIT", "INIT", "", "pkey_index port access" },
	{ "UD", "INIT", "INIT", "", "pkey_index port qkey" },
	{ "RC", "INIT", "RTR",
	  "dgid path_mtu dest_qpn rq_psn max_dest_rd_atomic min_rnr_timer",
	  "alternate access pkey_index" },
	{ "UC", "INIT", "RTR", "dgid path_mtu dest_qpn rq_psn",
	  "alternate access pkey_index" },
	{ "UD", "INIT", "RTR", "", "pkey_index qkey" },
	{ "RC", "RTR", "RTS", "sq_psn timeout retry_cnt rnr_retry max_rd_atomic",
	  "cur_state alternate access min_rnr_timer path_mig_state" },
	{ "UC", "RTR", "RTS", "sq_psn", "cur_state alternate access path_mig_state" },
	{ "UD", "RTR", "RTS", "sq_psn", "cur_state qkey" },
	{ "RC", "RTS SQD", "RTS", "",
	  "cur_state alternate access min_rnr_timer path_mig_state" },
	{ "UC", "RTS SQD", "RTS", "", "cur_state alternate access path_mig_state" },
	{ "UD", "RTS SQD", "RTS", "", "cur_state qkey" },
	{ "RC UC UD", "RTS", "SQD", "", "sqd_async_notify" },
	{ "RC", "SQD", "SQD", "",
	  "port dgid timeout retry_cnt rnr_retry max_rd_atomic max_dest_rd_atomic "
	  "alternate access pkey_index min_rnr_timer path_mig_state" },
	{ "UC", "SQD", "SQD", "", "dgid alternate access pkey_index path_mig_state" },
	{ "UD", "SQD", "SQD", "", "pkey_index qkey" },
	{ "RC", "SQE", "RTS", "", "" },
	{ "UC", "SQE", "RTS", "", "cur_state access" },
	{ "UD", "SQE", "RTS", "", "cur_state qkey" },
};

struct step {
	int exists;
	uint32_t needs, takes;
};

static struct step steps[TYPES][STATES][STATES];

/* Is @word one of the words of @list? */
static int lists(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *at = list;

	while (len && (at = strstr(at, word))) {
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return 1;
		at += len;
	}
	return 0;
}

static uint32_t bits(const char *list)
{
	uint32_t mask = 0;
	int bit;

	for (bit = 0; bit < 32; bit++)
		if (lists(list, attr_names[bit]))
			mask |= 1U << bit;
	return mask;
}

static void read_line(unsigned int i, int type, int from, int to)
{
	struct step *step = &steps[type][from][to];

	if (!lists(statement[i].types, type_names[type]) ||
	    !lists(statement[i].from, state_names[from]) ||
	    !lists(statement[i].to, state_names[to]))
		return;
	assert_false(step->exists);
	step->exists = 1;
	step->needs = bits(statement[i].needs);
	step->takes = bits(statement[i].takes);
}

typedef void (*step_fn)(int type, int from, int to, const struct step *step);

static void each(step_fn fn)
{
	int type, from, to;

	for (type = 0; type < TYPES; type++)
		for (from = 0; from < STATES; from++)
			for (to = 0; to < STATES; to++)
				fn(type, from, to, &steps[type][from][to]);
}

static int setup(void **state)
{
	unsigned int i;
	int type, from, to;

	for (i = 0; i < sizeof(statement) / sizeof(statement[0]); i++)
		for (type = 0; type < TYPES; type++)
			for (from = 0; from < STATES; from++)
				for (to = 0; to < STATES; to++)
					read_line(i, type, from, to);
	return 0;
}

static void taken(int type, int from, int to, uint32_t mask)
{
	struct kv_refusal wrong = { 0 };

	if (kv_qp_table_check((uint32_t)type, (uint32_t)from, (uint32_t)to, mask, &wrong))
		fail_msg("%s from %s to %s with %#x: %s", type_names[type],
			 state_names[from], state_names[to], mask, wrong.text);
}

/* Refused because of @bit, in a text that says @part and @more. */
static void refused(int type, int from, int to, uint32_t mask, uint32_t bit,
		    const char *part, const char *more)
{
	struct kv_refusal wrong = { .attr = ~0U, .text = "" };
	int ret;

	ret = kv_qp_table_check((uint32_t)type, (uint32_t)from, (uint32_t)to, mask, &wrong);
	if (ret != -EINVAL || wrong.attr != bit || !strstr(wrong.text, part) ||
	    !strstr(wrong.text, more))
		fail_msg("%s from %s to %s with %#x: got %d, %#x \"%s\", want %#x \"%s\" \"%s\"",
			 type_names[type], state_names[from], state_names[to], mask,
			 ret, wrong.attr, wrong.text, bit, part, more);
}

static void step_is_taken(int type, int from, int to, const struct step *step)
{
	uint32_t bit;

	if (!step->exists)
		return;
	taken(type, from, to, step->needs);
	taken(type, from, to, step->needs | step->takes | KV_QPA_STATE);
	for (bit = 1; bit; bit <<= 1)
		if (step->takes & bit)
			taken(type, from, to, step->needs | bit);
}

static void test_taken(void **state)
{
	each(step_is_taken);
}

static void says_what_is_missing(int type, int from, int to, const struct step *step)
{
	char text[64];
	int i;

	for (i = 0; i < 32; i++) {
		uint32_t bit = 1U << i;

		if (!(step->needs & bit))
			continue;
		snprintf(text, sizeof(text), "%s is missing: %s needs it",
			 attr_names[i], state_names[to]);
		refused(type, from, to, step->needs & ~bit, bit, text, "");
		refused(type, from, to, (step->needs | step->takes) & ~bit, bit, text, "");
		/* Of several missing ones the lowest is named, then those of no use. */
		refused(type, from, to, (step->needs & (bit - 1)) | KV_QPA_CUR_STATE,
			bit, text, "");
	}
}

static void test_missing(void **state)
{
	each(says_what_is_missing);
}

static int type_has(int type, uint32_t bit)
{
	uint32_t all = 0;
	int from, to;

	for (from = 0; from < STATES; from++)
		for (to = 0; to < STATES; to++)
			all |= steps[type][from][to].needs | steps[type][from][to].takes;
	return !!(all & bit);
}

static void says_what_is_too_much(int type, int from, int to, const struct step *step)
{
	char text[64];
	int i;

	if (!step->exists)
		return;
	for (i = 1; i < 32; i++) {
		uint32_t bit = 1U << i;
		const char *name = strcmp(attr_names[i], "dgid") ? attr_names[i] :
				   "an address (dgid, dlid";

		if ((step->needs | step->takes) & bit)
			continue;
		if (!*name)
			snprintf(text, sizeof(text), "no such attribute of a qp");
		else if (type_has(type, bit))
			snprintf(text, sizeof(text), ": %s does not take it", state_names[to]);
		else
			snprintf(text, sizeof(text), ": a qp of type %s has none", type_names[type]);
		refused(type, from, to, step->needs | bit, bit, name, text);
		refused(type, from, to, step->needs | step->takes | bit, bit, name, text);
		if (*name)
			refused(type, from, to, step->needs | bit, bit, name,
				" is of no use here: ");
	}
}

static void test_too_much(void **state)
{
	each(says_what_is_too_much);
}

/* The text names the states that can be reached, and no other. */
static void names_the_next(int type, int from, int to)
{
	struct kv_refusal wrong;
	const char *next;
	int i;

	kv_qp_table_check((uint32_t)type, (uint32_t)from, (uint32_t)to, 0, &wrong);
	next = strstr(wrong.text, ": its next state is ");
	assert_non_null(next);
	for (i = 0; i < STATES; i++)
		if (i != from && !!strstr(next, state_names[i]) != steps[type][from][i].exists)
			fail_msg("'%s' is wrong about %s", wrong.text, state_names[i]);
}

static void says_what_does_not_follow(int type, int from, int to, const struct step *step)
{
	char text[64];

	if (step->exists)
		return;
	if (to == KVERBS_QPS_SQE) {
		refused(type, from, to, 0, 0, "no qp is brought to SQE", "");
		return;
	}
	snprintf(text, sizeof(text), "the qp is in %s: ", state_names[from]);
	refused(type, from, to, 0, 0, text, "");
	refused(type, from, to, ~0U, 0, text, "");
	names_the_next(type, from, to);
}

static void test_states(void **state)
{
	each(says_what_does_not_follow);
}

static void test_no_such(void **state)
{
	static const uint32_t bad[][3] = {
		{ TYPES, 0, 1 }, { 0, STATES, 0 }, { 0, 0, STATES },
		{ ~0U, 0, 1 }, { 0, ~0U, 0 }, { 0, 0, ~0U },
	};
	struct kv_refusal wrong;
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		wrong.attr = ~0U;
		assert_int_equal(kv_qp_table_check(bad[i][0], bad[i][1], bad[i][2], 0,
						   &wrong), -EINVAL);
		assert_int_equal(wrong.attr, 0);
		assert_string_equal(wrong.text, "no such type or state of a qp");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_no_such),
	};

	return cmocka_run_group_tests_name("qp_table", tests, setup, NULL);
}
