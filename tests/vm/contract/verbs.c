// SPDX-License-Identifier: MIT
/*
 * Every verb that a command calls fails once, the 1st time, the 2nd, ... Needs the
 * module of tests/vm/fail. What ends an object is not tried: to its callers in the
 * kernel it does not fail.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fail.h"
#include "fault.h"

/* A run polls without end. */
#define NTH_MAX 12

static void arm(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	fail_verb_set("nth", text);
}

static bool disarm(void)
{
	FILE *f = fopen(FAIL_VERB "nth", "r");
	char text[32] = "";

	if (!f || !fgets(text, sizeof(text), f))
		bail_out(FAIL_VERB "nth can't be read");
	fclose(f);
	fail_verb_set("nth", "0");
	return !strtoul(text, NULL, 10);
}

/* Where it can only mean that a value is wrong, it is said so. */
static bool is_io_error(int error)
{
	return error == -EIO || error == -EINVAL;
}

/* What rxe calls otherwise. */
static const char *of_siw(const char *name)
{
	static const struct {
		const char *rxe;
		const char *siw;
	} names[] = {
		{ "rxe_poll_cq", "siw_poll_cq" },
		{ "rxe_req_notify_cq", "siw_req_notify_cq" },
		{ "rxe_post_send", "siw_post_send" },
		{ "rxe_post_recv", "siw_post_receive" },
		{ "rxe_post_srq_recv", "siw_post_srq_recv" },
	};
	unsigned int i;

	for (i = 0; i < COUNT(names); i++)
		if (!strcmp(names[i].rxe, name))
			return names[i].siw;
	return name;
}

static void try_verb(struct scene *s, const struct step *step, const char *name)
{
	struct fault fault = {
		.what = name,
		.is_its = is_io_error,
		/* siw may have taken it in before. */
		.keeps = is_iwarp() && !strncmp(name, "rxe_post_", 9),
		.most = NTH_MAX,
		.arm = arm,
		.disarm = disarm,
	};
	struct fault_tally t;

	fail_verb_set("verb", is_iwarp() ? of_siw(name) : name);
	t = fault_try(s, step, &fault);
	fail_verb_set("verb", "\n");
	result(t.good && t.hits, "%s: %s fails, %u times, %u of them a failure", step->name,
	       name, t.hits, t.failures);
}

void test_verbs(void)
{
	const struct step *step;
	char names[256], *name;
	struct scene s;

	if (!fail_verb_loaded()) {
		missing("each verb of each command fails", FAIL_VERB_MISSING);
		return;
	}
	fail_verb_set("error", "-5");
	scene_make(&s);
	for (step = steps; step->name; step++) {
		if (step->not_iwarp && lacks(step->name, "such thing"))
			continue;
		snprintf(names, sizeof(names), "%s", step->verbs ? step->verbs : "");
		for (name = strtok(names, " "); name; name = strtok(NULL, " ")) {
			/* It has no P_Keys either. */
			if (!is_iwarp() || strcmp(name, "ib_get_cached_pkey"))
				try_verb(&s, step, name);
		}
	}
	scene_end(&s);
}
