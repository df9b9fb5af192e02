/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "cli/fault.h"
#include "out/devices.h"
#include "remote/peer.h"

/* How bad a finding is; the worst one makes the exit status. */
enum kv_severity {
	KV_FINE,
	KV_NOTE, /* figures may be better without it */
	KV_WARNING, /* something else than measuring does not work, or figures are doubtful */
	KV_ERROR, /* measuring does not work */
	KV_SEVERITIES,
};

/* The findings about this machine. */
struct kv_doctor {
	/* An object each: what was checked, severity, a sentence, and the command that mends it. */
	struct json_object *list;
	unsigned int count[KV_SEVERITIES]; /* how many there are of each severity */
};

void kv_doctor_add(struct kv_doctor *d, enum kv_severity severity, const char *check,
		   const char *mend, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

void kv_doctor_machine(struct kv_doctor *d);
void kv_doctor_devices(struct kv_doctor *d, const struct kv_devices *view);
void kv_doctor_host(struct kv_doctor *d, const struct kv_peer *peer);
int kv_doctor_print(struct json_object *doc, struct kv_fault *f);
