// SPDX-License-Identifier: MIT
/* Commands of a batch that need no verb: echo, set, sleep, expect, refused. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include "batch/session.h"
#include "cli/interrupt.h"
#include "object/text.h"
#include "out/out.h"
#include "sys/now.h"

static int echo(struct kv_session *s, char **word, size_t n,
		struct json_object *result, struct kv_fault *f)
{
	size_t size = 1;
	char *text, *at;

	for (size_t i = 0; i < n; i++)
		size += strlen(word[i]) + 1;
	text = calloc(1, size);
	if (!text)
		return kv_fault_no_memory(f);
	at = text;
	for (size_t i = 0; i < n; i++) {
		at = stpcpy(at, i ? " " : "");
		at = stpcpy(at, word[i]);
	}
	kv_out_put_string(result, "text", text);
	free(text);
	return 0;
}

static int set(struct kv_session *s, char **word, size_t n,
	       struct json_object *result, struct kv_fault *f)
{
	if (n != 2)
		return kv_fault_usage(f, "it takes a name and a value");
	return kv_variables_set(&s->variables, word[0], word[1], f);
}

static int sleep_for(struct kv_session *s, char **word, size_t n,
		     struct json_object *result, struct kv_fault *f)
{
	struct kv_why why;
	uint64_t ns, end_ns;
	int ms;

	if (n != 1)
		return kv_fault_usage(f, "it takes a time");
	if (kv_parse_time(word[0], 0, KV_ARGS_TIME_MAX_NS, &ns, &why))
		return kv_fault_usage(f, "'%s' %s", word[0], why.text);
	end_ns = kv_now_ns() + ns;
	while (!kv_interrupt_seen() && (ms = kv_interrupt_wait_ms(end_ns)))
		poll(NULL, 0, ms);
	if (kv_interrupt_seen())
		return kv_fault_set(f, -EINTR, "interrupted");
	return 0;
}

/* Are both texts numbers, and equal? 0x10 equals 16. */
static bool same_number(const char *a, const char *b)
{
	struct kv_why why;
	uint64_t x, y;

	return !kv_parse_count(a, 0, UINT64_MAX, &x, &why) &&
	       !kv_parse_count(b, 0, UINT64_MAX, &y, &why) && x == y;
}

static int expect(struct kv_session *s, char **word, size_t n,
		  struct json_object *result, struct kv_fault *f)
{
	char *found = NULL, *name = NULL, *reference = NULL;
	bool same;
	int ret;

	if (n != 2)
		return kv_fault_usage(f, "it takes a field of the last result, and its value");
	if (!s->last)
		return kv_fault_usage(f, "no command has printed a result yet");
	reference = malloc(strlen(word[0]) + sizeof("last._name"));
	if (!reference)
		return kv_fault_no_memory(f);
	sprintf(reference, "last.%s", word[0]);
	ret = kv_session_expand(s, reference, &found, f);
	if (ret)
		goto out_free;
	/* A status has a number and a name: either may be expected. */
	sprintf(reference, "%s_name", word[0]);
	if (kv_field_text(s->last, reference, &name))
		name = NULL;
	same = !strcmp(found, word[1]) || same_number(found, word[1]) ||
	       (name && !strcmp(name, word[1]));
	if (!same)
		ret = kv_fault_set(f, -EBADMSG, "%s is '%s'%s%s%s, and not '%s'", word[0], found,
				   name ? " (" : "", name ? name : "", name ? ")" : "", word[1]);
	free(name);
	free(found);
out_free:
	free(reference);
	return ret;
}

static int refused(struct kv_session *s, char **word, size_t n,
		   struct json_object *result, struct kv_fault *f)
{
	struct json_object *inner;
	struct kv_choice c;
	char title[64];
	int error, ret;

	if (n < 2)
		return kv_fault_usage(f, "it takes the name of an errno, and a command");
	error = kv_errno_number(word[0]);
	if (!error)
		return kv_fault_usage(f, "'%s' is no errno's name; one is EINVAL", word[0]);
	ret = kv_command_choose(word + 1, n - 1, &c, f);
	if (ret)
		return ret;
	kv_command_title(title, sizeof(title), c.noun, c.command);
	if (c.command->raw)
		return kv_fault_usage(f, "'%s' calls no verb that could refuse it", title);
	inner = json_object_new_object();
	ret = kv_session_command(s, &c, word + 1, n - 1, inner, f);
	json_object_put(inner);
	/* Neither a wrong command line nor Ctrl-C counts as a refusal. */
	if (ret && (f->exit == KV_EXIT_USAGE || kv_interrupt_seen()))
		return ret;
	if (!ret)
		return kv_fault_set(f, -EBADMSG, "'%s' was carried out, and not refused with %s",
				    title, word[0]);
	if (ret != error) {
		char text[768];

		snprintf(text, sizeof(text), "%.767s", f->text);
		return kv_fault_set(f, -EBADMSG, "'%s' was refused with %s, and not with %s: %s",
				    title, kv_errno_name(ret), word[0], text);
	}
	kv_out_put_string(result, "command", title);
	kv_out_put_string(result, "errno", word[0]);
	kv_out_put_string(result, "text", f->text);
	return 0;
}

KV_NOUN_COMMAND(echo, "prints a text", true,
		.words = "TEXT...", .raw = echo, .print = kv_text_plain);
KV_NOUN_COMMAND(set, "gives a variable its value", true, "$NAME stands for it from then on.",
		.words = "NAME VALUE", .raw = set);
KV_NOUN_COMMAND(sleep, "waits", true, .words = "TIME", .raw = sleep_for);
KV_NOUN_COMMAND(expect, "checks a field of the last result", true,
		"Fields of fields have dots between their names, and lists count from 0, as in completions.0.status. A status can be named by its number or by its name. The batch ends if the field has another value.",
		.words = "FIELD VALUE", .raw = expect);
KV_NOUN_COMMAND(refused, "carries out a command that must be refused", true,
		"The batch goes on if it is, with that errno, and ends if it is not.",
		.words = "ERRNO COMMAND...", .raw = refused, .print = kv_text_refused);
