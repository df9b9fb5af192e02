/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>

void kv_wrap_to(FILE *to, const char *text, int indent, int column, int width);
void kv_wrap(const char *text, int indent, int column);
void kv_wrap_row(const char *left, const char *right, int column);
