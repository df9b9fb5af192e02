// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/param.h>
#include "cli/parse.h"
#include "model/backend.h"
#include "rules/cq.h"

#define MTU_MIN 256
#define MTU_MAX 4096

#define RATE_PERCENT_MAX 1000

int kv_why_set(struct kv_why *why, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

/* Unlike isdigit() and strtoull(), independent of the locale. */
static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes digits off the front of a text. 0, -EINVAL: none, -ERANGE: too many. */
static int take_number(const char **text, uint64_t *value)
{
	uint64_t v = 0;

	if (!digit(**text))
		return -EINVAL;
	for (; digit(**text); (*text)++) {
		uint64_t d = (uint64_t)(**text - '0');

		if (v > (UINT64_MAX - d) / 10)
			return -ERANGE;
		v = v * 10 + d;
	}
	*value = v;
	return 0;
}

/* Like take_number(), for a number that may begin with 0x. */
static int take_any_number(const char **text, uint64_t *value)
{
	uint64_t v = 0;

	if ((*text)[0] != '0' || ((*text)[1] != 'x' && (*text)[1] != 'X'))
		return take_number(text, value);
	*text += 2;
	if (kv_hex_digit(**text) < 0)
		return -EINVAL;
	for (; kv_hex_digit(**text) >= 0; (*text)++) {
		if (v >> 60)
			return -ERANGE;
		v = v << 4 | (uint64_t)kv_hex_digit(**text);
	}
	*value = v;
	return 0;
}

/* Refuses a text that should begin with a number. */
static int refuse_number(const char *text, int error, const char *what, struct kv_why *why)
{
	if (!*text)
		return kv_why_set(why, "is empty; it takes %s", what);
	if (*text == '-')
		return kv_why_set(why, "is negative; it takes %s", what);
	if (error == -ERANGE)
		return kv_why_set(why, "is too large; it takes %s", what);
	return kv_why_set(why, "is no number; it takes %s", what);
}

const char *kv_enum_name(const struct kv_enum *table, uint32_t value)
{
	for (; table->name; table++) {
		if (table->value == value)
			return table->name;
	}
	return "?";
}

bool kv_word_begins(const char *word, const char *text, size_t n)
{
	for (; n && (*word == *text || (*word == '-' && *text == '_')); n--) {
		word++;
		text++;
	}
	return !n;
}

bool kv_match(struct kv_match *m, const char *text, const char *word, const void *row)
{
	size_t n = strlen(text);
	bool whole = kv_word_begins(word, text, n) && !word[n];

	if (whole || (n && kv_word_begins(word, text, n))) {
		m->n = whole ? 1 : m->n + 1;
		m->row = m->n == 1 ? row : NULL;
	}
	return whole;
}

static int find_word(const char *text, size_t length, const struct kv_enum *table, uint32_t *value)
{
	for (; table->name; table++) {
		if (strlen(table->name) == length && (kv_word_begins(table->name, text, length) ||
						      !strncasecmp(table->name, text, length))) {
			*value = table->value;
			return 0;
		}
	}
	return -ENOENT;
}

void kv_enum_list(const struct kv_enum *table, const char *glue, const char *last, char *text,
		  size_t size)
{
	text[0] = '\0';
	for (const struct kv_enum *w = table; w->name; w++)
		kv_append(text, size, "%s%s", w == table ? "" : w[1].name ? glue : last, w->name);
}

int kv_parse_enum(const char *text, const struct kv_enum *table,
		  uint32_t *value, struct kv_why *why)
{
	char words[128];

	if (!find_word(text, strlen(text), table, value))
		return 0;
	kv_enum_list(table, ", ", " or ", words, sizeof(words));
	return kv_why_set(why, "%s; it takes %s", *text ? "is not known" : "is empty", words);
}

/* A unit behind a number. */
struct unit {
	const char *name;
	uint64_t factor;
};

/* Numbers that are typed: their units, and the words of a refusal. */
struct quantity {
	struct unit unit[8]; /* the last one has no name; no unit means the first one */
	bool cut; /* fractions of the smallest unit are cut off */
	const char *small, *large;
};

static const struct quantity number = {
	{ { "", 1 }, { "k", 1000 }, { "m", 1000000 }, { "g", 1000000000 } },
	.small = "small", .large = "large",
};

/* b or ib may follow. */
static const struct quantity size = {
	{ { "", 1 }, { "k", 1 << 10 }, { "m", 1 << 20 }, { "g", 1 << 30 }, { "t", 1ULL << 40 } },
	.small = "small", .large = "large",
};

static const struct quantity duration = {
	{ { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
	  { "m", 60000000000 }, { "min", 60000000000 }, { "h", 3600000000000 } },
	.cut = true, .small = "short", .large = "long",
};

static int refuse_quantity(const struct quantity *q, const char *text, const char *end, int error,
			   uint64_t min, uint64_t max, struct kv_why *why)
{
	unsigned long long least = min, most = max;
	char what[128];

	if (q == &duration)
		snprintf(what, sizeof(what), "a time from %.12gs to %.12gs, as in 2, 0.5s or 200ms",
			 (double)min / 1e9, (double)max / 1e9);
	else if (q == &size)
		snprintf(what, sizeof(what), "bytes from %llu to %llu, or KiB, MiB or GiB as in 4k, 1m or 1g",
			 least, most);
	else
		snprintf(what, sizeof(what), "a number from %llu to %llu", least, most);
	if (error == -EINVAL || *text == '-')
		return refuse_number(text, error, what, why);
	if (error == -EDOM)
		return kv_why_set(why, "is no whole number; it takes %s", what);
	if (error == -EBADMSG)
		return kv_why_set(why, "has '%.16s' behind its number; it takes %s", end, what);
	return kv_why_set(why, "is too %s; it takes %s", error == -ENOMSG ? q->small : q->large, what);
}

/*
 * Takes a unit off the front of a text: to its end, to a comma, or to the "-" of a range. 0: there
 * is no such unit.
 */
static uint64_t take_unit(const struct quantity *q, const char **text)
{
	size_t n = strcspn(*text, ",-"), length = n;

	if (q == &size && n && strchr("bB", (*text)[n - 1]))
		length -= n > 2 && strchr("iI", (*text)[n - 2]) ? 2 : 1;
	for (const struct unit *u = q->unit; u->name; u++) {
		if (length && (strlen(u->name) != length || strncasecmp(*text, u->name, length)))
			continue;
		*text += n;
		return u->factor;
	}
	return 0;
}

/* Takes a fraction of up to nine digits, and a power of ten. Returns the value's exponent. */
static int take_fraction(const char **text, uint64_t *value, bool *rest)
{
	const char *at = *text + (**text == '.' && digit((*text)[1]));
	int exponent = 0, power = 0;

	for (; at > *text && digit(*at); at++) {
		if (exponent == -9 || *value > UINT64_MAX / 10 - 1) {
			*rest |= *at != '0';
			continue;
		}
		*value = *value * 10 + (uint64_t)(*at - '0');
		exponent--;
	}
	*text = at;
	if ((*at == 'e' || *at == 'E') && digit(at[1])) {
		/* A power above 99 is as much too large as 99. */
		for (at++; digit(*at); at++)
			power = power > 9 ? 99 : power * 10 + (*at - '0');
		*text = at;
	}
	return exponent + power;
}

/*
 * Takes a quantity off the front of a text: digits, perhaps with a fraction and a power of ten, or
 * 0x and hexadecimal digits; then a unit.
 */
static int take_quantity(const struct quantity *q, const char **text, uint64_t *value)
{
	bool hex = (*text)[0] == '0' && ((*text)[1] | 0x20) == 'x', rest = false;
	int exponent = 0, ret = take_any_number(text, value);
	uint64_t factor;

	if (ret)
		return ret;
	if (!hex)
		exponent = take_fraction(text, value, &rest);
	factor = take_unit(q, text);
	if (!factor)
		return -EBADMSG;
	for (; exponent < 0 && !(factor % 10); exponent++)
		factor /= 10;
	if (__builtin_mul_overflow(*value, factor, value))
		return -ERANGE;
	for (; exponent > 0 && *value; exponent--) {
		if (__builtin_mul_overflow(*value, 10, value))
			return -ERANGE;
	}
	for (; exponent < 0; exponent++) {
		rest |= *value % 10 != 0;
		*value /= 10;
	}
	return rest && !q->cut ? -EDOM : 0;
}

/* Parses a text, or an entry of a list. @text: receives its end. */
static int parse_quantity(const struct quantity *q, const char **text, uint64_t min, uint64_t max,
			  uint64_t *value, struct kv_why *why)
{
	const char *end = *text;
	uint64_t v;
	int ret = take_quantity(q, &end, &v);

	if (!ret && v < min)
		ret = -ENOMSG;
	if (!ret && v > max)
		ret = -ERANGE;
	if (ret)
		return refuse_quantity(q, *text, end, ret, min, max, why);
	*value = v;
	*text = end;
	return 0;
}

/* Parses a whole text. */
static int parse_one(const struct quantity *q, const char *text, uint64_t min, uint64_t max,
		     uint64_t *value, struct kv_why *why)
{
	uint64_t v;
	int ret = parse_quantity(q, &text, min, max, &v, why);

	if (!ret && *text)
		return kv_why_set(why, "is a %s; it takes one value", *text == '-' ? "range" : "list");
	if (!ret)
		*value = v;
	return ret;
}

int kv_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value,
		   struct kv_why *why)
{
	return parse_one(&number, text, min, max, value, why);
}

int kv_parse_size(const char *text, uint32_t *bytes, struct kv_why *why)
{
	uint64_t v = 0;
	int ret = parse_one(&size, text, 1, UINT32_MAX, &v, why);

	if (!ret)
		*bytes = (uint32_t)v;
	return ret;
}

int kv_parse_bytes(const char *text, uint64_t max, uint64_t *bytes, struct kv_why *why)
{
	return parse_one(&size, text, 0, max, bytes, why);
}

int kv_parse_time(const char *text, uint64_t min_ns, uint64_t max_ns, uint64_t *ns,
		  struct kv_why *why)
{
	return parse_one(&duration, text, min_ns, max_ns, ns, why);
}

int kv_parse_port(const char *text, void *port, struct kv_why *why)
{
	uint64_t v;

	if (text[strspn(text, "0123456789")])
		return kv_why_set(why, "is no number; it takes a number from 1 to %d", UINT16_MAX);
	if (kv_parse_count(text, 1, UINT16_MAX, &v, why))
		return -EINVAL;
	*(const char **)port = text;
	return 0;
}

int kv_parse_cpus(const char *text, void *cpus, struct kv_why *why)
{
	static const char what[] = "CPU numbers, as in 1 or 1,0";
	struct kv_cpus found = { 0 };

	for (;;) {
		const char *end = text;
		uint64_t v;
		int ret = take_number(&end, &v);

		if (!ret && v > KV_PARSE_CPU_MAX)
			ret = -ERANGE;
		if (ret && found.n)
			return kv_why_set(why, "has no CPU number behind its comma; it takes %s", what);
		if (ret)
			return refuse_number(text, ret, what, why);
		if (found.n == KV_RUN_WORKERS_MAX)
			return kv_why_set(why, "has more than %d CPUs; it takes %s", KV_RUN_WORKERS_MAX, what);
		if (*end && *end != ',')
			return kv_why_set(why, "has '%.16s' behind its number; it takes %s", end, what);
		found.cpu[found.n++] = (int32_t)v;
		if (!*end)
			break;
		text = end + 1;
	}
	*(struct kv_cpus *)cpus = found;
	return 0;
}

int kv_parse_moderation(const char *text, void *moderation, struct kv_why *why)
{
	static const char what[] = "completions and microseconds, both 1 to 65535, as in 16,8";
	const char *end = text;
	uint64_t count, period;
	int ret = take_number(&end, &count);

	if (!ret && *end != ',')
		return kv_why_set(why, "has no comma behind its first number; it takes %s", what);
	if (!ret) {
		end++;
		ret = take_number(&end, &period);
	}
	if (!ret && *end)
		return kv_why_set(why, "has '%.16s' behind its numbers; it takes %s", end, what);
	if (ret)
		return refuse_number(text, ret, what, why);
	if (!count || count > UINT16_MAX || !period || period > UINT16_MAX)
		return kv_why_set(why, "has a number that is out of range; it takes %s", what);
	*(struct kv_cq_moderation *)moderation =
		(struct kv_cq_moderation){ (uint32_t)count, (uint32_t)period };
	return 0;
}

/* @text, @length: the entry that @value was read from */
static int add_value(struct kv_list *list, uint32_t value, const char *text, size_t length,
		     struct kv_why *why)
{
	for (unsigned int i = 0; i < list->n; i++) {
		if (list->value[i] == value)
			return kv_why_set(why, "names '%.*s' twice", (int)length, text);
	}
	if (list->n == KV_PARSE_LIST_MAX)
		return kv_why_set(why, "has more than %d entries", KV_PARSE_LIST_MAX);
	list->value[list->n++] = value;
	return 0;
}

/* @more: the words beside those of @table, for the text of a refusal */
static int take_words(const char *text, const struct kv_enum *table, const char *more,
		      struct kv_list *list, struct kv_why *why)
{
	char words[128];
	int ret = 0;

	kv_enum_list(table, ", ", " or ", words, sizeof(words));
	for (;; text++) {
		size_t length = strcspn(text, ",");
		uint32_t value;

		if (!length && !*more)
			return kv_why_set(why, "has an empty entry; it takes a list of %s", words);
		if (find_word(text, length, table, &value))
			return kv_why_set(why, "has '%.*s', which is not known; it takes a list of %s%s",
					  (int)(length < 32 ? length : 32), text, words, more);
		ret = add_value(list, value, text, length, why);
		text += length;
		if (ret || !*text)
			return ret;
	}
}

int kv_parse_ops(const char *text, void *list, struct kv_why *why)
{
	struct kv_list found = { 0 };
	int ret = take_words(text, kv_enum_op, "", &found, why);

	if (!ret)
		*(struct kv_list *)list = found;
	return ret;
}

/* enum kverbs_cq_context of each; "all" lists all of them. */
int kv_parse_completions(const char *text, void *list, struct kv_why *why)
{
	struct kv_list found = { 0 };
	int ret = 0;

	if (!strcmp(text, "all")) {
		for (const struct kv_enum *at = kv_enum_cq_context; at->name; at++)
			found.value[found.n++] = at->value;
	} else {
		ret = take_words(text, kv_enum_cq_context, ", or all", &found, why);
	}
	if (!ret)
		*(struct kv_list *)list = found;
	return ret;
}

int kv_parse_flags(const char *text, const struct kv_enum *table, uint32_t *flags,
		   struct kv_why *why)
{
	struct kv_list found = { 0 };
	uint32_t bits = 0;
	int ret = 0;

	if (!strcmp(text, "all")) {
		for (; table->name; table++)
			bits |= table->value;
	} else if (strcmp(text, "none")) {
		ret = take_words(text, table, ", or all, or none", &found, why);
	}
	for (unsigned int i = 0; i < found.n; i++)
		bits |= found.value[i];
	if (!ret)
		*flags = bits;
	return ret;
}

/*
 * Adds the values of an entry that names its first and its last one: each is twice the one before.
 */
static int add_range(struct kv_list *list, uint64_t from, uint64_t to, const char *entry,
		     size_t length, struct kv_why *why)
{
	int ret = 0;

	if (to <= from)
		return kv_why_set(why, "has '%.*s', a range that must end above its beginning", (int)length, entry);
	for (uint64_t v = from; v < to && !ret; v *= 2)
		ret = add_value(list, (uint32_t)v, entry, length, why);
	return ret ? ret : add_value(list, (uint32_t)to, entry, length, why);
}

/* @lacks: the part that the range lacks */
static int refuse_open(const char *entry, const char *lacks, struct kv_why *why)
{
	return kv_why_set(why, "has '%.*s', a range without %s; write 1-16 for a range, which doubles from 1 to 16",
			  (int)strcspn(entry, ","), entry, lacks);
}

/* Values and ranges, as in 8,64 or 1-16. */
static int take_quantities(const struct quantity *q, const char *text, uint64_t most,
			   struct kv_list *list, struct kv_why *why)
{
	for (;; text++) {
		const char *entry = text;
		uint64_t from, to;
		int ret;

		if (*text == ',' || (!*text && list->n))
			return kv_why_set(why, "has an empty entry");
		if (*text == '-')
			return refuse_open(text, "a beginning", why);
		ret = parse_quantity(q, &text, 1, most, &from, why);
		if (!ret && *text == '-') {
			text++;
			if (!*text || *text == ',')
				return refuse_open(entry, "an end", why);
			ret = parse_quantity(q, &text, 1, most, &to, why) ?:
			      add_range(list, from, to, entry, (size_t)(text - entry), why);
		} else if (!ret) {
			ret = add_value(list, (uint32_t)from, entry, (size_t)(text - entry), why);
		}
		if (!ret && *text == '-')
			return kv_why_set(why, "has '%.16s' behind a range", text);
		if (ret || !*text)
			return ret;
	}
}

int kv_parse_sizes(const char *text, void *list, struct kv_why *why)
{
	struct kv_list found = { .all = !strcmp(text, "all") };
	int ret = found.all ? 0 : take_quantities(&size, text, UINT32_MAX, &found, why);

	if (!ret)
		*(struct kv_list *)list = found;
	return ret;
}

int kv_parse_qps(const char *text, void *list, struct kv_why *why)
{
	struct kv_list found = { 0 };
	int ret = take_quantities(&number, text, KV_RUN_ENDS_MAX, &found, why);

	if (!ret)
		*(struct kv_list *)list = found;
	return ret;
}

int kv_parse_rates(const char *text, void *list, struct kv_why *why)
{
	struct kv_list found = { 0 };

	for (;; text++) {
		size_t length = strcspn(text, ",");
		bool share = length && text[length - 1] == '%';
		char entry[32];
		uint64_t v = 0;
		int ret;

		snprintf(entry, sizeof(entry), "%.*s", (int)MIN(length - share, sizeof(entry) - 1), text);
		ret = kv_parse_count(entry, 1, share ? RATE_PERCENT_MAX : KV_PARSE_RATE_MAX, &v,
				     why) ?:
		      add_value(&found, (uint32_t)v | (share ? KV_PARSE_PERCENT : 0), text, length,
				why);
		if (ret)
			return ret;
		text += length;
		if (!*text)
			break;
	}
	*(struct kv_list *)list = found;
	return 0;
}

int kv_parse_mtu(const char *text, uint32_t *bytes, struct kv_why *why)
{
	uint64_t v = 0;
	int ret = parse_one(&size, text, MTU_MIN, MTU_MAX, &v, why);

	if (ret)
		return ret;
	if (v & (v - 1))
		return kv_why_set(why, "is no path MTU; there are 256, 512, 1024, 2048 and 4096");
	*bytes = (uint32_t)v;
	return 0;
}

int kv_parse_dev(const char *text, void *name, struct kv_why *why)
{
	size_t length = strlen(text), most = sizeof(((struct kv_dev *)NULL)->name) - 1;

	if (!length)
		return kv_why_set(why, "is empty; 'kverbs dev show' lists the devices");
	if (length > most)
		return kv_why_set(why, "has %zu characters, and a device's name at most %zu",
			      length, most);
	*(const char **)name = text;
	return 0;
}
