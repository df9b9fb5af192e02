// SPDX-License-Identifier: MIT
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "batch/cost.h"
#include "measure/listing.h"
#include "measure/stats.h"
#include "out/out.h"
#include "out/prose.h"
#include "out/unit.h"

/* The times of one line in one space, one for each round. */
struct series {
	double *ns;
	unsigned int n;
};

struct row {
	unsigned int line;
	char *text;
	struct series space[KV_SPACES];
};

/* A line without the blanks at its ends. */
static char *trim(const char *text)
{
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n && strchr(" \t", text[n - 1]))
		n--;
	return strndup(text, n);
}

static int compare_lines(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->line == y->line ? 0 : x->line < y->line ? -1 : 1;
}

static void free_row(void *entry)
{
	struct row *row = entry;

	for (unsigned int s = 0; s < KV_SPACES; s++)
		free(row->space[s].ns);
	free(row->text);
	free(row);
}

static struct row *add_line(struct kv_cost *t, unsigned int line, const char *text)
{
	struct row *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->line = line;
	row->text = trim(text);
	if (row->text && tsearch(row, &t->rows, compare_lines))
		return row;
	free_row(row);
	return NULL;
}

static struct row *find(struct kv_cost *t, unsigned int line, const char *text)
{
	const struct row key = { .line = line };
	struct row *const *found = tfind(&key, &t->rows, compare_lines);

	return found ? *found : add_line(t, line, text);
}

/** kv_cost_add() - add the time of the verbs of a line */
void kv_cost_add(struct kv_cost *t, unsigned int line, const char *text,
		  enum kv_space_id space, uint64_t ns)
{
	struct row *row = find(t, line, text);
	struct series *s;
	double *more;

	t->failed |= !row;
	if (!row)
		return;
	s = &row->space[space];
	/* The array has room up to the next power of two. */
	more = s->n & (s->n - 1) ? s->ns : reallocarray(s->ns, s->n ? 2 * s->n : 1, sizeof(*more));
	t->failed |= !more;
	if (!more)
		return;
	s->ns = more;
	s->ns[s->n++] = (double)ns;
}

/* The names of a space's values. */
static const char *const keys[KV_SPACES] = { "/kernel_ns", "/user_ns" };
static const char *const counts[KV_SPACES] = { "kernel_samples", "user_samples" };

/* The argument of describe_row(). */
struct description {
	struct json_object *list;
	unsigned int spaces;
};

static void describe_row(const void *node, VISIT visit, void *arg)
{
	const struct row *row = *(struct row *const *)node;
	const struct description *d = arg;
	struct json_object *obj;

	/* Each row is visited once in its order: between its children, or as a leaf. */
	if (visit != postorder && visit != leaf)
		return;
	obj = json_object_new_object();
	kv_out_put_count(obj, "line", row->line);
	kv_out_put_string(obj, "command", row->text);
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		const struct series *series = &row->space[s];

		if (!(d->spaces & (1U << s)))
			continue;
		kv_out_put(obj, keys[s] + 1,
			   kv_out_real(kv_stats_median(series->ns, series->n), 1));
		kv_out_put_count(obj, counts[s], series->n);
	}
	json_object_array_add(d->list, obj);
}

/**
 * kv_cost_describe() - make a document of the table
 * @spaces: the spaces in the document, a bit for each enum kv_space_id
 *
 * Return: an array with the medians of each line, in the order of lines, owned by the caller.
 */
struct json_object *kv_cost_describe(const struct kv_cost *t, unsigned int spaces)
{
	struct description d = { .list = json_object_new_array(), .spaces = spaces };

	twalk_r(t->rows, describe_row, &d);
	return d.list;
}

/* The samples of all spaces, or one number for all. */
static void format_samples(char *text, struct json_object *value, struct json_object *obj)
{
	struct json_object *kernel, *user;
	bool both = json_object_object_get_ex(obj, counts[KV_SPACE_KERNEL], &kernel) &
		    json_object_object_get_ex(obj, counts[KV_SPACE_USER], &user);

	snprintf(text, KV_LISTING_TEXT, "%s", json_object_get_string(kernel ?: user));
	if (both && !json_object_equal(kernel, user))
		kv_append(text, KV_LISTING_TEXT, ", %s", json_object_get_string(user));
}

/**
 * kv_cost_print() - print the table
 * @list: the array that kv_cost_describe() made
 * @spaces: the spaces in the table, a bit for each enum kv_space_id
 */
int kv_cost_print(struct json_object *list, unsigned int spaces,
		   unsigned int rounds, struct kv_fault *f)
{
	struct kv_listing column[3 + KV_SPACES] = {
		{ "line", kv_listing_number, .path = "/line" },
		{ "command", kv_listing_command, .path = "/command" },
	};
	struct kv_prose prose;
	unsigned int n = 2;
	FILE *out;
	int ret;

	for (unsigned int s = 0; s < KV_SPACES; s++)
		if (spaces & (1U << s))
			column[n++] = (struct kv_listing){ kv_enum_name(kv_enum_space, s),
							   kv_listing_time, .path = keys[s] };
	column[n++] = (struct kv_listing){ "n", format_samples, .path = "" };
	ret = kv_listing_print(list, column, n, f);
	if (ret)
		return ret;
	out = kv_prose_begin(&prose, stdout);
	fprintf(out, "Times of the verbs of each line, in %s", kv_unit_name());
	if (rounds > 1)
		fprintf(out, ", median of %u rounds", rounds);
	fprintf(out, "; n: number of rounds in which a verb was called; -: none. Empty polls are not counted.\n");
	if (spaces & (1U << KV_SPACE_USER))
		fprintf(out, "In user space buf add is the first touch of the pages; mr reg registers touched memory.\n");
	kv_prose_end(&prose);
	return 0;
}

/** kv_cost_clear() - forget all times */
void kv_cost_clear(struct kv_cost *t)
{
	tdestroy(t->rows, free_row);
	t->rows = NULL;
}
