// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "clock.h"
#include "fake_backend.h"
#include "fake_run.h"

/* Ids of runs that exist, of all backends together. */
static bool used[FAKE_MAX];

int fake_info(struct kv_backend *b, struct kv_info *info)
{
	(void)b;
	memset(info, 0, sizeof(*info));
	strcpy(info->version, "fake");
	snprintf(info->counter, sizeof(info->counter), "%s", kv_clock_name());
	return 0;
}

int fake_counters(struct kv_backend *b, const char *dev,
		  struct kv_counters *counters)
{
	(void)b;
	(void)dev;
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
	return fake_refuse(b, -ENOENT, "no run with id %u", id);
}

int fake_run_start(struct kv_backend *b, const struct kv_run_spec *spec,
		   uint32_t *id)
{
	if (!spec->iters && !spec->time_ns)
		return fake_refuse(b, -EINVAL, "neither iters nor time");
	for (*id = 1; *id < FAKE_MAX; (*id)++) {
		if (used[*id])
			continue;
		used[*id] = true;
		fake_world.objects++;
		return 0;
	}
	return fake_refuse(b, -EDQUOT, "the array is full");
}

int fake_run_wait(struct kv_backend *b, uint32_t id, int timeout_ms)
{
	(void)timeout_ms;
	if (find(b, id))
		return -ENOENT;
	return fake_world.late_runs ? -EAGAIN : 0;
}

int fake_run_cancel(struct kv_backend *b, uint32_t id)
{
	fake_world.late_runs = false;
	return find(b, id);
}

int fake_run_get(struct kv_backend *b, uint32_t id,
		 struct kv_run_result *result)
{
	if (find(b, id))
		return -ENOENT;
	memset(result, 0, sizeof(*result));
	result->state = KVERBS_RUN_DONE;
	result->samples = 3;
	kv_hist_reset(&result->hist);
	kv_hist_record(&result->hist, 0);
	kv_hist_record(&result->hist, 1000);
	kv_hist_record(&result->hist, UINT64_MAX);
	return 0;
}

int fake_run_del(struct kv_backend *b, uint32_t id)
{
	if (find(b, id))
		return -ENOENT;
	used[id] = false;
	fake_world.objects--;
	return 0;
}

/* What a backend that is closed leaves. */
void fake_run_forget(void)
{
	for (int i = 0; i < FAKE_MAX; i++) {
		fake_world.objects -= used[i];
		used[i] = false;
	}
}
