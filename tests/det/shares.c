// SPDX-License-Identifier: MIT
/*
 * A plugin for QEMU's TCG: of the instructions between two time stamps of kverbs, how many are its
 * own, how many a library's and how many the kernel's, drivers among it?
 *
 * Arguments: out=FILE; own=LOW-HIGH, addresses in the guest (hexadecimal) where kverbs' own code stands;
 * loop=LOW-HIGH, those of a measured loop. The last two may be given several times. A time stamp is an
 * RDTSC or RDTSCP of a loop. Each pair of them that follow one another is a window, counted from the
 * first one on and without the second, as the guest's own counter does. Windows are gathered until the
 * guest executes a mark (mark.h); each mark, and the end, writes lines of
 *
 *     MARK FROM TO WINDOWS KVERBS LIBRARY KERNEL
 *
 * to FILE: the mark's number, the addresses of both stamps, and how many windows had these three counts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mark.h"
#include "qemu_plugin.h"

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

/* Of each of the two kinds. */
#define RANGES_MAX 128

/* The first address of the kernel's half. */
#define KERNEL_HALF 0x800000000000ULL

/* Different windows between two marks; a power of two. */
#define KINDS_MAX 65536

enum part { KVERBS, LIBRARY, KERNEL, PARTS };

struct ranges {
	struct {
		uint64_t low;
		uint64_t high;
	} range[RANGES_MAX];
	unsigned int n;
};

/* How many windows are like this one; empty while @times is 0. */
struct kind {
	uint64_t from;
	uint64_t to;
	uint64_t count[PARTS];
	uint64_t times;
};

static struct ranges own, loops;
static FILE *out;

/* Since the guest was started; the translated code adds to them. */
static uint64_t executed[PARTS];

/* At the stamp before this one. */
static uint64_t stamp;
static uint64_t at_stamp[PARTS];

static struct kind kinds[KINDS_MAX];
static unsigned int used, mark;

static int is_in(const struct ranges *r, uint64_t address)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (address >= r->range[i].low && address < r->range[i].high)
			return 1;
	return 0;
}

static enum part part_of(uint64_t address)
{
	if (is_in(&own, address))
		return KVERBS;
	return address < KERNEL_HALF ? LIBRARY : KERNEL;
}

/* Where a window is counted, or where there is room for it; NULL if there is none. */
static struct kind *find_kind(const struct kind *k)
{
	uint64_t hash = k->from * 31 + k->to;
	struct kind *slot;

	for (int i = 0; i < PARTS; i++)
		hash = hash * 1000003 + k->count[i];
	for (hash ^= hash >> 20;; hash++) {
		slot = &kinds[hash % KINDS_MAX];
		if (!slot->times)
			return used < KINDS_MAX / 2 ? slot : NULL;
		if (slot->from == k->from && slot->to == k->to && !memcmp(slot->count, k->count, sizeof(k->count)))
			return slot;
	}
}

static void at_time_stamp(unsigned int vcpu, void *arg)
{
	struct kind k = { .from = stamp, .to = (uintptr_t)arg }, *slot;

	(void)vcpu;
	for (int i = 0; i < PARTS; i++) {
		k.count[i] = executed[i] - at_stamp[i];
		at_stamp[i] = executed[i];
	}
	stamp = k.to;
	slot = k.from ? find_kind(&k) : NULL;
	if (!slot)
		return;
	if (!slot->times) {
		*slot = k;
		used++;
	}
	slot->times++;
}

static void write_kinds(void)
{
	for (unsigned int i = 0; i < KINDS_MAX; i++) {
		const struct kind *k = &kinds[i];

		if (k->times)
			fprintf(out, "%u %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
				mark, k->from, k->to, k->times, k->count[KVERBS], k->count[LIBRARY],
				k->count[KERNEL]);
	}
	memset(kinds, 0, sizeof(kinds));
	used = 0;
	fflush(out);
}

static void at_mark(unsigned int vcpu, void *arg)
{
	(void)vcpu;
	(void)arg;
	write_kinds();
	mark++;
	stamp = 0;
}

static void at_exit(qemu_plugin_id_t id, void *arg)
{
	(void)id;
	(void)arg;
	write_kinds();
	if (fclose(out))
		perror("shares");
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	static const uint8_t rdtsc[] = { 0x0f, 0x31 }, rdtscp[] = { 0x0f, 0x01, 0xf9 }, nop[] = { KV_MARK };

	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		const void *code = qemu_plugin_insn_data(insn);
		size_t size = qemu_plugin_insn_size(insn);

#define IS(what) (size == sizeof(what) && !memcmp(code, what, size))
		if (is_in(&loops, address) && (IS(rdtsc) || IS(rdtscp)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, at_time_stamp, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)address);
		else if (IS(nop))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, at_mark, QEMU_PLUGIN_CB_NO_REGS, NULL);
#undef IS
		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
							   &executed[part_of(address)], 1);
	}
}

static int read_range(const char *text, struct ranges *r)
{
	uint64_t low, high;

	if (r->n == RANGES_MAX || sscanf(text, "%" SCNx64 "-%" SCNx64, &low, &high) != 2 || low >= high)
		return -1;
	r->range[r->n].low = low;
	r->range[r->n++].high = high;
	return 0;
}

static int read_argument(const char *arg)
{
	if (!strncmp(arg, "own=", 4))
		return read_range(arg + 4, &own);
	if (!strncmp(arg, "loop=", 5))
		return read_range(arg + 5, &loops);
	if (strncmp(arg, "out=", 4) || out)
		return -1;
	out = fopen(arg + 4, "w");
	return out ? 0 : -1;
}

/**
 * qemu_plugin_install() - called by QEMU when it loads the plugin
 * @id: the plugin's, for other calls
 * @info: about QEMU; not used
 * @argc: of the arguments behind the file's name
 * @argv: as NAME=VALUE
 *
 * Return: 0, or -1 if an argument is wrong: QEMU ends.
 */
__attribute__((visibility("default")))
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (read_argument(argv[i])) {
			fprintf(stderr, "shares: argument '%s'\n", argv[i]);
			return -1;
		}
	}
	if (!out || !own.n || !loops.n) {
		fprintf(stderr, "shares: out=, own= and loop= are needed\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
