/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/*
 * A line that is typed on a terminal. This is kverbs-edit.so, which the tool loads for a prompt
 * only: see kv_load().
 */

/*
 * Gives the words that may stand for @word, the beginning of a word, behind @before, the line up to
 * there: an array that ends with NULL, or NULL. The caller frees the words and the array.
 */
typedef char **kv_edit_complete_fn(const char *before, const char *word, void *arg);

/*
 * Reads a line that the user edits. Returns it without its newline, in memory that the caller
 * frees; NULL: the input has ended, or a signal asks for the end.
 */
typedef char *kv_edit_fn(const char *prompt, kv_edit_complete_fn *complete, void *arg);

kv_edit_fn kv_edit_line;
