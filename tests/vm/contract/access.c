// SPDX-License-Identifier: MIT
/* A peer reaches exactly the bytes that were registered, with exactly the rights. */
#include <errno.h>
#include <string.h>
#include "contract.h"
#include "run.h"

#define WC_REM_ACCESS_ERR 10

static bool no_access(const struct kv_run_result *r)
{
	return r->error == -EIO && r->wc_status == WC_REM_ACCESS_ERR;
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
		.qp = b.qp,
		.access = KVERBS_ACCESS_LOCAL_WRITE | KVERBS_ACCESS_REMOTE_WRITE,
		.offset = 100,
		.length = 64,
	};
	must(&l, kv_nl_mr_reg(&l.nl, b.target, &reg, &b.key, NULL), "register 64 bytes");
	write_all(&l, a.local, 0xab);
	spec = write_spec(&a, &b);
	result(!run(&l, &spec)->error, "64 bytes are written");
	memset(want + 100, 0xab, 64);
	result(holds(&l, b.target, 0, want, LENGTH), "these 64 bytes, and no other, have changed");

	for (i = 0; i < COUNT(bad); i++) {
		spec = write_spec(&a, &b);
		spec.op = bad[i].op;
		spec.size = bad[i].size;
		spec.end.remote_addr += (uint64_t)bad[i].offset;
		spec.end.remote_key ^= bad[i].key;
		result(no_access(run(&l, &spec)), "%s", bad[i].name);
		refused(&l, kv_nl_run_start(&l.nl, &spec, &id), -EINVAL,
			"the qp is in ERR", "the qp is in error after that");
		pair_reconnect(&l, &a, &b, KVERBS_QPT_RC);
	}
	result(holds(&l, b.target, 0, want, LENGTH), "none of these has changed a byte");

	must(&l, kv_nl_mr_inv(&l.nl, b.target, b.qp, NULL), "invalidate");
	spec = write_spec(&a, &b);
	result(no_access(run(&l, &spec)), "a key that was invalidated");
	result(holds(&l, b.target, 0, want, LENGTH), "reaches nothing either");
	link_close(&l);
}
