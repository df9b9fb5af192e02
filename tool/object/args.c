// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include "cli/guess.h"
#include "cli/parse.h"
#include "object/args.h"
#include "object/options.h"

/* No command has more keys. */
#define KEYS_MAX 63

static enum kv_key_kind kind_of(const struct kv_member *m)
{
	if (m->refers)
		return KV_KEY_ID;
	if (m->form == KV_FORM_ENUM)
		return KV_KEY_ENUM;
	if (m->form == KV_FORM_FLAGS)
		return KV_KEY_FLAGS;
	switch (m->type) {
	case KV_MEMBER_BOOL:
		return KV_KEY_FLAG;
	case KV_MEMBER_U64:
		return m->form == KV_FORM_SIZE ? KV_KEY_SIZE : KV_KEY_U64;
	case KV_MEMBER_HEX:
		return KV_KEY_GID;
	case KV_MEMBER_TEXT_AT:
		return KV_KEY_DEVICE;
	case KV_MEMBER_ADDRESS:
		return KV_KEY_SOCKADDR;
	default:
		return m->form == KV_FORM_SIZE ? KV_KEY_SIZE32 : KV_KEY_U32;
	}
}

/* A member's word, with - for _; NULL: no memory. */
static const char *spell(const struct kv_member *m)
{
	char *word = strdup(m->key ?: m->known ?: m->name);

	for (char *c = word; c && *c; c++) {
		if (*c == '_')
			*c = '-';
	}
	return word;
}

/* @at: offset of the struct; @mask, @bits: those of the enclosing member, for a nested struct. */
static struct kv_key *add_members(struct kv_key *key, const struct kv_shape *shape, size_t at,
				  size_t mask, uint32_t bits)
{
	for (unsigned int i = 0; i < shape->members; i++) {
		const struct kv_member *m = &shape->member[i];
		size_t its_mask = m->bit ? at + shape->mask : mask;
		uint32_t its_bits = m->bit ? m->bit : bits;

		if (m->type == KV_MEMBER_STRUCT)
			key = add_members(key, m->shape, at + m->offset, its_mask, its_bits);
		if (!m->help)
			continue;
		*key++ = (struct kv_key){
			.name = spell(m),
			.kind = kind_of(m),
			.offset = at + m->offset,
			.bits = its_bits,
			.must = m->must,
			.names = m->names,
			.type = m->refers ? (enum kv_type)(m->refers - 1) : 0,
			.value = m->value,
			.help = m->help,
			.has = m->when == KV_WHEN_HAS ? at + m->beside : 0,
			.mask = its_mask,
		};
	}
	return key;
}

/**
 * kv_keys_make() - the keys of a command from the rows of the struct that it fills
 * @shape: shape of the struct: its members with a help text are keys
 * @at: offset of the struct in the command's struct
 * @more: tables of further keys, the last one NULL
 *
 * Return: a table, which lives as long as the process; NULL: no memory.
 */
const struct kv_key *kv_keys_make(const struct kv_shape *shape, size_t at,
				  const struct kv_key *const *more)
{
	/*
	 * Of each command, in turn: a table of this size for each is more to clear than all keys.
	 */
	static struct kv_key most[KEYS_MAX];
	struct kv_key *end = add_members(most, shape, at, 0, 0), *table;
	size_t n;

	for (; *more; more++) {
		for (const struct kv_key *key = *more; key->name; key++)
			*end++ = *key;
	}
	n = (size_t)(end - most);
	table = malloc((n + 1) * sizeof(*table));
	if (!table)
		return NULL;
	memcpy(table, most, n * sizeof(*table));
	table[n] = (struct kv_key){ .name = NULL };
	return table;
}

/** kv_keys_preset() - set the default values of keys */
void kv_keys_preset(const struct kv_shape *shape, void *to)
{
	for (unsigned int i = 0; i < shape->members; i++) {
		const struct kv_member *m = &shape->member[i];
		char *at = (char *)to + m->offset;

		if (m->type == KV_MEMBER_STRUCT)
			kv_keys_preset(m->shape, at);
		else if (m->preset && m->type == KV_MEMBER_U64)
			*(uint64_t *)at = m->preset;
		else if (m->preset)
			*(uint32_t *)at = (uint32_t)m->preset;
	}
}

/* The reading of one command's words. No table has more than 64 keys. */
struct reader {
	const struct kv_key *table;
	struct kv_variables *variables;
	struct kv_fault *f;
	void *args;
	uint64_t seen; /* keys of @table, a bit each */
	/* The open piece; NULL: none. */
	const struct kv_key *opener;
	void *piece;
	uint64_t piece_seen;
};

/* A key may be written as an option. */
static const char *skip_dashes(const char *word)
{
	return strncmp(word, "--", 2) ? word : word + 2;
}

/* Adds the keys of a table that a word may be. True: the word is a whole key. */
static bool match_keys(struct kv_match *m, const struct kv_key *table, const char *word)
{
	for (; table->name; table++) {
		if (!table->bare && kv_match(m, skip_dashes(word), table->name, table))
			return true;
	}
	return false;
}

/**
 * kv_key_find() - look for a key
 * @word: its name, perhaps cut short, with _ for -, or written as an option, with -- before it
 *
 * Return: the key, or NULL.
 */
const struct kv_key *kv_key_find(const struct kv_key *table, const char *word)
{
	struct kv_match match = { 0 };

	match_keys(&match, table, word);
	return match.row;
}

/* Find the key whose pieces have the key @name. */
static const struct kv_key *find_opener(const struct kv_key *table, const char *name)
{
	for (; table->name; table++) {
		if (table->piece && kv_key_find(table->piece, name))
			return table;
	}
	return NULL;
}

/* The keys of a table, without a bare one, separated by commas. */
static void list_keys(const struct kv_key *table, char *text, size_t size, struct kv_guess *g)
{
	text[0] = '\0';
	table += table->bare;
	for (const struct kv_key *k = table; k->name; k++) {
		kv_append(text, size, "%s%s", k == table ? "" : ", ", k->name);
		kv_guess_add(g, k->name);
		for (const struct kv_key *p = k->piece; p && p->name; p++) {
			kv_append(text, size, "%s%s%s", p == k->piece ? " (" : ", ", p->name,
				  p[1].name ? "" : ")");
			kv_guess_add(g, p->name);
		}
	}
}

/* Refuses a number without its key; names the key that it may belong to. */
static int refuse_bare(const struct reader *r, const char *word, const char *keys)
{
	const struct kv_key *key = r->table;

	for (; key->name; key++) {
		bool number = key->kind == KV_KEY_U32 || key->kind == KV_KEY_U64 ||
			      key->kind == KV_KEY_SIZE || key->kind == KV_KEY_SIZE32 ||
			      key->kind == KV_KEY_ID;

		if (key->must && number && !(r->seen & 1ULL << (key - r->table)))
			return kv_fault_usage(r->f, "'%s' stands without its key: '%s %s'; it takes %s", word, key->name,
					      word, keys);
	}
	return kv_fault_usage(r->f, "'%s' stands without its key; it takes %s", word, keys);
}

static int refuse_unknown(const struct reader *r, const char *word)
{
	const struct kv_key *opener = r->piece ? NULL : find_opener(r->table, word);
	const char *bare = skip_dashes(word), *dashes = bare > word ? "--" : "";
	struct kv_guess g;
	char keys[640];

	if (opener)
		return kv_fault_usage(r->f, "'%s' belongs to a piece: '%s' has to stand before it",
				      word, opener->name);
	kv_guess_begin(&g, dashes, bare, strlen(bare));
	list_keys(r->table, keys, sizeof(keys), &g);
	/* Options are read before keys, whole ones only. */
	for (const struct kv_option *row = kv_object_command_rows; row->name && *dashes && !g.n;
	     row++) {
		if (row->help)
			kv_guess_add(&g, row->name);
	}
	if (!*keys)
		return kv_fault_usage(r->f, "'%s' is too much: it takes nothing more", word);
	if (isdigit((unsigned char)*word))
		return refuse_bare(r, word, keys);
	if (g.n > 1)
		return kv_fault_usage(r->f, "'%s' may be %s", word, g.several);
	/* In a batch an option that is spelled right is not known either. */
	if (g.nearest && g.changes)
		return kv_fault_usage(r->f, "'%s' is not known, but '%s%s' is; it takes %s", word, dashes,
				      g.nearest, keys);
	return kv_fault_usage(r->f, "'%s' is not known; it takes %s", word, keys);
}

static uint64_t max_of(const struct kv_key *key)
{
	if (key->max)
		return key->max;
	return key->kind == KV_KEY_U32 || key->kind == KV_KEY_SIZE32 ? UINT32_MAX : UINT64_MAX;
}

/* Text, or "hex:" and digits. */
static int read_bytes(const char *text, void *field, struct kv_why *why)
{
	struct kv_bytes *bytes = field;
	static const char hex[] = "hex:";
	bool is_hex = !strncmp(text, hex, strlen(hex));
	size_t n;

	text += is_hex ? strlen(hex) : 0;
	n = is_hex ? strlen(text) / 2 : strlen(text);
	if (n > sizeof(bytes->byte))
		return kv_why_set(why, "has %zu bytes; it takes %zu at most", n,
				  sizeof(bytes->byte));
	bytes->n = (uint32_t)n;
	if (is_hex)
		return kv_parse_hex(text, bytes->byte, why);
	memcpy(bytes->byte, text, n);
	return 0;
}

static int read_port(const char *text, void *field, struct kv_why *why)
{
	/* Both families have the port at the same offset. */
	const struct sockaddr_in *in = field;
	int ret = kv_parse_sockaddr(text, field, why);

	if (ret || in->sin_port)
		return ret;
	return kv_why_set(why, "has no port; it takes %s:PORT, from 1 to 65535",
			  in->sin_family == AF_INET6 ? "[ADDR]" : "ADDR");
}

static int read_text(const char *text, void *field, struct kv_why *why)
{
	*(const char **)field = text;
	return 0;
}

static int read_value(const struct reader *r, const struct kv_key *key,
		      const char *text, void *field)
{
	static int (*const read[])(const char *text, void *field, struct kv_why *why) = {
		[KV_KEY_GID] = kv_parse_gid, [KV_KEY_ADDRESS] = kv_parse_address,
		[KV_KEY_SOCKADDR] = kv_parse_sockaddr, [KV_KEY_PORT] = read_port,
		[KV_KEY_BYTES] = read_bytes, [KV_KEY_DEVICE] = kv_parse_dev,
		[KV_KEY_TEXT] = read_text,
	};
	struct kv_why why;
	uint64_t v = 0;
	int ret = 0;

	switch (key->kind) {
	case KV_KEY_U32:
	case KV_KEY_U64:
		ret = kv_parse_count(text, 0, max_of(key), &v, &why);
		break;
	case KV_KEY_SIZE:
	case KV_KEY_SIZE32:
		ret = kv_parse_bytes(text, max_of(key), &v, &why);
		break;
	case KV_KEY_TIME:
		ret = kv_parse_time(text, 0, KV_ARGS_TIME_MAX_NS, &v, &why);
		break;
	case KV_KEY_ENUM:
		ret = kv_parse_enum(text, key->names, field, &why);
		break;
	case KV_KEY_FLAGS:
		ret = kv_parse_flags(text, key->names, field, &why);
		break;
	case KV_KEY_ID:
		ret = kv_variables_id(r->variables, key->type, text, field, &why);
		break;
	default:
		ret = read[key->kind](text, field, &why);
		break;
	}
	if (ret)
		return kv_fault_usage(r->f, "%s '%.200s' %s", key->name, text, why.text);
	if (key->kind == KV_KEY_U32 || key->kind == KV_KEY_SIZE32)
		*(uint32_t *)field = (uint32_t)v;
	else if (key->kind == KV_KEY_U64 || key->kind == KV_KEY_SIZE || key->kind == KV_KEY_TIME)
		*(uint64_t *)field = v;
	return 0;
}

static int check_must(const struct kv_key *table, uint64_t seen, struct kv_fault *f)
{
	for (unsigned int i = 0; table[i].name; i++) {
		if (table[i].must && !(seen & (1ULL << i)))
			return kv_fault_usage(f, "'%s' is missing: %s",
					      table[i].name, table[i].help);
	}
	return 0;
}

static int close_piece(struct reader *r)
{
	if (!r->piece)
		return 0;
	return check_must(r->opener->piece, r->piece_seen, r->f);
}

static int open_piece(struct reader *r, const struct kv_key *key)
{
	unsigned int *count = (unsigned int *)((char *)r->args + key->piece_count);
	int ret = close_piece(r);

	if (ret)
		return ret;
	if (*count == key->piece_max)
		return kv_fault_usage(r->f, "there are more than %u times '%s'",
				      key->piece_max, key->name);
	r->opener = key;
	r->piece = (char *)r->args + key->offset + *count * key->piece_size;
	r->piece_seen = 0;
	(*count)++;
	return 0;
}

static void note_given(const struct kv_key *key, void *args)
{
	((struct kv_given *)args)->bits |= key->bits;
	if (key->mask)
		*(uint32_t *)((char *)args + key->mask) |= key->bits;
	if (key->has)
		*((bool *)args + key->has) = true;
}

/* Takes the value of a bare key, which is given without its name. */
static int take_bare(struct reader *r, const char *value)
{
	const struct kv_key *key = r->table;

	note_given(key, r->args);
	r->seen |= 1;
	return read_value(r, key, value, (char *)r->args + key->offset);
}

/* Takes a key of the open piece, or else of the command; @n: number of words left, at least 1. */
static int take_key(struct reader *r, char **words, size_t n, size_t *used)
{
	const struct kv_key *table = r->table, *key;
	uint64_t *seen = &r->seen, bit;
	const char *word = words[0];
	struct kv_match match = { 0 };
	bool whole = r->piece && match_keys(&match, r->opener->piece, word);
	const void *in_piece = match.row;
	void *args = r->args;

	if (!whole)
		match_keys(&match, table, word);
	key = match.row;
	if (!key)
		return refuse_unknown(r, word);
	if (key == in_piece) {
		table = r->opener->piece;
		seen = &r->piece_seen;
		args = r->piece;
	}
	*used = 1;
	note_given(key, args);
	if (key->kind == KV_KEY_PIECE)
		return open_piece(r, key);
	if (key->kind == KV_KEY_REST) {
		*(struct kv_rest *)((char *)args + key->offset) =
			(struct kv_rest){ words + 1, n - 1 };
		*used = n;
		return 0;
	}
	bit = 1ULL << (key - table);
	if (*seen & bit)
		return kv_fault_usage(r->f, "'%s' is given twice", key->name);
	*seen |= bit;
	if (key->kind == KV_KEY_FLAG) {
		if (key->offset)
			*((bool *)args + key->offset) = true;
		return 0;
	}
	if (n < 2)
		return kv_fault_usage(r->f, "'%s' needs a value: %s", key->name, key->help);
	*used = 2;
	return read_value(r, key, words[1], (char *)args + key->offset);
}

/**
 * kv_args_parse() - read the keys and values of a command
 * @table: the command's keys
 * @args: the command's struct, with its defaults; receives the values
 *
 * Return: 0 or -EINVAL.
 */
int kv_args_parse(const struct kv_key *table, struct kv_variables *variables, char **word,
		  size_t n, void *args, struct kv_fault *f)
{
	struct reader r = { .table = table, .variables = variables, .f = f, .args = args };
	size_t first = table->bare && n;
	int ret = first ? take_bare(&r, word[0]) : 0;

	for (size_t i = first, used = 0; i < n && !ret; i += used)
		ret = take_key(&r, word + i, n - i, &used);
	ret = ret ?: close_piece(&r) ?: check_must(table, r.seen, f);
	((struct kv_given *)args)->seen = r.seen;
	return ret;
}

/**
 * kv_args_given() - was a key given?
 * @given: the keys that were given, in the command's struct
 * @name: name of the key
 */
bool kv_args_given(const struct kv_key *table, const struct kv_given *given, const char *name)
{
	const struct kv_key *key = kv_key_find(table, name);

	return key && given->seen & 1ULL << (key - table);
}
