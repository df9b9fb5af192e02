// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "contract.h"

const char *dev;
struct kv_dev caps;

/* Prints what the module holds; 0 if that is nothing. */
static int balance(struct link *l)
{
	struct kv_info info;

	must(l, call_info_get(&l->nl, &info), "info");
	note("%llu objects created, %llu destroyed, %llu bytes in buffers",
	     (unsigned long long)info.created,
	     (unsigned long long)info.destroyed,
	     (unsigned long long)info.buffer_bytes);
	return info.created != info.destroyed || info.buffer_bytes;
}

static const struct {
	const char *name;
	void (*test)(void);
} tests[] = {
	{ "message", test_message },
	{ "pd", test_pd },
	{ "cq", test_cq },
	{ "buf", test_buf },
	{ "mr", test_mr },
	{ "stage", test_stage },
	{ "registration", test_registration },
	{ "invalidate", test_invalidate },
	{ "srq", test_srq },
	{ "ah", test_ah },
	{ "qp", test_qp },
	{ "modify", test_modify },
	{ "multicast", test_multicast },
	{ "post", test_post },
	{ "post list", test_post_list },
	{ "refused post", test_refuse_post },
	{ "hold", test_hold },
	{ "poll", test_poll },
	{ "run", test_run },
	{ "inv_run", test_inv_run },
	{ "handler", test_handler },
	{ "workers", test_workers },
	{ "one_cq", test_one_cq },
	{ "credit", test_credit },
	{ "run_flags", test_run_flags },
	{ "paced", test_paced },
	{ "peer", test_peer },
	{ "stuck", test_stuck },
	{ "streams", test_streams },
	{ "srq run", test_srq_run },
	{ "look", test_look },
	{ "access", test_access },
	{ "hostile", test_hostile },
	{ "privilege", test_privilege },
	{ "namespace", test_namespace },
	{ "exclusive", test_exclusive },
	{ "stale", test_stale },
	{ "quota", test_quota },
	{ "event", test_event },
	{ "owner", test_owner },
	{ "port", test_port },
	{ "conn", test_conn },
	{ "refused conn", test_refuse_conn },
	{ "conn end", test_conn_end },
	{ "rdma", test_rdma },
	{ "list", test_list },
	{ "cap", test_cap },
	{ "memory", test_memory },
	{ "verbs", test_verbs },
	{ "hang", test_hang },
	{ "cost", test_cost },
	{ "hoard", test_hoard },
	{ "iwarp", test_iwarp },
	{ "infiniband", test_infiniband },
};

/* Only if it is named: it needs a guest, or a device, that is set up for it. */
static bool is_special(unsigned int test)
{
	static void (*const special[])(void) = {
		test_exclusive, test_cost, test_hoard, test_infiniband,
	};
	unsigned int i;

	for (i = 0; i < COUNT(special); i++)
		if (tests[test].test == special[i])
			return true;
	return false;
}

/* Parts that are about nothing else. */
static bool has_none(unsigned int test)
{
	static const struct {
		void (*test)(void);
		const char *what;
	} none[] = {
		{ test_ah, "address handles" },
		{ test_modify, "raw connection" },
		{ test_multicast, "UD" },
		{ test_stuck, "peer that never answers" },
		{ test_streams, "qp that is its own peer" },
	};
	unsigned int i;

	for (i = 0; i < COUNT(none); i++)
		if (tests[test].test == none[i].test)
			return lacks("all of it", none[i].what);
	return false;
}

static bool chosen(unsigned int test, int argc, char **argv)
{
	int i;

	for (i = 2; i < argc; i++)
		if (!strcmp(tests[test].name, argv[i]))
			return true;
	return argc <= 2 && !is_special(test);
}

/*
 * contract [DEV [NAME…]] tests the contract, or these parts of it;
 * contract --balance: is anything left?
 */
int main(int argc, char **argv)
{
	struct link link;
	unsigned int i;

	if (argc > 1 && !strcmp(argv[1], "--balance")) {
		link_open(&link);
		return balance(&link);
	}
	dev = argc > 1 ? argv[1] : "rxe0";
	setvbuf(stdout, NULL, _IOLBF, 0);
	section("device");
	link_open(&link);
	must(&link, call_dev_get(&link.nl, dev, &caps), "the device");
	kv_nl_close(&link.nl);

	for (i = 0; i < COUNT(tests); i++) {
		if (!chosen(i, argc, argv))
			continue;
		section(tests[i].name);
		if (!has_none(i))
			tests[i].test();
	}
	return !all_passed();
}
