// SPDX-License-Identifier: MIT
#include <errno.h>
#include "sys/clock.h"
#include "user/run.h"

/* What a run has, while it goes on and after its end. */

static __u64 load(const __u64 *from)
{
	return __atomic_load_n(from, __ATOMIC_RELAXED);
}

static void fill_samples(struct kv_user_run *run, struct kv_run_result *to)
{
	const struct kv_loop *loop = &run->loop;

	to->samples = load(&loop->done);
	to->let_go = load(&loop->let_go);
	to->hist.sum = load(&run->hist.sum);
	to->elapsed_ticks = run->before + kv_loop_elapsed(loop);
	to->elapsed_ns = to->state == KVERBS_RUN_DONE ? run->elapsed_ns :
		(uint64_t)((double)to->elapsed_ticks * kv_clock_ns_per_tick());
}

/* All but the bins. Return: false if the warm-up is not over, or was the end. */
static bool fill(struct kv_user_run *run, struct kv_run_result *to)
{
	bool active = kv_user_run_active(run);
	bool measuring = __atomic_load_n(&run->measuring, __ATOMIC_ACQUIRE);
	__u64 warmed = load(&run->warmed);

	to->state = active ? KVERBS_RUN_ACTIVE : KVERBS_RUN_DONE;
	to->error = active ? 0 : run->error;
	to->wc_status = active ? 0 : run->loop.wc_status;
	to->vendor_err = active ? 0 : run->loop.vendor_err;
	to->warmed = warmed || measuring ? warmed : load(&run->loop.done);
	if (measuring) {
		fill_samples(run, to);
		return true;
	}
	to->samples = 0;
	to->let_go = 0;
	to->hist.sum = 0;
	to->elapsed_ticks = 0;
	to->elapsed_ns = 0;
	return false;
}

/* All but the bins. */
int kv_user_run_peek(struct kv_user *u, void *obj, const struct kv_id *in,
		     struct kv_run_result *result, uint64_t *ns)
{
	struct kv_user_run *run = kv_user_run_find(u, in->id);

	if (!run)
		return -ENOENT;
	fill(run, result);
	return 0;
}

int kv_user_run_get(struct kv_user *u, void *obj, const struct kv_id *in,
		    struct kv_run_result *result, uint64_t *ns)
{
	struct kv_user_run *run = kv_user_run_find(u, in->id);
	bool measuring;

	if (!run)
		return -ENOENT;
	measuring = fill(run, result);
	if (!measuring)
		kv_hist_reset(&result->hist);
	for (unsigned int i = 0; i < KV_HIST_BINS && measuring; i++) {
		result->hist.bin[i].count = load(&run->hist.bin[i].count);
		result->hist.bin[i].low = kv_env_get(&run->hist.bin[i].low);
		result->hist.bin[i].high = kv_env_get(&run->hist.bin[i].high);
	}
	return 0;
}
