// SPDX-License-Identifier: MIT
/* A peer reaches exactly the bytes that were registered, with exactly the rights. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"
#include "run.h"

#define WC_REM_ACCESS_ERR 10

/* iWARP's WRITEs complete when TCP has them: that the peer refuses one is the end of the connection. */
static bool no_access(struct link *l, const struct end *from, const struct kv_worker_result *r)
{
	struct limit limit = limit_of(10);

	if (!is_iwarp())
		return r->error == -EIO && r->wc_status == WC_REM_ACCESS_ERR;
	while (state_of(l, from->qp) != KVERBS_QPS_ERR && !limit_over(&limit))
		usleep(1000);
	return (!r->error || r->error == -EIO) && state_of(l, from->qp) == KVERBS_QPS_ERR;
}

void test_access(void)
{
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
	static const struct end_init init = { .type = KVERBS_QPT_RC };
	char want[LENGTH] = "";
	struct kv_run_spec spec;
	struct kv_mr_reg reg;
	struct end a, b;
	struct link l;
	unsigned int i;
	uint32_t id;

	link_open(&l);
	pair_make(&l, &a, &b, &init);
	reg = (struct kv_mr_reg){
		.buf = b.target,
		.qp = b.qp,
		.access = KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE,
		.offset = 100,
		.length = 64,
	};
	must(&l, call_mr_reg(&l.nl, b.target_mr, &reg, &b.key, NULL), "register 64 bytes");
	write_all(&l, a.local, 0xab);
	spec = write_spec(&a, &b);
	result(!run(&l, &spec)->error, "64 bytes are written");
	memset(want + 100, 0xab, 64);
	result(holds(&l, b.target, 0, want, LENGTH), "these 64 bytes, and no other, have changed");

	for (i = 0; i < COUNT(bad); i++) {
		/* siw answers a READ of whatever is registered (siw_qp_sq_proc_tx()). */
		if (bad[i].op == KVERBS_OP_READ && lacks(bad[i].name, "check of the right to read"))
			continue;
		spec = write_spec(&a, &b);
		spec.op = bad[i].op;
		spec.size = bad[i].size;
		spec.end[0].remote_addr += (uint64_t)bad[i].offset;
		spec.end[0].remote_key ^= bad[i].key;
		result(no_access(&l, &a, run(&l, &spec)), "%s", bad[i].name);
		refused(&l, call_run_start(&l.nl, &spec, &id), -EINVAL,
			"the qp is in ERR", "the qp is in error after that");
		pair_reconnect(&l, &a, &b, KVERBS_QPT_RC);
	}
	result(holds(&l, b.target, 0, want, LENGTH), "none of these has changed a byte");

	must(&l, call_mr_inv(&l.nl, b.target_mr, b.qp, NULL), "invalidate");
	spec = write_spec(&a, &b);
	result(no_access(&l, &a, run(&l, &spec)), "a key that was invalidated");
	result(holds(&l, b.target, 0, want, LENGTH), "reaches nothing either");
	link_close(&l);
}
