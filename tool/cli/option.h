/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "cli/fault.h"
#include "cli/foreign.h"
#include "cli/parse.h"

/* Each option has a row, which is used to read the option and to print its help. */

/* The kind of an option's value, and the type of its field. */
enum kv_option_kind {
	KV_OPTION_FLAG, /* none; bool, which becomes true */
	KV_OPTION_NO, /* none; bool, which becomes false */
	KV_OPTION_TEXT, /* const char *; @min 1: not empty */
	KV_OPTION_DEV, /* the name of a device; const char * */
	KV_OPTION_PORT, /* a port's number; const char * */
	KV_OPTION_ENUM, /* one of a table; uint32_t */
	KV_OPTION_ENUM_MAY, /* the same, or none: then the field is unchanged */
	KV_OPTION_U8, /* a number from @min to @max, like the next kinds; uint8_t */
	KV_OPTION_U32, /* uint32_t */
	KV_OPTION_S32, /* int32_t */
	KV_OPTION_U64, /* uint64_t */
	KV_OPTION_TIME, /* ns; uint64_t */
	KV_OPTION_SIZE, /* bytes; uint32_t */
	KV_OPTION_BYTES, /* bytes, up to @max; uint64_t */
	KV_OPTION_MTU, /* uint32_t */
	KV_OPTION_OUTPUT, /* =FILE, or none for "-", standard output; const char * */
	KV_OPTION_OWN, /* a value that @parse reads */
	KV_OPTION_FOREIGN, /* no option: @foreign has those of @value; @name is "" */
};

/* An option: its value, and its line of help. */
struct kv_option {
	const char *name; /* without the dashes; NULL: @help is a heading, or the table ends */
	const char *value; /* the name of its value in help; NULL: it has none */
	const char *help; /* its purpose and its default; NULL: --help does not list it */
	enum kv_option_kind kind; /* kind of its value */
	size_t at; /* offset of the field in the command's struct */
	size_t has; /* offset of a bool that becomes true; 0: there is none */
	size_t note; /* offset of a const char * that becomes @name; 0: there is none */
	uint64_t min; /* the smallest number */
	uint64_t max; /* the largest number */
	char letter; /* perftest's letter for the same option, as in -s; 0: there is none */
	/* perftest's letter for one of its values, as -R for --connect cm; 0: there is none */
	char flag;
	const char *flagged; /* that value */
	/* FOREIGN: options that are refused; else values that are refused, or NULL. */
	const struct kv_foreign *foreign;
	const char *alias; /* another name, or NULL */
	const struct kv_enum *names; /* ENUM */
	/* OWN: reads @text into the field at @at; returns 0, or -EINVAL and the reason. */
	int (*parse)(const char *text, void *field, struct kv_why *why);
};

/* A constant's digits, for help. */
#define KV_OPTION_DIGITS(n) #n
#define KV_OPTION_NUMBER(n) KV_OPTION_DIGITS(n)

/* The document of any command; @m is a const char * of the struct @s. */
#define KV_OPTION_JSON_ROW(s, m)							\
	{ "json", "[=FILE]", "print JSON in place of text; with =FILE print text, and write JSON to FILE", \
	  KV_OPTION_OUTPUT, .at = offsetof(s, m), .letter = 'j' }

/* Is the word behind an option its value? */
static inline bool kv_option_takes_word(const struct kv_option *row)
{
	return row->value && row->kind != KV_OPTION_OUTPUT;
}

int kv_option_read(const char *command, int *n, char **word, const struct kv_option *rows,
		   void *args, bool loose, struct kv_fault *f);
const struct kv_option *kv_option_find(const struct kv_option *rows, const char *text, bool exact,
				       const char **value);
void kv_option_format(const struct kv_option *row, char *text, size_t size);
void kv_option_print_help(const struct kv_option *rows, const char *usage, const char *more);
