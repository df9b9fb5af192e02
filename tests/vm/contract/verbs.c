// SPDX-License-Identifier: MIT
/*
 * Every verb that a command calls fails once, the 1st time, the 2nd, ... Needs the
 * module of tests/vm/fail. Verbs that end an object are not tried: to their callers in the
 * kernel they do not fail.
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

/* Verbs that rxe has under another name. */
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

/* The verb that a refusal names has failed then; a check before the verb does not count. */
static int stage_of(const struct step *step, const char *name)
{
	static const struct {
		const char *name;
		enum kverbs_stage stage;
	} stages[] = {
		{ "ib_get_cached_pkey", KVERBS_STAGE_UNSPEC },
		{ "__ib_alloc_pd", KVERBS_STAGE_CREATE },
		{ "__ib_create_cq", KVERBS_STAGE_CREATE },
		{ "__ib_alloc_cq", KVERBS_STAGE_CREATE },
		{ "ib_alloc_mr", KVERBS_STAGE_CREATE },
		{ "ib_create_srq_user", KVERBS_STAGE_CREATE },
		{ "rdma_create_user_ah", KVERBS_STAGE_CREATE },
		{ "ib_create_qp_kernel", KVERBS_STAGE_CREATE },
		{ "__rdma_create_kernel_id", KVERBS_STAGE_CREATE },
		{ "ib_query_qp", KVERBS_STAGE_QUERY },
		{ "ib_query_srq", KVERBS_STAGE_QUERY },
		{ "rdma_init_qp_attr", KVERBS_STAGE_QUERY },
		{ "ib_modify_srq", KVERBS_STAGE_MODIFY },
		{ "ib_modify_qp", KVERBS_STAGE_MODIFY },
		{ "ib_map_mr_sg", KVERBS_STAGE_MAP },
		{ "rxe_post_send", KVERBS_STAGE_POST },
		{ "rxe_post_recv", KVERBS_STAGE_POST },
		{ "rxe_post_srq_recv", KVERBS_STAGE_POST },
		{ "rxe_poll_cq", KVERBS_STAGE_COMPLETION },
		{ "rxe_req_notify_cq", KVERBS_STAGE_ARM },
		{ "rdma_bind_addr", KVERBS_STAGE_BIND },
		{ "rdma_listen", KVERBS_STAGE_CM },
		{ "rdma_resolve_addr", KVERBS_STAGE_CM },
		{ "rdma_resolve_route", KVERBS_STAGE_CM },
		{ "rdma_connect", KVERBS_STAGE_CM },
		{ "rdma_accept", KVERBS_STAGE_CM },
		{ "rdma_reject", KVERBS_STAGE_CM },
		{ "rdma_disconnect", KVERBS_STAGE_CM },
	};
	unsigned int i;

	/* A failure behind the command is not reported. */
	if (step->later)
		return KVERBS_STAGE_UNSPEC;
	/* The module's check, and a part of the verb. */
	if (!strcmp(name, "rdma_get_gid_attr"))
		return -1;
	for (i = 0; i < COUNT(stages); i++)
		if (!strcmp(stages[i].name, name))
			return step->resolves && stages[i].stage == KVERBS_STAGE_CREATE ?
			       KVERBS_STAGE_RESOLVE : stages[i].stage;
	bail_out("of %s nobody knows the stage", name);
}

static void try_verb(struct scene *s, const struct step *step, const char *name)
{
	struct fault fault = {
		.what = name,
		.is_its = is_io_error,
		.stage = stage_of(step, name),
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

/* Is a device whose only port could not be queried told with all else? */
static bool tells_error(const struct kv_dev *got)
{
	const struct kv_port *port = &got->port[0];

	return got->ports == 1 && got->listed == 1 && got->max_qp && port->number == 1 &&
	       port->error == EIO && !port->state && !port->gids;
}

static int on_dev(const struct kv_dev *got, void *arg)
{
	*(unsigned int *)arg += tells_error(got);
	return 0;
}

/* Querying a port fails: that is no failure of the command. */
static void test_ports(struct link *l)
{
	unsigned int n = 0;
	struct kv_dev got;

	fail_verb_set("verb", "ib_query_port");
	arm(1);
	done(l, call_dev_get(&l->nl, dev, &got), "a device is shown whose port can't be queried");
	result(disarm() && tells_error(&got), "and the error stands in the port's place");
	arm(1);
	done(l, kv_nl_dev_each(&l->nl.base, on_dev, &n), "so it is listed");
	result(disarm() && n == 1, "with the error in its place, too");
	fail_verb_set("verb", "\n");
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
	test_ports(&s.l);
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
