// SPDX-License-Identifier: MIT
/* Runs of the fake backend: each has ended when it is looked at, with three samples. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "sys/clock.h"
#include "fake_backend.h"

/* Ids of runs that exist, of all backends together. */
static bool used[FAKE_MAX];

int fake_info_get(struct kv_backend *b, const struct kv_none *in, struct kv_info *info)
{
	memset(info, 0, sizeof(*info));
	strcpy(info->version, "fake");
	snprintf(info->counter, sizeof(info->counter), "%s", kv_clock_name());
	info->counter_hz = 1000000000;
	return 0;
}

int fake_counters(struct kv_backend *b, const struct kv_dev_port *in, struct kv_counters *counters)
{
	counters->counters = 2;
	strcpy(counters->counter[0].name, "rcvd_pkts");
	counters->counter[0].value = 1ULL << 60;
	strcpy(counters->counter[1].name, "sent_pkts");
	return 0;
}

static int find(struct kv_backend *b, uint32_t id)
{
	if (id && id < FAKE_MAX && used[id])
		return 0;
	return kv_backend_fail(b, -ENOENT, "no run with id %u", id);
}

int fake_run_start(struct kv_backend *b, const struct kv_run_start *in, struct kv_id *out)
{
	if (!in->spec.iters && !in->spec.time_ns)
		return kv_backend_fail(b, -EINVAL, "neither iters nor time");
	for (out->id = 1; out->id < FAKE_MAX; out->id++) {
		if (used[out->id])
			continue;
		used[out->id] = true;
		fake_world.objects++;
		return 0;
	}
	return kv_backend_fail(b, -EDQUOT, "the array is full");
}

int fake_run_wait(struct kv_backend *b, const struct kv_wait *in, struct kv_none *out)
{
	if (find(b, in->id))
		return -ENOENT;
	return fake_world.late_runs ? -EAGAIN : 0;
}

int fake_run_cancel(struct kv_backend *b, const struct kv_id *in, struct kv_none *out)
{
	fake_world.late_runs = false;
	return find(b, in->id);
}

static int get(struct kv_backend *b, const struct kv_id *in, struct kv_run_result *result)
{
	if (find(b, in->id))
		return -ENOENT;
	memset(result, 0, sizeof(*result));
	result->state = KVERBS_RUN_DONE;
	result->spec.cpu = -1;
	result->hist_shift = KV_HIST_SHIFT;
	result->workers = 1;
	result->worker[0].samples = 3;
	kv_hist_reset(&result->hist);
	kv_hist_record(&result->hist, 0);
	kv_hist_record(&result->hist, 1000);
	kv_hist_record(&result->hist, UINT64_MAX);
	result->worker[0].sum_ticks = result->hist.sum;
	return 0;
}

int fake_run_get(struct kv_backend *b, const struct kv_run_which *in, struct kv_run_result *result)
{
	return get(b, &(struct kv_id){ in->id }, result);
}

int fake_run_del(struct kv_backend *b, const struct kv_id *in, struct kv_none *out)
{
	if (find(b, in->id))
		return -ENOENT;
	used[in->id] = false;
	fake_world.objects--;
	return 0;
}

int fake_run_peek(struct kv_backend *b, const struct kv_id *in, struct kv_run_result *result)
{
	return get(b, in, result);
}

/* The state after a backend is closed. */
void fake_run_forget(void)
{
	for (int i = 0; i < FAKE_MAX; i++) {
		fake_world.objects -= used[i];
		used[i] = false;
	}
}
