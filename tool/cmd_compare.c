// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "capsule.h"
#include "cell.h"
#include "cmd.h"
#include "option.h"
#include "out.h"
#include "placement.h"
#include "report.h"
#include "result.h"
#include "table.h"

#define ATOMIC_SIZE 8
#define TIME_DEFAULT_NS 2500000000ULL
#define TIME_MIN_NS 10000000ULL
#define TIME_MAX_NS 86400000000000ULL
#define PAIRS_MAX 10000

enum {
	OPTION_OPS = KV_OPTION_OWN,
	OPTION_SIZES,
	OPTION_TIME,
	OPTION_BLOCKS,
};

static const struct option rows[] = {
	KV_OPTION_ROWS,
	{ "ops", required_argument, NULL, OPTION_OPS },
	{ "sizes", required_argument, NULL, OPTION_SIZES },
	{ "time", required_argument, NULL, OPTION_TIME },
	{ "blocks", required_argument, NULL, OPTION_BLOCKS },
	{ NULL, 0, NULL, 0 },
};

/* All that one invocation needs. */
struct compare {
	struct kv_options common;
	struct kv_list ops;
	struct kv_list sizes;
	struct kv_plan plan;

	struct kv_work work;
	struct kv_space space[KV_SPACES];
	struct kv_cell cell;
	struct kv_out out;
	struct kv_progress progress;
	struct json_object *doc;
	struct json_object *cells;
	/* Cells that were begun, that gave figures, that did not end well. */
	unsigned int tried;
	unsigned int measured;
	unsigned int failed;
	/* The first that matters, of the whole or of a cell. */
	struct kv_fault fault;
};

static void print_help(void)
{
	printf("usage: kverbs compare [OPTION...]\n"
	       "\n"
	       "Measures operations in both spaces, blocks of the two alternating, and says which\n"
	       "space is faster, by how much, and how sure that is.\n"
	       "\n"
	       "  --ops OP,...       of send, write, read, fetch-add and cmp-swp; default: all\n"
	       "  --sizes BYTES,...  as in 8,64,4k; default: 8,64,4k,64k. fetch-add and cmp-swp\n"
	       "                     always have 8 bytes, whatever stands here\n"
	       "  --time TIME        for each operation and size, both spaces together, as in 2\n"
	       "                     or 500ms; default: 2.5s. Up to three times as long if it\n"
	       "                     takes that to get the 1000 samples of a p99\n"
	       "  --blocks N         blocks of each space, an even number; default: 16. With\n"
	       "                     fewer than 6 there is no interval\n"
	       "  --loop LOOP        completion: from before the post until its completion was\n"
	       "                     polled (default for all but send); relay: one thread\n"
	       "                     drives both ends of a ping-pong (default for send);\n"
	       "                     pingpong: between two threads. relay and pingpong take\n"
	       "                     send and write; what is printed for them is half of the\n"
	       "                     round trip\n"
	       "%s"
	       "\n"
	       "A percentile that needs more samples than there are is shown as -.\n"
	       "Ctrl-C ends the measurement, prints the rows that there are until then, and the\n"
	       "exit status is 1. A second Ctrl-C kills.\n",
	       kv_option_help);
}

static int take_option(struct compare *c, int id)
{
	struct kv_why why;
	uint64_t v;
	int ret = 0;

	switch (id) {
	case OPTION_OPS:
		ret = kv_parse_ops(optarg, &c->ops, &why);
		break;
	case OPTION_SIZES:
		ret = kv_parse_sizes(optarg, &c->sizes, &why);
		break;
	case OPTION_TIME:
		ret = kv_parse_time(optarg, TIME_MIN_NS, TIME_MAX_NS,
				    &c->plan.time_ns, &why);
		break;
	case OPTION_BLOCKS:
		ret = kv_parse_count(optarg, 2, PAIRS_MAX, &v, &why);
		if (!ret && v % 2) {
			snprintf(why.text, sizeof(why.text),
				 "is odd; blocks come as kernel user user kernel, so it takes an even number");
			ret = -EINVAL;
		}
		if (!ret)
			c->plan.pairs = (unsigned int)v;
		break;
	default:
		return kv_option_take(&c->common, id, &c->fault);
	}
	return ret ? kv_option_refuse(rows, id, &why, &c->fault) : 0;
}

static void set_default_lists(struct compare *c)
{
	static const struct kv_list all = {
		.n = 5,
		.value = { KVERBS_OP_SEND, KVERBS_OP_WRITE, KVERBS_OP_READ,
			   KVERBS_OP_FETCH_ADD, KVERBS_OP_CMP_SWP },
	};
	static const struct kv_list sizes = {
		.n = 4,
		.value = { 8, 64, 4096, 65536 },
	};
	struct kv_fault ignored;

	if (!c->sizes.n)
		c->sizes = sizes;
	if (c->ops.n)
		return;
	/* All that --loop goes with. */
	for (unsigned int i = 0; i < all.n; i++) {
		if (c->common.has_loop &&
		    kv_work_check_kind(c->common.loop, all.value[i], &ignored))
			continue;
		c->ops.value[c->ops.n++] = all.value[i];
	}
}

/* What the options say together. */
static int check_options(struct compare *c)
{
	struct kv_options *o = &c->common;
	int ret;

	if (o->has_loop && o->loop == KV_KIND_NULL)
		return kv_fault_usage(&c->fault, "--loop null has no operation to compare; its cost stands under every table");
	set_default_lists(c);
	for (unsigned int i = 0; i < c->ops.n && o->has_loop; i++) {
		ret = kv_work_check_kind(o->loop, c->ops.value[i], &c->fault);
		if (ret)
			return ret;
	}
	c->plan.verify = o->verify;
	c->work.post = o->post;
	c->work.lkey = o->lkey;
	c->work.spins = o->spins;
	c->work.timeout_ns = o->timeout_ns;
	return kv_placement_choose(o->cpu, o->cpus, c->work.cpu, &c->fault);
}

/* 1: go on. 0: nothing more to do. -EINVAL: see the fault. */
static int read_options(struct compare *c, int argc, char **argv)
{
	int id, ret;

	kv_option_init(&c->common);
	c->plan.time_ns = TIME_DEFAULT_NS;
	c->plan.pairs = KV_CELL_PAIRS;
	while ((ret = kv_option_next(argc, argv, rows, &id, &c->fault)) > 0) {
		if (id == KV_OPTION_HELP) {
			print_help();
			return 0;
		}
		ret = take_option(c, id);
		if (ret)
			return ret;
	}
	if (!ret && optind < argc)
		ret = kv_fault_usage(&c->fault, "'%s' is unexpected; 'kverbs %s' takes options only, see 'kverbs %s --help'",
				     argv[optind], argv[0], argv[0]);
	if (!ret)
		ret = check_options(c);
	return ret ? ret : 1;
}

static unsigned int count_sizes(const struct compare *c, uint32_t op)
{
	return kv_work_is_atomic(op) ? 1 : c->sizes.n;
}

static void set_work(struct compare *c, unsigned int op, unsigned int size)
{
	uint32_t what = c->ops.value[op];

	kv_work_set(&c->work,
		    c->common.has_loop ? c->common.loop :
					 kv_work_default_kind(what),
		    what, kv_work_is_atomic(what) ? ATOMIC_SIZE :
						    c->sizes.value[size]);
}

/* A size that no device takes is found before minutes are spent on others. */
static int check_sizes(struct compare *c)
{
	for (unsigned int i = 0; i < c->ops.n; i++) {
		for (unsigned int k = 0; k < count_sizes(c, c->ops.value[i]); k++) {
			set_work(c, i, k);
			for (unsigned int s = 0; s < KV_SPACES; s++) {
				struct kv_space *space = &c->space[s];
				int ret;

				ret = kv_work_check_dev(&c->work, &space->dev,
							space->b->ops->space,
							&c->fault);
				/* A row can say that there are no atomics. */
				if (ret && ret != -EOPNOTSUPP)
					return ret;
			}
		}
	}
	return 0;
}

static int open_spaces(struct compare *c)
{
	const char *dev = c->common.dev;

	for (unsigned int s = 0; s < KV_SPACES; s++) {
		int ret = kv_space_open(&c->space[s], s, dev, c->common.gid,
					&c->fault);

		if (ret)
			return ret;
		/* Both have to be on the same one. */
		dev = c->space[s].dev.name;
	}
	return check_sizes(c);
}

static struct json_object *describe_spec(const struct compare *c)
{
	struct json_object *spec = json_object_new_object();
	struct json_object *ops = json_object_new_array();
	struct json_object *sizes = json_object_new_array();

	for (unsigned int i = 0; i < c->ops.n; i++)
		json_object_array_add(ops, json_object_new_string(kv_word_name(
						   kv_word_op, c->ops.value[i])));
	for (unsigned int i = 0; i < c->sizes.n; i++)
		json_object_array_add(sizes,
				      json_object_new_uint64(c->sizes.value[i]));
	kv_out_put(spec, "ops", ops);
	kv_out_put(spec, "sizes_bytes", sizes);
	kv_out_put_count(spec, "time_ns", c->plan.time_ns);
	kv_out_put_count(spec, "blocks", c->plan.pairs);
	kv_out_put_string(spec, "order", "kernel user user kernel");
	kv_out_put_string(spec, "interval",
			  "bootstrap over pairs of neighbouring blocks");
	kv_out_put_count(spec, "timeout_ns", c->work.timeout_ns);
	kv_out_put_bool(spec, "verify", c->plan.verify);
	return spec;
}

static int measure_null(struct compare *c)
{
	struct json_object *null = json_object_new_object();
	struct kv_work work = c->work;
	int ret = 0;

	kv_work_set(&work, KV_KIND_NULL, 0, 0);
	for (unsigned int s = 0; s < KV_SPACES && !ret; s++) {
		struct kv_side *side = &c->cell.side[s];

		ret = kv_side_measure_null(side, &c->space[s], &work,
					   &c->fault);
		if (!ret)
			kv_out_put(null, kv_word_name(kv_word_space, s),
				   kv_result_side(&work, s, side));
	}
	kv_out_put(c->doc, "null_loop", null);
	return ret;
}

static int measure_cell(struct compare *c)
{
	const struct kv_work *w = &c->work;
	struct json_object *row;
	char label[48], size[24];
	struct kv_fault fault;
	int ret = 0;

	kv_size_format(size, sizeof(size), w->size);
	snprintf(label, sizeof(label), "%s %s", kv_word_name(kv_word_op, w->op),
		 size);
	kv_progress_step(&c->progress, label);
	for (unsigned int s = 0; s < KV_SPACES && !ret; s++)
		ret = kv_work_check_dev(w, &c->space[s].dev,
					c->space[s].b->ops->space, &fault);
	if (ret) {
		row = kv_result_work(w);
		kv_out_put_string(row, "verdict", "the device can't do this");
		kv_result_add_fault(row, &fault);
		json_object_array_add(c->cells, row);
		if (!c->fault.error)
			c->fault = fault;
		return 0;
	}
	c->tried++;
	ret = kv_cell_measure(&c->cell, c->space, w, &c->plan, &c->progress,
			      &fault);
	if (c->cell.pairs || (ret && ret != -ECANCELED)) {
		row = kv_result_cell(&c->cell);
		if (ret)
			kv_result_add_fault(row, &fault);
		if (ret && ret != -ECANCELED)
			kv_out_put_string(row, "verdict", "failed");
		json_object_array_add(c->cells, row);
	}
	c->measured += c->cell.pairs > 0;
	kv_cell_free(&c->cell);
	if (ret) {
		kv_progress_erase(&c->progress);
		kv_fault_print(&fault);
		if (!c->failed++)
			c->fault = fault;
	}
	kv_progress_finish_step(&c->progress);
	return ret;
}

/* One that failed does not keep the others from being measured. */
static int measure_cells(struct compare *c)
{
	unsigned int steps = 0;
	int first = 0;

	for (unsigned int i = 0; i < c->ops.n; i++)
		steps += count_sizes(c, c->ops.value[i]);
	kv_progress_start(&c->progress, steps);
	for (unsigned int i = 0; i < c->ops.n; i++) {
		for (unsigned int k = 0; k < count_sizes(c, c->ops.value[i]); k++) {
			int ret;

			set_work(c, i, k);
			ret = measure_cell(c);
			if (ret && !first)
				first = ret;
			if (ret == -ECANCELED || ret == -ENODEV)
				goto out_erase;
		}
	}
out_erase:
	kv_progress_erase(&c->progress);
	return first;
}

/* The document first: text that reads well must not hide that it is not there. */
static int tell(struct compare *c)
{
	int ret = 0;

	/* A record of failures is a record; a table of them is noise. */
	if (c->measured || !c->out.to_stdout)
		ret = kv_out_commit(&c->out, c->doc, &c->fault);
	if (ret || !c->measured || c->out.to_stdout)
		return ret;
	ret = kv_report_compare(c->doc, &c->fault);
	if (!ret && c->out.path)
		printf("All of it, with the histograms: %s\n", c->common.json);
	return ret;
}

static enum kv_exit measure(struct compare *c)
{
	enum kv_exit status = KV_EXIT_DONE;
	int ret;

	c->doc = kv_result_create("kverbs.compare", describe_spec(c),
				  kv_capsule_create(c->space, KV_SPACES));
	c->cells = json_object_new_array();
	kv_out_put(c->doc, "cells", c->cells);
	ret = measure_null(c);
	if (ret)
		kv_fault_print(&c->fault);
	else
		ret = measure_cells(c);
	kv_out_put_bool(c->doc, "complete", !ret);
	if (ret) {
		status = c->fault.exit;
		kv_result_add_fault(c->doc, &c->fault);
	} else if (!c->tried) {
		kv_fault_print(&c->fault);
		status = c->fault.exit;
	}
	if (json_object_array_length(c->cells) && tell(c)) {
		kv_fault_print(&c->fault);
		status = c->fault.exit;
	}
	json_object_put(c->doc);
	return status;
}

static enum kv_exit run(struct compare *c, int argc, char **argv)
{
	enum kv_exit status;
	int ret;

	ret = read_options(c, argc, argv);
	if (!ret)
		return KV_EXIT_DONE;
	if (ret < 0)
		goto out_fault;
	ret = kv_out_open(&c->out, c->common.json, &c->fault);
	if (ret)
		goto out_fault;
	ret = open_spaces(c);
	if (ret)
		goto out_close;
	status = measure(c);
	goto out;

out_close:
	kv_fault_print(&c->fault);
	status = c->fault.exit;
out:
	for (unsigned int s = 0; s < KV_SPACES; s++)
		kv_space_close(&c->space[s]);
	kv_out_close(&c->out);
	return status;
out_fault:
	kv_fault_print(&c->fault);
	return c->fault.exit;
}

/**
 * kv_cmd_compare() - measure operations in both spaces, and the difference
 * @argc: of the command
 * @argv: argv[0] is the command's name
 *
 * Return: enum kv_exit
 */
int kv_cmd_compare(int argc, char **argv)
{
	struct compare *c = calloc(1, sizeof(*c));
	int status;

	if (!c) {
		fprintf(stderr, "kverbs: no memory\n");
		return KV_EXIT_FAILED;
	}
	status = run(c, argc, argv);
	free(c);
	return status;
}
