// SPDX-License-Identifier: MIT
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "doctor/doctor.h"
#include "out/out.h"

static const struct kv_schema schema = { "kverbs.doctor", 1 };

static struct doctor_args {
	struct kv_options common;
	struct kv_devices view[KV_SPACES];
	struct kv_doctor found;
} doctor;

#define S struct doctor_args

static const struct kv_option rows[] = {
	KV_OPTION_JSON_ROW(S, common.json),
	{ .help = "with a HOST:" },
	KV_OPTION_HOST_ROWS(S, common),
	{ .name = NULL },
};

#undef S

static void init(void)
{
	doctor.common = (struct kv_options)KV_OPTIONS_DEFAULT;
}

static int check(int n, char **word, struct kv_fault *f)
{
	return kv_options_take_host(&doctor.common, "doctor", n, word, f);
}

static int run(struct kv_fault *f)
{
	struct kv_doctor *d = &doctor.found;

	d->list = json_object_new_array();
	for (unsigned int id = 0; id < KV_SPACES; id++)
		kv_devices_take(&doctor.view[id], id, NULL);
	kv_doctor_machine(d);
	kv_doctor_devices(d, doctor.view);
	if (doctor.common.peer.host)
		kv_doctor_host(d, &doctor.common.peer);
	if (!d->count[KV_ERROR] && !d->count[KV_WARNING])
		return 0;
	kv_fault_set(f, -EIO, "errors: %u, warnings: %u", d->count[KV_ERROR], d->count[KV_WARNING]);
	if (!d->count[KV_ERROR])
		f->exit = KV_EXIT_WARNED;
	return f->error;
}

static bool has_result(int error)
{
	return true;
}

static struct json_object *describe(bool result, int error)
{
	struct json_object *doc = kv_out_document(&schema);

	kv_out_put_bool(doc, "complete", result);
	kv_out_put(doc, "findings", json_object_get(doctor.found.list));
	return doc;
}

static void put_list(void)
{
	json_object_put(doctor.found.list);
}

const struct kv_cmd kv_cmd_doctor = {
	.rows = rows,
	.usage = "usage: kverbs doctor [OPTION...] [HOST]\n"
		"\n"
		"Lists everything that kverbs needs and this machine lacks, with the command\n"
		"that mends it; with a HOST also checks whether kverbs can measure with that\n"
		"host.\n",
	.more = "Exit status: 0 nothing is missing, 3 warnings, 1 errors: something can't be\n"
		"measured.\n",
	.args = &doctor,
	.init = init,
	.check = check,
	.run = run,
	.json = &doctor.common.json,
	.schema = &schema,
	.has_result = has_result,
	.describe = describe,
	.print = kv_doctor_print,
	.close = put_list,
};
