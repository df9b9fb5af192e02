// SPDX-License-Identifier: MIT
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include "cli/foreign.h"

const struct kv_foreign kv_foreign_ops[] = {
	{ "rdma-write", .here = "here it is write" },
	{ "rdma-read", .here = "here it is read" },
	{ "send-with-imm", .here = "here it is send-imm" },
	{ "write-with-imm", .here = "here it is write-imm" },
	{ "rdma-write-with-imm", .here = "here it is write-imm" },
	{ "send-with-inv", .here = "here it is send-inv" },
	{ "fetch-and-add", .here = "here it is fetch-add" },
	{ "atomic-fetch-and-add", .here = "here it is fetch-add" },
	{ "cmp-and-swap", .here = "here it is cmp-swp" },
	{ "atomic-cmp-and-swp", .here = "here it is cmp-swp" },
	{ .word = NULL },
};

/* Lower or upper case, with _ for - as well. */
static bool is_word(const char *word, const char *text, size_t length)
{
	if (strlen(word) != length)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (strncasecmp(word + i, text + i, 1) && !(word[i] == '-' && text[i] == '_'))
			return false;
	}
	return true;
}

/** kv_foreign_find() - find a word of @length characters; returns its row, or NULL */
const struct kv_foreign *kv_foreign_find(const struct kv_foreign *table, const char *text,
					 size_t length)
{
	for (; table->word; table++) {
		if (is_word(table->word, text, length))
			return table;
	}
	return NULL;
}

/** kv_foreign_option() - find the option of a word that begins with -; returns its row, or NULL */
const struct kv_foreign *kv_foreign_option(const struct kv_foreign *table, const char *text)
{
	if (!strncmp(text, "--", 2))
		return kv_foreign_find(table, text + 2, strcspn(text + 2, "="));
	while (table->word && (!table->letter || table->letter != text[1]))
		table++;
	return table->word ? table : NULL;
}

/**
 * kv_foreign_value() - find the first word of a list that is in a table
 * @text: the list, with commas between its words; libibverbs' prefix IBV_WR_ is skipped
 *
 * Return: @here of its row; NULL: the table has none of the words.
 */
const char *kv_foreign_value(const struct kv_foreign *table, const char *text)
{
	static const char prefix[] = "IBV_WR_";

	for (;; text++) {
		size_t length = strcspn(text, ","), skip = strncasecmp(text, prefix, 7) ? 0 : 7;
		const struct kv_foreign *found = kv_foreign_find(table, text + skip, length - skip);

		if (found)
			return found->here;
		text += length;
		if (!*text)
			return NULL;
	}
}
