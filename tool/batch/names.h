/* SPDX-License-Identifier: MIT */
#ifndef KV_BATCH_NAMES_H
#define KV_BATCH_NAMES_H

#include <json-c/json.h>
#include "cli/fault.h"
#include "cli/parse.h"
#include "model/backend.h"

/*
 * What has a name in a batch: objects, which also have fields (what the commands
 * said of them so far), and variables, which are texts.
 */

/* The most bytes that a variable holds: so a few lines can't take all memory. */
#define KV_NAMES_VALUE_MAX (64 << 10)

/**
 * struct kv_name - one of them
 * @text: the name
 * @value: of a variable; NULL: an object
 * @type: of the object
 * @id: of the object
 * @deleted: the object is gone; its name can be given to another one
 * @fields: of the object
 * @whole: those of @fields that the last complete description had
 */
struct kv_name {
	char *text;
	char *value;
	enum kv_type type;
	uint32_t id;
	bool deleted;
	struct json_object *fields;
	struct json_object *whole;
};

/**
 * struct kv_names - all of them, in trees of tsearch()
 * @by_text: by their names
 * @by_object: those of objects that are not deleted, by type and id
 */
struct kv_names {
	void *by_text;
	void *by_object;
};

/* What a result says of an object. */
enum kv_note {
	KV_NOTE_PART, /* these fields, beside what else there is */
	KV_NOTE_WHOLE, /* all that describes it */
};

void kv_names_clear(struct kv_names *names);
int kv_names_check(const struct kv_names *names, const char *text, struct kv_fault *f);
int kv_names_set(struct kv_names *names, const char *text, const char *value, struct kv_fault *f);
int kv_names_add(struct kv_names *names, const char *text, enum kv_type type, uint32_t id,
		 struct kv_fault *f);
const struct kv_name *kv_names_find(const struct kv_names *names, const char *text);
const char *kv_names_of(const struct kv_names *names, enum kv_type type, uint32_t id);
int kv_names_id(const struct kv_names *names, enum kv_type type, const char *text, uint32_t *id,
		struct kv_why *why);
void kv_names_note(struct kv_names *names, enum kv_type type, uint32_t id,
		   struct json_object *result, enum kv_note note);
void kv_names_delete(struct kv_names *names, enum kv_type type, uint32_t id);

#endif
