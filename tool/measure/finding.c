// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include "measure/finding.h"
#include "out/out.h"
#include "out/table.h"
#include "out/unit.h"

/* Which side is the faster one: "neither" if they are equal, NULL if nobody knows. */
static const char *find_faster(const struct kv_finding *f)
{
	switch (f->judgement->verdict) {
	case KV_VERDICT_A_LESS:
		return f->who[0];
	case KV_VERDICT_B_LESS:
		return f->who[1];
	case KV_VERDICT_EQUAL:
		return "neither";
	case KV_VERDICT_UNDECIDED:
		break;
	}
	return NULL;
}

static void format_doubt(const struct kv_finding *f, char *text, size_t size)
{
	const struct kv_judgement *j = f->judgement;
	double unit = kv_unit_of(f->scale);
	unsigned int series;

	switch (j->doubt) {
	case KV_DOUBT_FEW:
		snprintf(text, size, "%u %s, and an interval takes %u (%s)", f->n, f->repeated,
			 KV_STATS_MIN_ROUNDS, f->more);
		break;
	case KV_DOUBT_WIDE:
		snprintf(text, size, "they may differ by %.2g %% (more %s or --time)",
			 100 * j->within, f->more);
		break;
	case KV_DOUBT_STEAL:
		snprintf(text, size, "the host has taken %.0f %% of the CPU time", 100 * f->steal);
		break;
	case KV_DOUBT_RESENT:
		series = f->resent[1] > f->resent[0];
		snprintf(text, size, "%llu packets were sent again or late in %s, and hardly any in %s",
			 (unsigned long long)f->resent[series], f->name[series], f->name[!series]);
		break;
	case KV_DOUBT_TURNED:
		snprintf(text, size, "the first third of the %s says %.3g %s, the last %.3g",
			 f->repeated, j->first * unit, kv_unit_name(), j->last * unit);
		break;
	case KV_DOUBT_MODES:
		snprintf(text, size, "%s has two modes, %.5g %s in %u %s and %.5g in %u",
			 f->name[j->series], j->modes.median[0] * unit, kv_unit_name(),
			 j->modes.rounds[0], f->repeated, j->modes.median[1] * unit, j->modes.rounds[1]);
		break;
	case KV_DOUBT_NONE:
		snprintf(text, size, "?");
		break;
	}
}

/**
 * kv_finding_put_verdict() - say which series is faster, by how much, and how sure that is
 * @obj: gets "verdict", a sentence, and "faster", which is null if nobody knows
 * @f: the finding
 */
void kv_finding_put_verdict(struct json_object *obj, const struct kv_finding *f)
{
	const struct kv_interval *i = f->diff;
	const char *faster = find_faster(f);
	double unit = kv_unit_of(f->scale);
	double low = fmin(fabs(i->low), fabs(i->high)) * unit;
	double high = fmax(fabs(i->low), fabs(i->high)) * unit;
	int decimals = kv_us_difference_decimals(i->value * f->scale);
	char text[160], doubt[128];

	if (!faster) {
		format_doubt(f, doubt, sizeof(doubt));
		snprintf(text, sizeof(text), "not decided: %s", doubt);
	} else if (f->judgement->verdict == KV_VERDICT_EQUAL) {
		snprintf(text, sizeof(text), "equal within \xc2\xb1 %.2g %%", 100 * f->judgement->within);
	} else {
		snprintf(text, sizeof(text), "%s%s%s faster by %.*f %s (%.*f .. %.*f)", faster,
			 *f->changed ? " " : "", f->changed, decimals, fabs(i->value * unit),
			 kv_unit_name(), decimals, low, decimals, high);
	}
	kv_out_put_string(obj, "verdict", text);
	kv_out_put_string(obj, "faster", faster);
}

/**
 * kv_finding_describe() - describe the difference and its intervals
 * @f: the finding
 *
 * Return: an object, owned by the caller.
 */
struct json_object *kv_finding_describe(const struct kv_finding *f)
{
	struct json_object *diff = json_object_new_object();
	const struct kv_interval *i = f->diff;

	kv_out_put_ns(diff, "value", i->value * f->scale);
	kv_out_put_ns(diff, "low", i->valid ? i->low * f->scale : NAN);
	kv_out_put_ns(diff, "high", i->valid ? i->high * f->scale : NAN);
	kv_out_put(diff, "confidence", kv_out_real(0.95, 2));
	kv_out_put_ns(diff, "low_90", i->near_low * f->scale);
	kv_out_put_ns(diff, "high_90", i->near_high * f->scale);
	kv_out_put(diff, "equal_within_percent", kv_out_real(100 * f->judgement->within, 3));
	kv_out_put_count(diff, f->repeated, f->n);
	return diff;
}

/**
 * kv_finding_put() - describe a difference that is the only one, with its verdict beside it
 * @obj: gets both
 * @f: the finding
 */
void kv_finding_put(struct json_object *obj, const struct kv_finding *f)
{
	kv_out_put(obj, "difference_ns", kv_finding_describe(f));
	kv_finding_put_verdict(obj, f);
}
