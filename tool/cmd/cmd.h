/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include <json-c/json.h>
#include "cli/option.h"
#include "out/out.h"

/*
 * A command, in a file of its own; commands don't call each other. All functions return 0, or a
 * negative errno and the reason in @f.
 */
struct kv_cmd {
	const struct kv_option *rows; /* its options */
	const char *usage; /* the lines of its help before the options */
	const char *more; /* the lines after the options; or "" */
	void *args; /* its only struct of values: the rows' offsets are in it */
	/* NULL, or the file of --json: there a refusal is a document, too. */
	const char *const *json;
	const struct kv_schema *schema; /* with @json: that of the documents */
	/* NULL, or sets the defaults of @args, if it is too large for an initializer. */
	void (*init)(void);
	/*
	 * NULL, or takes the @n words that are no options, and checks that the options go together.
	 * On failure only the fault is reported.
	 */
	int (*check)(int n, char **word, struct kv_fault *f);
	int (*run)(struct kv_fault *f); /* performs the command */

	/* The other members are for commands whose result is a document, which need @json. */

	/* Is there a result although @run has failed? NULL: there is none. */
	bool (*has_result)(int error);
	/* Makes the document; if @run has left no result, it describes the request only. */
	struct json_object *(*describe)(bool result, int error);
	/* Prints the document of @describe as text. */
	int (*print)(struct json_object *doc, struct kv_fault *f);
	/* NULL, or true if --csv was given: then not the text, but the figures are printed. */
	const bool *csv;
	/* With @csv: JSON pointer to them in the document, an array or one object. */
	const char *figures;
	const char *const *plot; /* NULL, or the file of --plot */
	/* With @plot: writes the script by which gnuplot draws the document of @describe. */
	void (*draw)(struct json_object *doc, FILE *script);
	/*
	 * NULL, or called if @run has succeeded and the report has failed: adds the success to @f,
	 * which has the report's fault. The exit status then is that of @run.
	 */
	void (*unreported)(struct kv_fault *f);
	void (*close)(void); /* closes the objects that @run has opened */
};

extern const struct kv_cmd kv_cmd_batch;
extern const struct kv_cmd kv_cmd_bw;
extern const struct kv_cmd kv_cmd_compare;
extern const struct kv_cmd kv_cmd_completion;
extern const struct kv_cmd kv_cmd_conn_rate;
extern const struct kv_cmd kv_cmd_dev;
extern const struct kv_cmd kv_cmd_doctor;
extern const struct kv_cmd kv_cmd_get;
extern const struct kv_cmd kv_cmd_lat;
extern const struct kv_cmd kv_cmd_man;
extern const struct kv_cmd kv_cmd_merge;
extern const struct kv_cmd kv_cmd_ping;
extern const struct kv_cmd kv_cmd_pingpong;
extern const struct kv_cmd kv_cmd_plot;
extern const struct kv_cmd kv_cmd_put;
extern const struct kv_cmd kv_cmd_scale;
extern const struct kv_cmd kv_cmd_serve;

/* A command without options of its own. */
extern const struct kv_option kv_cmd_no_rows[];

int kv_cmd_run(const struct kv_cmd *cmd, int argc, char **argv);

/* Runs a command for objects: options may precede its name. */
int kv_cmd_object(int argc, char **argv);
int kv_cmd_refuse(int argc, char **argv, struct kv_fault *why);

/* A command in the list of all. */
struct kv_cmd_entry {
	const char *name; /* its word; NULL: @help is a heading, or the list ends */
	const struct kv_cmd *cmd; /* the command; NULL: it is about objects (object/noun.h) */
	const char *help; /* a line */
};

extern const struct kv_cmd_entry kv_cmd_list[];

struct kv_noun;

bool kv_cmd_is_shell(const char *name);
const struct kv_cmd_entry *kv_cmd_find(const char *name);
const struct kv_noun *kv_cmd_find_noun(const char *name, struct kv_fault *f);
