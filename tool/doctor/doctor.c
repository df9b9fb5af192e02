// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cli/wrap.h"
#include "doctor/doctor.h"
#include "out/out.h"

/* The column at which the sentences of a finding begin. */
#define COLUMN 9

static const char *const severities[KV_SEVERITIES] = { "ok", "note", "warning", "error" };

/*
 * Adds a finding. @d: the findings. @severity: of it. @check: what was looked at: a word that
 * programs know it by. @mend: the command that mends it; NULL: there is none. @fmt: the sentence.
 */
void kv_doctor_add(struct kv_doctor *d, enum kv_severity severity, const char *check,
		   const char *mend, const char *fmt, ...)
{
	struct json_object *finding = json_object_new_object();
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	kv_out_put_string(finding, "check", check);
	kv_out_put_string(finding, "severity", severities[severity]);
	kv_out_put_string(finding, "text", text);
	kv_out_put_string(finding, "mend", mend);
	json_object_array_add(d->list, finding);
	d->count[severity]++;
}

/*
 * Another host is asked as a measurement would ask it, and for both of its spaces. A reason that
 * both spaces have is one finding.
 */
void kv_doctor_host(struct kv_doctor *d, const struct kv_peer *peer)
{
	char last[sizeof(((struct kv_fault *)NULL)->text)] = "", mend[512];

	snprintf(mend, sizeof(mend), "ssh %s kverbs serve --token FILE", peer->host);
	for (unsigned int id = 0; id < KV_SPACES; id++) {
		struct kv_site site = { .host = peer->host };
		struct kv_fault f = { 0 };

		if (kv_site_open_peer(&site, id, peer, &f)) {
			if (strcmp(f.text, last))
				kv_doctor_add(d, KV_ERROR, "host", f.error == -ECONNREFUSED ? mend : NULL, "%s", f.text);
			memcpy(last, f.text, sizeof(last));
		} else {
			kv_doctor_add(d, KV_FINE, "host", NULL, "%s serves %s space by kverbs %s, with %s",
				      peer->host, kv_enum_name(kv_enum_space, id), site.version,
				      site.dev.name);
		}
		kv_site_close(&site);
	}
}

/* The worst ones first. */
int kv_doctor_print(struct json_object *doc, struct kv_fault *f)
{
	struct json_object *list = kv_out_get(doc, "/findings");

	for (unsigned int s = KV_SEVERITIES; s--;) {
		for (size_t i = 0; i < json_object_array_length(list); i++) {
			struct json_object *finding = json_object_array_get_idx(list, i);

			if (strcmp(kv_out_get_string(finding, "/severity"), severities[s]))
				continue;
			printf("%-*s", COLUMN, severities[s]);
			kv_wrap(kv_out_get_string(finding, "/text"), COLUMN, COLUMN);
			if (kv_out_get(finding, "/mend"))
				printf("%*s# %s\n", COLUMN, "", kv_out_get_string(finding, "/mend"));
		}
	}
	return 0;
}
