// SPDX-License-Identifier: MIT
/* The names of persistent objects, in memory in place of a file. */
#include <stdlib.h>
#include <string.h>
#include "batch/names.h"
#include "batch/variables.h"
#include "fake_names.h"

#define LINES 8

static struct kv_variable line[LINES];

int fake_names_error;

void fake_names_clear(void)
{
	for (unsigned int i = 0; i < LINES; i++) {
		free(line[i].text);
		line[i].text = NULL;
	}
	fake_names_error = 0;
}

static int refuse(struct kv_fault *f)
{
	return fake_names_error ? kv_fault_set(f, fake_names_error, "the names are not root's") : 0;
}

int kv_names_each(kv_names_fn *fn, void *arg, struct kv_fault *f)
{
	for (unsigned int i = 0; i < LINES && !fake_names_error; i++) {
		if (line[i].text)
			fn(line[i].text, line[i].type, line[i].id, arg);
	}
	return refuse(f);
}

int kv_names_update(const char *text, enum kv_type type, uint32_t id, kv_names_exists_fn *exists,
		    void *arg, struct kv_fault *f)
{
	unsigned int room = LINES;

	for (unsigned int i = 0; i < LINES && !fake_names_error; i++) {
		if (line[i].text && !exists(line[i].type, line[i].id, arg)) {
			free(line[i].text);
			line[i].text = NULL;
		}
		if (line[i].text && text && !strcmp(line[i].text, text))
			return kv_names_refuse(line[i].text, line[i].type, line[i].id, f);
		room = line[i].text ? room : i;
	}
	if (text && room < LINES)
		line[room] = (struct kv_variable){ .text = strdup(text), .type = type, .id = id };
	return refuse(f);
}
