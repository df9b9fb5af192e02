/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <libsmartcols.h>
#include "cli/fault.h"

/* One column of a table. */
struct kv_column {
	const char *head; /* its title */
	bool right; /* its cells are aligned to the right */
	/* More than 0: left out of a table that is too wide for the terminal, the larger first. */
	unsigned int spare;
};

#define KV_TABLE_COLUMNS 14

/* Bytes of a cell with figures. */
#define KV_TABLE_FIGURES 128

/* Text in columns. */
struct kv_table {
	struct libscols_table *scols; /* libsmartcols' table; NULL if there was no memory for it */
	unsigned int columns; /* number of columns, at most KV_TABLE_COLUMNS */
	unsigned int width[KV_TABLE_COLUMNS]; /* of each, in columns of a terminal */
	unsigned int spare[KV_TABLE_COLUMNS]; /* of each */
	bool right[KV_TABLE_COLUMNS]; /* of each: its numbers are figures */
	unsigned int whole; /* width of the table with all columns */
	char left_out[128]; /* the titles of the columns that are left out */
	bool failed; /* a part of the table is missing because memory ran out */
};

void kv_table_create(struct kv_table *t, const struct kv_column *column, unsigned int n);
void kv_table_add(struct kv_table *t, const char *const *cell);
int kv_table_print(struct kv_table *t, struct kv_fault *f);

void kv_us_format(char *text, size_t size, double ns);
int kv_us_difference_decimals(double ns);
void kv_us_difference_format(char *text, char *interval, size_t size, double ns,
			     double low_ns, double high_ns);
void kv_size_format(char *text, size_t size, uint64_t bytes);
