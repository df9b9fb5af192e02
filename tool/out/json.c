// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "out/out.h"

/* No errno that user space sees is larger. */
#define ERRNO_MAX 4095

/**
 * kv_errno_name() - the name of an errno
 * @error: the errno, negative or not
 *
 * Return: the name, such as "EINVAL"; "?" if it has none.
 */
const char *kv_errno_name(int error)
{
	const char *name = strerrorname_np(error < 0 ? -error : error);

	return name ? name : "?";
}

/**
 * kv_errno_number() - the errno of a name
 * @name: the name, such as "EINVAL"
 *
 * Return: the errno, negative; 0 if there is no errno of that name.
 */
int kv_errno_number(const char *name)
{
	for (int e = 1; e <= ERRNO_MAX; e++) {
		const char *known = strerrorname_np(e);

		if (known && !strcmp(known, name))
			return -e;
	}
	return 0;
}

static bool is_ascii(const char *text)
{
	while (*text && !(*text & 0x80))
		text++;
	return !*text;
}

/**
 * kv_out_string() - make a string
 * @value: the text, from the command line or a file name
 *
 * JSON is UTF-8; a byte that is no valid UTF-8 is written as text, \xNN.
 *
 * Return: the string, or NULL if there is no memory.
 */
struct json_object *kv_out_string(const char *value)
{
	size_t left = strlen(value), room = 4 * left + 1;
	struct json_object *string = NULL;
	char *in = (char *)value, *text, *out;
	iconv_t utf8;

	/* Most strings are ASCII, and opening a converter takes thousands of instructions. */
	if (is_ascii(value))
		return json_object_new_string_len(value, (int)left);
	text = malloc(room);
	out = text;
	utf8 = iconv_open("UTF-8", "UTF-8");
	if (!text || utf8 == (iconv_t)-1)
		goto out;
	while (left && iconv(utf8, &in, &left, &out, &room) == (size_t)-1) {
		out += sprintf(out, "\\x%02x", (unsigned char)*in++);
		room -= 4;
		left--;
	}
	string = json_object_new_string_len(text, (int)(out - text));
out:
	if (utf8 != (iconv_t)-1)
		iconv_close(utf8);
	free(text);
	return string;
}

/**
 * kv_out_real() - make a number with a fraction
 * @value: the number; NAN becomes null
 * @decimals: number of significant digits of the fraction
 *
 * Return: the number, or NULL for null.
 */
struct json_object *kv_out_real(double value, int decimals)
{
	char text[64];

	if (!isfinite(value))
		return NULL;
	snprintf(text, sizeof(text), "%.*f", decimals, value);
	return json_object_new_double_s(value, text);
}

/** kv_out_put_as() - kv_out_put(); @fixed: the key needs no copy, because it outlives @obj */
void kv_out_put_as(struct json_object *obj, const char *key, bool fixed, struct json_object *value)
{
	json_object_object_add_ex(obj, key, value, fixed ? JSON_C_OBJECT_ADD_CONSTANT_KEY : 0);
}

void kv_out_put_fault(struct json_object *obj, const struct kv_fault *f)
{
	struct json_object *error = json_object_new_object();

	kv_out_put_string(error, "errno", kv_errno_name(f->error));
	kv_out_put_string(error, "text", f->text);
	kv_out_put(obj, "error", error);
}

/** kv_out_document() - begin a document, which the caller owns */
struct json_object *kv_out_document(const struct kv_schema *schema)
{
	struct json_object *doc = json_object_new_object();

	kv_out_put_string(doc, "schema", schema->name);
	kv_out_put_count(doc, "schema_version", schema->version);
	return doc;
}

/**
 * kv_out_read() - read a document
 * @doc: receives it, owned by the caller
 */
int kv_out_read(const char *path, struct json_object **doc, struct kv_fault *f)
{
	if (access(path, R_OK))
		return kv_fault_set(f, -errno, "%s: %s", path, strerror(errno));
	*doc = json_object_from_file(path);
	return *doc ? 0 : kv_fault_set(f, -EINVAL, "%s is no JSON", path);
}

/**
 * kv_out_print() - print a document on stdout
 * @flags: JSON_C_TO_STRING_PRETTY or JSON_C_TO_STRING_PLAIN
 */
void kv_out_print(struct json_object *doc, int flags)
{
	flags |= JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;
	puts(json_object_to_json_string_ext(doc, flags));
	fflush(stdout);
}

/* The element of a list whose number is @index, or NULL. */
static struct json_object *get_element(struct json_object *list, const char *index)
{
	char *end;
	unsigned long i = strtoul(index, &end, 10);

	return *end || !isdigit((unsigned char)*index) ? NULL : kv_out_item(list, i);
}

/* Most paths are one key: it is looked up where it stands, which json_pointer_get() does not. */
struct json_object *kv_out_get(struct json_object *obj, const char *path)
{
	char part[128];

	while (obj && *path) {
		const char *key = path + 1, *end = strchrnul(key, '/');

		if (*end) {
			if ((size_t)(end - key) >= sizeof(part))
				return NULL;
			*(char *)mempcpy(part, key, (size_t)(end - key)) = '\0';
			key = part;
		}
		obj = json_object_is_type(obj, json_type_array) ? get_element(obj, key) :
								  json_object_object_get(obj, key);
		path = end;
	}
	return obj;
}

struct json_object *kv_out_item(struct json_object *list, size_t i)
{
	return json_object_array_get_idx(list, i);
}

const char *kv_out_get_string(struct json_object *obj, const char *path)
{
	struct json_object *found = kv_out_get(obj, path);

	return found ? json_object_get_string(found) : "-";
}

unsigned long long kv_out_get_count(struct json_object *obj, const char *path)
{
	return json_object_get_uint64(kv_out_get(obj, path));
}

double kv_out_get_real(struct json_object *obj, const char *path)
{
	struct json_object *found = kv_out_get(obj, path);

	return found ? json_object_get_double(found) : NAN;
}
