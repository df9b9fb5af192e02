// SPDX-License-Identifier: MIT
/*
 * Holds the module against its contract: each refusal with its errno and its
 * text, and nothing changed by it. Runs in the guest, as root, prints TAP.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include "nl/msg.h"

#define LENGTH 8192

static unsigned int tests, failures;

struct link {
	struct kv_nl nl;
	char err[512];
};

/* One end of a connection, and what it is made of. */
struct end {
	uint32_t pd, send_cq, recv_cq, qp, qpn, local, target;
	struct kv_mr_key key; /* of the target */
};

static const char *dev;
static struct kv_dev caps;

static void result(int ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++tests, name);
	failures += !ok;
}

/* A refusal: its errno, and a piece of its text. */
static void refused(struct link *l, int ret, int error, const char *text,
		    const char *name)
{
	int ok = ret == error && strstr(l->err, text);

	result(ok, name);
	if (!ok)
		printf("#   got %d \"%s\"\n#   want %d \"%s\"\n", ret,
		       ret ? l->err : "", error, text);
}

static void done(struct link *l, int ret, const char *name)
{
	result(!ret, name);
	if (ret)
		printf("#   %d \"%s\"\n", ret, l->err);
}

/* What the other tests need: without it they would say nothing. */
static void must(struct link *l, int ret, const char *what)
{
	if (!ret)
		return;
	printf("Bail out! %s: %d \"%s\"\n", what, ret, l->err);
	exit(1);
}

static void open_link(struct link *l)
{
	l->nl.err = l->err;
	l->nl.err_size = sizeof(l->err);
	must(l, kv_nl_open(&l->nl), "connect to the module");
}

/* A request of our own making; @attrs are pairs of a u32 attribute and a value. */
static int raw(struct link *l, int cmd, const char *name, int name_attr,
	       const uint32_t *attrs, unsigned int pairs)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, cmd, 0);
	unsigned int i;

	if (name)
		nla_put_string(msg, name_attr, name);
	for (i = 0; i < pairs; i++)
		nla_put_u32(msg, (int)attrs[2 * i], attrs[2 * i + 1]);
	return kv_nl_request(&l->nl, msg, "request", NULL, 0, NULL, NULL);
}

#define RAW(l, cmd, ...) raw(l, cmd, NULL, 0, (const uint32_t[]){ __VA_ARGS__ }, \
	sizeof((const uint32_t[]){ __VA_ARGS__ }) / (2 * sizeof(uint32_t)))

static void make_end(struct link *l, struct end *e)
{
	struct kv_qp_init init;

	must(l, kv_nl_pd_new(&l->nl, dev, &e->pd, NULL), "pd");
	must(l, kv_nl_cq_new(&l->nl, dev, 8, &e->send_cq, NULL), "send cq");
	must(l, kv_nl_cq_new(&l->nl, dev, 8, &e->recv_cq, NULL), "recv cq");
	must(l, kv_nl_mr_new(&l->nl, e->pd, LENGTH, &e->local, NULL), "local mr");
	must(l, kv_nl_mr_new(&l->nl, e->pd, LENGTH, &e->target, NULL), "target mr");
	init = (struct kv_qp_init){ e->pd, e->send_cq, e->recv_cq, 8, 8 };
	must(l, kv_nl_qp_new(&l->nl, &init, &e->qp, &e->qpn, NULL), "qp");
}

static struct kv_qp_attr init_attr(void)
{
	return (struct kv_qp_attr){
		.state = KVERBS_QPS_INIT,
		.access = KVERBS_ACCESS__ALL,
		.port = 1,
	};
}

static struct kv_qp_attr rtr_attr(uint32_t dest_qpn)
{
	struct kv_qp_attr attr = {
		.state = KVERBS_QPS_RTR,
		.path_mtu = 1024,
		.dest_qpn = dest_qpn,
		.rq_psn = 4711,
		.min_rnr_timer = 12,
		.max_dest_rd_atomic = 1,
	};
	unsigned int i;

	for (i = 0; i < caps.gids; i++) {
		if (caps.gid[i].type != KVERBS_GID_ROCE_V2)
			continue;
		attr.sgid_index = caps.gid[i].index;
		memcpy(attr.dgid, caps.gid[i].raw, sizeof(attr.dgid));
	}
	return attr;
}

static struct kv_qp_attr rts_attr(void)
{
	return (struct kv_qp_attr){
		.state = KVERBS_QPS_RTS,
		.sq_psn = 4711,
		.timeout = 14,
		.retry_cnt = 2,
		.rnr_retry = 2,
		.max_rd_atomic = 1,
	};
}

static void connect_end(struct link *l, struct end *e, uint32_t dest_qpn)
{
	struct kv_qp_attr init = init_attr(), rtr = rtr_attr(dest_qpn), rts = rts_attr();

	must(l, kv_nl_qp_modify(&l->nl, e->qp, &init, NULL), "INIT");
	must(l, kv_nl_qp_modify(&l->nl, e->qp, &rtr, NULL), "RTR");
	must(l, kv_nl_qp_modify(&l->nl, e->qp, &rts, NULL), "RTS");
}

static void reset_and_connect(struct link *l, struct end *e, uint32_t dest_qpn)
{
	struct kv_qp_attr reset = { .state = KVERBS_QPS_RESET };

	must(l, kv_nl_qp_modify(&l->nl, e->qp, &reset, NULL), "RESET");
	connect_end(l, e, dest_qpn);
}

static void del_end(struct link *l, struct end *e)
{
	done(l, kv_nl_qp_del(&l->nl, e->qp, NULL), "the qp goes");
	done(l, kv_nl_mr_del(&l->nl, e->local, NULL), "its local mr goes");
	done(l, kv_nl_mr_del(&l->nl, e->target, NULL), "its target mr goes");
	done(l, kv_nl_cq_del(&l->nl, e->send_cq, NULL), "its send cq goes");
	done(l, kv_nl_cq_del(&l->nl, e->recv_cq, NULL), "its recv cq goes");
	done(l, kv_nl_pd_del(&l->nl, e->pd, NULL), "its pd goes");
}

static struct kv_run_spec write_spec(const struct end *a, const struct end *b)
{
	return (struct kv_run_spec){
		.loop = KVERBS_LOOP_POST_TO_COMPLETION,
		.op = KVERBS_OP_WRITE,
		.size = 64,
		.end = {
			.qp = a->qp,
			.local_mr = a->local,
			.remote_addr = b->key.iova,
			.remote_key = b->key.rkey,
		},
		.iters = 10,
		.post = KVERBS_POST_SOFTIRQ_OFF,
		.cpu = -1,
		.spins = -1,
	};
}

static void wait_run(struct link *l, uint32_t id, struct kv_run_result *r)
{
	int i;

	for (i = 0; i < 1000; i++) {
		must(l, kv_nl_run_get(&l->nl, id, r), "look at the run");
		if (r->state == KVERBS_RUN_DONE)
			return;
		usleep(10000);
	}
	printf("Bail out! run %u did not end within 10 s\n", id);
	exit(1);
}

static struct kv_run_result run_result; /* too large for the stack */

/* Runs to the end; returns the run's error. */
static int run(struct link *l, const struct kv_run_spec *spec)
{
	uint32_t id;

	must(l, kv_nl_run_start(&l->nl, spec, &id), "start a run");
	wait_run(l, id, &run_result);
	must(l, kv_nl_run_del(&l->nl, id), "delete the run");
	return run_result.error;
}

static void test_messages(struct link *l)
{
	uint32_t id;

	refused(l, kv_nl_pd_new(&l->nl, "nosuch0", &id, NULL), -ENODEV,
		"no such RDMA device", "an unknown device");
	refused(l, raw(l, KVERBS_CMD_PD_NEW, NULL, 0, NULL, 0), -EINVAL,
		"dev is missing", "a missing attribute: pd without dev");
	refused(l, raw(l, KVERBS_CMD_CQ_NEW, dev, KVERBS_A_CQ_DEV, NULL, 0), -EINVAL,
		"cqe is missing", "a missing attribute: cq without cqe");
	refused(l, RAW(l, KVERBS_CMD_PD_NEW, 99, 1), -EINVAL,
		"Unknown attribute type", "an unknown attribute");
	refused(l, RAW(l, KVERBS_CMD_PD_NEW, KVERBS_A_PD_VERB_NS, 1), -EINVAL,
		"Unsupported attribute", "an attribute that only replies have");
	refused(l, RAW(l, KVERBS_CMD_INFO_GET, KVERBS_A_INFO_VERSION, 1), -EINVAL,
		"ttribute", "an attribute where there are none");
	refused(l, RAW(l, KVERBS_CMD_PD_DEL, KVERBS_A_PD_ID, 0), -ERANGE,
		"integer out of range", "id 0");
	refused(l, RAW(l, KVERBS_CMD_RUN_DONE, KVERBS_A_RUN_ID, 1), -EOPNOTSUPP,
		"", "an event sent as a command");
	refused(l, RAW(l, 200, 1, 1), -EOPNOTSUPP, "", "an unknown command");
	refused(l, kv_nl_pd_del(&l->nl, 2000000000, NULL), -ENOENT,
		"no pd with this id among yours", "an unknown id");
	refused(l, kv_nl_cq_new(&l->nl, dev, 2000000000, &id, NULL), -EINVAL,
		"above the device's max_cqe", "a cq that is too deep");
	refused(l, kv_nl_cq_new(&l->nl, dev, 0, &id, NULL), -ERANGE,
		"out of range", "a cq of no completions");
}

static void test_mr(struct link *l, const struct end *e)
{
	char zero[LENGTH] = "", got[LENGTH];
	struct kv_mr_key key;
	uint32_t id;

	refused(l, kv_nl_mr_new(&l->nl, e->pd, 0, &id, NULL), -ERANGE,
		"out of range", "a buffer of size 0");
	refused(l, kv_nl_mr_new(&l->nl, e->pd, caps.max_mr_bytes + 1, &id, NULL),
		-EINVAL, "max_mr_bytes", "a buffer above the device's limit");
	must(l, kv_nl_mr_read(&l->nl, e->target, 0, got, LENGTH), "read");
	result(!memcmp(zero, got, LENGTH), "a new buffer is all zeroes");
	refused(l, kv_nl_mr_read(&l->nl, e->local, LENGTH - 4, got, 8), -EINVAL,
		"beyond the end of the buffer", "reading beyond the end");
	refused(l, kv_nl_mr_read(&l->nl, e->local, ~0ULL, got, 8), -EINVAL,
		"beyond the end of the buffer", "reading far beyond the end");
	refused(l, kv_nl_mr_write(&l->nl, e->local, LENGTH - 4, got, 8), -EINVAL,
		"beyond the end of the buffer", "writing beyond the end");
	refused(l, kv_nl_mr_reg(&l->nl, e->target, e->qp, KVERBS_ACCESS_REMOTE_WRITE,
				0, 64, &key, NULL), -EINVAL,
		"need local write too", "remote write without local write");
	refused(l, kv_nl_mr_reg(&l->nl, e->target, e->qp, 1 << 7, 0, 64, &key, NULL),
		-EINVAL, "reserved bit set", "an unknown access flag");
	refused(l, kv_nl_mr_reg(&l->nl, e->target, e->qp, KVERBS_ACCESS__ALL, 8,
				LENGTH, &key, NULL), -EINVAL,
		"beyond the end of the buffer", "registering beyond the end");
	refused(l, kv_nl_mr_inv(&l->nl, e->target, e->qp, NULL), -EINVAL,
		"the mr is not registered", "invalidating what is not registered");
}

static void test_states(struct link *l, struct end *e)
{
	struct kv_qp_attr init = init_attr(), rtr = rtr_attr(e->qpn), rts = rts_attr();
	struct kv_run_spec spec = write_spec(e, e);
	struct kv_mr_key key;
	uint32_t id;

	refused(l, kv_nl_qp_modify(&l->nl, e->qp, &rts, NULL), -EINVAL,
		"the qp is in RESET: its next state is INIT", "RESET to RTS");
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
		"the qp is in RESET: bring it to INIT", "a run on a qp in RESET");
	refused(l, kv_nl_mr_reg(&l->nl, e->target, e->qp, KVERBS_ACCESS__ALL, 0, 64,
				&key, NULL), -EINVAL,
		"the qp is in RESET", "a registration by a qp in RESET");
	refused(l, RAW(l, KVERBS_CMD_QP_MODIFY, KVERBS_A_QP_ID, e->qp,
		       KVERBS_A_QP_STATE, KVERBS_QPS_INIT), -EINVAL,
		"access is missing: INIT needs it", "INIT without access");
	must(l, kv_nl_qp_modify(&l->nl, e->qp, &init, NULL), "INIT");
	refused(l, RAW(l, KVERBS_CMD_QP_MODIFY, KVERBS_A_QP_ID, e->qp,
		       KVERBS_A_QP_STATE, KVERBS_QPS_RTR,
		       KVERBS_A_QP_PATH_MTU, 1024), -EINVAL,
		"dest_qpn is missing: RTR needs it", "RTR without dest_qpn");
	rtr.path_mtu = 1000;
	refused(l, kv_nl_qp_modify(&l->nl, e->qp, &rtr, NULL), -EINVAL,
		"path_mtu must be", "a path_mtu that does not exist");
	rtr = rtr_attr(e->qpn);
	rtr.sgid_index = 200;
	refused(l, kv_nl_qp_modify(&l->nl, e->qp, &rtr, NULL), -EINVAL,
		"no GID at sgid_index", "a GID index that does not exist");
	refused(l, kv_nl_qp_modify(&l->nl, e->qp, &rts, NULL), -EINVAL,
		"the qp is in INIT: its next state is RTR", "INIT to RTS");
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
		"the qp is in INIT: bring it to RTR", "a run on a qp in INIT");
	refused(l, RAW(l, KVERBS_CMD_QP_MODIFY, KVERBS_A_QP_ID, e->qp,
		       KVERBS_A_QP_STATE, KVERBS_QPS_RTS), -EINVAL,
		"sq_psn is missing: RTS needs it", "RTS without sq_psn");
	refused(l, RAW(l, KVERBS_CMD_QP_MODIFY, KVERBS_A_QP_ID, e->qp,
		       KVERBS_A_QP_STATE, KVERBS_QPS_SQD), -EINVAL,
		"state must be", "a state that is not on the way");
	refused(l, RAW(l, KVERBS_CMD_QP_MODIFY, KVERBS_A_QP_ID, e->qp), -EINVAL,
		"state is missing", "modify without state");
	must(l, kv_nl_qp_modify(&l->nl, e->qp, &(struct kv_qp_attr){
		     .state = KVERBS_QPS_RESET }, NULL), "RESET");
}

static void test_specs(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec good = write_spec(a, b), spec;
	uint32_t id;

	spec = good;
	spec.size = 0;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -ERANGE, "out of range",
		"a run of size 0");
	spec.size = LENGTH + 1;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
		"size is larger than the mr's buffer", "a run larger than its buffer");
	spec = good;
	spec.op = KVERBS_OP_SEND;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
		"this loop can't take this op", "SEND in a one-sided loop");
	spec.op = KVERBS_OP_FETCH_ADD;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
		"size of an atomic operation is 8", "an atomic operation of 64 bytes");
	spec.size = 8;
	spec.end.remote_addr++;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
		"multiple of 8", "an atomic operation at an odd address");
	spec = good;
	spec.spins = KVERBS_SPINS_MAX + 1;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -ERANGE, "out of range",
		"more spins than a run that can be stopped");
	spec = good;
	spec.op = 77;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -ERANGE, "out of range",
		"an operation that does not exist");
	spec = good;
	spec.iters = 0;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
		"iters and time_ns are missing", "a run without an end");
	spec = good;
	spec.cpu = 5000;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
		"cpu is not online", "a run on a cpu that does not exist");
	spec = good;
	spec.timeout_ns = 1;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -ERANGE, "out of range",
		"a timeout of 1 ns");
	spec = good;
	spec.end.lkey = KVERBS_LKEY_MR;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
		"the mr is not registered", "lkey mr without a registration");
	spec = good;
	spec.end.local_mr = b->local;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
		"different pds", "an mr of another pd than the qp");
	spec = good;
	spec.loop = KVERBS_LOOP_RELAY;
	spec.end.target_mr = a->target;
	spec.peer = spec.end;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
		"a qp each", "a relay between a qp and itself");
	spec = good;
	spec.loop = KVERBS_LOOP_PING;
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
		"target_mr is missing", "a ping-pong without target");
	spec.loop = KVERBS_LOOP_NULL;
	snprintf(spec.dev, sizeof(spec.dev), "nosuch0");
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -ENODEV,
		"no such RDMA device", "a null loop on an unknown device");
}

static void test_in_use(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);
	struct kv_qp_attr err = { .state = KVERBS_QPS_ERR };
	struct kv_mr_key key;
	uint32_t id, other;

	refused(l, kv_nl_pd_del(&l->nl, a->pd, NULL), -EBUSY, "in use by",
		"deleting a pd with objects");
	refused(l, kv_nl_cq_del(&l->nl, a->send_cq, NULL), -EBUSY, "in use by a qp",
		"deleting a cq with a qp");
	spec.iters = 0;
	spec.time_ns = 60000000000ULL;
	must(l, kv_nl_run_start(&l->nl, &spec, &id), "start a long run");
	refused(l, kv_nl_run_start(&l->nl, &spec, &other), -EBUSY,
		"a run is active on the qp", "a second run on the same qp");
	refused(l, kv_nl_qp_modify(&l->nl, a->qp, &err, NULL), -EBUSY,
		"a run is active on the qp", "modifying a qp under a run");
	refused(l, kv_nl_qp_del(&l->nl, a->qp, NULL), -EBUSY, "in use by a run",
		"deleting a qp under a run");
	refused(l, kv_nl_mr_del(&l->nl, a->local, NULL), -EBUSY, "in use by a qp",
		"deleting an mr under a run");
	refused(l, kv_nl_mr_reg(&l->nl, a->target, a->qp, KVERBS_ACCESS__ALL, 0, 64,
				&key, NULL), -EBUSY,
		"a run is active on the qp", "registering by a qp under a run");
	usleep(100000);
	done(l, kv_nl_run_cancel(&l->nl, id), "cancel");
	wait_run(l, id, &run_result);
	result(run_result.error == -ECANCELED, "a cancelled run says so");
	result(run_result.samples > 0, "a cancelled run keeps its samples");
	done(l, kv_nl_run_get(&l->nl, id, &run_result), "results can be fetched again");
	done(l, kv_nl_run_del(&l->nl, id), "the run goes");
	must(l, kv_nl_run_start(&l->nl, &spec, &id), "start a long run");
	done(l, kv_nl_run_del(&l->nl, id), "an active run can be deleted");
}

/* A peer reaches exactly the bytes that were registered, with exactly the rights. */
static void test_access(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);
	char got[LENGTH], want[LENGTH];
	struct kv_mr_key key;
	unsigned int i;
	uint32_t id;

	refused(l, kv_nl_mr_reg(&l->nl, b->target, b->qp, KVERBS_ACCESS__ALL, 0,
				LENGTH, &key, NULL), -EBUSY,
		"registered already", "registering twice");
	must(l, kv_nl_mr_inv(&l->nl, b->target, b->qp, NULL), "invalidate");
	must(l, kv_nl_mr_reg(&l->nl, b->target, b->qp,
			     KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE,
			     100, 64, &key, NULL), "register 64 bytes");
	result(key.rkey != b->key.rkey, "a new registration has a new key");

	memset(got, 0xab, LENGTH);
	must(l, kv_nl_mr_write(&l->nl, a->local, 0, got, LENGTH), "fill");
	spec.end.remote_addr = key.iova;
	spec.end.remote_key = key.rkey;
	done(l, run(l, &spec), "64 bytes are written");
	must(l, kv_nl_mr_read(&l->nl, b->target, 0, got, LENGTH), "read back");
	memset(want, 0, LENGTH);
	memset(want + 100, 0xab, 64);
	result(!memcmp(got, want, LENGTH), "these 64 bytes, and no other, have changed");

	static const struct {
		const char *name;
		int64_t offset;
		uint32_t size, key, op;
	} bad[] = {
		{ "one byte before the region", -1, 64, 0, KVERBS_OP_WRITE },
		{ "one byte beyond the region", 1, 64, 0, KVERBS_OP_WRITE },
		{ "a larger size", 0, 65, 0, KVERBS_OP_WRITE },
		{ "a wrong key", 0, 64, 1, KVERBS_OP_WRITE },
		{ "READ where WRITE was granted", 0, 64, 0, KVERBS_OP_READ },
	};
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		spec.op = bad[i].op;
		spec.size = bad[i].size;
		spec.end.remote_addr = key.iova + (uint64_t)bad[i].offset;
		spec.end.remote_key = key.rkey ^ bad[i].key;
		run(l, &spec);
		/* IB_WC_REM_ACCESS_ERR */
		result(run_result.error == -EIO && run_result.wc_status == 10,
		       bad[i].name);
		refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EINVAL,
			"the qp is in ERR", "the qp is in error after that");
		reset_and_connect(l, a, b->qpn);
		reset_and_connect(l, b, a->qpn);
	}
	must(l, kv_nl_mr_read(&l->nl, b->target, 0, got, LENGTH), "read back");
	result(!memcmp(got, want, LENGTH), "none of these has changed a byte");

	must(l, kv_nl_mr_inv(&l->nl, b->target, b->qp, NULL), "invalidate");
	spec = write_spec(a, b);
	spec.end.remote_addr = key.iova;
	spec.end.remote_key = key.rkey;
	run(l, &spec);
	result(run_result.error == -EIO && run_result.wc_status == 10,
	       "a key that was invalidated");
	reset_and_connect(l, a, b->qpn);
	reset_and_connect(l, b, a->qpn);
}

static void test_deadline(struct link *l, struct end *a, struct end *b)
{
	struct kv_run_spec spec = write_spec(a, b);
	uint32_t id;

	/* Nobody answers. */
	spec.loop = KVERBS_LOOP_PING;
	spec.op = KVERBS_OP_WRITE;
	spec.end.target_mr = a->target;
	spec.timeout_ns = 200000000;
	must(l, kv_nl_mr_reg(&l->nl, b->target, b->qp, KVERBS_ACCESS__ALL, 0, LENGTH,
			     &b->key, NULL), "register");
	spec.end.remote_addr = b->key.iova;
	spec.end.remote_key = b->key.rkey;
	result(run(l, &spec) == -ETIMEDOUT, "a ping-pong without a peer ends at its deadline");
	refused(l, kv_nl_run_start(&l->nl, &spec, &id), -EBUSY,
		"left requests outstanding", "and its qp must be reset after that");
	reset_and_connect(l, a, b->qpn);
	reset_and_connect(l, b, a->qpn);
}

static void test_strangers(struct link *l, const struct end *e)
{
	struct kv_run_spec spec;
	struct link other;
	uint32_t pd, id;

	open_link(&other);
	refused(&other, kv_nl_pd_del(&other.nl, e->pd, NULL), -ENOENT,
		"among yours", "another socket does not see our pd");
	refused(&other, kv_nl_mr_new(&other.nl, e->pd, 64, &id, NULL), -ENOENT,
		"among yours", "another socket can't use our pd");
	spec = write_spec(e, e);
	refused(&other, kv_nl_run_start(&other.nl, &spec, &id), -ENOENT,
		"among yours", "another socket can't run on our qp");
	must(&other, kv_nl_pd_new(&other.nl, dev, &pd, NULL), "pd of another socket");
	refused(l, kv_nl_pd_del(&l->nl, pd, NULL), -ENOENT, "among yours",
		"nor do we see theirs");
	kv_nl_close(&other.nl);
}

/* --- persistent objects, and lists --- */

static int on_id(struct nlattr *attrs, int len, void *arg)
{
	struct nlattr *id = nla_find(attrs, len, KVERBS_A_PD_ID);

	if (!id)
		return -EBADMSG;
	*(uint32_t *)arg = nla_get_u32(id);
	return 0;
}

static int new_persistent_pd(struct link *l, uint32_t *id)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_PD_NEW, 0);

	nla_put_string(msg, KVERBS_A_PD_DEV, dev);
	nla_put_flag(msg, KVERBS_A_PD_PERSISTENT);
	return kv_nl_request(&l->nl, msg, "pd", NULL, 0, on_id, id);
}

static int new_persistent_mr(struct link *l, uint32_t pd, uint32_t *id)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_MR_NEW, 0);

	nla_put_u32(msg, KVERBS_A_MR_PD, pd);
	nla_put_u64(msg, KVERBS_A_MR_LENGTH, 64);
	nla_put_flag(msg, KVERBS_A_MR_PERSISTENT);
	return kv_nl_request(&l->nl, msg, "mr", NULL, 0, on_id, id);
}

struct flushed {
	uint32_t flushed, kept;
};

static int on_flushed(struct nlattr *attrs, int len, void *arg)
{
	struct flushed *f = arg;

	f->flushed = nla_get_u32(nla_find(attrs, len, KVERBS_A_INFO_FLUSHED));
	f->kept = nla_get_u32(nla_find(attrs, len, KVERBS_A_INFO_KEPT));
	return 0;
}

static struct flushed flush(struct link *l)
{
	struct nl_msg *msg = kv_nl_msg(&l->nl, KVERBS_CMD_FLUSH, 0);
	struct flushed f = { 0 };

	must(l, kv_nl_request(&l->nl, msg, "flush", NULL, 0, on_flushed, &f), "flush");
	return f;
}

struct list {
	unsigned int count;
	uint32_t last;
	int ascending;
};

static int on_listed(struct nlattr *attrs, int len, void *arg)
{
	struct list *list = arg;
	uint32_t id = 0;

	if (on_id(attrs, len, &id))
		return -EBADMSG;
	list->ascending = list->ascending && id > list->last;
	list->last = id;
	list->count++;
	return 0;
}

static struct list list_pds(struct link *l)
{
	struct list list = { .ascending = 1 };

	must(l, kv_nl_request(&l->nl, kv_nl_msg(&l->nl, KVERBS_CMD_PD_GET, NLM_F_DUMP),
			      "list", NULL, 0, on_listed, &list), "list pds");
	return list;
}

static void test_persistent(struct link *l, const struct end *e)
{
	uint32_t pd, mr, id;
	struct flushed f;
	struct link other;

	refused(l, new_persistent_mr(l, e->pd, &id), -EINVAL,
		"can use only persistent ones", "a persistent mr of a pd that is not");
	open_link(&other);
	must(&other, new_persistent_pd(&other, &pd), "a persistent pd");
	result(list_pds(l).last == pd, "another socket's persistent pd is listed");
	kv_nl_close(&other.nl);
	must(l, kv_nl_mr_new(&l->nl, pd, 64, &mr, NULL), "an mr of it");
	result(1, "it outlives its socket, and others can use it");
	open_link(&other);
	refused(&other, kv_nl_pd_del(&other.nl, pd, NULL), -EBUSY, "in use by an mr",
		"but nobody can delete it meanwhile");
	f = flush(&other);
	result(f.flushed == 0 && f.kept == 1, "nor flush it");
	kv_nl_close(&other.nl);
	must(l, kv_nl_mr_del(&l->nl, mr, NULL), "the mr goes");
	must(l, new_persistent_mr(l, pd, &mr), "a persistent mr of it");
	f = flush(l);
	result(f.flushed == 2 && f.kept == 0, "flush destroys what is persistent, users first");
	result(list_pds(l).count == 2, "and nothing else");
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#define MANY 10000

static void test_many(struct link *l)
{
	double start, first = 0, last = 0, listed, removed;
	struct link other;
	struct list list;
	uint32_t id;
	int i;

	open_link(&other);
	start = seconds();
	for (i = 1; i <= MANY; i++) {
		must(&other, kv_nl_pd_new(&other.nl, dev, &id, NULL), "one of many pds");
		if (i != 1000 && i != MANY - 1000 && i != MANY)
			continue;
		if (i == 1000)
			first = seconds() - start;
		if (i == MANY)
			last = seconds() - start;
		start = seconds();
	}
	start = seconds();
	list = list_pds(&other);
	listed = seconds() - start;
	result(list.count == MANY && list.ascending, "10 000 pds are listed, in order");
	result(list_pds(l).count == 2, "to their owner only");
	start = seconds();
	kv_nl_close(&other.nl);
	removed = seconds() - start;
	result(last < 4 * first, "the last thousand take no longer than the first");
	printf("# first thousand %.1f us each, last %.1f us; listed in %.1f us each, removed in %.1f us\n",
	       first * 1e3, last * 1e3, listed * 1e6 / MANY, removed * 1e6 / MANY);
}

/* Something comes while a list is being read: the list says so. */
static void test_interrupted(struct link *l)
{
	int i, n, interrupted = 0, finished = 0;
	struct sockaddr_nl from;
	struct link other;
	unsigned char *buf;
	uint32_t id;

	open_link(&other);
	for (i = 0; i < 2000; i++)
		must(&other, kv_nl_pd_new(&other.nl, dev, &id, NULL), "one of many pds");
	struct nl_msg *msg = kv_nl_msg(&other.nl, KVERBS_CMD_PD_GET, NLM_F_DUMP);

	must(&other, nl_send_auto(other.nl.sock, msg) < 0, "ask for a list");
	nlmsg_free(msg);
	must(l, kv_nl_pd_new(&l->nl, dev, &id, NULL), "a pd meanwhile");
	while (!finished && (n = nl_recv(other.nl.sock, &from, &buf, NULL)) > 0) {
		struct nlmsghdr *hdr = (struct nlmsghdr *)buf;

		for (; nlmsg_ok(hdr, n); hdr = nlmsg_next(hdr, &n)) {
			interrupted |= hdr->nlmsg_flags & NLM_F_DUMP_INTR;
			finished |= hdr->nlmsg_type == NLMSG_DONE;
		}
		free(buf);
	}
	result(finished && interrupted, "a list during which something came says so");
	kv_nl_close(&other.nl);
	done(l, kv_nl_pd_del(&l->nl, id, NULL), "what came goes");
}

static void set_limit(const char *name, const char *value)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/kverbs/parameters/%s", name);
	file = fopen(path, "w");
	if (!file || fputs(value, file) < 0 || fclose(file)) {
		printf("Bail out! %s: %s\n", path, strerror(errno));
		exit(1);
	}
}

static void test_limits(struct link *l, const struct end *e)
{
	uint32_t id;

	set_limit("max_objects", "12");
	refused(l, kv_nl_pd_new(&l->nl, dev, &id, NULL), -EDQUOT,
		"too many objects", "the cap on objects");
	set_limit("max_objects", "65536");
	set_limit("max_bytes", "40000");
	refused(l, kv_nl_mr_new(&l->nl, e->pd, 65536, &id, NULL), -EDQUOT,
		"too many bytes", "the cap on buffer memory");
	set_limit("max_bytes", "1073741824");
	must(l, kv_nl_mr_new(&l->nl, e->pd, 65536, &id, NULL), "mr");
	done(l, kv_nl_mr_del(&l->nl, id, NULL), "after that, memory is there again");
}

/* Prints what the module holds; 0 if that is nothing. */
static int balance(struct link *l)
{
	struct kv_info info = { .created = 0 };

	must(l, kv_nl_info_get(&l->nl, &info), "info");
	printf("# %llu objects created, %llu destroyed, %llu bytes in buffers\n",
	       (unsigned long long)info.created, (unsigned long long)info.destroyed,
	       (unsigned long long)info.buffer_bytes);
	return info.created != info.destroyed || info.buffer_bytes;
}

/* contract [DEV] tests the contract; contract --balance: is anything left? */
int main(int argc, char **argv)
{
	struct end a = { 0 }, b = { 0 };
	struct link link;

	if (argc > 1 && !strcmp(argv[1], "--balance")) {
		open_link(&link);
		return balance(&link);
	}
	dev = argc > 1 ? argv[1] : "rxe0";
	setvbuf(stdout, NULL, _IOLBF, 0);
	open_link(&link);
	must(&link, kv_nl_dev_get(&link.nl, dev, &caps), "the device");

	test_messages(&link);
	make_end(&link, &a);
	make_end(&link, &b);
	test_mr(&link, &a);
	test_states(&link, &a);
	connect_end(&link, &a, b.qpn);
	connect_end(&link, &b, a.qpn);
	must(&link, kv_nl_mr_reg(&link.nl, b.target, b.qp, KVERBS_ACCESS__ALL, 0,
				 LENGTH, &b.key, NULL), "register");
	test_specs(&link, &a, &b);
	test_in_use(&link, &a, &b);
	test_access(&link, &a, &b);
	test_deadline(&link, &a, &b);
	test_strangers(&link, &a);
	test_persistent(&link, &a);
	test_many(&link);
	test_interrupted(&link);
	test_limits(&link, &a);
	result(balance(&link) != 0, "objects that are there are counted");
	del_end(&link, &a);
	del_end(&link, &b);
	result(!balance(&link), "as many objects are destroyed as were created");
	kv_nl_close(&link.nl);

	printf("1..%u\n", tests);
	return failures != 0;
}
