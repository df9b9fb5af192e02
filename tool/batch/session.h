/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "batch/variables.h"
#include "model/site.h"
#include "object/noun.h"
#include "sys/capture.h"

/* A connection to one space, and the state of its commands. */
struct kv_session {
	enum kv_space_id space; /* which space */
	struct kv_backend *b; /* its backend, with kv_trace around it */
	const char *dev_name; /* the device for commands that name none; NULL: the only device */
	bool batch; /* objects die with the session; else they are persistent */
	bool trace; /* each verb is printed on stderr */
	bool json; /* a command's document has its verbs, too */
	bool details; /* the users of objects are shown, too */
	/* NULL, or tells whether a word is a command of the shell, which a batch does not have. */
	bool (*is_shell)(const char *word);
	bool untold; /* the verbs that are called now are not the command's */
	bool has_dev; /* @dev is valid */
	struct kv_variables variables; /* the names of objects and variables */
	struct json_object *last; /* the document of the last command; an object */
	/* The verbs of the current command, an array; NULL without @json. */
	struct json_object *verbs;
	uint64_t verb_ns; /* how long these verbs took together, without polls that found nothing */
	bool timed; /* any of these verbs had a time */
	/* Called for each event as it comes; NULL: events are collected in the result. */
	void (*live)(struct json_object *event, void *arg);
	void *live_arg; /* for @live */
	/*
	 * The device for commands that name none, see kv_session_dev(): it is large, and stands
	 * last.
	 */
	struct kv_dev dev;
};

int kv_session_open(struct kv_session *s, enum kv_space_id space, const char *dev, bool batch,
		    bool trace, struct kv_fault *f);
void kv_session_close(struct kv_session *s);
int kv_session_run(struct kv_session *s, unsigned int line, char **word,
		   size_t n, struct json_object **doc, struct kv_fault *f);
int kv_session_command(struct kv_session *s, const struct kv_choice *c, char **word, size_t n,
		       struct json_object *result, struct kv_fault *f);
int kv_session_refuse_shell(struct kv_session *s, const char *word, struct kv_fault *f);
int kv_session_check(char **word, size_t n, struct kv_fault *f);
struct json_object *kv_session_refusal(enum kv_space_id space, char **word, size_t n);
int kv_session_expand(void *arg, const char *reference, char **value, struct kv_fault *f);
int kv_session_dev(struct kv_session *s, struct kv_fault *f);
int kv_session_capture(struct kv_session *s, struct kv_capture *c, const char *path,
		       struct kv_fault *f);
int kv_session_refuse(struct kv_session *s, int error, struct kv_fault *f);
int kv_session_reword(struct kv_session *s, struct kv_fault *f);
int kv_session_get(struct kv_session *s, enum kv_type type, uint32_t id,
		   union kv_object *object, struct kv_fault *f);
int kv_field_text(struct json_object *obj, const char *path, char **text);
