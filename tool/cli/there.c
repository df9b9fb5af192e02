// SPDX-License-Identifier: MIT
#include "cli/parse.h"
#include "cli/there.h"

/**
 * kv_there_add() - add a thing
 * @prefix: stands before its name; or ""
 * @name: up to 40 bytes of it are told
 */
void kv_there_add(struct kv_there *t, const char *prefix, const char *name)
{
	if (t->n++ < KV_THERE_MAX)
		kv_append(t->text, sizeof(t->text), "%s%s%.40s", t->n > 1 ? ", " : "", prefix, name);
}

/** kv_there_tell() - add all things to the text of a fault */
void kv_there_tell(const struct kv_there *t, struct kv_fault *f)
{
	kv_append(f->text, sizeof(f->text), "; there %s %s", t->n > 1 ? "are" : "is",
		  t->n ? t->text : "none");
	if (t->n > KV_THERE_MAX)
		kv_append(f->text, sizeof(f->text), " and %u more", t->n - KV_THERE_MAX);
}
