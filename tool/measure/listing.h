/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/fault.h"
#include "out/table.h"

struct json_object;

/* Size of the text of a column, with its terminating NUL. */
#define KV_LISTING_TEXT 192

/* A column of a table that is made from a list of objects. */
struct kv_listing {
	const char *head; /* its title */
	/*
	 * Writes the text, KV_LISTING_TEXT at most, of the value at @path in an object @obj; if
	 * @obj has no value there, the text is "-".
	 */
	void (*format)(char *text, struct json_object *value, struct json_object *obj);
	const char *path; /* a JSON pointer */
	const char *series; /* the member of @obj that @path begins in; NULL: @obj itself */
	unsigned int spare; /* as in struct kv_column */
};

/*
 * Words and commands are aligned to the left of their column, all other texts to the right. Of a
 * long command only the beginning is shown. If a difference has no decided verdict, its faster
 * series is "?".
 */
void kv_listing_word(char *text, struct json_object *value, struct json_object *obj);
void kv_listing_command(char *text, struct json_object *value, struct json_object *obj);
void kv_listing_number(char *text, struct json_object *value, struct json_object *obj);
void kv_listing_count(char *text, struct json_object *value, struct json_object *obj);
void kv_listing_mega(char *text, struct json_object *value, struct json_object *obj);
void kv_listing_faster(char *text, struct json_object *value, struct json_object *obj);
void kv_listing_size(char *text, struct json_object *value, struct json_object *obj);
void kv_listing_time(char *text, struct json_object *value, struct json_object *obj);
void kv_listing_difference(char *text, struct json_object *value, struct json_object *obj);
void kv_listing_percent(char *text, struct json_object *value, struct json_object *obj);
void kv_listing_verdict(char *text, struct json_object *value, struct json_object *obj);
void kv_listing_interval(char *text, struct json_object *value, struct json_object *obj);

/* The title of the difference of two series: "K - U"; @title has KV_LISTING_TEXT bytes. */
void kv_listing_name_difference(char *title, const char *const name[2]);

/* The columns of a difference of two series, with its verdict. */
#define KV_LISTING_FINDING(title)							\
	{ title, kv_listing_difference, .path = "/difference_ns" },			\
	{ "%", kv_listing_percent, .path = "/difference_ns/percent", .spare = 1 },	\
	{ "95 % interval", kv_listing_interval, .path = "/difference_ns" },		\
	{ "verdict", kv_listing_verdict, .path = "/verdict" }

int kv_listing_print(struct json_object *list, const struct kv_listing *column, unsigned int n,
		     struct kv_fault *f);
