// SPDX-License-Identifier: MIT
/* The times of commands that call several verbs: a STAGE for each, and their sum. */
#include <string.h>
#include <netlink/attr.h>
#include "conn.h"
#include "kernel/fields.h"

#define BIT(stage) (1U << KVERBS_STAGE_##stage)

/* Which stages of the last command took time. */
static uint32_t stages(const struct link *l)
{
	uint32_t mask = 0;

	for (unsigned int i = 0; i <= KVERBS_STAGE_MAX; i++)
		if (l->nl.base.times.stage_ns[i])
			mask |= 1U << i;
	return mask;
}

static void expect(struct link *l, int ret, uint32_t mask, const char *name)
{
	must(l, ret, name);
	if (stages(l) != mask)
		printf("# stages 0x%x, not 0x%x\n", stages(l), mask);
	result(stages(l) == mask, "%s", name);
}

struct times {
	int verb_ns; /* attribute */
	int stage; /* attribute */
	uint64_t told; /* by VERB_NS */
	uint64_t sum; /* of the STAGEs */
	unsigned int stages;
};

static int on_times(struct nlattr *attrs, int len, void *arg)
{
	struct times *t = arg;
	struct nlattr *attr;
	uint64_t ns;
	int left;

	kv_nl_take_u64(attrs, len, t->verb_ns, &t->told);
	nla_for_each_attr(attr, attrs, len, left) {
		if (nla_type(attr) != t->stage)
			continue;
		ns = 0;
		kv_nl_take_u64(nla_data(attr), nla_len(attr), KVERBS_A_STAGE_NS, &ns);
		t->sum += ns;
		t->stages++;
	}
	return 0;
}

/* The message itself, which the tool reads less strictly. */
static void test_sum(struct link *l, const struct end *a)
{
	struct times t = { .verb_ns = KVERBS_A_MR_VERB_NS, .stage = KVERBS_A_MR_STAGE };
	static const struct kv_shape *const names[] = { &kv_shape_mr, NULL };
	struct nl_msg *msg = call_msg_of(&l->nl, KV_MR, KVERBS_CMD_MR_REG, a->target_mr);

	kv_nl_put_u32(msg, KVERBS_A_MR_QP, a->qp);
	kv_nl_put_u32(msg, KVERBS_A_MR_BUF, a->target);
	must(l, kv_nl_request(&l->nl, msg, names, on_times, &t), "register");
	result(t.stages == 3 && t.told && t.told == t.sum, "VERB_NS is the sum of the stages");
}

static void test_mr_stages(struct link *l, const struct end *a)
{
	const struct kv_mr_init init = { .pd = a->pd, .max_pages = 4 };
	const struct kv_mr_reg reg = { .buf = a->target, .qp = a->qp, .length = 64 };
	struct kv_mr mr;

	expect(l, call_new(&l->nl, KV_MR, &init, &mr, NULL), BIT(CREATE), "mr new: create");
	expect(l, call_mr_reg(&l->nl, mr.id, &reg, &mr, NULL),
	       BIT(MAP) | BIT(POST) | BIT(COMPLETION), "mr reg: map, post and completion");
	expect(l, call_mr_inv(&l->nl, mr.id, a->qp, NULL), BIT(POST) | BIT(COMPLETION),
	       "mr inv: post and completion, and nothing of the command before");
	expect(l, call_del(&l->nl, KV_MR, mr.id, NULL), BIT(DESTROY), "mr del: destroy");
}

static void test_qp_stages(struct link *l, const struct end *a)
{
	const uint32_t type = KVERBS_QPT_RC;

	expect(l, modify(l, a->qp, (struct kv_qp_attr){ .state = KVERBS_QPS_RESET }),
	       BIT(DRAIN) | BIT(MODIFY), "qp to RESET: drain and modify");
	expect(l, modify(l, a->qp, init_attr(type)), BIT(MODIFY), "qp to INIT: modify");
	if (lacks("qp to RTR: resolve and modify", "transitions to RTR by hand"))
		return;
	expect(l, modify(l, a->qp, rtr_attr(type, 1)), BIT(RESOLVE) | BIT(MODIFY),
	       "qp to RTR: resolve and modify");
	expect(l, modify(l, a->qp, rts_attr(type)), BIT(MODIFY), "qp to RTS: modify");
}

static void test_conn_stages(struct link *l)
{
	const struct end_init init = { .type = KVERBS_QPT_RC };
	const int family = AF_INET;
	struct kv_conn_param param;
	struct kv_conn conn;
	struct duo d;

	end_make(l, &d.a, &init);
	end_make(l, &d.p, &init);
	d.listener = conn_listener(l, family, 8, &d.port);
	result(stages(l) == (BIT(BIND) | BIT(CM)), "conn listen: bind and cm");
	d.active = conn_routed(l, family, d.port);
	param = conn_param(d.a.qp);
	expect(l, call_conn_connect(&l->nl, d.active, &param, NULL), BIT(MODIFY) | BIT(CM),
	       "conn connect: modify, of the qp, and cm");
	must(l, conn_waits(l, d.listener, 1) ? 0 : -EAGAIN, "a request");
	must(l, call_conn_get_request(&l->nl, d.listener, &conn), "take");
	d.passive = conn.id;
	result(!stages(l), "conn get-request: no verb");
	param = conn_param(d.p.qp);
	expect(l, call_conn_accept(&l->nl, d.passive, &param, NULL), BIT(MODIFY) | BIT(CM),
	       "conn accept: modify and cm");
	if (!lacks("conn establish: modify and cm", "confirmation of the answer")) {
		conn_must_be(l, d.active, KVERBS_CONN_ANSWERED);
		expect(l, call_conn_establish(&l->nl, d.active, &param, NULL),
		       BIT(MODIFY) | BIT(CM), "conn establish: modify and cm");
	}
	conn_must_be(l, d.passive, KVERBS_CONN_ESTABLISHED);
	/* On iWARP it learns of the answer by itself, a moment later. */
	conn_must_be(l, d.active, KVERBS_CONN_ESTABLISHED);
	expect(l, call_conn_disconnect(&l->nl, d.active, NULL), BIT(CM), "conn disconnect: cm");
	conn_must_be(l, d.active, KVERBS_CONN_DISCONNECTED);
	expect(l, call_del(&l->nl, KV_CONN, d.active, NULL), BIT(DESTROY), "conn del: destroy");
}

void test_stage(void)
{
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	struct end a, b;
	struct link l;

	link_open(&l);
	pair_make(&l, &a, &b, &init);
	test_mr_stages(&l, &a);
	test_sum(&l, &a);
	end_disconnect(&l, &a);
	test_qp_stages(&l, &a);
	test_conn_stages(&l);
	link_close(&l);
}
