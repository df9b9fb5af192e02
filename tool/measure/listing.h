/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_LISTING_H
#define KV_MEASURE_LISTING_H

#include "cli/fault.h"
#include "out/table.h"

struct json_object;

/* Room for the text of a column, with its end. */
#define KV_LISTING_TEXT 192

/**
 * struct kv_listing - a column of a table that is made from a list of objects
 * @head: its title
 * @format: writes its text of an object
 * @path: where in the object that stands, a JSON pointer
 */
struct kv_listing {
	const char *head;
	void (*format)(char text[KV_LISTING_TEXT], struct json_object *obj, const char *path);
	const char *path;
};

/*
 * Each has "-" if there is nothing at @path. Words stand at the left of their column, all others at
 * the right. The faster series of a difference is "?" if that is not decided.
 */
void kv_listing_word(char text[KV_LISTING_TEXT], struct json_object *obj, const char *path);
void kv_listing_faster(char text[KV_LISTING_TEXT], struct json_object *obj, const char *path);
void kv_listing_size(char text[KV_LISTING_TEXT], struct json_object *obj, const char *path);
void kv_listing_time(char text[KV_LISTING_TEXT], struct json_object *obj, const char *path);
void kv_listing_difference(char text[KV_LISTING_TEXT], struct json_object *obj, const char *path);
void kv_listing_interval(char text[KV_LISTING_TEXT], struct json_object *obj, const char *path);

int kv_listing_print(struct json_object *list, const struct kv_listing *column, unsigned int n,
		     struct kv_fault *f);

#endif
