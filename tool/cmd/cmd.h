/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include <json-c/json.h>
#include "cli/option.h"

/**
 * struct kv_cmd - a command, in a file of its own; commands don't call each other
 * @rows: its options
 * @usage: the lines of its help before the options
 * @more: the lines after the options; or ""
 * @args: its only struct of values: the rows' offsets are in it
 * @init: NULL, or sets the defaults of @args, if it is too large for an initializer
 * @json: NULL, or the file of --json: with "-" a refusal is a document, too
 * @check: NULL, or takes the @n words that are no options, and checks that the options go
 *	together. On failure only the fault is reported
 * @run: performs the command
 *
 * All functions return 0, or a negative errno and the reason in @f.
 *
 * The other members are for commands whose result is a document, which need @json:
 * @has_result: is there a result although @run has failed? NULL: there is none
 * @describe: makes the document; if @run has left no result, it describes the request only
 * @print: prints the document of @describe as text
 * @csv: NULL, or true if --csv was given: then not the text, but the figures are printed
 * @figures: with @csv: JSON pointer to them in the document, an array or one object
 * @plot: NULL, or the file of --plot
 * @draw: with @plot: writes for gnuplot what it draws of the document of @describe
 * @unreported: NULL, or called if @run has succeeded and the report has failed: adds the success
 *	to @f, which has the report's fault. The exit status then is that of @run
 * @close: closes the objects that @run has opened
 */
struct kv_cmd {
	const struct kv_option *rows;
	const char *usage;
	const char *more;
	void *args;
	const char *const *json;
	void (*init)(void);
	int (*check)(int n, char **word, struct kv_fault *f);
	int (*run)(struct kv_fault *f);

	bool (*has_result)(int error);
	struct json_object *(*describe)(bool result, int error);
	int (*print)(struct json_object *doc, struct kv_fault *f);
	const bool *csv;
	const char *figures;
	const char *const *plot;
	void (*draw)(struct json_object *doc, FILE *script);
	void (*unreported)(struct kv_fault *f);
	void (*close)(void);
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
extern const struct kv_cmd kv_cmd_put;
extern const struct kv_cmd kv_cmd_serve;

/* A command without options of its own. */
extern const struct kv_option kv_cmd_no_rows[];

int kv_cmd_run(const struct kv_cmd *cmd, int argc, char **argv);

/* Runs a command for objects: options may precede its name. */
int kv_cmd_object(int argc, char **argv);

/**
 * struct kv_cmd_entry - a command in the list of all
 * @name: its word; NULL: @help is a heading, or the list ends
 * @cmd: the command; NULL: it is about objects (object/noun.h)
 * @help: a line
 */
struct kv_cmd_entry {
	const char *name;
	const struct kv_cmd *cmd;
	const char *help;
};

extern const struct kv_cmd_entry kv_cmd_list[];

const struct kv_cmd_entry *kv_cmd_find(const char *name, char *several, size_t size);
