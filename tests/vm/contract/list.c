// SPDX-License-Identifier: MIT
/* Lists: the kernel's own, and ours while objects come and go. */
#include <errno.h>
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contract.h"

/* Objects of the module's that rdma(8) lists. */
static unsigned int listed(const char *what)
{
	char command[80], *line = NULL;
	unsigned int n = 0;
	size_t size = 0;
	FILE *out;

	snprintf(command, sizeof(command), "rdma resource show %s", what);
	out = popen(command, "r");
	if (!out)
		bail_out("%s: %s", command, strerror(errno));
	while (getline(&line, &size, out) > 0)
		n += strstr(line, "[kverbs]") != NULL;
	free(line);
	if (pclose(out))
		bail_out("%s failed", command);
	return n;
}

void test_rdma(void)
{
	static const struct {
		const char *name;
		enum kv_type noun;
		unsigned int made;
	} types[] = {
		{ "pd", KV_PD, 4 },
		{ "cq", KV_CQ, 6 },
		{ "mr", KV_MR, 6 },
		{ "qp", KV_QP, 3 },
		{ "srq", KV_SRQ, 2 },
	};
	const struct end_init init = { .type = KVERBS_QPT_RC };
	unsigned int before[COUNT(types)], i;
	struct end e[3];
	struct link l;
	uint32_t pd;

	link_open(&l);
	for (i = 0; i < COUNT(types); i++)
		before[i] = listed(types[i].name);
	for (i = 0; i < COUNT(e); i++)
		end_make(&l, &e[i], &init);
	pd = make_pd(&l);
	make_srq(&l, pd, 4);
	make_srq(&l, pd, 4);
	for (i = 0; i < COUNT(types); i++) {
		unsigned int ours = count_listed(&l, types[i].noun);
		unsigned int theirs = listed(types[i].name) - before[i];

		result(ours == types[i].made && theirs == ours,
		       "%s: %u made, %u in our list, %u in that of rdma", types[i].name,
		       types[i].made, ours, theirs);
	}
	link_close(&l);
	for (i = 0; i < COUNT(types); i++)
		result(listed(types[i].name) == before[i], "%s: as many as before",
		       types[i].name);
}

/* Something comes while a list is being read: the list says so. */
static void test_interrupted(struct link *l)
{
	int i, n, interrupted = 0, finished = 0;
	struct sockaddr_nl from;
	struct nl_msg *msg;
	struct link other;
	unsigned char *buf;
	uint32_t id = 0;

	link_open(&other);
	for (i = 0; i < 2000; i++)
		make_pd(&other);
	msg = kv_nl_msg(&other.nl, KVERBS_CMD_PD_GET, NLM_F_DUMP);
	must(&other, nl_send_auto(other.nl.sock, msg) < 0, "ask for a list");
	nlmsg_free(msg);
	while (!finished && (n = nl_recv(other.nl.sock, &from, &buf, NULL)) > 0) {
		struct nlmsghdr *hdr = (struct nlmsghdr *)buf;

		/* The list has begun. */
		if (!id)
			id = make_pd(l);
		for (; nlmsg_ok(hdr, n); hdr = nlmsg_next(hdr, &n)) {
			interrupted |= hdr->nlmsg_flags & NLM_F_DUMP_INTR;
			finished |= hdr->nlmsg_type == NLMSG_DONE;
		}
		free(buf);
	}
	result(finished && interrupted, "a list during which something came says so");
	kv_nl_close(&other.nl);
	done(l, call_del(&l->nl, KV_PD, id, NULL), "what came goes");
}

struct walk {
	struct link *other;
	unsigned int seen;
	uint32_t last;
	bool ascending;
	bool make;
	unsigned int stop;
};

static int on_walk(const union kv_object *object, void *arg)
{
	struct walk *walk = arg;

	walk->ascending = walk->ascending && object->id > walk->last;
	walk->last = object->id;
	walk->seen++;
	if (walk->make && walk->seen == 1)
		make_pd(walk->other);
	return walk->seen == walk->stop;
}

/* The same seen through the tool's own reading of it. */
static void test_walk(struct link *l)
{
	struct walk walk = { .ascending = true, .make = true };
	struct link other;
	int i, ret;

	link_open(&other);
	walk.other = &other;
	for (i = 0; i < 2000; i++)
		make_pd(l);
	ret = kv_nl_each(&l->nl.base, KV_PD, on_walk, &walk);
	result(ret == -EINTR && strstr(l->nl.base.err, "objects came or went meanwhile: ask again"),
	       "who reads a list is told");
	result(walk.seen == 2000 && walk.ascending, "after what there was, in order");
	walk = (struct walk){ .ascending = true };
	done(l, kv_nl_each(&l->nl.base, KV_PD, on_walk, &walk), "asking again");
	result(walk.seen == 2000 && walk.ascending, "gives all of them");
	walk = (struct walk){ .ascending = true, .stop = 5 };
	ret = kv_nl_each(&l->nl.base, KV_PD, on_walk, &walk);
	result(ret == 1 && walk.seen == 5, "a list that is ended early returns what ended it");
	done(l, kv_nl_each(&l->nl.base, KV_CQ, on_walk, &walk), "and can go on asking");
	kv_nl_close(&other.nl);
}

static int on_dev(const struct kv_dev *got, void *arg)
{
	if (!strcmp(got->name, dev))
		memcpy(arg, got, sizeof(*got));
	return 0;
}

void test_list(void)
{
	static struct kv_dev listed_dev, shown;
	struct link l;

	link_open(&l);
	must(&l, kv_nl_dev_each(&l.nl.base, on_dev, &listed_dev), "list devices");
	must(&l, call_dev_get(&l.nl, dev, &shown), "show the device");
	result(!memcmp(&listed_dev, &shown, sizeof(shown)), "a device is listed as it is shown");
	result(shown.caps & KVERBS_CAP_RC && shown.ports && shown.comp_vectors &&
	       shown.node_guid && shown.max_qp && shown.max_mr_bytes, "with what it can do");
	result(shown.listed == shown.ports && shown.port[0].number == 1 && !shown.port[0].error &&
	       shown.port[0].gids && shown.port[0].active_mtu && shown.port[0].gid_table_len,
	       "and with its ports");
	test_interrupted(&l);
	test_walk(&l);
	link_close(&l);
}
