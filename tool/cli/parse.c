// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "cli/parse.h"
#include "model/backend.h"

#define MTU_MIN 256
#define MTU_MAX 4096

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

static int find_word(const char *text, size_t length, const struct kv_enum *table, uint32_t *value)
{
	for (; table->name; table++) {
		if (strlen(table->name) == length && !memcmp(table->name, text, length)) {
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

int kv_parse_count(const char *text, uint64_t min, uint64_t max,
		   uint64_t *value, struct kv_why *why)
{
	const char *end = text;
	char range[64];
	uint64_t v;
	int ret;

	snprintf(range, sizeof(range), "a number from %llu to %llu",
		 (unsigned long long)min, (unsigned long long)max);
	ret = take_number(&end, &v);
	if (ret)
		return refuse_number(text, ret, range, why);
	if (*end)
		return kv_why_set(why, "has '%.16s' behind its number; it takes %s", end, range);
	if (v < min)
		return kv_why_set(why, "is too small; it takes %s", range);
	if (v > max)
		return kv_why_set(why, "is too large; it takes %s", range);
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

/* Takes bytes off the front of a text: to its end, or to a comma of a list. */
static int take_bytes(const char **text, uint64_t min, uint64_t max, uint64_t *bytes,
		      struct kv_why *why)
{
	static const char units[] = "kKmMgG";
	const char *end = *text, *unit;
	unsigned int shift = 0;
	char range[96];
	uint64_t v;
	int ret;

	snprintf(range, sizeof(range), "bytes from %llu to %llu, or KiB, MiB or GiB as in 4k, 1m or 1g",
		 (unsigned long long)min, (unsigned long long)max);
	ret = take_any_number(&end, &v);
	if (ret)
		return refuse_number(*text, ret, range, why);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		shift = 10 * ((unsigned int)(unit - units) / 2 + 1);
		end++;
	}
	if (*end && *end != ',')
		return kv_why_set(why, "has '%.16s' behind its number; it takes %s", end, range);
	if (v > max >> shift)
		return kv_why_set(why, "is too large; it takes %s", range);
	if (v << shift < min)
		return kv_why_set(why, "is %llu; it takes %s", (unsigned long long)(v << shift), range);
	*bytes = v << shift;
	*text = end;
	return 0;
}

/* Parses a whole text as a number of bytes. */
static int parse_bytes(const char *text, uint64_t min, uint64_t max, uint64_t *bytes,
		       const char *what, struct kv_why *why)
{
	uint64_t v;
	int ret = take_bytes(&text, min, max, &v, why);

	if (ret)
		return ret;
	if (*text)
		return kv_why_set(why, "is a list; it takes one %s", what);
	*bytes = v;
	return 0;
}

int kv_parse_size(const char *text, uint32_t *bytes, struct kv_why *why)
{
	uint64_t v = 0;
	int ret = parse_bytes(text, 1, UINT32_MAX, &v, "size", why);

	if (!ret)
		*bytes = (uint32_t)v;
	return ret;
}

int kv_parse_bytes(const char *text, uint64_t max, uint64_t *bytes, struct kv_why *why)
{
	return parse_bytes(text, 0, max, bytes, "number of bytes", why);
}

static int time_unit(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {
		{ "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 },
		{ "us", 1000 },	    { "ns", 1 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(text, units[i].unit)) {
			*ns = units[i].ns;
			return 0;
		}
	}
	return -EINVAL;
}

int kv_parse_time(const char *text, uint64_t min_ns, uint64_t max_ns,
		  uint64_t *ns, struct kv_why *why)
{
	const char *end = text;
	uint64_t whole, part = 0, unit, scale;
	char what[96];
	int ret;

	snprintf(what, sizeof(what), "a time from %.12gs to %.12gs, as in 2, 0.5s or 200ms",
		 (double)min_ns / 1e9, (double)max_ns / 1e9);
	ret = take_number(&end, &whole);
	if (ret)
		return refuse_number(text, ret, what, why);
	/* The fraction is in units of 10^-9; further digits are ignored. */
	if (*end == '.') {
		end++;
		if (!digit(*end))
			return kv_why_set(why, "has no digit behind its point; it takes %s", what);
		for (scale = 100000000; digit(*end); end++, scale /= 10)
			part += (uint64_t)(*end - '0') * scale;
	}
	if (time_unit(end, &unit))
		return kv_why_set(why, "has '%.16s' behind its number; it takes %s", end, what);
	if (whole > max_ns / unit)
		return kv_why_set(why, "is too long; it takes %s", what);
	/* No overflow: part is below 10^9, and unit is at most 10^9. */
	part = part * unit / 1000000000;
	if (part > max_ns - whole * unit)
		return kv_why_set(why, "is too long; it takes %s", what);
	if (whole * unit + part < min_ns)
		return kv_why_set(why, "is too short; it takes %s", what);
	*ns = whole * unit + part;
	return 0;
}

int kv_parse_cpus(const char *text, void *cpus, struct kv_why *why)
{
	static const char what[] = "one or two CPU numbers, as in 1 or 1,0";
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
		if (found.n == 2)
			return kv_why_set(why, "has more than two CPUs; it takes %s", what);
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

int kv_parse_sizes(const char *text, void *list, struct kv_why *why)
{
	struct kv_list found = { 0 };
	int ret;

	for (;; text++) {
		const char *entry = text;
		uint64_t bytes;

		if (*text == ',' || (!*text && found.n))
			return kv_why_set(why, "has an empty entry");
		ret = take_bytes(&text, 1, UINT32_MAX, &bytes, why);
		if (!ret)
			ret = add_value(&found, (uint32_t)bytes, entry, (size_t)(text - entry), why);
		if (ret)
			return ret;
		if (!*text)
			break;
	}
	*(struct kv_list *)list = found;
	return 0;
}

int kv_parse_number(const char *text, uint64_t max, uint64_t *value, struct kv_why *why)
{
	const char *end = text;
	char range[80];
	uint64_t v;
	int ret;

	snprintf(range, sizeof(range), "a number from 0 to %llu, decimal or hexadecimal with 0x",
		 (unsigned long long)max);
	ret = take_any_number(&end, &v);
	if (!ret && v > max)
		ret = -ERANGE;
	if (ret)
		return refuse_number(text, ret, range, why);
	if (*end)
		return kv_why_set(why, "has '%.16s' behind its number; it takes %s", end, range);
	*value = v;
	return 0;
}

int kv_parse_mtu(const char *text, uint32_t *bytes, struct kv_why *why)
{
	uint64_t v;
	int ret = kv_parse_count(text, MTU_MIN, MTU_MAX, &v, why);

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
