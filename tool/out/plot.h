/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include "out/out.h"

/* A figure that gnuplot draws. */
struct kv_plot {
	/* The script for gnuplot, to be written by the caller; NULL: no figure is wanted. */
	FILE *script;
	/* private */
	struct kv_out out; /* the image */
};

int kv_plot_check(const char *path, struct kv_fault *f);
int kv_plot_open(struct kv_plot *p, const char *path, struct kv_fault *f);
int kv_plot_commit(struct kv_plot *p, struct kv_fault *f);
void kv_plot_close(struct kv_plot *p);
void kv_plot_quote(FILE *script, const char *text);
