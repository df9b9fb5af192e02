// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contract.h"

static unsigned int tests, failures;
static const char *heading = "";

void section(const char *name)
{
	heading = name;
}

void result(bool good, const char *fmt, ...)
{
	va_list args;

	printf("%sok %u - %s: ", good ? "" : "not ", ++tests, heading);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	failures += !good;
}

void note(const char *fmt, ...)
{
	va_list args;

	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

void skip(const char *name, const char *why)
{
	printf("ok %u - %s: %s # SKIP %s\n", ++tests, heading, name, why);
}

bool is_iwarp(void)
{
	return kv_dev_is_iwarp(&caps);
}

bool lacks(const char *name, const char *what)
{
	char why[128];

	if (!is_iwarp())
		return false;
	snprintf(why, sizeof(why), "%s is iWARP: no %s", dev, what);
	skip(name, why);
	return true;
}

void missing(const char *name, const char *why)
{
	if (!has_kmemleak()) {
		skip(name, why);
		return;
	}
	result(false, "%s", name);
	note("  %s", why);
}

/* A step that the other tests need has failed: without it they would prove nothing. */
void bail_out(const char *fmt, ...)
{
	va_list args;

	printf("Bail out! %s: ", heading);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	exit(1);
}

bool all_passed(void)
{
	printf("1..%u\n", tests);
	return !failures;
}

void done(struct link *l, int ret, const char *name)
{
	result(!ret, "%s", name);
	if (ret)
		note("  %d \"%s\"", ret, l->nl.base.err);
}

void must(struct link *l, int ret, const char *what)
{
	if (ret)
		bail_out("%s: %d \"%s\"", what, ret, l->nl.base.err);
}

/* FNV-1a */
static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *byte = data;

	while (size--)
		hash = (hash ^ *byte++) * 0x100000001b3;
	return hash;
}

struct hash {
	enum kv_type noun;
	uint64_t value;
};

static int on_object(const union kv_object *object, void *arg)
{
	union kv_object copy = *object;
	struct hash *hash = arg;

	/* They count on while a run is active. */
	if (hash->noun == KV_QP) {
		copy.qp.attr.rq_psn = 0;
		copy.qp.attr.sq_psn = 0;
	}
	/* Its peer moves it, too. */
	if (hash->noun == KV_CONN)
		hash->value = mix(hash->value, &copy.conn.id, sizeof(copy.conn.id));
	else
		hash->value = mix(hash->value, &copy, kv_nl_objects[hash->noun].shape->size);
	return 0;
}

struct snapshot snapshot(struct link *l)
{
	static const enum kv_type nouns[] = {
		KV_PD, KV_CQ, KV_BUF, KV_MR, KV_SRQ, KV_AH, KV_QP,
		KV_CONN,
	};
	struct hash hash = { .value = 0xcbf29ce484222325 };
	struct kv_info info;
	unsigned int i;

	for (i = 0; i < COUNT(nouns); i++) {
		hash.noun = nouns[i];
		must(l, kv_nl_each(&l->nl.base, nouns[i], on_object, &hash), "list");
	}
	must(l, call_info_get(&l->nl, &info), "info");
	return (struct snapshot){
		.hash = hash.value,
		.live = info.created - info.destroyed,
		.bytes = info.buffer_bytes,
	};
}

/*
 * Does the refusal point at an attribute, or at one that is missing? Of a raw message no name is
 * known. A limit of memory, or of objects, is the fault of none, and says what is in use.
 */
static bool points(const struct link *l, const char *err)
{
	return l->raw || l->nl.base.refused || l->nl.base.failed || strstr(err, "missing") ||
	       strstr(err, "; in use are ");
}

void check_refused(struct link *l, const struct snapshot *before, int ret, int error,
		   enum kverbs_stage failed, const char *text, const char *name)
{
	uint32_t told = l->nl.base.failed;
	struct snapshot after;
	bool said, same, pointed;
	char err[512];

	snprintf(err, sizeof(err), "%s", ret ? l->nl.base.err : "");
	pointed = !ret || points(l, err);
	l->raw = false;
	after = snapshot(l);
	said = ret == error && strstr(err, text) && told == failed;
	same = after.hash == before->hash && after.live == before->live &&
	       after.bytes == before->bytes;
	result(said && same && pointed, "%s", name);
	if (!pointed)
		note("  no attribute is named: %s", err);
	if (!said)
		note("  got %d \"%s\", stage %u\n#   want %d \"%s\", stage %u", ret, err, told,
		     error, text, failed);
	if (!same)
		note("  objects %llu, before %llu; bytes %llu, before %llu; hash %llx, before %llx",
		     (unsigned long long)after.live,
		     (unsigned long long)before->live,
		     (unsigned long long)after.bytes,
		     (unsigned long long)before->bytes,
		     (unsigned long long)after.hash,
		     (unsigned long long)before->hash);
}
