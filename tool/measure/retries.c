// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "cli/parse.h"
#include "measure/retries.h"
#include "out/out.h"
#include "out/unit.h"

/* Says what each of the counters below means. */
#define TABLE "docs/troubleshooting.md"

/*
 * The counters of packets that were lost, late, sent again or not taken, by the names
 * that the Linux drivers give them. The drivers' other counters count traffic.
 */
static const char *const troubles[] = {
	"completer_retry_err",	 "duplicate_request",
	"implied_nak_seq_err",	 "local_ack_timeout_err",
	"out_of_buffer",	 "out_of_seq_request",
	"out_of_sequence",	 "packet_seq_err",
	"rcvd_rnr_err",		 "rcvd_seq_err",
	"retry_exceeded_err",	 "retry_rnr_exceeded_err",
	"rnr_nak_retry_err",	 "send_err",
	"send_rnr_err",
};

static bool is_trouble(const char *name)
{
	for (unsigned int i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++)
		if (!strcmp(name, troubles[i]))
			return true;
	return false;
}

static const struct kv_counter *find(const struct kv_counters *c, const char *name)
{
	for (unsigned int i = 0; i < c->counters; i++)
		if (!strcmp(c->counter[i].name, name))
			return &c->counter[i];
	return NULL;
}

static bool is_same(const struct kv_site *client, const struct kv_site *server)
{
	return client && !client->host && !server->host &&
	       !strcmp(client->dev.name, server->dev.name);
}

static bool read_end(const struct kv_site *s, struct kv_counters *c)
{
	return s && !kv_op_counters(s->b, &(struct kv_dev_port){ s->dev.name, s->port->number }, c,
				    NULL);
}

/**
 * kv_retries_count() - how many packets were lost, late or sent again so far
 * @client: one end; NULL: only the other end's are counted
 * @server: the other end
 *
 * Return: the sum over the devices of both; a counter that a driver lacks adds nothing.
 */
uint64_t kv_retries_count(const struct kv_site *client, const struct kv_site *server)
{
	const struct kv_site *end[2] = { client, is_same(client, server) ? NULL : server };
	struct kv_counters c;
	uint64_t n = 0;

	for (unsigned int e = 0; e < 2; e++) {
		if (!read_end(end[e], &c))
			continue;
		for (unsigned int i = 0; i < c.counters; i++)
			n += is_trouble(c.counter[i].name) ? c.counter[i].value : 0;
	}
	return n;
}

/**
 * kv_retries_start() - read the drivers' counters before a measurement
 * @r: receives the first reading
 * @client: one end; must stay open
 * @server: the other end; must stay open, too
 *
 * A driver without counters is no fault: its counts are described as not known.
 */
void kv_retries_start(struct kv_retries *r, const struct kv_site *client,
		      const struct kv_site *server)
{
	memset(r, 0, sizeof(*r));
	kv_retries_add(r, client);
	kv_retries_add(r, is_same(client, server) ? NULL : server);
}

/**
 * kv_retries_add() - read the counters of one more end before a measurement
 * @r: kv_retries_start() was called
 * @server: the end; must stay open; NULL: an end whose device is counted already
 */
void kv_retries_add(struct kv_retries *r, const struct kv_site *server)
{
	r->site[r->n] = server;
	r->counted[r->n] = read_end(server, &r->before[r->n]);
	r->n++;
}

/**
 * kv_retries_stop() - read the drivers' counters again
 * @r: kv_retries_start() was called
 */
void kv_retries_stop(struct kv_retries *r)
{
	for (unsigned int end = 0; end < r->n; end++)
		r->counted[end] &= read_end(r->site[end], &r->after[end]);
}

static struct json_object *subtract(const struct kv_counters *before,
				    const struct kv_counters *after)
{
	struct json_object *added = json_object_new_object();

	for (unsigned int i = 0; i < after->counters; i++) {
		const struct kv_counter *now = &after->counter[i];
		const struct kv_counter *then = find(before, now->name);

		if (then)
			kv_out_put_count(added, now->name, now->value - then->value);
	}
	return added;
}

/**
 * kv_retries_describe() - describe the counts between the two readings
 * @r: kv_retries_stop() was called
 *
 * Return: an array with an object for each device: "host" (null: this one),
 * "device", and "added", an object with a member for each counter, or null if the
 * driver has no counters.
 */
struct json_object *kv_retries_describe(const struct kv_retries *r)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int end = 0; end < r->n; end++) {
		const struct kv_site *s = r->site[end];
		struct json_object *item;

		if (!s)
			continue;
		item = json_object_new_object();
		kv_out_put_string(item, "host", s->host);
		kv_out_put_string(item, "device", s->dev.name);
		kv_out_put(item, "added", r->counted[end] ?
			   subtract(&r->before[end], &r->after[end]) : NULL);
		json_object_array_add(list, item);
	}
	return list;
}

static void format_troubles(char *text, size_t size, struct json_object *added)
{
	*text = '\0';
	json_object_object_foreach(added, name, count) {
		uint64_t value = json_object_get_uint64(count);

		if (value && is_trouble(name))
			kv_append(text, size, "%s%s %s", *text ? ", " : "", name, KV_COUNT(value));
	}
	kv_append(text, size, "%s", *text ? " (" TABLE ")" : "nothing");
}

/**
 * kv_retries_tell() - print how many packets were lost, late or sent again
 * @described: the array of kv_retries_describe()
 */
void kv_retries_tell(struct json_object *described, FILE *out)
{
	for (size_t i = 0; i < json_object_array_length(described); i++) {
		struct json_object *item = json_object_array_get_idx(described, i);
		struct json_object *added = kv_out_get(item, "/added");
		struct json_object *host = kv_out_get(item, "/host");
		char text[512] = "not known, the driver counts nothing";

		if (added)
			format_troubles(text, sizeof(text), added);
		fprintf(out, "lost, late or sent again, as counted by %s%s%s: %s\n",
		       kv_out_get_string(item, "/device"), host ? " of " : "",
		       host ? json_object_get_string(host) : "", text);
	}
}
